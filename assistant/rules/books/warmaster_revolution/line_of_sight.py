"""Line of sight: whether a unit sees another (wm-37, wm-38, wm-44), and how surely.

Sight runs from a stand's edge into the half-plane before it.  Stands that touch each other leave no line between them,
though the camera may have measured a hair's breadth.  What errs is taken two standard deviations against sight and in
favour of it: what blocks is drawn wider or narrower by as much, and the line before which a stand must lie is moved on
or back.  Where the two answers differ, sight is in doubt.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Model, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, PlacedShape
from assistant.geometry.shapes.convex import Array, decompose_placed
from assistant.geometry.shapes.polygons import circumscribe, extract_polygons
from assistant.geometry.visibility.line_of_sight import ViewingEdge
from assistant.geometry.visibility.polygon_sight import find_polygon_sight_line
from assistant.rules.books.warmaster_revolution.three_valued_logic import Answer, is_any, is_every, is_margin_kept
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM

SEEN_OVER = frozenset({"low", "river", "road", "field", "obstacle", "fortified"})
"""Traits of terrain that blocks no sight."""
_FAR_MM = 1e5
_CURVE_MM = 0.01
"""How far a polygon may lie around a base that is round."""
_DUST_MM2 = 1e-3
"""What covers less was left over by rounding."""
_PLACES = np.array((0.5, 0.2, 0.8))
"""Where on an edge the lines begin that are tried first."""
_Polygons = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visibility:
    """What a unit sees of another; None where two sigma leave it open."""

    seen: Answer
    before: Answer
    """Whether any of it lies before an edge that looks, whatever is in between."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LookingEdge:
    """An edge that looks."""

    edge: ViewingEdge
    stand: shapely.Polygon
    sigma_mm: float
    free: Answer = True
    """Whether it may look; None if that is in doubt."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _StandIndex:
    """All stands on the table that are no characters."""

    index: dict[str, int]
    outlines: _Polygons
    units: NDArray[Any]
    """The id of the unit of each."""
    sigmas_mm: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Blockers:
    """What may stand in the way: stands of both sides, which err, and terrain, which does not."""

    stands: _Polygons
    terrain: _Polygons
    touch_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _SightMargins:
    """How much is taken against sight."""

    front_mm: float = 0.0
    stands_mm: float = 0.0
    terrain_mm: float = 0.0

    def invert(self) -> "_SightMargins":
        """Return as much in favour of sight."""
        return _SightMargins(front_mm=-self.front_mm, stands_mm=-self.stands_mm, terrain_mm=-self.terrain_mm)


@lru_cache(maxsize=256)
def find_visibility(scene: SituationIndex, unit: str, other: str, *, all_round: bool, touch_mm: float) -> Visibility:
    """Return whether a unit sees another one, both being on the table and no characters.

    Args:
        scene: where everybody stands.
        unit: the id of the unit that looks, from the front edges of its stands.
        other: the id of the unit that is looked at.
        all_round: whether it looks from every edge along which no other stand touches it, too.
        touch_mm: how near to each other stands touch.

    """
    stands = _index_stands(scene)
    theirs = stands.units == other
    target, target_mm = shapely.union_all(stands.outlines[theirs]), _find_largest_mm(stands.sigmas_mm[theirs])
    others_mm = _find_largest_mm(stands.sigmas_mm[~theirs])
    between = _Blockers(
        stands=stands.outlines[~theirs], terrain=_build_terrain_outlines(scene.state.terrain), touch_mm=touch_mm
    )
    seen, before = set[Answer](), set[Answer]()
    for eye in _list_looking_edges(stands, scene.state.find_unit(unit), all_round=all_round, touch_mm=touch_mm):
        ends_mm = DECIDED_SIGMAS * max(eye.sigma_mm, target_mm)
        against = _SightMargins(
            front_mm=DECIDED_SIGMAS * math.hypot(eye.sigma_mm, target_mm),
            stands_mm=math.hypot(ends_mm, DECIDED_SIGMAS * others_mm),
            terrain_mm=ends_mm,
        )
        ahead = is_margin_kept(_measure_ahead_mm(eye.edge, target), math.hypot(eye.sigma_mm, target_mm))
        before.add(ahead)
        if ahead is not False:
            sees = _sees(eye, target, between, against)
            seen.add(None if sees and eye.free is None else sees)
        if True in seen:
            break
    return Visibility(seen=is_any(seen), before=is_any(before))


def list_edges(model: Model) -> tuple[ViewingEdge, ...]:
    """Return the edges of a stand where it stands, the front one first, each with its front to its right.

    Of a base that is no rectangle they are those of the box around it.
    """
    left, low, right, high = _build_base_outline(model.base).bounds
    box = shapely.LinearRing(((right, low), (right, high), (left, high), (left, low)))
    points = [(float(x), float(y)) for x, y in shapely.get_coordinates(_place_outline(box, model))]
    return tuple(ViewingEdge(first=first, last=last) for first, last in pairwise(points))


@lru_cache(maxsize=1024)
def build_outline(model: Model) -> BaseGeometry:
    """Return the base of a model where it stands, as a polygon."""
    return _place_outline(_build_base_outline(model.base), model)


# -- who looks, and what is in the way


@lru_cache(maxsize=8)
def _index_stands(scene: SituationIndex) -> _StandIndex:
    units = [scene.state.units[owner] for owner in scene.owners]
    places = [at for at, unit in enumerate(units) if unit.profile.get("troop") != "character"]
    models = [scene.models[at] for at in places]
    return _StandIndex(
        index={model.id: at for at, model in enumerate(models)},
        outlines=np.array([build_outline(model) for model in models], dtype=object),
        units=np.array([units[at].id for at in places], dtype=object),
        sigmas_mm=scene.sigmas_mm[places],
    )


@lru_cache(maxsize=8)
def _build_terrain_outlines(terrain: tuple[Terrain, ...]) -> _Polygons:
    """Return the outlines of terrain that blocks sight."""
    blocking = [shapely.Polygon(each.outline_mm) for each in terrain if each.traits.isdisjoint(SEEN_OVER)]
    return np.array(blocking, dtype=object)


def _list_looking_edges(stands: _StandIndex, unit: Unit, *, all_round: bool, touch_mm: float) -> Iterator[_LookingEdge]:
    """Yield the edges that look: all fronts, and those of the others that are free or may be."""
    models = [model for model in unit.models if model.id in stands.index]
    for edge_from in range(4 if all_round else 1):
        for model in models:
            at = stands.index[model.id]
            edge, sigma_mm = list_edges(model)[edge_from], float(stands.sigmas_mm[at])
            free = edge_from == 0 or _is_free(stands, at, edge, touch_mm)
            if free is not False:
                yield _LookingEdge(edge=edge, stand=stands.outlines[at], sigma_mm=sigma_mm, free=free)


def _is_free(stands: _StandIndex, at: int, edge: ViewingEdge, touch_mm: float) -> Answer:
    """Return whether no other stand touches an edge; one that touches only its end stands beside it."""
    line = shapely.LineString((edge.first, edge.last))
    beside_mm = min(2 * touch_mm, line.length / 3)
    inner = shapely.LineString((line.interpolate(beside_mm), line.interpolate(line.length - beside_mm)))
    apart_mm = np.delete(shapely.distance(inner, stands.outlines), at) - touch_mm - 2 * ROUNDING_MM
    sigmas_mm = np.delete(np.hypot(stands.sigmas_mm, stands.sigmas_mm[at]), at)
    return is_every(
        is_margin_kept(mm, sigma_mm) for mm, sigma_mm in zip(apart_mm.tolist(), sigmas_mm.tolist(), strict=True)
    )


# -- along which lines


def _sees(eye: _LookingEdge, target: BaseGeometry, between: _Blockers, against: _SightMargins) -> Answer:
    if _has_open_line(eye, target, between, against, plainly=True):
        return True
    if not _has_open_line(eye, target, between, against.invert()):
        return False
    return True if against == _SightMargins() or _has_open_line(eye, target, between, against) else None


def _has_open_line(
    eye: _LookingEdge, target: BaseGeometry, between: _Blockers, against: _SightMargins, *, plainly: bool = False
) -> bool:
    """Return whether some line is free; ``plainly``, only whether one of a few that are tried first is."""
    before = shapely.intersection(target, _build_half_plane(eye.edge, against.front_mm - ROUNDING_MM))
    if before.is_empty:
        return False
    line = shapely.LineString((eye.edge.first, eye.edge.last))
    if plainly:
        return _has_plainly_open_line(eye, line, before, between, against)
    corridor = shapely.convex_hull(shapely.union(before, line))
    blocked = shapely.union(
        _collect_blocking_stands(eye, between, corridor, against.stands_mm),
        _offset_region(
            shapely.union_all(_select_near(between.terrain, corridor, against.terrain_mm)), against.terrain_mm
        ),
    )
    return find_polygon_sight_line(line, before, blocked) is not None


def _has_plainly_open_line(
    eye: _LookingEdge, line: shapely.LineString, before: BaseGeometry, between: _Blockers, against: _SightMargins
) -> bool:
    """Return whether one of a few lines is well clear of everything: mostly one is, and no more need be asked."""
    stands = between.stands[[stand is not eye.stand for stand in between.stands]]
    rays = shapely.shortest_line(shapely.line_interpolate_point(line, _PLACES, normalized=True), before)
    clear = (shapely.distance(stands[:, None], rays) > between.touch_mm + max(against.stands_mm, 0.0)).all(axis=0)
    clear &= (shapely.distance(between.terrain[:, None], rays) > max(against.terrain_mm, 0.0)).all(axis=0)
    return bool(clear.any())


def _collect_blocking_stands(
    eye: _LookingEdge, between: _Blockers, corridor: BaseGeometry, grown_mm: float
) -> BaseGeometry:
    """Return what the stands near a corridor block, but for the one that looks; where two touch, their gap as well."""
    near = shapely.union_all(_select_near(between.stands, corridor, between.touch_mm + abs(grown_mm)))
    closed = _offset_region(_offset_region(near, between.touch_mm / 2), -between.touch_mm / 2)
    if grown_mm < 0:
        return shapely.difference(_offset_region(closed, grown_mm), eye.stand)
    others = shapely.union_all(_simplify_parts(shapely.difference(closed, eye.stand)))
    return _offset_region(others, grown_mm)


def _select_near(outlines: _Polygons, corridor: BaseGeometry, within_mm: float) -> _Polygons:
    return outlines[shapely.dwithin(outlines, corridor, max(within_mm, 0.0))] if len(outlines) else outlines


def _build_half_plane(edge: ViewingEdge, forward_mm: float) -> shapely.Polygon:
    """Return what lies before an edge that is moved forward, as far as any table reaches."""
    (x, y), (u, v) = edge.first, edge.last
    length = math.hypot(u - x, v - y)
    along = np.array(((u - x) / length, (v - y) / length))
    ahead = np.array((along[1], -along[0]))
    start = np.array((x, y)) + forward_mm * ahead
    left, right = start - _FAR_MM * along, start + _FAR_MM * along
    return shapely.Polygon((left, right, right + _FAR_MM * ahead, left + _FAR_MM * ahead))


def _measure_ahead_mm(edge: ViewingEdge, target: BaseGeometry) -> float:
    """Return how far the foremost point of a target lies before an edge."""
    (x, y), (u, v) = edge.first, edge.last
    ahead = np.array((v - y, x - u)) / math.hypot(u - x, v - y)
    return float(((shapely.get_coordinates(target) - (x, y)) @ ahead).max())


def _offset_region(region: BaseGeometry, mm: float) -> BaseGeometry:
    """Return a region drawn wider, or narrower, its corners kept."""
    return shapely.buffer(region, mm, join_style="mitre") if mm else region


def _simplify_parts(region: BaseGeometry) -> list[shapely.Polygon]:
    """Return the parts of a region, without dust and without corners on straight edges."""
    return [part for part in extract_polygons(shapely.simplify(region, 1e-9)).geoms if part.area > _DUST_MM2]


@lru_cache(maxsize=64)
def _build_base_outline(base: Base) -> BaseGeometry:
    """Return a base as a polygon, in its own frame."""
    parts = decompose_placed(PlacedShape(shape=base, x_mm=0.0, y_mm=0.0))
    return shapely.union_all([circumscribe(part, _CURVE_MM) for part in parts])


def _place_outline(own: BaseGeometry, model: Model) -> BaseGeometry:
    placed = model.place_base()
    cos, sin = math.cos(placed.facing_rad), math.sin(placed.facing_rad)
    turn = np.array(((cos, sin), (-sin, cos)))
    return shapely.transform(own, lambda points: points @ turn + (placed.x_mm, placed.y_mm))


def _find_largest_mm(sigmas_mm: Array) -> float:
    return float(sigmas_mm.max(initial=0.0))
