import math
import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.shape_clearance import interpolate_pose
from assistant.geometry.motion.path_length import (
    measure_body_displacement_mm,
    measure_body_travel_mm,
    measure_centre_travel,
    measure_furthest_displacement,
    measure_furthest_travel,
    place_body_point,
)
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles, placed_shapes, places


def place_shape(shape: Base, x: float, y: float, facing: float = 0.0) -> PlacedShape:
    return PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=facing)


def test_pivot_on_the_spot() -> None:
    base = Rect(length_mm=100, width_mm=60)
    found = measure_furthest_travel([place_shape(base, 0, 0), place_shape(base, 0, 0, math.pi / 2)])
    assert found.mm == pytest.approx(math.hypot(50, 30) * math.pi / 2, abs=1e-9)


def test_pivot_of_an_oval_is_that_of_its_tip() -> None:
    base = Oval(length_mm=100, width_mm=60)
    assert measure_furthest_travel([place_shape(base, 0, 0), place_shape(base, 0, 0, 1.0)]).mm == pytest.approx(
        50, abs=1e-9
    )


def test_turn_there_and_back_counts_twice() -> None:
    base = Rect(length_mm=80, width_mm=60)
    path = [place_shape(base, 0, 0), place_shape(base, 0, 0, 0.5), place_shape(base, 0, 0)]
    assert measure_furthest_travel(path).mm == pytest.approx(50.0, abs=1e-9)


def test_round_base_turns_free_and_straight_moves_count_once() -> None:
    disc = Round(radius_mm=16)
    assert measure_furthest_travel([place_shape(disc, 0, 0), place_shape(disc, 30, 40, 3.0)]).mm == pytest.approx(50)
    rect = Rect(length_mm=100, width_mm=60)
    assert measure_furthest_travel([place_shape(rect, 0, 0, 1.0), place_shape(rect, 30, 40, 1.0)]).mm == pytest.approx(
        50
    )


def test_rolling_point_draws_cycloids() -> None:
    # A wheel of radius 30 that rolls half a turn: the point at its rim runs half an arch, 4 radii.
    rim = np.array([[0.0, -30.0]])
    base = Rect(length_mm=60, width_mm=60)
    path = [
        place_shape(base, 0, 0),
        place_shape(base, 15 * math.pi, 0, -math.pi / 2),
        place_shape(base, 30 * math.pi, 0, -math.pi),
    ]
    assert measure_body_travel_mm(path, rim)[0] == pytest.approx(4 * 30, abs=1e-9)


@settings(max_examples=40)
@given(places, places, angles, st.tuples(st.floats(-80, 80), st.floats(-80, 80)))
def test_way_of_a_body_point_is_that_of_dense_chords(
    x: float, y: float, facing: float, where: tuple[float, float]
) -> None:
    start = place_shape(L_SHAPE, 10, -20, 0.4)
    end = replace(start, x_mm=x, y_mm=y, facing_rad=facing)
    body = np.array(where)
    points = np.array(
        [place_body_point(interpolate_pose(start, end, share), body) for share in np.linspace(0, 1, 1500)]
    )
    chords = np.hypot(*np.diff(points, axis=0).T).sum()
    assert measure_body_travel_mm([start, end], body[None])[0] == pytest.approx(chords, abs=1e-3 + 1e-5 * chords)


