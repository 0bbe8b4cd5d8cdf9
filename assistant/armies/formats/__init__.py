"""Formats that armies come in: one module a format, found by looking here; each holds its format under ``FORMAT``.

Other packages bring theirs by entry points of the group ``overtable.army_formats``, each of which names an
`ArmyFormat`.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path, PurePath

from assistant.armies.formats.army_format import MOST_BYTES, ArmyFormat, ArmyReading, check_size
from assistant.armies.formats.roster import FORMAT as ROSTER
from assistant.armies.formats.roster import parse_roster
from assistant.armies.formats.roster_line import RosterLine
from assistant.errors import BadInput
from assistant.files.plugins import Door
from assistant.rules.rulebook import Rulebook

DOOR = Door(
    word="army format",
    group="overtable.army_formats",
    package=__name__,
    attribute="FORMAT",
    kind=ArmyFormat,
    names=lambda one: (one.name,),
)


@cache
def list_army_formats() -> tuple[ArmyFormat, ...]:
    """Return every format, the built-in ones first."""
    return DOOR.find()


def find_army_format(name: str, data: bytes) -> ArmyFormat | None:
    """Return the format of a file with this name and content; None where it can only be a roster that people typed."""
    named = [one for one in list_army_formats() if PurePath(name).suffix.lower() in one.suffixes]
    for one in (*named, *list_army_formats()):
        if one.recognises(data):
            return one
    return named[0] if named else None


def parse_list(text: str, books: Sequence[Rulebook]) -> tuple[RosterLine, ...]:
    """Return the lines of a list of any format, and what each was taken for."""
    form = find_army_format("", text.encode())
    parse = form.parse if form and form.parse else parse_roster
    return parse(text, books)


def read_armies(path: Path, book: Rulebook | None) -> ArmyReading:
    """Read the armies in a file of any format.

    Raises:
        BadInput: one sentence that names the file, the place in it and what was expected.

    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    check_size(data, str(path))
    form = find_army_format(path.name, data)
    if form is None and path.suffix.lower() == ".json":
        raise BadInput(f"{path}: there is no army in it; expected a roster of New Recruit or Rosterizer")
    return (form or ROSTER).read(data, str(path), book)
