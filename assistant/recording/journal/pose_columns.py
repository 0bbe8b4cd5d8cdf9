"""Pose columns: the poses of many rows `PosesSeen` at once, a column a quantity, for whoever needs all of a long game.

Row by row that takes ten times as long.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.recording.journal.cursor import GameClock, JournalCursor, RawRow, locate_error, locate_errors
from assistant.recording.journal.journal_state import LastPoses
from assistant.recording.journal.packed_poses import (
    COUNT_BYTES,
    HEAD_BYTES,
    HEIGHT_BYTES,
    LAYOUT,
    MORE,
    NUMBER_BYTES,
    OTHER_CALIBRATION,
    OTHERS,
    POSE_BYTES,
    POSE_STATE,
    RAISED,
    NameTable,
    PackedPose,
    locate_poses,
)
from assistant.recording.journal.row_types import PosesSeen
from assistant.recording.poses import POSE_STATE_NAMES

Integers = NDArray[np.int64]
ROWS_AT_ONCE = 20_000
_POSES = PosesSeen.__name__
_HELD = POSE_STATE_NAMES.index("held")
_HEAD = np.dtype([("layout", "u1"), ("flags", "u1"), ("anchors", "u1"), ("calibration", "<u2"), ("count", "<u2")])
_POSE = np.dtype([("base", "<u2"), ("flags", "u1"), ("x", "<i4"), ("y", "<i4"), ("facing", "<i2")])
"""How a pose begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoseColumns:
    """Poses, in the order in which they were written."""

    row: Integers
    """Which of the rows that were asked about tells it, counted from 0."""
    base: Integers
    """The number of its marker and model."""
    flags: Integers
    """Its state, as `POSE_STATE_NAMES` counts them, and above it what `packed_poses` says."""
    x_mm: NDArray[np.float64]
    y_mm: NDArray[np.float64]
    facing_deg: NDArray[np.float64]
    begins: Integers
    ends: Integers
    """Where in its row's body it is."""


def read_columns(bodies: Sequence[bytes]) -> PoseColumns | None:
    """Return the poses of compact bodies; None where one is damaged, and `locate_poses` says which and how."""
    ends = np.cumsum(np.array([len(body) for body in bodies], dtype=np.int64))
    begins = np.concatenate([np.zeros(1, dtype=np.int64), ends[:-1]])[: len(ends)]
    if (ends - begins < HEAD_BYTES).any():
        return None
    # A pose that is cut off is looked at beyond the end of the last body before it is found to be.
    data = np.frombuffer(b"".join(bodies) + bytes(POSE_BYTES + COUNT_BYTES + HEIGHT_BYTES), dtype=np.uint8)
    heads = data[begins[:, None] + np.arange(HEAD_BYTES)].copy().view(_HEAD)[:, 0]
    located = _locate(data, begins + HEAD_BYTES, ends, heads["count"])
    if located is None or (heads["layout"] != LAYOUT).any():
        return None
    places, places_end, rows, rows_end = located
    if ((rows_end != ends) & (heads["flags"] & MORE == 0)).any():
        return None
    order = np.argsort(rows, kind="stable")
    rows, places = rows[order], places[order]
    of_body = begins[rows]
    poses = data[places[:, None] + np.arange(_POSE.itemsize)].copy().view(_POSE)[:, 0]
    return PoseColumns(
        row=rows,
        base=poses["base"].astype(np.int64),
        flags=poses["flags"].astype(np.int64),
        x_mm=poses["x"] / 100,
        y_mm=poses["y"] / 100,
        facing_deg=poses["facing"] / 100,
        begins=places - of_body,
        ends=places_end[order] - of_body,
    )


def _locate(
    data: NDArray[np.uint8], at: Integers, ends: Integers, counts: NDArray[np.uint16]
) -> tuple[Integers, Integers, Integers, Integers] | None:
    """Return where poses begin and end and their rows, the first of every row, the second ...; and where rows end.

    None where a row ends within a pose.
    """
    places, places_end, of_rows = ([np.zeros(0, dtype=np.int64)] for _ in range(3))
    rows, at = np.arange(len(at)), at.copy()
    for done in range(int(counts.max(initial=0))):
        rows = rows[counts[rows] > done]
        here = at[rows]
        places.append(here)
        of_rows.append(rows)
        if (here + POSE_BYTES > ends[rows]).any():
            return None
        flags = data[here + 2]
        here = here + POSE_BYTES + HEIGHT_BYTES * (flags & RAISED > 0)
        others = np.where(flags & OTHERS > 0, COUNT_BYTES + HEIGHT_BYTES * data[here].astype(np.int64), 0)
        here = here + others + NUMBER_BYTES * (flags & OTHER_CALIBRATION > 0)
        if (here > ends[rows]).any():
            return None
        at[rows] = here
        places_end.append(here)
    return np.concatenate(places), np.concatenate(places_end), np.concatenate(of_rows), at


