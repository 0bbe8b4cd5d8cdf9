"""Signed clearances of many pairs of convex items at once, one function for each pair of kinds.

For a direction n from the first item to the second, the separation is s(n) = n.w, where w leads from the first item's
furthest point along n to the second's furthest point against n.  The distance lies between s(n) and |w|, so whatever
found n, the two being equal proves the answer.  Directions are refined by Newton's method, which for two smooth
outlines replaces each by its circle of curvature: the next n points along w + (r1 + r2) n.  Where that does not end in
a proof, as for overlaps with an ellipse, every peak of s around the circle is searched.
"""

import math
from collections.abc import Callable

import numpy as np

from assistant.geometry.convex import Array
from assistant.geometry.standing import Flags, Ints

_EXACT_MM = 1e-8
"""How much further apart the two measured points may be than the separation that proves them nearest."""
_ROUNDS = 12
_TIE = 1e-10
"""A turn that decides which end of a parallel side is met first, above rounding and too small to be measured."""
_TINY = 1e-300
_GRID = np.linspace(0.0, 2.0 * math.pi, 97)[:-1]
_SPLIT = np.linspace(0.0, 1.0, 17)

Gaps = Array
"""(5, m): clearance in millimetres, unit normal from first to second x and y, the first's measured point x and y."""


def discs(one: Array, two: Array, radius_one: Array, radius_two: Array) -> Gaps:
    """Return the gaps between discs."""
    dx, dy = two[0] - one[0], two[1] - one[1]
    apart = np.sqrt(dx * dx + dy * dy)
    same = apart == 0
    scale = 1.0 / np.where(same, 1.0, apart)
    nx, ny = np.where(same, 1.0, dx * scale), dy * scale
    return np.stack((apart - radius_one - radius_two, nx, ny, one[0] + radius_one * nx, one[1] + radius_one * ny))


def disc_polygon(disc: Array, radius: Array, polygon: Array) -> Gaps:
    """Return the gaps between discs and (5, corners, m) polygons."""
    x, y, ex, ey, length = polygon
    ox, oy = disc[0] - x, disc[1] - y
    side, along = ey * ox - ex * oy, ex * ox + ey * oy
    over = along - np.minimum(np.maximum(along, 0.0), length)
    mm, at, inside = _nearest(side, over)
    side, over, ex, ey = (_pick(values, at) for values in (side, over, ex, ey))
    scale = 1.0 / np.where(inside, 1.0, mm)
    over, side = np.where(inside, 0.0, over * scale), np.where(inside, 1.0, side * scale)
    nx, ny = -(ey * side + ex * over), ex * side - ey * over
    return np.stack((mm - radius, nx, ny, disc[0] + radius * nx, disc[1] + radius * ny))


def polygons(one: Array, two: Array) -> Gaps:
    """Return the gaps between polygons: each one's sides and the corners they face are their difference's sides."""
    mine, theirs = _facing(one, two, -_TIE), _facing(two, one, _TIE)
    side, over = (np.concatenate((a, b)) for a, b in zip(mine[:2], theirs[:2], strict=True))
    mm, at, inside = _nearest(side, over)
    split = len(one[0])
    own = at < split
    ex, ey = (_pick(np.concatenate((one[k], two[k])), at) for k in (2, 3))
    scale = 1.0 / np.where(inside, 1.0, mm)
    over, side = np.where(inside, 0.0, _pick(over, at) * scale), np.where(inside, 1.0, _pick(side, at) * scale)
    sign = np.where(own, 1.0, -1.0)
    nx, ny = sign * (ey * side + ex * over), sign * (ey * over - ex * side)
    corner = _pick(np.concatenate((mine[2], theirs[2])), at)
    cx = np.where(own, _pick(two[0], np.where(own, corner, 0)) - mm * nx, _pick(one[0], np.where(own, 0, corner)))
    cy = np.where(own, _pick(two[1], np.where(own, corner, 0)) - mm * ny, _pick(one[1], np.where(own, 0, corner)))
    return np.stack((mm, nx, ny, cx, cy))


def smooth(one: Array, two: Array) -> Gaps:
    """Return the gaps between ellipses, or ellipses and discs, given as (7, m) forms."""
    found, proven = _newton(one, two)
    unsure = np.flatnonzero(~proven)
    if len(unsure):
        found[:, unsure] = _searched(one[:, unsure], two[:, unsure], None)
    return found


