"""`overtable report`: which incident, and onto which file."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assistant.cli import overtable
from assistant.errors import BadInput
from assistant.replay.past_decisions import build_past_ruling
from assistant.replay.recorded_game import RecordedGame
from tests.assistant.replay.sample_recording import RecordedTable


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    table = RecordedTable(tmp_path / "game.overtable")
    table.push_too_far()
    return table.path


def run_report(*arguments: str | Path) -> Result:
    return CliRunner().invoke(
        overtable, ["report", *map(str, arguments)], catch_exceptions=False, standalone_mode=False
    )


def test_a_finding_becomes_a_sheet(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "incident.pdf"
    assert "s2 moved" in run_report(recording, "--list").output
    said = run_report(recording, "--finding", "1", "--out", out).output
    assert said.startswith(f"{out}: not legal, 0:00:02.")
    assert out.read_bytes().startswith(b"%PDF-")


def test_a_sheet_is_written_in_a_language(recording: Path, tmp_path: Path) -> None:
    sheets = []
    for language in ("en", "fr"):
        said = run_report(recording, "--at", "0:01.2", "--language", language, "--out", tmp_path / f"{language}.pdf")
        assert ": a moment of the game, " in said.output, "a command speaks English"
        sheets.append((tmp_path / f"{language}.pdf").read_bytes())
    assert sheets[0] != sheets[1]
    assert b"Rapport" in sheets[1]


def test_a_moment_is_told_as_json(recording: Path) -> None:
    told = json.loads(run_report(recording, "--at", "0:01.2", "--json").output)
    assert (told["at_ns"], told["outcome"]) == (1_299_999_999, None)
    found = json.loads(run_report(recording, "--list", "--json").output)
    assert ("10e-15", "illegal", "stands") in [(each["rule"], each["outcome"], each["fate"]) for each in found]


def test_the_time_that_is_shown_of_a_finding_is_a_time_at_which_it_was_found(recording: Path, tmp_path: Path) -> None:
    number, shown, *_ = next(
        line for line in run_report(recording, "--list").output.splitlines() if "s2 moved" in line
    ).split()
    found = RecordedGame(recording).judge_all().findings[int(number)]
    assert found.at_ns % 10**8 > 0  # what is shown of it is cut off
    out = tmp_path / "then.json"
    run = ["export", str(recording), "--to", "situation", "--at", shown, "--out", str(out)]
    CliRunner().invoke(overtable, run, catch_exceptions=False, standalone_mode=False)
    judged = CliRunner().invoke(overtable, ["judge", str(out), "--json"], catch_exceptions=False, standalone_mode=False)
    assert json.loads(judged.output)["outcome"] == "illegal"


def test_a_ruling_is_listed_under_what_it_is_about_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.push_too_far()
    past = RecordedGame(table.path)
    far = next(each for each in past.judge_all().findings.values() if each.finding.rule == "10e-15")
    table.do(
        lambda: table.session.make_ruling(
            build_past_ruling(past, at_ns=0, number=far.number, outcome="legal", note="bumped")
        )
    )
    lines = run_report(table.path, "--list").output.splitlines()
    at = next(at for at, line in enumerate(lines) if " not legal " in line and "s2 moved" in line)
    assert lines[at + 1].strip() == "The judge ruled: legal. Bumped."
    previews = sum(each.is_preview for each in past.judge_all().findings.values())
    assert [f"({previews})" in line for line in lines if line.startswith("Numbers left out")] == [True] * bool(previews)
    (ruling,) = next(f for f in json.loads(run_report(table.path, "--list", "--json").output) if f["rulings"])[
        "rulings"
    ]
    assert ruling == {"by": "judge", "outcome": "legal", "note": "bumped"}


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
        run_report(recording, *arguments, *out)
    assert not (tmp_path / "x.pdf").exists()


def test_nothing_else_is_written_over(recording: Path) -> None:
    before = recording.read_bytes()
    with pytest.raises(BadInput, match="is no PDF"):
        run_report(recording, "--at", "0", "--out", recording)
    assert recording.read_bytes() == before
