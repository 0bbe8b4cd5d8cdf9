import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import shapely

from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.motion.path_length import (
    find_furthest_body_point,
    measure_body_travel_mm,
    measure_centre_travel,
)
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import Array, decompose_placed
from assistant.geometry.shortest_path.free.reach import Route, find_shortest_route
from assistant.geometry.uncertainty import (
    clearance_sigma_mm,
    pose_covariance,
    route_sigma_mm,
    travel_sigma_mm,
)
from tests.assistant.geometry.shape_strategies import draw_polygon

DISC, OVAL, STAND = Round(radius_mm=16), Oval(length_mm=60, width_mm=35), Rect(length_mm=80, width_mm=30)
ONE = np.array([[0.04, 0.01, 0.0002], [0.01, 0.09, -0.0001], [0.0002, -0.0001, 0.00002]])
OTHER = np.array([[0.05, -0.02, 0.0], [-0.02, 0.03, 0.0003], [0.0, 0.0003, 0.00003]])


def place_shape(shape: Base, x: float, y: float, facing: float = 0.0) -> PlacedShape:
    return PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=facing)


def sample_sigma(
    measure: Callable[[list[PlacedShape]], float],
    poses: Sequence[PlacedShape],
    covariances: Sequence[Array],
    count: int = 400,
) -> float:
    """The standard deviation that a measure has in a sample of poses."""
    rng = np.random.default_rng(11)
    errors = [rng.multivariate_normal(np.zeros(3), covariance, size=count) for covariance in covariances]
    values = [
        measure(
            [
                replace(pose, x_mm=pose.x_mm + dx, y_mm=pose.y_mm + dy, facing_rad=pose.facing_rad + turn)
                for pose, (dx, dy, turn) in zip(poses, sample, strict=True)
            ]
        )
        for sample in zip(*errors, strict=True)
    ]
    return float(np.std(values))


@pytest.mark.parametrize("apart", [1.0, 0.3], ids=["apart", "overlapping"])
@pytest.mark.parametrize(("one", "other"), [(DISC, DISC), (DISC, OVAL), (OVAL, STAND), (STAND, DISC), (STAND, STAND)])
def test_clearance_sigma_agrees_with_monte_carlo(one: Base, other: Base, apart: float) -> None:
    poses = [place_shape(one, 0, 0, 0.3), place_shape(other, 85 * apart, 50 * apart, -0.8)]
    sigma = clearance_sigma_mm(poses[0], poses[1], ONE, OTHER)
    assert (clearance(*poses).mm > 0) == (apart == 1.0)
    assert sigma == pytest.approx(sample_sigma(lambda now: clearance(now[0], now[1]).mm, poses, [ONE, OTHER]), rel=0.1)


def test_the_facing_acts_through_the_lever_arm() -> None:
    turn = np.diag((0.0, 0.0, 1e-4))
    disc = place_shape(DISC, 35, 60)
    assert clearance_sigma_mm(place_shape(STAND, 0, 0), disc, turn, np.zeros((3, 3))) == pytest.approx(0.35)
    tied = np.outer((0, 0.35, -0.01), (0, 0.35, -0.01))  # the nearest point rises with y and sinks with the facing
    assert clearance_sigma_mm(place_shape(STAND, 0, 0), disc, tied, np.zeros((3, 3))) == pytest.approx(0, abs=1e-6)
    assert clearance_sigma_mm(disc, place_shape(STAND, 0, 0), turn, np.zeros((3, 3))) == pytest.approx(0, abs=1e-9)


def test_edges_that_face_each_other_are_bounded_by_their_worse_end() -> None:
    poses = [place_shape(STAND, 0, 0), place_shape(STAND, 20, 40)]
    sigma = clearance_sigma_mm(poses[0], poses[1], ONE, OTHER)
    assert sample_sigma(lambda now: clearance(now[0], now[1]).mm, poses, [ONE, OTHER]) <= sigma * 1.05
    turn = np.diag((0.0, 0.0, 1e-4))
    assert clearance_sigma_mm(poses[0], poses[1], turn, np.zeros((3, 3))) == pytest.approx(0.4)


@pytest.mark.parametrize("base", [DISC, OVAL, STAND])
def test_centre_travel_sigma_agrees_with_monte_carlo(base: Base) -> None:
    path = [place_shape(base, 0, 0, 0.2), place_shape(base, 90, 20, 0.9), place_shape(base, 120, 110, 1.8)]
    sigma = travel_sigma_mm(path, [ONE, OTHER, ONE * 2], furthest=False)
    assert sigma == pytest.approx(
        sample_sigma(lambda now: measure_centre_travel(now).mm, path, [ONE, OTHER, ONE * 2]), rel=0.1
    )
    if isinstance(base, Round):
        assert travel_sigma_mm(path, [ONE, OTHER, ONE * 2], furthest=True) == sigma


