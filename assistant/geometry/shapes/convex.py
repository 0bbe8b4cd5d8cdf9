"""Convex sets: support functions, the distance of a point, and the convex decomposition of a shape.

Everything here rests on one identity: the signed clearance between two convex sets is the signed distance of the origin
to their Minkowski difference, and the signed distance of a point x to a convex set is the greatest value over all
directions n of n.x - h(n), where h is the set's support function: the distance when apart, minus the penetration depth
when overlapping.

A concave outline is parted into few convex polygons along diagonals, without new corners.  From a triangulation one
diagonal after the other is taken out where what it parts is convex together, the longest first.  What is left is at
most four times the least number of parts (Hertel and Mehlhorn, Fast triangulation of simple polygons, 1983): a diagonal
stays only if a reflex corner needs it, and no corner needs more than two.

The sides of a Minkowski sum of convex polygons are those of both, in the order of their directions.  Sides that are
parallel but for rounding become one: between two directions that differ by 1e-16 there is a corner that nothing tells
the place of, so every ring that is built here is without corners that lie on the line between their neighbours.

The distance of a point outside a polygon that is grown by ellipses takes a few steps of plain arithmetic.  Between a
direction's separation and the way to the point that it touches lies the distance: where the two are equal it is proven.
The direction comes from an edge that faces the point, or from Newton's method around a corner, which puts a circle of
the same curvature in the place of the ellipses: the next direction leads from that circle's centre.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round

Point = tuple[float, float]
Ring = list[Point]
"""The corners of a convex part, counter-clockwise."""

_FLAT_SINE = 1e-12
"""A corner that bends back by no more than this is straight, whatever the last digits of its coordinates say."""
STRAIGHT_MM = 1e-9
"""A corner no further than this from the line between its neighbours is none."""


def partition_into_convex_rings(points_mm: Sequence[Point]) -> list[NDArray[np.float64]]:
    """Return the corners of convex polygons, (k, 2) each and counter-clockwise, whose disjoint union is a polygon."""
    ring_of = {side: ring for ring in _triangulate(points_mm) for side in _list_sides(ring)}
    diagonals = [(one, two) for one, two in ring_of if one < two and (two, one) in ring_of]
    for one, two in sorted(diagonals, key=lambda ends: (-math.dist(*ends), ends)):
        there, back = _rotate_ring(ring_of[one, two], two), _rotate_ring(ring_of[two, one], one)
        if _turns_left(there[-2], one, back[1]) and _turns_left(back[-2], two, there[1]):
            merged = there[:-1] + back[:-1]
            ring_of |= dict.fromkeys(_list_sides(merged), merged)
            del ring_of[one, two], ring_of[two, one]
    return [np.array(ring) for ring in {id(ring): ring for ring in ring_of.values()}.values()]


def _triangulate(points_mm: Sequence[Point]) -> list[Ring]:
    polygon = shapely.Polygon(points_mm).simplify(STRAIGHT_MM)  # without corners in the middle of a side
    triangles = shapely.orient_polygons(shapely.constrained_delaunay_triangles(polygon))
    rings = shapely.get_coordinates(triangles).reshape(-1, 4, 2)[:, :3].tolist()
    return [[(x, y) for x, y in ring] for ring in rings]


def _list_sides(ring: Ring) -> list[tuple[Point, Point]]:
    return list(pairwise([*ring, ring[0]]))


def _rotate_ring(ring: Ring, corner: Point) -> Ring:
    """Return a ring that begins at a corner, and so ends at the one before."""
    place = ring.index(corner)
    return ring[place:] + ring[:place]


def _turns_left(before: Point, corner: Point, after: Point) -> bool:
    ax, ay, bx, by = corner[0] - before[0], corner[1] - before[1], after[0] - corner[0], after[1] - corner[1]
    return ax * by - ay * bx >= -_FLAT_SINE * math.hypot(ax, ay) * math.hypot(bx, by)


Ellipse = tuple[float, float, float]
"""Semi-axes in millimetres and the turn of the first one in radians."""
_Axes = tuple[float, float, float, float]
"""The squares of the semi-axes, and the cosine and sine of the turn."""
_TOUCHING_MM = 1e-9
"""From a place so near to an outline the direction to it is one of rounding: that of its side is taken."""
_PROVEN_MM = 1e-9
_ASIDE_MM = 1e-8
"""How far beside its direction the way to a point may lead; the distance lies no further from the separation."""
_ROUNDS, _SOON = 60, 6
_TURNS = tuple(sign * step / 6 for step in range(1, 10) for sign in (1, -1))


def distance_to_outside_point(
    corners: Sequence[tuple[float, float]], ellipses: Sequence[Ellipse], x_mm: float, y_mm: float
) -> tuple[float, float, float] | None:
    """Return a point's distance from a set, and the unit normal towards it; None where that is not proven.

    Args:
        corners: of a convex polygon, counter-clockwise, or one or two points.
        ellipses: semi-axes and turns of what it is grown by; none of them a point.
        x_mm: the point; ...
        y_mm: ... inside the set, or on its edge, nothing is proven.

    """
    axes = [(a * a, b * b, math.cos(turn), math.sin(turn)) for a, b, turn in ellipses]
    inside = len(corners) > 2
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
        ex, ey = bx - ax, by - ay
        length = math.hypot(ex, ey)
        inside = inside and ex * (y_mm - ay) > ey * (x_mm - ax)
        if length > 0:
            nx, ny = ey / length, -ex / length
            px, py, _ = _support_point(axes, nx, ny)
            wx, wy = x_mm - ax - px, y_mm - ay - py
            mm = nx * wx + ny * wy
            if mm > 0 and 0 <= wx * ex + wy * ey <= length * length:
                return mm, nx, ny
    if inside:
        return None
    for cx, cy in sorted(corners, key=lambda corner: math.hypot(x_mm - corner[0], y_mm - corner[1])):
        separation = _distance_to_ellipses(axes, x_mm - cx, y_mm - cy)
        if separation is not None:
            mm, nx, ny = separation
            if all(nx * (ox - cx) + ny * (oy - cy) <= _PROVEN_MM for ox, oy in corners):
                return separation
    return None


def _distance_to_ellipses(axes: Sequence[_Axes], x: float, y: float) -> tuple[float, float, float] | None:
    """Return the distance of a point from ellipses added up around the origin, and its direction.

    Directions with a positive separation lie within a right angle of the point's, next to each other, and in them the
    separation has one peak: whatever Newton's method proposes is kept between the last ones on either side of it, and
    where it does not soon end these are brought nearer to each other by half every third round, for around a needle it
    may go to and fro.
    """
    for aa, bb, cos, sin in axes:
        if (x * cos + y * sin) ** 2 * bb + (y * cos - x * sin) ** 2 * aa <= aa * bb:
            return None  # inside of this one alone
    bearing = math.atan2(y, x)
    low, high, angle, forward = bearing - math.pi / 2, bearing + math.pi / 2, bearing, True
    for tried in range(_ROUNDS):
        nx, ny = math.cos(angle), math.sin(angle)
        px, py, bend = _support_point(axes, nx, ny)
        wx, wy = x - px, y - py
        mm, aside = nx * wx + ny * wy, nx * wy - ny * wx
        if mm <= 0 and tried == 0:  # not apart towards the point itself
            first = _find_first_direction(axes, x, y, bearing)
            if first is None:
                return None
            angle = first
            continue
        if mm > 0:
            if abs(aside) < _ASIDE_MM:
                return mm, nx, ny
            forward = aside > 0
        low, high = (angle, high) if forward == (mm > 0) else (low, angle)
        angle += math.atan2(aside, mm + bend)
        if mm <= 0 or (tried > _SOON and tried % 3 == 2) or not low < angle < high:
            angle = (low + high) / 2
    return None


def _find_first_direction(axes: Sequence[_Axes], x: float, y: float, bearing: float) -> float | None:
    """Return a direction in which a point is surely apart from ellipses added up around the origin.

    It is sought fan-wise around the point's own, and across the needles.
    """
    across = (
        math.remainder(math.atan2(sin, cos) + k * math.pi / 2 - bearing, math.tau)
        for _, _, cos, sin in axes
        for k in range(4)
    )
    for turn in chain(_TURNS, across):
        if abs(turn) < math.pi / 2:
            nx, ny = math.cos(bearing + turn), math.sin(bearing + turn)
            px, py, _ = _support_point(axes, nx, ny)
            if nx * (x - px) + ny * (y - py) > 0:
                return bearing + turn
    return None


def _support_point(axes: Sequence[_Axes], nx: float, ny: float) -> tuple[float, float, float]:
    """Return the point of the sum of ellipses that lies furthest in a direction, and its radius of curvature there."""
    px = py = bend = 0.0
    for aa, bb, cos, sin in axes:
        u, v = nx * cos + ny * sin, ny * cos - nx * sin
        reach = math.sqrt(aa * u * u + bb * v * v)
        along, across = aa * u / reach, bb * v / reach
        px += along * cos - across * sin
        py += along * sin + across * cos
        bend += aa * bb / (reach * reach * reach)
    return px, py, bend


Array = NDArray[np.float64]
Complexes = NDArray[np.complex128]
"""Places or directions, x + iy."""
_ROUNDING_MM = 1e-11
_GRID = np.linspace(0.0, 2.0 * math.pi, 97)[:-1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConvexSet:
    """The Minkowski sum of a convex polygon (or a single point), ellipses, and a disc."""

    corners_mm: Array
    """(k, 2), counter-clockwise, none of them straight; one for a point, two for a segment."""
    radius_mm: float = 0.0
    ellipses: tuple[Ellipse, ...] = ()

    def support(self, normals: Array) -> Array:
        """Return h(n), the furthest extent in each of (m, 2) unit directions, as (m,) millimetres."""
        extent: Array = (normals @ self.corners_mm.T).max(axis=1) + self.radius_mm
        for a, b, turn in self.ellipses:
            u, v = _rotate_into_frame(normals, turn)
            extent = extent + np.hypot(a * u, b * v)
        return extent

    def support_points(self, normals: Array) -> Array:
        """Return the (m, 2) boundary points that lie furthest in each of (m, 2) unit directions."""
        points: Array = self.corners_mm[(normals @ self.corners_mm.T).argmax(axis=1)] + self.radius_mm * normals
        for a, b, turn in self.ellipses:
            u, v = _rotate_into_frame(normals, turn)
            reach = np.hypot(a * u, b * v)
            cos, sin = math.cos(turn), math.sin(turn)
            along, across = a * a * u / reach, b * b * v / reach
            points = points + np.column_stack((along * cos - across * sin, along * sin + across * cos))
        return points

    def edge_normals(self) -> Array:
        """Return the outward normals of the polygon's edges, (k, 2); edge i runs from corner i to the next."""
        if len(self.corners_mm) == 1:
            return np.empty((0, 2))
        outward = np.empty_like(self.corners_mm)
        following = np.concatenate((self.corners_mm[1:], self.corners_mm[:1]))
        outward[:, 0] = following[:, 1] - self.corners_mm[:, 1]
        outward[:, 1] = self.corners_mm[:, 0] - following[:, 0]
        normals: Array = outward / np.hypot(outward[:, 0], outward[:, 1])[:, None]
        return normals

    def move(self, x_mm: float, y_mm: float, turn_rad: float = 0.0) -> "ConvexSet":
        """Return the set turned about the origin, then shifted."""
        cos, sin = math.cos(turn_rad), math.sin(turn_rad)
        corners = self.corners_mm @ np.array([[cos, sin], [-sin, cos]]) + (x_mm, y_mm)
        ellipses = tuple([(a, b, t + turn_rad) for a, b, t in self.ellipses])
        return ConvexSet(corners_mm=corners, radius_mm=self.radius_mm, ellipses=ellipses)

    def reflect(self) -> "ConvexSet":
        """Return the set mirrored in the origin."""
        return ConvexSet(corners_mm=-self.corners_mm, radius_mm=self.radius_mm, ellipses=self.ellipses)

    def grow(self, margin_mm: float) -> "ConvexSet":
        """Return all points within a distance of the set."""
        return ConvexSet(corners_mm=self.corners_mm, radius_mm=self.radius_mm + margin_mm, ellipses=self.ellipses)

    def minkowski_sum(self, other: "ConvexSet") -> "ConvexSet":
        """Return the Minkowski sum."""
        one, two = self.corners_mm, other.corners_mm
        apart = len(one) > 1 and len(two) > 1
        return ConvexSet(
            corners_mm=sum_rings(one, two) if apart else one + two,
            radius_mm=self.radius_mm + other.radius_mm,
            ellipses=self.ellipses + other.ellipses,
        )

    def distance(self, x_mm: float, y_mm: float) -> tuple[float, Array]:
        """Return the signed distance of a point (negative depth inside) and the (2,) unit normal it is measured along.

        Exact for polygons and discs; with ellipses to 1e-9 mm.
        """
        if not self.ellipses:
            mm, normal = _polygon_distance(self.corners_mm, np.array((x_mm, y_mm)))
            return mm - self.radius_mm, normal
        separation = distance_to_outside_point(self.corners_mm.tolist(), self.ellipses, x_mm, y_mm)
        if separation is not None:
            return separation[0] - self.radius_mm, np.array(separation[1:])
        return self.search_distance(x_mm, y_mm)

    def search_distance(self, x_mm: float, y_mm: float) -> tuple[float, Array]:
        """Return the same by looking all around, for a point that is not surely outside."""
        flat = [math.atan2(y, x) for x, y in self.edge_normals().tolist()]
        sharp = [turn + math.pi / 2 * k for _, _, turn in self.ellipses for k in range(4)]
        angles = np.array(sorted({*_GRID.tolist(), *(angle % (2.0 * math.pi) for angle in flat + sharp)}))
        normals = unit_vectors(angles)
        around = np.asarray(normals @ (x_mm, y_mm) - self.support(normals)).tolist()
        measure = _build_separation(self, x_mm, y_mm)
        found = [_climb_peak(measure, *peak) for peak in _list_peaks(angles.tolist(), around)]
        least_mm = max(mm for mm, _ in found) - _PROVEN_MM  # of directions as good as one, the first
        mm, angle = next(each for each in found if each[0] >= least_mm)
        return mm, np.array((math.cos(angle), math.sin(angle)))


