"""Units of a roster tree, found by how it is built: which selections are models, which figures are a unit's.

No game is known by name here.  A ``unit`` is one, and so is a ``model`` outside any; some lists have an ``upgrade``
with models right below it.  The rest is equipment.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from assistant.armies.army import MOST_MODELS, ArmyUnit
from assistant.armies.base_sizes import find_base
from assistant.armies.roster_tree import Profile, RosterTree, Selection
from assistant.armies.unit_entry import LONGEST, label_key
from assistant.files.documents import shorten
from assistant.game.base_spec import BaseSpec
from assistant.game.state import Setting
from assistant.rules.rulebook import Choice, Key, Number, Rulebook

T = TypeVar("T")
MOVES = ("movement", "move", "mv", "mov", "m", "speed")
"""What lists call how far a unit moves, in lower case."""
_WORDS = ("keywords", "keyword", "unit type", "troop type", "type")
_BASES = ("base", "base size", "base (mm)")
_LED = re.compile(
    r"(?:attached to\b|attachment: ?\w+ ?->|leading\b|leads\b|leader:|joined to\b)[: ]*([^: ].*)",
    re.IGNORECASE,
)
_NO_KEYWORDS = ("uncategorised", "configuration", "uncategorized")
MOST_CARRIED = 100
"""Models in one transport; a number beyond it is none of theirs."""
_MOVE = Key(name="move_in", values=Number(low=0, high=100), statement="")
"""The one figure that is read where no rulebook is chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A unit in the tree."""

    selection: Selection
    kinds: tuple[tuple[Selection, int], ...]
    """Its models by kind, and how many there are of each."""


def list_units(tree: RosterTree, book: Rulebook | None) -> tuple[tuple[ArmyUnit, ...], tuple[str, ...]]:
    """Return the units of a roster, and what was passed over, a sentence each.

    A unit of several kinds of model is a row for each.  Bases are those that the roster names, and else None.

    Args:
        tree: the roster.
        book: whose profile keys are read; without one only the move is.

    """
    units: list[tuple[_Found, list[ArmyUnit]]] = []
    others = []
    taken: set[str] = set()
    for selection in tree.selections:
        found = [one for whole in _find_units(selection) for one in _part_copies(whole)]
        if not found and _has_figures(selection):
            found = [_Found(selection=selection, kinds=((selection, selection.number),))]
        if not found and "configuration" not in map(str.lower, selection.categories):
            others.append(repr(selection.name))
        units += [(one, list(_build_rows(one, book, taken))) for one in found]
    _join_leaders(units, taken)
    rows = tuple(row for _, own in units for row in own)
    return rows, (f"{', '.join(others)}: no unit, skipped",) if others else ()


def find_led(text: str) -> str | None:
    """Return which unit a line of a list says that a leader leads, None if it says nothing of that.

    >>> find_led("Attachment: leader -> Moss Guard"), find_led("Attached to: Moss Guard"), find_led("Leader")
    ('Moss Guard', 'Moss Guard', None)
    """
    match = _LED.fullmatch(" ".join(text.split()))
    if match is None:
        return None
    name = match[1].partition("[")[0].rstrip() if match[1].endswith("]") else match[1]
    return name or None


class UnitsByName(Generic[T]):
    """Units that leaders lead: each is handed to one leader, the first first, and once all are, the first again."""

    def __init__(self, named: Iterable[tuple[str, T]]) -> None:
        """Take units with their names, in order."""
        self._free: dict[str, deque[T]] = {}
        for name, unit in named:
            self._free.setdefault(name.lower(), deque()).append(unit)
        self._first = {name: list(islice(units, 2)) for name, units in self._free.items()}

    def take(self, name: str, leader: T) -> T | None:
        """Return the unit of a name that a leader leads, None if there is none but the leader."""
        free = self._free.get(name.lower(), deque())
        for at in range(min(2, len(free))):
            if (unit := free[at]) is not leader:
                del free[at]
                return unit
        return next((unit for unit in self._first.get(name.lower(), ()) if unit is not leader), None)


def _join_leaders(units: Sequence[tuple[_Found, list[ArmyUnit]]], taken: set[str]) -> None:
    """Make leaders parts of the units that they are said to lead, each of the first of that name that has none yet."""
    named = UnitsByName((row[0].selection.name, row) for row in units)
    for row in units:
        leader, own = row
        name = _find_led_unit(leader.selection)
        found = named.take(name, row) if name else None
        if found is None:
            continue
        unit, theirs = found
        part_of = theirs[0].part_of or name_part(unit.selection.name, taken)
        for rows in (own, theirs):
            rows[:] = [each.model_copy(update={"part_of": part_of}) for each in rows]


def _find_led_unit(selection: Selection) -> str | None:
    """Return which unit a leader leads: what is chosen for him says so, or it is chosen as one that he is with."""
    for part in selection.parts:
        if part.kind == "upgrade" and "attachment" in part.group.lower():
            return part.name
        if name := find_led(part.name):
            return name
    return None


def _find_units(selection: Selection) -> Iterator[_Found]:
    """Yield the units in a selection, outer ones before those that are written within them."""
    if selection.kind == "model":
        below = _list_models(selection.parts)
        yield _Found(selection=selection, kinds=_merge_kinds([(selection, selection.number), *below]))
    elif selection.kind == "unit":
        models = _list_models(selection.parts)
        if models or not any(part.kind == "unit" for part in selection.iterate_parts()):
            kinds = _merge_kinds(models) if models else ((selection, _count_bare(selection)),)
            yield _Found(selection=selection, kinds=kinds)
    elif models := [(part, part.number) for part in selection.parts if part.kind == "model"]:
        yield _Found(selection=selection, kinds=_merge_kinds(models))
    for part in selection.parts:
        if selection.kind in ("model", "unit"):
            yield from _find_inner_units(part)
        elif part.kind != "model":
            yield from _find_units(part)


def _find_inner_units(part: Selection) -> Iterator[_Found]:
    if part.kind == "unit":
        yield from _find_units(part)
    else:
        for inner in part.parts:
            yield from _find_inner_units(inner)


def _list_models(parts: Sequence[Selection]) -> list[tuple[Selection, int]]:
    """Return the models among parts, and theirs, but not those of units within."""
    models: list[tuple[Selection, int]] = []
    for part in parts:
        if part.kind == "model":
            models.append((part, part.number))
        if part.kind != "unit":
            models += _list_models(part.parts)
    return models


def _count_bare(selection: Selection) -> int:
    """Return how many models a unit has none of whose parts says that it is one: as many as are called like it."""
    named = [part.number for part in selection.parts if is_called_alike(part.name, selection.name)]
    return max(named, default=selection.number)


def _part_copies(found: _Found) -> list[_Found]:
    """Return a unit that was chosen several times at once as so many units."""
    copies = found.selection.number if found.selection.kind == "unit" else 1
    if copies == 1 or any(count % copies for _, count in found.kinds):
        return [found]
    kinds = tuple((kind, count // copies) for kind, count in found.kinds)
    return [_Found(selection=found.selection, kinds=kinds)] * min(copies, MOST_MODELS)


def name_kind(name: str) -> str:
    """Return what a model is called without its equipment: ``Marine w/ Flamer`` is a Marine."""
    return re.split(r"\s(?:w/|with\s)", name, maxsplit=1)[0].strip() or name


def is_called_alike(name: str, other: str) -> bool:
    """Return whether two names are one but for an ending, such as ``Hound`` and ``Hounds``."""
    short, long = sorted((name_kind(name).lower(), name_kind(other).lower()), key=len)
    return len(short) > 3 and (long.startswith(short[:-1]) and len(long) - len(short) <= 2)


def _merge_kinds(models: Iterable[tuple[Selection, int]]) -> tuple[tuple[Selection, int], ...]:
    merged: dict[str, tuple[Selection, int]] = {}
    for model, count in models:
        first, before = merged.get(name_kind(model.name), (model, 0))
        merged[name_kind(model.name)] = (first, before + count)
    return tuple(merged.values())


def name_part(name: str, taken: set[str]) -> str:
    """Return a unit's name that no other of the army has, and take it."""
    name = name[: LONGEST - 7]

    def write(number: int) -> str:
        return name if number == 1 else f"{name} {number}"

    low, high = 0, 1
    while write(high) in taken:
        low, high = high, 2 * high
    while high - low > 1:  # of two hundred thousand units of one name the next free one is found at once
        middle = (low + high) // 2
        low, high = (middle, high) if write(middle) in taken else (low, middle)
    taken.add(write(high))
    return write(high)


