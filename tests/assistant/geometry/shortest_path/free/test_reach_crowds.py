"""Reach in crowds of like shapes that stand in line: turned alike, touching, with sides and corners in common.

Whatever turns or shifts all of them, or moves each by as little as rounding does, shortest ways are as long, and as
long as a slow search over the same obstacles finds them when these are a little smaller, so that nothing touches.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.base_shapes import Base, Outline, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import Array, ConvexSet, decompose_placed
from assistant.geometry.shortest_path.free.reach import ERROR_MM, find_reach
from assistant.geometry.shortest_path.tangents import Box
from tests.assistant.geometry.shape_strategies import angles, noises
from tests.assistant.geometry.shortest_path.free.visibility_graph import build_visibility_graph

FAR_MM = 9000.0
PLANE: Box = (-FAR_MM, -FAR_MM, FAR_MM, FAR_MM)
STEP_MM = 25.0
LIMIT_MM = 1500.0
APART_MM = 1e-6
"""How much smaller the obstacles are of which none touches another."""

U_SHAPE = Outline(points_mm=((-50, -50), (50, -50), (50, 50), (25, 50), (25, -25), (-25, -25), (-25, 50), (-50, 50)))
FLAT: tuple[Base, ...] = (
    Rect(length_mm=50, width_mm=50),
    Rect(length_mm=50, width_mm=100),
    Rect(length_mm=100, width_mm=25),
    Outline(points_mm=((-25, -25), (25, -25), (-25, 25))),
    Outline(points_mm=((-50, -25), (0, -25), (50, -25), (50, 25), (-50, 25))),
    U_SHAPE,
)
ROUND: tuple[Base, ...] = (Round(radius_mm=12.5), Round(radius_mm=25), Round(radius_mm=50))
turns = st.one_of(st.integers(-11, 12).map(lambda step: math.radians(15.0 * step)), angles)


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """Shapes on a lattice, and places beside them, before all are turned and shifted."""

    shapes: tuple[PlacedShape, ...]
    body_mm: float
    places: tuple[Point, ...]

    def build_obstacles(self, turn: float, dx: float, dy: float) -> list[ConvexSet]:
        parts = (part for shape in self.shapes for part in decompose_placed(shape))
        return [part.move(0.0, 0.0, turn).move(dx, dy).grow(self.body_mm) for part in parts]

    def turn_places(self, turn: float, dx: float, dy: float) -> list[Point]:
        cos, sin = math.cos(turn), math.sin(turn)
        return [(x * cos - y * sin + dx, x * sin + y * cos + dy) for x, y in self.places]

    def measure(self, turn: float = 0.0, dx: float = 0.0, dy: float = 0.0, starts: int = 1) -> Array:
        """Return the lengths of the shortest ways from the first places to all, (starts, places)."""
        places = self.turn_places(turn, dx, dy)
        found = find_reach(places[:starts], LIMIT_MM, self.build_obstacles(turn, dx, dy), PLANE)
        return np.array([each.measure_distances_mm(np.array(places)) for each in found])


@st.composite
def crowds(draw: st.DrawFn, kinds: tuple[Base, ...], bodies: tuple[float, ...]) -> Crowd:
    noise, step = draw(noises), st.integers(-6, 6).map(lambda count: STEP_MM * count)
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    chosen = draw(st.lists(st.tuples(st.sampled_from(kinds), step, step, st.integers(0, 3)), min_size=2, max_size=8))
    shapes = [
        PlacedShape(shape=kind, x_mm=x + off[0], y_mm=y + off[1], facing_rad=quarters * math.pi / 2 + off[2] / 10)
        for (kind, x, y, quarters), off in zip(chosen, noise * rng.normal(size=(len(chosen), 3)), strict=True)
    ]
    crowd = Crowd(shapes=tuple(shapes), body_mm=draw(st.sampled_from(bodies)), places=())
    obstacles = crowd.build_obstacles(0.0, 0.0, 0.0)
    around = (STEP_MM / 2 * rng.integers(-16, 17, (40, 2))).tolist()
    places = [(x, y) for x, y in around if all(obstacle.distance(x, y)[0] > 0.01 for obstacle in obstacles)]
    assume(len(places) > 2)
    return Crowd(shapes=crowd.shapes, body_mm=crowd.body_mm, places=tuple(places[:10]))


def drop_far(mm: Array) -> Array:
    """Lengths near the limit may be on either side of it."""
    return np.where(mm > LIMIT_MM - 1, LIMIT_MM, mm)


@settings(max_examples=40)
@given(crowds((*FLAT, *ROUND), (0.0, 1.0, 12.5, 25.0)), turns, st.floats(-300, 300), st.floats(-300, 300))
def test_turned_and_shifted_alike_all_places_are_as_far(crowd: Crowd, turn: float, dx: float, dy: float) -> None:
    assume(crowd.body_mm > 0 or not any(isinstance(shape.shape, Round) for shape in crowd.shapes))
    here, there = drop_far(crowd.measure(starts=2)), drop_far(crowd.measure(turn, dx, dy, starts=2))
    assert there == pytest.approx(here, abs=1e-5)
    assert here[0, 1] == pytest.approx(here[1, 0], abs=1e-6)
    assert (here[0, 1] <= here.sum(axis=0) + 1e-6).all()


@settings(max_examples=40)
@given(crowds(FLAT, (0.0,)), turns)
def test_ways_are_as_long_as_a_slow_search_finds_where_nothing_touches(crowd: Crowd, turn: float) -> None:
    obstacles, places = crowd.build_obstacles(turn, 0.0, 0.0), np.array(crowd.turn_places(turn, 0.0, 0.0))
    smaller = [
        shapely.get_coordinates(
            shapely.orient_polygons(shapely.Polygon(each.corners_mm).buffer(-APART_MM, join_style="mitre"))
        )[:-1]
        for each in obstacles
    ]
    slow = build_visibility_graph(places[0], smaller, np.full(2, -FAR_MM), np.full(2, FAR_MM))
    assert drop_far(crowd.measure(turn)[0]) == pytest.approx(drop_far(slow.measure_lengths_mm(places)), abs=1e-4)


@settings(max_examples=25)
@given(crowds((*FLAT, *ROUND), (1.0, 12.5, 25.0)), turns, st.floats(60, 350), st.integers(0, 1000))
def test_the_region_holds_the_places_whose_way_is_short_enough(
    crowd: Crowd, turn: float, limit_mm: float, seed: int
) -> None:
    obstacles, start = crowd.build_obstacles(turn, 0.0, 0.0), crowd.turn_places(turn, 0.0, 0.0)[0]
    (found,) = find_reach([start], limit_mm, obstacles, PLANE)
    rng, edge = np.random.default_rng(seed), shapely.get_coordinates(found.region)
    edge = edge[rng.integers(len(edge), size=100)]
    places = np.concatenate((start + rng.uniform(-1.0, 1.0, (50, 2)) * limit_mm, edge + rng.normal(size=edge.shape)))
    clear = [min(obstacle.distance(x, y)[0] for obstacle in obstacles) > 0.06 for x, y in places.tolist()]
    mm, at = found.measure_distances_mm(places[clear]), shapely.points(places[clear])
    near, inside = shapely.dwithin(found.region, at, ERROR_MM), shapely.contains(found.region.buffer(-0.001), at)
    assert (near | (mm >= limit_mm - ERROR_MM)).all()
    assert not (inside & (mm > limit_mm)).any()


def test_three_corners_on_one_line_are_passed_along_it() -> None:
    # Level with a disc, then along a side, then past a corner, all on the line y = 50, at any turn.
    shapes = (
        PlacedShape(shape=Round(radius_mm=50), x_mm=-150, y_mm=0),
        PlacedShape(shape=Rect(length_mm=50, width_mm=100), x_mm=0, y_mm=0),
        PlacedShape(shape=Outline(points_mm=((-25, -25), (25, -25), (0, 25))), x_mm=150, y_mm=25),
        PlacedShape(shape=Rect(length_mm=400, width_mm=50), x_mm=0, y_mm=75),
    )
    crowd = Crowd(shapes=shapes, body_mm=0.0, places=((-210.0, 50.0), (210.0, 50.0)))
    for step in range(24):
        assert crowd.measure(math.radians(15 * step + 0.3 * (step % 2)), 500.0, 300.0)[0, 1] == pytest.approx(420)
