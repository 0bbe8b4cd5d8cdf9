"""Lists that people shared, beside the checkout, and what is read of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.armies.army import ArmyUnit
from assistant.armies.formats import read_armies
from assistant.armies.known_models import MOVE, KnownModels, fill_army
from assistant.armies.own_bases import OwnBases
from assistant.armies.published_units import find_published_units
from assistant.rules.books import find_rulebook

GAME = "warhammer-40k-10e"
Unit = tuple[str, int]
"""Its name, and how many models it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadList:
    """A list as it was read."""

    path: Path
    expected: tuple[Unit, ...] | None
    """Its units, where that is known."""
    units: tuple[tuple[ArmyUnit, ...], ...]
    """The rows of each unit."""

    @property
    def named(self) -> tuple[Unit, ...]:
        """Its units as they were read."""
        return tuple((rows[0].part_of or rows[0].name, sum(row.size for row in rows)) for rows in self.units)

    @property
    def right(self) -> int:
        """How many units were read as they are: those that are known, in their order."""
        return sum(one == other for one, other in zip(self.named, self.expected or self.named, strict=False))

    @property
    def moving(self) -> int:
        """Units of which the move of all models is known."""
        return sum(all(MOVE in row.profile for row in rows) for rows in self.units)

    @property
    def based(self) -> int:
        """Units of which the base of all models is known."""
        return sum(all(row.base for row in rows) for rows in self.units)


def read_conformance_lists(folder: Path, *, published: bool) -> Iterator[ReadList]:
    """Yield the lists whose units are known, in each format that they come in."""
    for one in sorted(folder.iterdir()):
        expected = tuple(
            (unit["raw_name"], unit["model_count"])
            for unit in json.loads((one / "expected.parsed.json").read_text())["units"]
        )
        for path in sorted(one.glob("input.*")):
            yield read_list(path, expected, published=published)


def read_list(path: Path, expected: tuple[Unit, ...] | None = None, *, published: bool) -> ReadList:
    """Return what is read of a list, with the bases and moves that were published, if that is asked."""
    known = KnownModels(game=GAME, own=OwnBases(), published=find_published_units(GAME) if published else None)
    army = fill_army(read_armies(path, find_rulebook(GAME)).armies[0], known)
    units: dict[object, list[ArmyUnit]] = {}
    for number, row in enumerate(army.units):
        units.setdefault(row.part_of or number, []).append(row)
    return ReadList(path=path, expected=expected, units=tuple(map(tuple, units.values())))