@settings(max_examples=25)
@given(placed_shapes(), places, places, angles)
def test_no_part_of_the_base_travels_further(start: PlacedShape, x: float, y: float, facing: float) -> None:
    path = [start, replace(start, x_mm=x, y_mm=y, facing_rad=facing), start]
    found = measure_furthest_travel(path)
    if isinstance(start.shape, Round):
        assert found.mm == measure_centre_travel(path).mm
        return
    around = np.linspace(0, 2 * math.pi, 300)
    match start.shape:
        case Oval(length_mm=length, width_mm=width):
            body = np.column_stack((length / 2 * np.cos(around), width / 2 * np.sin(around)))
        case Rect(length_mm=length, width_mm=width):
            body = np.array([(i, j) for i in (-length / 2, 0, length / 2) for j in (-width / 2, 0, width / 2)])
        case _:
            body = np.array(L_SHAPE.points_mm)
    assert found.mm >= measure_body_travel_mm(path, body).max() - 1e-9
    assert found.mm == pytest.approx(measure_body_travel_mm(path, body).max(), rel=1e-3)
    assert found.mm >= measure_centre_travel(path).mm - 1e-9
    displaced = measure_furthest_displacement(path)
    assert displaced.mm <= found.mm + 1e-9
    assert displaced.mm >= measure_body_displacement_mm(path, body).max() - 1e-9
    assert displaced.mm == pytest.approx(measure_body_displacement_mm(path, body).max(), rel=1e-3)
    assert displaced.mm == pytest.approx(sum(math.dist(a, b) for a, b in pairwise(displaced.points)))


def test_displacement_of_an_about_face_is_the_diagonal() -> None:
    stand = Rect(length_mm=20, width_mm=40)
    found = measure_furthest_displacement([place_shape(stand, 0, 0), place_shape(stand, 0, 0, math.pi)])
    assert found.mm == pytest.approx(math.hypot(20, 40))
    assert found.points[0] == pytest.approx((-found.points[1][0], -found.points[1][1]))


def test_displacements_of_the_legs_add_up_for_one_and_the_same_point() -> None:
    # Turned left by a right angle and back again, each corner goes 2 x 22.36 x sin 45 degrees twice; wheeled about its
    # front left corner, which stays, the furthest is the one across, 44.72 mm away.
    stand = Rect(length_mm=20, width_mm=40)
    there_and_back = [place_shape(stand, 0, 0), place_shape(stand, 0, 0, math.pi / 2), place_shape(stand, 0, 0)]
    assert measure_furthest_displacement(there_and_back).mm == pytest.approx(
        2 * math.hypot(20, 40) * math.sin(math.pi / 4)
    )
    wheeled = [place_shape(stand, -10, -20), place_shape(stand, 20, -10, math.pi / 2)]
    found = measure_furthest_displacement(wheeled)
    assert found.mm == pytest.approx(2 * math.hypot(20, 40) * math.sin(math.pi / 4))
    assert [*found.points[0], *found.points[1]] == pytest.approx([-20, -40, 40, -20])
    ahead = [place_shape(stand, 0, 0), place_shape(stand, 0, 0, math.pi / 2), place_shape(stand, 0, 100, math.pi / 2)]
    assert measure_furthest_displacement(ahead).mm == pytest.approx(100 + math.hypot(20, 40) * math.sin(math.pi / 4))


def test_displacement_of_a_turning_oval_is_that_of_its_tip() -> None:
    found = measure_furthest_displacement(
        [place_shape(Oval(length_mm=100, width_mm=60), 0, 0), place_shape(Oval(length_mm=100, width_mm=60), 0, 0, 1.0)]
    )
    assert found.mm == pytest.approx(2 * 50 * math.sin(0.5), abs=1e-9)
    assert (
        measure_furthest_displacement(
            [place_shape(Round(radius_mm=16), 0, 0), place_shape(Round(radius_mm=16), 3, 4, 2.0)]
        ).mm
        == 5
    )


def test_elliptic_lengths_add_up() -> None:
    rng = random.Random(2)
    base = Rect(length_mm=100, width_mm=60)
    for _ in range(20):
        start, end = (
            place_shape(base, 0, 0, rng.uniform(-3, 3)),
            place_shape(base, rng.uniform(-90, 90), rng.uniform(-90, 90), 0.0),
        )
        body = np.array([[rng.uniform(-50, 50), rng.uniform(-30, 30)]])
        middle = interpolate_pose(start, end, 0.37)
        whole = measure_body_travel_mm([start, end], body)[0]
        assert measure_body_travel_mm([start, middle, end], body)[0] == pytest.approx(whole, abs=1e-9)
