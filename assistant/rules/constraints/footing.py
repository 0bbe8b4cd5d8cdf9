"""Footing: whether a model ends on the ground or on top of terrain."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from assistant.game.state import Terrain
from assistant.rules.constraints.base import Constraint, ConstraintSet
from assistant.rules.engine.terrain import list_taller_terrain, measure_inside_mm
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, build_finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Footing(Constraint):
    """Ends on the ground or on top of terrain, not in mid-climb."""

    rule: str
    by_height: bool = False
    """Its height tells what it stands on, however near to the edge; a climb that ends half-way names the terrain."""

    asks_footing: ClassVar[bool] = True

    def check(self, walk: Walk, _rules: ConstraintSet, /) -> Iterator[Finding]:
        """Yield whether a model ends on something."""
        yield _check_footing(self, walk)

    def is_top_by_height(self) -> bool:
        """Return whether its height alone tells."""
        return self.by_height

    def find_mate_range_mm(self, _walk: Walk, /) -> float:
        """Return that it is about no models."""
        return -math.inf


def _check_footing(rule: Footing, walk: Walk) -> Finding:
    """Return whether a model stands on the ground or on top of terrain."""
    pose, model = walk.end, walk.model.id
    under = [t for t in walk.state.terrain if t.height_mm > 0 and abs(t.height_mm - pose.z_mm) <= ROUNDING_MM]
    on_top = [(measure_inside_mm(pose, terrain), terrain) for terrain in under]
    if rule.by_height:
        on_top = [each for each in on_top if each[0] >= -max(DECIDED_SIGMAS * pose.sigma_mm, ROUNDING_MM)]
    inside, terrain = max(on_top, key=lambda pair: pair[0], default=(0.0, None))
    if pose.z_mm <= ROUNDING_MM or (rule.by_height and terrain is not None and inside >= -ROUNDING_MM):
        where = f"on top of {terrain.id}" if terrain is not None else "on the ground"
        return Finding(rule=rule.rule, outcome=Outcome.LEGAL, subjects=(model,), text=f"{model} ends {where}")
    if terrain is None:
        where = f"{model} ends {walk.say(pose.z_mm, 2)} above the table, in mid-climb"
        subjects = (model, *_find_climbed_terrain(walk)) if rule.by_height else (model,)
        return Finding(rule=rule.rule, outcome=Outcome.ILLEGAL, subjects=subjects, text=where)
    return build_finding(
        rule.rule,
        (model, terrain.id) if rule.by_height else (model,),
        measured_mm=inside,
        limit_mm=0.0,
        margin_mm=inside,
        sigma_mm=pose.sigma_mm,
        witness_mm=((pose.x_mm, pose.y_mm),),
        text=partial(_describe_footing, walk, terrain, inside),
    )


def _describe_footing(walk: Walk, terrain: Terrain, inside_mm: float, outcome: Outcome) -> str:
    model = walk.model.id
    match outcome:
        case Outcome.LEGAL:
            return f"{model} ends on top of {terrain.id}"
        case Outcome.TOO_CLOSE:
            return f"{model} ends so near to the edge of {terrain.id} that it is too close to call whether it is on it"
        case _:
            return f"{model} ends in mid-climb: the middle of its base is {walk.say(-inside_mm, 2)} beside {terrain.id}"


def _find_climbed_terrain(walk: Walk) -> tuple[str, ...]:
    """Return the lowest terrain that reaches as high as a model's end and that the middle of its base is over."""
    tall = [
        terrain
        for terrain in list_taller_terrain(walk.state, walk.end.z_mm)
        if measure_inside_mm(walk.end, terrain) >= -ROUNDING_MM
    ]
    return tuple(terrain.id for terrain in sorted(tall, key=lambda terrain: terrain.height_mm)[:1])
