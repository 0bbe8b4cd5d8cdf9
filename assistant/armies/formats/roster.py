"""Rosters as people paste them: lines such as ``5 Scouts 32mm`` or ``10 Guardsmen, 25mm, move 6"``."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from assistant.armies.base_sizes import NUMBER
from assistant.armies.formats.army_format import ArmyFormat
from assistant.armies.formats.roster_line import RosterLine, read_lines
from assistant.armies.unit_entry import UnitEntry, label_key
from assistant.rules.rulebook import Choice, Key, Number, Rulebook

BARE_BASES_MM = frozenset((25.0, 28.5, 32.0, 40.0, 50.0, 60.0, 80.0, 90.0, 100.0, 130.0, 160.0, 170.0))
"""A number by itself is a base if round bases are sold in that size, and a count otherwise."""
LONGEST_KEYWORD = 30
HEADINGS = frozenset(
    {
        *("allied units", "army", "artillery", "battleline", "cavalry", "characters", "commanders", "elites"),
        *("dedicated transports", "epic heroes", "fast attack", "flyers", "fortifications", "heavy support", "heroes"),
        *("hq", "infantry", "leaders", "list", "lords of war", "monsters", "other datasheets", "roster", "transports"),
        *("troops", "units", "vehicles"),
    }
)
"""Of parts of a list that some programs write; no players, and no units."""

_POINTS = re.compile(r"[\[(]? ?\b\d+(?:[.,]\d+)? ?(?:pts?|points?|punkte)\b\.? ?[\])]?", re.IGNORECASE)
_BULLET = re.compile(r"^(?:[-*+•◦▪‣·–—>]+|\d+[.)](?= )) ?")
_HEADER = re.compile(r"(?:#[# :]*([^# :].*)|=[= ]*([^= ].*)=|(?:player|army) ?[:=] ?(.+)|([^:,\d]+):)", re.IGNORECASE)
_MM = r" ?-? ?mm\b"
_BASES = (
    re.compile(
        rf"\(? ?(?:square[: ]*{NUMBER}(?:{_MM})?|(?<!\d){NUMBER}(?:{_MM})? ?squares?\b)(?: ?bases?\b)? ?\)?",
        re.IGNORECASE,
    ),
    re.compile(
        r"\(? ?(?<![\w.])(?:\b(?:oval|rect(?:angle)?)[: ]*)?\d{2,3}(?:[.,]\d)? ?(?:mm)? ?[x×*] ?\d{2,3}(?:[.,]\d)?"
        r"(?: ?mm\b)?(?![\w\"″])(?: ?(?:oval|rect(?:angle)?)\b)?(?: ?bases?\b)? ?\)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\(? ?(?:(?:\bround[: ]*|[⌀Øø] ?){NUMBER}(?:{_MM})?|(?<![\w.,]){NUMBER}{_MM})(?: ?round\b)?"
        r"(?: ?bases?\b)? ?\)?",
        re.IGNORECASE,
    ),
)
_BARE = re.compile(r"(?<=[^\s,]\s)(\d{2,3}(?:[.,]\d)?)(?![^\s,])(?! ?(?:models?|figures?|minis?))", re.IGNORECASE)
_COUNTS = (
    re.compile(r"^(\d{1,3}) ?[x×]? (?=\S)"),
    re.compile(r"^(\d{1,3}) ?[x×](?=\S)", re.IGNORECASE),
    re.compile(r"^[x×] ?(\d{1,3}) ", re.IGNORECASE),
    re.compile(r" (?:[x×] ?(\d{1,3})|(\d{1,3}) ?[x×])$", re.IGNORECASE),
    re.compile(r" (\d{1,3})(?: ?(?:models?|figures?|minis?))?$", re.IGNORECASE),
)
_MANY = re.compile(r"[x×]? ?(\d{1,3}) ?[x×]?(?: ?(?:models?|figures?|minis?))?")
_KEYWORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['’-])*(?: (?:[^\W\d_]|['’-])+){0,2}")
_LENGTH = r"(-?\d+(?:[.,]\d+)?) ?(\"|″|”|''|inch(?:es)?\b|in\b|cm\b)?"


def parse_roster(text: str, books: Sequence[Rulebook]) -> tuple[RosterLine, ...]:
    """Read a roster line by line.

    A heading such as ``# Red`` or ``Red:`` names a player.  An indented line below a unit is its equipment, and passed
    over.  Points in brackets are left out.

    Args:
        text: what was pasted.
        books: the rulebooks whose profile keys and words may stand in it.

    """
    keys = {key.name: key for book in books for key in book.profile}
    statuses = frozenset(status for book in books for status in book.statuses)
    lines: list[RosterLine] = []
    player: str | None = None
    depth: int | None = None
    unit_at = 0
    for written in text.expandtabs(4).splitlines():
        line, plain = written.strip(), " ".join(written.split())
        indent = len(written) - len(written.lstrip())
        if not line:
            continue
        if depth is not None and indent > depth:
            note = "Passed over: it stands below a unit, as its equipment does."
            lines.append(RosterLine(text=line, kind="passed", player=player, note=note, below=unit_at))
        elif (name := _read_heading(plain)) is not None:
            depth = None
            if name.lower() in HEADINGS:
                lines.append(RosterLine(text=line, kind="passed", player=player, note="A heading, skipped."))
            else:
                player = name
                lines.append(RosterLine(text=line, kind="player", player=player))
        else:
            depth, unit_at = indent, len(lines)
            read = _read_unit_line(plain, keys.values(), statuses, alone=len(books) == 1)
            lines.append(replace(read, text=line, player=player))
    return tuple(lines)


def _read_heading(line: str) -> str | None:
    """Return the name in a heading, None for a line that is none."""
    plain = _BULLET.sub("", line) if not line.startswith("#") else line
    if match := _HEADER.fullmatch(_POINTS.sub("", plain).strip()):
        return match[match.lastindex or 0].strip({1: "# :", 2: "= "}.get(match.lastindex or 0, " "))[:100]
    bare = _POINTS.sub("", plain).strip(" :")
    return bare if bare.lower() in HEADINGS else None


def _read_unit_line(line: str, keys: Collection[Key], statuses: frozenset[str], *, alone: bool) -> RosterLine:
    """Read a unit's line; what one rulebook's keys may be counts by itself, of several books' it may be a keyword."""
    rest = " ".join(_POINTS.sub(" ", _BULLET.sub("", line)).split())
    rest, base = _extract_base(rest)
    profile: dict[str, str] = {}
    for key in keys:
        rest = _extract_profile(rest, key, profile)
    if not base:
        rest, base = _extract_bare_base(rest)
    pieces = [piece.strip(" .") for piece in re.split(r"[,;|\[\]()]| [-–—] |: ", rest)]
    name, count = _extract_name_and_count(pieces[0])
    choices = {word: key.name for key in keys if alone and isinstance(key.values, Choice) for word in key.values.words}
    keywords, unit_statuses, unknown = [], [], []
    for piece in filter(None, pieces[1:]):
        word = re.sub(r"^keywords? ?", "", piece.lower())
        if not base and _is_base(word):
            base = word
        elif word in choices:
            profile.setdefault(choices[word], word)
        elif count is None and (match := _MANY.fullmatch(word)):
            count = str(int(match[1]))
        elif word in statuses:
            unit_statuses.append(word)
        elif len(word) <= LONGEST_KEYWORD and _KEYWORD.fullmatch(word):
            keywords.append(word)
        elif word:
            unknown.append(piece)
    entry = UnitEntry(
        name=name,
        count=count or "1",
        base=base,
        profile=profile,
        keywords=", ".join(keywords),
        status=", ".join(unit_statuses),
    )
    note = f"Not understood: {', '.join(repr(piece) for piece in unknown)}." if unknown else ""
    return RosterLine(text=line, kind="unit", player=None, entry=entry, note=note)


