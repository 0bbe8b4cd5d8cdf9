"""Climbed and solid terrain: what stands on it, what goes through it, and what the way up and down adds to a path."""

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from itertools import pairwise

import shapely

from assistant.game.state import GameState, Pose, Terrain
from assistant.geometry.clearance.shape_clearance import clearance, interpolate_pose, least_clearance
from assistant.geometry.motion.contact import ProximityZone, find_spans_within
from assistant.geometry.shapes.base_shapes import Outline, PlacedShape
from assistant.geometry.shapes.convex import outer_radius_mm
from assistant.rules.constraints import Allowance, Footing, SolidTerrain
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, build_finding, find_gravest


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


def is_through_air(rule: Allowance | SolidTerrain, walk: Walk) -> bool:
    """Return whether a way is measured through the air: its model flies, and starts or ends on terrain."""
    return rule.flies and any(
        find_supporting_terrain(walk.state, pose) is not None for pose in (walk.path[0], walk.end)
    )


def measure_rise_mm(rule: Allowance, walk: Walk) -> float:
    """Return the difference of heights between the ends of a way, as far as it counts."""
    start, end = walk.path[0].z_mm, walk.end.z_mm
    return abs(end - start) if is_through_air(rule, walk) or max(start, end) > rule.free_mm else 0.0


def check_solid_terrain(rule: SolidTerrain, walk: Walk) -> Iterator[Finding]:
    """Yield that a model went through terrain, or ends inside it."""
    found = find_gravest([*_check_end_overlap(rule, walk), *_check_passage(rule, walk)])
    if found is not None:
        yield found


def find_terrain_on_path(walk: Walk, features: Iterable[Terrain]) -> list[Terrain]:
    """Return the terrain of some that a base may come to on its path, from their boxes."""
    doubt = DECIDED_SIGMAS * max(pose.sigma_mm for pose in walk.path) + ROUNDING_MM
    return [terrain for terrain in features if bound_distance_mm(walk, terrain) <= doubt]


def bound_distance_mm(walk: Walk, terrain: Terrain) -> float:
    """Return a lower bound of the distance between a base on its path and terrain, from their boxes."""
    xs, ys = [pose.x_mm for pose in walk.path], [pose.y_mm for pose in walk.path]
    left, near, right, far = _find_box(terrain)
    apart = max(left - max(xs), min(xs) - right, 0.0), max(near - max(ys), min(ys) - far, 0.0)
    return math.hypot(*apart) - outer_radius_mm(walk.model.base)


