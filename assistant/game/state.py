"""What stands on the table, and the move that is being made."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from assistant.geometry.shapes import Base, Placed

Setting = str | int | float | bool | tuple[str, ...]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One miniature."""

    id: str
    base: Base
    pose: Pose | None
    """None while the model is not on the table."""

    def placed(self, pose: Pose | None = None) -> Placed:
        """Return the base where the model stands, or at ``pose``.

        Raises:
            ValueError: the model is not on the table and no pose was given.

        """
        at = pose or self.pose
        if at is None:
            raise ValueError(f"model {self.id} is not on the table")
        return Placed(shape=self.base, x_mm=at.x_mm, y_mm=at.y_mm, facing_rad=at.facing_rad, z_mm=at.z_mm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Models that move together."""

    id: str
    player: str
    keywords: frozenset[str] = frozenset()
    profile: Mapping[str, Setting] = field(default_factory=dict)
    status: tuple[str, ...] = ()
    models: tuple[Model, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terrain:
    """A terrain feature."""

    id: str
    outline_mm: tuple[tuple[float, float], ...]
    height_mm: float = 0.0
    traits: frozenset[str] = frozenset()
    gap_mm: float | None = None
    """The width of a gap, for terrain that is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The playing surface: its near-left corner is the origin, x to the right, y away."""

    width_mm: float
    depth_mm: float


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """The unit, action and dice that a player has announced, before or while the models are moved."""

    unit: str
    action: str
    rolls: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """What was seen of one model since its last accepted place."""

    poses: tuple[Pose, ...]
    """From the accepted place to where it stands now."""
    observed: bool


NO_RULEBOOK = "none"
"""The rulebook of a table that is only watched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameState:
    """Everything a rulebook may ask about.  Immutable; changed only by ``reduce(state, event)``."""

    rulebook: str
    table: Table
    units: tuple[Unit, ...]
    terrain: tuple[Terrain, ...] = ()
    parameters: Mapping[str, Setting] = field(default_factory=dict)
    declared: Declaration | None = None
    tracks: Mapping[str, Track] = field(default_factory=dict)
    """By model id: models that stand elsewhere than where they were last accepted."""

    def models(self) -> Iterator[tuple[Unit, Model]]:
        """Every model with its unit, in the order of the situation."""
        return ((unit, model) for unit in self.units for model in unit.models)

    def unit(self, unit_id: str) -> Unit:
        """Return the unit with this id; KeyError if there is none."""
        for unit in self.units:
            if unit.id == unit_id:
                return unit
        raise KeyError(unit_id)

    def unit_of(self, model_id: str) -> Unit:
        """Return the unit that a model belongs to; KeyError if there is no such model."""
        for unit, model in self.models():
            if model.id == model_id:
                return unit
        raise KeyError(model_id)

    def model(self, model_id: str) -> Model:
        """Return the model with this id; KeyError if there is none."""
        for _, model in self.models():
            if model.id == model_id:
                return model
        raise KeyError(model_id)

    def standing(self, poses: Mapping[str, Pose | None]) -> "GameState":
        """Return the same game with some models standing elsewhere, by model id."""
        units = tuple(
            replace(unit, models=tuple(replace(m, pose=poses.get(m.id, m.pose)) for m in unit.models))
            for unit in self.units
        )
        return replace(self, units=units)
