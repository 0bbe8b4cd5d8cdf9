"""Terrain: what it costs, what nobody ends on, and a note on traits that this rulebook does not know."""

from collections.abc import Iterator
from functools import partial

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Terrain
from assistant.geometry.motion.contact import ProximityZone, find_first_contact
from assistant.rules.books.priority_skirmish.common import mm_from_inches
from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.custom import CustomConstraint
from assistant.rules.constraints.footing import Footing
from assistant.rules.constraints.forbidden_terrain import ForbiddenTerrain
from assistant.rules.constraints.terrain_cost import TerrainCost
from assistant.rules.context import RuleContext
from assistant.rules.engine.terrain import build_outline, find_terrain_on_path, measure_inside_mm
from assistant.rules.engine.walk import Walk
from assistant.rules.selectors import has_trait
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, build_finding

CENTRE, ANY_PART = "centre", "any-part"
_TWICE = 2.0
"""Half movement: a millimetre counts so often."""
_CLIMBED_MM = mm_from_inches(2)
"""Lower inclines round down to 1 inch and are ignored."""
_CROSSED_MM = mm_from_inches(3)
"""Narrower gaps round down to 2 inches and are ignored."""
_KNOWN = frozenset({"difficult", "impassable", "incline", "gap"})


def is_wide_gap(terrain: Terrain) -> bool:
    """Whether terrain is a gap that is not ignored."""
    return "gap" in terrain.traits and _get_width_mm(terrain) >= _CROSSED_MM - ROUNDING_MM


def list_terrain_costs(asked: RuleContext) -> tuple[TerrainCost, ...]:
    """Return what terrain adds to the length of a way."""
    any_part = asked.parameters["difficult_by"] == ANY_PART
    return (
        TerrainCost(rule="", terrain=has_trait("difficult"), pace=_TWICE, any_part=any_part),
        TerrainCost(rule="pri-09", terrain=has_trait("incline"), climb=_TWICE, free_mm=_CLIMBED_MM),
        TerrainCost(rule="pri-11", terrain=is_wide_gap, pace=_TWICE, across_mm=_get_width_mm),
    )


def constrain_by_terrain() -> tuple[Constraint, ...]:
    """Return what terrain asks of a move besides its length."""
    return (
        Footing(rule="pri-09", by_height=True),
        CustomConstraint(findings=_judge_end_over_gap, places=_exclude_gaps, at_some_facing=_exclude_gaps),
        forbid_impassable(on_the_way=True),
        CustomConstraint(findings=_note_unknown_traits),
    )


def forbid_impassable(*, on_the_way: bool) -> ForbiddenTerrain:
    """Return that no part of a base is over impassable terrain."""
    return ForbiddenTerrain(rule="pri-25", terrain=has_trait("impassable"), on_the_way=on_the_way, leaving=on_the_way)


def _get_width_mm(terrain: Terrain) -> float:
    return terrain.gap_mm or 0.0


def _judge_end_over_gap(walk: Walk) -> Iterator[Finding]:
    """Yield the gaps over which the middle of a model ends, or may end: there is nothing to stand on."""
    for gap in filter(is_wide_gap, walk.state.terrain if walk.end.z_mm <= ROUNDING_MM else ()):
        beside = -measure_inside_mm(walk.end, gap)
        found = build_finding(
            "pri-11",
            (walk.model.id, gap.id),
            measured_mm=beside,
            limit_mm=0.0,
            margin_mm=beside,
            sigma_mm=walk.end.sigma_mm,
            witness_mm=((walk.end.x_mm, walk.end.y_mm),),
            text=partial(_describe_gap, walk, gap, beside),
        )
        if found.outcome is Outcome.ILLEGAL:
            yield Finding(rule=found.rule, outcome=found.outcome, subjects=found.subjects, text=found.text)
        elif found.outcome is Outcome.TOO_CLOSE:
            yield found


def _describe_gap(walk: Walk, gap: Terrain, beside_mm: float, outcome: Outcome) -> str:
    model = walk.model.id
    if outcome is Outcome.TOO_CLOSE:
        return f"{model} ends so near to the edge of {gap.id} that it is too close to call whether it is over it"
    return f"{model} ends {walk.say(-beside_mm, 2)} over {gap.id}, where there is nothing to stand on"


def _exclude_gaps(walk: Walk, places: BaseGeometry, _: float) -> BaseGeometry:
    """Return the places whose middle is surely over no gap."""
    if walk.end.z_mm > ROUNDING_MM:
        return places
    outlines = [shapely.Polygon(gap.outline_mm) for gap in walk.state.terrain if is_wide_gap(gap)]
    gaps = [outline.buffer(DECIDED_SIGMAS * walk.end.sigma_mm, quad_segs=16) for outline in outlines]
    return shapely.difference(places, shapely.union_all(gaps)) if gaps else places


def _note_unknown_traits(walk: Walk) -> Iterator[Finding]:
    """Yield a note on the first terrain on the way whose words stand in a glossary that is not here."""
    strange = [terrain for terrain in walk.state.terrain if terrain.traits - _KNOWN]
    path = [walk.place_base(pose) for pose in (walk.path if walk.observed else walk.path[-1:])]
    for terrain in find_terrain_on_path(walk, strange):
        if find_first_contact(path, [ProximityZone(other=build_outline(terrain), range_mm=-ROUNDING_MM)]) is not None:
            words = ", ".join(sorted(terrain.traits - _KNOWN))
            text = f"{walk.model.id} moves over {terrain.id} ({words}): not covered by this rulebook, measured as open"
            yield Finding(rule="pri-25", outcome=Outcome.NOTE, subjects=(walk.model.id, terrain.id), text=text)
            return