_Separation = Callable[[float], tuple[float, float, float]]
"""How far a point is from a set along a direction, how that grows with the angle, and how fast that growth falls."""


def _build_separation(whole: ConvexSet, x_mm: float, y_mm: float) -> _Separation:
    corners, axes = whole.corners_mm.tolist(), [(a * a, b * b, math.cos(t), math.sin(t)) for a, b, t in whole.ellipses]

    def measure(angle: float) -> tuple[float, float, float]:
        nx, ny = math.cos(angle), math.sin(angle)
        px, py, bend = _support_point(axes, nx, ny)
        heights = [nx * x + ny * y for x, y in corners]
        cx, cy = corners[heights.index(max(heights))]
        wx, wy = x_mm - px - cx, y_mm - py - cy
        mm = nx * wx + ny * wy
        return mm - whole.radius_mm, nx * wy - ny * wx, mm + bend

    return measure


_Peak = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
"""An angle and a value there, between two others that are no greater."""


def _list_peaks(angles: list[float], values: list[float]) -> list[_Peak]:
    """Return the peaks around the circle that could hide the greatest value."""
    spread = max([abs(one - other) for one, other in pairwise(values)])
    least, whole = max(values) - spread, 2.0 * math.pi
    before = [(angles[-1] - whole, values[-1]), *zip(angles, values, strict=True), (angles[0] + whole, values[0])]
    return [
        (before[at], before[at + 1], before[at + 2])
        for at, value in enumerate(values)
        # of two angles as good as one, each has its own side of the peak
        if value >= least and value >= max(before[at][1], before[at + 2][1]) - _ROUNDING_MM
    ]


