"""The reducer: the one function that changes a game, from a state and an event to the next state."""

import math
from collections.abc import Mapping
from dataclasses import replace

from assistant.game.events import (
    Accepted,
    Bumped,
    CalibrationChanged,
    Declared,
    Event,
    Exchanged,
    ModelPlaced,
    ModelSettled,
    ModelsRemoved,
    ParametersSet,
    PutBack,
    Restored,
    RestoringBegan,
    Ruled,
    ScoreSet,
    SourceChanged,
    StatusSet,
    StepBegan,
    Swapped,
    TerrainSettled,
    TerrainTaken,
    TurnBegan,
    Undone,
    Withdrawn,
)
from assistant.game.state import Declaration, GameState, ModelTrack, Pose, Restoring, Ruling, TerrainPlace, Turn
from assistant.game.terrain_places import is_in_place, move_pieces

PUT_BACK_MM = 3.0
"""A model that is to be put back is there when it stands so near to where it was: no hand does better, and where it
then stands is its place."""
PUT_BACK_RAD = math.radians(10.0)


def reduce(state: GameState, event: Event) -> GameState:
    """Return the state after an event.  Pure: the same events always add up to the same state.

    Raises:
        KeyError: the event names a unit or a model that is not in the game.
        ValueError: the event takes another one back: that takes the events before it, which `History` keeps.

    """
    match event:
        case ModelPlaced(model=model, pose=pose):
            state.find_model(model)
            return state.place_models({model: pose}).clear_tracks((model,))
        case ModelSettled(model=model):
            after = replace(
                _drop_void_rulings(state, (model,)), tracks={**state.tracks, model: _extend_track(state, event)}
            )
            if state.restoring is not None and model in state.restoring.places:
                return _keep_track_ends(after, model)
            return _settle_back_in_place(after, (model,)) if model in state.returning else after
        case Declared(declaration=declaration):
            state.find_unit(declaration.unit)
            return replace(state, declared=declaration, rulings=())
        case Withdrawn():
            return replace(state, declared=None, rulings=())
        case Ruled(ruling=ruling):
            return _add_ruling(state, ruling)
        case Accepted():
            return _accept_models(state, event)
        case Bumped(models=models):
            return _accept_bump(state, models)
        case PutBack(models=models):
            return _begin_put_back(state, models)
        case Swapped(models=models, tags=tags, rings=rings):
            return replace(
                _exchange_models(state, models),
                carried={**state.carried, **tags},
                carried_rings={**state.carried_rings, **rings},
            )
        case Exchanged(models=models):
            return _exchange_models(state, models)
        case RestoringBegan(restoring=restoring):
            return _begin_restoring(state, restoring)
        case Restored():
            return _finish_restoring(state, event)
        case TurnBegan(player=player, step=step, status=status, order=order):
            number = state.turn.number + 1 if state.turn else 1
            begun = Turn(number=number, player=player, step=step, order=order)
            return replace(_set_statuses(state, status), turn=begun, orders_begun=False, declared=None, rulings=())
        case StepBegan(step=step, player=player):
            turn = state.turn
            now = replace(turn, step=step, player=player or turn.player) if turn else None
            return replace(state, turn=now, declared=None, rulings=())
        case ParametersSet(parameters=parameters):
            return replace(state, parameters={**state.parameters, **parameters})
        case ScoreSet(player=player, score=score):
            return replace(state, scores={**state.scores, player: score})
        case StatusSet(unit=unit, status=status, off=off):
            return _take_off_table(_set_statuses(state, {unit: status}), off)
        case ModelsRemoved(models=models):
            return _remove_models(state, models)
        case TerrainSettled(piece=piece, place=place):
            return _shift_terrain(state, piece, place)
        case TerrainTaken(pieces=pieces, place=place):
            return _take_terrain(state, pieces, place)
        case SourceChanged() | CalibrationChanged():
            return state
        case Undone():
            raise ValueError("an event is taken back by the history that holds it")


