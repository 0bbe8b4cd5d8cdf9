"""What holds of shortest ways and regions in any scene: discs, ellipses, rectangles and concave outlines at random.

Half of the scenes stand on a lattice, so that obstacles touch, coincide, and lie in line exactly.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import ConvexSet, decompose_convex, decompose_placed
from assistant.geometry.shapes.polygons import circumscribe, extract_polygons
from assistant.geometry.shortest_path.free.reach import (
    Route,
    find_reach,
    find_reach_region,
    find_shortest_route,
)
from assistant.geometry.shortest_path.tangents import Box
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles, draw_polygon

BOX: Box = (-200.0, -200.0, 200.0, 200.0)
OPEN: Box = (-2000.0, -2000.0, 2000.0, 2000.0)
DRAWN_MM = 0.05

quick = settings(max_examples=50)
slow = settings(max_examples=30)

U_SHAPE = Outline(points_mm=((-50, -50), (50, -50), (50, 50), (25, 50), (25, -25), (-25, -25), (-25, 50), (-50, 50)))
sizes = st.floats(5, 100)
strewn: st.SearchStrategy[Base] = st.one_of(
    st.builds(Round, radius_mm=st.floats(5, 60)),
    st.builds(Oval, length_mm=sizes, width_mm=sizes),
    st.builds(Rect, length_mm=sizes, width_mm=sizes),
    st.sampled_from((L_SHAPE, U_SHAPE)),
)
even: st.SearchStrategy[Base] = st.sampled_from(
    (
        Round(radius_mm=25),
        Round(radius_mm=50),
        Rect(length_mm=50, width_mm=100),
        Rect(length_mm=50, width_mm=50),
        U_SHAPE,
    )
)


@dataclass(frozen=True, kw_only=True)
class ObstacleScene:
    shapes: tuple[PlacedShape, ...]
    body_mm: float

    def build_obstacles(self) -> list[ConvexSet]:
        (body,) = decompose_convex(Round(radius_mm=self.body_mm))
        return [part.minkowski_sum(body) for shape in self.shapes for part in decompose_placed(shape)]

    def move(self, turn: float, dx: float, dy: float) -> "ObstacleScene":
        shapes = []
        for shape in self.shapes:
            x, y = move_point((shape.x_mm, shape.y_mm), turn, dx, dy)
            shapes.append(replace(shape, x_mm=x, y_mm=y, facing_rad=shape.facing_rad + turn))
        return replace(self, shapes=tuple(shapes))

    def find_route(self, start: Point, goal: Point, box: Box = BOX) -> Route | None:
        return find_shortest_route(start, goal, self.build_obstacles(), box)

    def find_region(self, start: Point, limit_mm: float, box: Box = BOX) -> shapely.MultiPolygon:
        """The region without the obstacles, as it is drawn."""
        taken = shapely.union_all([circumscribe(obstacle, 0.01) for obstacle in self.build_obstacles()])
        return extract_polygons(find_reach_region(start, limit_mm, self.build_obstacles(), box).difference(taken))


@st.composite
def scenes(draw: st.DrawFn, count: int = 2) -> tuple[ObstacleScene, tuple[Point, ...]]:
    """A scene and some free places in it."""
    lattice = st.integers(-7, 7).map(lambda step: 25.0 * step)
    one = st.builds(
        PlacedShape, shape=even, x_mm=lattice, y_mm=lattice, facing_rad=st.sampled_from((0.0, math.pi / 2, math.pi))
    )
    other = st.builds(
        PlacedShape, shape=strewn, x_mm=st.floats(-200, 200), y_mm=st.floats(-200, 200), facing_rad=angles
    )
    body = draw(st.sampled_from((1.0, 12.5, 25.0)))
    scene = ObstacleScene(
        shapes=tuple(draw(st.lists(draw(st.sampled_from((one, other))), min_size=1, max_size=7))), body_mm=body
    )
    grid = [(x, y) for x in np.linspace(-190.0, 190.0, 9).tolist() for y in np.linspace(-190.0, 190.0, 9).tolist()]
    obstacles = scene.build_obstacles()
    free = [place for place in grid if all(obstacle.distance(*place)[0] > 0.1 for obstacle in obstacles)]
    assume(len(free) >= count)
    return scene, tuple(draw(st.permutations(free))[:count])


def move_point(place: Point, turn: float, dx: float, dy: float) -> Point:
    cos, sin = math.cos(turn), math.sin(turn)
    return place[0] * cos - place[1] * sin + dx, place[0] * sin + place[1] * cos + dy


def measure_route_mm(route: Route | None) -> float:
    return math.inf if route is None else route.mm


@quick
@given(scenes())
def test_the_way_back_is_as_long(case: tuple[ObstacleScene, tuple[Point, ...]]) -> None:
    scene, (start, goal) = case
    assert measure_route_mm(scene.find_route(start, goal)) == pytest.approx(
        measure_route_mm(scene.find_route(goal, start)), abs=1e-6
    )


@quick
@given(scenes(count=25))
def test_no_detour_is_shorter(case: tuple[ObstacleScene, tuple[Point, ...]]) -> None:
    scene, (start, goal, *between) = case
    straight, places = measure_route_mm(scene.find_route(start, goal)), np.array(between)
    there, back = (
        found.measure_distances_mm(places) for found in find_reach((start, goal), 2000, scene.build_obstacles(), BOX)
    )
    assert straight <= (there + back).min() + 1e-6
    assert straight >= math.dist(start, goal) - 1e-9


def test_a_way_along_an_edge_that_is_level_with_a_disc_is_found() -> None:
    discs = ((0, -150), (0, 100), (50, 25), (-150, 0))
    scene = ObstacleScene(
        shapes=(
            *(PlacedShape(shape=Round(radius_mm=50), x_mm=x_mm, y_mm=y_mm) for x_mm, y_mm in discs),
            PlacedShape(shape=Rect(length_mm=50, width_mm=100), x_mm=-25, y_mm=100),
        ),
        body_mm=12.5,
    )
    start, goal, between = (190, 95), (-190, 142.5), np.array([(-95.0, 190.0)])
    there, back = (
        found.measure_distances_mm(between) for found in find_reach((start, goal), 2000, scene.build_obstacles(), BOX)
    )
    assert measure_route_mm(scene.find_route(start, goal)) <= there[0] + back[0]


@quick
@given(scenes(), angles, st.floats(-300, 300), st.floats(-300, 300))
def test_turned_and_shifted_a_way_is_as_long(
    case: tuple[ObstacleScene, tuple[Point, ...]], turn: float, dx: float, dy: float
) -> None:
    scene, (start, goal) = case
    motion = turn, dx, dy
    there = scene.move(*motion).find_route(move_point(start, *motion), move_point(goal, *motion), OPEN)
    assert measure_route_mm(there) == pytest.approx(measure_route_mm(scene.find_route(start, goal, OPEN)), abs=1e-5)


@slow
@given(scenes(), st.integers(0, 3), st.floats(-300, 300), st.floats(-300, 300), st.floats(20, 250))
def test_turned_and_shifted_with_the_table_a_region_is_the_same(
    case: tuple[ObstacleScene, tuple[Point, ...]], quarters: int, dx: float, dy: float, limit: float
) -> None:
    scene, (start, _) = case
    motion = quarters * math.pi / 2, dx, dy
    box = BOX[0] + dx, BOX[1] + dy, BOX[2] + dx, BOX[3] + dy
    there = scene.move(*motion).find_region(move_point(start, *motion), limit, box)
    here = shapely.transform(
        scene.find_region(start, limit), lambda at: np.array([move_point((x, y), *motion) for x, y in at])
    )
    assert measure_beyond_mm2(here, there) < 1e-3
    assert measure_beyond_mm2(there, here) < 1e-3
    assert abs(there.area - here.area) <= DRAWN_MM * here.length


@slow
@given(scenes(), st.floats(1, 250), st.floats(0, 60))
def test_a_greater_allowance_reaches_no_less(
    case: tuple[ObstacleScene, tuple[Point, ...]], limit: float, more: float
) -> None:
    scene, (start, _) = case
    assert measure_beyond_mm2(scene.find_region(start, limit), scene.find_region(start, limit + more)) < 1e-3


@slow
@given(scenes(), st.floats(20, 250))
def test_an_obstacle_less_reaches_no_less(case: tuple[ObstacleScene, tuple[Point, ...]], limit: float) -> None:
    scene, (start, goal) = case
    fewer = replace(scene, shapes=scene.shapes[1:])
    assert measure_beyond_mm2(scene.find_region(start, limit), fewer.find_region(start, limit)) < 1e-3
    assert measure_route_mm(fewer.find_route(start, goal)) <= measure_route_mm(scene.find_route(start, goal)) + 1e-6


@quick
@given(scenes())
def test_a_way_keeps_clear_of_all_shapes_and_is_as_long_as_it_says(
    case: tuple[ObstacleScene, tuple[Point, ...]],
) -> None:
    scene, (start, goal) = case
    route = scene.find_route(start, goal)
    if route is None:
        return
    line = shapely.LineString(route.points)
    assert route.mm * (1 - 2e-4) - 1e-6 <= line.length <= route.mm + 1e-6  # arcs are drawn as chords
    assert route.points[0] == start
    assert route.points[-1] == goal
    at = shapely.points(shapely.get_coordinates(shapely.segmentize(line, 0.5)))
    for shape in scene.shapes:
        assert shapely.distance(draw_polygon(shape), at).min() >= scene.body_mm - 0.05
    assert shapely.box(*BOX).buffer(1e-6).covers(line)


def measure_beyond_mm2(one: shapely.MultiPolygon, other: shapely.MultiPolygon) -> float:
    """The area of one region that is further from the other than what both are drawn with."""
    return float(one.difference(other.buffer(DRAWN_MM)).area)
