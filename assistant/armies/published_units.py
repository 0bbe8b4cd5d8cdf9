"""Published units: bases, moves and keywords from open data of a game, for lists that name none.

The data are those of the extra ``overtable[40k]``, and serve games of its edition only; see
`assistant.files.open_bundle`.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from pydantic import ValidationError

from assistant.armies.roster_units import MOST_CARRIED, is_called_alike
from assistant.armies.unit_entry import LONGEST
from assistant.files.open_bundle import find_bundle
from assistant.game.base_spec import BaseSpec

T = TypeVar("T")
GAMES = frozenset({"warhammer-40k-10e"})
"""The rulebooks whose units the data describe."""
SAME = 3
"""Letters that names have in common at least which are called alike."""
HULL = "It has no base and is measured from its hull: enter the hull's length and width."
STAND = "It is on a flying stand: enter the stand's base."
FLYING = "On a flying stand, whose base this is."


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedBase:
    """What a kind of model stands on, as far as it was published."""

    base: BaseSpec | None = None
    note: str = ""
    """What more is to be said of it, or why there is none; a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedUnit:
    """A unit as it was published."""

    name: str
    base: PublishedBase
    move: float | None = None
    """Inches, of the slowest where its models differ; None where it has none."""
    models: Mapping[str, PublishedBase] = field(default_factory=dict)
    """By the names of its kinds of model, as `plain_name` has them."""
    moves: Mapping[str, float] = field(default_factory=dict)
    """Likewise."""
    keywords: tuple[str, ...] = ()
    """In lower case."""
    capacity: int | None = None
    """How many models it carries, where it is a transport."""

    def has_model(self, name: str) -> bool:
        """Return whether a kind of model of this name is one of the unit's."""
        named = {**self.models, **self.moves, plain_name(self.name): None}
        return any(other == plain_name(name) or is_called_alike(other, plain_name(name)) for other in named)

    def find_base(self, model: str) -> PublishedBase:
        """Return what a kind of model of the unit stands on: the unit's base where it has none of its own."""
        return _find_alike(self.models, model) or self.base

    def find_move(self, model: str) -> float | None:
        """Return how far a kind of model of the unit moves, inches."""
        own = _find_alike(self.moves, model)
        return self.move if own is None else own


class PublishedUnits:
    """All units of the data, found by name."""

    def __init__(self, bundle: Mapping[str, Any]) -> None:
        """Take the units of a bundle; what does not look like one is left out."""
        compositions = {one.get("unit_id"): one for one in _list_objects(bundle.get("unit_compositions"))}
        self._units: dict[str, list[PublishedUnit]] = {}
        for entry in _list_objects(bundle.get("units")):
            unit = _read_unit(entry, compositions.get(entry.get("id"), {}))
            for name in {unit.name, *filter(_is_text, entry.get("aliases") or ())}:
                self._units.setdefault(plain_name(name), []).append(unit)
        self._alike: dict[str, list[str]] = {}
        """Names by how they begin: those that are called alike begin alike."""
        for name in self._units:
            self._alike.setdefault(name[:SAME], []).append(name)

    def find_of(self, model: str, unit: str) -> PublishedUnit | None:
        """Return the unit that a kind of model is of: that which it is part of, or its own where it has joined that."""
        found = self.find(unit)
        if found is None or found.has_model(model) or plain_name(model) not in self._units:
            return found or self.find(model)
        return self.find(model)

    def find_renamed(self, unit: str) -> PublishedUnit | None:
        """Return the unit that is called so but for the first word, as another edition may have it."""
        rest = plain_name(unit).partition(" ")[2]
        return self.find(rest) if rest else None

    def find(self, unit: str) -> PublishedUnit | None:
        """Return the unit of this name; of several that have one, the first; None if there is none."""
        plain = plain_name(unit)
        if named := self._units.get(plain):
            return next((one for one in named if one.base.base is not None), named[0])
        alike = self._alike.get(plain[:SAME], ())
        return next((self._units[name][0] for name in alike if is_called_alike(name, plain)), None)


@cache
def find_published_units(game: str) -> PublishedUnits | None:
    """Return the published units of a game; None where the data are not installed, or are of another game."""
    path = find_bundle() if game in GAMES else None
    if path is None:
        return None
    try:
        bundle = json.loads(path.read_bytes())  # 11 MB that no user wrote: no care is needed
    except (OSError, ValueError):  # another version of the package keeps its data elsewhere
        return None
    return PublishedUnits(bundle) if isinstance(bundle, dict) else None


def plain_name(name: str) -> str:
    """Return a name without what writers differ in: case, accents, apostrophes, hyphens, and a note in brackets."""
    bare = re.sub(r"[\[(][^\])]*[\])]?", "", name)
    letters = unicodedata.normalize("NFKD", bare).casefold()
    return " ".join(re.sub(r"[^\w\s-]", "", letters).replace("-", " ").split())


def _read_unit(entry: Mapping[str, Any], composition: Mapping[str, Any]) -> PublishedUnit:
    kinds = {str(kind.get("name")): kind for kind in _list_objects(composition.get("models"))}
    moves = {
        plain_name(str(profile.get("name"))): int(move) if float(move).is_integer() else move
        for profile in _list_objects(entry.get("profiles"))
        if isinstance(move := profile.get("M"), int | float)
    }
    return PublishedUnit(
        name=str(entry.get("name")),
        base=_read_base(entry.get("base_size_mm")),
        move=min(moves.values(), default=None),
        models={
            plain_name(name): _read_base(kind["base_size_mm"]) for name, kind in kinds.items() if "base_size_mm" in kind
        },
        moves=moves,
        keywords=tuple(word.lower() for word in filter(_is_text, entry.get("keywords") or ()) if len(word) <= LONGEST),
        capacity=_read_capacity(entry.get("transport_capacity")),
    )


def _read_capacity(value: object) -> int | None:
    number = value.get("capacity") if isinstance(value, dict) else None
    return number if isinstance(number, int) and 0 < number <= MOST_CARRIED else None


def _read_base(value: object) -> PublishedBase:
    """Read a base; an oval's length lies along the front of its model, as in `base_sizes`."""
    if not isinstance(value, dict):
        return PublishedBase()
    try:
        match value.get("shape"):
            case "round":
                return PublishedBase(base=BaseSpec(round_mm=value.get("diameter")))
            case "oval":
                return PublishedBase(base=_read_oval(value))
            case "flying-base" if "length" in value:
                return PublishedBase(base=_read_oval(value), note=FLYING)
            case "flying-base":
                return PublishedBase(note=STAND)
            case _:
                return PublishedBase(note=HULL)
    except (ValidationError, TypeError, ValueError):
        return PublishedBase()


def _read_oval(value: Mapping[str, Any]) -> BaseSpec:
    """Return an oval, its longer side first, however it is written; ovals are sold in whole millimetres."""
    sides = sorted((float(value["length"]), float(value["width"])), reverse=True)
    return BaseSpec(oval_mm=(sides[0], float(int(sides[1]))))


def _find_alike(named: Mapping[str, T], name: str) -> T | None:
    plain = plain_name(name)
    if plain in named:
        return named[plain]
    return next((value for other, value in named.items() if is_called_alike(other, plain)), None)


def _list_objects(value: object) -> Iterable[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _is_text(value: object) -> bool:
    return isinstance(value, str)
