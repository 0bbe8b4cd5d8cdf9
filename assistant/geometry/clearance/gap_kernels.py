"""Gap kernels: signed clearances of many pairs of convex items at once, one function for each pair of kinds.

Kinds are discs, ellipses and polygons.  For a direction n from the first item to the second, the separation is s(n) =
n.w, where w leads from the first item's furthest point along n to the second's furthest point against n.  The distance
lies between s(n) and |w|, so whatever found n, the two being equal proves the answer.  Directions are refined by
Newton's method, which for two smooth outlines replaces each by its circle of curvature: the next n points along w + (r1
+ r2) n.  Where that does not end in a proof, as for overlaps with an ellipse, every peak of s around the circle is
searched.

For polygons: the difference of two polygons is a polygon again, and its distance from the origin is their clearance.
Mostly the pair of corners that are furthest towards each other, with the sides beside them, holds the nearest points.
If no side that leaves these points comes nearer to the origin, nothing does, for the difference is convex: that proves
the answer.  If not, the direction just found is the next to look along.  What is left unproven after a few such steps,
overlaps above all, is measured by every side and the corner that it faces.
"""

import math
from collections.abc import Callable

import numpy as np

from assistant.geometry.clearance.shape_arrays import Flags, Ints
from assistant.geometry.shapes.convex import Array

_EXACT_MM = 1e-8
"""How much further apart the two measured points may be than the separation that proves them nearest."""
_ROUNDS = 12
_TINY = 1e-90
"""In place of zero under a root whose inverse is cubed."""
_ROUNDING_MM = 1e-11
"""Of two angles as good as one, which may differ by a rounding, each has its own side of a peak."""
_GRID = np.linspace(0.0, 2.0 * math.pi, 97)[:-1]
_SPLIT = np.linspace(0.0, 1.0, 17)

Gaps = Array
"""(5, m): clearance in millimetres, unit normal from first to second x and y, the first's measured point x and y."""


def measure_discs(one: Array, two: Array, radius_one: Array, radius_two: Array) -> Gaps:
    """Return the gaps between discs."""
    dx, dy = two[0] - one[0], two[1] - one[1]
    apart = np.sqrt(dx * dx + dy * dy)
    same = apart == 0
    scale = 1.0 / np.where(same, 1.0, apart)
    nx, ny = np.where(same, 1.0, dx * scale), dy * scale
    return np.stack((apart - radius_one - radius_two, nx, ny, one[0] + radius_one * nx, one[1] + radius_one * ny))


def measure_ellipses(one: Array, two: Array) -> Gaps:
    """Return the gaps between ellipses, or ellipses and discs, given as (7, m) forms."""
    gaps, proven = _refine_by_newton(one, two)
    unproven = np.flatnonzero(~proven)
    if len(unproven):
        gaps[:, unproven] = _search_peaks(one[:, unproven], two[:, unproven], None)
    return gaps


def measure_ellipses_to_polygons(ellipse: Array, polygons: Array, rows: Ints) -> Gaps:
    """Return the gaps from (7, m) ellipses to some polygons, of a kind of `Standing.polygons`."""
    step = polygons[:2].mean(axis=1).take(rows, axis=1) - ellipse[:2]
    corner = find_furthest_corner(polygons, rows, -step[0], -step[1])
    gaps, proven = _refine_by_newton(ellipse, corner[:2])
    nx, ny = gaps[1:3]
    proven &= (nx * corner[2] + ny * corner[3] >= 0) & (nx * corner[5] + ny * corner[6] <= 0)
    proven &= _measure_overreach(ellipse, gaps) < _EXACT_MM
    unproven = np.flatnonzero(~proven)
    if len(unproven):
        gaps[:, unproven] = _measure_to_sides(ellipse[:, unproven], polygons.take(rows[unproven], axis=2))
    return gaps


def _measure_to_sides(ellipse: Array, polygon: Array) -> Gaps:
    """Return the gaps between (7, m) ellipses and (8, corners, m) polygons, by the side that faces it most."""
    bx, by, ex, ey, length = polygon[:5]
    px, py, xx, xy, yy = ellipse[:5]
    reach = np.sqrt(xx * ey * ey - 2 * xy * ey * ex + yy * ex * ex)
    side = ey * (px - bx) - ex * (py - by) - reach
    best = side.argmax(axis=0)
    bx, by, ex, ey, reach, length, mm = (pick(v, best) for v in (bx, by, ex, ey, reach, length, side))
    scale = 1.0 / np.maximum(reach, _TINY)
    qx, qy = px + (xy * ex - xx * ey) * scale, py + (yy * ex - xy * ey) * scale
    along = ex * (qx - bx) + ey * (qy - by)
    gaps = np.stack((mm, -ey, ex, qx, qy))
    unproven = np.flatnonzero((along < 0) | (along > length) | (mm <= 0))
    if len(unproven):
        end = np.where(along > length, length, 0.0)[unproven]
        corner = np.stack((bx[unproven] + ex[unproven] * end, by[unproven] + ey[unproven] * end))
        gaps[:, unproven], proven = _refine_by_newton(ellipse[:, unproven], corner)
        nx, ny = gaps[1:3, unproven]
        ahead = nx * (polygon[0][:, unproven] - corner[0]) + ny * (polygon[1][:, unproven] - corner[1])
        slack = _measure_overreach(ellipse[:, unproven], gaps[:, unproven]) - ahead.min(axis=0)
        unproven = unproven[~proven | (slack >= _EXACT_MM)]
    if len(unproven):
        gaps[:, unproven] = _search_peaks(ellipse[:, unproven], None, polygon[:, :, unproven])
    return gaps


