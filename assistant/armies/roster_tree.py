"""The roster tree: a list as list builders keep it, selections within selections, with profiles, categories and costs.

BattleScribe writes it as XML and New Recruit as JSON, the same data under the same names.  Here it is read from the
names: elements as objects, elements of one kind as a list, the text of an element under ``$text``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assistant.errors import BadInput

DEEPEST = 60
"""Objects within objects: several times what any roster has."""
MOST_SELECTIONS = 20_000
"""Of a roster; a large one has a thousand."""
_POINTS = ("pts", "pt", "points", "point", "punkte")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Figures and rules that go by one name, such as a unit's characteristics or an ability."""

    kind: str
    """Such as ``Unit``, ``Abilities`` or ``Ranged Weapons``: each list of data has its own."""
    name: str
    values: Mapping[str, str]
    """By the characteristic's name in lower case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """One thing that was chosen, with all that was chosen for it."""

    name: str
    kind: str
    """``unit``, ``model`` or ``upgrade``."""
    number: int
    """How many in all, not for each of what it is part of."""
    categories: tuple[str, ...]
    points: float
    """Its own, without its parts'."""
    profiles: tuple[Profile, ...]
    parts: tuple["Selection", ...]
    group: str = ""
    """What list of choices it is from."""

    def iterate_parts(self) -> Iterator["Selection"]:
        """Yield what is part of it, and of that, in order."""
        for part in self.parts:
            yield part
            yield from part.iterate_parts()


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterTree:
    """A whole list."""

    name: str
    game: str
    selections: tuple[Selection, ...]
    """Of all forces, in order."""


def read_tree(data: object, name: str) -> RosterTree:
    """Read a roster from plain data; what is not as expected in it counts as left out.

    Raises:
        BadInput: it is no roster, or has more in it than any; the sentence names the file.

    """
    if not isinstance(data, dict) or not isinstance(data.get("forces"), list):
        raise BadInput(f"{name}: there is no army in it; expected a roster of BattleScribe or New Recruit")
    return RosterTree(
        name=_read_text(data, "name"),
        game=_read_text(data, "gameSystemName"),
        selections=tuple(_iterate_forces(data, _Bounds(name=name), 0)),
    )


@dataclass(slots=True, kw_only=True)
class _Bounds:
    """How much more a roster may have in it."""

    name: str
    left: int = MOST_SELECTIONS

    def spend(self, depth: int) -> None:
        """Take note of one more; BadInput if that is more than any roster has, or deeper."""
        self.left -= 1
        if depth > DEEPEST or self.left < 0:
            raise BadInput(f"{self.name}: it has more in it, or deeper, than any roster")


def _iterate_forces(data: Mapping[str, object], bounds: _Bounds, depth: int) -> Iterator[Selection]:
    bounds.spend(depth)
    for force in _list(data, "forces"):
        yield from (_read_selection(part, bounds, depth) for part in _list(force, "selections"))
        yield from _iterate_forces(force, bounds, depth + 1)


def _read_selection(data: Mapping[str, object], bounds: _Bounds, depth: int) -> Selection:
    bounds.spend(depth)
    costs = _list(data, "costs")
    return Selection(
        name=_read_text(data, "customName") or _read_text(data, "name"),
        kind=_read_text(data, "type"),
        number=max(1, round(_read_number(data, "number", 1))),
        categories=tuple(filter(None, (_read_text(category, "name") for category in _list(data, "categories")))),
        points=sum(_read_number(cost, "value", 0) for cost in costs if _read_text(cost, "name").lower() in _POINTS),
        profiles=tuple(map(_read_profile, _list(data, "profiles"))),
        parts=tuple(_read_selection(part, bounds, depth + 1) for part in _list(data, "selections")),
        group=_read_text(data, "group"),
    )


def _read_profile(data: Mapping[str, object]) -> Profile:
    return Profile(
        kind=_read_text(data, "typeName") or _read_text(data, "profileTypeName"),
        name=_read_text(data, "name"),
        values={
            _read_text(value, "name").lower(): _read_text(value, "$text") or _read_text(value, "value")
            for value in _list(data, "characteristics")
        },
    )


def _list(data: Mapping[str, object], key: str) -> list[dict[str, object]]:
    found = data.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _read_text(data: Mapping[str, object], key: str) -> str:
    found = data.get(key)
    return " ".join(str(found).split()) if isinstance(found, str | int | float) else ""


def _read_number(data: Mapping[str, object], key: str, otherwise: float) -> float:
    try:
        number = float(_read_text(data, key) or otherwise)
    except ValueError:
        return otherwise
    return number if abs(number) < 1e6 else otherwise
