"""The sequence of play: who acts when, and what of a unit's status a turn or an action changes.

A situation file knows no turns: then the order is the players' business, and only a unit's status counts.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from assistant.errors import BadInput
from assistant.game.events import Accepted, ModelsRemoved, ParametersSet, StatusSet, StepBegan, TurnBegan
from assistant.game.state import GameState, Move, Setting, Unit
from assistant.rules.books import find_rulebook
from assistant.rules.context import RuleContext
from assistant.rules.rulebook import Action, Rulebook, TurnStep
from assistant.rules.validation import check_state, check_unit, find_action
from assistant.rules.verdict import Effect, Finding, Outcome


def check_turn_order(book: Rulebook, action: Action, asked: RuleContext) -> Iterator[Finding]:
    """Yield why the order of the turn forbids an action now."""
    turn, unit = asked.state.turn, asked.unit
    if turn is None or action.interrupts(asked):
        return
    now = _find_step(book, turn.step)
    if turn.player != unit.player:
        yield _build_refusal(now.rule, unit.id, f"it is {turn.player}'s turn")
        return
    if action.step and action.step != turn.step:
        yield _build_refusal(now.rule, unit.id, f"{action.label} belongs to another step than {now.label}")
    if book.acts_once and unit.id in turn.done:
        yield _build_refusal(book.acts_once, unit.id, "it has acted this turn")
        return
    yield from _check_moved_once(book, asked)
    begun = _find_begun_unit(book, asked.state, unit)
    if begun is not None and book.one_unit:
        yield _build_refusal(book.one_unit, unit.id, f"{begun} has begun its move and is finished first")


def _check_moved_once(book: Rulebook, asked: RuleContext) -> Iterator[Finding]:
    """Yield which models have moved before in this turn; of a unit's choices, only if all of its models have."""
    turn, paths = asked.state.turn, asked.paths
    if turn is None or not book.moves_once:
        return
    models = [model.id for model in asked.unit.models if model.pose is not None] if paths is None else list(paths)
    again = [model for model in models if model in turn.moved]
    if paths is not None:
        yield from (_build_refusal(book.moves_once, model, "it has moved this turn") for model in again)
    elif again and len(again) == len(models):
        yield _build_refusal(book.moves_once, asked.unit.id, "all of its models have moved this turn")


def check_announcement(book: Rulebook, action: Action, asked: RuleContext) -> Iterator[Finding]:
    """Yield which models had moved before their unit's action was announced, where a counted turn asks for that."""
    if not book.announced or asked.state.turn is None:
        return
    moved = {model.id: asked.state.tracks[model.id] for model in asked.unit.models if model.id in asked.state.tracks}
    for model, track in moved.items():
        # Dice are rolled for what was announced before, and losses chosen: they announce nothing new.
        if track.told is None or (track.told.action, track.told.intent) != (action.id, asked.intent):
            text = f"{model} had moved before {action.label} was announced"
            yield Finding(rule=book.announced, outcome=Outcome.NOTE, subjects=(model,), text=text)


def find_models_moved_again(book: Rulebook, state: GameState) -> tuple[str, ...]:
    """Return the models that have moved although their unit has acted this turn and announces nothing now."""
    if state.turn is None or not book.acts_once:
        return ()
    told = state.declared.unit if state.declared else None
    units = {model: state.find_unit_of(model).id for model in state.tracks}
    return tuple(model for model, unit in units.items() if unit in state.turn.done and unit != told)


def list_contenders(state: GameState) -> tuple[str, ...]:
    """Return the players of whom one is said to go first in the turn that follows; none where that needs no saying."""
    book, turn = find_rulebook(state.rulebook), state.turn
    under_way = turn is not None and (
        _list_following(turn.player, turn.order) or _list_following(turn.step, _list_steps(book))
    )
    return _list_players(state) if book.priority and not under_way else ()


def find_next_step(state: GameState, player: str | None = None) -> StepBegan | TurnBegan:
    """Return the next player's part of the step, the next step of the turn, or after the last one the next turn.

    Args:
        state: the game.
        player: who goes first in the next turn, where the rulebook leaves that to a roll.

    Raises:
        BadInput: a player is missing, not in the game, or named where the order follows by itself.

    """
    book, turn, players = find_rulebook(state.rulebook), state.turn, _list_players(state)
    steps = _list_steps(book)
    if list_contenders(state):
        return _begin_shared_turn(book, state, player)
    if player is not None:
        raise BadInput("who goes next needs no saying now: go on without naming a player")
    if turn is None:  # nothing has ended yet, so every status stays
        return TurnBegan(player=players[0], step=steps[0])
    if others := _list_following(turn.player, turn.order):
        return StepBegan(step=turn.step, player=others[0])
    if later := _list_following(turn.step, steps):
        return StepBegan(step=later[0], player=turn.order[0] if turn.order else None)
    following = players[(players.index(turn.player) + 1) % len(players)]
    theirs = (unit for unit in state.units if unit.player == following)
    return TurnBegan(player=following, step=steps[0], status=dict(_list_ended_statuses(book, theirs)))


