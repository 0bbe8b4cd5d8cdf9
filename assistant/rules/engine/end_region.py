"""End regions: where a base may end, by the constraints that the verdict is given by, as a region of its centre.

At one height and facing it is what can be reached and keeps what holds where a base ends; then over all heights, and
with other facings where the present one does not do.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, compress
from typing import Literal

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Table, Terrain
from assistant.geometry.orientation.facing_constraints import build_obstacle_constraint
from assistant.geometry.orientation.facing_search import FacingRange, FacingRegion, search_facings
from assistant.geometry.orientation.separation import find_turn_mm
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import decompose_placed, find_bounding_disc, outer_radius_mm
from assistant.geometry.shapes.overlays import intersect, subtract, unite
from assistant.geometry.shapes.polygons import circumscribe, extract_polygons, unite_polygons
from assistant.geometry.shortest_path.obstacles import Flags
from assistant.geometry.shortest_path.tangents import Box
from assistant.rules.constraints.base import ConstraintSet
from assistant.rules.engine.minkowski_regions import DRAWN_MM, drop_repeated, find_kept_out
from assistant.rules.engine.reachability import (
    ERROR_MM,
    end_at_level,
    find_free_box,
    find_reachable_places,
    find_straight_places,
    list_levels,
    merge_ranges,
)
from assistant.rules.engine.terrain import Level, draw_outline
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import DECIDED_SIGMAS, Outcome

KeptClear = tuple[tuple[PlacedShape, float], ...]
"""Shapes, and how wide the gap to each is to be."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EndLevel:
    """Where a base may end at one height as it is turned, and what that is cut out of."""

    level: Level
    clipped: BaseGeometry
    """The places where it stands on something, on the table."""
    uncut: BaseGeometry
    """Those of them where it is clear of all but models of its own unit."""
    own: KeptClear
    """The models of its own unit that it is to be clear of."""
    places: BaseGeometry

    @cached_property
    def polygons(self) -> shapely.MultiPolygon:
        """The part of the places that has an area."""
        return extract_polygons(self.places)


def find_end_places(places: BaseGeometry, constraints: ConstraintSet, walk: Walk, level: Level) -> BaseGeometry:
    """Return the part of some places where the base keeps beyond doubt what holds where it ends."""
    return _find_end_level(places, constraints, walk, level).places


def _find_end_level(places: BaseGeometry, constraints: ConstraintSet, walk: Walk, level: Level) -> EndLevel:
    pose, base = walk.end, walk.model.base
    doubt = DECIDED_SIGMAS * pose.sigma_mm
    box = find_free_box(constraints, walk.state.table, base, pose.facing_rad, doubt)
    if box[0] > box[2] or box[1] > box[3]:
        nowhere = shapely.Polygon()
        return EndLevel(level=level, clipped=nowhere, uncut=nowhere, own=(), places=nowhere)
    top = None if level.top_of is None else find_top_places(level.top_of, constraints, doubt)
    clipped = _clip_places(places, box, top)
    others, own = list_kept_clear(constraints, walk, level, clipped)
    uncut = _cut_out_others(clipped, base, _find_facing_rad(walk), others)
    kept = _cut_out_mates(uncut, constraints, walk, own)
    return EndLevel(level=level, clipped=clipped, uncut=uncut, own=own, places=kept)


def _cut_out_mates(uncut: BaseGeometry, constraints: ConstraintSet, walk: Walk, own: KeptClear) -> BaseGeometry:
    places = _cut_out(uncut, walk.model.base, _find_facing_rad(walk), own)
    for rule in constraints:
        if not places.is_empty:
            places = rule.narrow_end(walk, places)
    return places


def _find_facing_rad(walk: Walk) -> float:
    return 0.0 if isinstance(walk.model.base, Round) else walk.end.facing_rad


