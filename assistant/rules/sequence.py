"""The order of a turn: who acts when, and what of a unit's status a turn or an action changes.

A situation file knows no turns: then the order is the players' business, and only a unit's status counts.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from assistant.errors import BadInput
from assistant.game.events import Accepted, ModelsRemoved, StatusSet, StepBegan, TurnBegan
from assistant.game.state import GameState, Move, Unit
from assistant.rules.books import rulebook
from assistant.rules.rulebook import Action, Question, Rulebook, Step
from assistant.rules.validity import ask, check_state, check_unit, find_action
from assistant.rules.verdict import Effect, Finding, Outcome


def out_of_turn(book: Rulebook, action: Action, asked: Question) -> Iterator[Finding]:
    """Yield why the order of the turn forbids an action now."""
    turn, unit = asked.state.turn, asked.unit
    if turn is None or action.interrupts(asked):
        return
    now = _step(book, turn.step)
    if turn.player != unit.player:
        yield _forbidden(now.rule, unit.id, f"it is {turn.player}'s turn")
        return
    if action.step and action.step != turn.step:
        yield _forbidden(now.rule, unit.id, f"{action.label} belongs to another step than {now.label}")
    begun = _begun(book, asked.state, unit)
    if begun is not None and book.one_unit:
        yield _forbidden(book.one_unit, unit.id, f"{begun} has begun its move and is finished first")


def what_follows(state: GameState) -> StepBegan | TurnBegan:
    """Return the next step of the turn, or after the last one the next player's turn."""
    book = rulebook(state.rulebook)
    players = list(dict.fromkeys(unit.player for unit in state.units))
    first = book.steps[0].id
    if state.turn is None:  # nothing has ended yet, so every status stays
        return TurnBegan(player=players[0], step=first)
    steps = [step.id for step in book.steps]
    later = steps[steps.index(state.turn.step) + 1 :]
    if later:
        return StepBegan(step=later[0])
    player = players[(players.index(state.turn.player) + 1) % len(players)]
    return TurnBegan(player=player, step=first, status=dict(_ended(book, state, player)))


def acceptance(state: GameState, move: Move, outcome: str, effects: Iterable[Effect] = ()) -> Accepted:
    """Return that a move is accepted, with what its action makes of the unit.

    While nobody counts turns nothing would ever end a status that ends with the turn, so none is given.

    Raises:
        BadInput: the move does not fit the rulebook, or the models that it costs have not been chosen.

    """
    book = rulebook(state.rulebook)
    action = find_action(book, move.action, "action")
    asked = ask(book, state, move.unit, "unit", rolls=move.rolls, intent=move.intent)
    after = action.status(asked)
    if state.turn is None:
        after = tuple(status for status in after if status not in book.passing or status in asked.unit.status)
    return Accepted(
        models=tuple(move.paths),
        outcome=outcome,
        unit=move.unit,
        action=move.action,
        status={move.unit: after},
        off=_leaving(book, state.unit(move.unit), after),
        lost=tuple(model for effect in effects if effect.destroys for model in effect.subjects),
    )


def status_set(state: GameState, unit: str, status: tuple[str, ...]) -> StatusSet:
    """Return that the status of a unit is something else.

    Raises:
        BadInput: there is no such unit or status.

    """
    book = rulebook(state.rulebook)
    before = check_unit(state, unit, "unit")
    check_state(book, state.having({unit: status}))
    return StatusSet(unit=unit, status=status, off=_leaving(book, before, status))


def removal(state: GameState, models: tuple[str, ...]) -> ModelsRemoved:
    """Return that models are destroyed.

    Raises:
        BadInput: there is no such model, or a unit must leave it first.

    """
    known = {model.id for _, model in state.models()}
    for model in models:
        if model not in known:
            raise BadInput(f"there is no model {model!r} in this game")
        for unit in state.units:
            if unit.models and any(status.partition(":")[2] == model for status in unit.status):
                raise BadInput(f"{unit.id} is in {model} and leaves it first")
    return ModelsRemoved(models=models)


def _ended(book: Rulebook, state: GameState, player: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the units whose status changes as their player's next turn begins, and their status then."""
    for unit in state.units:
        kept = tuple(status for status in unit.status if status not in book.passing)
        if unit.player == player and kept != unit.status:
            yield unit.id, kept


def _leaving(book: Rulebook, unit: Unit, status: tuple[str, ...]) -> tuple[str, ...]:
    """Return the models of a unit that a new status takes off the table."""
    away = not book.absent(unit) and book.absent(replace(unit, status=status))
    return tuple(model.id for model in unit.models) if away else ()


def _begun(book: Rulebook, state: GameState, unit: Unit) -> str | None:
    """Return the unit of the same player that has moved models, and did so before this one began."""
    for model in state.tracks:
        other = state.unit_of(model)
        if other.id == unit.id:
            return None
        if other.player == unit.player and not book.absent(other):
            return other.id
    return None


def _step(book: Rulebook, step: str) -> Step:
    return next(known for known in book.steps if known.id == step)


def _forbidden(rule: str, unit: str, text: str) -> Finding:
    return Finding(rule=rule, outcome=Outcome.ILLEGAL, subjects=(unit,), text=f"{unit} cannot act so now: {text}")
