"""Hold, order, charge, evade, and the move of a character."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from assistant.rules.books.warmaster_revolution.evading import confused, evading
from assistant.rules.books.warmaster_revolution.foes import is_character, is_foe
from assistant.rules.books.warmaster_revolution.gaps import gap_rule
from assistant.rules.books.warmaster_revolution.ground import in_dense_terrain
from assistant.rules.books.warmaster_revolution.initiative import may_charge, may_evade, may_order
from assistant.rules.books.warmaster_revolution.joining import joined, joining_findings
from assistant.rules.books.warmaster_revolution.leaving import leaving, left_table
from assistant.rules.books.warmaster_revolution.pace import pace
from assistant.rules.books.warmaster_revolution.sides import but_units, of_units, others
from assistant.rules.books.warmaster_revolution.stands import (
    allowance,
    barred,
    closed_terrain,
    combat,
    held,
    own_stands,
    standing_on,
)
from assistant.rules.constraints import Constraint, KeepOut, Own
from assistant.rules.keepout import nearest
from assistant.rules.rulebook import Action, Moved, Question
from assistant.rules.usual import on_top
from assistant.rules.verdict import Effect, Finding, Outcome
from assistant.rules.walk import Walk

_USED = "initiative-moved"
Rules = Callable[[Question], Iterator[Constraint]]


def standing(asked: Question) -> Iterator[Constraint]:
    """Yield what holds of a unit that merely stands."""
    yield from standing_on(asked)
    yield leaving()
    together = None if is_character(asked.unit) else joined(asked)
    if together is not None:
        yield together


def _holding(_: Question) -> Iterator[Constraint]:
    yield held()
    yield on_top("wm-15", others, math.inf)
    yield leaving()


# -- what is asked of stands that move


def _together(asked: Question) -> Iterator[Own]:
    """Yield that the unit is joined once all have moved, each stand to those placed before it."""
    yield Own(after=partial(joining_findings, asked))


def _moving(asked: Question, action: str) -> Iterator[Constraint]:
    """Yield what any move of a unit has in common, but for the stands of other units."""
    yield allowance(asked, action)
    yield from own_stands(asked)
    yield from closed_terrain(asked)
    yield leaving()


def _ordered(asked: Question) -> Iterator[Constraint]:
    yield from _moving(asked, "order")
    yield barred(asked, "wm-15", others)
    yield from gap_rule(asked, "order")


def _into_combat(asked: Question) -> KeepOut:
    """Return that an order ends in no contact that it did not begin in: for that a charge is asked."""
    return replace(combat(asked), rule="wm-15", leaving=True)


def _met(asked: Question, walk: Walk) -> Iterator[Finding]:
    found = nearest(_into_combat(asked), walk)
    if found is not None:
        yield replace(found, margin_mm=None) if found.outcome is Outcome.ILLEGAL else found


def _obeying(asked: Question) -> Iterator[Constraint]:
    yield from _ordered(asked)
    yield Own(findings=partial(_met, asked))


def _obeying_ways(asked: Question) -> Iterator[Constraint]:
    yield from _ordered(asked)
    yield _into_combat(asked)


def _charging(asked: Question) -> Iterator[Constraint]:
    target = asked.intent.get("toward")
    charged = str(target) if target is not None else None
    named = () if charged is None else (charged,)
    yield from _moving(asked, "charge")
    yield barred(asked, "wm-15", but_units(others, named))
    if named:
        yield barred(asked, "wm-15", of_units(others, named), grace_mm=asked.number("touch_mm"))
    yield from gap_rule(asked, "charge", charged)


def _evading(asked: Question) -> Iterator[Constraint]:
    yield from _moving(asked, "evade")
    yield from evading(asked)
    yield from gap_rule(asked, "evade")


def _riding(asked: Question) -> Iterator[Constraint]:
    """Yield what is asked of a character: it passes its own side, and everyone's characters."""
    yield allowance(asked, "character", "wm-58")
    yield from closed_terrain(asked)
    yield barred(asked, "wm-61", is_foe)
    yield leaving()
    yield from gap_rule(asked, "character")


def _judged(rules: Rules, asked: Question) -> Iterator[Constraint]:
    yield from rules(asked)
    yield from _together(asked)


def _ways(rules: Rules, asked: Question) -> tuple[tuple[Constraint, ...], ...]:
    """Return what holds of one stand for a zone: the others stand where they do, and it joins them."""
    together = joined(asked)
    return ((*rules(asked), *([together] if together else [])),)


# -- what follows


def _obeyed(moved: Moved) -> Iterator[Effect]:
    yield from in_dense_terrain(moved.asked)
    yield from left_table(moved)


def _charged(moved: Moved) -> Iterator[Effect]:
    if moved.asked.intent.get("ordered", False):
        yield from in_dense_terrain(moved.asked)
    yield from left_table(moved)


def _evaded(moved: Moved) -> Iterator[Effect]:
    yield from confused(moved)
    yield from left_table(moved)


def _used(asked: Question) -> tuple[str, ...]:
    """Return the status of a unit that has moved by initiative; a charge by order is none."""
    if asked.intent.get("ordered", False) or _USED in asked.unit.status:
        return asked.unit.status
    return (*asked.unit.status, _USED)


def _may_ride(asked: Question) -> Iterator[Finding]:
    if not is_character(asked.unit):
        text = f"{asked.unit.id} is no character: it moves by order or by initiative"
        yield Finding(rule="wm-56", outcome=Outcome.ILLEGAL, subjects=(asked.unit.id,), text=text)


def _limit(action: str, asked: Question) -> float:
    return pace(asked, action).most_mm


def _reason(action: str, asked: Question) -> str:
    found = pace(asked, action)
    return f"{found.reason}; {found.doubt}: up to {asked.say(found.sure_mm, 2)} surely" if found.doubt else found.reason


HOLD = Action(id="hold", label="Hold", constraints=_holding)
ORDER = Action(
    id="order",
    label="Move by order",
    step="orders",
    may=may_order,
    limit_mm=partial(_limit, "order"),
    reason=partial(_reason, "order"),
    constraints=partial(_judged, _obeying),
    ways=partial(_ways, _obeying_ways),
    straightened=True,
    effects=_obeyed,
)
CHARGE = Action(
    id="charge",
    label="Charge",
    intent=("toward", "ordered", "ignores"),
    may=may_charge,
    limit_mm=partial(_limit, "charge"),
    reason=partial(_reason, "charge"),
    constraints=partial(_judged, _charging),
    ways=partial(_ways, _charging),
    straightened=True,
    effects=_charged,
    status=_used,
)
EVADE = Action(
    id="evade",
    label="Evade",
    step="initiative",
    intent=("toward", "ignores"),
    may=may_evade,
    limit_mm=partial(_limit, "evade"),
    reason=partial(_reason, "evade"),
    constraints=partial(_judged, _evading),
    ways=partial(_ways, _evading),
    straightened=True,
    effects=_evaded,
    status=_used,
)
CHARACTER = Action(
    id="character",
    label="Character's move",
    step="characters",
    may=_may_ride,
    limit_mm=partial(_limit, "character"),
    reason=partial(_reason, "character"),
    constraints=_riding,
    straightened=True,
    effects=left_table,
)
