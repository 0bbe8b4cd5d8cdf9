"""Clearance of two shapes: how far apart they are where they stand, and the least of it while one moves along a leg.

Exact to 1e-6 mm for every pair of kinds (the greatest depth along a leg: to 1e-5 mm).  The depth of an overlap with a
concave outline is the greatest depth among the outline's convex parts.
"""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import shapely

from assistant.geometry.clearance.signed_distance import PlainSet, measure_separation, simplify_set
from assistant.geometry.shapes.base_shapes import PlacedShape, Round
from assistant.geometry.shapes.convex import (
    Array,
    ConvexSet,
    decompose_convex,
    decompose_placed,
    distance_to_outside_point,
    find_bounding_disc,
    outer_radius_mm,
)

Point = tuple[float, float]

_EXACT_MM = 1e-7
_LEVEL = 1e-9
"""The sine of an angle that is none."""
_DEPTH_MM = 1e-5
"""How exactly the greatest depth along a leg is found: less so than a gap, for an overlap is beyond doubt."""
FACE_MM = 1e-6
"""Corners no further behind a supporting line than this lie on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clearance:
    """The gap between two shapes."""

    mm: float
    """Negative depth when they overlap."""
    near: Point
    """The measured point of the first shape."""
    far: Point
    """The measured point of the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approach:
    """The least gap along a leg."""

    clearance: Clearance
    share: float
    """Where along the leg: 0 at its start, 1 at its end."""


def bound_clearance_mm(one: PlacedShape, other: PlacedShape) -> float:
    """Return a quick lower bound of `clearance`, from the discs around both shapes."""
    (middle, radius_mm), (place, reach_mm) = find_bounding_disc(one), find_bounding_disc(other)
    return abs(place - middle) - radius_mm - reach_mm


def clearance(one: PlacedShape, other: PlacedShape) -> Clearance:
    """Return the horizontal clearance between two placed shapes."""
    if isinstance(one.shape, Round) and isinstance(other.shape, Round):
        return _disc_clearance(one, other)
    found: Clearance | None = None
    for mine in _list_parts(one):
        for theirs in _list_parts(other):
            apart_mm = math.dist(mine.middle, theirs.middle) - mine.reach_mm - theirs.reach_mm
            if found is None or apart_mm < found.mm:
                near = _find_clearance(mine.whole, theirs.whole, measure_separation(theirs.plain, mine.plain))
                found = near if found is None or near.mm < found.mm else found
    assert found is not None, "a shape has parts"
    return found


def is_nearer(one: PlacedShape, other: PlacedShape, mm: float) -> bool:
    """Return whether the clearance of two placed shapes is less than so much: it is told sooner than which it is."""
    return any(
        math.dist(mine.middle, theirs.middle) - mine.reach_mm - theirs.reach_mm < mm
        and measure_separation(theirs.plain, mine.plain)[0] < mm
        for mine in _list_parts(one)
        for theirs in _list_parts(other)
    )


class _Part(NamedTuple):
    """A convex part of a shape where it stands."""

    whole: ConvexSet
    plain: PlainSet
    middle: Point
    """Of a disc around it, and its radius."""
    reach_mm: float


@lru_cache(maxsize=1024)
def _list_parts(placed: PlacedShape) -> tuple[_Part, ...]:
    """Return the convex parts of a shape where it stands, kept for those asked about last."""
    return tuple(_Part(part, simplify_set(part), *_bound_part(part)) for part in decompose_placed(placed))


def edge_clearance(placed: PlacedShape, width_mm: float, depth_mm: float) -> Clearance:
    """Return how far a shape stays inside the table; negative where it overhangs."""
    parts, sides = _list_parts(placed), _list_sides(width_mm, depth_mm)
    room = [side_mm - max([part.plain.measure_extent_mm(nx, ny) for part in parts]) for nx, ny, side_mm in sides]
    mm = min(room)
    nx, ny, _ = sides[room.index(mm)]
    normal = np.array(((nx, ny),))
    reached = [part.whole.support_points(normal)[0].tolist() for part in parts]
    x, y = max(reached, key=lambda point: float(nx * point[0] + ny * point[1]))
    return Clearance(mm=mm, near=(x, y), far=(x + mm * nx, y + mm * ny))


_Side = tuple[float, float, float]
"""Of the table: its outward normal, and how far out it lies."""


