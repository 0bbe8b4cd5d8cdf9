"""The one function that changes a game."""

from collections.abc import Mapping
from dataclasses import replace

from assistant.game.events import (
    Accepted,
    CalibrationChanged,
    Declared,
    Event,
    ModelPlaced,
    ModelSettled,
    ModelsRemoved,
    Ruled,
    SourceChanged,
    StatusSet,
    StepBegan,
    TurnBegan,
    Undone,
    Withdrawn,
)
from assistant.game.state import GameState, Ruling, Track, Turn


def reduce(state: GameState, event: Event) -> GameState:
    """Return the state after an event.  Pure: the same events always add up to the same state.

    Raises:
        KeyError: the event names a unit or a model that is not in the game.
        ValueError: the event takes another one back: that takes the events before it, which `History` keeps.

    """
    match event:
        case ModelPlaced(model=model, pose=pose):
            state.model(model)
            return replace(state.standing({model: pose}), tracks=_but(state.tracks, (model,)))
        case ModelSettled():
            rulings = tuple(ruling for ruling in state.rulings if not _concerns(state, ruling, event.model))
            return replace(state, tracks={**state.tracks, event.model: _track(state, event)}, rulings=rulings)
        case Declared(declaration=declaration):
            state.unit(declaration.unit)
            return replace(state, declared=declaration, rulings=())
        case Withdrawn():
            return replace(state, declared=None, rulings=())
        case Ruled(ruling=ruling):
            return state if ruling.at_ns is not None else replace(state, rulings=(*_unlike(state, ruling), ruling))
        case Accepted():
            return _accepted(state, event)
        case TurnBegan(player=player, step=step, status=status, order=order):
            number = state.turn.number + 1 if state.turn else 1
            begun = Turn(number=number, player=player, step=step, order=order)
            return replace(_having(state, status), turn=begun, orders_begun=False, declared=None, rulings=())
        case StepBegan(step=step, player=player):
            turn = state.turn
            now = replace(turn, step=step, player=player or turn.player) if turn else None
            return replace(state, turn=now, declared=None, rulings=())
        case StatusSet(unit=unit, status=status, off=off):
            return _off(_having(state, {unit: status}), off)
        case ModelsRemoved(models=models):
            return _bereft(state, models)
        case SourceChanged() | CalibrationChanged():
            return state
        case Undone():
            raise ValueError("an event is taken back by the history that holds it")


def _accepted(state: GameState, event: Accepted) -> GameState:
    ends = {model: state.tracks[model].poses[-1] for model in event.models if model in state.tracks}
    turn = state.turn
    if turn is not None and event.unit is not None and event.action is not None:
        moved = tuple(dict.fromkeys((*turn.moved, *event.models)))
        turn = replace(turn, done={**turn.done, event.unit: event.action}, moved=moved)
    after = _having(state.standing(ends), event.status)
    after = replace(after, declared=None, rulings=(), tracks=_but(state.tracks, tuple(ends)), turn=turn)
    return _bereft(_off(after, event.off), event.lost)


def _concerns(state: GameState, ruling: Ruling, model: str) -> bool:
    """Whether a ruling is void once this model has moved on: what it was about stands so no longer."""
    return model in ruling.subjects if ruling.rule else state.unit_of(model).id == ruling.unit


def _unlike(state: GameState, ruling: Ruling) -> tuple[Ruling, ...]:
    """Return the rulings that a newer one leaves standing: those of other findings, unless it is of the whole."""
    others = (old for old in state.rulings if old.rule and (old.rule, old.subjects) != (ruling.rule, ruling.subjects))
    return tuple(others) if ruling.rule else ()


def _off(state: GameState, models: tuple[str, ...]) -> GameState:
    """Take models off the table; they stay in the game."""
    for model in models:
        state.model(model)
    return replace(state.standing(dict.fromkeys(models)), tracks=_but(state.tracks, models))


def _bereft(state: GameState, models: tuple[str, ...]) -> GameState:
    """Take models out of the game, and the announcement with them if they were all that its unit had."""
    for model in models:
        state.model(model)
    after = state.bereft(models)
    gone = after.declared is not None and not after.unit(after.declared.unit).models
    return replace(after, declared=None, rulings=()) if gone else after


def _having(state: GameState, status: Mapping[str, tuple[str, ...]]) -> GameState:
    for unit in status:
        state.unit(unit)
    return state.having(status)


def _but(tracks: Mapping[str, Track], models: tuple[str, ...]) -> dict[str, Track]:
    return {model: track for model, track in tracks.items() if model not in models}


def _track(state: GameState, event: ModelSettled) -> Track:
    """Join what was just seen to what was seen before of the same model, from its accepted place on."""
    start, before = state.model(event.model).pose, state.tracks.get(event.model)
    declared = state.declared if state.declared and state.declared.unit == state.unit_of(event.model).id else None
    told = before.told if before else declared
    if start is None:  # it was put on the table: only where it stands now counts
        return Track(poses=event.path[-1:], observed=True, told=told)
    before = before or Track(poses=(start,), observed=True)
    first, legs = len(before.poses) - 1, range(len(event.path) - 1)
    return Track(
        poses=before.poses + event.path[1:],
        observed=before.observed and event.observed,
        unseen=before.unseen + tuple(first + leg for leg in event.unseen or (() if event.observed else legs)),
        told=told,
    )
