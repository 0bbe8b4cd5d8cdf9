"""Playback: a recording from its first entry to its last, each with the game before and after it.

It is played whole; without how models were seen, which takes a tenth of the time; or downsampled, with every event, and
of what moves no more than an eye can follow.
"""

import json
import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from assistant.errors import BadInput
from assistant.game.events import SourceChanged
from assistant.game.situation_file import parse_situation
from assistant.game.state import GameState
from assistant.recording.journal.cursor import (
    GameClock,
    JournalCursor,
    RawRow,
    Scan,
    decode_entry,
    find_last_summary,
    follow_row,
    read_entries,
    read_names,
)
from assistant.recording.journal.journal_state import LastPoses
from assistant.recording.journal.packed_poses import (
    MOVING,
    POSE_STATE,
    NameTable,
    PackedPose,
    locate_poses,
    unpack_pose,
)
from assistant.recording.journal.pose_columns import RowBatch, read_batches
from assistant.recording.journal.reader import open_journal, read_about
from assistant.recording.journal.row_types import BOOKKEEPING_KINDS, JournalEntry, ObservationRow, PosesSeen, Standing
from assistant.recording.poses import PoseEntry
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybackStep:
    """An entry of a journal, taken in."""

    at_ns: int
    """Since the game's beginning; it never goes back."""
    entry: JournalEntry
    before: GameState
    decision: object
    """What taking back would have taken back before it; None if nothing."""
    session: GameSession
    """After it; the same object at every step."""


def play_recording(
    path: Path, *, until: Callable[[int, GameSession], None] | None = None, about: Mapping[str, str] | None = None
) -> Iterator[PlaybackStep]:
    """Play a recording.

    Args:
        path: the recording.
        about: what the game began with, where that is to be another than it says itself.
        until: is told when the next entry happened, and the game as it stood until then.

    Raises:
        BadInput: it cannot be read, here or while it is played.

    """
    clock = GameClock()
    session = GameSession(read_first_state(path, about or read_about(path)), solve_zone=skip_zone)
    for entry in read_entries(path):
        at_ns = clock.advance(entry.captured_ns)
        if until is not None:
            until(at_ns, session)
        yield _play_step(session, entry, at_ns, path)


def play_events(path: Path) -> Iterator[PlaybackStep]:
    """Play what was told in a recording, without how models were seen meanwhile, which takes a hundred times as long.

    The session's poses stay empty; errors as in `play_recording`.
    """
    clock = GameClock()
    session = GameSession(read_first_state(path, read_about(path)), solve_zone=skip_zone)
    with open_journal(path) as db:
        for row in JournalCursor(db, path, scan=Scan.EVENTS, clock=clock).rows():
            if row.kind == Standing.__name__:
                clock.catch_up(row, path)
            elif row.kind != PosesSeen.__name__ and row.kind not in BOOKKEEPING_KINDS:
                yield _play_step(session, decode_entry(row, NameTable(), path), clock.at_ns, path)


def _play_step(session: GameSession, entry: JournalEntry, at_ns: int, path: Path) -> PlaybackStep:
    before, decision = session.state, session.last_decision
    play_entry(session, entry, path)
    return PlaybackStep(at_ns=at_ns, entry=entry, before=before, decision=decision, session=session)


def read_first_state(path: Path, about: Mapping[str, str]) -> GameState:
    """Return what a recorded game began with.

    Raises:
        BadInput: it does not say.

    """
    try:
        situation = json.loads(about["situation"])
    except (KeyError, ValueError):
        raise BadInput(f"{path}: it does not hold the situation that the game began with") from None
    return parse_situation(situation, f"{path}: situation").state


def play_entry(session: GameSession, entry: JournalEntry, path: Path) -> SourceChanged | None:
    """Let a session take in one entry of a journal; return what it tells of the camera, if that is what it does.

    Raises:
        BadInput: it does not fit the game.

    """
    session.now_ns = entry.captured_ns
    if isinstance(entry.what, ObservationRow):
        session.apply_observation(entry.what)
        return None
    if isinstance(entry.what, SourceChanged):
        return entry.what
    try:
        session.record_event(entry.what)
    except KeyError as error:
        raise BadInput(f"{path}: event {entry.id}: there is no {error} in this game") from None
    except BadInput as error:
        raise BadInput(f"{path}: event {entry.id}: {error}") from None
    return None


DOWNSAMPLED_NS = 100_000_000
"""Pictures of what moves are kept so far apart: an eye takes ten a second for a slide."""
LEAST_MM, LEAST_DEG = 1.0, 1.0
"""What has moved by less is kept where it was until it comes to rest: on no screen is that a whole pixel."""
_SURELY_MM = 0.7 * LEAST_MM
"""Who has moved by less along each axis has surely moved by less than that."""
_MOTION = MOVING | POSE_STATE
_NO_POSES: PosesSeen = PosesSeen(anchors_seen=0, calibration="", poses=())


