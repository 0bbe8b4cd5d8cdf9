"""Arc splines: the boundary of a convex set as arcs of circles that go on into each other, with straight edges between.

Polygons grown by discs are such boundaries themselves.  An ellipse is drawn by few arcs: every two of them meet it, and
run as it runs, where they begin and where they end (a biarc), so that they lie a little within it here and around it
there.  Where one begins is chosen so that all are off alike, from the ellipse's intrinsic equation: by about
``(∫ |dκ/ds|^(1/3) ds)³ / n³`` for n of these pairs a quarter (D. S. Meek and D. J. Walton, "Approximating smooth planar
curves by arc splines", 1995).  Grown by that, they lie around it.  28 arcs are as near to an oval of 105 x 70 mm as a
polygon of 130 corners.

Sums are taken direction by direction: what lies furthest in a direction of a Minkowski sum is the sum of what does in
either set, so centres add up, and radii.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from assistant.geometry.shapes.convex import Array, Complexes, ConvexSet, Ellipse

ERROR_MM = 0.015
"""How far the arcs may lie outside of an ellipse."""
_SHARE = 0.004
"""The error of n pairs of arcs a quarter, as a share of that integral's cube over n's."""
_SAMPLES = 2001
_BESIDE_RAD = 1e-9
"""Directions no further apart than this are one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArcSpline:
    """Arcs, counter-clockwise, each furthest out in a range of directions that ends where the next one's begins."""

    centres: Complexes
    """(k,)"""
    radii_mm: Array
    """(k,)"""
    outward: Complexes
    """(k,) the last direction of each arc, which is the outward normal of the edge after it."""
    lengths_mm: Array
    """(k,) of that edge; 0 where the next arc follows at once."""


@lru_cache(maxsize=1024)
def trace_boundary(shape: ConvexSet) -> ArcSpline:
    """Return the boundary of a convex set that has ellipses, or no more than `ERROR_MM` around it for each of them."""
    ellipses = [each for each in shape.ellipses if min(each[:2]) > ERROR_MM]
    core = ConvexSet(corners_mm=shape.corners_mm, radius_mm=shape.radius_mm)
    for a, b, turn in shape.ellipses:
        if min(a, b) <= ERROR_MM:  # no wider than it may be off: as good as its longer axis, grown by the other
            core = core.grow(min(a, b))
            tip = max(a, b) * complex(math.cos(turn), math.sin(turn)) * (1 if a >= b else 1j)
            core = core.minkowski_sum(ConvexSet(corners_mm=np.array([(-tip.real, -tip.imag), (tip.real, tip.imag)])))
    normals = core.edge_normals()
    rings = [_place_ring(each) for each in ellipses]
    starts = np.concatenate([np.arctan2(normals[:, 1], normals[:, 0]), *(ring[0] for ring in rings)]) % math.tau
    starts = np.sort(starts)
    starts = starts[np.diff(starts, prepend=starts[-1] - math.tau) > _BESIDE_RAD]
    widths = np.diff(starts, append=starts[0] + math.tau)
    middles = starts + widths / 2
    corners = core.corners_mm @ (1.0, 1j)
    furthest = (np.exp(-1j * middles)[:, None] * corners).real.argmax(axis=1)
    centres, radii_mm = corners[furthest], np.full(len(starts), core.radius_mm)
    for begins, middle, radius in rings:
        arc = begins.searchsorted(middles % math.tau, side="right") - 1  # before the first, it is the last
        centres, radii_mm = centres + middle[arc], radii_mm + radius[arc]
    outward = np.exp(1j * np.roll(starts, -1))
    gaps = np.roll(centres, -1) - centres + (np.roll(radii_mm, -1) - radii_mm) * outward
    lengths_mm = np.where(np.roll(furthest, -1) != furthest, (gaps * (1j * outward).conj()).real, 0.0)
    return ArcSpline(centres=centres, radii_mm=radii_mm, outward=outward, lengths_mm=np.maximum(lengths_mm, 0.0))


