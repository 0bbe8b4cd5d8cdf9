"""Which enemies initiative may ignore: the fortified (wm-46), and those past a barrier (wm-47)."""

import math
from collections.abc import Sequence

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Model, Table, Terrain, Unit
from assistant.geometry.convex import inner_radius_mm, placed_parts
from assistant.geometry.reach import outside, shortest_route
from assistant.geometry.regions import polygons, simple
from assistant.geometry.shapes import Outline, Placed
from assistant.geometry.sight import sight
from assistant.rules.books.warmaster_revolution.doubt import Answer, either, every, kept, not_
from assistant.rules.books.warmaster_revolution.ground import bridged, forbids, stands_in
from assistant.rules.books.warmaster_revolution.sighting import outline
from assistant.rules.books.warmaster_revolution.troops import paces
from assistant.rules.rulebook import Question
from assistant.rules.ruling import DECIDED_SIGMAS, ROUNDING_MM


def may_be_ignored(asked: Question, other: Unit) -> Answer:
    """Return whether a unit may ignore an enemy; None where two sigma leave it open."""
    fortified = _is_fortified(asked, other)
    return fortified or either((fortified, _is_barred(asked, other)))


def _is_fortified(asked: Question, other: Unit) -> Answer:
    stays = other.profile["troop"] in {"infantry", "artillery"}
    return stays and stands_in(other, asked.state.terrain, "fortified")


def _is_barred(asked: Question, other: Unit) -> Answer:
    """Return whether terrain that neither may enter divides two units, and neither can go round it."""
    agreed, units = asked.parameters["agreed_terrain"], (asked.unit, other)
    shut = [
        terrain
        for terrain in bridged(asked.state.terrain)
        if all(forbids(unit, terrain, agreed) is not None for unit in units)
    ]
    ours, theirs = (_standing(unit) for unit in units)
    if not shut or not ours or not theirs:
        return False
    divided = _are_divided(ours, theirs, shut)
    if divided is False:
        return False
    rounds = (
        _goes_round(ours, theirs, shut, asked.state.table, paces(asked.unit).full_mm),
        _goes_round(theirs, ours, shut, asked.state.table, paces(other).full_mm),
    )
    return every((divided, *map(not_, rounds)))


def _standing(unit: Unit) -> list[Model]:
    return [model for model in unit.models if model.pose is not None]


def _sigma_mm(models: Sequence[Model]) -> float:
    return max((model.pose.sigma_mm for model in models if model.pose is not None), default=0.0)


# -- whether every straight line between them meets it


def _are_divided(ours: Sequence[Model], theirs: Sequence[Model], shut: Sequence[Terrain]) -> Answer:
    barrier = shapely.union_all([shapely.Polygon(terrain.outline_mm) for terrain in shut])
    one, two = (shapely.union_all([outline(model) for model in models]) for models in (ours, theirs))
    doubt_mm = DECIDED_SIGMAS * max(_sigma_mm(ours), _sigma_mm(theirs))
    if doubt_mm == 0:
        return _divides(barrier, one, two)
    if _divides(shapely.buffer(barrier, -doubt_mm, join_style="mitre"), one, two):
        return True
    return None if _divides(shapely.buffer(barrier, doubt_mm, join_style="mitre"), one, two) else False


def _divides(barrier: BaseGeometry, one: BaseGeometry, two: BaseGeometry) -> bool:
    between = shapely.convex_hull(shapely.union(one, two))
    if not shapely.intersects(between, barrier):
        return False
    left = shapely.difference(between, shapely.buffer(barrier, -ROUNDING_MM, join_style="mitre"))
    if not any(shapely.intersects(part, one) and shapely.intersects(part, two) for part in shapely.get_parts(left)):
        return True
    viewers, targets, blockers = (_pieces(region) for region in (one, two, barrier))
    return all(sight(viewer, target, blockers) is None for viewer in viewers for target in targets)


def _pieces(region: BaseGeometry) -> list[Placed]:
    rings = [
        shapely.get_coordinates(piece.exterior)[:-1].tolist()
        for piece in simple(polygons(shapely.simplify(region, 1e-9)))
        if piece.area > ROUNDING_MM
    ]
    return [Placed(shape=Outline(points_mm=tuple((x, y) for x, y in ring)), x_mm=0.0, y_mm=0.0) for ring in rings]


# -- whether a stand comes round it


def _goes_round(
    movers: Sequence[Model], others: Sequence[Model], shut: Sequence[Terrain], table: Table, pace_mm: float
) -> Answer:
    margin_mm = pace_mm - _way_round_mm(movers, others, shut, table)
    return kept(margin_mm, _sigma_mm(movers))


def _way_round_mm(movers: Sequence[Model], others: Sequence[Model], shut: Sequence[Terrain], table: Table) -> float:
    """Return the shortest way by which a stand comes round terrain, to where the way to another runs straight.

    The stand counts as the greatest disc within it, for it may turn to slip through.
    """
    radius_mm = min(inner_radius_mm(model.base) for model in movers)
    starts, goals = ([(model.placed().x_mm, model.placed().y_mm) for model in each] for each in (movers, others))
    outlines = [Placed(shape=Outline(points_mm=each.outline_mm), x_mm=0.0, y_mm=0.0) for each in shut]
    grown = [part.grown(radius_mm) for outline in outlines for part in placed_parts(outline)]
    obstacles = outside(grown, [*starts, *goals])
    xs, ys = zip(*starts, *goals, strict=True)
    box = (
        min(radius_mm, *xs),
        min(radius_mm, *ys),
        max(table.width_mm - radius_mm, *xs),
        max(table.depth_mm - radius_mm, *ys),
    )
    routes = [shortest_route(start, goal, obstacles, box) for start in starts for goal in goals]
    return min(
        (route.mm - math.dist(*route.points[-2:]) for route in routes if route is not None),
        default=math.inf,
    )
