"""The actions of the Movement phase: Remain Stationary, Normal move, Advance, Fall Back, and set-up from reserve."""

import math
from collections.abc import Iterator

from assistant.errors import BadInput
from assistant.game.state import Unit
from assistant.rules.books.warhammer_40k_10e.common import (
    FREE_HEIGHT_MM,
    HULLS,
    MM,
    add_statuses,
    build_engagement_range,
    can_fly,
    check_not_moved,
    check_on_table,
    compute_move_mm,
    constrain_end,
    constrain_solid_terrain,
    refuse,
    require_limit,
)
from assistant.rules.constraints.allowance import Allowance, Pivot
from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.crossing import CrossingPrice
from assistant.rules.constraints.immobility import Immobility
from assistant.rules.constraints.keep_out import KeepOut, check_clear_of_enemies
from assistant.rules.constraints.whole_unit import WholeUnit
from assistant.rules.context import RuleContext
from assistant.rules.engine.placement import can_end
from assistant.rules.presets import forbid_crossing
from assistant.rules.rulebook import Action, CompletedMove, Dice, give_effects
from assistant.rules.selectors import is_enemy
from assistant.rules.verdict import Effect, Finding, Outcome

_FAILED = 2
"""A Desperate Escape test of this or less costs a model."""
_MANY = 1000


def _is_friendly_hull(unit: Unit, other: Unit) -> bool:
    return other.player == unit.player and not HULLS.isdisjoint(other.keywords)


def _build_allowance(asked: RuleContext, rule: str) -> Allowance:
    return Allowance(
        rule=rule,
        limit_mm=require_limit(asked, compute_move_mm(asked)),
        pivot=Pivot(str(asked.parameters["pivot"])),
        pivot_mm=2 * MM,
        free_mm=FREE_HEIGHT_MM,
        flies=can_fly(asked.unit),
    )


def _avoid_friendly_hulls(asked: RuleContext) -> Iterator[Constraint]:
    if not HULLS.isdisjoint(asked.unit.keywords) and not can_fly(asked.unit):
        yield forbid_crossing("10e-11", _is_friendly_hull, FREE_HEIGHT_MM, leaving=False)


def _constrain_move(asked: RuleContext, distance: str, range_rule: str) -> Iterator[Constraint]:
    """Yield what a Normal move and an Advance have in common; each cites its own rules."""
    yield _build_allowance(asked, distance)
    yield from _avoid_friendly_hulls(asked)
    yield from constrain_solid_terrain(asked.unit)
    if can_fly(asked.unit):
        yield build_engagement_range(asked, rule="10e-34")
        yield from constrain_end(asked, on_a_model="10e-34")
    else:
        yield forbid_crossing("10e-07", is_enemy, FREE_HEIGHT_MM, leaving=False)
        yield build_engagement_range(asked, rule=range_rule, on_the_way=True)
        yield from constrain_end(asked)


def _constrain_fall_back(asked: RuleContext) -> Iterator[Constraint]:
    yield _build_allowance(asked.drop_rolls(), "10e-20")
    yield from _avoid_friendly_hulls(asked)
    yield from constrain_solid_terrain(asked.unit)
    yield build_engagement_range(asked, rule="10e-22", everyone=True)
    if not can_fly(asked.unit) and not {"titanic"} & asked.unit.keywords and "battle-shocked" not in asked.unit.status:
        yield CrossingPrice(rule="10e-24", parties=is_enemy, vertical_mm=FREE_HEIGHT_MM)
    yield from constrain_end(asked, on_a_model="10e-34" if can_fly(asked.unit) else "10e-10")


def _check_can_act(asked: RuleContext) -> Iterator[Finding]:
    yield from check_on_table(asked)
    yield from check_not_moved(asked)


def _check_stationary(asked: RuleContext) -> Iterator[Finding]:
    yield from _check_can_act(asked)
    if "disembarked" in asked.unit.status:
        yield refuse("10e-50", asked.unit, "has disembarked and may not remain stationary")


def _check_move(asked: RuleContext) -> Iterator[Finding]:
    yield check_clear_of_enemies(build_engagement_range(asked), asked)
    yield from _check_can_act(asked)


