"""Situation files (`overtable.situation/1`): a position, and optionally one move to judge.

The forms are what a file holds, as it has it; reading one makes a game state of it, and a game state is written as one.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema, model_validator

from assistant.errors import BadInput
from assistant.files.documents import Degrees, Format, Id, Length, Place, Sigma, check, read_json, shorten
from assistant.game.base_spec import BaseSpec
from assistant.game.limits import (
    GREATEST_MARKER_MM,
    GREATEST_RANGE_MM,
    MOST_CORNERS_IN_ALL,
    MOST_MARKERS,
    MOST_MODELS,
    MOST_POSES,
    MOST_POSES_IN_ALL,
    MOST_TERRAIN,
    MOST_UNITS,
    MOST_WORDS,
    USUAL_MARKER_MM,
    Die,
    Height,
    TableLength,
    TerrainOutline,
    check_count,
    check_thickness,
)
from assistant.game.state import (
    Declaration,
    DeploymentZone,
    GameState,
    Model,
    ModelTrack,
    Move,
    Objective,
    Pose,
    Setting,
    Table,
    Terrain,
    Turn,
    Unit,
)
from assistant.geometry.shapes.base_shapes import check_outline

SAME_RAD = 1e-9
"""An angle in degrees and the same in radians differ by rounding alone."""
Words = Annotated[tuple[Id, ...], Field(max_length=MOST_WORDS)]


def _check_setting(value: object) -> object:
    """Let through what a setting may be; a plain union would answer in the words of each of its parts."""
    texts = all(map(_is_texts, value.values())) if isinstance(value, dict) else _is_texts(value)
    if texts or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    kinds = "text, a finite number, true or false, a list of texts, or lists of texts by id"
    raise ValueError(f"expected {kinds}, not {shorten(repr(value))}")


def _is_texts(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(text, str) for text in value)


Value = Annotated[
    Any,
    AfterValidator(_check_setting),
    WithJsonSchema(
        {
            "type": ["string", "number", "boolean", "array", "object"],
            "items": {"type": "string"},
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        }
    ),
]


class PoseForm(Format):
    """Where a model stands."""

    x_mm: Place
    y_mm: Place
    facing_deg: Degrees = 0.0
    facing_rad: float | None = Field(
        default=None, description="the same angle to its last digit, where no number of degrees is exactly it"
    )
    z_mm: Height = 0.0
    sigma_mm: Sigma | None = Field(default=None, description="one standard deviation along each axis; 0 if left out")

    @model_validator(mode="after")
    def _check_angles_agree(self) -> "PoseForm":
        if self.facing_rad is not None and abs(self.facing_rad - math.radians(self.facing_deg)) > SAME_RAD:
            raise ValueError(f"facing_rad is another angle than facing_deg; expected {math.radians(self.facing_deg)!r}")
        return self


class ModelForm(Format):
    """One miniature."""

    id: Id
    base: BaseSpec
    pose: PoseForm | None = Field(description="null while it is not on the table")


class UnitForm(Format):
    """Models that move together."""

    id: Id
    player: Id
    keywords: Words = ()
    profile: dict[Id, Value] = Field(default={}, description="the rulebook's keys")
    status: Words = Field(default=(), description="the rulebook's words")
    models: Annotated[tuple[ModelForm, ...], Field(min_length=1, max_length=MOST_MODELS)]
    name: Id | None = Field(default=None, description="what people call it, where its id does not say it")


class TerrainForm(Format):
    """A terrain feature."""

    id: Id
    outline_mm: TerrainOutline
    height_mm: Height = 0.0
    traits: Words = ()
    gap_mm: Length | None = Field(default=None, description="its width, for the trait gap")
    facing_deg: Degrees = Field(default=0.0, description="how its own x axis is turned, in which marks on it are told")
    facing_rad: float | None = Field(
        default=None, description="the same angle to its last digit, where no number of degrees is exactly it"
    )
    kind: Id | None = Field(default=None, description="what it is drawn as")

    @model_validator(mode="after")
    def _check_outline(self) -> "TerrainForm":
        check_outline(self.outline_mm)
        check_thickness(self.outline_mm)
        return self


class ObjectiveForm(Format):
    """An objective marker."""

    id: Id
    x_mm: Place
    y_mm: Place
    radius_mm: Annotated[float, Field(gt=0, le=GREATEST_MARKER_MM)] = USUAL_MARKER_MM
    range_mm: Annotated[float, Field(gt=0, le=GREATEST_RANGE_MM)] | None = Field(
        default=None, description="from the marker's edge: who is within it may control it"
    )


class ZoneForm(Format):
    """A deployment zone."""

    id: Id
    player: Id | None = Field(default=None, description="who sets up in it")
    outline_mm: TerrainOutline

    @model_validator(mode="after")
    def _check_outline(self) -> "ZoneForm":
        check_outline(self.outline_mm)
        check_thickness(self.outline_mm)
        return self


class TableForm(Format):
    """The playing surface."""

    width_mm: TableLength
    depth_mm: TableLength


class ToldForm(Format):
    """What was announced for a unit; keys beyond these are fields of the rulebook's."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Value]

    action: Id


