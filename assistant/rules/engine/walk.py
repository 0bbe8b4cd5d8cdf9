"""Walks: one model's way, with everyone else where they stood at that moment.

Also how far a way is off the direction in which it must go, and a way as the fewest poses that tell it.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from assistant.game.state import GameState, Model, Pose, Unit
from assistant.geometry.shapes.base_shapes import PlacedShape, Round
from assistant.geometry.shapes.convex import Array, outer_radius_mm
from assistant.geometry.uncertainty import pose_covariance
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.lengths import LengthFormatter
from assistant.rules.verdict import ROUNDING_MM, combine_sigmas

Leg = tuple[Pose, Pose]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A model, its path, and the table around it."""

    scene: SituationIndex
    unit: Unit
    model: Model
    path: tuple[Pose, ...]
    """A single pose: the model merely stands there."""
    observed: bool
    say: LengthFormatter
    moved: frozenset[str] = frozenset()
    """The models of the unit that have moved before."""

    @property
    def state(self) -> GameState:
        """The situation that the walk is made in."""
        return self.scene.state

    @property
    def end(self) -> Pose:
        """Where the path ends."""
        return self.path[-1]

    def list_legs(self, *, on_the_way: bool) -> tuple[Leg, ...]:
        """Return the legs to examine: all that were seen, or only the place where the path ends."""
        if on_the_way and self.observed and len(self.path) > 1:
            return tuple(pairwise(self.path))
        return ((self.end, self.end),)

    def place_base(self, pose: Pose) -> PlacedShape:
        """Return the base at a pose."""
        return self.model.place_base(pose)


def join_straight_legs(model: Model, path: tuple[Pose, ...]) -> tuple[Pose, ...]:
    """Return a path without the poses that tell nothing of the way: it is the same way, however it was sampled.

    Such a pose is where the model is at its moment on the leg from the pose before to the one after, to a rounding in
    place, height and facing, and is no less sure than both of them.
    """
    if len(path) < 3:
        return path
    reach_mm = 0.0 if isinstance(model.base, Round) else outer_radius_mm(model.base)
    places = np.array([(at.x_mm, at.y_mm, at.z_mm, at.facing_rad, at.sigma_mm) for at in path])
    kept = [0]
    while kept[-1] < len(path) - 1:
        kept.append(_find_leg_end(places, kept[-1], reach_mm))
    return tuple(path[index] for index in kept)


def _find_leg_end(places: Array, start: int, reach_mm: float) -> int:
    """Return how far one straight leg goes from a pose of a path: its length doubled, and then halved, to its end."""
    low, high = start + 1, start + 2
    while high < len(places) and _tells_nothing(places[start], places[start + 1 : high], places[high], reach_mm):
        low, high = high, min(2 * high - start, max(len(places) - 1, high + 1))
    while high - low > 1:
        middle = (low + high) // 2
        alike = _tells_nothing(places[start], places[start + 1 : middle], places[middle], reach_mm)
        low, high = (middle, high) if alike else (low, middle)
    return low


def _tells_nothing(start: Array, passed: Array, end: Array, reach_mm: float) -> bool:
    """Return whether a leg passes some poses, in their order; each is x, y, z, facing and sigma."""
    if passed[:, 4].max() > max(start[4], end[4]):
        return False
    way = np.vstack((passed, end))[:, :4] - start[:4]
    way[:, 3] = reach_mm * (math.pi - np.mod(math.pi - way[:, 3], 2 * math.pi))
    whole = float(way[-1] @ way[-1])
    if whole <= ROUNDING_MM**2:
        return float(np.abs(way).max()) <= ROUNDING_MM
    shares = way[:-1] @ way[-1] / whole
    if np.diff(shares, prepend=0.0, append=1.0).min() < -ROUNDING_MM / math.sqrt(whole):
        return False
    return float(np.abs(way[:-1] - shares[:, None] * way[-1]).max()) <= ROUNDING_MM


def build_covariance(pose: Pose) -> Array:
    """Return the covariance of a pose; how its facing errs is not known, and taken as not at all."""
    return pose_covariance(pose.sigma_mm)


def interpolate_sigma(leg: Leg, share: float) -> float:
    """Return the standard deviation of a place along a leg whose ends err independently."""
    return combine_sigmas((1 - share) * leg[0].sigma_mm, share * leg[1].sigma_mm)


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectionOffset:
    """A way of some length, held to a direction with a tolerance, as lengths across that direction."""

    off_mm: float
    """How far its end is aside; for a way that leads back, all of its length."""
    limit_mm: float
    """How far aside the tolerance lets it be."""
    margin_mm: float
    """How far its end is inside the edge of the tolerance, or outside."""


def measure_direction_offset(mm: float, off_rad: float, tolerance_rad: float) -> DirectionOffset:
    """Return what a way of a length comes to that is so far off its direction, from 0 to pi."""
    inside = math.sin(tolerance_rad - off_rad) if off_rad <= tolerance_rad + math.pi / 2 else -1.0
    return DirectionOffset(
        off_mm=mm * math.sin(min(off_rad, math.pi / 2)), limit_mm=mm * math.sin(tolerance_rad), margin_mm=mm * inside
    )
