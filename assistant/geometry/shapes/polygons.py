"""Polygons of convex sets, to draw and to cut with, with a stated error; unions and parts of regions."""

import math
from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.shapes.convex import Array, ConvexSet, unit_vectors

_BESIDE_RAD = 1e-7
_MERGE_RAD = 1e-4
_HEAP = 1.5
"""Polygons lie in a heap where they cover the box around them so many times over."""


def circumscribe(shape: ConvexSet, error_mm: float) -> shapely.Polygon:
    """Return a polygon around the set, nowhere further from it than ``error_mm``."""
    if shape.radius_mm <= 0 and not shape.ellipses:
        return shapely.Polygon(shape.corners_mm) if len(shape.corners_mm) > 2 else shapely.Polygon()
    flat = _edge_angles(shape)
    angles = np.concatenate((_choose_directions(shape, error_mm, flat), flat))
    angles.sort()
    normals = unit_vectors(angles)
    offsets = shape.support(normals)
    around = np.arange(1, len(angles) + 1)
    around[-1] = 0
    (u, v), (after_u, after_v), after = normals.T, normals[around].T, offsets[around]
    corners = np.empty((len(angles), 2))
    corners[:, 0], corners[:, 1] = offsets * after_v - after * v, after * u - offsets * after_u
    return cast("shapely.Polygon", shapely.polygons(corners / (u * after_v - v * after_u)[:, None]))


def inscribe(shape: ConvexSet, error_mm: float) -> shapely.Polygon:
    """Return a polygon inside the set, nowhere further from its edge than ``error_mm``; empty for a set of no width."""
    flat = _edge_angles(shape)
    angles = np.concatenate((_choose_directions(shape, error_mm, flat), flat - _BESIDE_RAD, flat + _BESIDE_RAD))
    points = shape.support_points(unit_vectors(np.sort(np.mod(angles, 2 * math.pi))))
    hull = shapely.convex_hull(shapely.MultiPoint(points))
    return hull if isinstance(hull, shapely.Polygon) else shapely.Polygon()


def unite_polygons(parts: Sequence[shapely.Polygon]) -> BaseGeometry:
    """Return the union of polygons; by a buffer of nothing, which takes a third of the time of GEOS's own union.

    It intersects every edge with every other near it, so polygons that lie in a heap are united two by two instead.
    """
    if not parts:
        return shapely.Polygon()
    whole = shapely.multipolygons(parts)
    left, low, right, high = whole.bounds
    if whole.area > _HEAP * (right - left) * (high - low):
        return shapely.union_all(list(dict.fromkeys(parts)))
    return shapely.buffer(whole, 0.0)


def extract_polygons(region: BaseGeometry) -> shapely.MultiPolygon:
    """Return the part of a region that has an area."""
    parts = shapely.get_parts(region)
    kept = (shapely.get_type_id(parts) == shapely.GeometryType.POLYGON) & ~shapely.is_empty(parts)
    if isinstance(region, shapely.MultiPolygon) and kept.all():
        return region
    return cast("shapely.MultiPolygon", shapely.multipolygons(parts[kept]))


def cut_holes(region: BaseGeometry) -> Iterator[shapely.Polygon]:
    """Yield polygons without holes that together cover a region: a part with a hole is cut across it."""
    for part in extract_polygons(region).geoms:
        if not part.interiors:
            yield part
            continue
        (left, low, right, high), across = part.bounds, part.interiors[0].centroid.x
        for half in (shapely.box(left, low, across, high), shapely.box(across, low, right, high)):
            yield from cut_holes(shapely.intersection(part, half))


def _count_steps(bend_mm: float, error_mm: float) -> int:
    """Return into how many steps a turn is divided around what bends no less than a circle of some radius."""
    bend_mm = max(bend_mm, error_mm)
    return max(8, math.ceil(2 * math.pi / (2 * math.acos(bend_mm / (bend_mm + error_mm)) - _MERGE_RAD)))


def _choose_directions_by_curvature(shape: ConvexSet, error_mm: float) -> Array:
    """Return directions that are dense where the set is flat, as a needle of an ellipse nearly all around is.

    Those of an ellipse are even on the circle that it is made from; between the same two directions the error of a sum
    is the sum of the errors, so each of its parts has its share.
    """
    parts = [*([(shape.radius_mm, shape.radius_mm, 0.0)] if shape.radius_mm > 0 else []), *shape.ellipses]
    angles = []
    for a, b, turn in parts:
        around = np.linspace(0.0, 2 * math.pi, _count_steps(max(a, b), error_mm / len(parts)), endpoint=False)
        angles.append(np.arctan2(a * np.sin(around), b * np.cos(around)) + turn)
    ordered = np.sort(np.mod(np.concatenate(angles), 2 * math.pi)) if angles else np.empty(0)
    apart = np.diff(ordered, prepend=ordered[-1:] - 2 * math.pi)
    return ordered[apart > _BESIDE_RAD]


def _edge_angles(shape: ConvexSet) -> Array:
    normals = shape.edge_normals()
    return np.mod(np.arctan2(normals[:, 1], normals[:, 0]), 2 * math.pi)


def _choose_directions(shape: ConvexSet, error_mm: float, flat: Array) -> Array:
    """Return directions so close that chords and tangents stay within the error, none beside an edge's own."""
    bend = shape.radius_mm + sum(max(a * a / b, b * b / a) for a, b, _ in shape.ellipses)
    count = _count_steps(bend, error_mm)
    angles: Array = np.arange(count, dtype=float) * (2 * math.pi / count)
    if shape.ellipses:
        needle = _choose_directions_by_curvature(shape, error_mm)
        if 2 * len(needle) < count:
            angles = needle
    if not len(flat):
        return angles
    apart = np.abs(np.mod(angles[:, None] - flat[None, :] + math.pi, 2 * math.pi) - math.pi)
    kept: Array = angles[apart.min(axis=1) > _MERGE_RAD]
    return kept
