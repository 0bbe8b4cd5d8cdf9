"""The actions of the Movement chapter: hold, order, charge, evade, and the move of a character."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from assistant.rules.books.warmaster_revolution.coherency import build_coherency, judge_joining
from assistant.rules.books.warmaster_revolution.evade import constrain_evade, list_confusion_effects
from assistant.rules.books.warmaster_revolution.evade_room import can_evade
from assistant.rules.books.warmaster_revolution.gap_rule import constrain_gaps
from assistant.rules.books.warmaster_revolution.initiative import check_charge, check_evade, check_order
from assistant.rules.books.warmaster_revolution.movement_limits import (
    build_allowance,
    build_combat_contact,
    build_hold_allowance,
    constrain_closed_terrain,
    constrain_own_stands,
    constrain_to_table,
    forbid_standing_on,
    forbid_stands,
    list_leaving_effects,
)
from assistant.rules.books.warmaster_revolution.pace import find_pace
from assistant.rules.books.warmaster_revolution.parties import (
    exclude_units,
    is_character,
    is_foe,
    is_other_unit,
    restrict_to_units,
)
from assistant.rules.books.warmaster_revolution.terrain import list_dense_terrain_effects
from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.custom import CustomConstraint
from assistant.rules.constraints.keep_out import KeepOut, check_keep_out
from assistant.rules.context import RuleContext
from assistant.rules.engine.walk import Walk
from assistant.rules.presets import forbid_ending_on_top
from assistant.rules.rulebook import Action, CompletedMove
from assistant.rules.verdict import Effect, Finding, Outcome

_USED = "initiative-moved"
Rules = Callable[[RuleContext], Iterator[Constraint]]


def constrain_standing(asked: RuleContext) -> Iterator[Constraint]:
    """Yield what holds of a unit that merely stands."""
    yield from forbid_standing_on(asked)
    yield constrain_to_table()
    together = None if is_character(asked.unit) else build_coherency(asked)
    if together is not None:
        yield together


def _constrain_hold(_: RuleContext) -> Iterator[Constraint]:
    yield build_hold_allowance()
    yield forbid_ending_on_top("wm-15", is_other_unit, math.inf)
    yield constrain_to_table()


# -- what is asked of stands that move


def _constrain_joining(asked: RuleContext) -> Iterator[CustomConstraint]:
    """Yield that the unit is joined once all have moved, each stand to those placed before it."""
    yield CustomConstraint(after=partial(judge_joining, asked))


def _constrain_move(asked: RuleContext, action: str) -> Iterator[Constraint]:
    """Yield what any move of a unit has in common, but for the stands of other units."""
    yield build_allowance(asked, action)
    yield from constrain_own_stands(asked)
    yield from constrain_closed_terrain(asked)
    yield constrain_to_table()


def _constrain_order(asked: RuleContext) -> Iterator[Constraint]:
    yield from _constrain_move(asked, "order")
    yield forbid_stands(asked, "wm-15", is_other_unit)
    yield from constrain_gaps(asked, "order")


def _forbid_new_contact(asked: RuleContext) -> KeepOut:
    """Return that an order ends in no contact that it did not begin in: for that a charge is asked."""
    return replace(build_combat_contact(asked), rule="wm-15", leaving=True)


def _judge_new_contact(asked: RuleContext, walk: Walk) -> Iterator[Finding]:
    found = check_keep_out(_forbid_new_contact(asked), walk)
    if found is not None:
        yield replace(found, margin_mm=None) if found.outcome is Outcome.ILLEGAL else found


def _constrain_judged_order(asked: RuleContext) -> Iterator[Constraint]:
    yield from _constrain_order(asked)
    yield CustomConstraint(findings=partial(_judge_new_contact, asked))


def _constrain_order_zone(asked: RuleContext) -> Iterator[Constraint]:
    yield from _constrain_order(asked)
    yield _forbid_new_contact(asked)


def _constrain_charge(asked: RuleContext) -> Iterator[Constraint]:
    target = asked.intent.get("toward")
    charged = str(target) if target is not None else None
    named = () if charged is None else (charged,)
    yield from _constrain_move(asked, "charge")
    yield forbid_stands(asked, "wm-15", exclude_units(is_other_unit, named))
    if named:
        yield forbid_stands(
            asked, "wm-15", restrict_to_units(is_other_unit, named), grace_mm=asked.read_number("touch_mm")
        )
    yield from constrain_gaps(asked, "charge", charged)


def _constrain_unit_evade(asked: RuleContext) -> Iterator[Constraint]:
    yield from _constrain_move(asked, "evade")
    yield from constrain_evade(asked)
    yield from constrain_gaps(asked, "evade")


def _check_evade(asked: RuleContext) -> Iterator[Finding]:
    """Yield what the rules say of an evade, and that a unit without a place to evade to cannot.

    Of a move that is judged its own places tell, and what bars each of them.
    """
    found = list(check_evade(asked))
    yield from found
    if asked.paths is not None or any(each.outcome is Outcome.ILLEGAL for each in found):
        return
    if not can_evade(_constrain_unit_evade, asked):
        text = f"{asked.unit.id} has no place to evade to: straight away, and 5 cm from enemies and combats"
        yield Finding(rule="wm-54", outcome=Outcome.ILLEGAL, subjects=(asked.unit.id,), text=text)


def _constrain_character(asked: RuleContext) -> Iterator[Constraint]:
    """Yield what is asked of a character: it passes its own side, and everyone's characters."""
    yield build_allowance(asked, "character", "wm-58")
    yield from constrain_closed_terrain(asked)
    yield forbid_stands(asked, "wm-61", is_foe)
    yield constrain_to_table()
    yield from constrain_gaps(asked, "character")