def _list_sides(width_mm: float, depth_mm: float) -> tuple[_Side, ...]:
    return (-1.0, 0.0, 0.0), (1.0, 0.0, width_mm), (0.0, -1.0, 0.0), (0.0, 1.0, depth_mm)


def least_clearance(start: PlacedShape, end: PlacedShape, other: PlacedShape) -> Approach:
    """Return the least clearance of a shape that moves from ``start`` to ``end`` in a straight leg.

    The facing changes linearly by the shorter turn.  The answer is certified, not sampled: branch and bound, in which a
    separating direction found at the middle of an interval bounds the clearance over all of it.  Of the legs asked
    about last it is remembered: several rules ask about each, and whether a way may be shortened is asked before that.
    """
    found = find_nearer_approach(start, end, other, math.inf)
    assert found is not None
    return found


def find_nearer_approach(start: PlacedShape, end: PlacedShape, other: PlacedShape, known_mm: float) -> Approach | None:
    """Return what `least_clearance` does if that is less than ``known_mm``, else None, which is sooner told."""
    kept = _keep_approach(start, end, other)
    if not kept:
        found = _search_least_clearance(start, end, other, known_mm)
        if found is None or found.clearance.mm >= known_mm:
            return None
        kept.append(found)
    return kept[0] if kept[0].clearance.mm < known_mm else None


@lru_cache(maxsize=4096)
def _keep_approach(_start: PlacedShape, _end: PlacedShape, _other: PlacedShape) -> list[Approach]:
    """Return where the least clearance of a leg is kept, once it is known."""
    return []


def _search_least_clearance(
    start: PlacedShape, end: PlacedShape, other: PlacedShape, limit_mm: float
) -> Approach | None:
    """Return the least clearance of a leg, or none that is certified where it is no less than a limit."""
    if isinstance(start.shape, Round) and isinstance(other.shape, Round):
        share = _find_nearest_share(start, end, other.x_mm, other.y_mm)
        return Approach(clearance=_disc_clearance(interpolate_pose(start, end, share), other), share=share)
    best: Approach | None = None
    for part in decompose_convex(start.shape):
        for fixed in decompose_placed(other):
            known_mm = limit_mm if best is None else min(best.clearance.mm, limit_mm)
            if _bound_part_clearance_mm(part, fixed, start, end) > known_mm:
                continue
            if turn_rad(start, end) == 0:
                obstacle = fixed.minkowski_sum(part.move(0, 0, start.facing_rad).reflect())
                passed = _find_passing_share(obstacle, start, end)
                share = _find_deepest_share(obstacle, start, end, known_mm) if passed is None else passed
            else:
                share = _minimise_clearance(*_bound_with_turn(part, fixed, start, end), known_mm)
            approach = Approach(clearance=_part_clearance(_place_part(part, start, end, share), fixed), share=share)
            if best is None or approach.clearance.mm < best.clearance.mm:
                best = approach
    return best


def _bound_part_clearance_mm(part: ConvexSet, fixed: ConvexSet, start: PlacedShape, end: PlacedShape) -> float:
    """Return a quick lower bound of how near a part comes to a standing set on a leg, from the discs around both."""
    (x, y), reach_mm = _bound_part(fixed)
    share = _find_nearest_share(start, end, x, y)
    apart = math.hypot(
        start.x_mm + share * (end.x_mm - start.x_mm) - x, start.y_mm + share * (end.y_mm - start.y_mm) - y
    )
    return apart - _measure_reach_mm(part, (0.0, 0.0)) - reach_mm


def _bound_part(part: ConvexSet) -> tuple[Point, float]:
    """Return the middle and the radius of a disc around a convex set."""
    xs, ys = part.corners_mm.T.tolist()
    middle = sum(xs) / len(xs), sum(ys) / len(ys)
    return middle, _measure_reach_mm(part, middle)


def _measure_reach_mm(part: ConvexSet, place: Point) -> float:
    away = max([math.dist(corner, place) for corner in part.corners_mm.tolist()])
    return away + part.radius_mm + sum([max(a, b) for a, b, _ in part.ellipses])


