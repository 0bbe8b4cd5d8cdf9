"""Continuous contact: when a moving, turning base comes within a range of others, and when it leaves them.

Times are exact and certified, not sampled.  A path is a sequence of poses; on each leg place, height and facing change
linearly, the facing by the shorter turn.  A time on a path is the index of a leg plus the share of it that is done:
2.25 is a quarter along the third leg.

Coming to exactly a range, or grazing it, is being within it, to `TOUCH_MM`.  Whoever lets a base touch asks for a range
smaller by a rounding.

On a leg, place and facing change linearly with the share of it that is done.  From any share a step is taken over which
it is proven that the two stay apart, or stay in touch:

- Apart: along a fixed direction, the separation at a share is no more than the clearance there, and between the ends of
  a step it bends below its chord by no more than a known curvature.
- In touch: while a point of the one, fixed to it, lies in the other, they overlap.  Its signed distance from a convex
  set bends above its chord by no more than the point's own curved way does.  Where no such point lies deep enough, the
  clearance grows no faster than the fastest point moves.

A step ends where its bound comes to zero, which near a change is Newton's method.  Sets within `TOUCH_MM` of each other
touch: a graze counts if it comes that near.  Changes are found to 1e-9 of a leg, save those of grazes, where the share
is only as good as the root of that length.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from assistant.geometry.clearance.shape_clearance import (
    Clearance,
    Point,
    bound_clearance_matrix,
    bound_clearance_mm,
    clearance,
    find_nearest_stretch,
    interpolate_pose,
    turn_rad,
)
from assistant.geometry.clearance.signed_distance import measure_separation, simplify_set
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.geometry.shapes.convex import (
    Array,
    ConvexSet,
    decompose_convex,
    decompose_placed,
    find_bounding_disc,
    outer_radius_mm,
)

TOUCH_MM = 1e-9
_LEAST_STEP = 1e-11
"""A share of a leg over which nothing is asked."""
_TRIALS = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegMotion:
    """How a set's frame moves on a leg: place and facing at its start, and their changes to its end."""

    place_mm: Array
    step_mm: Array
    facing_rad: float
    turn_rad: float


def find_contact_changes(part: ConvexSet, fixed: ConvexSet, motion: LegMotion) -> Iterator[float]:
    """Yield the shares of a leg at which a moving set begins to touch a standing one and ceases to, in turn.

    Args:
        part: The moving set, in its own frame.
        fixed: The standing set, on the table; grow it to ask for a range.
        motion: The leg.

    """
    duel = _MovingPair(part, fixed, motion)
    share, touching = 0.0, False
    while True:
        mm, normal = duel.measure(share)
        if (mm <= TOUCH_MM) != touching:
            touching = not touching
            yield share
        if share == 1.0:
            return
        onward = duel.bound_contact(share, mm, normal) if touching else duel.bound_separation(share, normal)
        share = min(1.0, max(onward, share + _LEAST_STEP))


