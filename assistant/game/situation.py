"""Situation files (`overtable.situation/1`): a position, and optionally one move to judge."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assistant.errors import BadInput
from assistant.files import check, read_json
from assistant.game.base import BaseSpec
from assistant.game.situation_form import BegunForm, CountedForm, MoveForm, PoseForm, SituationForm, ToldForm, UnitForm
from assistant.game.state import Declaration, GameState, Model, Move, Pose, Setting, Table, Terrain, Track, Turn, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a situation file says."""

    state: GameState
    move: Move | None


def read_situation(path: Path) -> Situation:
    """Read a situation file.

    Raises:
        BadInput: one sentence that names the file, the place in it and what was expected.

    """
    return _situation(read_json(path, SituationForm), str(path))


def from_json(data: object, name: str) -> Situation:
    """Return the situation in a JSON document read from the thing called ``name``; errors as in `read_situation`."""
    return _situation(check(data, SituationForm, name), name)


def move_of(move: MoveForm, state: GameState, name: str) -> Move:
    """Return the move that stands in the thing called ``name``; errors as in `read_situation`."""
    owners = {model.id: (unit, model) for unit, model in state.models()}
    if move.unit not in {unit.id for unit in state.units}:
        raise BadInput(f'{name}: move.unit: there is no unit "{move.unit}"; expected the id of a unit')
    paths = {}
    for model_id, path in move.paths.items():
        if model_id not in owners:
            raise BadInput(f'{name}: move.paths.{model_id}: there is no model "{model_id}"')
        unit, model = owners[model_id]
        if unit.id != move.unit:
            raise BadInput(
                f'{name}: move.paths.{model_id}: this model belongs to "{unit.id}"; expected a model of "{move.unit}"'
            )
        sigma = model.pose.sigma_mm if model.pose else 0.0
        paths[model_id] = tuple(_pose(pose, sigma) for pose in path)
    return Move(
        unit=move.unit,
        action=move.action,
        paths=paths,
        rolls=move.rolls,
        observed=move.observed,
        intent=dict(move.__pydantic_extra__),
        lost=_lost(move, state, name),
    )


def _lost(move: MoveForm, state: GameState, name: str) -> tuple[str, ...]:
    own = {model.id for model in state.unit(move.unit).models}
    for place, model in enumerate(move.lost):
        if model not in own or model in move.lost[:place]:
            raise BadInput(f'{name}: move.lost[{place}]: expected a model of "{move.unit}", once, not "{model}"')
    return move.lost


def to_json(state: GameState, move: Move | None = None) -> dict[str, Any]:
    """Return a game, as it stands, and a move as a situation document."""
    document: dict[str, Any] = {
        "format": SituationForm.name,
        "rulebook": state.rulebook,
        "parameters": _plain(state.parameters),
        "table": {"width_mm": state.table.width_mm, "depth_mm": state.table.depth_mm},
        "terrain": [_terrain_json(terrain) for terrain in state.terrain],
        "units": [_unit_json(unit) for unit in state.units if unit.models],
        **({"turn": turn} if (turn := _turn_json(state)) else {}),
    }
    if move is not None:
        document["move"] = {
            "unit": move.unit,
            "action": move.action,
            "rolls": list(move.rolls),
            "paths": {model: [_pose_json(pose) for pose in path] for model, path in move.paths.items()},
            "observed": move.observed,
            **({"lost": list(move.lost)} if move.lost else {}),
            **_plain(move.intent),
        }
    return document


def _situation(form: SituationForm, name: str) -> Situation:
    _check_ids(form, name)
    _check_places(form, name)
    state = GameState(
        rulebook=form.rulebook,
        table=Table(width_mm=form.table.width_mm, depth_mm=form.table.depth_mm),
        units=tuple(_unit(unit) for unit in form.units),
        terrain=tuple(
            Terrain(
                id=terrain.id,
                outline_mm=terrain.outline_mm,
                height_mm=terrain.height_mm,
                traits=frozenset(terrain.traits),
                gap_mm=terrain.gap_mm,
            )
            for terrain in form.terrain
        ),
        parameters=dict(form.parameters),
        orders_begun=form.turn.orders_begun,
    )
    move = move_of(form.move, state, name) if form.move else None
    counted, begun = _turn(form.turn.counted, state, name), _begun(form.turn.begun, state, move, name)
    return Situation(state=replace(state, turn=counted, tracks=begun), move=move)


def _turn(form: CountedForm | None, state: GameState, name: str) -> Turn | None:
    if form is None:
        return None
    players = {unit.player for unit in state.units}
    for place, player in (("player", form.player), *((f"order[{at}]", each) for at, each in enumerate(form.order))):
        if player not in players:
            raise BadInput(f'{name}: turn.counted.{place}: there is no player "{player}" in this situation')
    return Turn(
        number=form.number,
        player=form.player,
        step=form.step,
        done=dict(form.done),
        moved=form.moved,
        order=form.order,
    )


