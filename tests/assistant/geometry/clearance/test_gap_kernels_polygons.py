"""Gaps between polygons, and from discs to them: by corners and by sides, and where the two disagree most easily."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from assistant.geometry.clearance import gap_kernels
from assistant.geometry.clearance.gap_kernels import Gaps
from assistant.geometry.clearance.shape_arrays import POLYGON
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import Base, Outline, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import STRAIGHT_MM, decompose_convex
from tests.assistant.geometry.clearance.random_pairs import ShapePair, check_gaps, make_pairs, stand_pairs

DISCS = (Round(radius_mm=16), Round(radius_mm=60), Round(radius_mm=1e-6))
SMALL = (
    Rect(length_mm=50, width_mm=25),
    Outline(points_mm=((30, 0), (-20, 25), (-20, -10))),
    Outline(points_mm=((30, 0), (15, 20), (-15, 20), (-30, 0), (-15, -20), (15, -20))),
)
SLIM = (
    Rect(length_mm=150, width_mm=0.5),
    Outline(points_mm=((90, 0), (-60, 0.2), (-60, -0.2))),
    Outline(points_mm=((0, 0), (80, 0), (80, 1e-3), (40, 1))),
)
MANY = (
    Outline(points_mm=tuple((40 * math.cos(k * math.tau / 11), 25 * math.sin(k * math.tau / 11)) for k in range(11))),
    Outline(points_mm=tuple((9 * math.cos(k * math.tau / 9), 60 * math.sin(k * math.tau / 9)) for k in range(9))),
)
ARC = [(2000 * math.sin(turn), 2000 * math.cos(turn) - 2000) for turn in np.linspace(0.03, -0.03, 10)]
LENS = (Outline(points_mm=((-50, -20), (50, -20), *ARC)),)
POLYGONS = (SMALL, SLIM, MANY, LENS)


def measure_disc_polygon_pairs(pairs: list[ShapePair]) -> Gaps:
    standing, one, two = stand_pairs(pairs)
    assert len(standing.polygons) == 1
    radii, rows = standing.radius_mm[one], standing.row[two]
    return gap_kernels.measure_discs_to_polygons(standing.centres, one, radii, standing.polygons[0], rows)


def measure_polygon_pairs(pairs: list[ShapePair]) -> Gaps:
    standing, one, two = stand_pairs(pairs)
    kinds = [standing.polygons[standing.kind[items[0]] - POLYGON] for items in (one, two)]
    return gap_kernels.measure_polygons(kinds[0], standing.row[one], kinds[1], standing.row[two])


@pytest.mark.parametrize("polygons", POLYGONS)
@pytest.mark.parametrize("spread_mm", [600.0, 150.0, 40.0])
def test_from_discs_to_polygons(polygons: tuple[Base, ...], spread_mm: float) -> None:
    pairs = make_pairs(DISCS, polygons, spread_mm)
    check_gaps(pairs, measure_disc_polygon_pairs(pairs))


@pytest.mark.parametrize("one", POLYGONS)
@pytest.mark.parametrize("other", POLYGONS)
@pytest.mark.parametrize("spread_mm", [600.0, 150.0, 40.0])
def test_between_polygons(one: tuple[Base, ...], other: tuple[Base, ...], spread_mm: float) -> None:
    pairs = make_pairs(one, other, spread_mm)
    check_gaps(pairs, measure_polygon_pairs(pairs))


def test_coincident_centres() -> None:
    here = PlacedShape(shape=DISCS[0], x_mm=70, y_mm=-30)
    for kernel, ones, others in ((measure_disc_polygon_pairs, DISCS, SMALL), (measure_polygon_pairs, SMALL, SMALL)):
        turns = (0.0, 0.6, math.pi / 2)
        pairs = [
            (replace(here, shape=a), replace(here, shape=b, facing_rad=t)) for a in ones for b in others for t in turns
        ]
        check_gaps(pairs, kernel(pairs))


@pytest.mark.parametrize("reach", [0.0, 1e-9, -1e-9, 1e-5, -1e-5])
def test_touching(reach: float) -> None:
    # The second is brought up to the first along the gap, to this much of it.
    for kernel, one, other in (
        (measure_disc_polygon_pairs, DISCS, SMALL),
        (measure_polygon_pairs, SMALL, MANY),
        (measure_polygon_pairs, SLIM, SMALL),
    ):
        pairs = make_pairs(one, other, 500.0)
        mm, nx, ny, _, _ = kernel(pairs)
        assert (mm > 0).sum() > 12
        pairs = [pair for pair, gap in zip(pairs, mm, strict=True) if gap > 0]
        shift = (np.array((nx, ny)) * (reach - mm))[:, mm > 0].T
        met = [
            (a, replace(b, x_mm=b.x_mm + dx, y_mm=b.y_mm + dy)) for (a, b), (dx, dy) in zip(pairs, shift, strict=True)
        ]
        found = kernel(met)[0]
        if reach >= 0:  # where two corners overlap, there is a shorter way out sideways
            assert found == pytest.approx(reach, abs=1e-6)
        assert found == pytest.approx([clearance(*pair).mm for pair in met], abs=1e-6)


def test_corners_and_sides_of_squares_that_touch_or_just_not() -> None:
    square = PlacedShape(shape=Rect(length_mm=20, width_mm=20), x_mm=0, y_mm=0)
    shifts = [-41.0, -20 - 1e-7, -20.0, -20 + 1e-7, -19.0, -1.0, 0.0, 1.0, 19.0, 20 - 1e-7, 20.0, 20 + 1e-7, 41.0]
    places = [(x, y) for x, y in product(shifts, shifts) if (x, y) != (0.0, 0.0)]
    found = measure_polygon_pairs([(square, replace(square, x_mm=x, y_mm=y)) for x, y in places])
    for (x, y), (mm, nx, ny, *_) in zip(places, found.T, strict=True):
        wide, high = abs(x) - 20, abs(y) - 20
        expected = math.hypot(max(wide, 0), max(high, 0)) if max(wide, high) > 0 else max(wide, high)
        assert mm == pytest.approx(expected, abs=1e-12)
        assert math.hypot(nx, ny) == pytest.approx(1, abs=1e-12)
        assert nx * x + ny * y > 0


def test_one_polygon_within_another() -> None:
    plate, chip = PlacedShape(shape=Rect(length_mm=200, width_mm=100), x_mm=0, y_mm=0), Rect(length_mm=10, width_mm=6)
    pairs = [(plate, PlacedShape(shape=chip, x_mm=x, y_mm=y)) for x, y in ((5.0, 10.0), (80.0, 0.0))]
    for sign, mine in ((1, pairs), (-1, [(b, a) for a, b in pairs])):
        found = measure_polygon_pairs(mine)
        assert found[0] == pytest.approx([-43, -25])
        assert found[1:3].T * sign == pytest.approx(np.array(((0, 1), (1, 0))), abs=1e-9)
    disc = PlacedShape(shape=Round(radius_mm=4), x_mm=5, y_mm=10)
    assert measure_disc_polygon_pairs([(disc, plate)])[:, 0] == pytest.approx((-44, 0, -1, 5, 6), abs=1e-9)


@pytest.mark.parametrize("tilt", [1e-2, 1e-3, 1e-6, 1e-9, 1e-11, 0.0])
@pytest.mark.parametrize("shift", [-199.0, -60.0, 0.0, 130.0])
def test_long_sides_that_are_almost_parallel(tilt: float, shift: float) -> None:
    # A corner beside the nearest one is hardly further away: the proof must tell the two apart.
    bar = Rect(length_mm=200, width_mm=10)
    pairs = [
        (PlacedShape(shape=bar, x_mm=0, y_mm=0), PlacedShape(shape=bar, x_mm=shift, y_mm=30, facing_rad=turn))
        for turn in (tilt, -tilt, tilt + math.pi)
    ]
    check_gaps(pairs, measure_polygon_pairs(pairs))


def test_before_many_sides_that_hardly_bend() -> None:
    lens = PlacedShape(shape=LENS[0], x_mm=0, y_mm=0)
    places = [(x, y) for x in np.linspace(-45, 45, 19).tolist() for y in (3.0, 30.0, 300.0, 3000.0)]
    discs = [(PlacedShape(shape=DISCS[2], x_mm=x, y_mm=y), lens) for x, y in places]
    check_gaps(discs, measure_disc_polygon_pairs(discs))
    lenses = [(PlacedShape(shape=LENS[0], x_mm=x, y_mm=y, facing_rad=math.pi), lens) for x, y in places]
    check_gaps(lenses, measure_polygon_pairs(lenses))


@pytest.mark.parametrize("x", [-30.0, -1.0, 1.0, 30.0])
def test_inside_a_side_with_a_corner_in_its_middle_that_hardly_bends(x: float) -> None:
    # From that corner both sides lead straight on: only on which of their hands a point lies tells in from out.
    roof = Outline(points_mm=((-50, 0), (50, 0), (50, 40), (0, 40 + 2 * STRAIGHT_MM), (-50, 40)))
    house = PlacedShape(shape=roof, x_mm=0, y_mm=0)
    assert len(decompose_convex(roof)[0].corners_mm) == 5
    assert measure_disc_polygon_pairs([(PlacedShape(shape=Round(radius_mm=2), x_mm=x, y_mm=35), house)])[
        0
    ] == pytest.approx(-7)
    chip = PlacedShape(shape=Rect(length_mm=2, width_mm=2), x_mm=x, y_mm=35)
    assert measure_polygon_pairs([(chip, house)])[0] == pytest.approx(-6)
    assert measure_polygon_pairs([(house, chip)])[0] == pytest.approx(-6)


def test_the_witness_of_a_disc_is_on_its_rim() -> None:
    pairs = make_pairs(DISCS[:2], SMALL, 500.0)
    for (disc, _), (_, nx, ny, x, y) in zip(pairs, measure_disc_polygon_pairs(pairs).T, strict=True):
        assert isinstance(disc.shape, Round)
        rim = disc.x_mm + disc.shape.radius_mm * nx, disc.y_mm + disc.shape.radius_mm * ny
        assert (x, y) == pytest.approx(rim, abs=1e-9)


def test_what_corners_prove_is_what_sides_say(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [pair for one, other in product(POLYGONS, repeat=2) for pair in make_pairs(one, other, 300.0)]
    groups = [pairs[at : at + 24] for at in range(0, len(pairs), 24)]
    quick = np.concatenate([measure_polygon_pairs(group)[0] for group in groups])
    monkeypatch.setattr(gap_kernels, "_STEPS", 1)
    once = np.concatenate([measure_polygon_pairs(group)[0] for group in groups])
    monkeypatch.setattr(gap_kernels, "_LEVEL", -2.0)  # so that nothing is ever proven
    slow = np.concatenate([measure_polygon_pairs(group)[0] for group in groups])
    assert (slow > 0).sum() > 100
    assert quick == pytest.approx(slow, abs=1e-9)
    assert once == pytest.approx(slow, abs=1e-9)


def test_no_pairs() -> None:
    standing, _, _ = stand_pairs(make_pairs(DISCS, SMALL, 100))
    none = np.empty(0, dtype=np.intp)
    polygons = standing.polygons[0]
    assert gap_kernels.measure_polygons(polygons, none, polygons, none).shape == (5, 0)
    assert gap_kernels.measure_discs_to_polygons(standing.centres, none, np.empty(0), polygons, none).shape == (5, 0)
