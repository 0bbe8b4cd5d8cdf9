"""Pairwise clearances: all pairs of many placed shapes, all against one, or all pairs within a range.

The same numbers as `shape_clearance`, to 1e-6 mm, for every pair of kinds.  A concave outline is first measured by its
hull; only where that is met at a side that is not the outline's own, or overlapped, its convex parts are.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from assistant.geometry.clearance import gap_kernels
from assistant.geometry.clearance.shape_arrays import DISC, ELLIPSE, POLYGON, Flags, Ints, ShapeArrays
from assistant.geometry.shapes.convex import Array

_AT_ONCE = 50_000
"""So many pairs are measured in one go: two ovals take a few kilobytes meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairClearances:
    """The clearances of m pairs."""

    first: Ints
    second: Ints
    """Indices of the shapes."""
    mm: Array
    """(m,): negative depth where they overlap."""
    normals: Array
    """(m, 2): the unit direction from first to second along which it is measured."""
    near: Array
    """(m, 2): the measured point of the first."""

    @property
    def far(self) -> Array:
        """(m, 2): the measured point of the second."""
        far: Array = self.near + self.mm[:, None] * self.normals
        return far

    def select(self, kept: Flags) -> "PairClearances":
        """Return some of the pairs."""
        return PairClearances(
            first=self.first[kept],
            second=self.second[kept],
            mm=self.mm[kept],
            normals=self.normals[kept],
            near=self.near[kept],
        )


def lower_bounds_mm(standing: ShapeArrays, first: Ints, second: Ints) -> Array:
    """Return quick lower bounds of the clearances of pairs that do not overlap, from the discs around both shapes."""
    x, y = standing.smooth[0], standing.smooth[1]
    dx, dy = x[first] - x[second], y[first] - y[second]
    bounds: Array = np.sqrt(dx * dx + dy * dy) - standing.radius_mm[first] - standing.radius_mm[second]
    return bounds


def list_near_pairs(standing: ShapeArrays, groups: Ints, range_mm: float) -> tuple[Ints, Ints]:
    """Return the pairs of shapes that may be within a range of each other, and all pairs of one group, each once.

    Args:
        standing: the shapes.
        groups: the number of each shape's group, in ascending order.
        range_mm: millimetres.

    """
    x, radius_mm = standing.smooth[0, : standing.count], standing.radius_mm[: standing.count]
    order = np.argsort(x, kind="stable")
    reach_mm = (x + radius_mm)[order] + range_mm + radius_mm.max(initial=0.0)
    here, there = _list_pairs_ahead(np.searchsorted(x[order], reach_mm, side="right"))
    first, second = np.minimum(order[here], order[there]), np.maximum(order[here], order[there])
    near = np.flatnonzero(groups[first] != groups[second])
    near = near[lower_bounds_mm(standing, first[near], second[near]) <= range_mm]
    mine, mates = _list_pairs_ahead(np.searchsorted(groups, groups, side="right"))
    return np.concatenate((first[near], mine)), np.concatenate((second[near], mates))


def _list_pairs_ahead(ends: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of each place and those after it that are before its end."""
    places = np.arange(len(ends))
    counts = np.maximum(ends - places - 1, 0)
    one = np.repeat(places, counts)
    return one, np.arange(len(one)) - np.repeat(np.cumsum(counts) - counts, counts) + one + 1


def measure_pairs(standing: ShapeArrays, first: Ints, second: Ints) -> PairClearances:
    """Return the clearances of pairs of shapes, given by their indices."""
    gaps = _measure_items(standing, first, second)
    concave = standing.parts[1] > 1
    if concave.any():
        doubtful = (concave[first] | concave[second]) & (gaps[0] <= 0)
        doubtful |= standing.may_be_pocket(first, gaps[1:3])
        doubtful |= standing.may_be_pocket(second, -gaps[1:3])
        doubtful_pairs = np.flatnonzero(doubtful)
        if len(doubtful_pairs):
            gaps[:, doubtful_pairs] = _measure_by_parts(standing, first[doubtful_pairs], second[doubtful_pairs])
    return PairClearances(first=first, second=second, mm=gaps[0], normals=gaps[1:3].T, near=gaps[3:5].T)


def _measure_by_parts(standing: ShapeArrays, first: Ints, second: Ints) -> gap_kernels.Gaps:
    """Return the least gap among the convex parts of each pair."""
    begin, number = standing.parts
    count = number[first] * number[second]
    pair = np.repeat(np.arange(len(first)), count)
    ends = np.cumsum(count)
    place = np.arange(len(pair)) - (ends - count)[pair]
    one = begin[first[pair]] + place // number[second[pair]]
    two = begin[second[pair]] + place % number[second[pair]]
    gaps = _measure_items(standing, one, two)
    order = np.lexsort((gaps[0], pair))
    return gaps[:, order[ends - count]]


def _measure_items(standing: ShapeArrays, first: Ints, second: Ints) -> gap_kernels.Gaps:
    """Return the gaps of pairs of convex items, each kind of pairs by its own function."""
    kinds = 2 + len(standing.polygons)
    kind = standing.kind.astype(np.int16)  # sorted five times as fast
    kind_one, kind_two = kind[first], kind[second]
    code = np.minimum(kind_one, kind_two) * kinds + np.maximum(kind_one, kind_two)
    order = np.argsort(code, kind="stable")
    ends = np.cumsum(np.bincount(code, minlength=kinds * kinds)).tolist()
    all_gaps = np.empty((5, len(first)))
    blocks = (
        (each, at, min(at + _AT_ONCE, end))
        for each, (begin, end) in enumerate(pairwise([0, *ends]))
        for at in range(begin, end, _AT_ONCE)
    )
    for each, begin, end in blocks:
        rows = order[begin:end]
        turned = kind_one[rows] > kind_two[rows]
        one, two = first[rows], second[rows]
        one, two = np.where(turned, two, one), np.where(turned, one, two)
        gaps = _measure_kind(standing, *divmod(each, kinds), one, two)
        gaps[3:5] += gaps[1:3] * np.where(turned, gaps[0], 0.0)
        gaps[1:3] *= np.where(turned, -1.0, 1.0)
        for row, values in zip(all_gaps, gaps, strict=True):
            row[rows] = values  # a row at a time is three times as fast
    return all_gaps


def _measure_kind(standing: ShapeArrays, kind_one: int, kind_two: int, one: Ints, two: Ints) -> gap_kernels.Gaps:
    forms, radii = standing.smooth, standing.radius_mm
    if kind_two == DISC:
        return gap_kernels.measure_discs(
            forms[:2].take(one, axis=1), forms[:2].take(two, axis=1), radii[one], radii[two]
        )
    if kind_two == ELLIPSE:
        return gap_kernels.measure_ellipses(forms.take(one, axis=1), forms.take(two, axis=1))
    polygons, rows = standing.polygons[kind_two - POLYGON], standing.row[two]
    if kind_one == DISC:
        return gap_kernels.measure_discs_to_polygons(standing.centres, one, radii[one], polygons, rows)
    if kind_one == ELLIPSE:
        return gap_kernels.measure_ellipses_to_polygons(forms.take(one, axis=1), polygons, rows)
    return gap_kernels.measure_polygons(standing.polygons[kind_one - POLYGON], standing.row[one], polygons, rows)
