"""Solid terrain: what a model neither goes through nor ends inside of."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import shapely

from assistant.game.state import Pose, Terrain
from assistant.geometry.clearance.shape_clearance import clearance, interpolate_pose, least_clearance
from assistant.geometry.shapes.convex import outer_radius_mm
from assistant.rules.constraints.base import BlockedEnd, Constraint, ConstraintSet
from assistant.rules.engine.terrain import (
    Level,
    build_outline,
    draw_outline,
    find_ground_stretches,
    find_terrain_on_path,
    list_taller_terrain,
    touches_terrain,
)
from assistant.rules.engine.walk import Leg, Walk, interpolate_sigma
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, build_finding, find_gravest


@dataclass(frozen=True, slots=True, kw_only=True)
class SolidTerrain(Constraint):
    """Terrain higher than this is not gone through."""

    rule: str
    free_mm: float
    """Terrain up to this height is moved over as if absent."""
    flies: bool = False
    """A way that starts or ends on terrain goes through the air, and so through nothing."""

    def check(self, walk: Walk, _rules: ConstraintSet, /) -> Iterator[Finding]:
        """Yield that a model went through terrain, or ends inside it."""
        gravest = find_gravest([*_check_end_overlap(self, walk), *_check_passage(self, walk)])
        if gravest is not None:
            yield gravest

    def block_end(self, walk: Walk, level: Level, bounds: shapely.Polygon, /) -> BlockedEnd:
        """Return the terrain that rises above where a model stands."""
        reach, doubt_mm = outer_radius_mm(walk.model.base), DECIDED_SIGMAS * walk.end.sigma_mm
        near = [
            terrain
            for terrain in list_taller_terrain(walk.state, max(self.free_mm, level.z_mm))
            if bounds.distance(draw_outline(terrain)) <= reach
        ]
        return BlockedEnd(shapes=[(build_outline(terrain), doubt_mm) for terrain in near])

    def find_mate_range_mm(self, _walk: Walk, /) -> float:
        """Return that it is about no models."""
        return -math.inf


def _check_end_overlap(rule: SolidTerrain, walk: Walk) -> Iterator[Finding]:
    """Yield that a model ends inside terrain that is higher than where it stands."""
    pose = walk.end
    for terrain in find_terrain_on_path(
        walk, list_taller_terrain(walk.state, max(rule.free_mm, pose.z_mm + ROUNDING_MM))
    ):
        gap = clearance(walk.place_base(pose), build_outline(terrain))
        overlap = build_finding(
            rule.rule,
            (walk.model.id, terrain.id),
            measured_mm=gap.mm,
            limit_mm=0.0,
            margin_mm=gap.mm,
            sigma_mm=pose.sigma_mm,
            witness_mm=(gap.near, gap.far),
            text=partial(_describe_overlap, walk, terrain, gap.mm),
        )
        if overlap.outcome is not Outcome.LEGAL:
            yield overlap


def _describe_overlap(walk: Walk, terrain: Terrain, mm: float, outcome: Outcome) -> str:
    if outcome is Outcome.TOO_CLOSE:
        return f"{walk.model.id} ends so near to {terrain.id} that it is too close to call whether it is inside it"
    return f"{walk.model.id} ends {walk.say(-mm, 2)} inside {terrain.id}, which is solid"


def _check_passage(rule: SolidTerrain, walk: Walk) -> Iterator[Finding]:
    """Yield that a leg which is not on the ground runs through terrain below its top, or may.

    Who climbs beside a wall touches it: only what was measured to be inside is in doubt.
    """
    if not walk.observed or (rule.flies and touches_terrain(walk)):
        return
    climbed = {leg for start, end in find_ground_stretches(rule.free_mm, walk) for leg in range(start, end - 1)}
    for index, leg in enumerate(pairwise(walk.path)):
        lowest = min(pose.z_mm for pose in leg)
        taller = list_taller_terrain(walk.state, max(rule.free_mm, lowest + ROUNDING_MM))
        for terrain in find_terrain_on_path(walk, taller) if index not in climbed else ():
            found = _check_leg(rule, walk, leg, terrain)
            if found.outcome is not Outcome.LEGAL and (found.margin_mm or 0.0) < -ROUNDING_MM:
                yield found


def _check_leg(rule: SolidTerrain, walk: Walk, leg: Leg, terrain: Terrain) -> Finding:
    """Return how far a leg stays clear of terrain where it is below its top."""
    low, high = _find_share_below(*leg, terrain.height_mm)
    whole = walk.place_base(leg[0]), walk.place_base(leg[1])
    start, end = interpolate_pose(*whole, low), interpolate_pose(*whole, high)
    nearest = least_clearance(start, end, build_outline(terrain))
    gap = nearest.clearance

    def text(outcome: Outcome) -> str:
        if outcome is Outcome.TOO_CLOSE:
            return f"{walk.model.id} moves so near to {terrain.id} that it is too close to call whether it goes through"
        return f"{walk.model.id} moves through {terrain.id} below its top"

    return build_finding(
        rule.rule,
        (walk.model.id, terrain.id),
        measured_mm=gap.mm,
        limit_mm=0.0,
        margin_mm=gap.mm,
        sigma_mm=interpolate_sigma(leg, low + nearest.share * (high - low)),
        witness_mm=(gap.near, gap.far),
        text=text,
    )


def _find_share_below(a: Pose, b: Pose, height_mm: float) -> tuple[float, float]:
    """Return the part of a leg, as shares, on which it is below a height; it is so somewhere."""
    if max(a.z_mm, b.z_mm) < height_mm:
        return 0.0, 1.0
    share = (height_mm - ROUNDING_MM - a.z_mm) / (b.z_mm - a.z_mm)
    return (0.0, min(1.0, share)) if a.z_mm < b.z_mm else (max(0.0, share), 1.0)
