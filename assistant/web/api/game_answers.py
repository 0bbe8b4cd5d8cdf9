"""Game answers: what the referee says of the game as it stands now, as documents for programs.

Each is what the command of the same name says of the situation; the game itself is left alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from assistant.errors import BadInput
from assistant.game.situation_file import encode_situation
from assistant.game.state import NO_RULEBOOK, GameState
from assistant.rules.answer_documents import encode_actions, encode_verdict, encode_zone
from assistant.rules.referee import Referee
from assistant.table.declared_move import find_current_verdict, find_judged_move

NO_GAME = "no game is on this table yet"
NOT_JUDGED = "on this table nothing is judged"
NOT_YET = "the referee can say nothing yet: a die is missing, or no model was seen"


def describe_situation(state: GameState | None) -> dict[str, Any]:
    """Return where everything stands; BadInput where there is no game."""
    return encode_situation(_settle(state))


def describe_verdict(state: GameState | None) -> dict[str, Any]:
    """Return the verdict on what stands now, before anybody ruled on it; BadInput where none is given."""
    verdict = find_current_verdict(_require_judged(state))
    if verdict is None:
        raise BadInput(NOT_YET)
    return encode_verdict(verdict)


def describe_move(state: GameState | None) -> dict[str, Any]:
    """Return the position and the move of which that verdict is given; BadInput where none is."""
    judged = find_judged_move(_require_judged(state))
    if judged is None:
        raise BadInput(NOT_YET)
    referee, move = judged
    return encode_situation(referee.state, move)


def describe_actions(state: GameState | None, unit: str) -> dict[str, Any]:
    """Return which actions a unit may choose from where it stands; BadInput where there is no such unit."""
    return encode_actions(unit, Referee(_settle(_require_judged(state))).list_options(unit))


def describe_zone(
    state: GameState | None,
    *,
    model: str,
    unit: str,
    action: str,
    rolls: Sequence[int],
    facing: Literal["any", "keep"],
    alone: bool,
) -> dict[str, Any]:
    """Return where a model, or any model of a unit, may end an action from where it stands.

    Raises:
        BadInput: there is no such model, unit or action, or dice are missing.

    """
    if bool(model) == bool(unit):
        raise BadInput("expected either model or unit")
    referee = Referee(_settle(_require_judged(state)))
    if model:
        answer = referee.find_zone(model=model, action=action, rolls=tuple(rolls), facing=facing, alone=alone)
    else:
        answer = referee.find_unit_zone(unit=unit, action=action, rolls=tuple(rolls), facing=facing)
    return encode_zone(answer)


def _settle(state: GameState | None) -> GameState:
    """Return the game with every model where it stands, and nothing announced."""
    if state is None:
        raise BadInput(NO_GAME)
    return replace(state.apply_tracks(), tracks={}, declared=None)


def _require_judged(state: GameState | None) -> GameState:
    if state is None:
        raise BadInput(NO_GAME)
    if state.rulebook == NO_RULEBOOK:
        raise BadInput(NOT_JUDGED)
    return state