def least_edge_clearance(start: PlacedShape, end: PlacedShape, width_mm: float, depth_mm: float) -> Approach:
    """Return the least clearance to the table's edges along a leg, as `edge_clearance` measures it."""

    def measure(share: float) -> Approach:
        at = interpolate_pose(start, end, share)
        return Approach(clearance=edge_clearance(at, width_mm, depth_mm), share=share)

    best = min(measure(0.0), measure(1.0), key=lambda approach: approach.clearance.mm)
    if turn_rad(start, end) == 0:  # the way to each side changes linearly
        return best
    ends, reach_mm = ((start.x_mm, start.y_mm), (end.x_mm, end.y_mm)), outer_radius_mm(start.shape)
    for part in decompose_convex(start.shape):
        for side in _list_sides(width_mm, depth_mm):
            inside_mm = min(side[2] - side[0] * x - side[1] * y for x, y in ends)
            if inside_mm - reach_mm < best.clearance.mm:  # else that side is surely further
                share = _find_side_share(part, start, end, side, best.clearance.mm)
                best = min(best, measure(share), key=lambda approach: approach.clearance.mm)
    return best


def _find_side_share(part: ConvexSet, start: PlacedShape, end: PlacedShape, side: _Side, known_mm: float) -> float:
    """Return where along a leg a part is nearest to one side of the table, or furthest beyond it."""
    nx, ny, side_mm = side
    moving = _MovingPart(part, start, end)

    def room(share: float) -> float:
        return side_mm - moving.measure_extent_mm(share, nx, ny)

    plane = (lambda _, __, share: room(share)), _bound_support_bulge_mm(part, start, end)
    return _minimise_clearance(lambda share: (room(share), (nx, ny)), (plane,), known_mm)


class _MovingPart:
    """A part of a shape on a leg, as plain numbers."""

    def __init__(self, part: ConvexSet, start: PlacedShape, end: PlacedShape) -> None:
        self.body = simplify_set(part)
        self.start, self.turn_rad = (start.x_mm, start.y_mm, start.facing_rad), turn_rad(start, end)
        self.step_mm = end.x_mm - start.x_mm, end.y_mm - start.y_mm

    def find_pose(self, share: float) -> tuple[float, float, float]:
        """Return place and facing."""
        x, y, facing = self.start
        return x + share * self.step_mm[0], y + share * self.step_mm[1], facing + share * self.turn_rad

    def measure_extent_mm(self, share: float, nx: float, ny: float) -> float:
        """Return how far the part reaches in a direction."""
        x, y, facing = self.find_pose(share)
        cos, sin = math.cos(facing), math.sin(facing)
        return nx * x + ny * y + self.body.measure_extent_mm(nx * cos + ny * sin, ny * cos - nx * sin)


def interpolate_pose(start: PlacedShape, end: PlacedShape, share: float) -> PlacedShape:
    """Return where a shape is on its way: place and height change linearly, the facing by the shorter turn."""
    return PlacedShape(
        shape=start.shape,
        x_mm=start.x_mm + share * (end.x_mm - start.x_mm),
        y_mm=start.y_mm + share * (end.y_mm - start.y_mm),
        z_mm=start.z_mm + share * (end.z_mm - start.z_mm),
        facing_rad=start.facing_rad + share * turn_rad(start, end),
    )


def turn_rad(start: PlacedShape, end: PlacedShape) -> float:
    """Return the shorter turn from one facing to another, in (-pi, pi]; a round shape does not turn."""
    if isinstance(start.shape, Round):
        return 0.0
    turn = math.remainder(end.facing_rad - start.facing_rad, 2 * math.pi)
    return math.pi if turn == -math.pi else turn


def find_nearest_stretch(one: ConvexSet, other: ConvexSet, normal: Array) -> list[tuple[Array, Array]]:
    """Return the ends of the stretch where two sets are nearest, or deepest, along a normal from one to the other.

    Each end is a point of the first set and one of the second; they do not face each other where the stretch is empty.
    """
    along = np.array((-normal[1], normal[0]))
    one_face, other_face = _support_face(one, normal) @ along, _support_face(other, -normal) @ along
    near, far = one.support(normal[None])[0], -other.support(-normal[None])[0]
    ends = (max(one_face.min(), other_face.min()), min(one_face.max(), other_face.max()))
    return [
        (
            normal * near + along * min(max(at, one_face.min()), one_face.max()),
            normal * far + along * min(max(at, other_face.min()), other_face.max()),
        )
        for at in ends
    ]


