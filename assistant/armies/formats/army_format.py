"""The army format: one way in which people write down whom they play with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from assistant.armies.army import Army
from assistant.errors import BadInput
from assistant.rules.rulebook import Rulebook


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmyReading:
    """What a file was found to say."""

    armies: tuple[Army, ...]
    """At least one."""
    remarks: tuple[str, ...] = ()
    """What was passed over or not understood, a sentence each with the place in the file."""


class ArmyReader(Protocol):
    """Reads the armies in a file."""

    def __call__(self, data: bytes, name: str, book: Rulebook | None) -> ArmyReading:
        """Return what the content of a file of this name says, by a rulebook if one is chosen.

        Raises:
            BadInput: one sentence that names the file, the place in it and what was expected.

        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmyFormat:
    """A format; a file is of it by the ending of its name, or by what stands in it."""

    name: str
    """Its own among all formats."""
    read: ArmyReader
    suffixes: tuple[str, ...] = ()
    """Endings of its files' names, in lower case, such as ``.toml``."""
    recognises: Callable[[bytes], bool] = lambda _: False
    """Whether content is of this format, whatever the file is called; it decides where several have one ending."""


def decode_text(data: bytes, name: str, expected: str) -> str:
    """Return the text in a file; BadInput if there is none.  Some editors begin it with a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{name}: this is not a text file; expected {expected}") from None
