"""Light commands: how bright, how wide its lines, what shines, and for whom words lie upright."""

from typing import Literal

from pydantic import Field

from assistant.files.documents import Id
from assistant.setup.lighting import Brightness, HideableLight, LineWidth, TableEdge
from assistant.web.commands.registry import AT_THE_TABLE, CommandEntry
from assistant.web.messages.message import Message


class LightSettings(Message):
    """Set the light anew; what is left out stays as it is."""

    type: Literal["light-settings"]
    brightness: Brightness | None = None
    line_width: LineWidth | None = None
    hidden: list[HideableLight] | None = None
    """Everything that is not to shine."""
    seats: dict[Id, TableEdge] = Field(default={})
    """Where these players sit; the others stay where they are."""
    keep: bool = True
    """Also for the next time; not while a finger is still looking for the right value."""


LIGHT = (CommandEntry(command=LightSettings, feature="light", roles=AT_THE_TABLE, stops_script=False),)
