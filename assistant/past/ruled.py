"""A judge's rulings on what is past."""

from typing import Literal

from assistant.errors import BadInput
from assistant.game.state import Ruling
from assistant.past.replayed import Past
from assistant.rules.overruled import deciding
from assistant.rules.verdict import Outcome


def ruling_on(
    past: Past | None, *, at_ns: int, found: int | None, outcome: Literal["legal", "illegal"], note: str
) -> Ruling:
    """Return a judge's ruling on a past moment with what the referee had said of it.

    Args:
        past: the recording; None where there is none.
        at_ns: the moment, since the game's beginning.
        found: the number of the finding that it is about; None for the verdict as a whole.
        outcome: what the call comes to.
        note: why, in a sentence.

    Raises:
        BadInput: nothing is recorded, or there is no such finding.

    """
    if past is None:
        raise BadInput("this game is not recorded, so no ruling on its past can be")
    if found is None:
        moment = past.at(at_ns)
        declared, verdict = moment.session.state.declared, moment.session.answer().verdict
        finding = deciding(verdict) if verdict else None
        return Ruling(
            by="judge",
            outcome=outcome,
            note=note.strip(),
            unit=declared.unit if declared else None,
            action=declared.action if declared else None,
            referee=verdict.outcome if verdict and verdict.outcome is not Outcome.NOTE else "",
            text=finding.text if finding else "",
            at_ns=past.began_ns + moment.at_ns,
        )
    known = past.judged().found.get(found)
    if known is None:
        raise BadInput(f"there is no finding {found} in this game: choose one of the list")
    declared = past.at(known.at_ns).session.state.declared
    return Ruling(
        by="judge",
        outcome=outcome,
        note=note.strip(),
        unit=declared.unit if declared else None,
        action=declared.action if declared else None,
        rule=known.finding.rule,
        subjects=known.finding.subjects,
        referee=known.finding.outcome,
        text=known.finding.text,
        at_ns=past.began_ns + known.at_ns,
    )


def ruling_of(past: Past | None, number: int) -> Ruling:
    """Return a ruling that holds.

    Args:
        past: the recording; None where there is none.
        number: of the ruling, in the order in which they were made.

    Raises:
        BadInput: nothing is recorded, or no such ruling holds.

    """
    made = next((each for each in past.judged().decided if each.number == number), None) if past else None
    if made is None:
        raise BadInput("this ruling was taken back already: look again at the list")
    return made.ruling
