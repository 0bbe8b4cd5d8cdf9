"""Unit entries: a unit as somebody entered it, right or wrong, and what is wrong with it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assistant.armies.army import MOST_MODELS, ArmyUnit
from assistant.armies.base_sizes import name_base, parse_base
from assistant.errors import BadInput
from assistant.game.state import GameState, Model, Setting, Table, Unit
from assistant.rules.books import list_rulebooks
from assistant.rules.rulebook import Choice, Key, Number, Rulebook
from assistant.rules.validation import check_state

ROOMY = Table(width_mm=1e4, depth_mm=1e4)
LONGEST = 100
"""Letters of a name or a word, as the formats have it."""
_UNITS = {"in": ("in", "inch", "inches", '"', "″", "''", "”"), "cm": ("cm",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitEntry:
    """What somebody entered of a unit: texts, so that what is wrong can be shown and mended."""

    name: str = ""
    count: str = "1"
    base: str = ""
    profile: Mapping[str, str] = field(default_factory=dict)
    """By the rulebook's profile key."""
    keywords: str = ""
    """Parted by commas, and so are statuses."""
    status: str = ""
    part_of: str = ""
    """The unit that its models belong to, where that is not theirs alone."""
    points: str = ""
    guess: str = ""
    """Where what the list does not say comes from, until somebody agrees to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryProblem:
    """What is wrong with an entry."""

    field: str
    """``name``, ``count``, ``base``, ``keywords``, ``status``, ``part_of`` or a profile key; empty for the whole."""
    text: str
    """A sentence."""


def entry_from_unit(unit: ArmyUnit) -> UnitEntry:
    """Return a unit of a file as if somebody had entered it."""
    return UnitEntry(
        name=unit.name,
        count=str(unit.size),
        base=name_base(unit.base) if unit.base else "",
        profile={key: _describe_value(value) for key, value in unit.profile.items()},
        keywords=", ".join(unit.keywords),
        status=", ".join(unit.status),
        part_of=unit.part_of or "",
        points="" if unit.points is None else f"{unit.points:g}",
        guess=unit.guess,
    )


def unit_from_entry(
    entry: UnitEntry, book: Rulebook | None, *, base_needed: bool = True
) -> tuple[ArmyUnit | None, tuple[EntryProblem, ...]]:
    """Return the unit that was entered, None where something is wrong, and what that is.

    Args:
        entry: what was entered.
        book: the rulebook whose keys and words are used; None for those of any, which is not held to its rules.
        base_needed: whether it is wrong to leave the base out.

    """
    problems: list[EntryProblem] = []

    def note(where: str, text: str) -> None:
        problems.append(EntryProblem(field=where, text=text))

    name, count, base = entry.name.strip(), _read_count(entry.count), None
    if not name:
        note("name", "Give the unit a name.")
    elif len(name) > LONGEST:
        note("name", f"A name has {LONGEST} letters at most.")
    if count is None:
        note("count", f"How many models? Expected a whole number from 1 to {MOST_MODELS}, not {entry.count.strip()!r}.")
    try:
        base = parse_base(entry.base) if entry.base.strip() else None
        if base is None and base_needed:
            note("base", "Which base? Choose one, such as 32 or 60x35 oval.")
    except BadInput as error:
        note("base", f"{_capitalise(str(error))}.")
    for where, text in (("keywords", entry.keywords), ("status", entry.status), ("part_of", entry.part_of)):
        if any(len(word) > LONGEST for word in split_words(text)):
            note(where, f"Part words by commas; each has {LONGEST} letters at most.")
    profile: dict[str, Setting] = {}
    for key in book.profile if book else _list_all_keys():
        text = entry.profile.get(key.name, "").strip()
        try:
            profile |= {key.name: read_value(key, text)} if text else {}
        except BadInput as error:
            note(key.name, str(error))
    unit = Unit(
        id=name or "this unit",
        player="player",
        keywords=frozenset(split_words(entry.keywords.lower())),
        profile=profile,
        status=split_words(entry.status),
        models=(Model(id="model", base=base.shape, pose=None),) if base else (),
    )
    if book and not problems and (wrong := _check_against(book, unit)):
        problems.append(wrong)
    if problems or count is None:
        return None, tuple(problems)
    return ArmyUnit(
        name=name,
        count=count,
        base=base,
        keywords=tuple(sorted(unit.keywords)),
        profile=profile,
        status=unit.status,
        part_of=entry.part_of.strip() or None,
        points=_read_points(entry.points),
        guess=entry.guess,
    ), ()


def split_words(text: str) -> tuple[str, ...]:
    """Return what is parted by commas."""
    return tuple(dict.fromkeys(filter(None, (word.strip() for word in text.split(",")))))


def read_value(key: Key, text: str) -> Setting:
    """Read what was entered for a profile key, with or without its unit.

    Raises:
        BadInput: this is no value of it.

    """
    if isinstance(key.values, Choice):
        if text.lower() not in key.values.words:
            raise BadInput(
                f"{_capitalise(label_key(key.name))}: expected one of {', '.join(key.values.words)}, not {text!r}."
            )
        return text.lower()
    if isinstance(key.values, Number):
        return _read_number(key, key.values, text)
    if key.values is bool:
        return text.lower() in {"yes", "true", "1"}
    return split_words(text) if key.values is tuple else text


def describe_count(count: int, what: str) -> str:
    """Return so many of something, in words."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def label_key(key: str) -> str:
    """Return what people call a profile key: ``move_in`` is the move."""
    return re.sub(r"_(in|cm)$", "", key).replace("_", " ")


