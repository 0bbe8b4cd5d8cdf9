"""Terrain: what it costs, what nobody ends on, and the words of a glossary that is not here."""

from collections.abc import Iterator
from functools import partial

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Terrain
from assistant.geometry.contact import Zone, first_contact
from assistant.rules.books.priority_skirmish.common import mm
from assistant.rules.constraints import Constraint, Cost, Footing, Own, Shut
from assistant.rules.parties import having
from assistant.rules.rulebook import Question
from assistant.rules.ruling import DECIDED_SIGMAS, ROUNDING_MM, measured
from assistant.rules.terrain import inside_mm, on_the_way, outline_of
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk

CENTRE, ANY_PART = "centre", "any-part"
_TWICE = 2.0
"""Half movement: a millimetre counts so often."""
_CLIMBED_MM = mm(2)
"""Lower inclines round down to 1 inch and are ignored."""
_CROSSED_MM = mm(3)
"""Narrower gaps round down to 2 inches and are ignored."""
_KNOWN = frozenset({"difficult", "impassable", "incline", "gap"})


def wide_gap(terrain: Terrain) -> bool:
    """Whether terrain is a gap that is not ignored."""
    return "gap" in terrain.traits and _width_mm(terrain) >= _CROSSED_MM - ROUNDING_MM


def costs(asked: Question) -> tuple[Cost, ...]:
    """Return what terrain adds to the length of a way."""
    any_part = asked.parameters["difficult_by"] == ANY_PART
    return (
        Cost(rule="", terrain=having("difficult"), pace=_TWICE, any_part=any_part),
        Cost(rule="pri-09", terrain=having("incline"), climb=_TWICE, free_mm=_CLIMBED_MM),
        Cost(rule="pri-11", terrain=wide_gap, pace=_TWICE, across_mm=_width_mm),
    )


def ground() -> tuple[Constraint, ...]:
    """Return what terrain asks of a move besides its length."""
    return (
        Footing(rule="pri-09", by_height=True),
        Own(findings=_over_a_gap, places=_beside_gaps, at_some_facing=_beside_gaps),
        impassable(on_the_way=True),
        Own(findings=_unknown_words),
    )


def impassable(*, on_the_way: bool) -> Shut:
    """Return that no part of a base is over impassable terrain."""
    return Shut(rule="pri-25", terrain=having("impassable"), on_the_way=on_the_way, leaving=on_the_way)


def _width_mm(terrain: Terrain) -> float:
    return terrain.gap_mm or 0.0


def _over_a_gap(walk: Walk) -> Iterator[Finding]:
    """Yield the gaps over which the middle of a model ends, or may end: there is nothing to stand on."""
    for gap in filter(wide_gap, walk.state.terrain if walk.end.z_mm <= ROUNDING_MM else ()):
        beside = -inside_mm(walk.end, gap)
        found = measured(
            "pri-11",
            (walk.model.id, gap.id),
            measured_mm=beside,
            limit_mm=0.0,
            margin_mm=beside,
            sigma_mm=walk.end.sigma_mm,
            witness_mm=((walk.end.x_mm, walk.end.y_mm),),
            text=partial(_gap_text, walk, gap, beside),
        )
        if found.outcome is Outcome.ILLEGAL:
            yield Finding(rule=found.rule, outcome=found.outcome, subjects=found.subjects, text=found.text)
        elif found.outcome is Outcome.TOO_CLOSE:
            yield found


def _gap_text(walk: Walk, gap: Terrain, beside_mm: float, outcome: Outcome) -> str:
    model = walk.model.id
    if outcome is Outcome.TOO_CLOSE:
        return f"{model} ends so near to the edge of {gap.id} that it is too close to call whether it is over it"
    return f"{model} ends {walk.say(-beside_mm, 2)} over {gap.id}, where there is nothing to stand on"


def _beside_gaps(walk: Walk, places: BaseGeometry, _: float) -> BaseGeometry:
    """Return the places whose middle is surely over no gap."""
    if walk.end.z_mm > ROUNDING_MM:
        return places
    outlines = [shapely.Polygon(gap.outline_mm) for gap in walk.state.terrain if wide_gap(gap)]
    gaps = [outline.buffer(DECIDED_SIGMAS * walk.end.sigma_mm, quad_segs=16) for outline in outlines]
    return shapely.difference(places, shapely.union_all(gaps)) if gaps else places


def _unknown_words(walk: Walk) -> Iterator[Finding]:
    """Yield a note on the first terrain on the way whose words stand in a glossary that is not here."""
    strange = [terrain for terrain in walk.state.terrain if terrain.traits - _KNOWN]
    path = [walk.placed(pose) for pose in (walk.path if walk.observed else walk.path[-1:])]
    for terrain in on_the_way(walk, strange):
        if first_contact(path, [Zone(other=outline_of(terrain), range_mm=-ROUNDING_MM)]) is not None:
            words = ", ".join(sorted(terrain.traits - _KNOWN))
            text = f"{walk.model.id} moves over {terrain.id} ({words}): not covered by this rulebook, measured as open"
            yield Finding(rule="pri-25", outcome=Outcome.NOTE, subjects=(walk.model.id, terrain.id), text=text)
            return
