"""Where models stood in a game, and for how long."""

import math
from collections import defaultdict
from pathlib import Path

from pydantic import Field

from assistant.files import Format
from assistant.game.events import Accepted, ModelPlaced, ModelSettled, ModelsRemoved
from assistant.game.state import GameState
from assistant.past.breaks import Breaks
from assistant.past.playing import Clock
from assistant.poses import STATES
from assistant.record.along import entry_in, in_row, named_in, rows_after
from assistant.record.compact import spots
from assistant.record.journal import PosesSeen
from assistant.record.names import Names
from assistant.record.reading import opened
from assistant.record.seen import LEDGER, Named

CELL_MM = 25.4
"""A cell of the heat map."""
LEAST_NS = 50_000_000
"""What a model only slides over is left out."""
Cells = tuple[tuple[int, int, float], ...]
"""Column from the left, row from the near edge, seconds."""


class Heat(Format):
    """Where models stood, and for how long."""

    cell_mm: float
    columns: int
    rows: int
    seconds: dict[str, Cells] = Field(description="by player: column from the left, row from the near edge, seconds")


def heat_of(path: Path, game: GameState, breaks: Breaks) -> tuple[Heat, int]:
    """Return where models stood in a recording, and when it ends, since its beginning.

    Args:
        path: the recording.
        game: what it began with.
        breaks: when nobody played.

    Raises:
        BadInput: it cannot be read.

    """
    found, clock, names = HeatMap(game, breaks), Clock(), Names()
    with opened(path) as db:
        for row in rows_after(db, path, 0):
            at_ns = clock.at(row.captured_ns)
            if row.kind == PosesSeen.__name__ and isinstance(row.body, bytes):
                with in_row(row, path):
                    for base, state, x_mm, y_mm in spots(row.body):
                        found.see(names.model(base), STATES[state], (x_mm, y_mm), at_ns)
            elif row.kind == Named.__name__:
                names.add(named_in(row, path))
            elif row.kind not in LEDGER:
                found.take(entry_in(row, names, path).what, at_ns)
    return found.over(clock.at_ns), clock.at_ns


class HeatMap:
    """Adds up for how long models stood where; a model counts from when it is first seen until it is lost."""

    def __init__(self, game: GameState, breaks: Breaks) -> None:
        """Begin with a game's first state."""
        self._game, self._breaks = game, breaks
        self._owner = {model.id: unit.player for unit, model in game.models()}
        self._here: dict[str, tuple[int, int, int]] = {}
        """Column, row, and since when, by model."""
        self._ns: dict[str, dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))

    def see(self, model: str, state: str, at_mm: tuple[float, float], at_ns: int) -> None:
        """Take in how a model was seen."""
        if state == "seen":
            self._stand(model, at_mm, at_ns)
        elif state == "lost":
            self._leave(model, at_ns)

    def take(self, event: object, at_ns: int) -> None:
        """Take in what happened."""
        match event:
            case PosesSeen(poses=poses):
                for pose in poses:
                    self.see(pose.model, pose.state, (pose.x_mm, pose.y_mm), at_ns)
            case ModelPlaced(model=model, pose=pose) | ModelSettled(model=model, path=(*_, pose)):
                self._stand(model, (pose.x_mm, pose.y_mm), at_ns)
            case Accepted(off=off, lost=lost):
                for model in (*off, *lost):
                    self._leave(model, at_ns)
            case ModelsRemoved(models=models):
                for model in models:
                    self._leave(model, at_ns)

    def over(self, end_ns: int) -> Heat:
        """Return the map at the end of the game."""
        for model in list(self._here):
            self._leave(model, end_ns)
        table = self._game.table
        columns, rows = math.ceil(table.width_mm / CELL_MM), math.ceil(table.depth_mm / CELL_MM)
        return Heat(
            cell_mm=CELL_MM,
            columns=columns,
            rows=rows,
            seconds={
                player: tuple(
                    (column, row, round(ns / 1e9, 1))
                    for (column, row), ns in sorted(cells.items())
                    if 0 <= column < columns and 0 <= row < rows and ns >= LEAST_NS
                )
                for player, cells in sorted(self._ns.items())
            },
        )

    def _stand(self, model: str, at_mm: tuple[float, float], at_ns: int) -> None:
        column, row = int(at_mm[0] // CELL_MM), int(at_mm[1] // CELL_MM)
        known = self._here.get(model)
        if known is None or known[0] != column or known[1] != row:
            self._leave(model, at_ns)
            if model in self._owner:
                self._here[model] = column, row, at_ns

    def _leave(self, model: str, at_ns: int) -> None:
        known = self._here.pop(model, None)
        if known is not None:
            column, row, since_ns = known
            self._ns[self._owner[model]][column, row] += self._breaks.played_ns(since_ns, at_ns)
