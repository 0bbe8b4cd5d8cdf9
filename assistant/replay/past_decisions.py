"""Decisions about a past moment: a judge's ruling on it, and putting the table back to how it stood then."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from assistant.errors import BadInput
from assistant.game.events import Swapped
from assistant.game.history import exchange_model
from assistant.game.state import GameState, Restoring, Ruling
from assistant.replay.formatting import format_clock
from assistant.replay.recorded_game import RecordedGame
from assistant.rules.verdict import Outcome, find_deciding_finding
from assistant.table.restore import list_targets


def build_past_ruling(
    past: RecordedGame | None, *, at_ns: int, number: int | None, outcome: Literal["legal", "illegal"], note: str
) -> Ruling:
    """Return a judge's ruling on a past moment with what the referee had said of it.

    Args:
        past: the recording; None where there is none.
        at_ns: the moment, since the game's beginning.
        number: the number of the finding that it is about; None for the verdict as a whole.
        outcome: what the call comes to.
        note: why, in a sentence.

    Raises:
        BadInput: nothing is recorded, or there is no such finding.

    """
    if past is None:
        raise BadInput("this game is not recorded, so no ruling on its past can be")
    if number is None:
        moment = past.find_moment(at_ns)
        declared, verdict = moment.session.state.declared, moment.session.consult_referee().verdict
        finding = find_deciding_finding(verdict) if verdict else None
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
    logged = past.judge_all().findings.get(number)
    if logged is None:
        raise BadInput(f"there is no finding {number} in this game: choose one of the list")
    declared = past.find_moment(logged.at_ns).session.state.declared
    return Ruling(
        by="judge",
        outcome=outcome,
        note=note.strip(),
        unit=declared.unit if declared else None,
        action=declared.action if declared else None,
        rule=logged.finding.rule,
        subjects=logged.finding.subjects,
        referee=logged.finding.outcome,
        text=logged.finding.text,
        at_ns=past.began_ns + logged.at_ns,
    )


def find_ruling(past: RecordedGame | None, number: int) -> Ruling:
    """Return a ruling that holds.

    Args:
        past: the recording; None where there is none.
        number: of the ruling, in the order in which they were made.

    Raises:
        BadInput: nothing is recorded, or no such ruling holds.

    """
    logged = next((each for each in past.judge_all().rulings if each.number == number), None) if past else None
    if logged is None:
        raise BadInput("this ruling was taken back already: look again at the list")
    return logged.ruling


def find_captured_ns(past: RecordedGame | None, at_ns: int) -> int:
    """Return the captured time of a moment since the game's beginning; BadInput if nothing is recorded."""
    if past is None:
        raise BadInput("this game is not recorded, so there is no past to say it of: say it from now on")
    return past.began_ns + at_ns


def plan_restoring(past: RecordedGame | None, at_ns: int, swaps: Sequence[Swapped] = ()) -> Restoring:
    """Return what is put back when the table goes back to a moment of its own game.

    Args:
        past: the recording; None where there is none.
        at_ns: the moment, since the game's beginning.
        swaps: which models are known by now to carry each other's markers, and since when; where they were taken for
            each other then, each goes back to where the other was thought to stand.

    Raises:
        BadInput: nothing is recorded.

    """
    if past is None:
        raise BadInput("this game is not recorded, so it is not known how the table stood then")
    moment = past.find_moment(at_ns)
    captured_ns, places = past.began_ns + moment.at_ns, list_targets(moment.session.state)
    known = moment.session.swaps
    for swap in swaps:
        if swap not in known and swap.since_ns is not None and swap.since_ns <= captured_ns:
            places = {exchange_model(swap.models, model): stood for model, stood in places.items()}
    return Restoring(places=places, when=format_clock(moment.at_ns), at_ns=captured_ns)


def plan_restoring_from_recording(path: Path, at_ns: int | None, game: GameState) -> Restoring:
    """Return what is put back when a table is laid as another recording left it, or had it at a moment.

    Nothing of that game but the places is taken over: what was on its way there stands where it was.

    Raises:
        BadInput: it is no recording, or none of the models of the game here stood on its table.

    """
    past = RecordedGame(path)
    ended_ns = past.find_end_ns()
    moment = past.find_moment(ended_ns if at_ns is None else at_ns)
    own = {model.id: model.base for _, model in game.iterate_models()}
    bases = {model.id: model.base for _, model in moment.session.state.iterate_models()}
    places = {
        model: replace(stood, accepted=stood.place, track=None)
        for model, stood in list_targets(moment.session.state).items()
        if own.get(model) == bases[model]
    }
    if not places:
        raise BadInput(f"--restore: {path}: no model of this game stands on that table then")
    when = f"the end of {path.name}" if at_ns is None else f"{format_clock(moment.at_ns)} in {path.name}"
    return Restoring(places=places, when=when)
