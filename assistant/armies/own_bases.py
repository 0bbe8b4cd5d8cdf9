"""Own bases: what people have said their models stand on, kept by game, unit and model for the next list."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Literal

import platformdirs

from assistant.armies.army import Army, BaseSize
from assistant.errors import BadInput
from assistant.files.documents import Format, Id, check, read_json, write_version
from assistant.files.output_path import is_json_of
from assistant.game.base_spec import BaseSpec


class OwnBase(Format):
    """What one kind of model stands on."""

    game: Id
    """The rulebook."""
    unit: Id
    """Whose model it is; its own name where it is no part of another."""
    model: Id
    base: BaseSize

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from others: the game, the unit and the model, however they are written."""
        return self.game, self.unit.casefold(), self.model.casefold()


class OwnBases(Format):
    """All that is known, what was said last behind."""

    name: ClassVar[str] = "overtable.bases/1"

    format: Literal["overtable.bases/1"] = "overtable.bases/1"
    bases: tuple[OwnBase, ...] = ()

    def find(self, game: str, unit: str, model: str) -> tuple[BaseSpec, bool] | None:
        """Return what models of a unit stand on, and whether that was said of this unit, not of such in another."""
        named = [one for one in self.bases if one.game == game and one.model.casefold() == model.casefold()]
        exact = [one for one in named if one.unit.casefold() == unit.casefold()]
        return next(((one.base, bool(exact)) for one in reversed(exact or named)), None)

    def learn(self, game: str, army: Army) -> "OwnBases":
        """Return what is known with the bases that an army names; what was said of the same models before is gone.

        What is a guess is not learned.
        """
        return self.add(
            OwnBase(game=game, unit=name_own_unit(unit.name, unit.part_of), model=unit.name, base=unit.base)
            for unit in army.units
            if unit.base is not None and not unit.guess
        )

    def add(self, bases: Iterable[OwnBase]) -> "OwnBases":
        """Return what is known with more, such as from another machine; what was said of the same models is gone."""
        said = {one.key: one for one in bases}
        return OwnBases(bases=(*(one for one in self.bases if one.key not in said), *said.values()))


def name_own_unit(name: str, part_of: str | None) -> str:
    """Return a unit's name, in lower case, without the number that tells it from others of the list."""
    return (part_of or name).casefold().rstrip("0123456789").strip() or name.casefold()


def find_own_file() -> Path:
    """Return where the bases of whoever uses this machine are kept."""
    return platformdirs.user_data_path("overtable") / "bases.json"


def read_own_bases(path: Path) -> OwnBases:
    """Return what is known; nothing where there is no file yet; BadInput where it does not fit."""
    return read_json(path, OwnBases) if path.exists() else OwnBases()


def are_own_bases(data: bytes) -> bool:
    """Return whether a file's content is a list of known bases."""
    return is_json_of("overtable.bases")(data[:4096])


def parse_own_bases(data: bytes, name: str) -> OwnBases:
    """Return what a file of known bases holds; BadInput where it does not fit."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name}: this is not whole JSON: {error}") from None
    return check(document, OwnBases, name)


def keep_own_bases(path: Path, known: OwnBases) -> None:
    """Write what is known; BadInput where that cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{path.parent}: this folder cannot be made ({error.strerror})") from None
    write_version(path, (known.model_dump_json(indent=2, exclude_none=True) + "\n").encode())
