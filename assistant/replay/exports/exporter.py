"""The exporter: one file format that a recorded game can be given to others in."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What was asked for beside the format; an exporter is given only the options that it names."""

    at: str | None = None
    """A moment of the game, as a person writes times."""
    move: int | None = None
    """A move, by its number in the list of moves."""
    verdicts: bool = False
    """With what the referee says."""
    poses: bool = False
    """With the poses of every picture."""
    speed: float | None = None
    """2 plays twice as fast."""
    size: tuple[int, int] | None = None
    """Of a picture: width and height, pixels."""
    progress: Callable[[float], None] = lambda _: None
    """Is to be told the share of the work that is done."""


class Export(Protocol):
    """Writes a recorded game to a file."""

    def __call__(self, recording: Path, out: Path, options: ExportOptions) -> str:
        """Write the file, which is there already and empty, and return what it is, for the person who asked.

        Raises:
            BadInput: the recording cannot be read, or cannot be had in this format.

        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """A format, which ``overtable export --to`` knows by the name of its entry point."""

    name: str
    """What a file of this format is called in a sentence, such as ``film``."""
    export: Export
    suffix: str = ""
    """What a file's name must end with, such as ``.mp4``; empty where any name will do."""
    options: frozenset[str] = frozenset()
    """The names of those `ExportOptions` that mean something for it."""
    recognises: Callable[[bytes], bool] | None = None
    """Whether a file that begins so is of this format, and may be replaced if that is asked for; None: none may."""
    activity: str = ""
    """What stands beside the bar that shows how far it is; empty where it is done at once."""


def write_lines(out: Path, lines: Iterable[str]) -> int:
    """Write lines of text to a file, and return how many they are."""
    count = 0
    with out.open("w", encoding="utf-8", newline="\n") as file:
        for line in lines:
            file.write(line + "\n")
            count += 1
    return count
