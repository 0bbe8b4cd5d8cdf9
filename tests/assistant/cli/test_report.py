"""`overtable report`: which incident, and onto which file."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assistant.cli import overtable
from assistant.errors import BadInput
from tests.assistant.past.recorded import Recorded


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    table = Recorded(tmp_path / "game.overtable")
    table.too_far()
    return table.path


def report(*arguments: str | Path) -> Result:
    return CliRunner().invoke(
        overtable, ["report", *map(str, arguments)], catch_exceptions=False, standalone_mode=False
    )


def test_a_finding_becomes_a_sheet(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "incident.pdf"
    assert "s2 moved" in report(recording, "--list").output
    said = report(recording, "--finding", "1", "--out", out).output
    assert said.startswith(f"{out}: not legal, 0:00:02.")
    assert out.read_bytes().startswith(b"%PDF-")


def test_a_moment_is_told_as_json(recording: Path) -> None:
    told = json.loads(report(recording, "--at", "0:01.2", "--json").output)
    assert (told["at_ns"], told["outcome"]) == (1_200_000_000, None)
    found = json.loads(report(recording, "--list", "--json").output)
    assert ("10e-15", "illegal", "stands") in [(each["rule"], each["outcome"], each["fate"]) for each in found]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "which incident"),
        (("--at", "noon"), "expected a time from the game's beginning"),
        (("--at", "9:00:00"), "game.overtable ends at 0:00:02"),
        (("--at", "1"), "--out is missing"),
        (("--finding", "7"), "it has no finding 7"),
    ],
)
def test_what_is_no_incident_is_said(
    recording: Path, tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    out = () if "--out" in sentence else ("--out", tmp_path / "x.pdf")
    with pytest.raises(BadInput, match=sentence):
        report(recording, *arguments, *out)
    assert not (tmp_path / "x.pdf").exists()


def test_nothing_else_is_written_over(recording: Path) -> None:
    before = recording.read_bytes()
    with pytest.raises(BadInput, match="is no PDF"):
        report(recording, "--at", "0", "--out", recording)
    assert recording.read_bytes() == before
