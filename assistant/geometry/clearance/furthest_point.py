"""Furthest point: the point of one shape that is furthest from another, and the outline points it is among.

The distance to a convex set is a convex function, so it is greatest at a corner of the first shape or on its smooth
rim.  The distance to a concave outline is the least of those to its convex parts and may be greatest anywhere.  That is
found by branch and bound over triangles: a convex function lies below the plane through its values at the corners, so
on a triangle the least of two lies below the least of two planes, whose greatest value is at a corner or on a side,
where they cross.  The rim of an ellipse is held by triangles between a chord and the tangents at its ends.
"""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.geometry.clearance import gap_kernels
from assistant.geometry.clearance.shape_arrays import build_shape_arrays
from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.base_shapes import Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import Array, decompose_convex, maximise_on_circle


@dataclass(frozen=True, slots=True, kw_only=True)
class FurthestPoint:
    """The point of a shape that is furthest from a place."""

    mm: float
    point: Point


def contains(placed: PlacedShape, points_mm: Array) -> NDArray[np.bool_]:
    """Return which of (m, 2) points lie in a shape or on its edge, as (m,)."""
    cos, sin = math.cos(placed.facing_rad), math.sin(placed.facing_rad)
    u, v = ((points_mm - (placed.x_mm, placed.y_mm)) @ np.array([[cos, -sin], [sin, cos]])).T
    match placed.shape:
        case Round(radius_mm=radius):
            return np.asarray(u * u + v * v <= radius**2)
        case Oval(length_mm=length, width_mm=width):
            return np.asarray((u * 2 / length) ** 2 + (v * 2 / width) ** 2 <= 1)
        case Rect(length_mm=length, width_mm=width):
            return np.asarray((np.abs(u) <= length / 2) & (np.abs(v) <= width / 2))
        case Outline(points_mm=points):
            return np.asarray(shapely.intersects_xy(shapely.Polygon(points), u, v))


def list_corners_mm(placed: PlacedShape) -> Array:
    """Return the corners, (k, 2), of a rectangle or outline where it stands; none of a disc or ellipse."""
    match placed.shape:
        case Rect(length_mm=length, width_mm=width):
            local = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (length / 2, width / 2)
        case Outline(points_mm=points):
            local = np.array(points, dtype=float)
        case _:
            return np.empty((0, 2))
    return place_points(placed, local)


def sample_rim(placed: PlacedShape, angles: Array) -> Array:
    """Return points, (m, 2), of the rim of a disc or ellipse where it stands; angle 0 is its front.

    For an ellipse with semi-axes a and b the angle u stands for (a cos u, b sin u).
    """
    match placed.shape:
        case Round(radius_mm=radius):
            a = b = radius
        case Oval(length_mm=length, width_mm=width):
            a, b = length / 2, width / 2
        case _:
            raise TypeError("only discs and ellipses have a smooth rim")
    return place_points(placed, np.column_stack((a * np.cos(angles), b * np.sin(angles))))


def place_points(placed: PlacedShape, local: Array) -> Array:
    """Return (m, 2) points of a shape's own frame where it stands."""
    cos, sin = math.cos(placed.facing_rad), math.sin(placed.facing_rad)
    placed_points: Array = local @ np.array([[cos, sin], [-sin, cos]]) + (placed.x_mm, placed.y_mm)
    return placed_points


_EXACT_MM = 5e-7


def find_furthest_point(one: PlacedShape, other: PlacedShape) -> FurthestPoint:
    """Return the point of one shape that is furthest from another shape, horizontally; 0 mm where it lies inside.

    Exact to 1e-6 mm.
    """
    if len(decompose_convex(other.shape)) > 1:
        return _search_concave(one, other)
    candidates = list_corners_mm(one)
    if not len(candidates):

        def away(angles: Array) -> Array:
            return _distances_mm(sample_rim(one, angles), other)

        angle, _ = maximise_on_circle(away, np.arange(4) * math.pi / 2)
        candidates = sample_rim(one, np.array([angle]))
    return _pick_furthest(candidates, _distances_mm(candidates, other))


def _pick_furthest(points: Array, distances: Array) -> FurthestPoint:
    at = int(distances.argmax())
    return FurthestPoint(mm=float(distances[at]), point=(float(points[at, 0]), float(points[at, 1])))


def _search_concave(one: PlacedShape, other: PlacedShape) -> FurthestPoint:
    outline = shapely.Polygon(list_corners_mm(other))
    shapely.prepare(outline)
    parts = [
        PlacedShape(
            shape=Outline(points_mm=tuple((float(x), float(y)) for x, y in part.corners_mm)),
            x_mm=other.x_mm,
            y_mm=other.y_mm,
            facing_rad=other.facing_rad,
        )
        for part in decompose_convex(other.shape)
    ]
    cells, arcs = _cover_with_triangles(one)
    best = FurthestPoint(mm=-1.0, point=(0.0, 0.0))
    while len(cells):
        corners = cells.reshape(-1, 2)
        to_parts = np.stack([_distances_mm(corners, part) for part in parts])
        least = to_parts.min(axis=0)
        in_shape = np.ones((len(cells), 3), dtype=bool)
        in_shape[:, 2] = np.isnan(arcs[:, 0])  # where tangents meet is not in the shape
        best = max(
            best, _pick_furthest(corners[in_shape.ravel()], least[in_shape.ravel()]), key=lambda candidate: candidate.mm
        )
        open_ = _bound_least_mm(to_parts.reshape(len(parts), -1, 3)) > best.mm + _EXACT_MM
        open_ &= ~shapely.covers(outline, shapely.polygons(cells))
        cells, arcs = _halve_triangles(one, cells[open_], arcs[open_])
    return best


