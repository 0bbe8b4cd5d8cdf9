"""Command dispatch: a page's command goes to the game's session, or to the feature that it is for.

A command of a feature that is not there is refused with the reason.  Decisions about the game are held to what the
page showed: nobody decides about something that somebody else has changed meanwhile.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from assistant.errors import BadInput
from assistant.features.armies.controller import ArmiesController
from assistant.features.camera.controller import CameraController
from assistant.features.enrolment.controller import EnrolmentController
from assistant.features.lens.controller import LensController
from assistant.features.light.controller import LightController
from assistant.features.light.views import build_lookout_view
from assistant.features.projector.controller import ProjectorController
from assistant.features.projector.views import build_light_view
from assistant.features.tools.controller import ToolsController
from assistant.features.wizard.controller import Wizard
from assistant.game.events import Ruled
from assistant.game.state import Ruling
from assistant.replay.past_decisions import build_past_ruling, find_captured_ns, find_ruling, plan_restoring
from assistant.replay.recorded_game import RecordedGame
from assistant.table.restore import build_last_accepted
from assistant.table.session import GameSession
from assistant.web.auth.roles import DECIDE
from assistant.web.commands import Command
from assistant.web.commands.armies import ArmiesCommand
from assistant.web.commands.demo import Drag
from assistant.web.commands.enrolment import EnrolmentCommand
from assistant.web.commands.game import (
    Accept,
    Bumped,
    Declare,
    GameCommand,
    GoOn,
    PutBack,
    Remove,
    Restore,
    RestoreDone,
    Rule,
    SetStatus,
    Swapped,
    Undo,
    Withdraw,
)
from assistant.web.commands.judge import JudgeCommand, RulePast, UnrulePast
from assistant.web.commands.lens import LensCommand
from assistant.web.commands.lights import LightsCommand
from assistant.web.commands.optics import OpticsCommand
from assistant.web.commands.projector import ProjectorCommand, ProjectorPage
from assistant.web.commands.replay import ReplayCommand
from assistant.web.commands.setup import SetupCommand
from assistant.web.commands.tools import ToolCommand
from assistant.web.messages import View
from assistant.web.messages.you import Role
from assistant.web.views.session import build_move_view
from calibration.spaces import CameraOverTable

W = TypeVar("W")


@dataclass(frozen=True, kw_only=True)
class FeatureSet:
    """The workers of a table; None stands for whoever is not there."""

    enroller: EnrolmentController | None = None
    """Leads through enrolments."""
    lenser: LensController | None = None
    """Leads through the calibration of the lens."""
    projectionist: ProjectorController | None = None
    """Leads through the calibration of the projector."""
    wizard: Wizard | None = None
    """Leads through the set-up."""
    armoury: ArmiesController | None = None
    """Keeps the armies that are entered while a table is set up."""
    optician: CameraController | None = None
    """Helps to focus and expose the camera."""
    tools: ToolsController | None = None
    """Measures what people ask for."""
    lighter: LightController | None = None
    """Holds how the light is set."""

    def obey(self, order: Command, session: GameSession) -> None:
        """Let whoever it is for do what a page asks; what is for nobody here is left aside.

        Raises:
            BadInput: it cannot be done; the sentence says why.

        """
        if isinstance(order, EnrolmentCommand):
            _require(self.enroller, "no models can be enrolled here").obey(order, session.state)
        elif isinstance(order, LensCommand):
            _require(self.lenser, "no lens can be calibrated here").obey(order)
        elif isinstance(order, ProjectorCommand):
            if self.projectionist or not isinstance(order, ProjectorPage):  # which only says how large it is
                _require(self.projectionist, "no projector can be calibrated here").obey(order)
        elif isinstance(order, SetupCommand):
            why = "this table is set up already; run overtable setup to set up another"
            _require(self.wizard, why).obey(order)
        elif isinstance(order, ArmiesCommand):
            why = "armies are entered while a table is set up: end this game, and run overtable setup"
            _require(self.armoury, why).obey(order)
        elif isinstance(order, OpticsCommand):
            _require(self.optician, "there is no camera here that could be focused").obey(order)
        elif isinstance(order, ToolCommand):
            _require(self.tools, "nothing can be measured here").obey(order, session.state)
        elif isinstance(order, LightsCommand):
            _require(self.lighter, "no light can be set here").obey(order, session.state)

    def build_views(self, session: GameSession, camera: CameraOverTable | None) -> Iterator[View]:
        """Yield what the pages show beside the game, and where the camera is above it."""
        if self.enroller:
            yield self.enroller.build_view(session.state)
        if self.lenser:
            yield self.lenser.build_view()
        if self.armoury:
            yield self.armoury.build_view()
        if self.optician:
            yield self.optician.build_view()
        if self.projectionist:
            yield build_light_view(self.projectionist.build_view())
        if self.wizard:
            yield self.wizard.build_view()
        if self.tools:
            yield self.tools.build_view(session)
        if self.lighter:
            yield self.lighter.build_view(session.state)
            yield build_lookout_view(camera)


def _require(worker: W | None, why: str) -> W:
    """Return a worker who is there; BadInput with the reason if there is none."""
    if worker is None:
        raise BadInput(why)
    return worker


def obey(
    message: Command,
    *,
    session: GameSession,
    hand: Callable[[Drag], None],
    crew: FeatureSet,
    past: RecordedGame | None = None,
    role: Role = "host",
) -> None:
    """Do what a page of this role asks.

    Args:
        message: what it asks.
        session: the game.
        hand: pushes a model of the table.
        crew: whoever does what is asked beside the game.
        past: what was recorded so far; None where nothing is.
        role: whose page it is.

    Raises:
        BadInput: it cannot be done; the sentence says why.

    """
    if isinstance(message, GameCommand):
        _play(message, session, role, past)
    elif isinstance(message, JudgeCommand):
        _rule(message, session, past)
    elif isinstance(message, ReplayCommand):
        raise BadInput("this game is being played: its past is on the judge's page")
    elif isinstance(message, Drag):
        hand(
            message.model_copy(
                update={"model": session.observations.find_setup_name(message.model, session.state.carried)}
            )
        )
    else:  # where a person takes over, nothing more is to be done: a script stops at whatever a person does
        crew.obey(message, session)


def _play(order: GameCommand, session: GameSession, role: Role, past: RecordedGame | None) -> None:
    if session.state.restoring is not None and not isinstance(order, Restore | RestoreDone | Undo):
        raise BadInput("the table is being put back: end that first, or undo it")
    match order:
        case Restore(at_ns=None):
            session.begin_restoring(build_last_accepted(session.state))
        case Restore(at_ns=int(at_ns)):
            session.begin_restoring(plan_restoring(past, at_ns, session.swaps))
        case RestoreDone(missing=missing):
            if missing is not None and missing < sum(each.state != "back" for each in session.compare_placements()):
                raise BadInput("another model stands elsewhere than where it stood: look again")
            session.finish_restoring()
        case Declare():
            session.declare(
                unit=order.unit,
                action=order.action,
                rolls=tuple(order.rolls),
                model=order.model,
                intent={k: tuple(value) if isinstance(value, list) else value for k, value in order.intent.items()},
                lost=tuple(order.lost),
            )
        case Rule():
            session.make_ruling(
                Ruling(
                    by=order.by,
                    outcome=order.outcome,
                    note=order.note.strip(),
                    rule=order.rule,
                    subjects=tuple(order.subjects),
                    agreed_mm=order.agreed_mm,
                )
            )
        case Bumped(models=models):
            session.record_bump(tuple(models))
        case PutBack(models=models):
            session.put_back(tuple(models))
        case Swapped(models=[one, two], since_ns=since_ns):
            session.swap_tags(one, two, None if since_ns is None else find_captured_ns(past, since_ns))
        case Remove(models=models):
            session.remove_models(tuple(models))
        case GoOn(player=player):
            _require_unchanged(order.decided, session)
            session.advance_turn(player)
        case SetStatus(unit=unit, status=status):
            session.set_status(unit, tuple(status))
        case Undo():
            _require_unchanged(order.decided, session)
            last = session.last_decision
            if isinstance(last, Ruled) and last.ruling.by == "judge" and role not in DECIDE:
                raise BadInput("a judge has ruled on this: only a judge can take that back")
            session.undo()
        case Withdraw():
            session.withdraw()
        case Accept(shown=shown):
            if shown is not None:
                _require_unchanged(shown.decided, session)
                now = build_move_view(session, session.consult_referee())
                if (shown.outcome, set(shown.moved)) != (now.outcome, set(now.moved)):
                    raise BadInput("the move changed while you tapped: look again")
            session.accept()


def _rule(order: JudgeCommand, session: GameSession, past: RecordedGame | None) -> None:
    match order:
        case RulePast(at_ns=at_ns, found=found):
            session.make_ruling(
                build_past_ruling(past, at_ns=at_ns, found=found, outcome=order.outcome, note=order.note)
            )
        case UnrulePast(ruling=number):
            session.withdraw_ruling(find_ruling(past, number))


def _require_unchanged(decided: int | None, session: GameSession) -> None:
    """Refuse what was decided on a page before somebody else decided something, on another page or a moment ago."""
    if decided is not None and decided != session.timeline.decision_count:
        raise BadInput("the game went on while you tapped: look again")
