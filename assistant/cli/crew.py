"""Whoever does what pages ask beside the game."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from assistant.cli.armoury import Armoury
from assistant.cli.enroller import Enroller
from assistant.cli.lenser import Lenser
from assistant.cli.lighter import Lighter
from assistant.cli.optician import Optician
from assistant.cli.projectionist import Projectionist
from assistant.cli.setting_up.wizard import Wizard
from assistant.cli.tools import Tools
from assistant.errors import BadInput
from assistant.session import Session
from assistant.web.commands import Command
from assistant.web.commands.armies import ArmiesCommand
from assistant.web.commands.enrolment import EnrolmentCommand
from assistant.web.commands.lens import LensCommand
from assistant.web.commands.lights import LightsCommand
from assistant.web.commands.optics import OpticsCommand
from assistant.web.commands.projector import ProjectorCommand, ProjectorPage
from assistant.web.commands.setup import SetupCommand
from assistant.web.commands.tools import ToolCommand
from assistant.web.light import light_view
from assistant.web.lookout import lookout_view
from assistant.web.messages import View
from calibration.spaces import CameraOverTable

W = TypeVar("W")


@dataclass(frozen=True, kw_only=True)
class Crew:
    """The workers of a table; None stands for whoever is not there."""

    enroller: Enroller | None = None
    """Leads through enrolments."""
    lenser: Lenser | None = None
    """Leads through the calibration of the lens."""
    projectionist: Projectionist | None = None
    """Leads through the calibration of the projector."""
    wizard: Wizard | None = None
    """Leads through the set-up."""
    armoury: Armoury | None = None
    """Keeps the armies that are entered while a table is set up."""
    optician: Optician | None = None
    """Helps to focus and expose the camera."""
    tools: Tools | None = None
    """Measures what people ask for."""
    lighter: Lighter | None = None
    """Holds how the light is set."""

    def obey(self, order: Command, session: Session) -> None:
        """Let whoever it is for do what a page asks; what is for nobody here is left aside.

        Raises:
            BadInput: it cannot be done; the sentence says why.

        """
        if isinstance(order, EnrolmentCommand):
            _there(self.enroller, "no models can be enrolled here").obey(order, session.state)
        elif isinstance(order, LensCommand):
            _there(self.lenser, "no lens can be calibrated here").obey(order)
        elif isinstance(order, ProjectorCommand):
            if self.projectionist or not isinstance(order, ProjectorPage):  # which only says how large it is
                _there(self.projectionist, "no projector can be calibrated here").obey(order)
        elif isinstance(order, SetupCommand):
            why = "this table is set up already; run overtable setup to set up another"
            _there(self.wizard, why).obey(order)
        elif isinstance(order, ArmiesCommand):
            why = "armies are entered while a table is set up: end this game, and run overtable setup"
            _there(self.armoury, why).obey(order)
        elif isinstance(order, OpticsCommand):
            _there(self.optician, "there is no camera here that could be focused").obey(order)
        elif isinstance(order, ToolCommand):
            _there(self.tools, "nothing can be measured here").obey(order, session.state)
        elif isinstance(order, LightsCommand):
            _there(self.lighter, "no light can be set here").set(order, session.state)

    def shown(self, session: Session, camera: CameraOverTable | None) -> Iterator[View]:
        """Yield what the pages show beside the game, and where the camera is above it."""
        if self.enroller:
            yield self.enroller.shown(session.state)
        if self.lenser:
            yield self.lenser.shown()
        if self.armoury:
            yield self.armoury.shown()
        if self.optician:
            yield self.optician.shown()
        if self.projectionist:
            yield light_view(self.projectionist.shown())
        if self.wizard:
            yield self.wizard.shown()
        if self.tools:
            yield self.tools.shown(session)
        if self.lighter:
            yield self.lighter.shown(session.state)
            yield lookout_view(camera)


def _there(worker: W | None, why: str) -> W:
    """Return a worker who is there; BadInput with the reason if there is none."""
    if worker is None:
        raise BadInput(why)
    return worker