_SAME_RAD = 1e-10
_LEVEL_MM = 1e-10
"""Of a separation, per radian."""


def _climb_peak(
    measure: _Separation, below: tuple[float, float], peak: tuple[float, float], above: tuple[float, float]
) -> tuple[float, float]:
    """Return the greatest value of a peak, and at which angle: by Newton's method, kept between what lies lower."""
    (low, low_mm), (angle, _), (high, high_mm) = below, peak, above
    best = -math.inf, angle
    for tried in range(_ROUNDS):
        mm, slope, fall = measure(angle)
        best = max(best, (mm, angle))
        if abs(slope) <= _LEVEL_MM or high - low <= _SAME_RAD:
            break
        if tried == 0 and slope * measure(angle + math.copysign(_SAME_RAD, slope))[1] <= 0:
            break  # a peak as sharp as an edge
        rises = slope > 0 if mm >= max(low_mm, high_mm) - _ROUNDING_MM else low_mm < high_mm
        if rises:
            low, low_mm = angle, mm
        else:
            high, high_mm = angle, mm
        angle = angle + slope / fall if fall > 0 else low
        if tried % 4 == 3 or not low < angle < high:
            angle = (low + high) / 2
    return best


def unit_vectors(angles: Array) -> Array:
    """Return the (m, 2) unit vectors of (m,) angles."""
    vectors = np.empty((len(angles), 2))
    vectors[:, 0] = np.cos(angles)
    vectors[:, 1] = np.sin(angles)
    return vectors


