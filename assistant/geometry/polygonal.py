"""Signed clearances of many pairs of polygons, or discs and polygons, at once.

The difference of two polygons is a polygon again, and its distance from the origin is their clearance.  Mostly the pair
of corners that are furthest towards each other, with the sides beside them, holds the nearest points.  If no side that
leaves these points comes nearer to the origin, nothing does, for the difference is convex: that proves the answer.  If
not, the direction just found is the next to look along.  What is left unproven after a few such steps, overlaps above
all, is measured by every side and the corner that it faces.
"""

import numpy as np

from assistant.geometry.convex import Array
from assistant.geometry.separations import Gaps, furthest_corner, pick
from assistant.geometry.standing import Flags, Ints

_STEPS = 4
_LEVEL = 1e-12
"""How much nearer to the origin a side may lead, for each millimetre of it, and still count as level."""
_APART_MM = 1e-6
"""What is nearer than this is left to the sides, for its direction is not sure."""
_TIE = 1e-10
"""A turn that decides which end of a parallel side is met first, above rounding and too small to be measured."""
_INWARD = np.array((1.0, -1.0, 1.0, -1.0))
"""On which side of each of the four ways that `_stepped` looks the difference lies: 1 to the left, -1 to the right."""


def discs_to_polygons(centres: Array, discs: Ints, radius: Array, polygons: Array, rows: Ints) -> Gaps:
    """Return the gaps from some discs to some polygons, of `Standing.centres` and a kind of `Standing.polygons`."""
    found, proven = _walked(centres, discs, polygons, rows)
    unsure = np.flatnonzero(~proven)
    if len(unsure):
        found[:, unsure] = _to_point(centres[:2, 0].take(discs[unsure], axis=1), polygons.take(rows[unsure], axis=2))
    found[0] -= radius
    found[3] += radius * found[1]
    found[4] += radius * found[2]
    return found


def polygons_to_polygons(one: Array, one_rows: Ints, two: Array, two_rows: Ints) -> Gaps:
    """Return the gaps between some polygons of one kind of `Standing.polygons` and some of another."""
    found, proven = _walked(one, one_rows, two, two_rows)
    unsure = np.flatnonzero(~proven)
    if len(unsure):
        found[:, unsure] = _by_sides(one.take(one_rows[unsure], axis=2), two.take(two_rows[unsure], axis=2))
    return found


def _walked(one: Array, one_rows: Ints, two: Array, two_rows: Ints) -> tuple[Gaps, Flags]:
    """Return gaps between polygons that are apart, and which of them are proven."""
    found, proven = np.empty((5, len(one_rows))), np.zeros(len(one_rows), dtype=bool)
    left = np.arange(len(one_rows))
    step = two[:2].mean(axis=1).take(two_rows, axis=1) - one[:2].mean(axis=1).take(one_rows, axis=1)
    nx, ny = step
    for _ in range(_STEPS):
        gaps, done = _stepped(furthest_corner(one, one_rows, nx, ny), furthest_corner(two, two_rows, -nx, -ny))
        found[:, left] = gaps
        proven[left] = done
        more = np.flatnonzero(~done)
        if not len(more):
            break
        left, one_rows, two_rows, nx, ny = left[more], one_rows[more], two_rows[more], gaps[1][more], gaps[2][more]
    return found, proven


def _stepped(one: Array, two: Array) -> tuple[Gaps, Flags]:
    """Return the least gaps between pairs of corners and the sides beside them, and which are the polygons' own."""
    wx, wy = two[0] - one[0], two[1] - one[1]
    ex, ey = (np.stack((two[k], -two[k + 3], -one[k], one[k + 3])) for k in (2, 3))  # the ways on from w
    length = np.stack((two[4], two[7], one[4], one[7]))
    way = wx * ex
    way += wy * ey
    np.negative(way, out=way)
    np.minimum(way, length, out=way)
    np.maximum(way, 0.0, out=way)
    px, py = way * ex, way * ey
    px += wx
    py += wy
    at = (px * px + py * py).argmin(axis=0)
    px, py, way, along_x, along_y = (pick(values, at) for values in (px, py, way, ex, ey))
    mm = np.sqrt(px * px + py * py)
    scale = 1.0 / np.maximum(mm, _APART_MM)
    nx, ny = px * scale, py * scale
    ex *= nx
    ey *= ny
    ex += ey
    outside = (nx * along_y - ny * along_x) * _INWARD.take(at) <= 0
    done = (ex.min(axis=0) >= -_LEVEL) & (outside | (way == 0)) & (mm > _APART_MM)
    way[at < 2] = 0.0
    return np.stack((mm, nx, ny, one[0] - way * along_x, one[1] - way * along_y)), done


