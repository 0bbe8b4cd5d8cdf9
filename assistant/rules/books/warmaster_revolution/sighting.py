"""Whether a unit sees another (wm-37, wm-38, wm-44), and how surely.

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
from assistant.geometry.convex import Array, placed_parts
from assistant.geometry.glimpse import glimpse
from assistant.geometry.regions import around, polygons
from assistant.geometry.shapes import Base, Placed
from assistant.geometry.sight import Edge
from assistant.rules.books.warmaster_revolution.doubt import Answer, either, every, kept
from assistant.rules.ruling import DECIDED_SIGMAS, ROUNDING_MM
from assistant.rules.scene import Scene

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
class View:
    """What a unit sees of another; None where two sigma leave it open."""

    seen: Answer
    before: Answer
    """Whether any of it lies before an edge that looks, whatever is in between."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Eye:
    """An edge that looks."""

    edge: Edge
    stand: shapely.Polygon
    sigma_mm: float
    free: Answer = True
    """Whether it may look; None if that is in doubt."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Stands:
    """All stands on the table that are no characters."""

    index: dict[str, int]
    outlines: _Polygons
    units: NDArray[Any]
    """The id of the unit of each."""
    sigmas_mm: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Between:
    """What may stand in the way: stands of both sides, which err, and terrain, which does not."""

    stands: _Polygons
    terrain: _Polygons
    touch_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Against:
    """How much is taken against sight."""

    front_mm: float = 0.0
    stands_mm: float = 0.0
    terrain_mm: float = 0.0

    def turned(self) -> "_Against":
        """Return as much in favour of sight."""
        return _Against(front_mm=-self.front_mm, stands_mm=-self.stands_mm, terrain_mm=-self.terrain_mm)


@lru_cache(maxsize=256)
def view(scene: Scene, unit: str, other: str, *, all_round: bool, touch_mm: float) -> View:
    """Return whether a unit sees another one, both being on the table and no characters.

    Args:
        scene: where everybody stands.
        unit: the id of the unit that looks, from the front edges of its stands.
        other: the id of the unit that is looked at.
        all_round: whether it looks from every edge along which no other stand touches it, too.
        touch_mm: how near to each other stands touch.

    """
    stands = _stands(scene)
    theirs = stands.units == other
    target, target_mm = shapely.union_all(stands.outlines[theirs]), _most(stands.sigmas_mm[theirs])
    others_mm = _most(stands.sigmas_mm[~theirs])
    between = _Between(stands=stands.outlines[~theirs], terrain=_terrain(scene.state.terrain), touch_mm=touch_mm)
    seen, before = set[Answer](), set[Answer]()
    for eye in _eyes(stands, scene.state.unit(unit), all_round=all_round, touch_mm=touch_mm):
        ends_mm = DECIDED_SIGMAS * max(eye.sigma_mm, target_mm)
        against = _Against(
            front_mm=DECIDED_SIGMAS * math.hypot(eye.sigma_mm, target_mm),
            stands_mm=math.hypot(ends_mm, DECIDED_SIGMAS * others_mm),
            terrain_mm=ends_mm,
        )
        ahead = kept(_ahead_mm(eye.edge, target), math.hypot(eye.sigma_mm, target_mm))
        before.add(ahead)
        if ahead is not False:
            sees = _sees(eye, target, between, against)
            seen.add(None if sees and eye.free is None else sees)
        if True in seen:
            break
    return View(seen=either(seen), before=either(before))


def edges(model: Model) -> tuple[Edge, ...]:
    """Return the edges of a stand where it stands, the front one first, each with its front to its right.

    Of a base that is no rectangle they are those of the box around it.
    """
    left, low, right, high = _own(model.base).bounds
    box = shapely.LinearRing(((right, low), (right, high), (left, high), (left, low)))
    points = [(float(x), float(y)) for x, y in shapely.get_coordinates(_at(box, model))]
    return tuple(Edge(first=first, last=last) for first, last in pairwise(points))


@lru_cache(maxsize=1024)
def outline(model: Model) -> BaseGeometry:
    """Return the base of a model where it stands, as a polygon."""
    return _at(_own(model.base), model)


# -- who looks, and what is in the way


@lru_cache(maxsize=8)
def _stands(scene: Scene) -> _Stands:
    units = [scene.state.units[owner] for owner in scene.owners]
    places = [at for at, unit in enumerate(units) if unit.profile.get("troop") != "character"]
    models = [scene.models[at] for at in places]
    return _Stands(
        index={model.id: at for at, model in enumerate(models)},
        outlines=np.array([outline(model) for model in models], dtype=object),
        units=np.array([units[at].id for at in places], dtype=object),
        sigmas_mm=scene.sigmas_mm[places],
    )


@lru_cache(maxsize=8)
def _terrain(terrain: tuple[Terrain, ...]) -> _Polygons:
    """Return the outlines of terrain that blocks sight."""
    blocking = [shapely.Polygon(each.outline_mm) for each in terrain if each.traits.isdisjoint(SEEN_OVER)]
    return np.array(blocking, dtype=object)


def _eyes(stands: _Stands, unit: Unit, *, all_round: bool, touch_mm: float) -> Iterator[_Eye]:
    """Yield the edges that look: all fronts, and those of the others that are free or may be."""
    models = [model for model in unit.models if model.id in stands.index]
    for edge_from in range(4 if all_round else 1):
        for model in models:
            at = stands.index[model.id]
            edge, sigma_mm = edges(model)[edge_from], float(stands.sigmas_mm[at])
            free = edge_from == 0 or _is_free(stands, at, edge, touch_mm)
            if free is not False:
                yield _Eye(edge=edge, stand=stands.outlines[at], sigma_mm=sigma_mm, free=free)


def _is_free(stands: _Stands, at: int, edge: Edge, touch_mm: float) -> Answer:
    """Return whether no other stand touches an edge; one that touches only its end stands beside it."""
    line = shapely.LineString((edge.first, edge.last))
    beside_mm = min(2 * touch_mm, line.length / 3)
    inner = shapely.LineString((line.interpolate(beside_mm), line.interpolate(line.length - beside_mm)))
    apart_mm = np.delete(shapely.distance(inner, stands.outlines), at) - touch_mm - 2 * ROUNDING_MM
    sigmas_mm = np.delete(np.hypot(stands.sigmas_mm, stands.sigmas_mm[at]), at)
    return every(kept(mm, sigma_mm) for mm, sigma_mm in zip(apart_mm.tolist(), sigmas_mm.tolist(), strict=True))


# -- along which lines


def _sees(eye: _Eye, target: BaseGeometry, between: _Between, against: _Against) -> Answer:
    if _open(eye, target, between, against, plainly=True):
        return True
    if not _open(eye, target, between, against.turned()):
        return False
    return True if against == _Against() or _open(eye, target, between, against) else None


def _open(eye: _Eye, target: BaseGeometry, between: _Between, against: _Against, *, plainly: bool = False) -> bool:
    """Return whether some line is free; ``plainly``, only whether one of a few that are tried first is."""
    before = shapely.intersection(target, _half_plane(eye.edge, against.front_mm - ROUNDING_MM))
    if before.is_empty:
        return False
    line = shapely.LineString((eye.edge.first, eye.edge.last))
    if plainly:
        return _plainly_open(eye, line, before, between, against)
    corridor = shapely.convex_hull(shapely.union(before, line))
    blocked = shapely.union(
        _stands_between(eye, between, corridor, against.stands_mm),
        _drawn(shapely.union_all(_near(between.terrain, corridor, against.terrain_mm)), against.terrain_mm),
    )
    return glimpse(line, before, blocked) is not None


def _plainly_open(
    eye: _Eye, line: shapely.LineString, before: BaseGeometry, between: _Between, against: _Against
) -> bool:
    """Return whether one of a few lines is well clear of everything: mostly one is, and no more need be asked."""
    stands = between.stands[[stand is not eye.stand for stand in between.stands]]
    rays = shapely.shortest_line(shapely.line_interpolate_point(line, _PLACES, normalized=True), before)
    clear = (shapely.distance(stands[:, None], rays) > between.touch_mm + max(against.stands_mm, 0.0)).all(axis=0)
    clear &= (shapely.distance(between.terrain[:, None], rays) > max(against.terrain_mm, 0.0)).all(axis=0)
    return bool(clear.any())


def _stands_between(eye: _Eye, between: _Between, corridor: BaseGeometry, grown_mm: float) -> BaseGeometry:
    """Return what the stands near a corridor block, but for the one that looks; where two touch, their gap as well."""
    near = shapely.union_all(_near(between.stands, corridor, between.touch_mm + abs(grown_mm)))
    closed = _drawn(_drawn(near, between.touch_mm / 2), -between.touch_mm / 2)
    if grown_mm < 0:
        return shapely.difference(_drawn(closed, grown_mm), eye.stand)
    others = shapely.union_all(_whole(shapely.difference(closed, eye.stand)))
    return _drawn(others, grown_mm)


def _near(outlines: _Polygons, corridor: BaseGeometry, within_mm: float) -> _Polygons:
    return outlines[shapely.dwithin(outlines, corridor, max(within_mm, 0.0))] if len(outlines) else outlines


def _half_plane(edge: Edge, forward_mm: float) -> shapely.Polygon:
    """Return what lies before an edge that is moved forward, as far as any table reaches."""
    (x, y), (u, v) = edge.first, edge.last
    length = math.hypot(u - x, v - y)
    along = np.array(((u - x) / length, (v - y) / length))
    ahead = np.array((along[1], -along[0]))
    start = np.array((x, y)) + forward_mm * ahead
    left, right = start - _FAR_MM * along, start + _FAR_MM * along
    return shapely.Polygon((left, right, right + _FAR_MM * ahead, left + _FAR_MM * ahead))


def _ahead_mm(edge: Edge, target: BaseGeometry) -> float:
    """Return how far the foremost point of a target lies before an edge."""
    (x, y), (u, v) = edge.first, edge.last
    ahead = np.array((v - y, x - u)) / math.hypot(u - x, v - y)
    return float(((shapely.get_coordinates(target) - (x, y)) @ ahead).max())


def _drawn(region: BaseGeometry, mm: float) -> BaseGeometry:
    """Return a region drawn wider, or narrower, its corners kept."""
    return shapely.buffer(region, mm, join_style="mitre") if mm else region


def _whole(region: BaseGeometry) -> list[shapely.Polygon]:
    """Return the parts of a region, without dust and without corners on straight edges."""
    return [part for part in polygons(shapely.simplify(region, 1e-9)).geoms if part.area > _DUST_MM2]


@lru_cache(maxsize=64)
def _own(base: Base) -> BaseGeometry:
    """Return a base as a polygon, in its own frame."""
    parts = placed_parts(Placed(shape=base, x_mm=0.0, y_mm=0.0))
    return shapely.union_all([around(part, _CURVE_MM) for part in parts])


def _at(own: BaseGeometry, model: Model) -> BaseGeometry:
    placed = model.placed()
    cos, sin = math.cos(placed.facing_rad), math.sin(placed.facing_rad)
    turn = np.array(((cos, sin), (-sin, cos)))
    return shapely.transform(own, lambda points: points @ turn + (placed.x_mm, placed.y_mm))


def _most(sigmas_mm: Array) -> float:
    return float(sigmas_mm.max(initial=0.0))
