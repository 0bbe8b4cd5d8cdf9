"""Gaps between discs, ellipses and polygons: each kernel by itself, and where Newton's method has no easy way."""

import math
from dataclasses import replace

import numpy as np
import pytest

from assistant.geometry.clearance import gap_kernels
from assistant.geometry.clearance.gap_kernels import Gaps
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from tests.assistant.geometry.clearance.random_pairs import ShapePair, check_gaps, make_pairs, stand_pairs

DISCS = (Round(radius_mm=16), Round(radius_mm=60))
OVALS = (Oval(length_mm=75, width_mm=42), Oval(length_mm=40, width_mm=40), Oval(length_mm=20, width_mm=90))
NEEDLES = (Oval(length_mm=200, width_mm=1), Oval(length_mm=0.5, width_mm=150), Oval(length_mm=2, width_mm=1))
POLYGONS = (
    Rect(length_mm=50, width_mm=25),
    Rect(length_mm=120, width_mm=1),
    Outline(points_mm=((30, 0), (-20, 25), (-20, -10))),
    Outline(points_mm=((30, 0), (15, 20), (-15, 20), (-30, 0), (-15, -20), (15, -20))),
)


def measure_disc_pairs(pairs: list[ShapePair]) -> Gaps:
    standing, one, two = stand_pairs(pairs)
    centres, radii = standing.smooth[:2], standing.radius_mm
    return gap_kernels.measure_discs(centres[:, one], centres[:, two], radii[one], radii[two])


def measure_ellipse_pairs(pairs: list[ShapePair]) -> Gaps:
    standing, one, two = stand_pairs(pairs)
    return gap_kernels.measure_ellipses(standing.smooth[:, one], standing.smooth[:, two])


def measure_ellipse_polygon_pairs(pairs: list[ShapePair]) -> Gaps:
    standing, one, two = stand_pairs(pairs)
    assert len(standing.polygons) == 1
    return gap_kernels.measure_ellipses_to_polygons(standing.smooth[:, one], standing.polygons[0], standing.row[two])


@pytest.mark.parametrize("spread_mm", [600.0, 120.0, 40.0])
def test_between_discs(spread_mm: float) -> None:
    pairs = make_pairs(DISCS, DISCS, spread_mm)
    check_gaps(pairs, measure_disc_pairs(pairs))


@pytest.mark.parametrize("one", [DISCS, OVALS, NEEDLES])
@pytest.mark.parametrize("other", [OVALS, NEEDLES])
@pytest.mark.parametrize("spread_mm", [600.0, 200.0, 40.0])
def test_between_ellipses(one: tuple[Base, ...], other: tuple[Base, ...], spread_mm: float) -> None:
    pairs = make_pairs(one, other, spread_mm)
    check_gaps(pairs, measure_ellipse_pairs(pairs))


@pytest.mark.parametrize("ovals", [OVALS, NEEDLES])
@pytest.mark.parametrize("spread_mm", [600.0, 200.0, 40.0])
def test_from_ellipses_to_polygons(ovals: tuple[Base, ...], spread_mm: float) -> None:
    pairs = make_pairs(ovals, POLYGONS, spread_mm)
    check_gaps(pairs, measure_ellipse_polygon_pairs(pairs))


def test_the_deepest_of_many_ways_out_that_are_almost_equal() -> None:
    alike = (Oval(length_mm=60, width_mm=58), Oval(length_mm=59, width_mm=60))
    for one, other in ((alike, alike), (OVALS, alike), (OVALS, OVALS)):
        pairs = make_pairs(one, other, 4.0, 60)
        check_gaps(pairs, measure_ellipse_pairs(pairs))


def make_coincident_pairs(one: tuple[Base, ...], other: tuple[Base, ...]) -> list[ShapePair]:
    here = PlacedShape(shape=one[0], x_mm=70, y_mm=-30)
    turns = (0.0, 0.6, math.pi / 2)
    return [(replace(here, shape=a), replace(here, shape=b, facing_rad=t)) for a in one for b in other for t in turns]


