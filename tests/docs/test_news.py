"""News fragments: what `towncrier` would otherwise pass over in silence, or print as it should not be read."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.(added|changed|fixed|removed)\.md")


def describe_faults(fragment: Path) -> list[str]:
    """What is wrong with one file in the folder of fragments."""
    text = fragment.read_text(encoding="utf-8").strip() if fragment.is_file() else ""
    return [
        fault
        for fault, applies in {
            "is not named <name>.<added|changed|fixed|removed>.md": not NAME.fullmatch(fragment.name),
            "is empty": not text,
            "ends in the middle of a sentence": text != "" and text[-1] not in ".!?`)",
            "has a heading or a list of its own": text.startswith(("#", "-", "*")),
            "is longer than three sentences need": len(text) > 600,
        }.items()
        if applies
    ]


def test_every_fragment_is_well_named_and_says_something() -> None:
    fragments = [path for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]
    faults = {path.name: describe_faults(path) for path in fragments}
    assert {name: said for name, said in faults.items() if said} == {}


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("zone.new.md", "Zones are new.", "named"),
        ("Zone.added.md", "Zones are new.", "named"),
        ("zone.added.txt", "Zones are new.", "named"),
        ("zone.added.md", " \n", "empty"),
        ("zone.added.md", "Zones are", "middle"),
        ("zone.added.md", "- Zones are new.", "list"),
        ("zone.added.md", "Zones are new. " * 50, "longer"),
    ],
)
def test_a_bad_fragment_is_told(tmp_path: Path, name: str, text: str, fault: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert any(fault in said for said in describe_faults(tmp_path / name))


def test_towncrier_sorts_fragments_by_kind(tmp_path: Path) -> None:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    kinds = [kind["directory"] for kind in tomllib.loads(settings)["tool"]["towncrier"]["type"]]
    assert kinds == ["added", "changed", "fixed", "removed"]
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    (tmp_path / "changelog.d").mkdir()
    for kind in reversed(kinds):
        (tmp_path / "changelog.d" / f"zone.{kind}.md").write_text(f"A zone was {kind}.", encoding="utf-8")
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9.9", "--date", "2026-11-22"]
    news = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60).stdout
    places = [news.index(part) for kind in kinds for part in (f"### {kind.capitalize()}", f"A zone was {kind}.")]
    assert places == sorted(places)
    assert "## 9.9.9 (2026-11-22)" in news
