"""Reach against the reference: at 2,000 places near the edge of a region the two agree to within 0.05 mm."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
import shapely

from assistant.geometry.shapes.convex import ConvexSet
from assistant.geometry.shortest_path.free.reach import find_reach, find_shortest_route
from assistant.geometry.shortest_path.tangents import Box
from tests.assistant.geometry.shortest_path.free.visibility_graph import (
    Array,
    VisibilityGraphDistances,
    build_visibility_graph,
    round_ellipse,
    round_polygon,
)

ERROR_MM = 0.05
PLACES = 100
"""To ask about in a scene; there are 20 scenes."""
BODY_MM = 16.0
INCH_MM = 25.4


@dataclass(kw_only=True)
class TwinScene:
    """The same obstacles twice: as the kernel and as the reference know them."""

    start: tuple[float, float]
    limit_mm: float
    box: Box
    convex: list[ConvexSet] = field(default_factory=list)
    polygons: list[Array] = field(default_factory=list)

    def add(self, core: Array, radius_mm: float) -> None:
        self.convex.append(ConvexSet(corners_mm=core, radius_mm=radius_mm))
        self.polygons.append(round_polygon(core, radius_mm))

    def add_ellipse(self, at: Array, axes_mm: tuple[float, float], turn_rad: float, radius_mm: float) -> None:
        self.convex.append(ConvexSet(corners_mm=at[None], radius_mm=radius_mm, ellipses=((*axes_mm, turn_rad),)))
        self.polygons.append(round_ellipse(at, axes_mm, turn_rad, radius_mm))

    def build_reference(self) -> VisibilityGraphDistances:
        low, high = np.array(self.box[:2]), np.array(self.box[2:])
        return build_visibility_graph(np.array(self.start), self.polygons, low, high)


def make_table(rng: random.Random) -> TwinScene:
    """Ruins, blocks and enemies with a keep-out around a base in the middle; the table's edge is 150 mm away."""
    scene = TwinScene(start=(0.0, 0.0), limit_mm=12 * INCH_MM, box=(-150.0, -400.0, 400.0, 400.0))
    while len(scene.convex) < 14:
        turn, away = rng.uniform(0, math.tau), rng.uniform(60, 330)
        at = away * np.array((math.cos(turn), math.sin(turn)))
        if len(scene.convex) % 2:
            if away > 50 + BODY_MM + INCH_MM:
                scene.add(at[None], 2 * BODY_MM + INCH_MM - rng.choice((0.0, INCH_MM)))
            continue
        wall, breadth, width = rng.uniform(40, 110), rng.uniform(30, 90), 8.0
        for across, up in ((wall, width), (width, breadth)):  # an L, by hand
            core = np.array(((0, 0), (across, 0), (across, up), (0, up)), dtype=float)
            core = core @ np.array(((math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn)))) + at
            if _measure_extent(core) > BODY_MM + 2:
                scene.add(core, BODY_MM)
    return scene


def make_crowd(rng: random.Random) -> TwinScene:
    """Discs, ellipses and sharp shards that overlap each other and the table's edge, with narrow notches between."""
    scene = TwinScene(start=(0.0, 0.0), limit_mm=rng.uniform(90, 200), box=(-70.0, -150.0, 160.0, 80.0))
    while len(scene.convex) < 16:
        at, size = np.array((rng.uniform(-170, 170), rng.uniform(-170, 170))), rng.uniform(12, 45)
        if math.hypot(*at) < size + 14:
            continue
        kind = rng.choice(("disc", "disc", "ellipse", "shard", "shard"))
        if kind == "disc":
            scene.add(at[None], size)
        elif kind == "ellipse":
            scene.add_ellipse(at, (size * 0.9, size * 0.5), rng.uniform(0, math.pi), size * 0.1)
        else:
            turns = np.sort([rng.uniform(0, math.tau) for _ in range(3)])
            if np.diff(turns, append=turns[0] + math.tau).max() < 3.0:
                scene.add(at + size * np.column_stack((np.cos(turns), np.sin(turns))), 0.0)
    return scene


