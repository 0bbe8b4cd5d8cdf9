"""Commands: what pages send, and the registry of who may give them and which feature handles them."""

from typing import Annotated, Literal, Union

from pydantic import Field

from assistant.web.commands.armies import ARMIES
from assistant.web.commands.demo import DEMO
from assistant.web.commands.enrolment import ENROLMENT
from assistant.web.commands.game import GAME
from assistant.web.commands.judge import JUDGE
from assistant.web.commands.lens import LENS
from assistant.web.commands.lights import LIGHT
from assistant.web.commands.optics import CAMERA
from assistant.web.commands.projector import PROJECTOR
from assistant.web.commands.replay import REPLAY
from assistant.web.commands.setup import WIZARD
from assistant.web.commands.tools import TOOLS
from assistant.web.messages.message import Message


class Resync(Message):
    """Send everything again."""

    type: Literal["resync"]


ENTRIES = (
    *GAME,
    *DEMO,
    *ENROLMENT,
    *JUDGE,
    *LENS,
    *PROJECTOR,
    *LIGHT,
    *TOOLS,
    *ARMIES,
    *CAMERA,
    *WIZARD,
    *REPLAY,
)
REGISTRY = {entry.command: entry for entry in ENTRIES}
"""What the table obeys; a resync is answered without it.  The pages' types are generated in this order."""
# mypy knows no union that is computed.
FromPage = Annotated[Union[(Resync, *REGISTRY)], Field(discriminator="type")]  # type: ignore[valid-type]