class _MovingPair:
    """A moving set against a standing one.  All that is round about the moving one is given to the other."""

    def __init__(self, part: ConvexSet, fixed: ConvexSet, motion: LegMotion) -> None:
        circles = sum(a for a, b, _ in part.ellipses if a == b)
        self.fixed = fixed.grow(part.radius_mm + circles)
        self.part = ConvexSet(corners_mm=part.corners_mm, ellipses=tuple(e for e in part.ellipses if e[0] != e[1]))
        self.mine, self.theirs = simplify_set(self.part), simplify_set(self.fixed)
        self.place_mm, self.step_mm = _read_point(motion.place_mm), _read_point(motion.step_mm)
        self.facing_rad, self.turn_rad = motion.facing_rad, motion.turn_rad
        reach = max(math.hypot(x, y) for x, y in self.mine.corners)
        turn, self.way_mm = abs(motion.turn_rad), math.hypot(*self.step_mm)
        self.speed_mm = self.way_mm + turn * (reach + sum(max(a, b) for a, b, _ in self.part.ellipses))
        self.bulge_mm = turn**2 * (reach + sum(abs(a * a - b * b) / max(a, b) for a, b, _ in self.part.ellipses))
        """How fast the part's support may bend back: h'' = -h for a corner, h'' >= (b^2 - a^2) / a for an ellipse."""

    def find_pose(self, share: float) -> tuple[float, float, float]:
        """Return place and facing of the moving set's frame."""
        (x, y), (dx, dy) = self.place_mm, self.step_mm
        return x + share * dx, y + share * dy, self.facing_rad + share * self.turn_rad

    def measure(self, share: float) -> tuple[float, Point]:
        """Return the clearance, and the direction it is measured along, from the standing set to the moving one."""
        mm, nx, ny = measure_separation(self.theirs, self.mine.move(*self.find_pose(share)))
        return mm, (nx, ny)

    def bound_separation(self, share: float, normal: Point) -> float:
        """Return a share up to which the sets surely are further apart than half of what is a touch."""
        nx, ny = normal
        fixed_extent = self.theirs.measure_extent_mm(nx, ny) + TOUCH_MM / 2

        def separation(at: float) -> float:
            x, y, facing = self.find_pose(at)
            cos, sin = math.cos(facing), math.sin(facing)
            behind = self.mine.measure_extent_mm(-nx * cos - ny * sin, nx * sin - ny * cos)
            return nx * x + ny * y - behind - fixed_extent

        return _find_certified_share(separation, share, self.bulge_mm, 0.0)

    def bound_contact(self, share: float, mm: float, normal: Point) -> float:
        """Return a share up to which the sets surely touch."""
        lasting = share + (2 * TOUCH_MM - mm) / self.speed_mm if self.speed_mm > 0 else 1.0
        if lasting >= 1.0:
            return 1.0
        ends = find_nearest_stretch(self.part.move(*self.find_pose(share)), self.fixed, -np.array(normal))
        point, fixed_point = (_read_point(np.mean([pair[k] for pair in ends], axis=0)) for k in (0, 1))
        body, turn = self.map_to_frame(share, point), abs(self.turn_rad)
        away = math.dist(fixed_point, self.place_mm) + self.way_mm

        def depth_of_mine(at: float) -> float:
            return -self.theirs.measure_place_mm(*self.map_to_table(at, body))

        def depth_of_theirs(at: float) -> float:
            return -self.mine.measure_place_mm(*self.map_to_frame(at, fixed_point))

        lasting = max(lasting, _find_certified_share(depth_of_mine, share, turn**2 * math.hypot(*body), 2 * TOUCH_MM))
        return max(
            lasting,
            _find_certified_share(depth_of_theirs, share, turn * (turn * away + 2 * self.way_mm), 2 * TOUCH_MM),
        )

    def map_to_table(self, share: float, body: Point) -> Point:
        """Return where a point of the moving frame is on the table."""
        x, y, facing = self.find_pose(share)
        cos, sin = math.cos(facing), math.sin(facing)
        return x + body[0] * cos - body[1] * sin, y + body[0] * sin + body[1] * cos

    def map_to_frame(self, share: float, point: Point) -> Point:
        """Return where a point of the table is in the moving frame."""
        x, y, facing = self.find_pose(share)
        cos, sin, px, py = math.cos(facing), math.sin(facing), point[0] - x, point[1] - y
        return px * cos + py * sin, py * cos - px * sin


def _read_point(place: Array) -> Point:
    return float(place[0]), float(place[1])


def _find_certified_share(bound: Callable[[float], float], share: float, bend_mm: float, slack_mm: float) -> float:
    """Return how far a quantity is surely not below ``-slack_mm``: the share itself if it is nowhere sure.

    Between two shares it lies below its chord by no more than ``bend_mm`` / 2 times the product of the ways to both.
    """
    first = bound(share)
    low, at_low, high, trial = share, first, 1.0, 1.0
    for trial_number in range(_TRIALS):
        value = bound(trial)
        if _is_never_below(first, value, bend_mm * (trial - share) ** 2 / 2, slack_mm):
            low, at_low = trial, value
        else:
            high = trial
        if low == 1.0 or (low > share and (at_low < 0.02 * first or high - low <= low - share)):
            return low
        # To just above the chord's root, and every other time well short of it: what is not sure is of no use.
        ahead = (at_low - TOUCH_MM / 4) / (at_low - value) if at_low > TOUCH_MM / 4 > value else 0.5
        trial = low + (high - low) * ahead * (0.9 if trial_number % 2 else 1.0)
    return low