def ellipse_polygon(ellipse: Array, polygon: Array) -> Gaps:
    """Return the gaps between ellipses and (5, corners, m) polygons."""
    bx, by, ex, ey, length = polygon
    px, py, xx, xy, yy = ellipse[:5]
    reach = np.sqrt(xx * ey * ey - 2 * xy * ey * ex + yy * ex * ex)
    side = np.where(length > 0, ey * (px - bx) - ex * (py - by) - reach, -math.inf)
    best = side.argmax(axis=0)
    bx, by, ex, ey, reach, length, mm = (_pick(v, best) for v in (bx, by, ex, ey, reach, length, side))
    scale = 1.0 / np.maximum(reach, _TINY)
    qx, qy = px + (xy * ex - xx * ey) * scale, py + (yy * ex - xy * ey) * scale
    along = ex * (qx - bx) + ey * (qy - by)
    found = np.stack((mm, -ey, ex, qx, qy))
    unsure = np.flatnonzero((along < 0) | (along > length) | (mm <= 0))
    if len(unsure):
        end = np.where(along > length, length, 0.0)[unsure]
        corner = np.zeros((7, len(unsure)))
        corner[0], corner[1] = bx[unsure] + ex[unsure] * end, by[unsure] + ey[unsure] * end
        at_corner, proven = _newton(ellipse[:, unsure], corner)
        nx, ny = at_corner[1], at_corner[2]
        first = nx * (polygon[0][:, unsure] - corner[0]) + ny * (polygon[1][:, unsure] - corner[1])
        proven &= first.min(axis=0) > -_EXACT_MM
        found[:, unsure] = at_corner
        unsure = unsure[~proven]
    if len(unsure):
        found[:, unsure] = _searched(ellipse[:, unsure], None, polygon[:, :, unsure])
    return found


def _pick(values: Array, at: Ints) -> Array:
    """Return values[at[m], m]."""
    picked: Array = values.ravel()[at * values.shape[1] + np.arange(values.shape[1])]
    return picked


def _nearest(side: Array, over: Array) -> tuple[Array, Ints, Flags]:
    """Return the signed distance to a polygon of its (sides, m) lines' distances and the ways beyond their ends."""
    top = side.max(axis=0)
    squared = side * side + over * over
    nearest = squared.argmin(axis=0)
    away = np.sqrt(_pick(squared, nearest))
    inside = (top <= 0) | (away == 0)  # touching corners may have a side that is above zero by rounding
    return np.where(inside, top, away), np.where(inside, side.argmax(axis=0), nearest), inside


def _facing(one: Array, two: Array, tie: float) -> tuple[Array, Array, Ints]:
    """Return for each side the distance of the corner that faces it most, how far beyond its ends, and the corner."""
    x, y, ex, ey, length = one
    nx, ny = ey + tie * ex, tie * ey - ex
    ahead = nx[:, None] * (two[0] - x[0])[None] + ny[:, None] * (two[1] - y[0])[None]
    corner = ahead.argmin(axis=1)
    flat = corner * corner.shape[1] + np.arange(corner.shape[1])
    ox, oy = two[0].ravel()[flat] - x, two[1].ravel()[flat] - y
    along = ex * ox + ey * oy
    return ey * ox - ex * oy, along - np.minimum(np.maximum(along, 0.0), length), corner


def _newton(one: Array, two: Array) -> tuple[Gaps, Flags]:
    """Return gaps between ellipses (discs, points) that are apart, and which of them are proven."""
    count = one.shape[1]
    found, proven = np.empty((5, count)), np.zeros(count, dtype=bool)
    left = np.arange(count)
    nx, ny = two[0] - one[0], two[1] - one[1]
    nx = np.where((nx == 0) & (ny == 0), 1.0, nx)
    for _ in range(_ROUNDS):
        scale = 1.0 / np.sqrt(np.maximum(nx * nx + ny * ny, _TINY))
        nx, ny = nx * scale, ny * scale
        ax, ay, bend_one = _furthest(one, nx, ny)
        bx, by, bend_two = _furthest(two, nx, ny)
        wx, wy = two[0] - one[0] - ax - bx, two[1] - one[1] - ay - by
        mm, aside = nx * wx + ny * wy, nx * wy - ny * wx
        done = (aside * aside < _EXACT_MM * mm) & (mm > 0)  # then |w| - s(n) is less than half of it
        away = np.sqrt(mm * mm + aside * aside)
        scale = 1.0 / np.maximum(away, _TINY)
        found[:, left] = away, wx * scale, wy * scale, one[0] + ax, one[1] + ay
        proven[left[done]] = True
        more = np.flatnonzero(~done)
        if not len(more):
            break
        bend = bend_one + bend_two
        nx, ny = wx + bend * nx, wy + bend * ny
        if len(more) < 0.7 * len(left):
            left, nx, ny, one, two = left[more], nx[more], ny[more], one[:, more], two[:, more]
    return found, proven


