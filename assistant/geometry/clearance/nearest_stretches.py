"""Nearest stretches: of many pairs of shapes, along what two of them are nearest to each other, or deepest."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from assistant.geometry.clearance.pairwise import PairClearances
from assistant.geometry.clearance.shape_arrays import Ints
from assistant.geometry.clearance.shape_clearance import FACE_MM, find_nearest_stretch
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.geometry.shapes.convex import Array, ConvexSet, decompose_placed


def find_nearest_stretches(shapes: Sequence[PlacedShape], found: PairClearances) -> Array:
    """Return the first and the last of the shortest segments of pairs, (m, 2 segments, 2 ends, 2).

    They are the same where there is but one.
    """
    parts = [decompose_placed(shape) for shape in shapes]
    first, second, normals = found.first, found.second, found.normals
    across = np.column_stack((-normals[:, 1], normals[:, 0]))
    near, low, high = _measure_faces(parts, first, normals, across)
    far, other_low, other_high = _measure_faces(parts, second, -normals, across)
    along = np.stack((np.maximum(low, other_low), np.minimum(high, other_high)), axis=1)
    place = np.stack(
        (
            np.clip(along, low[:, None], high[:, None]),
            np.clip(along, other_low[:, None], other_high[:, None]),
        ),
        axis=2,
    )
    ahead = np.stack((near, -far), axis=1)[:, None, :, None] * normals[:, None, None]
    stretches: Array = ahead + place[..., None] * across[:, None, None]
    concave = np.array([len(each) > 1 for each in parts])
    for row in np.flatnonzero(concave[first] | concave[second]).tolist():
        stretches[row] = _find_stretch_of_parts(parts[first[row]], parts[second[row]])
    return stretches


def _measure_faces(
    parts: Sequence[Sequence[ConvexSet]], shapes: Ints, normals: Array, across: Array
) -> tuple[Array, Array, Array]:
    """Return how far shapes reach along normals, and from where to where across, the part that lies there does."""
    reach, low, high = np.empty((3, len(shapes)))
    for shape, rows in _group_rows(shapes):
        part = parts[shape][0]
        heights, places = normals[rows] @ part.corners_mm.T, across[rows] @ part.corners_mm.T
        furthest = np.arange(len(rows)), heights.argmax(axis=1)
        shift = (part.support_points(normals[rows]) * across[rows]).sum(axis=1) - places[furthest]
        faces = heights >= heights[furthest][:, None] - FACE_MM
        reach[rows] = part.support(normals[rows])
        low[rows] = np.where(faces, places, np.inf).min(axis=1) + shift
        high[rows] = np.where(faces, places, -np.inf).max(axis=1) + shift
    return reach, low, high


def _group_rows(shapes: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield each shape that is named, and where it is."""
    order = np.argsort(shapes, kind="stable")
    named, begins = np.unique(shapes[order], return_index=True)
    yield from zip(named.tolist(), np.split(order, begins[1:]), strict=False)


def _find_stretch_of_parts(one: Sequence[ConvexSet], two: Sequence[ConvexSet]) -> Array:
    """Return the stretch between the nearest two of the parts of two shapes."""
    gaps = ((*other.minkowski_sum(part.reflect()).distance(0.0, 0.0), part, other) for part, other in product(one, two))
    _, inward, part, other = min(gaps, key=lambda gap: gap[0])
    return np.array(find_nearest_stretch(part, other, -inward))
