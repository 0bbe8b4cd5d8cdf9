"""Common to this rulebook: ranges, parties and coherency that its actions share."""

from collections.abc import Iterator

from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.coherency import Coherency
from assistant.rules.constraints.forbidden_terrain import ForbiddenTerrain
from assistant.rules.constraints.keep_out import KeepOut
from assistant.rules.constraints.table_boundary import TableBoundary
from assistant.rules.context import RuleContext
from assistant.rules.presets import define_base_contact
from assistant.rules.selectors import UnitSelector, has_trait, is_enemy, is_friend
from assistant.rules.verdict import Outcome

MM = 25.4
_ON_FOOT_IN = 6


def _exclude_wrecks(party: UnitSelector) -> UnitSelector:
    """Return a party without wrecked vehicles, which nobody minds."""
    return lambda unit, other: party(unit, other) and "wreck" not in other.keywords


FRIENDS, ENEMIES = _exclude_wrecks(is_friend), _exclude_wrecks(is_enemy)


def compute_move_mm(asked: RuleContext) -> float:
    """Return how far the unit's models may go: infantry on foot, unless its profile says otherwise."""
    move_in = asked.unit.profile.get("move_in", _ON_FOOT_IN)
    assert isinstance(move_in, int | float)
    return round(move_in * MM, 9)


def build_contact(asked: RuleContext, *, on_the_way: bool = False) -> KeepOut:
    """Return touching an enemy as a keep-out."""
    return define_base_contact("5e-06", ENEMIES, 0.0, get_level_mm(asked), on_the_way=on_the_way, name="contact")


def build_keep_out(asked: RuleContext) -> KeepOut:
    """Return the range around enemies that is not moved into."""
    return KeepOut(
        rule="5e-07",
        parties=ENEMIES,
        range_mm=asked.read_number("keep_out_in") * MM,
        vertical_mm=get_level_mm(asked),
        on_the_way=True,
        name="keep-out",
        leaving=True,
    )


def constrain_to_open_table(*, on_the_way: bool) -> Iterator[Constraint]:
    """Yield that no part of a base is over the edge or impassable terrain; one who starts there may leave."""
    yield TableBoundary(rule="5e-17", leaving=on_the_way)
    yield ForbiddenTerrain(rule="5e-17", terrain=has_trait("impassable"), on_the_way=on_the_way, leaving=on_the_way)


def build_coherency(asked: RuleContext, rule: str = "5e-08", offence: Outcome = Outcome.ILLEGAL) -> Coherency | None:
    """Return unit coherency; a single model has none."""
    if sum(model.pose is not None for model in asked.unit.models) < 2:
        return None
    return Coherency(
        rule=rule,
        range_mm=asked.read_number("coherency_in") * MM,
        vertical_mm=get_level_mm(asked),
        chain=True,
        offence=offence,
    )


def get_level_mm(asked: RuleContext) -> float:
    """Return the difference of heights up to which models meet."""
    return asked.read_number("level_in") * MM