def _build_rows(found: _Found, book: Rulebook | None, taken: set[str]) -> Iterator[ArmyUnit]:
    unit, alone = found.selection, len(found.kinds) == 1
    points = _sum_points(unit)
    part_of = None if alone else name_part(unit.name or "unit", taken)
    for at, (kind, count) in enumerate(found.kinds):
        profile, remarks = _read_figures(kind, found, book)
        if count > MOST_MODELS:
            remarks.append(f"{count} models in the list; {MOST_MODELS} are taken.")
        yield ArmyUnit(
            name=(unit.name if alone else name_kind(kind.name))[:LONGEST] or "unit",
            count=min(count, MOST_MODELS),
            base=_read_base(kind, unit),
            part_of=part_of,
            keywords=_list_keywords(kind, unit),
            profile=profile,
            points=points if points > 0 and not at else None,
            remark=" ".join(remarks),
        )


def _sum_points(selection: Selection) -> float:
    """Return what a selection costs with its parts, without units that stand within it."""
    inner = (part for part in selection.parts if part.kind == "model" or not any(_find_units(part)))
    return selection.points + sum(map(_sum_points, inner))


def _read_figures(kind: Selection, found: _Found, book: Rulebook | None) -> tuple[dict[str, Setting], list[str]]:
    """Return the figures of a kind of model by profile key, and what was not understood of them."""
    profile: dict[str, Setting] = {}
    remarks: list[str] = []
    figures = _choose_profile(kind, found.selection)
    for key in book.profile if book else (_MOVE,):
        label = label_key(key.name)
        if isinstance(key.values, Choice):
            words = [word for word in _list_keywords(kind, found.selection) if word in key.values.words]
            profile |= {key.name: words[0]} if words else {}
        elif label in ("capacity", "carries"):
            profile |= _read_transport(key.name, label, kind, found.selection)
        elif figures and isinstance(key.values, Number):
            names = MOVES if label == "move" else (label,)
            if text := next((figures.values[name] for name in names if figures.values.get(name)), ""):
                _note_figure(key, key.values, text, profile, remarks)
    mount = _find_mount(kind, found, figures)
    if mount and "move_in" in profile:
        before = profile["move_in"]
        _note_figure(_MOVE, Number(low=0, high=100), find_move(mount) or "", profile, [])
        if isinstance(before, int | float) and profile["move_in"] != before:
            remarks.append(f'Moves as its {mount.name} does, not {before:g}".')
    return profile, remarks