def _accept_models(state: GameState, event: Accepted) -> GameState:
    ends = {model: state.tracks[model].poses[-1] for model in event.models if model in state.tracks}
    turn = state.turn
    if turn is not None and event.unit is not None and event.action is not None:
        moved = tuple(dict.fromkeys((*turn.moved, *event.models)))
        turn = replace(turn, done={**turn.done, event.unit: event.action}, moved=moved)
    after = _set_statuses(state.place_models(ends), event.status)
    after = replace(after, declared=None, rulings=(), turn=turn).clear_tracks(tuple(ends))
    return _remove_models(_take_off_table(after, event.off), event.lost)


def _accept_bump(state: GameState, models: tuple[str, ...]) -> GameState:
    """Let models stand where they are; a move that was only announced because one of them was pushed is none."""
    ends = {model: state.tracks[model].poses[-1] for model in models}
    after, declared = _drop_void_rulings(state, models).place_models(ends).clear_tracks(models), state.declared
    if declared is None or any(model.id in after.tracks for model in state.find_unit(declared.unit).models):
        return after
    told = [state.tracks[model].told for model in models if state.find_unit_of(model).id == declared.unit]
    return replace(after, declared=None) if told and all(each is None for each in told) else after


def _begin_put_back(state: GameState, models: tuple[str, ...]) -> GameState:
    for model in models:
        state.find_model(model)
    returning = tuple(dict.fromkeys((*state.returning, *models)))
    return _settle_back_in_place(replace(_drop_void_rulings(state, models), returning=returning), models)


def _settle_back_in_place(state: GameState, models: tuple[str, ...]) -> GameState:
    """Let models that have been put back stand where they are; what moved the others on their way back counts not."""
    back: dict[str, Pose] = {}
    tracks = dict(state.tracks)
    for model in models:
        start, end = state.tracks[model].poses[0], state.tracks[model].poses[-1]
        away_mm = math.hypot(end.x_mm - start.x_mm, end.y_mm - start.y_mm)
        turned = abs(math.remainder(end.facing_rad - start.facing_rad, math.tau))
        if away_mm <= PUT_BACK_MM and turned <= PUT_BACK_RAD and abs(end.z_mm - start.z_mm) <= PUT_BACK_MM:
            back[model] = end
        tracks[model] = replace(tracks[model], poses=(start, end), observed=False, unseen=(0,))
    return replace(state, tracks=tracks).place_models(back).clear_tracks(tuple(back))


def _exchange_models(state: GameState, models: tuple[str, str]) -> GameState:
    """Let two models stand, and have come there, where the other was thought to; unless one of them stands nowhere.

    An announcement that was only made because the one was seen to move is none.
    """
    one, two = models
    stood = {model.id: model.pose for _, model in state.iterate_models() if model.id in models}
    if not all(m in stood and (stood[m] is not None or m in state.tracks) for m in models):
        return state
    turned = {one: state.tracks.get(two), two: state.tracks.get(one)}
    tracks = {model: track for model, track in state.tracks.items() if model not in models}
    tracks |= {m: replace(track, told=_find_declaration(state, m)) for m, track in turned.items() if track is not None}
    returning = tuple({one: two, two: one}.get(model, model) for model in state.returning)
    after = _drop_void_rulings(state, models).place_models({one: stood[two], two: stood[one]})
    after, declared = replace(after, tracks=tracks, returning=returning), state.declared
    if declared is None or any(model.id in tracks for model in state.find_unit(declared.unit).models):
        return after
    seen_first = [state.tracks[m].told is None for m in models if m in state.tracks and _find_declaration(state, m)]
    return replace(after, declared=None, rulings=()) if seen_first and all(seen_first) else after


def _find_declaration(state: GameState, model: str) -> Declaration | None:
    """Return what is announced for the unit of a model."""
    declared = state.declared
    return declared if declared is not None and declared.unit == state.find_unit_of(model).id else None


def _begin_restoring(state: GameState, restoring: Restoring) -> GameState:
    return replace(_drop_void_rulings(state, tuple(restoring.places)), restoring=restoring, returning=())


def _keep_track_ends(state: GameState, model: str) -> GameState:
    """Forget how a model that is being put back has come to where it stands."""
    track = state.tracks[model]
    ends = track.poses if len(track.poses) == 1 else (track.poses[0], track.poses[-1])
    known = replace(track, poses=ends, observed=False, unseen=() if len(ends) == 1 else (0,))
    return replace(state, tracks={**state.tracks, model: known})


