"""Walks: one model's way, with everyone else where they stood at that moment.

Also how far a way is off the direction in which it must go.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

from assistant.game.state import GameState, Model, Pose, Unit
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.geometry.shapes.convex import Array
from assistant.geometry.uncertainty import pose_covariance
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.lengths import LengthFormatter
from assistant.rules.verdict import combine_sigmas

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
