"""Walks: one model's way, with everyone else where they stood at that moment.

Also how far a way is off the direction in which it must go, and a way as the fewest poses that tell it.
"""

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from assistant.game.state import GameState, Model, Pose, Unit
from assistant.geometry.clearance.shape_clearance import turn_rad
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.geometry.shapes.convex import Array, outer_radius_mm
from assistant.geometry.uncertainty import pose_covariance
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.lengths import LengthFormatter
from assistant.rules.verdict import EVERYTHING, Detail, combine_sigmas

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
    detail: Detail = EVERYTHING
    """How much of what is kept is asked after; all else may be passed over unmeasured."""

    @property
    def everything(self) -> bool:
        """Whether all that is kept is asked after."""
        return self.detail.everything

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


_SAME_MM = 1e-4
"""A pose no further from a straight leg than this, by any point of its base, lies on that leg: files round so."""
_SAME_RAD = 1e-9
_TIED_MM = 1e-9


def join_straight_legs(model: Model, path: tuple[Pose, ...]) -> tuple[Pose, ...]:
    """Return a path without the poses that tell nothing of the way: it is the same way, however it was sampled.

    Such a pose is where the model is at its moment on the leg past it, in place, height and facing, and is no less sure
    than both ends of that leg.  A leg that would turn further than the shorter turn leads is parted into equal ones.
    """
    if len(path) < 3:
        return path
    states, sigmas_mm = _unwrap_states(model, path), np.array([pose.sigma_mm for pose in path])
    bends, spans = [0], [(0, len(path) - 1)]
    while spans:
        first, last = spans.pop()
        bend = _find_bend(states[first : last + 1], sigmas_mm[first : last + 1])
        if bend is None:
            bends.append(last)
        else:
            spans += [(first + bend, last), (first, first + bend)]
    return (path[0], *(pose for leg in pairwise(bends) for pose in _part_leg(model, path, leg, states)))


def _unwrap_states(model: Model, path: tuple[Pose, ...]) -> Array:
    """Return place, height and facing along a path, (n, 4), millimetres: the facing as the furthest point's way."""
    placed = [model.place_base(pose) for pose in path]
    turned = np.cumsum([0.0, *(turn_rad(one, two) for one, two in pairwise(placed))])
    places = np.array([(at.x_mm, at.y_mm, at.z_mm) for at in placed])
    return np.column_stack((places, turned * outer_radius_mm(model.base)))


def _find_bend(states: Array, sigmas_mm: Array) -> int | None:
    """Return which state tells most of the way, off the leg from first to last or back along it; None if none does."""
    along = states[-1] - states[0]
    length = math.hypot(*along)
    heading = along / length if length > 0 else along
    walked = (states - states[0]) @ heading
    nearest = np.clip(walked, 0.0, length)[:, None] * heading
    off = np.hypot.reduce(states - states[0] - nearest, axis=1)
    if off.max() > _SAME_MM:
        return int((off >= off.max() - _TIED_MM).argmax())
    furthest = np.maximum.accumulate(walked)
    back = furthest - walked
    if back.max() > _SAME_MM:
        return int((walked >= furthest[back.argmax()] - _TIED_MM).argmax())
    return int(sigmas_mm.argmax()) if sigmas_mm.max() > max(sigmas_mm[0], sigmas_mm[-1]) else None


def _part_leg(model: Model, path: tuple[Pose, ...], leg: tuple[int, int], states: Array) -> tuple[Pose, ...]:
    """Return the poses after the first of a leg: its last, and before it those that part too long a turn."""
    start, end = (path[at] for at in leg)
    radius_mm = outer_radius_mm(model.base)
    turn = float(states[leg[1], 3] - states[leg[0], 3]) / radius_mm if radius_mm > 0 else 0.0
    if abs(turn - turn_rad(model.place_base(start), model.place_base(end))) < _SAME_RAD:
        return (end,)
    count = math.floor(abs(turn) / math.pi) + 1
    between = [
        replace(
            start,
            x_mm=start.x_mm + share * (end.x_mm - start.x_mm),
            y_mm=start.y_mm + share * (end.y_mm - start.y_mm),
            z_mm=start.z_mm + share * (end.z_mm - start.z_mm),
            facing_rad=start.facing_rad + share * turn,
            sigma_mm=path[leg[0] + 1].sigma_mm,
        )
        for share in (step / count for step in range(1, count))
    ]
    return (*between, end)


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