def _begun(forms: tuple[BegunForm, ...], state: GameState, move: Move | None, name: str) -> dict[str, Track]:
    """Return the models under way; where they come from is the move's business."""
    owners = {model.id: (unit, model) for unit, model in state.models()}
    tracks = {}
    for place, form in enumerate(forms):
        if form.model not in owners:
            raise BadInput(f'{name}: turn.begun[{place}].model: there is no model "{form.model}"')
        unit, model = owners[form.model]
        told = _told(form.told, unit) if form.told else None
        here = model.pose or (move.paths[model.id][-1] if move and model.id in move.paths else None)
        if here is not None:
            tracks[model.id] = Track(poses=(here,), observed=True, told=told)
    return tracks


def _told(form: ToldForm, unit: Unit) -> Declaration:
    return Declaration(unit=unit.id, action=form.action, intent=dict(form.__pydantic_extra__))


def _ids(form: SituationForm) -> Iterator[tuple[str, str]]:
    for index, unit in enumerate(form.units):
        yield f"units[{index}].id", unit.id
        for place, model in enumerate(unit.models):
            yield f"units[{index}].models[{place}].id", model.id
    for index, terrain in enumerate(form.terrain):
        yield f"terrain[{index}].id", terrain.id


def _check_ids(form: SituationForm, name: str) -> None:
    """Raise BadInput where an id is used twice: findings name units, models and terrain by id alone."""
    first: dict[str, str] = {}
    for place, known in _ids(form):
        if known in first:
            raise BadInput(f'{name}: {place}: the id "{known}" is already used at {first[known]}; expected another')
        first[known] = place


def _check_places(form: SituationForm, name: str) -> None:
    width, depth = form.table.width_mm, form.table.depth_mm
    for index, unit in enumerate(form.units):
        for place, model in enumerate(unit.models):
            pose = model.pose
            if pose is not None and not (0 <= pose.x_mm <= width and 0 <= pose.y_mm <= depth):
                raise BadInput(
                    f'{name}: units[{index}].models[{place}].pose: the centre of "{model.id}" at '
                    f"({pose.x_mm:g}, {pose.y_mm:g}) is off the table; "
                    f"expected x_mm from 0 to {width:g} and y_mm from 0 to {depth:g}"
                )


def _unit(form: UnitForm) -> Unit:
    return Unit(
        id=form.id,
        player=form.player,
        keywords=frozenset(form.keywords),
        profile=dict(form.profile),
        status=form.status,
        models=tuple(
            Model(id=model.id, base=model.base.shape, pose=_pose(model.pose, 0.0) if model.pose else None)
            for model in form.models
        ),
    )


def _pose(form: PoseForm, sigma_mm: float) -> Pose:
    return Pose(
        x_mm=form.x_mm,
        y_mm=form.y_mm,
        facing_rad=math.radians(form.facing_deg) if form.facing_rad is None else form.facing_rad,
        z_mm=form.z_mm,
        sigma_mm=sigma_mm if form.sigma_mm is None else form.sigma_mm,
    )


def _turn_json(state: GameState) -> dict[str, Any]:
    turn, left = state.turn, {unit.player for unit in state.units if unit.models}
    found: dict[str, Any] = {"orders_begun": True} if state.orders_begun else {}
    if turn is not None:
        found["counted"] = {
            "number": turn.number,
            "player": turn.player,
            "step": turn.step,
            "done": dict(turn.done),
            "moved": list(turn.moved),
            "order": [player for player in turn.order if player in left],
        }
    if state.tracks:
        found["begun"] = [
            {"model": model, **({"told": {"action": told.action, **_plain(told.intent)}} if told else {})}
            for model, told in ((model, track.told) for model, track in state.tracks.items())
        ]
    return found


def _facing_json(facing_rad: float) -> dict[str, float]:
    """Return an angle so that it is read again as the very same number, which few numbers of degrees are."""
    near = math.degrees(facing_rad)
    for degrees in (near, math.nextafter(near, math.inf), math.nextafter(near, -math.inf)):
        if math.radians(degrees) == facing_rad:
            return {"facing_deg": degrees}
    return {"facing_deg": near, "facing_rad": facing_rad}


def _pose_json(pose: Pose) -> dict[str, float]:
    return {
        "x_mm": pose.x_mm,
        "y_mm": pose.y_mm,
        **_facing_json(pose.facing_rad),
        "z_mm": pose.z_mm,
        "sigma_mm": pose.sigma_mm,
    }


def _terrain_json(terrain: Terrain) -> dict[str, Any]:
    return {
        "id": terrain.id,
        "outline_mm": [list(point) for point in terrain.outline_mm],
        "height_mm": terrain.height_mm,
        "traits": sorted(terrain.traits),
        **({} if terrain.gap_mm is None else {"gap_mm": terrain.gap_mm}),
    }


def _unit_json(unit: Unit) -> dict[str, Any]:
    return {
        "id": unit.id,
        "player": unit.player,
        "keywords": sorted(unit.keywords),
        "profile": _plain(unit.profile),
        "status": list(unit.status),
        "models": [
            {
                "id": model.id,
                "base": BaseSpec.of(model.base).model_dump(mode="json", exclude_none=True),
                "pose": _pose_json(model.pose) if model.pose else None,
            }
            for model in unit.models
        ],
    }


def _plain(settings: Mapping[str, Setting]) -> dict[str, Any]:
    return {key: _plain_value(value) for key, value in settings.items()}


def _plain_value(value: Setting) -> object:
    if isinstance(value, Mapping):
        return {key: list(texts) for key, texts in value.items()}
    return list(value) if isinstance(value, tuple) else value