def _extract_base(rest: str) -> tuple[str, str]:
    """Return a line without its base, and the base as `base_of` reads it."""
    for pattern in _BASES:
        if match := pattern.search(rest):
            base = re.sub(r" ?bases?\b", "", match[0].strip(" ()"), flags=re.IGNORECASE)
            base = re.sub(r"(?<=\d) ?-? ?mm\b|squares\b", lambda part: "" if "mm" in part[0] else "square", base)
            return f"{rest[: match.start()]}, {rest[match.end() :]}".strip(" ,-–—"), " ".join(base.split())
    return rest, ""


def _extract_profile(rest: str, key: Key, profile: dict[str, str]) -> str:
    """Take what a line says of a profile key out of it, and return what is left."""
    match = _find_number(rest, key.name) if isinstance(key.values, Number) else _find_word(rest, key)
    if match is None:
        return rest
    profile[key.name] = " ".join(filter(None, match.groups())).replace(' "', '"').lower()
    return f"{rest[: match.start()]}, {rest[match.end() :]}".strip(" ,-–—")


def _find_number(rest: str, key: str) -> re.Match[str] | None:
    """Find a key's number: ``move 6"``, ``M6``, ``integrity: 2``; a bare length is the move."""
    patterns = [rf"\b(?:{_build_key_pattern(key)})\b ?[:=]? ?{_LENGTH}"]
    if label_key(key) == "move":
        patterns += [rf"\bm{_LENGTH}", r"(?<![\w.,])(\d+(?:[.,]\d+)?) ?(\"|″|”|''|cm\b)(?: ?move(?:ment)?\b)?"]
    matches = (re.search(pattern, rest, re.IGNORECASE) for pattern in patterns)
    return next((match for match in matches if match and _is_own(key, match[2])), None)