def _place_ring(ellipse: Ellipse) -> tuple[Array, Complexes, Array]:
    """Return where the arcs of an ellipse begin, in ascending directions, their centres, and their radii."""
    a, b, turn = ellipse
    if a < b:
        a, b, turn = b, a, turn + math.pi / 2
    starts, centres, radii_mm = _approximate_ellipse(a, b)
    starts = (starts + turn) % math.tau
    order = starts.argsort()
    return starts[order], (centres * complex(math.cos(turn), math.sin(turn)))[order], radii_mm[order]


@lru_cache(maxsize=256)
def _approximate_ellipse(a: float, b: float) -> tuple[Array, Complexes, Array]:
    """Return the arcs of an ellipse along the axes: in which directions they begin, their centres, and their radii."""
    normal = np.linspace(0.0, math.pi / 2, _SAMPLES)
    angle = np.arctan2(b * np.sin(normal), a * np.cos(normal))  # of the point, as the ellipse is a stretched circle
    speed = np.hypot(a * np.sin(angle), b * np.cos(angle))
    bend = np.cbrt(3 * a * b * (a * a - b * b) * np.maximum(np.sin(2 * angle) / 2, 0.0)) / speed
    passed = np.append(0.0, np.cumsum((bend[1:] + bend[:-1]) / 2 * np.diff(angle)))
    pairs = max(1, math.ceil(passed[-1] * math.cbrt(_SHARE / (ERROR_MM / 2))))
    while True:
        share = np.linspace(0.0, 1.0, 2 * pairs + 1)
        at = np.interp(share, passed / passed[-1], angle) if passed[-1] > 0 else share * math.pi / 2
        starts, centres, radii_mm = _fit_biarcs(a, b, at)
        off_mm = _measure_error_mm(a, b, starts, centres, radii_mm)
        if radii_mm.min() > 0 and off_mm <= ERROR_MM / 2:
            break
        pairs += 1  # a needle's tip needs more
    # A quarter's first and last arcs lie across the axes: they are one with their mirror images.
    half = np.concatenate((centres, -centres[-2:0:-1].conj()))
    begins = np.concatenate(((-starts[1],), starts[1:-1], math.pi - starts[-2:1:-1]))
    around = np.concatenate((radii_mm, radii_mm[-2:0:-1])) + off_mm
    return np.concatenate((begins, begins + math.pi)), np.concatenate((half, -half)), np.tile(around, 2)


def _fit_biarcs(a: float, b: float, at: Array) -> tuple[Array, Complexes, Array]:
    """Return arcs, two between every second of some points of an ellipse, and the directions where they begin and end.

    The radii of the two follow from where they lead: they turn from one normal to the next, and to the one after.
    """
    starts = np.arctan2(a * np.sin(at), b * np.cos(at))
    normals, points = np.exp(1j * starts), (a * np.cos(at) + 1j * b * np.sin(at))[::2]
    one, two, way = normals[1::2] - normals[:-1:2], normals[2::2] - normals[1::2], np.diff(points)
    across = (one.conj() * two).imag
    first, second = (way.conj() * two).imag / across, (one.conj() * way).imag / across
    radii_mm = np.column_stack((first, second)).ravel()
    centres = np.column_stack((points[:-1] - first * normals[:-1:2], points[1:] - second * normals[2::2])).ravel()
    return starts, centres, radii_mm


def _measure_error_mm(a: float, b: float, starts: Array, centres: Complexes, radii_mm: Array) -> float:
    """Return how far arcs lie from an ellipse at most, from some places along each and a little more."""
    angles = starts[:-1, None] + np.diff(starts)[:, None] * _PEAKS
    furthest = (centres[:, None] * np.exp(-1j * angles)).real + radii_mm[:, None]
    return 1.02 * float(np.abs(furthest - np.hypot(a * np.cos(angles), b * np.sin(angles))).max())


_PEAKS = np.linspace(0.1, 1.0, 10)
