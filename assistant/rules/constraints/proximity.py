"""Proximity: ending within a range of one model, or wholly within it."""

import math

from assistant.errors import BadInput
from assistant.game.state import GameState, Model, Pose
from assistant.geometry.clearance.furthest_point import find_furthest_point
from assistant.geometry.clearance.shape_clearance import Point, clearance
from assistant.geometry.shapes.base_shapes import PlacedShape, Round
from assistant.rules.constraints import Proximity
from assistant.rules.engine.walk import Walk
from assistant.rules.lengths import format_apart
from assistant.rules.rulebook import RuleContext
from assistant.rules.verdict import DECIDED_SIGMAS, Finding, Outcome, build_finding, combine_sigmas


def check_proximity(rule: Proximity, walk: Walk) -> Finding:
    """Return whether a model ends within a range of another, the difference of their heights included.

    Raises:
        BadInput: the other model is not on the table.

    """
    other, at = _find_target(rule, walk.state)
    mm, witness = _measure_apart(rule, walk.model, walk.end, (other, at))
    length, limit = format_apart(walk.say, max(mm, 0.0), rule.range_mm)
    inside = f"{'wholly ' if rule.wholly else ''}within {limit}"

    def text(outcome: Outcome) -> str:
        match outcome:
            case Outcome.LEGAL:
                return f"{walk.model.id} is {inside} of {other.id}"
            case Outcome.TOO_CLOSE:
                return f"{walk.model.id} is {length} from {other.id}, too close to call whether it is {inside}"
            case _:
                return f"{walk.model.id} is {length} from {other.id}, not {inside}"

    return build_finding(
        rule.rule,
        (walk.model.id, other.id),
        measured_mm=mm,
        limit_mm=rule.range_mm,
        margin_mm=rule.range_mm - mm,
        sigma_mm=combine_sigmas(walk.end.sigma_mm, at.sigma_mm),
        witness_mm=witness,
        text=text,
    )


def are_all_near(rule: Proximity, asked: RuleContext) -> bool:
    """Return whether every model of a unit that is on the table may be within a range of another, where it stands."""
    other, at = _find_target(rule, asked.state)
    margins = [
        rule.range_mm
        + DECIDED_SIGMAS * combine_sigmas(model.pose.sigma_mm, at.sigma_mm)
        - _measure_apart(rule, model, model.pose, (other, at))[0]
        for model in asked.unit.models
        if model.pose is not None
    ]
    return bool(margins) and min(margins) >= 0


def find_level_range_mm(rule: Proximity, z_mm: float, at: Pose) -> float | None:
    """Return the horizontal part of a range at a height; None where the height alone is further away."""
    rise = abs(z_mm - at.z_mm)
    return math.sqrt(rule.range_mm**2 - rise**2) if rise <= rule.range_mm else None


def _find_target(rule: Proximity, state: GameState) -> tuple[Model, Pose]:
    other = state.find_model(rule.model)
    if other.pose is None:
        raise BadInput(f'"{rule.model}" is not on the table; nothing can be measured from it')
    return other, other.pose


def _measure_apart(
    rule: Proximity, model: Model, pose: Pose, target: tuple[Model, Pose]
) -> tuple[float, tuple[Point, ...]]:
    """Return how far a base, or the part of it that is furthest, is from another, and the measured points."""
    other, at = target
    mine, theirs = model.place_base(pose), other.place_base(at)
    if rule.wholly:
        part = find_furthest_point(mine, theirs)
        flat, witness = part.mm, (part.point, _find_nearest_point(part.point, theirs))
    else:
        gap = clearance(mine, theirs)
        flat, witness = gap.mm, (gap.near, gap.far)
    rise = pose.z_mm - at.z_mm
    return (flat if rise == 0 else math.hypot(max(flat, 0.0), rise)), witness


def _find_nearest_point(point: Point, theirs: PlacedShape) -> Point:
    return clearance(PlacedShape(shape=Round(radius_mm=0.0), x_mm=point[0], y_mm=point[1]), theirs).far
