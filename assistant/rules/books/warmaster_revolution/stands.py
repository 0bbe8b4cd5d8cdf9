"""What is in a stand's way: other stands, terrain that its troop may not enter, and the pace it may go."""

import math
from collections.abc import Iterator
from dataclasses import replace

from assistant.game.state import Setting, Terrain, Unit
from assistant.rules.books.warmaster_revolution.ground import enters_as, forbids, forbids_landing
from assistant.rules.books.warmaster_revolution.pace import pace
from assistant.rules.books.warmaster_revolution.sides import engaged, foes_of, others, own
from assistant.rules.constraints import Allowance, Constraint, KeepOut, Pivot, Shut
from assistant.rules.parties import Feature, Party
from assistant.rules.rulebook import Question
from assistant.rules.usual import across, base_contact, on_top

_ROWS = ("wm-24", "wm-25", "wm-26", "wm-28", "wm-29", "wm-30", "wm-34", "wm-59")
"""The rows by which terrain may be closed to a troop."""


def flies(unit: Unit) -> bool:
    """Whether a unit passes over terrain and stands."""
    return enters_as(unit) == "flyer"


def allowance(asked: Question, action: str, rule: str = "wm-14") -> Allowance:
    """Return how far any part of a stand may be moved, and why."""
    found = pace(asked, action)
    return Allowance(
        rule=rule,
        limit_mm=found.most_mm,
        sure_mm=math.inf if found.sure_mm == found.most_mm else found.sure_mm,
        pivot=Pivot.DISPLACEMENT,
        pivot_mm=0.0,
        no_way="wm-12",
        because=f"{found.reason}; {found.doubt}" if found.doubt else found.reason,
    )


def held() -> Allowance:
    """Return that a stand does not move."""
    return Allowance(rule="wm-14", limit_mm=0.0, pivot=Pivot.DISPLACEMENT, pivot_mm=0.0, because="it holds")


def barred(asked: Question, rule: str, party: Party, *, grace_mm: float = 0.0) -> KeepOut:
    """Return that certain stands are not moved across or onto; a flyer passes over them, and ends on none.

    Stands that must touch may overlap by ``grace_mm``: so near nobody measures.
    """
    found = on_top(rule, party, math.inf) if flies(asked.unit) else across(rule, party, math.inf)
    return replace(found, range_mm=-grace_mm)


def own_stands(asked: Question) -> Iterator[KeepOut]:
    """Yield that own stands which have moved or are engaged are in the way, and that none ends on another."""
    if not flies(asked.unit):
        yield replace(across("wm-17", own, math.inf), range_mm=-asked.number("touch_mm"), fixed=engaged(asked))
    yield replace(_beside_own(asked), settled=True)


def standing_on(asked: Question) -> Iterator[KeepOut]:
    """Yield that no stand stands on another."""
    yield on_top("wm-15", _neither_character(others), math.inf)
    yield _beside_own(asked)


def _beside_own(asked: Question) -> KeepOut:
    """Return that no stand is on another of its unit, by more than stands that touch may be."""
    return replace(on_top("wm-17", own, math.inf), range_mm=-asked.number("touch_mm"))


def combat(asked: Question) -> KeepOut:
    """Return touching an enemy's stand as a keep-out."""
    return base_contact("wm-17", foes_of, asked.number("touch_mm"), math.inf, name="combat")


def closed_terrain(asked: Question) -> Iterator[Constraint]:
    """Yield the terrain that a unit may not move into or over, and for a flyer that on which it may not end."""
    agreed = asked.parameters["agreed_terrain"]
    over = flies(asked.unit)
    for row in _ROWS:
        feature = _closed(asked.unit, agreed, row)
        if any(map(feature, asked.state.terrain)):
            yield Shut(rule=row, terrain=feature, on_the_way=not over, unless_starting=True)


def _closed(unit: Unit, agreed: Setting, row: str) -> Feature:
    def closed(terrain: Terrain) -> bool:
        return (forbids_landing if flies(unit) else forbids)(unit, terrain, agreed) == row

    return closed


def _neither_character(party: Party) -> Party:
    return lambda unit, other: unit.profile["troop"] != "character" and party(unit, other)