def test_coincident_centres() -> None:
    check_gaps(make_coincident_pairs(DISCS, DISCS), measure_disc_pairs(make_coincident_pairs(DISCS, DISCS)))
    for one in (DISCS, OVALS, NEEDLES):
        for other in (OVALS, NEEDLES):
            check_gaps(make_coincident_pairs(one, other), measure_ellipse_pairs(make_coincident_pairs(one, other)))
    for ovals in (OVALS, NEEDLES):
        check_gaps(
            make_coincident_pairs(ovals, POLYGONS),
            measure_ellipse_polygon_pairs(make_coincident_pairs(ovals, POLYGONS)),
        )


@pytest.mark.parametrize("reach", [0.0, 1e-9, -1e-9, 1e-5, -1e-5])
@pytest.mark.parametrize("spread_mm", [300.0, 90.0])
def test_touching(reach: float, spread_mm: float) -> None:
    # The second is brought up to the first along the gap, or out of it along the depth, to this much of it.
    for kernel, one, other in (
        (measure_disc_pairs, DISCS, DISCS),
        (measure_ellipse_pairs, DISCS, OVALS),
        (measure_ellipse_pairs, OVALS, NEEDLES),
        (measure_ellipse_polygon_pairs, OVALS, POLYGONS),
        (measure_ellipse_polygon_pairs, NEEDLES, POLYGONS),
    ):
        pairs = make_pairs(one, other, spread_mm, 12)
        mm, nx, ny, _, _ = kernel(pairs)
        shift = np.array((nx, ny)) * (reach - mm)
        met = [
            (a, replace(b, x_mm=b.x_mm + dx, y_mm=b.y_mm + dy)) for (a, b), (dx, dy) in zip(pairs, shift.T, strict=True)
        ]
        found = kernel(met)
        assert found[0] == pytest.approx([clearance(*pair).mm for pair in met], abs=1e-6)
        apart = mm > 0  # along a depth there may be a shorter way out once it is gone
        assert found[0][apart] == pytest.approx(reach, abs=1e-6)


def test_an_ellipse_within_a_polygon_and_around_it() -> None:
    plate, oval = PlacedShape(shape=Rect(length_mm=200, width_mm=100), x_mm=0, y_mm=0), Oval(length_mm=30, width_mm=20)
    within = [PlacedShape(shape=oval, x_mm=x, y_mm=10) for x in (0.0, 70.0)]
    found = measure_ellipse_polygon_pairs([(placed, plate) for placed in within])
    assert found[0] == pytest.approx([-50.0, -45.0])  # out by the long side: 40 + 10; out by the short one: 30 + 15
    assert pytest.approx(np.array(((0, -1), (-1, 0))), abs=1e-6) == found[1:3].T
    dish, chip = PlacedShape(shape=Oval(length_mm=200, width_mm=100), x_mm=0, y_mm=0), Rect(length_mm=10, width_mm=6)
    mm = measure_ellipse_polygon_pairs([(dish, PlacedShape(shape=chip, x_mm=0, y_mm=0))])[0]
    assert mm == pytest.approx([-53.0], abs=1e-6)


def test_the_flank_of_a_needle_close_to_a_corner() -> None:
    # Along a flank the nearest point moves far for a small turn: what proves the answer must not.
    needle = PlacedShape(shape=Oval(length_mm=400, width_mm=4), x_mm=0, y_mm=0)
    corner = Rect(length_mm=30, width_mm=30)
    pairs = [
        (needle, PlacedShape(shape=corner, x_mm=x, y_mm=2 + 15 * math.sqrt(2) + gap, facing_rad=math.pi / 4 + turn))
        for x in (-150.0, -20.0, 0.0, 90.0)
        for gap in (1e-4, 1e-2, 1.0)
        for turn in (0.0, 0.01, math.pi / 4)
    ]
    check_gaps(pairs, measure_ellipse_polygon_pairs(pairs))


def test_no_pairs() -> None:
    standing, _, _ = stand_pairs(make_pairs(OVALS, POLYGONS, 100))
    none = np.empty(0, dtype=np.intp)
    assert gap_kernels.measure_ellipses(np.empty((7, 0)), np.empty((7, 0))).shape == (5, 0)
    assert gap_kernels.measure_ellipses_to_polygons(np.empty((7, 0)), standing.polygons[0], none).shape == (5, 0)