class BegunForm(Format):
    """A model that has moved since its place was last accepted."""

    model: Id
    told: ToldForm | None = Field(default=None, description="what was announced for its unit when it began")


class CountedForm(Format):
    """A turn that is counted, so that its order is judged."""

    number: Annotated[int, Field(ge=1)] = 1
    player: Id
    step: Id
    done: dict[Id, Id] = Field(default={}, description="the action of each unit that has acted in it, in order")
    moved: tuple[Id, ...] = Field(default=(), description="the models that have moved in it, in order")
    order: tuple[Id, ...] = Field(default=(), description="the players in their order, where they share the turn")


class TurnForm(Format):
    """What of the turn that is being played no camera sees."""

    orders_begun: bool = Field(default=False, description="an order has been given in it")
    counted: CountedForm | None = None
    begun: tuple[BegunForm, ...] = Field(default=(), description="models whose move is not accepted yet, in order")


class MoveForm(Format):
    """One move; keys beyond these are fields of the rulebook's."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Value]

    unit: Id
    action: Id
    rolls: Annotated[tuple[Die, ...], Field(max_length=MOST_WORDS)] = ()
    paths: dict[Id, Annotated[tuple[PoseForm, ...], Field(min_length=1, max_length=MOST_POSES)]] = Field(default={})
    observed: bool = True
    lost: tuple[Id, ...] = Field(default=(), description="models that failed tests cost: gone before the others move")


class SituationForm(Format):
    """A position, and optionally one move."""

    name: ClassVar[str] = "overtable.situation/1"

    format: Literal["overtable.situation/1"]
    rulebook: Id
    parameters: dict[Id, Value] = Field(default={}, description="the rulebook's keys")
    table: TableForm
    terrain: Annotated[tuple[TerrainForm, ...], Field(max_length=MOST_TERRAIN)] = ()
    objectives: Annotated[tuple[ObjectiveForm, ...], Field(max_length=MOST_MARKERS)] = ()
    deployment: Annotated[tuple[ZoneForm, ...], Field(max_length=MOST_MARKERS)] = ()
    units: Annotated[tuple[UnitForm, ...], Field(max_length=MOST_UNITS)]
    turn: TurnForm = TurnForm()
    move: MoveForm | None = None


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
    return _build_situation(read_json(path, SituationForm), str(path))


def parse_situation(data: object, name: str) -> Situation:
    """Return the situation in a JSON document read from the thing called ``name``; errors as in `read_situation`."""
    return _build_situation(check(data, SituationForm, name), name)


def build_move(move: MoveForm, state: GameState, name: str) -> Move:
    """Return the move that stands in the thing called ``name``; errors as in `read_situation`."""
    owners = {model.id: (unit, model) for unit, model in state.iterate_models()}
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
        paths[model_id] = tuple(_build_pose(pose, sigma) for pose in path)
    return Move(
        unit=move.unit,
        action=move.action,
        paths=paths,
        rolls=move.rolls,
        observed=move.observed,
        intent=dict(move.__pydantic_extra__),
        lost=_check_losses(move, state, name),
    )


def _check_losses(move: MoveForm, state: GameState, name: str) -> tuple[str, ...]:
    own = {model.id for model in state.find_unit(move.unit).models}
    for place, model in enumerate(move.lost):
        if model not in own or model in move.lost[:place]:
            raise BadInput(f'{name}: move.lost[{place}]: expected a model of "{move.unit}", once, not "{model}"')
    return move.lost


def encode_situation(state: GameState, move: Move | None = None) -> dict[str, Any]:
    """Return a game, as it stands, and a move as a situation document."""
    document: dict[str, Any] = {
        "format": SituationForm.name,
        "rulebook": state.rulebook,
        "parameters": _encode_settings(state.parameters),
        "table": {"width_mm": state.table.width_mm, "depth_mm": state.table.depth_mm},
        "terrain": [_encode_terrain(terrain) for terrain in state.terrain],
        **({"objectives": list(map(_encode_objective, state.objectives))} if state.objectives else {}),
        **({"deployment": list(map(_encode_zone, state.deployment))} if state.deployment else {}),
        "units": [_encode_unit(unit) for unit in state.units if unit.models],
        **({"turn": turn} if (turn := _encode_turn(state)) else {}),
    }
    if move is not None:
        document["move"] = {
            "unit": move.unit,
            "action": move.action,
            "rolls": list(move.rolls),
            "paths": {model: [_encode_pose(pose) for pose in path] for model, path in move.paths.items()},
            "observed": move.observed,
            **({"lost": list(move.lost)} if move.lost else {}),
            **_encode_settings(move.intent),
        }
    return document


def _build_situation(form: SituationForm, name: str) -> Situation:
    _check_counts(form, name)
    _check_ids(form, name)
    _check_places(form, name)
    state = GameState(
        rulebook=form.rulebook,
        table=Table(width_mm=form.table.width_mm, depth_mm=form.table.depth_mm),
        units=tuple(_build_unit(unit) for unit in form.units),
        terrain=tuple(
            Terrain(
                id=terrain.id,
                outline_mm=terrain.outline_mm,
                height_mm=terrain.height_mm,
                traits=frozenset(terrain.traits),
                gap_mm=terrain.gap_mm,
                facing_rad=math.radians(terrain.facing_deg) if terrain.facing_rad is None else terrain.facing_rad,
                kind=terrain.kind or "",
            )
            for terrain in form.terrain
        ),
        objectives=tuple(
            Objective(id=one.id, x_mm=one.x_mm, y_mm=one.y_mm, radius_mm=one.radius_mm, range_mm=one.range_mm)
            for one in form.objectives
        ),
        deployment=tuple(
            DeploymentZone(id=one.id, player=one.player, outline_mm=one.outline_mm) for one in form.deployment
        ),
        parameters=dict(form.parameters),
        orders_begun=form.turn.orders_begun,
    )
    move = build_move(form.move, state, name) if form.move else None
    counted, begun = _build_turn(form.turn.counted, state, name), _build_tracks(form.turn.begun, state, move, name)
    return Situation(state=replace(state, turn=counted, tracks=begun), move=move)


def _build_turn(form: CountedForm | None, state: GameState, name: str) -> Turn | None:
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


def _build_tracks(
    forms: tuple[BegunForm, ...], state: GameState, move: Move | None, name: str
) -> dict[str, ModelTrack]:
    """Return the models under way; where they come from is the move's business."""
    owners = {model.id: (unit, model) for unit, model in state.iterate_models()}
    tracks = {}
    for place, form in enumerate(forms):
        if form.model not in owners:
            raise BadInput(f'{name}: turn.begun[{place}].model: there is no model "{form.model}"')
        unit, model = owners[form.model]
        told = _build_declaration(form.told, unit) if form.told else None
        here = model.pose or (move.paths[model.id][-1] if move and model.id in move.paths else None)
        if here is not None:
            tracks[model.id] = ModelTrack(poses=(here,), observed=True, told=told)
    return tracks


