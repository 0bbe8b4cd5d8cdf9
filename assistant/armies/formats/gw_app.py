"""Lists as the app of the game's makers exports them."""

import itertools
import re
from collections.abc import Sequence

from assistant.armies.formats import list_forge, wtc_compact
from assistant.armies.formats.points_list import (
    POINTS,
    ListStyle,
    build_points_format,
    find_nested_kinds,
    is_bullet,
    is_title,
)


def _recognises(lines: Sequence[str]) -> bool:
    if list_forge.is_list_forge(lines) or wtc_compact.is_wtc(lines) or not lines:
        return False
    is_headed = is_title(lines[0]) or lines[0].startswith("+")
    return is_headed and any(
        is_title(line) and not is_bullet(line) and is_bullet(below) for line, below in itertools.pairwise(lines)
    )


FORMAT = build_points_format(
    ListStyle(
        name="gw-app",
        unit=re.compile(rf"(?P<name>[^+#].*?){POINTS}", re.IGNORECASE),
        are_kinds=find_nested_kinds,
        has_title=True,
        needs_items=True,
    ),
    _recognises,
)