def _note_figure(key: Key, values: Number, text: str, profile: dict[str, Setting], remarks: list[str]) -> None:
    """Put a figure as it stands in a list under a key, or a remark in its own words."""
    numbers = [float(one.replace(",", ".")) for one in re.findall(r"\d+(?:[.,]\d+)?", text)]
    wrong_unit = key.name.endswith("_in") == ("cm" in text.lower()) and key.name.endswith(("_in", "_cm"))
    number = max(numbers[:2]) if re.match(r"\s*\d+\s*[-–]\s*\d+", text) else numbers[0] if numbers else None
    label = label_key(key.name)
    if number is None or wrong_unit or not values.low <= number <= values.high:
        remarks.append(f"{label.capitalize()} in the list: {shorten(text)!r}.")
        return
    profile[key.name] = int(number) if number.is_integer() else number
    if not re.fullmatch(r"\d+(?:[.,]\d+)?\s*(?:\"|″|”|''|in(?:ch(?:es)?)?|cm)?", text.strip(), re.IGNORECASE):
        remarks.append(f"{label.capitalize()} in the list: {shorten(text)!r}, read as {number:g}.")


def find_move(profile: Profile) -> str | None:
    """Return how far a profile says that something moves, None if it is no profile of what moves."""
    if "weapon" in profile.kind.lower() or "range" in profile.values:
        return None
    return next((profile.values[name] for name in MOVES if profile.values.get(name)), None)


