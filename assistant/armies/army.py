"""The army: one player's units, each with its count and base, as `overtable.army/1` has them."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from assistant.armies.base_sizes import parse_base
from assistant.errors import BadInput
from assistant.files.documents import Format, Id
from assistant.game.base_spec import BaseSpec
from assistant.game.situation_file import Value

MOST_MODELS = 300
"""Of one unit; a number beyond it is a slip of the pen."""
Count = Annotated[int, Field(ge=1, le=MOST_MODELS)]


def _parse_base_text(value: object) -> object:
    return parse_base(value) if isinstance(value, str) else value


BaseSize = Annotated[
    BaseSpec,
    BeforeValidator(_parse_base_text),
    WithJsonSchema(
        {
            "anyOf": [{"type": "string", "examples": ["32", "60x35 oval", "25x50"]}, BaseSpec.model_json_schema()],
            "description": "millimetres: a diameter, or the length along the model's front and the width",
        }
    ),
]


class ArmyUnit(Format):
    """Models that move together, all on one kind of base: a unit, or those of one kind in it."""

    name: Id
    id: Id | None = Field(default=None, description="made of the name if it is left out")
    count: Count | None = Field(default=None, description="as many as are named in models, or 1, if it is left out")
    base: BaseSize | None = Field(default=None, description="asked before a game begins where it is left out")
    part_of: Id | None = Field(
        default=None, description="the unit that these are some of the models of; rows that name the same are one unit"
    )
    keywords: tuple[Id, ...] = ()
    profile: dict[Id, Value] = Field(default={}, description="the rulebook's keys")
    status: tuple[Id, ...] = Field(default=(), description="the rulebook's words")
    models: tuple[Id, ...] = Field(default=(), description="their names, where they have any")
    points: float | None = Field(default=None, ge=0, le=1e6, description="what the unit cost; no rule asks for it")
    guess: str = Field(
        default="",
        max_length=100,
        description="where what the list does not say comes from, until somebody agrees to it",
    )
    remark: str = Field(default="", max_length=2000, description="what a list says of it that was not understood")

    @model_validator(mode="after")
    def _check_count(self) -> Self:
        if self.count is not None and self.models and self.count != len(self.models):
            raise ValueError(f"count is {self.count}, but models names {len(self.models)}; expected the same")
        return self

    @property
    def size(self) -> int:
        """How many models it has."""
        return self.count or len(self.models) or 1

    def require_base(self, player: str) -> BaseSpec:
        """Return the base; BadInput, with the names of the player and the unit, where it is not known yet."""
        if self.base is None:
            raise BadInput(f"{player}, {self.name}: it has no base yet; say which, such as 32 or 60x35 oval")
        return self.base


class Army(Format):
    """One player's army."""

    name: ClassVar[str] = "overtable.army/1"

    format: Literal["overtable.army/1"] = "overtable.army/1"
    player: Id
    rulebook: Id | None = Field(default=None, description="where it is left out any will do whose keys are these")
    units: Annotated[tuple[ArmyUnit, ...], Field(min_length=1)]