def play_downsampled(path: Path, start: int = 0) -> Iterator[PlaybackStep]:
    """Play a recording; steps of poses tell those of several pictures at once.

    Args:
        path: the recording.
        start: the first entry whose step is yielded; it and those after it are the same whichever that is.

    Raises:
        BadInput: it cannot be read, here or while it is played.

    """
    names, clock, poses, shown_ns, after = NameTable(), GameClock(), _PendingPoses(), -DOWNSAMPLED_NS, 0
    session = GameSession(read_first_state(path, read_about(path)), solve_zone=skip_zone)
    with open_journal(path) as db:
        if (rest := _find_rest(db, path, start)) is not None:
            after, names = rest.row, read_names(db, path, until=rest.row)
            for row in JournalCursor(db, path, scan=Scan.EVENTS, clock=clock).rows():
                if row.id > after:
                    break
                if row.kind not in BOOKKEEPING_KINDS and row.kind != PosesSeen.__name__:
                    play_entry(session, decode_entry(row, NameTable(), path), path)
            shown_ns = clock.at_ns = max(0, rest.last_poses.latest_ns - clock.began_ns)
            shown = rest.last_poses.unpack(names)
            poses.begin(shown)
            session.observations.jump_to(shown, {}, None)
        # Nobody else holds what is read: who stops here closes it before the journal.
        for row, at_ns, rest_seen in _follow_rows(
            read_batches(db, names, path, after=after, clock=clock), names, path, poses
        ):
            if row.kind == PosesSeen.__name__:
                is_due = rest_seen or (at_ns - shown_ns >= DOWNSAMPLED_NS and poses.differ_visibly())
                if not (is_due and poses.waiting):
                    continue
                entry, shown_ns = _build_entry(row, poses.take(names)), at_ns
            else:
                entry = decode_entry(row, names, path)
                if poses.waiting:
                    play_entry(session, _build_entry(row, poses.take(names)), path)
            step = _play_step(session, entry, at_ns, path)
            if entry.id >= start:
                yield step


def _follow_rows(
    batches: Iterable[RowBatch], names: NameTable, path: Path, poses: "_PendingPoses"
) -> Iterator[tuple[RawRow, int, bool]]:
    """Yield what happened, each with its time since the beginning, once its poses wait to be shown.

    The third is whether they are to be shown at once.
    """
    for batch in batches:
        sightings = _Sightings(batch, [model for _, model in names.bases])
        is_packed, times_ns = batch.is_packed.tolist(), batch.times_ns.tolist()
        for at, (row, at_ns) in enumerate(zip(batch.rows, times_ns, strict=True)):
            if is_packed[at]:
                yield row, at_ns, poses.add_packed(sightings, at)
            elif row.kind == PosesSeen.__name__:
                what = decode_entry(row, names, path).what
                yield row, at_ns, poses.add(what.poses if isinstance(what, PosesSeen) else ())
            elif row.kind not in BOOKKEEPING_KINDS:
                yield row, at_ns, False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rest:
    """A row of poses after which nothing waits to be shown and nobody is hidden: all that is shown later follows."""

    row: int
    last_poses: LastPoses


def _find_rest(db: sqlite3.Connection, path: Path, before: int) -> _Rest | None:
    """Return the last such row before an entry; None where no row before it says where everything stood."""
    until = before - 1
    while until > 0:
        names, found = read_names(db, path, until=until), None
        summary, last_poses = find_last_summary(db, path, until, names)
        if summary == 0:
            return None
        for row in JournalCursor(db, path, after=summary).rows():
            if row.id > until:
                break
            follow_row(last_poses, row, names, path)
            body = row.body if row.kind == PosesSeen.__name__ and not last_poses.hidden_ns else ""
            if isinstance(body, bytes) and not all(pose.moves for pose in locate_poses(body)):
                found = _Rest(row=row.id, last_poses=last_poses.copy())
        if found is not None:
            return found
        until = summary - 1
    return None


class _Sighting(NamedTuple):
    """How a model was seen in a picture; packed, for most of them nobody asks for more."""

    model: str
    x_mm: float
    y_mm: float
    facing_deg: float
    is_moving: bool
    """It is seen, and moves."""
    pose: PoseEntry | tuple[int, int, bytes, int, int]
    """Itself, or where it is."""


