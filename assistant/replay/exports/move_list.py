"""The moves of a recorded game as a list in words, a line each."""

from collections.abc import Iterator
from pathlib import Path

from assistant.replay.exports.exporter import Exporter, ExportOptions, write_lines
from assistant.replay.moves import RecordedMove, describe_judged_move, judge_moves, read_moves
from assistant.replay.recorded_game import RecordedGame

OPENING = "Moves of"
"""How such a list begins."""


def format_moves(moves: list[RecordedMove]) -> Iterator[str]:
    """Yield a line for each move."""
    for move, verdict in judge_moves(moves):
        yield f"{move.number:3}. {describe_judged_move(move, verdict)}"


def export_moves(recording: Path, out: Path, options: ExportOptions) -> str:  # noqa: ARG001 - an `Export`
    """Write the moves of a recorded game as a list."""
    moves = read_moves(recording)
    write_lines(out, (f"{OPENING} {RecordedGame(recording).title}", "", *format_moves(moves)))
    return f"{len(moves)} moves"


EXPORTER = Exporter(
    name="list of moves",
    export=export_moves,
    recognises=lambda head: head.startswith(OPENING.encode()),
)