def maximise_on_circle(f: Callable[[Array], Array], candidates: Array) -> tuple[float, float]:
    """Return the angle and the greatest value of a function on the circle.

    ``candidates`` are angles where it may have a peak too sharp for a grid.  Every peak of the grid that could hide the
    greatest value is refined, until the bracket is 1e-9 rad wide; a smooth peak's value is then good to 1e-15 of its
    curvature, and a sharp one is a candidate itself.
    """
    angles = np.array(sorted({*_GRID.tolist(), *np.mod(candidates, 2.0 * math.pi).tolist()}))
    values = f(angles)
    least = np.maximum(np.roll(values, 1), np.roll(values, -1)) - _ROUNDING_MM
    peaks = np.flatnonzero(values >= least)  # of two angles as good as one, each has its own side of the peak
    best = int(values.argmax())
    angle, value = float(angles[best]), float(values[best])
    spread = float(np.abs(np.diff(values)).max())
    peaks = peaks[values[peaks] >= value - spread]
    below = np.where(peaks > 0, angles[peaks - 1], angles[-1] - 2.0 * math.pi)
    above = np.where(peaks + 1 < len(angles), angles[(peaks + 1) % len(angles)], angles[0] + 2.0 * math.pi)
    steps = np.linspace(0.0, 1.0, 17)
    while float((above - below).max()) > 1e-9:
        grid = below[:, None] + (above - below)[:, None] * steps
        sampled = f(grid.ravel()).reshape(grid.shape)
        top = sampled.argmax(axis=1)
        rows = np.arange(len(top))
        row = int(sampled[rows, top].argmax())
        if float(sampled[row, top[row]]) > value:
            angle, value = float(grid[row, top[row]]), float(sampled[row, top[row]])
        below, above = grid[rows, np.maximum(top - 1, 0)], grid[rows, np.minimum(top + 1, 16)]
    return angle, value


