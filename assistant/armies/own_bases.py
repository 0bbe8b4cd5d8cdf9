"""Own bases: what people have said their models stand on, kept by game, unit and model for the next list."""

from pathlib import Path
from typing import ClassVar, Literal

import platformdirs

from assistant.armies.army import Army, ArmyUnit, BaseSize
from assistant.files.documents import Format, Id, read_json
from assistant.game.base_spec import BaseSpec


class OwnBase(Format):
    """What one kind of model stands on."""

    game: Id
    """The rulebook."""
    unit: Id
    """Whose model it is; its own name where it is no part of another."""
    model: Id
    base: BaseSize


class OwnBases(Format):
    """All that is known, what was said last behind."""

    name: ClassVar[str] = "overtable.bases/1"

    format: Literal["overtable.bases/1"] = "overtable.bases/1"
    bases: tuple[OwnBase, ...] = ()

    def find(self, game: str, unit: ArmyUnit) -> BaseSpec | None:
        """Return what models of a unit stand on, as was said of this unit, or else of such models in another."""
        name = unit.name.casefold()
        named = [one for one in self.bases if one.game == game and one.model.casefold() == name]
        exact = [one for one in named if one.unit.casefold() == _name_unit(unit)]
        return next((one.base for one in reversed(exact or named)), None)

    def learn(self, game: str, army: Army) -> "OwnBases":
        """Return what is known with the bases that an army names; what was said of the same models before is gone."""
        said = {
            (_name_unit(unit), unit.name.casefold()): OwnBase(
                game=game, unit=_name_unit(unit), model=unit.name, base=unit.base
            )
            for unit in army.units
            if unit.base is not None
        }
        kept = (
            one for one in self.bases if one.game != game or (one.unit.casefold(), one.model.casefold()) not in said
        )
        return OwnBases(bases=(*kept, *said.values()))


def _name_unit(unit: ArmyUnit) -> str:
    """Return a unit's name without the number that tells it from others of the list."""
    return (unit.part_of or unit.name).casefold().rstrip("0123456789").strip() or unit.name.casefold()


def find_own_file() -> Path:
    """Return where the bases of whoever uses this machine are kept."""
    return platformdirs.user_data_path("overtable") / "bases.json"


def read_own_bases(path: Path) -> OwnBases:
    """Return what is known; nothing where there is no file yet; BadInput where it does not fit."""
    return read_json(path, OwnBases) if path.exists() else OwnBases()


def fill_bases(army: Army, game: str, known: OwnBases) -> Army:
    """Return an army with the bases that are known and that its list does not name."""
    units = tuple(
        unit if unit.base is not None else unit.model_copy(update={"base": known.find(game, unit)})
        for unit in army.units
    )
    return army.model_copy(update={"units": units})
