"""A moment of a game as a situation file, so that what was disputed there can be judged again anywhere."""

import json
from typing import Any

from assistant.errors import BadInput
from assistant.game.situation_file import encode_situation, parse_situation
from assistant.game.state import NO_RULEBOOK, GameState
from assistant.rules.answer_documents import encode_verdict
from assistant.rules.referee import judge
from assistant.table.declared_move import find_current_verdict, find_judged_move


def export_situation(state: GameState, name: str) -> dict[str, Any]:
    """Return a game with the move that is judged in it as a situation; `judge` gives on it what the game gave.

    Args:
        state: the game at a moment.
        name: what the moment is called in an error.

    Raises:
        BadInput: nothing was judged then, or a situation cannot hold it.

    """
    if state.rulebook == NO_RULEBOOK:
        raise BadInput(f"{name}: on this table nothing is judged, so there is nothing to judge again")
    asked = find_judged_move(state)
    if asked is None:
        raise BadInput(f"{name}: the referee could say nothing yet; choose a moment after the dice were entered")
    turn = state.turn
    if turn is not None and turn.player not in {unit.player for unit in asked[0].units if unit.models}:
        raise BadInput(
            f"{name}: {turn.player}, whose turn it is, has no model left, which a situation file cannot hold;"
            " choose a moment before that"
        )
    document = encode_situation(*asked)
    given = find_current_verdict(state)
    assert given is not None
    again = parse_situation(json.loads(json.dumps(document)), name)
    if encode_verdict(judge(again.state, again.move)) != encode_verdict(given):
        raise BadInput(f"{name}: a situation file cannot hold all that the verdict of this moment rests on")
    return document
