"""A moment of a game as a situation file, so that what was disputed there can be judged again anywhere."""

import json
from pathlib import Path
from typing import Any

from assistant.errors import BadInput
from assistant.files.output_path import is_json_of
from assistant.game.situation_file import encode_situation, parse_situation
from assistant.game.state import NO_RULEBOOK, GameState
from assistant.replay.exports.exporter import Exporter, ExportOptions
from assistant.replay.formatting import parse_clock
from assistant.replay.moves import find_move
from assistant.replay.recorded_game import RecordedGame
from assistant.rules.answer_documents import encode_verdict
from assistant.rules.referee import judge
from assistant.table.declared_move import find_current_verdict, find_judged_move


def build_situation(state: GameState, name: str) -> dict[str, Any]:
    """Return a game with the move that is judged in it as a situation; `judge` gives on it what the game gave.

    Args:
        state: the game at a moment.
        name: what the moment is called in an error.

    Raises:
        BadInput: nothing was judged then, or a situation cannot hold it.

    """
    if state.rulebook == NO_RULEBOOK:
        raise BadInput(f"{name}: on this table nothing is judged, so there is nothing to judge again")
    judged = find_judged_move(state)
    if judged is None:
        raise BadInput(f"{name}: the referee could say nothing yet; choose a moment after the dice were entered")
    (referee, move), turn = judged, state.turn
    if turn is not None and turn.player not in {unit.player for unit in referee.state.units if unit.models}:
        raise BadInput(
            f"{name}: {turn.player}, whose turn it is, has no model left, which a situation file cannot hold;"
            " choose a moment before that"
        )
    document = encode_situation(referee.state, move)
    given = find_current_verdict(state)
    assert given is not None
    again = parse_situation(json.loads(json.dumps(document)), name)
    if encode_verdict(judge(again.state, again.move)) != encode_verdict(given):
        raise BadInput(f"{name}: a situation file cannot hold all that the verdict of this moment rests on")
    return document


def export_situation(recording: Path, out: Path, options: ExportOptions) -> str:
    """Write a moment or a move of a recorded game as a situation file."""
    if (options.at is None) == (options.move is None):
        raise BadInput("export: of which moment? give --at TIME or --move NUMBER, as --to moves lists them")
    if options.move is not None:
        move = find_move(recording, options.move)
        document = build_situation(move.state, f"{recording}: move {options.move}")
    else:
        past = RecordedGame(recording)
        at_ns = parse_clock(options.at or "", recording=recording, ended_ns=past.find_end_ns())
        document = build_situation(past.find_moment(at_ns).session.state, f"{recording}: at {options.at}")
    out.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return "a move and where everything stood" if "move" in document else "where everything stood"


EXPORTER = Exporter(
    name="situation file",
    export=export_situation,
    options=frozenset({"at", "move"}),
    recognises=is_json_of("overtable.situation"),
)
