"""Where rays meet obstacles and what they cover, against measured distances and small steps."""

import math
import random

import numpy as np
import pytest

from assistant.geometry.shapes.convex import ConvexSet, hull, unit_vectors
from assistant.geometry.shapes.polygons import inscribe
from assistant.geometry.shortest_path import arc_splines
from assistant.geometry.shortest_path.obstacles import build_field, complex_from_points, draw_inside, find_run_starts


def make_disc(x: float, y: float, radius: float) -> ConvexSet:
    return ConvexSet(corners_mm=np.array([(x, y)]), radius_mm=radius)


def make_obstacles(rng: random.Random, count: int) -> list[ConvexSet]:
    found = []
    for _ in range(count):
        x, y = rng.uniform(0, 400), rng.uniform(0, 400)
        points = np.array([(x + rng.uniform(-35, 35), y + rng.uniform(-35, 35)) for _ in range(6)])
        rounded = ConvexSet(corners_mm=hull(points), radius_mm=rng.choice([0.0, 20.0]))
        found.append(rng.choice([make_disc(x, y, rng.uniform(15, 50)), rounded]))
    return found


def make_ovals(rng: random.Random, count: int) -> list[ConvexSet]:
    """Ovals, some of them grown by a disc or added to a triangle."""
    triangle = np.array([(0.0, 0.0), (20.0, 4.0), (6.0, 22.0)])
    return [
        ConvexSet(
            corners_mm=rng.choice([triangle, triangle[:1]]),
            radius_mm=rng.choice([0.0, 16.0]),
            ellipses=((rng.uniform(10, 60), rng.uniform(4, 40), 0.0),),
        ).move(rng.uniform(0, 400), rng.uniform(0, 400), rng.uniform(-3, 3))
        for _ in range(count)
    ]


