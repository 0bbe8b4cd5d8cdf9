"""What somebody measures, as it is drawn."""

import math

from assistant.geometry.clearance import Point
from assistant.overlay.shapes import Layer, OverlayShape, Points

TICK_MM = 7.0
"""Half the length of the marks that end a tape."""


def tape_shape(name: str, segment_mm: tuple[Point, Point], label: str) -> OverlayShape:
    """Return a line with a mark at each end; ``segment_mm`` is in the table frame."""
    line: Points = tuple((round(x, 1), round(y, 1)) for x, y in segment_mm)
    (ax, ay), (bx, by) = segment_mm
    length_mm = math.hypot(bx - ax, by - ay)
    marks: list[Points] = []
    if length_mm > 0:
        across_x, across_y = -(by - ay) / length_mm * TICK_MM, (bx - ax) / length_mm * TICK_MM
        marks = [
            ((round(x - across_x, 1), round(y - across_y, 1)), (round(x + across_x, 1), round(y + across_y, 1)))
            for x, y in segment_mm
        ]
    # The line is in the middle: that is where labels of lines are put.
    rings = (marks[0], line, marks[1]) if marks else (line,)
    return OverlayShape(key=f"tape:{name}", layer=Layer.TAPE, rings_mm=rings, closed=False, style="tape", label=label)
