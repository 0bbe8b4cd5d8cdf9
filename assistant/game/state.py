"""Game state: what stands on the table, and the move that is being made."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from assistant.geometry.shapes.base_shapes import Base, PlacedShape

Setting = str | int | float | bool | tuple[str, ...] | Mapping[str, tuple[str, ...]]
"""A parameter, a profile value or a field of a move's intent, as a file may hold it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pose:
    """Where a model stands, and how sure that is."""

    x_mm: float
    y_mm: float
    facing_rad: float = 0.0
    z_mm: float = 0.0
    sigma_mm: float = 0.0
    """One standard deviation along each axis."""
    other_z_mm: tuple[float, ...] = ()
    """Heights at which the model may stand as well: neither the camera nor the map can tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One miniature."""

    id: str
    base: Base
    pose: Pose | None
    """None while the model is not on the table."""

    def place_base(self, pose: Pose | None = None) -> PlacedShape:
        """Return the base where the model stands, or at ``pose``.

        Raises:
            ValueError: the model is not on the table and no pose was given.

        """
        at = pose or self.pose
        if at is None:
            raise ValueError(f"model {self.id} is not on the table")
        return PlacedShape(shape=self.base, x_mm=at.x_mm, y_mm=at.y_mm, facing_rad=at.facing_rad, z_mm=at.z_mm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Models that move together."""

    id: str
    player: str
    keywords: frozenset[str] = frozenset()
    profile: Mapping[str, Setting] = field(default_factory=dict)
    status: tuple[str, ...] = ()
    models: tuple[Model, ...]
    name: str = ""
    """What people call it; empty where its id says it.  No rule asks for it."""

    @property
    def words(self) -> str:
        """What a sentence calls it."""
        return self.name or self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Terrain:
    """A terrain feature."""

    id: str
    outline_mm: tuple[tuple[float, float], ...]
    height_mm: float = 0.0
    traits: frozenset[str] = frozenset()
    gap_mm: float | None = None
    """The width of a gap, for terrain that is one."""
    facing_rad: float = 0.0
    """How it is turned: along which direction of the table its own x axis lies."""
    kind: str = ""
    """What it is made of, in a word, for whoever draws it; empty where nobody said.  No rule asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TerrainPlace:
    """Where a piece of terrain lies, and how sure that is."""

    x_mm: float
    y_mm: float
    """Its middle: that of the box around its outline which is turned as it is."""
    facing_rad: float
    sigma_mm: float = 0.0
    """One standard deviation of its middle where that is largest."""
    sigma_rad: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The playing surface: its near-left corner is the origin, x to the right, y away."""

    width_mm: float
    depth_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """A marker on the table that players fight for."""

    id: str
    x_mm: float
    y_mm: float
    radius_mm: float
    """Of the marker itself."""
    range_mm: float | None = None
    """From the marker's edge: who is within it may control it; None where the mission gives no range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentZone:
    """Where a player sets up before the first turn."""

    id: str
    player: str | None
    """None where it is nobody's yet."""
    outline_mm: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What a unit does: the action, the dice, and each model's path in the order in which they move."""

    unit: str
    action: str
    paths: Mapping[str, tuple[Pose, ...]] = field(default_factory=dict)
    """By model id; the first pose of each is where the model stood."""
    rolls: tuple[int, ...] = ()
    observed: bool = True
    """False when only the ends of the paths are known."""
    intent: Mapping[str, Setting] = field(default_factory=dict)
    lost: tuple[str, ...] = ()
    """The models that failed tests cost: they are gone before the others move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What a player has announced, before or while the models are moved."""

    unit: str
    action: str
    rolls: tuple[int, ...] = ()
    intent: Mapping[str, Setting] = field(default_factory=dict)
    lost: tuple[str, ...] = ()
    """The models that failed tests cost, by their owner's choice: they are gone before the others move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Whose turn it is, and how far it has come."""

    number: int
    player: str
    step: str
    """The rulebook's."""
    done: Mapping[str, str] = field(default_factory=dict)
    """The action of each unit that has acted in this turn, by unit id, in order."""
    moved: tuple[str, ...] = ()
    """The models that have moved in this turn, in order."""
    order: tuple[str, ...] = ()
    """The players in the order in which they have each step of this turn; empty where a turn is one player's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTrack:
    """What was seen of one model since its last accepted place."""

    poses: tuple[Pose, ...]
    """From the accepted place to where it stands now."""
    observed: bool
    unseen: tuple[int, ...] = ()
    """The legs of it that were not seen: the first is 0, from the first pose to the second."""
    told: Declaration | None = None
    """What was announced for its unit when it was first seen to have moved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerPlace:
    """Where a model stood at a moment: its accepted place, and how it had come from there to where it was."""

    accepted: Pose | None
    """None for a model that was put on the table since then, and not accepted."""
    track: ModelTrack | None = None

    @property
    def place(self) -> Pose | None:
        """Where it stood."""
        return self.track.poses[-1] if self.track else self.accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoring:
    """Models are being put back to where they stood."""

    places: Mapping[str, FormerPlace]
    """By model id."""
    when: str
    """The moment, as people call it: ``where everything was last accepted``, ``0:12:33``."""
    at_ns: int | None = None
    """Its captured time; None for the places that were last accepted, or another game's end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What people decided that a call comes to, whatever the referee says of it."""

    by: Literal["players", "judge"]
    """``players``: by agreement."""
    outcome: Literal["legal", "illegal", "again"]
    """``again``: the move is made again from where it began."""
    note: str = ""
    """Why, in a sentence."""
    unit: str | None = None
    """Whose move it is about, and which."""
    action: str | None = None
    rule: str | None = None
    """The finding that it is about, by its rule and its subjects; None for the verdict as a whole."""
    subjects: tuple[str, ...] = ()
    agreed_mm: float | None = None
    """The length that was agreed on in place of the measured one."""
    referee: str = ""
    """The outcome that the referee had given."""
    text: str = ""
    """What the referee had said of it."""
    at_ns: int | None = None
    """The captured time of the past moment that it is about; None for the move that was being made."""
    judge: str = ""
    """Who ruled, where a judge is known by name; recordings of before have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What people say of a player beside the moves."""

    points: int = 0
    army: str = ""
    """What the player's army is called."""


NO_RULEBOOK = "none"
"""The rulebook of a table that is only watched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameState:
    """Everything a rulebook may ask about.  Immutable; changed only by ``reduce(state, event)``."""

    rulebook: str
    table: Table
    units: tuple[Unit, ...]
    terrain: tuple[Terrain, ...] = ()
    shifted: Mapping[str, TerrainPlace] = field(default_factory=dict)
    """Where pieces of terrain, by id, were seen to lie that lie elsewhere than the game has them."""
    objectives: tuple[Objective, ...] = ()
    deployment: tuple[DeploymentZone, ...] = ()
    parameters: Mapping[str, Setting] = field(default_factory=dict)
    turn: Turn | None = None
    """None while nobody keeps count of turns: then every unit may act."""
    scores: Mapping[str, Score] = field(default_factory=dict)
    """By player: of those of whom somebody said it."""
    orders_begun: bool = False
    """Whether an order has been given in this turn, for rulebooks in which something comes before the first one."""
    declared: Declaration | None = None
    tracks: Mapping[str, ModelTrack] = field(default_factory=dict)
    """By model id: models that stand elsewhere than where they were last accepted."""
    returning: tuple[str, ...] = ()
    """Models among them that are to be put back where they were accepted."""
    rulings: tuple[Ruling, ...] = ()
    """What people decided of the announced move as it stands; moving on voids it."""
    restoring: Restoring | None = None
    """None while the table is not being put back."""
    carried: Mapping[int, str] = field(default_factory=dict)
    """Which model carries a tag, where that is not the one that the set-up names."""
    carried_rings: Mapping[int, str] = field(default_factory=dict)
    """The same of rings."""

    def iterate_models(self) -> Iterator[tuple[Unit, Model]]:
        """Every model with its unit, in the order of the situation."""
        return ((unit, model) for unit in self.units for model in unit.models)

    def find_unit(self, unit_id: str) -> Unit:
        """Return the unit with this id; KeyError if there is none."""
        for unit in self.units:
            if unit.id == unit_id:
                return unit
        raise KeyError(unit_id)

    def name_unit(self, unit_id: str) -> str:
        """Return what a sentence calls a unit, and whose it is where another player's is called the same."""
        unit = self.find_unit(unit_id)
        same = any(each.words == unit.words and each.player != unit.player for each in self.units)
        return f"{unit.words} ({unit.player})" if same else unit.words

    def find_unit_of(self, model_id: str) -> Unit:
        """Return the unit that a model belongs to; KeyError if there is no such model."""
        for unit in self.units:
            for model in unit.models:
                if model.id == model_id:
                    return unit
        raise KeyError(model_id)

    def find_model(self, model_id: str) -> Model:
        """Return the model with this id; KeyError if there is none."""
        for unit in self.units:
            for model in unit.models:
                if model.id == model_id:
                    return model
        raise KeyError(model_id)

    def set_statuses(self, statuses: Mapping[str, tuple[str, ...]]) -> "GameState":
        """Return the same game with some units of another status, by unit id."""
        if not statuses:
            return self
        units = tuple(replace(unit, status=statuses[unit.id]) if unit.id in statuses else unit for unit in self.units)
        return replace(self, units=units)

    def remove_models(self, models: Collection[str]) -> "GameState":
        """Return the same game without some models; a unit may be left with none."""
        if not models:
            return self
        kept = (tuple(model for model in unit.models if model.id not in models) for unit in self.units)
        units = tuple(
            unit if len(left) == len(unit.models) else replace(unit, models=left)
            for unit, left in zip(self.units, kept, strict=True)
        )
        return replace(self, units=units).clear_tracks(models)

    def clear_tracks(self, models: Collection[str]) -> "GameState":
        """Return the same game without how some models came to where they stand."""
        if self.tracks.keys().isdisjoint(models) and set(self.returning).isdisjoint(models):
            return self
        tracks = {model: track for model, track in self.tracks.items() if model not in models}
        returning = tuple(model for model in self.returning if model not in models)
        return replace(self, tracks=tracks, returning=returning)

    def place_models(self, poses: Mapping[str, Pose | None]) -> "GameState":
        """Return the same game with some models standing elsewhere, by model id."""
        if not poses:
            return self
        return replace(self, units=tuple(_place_unit_models(unit, poses) for unit in self.units))

    def apply_tracks(self) -> "GameState":
        """Return the same game with every model that has moved where its way has ended so far."""
        return self.place_models({model: track.poses[-1] for model, track in self.tracks.items()})


def _place_unit_models(unit: Unit, poses: Mapping[str, Pose | None]) -> Unit:
    if not any(model.id in poses for model in unit.models):
        return unit
    models = tuple(replace(m, pose=poses[m.id]) if m.id in poses else m for m in unit.models)
    return replace(unit, models=models)