@dataclass(frozen=True, slots=True, kw_only=True)
class RowBatch:
    """Rows of a journal that follow one another, and the packed poses of all of them."""

    first: int
    """So many rows came before, of those that are read."""
    rows: Sequence[RawRow]
    times_ns: Integers
    """When each was written, since the game's beginning, as `GameClock` tells it."""
    is_packed: NDArray[np.bool_]
    """Which of them are packed poses."""
    poses: PoseColumns
    """Their rows count from this batch's first."""

    def list_others(self) -> Iterator[tuple[int, RawRow]]:
        """Yield what is no packed poses, with its place in the batch."""
        for at in np.flatnonzero(~self.is_packed).tolist():
            yield at, self.rows[at]


def read_batches(
    db: sqlite3.Connection, names: NameTable, path: Path, *, after: int = 0, clock: GameClock | None = None
) -> Iterator[RowBatch]:
    """Yield all rows of an opened journal, many at once.

    Args:
        db: the journal.
        names: learns what its rows `Named` say, of a whole batch before it is yielded.
        path: where it is.
        after: the row before the first.
        clock: as it was after that row; it is moved on.

    Raises:
        BadInput: a row cannot be read.

    """
    clock, first = clock or GameClock(), 0
    for rows in JournalCursor(db, path, after=after, names=names).batches(ROWS_AT_ONCE):
        is_packed = np.array([row.kind == _POSES and isinstance(row.body, bytes) for row in rows])
        packed = [row for row, packs in zip(rows, is_packed.tolist(), strict=True) if packs]
        poses = read_columns([row.body for row in packed])  # type: ignore[misc]  # they are bytes
        if poses is None:
            raise _find_damage(packed, path)
        unnamed = np.flatnonzero(poses.base >= len(names.bases))
        if len(unnamed):
            with locate_errors(packed[int(poses.row[unnamed[0]])], path):
                names.find_model(int(poses.base[unnamed[0]]))
        times_ns = clock.advance_all([row.captured_ns for row in rows])
        poses = replace(poses, row=np.flatnonzero(is_packed)[poses.row])
        yield RowBatch(first=first, rows=rows, times_ns=times_ns, is_packed=is_packed, poses=poses)
        first += len(rows)


def _find_damage(rows: Sequence[RawRow], path: Path) -> BadInput:
    """Return what is wrong with the first row that is not whole."""
    for row in rows:
        try:
            list(locate_poses(row.body))  # type: ignore[arg-type]  # it is bytes
        except BadInput as error:
            return locate_error(error, row, path)
    return BadInput(f"{path}: poses in it are damaged")


def follow_packed_rows(last_poses: LastPoses, rows: Sequence[tuple[int, bytes]], names: NameTable) -> None:
    """Let rows of packed poses, each with its capture time, count for where everything stands, many at once.

    What a row that is damaged tells before the damage counts, and nothing is said of that.
    """
    columns = read_columns([body for _, body in rows])
    if (
        columns is not None
        and columns.base.max(initial=-1) < len(names.bases)
        and not (columns.flags & POSE_STATE == _HELD).any()
    ):
        last = dict(zip(columns.base.tolist(), range(len(columns.base)), strict=True))
        seen = {
            names.bases[base][1]: PackedPose(
                base,
                int(columns.flags[at]) & POSE_STATE,
                rows[int(columns.row[at])][1],
                int(columns.begins[at]),
                int(columns.ends[at]),
            )
            for base, at in sorted(last.items(), key=lambda each: each[1])  # two may be markers of one model
        }
        if last_poses.follow_all(max((at_ns for at_ns, _ in rows), default=0), seen):
            return
    for at_ns, body in rows:
        with suppress(BadInput):
            last_poses.follow(at_ns, _POSES, body, names)
