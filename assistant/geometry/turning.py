"""Where a base that is free to turn can go, as an inner and an outer region.

The length of a way is that of the centre; turning is free, where there is room.  Inner: ways that are legal throughout
are put together from pieces with a kept facing, one of some facings all round, and turns on the spot from one of these
facings to the next.  The base turns at the start; then, again and again, at the places from which the greatest part
that is missing may be come to.  Outer: a base covers its inscribed disc however it turns, so it comes no further than
the disc, and only to places where some facing is legal and to which such places lead.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.clearance import Point
from assistant.geometry.convex import Convex, convex_parts, inner_radius_mm, outer_radius_mm
from assistant.geometry.extent import extent
from assistant.geometry.facing import ERROR_MM, Legality, some_facing, width_mm
from assistant.geometry.field import Field, field_of
from assistant.geometry.legality import clear_of, on_table
from assistant.geometry.lines import Box
from assistant.geometry.reach import Reach, outside, reach, reach_region, shortest_route, without_ellipses
from assistant.geometry.regions import polygons
from assistant.geometry.shapes import Base, Oval, Placed, Rect, Round
from assistant.geometry.slices import covers_sometime

_WAY_MM = 0.5
"""How far the polygon that stands for an oval on its way may lie outside of it."""
_FINE_MM = 0.01
"""The same for the facing at the start: so far, it may enter what it touches there."""
_SLACK_MM = 0.05
_GRID = 9
"""How many places a side are asked for room to turn, within two lengths of the base."""
_FEW = 16
"""The outer region asks at least so many facings at first."""
_LEAST_MM2 = 20.0
"""Smaller missing parts are let be."""
_SIDES = np.array([(-1.0, 0.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0)])
_STEP_MM = 5.0
"""How close the places are, along the disc's way, that are asked whether the base came there."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TurningReach:
    """Where a base that is free to turn can go."""

    inner: shapely.MultiPolygon
    """It certainly comes here, ..."""
    outer: shapely.MultiPolygon
    """... and nowhere else than here."""
    width_mm: float
    """No disc of a greater diameter lies between the two."""
    standing: tuple[tuple[float, BaseGeometry], ...]
    """Facings, and where it can come to stand with them: together the inner region."""

    @property
    def area_mm2(self) -> float:
        """The area between the two regions."""
        return float(shapely.difference(self.outer, self.inner).area)

    def facing_at(self, place: Point) -> float | None:
        """Return a facing with which it can come to stand at a place; None outside of the inner region."""
        point = shapely.Point(place)
        return next((facing for facing, region in self.standing if region.intersects(point)), None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Scene:
    """What ways are looked for in."""

    base: Base
    limit_mm: float
    obstacles: Sequence[Convex]
    table_mm: tuple[float, float]
    legal: Legality
    facings: tuple[float, ...]
    """All round, the first of them the one at the start; the last is followed by the first."""
    fields: tuple[Field, ...]
    """What the centre may not enter, for each facing, ..."""
    boxes: tuple[Box, ...]
    """... and where it keeps the base on the table."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Stretch:
    """Where the base comes from a place with one facing kept."""

    facing: int
    spent_mm: float
    """The length of way to where it begins."""
    reach: Reach


def turning_reach(
    start: Placed, limit_mm: float, obstacles: Sequence[Convex], table_mm: tuple[float, float], *, slices: int = 12
) -> TurningReach:
    """Return where a base that is free to turn can go within a length of way of its centre.

    Exact for round bases, to the error that they are drawn with.  A base that enters an obstacle at the start may leave
    but not go deeper: the obstacle is shrunk so far, or left out.

    Args:
        start: The base where it stands.
        limit_mm: How far its centre may go.
        obstacles: What no part of the base may enter.
        table_mm: Width and depth of the table, all of which the base stays on.
        slices: How many facings ways are looked for with; more cost time and shrink the difference.

    """
    base, place = start.shape, (start.x_mm, start.y_mm)
    near = _left(start, [o for o in obstacles if o.distance(*place)[0] < limit_mm + outer_radius_mm(base)])
    scene = _scene(start, limit_mm, near, table_mm, slices)
    disc = Round(radius_mm=inner_radius_mm(base))
    discs, box = field_of(_grown(disc, 0.0, near, _FINE_MM)), _with(place, _box(disc, 0.0, table_mm))
    within = shapely.buffer(reach_region(place, limit_mm, discs, box), _SLACK_MM)
    if isinstance(base, Round):
        inner = polygons(scene.legal.at(0.0, within.buffer(-_SLACK_MM)))
        return TurningReach(inner=inner, outer=inner, width_mm=0.0, standing=((start.facing_rad, inner),))
    around = scene.facings if len(scene.facings) > _FEW else np.linspace(0, _FEW, _FEW + 1) * _whole(base) / _FEW
    some = some_facing(scene.legal, within, sorted({*around, scene.facings[0] + _whole(base)}))
    outer = _around(place, polygons(shapely.buffer(some.outer, _SLACK_MM)))
    stretches = list(_onward(scene, place, {0: 0.0}))
    standing = [_standing(scene, each) for each in stretches]
    inner = polygons(shapely.union_all([region for _, region in standing]))
    asked: list[Point] = []
    for _ in range(slices):
        missing = _missing(outer, inner, asked)
        if missing is None:
            break
        asked.append(missing)
        way = shortest_route(place, missing, discs, box)
        turns = [] if way is None else _turns(scene, way.points, inner)
        further = [each for turn in turns for each in _onward(scene, turn, _arrivals(stretches, turn))]
        stretches += further
        standing += [_standing(scene, each) for each in further]
        inner = polygons(
            shapely.union_all([inner, *(region for _, region in standing[len(standing) - len(further) :])])
        )
    width = width_mm(shapely.difference(outer, inner), ERROR_MM)
    return TurningReach(inner=inner, outer=outer, width_mm=max(width, ERROR_MM), standing=tuple(standing))


def _whole(base: Base) -> float:
    """Return the turn after which a base covers what it did."""
    return math.pi if isinstance(base, Oval | Rect) else 2 * math.pi


def _left(start: Placed, obstacles: Sequence[Convex]) -> list[Convex]:
    """Return obstacles shrunk until the base no longer enters them; one whose hard core it enters is left out."""
    body = [part.moved(start.x_mm, start.y_mm, start.facing_rad).reflected() for part in convex_parts(start.shape)]
    found = []
    for obstacle in obstacles:
        depth = max(0.0, *(-obstacle.plus(part).distance(0.0, 0.0)[0] for part in body))
        if depth < obstacle.radius_mm or depth == 0:
            found.append(obstacle.grown(-depth))
    return found


def _scene(
    start: Placed, limit_mm: float, near: Sequence[Convex], table_mm: tuple[float, float], slices: int
) -> _Scene:
    base, place = start.shape, (start.x_mm, start.y_mm)
    count = 1 if isinstance(base, Round) else slices
    facings = tuple(start.facing_rad + _whole(base) * k / count for k in range(count))
    boxes = [_box(base, facing, table_mm) for facing in facings]
    return _Scene(
        base=base,
        limit_mm=limit_mm,
        obstacles=near,
        table_mm=table_mm,
        legal=clear_of(base, near).where(on_table(base, *table_mm)),
        facings=facings,
        fields=(
            field_of(outside(_grown(base, facings[0], near, _FINE_MM), (place,))),
            *(field_of(_grown(base, facing, near, _WAY_MM)) for facing in facings[1:]),
        ),
        boxes=(_with(place, boxes[0]), *boxes[1:]),
    )


def _grown(base: Base, facing_rad: float, obstacles: Sequence[Convex], error_mm: float) -> list[Convex]:
    """Return where a base's centre would put it into obstacles, or a little more."""
    body = [without_ellipses(part.moved(0.0, 0.0, facing_rad).reflected(), error_mm) for part in convex_parts(base)]
    return [without_ellipses(obstacle, error_mm).plus(part) for obstacle in obstacles for part in body]


def _box(base: Base, facing_rad: float, table_mm: tuple[float, float]) -> Box:
    at = extent(Placed(shape=base, x_mm=0.0, y_mm=0.0, facing_rad=facing_rad))
    return -at.least_x_mm, -at.least_y_mm, table_mm[0] - at.most_x_mm, table_mm[1] - at.most_y_mm


def _with(place: Point, box: Box) -> Box:
    """Return the least box that holds a box and a place: one who stands over the edge may come back."""
    (x, y), (left, near, right, far) = place, box
    return min(left, x), min(near, y), max(right, x), max(far, y)


def _onward(scene: _Scene, place: Point, spent_mm: dict[int, float]) -> Iterator[_Stretch]:
    """Yield where the base comes from a place, to which it came with some facings, after turning there."""
    for facing, spent in _turned_to(scene, place, spent_mm).items():
        left = scene.limit_mm - spent
        if left > 0:
            (found,) = reach([place], left, scene.fields[facing], scene.boxes[facing])
            yield _Stretch(facing=facing, spent_mm=spent, reach=found)


def _turned_to(scene: _Scene, place: Point, spent_mm: dict[int, float]) -> dict[int, float]:
    """Return the facings that can be turned to at a place, with the way spent."""
    found, count = dict(spent_mm), len(scene.facings)
    roomy = [count > 1 and _may_turn(scene, place, k) for k in range(count)] if found else []
    for facing, spent in sorted(spent_mm.items(), key=lambda item: item[1]):
        for step in (1, -1):
            at = facing
            while roomy[at if step > 0 else at - 1]:
                at = (at + step) % count
                if found.get(at, math.inf) <= spent:
                    break
                found[at] = spent
    return found


def _may_turn(scene: _Scene, place: Point, index: int) -> bool:
    """Return whether there is room at a place for all facings from one to the next."""
    low = scene.facings[index]
    bodies = covers_sometime(scene.base, low, low + _whole(scene.base) / len(scene.facings))
    sides = np.max([body.support(_SIDES) for body in bodies], axis=0)
    if min(*(np.array(place) - sides[:2]), *(np.array(scene.table_mm) - place - sides[2:])) < 0:
        return False
    reach_mm = outer_radius_mm(scene.base)
    near = [o for o in scene.obstacles if o.distance(*place)[0] < 2 * reach_mm]
    return all(o.plus(body.reflected()).distance(*place)[0] >= 0 for o in near for body in bodies)


def _standing(scene: _Scene, stretch: _Stretch) -> tuple[float, BaseGeometry]:
    facing = scene.facings[stretch.facing]
    return facing, scene.legal.at(facing, stretch.reach.region)


def _arrivals(stretches: Sequence[_Stretch], place: Point) -> dict[int, float]:
    """Return the facings with which the base comes to a place, and the least way spent."""
    spent: dict[int, float] = {}
    for each in stretches:
        mm = each.spent_mm + float(each.reach.distances_mm(np.array([place]))[0])
        if mm < spent.get(each.facing, math.inf):
            spent[each.facing] = mm
    return spent


def _around(place: Point, region: shapely.MultiPolygon) -> shapely.MultiPolygon:
    """Return the parts of a region that a place lies in: no way leads from one part to another."""
    return shapely.MultiPolygon([part for part in region.geoms if part.intersects(shapely.Point(place))])


def _missing(outer: BaseGeometry, inner: BaseGeometry, asked: Sequence[Point]) -> Point | None:
    """Return a place well within the greatest missing part, but for places that have been asked for."""
    parts = sorted(shapely.get_parts(shapely.difference(outer, inner)), key=lambda part: -part.area)
    for part in parts:
        if part.area < _LEAST_MM2:
            break
        x, y = shapely.get_coordinates(shapely.maximum_inscribed_circle(part))[0].tolist()
        if all(math.dist((x, y), place) > 1 for place in asked):
            return x, y
    return None


def _turns(scene: _Scene, points: Sequence[Point], inner: BaseGeometry) -> list[Point]:
    """Return places to turn at for the sake of a way: where the base came to last, and had most room near its end."""
    way, reach_mm = shapely.LineString(points), outer_radius_mm(scene.base)
    along = shapely.line_interpolate_point(way, np.append(np.arange(0.0, way.length, _STEP_MM), way.length))
    along = along[shapely.intersects(inner, along)]
    steps = np.linspace(-2 * reach_mm, 2 * reach_mm, _GRID)
    near = np.array(shapely.points(np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2) + points[-1]))
    near = near[shapely.intersects(inner, near)]
    near = near[np.argsort(shapely.distance(near, shapely.Point(points[-1])))]
    last, places = ([(x, y) for x, y in shapely.get_coordinates(found).tolist()] for found in (along[-1:], near))
    room = [sum(_may_turn(scene, place, k) for k in range(len(scene.facings))) for place in places]
    return list(dict.fromkeys(last + [places[index] for index in np.argsort(-np.array(room), kind="stable")[:1]]))
