"""A way that was seen pose by pose, as the fewest legs."""

from itertools import pairwise
from math import radians

import numpy as np
from numpy.typing import NDArray

from assistant.game.state import Pose

STRAIGHT_MM = 1.0
"""A path is reduced to the fewest legs that stay this close to every pose seen, so that noise adds no length."""
LONGEST_TURN_RAD = radians(170.0)
LEVER_MM = 20.0
"""What a radian of turning counts when paths are reduced: the edge of an ordinary base."""


def legs(path: tuple[Pose, ...], unseen: tuple[int, ...] = ()) -> tuple[tuple[Pose, ...], tuple[int, ...]]:
    """Return a path reduced to few legs, and which of these were not seen.

    What was seen for no longer than STRAIGHT_MM before or after a gap is no leg of its own.

    Args:
        path: every pose that was kept.
        unseen: the steps from one pose to the next that were not seen; the first is 0.

    """
    turns = np.unwrap([pose.facing_rad for pose in path])
    points = np.array([[p.x_mm, p.y_mm, LEVER_MM * turn] for p, turn in zip(path, turns, strict=True)])
    ends = sorted({0, len(path) - 1, *unseen, *(step + 1 for step in unseen)})
    kept, blind = [0], []
    for first, last in pairwise(ends):
        if first in unseen:
            blind.append(len(kept) - 1)
            kept.append(last)
        elif not unseen or np.linalg.norm(points[first : last + 1] - points[first], axis=1).max() > STRAIGHT_MM:
            kept += _bends(points, first, last)
    kept[-1] = len(path) - 1
    return tuple(path[i] for i in kept), tuple(blind)


def _bends(points: NDArray[np.float64], first: int, last: int) -> list[int]:
    """Return the points, after the first, that are left if those within STRAIGHT_MM of the legs without them are not.

    This is Ramer, Douglas and Peucker's method over place and turn together.
    """
    kept = {last}
    spans = [(first, last)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        leg = points[last] - points[first]
        inner = points[first + 1 : last] - points[first]
        along = np.clip(inner @ leg / max(float(leg @ leg), 1e-12), 0.0, 1.0)
        off = np.linalg.norm(inner - along[:, None] * leg, axis=1)
        worst = int(np.argmax(off))
        # A leg turns by the shorter way, so one that turned by more is two.
        if off[worst] > STRAIGHT_MM or abs(leg[2]) > LEVER_MM * LONGEST_TURN_RAD:
            middle = first + 1 + worst if off[worst] > STRAIGHT_MM else (first + last) // 2
            kept.add(middle)
            spans += [(first, middle), (middle, last)]
    return sorted(kept)
