"""Random pairs of shapes of two kinds, and the slow but obvious gap between two, to test the gap kernels."""

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest

from assistant.geometry.clearance.gap_kernels import Gaps
from assistant.geometry.clearance.shape_arrays import Ints, ShapeArrays, build_shape_arrays
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import Base, PlacedShape
from assistant.geometry.shapes.convex import ConvexSet, decompose_placed, unit_vectors

ShapePair = tuple[PlacedShape, PlacedShape]


def make_pairs(one: Sequence[Base], other: Sequence[Base], spread_mm: float, count: int = 24) -> list[ShapePair]:
    """Pairs of the shapes of two kinds in turn, anywhere in a square."""
    rng = random.Random(f"{one}{other}{spread_mm}")

    def placed(shapes: Sequence[Base], index: int) -> PlacedShape:
        x, y = rng.uniform(0, spread_mm), rng.uniform(0, spread_mm)
        return PlacedShape(shape=shapes[index % len(shapes)], x_mm=x, y_mm=y, facing_rad=rng.uniform(-4, 4))

    return [(placed(one, i), placed(other, i // len(one))) for i in range(count)]


def stand_pairs(pairs: Sequence[ShapePair]) -> tuple[ShapeArrays, Ints, Ints]:
    """The shapes of pairs as arrays, and the items of the first and of the second of each."""
    return build_shape_arrays([one for one, _ in pairs] + [other for _, other in pairs]), *np.arange(
        2 * len(pairs)
    ).reshape(2, -1)


def check_gaps(pairs: Sequence[ShapePair], found: Gaps) -> None:
    """Hold gaps between convex shapes to `clearance`, to many directions, and to the shapes that their ends are on."""
    assert found.shape == (5, len(pairs))
    for (one, other), (mm, nx, ny, x, y) in zip(pairs, found.T, strict=True):
        (a,), (b,) = decompose_placed(one), decompose_placed(other)
        normal = np.array((nx, ny))
        assert math.hypot(nx, ny) == pytest.approx(1, abs=1e-12), (one, other)
        assert mm == pytest.approx(clearance(one, other).mm, abs=1e-7), (one, other)
        # No direction parts the two by more, and the normal by exactly that much.  The ends of the gap are in the two:
        # less surely, for along a flat flank they may shift without a change of the gap.
        near = np.array((x, y))
        assert mm >= find_best_separation(a, b) - 1e-7, (one, other)
        assert separation(a, b, normal[None])[0] == pytest.approx(mm, abs=1e-7), (one, other)
        if mm > 1e-3:
            for part, point in ((a, near), (b, near + mm * normal)):
                assert separation(part, ConvexSet(corners_mm=point[None]), unit_vectors(TURNS)).max() < 1e-3, (
                    one,
                    other,
                )


TURNS = np.arange(2000) * 2 * math.pi / 2000


def separation(one: ConvexSet, other: ConvexSet, normals: np.ndarray) -> np.ndarray:
    """How far two sets are apart along directions from the first to the second."""
    return -one.support(normals) - other.support(-normals)


def find_best_separation(one: ConvexSet, other: ConvexSet) -> float:
    """The greatest separation along many directions, and many more close to the best."""
    angles = TURNS
    for width in (2e-2, 1e-4, 1e-6):
        best = angles[separation(one, other, unit_vectors(angles)).argmax()]
        angles = np.append(np.linspace(best - width, best + width, 401), best)
    return float(separation(one, other, unit_vectors(angles)).max())