def _finish_restoring(state: GameState, event: Restored) -> GameState:
    """Let models stand where they stood, tracks included, and those that are not back where they are."""
    places = state.restoring.places if state.restoring else {}
    ends = {model: state.tracks[model].poses[-1] for model in event.stay if model in state.tracks}
    after = state.place_models(ends | {model: places[model].accepted for model in event.back})
    after = after.clear_tracks((*event.back, *event.stay))
    ways = {model: way for model in event.back if (way := places[model].track) is not None}
    return replace(after, tracks={**after.tracks, **ways}, restoring=None)


def _add_ruling(state: GameState, ruling: Ruling) -> GameState:
    """Keep a ruling with those that it leaves standing: those of other findings, unless it is of the whole."""
    if ruling.at_ns is not None:
        return state
    others = (old for old in state.rulings if old.rule and (old.rule, old.subjects) != (ruling.rule, ruling.subjects))
    kept = (*others, ruling) if ruling.rule else (ruling,)
    if ruling.outcome != "again" or ruling.unit is None:
        return replace(state, rulings=kept)
    moved = tuple(model.id for model in state.find_unit(ruling.unit).models if model.id in state.tracks)
    return replace(_begin_put_back(state, moved), rulings=kept)


def _drop_void_rulings(state: GameState, models: tuple[str, ...]) -> GameState:
    """Drop the rulings that are void once models stand elsewhere: what they were about is no longer so."""
    if not state.rulings:
        return state
    units = {state.find_unit_of(model).id for model in models}
    kept = (
        r for r in state.rulings if (units.isdisjoint({r.unit}) if r.rule is None else not {*models} & {*r.subjects})
    )
    return replace(state, rulings=tuple(kept))


def _take_off_table(state: GameState, models: tuple[str, ...]) -> GameState:
    """Take models off the table; they stay in the game."""
    for model in models:
        state.find_model(model)
    return state.place_models(dict.fromkeys(models)).clear_tracks(models)


def _remove_models(state: GameState, models: tuple[str, ...]) -> GameState:
    """Take models out of the game, and the announcement with them if they were all that its unit had."""
    for model in models:
        state.find_model(model)
    after = state.remove_models(models)
    gone = after.declared is not None and not after.find_unit(after.declared.unit).models
    return replace(after, declared=None, rulings=()) if gone else after


def _shift_terrain(state: GameState, piece: str, place: TerrainPlace) -> GameState:
    known = next((each for each in state.terrain if each.id == piece), None)
    if known is None:
        raise KeyError(piece)
    others = {other: there for other, there in state.shifted.items() if other != piece}
    return replace(state, shifted=others if is_in_place(known, place) else {**others, piece: place})


def _take_terrain(state: GameState, pieces: tuple[str, ...], place: TerrainPlace) -> GameState:
    """Lay terrain elsewhere; of another piece that was seen elsewhere nothing changes."""
    shifted = {piece: there for piece, there in state.shifted.items() if piece not in pieces}
    return replace(state, terrain=move_pieces(state.terrain, pieces, pieces[0], place), shifted=shifted)


def _set_statuses(state: GameState, status: Mapping[str, tuple[str, ...]]) -> GameState:
    for unit in status:
        state.find_unit(unit)
    return state.set_statuses(status)


def _extend_track(state: GameState, event: ModelSettled) -> ModelTrack:
    """Join what was just seen to what was seen before of the same model, from its accepted place on."""
    start, before = state.find_model(event.model).pose, state.tracks.get(event.model)
    told = before.told if before else _find_declaration(state, event.model)
    if start is None:  # it was put on the table: only where it stands now counts
        return ModelTrack(poses=event.path[-1:], observed=True, told=told)
    before = before or ModelTrack(poses=(start,), observed=True)
    first, legs = len(before.poses) - 1, range(len(event.path) - 1)
    return ModelTrack(
        poses=before.poses + event.path[1:],
        observed=before.observed and event.observed,
        unseen=before.unseen + tuple(first + leg for leg in event.unseen or (() if event.observed else legs)),
        told=told,
    )