def _constrain_judged_move(rules: Rules, asked: RuleContext) -> Iterator[Constraint]:
    yield from rules(asked)
    yield from _constrain_joining(asked)


def _list_ways(rules: Rules, asked: RuleContext) -> tuple[tuple[Constraint, ...], ...]:
    """Return what holds of one stand for a zone: the others stand where they do, and it joins them."""
    together = build_coherency(asked)
    return ((*rules(asked), *([together] if together else [])),)


# -- what follows


def _list_order_effects(moved: CompletedMove) -> Iterator[Effect]:
    yield from list_dense_terrain_effects(moved.asked)
    yield from list_leaving_effects(moved)


def _list_charge_effects(moved: CompletedMove) -> Iterator[Effect]:
    if moved.asked.intent.get("ordered", False):
        yield from list_dense_terrain_effects(moved.asked)
    yield from list_leaving_effects(moved)


def _list_evade_effects(moved: CompletedMove) -> Iterator[Effect]:
    yield from list_confusion_effects(moved)
    yield from list_leaving_effects(moved)


def _add_used_status(asked: RuleContext) -> tuple[str, ...]:
    """Return the status of a unit that has moved by initiative; a charge by order is none."""
    if asked.intent.get("ordered", False) or _USED in asked.unit.status:
        return asked.unit.status
    return (*asked.unit.status, _USED)


def _check_character_move(asked: RuleContext) -> Iterator[Finding]:
    if not is_character(asked.unit):
        text = f"{asked.unit.id} is no character: it moves by order or by initiative"
        yield Finding(rule="wm-56", outcome=Outcome.ILLEGAL, subjects=(asked.unit.id,), text=text)


def _compute_limit_mm(action: str, asked: RuleContext) -> float:
    return find_pace(asked, action).most_mm


def _describe_limit(action: str, asked: RuleContext) -> str:
    found = find_pace(asked, action)
    return f"{found.reason}; {found.doubt}: up to {asked.say(found.sure_mm, 2)} surely" if found.doubt else found.reason


HOLD = Action(id="hold", label="Hold", constraints=_constrain_hold)
ORDER = Action(
    id="order",
    label="Move by order",
    step="orders",
    may=check_order,
    limit_mm=partial(_compute_limit_mm, "order"),
    reason=partial(_describe_limit, "order"),
    constraints=partial(_constrain_judged_move, _constrain_judged_order),
    ways=partial(_list_ways, _constrain_order_zone),
    straightened=True,
    effects=_list_order_effects,
)
CHARGE = Action(
    id="charge",
    label="Charge",
    intent=("toward", "ordered", "ignores"),
    may=check_charge,
    limit_mm=partial(_compute_limit_mm, "charge"),
    reason=partial(_describe_limit, "charge"),
    constraints=partial(_constrain_judged_move, _constrain_charge),
    ways=partial(_list_ways, _constrain_charge),
    straightened=True,
    effects=_list_charge_effects,
    status=_add_used_status,
)
EVADE = Action(
    id="evade",
    label="Evade",
    step="initiative",
    intent=("toward", "ignores"),
    may=_check_evade,
    limit_mm=partial(_compute_limit_mm, "evade"),
    reason=partial(_describe_limit, "evade"),
    constraints=partial(_constrain_judged_move, _constrain_unit_evade),
    ways=partial(_list_ways, _constrain_unit_evade),
    straightened=True,
    effects=_list_evade_effects,
    status=_add_used_status,
)
CHARACTER = Action(
    id="character",
    label="Character's move",
    step="characters",
    may=_check_character_move,
    limit_mm=partial(_compute_limit_mm, "character"),
    reason=partial(_describe_limit, "character"),
    constraints=_constrain_character,
    straightened=True,
    effects=list_leaving_effects,
)