def _measure_overreach(ellipse: Array, gaps: Gaps) -> Array:
    """Return how much further ellipses reach along the normals than their measured points."""
    _, nx, ny, x, y = gaps
    beyond: Array = _support_extent(ellipse, nx, ny) - nx * (x - ellipse[0]) - ny * (y - ellipse[1])
    return beyond


def find_furthest_corner(polygons: Array, rows: Ints, nx: Array, ny: Array) -> Array:
    """Return the (8, m) entries of the corners of some polygons that lie furthest along directions."""
    ahead, up = polygons[0].take(rows, axis=1), polygons[1].take(rows, axis=1)
    ahead *= nx
    up *= ny
    ahead += up
    at = ahead.argmax(axis=0) * polygons.shape[2] + rows
    return np.stack([values.take(at) for values in polygons.reshape(len(polygons), -1)])


def pick(values: Array, at: Ints) -> Array:
    """Return values[at[m], m]."""
    picked: Array = values.ravel()[at * values.shape[1] + np.arange(values.shape[1])]
    return picked


def _refine_by_newton(one: Array, two: Array) -> tuple[Gaps, Flags]:
    """Return gaps between (7, m) ellipses (or discs) and ellipses, or (2, m) points, apart, and which are proven."""
    count = one.shape[1]
    least_gaps, proven = np.empty((5, count)), np.zeros(count, dtype=bool)
    active = np.arange(count)
    nx, ny = two[0] - one[0], two[1] - one[1]
    for _ in range(_ROUNDS):
        scale = 1.0 / np.sqrt(np.maximum(nx * nx + ny * ny, _TINY))
        nx, ny = nx * scale, ny * scale
        ax, ay, bend = _support_point(one, nx, ny)
        ax, ay = one[0] + ax, one[1] + ay
        wx, wy = two[0] - ax, two[1] - ay
        if len(two) > 2:
            bx, by, bend_two = _support_point(two, nx, ny)
            wx, wy, bend = wx - bx, wy - by, bend + bend_two
        mm, aside = nx * wx + ny * wy, nx * wy - ny * wx
        aside *= aside
        converged = (aside < _EXACT_MM * mm) & (mm > 0)  # then |w| - s(n) is less than half of it
        away = np.sqrt(mm * mm + aside)
        scale = 1.0 / np.maximum(away, _TINY)
        gaps = np.stack((away, wx * scale, wy * scale, ax, ay))
        if len(active) == count:
            least_gaps, proven = gaps, converged
        else:
            least_gaps[:, active], proven[active] = gaps, converged
        remaining = np.flatnonzero(~converged)
        if not len(remaining):
            break
        nx, ny = wx + bend * nx, wy + bend * ny
        if len(remaining) < 0.7 * len(active):
            active, nx, ny, one, two = (
                active[remaining],
                nx[remaining],
                ny[remaining],
                one[:, remaining],
                two[:, remaining],
            )
    return least_gaps, proven


def _support_point(form: Array, nx: Array, ny: Array) -> tuple[Array, Array, Array]:
    """Return an ellipse's furthest point along a direction, from its centre, and its radius of curvature there."""
    gx, gy = form[2] * nx + form[3] * ny, form[3] * nx + form[4] * ny
    scale = 1.0 / np.sqrt(np.maximum(nx * gx + ny * gy, _TINY))
    return gx * scale, gy * scale, form[5] * scale * scale * scale