def _build_declaration(form: ToldForm, unit: Unit) -> Declaration:
    return Declaration(unit=unit.id, action=form.action, intent=dict(form.__pydantic_extra__))


def _list_ids(form: SituationForm) -> Iterator[tuple[str, str]]:
    for index, unit in enumerate(form.units):
        yield f"units[{index}].id", unit.id
        for place, model in enumerate(unit.models):
            yield f"units[{index}].models[{place}].id", model.id
    for index, terrain in enumerate(form.terrain):
        yield f"terrain[{index}].id", terrain.id
    for index, objective in enumerate(form.objectives):
        yield f"objectives[{index}].id", objective.id
    for index, zone in enumerate(form.deployment):
        yield f"deployment[{index}].id", zone.id


def _check_counts(form: SituationForm, name: str) -> None:
    """Raise BadInput where there is more of something in all than is taken."""
    bases = (model.base.outline_mm or () for unit in form.units for model in unit.models)
    drawn = (*(terrain.outline_mm for terrain in form.terrain), *(zone.outline_mm for zone in form.deployment))
    corners = (len(outline) for outline in (*bases, *drawn))
    check_count(name, "units", (len(unit.models) for unit in form.units), MOST_MODELS, "models")
    check_count(name, "terrain and bases", corners, MOST_CORNERS_IN_ALL, "corners of outlines")
    if form.move:
        check_count(name, "move.paths", map(len, form.move.paths.values()), MOST_POSES_IN_ALL, "poses")


def _check_ids(form: SituationForm, name: str) -> None:
    """Raise BadInput where an id is used twice: findings name units, models and terrain by id alone."""
    first: dict[str, str] = {}
    for place, known in _list_ids(form):
        if known in first:
            raise BadInput(f'{name}: {place}: the id "{known}" is already used at {first[known]}; expected another')
        first[known] = place


