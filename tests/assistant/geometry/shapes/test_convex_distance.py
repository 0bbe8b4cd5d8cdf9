"""The distance of a point outside a grown polygon, against the greatest separation found by search."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.shape_clearance import Approach, clearance, interpolate_pose, least_clearance
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import (
    ConvexSet,
    Ellipse,
    distance_to_outside_point,
    maximise_on_circle,
    unit_vectors,
)

SIZES = st.floats(1.0, 80.0)
TURNS = st.floats(-4.0, 4.0)
ELLIPSES = st.lists(st.tuples(SIZES, SIZES, TURNS), min_size=1, max_size=2)
POLYGONS = st.sampled_from(
    [((0.0, 0.0),), ((0.0, 0.0), (50.0, 20.0)), ((-20.0, -10.0), (30.0, -15.0), (25.0, 30.0), (-10.0, 22.0))]
)
PLACES = st.tuples(st.floats(-300.0, 300.0), st.floats(-300.0, 300.0))


def search_distance(corners: tuple[tuple[float, float], ...], ellipses: list[Ellipse], x: float, y: float) -> float:
    grown = ConvexSet(corners_mm=np.array(corners), ellipses=tuple(ellipses))
    flat = [math.atan2(ax - bx, by - ay) for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True)]
    sharp = [turn + math.pi / 2 * quarter for _, _, turn in ellipses for quarter in range(4)]
    _, mm = maximise_on_circle(
        lambda a: unit_vectors(a) @ (x, y) - grown.support(unit_vectors(a)), np.array(flat + sharp)
    )
    return mm


@given(POLYGONS, ELLIPSES, PLACES)
@settings(max_examples=300)
def test_it_is_the_greatest_separation(
    corners: tuple[tuple[float, float], ...], ellipses: list[Ellipse], place: tuple[float, float]
) -> None:
    expected = search_distance(corners, ellipses, *place)
    found = distance_to_outside_point(corners, ellipses, *place)
    if found is None:
        assert expected < 3.0, "only what overlaps, or nearly touches, may be left to the search"
        return
    mm, nx, ny = found
    assert mm == pytest.approx(expected, abs=1e-8)
    assert math.hypot(nx, ny) == pytest.approx(1.0)
    grown = ConvexSet(corners_mm=np.array(corners), ellipses=tuple(ellipses))
    assert nx * place[0] + ny * place[1] - grown.support(np.array([[nx, ny]]))[0] == pytest.approx(mm, abs=1e-8)


def test_a_needle_does_not_throw_the_search_to_and_fro() -> None:
    needles = [(55.14298118045501, 7.45677331192272, -1.2547596597705601), (55.14298118045501, 7.45677331192272, -0.53)]
    found = distance_to_outside_point(((5.26, 132.97),), needles, 0.0, 0.0)
    assert found is not None
    assert found[0] == pytest.approx(search_distance(((5.26, 132.97),), list(needles), 0.0, 0.0), abs=1e-9)


def test_the_search_looks_on_both_sides_of_two_angles_as_good_as_one() -> None:
    found = distance_to_outside_point(((0.0, 0.0), (50.0, 20.0)), [(1.0, 1.0, -2.3e-61)], 81.0, 21.0)
    assert found is not None
    assert found[0] == pytest.approx(math.hypot(31, 1) - 1)
    assert search_distance(((0.0, 0.0), (50.0, 20.0)), [(1.0, 1.0, -2.3e-61)], 81.0, 21.0) == pytest.approx(found[0])


def test_on_the_edge_the_direction_is_that_of_the_edge() -> None:
    found = distance_to_outside_point(((0.0, 0.0),), [(1.0, 1.0, 1.0)], 1.0, 9e-12)
    assert found is None or found == pytest.approx((0.0, 1.0, 0.0), abs=1e-9)


def test_inside_nothing_is_proven() -> None:
    assert distance_to_outside_point(((0.0, 0.0),), [(30.0, 20.0, 0.3)], 5.0, 5.0) is None
    assert distance_to_outside_point(((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)), [], 5.0, 5.0) is None


BASES: tuple[Base, ...] = (Round(radius_mm=16), Oval(length_mm=75, width_mm=42), Rect(length_mm=60, width_mm=40))


@given(st.sampled_from(BASES), st.sampled_from(BASES), st.tuples(PLACES, PLACES), st.tuples(TURNS, TURNS))
@settings(max_examples=120)
def test_the_least_clearance_of_a_level_leg_is_that_of_dense_sampling(
    mover: Base, other: Base, ends: tuple[tuple[float, float], tuple[float, float]], turns: tuple[float, float]
) -> None:
    (begin, finish), (facing, theirs) = ends, turns
    start = PlacedShape(shape=mover, x_mm=begin[0], y_mm=begin[1], facing_rad=facing)
    end = PlacedShape(shape=mover, x_mm=finish[0], y_mm=finish[1], facing_rad=facing)
    standing = PlacedShape(shape=other, x_mm=10.0, y_mm=-5.0, facing_rad=theirs)
    found: Approach = least_clearance(start, end, standing)
    sampled = min(clearance(interpolate_pose(start, end, k / 40), standing).mm for k in range(41))
    step = math.dist(begin, finish) / 40
    assert found.clearance.mm <= sampled + 1e-5
    assert sampled - found.clearance.mm <= step / 2 + 1e-5
    at = clearance(interpolate_pose(start, end, found.share), standing).mm
    assert at == pytest.approx(found.clearance.mm, abs=1e-5)
