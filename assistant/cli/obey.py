"""Obeying what pages ask of a table: the game here, everything else by whoever can do it."""

from collections.abc import Callable

from assistant.cli.crew import Crew
from assistant.errors import BadInput
from assistant.game.events import Ruled
from assistant.game.state import Ruling
from assistant.past.replayed import Past
from assistant.past.ruled import ruling_of, ruling_on
from assistant.past.then import captured_at, restoring_at
from assistant.restoring import last_accepted
from assistant.session import Session
from assistant.web.commands import Command
from assistant.web.commands.demo import Drag
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
from assistant.web.commands.replay import ReplayCommand
from assistant.web.messages.you import Role
from assistant.web.roles import DECIDE
from assistant.web.view import move_view


def obey(
    message: Command,
    *,
    session: Session,
    hand: Callable[[Drag], None],
    crew: Crew,
    past: Past | None = None,
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
        hand(message.model_copy(update={"model": session.sights.set_up_name(message.model, session.state.carried)}))
    else:  # where a person takes over, nothing more is to be done: a script stops at whatever a person does
        crew.obey(message, session)


def _play(order: GameCommand, session: Session, role: Role, past: Past | None) -> None:
    if session.state.restoring is not None and not isinstance(order, Restore | RestoreDone | Undo):
        raise BadInput("the table is being put back: end that first, or undo it")
    match order:
        case Restore(at_ns=None):
            session.restore(last_accepted(session.state))
        case Restore(at_ns=int(at_ns)):
            session.restore(restoring_at(past, at_ns, session.swaps))
        case RestoreDone(missing=missing):
            if missing is not None and missing < sum(each.state != "back" for each in session.compared()):
                raise BadInput("another model stands elsewhere than where it stood: look again")
            session.restored()
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
        case Swapped(models=[one, two], since_ns=since_ns):
            session.swap(one, two, None if since_ns is None else captured_at(past, since_ns))
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
