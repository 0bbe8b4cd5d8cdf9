"""Lines that touch two things, and the places where outlines cross: what a line of sight can be rolled against."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.geometry.convex import Array, Convex, unit

TOUCH_MM = 1e-7
"""What is no further apart than this touches."""
_ROUNDS = 4
_SIDES = np.array(((1, 1, -1, -1), (1, -1, 1, -1)))[:, :, None]
"""On which side of the first and the second ellipse a line touches it."""


def touching(sites: Array) -> tuple[Array, Array]:
    """Return all lines that touch two of (n, 5) sites, as (m, 2) normals and (m,) offsets, and perhaps some more."""
    one, two = np.triu_indices(len(sites), 1)
    curved = (sites[one, 2] != sites[one, 3]) | (sites[two, 2] != sites[two, 3])
    discs = _between_discs(sites[one[~curved]], sites[two[~curved]])
    ovals = between_ellipses(sites[one[curved]], sites[two[curved]])
    found = [*discs, *ovals]
    return np.concatenate([normals for normals, _ in found]), np.concatenate([offsets for _, offsets in found])


def sites_of(parts: Sequence[Convex], points: Array) -> Array:
    """Return what a line may touch, (n, 5): centre, semi-axes and turn of ellipses, discs, and points."""
    rows = [(x, y, 0.0, 0.0, 0.0) for x, y in points]
    for part in parts:
        a, b, turn = part.ellipses[0] if part.ellipses else (part.radius_mm, part.radius_mm, 0.0)
        rows += [(x, y, a, b, turn) for x, y in part.corners_mm]
    return np.unique(np.array(rows), axis=0)


def _extent(sites: Array, normals: Array) -> Array:
    """Return how far each ellipse reaches from its centre in each direction."""
    cos, sin = np.cos(sites[:, 4]), np.sin(sites[:, 4])
    u, v = normals[:, 0] * cos + normals[:, 1] * sin, normals[:, 1] * cos - normals[:, 0] * sin
    reach: Array = np.hypot(sites[:, 2] * u, sites[:, 3] * v)
    return reach


def _between_discs(one: Array, two: Array) -> Iterator[tuple[Array, Array]]:
    step = two[:, :2] - one[:, :2]
    length, bearing = np.hypot(step[:, 0], step[:, 1]), np.arctan2(step[:, 1], step[:, 0])
    for sense in (1, -1):
        lean = one[:, 2] - sense * two[:, 2]
        exists = (np.abs(lean) <= length * (1 + 1e-12)) & (length > 0) & ((sense > 0) | (two[:, 2] > 0))
        opening = np.arccos(np.clip(lean[exists] / length[exists], -1.0, 1.0))
        for turn in (1, -1):
            normals = unit(bearing[exists] + turn * opening)
            yield normals, (normals * one[exists, :2]).sum(axis=1) + one[exists, 2]


def between_ellipses(one: Array, two: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the lines that touch two ellipses: n.c1 + s1 |n|1 = n.c2 + s2 |n|2, squared until the roots are gone."""
    if not len(one):
        return
    step = two[:, :2] - one[:, :2]
    samples = []
    for normal in unit(np.arange(5) * math.pi / 5):
        normals = np.tile(normal, (len(one), 1))
        across, first, second = step @ normal, _extent(one, normals) ** 2, _extent(two, normals) ** 2
        samples.append((first - across**2 - second) ** 2 - 4 * across**2 * second)
    roots = np.angle(_roots(np.column_stack(samples))).ravel() / 2
    one, two, step = (np.repeat(rows, 4, axis=0) for rows in (one, two, step))
    normals, offsets, good = _polished(one, two, np.tile(roots, (4, 1)))
    yield normals[good], ((one[:, :2] * normals).sum(axis=2) + offsets)[good]


