"""Forbidden terrain: terrain that no part of a base may be over."""

import math
from collections.abc import Iterator

from assistant.game.state import Terrain
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.rules.constraints import ForbiddenTerrain
from assistant.rules.engine.approach import ApproachTarget, NearestApproach, measure_approaches, measure_start_within_mm
from assistant.rules.engine.terrain import bound_distance_mm, build_outline
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, build_finding, find_gravest


def check_forbidden_terrain(rule: ForbiddenTerrain, walk: Walk) -> Iterator[Finding]:
    """Yield what the terrain comes to that a model is deepest in or nearest to."""
    found = find_gravest(_check_nearest_terrain(rule, walk))
    if found is not None:
        yield found


def _check_nearest_terrain(rule: ForbiddenTerrain, walk: Walk) -> Iterator[Finding]:
    least, doubt = math.inf, DECIDED_SIGMAS * max(pose.sigma_mm for pose in walk.path)
    floors = [(bound_distance_mm(walk, terrain), terrain) for terrain in walk.state.terrain if rule.terrain(terrain)]
    for floor, terrain in sorted(floors, key=lambda entry: entry[0]):
        if floor > max(least, doubt):
            return
        thing = ApproachTarget(placed=build_outline(terrain))
        if rule.unless_starting and starts_over(walk, terrain):
            continue
        start_mm = measure_start_within_mm(walk, thing) if rule.leaving else None
        for leg in walk.list_legs(on_the_way=rule.on_the_way):
            for approach in measure_approaches(walk, leg, thing, start_mm):
                least = min(least, approach.gap.mm)
                yield _build_approach_finding(rule, walk, terrain, approach)


def starts_over(walk: Walk, terrain: Terrain) -> bool:
    """Return whether a way starts over terrain, or may."""
    mm = clearance(walk.place_base(walk.path[0]), build_outline(terrain)).mm
    return mm < DECIDED_SIGMAS * walk.path[0].sigma_mm - ROUNDING_MM


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