def build_acceptance(
    book: Rulebook, asked: RuleContext, move: Move, outcome: str, effects: Iterable[Effect] = ()
) -> Accepted:
    """Return that a move is accepted, with what its action makes of the unit.

    While nobody counts turns nothing would ever end a status that ends with the turn, so none is given.

    Raises:
        BadInput: the move does not fit the rulebook, or the models that it costs have not been chosen.

    """
    after = find_action(book, move.action, "action").status(asked)
    if asked.state.turn is None:
        after = tuple(status for status in after if status not in book.passing or status in asked.unit.status)
    return Accepted(
        models=tuple(move.paths),
        outcome=outcome,
        unit=move.unit,
        action=move.action,
        status={move.unit: after},
        off=_list_leaving_models(book, asked.unit, after),
        lost=tuple(model for effect in effects if effect.destroys for model in effect.subjects),
    )


def build_status_set(state: GameState, unit: str, status: tuple[str, ...]) -> StatusSet:
    """Return that the status of a unit is something else.

    Raises:
        BadInput: there is no such unit or status.

    """
    book = find_rulebook(state.rulebook)
    before = check_unit(state, unit, "unit")
    check_state(book, state.set_statuses({unit: status}))
    return StatusSet(unit=unit, status=status, off=_list_leaving_models(book, before, status))


def build_parameters_set(state: GameState, parameters: Mapping[str, Setting]) -> ParametersSet:
    """Return that a game is played by other parameters from here on.

    Raises:
        BadInput: the rulebook has no such parameter, or not with such a value.

    """
    check_state(find_rulebook(state.rulebook), replace(state, parameters={**state.parameters, **parameters}))
    return ParametersSet(parameters=parameters)


def build_removal(state: GameState, models: tuple[str, ...]) -> ModelsRemoved:
    """Return that models are destroyed.

    Raises:
        BadInput: there is no such model, or a unit must leave it first.

    """
    known = {model.id for _, model in state.iterate_models()}
    for model in models:
        if model not in known:
            raise BadInput(f"there is no model {model!r} in this game")
        for unit in state.units:
            if unit.models and any(status.partition(":")[2] == model for status in unit.status):
                raise BadInput(f"{unit.id} is in {model} and leaves it first")
    return ModelsRemoved(models=models)


def _begin_shared_turn(book: Rulebook, state: GameState, first: str | None) -> TurnBegan:
    players = _list_players(state)
    if first is None or first not in players:
        stray = f"there is no player {first!r} in this game; " if first is not None else ""
        raise BadInput(f"{stray}a turn begins with priority ({book.priority}): say who has it, {' or '.join(players)}")
    at = players.index(first)
    ended = dict(_list_ended_statuses(book, state.units)) if state.turn else {}
    return TurnBegan(player=first, step=_list_steps(book)[0], order=players[at:] + players[:at], status=ended)


def _list_ended_statuses(book: Rulebook, units: Iterable[Unit]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the units whose status changes as a turn of theirs begins, and their status then."""
    for unit in units:
        kept = tuple(status for status in unit.status if status not in book.passing)
        if kept != unit.status:
            yield unit.id, kept


def _list_leaving_models(book: Rulebook, unit: Unit, status: tuple[str, ...]) -> tuple[str, ...]:
    """Return the models of a unit that a new status takes off the table."""
    away = not book.absent(unit) and book.absent(replace(unit, status=status))
    return tuple(model.id for model in unit.models) if away else ()


def _find_begun_unit(book: Rulebook, state: GameState, unit: Unit) -> str | None:
    """Return the unit of the same player that has moved models, and did so before this one began."""
    again = find_models_moved_again(book, state)
    for model in state.tracks:
        other = state.find_unit_of(model)
        if other.id == unit.id:
            return None
        if model not in again and other.player == unit.player and not book.absent(other):
            return other.id
    return None


def _list_players(state: GameState) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit.player for unit in state.units))


def _list_steps(book: Rulebook) -> tuple[str, ...]:
    return tuple(step.id for step in book.steps)


def _list_following(one: str, several: tuple[str, ...]) -> tuple[str, ...]:
    """Return what comes after one of several; nothing if it is not among them."""
    return several[several.index(one) + 1 :] if one in several else ()


def _find_step(book: Rulebook, step: str) -> TurnStep:
    return next(known for known in book.steps if known.id == step)


def _build_refusal(rule: str, unit: str, text: str) -> Finding:
    return Finding(rule=rule, outcome=Outcome.ILLEGAL, subjects=(unit,), text=f"{unit} cannot act so now: {text}")