def _check_fall_back(asked: RuleContext) -> Iterator[Finding]:
    yield from _check_can_act(asked)
    engaged = check_clear_of_enemies(build_engagement_range(asked), asked)
    if engaged.outcome is Outcome.LEGAL:
        yield refuse("10e-03", asked.unit, "is not within engagement range of an enemy and cannot fall back")
    elif engaged.outcome is Outcome.TOO_CLOSE:
        text = "is so near to engagement range that it is too close to call whether it can fall back"
        yield refuse("10e-03", asked.unit, text, outcome=Outcome.TOO_CLOSE)
    if (
        engaged.outcome is not Outcome.LEGAL
        and "move_in" in asked.unit.profile
        and not can_end(_constrain_fall_back, asked)
    ):
        yield refuse("10e-22", asked.unit, "has no place outside engagement range to fall back to")


def _list_fall_back_effects(moved: CompletedMove) -> Iterator[Effect]:
    unit, rolls = moved.asked.unit, moved.asked.rolls
    shocked = "battle-shocked" in unit.status
    testing = tuple(model.id for model in unit.models if model.pose is not None) if shocked else moved.crossed
    most = len(testing) + len(moved.doubtful)
    if rolls and not len(testing) <= len(rolls) <= most:
        tests = f"{len(testing)}" if not moved.doubtful else f"{len(testing)} to {most}"
        raise BadInput(f"move.rolls: fall-back takes no dice or one for each of {tests} tests, not {len(rolls)}")
    for effect in ("cannot-shoot", "cannot-charge"):
        yield Effect(rule="10e-23", subjects=(unit.id,), effect=effect)
    if testing:
        rule = "10e-25" if shocked else "10e-24"
        yield Effect(rule=rule, subjects=testing, effect="desperate-escape-test", dice=len(testing))
    lost = sum(roll <= _FAILED for roll in rolls)
    if lost:
        yield Effect(rule="10e-26", subjects=(unit.id,), effect=f"lose-models:{lost}", lost=lost)


STATIONARY = Action(
    id="remain-stationary",
    label="Remain Stationary",
    step="move-units",
    may=_check_stationary,
    constraints=lambda _: (Immobility(rule="10e-14"),),
    effects=give_effects(("10e-14", "stationary")),
    status=lambda asked: add_statuses(asked.unit, "stationary"),
)
NORMAL = Action(
    id="normal",
    label="Normal move",
    step="move-units",
    may=_check_move,
    limit_mm=compute_move_mm,
    constraints=lambda asked: _constrain_move(asked, "10e-15", "10e-16"),
    status=lambda asked: add_statuses(asked.unit, "normal-moved"),
)
ADVANCE = Action(
    id="advance",
    label="Advance",
    step="move-units",
    dice=Dice(sides=6, least=1, most=1),
    may=_check_move,
    limit_mm=lambda asked: compute_move_mm(asked) if asked.rolls else None,
    constraints=lambda asked: _constrain_move(asked, "10e-17", "10e-18"),
    effects=give_effects(("10e-19", "cannot-shoot"), ("10e-19", "cannot-charge")),
    status=lambda asked: add_statuses(asked.unit, "advanced"),
)
FALL_BACK = Action(
    id="fall-back",
    label="Fall Back",
    step="move-units",
    dice=Dice(sides=6, least=0, most=_MANY),
    may=_check_fall_back,
    limit_mm=lambda asked: compute_move_mm(asked.drop_rolls()),
    constraints=_constrain_fall_back,
    effects=_list_fall_back_effects,
    status=lambda asked: add_statuses(asked.unit, "fell-back"),
)


def _check_set_up(asked: RuleContext) -> Iterator[Finding]:
    if "reserves" not in asked.unit.status:
        yield refuse("10e-36", asked.unit, "is not in reserve")


def _constrain_arrival(asked: RuleContext) -> Iterator[Constraint]:
    yield WholeUnit(rule="10e-36")
    yield KeepOut(
        rule="10e-37",
        parties=is_enemy,
        range_mm=asked.read_number("reserve_distance_in") * MM,
        vertical_mm=math.inf,
        on_the_way=False,
        name="reserve distance",
    )
    yield from constrain_solid_terrain(asked.unit)
    yield from constrain_end(asked, models=len(asked.unit.models))


SET_UP = Action(
    id="set-up",
    label="Set up",
    step="reinforcements",
    may=_check_set_up,
    constraints=_constrain_arrival,
    sets_up=True,
    effects=give_effects(("10e-39", "normal-moved")),
    status=lambda asked: add_statuses(asked.unit, "normal-moved", dropping=("reserves",)),
)
