"""Forbidden terrain: terrain that no part of a base may be over."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import shapely

from assistant.game.state import Terrain
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.motion.contact import ProximityZone
from assistant.geometry.shapes.convex import outer_radius_mm
from assistant.rules.constraints.base import BlockedEnd, BlockedWay, Constraint, ConstraintSet, Passage
from assistant.rules.engine.approach import ApproachTarget, NearestApproach, measure_approaches, measure_start_within_mm
from assistant.rules.engine.terrain import (
    Level,
    bound_distances_mm,
    build_outline,
    draw_outline,
    find_terrain_on_path,
)
from assistant.rules.engine.walk import Walk
from assistant.rules.selectors import TerrainSelector
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, TIED_MM, Finding, Outcome, build_finding, find_gravest


@dataclass(frozen=True, slots=True, kw_only=True)
class ForbiddenTerrain(Constraint):
    """No part of a base over certain terrain; touching it is allowed."""

    rule: str
    terrain: TerrainSelector
    on_the_way: bool
    """Holds all along the path, else only where it ends."""
    leaving: bool = False
    """One who starts over it may leave it, and may go no deeper; to end over it is forbidden."""
    unless_starting: bool = False
    """Not asked about a piece that the way starts over."""

    stands_by_itself: ClassVar[bool] = True

    def check(self, walk: Walk, _rules: ConstraintSet, /) -> Iterator[Finding]:
        """Yield what the terrain comes to that a model is deepest in or nearest to."""
        gravest = find_gravest(_check_nearest_terrain(self, walk))
        if gravest is not None:
            yield gravest

    def surely_holds(self, walk: Walk, /) -> bool:
        """Return whether none of it is near."""
        return not any(map(self.terrain, walk.scene.near_terrain[walk.scene.index[walk.model.id]]))

    def holds_on_leg(self, *, seen: bool) -> bool:  # noqa: ARG002  # of either
        """Return whether it holds all along a path."""
        return self.on_the_way

    def block_way(self, passage: Passage, /) -> BlockedWay | None:
        """Return the terrain within reach of the start."""
        if not self.on_the_way:
            return None
        start, extent_mm = passage.ends[0], outer_radius_mm(passage.body)
        place = shapely.Point(start.x_mm, start.y_mm)
        near = [
            terrain
            for terrain in self._select_terrain(passage.walk)
            if draw_outline(terrain).distance(place) - extent_mm < passage.within_mm
        ]
        return BlockedWay(shapes=[(build_outline(terrain), 0.0) for terrain in near])

    def block_end(self, walk: Walk, _level: Level, bounds: shapely.Polygon, /) -> BlockedEnd:
        """Return the terrain within reach."""
        reach, doubt_mm = outer_radius_mm(walk.model.base), DECIDED_SIGMAS * walk.end.sigma_mm
        near = [terrain for terrain in self._select_terrain(walk) if bounds.distance(draw_outline(terrain)) <= reach]
        return BlockedEnd(shapes=[(build_outline(terrain), doubt_mm) for terrain in near])

    def find_mate_range_mm(self, _walk: Walk, /) -> float:
        """Return that it is about no models."""
        return -math.inf

    def list_contact_zones(self, walk: Walk, /, *, on_the_way: bool) -> Iterator[ProximityZone]:
        """Yield the terrain that a path may come to."""
        if self.on_the_way == on_the_way:
            for terrain in find_terrain_on_path(walk, filter(self.terrain, walk.state.terrain)):
                yield ProximityZone(other=build_outline(terrain))

    def _select_terrain(self, walk: Walk) -> list[Terrain]:
        """Return the terrain that a way is asked about."""
        return [
            terrain
            for terrain in filter(self.terrain, walk.state.terrain)
            if not (self.unless_starting and starts_over(walk, terrain))
        ]


def _check_nearest_terrain(rule: ForbiddenTerrain, walk: Walk) -> Iterator[Finding]:
    doubt = walk.detail.measured_sigmas * max(pose.sigma_mm for pose in walk.path)
    least = math.inf if walk.everything else -math.inf
    asked_mm = math.inf if walk.everything else doubt + TIED_MM  # what it is clear of need not be told
    features: Iterable[Terrain] = filter(rule.terrain, walk.state.terrain)
    if not walk.everything:
        features = find_terrain_on_path(walk, features, walk.detail.sigmas)
    floors = bound_distances_mm(walk, features)
    for floor, terrain in sorted(floors, key=lambda entry: entry[0]):
        if floor > max(least, doubt):
            return
        thing = ApproachTarget(placed=build_outline(terrain))
        if rule.unless_starting and starts_over(walk, terrain):
            continue
        start_mm = measure_start_within_mm(walk, thing) if rule.leaving else None
        for leg in walk.list_legs(on_the_way=rule.on_the_way):
            for approach in measure_approaches(walk, leg, thing, start_mm, asked_mm):
                least = min(least, approach.gap.mm)
                found = _build_approach_finding(rule, walk, terrain, approach)
                if found.outcome is Outcome.ILLEGAL:
                    asked_mm = min(asked_mm, approach.margin_mm + TIED_MM)
                yield found


def starts_over(walk: Walk, terrain: Terrain) -> bool:
    """Return whether a way starts over terrain, or may."""
    start = replace(walk, path=walk.path[:1])
    asked_mm = DECIDED_SIGMAS * start.end.sigma_mm - ROUNDING_MM
    if next(bound_distances_mm(start, (terrain,)))[0] >= asked_mm:
        return False
    return clearance(walk.place_base(start.end), build_outline(terrain)).mm < asked_mm


def _build_approach_finding(rule: ForbiddenTerrain, walk: Walk, terrain: Terrain, approach: NearestApproach) -> Finding:
    model, gap, verb = walk.model.id, approach.gap, approach.verb

    def text(outcome: Outcome) -> str:
        match outcome:
            case Outcome.LEGAL:
                return f"{model} {verb} {walk.say(max(gap.mm, 0.0), 2)} clear of {terrain.id}"
            case Outcome.TOO_CLOSE:
                return f"{model} {verb} so near to {terrain.id} that it is too close to call whether it is clear of it"
            case _:
                where = "through" if verb == "passes" else "in"
                return f"{model} {verb} {where} {terrain.id} by {walk.say(-gap.mm, 2)}; nobody may"

    return build_finding(
        rule.rule,
        (model, terrain.id),
        measured_mm=gap.mm,
        limit_mm=0.0,
        margin_mm=approach.margin_mm,
        sigma_mm=approach.sigma_mm,
        witness_mm=(gap.near, gap.far),
        text=text,
    )
