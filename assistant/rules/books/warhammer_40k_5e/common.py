"""Figures and predicates that the actions share."""

from collections.abc import Iterator

from assistant.rules.constraints import Coherency, Constraint, KeepOut, OnTable, Shut
from assistant.rules.parties import Party, enemies, friends, having
from assistant.rules.rulebook import Question
from assistant.rules.usual import base_contact
from assistant.rules.verdict import Outcome

MM = 25.4
_ON_FOOT_IN = 6


def _but_wrecks(party: Party) -> Party:
    """Return a party without wrecked vehicles, which nobody minds."""
    return lambda unit, other: party(unit, other) and "wreck" not in other.keywords


FRIENDS, ENEMIES = _but_wrecks(friends), _but_wrecks(enemies)


def move_mm(asked: Question) -> float:
    """Return how far the unit's models may go: infantry on foot, unless its profile says otherwise."""
    move_in = asked.unit.profile.get("move_in", _ON_FOOT_IN)
    assert isinstance(move_in, int | float)
    return round(move_in * MM, 9)


def touching(asked: Question, *, on_the_way: bool = False) -> KeepOut:
    """Return touching an enemy as a keep-out."""
    return base_contact("5e-06", ENEMIES, 0.0, level_mm(asked), on_the_way=on_the_way, name="contact")


def inch(asked: Question) -> KeepOut:
    """Return the range around enemies that is not moved into."""
    return KeepOut(
        rule="5e-07",
        parties=ENEMIES,
        range_mm=asked.number("keep_out_in") * MM,
        vertical_mm=level_mm(asked),
        on_the_way=True,
        name="keep-out",
        leaving=True,
    )


def on_open_table(*, on_the_way: bool) -> Iterator[Constraint]:
    """Yield that no part of a base is over the edge or impassable terrain; one who starts there may leave."""
    yield OnTable(rule="5e-17", leaving=on_the_way)
    yield Shut(rule="5e-17", terrain=having("impassable"), on_the_way=on_the_way, leaving=on_the_way)


def chain(asked: Question, rule: str = "5e-08", offence: Outcome = Outcome.ILLEGAL) -> Coherency | None:
    """Return unit coherency; a single model has none."""
    if sum(model.pose is not None for model in asked.unit.models) < 2:
        return None
    return Coherency(
        rule=rule,
        range_mm=asked.number("coherency_in") * MM,
        vertical_mm=level_mm(asked),
        chain=True,
        offence=offence,
    )


def level_mm(asked: Question) -> float:
    """Return the difference of heights up to which models meet."""
    return asked.number("level_in") * MM
