"""A moment of a game as a situation file, so that what was disputed there can be judged again anywhere."""

import json
from typing import Any

from assistant.errors import BadInput
from assistant.game.situation import from_json, to_json
from assistant.game.state import NO_RULEBOOK, GameState
from assistant.judged import asked_of, verdict_on
from assistant.rules.formats import verdict_json
from assistant.rules.judge import judge


def disputed(state: GameState, name: str) -> dict[str, Any]:
    """Return a game with the move that is judged in it as a situation; `judge` gives on it what the game gave.

    Args:
        state: the game at a moment.
        name: what the moment is called in an error.

    Raises:
        BadInput: nothing was judged then, or a situation cannot hold it.

    """
    if state.rulebook == NO_RULEBOOK:
        raise BadInput(f"{name}: on this table nothing is judged, so there is nothing to judge again")
    asked = asked_of(state)
    if asked is None:
        raise BadInput(f"{name}: the referee could say nothing yet; choose a moment after the dice were entered")
    turn = state.turn
    if turn is not None and turn.player not in {unit.player for unit in asked[0].units if unit.models}:
        raise BadInput(
            f"{name}: {turn.player}, whose turn it is, has no model left, which a situation file cannot hold;"
            " choose a moment before that"
        )
    document = to_json(*asked)
    given = verdict_on(state)
    assert given is not None
    again = from_json(json.loads(json.dumps(document)), name)
    if verdict_json(judge(again.state, again.move)) != verdict_json(given):
        raise BadInput(f"{name}: a situation file cannot hold all that the verdict of this moment rests on")
    return document
