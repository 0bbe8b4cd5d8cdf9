"""Army commands: what pages ask of the armies that are entered."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.files.documents import Id
from assistant.web.commands.registry import OWNERS, enter
from assistant.web.messages.message import Message

Entered = Annotated[str, Field(max_length=500)]
Roster = Annotated[str, Field(max_length=200_000)]


class ArmiesRulebook(Message):
    """Choose the rulebook."""

    type: Literal["armies-rulebook"]
    rulebook: Id


class ArmiesPlayer(Message):
    """Name a player, or add one."""

    type: Literal["armies-player"]
    force: Id | None = None
    """The army; None adds one."""
    player: Annotated[str, Field(max_length=100)] = ""


class ArmiesLeave(Message):
    """Drop a player with all units."""

    type: Literal["armies-leave"]
    force: Id


class ArmiesPaste(Message):
    """Take a player's roster as it is now."""

    type: Literal["armies-paste"]
    force: Id
    text: Roster


class ArmiesPart(Message):
    """Give each player whom a roster's headings name an army of their own."""

    type: Literal["armies-part"]
    force: Id


class ArmiesEdit(Message):
    """Correct one field of a unit."""

    type: Literal["armies-edit"]
    force: Id
    row: int
    field: Id
    """``name``, ``count``, ``base``, ``keywords``, ``status`` or a profile key."""
    value: Entered


class ArmiesAdd(Message):
    """Add a unit that no roster names."""

    type: Literal["armies-add"]
    force: Id


class ArmiesDrop(Message):
    """Drop a unit."""

    type: Literal["armies-drop"]
    force: Id
    row: int


class ArmiesFile(Message):
    """Take a file: an army, a roster, or a whole situation in place of all armies."""

    type: Literal["armies-file"]
    force: Id
    name: Entered
    text: Annotated[str, Field(max_length=2_000_000)]


class ArmiesOwn(Message):
    """Play the armies that were entered, and no longer a situation's."""

    type: Literal["armies-own"]


class ArmiesUndo(Message):
    """Bring back what was dropped last."""

    type: Literal["armies-undo"]


ARMIES = enter(
    "armies",
    OWNERS,
    ArmiesRulebook,
    ArmiesPlayer,
    ArmiesLeave,
    ArmiesPaste,
    ArmiesPart,
    ArmiesEdit,
    ArmiesAdd,
    ArmiesDrop,
    ArmiesFile,
    ArmiesOwn,
    ArmiesUndo,
)
