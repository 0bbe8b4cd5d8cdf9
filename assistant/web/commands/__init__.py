"""Commands: what pages send and the table obeys, one module for each room that obeys them."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.web.commands.armies import ArmiesCommand
from assistant.web.commands.demo import DemoCommand
from assistant.web.commands.enrolment import EnrolmentCommand
from assistant.web.commands.game import GameCommand
from assistant.web.commands.judge import JudgeCommand
from assistant.web.commands.lens import LensCommand
from assistant.web.commands.lights import LightsCommand
from assistant.web.commands.optics import OpticsCommand
from assistant.web.commands.projector import ProjectorCommand
from assistant.web.commands.replay import ReplayCommand
from assistant.web.commands.setup import SetupCommand
from assistant.web.commands.tools import ToolCommand
from assistant.web.messages.message import Message


class Resync(Message):
    """Send everything again."""

    type: Literal["resync"]


Command = (
    GameCommand
    | DemoCommand
    | EnrolmentCommand
    | JudgeCommand
    | LensCommand
    | ProjectorCommand
    | LightsCommand
    | ToolCommand
    | ArmiesCommand
    | OpticsCommand
    | SetupCommand
    | ReplayCommand
)
"""What the table obeys; a resync is answered without it."""
FromPage = Annotated[Resync | Command, Field(discriminator="type")]
