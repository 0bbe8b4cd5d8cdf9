"""Ids for units and models: unique, short and readable, such as ``scouts`` and ``scouts-1``."""

import string
import unicodedata
from collections.abc import Iterator

from assistant.armies.army import ArmyUnit
from assistant.errors import BadInput

LONGEST = 30


class Ids:
    """Gives out ids; what was given once is not given again, and what comes later changes nothing before it."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, unit: ArmyUnit, player: str) -> tuple[str, tuple[str, ...]]:
        """Return the ids of a unit and of its models.

        They are made of its name; where that is taken the player's stands before it, or a letter behind it.  An id
        that a person has chosen, and names that the models have, are kept.

        Raises:
            BadInput: an id that a person has chosen is taken.

        """
        for own in _candidates(slug(unit.name), slug(player)) if unit.id is None else (unit.id,):
            for members in _members(own, unit):
                if len({own, *members}) == 1 + unit.size and self._taken.isdisjoint((own, *members)):
                    self._taken |= {own, *members}
                    return own, members
        raise BadInput(f"{player}, {unit.name}: its id is taken already, by a unit or a model; give another one")


def _members(own: str, unit: ArmyUnit) -> Iterator[tuple[str, ...]]:
    """Yield what the models of a unit with some id may be called, the best first."""
    if unit.models:
        yield tuple(map(slug, unit.models))
        yield tuple(f"{own}-{slug(name)}" for name in unit.models)
    yield tuple(f"{own}-{number}" for number in range(1, unit.size + 1))


def slug(name: str) -> str:
    """Return a name as an id: lower case, letters and digits of any script, hyphens between."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    words = "".join(c if c.isalnum() else " " for c in plain.replace("'", "").replace("’", "")).lower().split()
    return "-".join(words)[:LONGEST].strip("-") or "unit"


def _candidates(name: str, player: str) -> Iterator[str]:
    yield name
    yield f"{player}-{name}"
    for own in (name, f"{player}-{name}"):
        yield from (f"{own}-{letter}" for letter in string.ascii_lowercase[1:])
    yield from (
        f"{player}-{name}-{first}{second}" for first in string.ascii_lowercase for second in string.ascii_lowercase
    )