def _is_never_below(first: float, last: float, bend_mm: float, slack_mm: float) -> bool:
    """Return whether first (1 - u) + last u - bend u (1 - u) is nowhere below ``-slack_mm`` for u in [0, 1]."""
    if min(first, last) < -slack_mm:
        return False
    # Where it bends little it is lowest at an end; a bend of next to nothing cannot be divided by.
    bends = abs(first - last) < bend_mm
    lowest = (bend_mm + first - last) / (2 * bend_mm) if bends else float(first > last)
    return first * (1 - lowest) + last * lowest - bend_mm * lowest * (1 - lowest) >= -slack_mm


ROUNDING_MM = 1e-6
"""By how much a base must go deeper than it stood, or beyond an edge, for that to be said."""
ANY_HEIGHT = (-math.inf, math.inf)
_SAME_TIME = 1e-9

Shares = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProximityZone:
    """A standing shape and the range around it."""

    other: PlacedShape
    range_mm: float = 0.0
    heights_mm: tuple[float, float] = ANY_HEIGHT
    """The heights at which a base can be in it, both counted in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """A moment of a path at which a base meets something."""

    time: float
    at: PlacedShape
    """The base at that moment."""
    clearance: Clearance
    """From the base to what it meets."""
    zone: int = 0
    """Which of the zones asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathSpan:
    """A part of a path, from one time to another."""

    start: float
    end: float


def find_first_contact(path: Sequence[PlacedShape], zones: Sequence[ProximityZone]) -> Contact | None:
    """Return the first moment at which a base is in one of the zones: 0 where it starts in one, None if it never is."""
    legs, parts = split_legs(path), decompose_convex(path[0].shape)
    floors = bound_clearance_matrix(legs, [zone.other for zone in zones])
    near = np.argwhere(floors <= np.array([zone.range_mm for zone in zones]) + ROUNDING_MM)
    soonest = sorted((leg + _bound_first_share(legs[leg], zones[index]), leg, index) for leg, index in near.tolist())
    best, which = math.inf, -1
    for bound, leg, index in soonest:
        if bound > best:
            break
        share = _find_first_share(parts, legs[leg], zones[index])
        best, which = min((best, which), (leg + share, index))
    if which < 0:
        return None
    at = find_pose(path, best)
    return Contact(time=best, at=at, clearance=clearance(at, zones[which].other), zone=which)


def find_spans_within(path: Sequence[PlacedShape], zone: ProximityZone) -> tuple[PathSpan, ...]:
    """Return the parts of a path on which a base is in a zone, in order and apart; an instant has no length."""
    legs, parts = split_legs(path), decompose_convex(path[0].shape)
    floors = bound_clearance_matrix(legs, [zone.other])[:, 0]
    near = np.flatnonzero(floors <= zone.range_mm + ROUNDING_MM).tolist()
    fixed = _grow_zone(zone)
    return join_spans(
        PathSpan(start=leg + low, end=leg + high)
        for leg in near
        for low, high in find_touching_shares(parts, legs[leg], fixed, zone.heights_mm)
    )


def select_near_zones(path: Sequence[PlacedShape], zones: Sequence[ProximityZone]) -> list[ProximityZone]:
    """Return the zones that a base may come into on a path, from the discs around shapes."""
    floors = bound_clearance_matrix(split_legs(path), [zone.other for zone in zones])
    least: Array = floors.min(axis=0)
    return [zone for zone, floor in zip(zones, least.tolist(), strict=True) if floor <= zone.range_mm + ROUNDING_MM]


def shrink_zone(zone: ProximityZone, start: PlacedShape) -> ProximityZone:
    """Return a zone made smaller for a base that starts in it: it may leave, but go no deeper than it stood.

    What is left is entered `ROUNDING_MM` deeper than the start, or than the zone's own edge.
    """
    mm = zone.range_mm
    if bound_clearance_mm(start, zone.other) < mm:
        mm = min(mm, clearance(start, zone.other).mm)
    return replace(zone, range_mm=mm - ROUNDING_MM)


def find_pose(path: Sequence[PlacedShape], time: float) -> PlacedShape:
    """Return where a base is at a time of its path."""
    leg = min(int(time), len(path) - 2)
    return path[0] if leg < 0 else interpolate_pose(path[leg], path[leg + 1], time - leg)


def cut_path(path: Sequence[PlacedShape], time: float) -> tuple[PlacedShape, ...]:
    """Return a path cut off at a time: that of its first contact is the furthest that it stays legal."""
    return (*path[: math.ceil(time)], find_pose(path, time)) if time > 0 else (path[0],)


