"""Common to this rulebook: ranges, statuses and checks that its actions share."""

from collections.abc import Iterator

from assistant.errors import BadInput
from assistant.game.state import Unit
from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.coherency import Coherency
from assistant.rules.constraints.footing import Footing
from assistant.rules.constraints.keep_out import KeepOut
from assistant.rules.constraints.solid_terrain import SolidTerrain
from assistant.rules.constraints.table_boundary import TableBoundary
from assistant.rules.context import RuleContext
from assistant.rules.presets import forbid_ending_on_top
from assistant.rules.selectors import is_any_unit, is_enemy
from assistant.rules.verdict import Finding, Outcome

MM = 25.4
FREE_HEIGHT_MM = 2 * MM
"""Terrain up to this height is moved over as if absent, so heights that differ by no more are one level."""
HULLS = frozenset({"monster", "vehicle"})
MOVED = ("normal-moved", "advanced", "fell-back")
EMBARKED = "embarked:"


def can_fly(unit: Unit) -> bool:
    """Whether a unit can Fly."""
    return "fly" in unit.keywords


def find_carrier(unit: Unit) -> str | None:
    """Return the model that a unit is embarked in."""
    return next((status.removeprefix(EMBARKED) for status in unit.status if status.startswith(EMBARKED)), None)


def is_absent(unit: Unit) -> bool:
    """Whether a unit is in reserve or embarked: off the table, wherever its models were last seen."""
    return "reserves" in unit.status or find_carrier(unit) is not None


def add_statuses(unit: Unit, *added: str, dropping: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return a unit's status with some more, and without those that begin in certain ways."""
    kept = tuple(status for status in unit.status if not status.startswith(dropping))
    return (*kept, *(status for status in added if status not in kept))


def refuse(rule: str, unit: Unit, text: str, *others: str, outcome: Outcome = Outcome.ILLEGAL) -> Finding:
    """Return that a unit may not choose an action; ``others`` are the other parties."""
    return Finding(rule=rule, outcome=outcome, subjects=(unit.id, *others), text=f"{unit.id} {text}")


def check_on_table(asked: RuleContext) -> Iterator[Finding]:
    """Yield why a unit that is off the table does not move."""
    inside = find_carrier(asked.unit)
    if inside is not None:
        yield refuse("10e-46", asked.unit, f"is embarked in {inside}")
    if "reserves" in asked.unit.status:
        yield refuse("10e-36", asked.unit, "is in reserve and can only be set up")


def check_not_moved(asked: RuleContext) -> Iterator[Finding]:
    """Yield why a unit that has had its move this phase has no other."""
    if "stationary" in asked.unit.status:
        yield refuse("10e-14", asked.unit, "remains stationary for the rest of the phase")
    if any(status in asked.unit.status for status in MOVED):
        yield refuse("10e-02", asked.unit, "has already moved this phase")


def build_engagement_range(
    asked: RuleContext, *, rule: str = "10e-04", on_the_way: bool = False, everyone: bool = False
) -> KeepOut:
    """Return the engagement range of enemies as a keep-out."""
    return KeepOut(
        rule=rule,
        parties=is_enemy,
        range_mm=asked.read_number("engagement_in") * MM,
        vertical_mm=asked.read_number("engagement_vertical_in") * MM,
        on_the_way=on_the_way,
        name="engagement range",
        everyone=everyone,
    )


def constrain_end(
    asked: RuleContext, *, on_a_model: str = "10e-10", models: int | None = None
) -> tuple[Constraint, ...]:
    """Return what holds wherever a model of the unit stands, and of the unit as a whole.

    ``models`` is how many it will have on the table; None for as many as it has.
    """
    together = build_coherency(asked, models)
    return (
        TableBoundary(rule="10e-08"),
        forbid_ending_on_top(on_a_model, is_any_unit, FREE_HEIGHT_MM),
        *([together] if together else []),
    )


def constrain_solid_terrain(unit: Unit) -> tuple[Constraint, ...]:
    """Return that tall terrain is climbed, never gone through, and that no climb ends half-way."""
    return Footing(rule="10e-31"), SolidTerrain(rule="10e-28", free_mm=FREE_HEIGHT_MM, flies=can_fly(unit))


def build_coherency(asked: RuleContext, models: int | None = None) -> Coherency | None:
    """Return unit coherency; a single model has none."""
    standing = sum(model.pose is not None for model in asked.unit.models) if models is None else models
    if standing < 2:
        return None
    return Coherency(
        rule="10e-60",
        range_mm=asked.read_number("coherency_in") * MM,
        vertical_mm=asked.read_number("coherency_vertical_in") * MM,
        needed=2 if standing >= 7 else 1,
    )


def compute_move_mm(asked: RuleContext) -> float | None:
    """Return how far the unit's models may go, with the dice that were rolled for it."""
    move_in = asked.unit.profile.get("move_in")
    return round((move_in + sum(asked.rolls)) * MM, 9) if isinstance(move_in, int | float) else None


def require_limit(asked: RuleContext, limit_mm: float | None) -> float:
    """Return a limit that must be known by now."""
    if limit_mm is None:
        raise BadInput(f'unit "{asked.unit.id}": profile.move_in is missing; a move is measured against it')
    return limit_mm
