"""Compulsory moves: straight at the closest enemy, as far as the model can go."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Pose
from assistant.geometry.clearance.shape_clearance import bound_leg_clearance, clearance, edge_clearance
from assistant.geometry.motion.contact import shrink_zone
from assistant.geometry.motion.path_length import measure_centre_travel
from assistant.geometry.shapes.convex import Array, ConvexSet, outer_radius_mm, unit_vectors
from assistant.geometry.shortest_path.obstacles import build_field
from assistant.geometry.uncertainty import travel_sigma_mm
from assistant.rules.books.warhammer_40k_5e.common import ENEMIES
from assistant.rules.books.warhammer_40k_5e.difficult_terrain import DIFFICULT
from assistant.rules.constraints.base import Constraint, ConstraintSet
from assistant.rules.constraints.custom import CustomConstraint
from assistant.rules.constraints.forbidden_terrain import ForbiddenTerrain
from assistant.rules.constraints.table_boundary import TableBoundary
from assistant.rules.engine.minkowski_regions import find_kept_out
from assistant.rules.engine.observed_path import find_contact_zones, find_furthest_legal
from assistant.rules.engine.walk import DirectionOffset, Walk, build_covariance, measure_direction_offset
from assistant.rules.lengths import format_apart
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, build_finding, combine_sigmas

_RULE = "5e-14"
_DRY = ForbiddenTerrain(rule=_RULE, terrain=DIFFICULT, on_the_way=True)
_BLURRED_MM = 0.04
"""How far apart the rays may end along which it is looked how far a model goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompulsoryMove:
    """What is asked of a unit that must go straight at the closest enemy."""

    going: Sequence[Constraint]
    """What keeps it from going on."""
    full_mm: float
    """How far it goes at most."""
    half_mm: float
    """How far it goes if difficult terrain slows it; the same where none does, or where it surely does."""
    tolerance_rad: float
    short_mm: float
    """How far short of as far as it goes still is as far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """The direction to the closest enemy."""

    enemy: str
    bearing_rad: float


def constrain_to_compulsory_move(duty: CompulsoryMove) -> CustomConstraint:
    """Return a duty as a constraint."""
    return CustomConstraint(
        findings=partial(_judge_move, duty), places=partial(_restrict_places, duty), staying=partial(_judge_stay, duty)
    )


def find_headings(walk: Walk) -> list[Heading]:
    """Return the directions from where a model started to the closest enemy, or to each of those that may be."""
    scene, start = walk.scene, walk.path[0]
    mine, others = walk.place_base(start), scene.select_party(ENEMIES, walk.unit, walk.model.id)
    away = scene.places_mm[others, :2] - (start.x_mm, start.y_mm)
    floors = np.hypot(*away.T) - scene.radii_mm[others] - outer_radius_mm(walk.model.base)
    found, least = list[tuple[float, Heading]](), math.inf
    for index in np.argsort(floors).tolist():
        place = int(others[index])
        doubt = DECIDED_SIGMAS * combine_sigmas(start.sigma_mm, scene.poses[place].sigma_mm) + ROUNDING_MM
        if floors[index] > least + doubt:
            break
        gap = clearance(mine, scene.models[place].place_base())
        along = np.subtract(gap.far, gap.near) if gap.mm > ROUNDING_MM else away[index]
        bearing = math.atan2(along[1], along[0])
        found.append((gap.mm - doubt, Heading(enemy=scene.models[place].id, bearing_rad=bearing)))
        least = min(least, gap.mm)
    return [heading for mm, heading in found if mm <= least]


# -- what is said of a move


def _judge_move(duty: CompulsoryMove, walk: Walk) -> Iterator[Finding]:
    known = find_headings(walk)
    if not known:
        return
    if any(_displacement(walk, pose)[0] > 0 for pose in walk.path[1:]):
        yield max(
            (_judge_direction(duty, walk, heading) for heading in known), key=lambda found: found.margin_mm or 0.0
        )
    path = [walk.place_base(pose) for pose in walk.path]
    length, bearing = _displacement(walk, walk.end)
    if walk.observed:
        length = measure_centre_travel(path).mm
    sigma = travel_sigma_mm(path, [build_covariance(pose) for pose in walk.path], furthest=False)
    bearings = [bearing] if _displacement(walk, walk.end)[0] > 0 else [heading.bearing_rad for heading in known]
    yield _judge_length(duty, walk, length, sigma, bearings)


def _judge_stay(duty: CompulsoryMove, walk: Walk) -> Iterator[Finding]:
    """Yield whether a model that stays might have gone on."""
    bearings = [heading.bearing_rad for heading in find_headings(walk)]
    if bearings:
        yield _judge_length(duty, walk, 0.0, 0.0, bearings)


def _displacement(walk: Walk, pose: Pose) -> tuple[float, float]:
    """Return how far and in which direction a place is from the start."""
    x, y = pose.x_mm - walk.path[0].x_mm, pose.y_mm - walk.path[0].y_mm
    return math.hypot(x, y), math.atan2(y, x)


def _judge_direction(duty: CompulsoryMove, walk: Walk, heading: Heading) -> Finding:
    """Return how well a path keeps to a direction: how far its places are inside of the tolerance, or outside."""
    start, found = walk.path[0], list[tuple[DirectionOffset, float, Pose]]()
    for pose in walk.path[1:] if walk.observed else (walk.end,):
        mm, bearing = _displacement(walk, pose)
        off = abs(math.remainder(bearing - heading.bearing_rad, 2 * math.pi))
        found += [(measure_direction_offset(mm, off, duty.tolerance_rad), off, pose)] if mm > 0 else []
    worst, off, pose = min(found, key=lambda entry: entry[0].margin_mm)
    degrees = f"{math.degrees(off):.1f}° off the straight line to {heading.enemy}, the closest enemy"

    def text(outcome: Outcome) -> str:
        doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
        return f"{walk.model.id} moves {degrees}; {math.degrees(duty.tolerance_rad):g}° are allowed{doubt}"

    return build_finding(
        _RULE,
        (walk.model.id,),
        measured_mm=worst.off_mm,
        limit_mm=worst.limit_mm,
        margin_mm=worst.margin_mm,
        sigma_mm=combine_sigmas(start.sigma_mm, pose.sigma_mm),
        witness_mm=((start.x_mm, start.y_mm), (pose.x_mm, pose.y_mm)),
        text=text,
    )


def _judge_length(
    duty: CompulsoryMove, walk: Walk, length_mm: float, sigma_mm: float, bearings: Sequence[float]
) -> Finding:
    """Return whether a model went as far as it goes, in the direction of some in which it goes least far."""
    goes_mm, bearing = min((_measure_way_ahead_mm(duty, walk, bearing), bearing) for bearing in bearings)
    start, along = walk.path[0], unit_vectors(np.array([bearing]))[0]
    length, goes = format_apart(walk.say, length_mm, goes_mm)

    def text(outcome: Outcome) -> str:
        match outcome:
            case Outcome.LEGAL:
                return f"{walk.model.id} moves {walk.say(length_mm, 2)}, as far as it goes straight ahead"
            case Outcome.TOO_CLOSE:
                return (
                    f"{walk.model.id} moves {length} where it can go {goes}: too close to call whether it stops short"
                )
            case _:
                return f"{walk.model.id} moves {length} and stops short: straight ahead it can go {goes}"

    return build_finding(
        _RULE,
        (walk.model.id,),
        measured_mm=length_mm,
        limit_mm=goes_mm,
        margin_mm=length_mm + duty.short_mm - goes_mm,
        sigma_mm=sigma_mm,
        witness_mm=(
            (start.x_mm, start.y_mm),
            (start.x_mm + goes_mm * float(along[0]), start.y_mm + goes_mm * float(along[1])),
        ),
        text=text,
    )


def _measure_way_ahead_mm(duty: CompulsoryMove, walk: Walk, bearing_rad: float) -> float:
    """Return how far a model can go straight ahead, turned as it ended."""
    start, along = replace(walk.path[0], facing_rad=walk.end.facing_rad), unit_vectors(np.array([bearing_rad]))[0]
    ahead = replace(
        start,
        x_mm=start.x_mm + duty.full_mm * float(along[0]),
        y_mm=start.y_mm + duty.full_mm * float(along[1]),
    )
    straight = replace(walk, path=(start, ahead), observed=True)
    limit_mm = duty.full_mm
    if duty.half_mm < duty.full_mm:
        _, dry_mm = find_furthest_legal(ConstraintSet((_DRY,)), straight)
        limit_mm = min(duty.full_mm, max(duty.half_mm, dry_mm))
    return min(find_furthest_legal(ConstraintSet(duty.going), straight)[1], limit_mm)


# -- where a move may end


def _restrict_places(duty: CompulsoryMove, walk: Walk, places: BaseGeometry, spare_mm: float) -> BaseGeometry:
    """Return some places without those to the side of the direction and those short of as far as it goes."""
    known, start = find_headings(walk), walk.path[0]
    if not known:
        return places
    left, near, right, far = places.bounds
    reach = math.hypot(
        max(abs(left - start.x_mm), abs(right - start.x_mm)), max(abs(near - start.y_mm), abs(far - start.y_mm))
    )
    doubt = DECIDED_SIGMAS * combine_sigmas(start.sigma_mm, walk.end.sigma_mm) - spare_mm
    cones = [_build_cone(start, heading.bearing_rad, duty.tolerance_rad, (doubt, reach)) for heading in known]
    shorts = [_find_short_places(duty, walk, heading.bearing_rad, spare_mm, doubt) for heading in known]
    return shapely.difference(shapely.intersection(places, shapely.union_all(cones)), shapely.union_all(shorts))


def _build_cone(start: Pose, bearing_rad: float, tolerance_rad: float, span_mm: tuple[float, float]) -> shapely.Polygon:
    """Return the places in a direction that are so far inside of its tolerance, and up to a distance at least."""
    inside_mm, reach_mm = span_mm
    if tolerance_rad == 0:
        return shapely.Polygon()
    first = inside_mm / math.sin(tolerance_rad)
    apex = np.array((start.x_mm, start.y_mm)) + first * unit_vectors(np.array([bearing_rad]))[0]
    sides = unit_vectors(bearing_rad + np.array((-tolerance_rad, tolerance_rad)))
    return shapely.Polygon(np.vstack((apex, apex + 2 * (reach_mm + abs(first)) * sides)))


def _find_short_places(
    duty: CompulsoryMove, walk: Walk, bearing_rad: float, spare_mm: float, doubt_mm: float
) -> shapely.Polygon:
    """Return the places around a direction that are short of as far as it goes."""
    start = replace(walk.path[0], facing_rad=walk.end.facing_rad)
    blurred_mm = max(_BLURRED_MM, spare_mm / 2)
    grown_mm = spare_mm + blurred_mm if spare_mm > 0 else 0.0
    count = 3 + math.ceil(2 * duty.tolerance_rad * duty.full_mm / blurred_mm)
    wide = duty.tolerance_rad + 2 * duty.tolerance_rad / count
    along = unit_vectors(bearing_rad + np.linspace(-wide, wide, count))
    middle = np.array((start.x_mm, start.y_mm))
    ends = np.vstack((middle, middle + duty.full_mm * along))
    corners = (ends.min(axis=0) - grown_mm).tolist(), (ends.max(axis=0) + grown_mm).tolist()
    turned = replace(walk, path=(start, *(replace(start, x_mm=x, y_mm=y) for x, y in corners)))
    rays = along, duty.full_mm
    goes = np.minimum(_measure_free_rays(duty.going, turned, rays, grown_mm), _measure_to_edge_mm(turned, along))
    limit = np.full(count, duty.full_mm)
    if duty.half_mm < duty.full_mm:
        limit = np.minimum(limit, np.maximum(duty.half_mm, _measure_free_rays((_DRY,), turned, rays, grown_mm)))
    short = np.maximum(np.minimum(goes, limit) - duty.short_mm + doubt_mm, 0.0)
    return shapely.Polygon(np.vstack((middle, middle + short[:, None] * along))).buffer(0.0)


def _measure_free_rays(going: Sequence[Constraint], walk: Walk, rays: tuple[Array, float], grown_mm: float) -> Array:
    """Return how far along (n, 2) directions, up to a length, a base keeps out of what it must; else infinity."""
    (along, length_mm), start, base = rays, walk.path[0], walk.model.base
    placed, sets = walk.place_base(start), list[ConvexSet]()
    for zone in find_contact_zones(ConstraintSet(going), walk, on_the_way=True):
        near = bound_leg_clearance(placed, placed, zone.other) <= length_mm + zone.range_mm + grown_mm
        if near and zone.heights_mm[0] <= start.z_mm <= zone.heights_mm[1]:
            range_mm = shrink_zone(zone, placed).range_mm + grown_mm
            sets += find_kept_out(base, start.facing_rad, zone.other, range_mm)
    origins, spare = np.broadcast_to((start.x_mm, start.y_mm), along.shape), np.full(along.shape, -1)
    return build_field(sets).cast_rays(origins, along, np.full(len(along), length_mm), spare)[0]


def _measure_to_edge_mm(walk: Walk, along: Array) -> Array:
    """Return how far along directions a base stays on the table, or comes no further over its edge."""
    table, start = walk.state.table, walk.path[0]
    over = max(0.0, -edge_clearance(walk.place_base(start), table.width_mm, table.depth_mm).mm)
    box = TableBoundary(rule=_RULE).bound_places(table, walk.model.base, start.facing_rad, -over)
    room = np.where(along > 0, (box[2] - start.x_mm, box[3] - start.y_mm), (start.x_mm - box[0], start.y_mm - box[1]))
    steps = np.abs(along)
    found: Array = np.divide(room, steps, out=np.full(room.shape, math.inf), where=steps > 0).min(axis=1)
    return found