def _clip_places(places: BaseGeometry, box: Box, top: BaseGeometry | None) -> BaseGeometry:
    """Return the part of some places in a box, and on top of what is stood on."""
    if places.is_empty:
        return places
    left, low, right, high = places.bounds
    if left < box[0] or low < box[1] or right > box[2] or high > box[3]:
        within = max(left - 1.0, box[0]), max(low - 1.0, box[1]), min(right + 1.0, box[2]), min(high + 1.0, box[3])
        places = extract_polygons(shapely.intersection(places, shapely.box(*within)))
    if top is None or top.is_empty:
        return places if top is None else top
    left, low, right, high = top.bounds  # cut to a little more than that at first, which costs next to nothing
    about = shapely.clip_by_rect(places, left - 1.0, low - 1.0, right + 1.0, high + 1.0)
    return about if about.is_empty else extract_polygons(intersect(about, top))


def _cut_out(places: BaseGeometry, base: Base, facing_rad: float, kept_clear: KeptClear) -> BaseGeometry:
    """Return the part of some places where a base is clear of shapes, each by its range."""
    if places.is_empty or not kept_clear:
        return places
    asked = shapely.force_2d(places)  # a copy: the index that is made for it would be kept with the places
    shapely.prepare(asked)
    near = compress(kept_clear, _may_take(asked, base, kept_clear))
    taken = np.array([each for other, range_mm in near for each in _find_taken(base, facing_rad, other, range_mm)])
    taken = taken[shapely.intersects(asked, taken)] if len(taken) else taken
    return shapely.difference(places, unite_polygons(taken.tolist())) if len(taken) else places


def _may_take(places: BaseGeometry, base: Base, kept_clear: KeptClear) -> Flags:
    """Return which shapes may be too near somewhere among places, from the squares around them."""
    discs = [find_bounding_disc(other) for other, _ in kept_clear]
    middles = np.array([middle for middle, _ in discs])
    half_mm = np.array([mm + max(range_mm, 0.0) for (_, mm), (_, range_mm) in zip(discs, kept_clear, strict=True)])
    half_mm += outer_radius_mm(base) + ERROR_MM
    x, y = middles.real, middles.imag
    squares = shapely.box(x - half_mm, y - half_mm, x + half_mm, y + half_mm)
    return np.asarray(shapely.intersects(places, squares))


@lru_cache(maxsize=128)
def _cut_out_others(places: BaseGeometry, base: Base, facing_rad: float, kept_clear: KeptClear) -> BaseGeometry:
    """Return what `_cut_out` does: while one model of a unit is moved by hand the rest of the table stays as it is."""
    return _cut_out(places, base, facing_rad, kept_clear)


@lru_cache(maxsize=1024)
def _find_taken(base: Base, facing_rad: float, other: PlacedShape, range_mm: float) -> tuple[shapely.Polygon, ...]:
    """Return what is cut out around another shape: the models of a unit have most of it in common."""
    return tuple(circumscribe(each, DRAWN_MM) for each in find_kept_out(base, facing_rad, other, range_mm))


def find_top_places(terrain: Terrain, constraints: ConstraintSet, doubt_mm: float) -> BaseGeometry:
    """Return the places of a base's centre at which it stands on terrain beyond doubt."""
    outline = draw_outline(terrain)
    by_height = any(rule.is_top_by_height() for rule in constraints)
    return outline.buffer(-doubt_mm) if doubt_mm > 0 and not by_height else outline


def list_kept_clear(
    constraints: ConstraintSet, walk: Walk, level: Level, places: BaseGeometry
) -> tuple[KeptClear, KeptClear]:
    """Return what is to be kept clear of beyond doubt somewhere among places, and then models of the same unit."""
    if places.is_empty:
        return (), ()
    scene, bounds = walk.scene, shapely.box(*places.bounds)
    blocked = [each for rule in constraints if (each := rule.block_end(walk, level, bounds)) is not None]
    ranges = merge_ranges(scene, (each.models for each in blocked))
    mates = {mate.id for mate in walk.unit.models}
    models = [(scene.models[k], float(ranges[k])) for k in np.flatnonzero(np.isfinite(ranges)).tolist()]
    others, own = (
        [(model.place_base(), range_mm) for model, range_mm in models if (model.id in mates) == is_mate]
        for is_mate in (False, True)
    )
    shapes = drop_repeated([*others, *(shape for each in blocked for shape in each.shapes)])
    return tuple(shapes), tuple(drop_repeated(own))