def _furthest(form: Array, nx: Array, ny: Array) -> tuple[Array, Array, Array]:
    """Return an ellipse's furthest point along a direction, from its centre, and its radius of curvature there."""
    gx, gy = form[2] * nx + form[3] * ny, form[3] * nx + form[4] * ny
    scale = 1.0 / np.sqrt(np.maximum(nx * gx + ny * gy, _TINY))
    return gx * scale, gy * scale, form[5] * scale * scale * scale


def _searched(one: Array, two: Array | None, polygon: Array | None) -> Gaps:
    """Return gaps between ellipses and ellipses or polygons, apart or not, from every peak of the separation."""
    sharp = [one[6] + k * math.pi / 2 for k in range(4)]
    if two is not None:
        sharp += [two[6] + k * math.pi / 2 for k in range(4)]
    if polygon is not None:
        sharp += list(np.arctan2(polygon[2], -polygon[3]))

    def separation(angles: Array, of: Ints) -> Array:
        nx, ny = np.cos(angles), np.sin(angles)
        ahead = -_reach(one[:, of], nx, ny)
        if two is not None:
            ahead += nx * (two[0] - one[0])[of] + ny * (two[1] - one[1])[of]
            return ahead - _reach(two[:, of], nx, ny)
        assert polygon is not None
        x, y = polygon[0][:, of] - one[0][of], polygon[1][:, of] - one[1][of]
        corners = nx[..., None, :] * x + ny[..., None, :] * y
        ahead += corners.min(axis=-2)
        return ahead

    angle = _greatest(separation, np.array(sharp))
    mm = separation(angle[None], np.arange(len(angle)))[0]
    nx, ny = np.cos(angle), np.sin(angle)
    ax, ay, _ = _furthest(one, nx, ny)
    return np.stack((mm, nx, ny, one[0] + ax, one[1] + ay))


def _reach(form: Array, nx: Array, ny: Array) -> Array:
    reach: Array = np.sqrt(np.maximum(form[2] * nx * nx + 2 * form[3] * nx * ny + form[4] * ny * ny, 0.0))
    return reach


def _greatest(f: Callable[[Array, Ints], Array], sharp: Array) -> Array:
    """Return the angles at which functions on the circle, (angles, m) of (m,) each, are greatest.

    ``sharp`` holds the angles, (k, m), of peaks too sharp for a grid.  All peaks that could hide the greatest value are
    closed in on at once, until their brackets are 1e-8 rad wide.
    """
    count = sharp.shape[1]
    grid = np.broadcast_to(_GRID[:, None], (len(_GRID), count))
    angles = np.sort(np.concatenate((grid, np.mod(sharp, 2.0 * math.pi))), axis=0)
    values = f(angles, np.arange(count))
    spread = np.abs(np.diff(values, axis=0)).max(axis=0)
    before, after = np.roll(values, 1, axis=0), np.roll(values, -1, axis=0)
    peak, of = np.nonzero((values >= before) & (values >= after) & (values >= values.max(axis=0) - spread))
    last = len(angles) - 1
    low = np.where(peak > 0, angles[peak - 1, of], angles[last, of] - 2.0 * math.pi)
    high = np.where(peak < last, angles[(peak + 1) % (last + 1), of], angles[0, of] + 2.0 * math.pi)
    best, middle = values[peak, of], angles[peak, of]
    while float((high - low).max()) > 1e-8:
        tried = low + (high - low) * _SPLIT[:, None]
        values = f(tried, of)
        top = values.argmax(axis=0)
        here, value = _pick(tried, top), _pick(values, top)
        best, middle = np.maximum(best, value), np.where(value > best, here, middle)
        low, high = _pick(tried, np.maximum(top - 1, 0)), _pick(tried, np.minimum(top + 1, len(_SPLIT) - 1))
    order = np.lexsort((-best, of))
    return np.asarray(middle[order[np.searchsorted(of[order], np.arange(count))]])
