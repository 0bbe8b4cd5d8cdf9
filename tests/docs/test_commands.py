"""Every command that a page tells people to type is one, with the options that it is given."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from assistant.cli import overtable
from tests.docs.source_names import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = re.compile(r"^    (?:\$ )?(overtable .*)$|`(overtable [^`]*)`", re.MULTILINE)
ALTERNATIVES = re.compile(r"\S+\|\S+")


def list_commands(text: str) -> list[str]:
    """Return the commands on a page, each on one line."""
    return [" ".join((block or span).split("#")[0].split()) for block, span in CODE.findall(text)]


def find_fault(line: str) -> str | None:
    """Return what of a command is not there; None where all is."""
    words = shlex.split(line.replace("'", ""))[1:]
    command: click.Command = overtable
    context = click.Context(command, info_name="overtable")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        if words[0].isupper() or ALTERNATIVES.fullmatch(words[0]) or words[0] == "...":
            return None  # any of several
        name, words = words[0], words[1:]
        inner = command.get_command(context, name)
        if inner is None:
            return f"no command {name}"
        command = inner
    options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    options |= {"--help", "--version", "-h"}
    unknown = [word for word in words if word.startswith("--") and word.rstrip(",").split("=")[0] not in options]
    return f"no option {unknown[0]}" if unknown else None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_on_a_page_are_there(page: Path) -> None:
    faults = {line: find_fault(line) for line in list_commands(page.read_text(encoding="utf-8"))}
    assert {line: fault for line, fault in faults.items() if fault} == {}


@pytest.mark.parametrize(
    "line", ["overtable juge S", "overtable zone S --modell s1", "overtable calibrate lense x.jpg"]
)
def test_a_command_that_is_not_there_is_found(line: str) -> None:
    assert find_fault(line) is not None


def test_pages_have_commands() -> None:
    assert sum(len(list_commands(page.read_text(encoding="utf-8"))) for page in PAGES) > 30


def walk_commands(group: click.Group, before: str = "") -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from walk_commands(command, f"{before}{name} ")
        else:
            yield before + name


def test_the_page_of_commands_has_all_of_them() -> None:
    text = (ROOT / "docs" / "guide" / "commands.md").read_text(encoding="utf-8")
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    told = [span for cell in cells for span in re.findall(r"`([^`]+)`", cell)]
    assert {line: fault for line in told if (fault := find_fault(f"overtable {line}"))} == {}
    names = list(walk_commands(overtable))
    assert sorted(name for name in names for line in told if f"{line} ".startswith(f"{name} ")) == sorted(names)