def _to_point(point: Array, polygon: Array) -> Gaps:
    """Return the gaps between points and (8, corners, m) polygons."""
    x, y, ex, ey, length = polygon[:5]
    ox, oy = point[0] - x, point[1] - y
    side, along = ey * ox - ex * oy, ex * ox + ey * oy
    over = along - np.minimum(np.maximum(along, 0.0), length)
    mm, at, inside = _nearest(side, over)
    side, over, ex, ey = (pick(values, at) for values in (side, over, ex, ey))
    scale = 1.0 / np.where(inside, 1.0, mm)
    over, side = np.where(inside, 0.0, over * scale), np.where(inside, 1.0, side * scale)
    nx, ny = -(ey * side + ex * over), ex * side - ey * over
    return np.stack((mm, nx, ny, point[0], point[1]))


def _by_sides(one: Array, two: Array) -> Gaps:
    """Return the gaps between (8, corners, m) polygons, by each side of both and the corner that it faces."""
    mine, theirs = _facing(one, two, -_TIE), _facing(two, one, _TIE)
    side, over = (np.concatenate((a, b)) for a, b in zip(mine[:2], theirs[:2], strict=True))
    mm, at, inside = _nearest(side, over)
    split = len(one[0])
    own = at < split
    ex, ey = (pick(np.concatenate((one[k], two[k])), at) for k in (2, 3))
    scale = 1.0 / np.where(inside, 1.0, mm)
    over, side = np.where(inside, 0.0, pick(over, at) * scale), np.where(inside, 1.0, pick(side, at) * scale)
    sign = np.where(own, 1.0, -1.0)
    nx, ny = sign * (ey * side + ex * over), sign * (ey * over - ex * side)
    corner = pick(np.concatenate((mine[2], theirs[2])), at)
    cx = np.where(own, pick(two[0], np.where(own, corner, 0)) - mm * nx, pick(one[0], np.where(own, 0, corner)))
    cy = np.where(own, pick(two[1], np.where(own, corner, 0)) - mm * ny, pick(one[1], np.where(own, 0, corner)))
    return np.stack((mm, nx, ny, cx, cy))


def _nearest(side: Array, over: Array) -> tuple[Array, Ints, Flags]:
    """Return the signed distance to a polygon of its (sides, m) lines' distances and the ways beyond their ends."""
    top = side.max(axis=0)
    squared = side * side + over * over
    nearest = squared.argmin(axis=0)
    away = np.sqrt(pick(squared, nearest))
    inside = (top <= 0) | (away == 0)  # touching corners may have a side that is above zero by rounding
    return np.where(inside, top, away), np.where(inside, side.argmax(axis=0), nearest), inside


def _facing(one: Array, two: Array, tie: float) -> tuple[Array, Array, Ints]:
    """Return for each side the distance of the corner that faces it most, how far beyond its ends, and the corner."""
    x, y, ex, ey, length = one[:5]
    nx, ny = ey + tie * ex, tie * ey - ex
    ahead = nx[:, None] * (two[0] - x[0])[None] + ny[:, None] * (two[1] - y[0])[None]
    corner = ahead.argmin(axis=1)
    flat = corner * corner.shape[1] + np.arange(corner.shape[1])
    ox, oy = two[0].ravel()[flat] - x, two[1].ravel()[flat] - y
    along = ex * ox + ey * oy
    return ey * ox - ex * oy, along - np.minimum(np.maximum(along, 0.0), length), corner