def _search_peaks(one: Array, two: Array | None, polygon: Array | None) -> Gaps:
    """Return gaps between ellipses and ellipses or polygons, apart or not, from every peak of the separation."""
    sharp = [one[6] + k * math.pi / 2 for k in range(4)]
    if two is not None:
        sharp += [two[6] + k * math.pi / 2 for k in range(4)]
    if polygon is not None:
        sharp += list(np.arctan2(polygon[2], -polygon[3]))

    def separation(angles: Array, of: Ints) -> Array:
        nx, ny = np.cos(angles), np.sin(angles)
        ahead = -_support_extent(one[:, of], nx, ny)
        if two is not None:
            ahead += nx * (two[0] - one[0])[of] + ny * (two[1] - one[1])[of]
            return ahead - _support_extent(two[:, of], nx, ny)
        assert polygon is not None
        x, y = polygon[0][:, of] - one[0][of], polygon[1][:, of] - one[1][of]
        corners = nx[..., None, :] * x + ny[..., None, :] * y
        ahead += corners.min(axis=-2)
        return ahead

    angle = _maximise_on_circle(separation, np.array(sharp))
    mm = separation(angle[None], np.arange(len(angle)))[0]
    nx, ny = np.cos(angle), np.sin(angle)
    ax, ay, _ = _support_point(one, nx, ny)
    return np.stack((mm, nx, ny, one[0] + ax, one[1] + ay))


def _support_extent(form: Array, nx: Array, ny: Array) -> Array:
    reach: Array = np.sqrt(np.maximum(form[2] * nx * nx + 2 * form[3] * nx * ny + form[4] * ny * ny, 0.0))
    return reach


def _maximise_on_circle(f: Callable[[Array, Ints], Array], sharp: Array) -> Array:
    """Return the angles at which functions on the circle, (angles, m) of (m,) each, are greatest.

    ``sharp`` holds the angles, (k, m), of peaks too sharp for a grid.  All peaks that could hide the greatest value are
    closed in on at once, until their brackets are 1e-8 rad wide.
    """
    count = sharp.shape[1]
    grid = np.broadcast_to(_GRID[:, None], (len(_GRID), count))
    angles = np.sort(np.concatenate((grid, np.mod(sharp, 2.0 * math.pi))), axis=0)
    values = f(angles, np.arange(count))
    spread = np.abs(np.diff(values, axis=0)).max(axis=0)
    least = np.maximum(np.roll(values, 1, axis=0), np.roll(values, -1, axis=0)) - _ROUNDING_MM
    peak, of = np.nonzero((values >= least) & (values >= values.max(axis=0) - spread))
    last = len(angles) - 1
    low = np.where(peak > 0, angles[peak - 1, of], angles[last, of] - 2.0 * math.pi)
    high = np.where(peak < last, angles[(peak + 1) % (last + 1), of], angles[0, of] + 2.0 * math.pi)
    best, middle = values[peak, of], angles[peak, of]
    while float((high - low).max()) > 1e-8:
        tried = low + (high - low) * _SPLIT[:, None]
        values = f(tried, of)
        top = values.argmax(axis=0)
        here, value = pick(tried, top), pick(values, top)
        best, middle = np.maximum(best, value), np.where(value > best, here, middle)
        low, high = pick(tried, np.maximum(top - 1, 0)), pick(tried, np.minimum(top + 1, len(_SPLIT) - 1))
    order = np.lexsort((-best, of))
    return np.asarray(middle[order[np.searchsorted(of[order], np.arange(count))]])


_STEPS = 4
_LEVEL = 1e-12
"""How much nearer to the origin a side may lead, for each millimetre of it, and still count as level."""
_APART_MM = 1e-6
"""What is nearer than this is left to the sides, for its direction is not sure."""
_TIE = 1e-10
"""A turn that decides which end of a parallel side is met first, above rounding and too small to be measured."""
_INWARD = np.array((1.0, -1.0, 1.0, -1.0))
"""On which side of each of the four ways of `_step_from_corners` the difference is: 1 to the left, -1 to the right."""


def measure_discs_to_polygons(centres: Array, discs: Ints, radius: Array, polygons: Array, rows: Ints) -> Gaps:
    """Return the gaps from some discs to some polygons, of `Standing.centres` and a kind of `Standing.polygons`."""
    gaps, proven = _walk_corners(centres, discs, polygons, rows)
    unproven = np.flatnonzero(~proven)
    if len(unproven):
        gaps[:, unproven] = _measure_to_points(
            centres[:2, 0].take(discs[unproven], axis=1), polygons.take(rows[unproven], axis=2)
        )
    gaps[0] -= radius
    gaps[3] += radius * gaps[1]
    gaps[4] += radius * gaps[2]
    return gaps


def measure_polygons(one: Array, one_rows: Ints, two: Array, two_rows: Ints) -> Gaps:
    """Return the gaps between some polygons of one kind of `Standing.polygons` and some of another."""
    gaps, proven = _walk_corners(one, one_rows, two, two_rows)
    unproven = np.flatnonzero(~proven)
    if len(unproven):
        gaps[:, unproven] = _measure_by_sides(
            one.take(one_rows[unproven], axis=2), two.take(two_rows[unproven], axis=2)
        )
    return gaps


