"""Lists with points: a line for each unit, such as ``Moss Guard (90 pts)``, and what it has in the lines below.

Several programs write them, each in a style of its own.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from assistant.armies.formats.army_format import ArmyFormat, decode_text
from assistant.armies.formats.roster_line import RosterLine, read_lines
from assistant.armies.roster_units import UnitsByName, find_led, is_called_alike, name_kind, name_part
from assistant.armies.unit_entry import LONGEST, UnitEntry
from assistant.errors import BadInput
from assistant.rules.rulebook import Rulebook

_WORDS = "pts?|points?|punkte?|puntos?|punti|pkt"
POINTS = rf" ?[\[(] ?(?P<points>\d[\d.,'’ ]*?) ?(?:{_WORDS})\.? ?(?:,[^\[\]()]*)?[\])]"
"""As it stands behind a unit's name, in the languages of the programs, in a line without runs of white space."""
_POINTS = re.compile(POINTS, re.IGNORECASE)
_BULLET = re.compile(r"^[•◦▪‣·○*–-] ?")
_INNER = re.compile(r"^[◦▪‣○]")
"""Bullets of what is below another item, where the indents are lost."""
_ITEM = re.compile(r"(?:(\d{1,3}) ?x )?([^:]+)", re.IGNORECASE)
_GEAR = re.compile(r"\d+ with |\d{1,3}x\s|enhancements?\b|warlord\b|attachment:", re.IGNORECASE)
"""What a unit has, in lines without a bullet."""
_ANNOTATION = re.compile(r"attached as\b|(?:e|enhancements?):|warlord\b|[^:]*\bcharacter\b", re.IGNORECASE)
"""What is said of a unit, and is neither a model nor equipment."""
_ATTACHED = "attached units"
_ATTACHED_UNIT = re.compile(r"attached unit \d+")
_NAME = re.compile(r"\+ LIST NAME: ?(.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListStyle:
    """How a program writes a unit."""

    name: str
    unit: re.Pattern[str]
    """A unit's line: its ``name``, ``points`` and, if they stand there, ``count`` and ``rank``."""
    are_kinds: Callable[["_Unit"], Sequence["_Item"]]
    """Which of a unit's items are kinds of model, and no equipment."""
    has_title: bool = False
    """Whether the first line names the list."""
    needs_items: bool = False
    """Whether a unit has items always: what looks like one and has none is none."""


@dataclass(slots=True, kw_only=True)
class _Item:
    at: int
    depth: int
    count: int
    name: str


@dataclass(slots=True, kw_only=True)
class _Unit:
    at: int
    name: str
    count: int
    points: str
    keywords: str
    items: list[_Item] = field(default_factory=list)
    leads: str = ""
    """The unit that it is said to lead."""
    group: int | None = None
    """Where those that it is attached to, and itself, begin in the list."""
    is_led: bool = False
    """Whether it is the one that the others of its group lead."""

    @property
    def outer(self) -> list[_Item]:
        """Its items that are below no other."""
        least = min((item.depth for item in self.items), default=0)
        return [item for item in self.items if item.depth == least]


def find_nested_kinds(unit: _Unit) -> Sequence[_Item]:
    """Return the items that have others below them, or else those that are called as the unit is."""
    above = [id(item) for item, below in itertools.pairwise(unit.items) if below.depth > item.depth]
    return [one for one in unit.outer if id(one) in above] or [
        one for one in unit.outer if is_called_alike(one.name, unit.name)
    ]


def find_counted_kinds(unit: _Unit) -> Sequence[_Item]:
    """Return the items if they are as many as the unit has models."""
    return unit.outer if sum(item.count for item in unit.outer) == unit.count else ()


def find_outer_kinds(unit: _Unit) -> Sequence[_Item]:
    """Return all items that are below no other."""
    return unit.outer


def build_points_format(style: ListStyle, recognises: Callable[[Sequence[str]], bool]) -> ArmyFormat:
    """Return a format of lists in some style, known by their lines."""
    parse = partial(parse_points_list, style)

    def recognises_bytes(data: bytes) -> bool:
        try:
            text = decode_text(data[:200_000], "", "")
        except BadInput:
            return False
        return recognises([" ".join(line.split()) for line in text.splitlines() if line.strip()])

    return ArmyFormat(name=style.name, read=partial(read_lines, parse), parse=parse, recognises=recognises_bytes)


def is_bullet(line: str) -> bool:
    """Return whether a line is an item of a unit."""
    return bool(_BULLET.match(line))


def is_title(line: str) -> bool:
    """Return whether a line ends with points, as a list's name and a unit's do."""
    match = _POINTS.search(line)
    return match is not None and match.end() == len(line)


def parse_points_list(style: ListStyle, text: str, books: Sequence[Rulebook]) -> tuple[RosterLine, ...]:  # noqa: ARG001
    """Return a list's lines, and what each was taken for."""
    written = [line for line in text.expandtabs(4).splitlines() if line.strip()]
    lines = [RosterLine(text=line.strip(), kind="passed", player=None) for line in written]
    units = list(_find_units(style, written, lines))
    taken: set[str] = set()
    rows = [(unit, _fill_rows(style, unit, lines, taken)) for unit in units]
    _join_leaders(rows, lines, taken)
    player = next((line.player for line in lines if line.player), None)
    return tuple(replace(line, player=player) for line in lines)


def _find_units(style: ListStyle, written: Sequence[str], lines: list[RosterLine]) -> Iterator[_Unit]:
    """Yield the units with their items; lines that are of none are told apart on the way."""
    unit: _Unit | None = None
    heading, group, has_begun = "", None, not style.needs_items
    for at, (raw, line) in enumerate(zip(written, lines, strict=True)):
        plain = " ".join(line.text.split())
        match = None if is_bullet(plain) else style.unit.fullmatch(plain)
        name = _NAME.fullmatch(plain)
        if name or (style.has_title and at == 0 and not plain.startswith("+")):
            player = (name[1] if name else _POINTS.sub("", plain)).strip(" -")[:LONGEST] or None
            lines[at] = replace(line, kind="player" if player else "passed", player=player)
        elif match and heading == _ATTACHED and " + " in match["name"]:
            group, lines[at] = at, replace(line, note="A heading, skipped.")
        elif match:
            if unit and (unit.items or has_begun):
                has_begun = True
                yield unit
            unit = _begin_unit(at, match, heading, group)
            lines[at] = replace(line, note="No unit, skipped.")
        elif unit and (is_bullet(plain) or _GEAR.match(plain)):
            _add_item(unit, at, raw, lines)
        elif plain.startswith("+"):
            lines[at] = replace(line, note="The list's head, skipped.")
        else:
            heading = _POINTS.sub("", plain).strip("# :+").lower()
            group = at if _ATTACHED_UNIT.fullmatch(heading) else None
            lines[at] = replace(line, note="No unit, skipped.")
    if unit and (unit.items or has_begun):
        yield unit


def _begin_unit(at: int, match: re.Match[str], heading: str, group: int | None) -> _Unit:
    parts = match.groupdict()
    words = [heading.removesuffix("s")] if heading in ("character", "characters", "epic hero", "battleline") else []
    words += ["dedicated transport", "transport"] if heading.startswith("dedicated transport") else []
    words += ["character"] if (parts.get("rank") or "epic hero" in words) and "character" not in words else []
    gear = (parts.get("gear") or "").split(",")
    return _Unit(
        at=at,
        name=parts["name"].strip()[:LONGEST] or "unit",
        count=int(parts.get("count") or 1),
        points=re.sub(r"\D", "", parts["points"]),
        keywords=", ".join(words),
        leads=next(filter(None, map(find_led, gear)), ""),
        group=group,
    )


def _add_item(unit: _Unit, at: int, raw: str, lines: list[RosterLine]) -> None:
    text = " ".join(lines[at].text.split())
    is_item, plain = is_bullet(text), _BULLET.sub("", text)
    lines[at] = replace(lines[at], note=f"Passed over: it is what {unit.name} has.", below=unit.at)
    if led := find_led(plain):
        unit.leads = led
    elif is_item and _ANNOTATION.match(plain):
        unit.is_led |= "bodyguard" in plain.lower()
        if "character" in plain.lower() and "character" not in unit.keywords:
            unit.keywords = ", ".join(filter(None, (unit.keywords, "character")))
    elif is_item and (match := _ITEM.match(plain)):
        depth = len(raw) - len(raw.lstrip()) + bool(_INNER.match(lines[at].text))
        name = match[2].strip()[:LONGEST]
        unit.items.append(_Item(at=at, depth=depth, count=int(match[1] or 1), name=name))


def _fill_rows(style: ListStyle, unit: _Unit, lines: list[RosterLine], taken: set[str]) -> list[int]:
    """Take a unit's lines for rows, and return which they are."""
    merged: dict[str, tuple[int, int]] = {}
    for kind in style.are_kinds(unit):
        at, count = merged.get(name_kind(kind.name), (kind.at, 0))
        merged[name_kind(kind.name)] = at, count + kind.count
    if len(merged) < 2:
        count = next((count for _, count in merged.values()), unit.count)
        merged = {unit.name: (unit.at, count)}
        part_of = ""
    else:
        part_of = name_part(unit.name, taken)
        lines[unit.at] = replace(lines[unit.at], note="")  # a unit, whose models are the rows below
    for name, (at, count) in merged.items():
        entry = UnitEntry(name=name, count=str(count), keywords=unit.keywords, part_of=part_of)
        lines[at] = replace(lines[at], kind="unit", entry=entry, note="")
    rows = [at for at, _ in merged.values()]
    _change(lines, rows[0], points=unit.points)
    return rows


def _join_leaders(rows: Sequence[tuple[_Unit, list[int]]], lines: list[RosterLine], taken: set[str]) -> None:
    """Make leaders parts of the units that they lead, each of the first of that name that has none yet."""
    named = UnitsByName((row[0].name, row) for row in rows)
    groups: dict[int, tuple[_Unit, list[int]]] = {}
    for row in rows:  # in a group the last is led if none says so
        if row[0].group is not None and not (row[0].group in groups and groups[row[0].group][0].is_led):
            groups[row[0].group] = row
    for row in rows:
        leader, own = row
        if leader.leads:
            found = named.take(leader.leads, row)
        elif leader.group is not None and not leader.is_led and groups[leader.group][0] is not leader:
            found = groups[leader.group]
        else:
            found = None
        if found is None:
            continue
        unit, theirs = found
        entry = lines[theirs[0]].entry
        part_of = (entry and entry.part_of) or name_part(unit.name, taken)
        for at in (*own, *theirs):
            _change(lines, at, part_of=part_of)


def _change(lines: list[RosterLine], at: int, **fields: str) -> None:
    entry = lines[at].entry
    assert entry is not None, "a unit's line has an entry"
    lines[at] = replace(lines[at], entry=replace(entry, **fields))  # type: ignore[arg-type] # all are texts