def exclude_nobody(count: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.full(count, -1)


@pytest.mark.parametrize("seed", range(6))
def test_a_field_knows_what_it_covers_and_how_far_it_is_at_least(seed: int) -> None:
    rng = random.Random(seed)
    obstacles = make_obstacles(rng, 8)
    keep = np.array([rng.random() < 0.6 for _ in obstacles])
    kept = [obstacle for obstacle, wanted in zip(obstacles, keep, strict=True) if wanted]
    field = build_field(obstacles).select(keep)
    points = [(rng.uniform(0, 400), rng.uniform(0, 400)) for _ in range(60)]
    covered = [any(obstacle.distance(*point)[0] < 0 for obstacle in kept) for point in points]
    assert field.is_covered(np.array(points), exclude_nobody(60)).tolist() == covered
    for point in points:
        distances = np.array([obstacle.distance(*point)[0] for obstacle in kept])
        assert (field.bound_distances_mm(point) <= distances + 1e-9).all()


def test_obstacles_are_drawn_a_little_inside_of_themselves() -> None:
    rng = random.Random(1)
    obstacles = [*make_obstacles(rng, 12), *make_ovals(rng, 12)]
    drawn = draw_inside(build_field(obstacles), 0.2, 0.001)
    assert len(drawn) == len(obstacles)
    for outline, obstacle in zip(drawn, obstacles, strict=True):
        away = [obstacle.distance(x, y)[0] for x, y in outline.exterior.coords]
        assert -0.3 < min(away) < max(away) <= -0.001 + 1e-9
        assert outline.area >= 0.98 * inscribe(obstacle, 0.1).area
    needle = ConvexSet(corners_mm=np.array([(0.0, 0.0), (90.0, 0.0)]), radius_mm=0.001)
    assert not draw_inside(build_field([needle]), 0.2, 0.001)


def test_a_field_does_not_hold_places_against_their_own_obstacle() -> None:
    field = build_field([make_disc(0, 0, 10), make_disc(15, 0, 10)])
    points = np.array([(1.0, 0.0), (8.0, 0.0), (8.0, 0.0), (10.0, 0.0), (-10.0, 0.0)])
    assert field.is_covered(points, np.array([0, 0, -1, 1, -1])).tolist() == [False, True, True, False, False]


@pytest.mark.parametrize("seed", range(6))
def test_a_field_measures_how_far_places_are_from_obstacles(seed: int) -> None:
    rng = random.Random(seed)
    obstacles = [*make_obstacles(rng, 6), *make_ovals(rng, 6)]
    field = build_field(obstacles)
    points = [(rng.uniform(-50, 450), rng.uniform(-50, 450)) for _ in range(40)]
    for index, obstacle in enumerate(obstacles):
        distances = [obstacle.distance(*point)[0] for point in points]
        off = arc_splines.ERROR_MM + 1e-9 if obstacle.ellipses else 1e-9
        here = complex_from_points(np.array(points))
        assert field.measure_separations_mm(here, np.full(40, index)) == pytest.approx(distances, abs=off)
        assert [field.measure_distances_mm(point)[index] for point in points] == pytest.approx(distances, abs=off)


@pytest.mark.parametrize("seed", range(6))
def test_rays_enter_ovals_where_small_steps_do(seed: int) -> None:
    rng = random.Random(seed)
    ovals = make_ovals(rng, 5)
    field = build_field(ovals)
    starts = [(rng.uniform(-50, 450), rng.uniform(-50, 450)) for _ in range(40)]
    starts = [start for start in starts if min(oval.distance(*start)[0] for oval in ovals) > 0.1]
    origins, headings = np.array(starts), unit_vectors(np.array([rng.uniform(-3, 3) for _ in starts]))
    lengths = np.full(len(starts), 300.0)
    met, who = field.cast_rays(origins, headings, lengths, np.full((len(starts), 2), -1))
    for start, heading, mm, owner in zip(starts, headings, met, who, strict=True):
        steps = [(start[0] + t * heading[0], start[1] + t * heading[1]) for t in np.arange(0, min(mm, 300.0), 2.0)]
        assert min(oval.distance(*step)[0] for oval in ovals for step in steps) > -2 * arc_splines.ERROR_MM
        if owner >= 0:
            end = (start[0] + mm * heading[0], start[1] + mm * heading[1])
            assert ovals[owner].distance(*end)[0] == pytest.approx(0, abs=arc_splines.ERROR_MM + 1e-6)
    assert set((who >= 0).tolist()) == {False, True}


@pytest.mark.parametrize("seed", range(6))
def test_parts_of_a_field_joined_again_are_the_field(seed: int) -> None:
    rng = random.Random(seed)
    whole = build_field(make_obstacles(rng, 8))
    order = np.array([rng.random() < 0.5 for _ in range(8)])
    joined = whole.select(order).combine(whole.select(~order))
    origins = np.array([(rng.uniform(-900, -500), rng.uniform(0, 400)) for _ in range(80)])
    headings, lengths = unit_vectors(np.array([rng.uniform(-0.6, 0.6) for _ in range(80)])), np.full(80, 3000.0)
    spare = np.full((80, 2), -1)
    hit, who = whole.cast_rays(origins, headings, lengths, spare)
    again, other = joined.cast_rays(origins, headings, lengths, spare)
    name = np.concatenate((np.flatnonzero(order), np.flatnonzero(~order)))
    assert np.isfinite(hit).any()
    assert np.isinf(hit).any()
    assert hit.tolist() == again.tolist()
    assert who.tolist() == np.where(other < 0, -1, name[other]).tolist()
    for one, two in ((whole.centres_mm, joined.centres_mm), (whole.normals, joined.normals)):
        assert sorted(map(tuple, one.tolist())) == sorted(map(tuple, two.tolist()))


@pytest.mark.parametrize("seed", range(12))
def test_a_ray_runs_until_it_enters_the_first_obstacle(seed: int) -> None:
    rng = random.Random(seed)
    obstacles = make_obstacles(rng, 7)
    field = build_field(obstacles)
    origin = (rng.uniform(0, 400), rng.uniform(0, 400))
    if any(obstacle.distance(*origin)[0] < 1 for obstacle in obstacles):
        origin = (-100.0, 200.0)
    for angle in np.linspace(0, 2 * math.pi, 40).tolist():
        heading = unit_vectors(np.array([angle]))
        length, spare = rng.uniform(100, 600), np.array([[-1, 2]])
        hit, who = field.cast_rays(np.array([origin]), heading, np.array([length]), spare)
        others = [obstacle for index, obstacle in enumerate(obstacles) if index != 2]
        along = [(origin[0] + t * heading[0, 0], origin[1] + t * heading[0, 1]) for t in np.arange(0, length, 2.0)]
        depths = [min(obstacle.distance(*point)[0] for obstacle in others) for point in along]
        if hit[0] < length:
            place = (origin[0] + hit[0] * heading[0, 0], origin[1] + hit[0] * heading[0, 1])
            assert who[0] != 2
            assert obstacles[int(who[0])].distance(*place)[0] == pytest.approx(0, abs=1e-6)
            depths = depths[: math.ceil(hit[0] / 2)]
        assert min(depths, default=0.0) > -1e-6


def test_a_ray_that_touches_goes_on_and_one_that_dips_in_does_not() -> None:
    square = ConvexSet(corners_mm=np.array([(10.0, -5.0), (20.0, -5.0), (20.0, 4.0), (10.0, 4.0)]), radius_mm=1)
    field = build_field([square, make_disc(15, 20, 10)])
    origins = np.array([(0.0, 5.0), (0.0, 10.0), (0.0, 4.999), (0.0, 10.001)])
    headings, lengths = np.tile((1.0, 0.0), (4, 1)), np.full(4, 50.0)
    hit, who = field.cast_rays(origins, headings, lengths, np.full((4, 2), -1))
    assert who.tolist() == [-1, -1, 0, 1]
    assert hit[2] == pytest.approx(10 - math.sqrt(1 - 0.999**2))
    assert hit[3] == pytest.approx(15 - math.sqrt(100 - 9.999**2))


def test_cones_and_edges_of_a_rounded_square() -> None:
    square = ConvexSet(corners_mm=np.array([(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (0.0, 2.0)]), radius_mm=1)
    field = build_field([make_disc(9, 9, 3), square])
    assert field.edge_corners.tolist() == [1, 2, 3, 4]
    assert field.lengths_mm.tolist() == [0, 4, 2, 4, 2]
    assert field.normals[1:] == pytest.approx(np.array([(0, -1), (1, 0), (0, 1), (-1, 0)]))
    assert np.mod(field.cone_start[1:], 2 * math.pi) == pytest.approx(
        np.array([math.pi, 1.5 * math.pi, 0, 0.5 * math.pi])
    )
    assert field.cone_width == pytest.approx(np.array([2 * math.pi] + 4 * [math.pi / 2]))
    assert field.following.tolist() == [0, 2, 3, 4, 1]
    assert field.extents_mm == pytest.approx(np.array([3, math.hypot(2, 1) + 1]))
    assert field.find_boundary_points(np.array([0, 3]), np.array([0.0, math.pi / 2])) == pytest.approx(
        np.array([(12, 9), (4, 3)])
    )


def test_where_values_stand_first() -> None:
    assert find_run_starts(np.array([3, 3, 5, 7, 7, 7])).tolist() == [0, 2, 3]


def test_single_obstacles_hold_what_lies_inside_them() -> None:
    field = build_field([make_disc(0, 0, 10), ConvexSet(corners_mm=np.array([(20.0, 0.0), (30.0, 0.0), (30.0, 9.0)]))])
    places = np.array([-9 + 0j, -11 + 0j, 25 + 1j, 25 + 8j, 25 + 1j])
    assert field.is_inside_complex(places, np.array([0, 0, 1, 1, 0])).tolist() == [True, False, True, False, False]
