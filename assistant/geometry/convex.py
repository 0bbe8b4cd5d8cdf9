"""Convex sets by their support functions.

Everything here rests on one identity: the signed clearance between two convex sets is the signed distance of the
origin to their Minkowski difference, and the signed distance of a point x to a convex set is the greatest value over
all directions n of n.x - h(n), where h is the set's support function: the distance when apart, minus the penetration
depth when overlapping.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.geometry.division import convex_rings
from assistant.geometry.outside import Ellipse, distance_outside
from assistant.geometry.shapes import Base, Outline, Oval, Placed, Rect, Round

Array = NDArray[np.float64]
_ROUNDING_MM = 1e-11
_GRID = np.linspace(0.0, 2.0 * math.pi, 97)[:-1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Convex:
    """The Minkowski sum of a convex polygon (or a single point), ellipses, and a disc."""

    corners_mm: Array
    """(k, 2), counter-clockwise, k = 1 or k >= 3."""
    radius_mm: float = 0.0
    ellipses: tuple[Ellipse, ...] = ()

    def support(self, normals: Array) -> Array:
        """Return h(n), the furthest extent in each of (m, 2) unit directions, as (m,) millimetres."""
        extent: Array = (normals @ self.corners_mm.T).max(axis=1) + self.radius_mm
        for a, b, turn in self.ellipses:
            u, v = _in_frame(normals, turn)
            extent = extent + np.hypot(a * u, b * v)
        return extent

    def points(self, normals: Array) -> Array:
        """Return the (m, 2) boundary points that lie furthest in each of (m, 2) unit directions."""
        points: Array = self.corners_mm[(normals @ self.corners_mm.T).argmax(axis=1)] + self.radius_mm * normals
        for a, b, turn in self.ellipses:
            u, v = _in_frame(normals, turn)
            reach = np.hypot(a * u, b * v)
            cos, sin = math.cos(turn), math.sin(turn)
            along, across = a * a * u / reach, b * b * v / reach
            points = points + np.column_stack((along * cos - across * sin, along * sin + across * cos))
        return points

    def edge_normals(self) -> Array:
        """Return the outward normals of the polygon's edges, (k, 2); edge i runs from corner i to the next."""
        if len(self.corners_mm) == 1:
            return np.empty((0, 2))
        along = np.roll(self.corners_mm, -1, axis=0) - self.corners_mm
        outward = np.column_stack((along[:, 1], -along[:, 0]))
        normals: Array = outward / np.hypot(outward[:, 0], outward[:, 1])[:, None]
        return normals

    def moved(self, x_mm: float, y_mm: float, turn_rad: float = 0.0) -> "Convex":
        """Return the set turned about the origin, then shifted."""
        cos, sin = math.cos(turn_rad), math.sin(turn_rad)
        corners = self.corners_mm @ np.array([[cos, sin], [-sin, cos]]) + (x_mm, y_mm)
        return replace(self, corners_mm=corners, ellipses=tuple((a, b, t + turn_rad) for a, b, t in self.ellipses))

    def reflected(self) -> "Convex":
        """Return the set mirrored in the origin."""
        return replace(self, corners_mm=-self.corners_mm)

    def grown(self, margin_mm: float) -> "Convex":
        """Return all points within a distance of the set."""
        return replace(self, radius_mm=self.radius_mm + margin_mm)

    def plus(self, other: "Convex") -> "Convex":
        """Return the Minkowski sum."""
        one, two = self.corners_mm, other.corners_mm
        sums = (one[:, None, :] + two[None, :, :]).reshape(-1, 2)
        return Convex(
            corners_mm=hull(sums) if len(one) > 1 and len(two) > 1 else sums,
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
        found = distance_outside(self.corners_mm.tolist(), self.ellipses, x_mm, y_mm)
        if found is not None:
            return found[0] - self.radius_mm, np.array(found[1:])
        flat = [np.arctan2(n[1], n[0]) for n in self.edge_normals()]
        sharp = [turn + math.pi / 2 * k for _, _, turn in self.ellipses for k in range(4)]
        angle, mm = greatest_on_circle(
            lambda angles: unit(angles) @ (x_mm, y_mm) - self.support(unit(angles)), np.array(flat + sharp)
        )
        return mm, unit(np.array([angle]))[0]


def unit(angles: Array) -> Array:
    """Return the (m, 2) unit vectors of (m,) angles."""
    return np.column_stack((np.cos(angles), np.sin(angles)))


def greatest_on_circle(f: Callable[[Array], Array], candidates: Array) -> tuple[float, float]:
    """Return the angle and the greatest value of a function on the circle.

    ``candidates`` are angles where it may have a peak too sharp for a grid.  Every peak of the grid that could hide the
    greatest value is refined, until the bracket is 1e-9 rad wide; a smooth peak's value is then good to 1e-15 of its
    curvature, and a sharp one is a candidate itself.
    """
    angles = np.unique(np.concatenate((_GRID, np.mod(candidates, 2.0 * math.pi))))
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
    """Return the corners of the convex hull, (k, 2), counter-clockwise."""
    ring = shapely.get_coordinates(shapely.convex_hull(shapely.MultiPoint(points_mm)))[:-1]
    return ring if _twice_area(ring) > 0 else ring[::-1]


@lru_cache(maxsize=512)
def convex_parts(shape: Base) -> tuple[Convex, ...]:
    """Return convex sets whose union is the shape, in its own frame; only a concave outline has more than one."""
    point = np.zeros((1, 2))
    match shape:
        case Round(radius_mm=radius):
            return (Convex(corners_mm=point, radius_mm=radius),)
        case Oval(length_mm=length, width_mm=width):
            return (Convex(corners_mm=point, ellipses=((length / 2, width / 2, 0.0),)),)
        case Rect(length_mm=length, width_mm=width):
            x, y = length / 2, width / 2
            return (Convex(corners_mm=np.array([(-x, -y), (x, -y), (x, y), (-x, y)])),)
        case Outline(points_mm=points):
            corners = hull(np.array(points))
            polygon = shapely.Polygon(points)
            if math.isclose(_twice_area(corners), 2 * polygon.area, rel_tol=1e-12):
                return (Convex(corners_mm=corners),)
            return tuple(Convex(corners_mm=hull(ring)) for ring in convex_rings(points))


def placed_parts(placed: Placed) -> tuple[Convex, ...]:
    """Return the convex parts of a shape where it stands."""
    return tuple(part.moved(placed.x_mm, placed.y_mm, placed.facing_rad) for part in convex_parts(placed.shape))


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


def _in_frame(normals: Array, turn_rad: float) -> tuple[Array, Array]:
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
    if side[top] <= 0 or gaps[near] == 0:
        return float(side[top]), normals[top]
    return float(gaps[near]), away[near] / gaps[near]