def _walk_corners(one: Array, one_rows: Ints, two: Array, two_rows: Ints) -> tuple[Gaps, Flags]:
    """Return gaps between polygons that are apart, and which of them are proven."""
    least_gaps, proven = np.empty((5, len(one_rows))), np.zeros(len(one_rows), dtype=bool)
    active = np.arange(len(one_rows))
    step = two[:2].mean(axis=1).take(two_rows, axis=1) - one[:2].mean(axis=1).take(one_rows, axis=1)
    nx, ny = step
    for _ in range(_STEPS):
        gaps, converged = _step_from_corners(
            find_furthest_corner(one, one_rows, nx, ny), find_furthest_corner(two, two_rows, -nx, -ny)
        )
        least_gaps[:, active] = gaps
        proven[active] = converged
        remaining = np.flatnonzero(~converged)
        if not len(remaining):
            break
        active, one_rows, two_rows, nx, ny = (
            active[remaining],
            one_rows[remaining],
            two_rows[remaining],
            gaps[1][remaining],
            gaps[2][remaining],
        )
    return least_gaps, proven


def _step_from_corners(one: Array, two: Array) -> tuple[Gaps, Flags]:
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


def _measure_to_points(point: Array, polygon: Array) -> Gaps:
    """Return the gaps between points and (8, corners, m) polygons."""
    x, y, ex, ey, length = polygon[:5]
    ox, oy = point[0] - x, point[1] - y
    side, along = ey * ox - ex * oy, ex * ox + ey * oy
    over = along - np.minimum(np.maximum(along, 0.0), length)
    mm, at, inside = _find_nearest_side(side, over)
    side, over, ex, ey = (pick(values, at) for values in (side, over, ex, ey))
    scale = 1.0 / np.where(inside, 1.0, mm)
    over, side = np.where(inside, 0.0, over * scale), np.where(inside, 1.0, side * scale)
    nx, ny = -(ey * side + ex * over), ex * side - ey * over
    return np.stack((mm, nx, ny, point[0], point[1]))


def _measure_by_sides(one: Array, two: Array) -> Gaps:
    """Return the gaps between (8, corners, m) polygons, by each side of both and the corner that it faces."""
    from_one, from_two = _find_facing_corners(one, two, -_TIE), _find_facing_corners(two, one, _TIE)
    side, over = (np.concatenate((a, b)) for a, b in zip(from_one[:2], from_two[:2], strict=True))
    mm, at, inside = _find_nearest_side(side, over)
    split = len(one[0])
    is_of_one = at < split
    ex, ey = (pick(np.concatenate((one[k], two[k])), at) for k in (2, 3))
    scale = 1.0 / np.where(inside, 1.0, mm)
    over, side = np.where(inside, 0.0, pick(over, at) * scale), np.where(inside, 1.0, pick(side, at) * scale)
    sign = np.where(is_of_one, 1.0, -1.0)
    nx, ny = sign * (ey * side + ex * over), sign * (ey * over - ex * side)
    corner = pick(np.concatenate((from_one[2], from_two[2])), at)
    cx = np.where(
        is_of_one, pick(two[0], np.where(is_of_one, corner, 0)) - mm * nx, pick(one[0], np.where(is_of_one, 0, corner))
    )
    cy = np.where(
        is_of_one, pick(two[1], np.where(is_of_one, corner, 0)) - mm * ny, pick(one[1], np.where(is_of_one, 0, corner))
    )
    return np.stack((mm, nx, ny, cx, cy))


def _find_nearest_side(side: Array, over: Array) -> tuple[Array, Ints, Flags]:
    """Return the signed distance to a polygon of its (sides, m) lines' distances and the ways beyond their ends."""
    top = side.max(axis=0)
    squared = side * side + over * over
    nearest = squared.argmin(axis=0)
    away = np.sqrt(pick(squared, nearest))
    inside = (top <= 0) | (away == 0)  # touching corners may have a side that is above zero by rounding
    return np.where(inside, top, away), np.where(inside, side.argmax(axis=0), nearest), inside


def _find_facing_corners(one: Array, two: Array, tie: float) -> tuple[Array, Array, Ints]:
    """Return for each side the distance of the corner that faces it most, how far beyond its ends, and the corner."""
    x, y, ex, ey, length = one[:5]
    nx, ny = ey + tie * ex, tie * ey - ex
    ahead = nx[:, None] * (two[0] - x[0])[None] + ny[:, None] * (two[1] - y[0])[None]
    corner = ahead.argmin(axis=1)
    flat = corner * corner.shape[1] + np.arange(corner.shape[1])
    ox, oy = two[0].ravel()[flat] - x, two[1].ravel()[flat] - y
    along = ex * ox + ey * oy
    return ey * ox - ex * oy, along - np.minimum(np.maximum(along, 0.0), length), corner
