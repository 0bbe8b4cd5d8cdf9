"""Reinforcements: units that arrive from reserve."""

import math
from collections.abc import Iterator

from assistant.rules.books.warhammer_40k_10e.common import MM, ending, gained, refused, solid
from assistant.rules.constraints import Constraint, KeepOut, Whole
from assistant.rules.parties import enemies
from assistant.rules.rulebook import Action, Question, gives
from assistant.rules.verdict import Finding


def _may_set_up(asked: Question) -> Iterator[Finding]:
    if "reserves" not in asked.unit.status:
        yield refused("10e-36", asked.unit, "is not in reserve")


def _arriving(asked: Question) -> Iterator[Constraint]:
    yield Whole(rule="10e-36")
    yield KeepOut(
        rule="10e-37",
        parties=enemies,
        range_mm=asked.number("reserve_distance_in") * MM,
        vertical_mm=math.inf,
        on_the_way=False,
        name="reserve distance",
    )
    yield from solid(asked.unit)
    yield from ending(asked, models=len(asked.unit.models))


SET_UP = Action(
    id="set-up",
    label="Set up",
    step="reinforcements",
    may=_may_set_up,
    constraints=_arriving,
    sets_up=True,
    effects=gives(("10e-39", "normal-moved")),
    status=lambda asked: gained(asked.unit, "normal-moved", dropping=("reserves",)),
)
