"""New Recruit's simple text: ``Moss Guard [90 pts]: Club, Net``, with a bullet for each kind of model."""

import re
from collections.abc import Sequence

from assistant.armies.formats.points_list import POINTS, ListStyle, build_points_format, find_outer_kinds


def _recognises(lines: Sequence[str]) -> bool:
    return any(re.match(r"#+ *\+\+ .*\+\+", line) for line in lines)


FORMAT = build_points_format(
    ListStyle(
        name="new-recruit-simple",
        unit=re.compile(rf"(?:(?P<count>\d{{1,3}})x )?(?P<name>[^#+:][^:]*?){POINTS}(?::(?P<gear>.*))?", re.IGNORECASE),
        are_kinds=find_outer_kinds,
        has_title=True,
    ),
    _recognises,
)
