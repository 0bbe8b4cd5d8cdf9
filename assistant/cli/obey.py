"""Obeying what pages ask of a table: each command goes to whoever can do it."""

from collections.abc import Callable

from assistant.cli.armoury import Armoury
from assistant.cli.enroller import Enroller
from assistant.cli.lenser import Lenser
from assistant.cli.lighter import Lighter
from assistant.cli.optician import Optician
from assistant.cli.projectionist import Projectionist
from assistant.cli.setting_up.wizard import Wizard
from assistant.cli.tools import Tools
from assistant.errors import BadInput
from assistant.game.events import Ruled
from assistant.game.state import GameState, Ruling
from assistant.past.replayed import Past
from assistant.past.ruled import ruling_of, ruling_on
from assistant.session import Session
from assistant.web.commands import Command
from assistant.web.commands.armies import ArmiesCommand
from assistant.web.commands.demo import Drag
from assistant.web.commands.enrolment import Enrol, EnrolAgain, EnrolKeep, EnrolmentCommand, EnrolStop, EnrolTurn
from assistant.web.commands.game import (
    Accept,
    Bumped,
    Declare,
    GameCommand,
    GoOn,
    PutBack,
    Remove,
    Rule,
    SetStatus,
    Undo,
    Withdraw,
)
from assistant.web.commands.judge import JudgeCommand, RulePast, UnrulePast
from assistant.web.commands.lens import LensAgain, LensBegin, LensCommand, LensDrop, LensKeep, LensLeave, LensMore
from assistant.web.commands.lights import LightSettings
from assistant.web.commands.optics import OpticsCommand
from assistant.web.commands.projector import (
    NudgeBack,
    NudgeLight,
    ProjectorBegin,
    ProjectorCommand,
    ProjectorKeep,
    ProjectorPage,
    ProjectorStop,
)
from assistant.web.commands.setup import (
    SetupArmies,
    SetupBegin,
    SetupCommand,
    SetupEnd,
    SetupEnter,
    SetupLook,
    SetupMeasure,
    SetupMiddle,
)
from assistant.web.commands.tools import HideThreat, Measure, ShowThreat, ToolCommand, Unmeasure
from assistant.web.messages.you import Role
from assistant.web.roles import DECIDE
from assistant.web.view import move_view


def obey(
    message: Command,
    *,
    session: Session,
    hand: Callable[[Drag], None],
    enroller: Enroller | None = None,
    lenser: Lenser | None = None,
    projectionist: Projectionist | None = None,
    tools: Tools | None = None,
    lighter: Lighter | None = None,
    wizard: Wizard | None = None,
    armoury: Armoury | None = None,
    optician: Optician | None = None,
    past: Past | None = None,
    role: Role = "host",
) -> None:
    """Do what a page of this role asks; None stands for whoever is not there.

    Raises:
        BadInput: it cannot be done; the sentence says why.

    """
    if isinstance(message, GameCommand):
        _play(message, session, role)
    elif isinstance(message, EnrolmentCommand):
        _enrol(message, enroller, session.state)
    elif isinstance(message, LensCommand):
        _calibrate(message, lenser)
    elif isinstance(message, ProjectorCommand):
        _project(message, projectionist)
    elif isinstance(message, SetupCommand):
        _set_up(message, wizard)
    elif isinstance(message, ArmiesCommand):
        if armoury is None:
            raise BadInput("armies are entered while a table is set up: end this game, and run overtable setup")
        armoury.obey(message)
    elif isinstance(message, OpticsCommand):
        if optician is None:
            raise BadInput("there is no camera here that could be focused")
        optician.obey(message)
    elif isinstance(message, JudgeCommand):
        _rule(message, session, past)
    elif isinstance(message, ToolCommand):
        _use(message, tools, session.state)
    elif isinstance(message, LightSettings):
        if lighter is None:
            raise BadInput("no light can be set here")
        lighter.set(message, session.state)
    elif isinstance(message, Drag):
        hand(message)
    # Nothing else is to be done for a person who takes over: a script stops at whatever a person does.


