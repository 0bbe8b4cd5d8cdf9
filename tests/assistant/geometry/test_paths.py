import math
import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance import between
from assistant.geometry.paths import (
    body_displacement_mm,
    body_point,
    body_travel_mm,
    centre_travel,
    furthest_displacement,
    furthest_travel,
)
from assistant.geometry.shapes import Base, Oval, Placed, Rect, Round
from tests.assistant.geometry.shapes_at_random import L_SHAPE, angles, placed_shapes, places


def at(shape: Base, x: float, y: float, facing: float = 0.0) -> Placed:
    return Placed(shape=shape, x_mm=x, y_mm=y, facing_rad=facing)


def test_pivot_on_the_spot() -> None:
    base = Rect(length_mm=100, width_mm=60)
    found = furthest_travel([at(base, 0, 0), at(base, 0, 0, math.pi / 2)])
    assert found.mm == pytest.approx(math.hypot(50, 30) * math.pi / 2, abs=1e-9)


def test_pivot_of_an_oval_is_that_of_its_tip() -> None:
    base = Oval(length_mm=100, width_mm=60)
    assert furthest_travel([at(base, 0, 0), at(base, 0, 0, 1.0)]).mm == pytest.approx(50, abs=1e-9)


def test_turn_there_and_back_counts_twice() -> None:
    base = Rect(length_mm=80, width_mm=60)
    path = [at(base, 0, 0), at(base, 0, 0, 0.5), at(base, 0, 0)]
    assert furthest_travel(path).mm == pytest.approx(50.0, abs=1e-9)


def test_round_base_turns_free_and_straight_moves_count_once() -> None:
    disc = Round(radius_mm=16)
    assert furthest_travel([at(disc, 0, 0), at(disc, 30, 40, 3.0)]).mm == pytest.approx(50)
    rect = Rect(length_mm=100, width_mm=60)
    assert furthest_travel([at(rect, 0, 0, 1.0), at(rect, 30, 40, 1.0)]).mm == pytest.approx(50)


def test_rolling_point_draws_cycloids() -> None:
    # A wheel of radius 30 that rolls half a turn: the point at its rim runs half an arch, 4 radii.
    rim = np.array([[0.0, -30.0]])
    base = Rect(length_mm=60, width_mm=60)
    path = [at(base, 0, 0), at(base, 15 * math.pi, 0, -math.pi / 2), at(base, 30 * math.pi, 0, -math.pi)]
    assert body_travel_mm(path, rim)[0] == pytest.approx(4 * 30, abs=1e-9)


@settings(max_examples=40)
@given(places, places, angles, st.tuples(st.floats(-80, 80), st.floats(-80, 80)))
def test_way_of_a_body_point_is_that_of_dense_chords(
    x: float, y: float, facing: float, where: tuple[float, float]
) -> None:
    start = at(L_SHAPE, 10, -20, 0.4)
    end = replace(start, x_mm=x, y_mm=y, facing_rad=facing)
    body = np.array(where)
    points = np.array([body_point(between(start, end, share), body) for share in np.linspace(0, 1, 1500)])
    chords = np.hypot(*np.diff(points, axis=0).T).sum()
    assert body_travel_mm([start, end], body[None])[0] == pytest.approx(chords, abs=1e-3 + 1e-5 * chords)


@settings(max_examples=25)
@given(placed_shapes(), places, places, angles)
def test_no_part_of_the_base_travels_further(start: Placed, x: float, y: float, facing: float) -> None:
    path = [start, replace(start, x_mm=x, y_mm=y, facing_rad=facing), start]
    found = furthest_travel(path)
    if isinstance(start.shape, Round):
        assert found.mm == centre_travel(path).mm
        return
    around = np.linspace(0, 2 * math.pi, 300)
    match start.shape:
        case Oval(length_mm=length, width_mm=width):
            body = np.column_stack((length / 2 * np.cos(around), width / 2 * np.sin(around)))
        case Rect(length_mm=length, width_mm=width):
            body = np.array([(i, j) for i in (-length / 2, 0, length / 2) for j in (-width / 2, 0, width / 2)])
        case _:
            body = np.array(L_SHAPE.points_mm)
    assert found.mm >= body_travel_mm(path, body).max() - 1e-9
    assert found.mm == pytest.approx(body_travel_mm(path, body).max(), rel=1e-3)
    assert found.mm >= centre_travel(path).mm - 1e-9
    displaced = furthest_displacement(path)
    assert displaced.mm <= found.mm + 1e-9
    assert displaced.mm >= body_displacement_mm(path, body).max() - 1e-9
    assert displaced.mm == pytest.approx(body_displacement_mm(path, body).max(), rel=1e-3)
    assert displaced.mm == pytest.approx(sum(math.dist(a, b) for a, b in pairwise(displaced.points)))


def test_displacement_of_an_about_face_is_the_diagonal() -> None:
    stand = Rect(length_mm=20, width_mm=40)
    found = furthest_displacement([at(stand, 0, 0), at(stand, 0, 0, math.pi)])
    assert found.mm == pytest.approx(math.hypot(20, 40))
    assert found.points[0] == pytest.approx((-found.points[1][0], -found.points[1][1]))


def test_displacements_of_the_legs_add_up_for_one_and_the_same_point() -> None:
    # Turned left by a right angle and back again, each corner goes 2 x 22.36 x sin 45 degrees twice; wheeled about its
    # front left corner, which stays, the furthest is the one across, 44.72 mm away.
    stand = Rect(length_mm=20, width_mm=40)
    there_and_back = [at(stand, 0, 0), at(stand, 0, 0, math.pi / 2), at(stand, 0, 0)]
    assert furthest_displacement(there_and_back).mm == pytest.approx(2 * math.hypot(20, 40) * math.sin(math.pi / 4))
    wheeled = [at(stand, -10, -20), at(stand, 20, -10, math.pi / 2)]
    found = furthest_displacement(wheeled)
    assert found.mm == pytest.approx(2 * math.hypot(20, 40) * math.sin(math.pi / 4))
    assert [*found.points[0], *found.points[1]] == pytest.approx([-20, -40, 40, -20])
    ahead = [at(stand, 0, 0), at(stand, 0, 0, math.pi / 2), at(stand, 0, 100, math.pi / 2)]
    assert furthest_displacement(ahead).mm == pytest.approx(100 + math.hypot(20, 40) * math.sin(math.pi / 4))


def test_displacement_of_a_turning_oval_is_that_of_its_tip() -> None:
    found = furthest_displacement(
        [at(Oval(length_mm=100, width_mm=60), 0, 0), at(Oval(length_mm=100, width_mm=60), 0, 0, 1.0)]
    )
    assert found.mm == pytest.approx(2 * 50 * math.sin(0.5), abs=1e-9)
    assert furthest_displacement([at(Round(radius_mm=16), 0, 0), at(Round(radius_mm=16), 3, 4, 2.0)]).mm == 5


def test_elliptic_lengths_add_up() -> None:
    rng = random.Random(2)
    base = Rect(length_mm=100, width_mm=60)
    for _ in range(20):
        start, end = at(base, 0, 0, rng.uniform(-3, 3)), at(base, rng.uniform(-90, 90), rng.uniform(-90, 90), 0.0)
        body = np.array([[rng.uniform(-50, 50), rng.uniform(-30, 30)]])
        middle = between(start, end, 0.37)
        whole = body_travel_mm([start, end], body)[0]
        assert body_travel_mm([start, middle, end], body)[0] == pytest.approx(whole, abs=1e-9)
