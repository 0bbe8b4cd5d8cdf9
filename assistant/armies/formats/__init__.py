"""Formats that armies come in: one module a format, found by looking here; each holds its format under ``FORMAT``.

Other packages bring theirs by entry points of the group ``overtable.army_formats``, each of which names an
`ArmyFormat`.
"""

from functools import cache
from pathlib import Path, PurePath

from assistant.armies.formats.army_format import ArmyFormat, ArmyReading
from assistant.armies.formats.roster import FORMAT as ROSTER
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


def read_armies(path: Path, book: Rulebook | None) -> ArmyReading:
    """Read the armies in a file of any format.

    Raises:
        BadInput: one sentence that names the file, the place in it and what was expected.

    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    return (find_army_format(path.name, data) or ROSTER).read(data, str(path), book)