def refine_turned_places(
    constraints: ConstraintSet, walk: Walk, level: Level, limit_mm: float | None, places: BaseGeometry
) -> Iterator[FacingRegion]:
    """Yield at which of some places the base may end at some facing: first what is told at once, then more and more."""
    pose, base = walk.end, walk.model.base
    if level.top_of is not None:
        on_top = find_top_places(level.top_of, constraints, DECIDED_SIGMAS * pose.sigma_mm)
        places = extract_polygons(intersect(places, on_top))
    for rule in constraints:
        places = rule.narrow_turned_end(walk, places)
    if places.is_empty:
        return
    others = chain(*list_kept_clear(constraints, walk, level, places))
    legal = build_obstacle_constraint(
        base, [part.grow(range_mm) for other, range_mm in others for part in decompose_placed(other)]
    )
    for rule in sorted(constraints, key=lambda rule: rule.facing_rank):
        turned = rule.build_facing_constraint(walk, limit_mm)
        legal = legal if turned is None else legal.combine(turned)
    by_part = any(limit.by_part for limit in constraints.list_way_limits())
    half = math.pi / 2 if isinstance(base, Oval | Rect) and not by_part else math.pi
    facings = FacingRange(middle_rad=pose.facing_rad, half_rad=half, turn_mm=find_turn_mm(base))
    yield from search_facings(legal, places, facings)


Facing = Literal["any", "keep"]


@dataclass(frozen=True, kw_only=True, eq=False)
class EndRegion:
    """Places of a base's centre."""

    parts: Sequence[BaseGeometry]
    """Some of the places each."""
    error_mm: float = ERROR_MM
    levels: tuple[EndLevel, ...] = ()
    """Of the facing that it has, what the region was made of."""

    @cached_property
    def places(self) -> shapely.MultiPolygon:
        """All of the places."""
        return extract_polygons(unite_polygons([part for each in self.parts for part in shapely.get_parts(each)]))


def find_end_region(constraints: ConstraintSet, walk: Walk, limit_mm: float | None, facing: Facing) -> EndRegion:
    """Return the last of what `refine_end_region` yields."""
    *_, last = refine_end_region(constraints, walk, limit_mm, facing)
    return last


def refine_end_region(
    constraints: ConstraintSet,
    walk: Walk,
    limit_mm: float | None,
    facing: Facing,
    before: Sequence[EndRegion] = (),
) -> Iterator[EndRegion]:
    """Yield where a model may end beyond doubt, on the ground or on top of terrain; each region holds the one before.

    Args:
        constraints: what holds; one that binds the unit as a whole is asked with the others standing where they do.
        walk: its path is the pose that the model starts from.
        limit_mm: the allowance; None for a model that is put anywhere.
        facing: ``keep`` for the present facing; ``any`` for some facing at which the base may end there.
        before: where it is known that it may, so that other facings need not be looked for.

    """
    levels = list(list_levels(constraints, walk, limit_mm)) if _do_others_keep(constraints, walk) else []
    turned_mm = _find_turned_limit_mm(constraints, limit_mm)
    turns = facing == "any" and not isinstance(walk.model.base, Round) and (turned_mm is None or turned_mm >= 0)
    diagonal_mm = measure_diagonal_mm(walk.state.table)
    if facing == "any" and levels and limit_mm is not None:
        way = end_at_level(walk, levels[0])
        soon = find_end_places(find_straight_places(constraints, way, limit_mm), constraints, way, levels[0])
        if not soon.is_empty:
            yield EndRegion(parts=(extract_polygons(soon),), error_mm=diagonal_mm)
    found, others = list[EndLevel](), list[tuple[Walk, Level, BaseGeometry]]()
    for level in levels:
        if found:
            yield _join_regions(found, (), diagonal_mm)
        way = end_at_level(walk, level)
        reached = find_reachable_places(constraints, way, limit_mm, level.top_of)
        found.append(_find_end_level(reached, constraints, way, level))
        if turns:
            turned = (
                reached if turned_mm == limit_mm else find_reachable_places(constraints, way, turned_mm, level.top_of)
            )
            others.append((way, level, turned))
    searches = list[Iterator[FacingRegion]]()
    if others:
        yield _join_regions(found, (), diagonal_mm)
        known = unite([part for region in (*before, _join_regions(found)) for part in region.parts])
        searches += (
            refine_turned_places(constraints, way, level, turned_mm, extract_polygons(subtract(turned, known)))
            for way, level, turned in others
        )
    last: dict[int, FacingRegion] = {}
    while going := {number: region for number, each in enumerate(searches) if (region := next(each, None)) is not None}:
        last |= going
        yield _join_regions(found, tuple(last.values()))
    if not last:
        yield _join_regions(found)


