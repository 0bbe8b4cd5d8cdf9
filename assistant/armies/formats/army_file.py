"""Army files (`overtable.army/1`, TOML): one player's units, each with its count and base."""

import tomlkit

from assistant.armies.army import Army
from assistant.armies.formats.army_format import ArmyFormat, ArmyReading, decode_text
from assistant.errors import BadInput
from assistant.files.documents import check, parse_toml
from assistant.rules.rulebook import Rulebook


def read_army(data: bytes, name: str, book: Rulebook | None) -> ArmyReading:  # noqa: ARG001 - an `ArmyReader`
    """Read an army file; errors as in `army_from_text`."""
    return ArmyReading(armies=(army_from_text(decode_text(data, name, "TOML in UTF-8"), name),))


def army_from_text(text: str, name: str) -> Army:
    """Return the army in the text of a file of this name.

    Raises:
        BadInput: one sentence that names the file, the place in it and what was expected.

    """
    try:
        data = parse_toml(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name}: this is not whole TOML: {error}") from None
    return check(data, Army, name)


def write_army(army: Army) -> str:
    """Return an army as the text of its file."""
    return tomlkit.dumps({"format": army.format, **army.model_dump(mode="json", exclude_defaults=True)})


def is_army_file(head: bytes) -> bool:
    """Return whether a file that begins so is an army's."""
    return b"overtable.army/1" in head


FORMAT = ArmyFormat(name="overtable.army/1", suffixes=(".toml",), read=read_army)