def find_unit_name(key: str) -> str:
    """Return the unit of a profile key, empty where it has none."""
    return next((unit for unit in _UNITS if key.endswith(f"_{unit}")), "")


def _read_number(key: Key, values: Number, text: str) -> float:
    match = re.fullmatch(r"(-?\d+(?:[.,]\d+)?)\s*([^\d\s]*)", text)
    label, unit = _capitalise(label_key(key.name)), find_unit_name(key.name)
    if match is None:
        raise BadInput(f"{label}: expected a number, not {text!r}.")
    if match[2] and match[2].lower() not in _UNITS.get(unit, ()):
        raise BadInput(f"{label}: expected {unit or 'a bare number'}, not {match[2]!r}.")
    number = float(match[1].replace(",", "."))
    if not values.low <= number <= values.high:
        raise BadInput(f"{label}: expected a number from {values.low:g} to {values.high:g}, not {number:g}.")
    return int(number) if number.is_integer() else number


def _check_against(book: Rulebook, unit: Unit) -> EntryProblem | None:
    """Return what the rulebook finds wrong with a unit by itself."""
    try:
        check_state(book, GameState(rulebook=book.id, table=ROOMY, units=(unit,)))
    except BadInput as error:
        text = re.sub(r'^(units\[0\]\.|unit "[^"]*": )', "", str(error))
        keys = [key.name for key in book.profile]
        key = next((key for key in keys if re.search(rf"\bprofile\.{key}\b", text)), None)
        where = key or ("status" if text.startswith("status") else "")
        text = re.sub(r"\bprofile\.(\w+)", lambda key: label_key(key[1]), text)
        return EntryProblem(field=where, text=f"{_capitalise(text)}.")
    return None


def _list_all_keys() -> Iterator[Key]:
    """Yield the profile keys of all rulebooks; of a key that several have, the first."""
    keys = (key for known in list_rulebooks() for key in known.profile)
    return iter({key.name: key for key in keys}.values())


def _read_points(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,6}(\.\d+)?", text) else None


def _read_count(text: str) -> int | None:
    plain = text.strip()
    return int(plain) if re.fullmatch(r"\d{1,4}", plain) and 1 <= int(plain) <= MOST_MODELS else None


def _describe_value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
