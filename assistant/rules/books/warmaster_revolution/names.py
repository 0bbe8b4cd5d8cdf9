"""The fields of a charge and an evade, and whom the tablet offers for them."""

from collections.abc import Iterable

from assistant.rules.books.warmaster_revolution.barrier import may_be_ignored
from assistant.rules.books.warmaster_revolution.foes import all_foes, foes
from assistant.rules.books.warmaster_revolution.initiative import nameable, within_range
from assistant.rules.rulebook import Key, Names, Question
from assistant.rules.verdict import Outcome

_WORD = "enemy unit (characters aside)"


def _among(asked: Question) -> Iterable[str]:
    return all_foes(asked.state, asked.unit)


def _to_name(asked: Question) -> Iterable[str]:
    """Return those whom a unit may charge or evade from, the closest first: all of them, if it charges by order."""
    return [foe.unit.id for foe in foes(asked)] if asked.intent.get("ordered", False) else nameable(asked)


def _to_ignore(asked: Question) -> Iterable[str]:
    """Return the enemies near enough to matter that a unit may ignore, or of whom that is too close to call."""
    near = [foe.unit for foe in foes(asked) if within_range(asked, foe).outcome is not Outcome.ILLEGAL]
    return [unit.id for unit in near if may_be_ignored(asked, unit) is not False]


TOWARD = Key(
    name="toward",
    values=str,
    statement="the enemy unit that it charges or evades from",
    names=Names(word=_WORD, among=_among, offered=_to_name),
)
ORDERED = Key(name="ordered", values=bool, statement="the charge is made by order, not by initiative")
IGNORES = Key(
    name="ignores",
    values=tuple,
    statement="enemy units that it ignores, being fortified or past a barrier that neither side comes round",
    names=Names(word=_WORD, among=_among, offered=_to_ignore),
)
