"""Contours: the edge between the legal and the other middles of a grid of squares, as polygons."""

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from assistant.geometry.clearance.shape_arrays import Flags, Ints
from assistant.geometry.shapes.convex import Array

_SIMPLER = 0.05
"""How far, in squares, an edge may be moved to leave out corners."""
_LEAST = 1e-3
"""How far from a legal middle, in squares, the edge is at least: no two corners of it fall together."""
_CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))
"""Of four middles next to each other, counter-clockwise; side k leads from the k-th to the next."""


def trace_contours(legal: Flags, shares: NDArray[np.float32], origin: Array, size_mm: float) -> BaseGeometry:
    """Return the polygons around the legal middles of a grid.

    Args:
        legal: Which middles are, by column and row, with a margin of one that are not.
        shares: How far from each of them, in squares, the edge lies towards one that is not, by column and row.
        origin: The corner of the first square within the margin.
        size_mm: The squares' size.

    """
    sides, following = _link_sides(legal)
    if not len(sides):
        return shapely.MultiPolygon()
    rings = _walk(following)
    points = origin + (_place_corners(legal, shares, sides) - 0.5) * size_mm
    numbers = np.repeat(np.arange(len(rings)), [len(ring) + 1 for ring in rings])
    closed = np.concatenate([[*ring, ring[0]] for ring in rings])
    lines: NDArray[np.object_] = np.asarray(shapely.linestrings(points[closed], indices=numbers))
    region: BaseGeometry = shapely.build_area(shapely.GeometryCollection(list(_simplify(lines, _SIMPLER * size_mm))))
    return region


def _simplify(rings: NDArray[np.object_], error_mm: float) -> NDArray[np.object_]:
    """Return rings with fewer corners, and none that meets itself: to see to that for all of them is slow."""
    found: NDArray[np.object_] = shapely.simplify(rings, error_mm, preserve_topology=False)
    spoilt = ~shapely.is_simple(found) | (shapely.get_num_coordinates(found) < 4)
    found[spoilt] = shapely.simplify(rings[spoilt], error_mm)
    return found


def _link_sides(legal: Flags) -> tuple[Ints, Ints]:
    """Return the sides between a legal middle and another, and which one the edge comes to after each.

    A side's number tells whether it leads up, and the column and row that it begins at.  The edge keeps what is legal
    to its left: it leaves four middles where, counter-clockwise, another one follows a legal one, and came in before
    the first of the legal ones.
    """
    around = [legal[x : x + legal.shape[0] - 1, y : y + legal.shape[1] - 1] for x, y in _CORNERS]
    column, row = np.nonzero(np.logical_or.reduce(around) & ~np.logical_and.reduce(around))
    corners = np.stack([legal[column + x, row + y] for x, y in _CORNERS])
    starts, ends = list[Ints](), list[Ints]()
    for k in range(4):
        leaving = np.flatnonzero(corners[k] & ~corners[(k + 1) % 4])
        first = np.full(len(leaving), k)
        for back in range(1, 4):
            goes_on = (first == (k - back + 1) % 4) & corners[(k - back) % 4, leaving]
            first[goes_on] = (k - back) % 4
        here = column[leaving], row[leaving]
        starts.append(_number_sides(legal.shape, *here, np.full(len(leaving), k)))
        ends.append(_number_sides(legal.shape, *here, (first - 1) % 4))
    begin, end = np.concatenate(starts), np.concatenate(ends)
    order = np.argsort(begin)
    begin, end = begin[order], end[order]
    return begin, np.searchsorted(begin, end)


def _number_sides(shape: tuple[int, ...], column: Ints, row: Ints, side: Ints) -> Ints:
    """Return the numbers of sides of squares of four middles: below, on the right, above, and on the left."""
    numbers: Ints = ((side % 2) * shape[0] + column + (side == 1)) * shape[1] + row + (side == 2)
    return numbers


def _place_corners(legal: Flags, shares: NDArray[np.float32], sides: Ints) -> Array:
    """Return where the edge crosses sides, by column and row."""
    column, row = np.divmod(sides, legal.shape[1])
    up, column = np.divmod(column, legal.shape[0])
    from_first = legal[column, row]
    here = np.stack((column, row), axis=1)
    along = np.stack((1 - up, up), axis=1)
    start = np.where(from_first[:, None], here, here + along)
    share = np.clip(shares[start[:, 0], start[:, 1]], _LEAST, 1 - _LEAST)
    placed: Array = start + np.where(from_first, share, -share)[:, None] * along
    return placed


def _walk(following: Ints) -> list[list[int]]:
    """Return the rings in which each number leads to the following one."""
    left, rings = following.tolist(), list[list[int]]()
    for begin in range(len(left)):
        ring, at = [], begin
        while left[at] >= 0:
            ring.append(at)
            left[at], at = -1, left[at]
        if ring:
            rings.append(ring)
    return rings
