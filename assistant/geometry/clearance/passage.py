"""Passage: whether a base passes between two shapes.

A base that keeps its facing passes between two shapes exactly if the places of its centre that each of them forbids do
not overlap: then it can go around one without meeting the other.  For convex shapes that is: along some direction, the
strip between the two is at least as wide as the base's shadow.  A base free to turn passes if it does at some facing.
Between convex shapes nothing is gained by turning on the way: a convex body's least width is no more than any gap that
it gets through (Strang, The width of a chair, 1982), and a gap of that width is enough.  Touching is passing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from assistant.geometry.clearance.shape_clearance import Clearance, Point, find_nearest_stretch
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import decompose_convex, decompose_placed, hull


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """How a base gets between two shapes."""

    margin_mm: float
    """How much wider the gap is than the base across it; negative where the base does not pass."""
    facing_rad: float
    """The base's facing as it passes, or as it comes nearest to it."""
    gap: Clearance
    """The gap where it is narrowest: along edges that face each other, in the middle."""


def measure_passage(base: Base, one: PlacedShape, other: PlacedShape, *, facing_rad: float | None = None) -> Passage:
    """Return how a base passes between two shapes, at a kept facing or at the best one.

    Exact for a kept facing, and for convex shapes at any.  At any facing with a concave shape the margin is that of the
    narrowest place: a negative one says that a convex base does not pass, a positive one not that a bend further on
    lets it through.  A concave base that is free to turn counts as its hull.
    """
    gap = _measure_gap(one, other)
    if facing_rad is not None:
        return Passage(margin_mm=_measure_strip_mm(base, one, other, facing_rad), facing_rad=facing_rad, gap=gap)
    width, (across, *_) = least_width(base)
    bearing = math.atan2(gap.far[1] - gap.near[1], gap.far[0] - gap.near[0])
    facing = math.remainder(bearing - across, 2 * math.pi)
    return Passage(margin_mm=gap.mm - width, facing_rad=facing, gap=gap)


def crosses_line(way: Sequence[Point], line: tuple[Point, Point], slack_mm: float) -> bool:
    """Return whether a way gets from one side of a line between two points to the other, through that line.

    A way that begins or ends on the line, or only comes to it, does not; what is within ``slack_mm`` of it is on it.
    """
    along = np.subtract(line[1], line[0])
    length = math.hypot(*along)
    if length <= slack_mm:
        return False
    offset = (np.array(way) - line[0]) / length
    aside, ahead = offset @ (-along[1], along[0]), offset @ along
    sides = [index for index, mm in enumerate(aside.tolist()) if abs(mm) > slack_mm]
    for one, two in pairwise(sides):
        if aside[one] * aside[two] < 0:
            met = ahead[one + 1 : two]  # places on the line itself, where the way runs along it
            if two == one + 1:
                met = ahead[one : two + 1] @ (abs(aside[two]), abs(aside[one])) / abs(aside[two] - aside[one])
            if np.min(met) <= length + slack_mm and np.max(met) >= -slack_mm:
                return True
    return False


_ALIKE_MM, _ALIKE_RAD = 1e-6, 1e-9
"""Widths no further apart are one, so that a base like its own mirror image is as narrow both ways; directions, too."""


def least_width(base: Base) -> tuple[float, tuple[float, ...]]:
    """Return the width of the narrowest strips that hold a base, and the directions across them in the base's frame."""
    match base:
        case Round(radius_mm=radius):
            return 2 * radius, (0.0,)
        case Oval(length_mm=length, width_mm=width) | Rect(length_mm=length, width_mm=width):
            least = min(length, width)
            sides = (length, 0.0), (width, math.pi / 2)
            return least, tuple(across for mm, across in sides if mm - least < _ALIKE_MM)
        case Outline(points_mm=points):
            corners = hull(np.array(points))
            along = np.roll(corners, -1, axis=0) - corners
            across = np.column_stack((along[:, 1], -along[:, 0])) / np.hypot(along[:, 0], along[:, 1])[:, None]
            extent = across @ corners.T
            widths = extent.max(axis=1) - extent.min(axis=1)
            found = list[float]()
            for x, y in across[widths - widths.min() < _ALIKE_MM].tolist():
                angle = math.atan2(y, x)
                if all(abs(math.remainder(angle - known, math.pi)) > _ALIKE_RAD for known in found):
                    found.append(angle)
            return float(widths.min()), tuple(found)


def _measure_gap(one: PlacedShape, other: PlacedShape) -> Clearance:
    """Return the clearance of two shapes; where edges face each other, measured in the middle of that stretch."""
    pairs = product(decompose_placed(one), decompose_placed(other))
    separations = [(*b.minkowski_sum(a.reflect()).distance(0.0, 0.0), a, b) for a, b in pairs]
    mm, inward, one_part, other_part = min(separations, key=lambda pair: pair[0])
    near, far = np.mean(find_nearest_stretch(one_part, other_part, -inward), axis=0).tolist()
    return Clearance(mm=mm, near=(near[0], near[1]), far=(far[0], far[1]))


def _measure_strip_mm(base: Base, one: PlacedShape, other: PlacedShape, facing_rad: float) -> float:
    """Return by how much the places that two shapes forbid to a base's centre stay apart; negative if they overlap."""
    body = [part.move(0.0, 0.0, facing_rad) for part in decompose_convex(base)]
    pairs = product(decompose_placed(one), decompose_placed(other), body, body)
    return min(
        b.minkowski_sum(a.reflect()).minkowski_sum(p).minkowski_sum(q.reflect()).distance(0.0, 0.0)[0]
        for a, b, p, q in pairs
    )