@lru_cache(maxsize=512)
def _find_box(terrain: Terrain) -> tuple[float, float, float, float]:
    xs, ys = zip(*terrain.outline_mm, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def measure_climb_mm(free_mm: float, walk: Walk, doubt_mm: float = 0.0) -> float:
    """Return how far a path goes up and down.

    Its own rises and falls count where they lead higher than ``free_mm``.  A leg on the ground that crosses taller
    terrain is read as climbed: up, and down again; where it goes deeper into the outline than ``doubt_mm``.
    """
    rises = (abs(b.z_mm - a.z_mm) for a, b in pairwise(walk.path) if max(a.z_mm, b.z_mm) > free_mm)
    return sum(rises) + sum(
        2 * height for height in _measure_crossed_heights_mm(free_mm, walk, -doubt_mm - ROUNDING_MM)
    )


def _measure_crossed_heights_mm(free_mm: float, walk: Walk, range_mm: float) -> Iterator[float]:
    """Yield the height that is climbed for each time that a path on the ground crosses taller terrain."""
    for start, end in _find_ground_stretches(free_mm, walk.path):
        path = [walk.place_base(pose) for pose in walk.path[start:end]]
        for terrain in find_terrain_on_path(walk, list_taller_terrain(walk.state, free_mm)):
            for _ in find_spans_within(path, ProximityZone(other=build_outline(terrain), range_mm=range_mm)):
                yield terrain.height_mm - walk.path[start].z_mm


def _find_ground_stretches(free_mm: float, path: tuple[Pose, ...]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a path, as slices, that stay on one level no higher than what is moved over freely."""
    start = 0
    for index in range(1, len(path) + 1):
        if index == len(path) or path[index].z_mm != path[start].z_mm or path[start].z_mm > free_mm:
            if index - start > 1 and path[start].z_mm <= free_mm:
                yield start, index
            start = index


def check_footing(rule: Footing, walk: Walk) -> Finding:
    """Return whether a model stands on the ground or on top of terrain."""
    pose, model = walk.end, walk.model.id
    under = [t for t in walk.state.terrain if t.height_mm > 0 and abs(t.height_mm - pose.z_mm) <= ROUNDING_MM]
    on_top = [(measure_inside_mm(pose, terrain), terrain) for terrain in under]
    if rule.by_height:
        on_top = [each for each in on_top if each[0] >= -max(DECIDED_SIGMAS * pose.sigma_mm, ROUNDING_MM)]
    inside, terrain = max(on_top, key=lambda pair: pair[0], default=(0.0, None))
    if pose.z_mm <= ROUNDING_MM or (rule.by_height and terrain is not None and inside >= -ROUNDING_MM):
        where = f"on top of {terrain.id}" if terrain is not None else "on the ground"
        return Finding(rule=rule.rule, outcome=Outcome.LEGAL, subjects=(model,), text=f"{model} ends {where}")
    if terrain is None:
        where = f"{model} ends {walk.say(pose.z_mm, 2)} above the table, in mid-climb"
        subjects = (model, *_find_climbed_terrain(walk)) if rule.by_height else (model,)
        return Finding(rule=rule.rule, outcome=Outcome.ILLEGAL, subjects=subjects, text=where)
    return build_finding(
        rule.rule,
        (model, terrain.id) if rule.by_height else (model,),
        measured_mm=inside,
        limit_mm=0.0,
        margin_mm=inside,
        sigma_mm=pose.sigma_mm,
        witness_mm=((pose.x_mm, pose.y_mm),),
        text=partial(_describe_footing, walk, terrain, inside),
    )


def _describe_footing(walk: Walk, terrain: Terrain, inside_mm: float, outcome: Outcome) -> str:
    model = walk.model.id
    match outcome:
        case Outcome.LEGAL:
            return f"{model} ends on top of {terrain.id}"
        case Outcome.TOO_CLOSE:
            return f"{model} ends so near to the edge of {terrain.id} that it is too close to call whether it is on it"
        case _:
            return f"{model} ends in mid-climb: the middle of its base is {walk.say(-inside_mm, 2)} beside {terrain.id}"


def _find_climbed_terrain(walk: Walk) -> tuple[str, ...]:
    """Return the lowest terrain that reaches as high as a model's end and that the middle of its base is over."""
    tall = [
        terrain
        for terrain in list_taller_terrain(walk.state, walk.end.z_mm)
        if measure_inside_mm(walk.end, terrain) >= -ROUNDING_MM
    ]
    return tuple(terrain.id for terrain in sorted(tall, key=lambda terrain: terrain.height_mm)[:1])


def _check_end_overlap(rule: SolidTerrain, walk: Walk) -> Iterator[Finding]:
    """Yield that a model ends inside terrain that is higher than where it stands."""
    pose = walk.end
    for terrain in find_terrain_on_path(
        walk, list_taller_terrain(walk.state, max(rule.free_mm, pose.z_mm + ROUNDING_MM))
    ):
        gap = clearance(walk.place_base(pose), build_outline(terrain))
        found = build_finding(
            rule.rule,
            (walk.model.id, terrain.id),
            measured_mm=gap.mm,
            limit_mm=0.0,
            margin_mm=gap.mm,
            sigma_mm=pose.sigma_mm,
            witness_mm=(gap.near, gap.far),
            text=partial(_describe_overlap, walk, terrain, gap.mm),
        )
        if found.outcome is not Outcome.LEGAL:
            yield found


def _describe_overlap(walk: Walk, terrain: Terrain, mm: float, outcome: Outcome) -> str:
    if outcome is Outcome.TOO_CLOSE:
        return f"{walk.model.id} ends so near to {terrain.id} that it is too close to call whether it is inside it"
    return f"{walk.model.id} ends {walk.say(-mm, 2)} inside {terrain.id}, which is solid"


def _check_passage(rule: SolidTerrain, walk: Walk) -> Iterator[Finding]:
    """Yield that a leg which climbs or falls does so inside terrain, or runs through it below its top."""
    if not walk.observed or is_through_air(rule, walk):
        return
    for a, b in pairwise(walk.path):
        if max(a.z_mm, b.z_mm) <= rule.free_mm and a.z_mm == b.z_mm:
            continue  # read as climbed
        for terrain in find_terrain_on_path(
            walk, list_taller_terrain(walk.state, max(rule.free_mm, min(a.z_mm, b.z_mm) + ROUNDING_MM))
        ):
            low, high = _find_share_below(a, b, terrain.height_mm)
            start, end = (
                interpolate_pose(walk.place_base(a), walk.place_base(b), low),
                interpolate_pose(walk.place_base(a), walk.place_base(b), high),
            )
            gap = least_clearance(start, end, build_outline(terrain)).clearance
            if gap.mm < -ROUNDING_MM:
                text = f"{walk.model.id} moves through {terrain.id} below its top"
                yield Finding(
                    rule=rule.rule,
                    outcome=Outcome.ILLEGAL,
                    subjects=(walk.model.id, terrain.id),
                    measured_mm=gap.mm,
                    limit_mm=0.0,
                    margin_mm=gap.mm,
                    witness_mm=(gap.near, gap.far),
                    text=text,
                )


def _find_share_below(a: Pose, b: Pose, height_mm: float) -> tuple[float, float]:
    """Return the part of a leg, as shares, on which it is below a height; it is so somewhere."""
    if max(a.z_mm, b.z_mm) < height_mm:
        return 0.0, 1.0
    share = (height_mm - ROUNDING_MM - a.z_mm) / (b.z_mm - a.z_mm)
    return (0.0, min(1.0, share)) if a.z_mm < b.z_mm else (max(0.0, share), 1.0)


def measure_inside_mm(pose: Pose, terrain: Terrain) -> float:
    """Return how far the middle of a base is inside an outline; negative outside."""
    outline, middle = shapely.Polygon(terrain.outline_mm), shapely.Point(pose.x_mm, pose.y_mm)
    away = float(outline.exterior.distance(middle))
    return away if outline.contains(middle) else -away
