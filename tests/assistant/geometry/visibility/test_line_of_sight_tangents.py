"""Lines that touch two things, and the places where outlines cross."""

import math

import numpy as np
import pytest

from assistant.geometry.shapes.base_shapes import Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import decompose_placed
from assistant.geometry.visibility.line_of_sight import build_sites, find_ellipse_tangents, find_outline_crossings


def test_two_ovals_that_are_apart_have_four_common_tangents() -> None:
    rng = np.random.default_rng(1)
    for _ in range(150):
        lengths = rng.uniform(20, 150, 2)
        bearing = rng.uniform(0, math.tau)
        far = rng.choice([160, 400, 1500]) * np.array([math.cos(bearing), math.sin(bearing)])
        sites = [
            build_sites(
                decompose_placed(
                    PlacedShape(
                        shape=Oval(length_mm=length, width_mm=length * rng.uniform(0.1, 1)),
                        x_mm=float(x),
                        y_mm=float(y),
                        facing_rad=rng.uniform(0, math.tau),
                    )
                ),
                np.empty((0, 2)),
            )
            for length, (x, y) in zip(lengths, (np.zeros(2), far), strict=True)
        ]
        lines = np.concatenate([np.column_stack(found) for found in find_ellipse_tangents(*sites)])
        one_way = lines * np.where(lines[:, :1] < 0, -1, 1)
        assert len(np.unique(np.round(one_way, 5), axis=0)) == 4


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        (Round(radius_mm=5), Round(radius_mm=5), [(3, -4), (3, 4)]),
        (Round(radius_mm=5), Rect(length_mm=6, width_mm=40), [(3, -4), (3, 4)]),
        (Oval(length_mm=10, width_mm=10), Round(radius_mm=5), [(3, -4), (3, 4)]),
        (Rect(length_mm=6, width_mm=8), Rect(length_mm=6, width_mm=4), [(3, -2), (3, 2)]),
    ],
)
def test_outlines_cross_where_they_must(
    one: Round | Oval | Rect, two: Round | Oval | Rect, expected: list[tuple[float, float]]
) -> None:
    (first,) = decompose_placed(PlacedShape(shape=one, x_mm=0, y_mm=0))
    (second,) = decompose_placed(PlacedShape(shape=two, x_mm=6, y_mm=0))
    found = sorted({(round(x, 6) + 0.0, round(y, 6) + 0.0) for x, y in find_outline_crossings(first, second) if x < 4})
    assert found == sorted(expected)