def _cover_with_triangles(one: PlacedShape) -> tuple[Array, Array]:
    """Return triangles, (m, 3, 2), that cover a shape, and the arcs that some hold, (m, 2) angles, NaN for others."""
    if isinstance(one.shape, Round | Oval):
        third = np.arange(3, dtype=np.float64) * (2 * math.pi / 3)
        arcs = np.column_stack((third, third + 2 * math.pi / 3))
        inner = sample_rim(one, third)[None]
        return np.concatenate((inner, _build_caps(one, arcs))), np.concatenate((np.full((1, 2), np.nan), arcs))
    fans = [
        np.stack([part.corners_mm[[0, k, k + 1]] for k in range(1, len(part.corners_mm) - 1)])
        for part in decompose_convex(one.shape)
    ]
    cells = place_points(one, np.concatenate(fans).reshape(-1, 2)).reshape(-1, 3, 2)
    return cells, np.full((len(cells), 2), np.nan)


def _build_caps(one: PlacedShape, arcs: Array) -> Array:
    """Return the triangles of chords and the tangents at their ends, (m, 3, 2), the tangents' meeting last."""
    centre = np.array((one.x_mm, one.y_mm))
    middle = sample_rim(one, arcs.mean(axis=1)) - centre
    apex = centre + middle / np.cos((arcs[:, 1] - arcs[:, 0]) / 2)[:, None]
    return np.stack((sample_rim(one, arcs[:, 0]), sample_rim(one, arcs[:, 1]), apex), axis=1)


def _halve_triangles(one: PlacedShape, cells: Array, arcs: Array) -> tuple[Array, Array]:
    """Halve triangles across their longest side, and arcs."""
    round_ = ~np.isnan(arcs[:, 0])
    flat, bent = cells[~round_], arcs[round_]
    sides = np.hypot(*np.moveaxis(np.roll(flat, -1, axis=1) - flat, 2, 0))
    first = sides.argmax(axis=1)
    row = np.arange(len(flat))
    a, b, c = (flat[row, (first + k) % 3] for k in range(3))
    middle = (a + b) / 2
    centre: Array = bent.mean(axis=1)
    bent = np.concatenate((np.column_stack((bent[:, 0], centre)), np.column_stack((centre, bent[:, 1]))))
    inner = cells[round_].copy()
    inner[:, 2] = sample_rim(one, centre) if len(centre) else inner[:, 2]
    plain = np.concatenate((np.stack((a, middle, c), axis=1), np.stack((middle, b, c), axis=1), inner))
    if not len(bent):
        return plain, np.full((len(plain), 2), np.nan)
    return np.concatenate((plain, _build_caps(one, bent))), np.concatenate((np.full((len(plain), 2), np.nan), bent))


def _bound_least_mm(values: Array) -> Array:
    """Return bounds, (m,), of the least of convex functions on triangles from their (functions, m, 3) corner values."""
    bounds = np.full(values.shape[1], math.inf)
    for one, two in combinations(values, 2):
        greatest = np.minimum(one, two).max(axis=1)
        ahead, following = one - two, np.roll(one, -1, axis=1)
        step = ahead - np.roll(ahead, -1, axis=1)
        share = np.divide(ahead, step, out=np.full_like(ahead, -1.0), where=step != 0)
        crossing = np.where((share >= 0) & (share <= 1), one + share * (following - one), -math.inf)
        bounds = np.minimum(bounds, np.maximum(greatest, crossing.max(axis=1)))
    return bounds


def _distances_mm(points: Array, convex: PlacedShape) -> Array:
    """Return how far (m, 2) points are from a convex shape, 0 inside, as (m,)."""
    away = np.zeros(len(points))
    outside = np.flatnonzero(~contains(convex, points))
    if not len(outside):
        return away
    standing = build_shape_arrays([convex])
    spots, rows = np.zeros((8, 1, len(outside))), np.arange(len(outside))
    spots[:2, 0] = points[outside].T
    match convex.shape:
        case Round(radius_mm=radius):
            gaps_mm = np.hypot(spots[0, 0] - convex.x_mm, spots[1, 0] - convex.y_mm) - radius
        case Oval():
            gaps_mm = gap_kernels.measure_ellipses(spots[:7, 0], np.repeat(standing.smooth, len(outside), axis=1))[0]
        case _:
            gaps_mm = gap_kernels.measure_discs_to_polygons(
                spots, rows, np.zeros(len(rows)), standing.polygons[0], 0 * rows
            )[0]
    away[outside] = np.maximum(gaps_mm, 0.0)
    return away