def _measure_extent(core: Array) -> float:
    return float(shapely.Polygon(core).distance(shapely.Point(0, 0)))


def sample_near_edge(
    scene: TwinScene, region: shapely.MultiPolygon, truth: VisibilityGraphDistances, rng: random.Random
) -> tuple[Array, Array]:
    """Free places within about 1 mm of a region's edge, on both sides, and their lengths of way.

    Sampled along the edge and at its corners; most of them where the way is used up, the others beside obstacles and
    the table's edge.
    """
    corners = shapely.get_coordinates(region)
    along = [region.boundary.interpolate(rng.random(), normalized=True) for _ in range(4 * PLACES)]
    at = np.concatenate((shapely.get_coordinates(along), corners[[rng.randrange(len(corners)) for _ in along]]))
    at += [(rng.gauss(0, 0.4), rng.gauss(0, 0.4)) for _ in at]
    at = at[rng.sample(range(len(at)), len(at))]
    at = at[truth.is_free(at, 0.01)]
    lengths = truth.measure_lengths_mm(at)
    used_up = np.abs(lengths - scene.limit_mm) < 1
    first, rest = np.flatnonzero(used_up), np.flatnonzero(~used_up)
    chosen = np.concatenate((first[: PLACES * 7 // 10], rest, first[PLACES * 7 // 10 :]))[:PLACES]
    return at[chosen], lengths[chosen]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("made", [make_table, make_crowd])
def test_region_and_route_agree_with_the_reference_near_the_edge(
    made: Callable[[random.Random], TwinScene], seed: int
) -> None:
    rng = random.Random(seed)
    scene = made(rng)
    truth = scene.build_reference()
    (found,) = find_reach([scene.start], scene.limit_mm, scene.convex, scene.box)
    places, lengths = sample_near_edge(scene, found.region, truth, rng)
    assert len(places) == PLACES
    inside = np.asarray(shapely.contains_xy(found.region, *places.T))
    assert inside[lengths < scene.limit_mm - ERROR_MM].all()
    assert not inside[lengths > scene.limit_mm + ERROR_MM].any()
    known = found.measure_distances_mm(places)
    within = np.isfinite(known)
    assert within[lengths < scene.limit_mm - ERROR_MM].all()
    assert not within[lengths > scene.limit_mm + ERROR_MM].any()
    assert (np.abs(known - lengths - ERROR_MM / 2)[within] <= ERROR_MM / 2 + 1e-6).all()  # the reference is no longer
    for (x, y), length in zip(places[::10].tolist(), lengths[::10].tolist(), strict=True):
        route = find_shortest_route(scene.start, (x, y), scene.convex, scene.box)
        assert -1e-6 <= (math.inf if route is None else route.mm) - length <= ERROR_MM


def test_the_reference_knows_the_way_around_a_disc_and_a_wall() -> None:
    disc, wall = (
        round_polygon(np.array([(200.0, 0.0)]), 100),
        np.array([(-60.0, -80.0), (-50.0, -80.0), (-50.0, 80.0), (-60.0, 80.0)]),
    )
    low, high = np.array((-500.0, -500.0)), np.array((500.0, 500.0))
    truth = build_visibility_graph(np.zeros(2), [disc, wall], low, high)
    behind = truth.measure_lengths_mm(np.array([(400.0, 0.0), (-110.0, 0.0), (-110.0, 300.0), (-600.0, 0.0)]))
    around = 2 * math.sqrt(200**2 - 100**2) + 100 * (math.pi - 2 * math.acos(100 / 200))
    assert around - 0.01 <= behind[0] <= around
    assert behind[1:].tolist() == pytest.approx([2 * math.hypot(50, 80) + 10, math.hypot(110, 300), math.inf], abs=1e-9)
