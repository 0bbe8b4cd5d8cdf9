"""How far along a path a sliding hand is."""

import math
from itertools import pairwise

from assistant.game.state import Pose

TURN_MM = 60.0
"""What a radian of turning on the spot takes of a hand's way."""

SETS_OFF_S = 0.6
"""A hand takes so long to come up to its pace: a leap from rest would be lost by a slow camera."""


def gone_mm(seconds: float, pace_mm_s: float) -> float:
    """Return how far a hand has gone so long after it set off."""
    speeding_s = min(seconds, SETS_OFF_S)
    return pace_mm_s * (speeding_s**2 / (2 * SETS_OFF_S) + seconds - speeding_s)


def length_mm(path: tuple[Pose, ...]) -> float:
    """Return a path's length as a hand goes it, turns on the spot included."""
    return sum(_leg_mm(a, b) for a, b in pairwise(path))


def reached(path: tuple[Pose, ...], gone_mm: float) -> Pose:
    """Return the pose after so much of a path; beyond its end, the end itself."""
    for a, b in pairwise(path):
        leg_mm = _leg_mm(a, b)
        if gone_mm < leg_mm:
            share = gone_mm / leg_mm
            turn = math.remainder(b.facing_rad - a.facing_rad, math.tau)
            return Pose(
                x_mm=a.x_mm + share * (b.x_mm - a.x_mm),
                y_mm=a.y_mm + share * (b.y_mm - a.y_mm),
                facing_rad=a.facing_rad + share * turn,
            )
        gone_mm -= leg_mm
    return path[-1]


def _leg_mm(a: Pose, b: Pose) -> float:
    turn = math.remainder(b.facing_rad - a.facing_rad, math.tau)
    return max(math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm), TURN_MM * abs(turn))