def hull(points_mm: Array) -> Array:
    """Return the corners of the convex hull, (k, 2), counter-clockwise, without straight ones."""
    around = shapely.convex_hull(shapely.MultiPoint(points_mm))
    if not isinstance(around, shapely.Polygon):
        return shapely.get_coordinates(around)
    ring = shapely.get_coordinates(around)[:-1]
    return drop_straight_corners(ring if _twice_area(ring) > 0 else ring[::-1])


def sum_rings(one: Array, two: Array) -> Array:
    """Return the corners of the Minkowski sum of two convex polygons, all counter-clockwise."""
    sides = np.concatenate((np.roll(one, -1, axis=0) - one, np.roll(two, -1, axis=0) - two))
    ring = sides[np.arctan2(sides[:, 1], sides[:, 0]).argsort(kind="stable")].cumsum(axis=0)
    return drop_straight_corners(ring + (one.max(axis=0) + two.max(axis=0) - ring.max(axis=0)))


def drop_straight_corners(ring: Array) -> Array:
    """Return a convex ring without the corners that lie on the line between their neighbours, or at one of them.

    What is left of a ring of no width is its two ends.
    """
    while len(ring) > 2:
        before = np.roll(ring, 1, axis=0)
        along, away = np.roll(ring, -1, axis=0) - before, ring - before
        length = np.hypot(along[:, 0], along[:, 1])
        ahead = away[:, 0] * along[:, 0] + away[:, 1] * along[:, 1]
        beside = np.abs(away[:, 0] * along[:, 1] - away[:, 1] * along[:, 0])
        straight = (beside <= STRAIGHT_MM * length) & (ahead >= 0) & (ahead <= length * length) & (length > 0)
        straight |= np.hypot(away[:, 0], away[:, 1]) <= STRAIGHT_MM
        if not straight.any():
            break
        # Never two beside each other at once, for each is measured from the other.
        even = np.arange(len(ring)) % 2 == 0
        even[-1] &= len(ring) % 2 == 0
        odd = np.arange(len(ring)) % 2 == 1
        dropped = next(each for each in (straight & even, straight & odd, straight) if each.any())
        ring = ring[~dropped]
    return ring[:1] if len(ring) == 2 and math.dist(*ring.tolist()) <= STRAIGHT_MM else ring