def _check_places(form: SituationForm, name: str) -> None:
    width, depth = form.table.width_mm, form.table.depth_mm
    for index, marker in enumerate(form.objectives):
        if not (0 <= marker.x_mm <= width and 0 <= marker.y_mm <= depth):
            raise BadInput(
                f'{name}: objectives[{index}]: "{marker.id}" at ({marker.x_mm:g}, {marker.y_mm:g}) is off the table; '
                f"expected x_mm from 0 to {width:g} and y_mm from 0 to {depth:g}"
            )
    for index, unit in enumerate(form.units):
        for place, model in enumerate(unit.models):
            pose = model.pose
            if pose is not None and not (0 <= pose.x_mm <= width and 0 <= pose.y_mm <= depth):
                raise BadInput(
                    f'{name}: units[{index}].models[{place}].pose: the centre of "{model.id}" at '
                    f"({pose.x_mm:g}, {pose.y_mm:g}) is off the table; "
                    f"expected x_mm from 0 to {width:g} and y_mm from 0 to {depth:g}"
                )


def _build_unit(form: UnitForm) -> Unit:
    return Unit(
        id=form.id,
        player=form.player,
        keywords=frozenset(form.keywords),
        profile=dict(form.profile),
        status=form.status,
        models=tuple(
            Model(id=model.id, base=model.base.shape, pose=_build_pose(model.pose, 0.0) if model.pose else None)
            for model in form.models
        ),
        name=form.name or "",
    )


def _build_pose(form: PoseForm, sigma_mm: float) -> Pose:
    return Pose(
        x_mm=form.x_mm,
        y_mm=form.y_mm,
        facing_rad=math.radians(form.facing_deg) if form.facing_rad is None else form.facing_rad,
        z_mm=form.z_mm,
        sigma_mm=sigma_mm if form.sigma_mm is None else form.sigma_mm,
    )


def _encode_turn(state: GameState) -> dict[str, Any]:
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
            {"model": model, **({"told": {"action": told.action, **_encode_settings(told.intent)}} if told else {})}
            for model, told in ((model, track.told) for model, track in state.tracks.items())
        ]
    return found


def _encode_facing(facing_rad: float) -> dict[str, float]:
    """Return an angle so that it is read again as the very same number, which few numbers of degrees are."""
    near = math.degrees(facing_rad)
    for degrees in (near, math.nextafter(near, math.inf), math.nextafter(near, -math.inf)):
        if math.radians(degrees) == facing_rad:
            return {"facing_deg": degrees}
    return {"facing_deg": near, "facing_rad": facing_rad}


def _encode_pose(pose: Pose) -> dict[str, float]:
    return {
        "x_mm": pose.x_mm,
        "y_mm": pose.y_mm,
        **_encode_facing(pose.facing_rad),
        "z_mm": pose.z_mm,
        "sigma_mm": pose.sigma_mm,
    }


def _encode_terrain(terrain: Terrain) -> dict[str, Any]:
    return {
        "id": terrain.id,
        "outline_mm": [list(point) for point in terrain.outline_mm],
        "height_mm": terrain.height_mm,
        "traits": sorted(terrain.traits),
        **({} if terrain.gap_mm is None else {"gap_mm": terrain.gap_mm}),
        **(_encode_facing(terrain.facing_rad) if terrain.facing_rad else {}),
        **({"kind": terrain.kind} if terrain.kind else {}),
    }


def _encode_objective(objective: Objective) -> dict[str, Any]:
    return {
        "id": objective.id,
        "x_mm": objective.x_mm,
        "y_mm": objective.y_mm,
        "radius_mm": objective.radius_mm,
        **({} if objective.range_mm is None else {"range_mm": objective.range_mm}),
    }


def _encode_zone(zone: DeploymentZone) -> dict[str, Any]:
    return {
        "id": zone.id,
        **({} if zone.player is None else {"player": zone.player}),
        "outline_mm": [list(point) for point in zone.outline_mm],
    }


def _encode_unit(unit: Unit) -> dict[str, Any]:
    return {
        "id": unit.id,
        "player": unit.player,
        "keywords": sorted(unit.keywords),
        "profile": _encode_settings(unit.profile),
        "status": list(unit.status),
        "models": [
            {
                "id": model.id,
                "base": BaseSpec.from_shape(model.base).model_dump(mode="json", exclude_none=True),
                "pose": _encode_pose(model.pose) if model.pose else None,
            }
            for model in unit.models
        ],
        **({"name": unit.name} if unit.name else {}),
    }


def _encode_settings(settings: Mapping[str, Setting]) -> dict[str, Any]:
    return {key: _encode_setting(value) for key, value in settings.items()}


def _encode_setting(value: Setting) -> object:
    if isinstance(value, Mapping):
        return {key: list(texts) for key, texts in value.items()}
    return list(value) if isinstance(value, tuple) else value
