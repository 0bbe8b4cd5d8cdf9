"""Tutorials as steps: the files that a page of `docs/how-to` writes, and the commands that it runs.

A block of code is a file if the line before it is the file's name in bold, and is set into a file that is there already
if that line goes on with ``below`` and a line of that file.  A ``console`` block has commands after ``$`` and what they
print; ``...`` stands for what is not the same everywhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs/how-to"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"\*\*`([^`]+)`\*\*(?:, below `([^`]+)`)?:?")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStep:
    """A file that is written, or lines that are added to one."""

    path: str
    text: str
    below: str | None = None
    """The line of the file below which the text comes; None where it is the whole file."""

    def apply(self, folder: Path) -> None:
        """Do what the reader is asked to do."""
        target = folder / self.path
        if self.below is None:
            assert not target.exists(), f"{self.path} is there already"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.text, encoding="utf-8")
            return
        lines = target.read_text(encoding="utf-8").splitlines(keepends=True)
        (at,) = [number for number, line in enumerate(lines, 1) if line.strip() == self.below]
        target.write_text("".join((*lines[:at], self.text, *lines[at:])), encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandStep:
    """A command, and what it prints."""

    command: str
    output: str

    def matches(self, printed: str) -> bool:
        """Return whether it printed what is shown."""
        pattern = re.escape(_strip_lines(self.output)).replace(r"\.\.\.", ".*?")
        return re.fullmatch(pattern, _strip_lines(printed), re.DOTALL) is not None


def read_tutorial(name: str) -> list[FileStep | CommandStep]:
    """Return the steps of a tutorial, in order."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    steps: list[FileStep | CommandStep] = []
    for block in _BLOCK.finditer(text):
        language, body = block.groups()
        heading = text[: block.start()].rstrip("\n").rsplit("\n", 1)[-1]
        if language == "console":
            steps += _read_commands(body)
        elif named := _FILE.fullmatch(heading):
            steps.append(FileStep(path=named[1], text=body, below=named[2]))
    return steps


def list_files(name: str) -> list[FileStep]:
    """Return the files of a tutorial."""
    return [step for step in read_tutorial(name) if isinstance(step, FileStep)]


def _read_commands(body: str) -> Iterator[CommandStep]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield CommandStep(command=command, output=output)


def _strip_lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
