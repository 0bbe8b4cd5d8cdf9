"""Commands: what pages send, and the registry of who may give them and which feature handles them."""

from typing import Annotated, Literal, Union

from pydantic import Field

from assistant.web.commands.calibration import CAMERA, LENS, LIGHT, PROJECTOR, REFINEMENT
from assistant.web.commands.game import DEMO, GAME, JUDGE, LAYING, REPLAY, SHOWN_CALLS, TOOLS
from assistant.web.commands.hall import HALL
from assistant.web.commands.setup import ARMIES, ENROLMENT, LAYOUT_EDITOR, WIZARD
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
    *SHOWN_CALLS,
    *LAYING,
    *ARMIES,
    *LAYOUT_EDITOR,
    *CAMERA,
    *REFINEMENT,
    *WIZARD,
    *REPLAY,
    *HALL,
)
REGISTRY = {entry.command: entry for entry in ENTRIES}
"""What the table obeys; a resync is answered without it.  The pages' types are generated in this order."""
# mypy knows no union that is computed.
FromPage = Annotated[Union[(Resync, *REGISTRY)], Field(discriminator="type")]  # type: ignore[valid-type]