def _join_regions(
    found: Sequence[EndLevel], turned: Sequence[FacingRegion] = (), least_error_mm: float = ERROR_MM
) -> EndRegion:
    return EndRegion(
        parts=[*(each.polygons for each in found), *(each.inner for each in turned)],
        error_mm=max([least_error_mm, *(each.error_mm for each in turned)]),
        levels=tuple(found),
    )


def follow_end_region(
    region: EndRegion, constraints: ConstraintSet, walk: Walk, moved: Sequence[PlacedShape]
) -> EndRegion | None:
    """Return a region once models of the same unit stand elsewhere; None where all of it is to be found again.

    Args:
        region: what was found by the same constraints for the same way, at the facing that the base has.
        constraints: what holds.
        walk: the way, among the models where they stand now.
        moved: those that moved, each where it stood and where it stands.

    """
    ranges_mm = [rule.find_mate_range_mm(walk) for rule in constraints]
    within_mm = max(ranges_mm, default=-math.inf)
    if within_mm == math.inf:
        return None
    about = ConstraintSet(rule for rule, mm in zip(constraints, ranges_mm, strict=True) if mm > -math.inf)
    unit = replace(walk, scene=walk.scene.keep_unit(walk.unit))
    followed = list[EndLevel]()
    for known in region.levels:
        if _is_near(known.clipped, walk.model.base, within_mm, moved):
            way = end_at_level(walk, known.level)
            _, own = list_kept_clear(about, replace(way, scene=unit.scene), known.level, known.clipped)
            if own != known.own:
                kept = _cut_out_mates(known.uncut, constraints, way, own)
                followed.append(replace(known, own=own, places=kept))
                continue
        followed.append(known)
    changed = any(now is not then for now, then in zip(followed, region.levels, strict=True))
    return _join_regions(followed) if changed else region


def _is_near(places: BaseGeometry, base: Base, within_mm: float, others: Sequence[PlacedShape]) -> bool:
    """Return whether a base somewhere among places may be within a range of others, from the box around the places."""
    if places.is_empty or within_mm == -math.inf:
        return False
    left, near, right, far = places.bounds
    return any(
        math.hypot(max(left - at.x_mm, at.x_mm - right, 0.0), max(near - at.y_mm, at.y_mm - far, 0.0))
        <= within_mm + outer_radius_mm(base) + outer_radius_mm(at.shape)
        for at in others
    )


def measure_diagonal_mm(table: Table) -> float:
    """Return how long the diagonal of a table is: nothing that is left out of a region is wider."""
    return math.hypot(table.width_mm, table.depth_mm)


def _find_turned_limit_mm(constraints: ConstraintSet, limit_mm: float | None) -> float | None:
    """Return what is left of an allowance for one who turns."""
    price_mm = max((limit.turn_mm for limit in constraints.list_way_limits()), default=0.0)
    return None if limit_mm is None else limit_mm - price_mm


def find_region_at_level(
    constraints: ConstraintSet,
    walk: Walk,
    level: Level,
    limit_mm: float | None,
) -> shapely.MultiPolygon:
    """Return where a model may end beyond doubt at one height, with the facing that it has."""
    way = end_at_level(walk, level)
    reached = find_reachable_places(constraints, way, limit_mm, level.top_of)
    return extract_polygons(find_end_places(reached, constraints, way, level))


def _do_others_keep(constraints: ConstraintSet, walk: Walk) -> bool:
    """Return whether the unit's other models, where they stand, keep what holds for them, too."""
    mates = [(mate, mate.pose) for mate in walk.unit.models if mate.pose is not None and mate.id != walk.model.id]
    standing = [
        Walk(scene=walk.scene, unit=walk.unit, model=mate, path=(at,), observed=True, say=walk.say)
        for mate, at in mates
    ]
    return all(finding.outcome is Outcome.LEGAL for each in standing for finding in constraints.check_unmoved(each))