def _find_word(rest: str, key: Key) -> re.Match[str] | None:
    """Find a key's word: ``troop: cavalry``."""
    named = rf"\b(?:{_build_key_pattern(key.name)})\b ?[:=]? ?"
    choices = "|".join(map(re.escape, key.values.words)) if isinstance(key.values, Choice) else r"[\w-]+"
    return re.search(rf"{named}({choices})\b", rest, re.IGNORECASE)


def _build_key_pattern(key: str) -> str:
    """Return a pattern of what people call a key."""
    names = [key, label_key(key), *(("movement", "mv", "m") if label_key(key) == "move" else ())]
    return "|".join(re.escape(name) for name in dict.fromkeys(names))


def _is_own(key: str, unit: str | None) -> bool:
    """Whether a length is in a key's unit; one in no unit is."""
    return unit is None or (unit.lower() == "cm") == key.endswith("_cm")


def _extract_bare_base(rest: str) -> tuple[str, str]:
    """Return a line without a base that is but a number behind the name, and that base."""
    for match in _BARE.finditer(rest):
        if _is_base(match[1]):
            return f"{rest[: match.start()]}, {rest[match.end() :]}".strip(" ,"), match[1]
    return rest, ""


def _is_base(text: str) -> bool:
    return bool(re.fullmatch(NUMBER, text)) and float(text.replace(",", ".")) in BARE_BASES_MM


def _extract_name_and_count(piece: str) -> tuple[str, str | None]:
    """Return the name and the count in the first part of a line."""
    for pattern in _COUNTS:
        if (match := pattern.search(piece)) and (
            name := f"{piece[: match.start()]} {piece[match.end() :]}".strip(" -–—,")
        ):
            return " ".join(name.split()), str(int(next(filter(None, match.groups()))))
    return " ".join(piece.split()), None


FORMAT = ArmyFormat(name="roster", read=partial(read_lines, parse_roster), parse=parse_roster)
"""What no other format claims; any text may be one."""
