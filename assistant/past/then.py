"""Where everything stood at a moment that is past, to put the table back to it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assistant.errors import BadInput
from assistant.game.events import Swapped
from assistant.game.history import other_of
from assistant.game.state import GameState, Restoring
from assistant.past.incident import clock_said
from assistant.past.replayed import Past
from assistant.restoring import targets


def captured_at(past: Past | None, at_ns: int) -> int:
    """Return the captured time of a moment since the game's beginning; BadInput if nothing is recorded."""
    if past is None:
        raise BadInput("this game is not recorded, so there is no past to say it of: say it from now on")
    return past.began_ns + at_ns


def restoring_at(past: Past | None, at_ns: int, swaps: Sequence[Swapped] = ()) -> Restoring:
    """Return what is put back when the table goes back to a moment of its own game.

    Args:
        past: the recording; None where there is none.
        at_ns: the moment, since the game's beginning.
        swaps: which models are known by now to carry each other's tags, and since when; where they were taken for each
            other then, each goes back to where the other was thought to stand.

    Raises:
        BadInput: nothing is recorded.

    """
    if past is None:
        raise BadInput("this game is not recorded, so it is not known how the table stood then")
    moment = past.at(at_ns)
    captured_ns, places = past.began_ns + moment.at_ns, targets(moment.session.state)
    known = moment.session.swaps
    for swap in swaps:
        if swap not in known and swap.since_ns is not None and swap.since_ns <= captured_ns:
            places = {other_of(swap.models, model): stood for model, stood in places.items()}
    return Restoring(places=places, when=clock_said(moment.at_ns), at_ns=captured_ns)


def restoring_from(path: Path, at_ns: int | None, game: GameState) -> Restoring:
    """Return what is put back when a table is laid as another recording left it, or had it at a moment.

    Nothing of that game but the places is taken over: what was on its way there stands where it was.

    Raises:
        BadInput: it is no recording, or none of the models of the game here stood on its table.

    """
    past = Past(path)
    ended_ns = past.ended_ns()
    moment = past.at(ended_ns if at_ns is None else at_ns)
    own = {model.id: model.base for _, model in game.models()}
    bases = {model.id: model.base for _, model in moment.session.state.models()}
    places = {
        model: replace(stood, accepted=stood.place, track=None)
        for model, stood in targets(moment.session.state).items()
        if own.get(model) == bases[model]
    }
    if not places:
        raise BadInput(f"--restore: {path}: no model of this game stands on that table then")
    when = f"the end of {path.name}" if at_ns is None else f"{clock_said(moment.at_ns)} in {path.name}"
    return Restoring(places=places, when=when)
