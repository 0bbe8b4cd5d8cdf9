"""The heat map: where models stood in a whole game, and for how long, of one pass along its journal."""

import math
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from assistant.files.documents import Format
from assistant.game.events import Accepted, ModelPlaced, ModelSettled, ModelsRemoved, SourceChanged
from assistant.game.state import GameState
from assistant.recording.journal.cursor import decode_entry
from assistant.recording.journal.packed_poses import POSE_STATE, NameTable
from assistant.recording.journal.pose_columns import RowBatch, read_batches
from assistant.recording.journal.reader import open_journal
from assistant.recording.journal.row_types import BOOKKEEPING_KINDS, PosesSeen
from assistant.recording.poses import POSE_STATE_NAMES
from assistant.replay.formatting import SECOND_NS
from assistant.replay.reports.breaks import Breaks, find_breaks

CELL_MM = 25.4
"""A cell of the heat map."""
LEAST_STAY_NS = 50_000_000
"""What a model only slides over is left out."""
Cells = tuple[tuple[int, int, float], ...]
"""Column from the left, row from the near edge, seconds."""
Integers = NDArray[np.int64]
_SEEN, _LOST = (POSE_STATE_NAMES.index(name) for name in ("seen", "lost"))
_NOWHERE, _NONE = -1, np.zeros(0, dtype=np.int64)
_FIRST, _WIDE = 1 << 20, 1 << 22
"""A cell has one number: columns and rows count from minus the first, and so many rows are in a column."""


class Heat(Format):
    """Where models stood, and for how long."""

    cell_mm: float
    columns: int
    rows: int
    seconds: dict[str, Cells] = Field(description="by player: column from the left, row from the near edge, seconds")


def compute_heat(path: Path, game: GameState) -> tuple[Heat, Breaks, int]:
    """Return where models stood in a recording, when nobody played, and when it ends, since its beginning.

    Args:
        path: the recording.
        game: what it began with.

    Raises:
        BadInput: it cannot be read.

    """
    heat, names, times, sources = HeatAccumulator(game), NameTable(), [_NONE], list[tuple[int, SourceChanged]]()
    with open_journal(path) as db:
        for batch in read_batches(db, names, path):
            times.append(batch.times_ns)
            heat.add_poses(batch, names)
            for at, row in batch.list_others():
                if row.kind not in BOOKKEEPING_KINDS:
                    what = decode_entry(row, names, path).what
                    heat.add_event(what, int(batch.times_ns[at]), batch.first + at)
                    if isinstance(what, SourceChanged):
                        sources.append((batch.first + at, what))
    times_ns = np.concatenate(times)
    end_ns = int(times_ns.max(initial=0))
    breaks = find_breaks(times_ns, sources)
    return heat.finish(end_ns, breaks), breaks, end_ns


class HeatAccumulator:
    """Adds up for how long models stood where; a model counts from when it is first seen until it is lost."""

    def __init__(self, game: GameState) -> None:
        """Begin with a game's first state."""
        self._table = game.table
        owners = {model.id: unit.player for unit, model in game.iterate_models()}
        self._players = sorted(set(owners.values()))
        self._owner = np.array([self._players.index(player) for player in owners.values()], dtype=np.int64)
        self._models = {model: number for number, model in enumerate(owners)}
        self._packed: list[tuple[Integers, Integers, Integers, Integers]] = []
        """Row, model, cell and time of sightings."""
        self._told: list[tuple[int, int, int, int]] = []

    def add_poses(self, batch: RowBatch, names: NameTable) -> None:
        """Take in how models were seen in rows of a journal."""
        poses = batch.poses
        numbers = np.array([self._models.get(model, _NOWHERE) for _, model in names.bases], dtype=np.int64)
        model, state = numbers[poses.base], poses.flags & POSE_STATE
        cell = np.where(state == _LOST, _NOWHERE, _number_cells(poses.x_mm, poses.y_mm))
        counts = (model >= 0) & ((state == _SEEN) | (state == _LOST))
        rows = poses.row[counts]
        self._packed.append((rows + batch.first, model[counts], cell[counts], batch.times_ns[rows]))

    def add_event(self, event: object, at_ns: int, row: int) -> None:
        """Take in what happened."""
        match event:
            case PosesSeen(poses=poses):
                for pose in poses:
                    if pose.state in {"seen", "lost"}:
                        self._add(pose.model, (pose.x_mm, pose.y_mm) if pose.state == "seen" else None, at_ns, row)
            case ModelPlaced(model=model, pose=pose) | ModelSettled(model=model, path=(*_, pose)):
                self._add(model, (pose.x_mm, pose.y_mm), at_ns, row)
            case Accepted(off=off, lost=lost):
                for model in (*off, *lost):
                    self._add(model, None, at_ns, row)
            case ModelsRemoved(models=models):
                for model in models:
                    self._add(model, None, at_ns, row)

    def _add(self, model: str, at_mm: tuple[float, float] | None, at_ns: int, row: int) -> None:
        if (number := self._models.get(model)) is not None:
            cell = _NOWHERE if at_mm is None else int(_number_cells(np.array(at_mm[0]), np.array(at_mm[1])))
            self._told.append((row, number, cell, at_ns))

    def finish(self, end_ns: int, breaks: Breaks) -> Heat:
        """Return the map at the end of the game."""
        told = np.array(self._told, dtype=np.int64).reshape(-1, 4).T
        row, model, cell, at_ns = (np.concatenate(each) for each in zip(*self._packed, told, strict=True))
        order = np.lexsort((row, model))  # it keeps the order of what one row tells of a model
        model, cell, at_ns = model[order], cell[order], at_ns[order]
        is_news = np.ones(len(model), dtype=bool)
        is_news[1:] = (model[1:] != model[:-1]) | (cell[1:] != cell[:-1])
        model, cell, since_ns = model[is_news], cell[is_news], breaks.remove(at_ns[is_news])
        until_ns = np.append(since_ns[1:], 0)
        until_ns[np.append(model[1:] != model[:-1], True)[: len(model)]] = breaks.remove(np.array([end_ns]))[0]
        seconds: dict[str, dict[tuple[int, int], int]] = defaultdict(dict)
        stays = cell != _NOWHERE
        keys, places = np.unique(np.stack([self._owner[model[stays]], cell[stays]]), axis=1, return_inverse=True)
        lasted_ns = np.zeros(keys.shape[1], dtype=np.int64)
        np.add.at(lasted_ns, places.reshape(-1), (until_ns[: len(model)] - since_ns)[stays])
        for player, number, ns in zip(*keys.tolist(), lasted_ns.tolist(), strict=True):
            column, across = divmod(number, _WIDE)
            seconds[self._players[player]][column - _FIRST, across - _FIRST] = ns
        columns, rows = math.ceil(self._table.width_mm / CELL_MM), math.ceil(self._table.depth_mm / CELL_MM)
        return Heat(
            cell_mm=CELL_MM,
            columns=columns,
            rows=rows,
            seconds={
                player: tuple(
                    (column, row, round(ns / SECOND_NS, 1))
                    for (column, row), ns in sorted(cells.items())
                    if 0 <= column < columns and 0 <= row < rows and ns >= LEAST_STAY_NS
                )
                for player, cells in sorted(seconds.items())
            },
        )


def _number_cells(x_mm: NDArray[np.float64], y_mm: NDArray[np.float64]) -> Integers:
    columns, rows = (np.floor_divide(along, CELL_MM).astype(np.int64) + _FIRST for along in (x_mm, y_mm))
    return np.asarray(columns * _WIDE + rows, dtype=np.int64)