class _Sightings:
    """How models were seen in the packed poses of many rows, by number; most are never looked at one by one."""

    def __init__(self, batch: RowBatch, models: list[str]) -> None:
        poses = batch.poses
        is_moving = poses.flags & _MOTION == MOVING
        self.starts: list[int] = np.searchsorted(poses.row, np.arange(len(batch.rows) + 1)).tolist()
        """The number of the first of each row, and of the one after the last."""
        self.rests: list[bool] = (np.bincount(poses.row[~is_moving], minlength=len(batch.rows)) > 0).tolist()
        """Of which rows one is at rest, or not seen."""
        self._rows = batch.rows
        self._row: list[int] = poses.row.tolist()
        self._base: list[int] = poses.base.tolist()
        self._model = [models[base] for base in self._base]
        self._seen = poses.x_mm.tolist(), poses.y_mm.tolist(), poses.facing_deg.tolist(), is_moving.tolist()
        self._packed = (poses.flags & POSE_STATE).tolist(), poses.begins.tolist(), poses.ends.tolist()

    def list_latest(self, first: int, last: int) -> Iterator[_Sighting]:
        """Yield the last sighting of each model among some that follow one another, without the one after the last."""
        (xs, ys, facings, moving), (states, begins, ends) = self._seen, self._packed
        for model, at in dict(zip(self._model[first:last], range(first, last), strict=True)).items():
            body = self._rows[self._row[at]].body
            assert isinstance(body, bytes)
            packed = self._base[at], states[at], body, begins[at], ends[at]
            yield _Sighting(model, xs[at], ys[at], facings[at], moving[at], packed)

    def differ_visibly(self, shown: Mapping[str, _Sighting], first: int, last: int) -> bool:
        """Whether an eye could tell one of these from how it is shown."""
        xs, ys, facings, _ = self._seen
        for model, at in dict(zip(self._model[first:last], range(first, last), strict=True)).items():
            now = shown.get(model)
            if now is None or not now.is_moving:
                return True
            # Not `_differs_visibly` for all, for it is asked of nearly every pose of a game.
            by_mm, turn_deg = max(abs(xs[at] - now.x_mm), abs(ys[at] - now.y_mm)), abs(facings[at] - now.facing_deg)
            if (by_mm >= _SURELY_MM or turn_deg >= LEAST_DEG) and _differs_visibly(now, xs[at], ys[at], facings[at]):
                return True
        return False


def _differs_visibly(shown: _Sighting | None, x_mm: float, y_mm: float, facing_deg: float) -> bool:
    if shown is None or not shown.is_moving:
        return True
    if math.hypot(x_mm - shown.x_mm, y_mm - shown.y_mm) >= LEAST_MM:
        return True
    return abs(math.remainder(facing_deg - shown.facing_deg, 360)) >= LEAST_DEG


def _sight(entry: PoseEntry) -> _Sighting:
    is_moving = entry.moving and entry.state == "seen"
    return _Sighting(entry.model, entry.x_mm, entry.y_mm, entry.facing_deg, is_moving, entry)


class _PendingPoses:
    """How models were seen since something was last shown, and how they were shown then."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Sighting] = {}
        self._shown: dict[str, _Sighting] = {}
        self._packed: tuple[_Sightings, int, int] | None = None
        """What waits besides: of some packed poses from one to another."""
        self._compared = 0
        """The first of them that was not compared to what is shown yet."""

    def begin(self, shown: Mapping[str, PoseEntry]) -> None:
        """Begin where models were shown so, and nothing waits."""
        self._shown = {model: _sight(entry) for model, entry in shown.items()}

    def add(self, seen: Iterable[PoseEntry]) -> bool:
        """Take in what a row tells; return whether that is to be shown at once, for something rests or is not seen."""
        self._unpack()
        sightings = [_sight(entry) for entry in seen]
        self._waiting.update((each.model, each) for each in sightings)
        return not all(each.is_moving for each in sightings)

    def add_packed(self, sightings: _Sightings, at: int) -> bool:
        """Take in what a row of packed poses tells, by its place in its batch; returns what `add` does."""
        first, last = sightings.starts[at], sightings.starts[at + 1]
        if self._packed is not None and self._packed[0] is sightings and self._packed[2] == first:
            first = self._packed[1]
        else:
            self._unpack()
            self._compared = first
        self._packed = sightings, first, last
        return sightings.rests[at]

    def _unpack(self) -> None:
        if self._packed is not None:
            sightings, first, last = self._packed
            self._waiting.update((each.model, each) for each in sightings.list_latest(first, last))
            self._packed = None

    @property
    def waiting(self) -> Mapping[str, _Sighting]:
        """The latest of each model that was seen since."""
        self._unpack()
        return self._waiting

    def take(self, names: NameTable) -> tuple[PoseEntry, ...]:
        """Return the latest poses, unpacked: they are shown now."""
        taken = tuple(
            each.pose if isinstance(each.pose, PoseEntry) else unpack_pose(PackedPose._make(each.pose), names)
            for each in self.waiting.values()
        )
        self._shown.update(self._waiting)
        self._waiting.clear()
        return taken

    def differ_visibly(self) -> bool:
        """Whether an eye could tell what waits from what is shown."""
        if self._packed is not None and not self._waiting:
            sightings, first, last = self._packed
            differs = sightings.differ_visibly(self._shown, max(first, self._compared), last)
            self._compared = last
            return differs
        waiting = self.waiting.values()
        return any(_differs_visibly(self._shown.get(now.model), *now[1:4]) for now in waiting)


def _build_entry(row: RawRow, poses: tuple[PoseEntry, ...]) -> JournalEntry:
    return JournalEntry(id=row.id, captured_ns=row.captured_ns, what=_NO_POSES.model_copy(update={"poses": poses}))
