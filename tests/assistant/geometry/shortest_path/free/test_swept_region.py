"""What rays sweep, against areas and shadows worked out by hand."""

import math

import numpy as np
import pytest
import shapely

from assistant.geometry.shapes.convex import ConvexSet
from assistant.geometry.shortest_path.free.swept_region import CHORD_MM, sweep_fans
from tests.assistant.geometry.shortest_path.free.test_tangent_graph import find_arcs
from tests.assistant.geometry.shortest_path.test_obstacles import make_disc


def test_the_open_is_swept_by_one_ring_whose_chords_keep_the_error() -> None:
    (ring,), whose = sweep_fans(find_arcs([], 150), 150)
    away = np.hypot(*shapely.get_coordinates(ring).T)
    assert whose.tolist() == [0]
    assert ring.is_valid
    assert away == pytest.approx(np.full(len(away), 150))
    assert 150 - CHORD_MM <= ring.exterior.distance(shapely.Point(0, 0)) < 150


def test_each_start_sweeps_its_own_rings() -> None:
    swept, whose = sweep_fans(find_arcs([make_disc(40, 0, 20)], 100, 0j, -50 + 0j, 500j), 100)
    assert set(whose.tolist()) == {0, 1, 2}
    for index, x, y in ((0, 0, 0), (1, -50, 0), (2, 0, 500)):
        region = shapely.union_all(swept[whose == index])
        far = shapely.get_coordinates(region) - (x, y)
        assert region.covers(shapely.Point(x, y))
        assert np.hypot(*far.T).max() == pytest.approx(100)


def test_what_a_string_around_a_disc_sweeps() -> None:
    limit, radius, tangent = 120.0, 50.0, math.sqrt(100**2 - 50**2)
    body = shapely.Point(100, 0).buffer(radius, quad_segs=2000)
    region = shapely.union_all(sweep_fans(find_arcs([make_disc(100, 0, radius)], limit), limit)[0]).difference(body)
    # The sector that the disc leaves free, two triangles less the disc's front, and two involutes: left^3 / (6 radius).
    half, left = math.asin(0.5), limit - tangent
    sector = (math.pi - half) * limit**2
    front = radius * tangent - radius**2 * (math.pi / 2 - half)
    assert region.area == pytest.approx(sector + front + left**3 / (3 * radius), rel=4e-4)
    assert region.area < sector + front + left**3 / (3 * radius)


def test_the_shadow_of_a_thin_wall_is_swept_around_its_ends_only() -> None:
    wall = ConvexSet(corners_mm=np.array([(30.0, -40.0), (30.1, -40.0), (30.1, 40.0), (30.0, 40.0)]))
    region = shapely.union_all(sweep_fans(find_arcs([wall], 70), 70)[0])
    assert region.is_valid
    assert region.distance(shapely.Point(60, 0)) > 5
    assert region.covers(shapely.Point(36, 52))
    (corner,) = {complex(round(x, 6), round(y, 6)) for x, y in wall.corners_mm if x > 30.05 and y > 0}
    left = 70 - 50 - 0.1 * 0.6  # about the way along the wall's own end
    assert region.distance(shapely.Point(corner.real + left - 0.3, corner.imag)) < 0.3


def test_rays_are_cast_to_either_side_of_a_notch() -> None:
    one, two = make_disc(90, 30, 35), make_disc(90, -30, 35)
    found = find_arcs([one, two], 140)
    bottom = 90 - math.sqrt(35**2 - 30**2)
    assert np.abs(found.notches - bottom).min() < 1e-9
    region = shapely.union_all(sweep_fans(found, 140)[0])
    assert region.distance(shapely.Point(bottom, 0)) < 1e-3


def test_a_notch_between_two_sides_is_closed_in_on() -> None:
    one = ConvexSet(corners_mm=np.array([(70.0, -10.0), (80.0, -20.0), (130.0, 60.0), (120.0, 66.0)]))
    two = ConvexSet(corners_mm=np.array([(95.0, -5.0), (60.0, 80.0), (45.0, 75.0), (80.0, -10.0)]))
    found = find_arcs([one, two], 140, 85 + 70j)
    whole = shapely.union_all(sweep_fans(found, 140)[0])
    body = shapely.union_all([shapely.Polygon(each.corners_mm) for each in (one, two)])
    bottom = shapely.Polygon(one.corners_mm).boundary.intersection(shapely.Polygon(two.corners_mm).boundary)
    highest = max(shapely.get_parts(bottom), key=lambda point: point.y)
    assert not len(found.notches)
    assert whole.difference(body).distance(highest) < CHORD_MM
