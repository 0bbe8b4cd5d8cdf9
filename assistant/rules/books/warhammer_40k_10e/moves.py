"""Remain Stationary, Normal move, Advance and Fall Back."""

from collections.abc import Iterator

from assistant.errors import BadInput
from assistant.game.state import Unit
from assistant.rules.books.warhammer_40k_10e.common import (
    FREE_HEIGHT_MM,
    HULLS,
    MM,
    already_moved,
    ending,
    engagement,
    flies,
    gained,
    move_mm,
    needed,
    off_the_table,
    refused,
    solid,
)
from assistant.rules.constraints import Allowance, Constraint, Cross, Pivot, Stay
from assistant.rules.keepout import clear_of_enemies
from assistant.rules.parties import enemies
from assistant.rules.room import can_end
from assistant.rules.rulebook import Action, Dice, Moved, Question, gives
from assistant.rules.usual import across
from assistant.rules.verdict import Effect, Finding, Outcome

_FAILED = 2
"""A Desperate Escape test of this or less costs a model."""
_MANY = 1000


def _friendly_hulls(unit: Unit, other: Unit) -> bool:
    return other.player == unit.player and not HULLS.isdisjoint(other.keywords)


def _allowance(asked: Question, rule: str) -> Allowance:
    return Allowance(
        rule=rule,
        limit_mm=needed(asked, move_mm(asked)),
        pivot=Pivot(str(asked.parameters["pivot"])),
        pivot_mm=2 * MM,
        free_mm=FREE_HEIGHT_MM,
        flies=flies(asked.unit),
    )


def _around_friends(asked: Question) -> Iterator[Constraint]:
    if not HULLS.isdisjoint(asked.unit.keywords) and not flies(asked.unit):
        yield across("10e-11", _friendly_hulls, FREE_HEIGHT_MM, leaving=False)


def _moving(asked: Question, distance: str, range_rule: str) -> Iterator[Constraint]:
    """Yield what a Normal move and an Advance have in common; each cites its own rules."""
    yield _allowance(asked, distance)
    yield from _around_friends(asked)
    yield from solid(asked.unit)
    if flies(asked.unit):
        yield engagement(asked, rule="10e-34")
        yield from ending(asked, on_a_model="10e-34")
    else:
        yield across("10e-07", enemies, FREE_HEIGHT_MM, leaving=False)
        yield engagement(asked, rule=range_rule, on_the_way=True)
        yield from ending(asked)


def _falling_back(asked: Question) -> Iterator[Constraint]:
    yield _allowance(asked.without_rolls(), "10e-20")
    yield from _around_friends(asked)
    yield from solid(asked.unit)
    yield engagement(asked, rule="10e-22", everyone=True)
    if not flies(asked.unit) and not {"titanic"} & asked.unit.keywords and "battle-shocked" not in asked.unit.status:
        yield Cross(rule="10e-24", parties=enemies, vertical_mm=FREE_HEIGHT_MM)
    yield from ending(asked, on_a_model="10e-34" if flies(asked.unit) else "10e-10")


def _may_act(asked: Question) -> Iterator[Finding]:
    yield from off_the_table(asked)
    yield from already_moved(asked)


def _may_stay(asked: Question) -> Iterator[Finding]:
    yield from _may_act(asked)
    if "disembarked" in asked.unit.status:
        yield refused("10e-50", asked.unit, "has disembarked and may not remain stationary")


def _may_move(asked: Question) -> Iterator[Finding]:
    yield clear_of_enemies(engagement(asked), asked)
    yield from _may_act(asked)


def _may_fall_back(asked: Question) -> Iterator[Finding]:
    yield from _may_act(asked)
    engaged = clear_of_enemies(engagement(asked), asked)
    if engaged.outcome is Outcome.LEGAL:
        yield refused("10e-03", asked.unit, "is not within engagement range of an enemy and cannot fall back")
    elif engaged.outcome is Outcome.TOO_CLOSE:
        text = "is so near to engagement range that it is too close to call whether it can fall back"
        yield refused("10e-03", asked.unit, text, outcome=Outcome.TOO_CLOSE)
    if engaged.outcome is not Outcome.LEGAL and "move_in" in asked.unit.profile and not can_end(_falling_back, asked):
        yield refused("10e-22", asked.unit, "has no place outside engagement range to fall back to")


def _fell_back(moved: Moved) -> Iterator[Effect]:
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
    may=_may_stay,
    constraints=lambda _: (Stay(rule="10e-14"),),
    effects=gives(("10e-14", "stationary")),
    status=lambda asked: gained(asked.unit, "stationary"),
)
NORMAL = Action(
    id="normal",
    label="Normal move",
    step="move-units",
    may=_may_move,
    limit_mm=move_mm,
    constraints=lambda asked: _moving(asked, "10e-15", "10e-16"),
    status=lambda asked: gained(asked.unit, "normal-moved"),
)
ADVANCE = Action(
    id="advance",
    label="Advance",
    step="move-units",
    dice=Dice(sides=6, least=1, most=1),
    may=_may_move,
    limit_mm=lambda asked: move_mm(asked) if asked.rolls else None,
    constraints=lambda asked: _moving(asked, "10e-17", "10e-18"),
    effects=gives(("10e-19", "cannot-shoot"), ("10e-19", "cannot-charge")),
    status=lambda asked: gained(asked.unit, "advanced"),
)
FALL_BACK = Action(
    id="fall-back",
    label="Fall Back",
    step="move-units",
    dice=Dice(sides=6, least=0, most=_MANY),
    may=_may_fall_back,
    limit_mm=lambda asked: move_mm(asked.without_rolls()),
    constraints=_falling_back,
    effects=_fell_back,
    status=lambda asked: gained(asked.unit, "fell-back"),
)