def _polished(one: Array, two: Array, angles: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return lines closer to touching ellipses than (4, m) angles say, for squaring costs digits.

    A row for each choice of sides: normals (4, m, 2), how far beyond the first ellipse's centre, and which lines touch.
    """
    dx, dy = (two[:, :2] - one[:, :2]).T
    for round_ in range(_ROUNDS + 1):
        cos, sin = np.cos(angles), np.sin(angles)
        (first, first_slope), (second, second_slope) = (
            _extent_and_slope(one, cos, sin),
            _extent_and_slope(two, cos, sin),
        )
        first, second = first * _SIDES[0], second * _SIDES[1]
        value = dx * cos + dy * sin + second - first
        if round_ == _ROUNDS:
            break
        slope = dy * cos - dx * sin + second_slope * _SIDES[1] - first_slope * _SIDES[0]
        move = np.divide(value, slope, out=np.zeros_like(value), where=np.abs(slope) > 1e-6)
        angles = angles - np.clip(move, -1e-3, 1e-3)
    return np.stack((cos, sin), axis=2), first, np.abs(value) < TOUCH_MM


def _extent_and_slope(sites: Array, cos: Array, sin: Array) -> tuple[Array, Array]:
    """Return how far each ellipse reaches in directions, and how fast that grows as they turn."""
    a, b, lean_cos, lean_sin = sites[:, 2], sites[:, 3], np.cos(sites[:, 4]), np.sin(sites[:, 4])
    u, v = a * (cos * lean_cos + sin * lean_sin), b * (sin * lean_cos - cos * lean_sin)
    reach = np.sqrt(u * u + v * v)
    slope = np.divide(u * v * (b * b - a * a), a * b * reach, out=np.zeros_like(reach), where=a * b * reach > 0)
    return reach, slope


def _roots(samples: Array) -> NDArray[np.complex128]:
    """Return the (m, 4) roots w of trigonometric polynomials of degree 2, w = exp(i t), sampled at five even steps."""
    spectrum = np.fft.fft(samples, axis=1)[:, [3, 4, 0, 1, 2]]
    series = spectrum / np.abs(spectrum).max(axis=1, keepdims=True).clip(1e-300)
    lead = np.where(np.abs(series[:, 4]) < 1e-14, 1e-14, series[:, 4])
    companion = np.zeros((len(samples), 4, 4), dtype=complex)
    companion[:, [1, 2, 3], [0, 1, 2]] = 1
    companion[:, :, 3] = -series[:, :4] / lead[:, None]
    return np.linalg.eigvals(companion).astype(np.complex128)


def crossings(one: Convex, two: Convex) -> Array:
    """Return the (m, 2) points where two outlines cross."""
    if len(one.corners_mm) == 1 and len(two.corners_mm) == 1:
        (centre, axes), (other, theirs) = disc_map(one), disc_map(two)
        inverse = np.linalg.inv(theirs)
        around = centre + unit(np.arange(5) * 2 * math.pi / 5) @ axes.T - other
        samples = ((around @ inverse.T) ** 2).sum(axis=1) - 1
        met = centre + unit(np.angle(_roots(samples[None]))[0]) @ axes.T
        found: Array = met[np.abs(np.hypot(*(inverse @ (met - other).T)) - 1) < TOUCH_MM]
        return found
    if len(one.corners_mm) == 1 or len(two.corners_mm) == 1:
        round_one, flat = (one, two) if len(one.corners_mm) == 1 else (two, one)
        centre, axes = disc_map(round_one)
        first = (flat.corners_mm - centre) @ np.linalg.inv(axes).T
        along = np.roll(first, -1, axis=0) - first
        a, b, c = (along**2).sum(axis=1).clip(1e-300), (first * along).sum(axis=1), (first**2).sum(axis=1) - 1
        root = np.sqrt(np.maximum(b * b - a * c, 0.0))
        shares = np.concatenate(((-b - root) / a, (-b + root) / a))
        met = np.tile(first, (2, 1)) + shares[:, None] * np.tile(along, (2, 1))
        met = met[(np.abs((met**2).sum(axis=1) - 1) < TOUCH_MM) & (shares >= 0) & (shares <= 1)]
        pierced: Array = centre + met @ axes.T
        return pierced
    first_ring, second_ring = (np.vstack((part.corners_mm, part.corners_mm[:1])) for part in (one, two))
    shared = shapely.intersection(shapely.LineString(first_ring), shapely.LineString(second_ring))
    return shapely.get_coordinates(shared)


def disc_map(part: Convex) -> tuple[Array, Array]:
    """Return the centre of a disc or an ellipse, and the matrix that makes it from the unit disc."""
    a, b, turn = part.ellipses[0] if part.ellipses else (part.radius_mm, part.radius_mm, 0.0)
    cos, sin = math.cos(turn), math.sin(turn)
    return part.corners_mm[0], np.array([[a * cos, -b * sin], [a * sin, b * cos]])
