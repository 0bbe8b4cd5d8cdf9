"""What pages ask of the light: how bright, how wide its lines, what shines, and for whom words lie upright."""

from typing import Literal

from pydantic import Field

from assistant.files import Id
from assistant.lights import Brightness, Edge, LineWidth, Shining
from assistant.web.messages.message import Message


class LightSettings(Message):
    """Set the light anew; what is left out stays as it is."""

    type: Literal["light-settings"]
    brightness: Brightness | None = None
    line_width: LineWidth | None = None
    hidden: list[Shining] | None = None
    """Everything that is not to shine."""
    seats: dict[Id, Edge] = Field(default={})
    """Where these players sit; the others stay where they are."""
    keep: bool = True
    """Also for the next time; not while a finger is still looking for the right value."""


LightsCommand = LightSettings
