"""Solid terrain: what a model neither goes through nor ends inside of."""

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
    find_terrain_on_path,
    list_taller_terrain,
    touches_terrain,
)
from assistant.rules.engine.walk import Walk
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
            if bounds.distance(shapely.Polygon(terrain.outline_mm)) <= reach
        ]
        return BlockedEnd(shapes=[(build_outline(terrain), doubt_mm) for terrain in near])


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
    """Yield that a leg which climbs or falls does so inside terrain, or runs through it below its top."""
    if not walk.observed or (rule.flies and touches_terrain(walk)):
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