@pytest.mark.parametrize("base", [OVAL, STAND])
def test_furthest_travel_sigma_agrees_with_monte_carlo(base: Base) -> None:
    path = [place_shape(base, 0, 0, 0.2), place_shape(base, 90, 20, 0.9), place_shape(base, 120, 110, 1.8)]
    outline = shapely.get_coordinates(draw_polygon(place_shape(base, 0, 0), 90))
    furthest = sample_sigma(lambda now: float(measure_body_travel_mm(now, outline).max()), path, [ONE, OTHER, ONE * 2])
    assert travel_sigma_mm(path, [ONE, OTHER, ONE * 2], furthest=True) == pytest.approx(furthest, rel=0.1)


def test_route_sigma_is_that_of_its_first_and_last_legs() -> None:
    way = [(0.0, 0.0), (0.0, 0.0), (30.0, 0.0), (40.0, 10.0), (40.0, 60.0)]
    assert route_sigma_mm(way, ONE, OTHER) == pytest.approx(math.sqrt(ONE[0, 0] + OTHER[1, 1]))
    assert route_sigma_mm(way[:2], ONE, OTHER) == 0


def test_route_sigma_agrees_with_the_shortest_ways_of_drawn_ends() -> None:
    wall = decompose_placed(place_shape(Rect(length_mm=20, width_mm=120), 100, 10))
    plane = (-1e4, -1e4, 1e4, 1e4)

    def route(start: PlacedShape, goal: PlacedShape) -> Route:
        found = find_shortest_route(
            (start.x_mm, start.y_mm), (goal.x_mm, goal.y_mm), [part.grow(16) for part in wall], plane
        )
        assert found is not None
        return found

    ends = [place_shape(DISC, 0, 0), place_shape(DISC, 170, 40)]
    way = route(*ends)
    assert way.mm > math.dist((0, 0), (170, 40)) + 5
    sigma = route_sigma_mm(way.points, ONE, OTHER)
    assert sigma == pytest.approx(sample_sigma(lambda now: route(*now).mm, ends, [ONE, OTHER]), rel=0.1)


def test_ends_that_err_alike_add_their_squares() -> None:
    one, other = pose_covariance(0.3), pose_covariance(0.4)
    for shape in (DISC, OVAL, STAND):
        assert clearance_sigma_mm(
            place_shape(shape, 0, 0, 0.3), place_shape(OVAL, 80, 20, 1.0), one, other
        ) == pytest.approx(0.5)
        assert travel_sigma_mm(
            [place_shape(shape, 0, 0), place_shape(shape, 30, 40)], [one, other], furthest=True
        ) == pytest.approx(0.5)
        assert travel_sigma_mm([place_shape(shape, 5, 5)], [one], furthest=True) == 0
    bent = [place_shape(DISC, 0, 0), place_shape(DISC, 100, 0), place_shape(DISC, 160, 80)]
    # The middle pose moves by the difference of the legs' directions, (1, 0) and (0.6, 0.8).
    expected = math.sqrt(0.3**2 + 0.4**2 * (0.4**2 + 0.8**2) + 0.3**2)
    assert travel_sigma_mm(bent, [one, other, one], furthest=False) == pytest.approx(expected)


def test_the_facing_of_a_pose_counts_in_both_its_legs() -> None:
    # A tip 40 mm out that is turned there and back by 0.5 rad goes 40 mm more a radian of the middle facing, twice.
    path = [place_shape(STAND, 0, 0), place_shape(STAND, 0, 0, 0.5), place_shape(STAND, 0, 0)]
    nothing, turn = np.zeros((3, 3)), pose_covariance(0.0, 0.01)
    assert travel_sigma_mm(path, [nothing, turn, nothing], furthest=True) == pytest.approx(0.02 * math.hypot(40, 15))
    assert travel_sigma_mm(path, [turn, nothing, nothing], furthest=True) == pytest.approx(0.01 * math.hypot(40, 15))


@pytest.mark.parametrize("turned", [0, 1, 2])
def test_a_facing_changes_the_length_as_fast_as_it_says(turned: int) -> None:
    path = [place_shape(STAND, 0, 0, 0.2), place_shape(STAND, 90, 20, 0.9), place_shape(STAND, 120, 110, 1.8)]
    body, step = find_furthest_body_point(path)[None], 1e-5
    lengths = [
        measure_body_travel_mm([*path[:turned], replace(p, facing_rad=p.facing_rad + turn), *path[turned + 1 :]], body)[
            0
        ]
        for p in path[turned : turned + 1]
        for turn in (step, -step)
    ]
    covariances = [pose_covariance(0.0, 0.01 if index == turned else 0.0) for index in range(3)]
    expected = abs(lengths[0] - lengths[1]) / (2 * step) * 0.01
    assert travel_sigma_mm(path, covariances, furthest=True) == pytest.approx(expected, rel=1e-5)