def measure_travel_within_mm(path: Sequence[PlacedShape], spans: Sequence[PathSpan]) -> float:
    """Return how far the centre travels on some spans of a path."""
    lengths = [math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in pairwise(path)]
    done = np.concatenate(((0.0,), np.cumsum(lengths)))
    times = np.arange(len(done))
    return float(sum(np.interp(span.end, times, done) - np.interp(span.start, times, done) for span in spans))


def find_level_shares(start: PlacedShape, end: PlacedShape, heights_mm: tuple[float, float]) -> Shares | None:
    """Return the part of a leg, as shares, on which the height is between two; None if there is none."""
    rise = end.z_mm - start.z_mm
    if rise == 0:
        return (0.0, 1.0) if heights_mm[0] <= start.z_mm <= heights_mm[1] else None
    ends = sorted((height - start.z_mm) / rise for height in heights_mm)
    low, high = max(0.0, ends[0]), min(1.0, ends[1])
    return (low, high) if low <= high else None


def find_touching_shares(
    parts: Sequence[ConvexSet],
    leg: tuple[PlacedShape, PlacedShape],
    fixed: Sequence[ConvexSet],
    heights_mm: tuple[float, float] = ANY_HEIGHT,
) -> Iterator[Shares]:
    """Yield the shares of a leg on which one of the parts of a base touches one of some sets; they may overlap."""
    level = find_level_shares(*leg, heights_mm)
    if level is None:
        return
    motion = build_motion(*leg, level)
    for part in parts:
        for other in fixed:
            times = [level[0] + share * (level[1] - level[0]) for share in find_contact_changes(part, other, motion)]
            ends = [*times[1::2], level[1]]
            yield from zip(times[::2], ends, strict=False)


def join_spans(spans: Iterator[PathSpan]) -> tuple[PathSpan, ...]:
    """Return spans in order, those that touch or overlap made one."""
    joined: list[PathSpan] = []
    for span in sorted(spans, key=lambda span: span.start):
        if joined and span.start <= joined[-1].end + _SAME_TIME:
            joined[-1] = replace(joined[-1], end=max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def build_motion(start: PlacedShape, end: PlacedShape, shares: Shares = (0.0, 1.0)) -> LegMotion:
    """Return how a base moves on a part of a leg."""
    place, step = np.array((start.x_mm, start.y_mm)), np.array((end.x_mm - start.x_mm, end.y_mm - start.y_mm))
    turn, whole = turn_rad(start, end), shares[1] - shares[0]
    return LegMotion(
        place_mm=place + shares[0] * step,
        step_mm=whole * step,
        facing_rad=start.facing_rad + shares[0] * turn,
        turn_rad=whole * turn,
    )


def _bound_first_share(leg: tuple[PlacedShape, PlacedShape], zone: ProximityZone) -> float:
    """Return a share of a leg before which a base surely is in no zone, from the discs around both shapes."""
    start, end = leg
    middle, radius_mm = find_bounding_disc(zone.other)
    reach = radius_mm + outer_radius_mm(start.shape) + max(zone.range_mm, 0.0) + ROUNDING_MM
    away, step = complex(start.x_mm, start.y_mm) - middle, complex(end.x_mm - start.x_mm, end.y_mm - start.y_mm)
    onward, square = (away * step.conjugate()).real, abs(step) ** 2
    root = onward * onward - square * (abs(away) ** 2 - reach * reach)
    if abs(away) <= reach or root <= 0 or onward >= 0:
        return 0.0
    return max(0.0, (-onward - math.sqrt(root)) / square - _SAME_TIME)


def _find_first_share(parts: Sequence[ConvexSet], leg: tuple[PlacedShape, PlacedShape], zone: ProximityZone) -> float:
    """Return the share of a leg at which a base first is in a zone; infinite if it never is."""
    level = find_level_shares(*leg, zone.heights_mm)
    if level is None:
        return math.inf
    motion = build_motion(*leg, level)
    first = min(
        next(find_contact_changes(part, other, motion), math.inf) for part in parts for other in _grow_zone(zone)
    )
    return level[0] + first * (level[1] - level[0]) if first <= 1 else math.inf


def _grow_zone(zone: ProximityZone) -> list[ConvexSet]:
    return [part.grow(zone.range_mm) for part in decompose_placed(zone.other)]


def split_legs(path: Sequence[PlacedShape]) -> list[tuple[PlacedShape, PlacedShape]]:
    """Return the legs of a path; a single pose stands still."""
    return list(pairwise(path)) or [(path[0], path[0])]