def _play(order: GameCommand, session: Session, role: Role) -> None:
    match order:
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
            session.rule(
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
            session.bumped(tuple(models))
        case PutBack(models=models):
            session.put_back(tuple(models))
        case Remove(models=models):
            session.remove(tuple(models))
        case GoOn(player=player):
            _hold_to(order.decided, session)
            session.go_on(player)
        case SetStatus(unit=unit, status=status):
            session.set_status(unit, tuple(status))
        case Undo():
            _hold_to(order.decided, session)
            last = session.last_decision
            if isinstance(last, Ruled) and last.ruling.by == "judge" and role not in DECIDE:
                raise BadInput("a judge has ruled on this: only a judge can take that back")
            session.undo()
        case Withdraw():
            session.withdraw()
        case Accept(shown=shown):
            if shown is not None:
                _hold_to(shown.decided, session)
                now = move_view(session, session.answer())
                if (shown.outcome, set(shown.moved)) != (now.outcome, set(now.moved)):
                    raise BadInput("the move changed while you tapped: look again")
            session.accept()


def _rule(order: JudgeCommand, session: Session, past: Past | None) -> None:
    match order:
        case RulePast(at_ns=at_ns, found=found):
            session.rule(ruling_on(past, at_ns=at_ns, found=found, outcome=order.outcome, note=order.note))
        case UnrulePast(ruling=number):
            session.unrule(ruling_of(past, number))


def _hold_to(decided: int | None, session: Session) -> None:
    """Refuse what was decided on a page before somebody else decided something, on another page or a moment ago."""
    if decided is not None and decided != session.decided:
        raise BadInput("the game went on while you tapped: look again")


def _use(order: ToolCommand, tools: Tools | None, state: GameState) -> None:
    if tools is None:
        raise BadInput("nothing can be measured here")
    match order:
        case Measure():
            tools.measure(order, state)
        case Unmeasure(tape=tape):
            tools.unmeasure(tape)
        case ShowThreat():
            tools.show_threat(order, state)
        case HideThreat(unit=unit):
            tools.hide_threat(unit)


def _enrol(order: EnrolmentCommand, enroller: Enroller | None, state: GameState) -> None:
    if enroller is None:
        raise BadInput("no models can be enrolled here")
    match order:
        case Enrol():
            enroller.begin(order, state)
        case EnrolTurn():
            enroller.turn()
        case EnrolAgain():
            enroller.again()
        case EnrolKeep():
            enroller.keep()
        case EnrolStop():
            enroller.stop()


def _calibrate(order: LensCommand, lenser: Lenser | None) -> None:
    if lenser is None:
        raise BadInput("no lens can be calibrated here")
    match order:
        case LensBegin(board=board):
            lenser.begin(board)
        case LensDrop(number=number):
            lenser.drop(number)
        case LensMore():
            lenser.more()
        case LensAgain():
            lenser.again()
        case LensKeep():
            lenser.keep()
        case LensLeave():
            lenser.leave()


def _project(order: ProjectorCommand, projectionist: Projectionist | None) -> None:
    if projectionist is None:
        if isinstance(order, ProjectorPage):
            return
        raise BadInput("no projector can be calibrated here")
    match order:
        case ProjectorPage():
            projectionist.page(order.width_px, order.height_px)
        case ProjectorBegin():
            projectionist.begin()
        case ProjectorKeep():
            projectionist.keep()
        case ProjectorStop():
            projectionist.stop()
        case NudgeLight():
            projectionist.nudge(order)
        case NudgeBack():
            projectionist.nudge_back(everything=order.all)


def _set_up(order: SetupCommand, wizard: Wizard | None) -> None:
    if wizard is None:
        raise BadInput("this table is set up already; run overtable setup to set up another")
    match order:
        case SetupEnter(values=values):
            wizard.enter(values)
        case SetupLook():
            wizard.look()
        case SetupMeasure():
            wizard.measure()
        case SetupMiddle():
            wizard.middle()
        case SetupArmies():
            wizard.compose()
        case SetupBegin():
            wizard.begin()
        case SetupEnd():
            wizard.end()
