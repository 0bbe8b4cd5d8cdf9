"""Obeying what pages ask of a table: each command goes to whoever can do it."""

from collections.abc import Callable

from assistant.cli.enroller import Enroller
from assistant.cli.lenser import Lenser
from assistant.cli.projectionist import Projectionist
from assistant.errors import BadInput
from assistant.game.state import GameState
from assistant.session import Session
from assistant.web.commands import (
    Accept,
    Command,
    Declare,
    Drag,
    Enrol,
    EnrolAgain,
    EnrolKeep,
    EnrolStop,
    EnrolTurn,
    GoOn,
    LensAgain,
    LensBegin,
    LensDrop,
    LensKeep,
    LensLeave,
    LensMore,
    NudgeBack,
    NudgeLight,
    ProjectorBegin,
    ProjectorKeep,
    ProjectorPage,
    ProjectorStop,
    Remove,
    SetStatus,
    TakeOver,
    Undo,
    Withdraw,
)


def obey(
    message: Command,
    *,
    session: Session,
    hand: Callable[[Drag], None],
    enroller: Enroller | None,
    lenser: Lenser | None,
    projectionist: Projectionist | None,
) -> None:
    """Do what a page asks; None stands for whoever is not there.

    Raises:
        BadInput: it cannot be done; the sentence says why.

    """
    match message:
        case Declare() as declare:
            session.declare(
                unit=declare.unit,
                action=declare.action,
                rolls=tuple(declare.rolls),
                model=declare.model,
                intent={
                    key: tuple(value) if isinstance(value, list) else value for key, value in declare.intent.items()
                },
                lost=tuple(declare.lost),
            )
        case Remove(models=models):
            session.remove(tuple(models))
        case GoOn(player=player):
            session.go_on(player)
        case SetStatus(unit=unit, status=status):
            session.set_status(unit, tuple(status))
        case Undo():
            session.undo()
        case Withdraw():
            session.withdraw()
        case Accept():
            session.accept()
        case Drag() as drag:
            hand(drag)
        case Enrol() | EnrolTurn() | EnrolAgain() | EnrolKeep() | EnrolStop() as enrol:
            _enrol(enrol, enroller, session.state)
        case LensBegin() | LensDrop() | LensMore() | LensAgain() | LensKeep() | LensLeave() as lens:
            _calibrate(lens, lenser)
        case (
            ProjectorPage() | ProjectorBegin() | ProjectorKeep() | ProjectorStop() | NudgeLight() | NudgeBack() as light
        ):
            _project(light, projectionist)
        case TakeOver():
            pass  # the script stops at whatever a person does


def _enrol(
    order: Enrol | EnrolTurn | EnrolAgain | EnrolKeep | EnrolStop, enroller: Enroller | None, state: GameState
) -> None:
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


def _calibrate(
    order: LensBegin | LensDrop | LensMore | LensAgain | LensKeep | LensLeave, lenser: Lenser | None
) -> None:
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


def _project(
    order: ProjectorPage | ProjectorBegin | ProjectorKeep | ProjectorStop | NudgeLight | NudgeBack,
    projectionist: Projectionist | None,
) -> None:
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
