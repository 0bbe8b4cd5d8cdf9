"""Within a range of one model, or wholly within it."""

import math

from assistant.errors import BadInput
from assistant.game.state import GameState, Model, Pose
from assistant.geometry.clearance import Point, clearance
from assistant.geometry.furthest import furthest_part
from assistant.geometry.shapes import Placed, Round
from assistant.rules.constraints import Near
from assistant.rules.rulebook import Question
from assistant.rules.ruling import DECIDED_SIGMAS, measured, together
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk
from assistant.rules.words import apart


def near_finding(rule: Near, walk: Walk) -> Finding:
    """Return whether a model ends within a range of another, the difference of their heights included.

    Raises:
        BadInput: the other model is not on the table.

    """
    other, at = _target(rule, walk.state)
    mm, witness = _apart(rule, walk.model, walk.end, (other, at))
    length, limit = apart(walk.say, max(mm, 0.0), rule.range_mm)
    inside = f"{'wholly ' if rule.wholly else ''}within {limit}"

    def text(outcome: Outcome) -> str:
        match outcome:
            case Outcome.LEGAL:
                return f"{walk.model.id} is {inside} of {other.id}"
            case Outcome.TOO_CLOSE:
                return f"{walk.model.id} is {length} from {other.id}, too close to call whether it is {inside}"
            case _:
                return f"{walk.model.id} is {length} from {other.id}, not {inside}"

    return measured(
        rule.rule,
        (walk.model.id, other.id),
        measured_mm=mm,
        limit_mm=rule.range_mm,
        margin_mm=rule.range_mm - mm,
        sigma_mm=together(walk.end.sigma_mm, at.sigma_mm),
        witness_mm=witness,
        text=text,
    )


def all_near(rule: Near, asked: Question) -> bool:
    """Return whether every model of a unit that is on the table may be within a range of another, where it stands."""
    other, at = _target(rule, asked.state)
    margins = [
        rule.range_mm
        + DECIDED_SIGMAS * together(model.pose.sigma_mm, at.sigma_mm)
        - _apart(rule, model, model.pose, (other, at))[0]
        for model in asked.unit.models
        if model.pose is not None
    ]
    return bool(margins) and min(margins) >= 0


def level_mm(rule: Near, z_mm: float, at: Pose) -> float | None:
    """Return the horizontal part of a range at a height; None where the height alone is further away."""
    rise = abs(z_mm - at.z_mm)
    return math.sqrt(rule.range_mm**2 - rise**2) if rise <= rule.range_mm else None


def _target(rule: Near, state: GameState) -> tuple[Model, Pose]:
    other = state.model(rule.model)
    if other.pose is None:
        raise BadInput(f'"{rule.model}" is not on the table; nothing can be measured from it')
    return other, other.pose


def _apart(rule: Near, model: Model, pose: Pose, target: tuple[Model, Pose]) -> tuple[float, tuple[Point, ...]]:
    """Return how far a base, or the part of it that is furthest, is from another, and the measured points."""
    other, at = target
    mine, theirs = model.placed(pose), other.placed(at)
    if rule.wholly:
        part = furthest_part(mine, theirs)
        flat, witness = part.mm, (part.point, _nearest(part.point, theirs))
    else:
        gap = clearance(mine, theirs)
        flat, witness = gap.mm, (gap.near, gap.far)
    rise = pose.z_mm - at.z_mm
    return (flat if rise == 0 else math.hypot(max(flat, 0.0), rise)), witness


def _nearest(point: Point, theirs: Placed) -> Point:
    return clearance(Placed(shape=Round(radius_mm=0.0), x_mm=point[0], y_mm=point[1]), theirs).far
