"""Lists in the full form that tournaments ask for: a unit's equipment stands below its line."""

from assistant.armies.formats.points_list import ListStyle, build_points_format, find_counted_kinds
from assistant.armies.formats.wtc_compact import UNIT, is_compact, is_wtc

FORMAT = build_points_format(
    ListStyle(name="wtc-full", unit=UNIT, are_kinds=find_counted_kinds),
    lambda lines: is_wtc(lines) and not is_compact(lines),
)
