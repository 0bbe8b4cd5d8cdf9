"""What a situation file holds (`overtable.situation/1`): its forms, as a file has them."""

import math
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema, model_validator

from assistant.files import Degrees, Format, Id, Length, Place, Sigma
from assistant.game.base import BaseSpec
from assistant.geometry.shapes import check_outline

SAME_RAD = 1e-9
"""An angle in degrees and the same in radians differ by rounding alone."""
Height = Annotated[float, Field(ge=0, le=1e5)]
"""Millimetres above the table."""


def _setting(value: object) -> object:
    """Let through what a setting may be; a plain union would answer in the words of each of its parts."""
    texts = all(map(_is_texts, value.values())) if isinstance(value, dict) else _is_texts(value)
    if texts or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    kinds = "text, a finite number, true or false, a list of texts, or lists of texts by id"
    raise ValueError(f"expected {kinds}, not {value!r}")


def _is_texts(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(text, str) for text in value)


Value = Annotated[
    Any,
    AfterValidator(_setting),
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
    def _one_angle(self) -> "PoseForm":
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
    keywords: tuple[Id, ...] = ()
    profile: dict[Id, Value] = Field(default={}, description="the rulebook's keys")
    status: tuple[Id, ...] = Field(default=(), description="the rulebook's words")
    models: Annotated[tuple[ModelForm, ...], Field(min_length=1)]


class TerrainForm(Format):
    """A terrain feature."""

    id: Id
    outline_mm: tuple[tuple[Place, Place], ...]
    height_mm: Height = 0.0
    traits: tuple[Id, ...] = ()
    gap_mm: Length | None = Field(default=None, description="its width, for the trait gap")

    @model_validator(mode="after")
    def _simple(self) -> "TerrainForm":
        check_outline(self.outline_mm)
        return self


class TableForm(Format):
    """The playing surface."""

    width_mm: Length
    depth_mm: Length


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
    rolls: tuple[int, ...] = ()
    paths: dict[Id, Annotated[tuple[PoseForm, ...], Field(min_length=1)]] = Field(default={})
    observed: bool = True
    lost: tuple[Id, ...] = Field(default=(), description="models that failed tests cost: gone before the others move")


class SituationForm(Format):
    """A position, and optionally one move."""

    name: ClassVar[str] = "overtable.situation/1"

    format: Literal["overtable.situation/1"]
    rulebook: Id
    parameters: dict[Id, Value] = Field(default={}, description="the rulebook's keys")
    table: TableForm
    terrain: tuple[TerrainForm, ...] = ()
    units: tuple[UnitForm, ...]
    turn: TurnForm = TurnForm()
    move: MoveForm | None = None
