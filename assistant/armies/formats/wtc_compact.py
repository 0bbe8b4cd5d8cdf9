"""Lists in the compact form that tournaments ask for: a unit's equipment stands in its line."""

import re
from collections.abc import Sequence

from assistant.armies.formats.points_list import POINTS, ListStyle, build_points_format, find_counted_kinds

UNIT = re.compile(
    rf"(?P<rank>char\d+: ?)?(?P<count>\d{{1,3}})x (?P<name>.+?){POINTS}(?P<gear>:.*)?", re.IGNORECASE | re.DOTALL
)


def is_wtc(lines: Sequence[str]) -> bool:
    """Return whether the lines are a list for a tournament, compact or not."""
    return any(line.startswith("+ ") for line in lines) and any(map(UNIT.fullmatch, lines))


def is_compact(lines: Sequence[str]) -> bool:
    """Return whether equipment stands in a unit's line."""
    return any(match["gear"] for match in map(UNIT.fullmatch, lines) if match)


FORMAT = build_points_format(
    ListStyle(name="wtc-compact", unit=UNIT, are_kinds=find_counted_kinds),
    lambda lines: is_wtc(lines) and is_compact(lines),
)