def _support_face(part: ConvexSet, normal: Array) -> Array:
    """Return the points of a set that lie furthest in a direction: one, or the ends of an edge."""
    heights = part.corners_mm @ normal
    corners: Array = part.corners_mm[heights >= heights.max() - FACE_MM]
    shift: Array = part.support_points(normal[None])[0] - part.corners_mm[heights.argmax()]
    face: Array = corners + shift
    return face


def bound_leg_clearance(start: PlacedShape, end: PlacedShape, other: PlacedShape) -> float:
    """Return a quick lower bound of `least_clearance`, from the discs around both shapes."""
    at = interpolate_pose(start, end, _find_nearest_share(start, end, other.x_mm, other.y_mm))
    gap = math.hypot(other.x_mm - at.x_mm, other.y_mm - at.y_mm)
    return gap - outer_radius_mm(start.shape) - outer_radius_mm(other.shape)


def bound_clearance_matrix(legs: Sequence[tuple[PlacedShape, PlacedShape]], others: Sequence[PlacedShape]) -> Array:
    """Return quick lower bounds of the least clearances of one shape, legs by others, from the discs around shapes."""
    start = np.array([(a.x_mm, a.y_mm) for a, _ in legs]).reshape(-1, 1, 2)
    along = np.array([(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in legs]).reshape(-1, 1, 2)
    discs = [find_bounding_disc(at) for at in others]
    offset = np.array([(middle.real, middle.imag) for middle, _ in discs]).reshape(1, -1, 2) - start
    squared = (along**2).sum(axis=2)
    share = np.divide((offset * along).sum(axis=2), squared, out=np.zeros(offset.shape[:2]), where=squared > 0)
    away = offset - np.clip(share, 0.0, 1.0)[..., None] * along
    reach = np.array([radius_mm for _, radius_mm in discs])
    floors: Array = np.hypot(away[..., 0], away[..., 1]) - reach - outer_radius_mm(legs[0][0].shape)
    return floors


def _find_nearest_share(start: PlacedShape, end: PlacedShape, x_mm: float, y_mm: float) -> float:
    """Return where along a leg the centre is nearest to a place."""
    dx, dy = end.x_mm - start.x_mm, end.y_mm - start.y_mm
    squared = dx * dx + dy * dy
    ahead = (x_mm - start.x_mm) * dx + (y_mm - start.y_mm) * dy
    return min(1.0, max(0.0, ahead / squared)) if squared else 0.0


def _disc_clearance(one: PlacedShape, other: PlacedShape) -> Clearance:
    assert isinstance(one.shape, Round)
    assert isinstance(other.shape, Round)
    dx, dy = other.x_mm - one.x_mm, other.y_mm - one.y_mm
    apart = math.hypot(dx, dy)
    ux, uy = (dx / apart, dy / apart) if apart else (1.0, 0.0)
    a, b = one.shape.radius_mm, other.shape.radius_mm
    near = (one.x_mm + a * ux, one.y_mm + a * uy)
    return Clearance(mm=apart - a - b, near=near, far=(other.x_mm - b * ux, other.y_mm - b * uy))


def _part_clearance(one: ConvexSet, other: ConvexSet) -> Clearance:
    return _find_clearance(one, other, measure_separation(simplify_set(other), simplify_set(one)))


def _find_clearance(one: ConvexSet, other: ConvexSet, separation: tuple[float, float, float]) -> Clearance:
    """Return the clearance of two sets, with the measured points, from how far apart they are along which normal."""
    mm, x, y = separation
    normal = np.array((x, y))
    if mm > 0 and not one.ellipses and not other.ellipses:
        core = shapely.shortest_line(_build_core(one), _build_core(other))
        near, far = shapely.get_coordinates(core)
        near, far = near - one.radius_mm * normal, far + other.radius_mm * normal
    elif one.ellipses or len(one.corners_mm) == 1:
        near = one.support_points(-normal[None])[0]
        far = near - mm * normal
    else:
        far = other.support_points(normal[None])[0]
        near = far + mm * normal
    return Clearance(mm=mm, near=(float(near[0]), float(near[1])), far=(float(far[0]), float(far[1])))


def _build_core(part: ConvexSet) -> shapely.Geometry:
    match len(part.corners_mm):
        case 1:
            return shapely.Point(part.corners_mm[0])
        case 2:
            return shapely.LineString(part.corners_mm)
        case _:
            return shapely.Polygon(part.corners_mm)


def _place_part(part: ConvexSet, start: PlacedShape, end: PlacedShape, share: float) -> ConvexSet:
    at = interpolate_pose(start, end, share)
    return part.move(at.x_mm, at.y_mm, at.facing_rad)


def _bound_support_bulge_mm(part: ConvexSet, start: PlacedShape, end: PlacedShape) -> float:
    """Return how fast a part's support may bend back as it turns, per square of a whole leg.

    A corner's support h has h'' = -h; a centred ellipse's has h'' >= (b^2 - a^2) / a; a disc's does not change.
    """
    reach = float(np.hypot(part.corners_mm[:, 0], part.corners_mm[:, 1]).max())
    return turn_rad(start, end) ** 2 * (reach + sum(abs(a * a - b * b) / max(a, b) for a, b, _ in part.ellipses))


def _find_passing_share(obstacle: ConvexSet, start: PlacedShape, end: PlacedShape) -> float | None:
    """Return where along a leg a point is nearest to a set whose core it does not meet; None where it may.

    The leg's distance from the set is that of its start from the set drawn out against the leg.
    """
    dx, dy = end.x_mm - start.x_mm, end.y_mm - start.y_mm
    drawn_out = ConvexSet(corners_mm=obstacle.corners_mm).minkowski_sum(
        ConvexSet(corners_mm=np.array(((0.0, 0.0), (-dx, -dy))))
    )
    separation = distance_to_outside_point(drawn_out.corners_mm.tolist(), obstacle.ellipses, start.x_mm, start.y_mm)
    if separation is None:
        return None
    mm, nx, ny = separation
    onward, squared = nx * dx + ny * dy, dx * dx + dy * dy
    if abs(onward) > _LEVEL * math.sqrt(squared):
        return 0.0 if onward > 0 else 1.0
    px, py = obstacle.support_points(np.array(((nx, ny),)))[0]
    beyond = mm - obstacle.radius_mm
    ahead = (float(px) + beyond * nx - start.x_mm) * dx + (float(py) + beyond * ny - start.y_mm) * dy
    return min(1.0, max(0.0, ahead / squared)) if squared else 0.0


ClearanceMeasure = Callable[[float], tuple[float, Point]]
"""The clearance at a share of a leg, and the direction it is measured along."""
SeparationBound = Callable[[Point, float, float], float]
"""How far two shapes are separated along a direction, found at one share of a leg, at another share."""
SeparationBounds = tuple[tuple[SeparationBound, float], ...]
"""Each with what its second derivative is at most, millimetres per square of a whole leg."""


def _find_deepest_share(obstacle: ConvexSet, start: PlacedShape, end: PlacedShape, known_mm: float) -> float:
    """Return where along a leg without a turn a point is deepest in a set, or nearest to it.

    A point's distance from a convex set is convex along a line: between two places it is nowhere less than where the
    slopes at both meet.  Of one at the very edge the direction is known to a rounding of nothing; where it bears no
    slope the search goes by separations.
    """
    dx, dy = end.x_mm - start.x_mm, end.y_mm - start.y_mm
    sure = True

    def measure(share: float) -> tuple[float, float, float]:
        nonlocal sure
        x, y = start.x_mm + share * dx, start.y_mm + share * dy
        mm, normal = obstacle.distance(x, y)
        nx, ny = normal.tolist()
        sure &= abs(nx * x + ny * y - float(obstacle.support(normal[None])[0]) - mm) <= _EXACT_MM / 10
        return mm, share, nx * dx + ny * dy

    low, high = measure(0.0), measure(1.0)
    best = min(low, high)
    while low[2] < 0 < high[2] and high[1] - low[1] > 1e-12:  # it falls from the one, and rises to the other
        meets = (low[0] - low[2] * low[1] - high[0] + high[2] * high[1]) / (high[2] - low[2])
        if low[0] + low[2] * (meets - low[1]) >= min(best[0], known_mm) - _EXACT_MM:
            break
        between = measure(meets if low[1] < meets < high[1] else (low[1] + high[1]) / 2)
        best = min(best, between)
        low, high = (low, between) if between[2] > 0 else (between, high)
    return best[1] if sure else _minimise_clearance(*_bound_without_turn(obstacle, start, end), known_mm)


def _bound_without_turn(
    obstacle: ConvexSet, start: PlacedShape, end: PlacedShape
) -> tuple[ClearanceMeasure, SeparationBounds]:
    """Without a turn the moving shape is a point among grown obstacles."""

    def place(share: float) -> tuple[float, float]:
        return start.x_mm + share * (end.x_mm - start.x_mm), start.y_mm + share * (end.y_mm - start.y_mm)

    def measure(share: float) -> tuple[float, Point]:
        mm, normal = obstacle.distance(*place(share))
        return mm, (float(normal[0]), float(normal[1]))

    def plane(normal: Point, _: float, share: float) -> float:
        x, y = place(share)
        return normal[0] * x + normal[1] * y - float(obstacle.support(np.array((normal,)))[0])

    return measure, ((plane, 0.0),)


def _bound_with_turn(
    part: ConvexSet, fixed: ConvexSet, start: PlacedShape, end: PlacedShape
) -> tuple[ClearanceMeasure, SeparationBounds]:
    """With a turn, directions that stay bound it best where a corner meets an edge, those that turn along elsewhere."""
    moving, theirs = _MovingPart(part, start, end), simplify_set(fixed)
    turn = moving.turn_rad

    def measure(share: float) -> tuple[float, Point]:
        mm, x, y = measure_separation(theirs, moving.body.move(*moving.find_pose(share)))
        return mm, (x, y)

    def staying(normal: Point, _: float, share: float) -> float:
        x, y = normal
        return -(theirs.measure_extent_mm(x, y) + moving.measure_extent_mm(share, -x, -y))

    def turning(normal: Point, found: float, share: float) -> float:
        cos, sin = math.cos(turn * (share - found)), math.sin(turn * (share - found))
        x, y = normal
        return staying((cos * x - sin * y, sin * x + cos * y), found, share)

    return measure, (
        (staying, _bound_support_bulge_mm(part, start, end)),
        (turning, _bound_separation_bend_mm(fixed, start, end)),
    )


def _bound_separation_bend_mm(fixed: ConvexSet, start: PlacedShape, end: PlacedShape) -> float:
    """Return how fast a separation along a direction that turns with a shape may bend back, per square of a leg.

    Of a point c of the fixed set, n(s) (p(s) - c) has a second derivative of at most turn^2 |p - c| + 2 turn |p'|.
    """
    turn = abs(turn_rad(start, end))
    away = max(math.dist((at.x_mm, at.y_mm), corner) for at in (start, end) for corner in fixed.corners_mm.tolist())
    reach = away + sum(max(a, b) for a, b, _ in fixed.ellipses)
    return turn**2 * reach + 2 * turn * math.dist((start.x_mm, start.y_mm), (end.x_mm, end.y_mm))


def _minimise_clearance(measure: ClearanceMeasure, planes: SeparationBounds, known_mm: float = math.inf) -> float:
    """Return where along [0, 1] a clearance is least.

    The second derivative of the separation along a direction n is bounded, which bounds the separation between two
    shares; and the clearance, the greatest such separation, is at least that.  What is surely no less than ``known_mm``
    is not looked at closely.
    """
    best, where = min((measure(share)[0], share) for share in (0.0, 1.0))
    queue = [(-math.inf, 0.0, 1.0)]
    while queue:
        floor, low, high = heapq.heappop(queue)
        least = min(best, known_mm)
        if floor >= least - (_EXACT_MM if least > 0 else _DEPTH_MM) or high - low < 1e-12:
            break
        middle = (low + high) / 2
        mm, normal = measure(middle)
        best, where = min((best, where), (mm, middle))
        floors = [floor, floor]
        for plane, bulge_mm in planes:
            bend_mm = bulge_mm * (high - low) ** 2 / 8
            for half, end in enumerate((low, high)):
                floors[half] = max(floors[half], _bound_between(plane(normal, middle, end), mm, bend_mm))
        heapq.heappush(queue, (floors[0], low, middle))
        heapq.heappush(queue, (floors[1], middle, high))
    return where


def _bound_between(one: float, other: float, bend_mm: float) -> float:
    """Return how low one (1 - u) + other u - bend u (1 - u) is for u in [0, 1]."""
    if abs(one - other) >= bend_mm:
        return min(one, other)
    return (one + other) / 2 - bend_mm / 4 - (one - other) ** 2 / (4 * bend_mm)
