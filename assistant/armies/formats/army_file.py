"""Army files (`overtable.army/1`, TOML): one player's units, each with its count and base."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import tomlkit
from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from assistant.armies.base_sizes import name_base, parse_base
from assistant.errors import BadInput
from assistant.files.documents import Format, Id, check, read_toml
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
    """Models that move together, all on one kind of base."""

    name: Id
    id: Id | None = Field(default=None, description="made of the name if it is left out")
    count: Count | None = Field(default=None, description="as many as are named in models, or 1, if it is left out")
    base: BaseSize
    keywords: tuple[Id, ...] = ()
    profile: dict[Id, Value] = Field(default={}, description="the rulebook's keys")
    status: tuple[Id, ...] = Field(default=(), description="the rulebook's words")
    models: tuple[Id, ...] = Field(default=(), description="their names, where they have any")

    @model_validator(mode="after")
    def _check_count(self) -> Self:
        if self.count is not None and self.models and self.count != len(self.models):
            raise ValueError(f"count is {self.count}, but models names {len(self.models)}; expected the same")
        return self

    @property
    def size(self) -> int:
        """How many models it has."""
        return self.count or len(self.models) or 1


class Army(Format):
    """One player's army."""

    name: ClassVar[str] = "overtable.army/1"

    format: Literal["overtable.army/1"] = "overtable.army/1"
    player: Id
    rulebook: Id | None = Field(default=None, description="where it is left out any will do whose keys are these")
    units: Annotated[tuple[ArmyUnit, ...], Field(min_length=1)]


def read_army(path: Path) -> Army:
    """Read an army file.

    Raises:
        BadInput: one sentence that names the file, the place in it and what was expected.

    """
    return read_toml(path, Army)


def army_from_text(text: str, name: str) -> Army:
    """Return the army in the text of a file of this name; errors as in `read_army`."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name}: this is not whole TOML: {error}") from None
    return check(data, Army, name)


def format_army(army: Army) -> str:
    """Return an army as the text of its file."""
    document = tomlkit.document()
    document["format"] = army.format
    document["player"] = army.player
    if army.rulebook is not None:
        document["rulebook"] = army.rulebook
    units = tomlkit.aot()
    for unit in army.units:
        units.append(tomlkit.item(_build_plain_unit(unit)))
    document["units"] = units
    return tomlkit.dumps(document)


def _build_plain_unit(unit: ArmyUnit) -> dict[str, Any]:
    given = unit.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    if unit.base.outline_mm is None:
        given["base"] = name_base(unit.base)
    return given