@lru_cache(maxsize=512)
def decompose_convex(shape: Base) -> tuple[ConvexSet, ...]:
    """Return convex sets whose union is the shape, in its own frame; only a concave outline has more than one."""
    point = np.zeros((1, 2))
    match shape:
        case Round(radius_mm=radius):
            return (ConvexSet(corners_mm=point, radius_mm=radius),)
        case Oval(length_mm=length, width_mm=width):
            return (ConvexSet(corners_mm=point, ellipses=((length / 2, width / 2, 0.0),)),)
        case Rect(length_mm=length, width_mm=width):
            x, y = length / 2, width / 2
            return (ConvexSet(corners_mm=drop_straight_corners(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]))),)
        case Outline(points_mm=points):
            corners = hull(np.array(points))
            polygon = shapely.Polygon(points)
            if _twice_area(corners) - 2 * polygon.area <= 2 * STRAIGHT_MM * polygon.length:
                return (ConvexSet(corners_mm=corners),)
            return tuple(ConvexSet(corners_mm=hull(ring)) for ring in partition_into_convex_rings(points))


def decompose_placed(placed: PlacedShape) -> tuple[ConvexSet, ...]:
    """Return the convex parts of a shape where it stands."""
    return tuple(part.move(placed.x_mm, placed.y_mm, placed.facing_rad) for part in decompose_convex(placed.shape))


@lru_cache(maxsize=512)
def outer_radius_mm(shape: Base) -> float:
    """Return the distance of the shape's furthest point from its origin."""
    match shape:
        case Round(radius_mm=radius):
            return radius
        case Oval(length_mm=length, width_mm=width):
            return max(length, width) / 2
        case Rect(length_mm=length, width_mm=width):
            return math.hypot(length, width) / 2
        case Outline(points_mm=points):
            return max(math.hypot(x, y) for x, y in points)


def find_bounding_disc(placed: PlacedShape) -> tuple[complex, float]:
    """Return the centre, as a complex number, and the radius of a disc around a shape where it stands."""
    middle, radius_mm = bound_by_disc(placed.shape)
    turn = complex(math.cos(placed.facing_rad), math.sin(placed.facing_rad))
    return complex(placed.x_mm, placed.y_mm) + middle * turn, radius_mm


@lru_cache(maxsize=512)
def bound_by_disc(shape: Base) -> tuple[complex, float]:
    """Return the centre of a disc around a shape at the origin, and its radius."""
    if not isinstance(shape, Outline):
        return 0j, outer_radius_mm(shape)
    corners = [complex(x, y) for x, y in shape.points_mm]
    middle = sum(corners) / len(corners)
    return middle, max(abs(corner - middle) for corner in corners)


@lru_cache(maxsize=512)
def inner_radius_mm(shape: Base) -> float:
    """Return the radius of the greatest disc around the shape's origin that lies inside it; 0 if there is none."""
    match shape:
        case Round(radius_mm=radius):
            return radius
        case Oval(length_mm=length, width_mm=width) | Rect(length_mm=length, width_mm=width):
            return min(length, width) / 2
        case Outline(points_mm=points):
            polygon, origin = shapely.Polygon(points), shapely.Point(0, 0)
            return float(polygon.exterior.distance(origin)) if polygon.contains(origin) else 0.0


def _rotate_into_frame(normals: Array, turn_rad: float) -> tuple[Array, Array]:
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    return normals[:, 0] * cos + normals[:, 1] * sin, normals[:, 1] * cos - normals[:, 0] * sin


def _twice_area(ring: Array) -> float:
    x, y = ring[:, 0], ring[:, 1]
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def _polygon_distance(corners: Array, point: Array) -> tuple[float, Array]:
    if len(corners) == 1:
        dx, dy = float(point[0] - corners[0, 0]), float(point[1] - corners[0, 1])
        mm = math.hypot(dx, dy)
        return mm, np.array((dx / mm, dy / mm)) if mm > 0 else np.array((1.0, 0.0))
    along = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(along[:, 0], along[:, 1])
    normals = np.column_stack((along[:, 1], -along[:, 0])) / lengths[:, None]
    offset = point - corners
    side = (offset * normals).sum(axis=1)
    top = int(side.argmax())
    share = np.clip((offset * along).sum(axis=1) / lengths**2, 0.0, 1.0)
    away = offset - share[:, None] * along
    gaps = np.hypot(away[:, 0], away[:, 1])
    near = int(gaps.argmin())
    if gaps[near] <= _TOUCHING_MM or (side[top] <= 0 and len(corners) > 2):
        return float(side[top]), normals[top]
    if 0 < share[near] < 1 and side[near] > 0:
        return float(side[near]), normals[near]
    return float(gaps[near]), away[near] / gaps[near]
