"""Terrain under a model: what it stands on, what it may come to, and how far a path goes up and down."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import shapely

from assistant.game.state import GameState, Pose, Terrain
from assistant.geometry.motion.contact import ProximityZone, find_spans_within
from assistant.geometry.shapes.base_shapes import Outline, PlacedShape
from assistant.geometry.shapes.convex import outer_radius_mm
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A height to stand at."""

    z_mm: float
    top_of: Terrain | None
    """None for the ground."""


@lru_cache(maxsize=512)
def build_outline(terrain: Terrain) -> PlacedShape:
    """Return a terrain feature's outline as a shape where it stands."""
    return PlacedShape(shape=Outline(points_mm=terrain.outline_mm), x_mm=0.0, y_mm=0.0)


def list_taller_terrain(state: GameState, height_mm: float) -> list[Terrain]:
    """Return the terrain that is higher than a height."""
    return [terrain for terrain in state.terrain if terrain.height_mm > height_mm]


def find_supporting_terrain(state: GameState, pose: Pose) -> Terrain | None:
    """Return the terrain on top of which a base stands: it has the base's height, and the centre is over it."""
    on_top = [t for t in state.terrain if t.height_mm > 0 and abs(t.height_mm - pose.z_mm) <= ROUNDING_MM]
    return next((terrain for terrain in on_top if measure_inside_mm(pose, terrain) >= -ROUNDING_MM), None)


def touches_terrain(walk: Walk) -> bool:
    """Return whether a way starts or ends on terrain."""
    return any(find_supporting_terrain(walk.state, pose) is not None for pose in (walk.path[0], walk.end))


def find_terrain_on_path(walk: Walk, features: Iterable[Terrain], sigmas: float = DECIDED_SIGMAS) -> list[Terrain]:
    """Return the terrain of some that a base may come to on its path, from the disc around it, so much wider."""
    features = list(features)
    if not features:
        return features
    doubt = sigmas * max(pose.sigma_mm for pose in walk.path) + ROUNDING_MM
    reach_mm, places = outer_radius_mm(walk.model.base) + doubt, [(pose.x_mm, pose.y_mm) for pose in walk.path]
    (low_x, low_y), (high_x, high_y) = map(min, zip(*places, strict=True)), map(max, zip(*places, strict=True))
    low_x, low_y, high_x, high_y = low_x - reach_mm, low_y - reach_mm, high_x + reach_mm, high_y + reach_mm
    near = list[Terrain]()
    for terrain in features:
        left, front, right, back = _find_box(terrain)
        if left <= high_x and right >= low_x and front <= high_y and back >= low_y:
            near.append(terrain)
    if not near:
        return near
    way = shapely.LineString(places if len(places) > 1 else places * 2)
    away_mm = shapely.distance(way, [draw_outline(terrain) for terrain in near])
    return [terrain for terrain, mm in zip(near, away_mm.tolist(), strict=True) if mm <= reach_mm]


def bound_distances_mm(walk: Walk, features: Iterable[Terrain]) -> Iterator[tuple[float, Terrain]]:
    """Yield a lower bound of the distance between a base on its path and each of some terrain, from their boxes."""
    xs, ys = [pose.x_mm for pose in walk.path], [pose.y_mm for pose in walk.path]
    low_x, high_x, low_y, high_y = min(xs), max(xs), min(ys), max(ys)
    reach = outer_radius_mm(walk.model.base)
    for terrain in features:
        left, near, right, far = _find_box(terrain)
        apart = max(left - high_x, low_x - right, 0.0), max(near - high_y, low_y - far, 0.0)
        yield math.hypot(*apart) - reach, terrain


@lru_cache(maxsize=512)
def draw_outline(terrain: Terrain) -> shapely.Polygon:
    """Return the outline of terrain as a polygon."""
    return shapely.Polygon(terrain.outline_mm)


@lru_cache(maxsize=512)
def _find_box(terrain: Terrain) -> tuple[float, float, float, float]:
    xs, ys = zip(*terrain.outline_mm, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def measure_climb_mm(free_mm: float, walk: Walk, doubt_mm: float = 0.0) -> float:
    """Return how far a path goes up and down.

    Its own rises and falls count where they lead higher than ``free_mm`` before the model stands on something again.  A
    stretch on the ground that crosses taller terrain is read as climbed: up, and down again; where it goes deeper into
    the outline than ``doubt_mm``.
    """
    rises = (
        abs(b.z_mm - a.z_mm)
        for climb in _split_climbs(walk)
        if max(at.z_mm for at in climb) > free_mm
        for a, b in pairwise(climb)
    )
    return sum(rises) + sum(
        2 * height for height in _measure_crossed_heights_mm(free_mm, walk, -doubt_mm - ROUNDING_MM)
    )


def _split_climbs(walk: Walk) -> Iterator[tuple[Pose, ...]]:
    """Yield the parts of a path from where a model stands on something to where it next does.

    It stands there where it goes on level, turns back, begins or ends; what it only climbs past counts for nothing.
    """
    if all(pose.z_mm == walk.path[0].z_mm for pose in walk.path):
        return
    start = 0
    for index in range(1, len(walk.path) - 1):
        before, at, after = walk.path[index - 1 : index + 2]
        passes = (at.z_mm - before.z_mm) * (after.z_mm - at.z_mm) > 0
        if not passes and (at.z_mm <= ROUNDING_MM or find_supporting_terrain(walk.state, at) is not None):
            yield walk.path[start : index + 1]
            start = index
    yield walk.path[start:]


def _measure_crossed_heights_mm(free_mm: float, walk: Walk, range_mm: float) -> Iterator[float]:
    """Yield the height that is climbed for each time that a path on the ground crosses taller terrain."""
    near = find_terrain_on_path(walk, list_taller_terrain(walk.state, free_mm))
    for start, end in find_ground_stretches(free_mm, walk) if near else ():
        path = [walk.place_base(pose) for pose in walk.path[start:end]]
        for terrain in near:
            for _ in find_spans_within(path, ProximityZone(other=build_outline(terrain), range_mm=range_mm)):
                yield terrain.height_mm - walk.path[start].z_mm


def find_ground_stretches(free_mm: float, walk: Walk) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a path, as slices, that lead on one level from a place on the ground to another.

    What is moved over freely counts as ground where a model stands on top of it; at a height between it is in the air.
    """
    path, start = walk.path, 0
    for index in range(1, len(path) + 1):
        if index == len(path) or path[index].z_mm != path[start].z_mm:
            if index - start > 1 and all(_is_on_ground(free_mm, walk, at) for at in (path[start], path[index - 1])):
                yield start, index
            start = index


def _is_on_ground(free_mm: float, walk: Walk, at: Pose) -> bool:
    """Return whether a model stands on the ground, or on what is moved over freely."""
    return at.z_mm <= ROUNDING_MM or (at.z_mm <= free_mm and find_supporting_terrain(walk.state, at) is not None)


def is_over(pose: Pose, terrain: Terrain) -> bool:
    """Return whether the middle of a base is inside an outline, by more than a rounding."""
    left, near, right, far = _find_box(terrain)
    in_box = left < pose.x_mm < right and near < pose.y_mm < far
    return in_box and measure_inside_mm(pose, terrain) > ROUNDING_MM


def measure_inside_mm(pose: Pose, terrain: Terrain) -> float:
    """Return how far the middle of a base is inside an outline; negative outside."""
    outline, middle = draw_outline(terrain), shapely.Point(pose.x_mm, pose.y_mm)
    away = float(outline.exterior.distance(middle))
    return away if outline.contains(middle) else -away
