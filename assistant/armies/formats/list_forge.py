"""Lists as List Forge writes them: headings such as ``Battleline:``, and units with bullets below."""

import itertools
import re
from collections.abc import Sequence

from assistant.armies.formats.points_list import (
    POINTS,
    ListStyle,
    build_points_format,
    find_nested_kinds,
    is_bullet,
    is_title,
)


def is_list_forge(lines: Sequence[str]) -> bool:
    """Return whether the lines are such a list."""
    headings = [line for line, below in itertools.pairwise(lines) if line.endswith(":") and is_title(below)]
    return len(lines) > 2 and is_title(lines[0]) and bool(headings) and any(map(is_bullet, lines))


FORMAT = build_points_format(
    ListStyle(
        name="list-forge",
        unit=re.compile(rf"(?P<name>[^+#].*?){POINTS}", re.IGNORECASE),
        are_kinds=find_nested_kinds,
        has_title=True,
    ),
    is_list_forge,
)