def _has_figures(selection: Selection) -> bool:
    return any(map(find_move, selection.profiles))


def _choose_profile(kind: Selection, unit: Selection) -> Profile | None:
    """Return the figures of a kind of model: its own, or the unit's that are called like it, or the first there are."""
    places: tuple[Callable[[], Iterable[Selection]], ...] = (
        lambda: (kind,),
        lambda: (unit,),
        kind.iterate_parts,
        unit.iterate_parts,
    )
    for place in places:
        profiles = [profile for one in place() for profile in one.profiles if find_move(profile)]
        if profiles:
            return next((one for one in profiles if is_called_alike(one.name, kind.name)), profiles[0])
    return None


def _find_mount(kind: Selection, found: _Found, figures: Profile | None) -> Profile | None:
    """Return the figures of what carries a model, where that moves by itself: equipment with a move of its own."""
    carried = kind.parts if len(found.kinds) > 1 else (*kind.parts, *found.selection.parts)
    profiles = [one for part in carried if part.kind == "upgrade" for one in part.profiles if find_move(one)]
    return next((one for one in profiles if figures and one is not figures and _has_figures_like(one, figures)), None)


def _has_figures_like(profile: Profile, other: Profile) -> bool:
    """Return whether most of what one says the other says too, as a steed's and its rider's do."""
    return len(profile.values.keys() & other.values.keys()) * 2 > len(profile.values)


def _list_keywords(kind: Selection, unit: Selection) -> tuple[str, ...]:
    words: list[str] = []
    for one in (unit,) if unit is kind else (unit, kind):
        words += [re.sub(r"^faction:\s*", "", category.lower()) for category in one.categories]
        for profile in one.profiles:
            words += ["fly"] if profile.name.lower() in ("fly", "flying") else []
            for name in _WORDS:
                text = profile.values.get(name, "").lower() if find_move(profile) else ""
                words += re.split(r"[,;()]", text) if "," in text or "(" in text else text.split()
    plain = (word.strip(" .")[:LONGEST] for word in words)
    return tuple(dict.fromkeys(word for word in plain if word and word not in _NO_KEYWORDS))


def _read_transport(key: str, label: str, kind: Selection, unit: Selection) -> dict[str, Setting]:
    """Return how many models a transport carries, or which: what its data say of it, in their own sentence."""
    for profile in (*kind.profiles, *unit.profiles):
        if "transport" not in (profile.kind.lower(), profile.name.lower()):
            continue
        text = " ".join(profile.values.values())
        if match := re.search(r"capacity of (\d{1,3})\b([^.]*)|^\D*(\d{1,3})\b([^.]*)", text, re.IGNORECASE):
            carried = (match[2] or match[4] or "").lower()
            if label == "capacity":
                return {key: min(MOST_CARRIED, int(match[1] or match[3]))}
            return {key: "infantry"} if "infantry" in carried else {}
    return {}


def _read_base(kind: Selection, unit: Selection) -> BaseSpec | None:
    for profile in (*kind.profiles, *unit.profiles):
        for name in _BASES:
            if base := find_base(profile.values.get(name, "")):
                return base
    return None
