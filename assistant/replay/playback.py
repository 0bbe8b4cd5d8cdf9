"""Playback: a recording from its first entry to its last, each with the game before and after it.

It is played whole; without how models were seen, which takes a tenth of the time; or downsampled, with every event, and
of what moves no more than an eye can follow.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

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
    locate_errors,
    read_entries,
)
from assistant.recording.journal.packed_poses import NameTable, PackedPose, is_moving, locate_poses, unpack_pose
from assistant.recording.journal.reader import open_journal, read_about
from assistant.recording.journal.row_types import BOOKKEEPING_KINDS, JournalEntry, ObservationRow, PosesSeen
from assistant.recording.poses import PoseEntry
from assistant.rules.movement_zone import MovementZone
from assistant.table.session import GameSession
from assistant.table.zone_query import ZoneRequest


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
    """Play what was told in a recording, without how models were seen meanwhile, which takes ten times as long.

    The session's poses stay empty; errors as in `play_recording`.
    """
    clock = GameClock()
    session = GameSession(read_first_state(path, read_about(path)), solve_zone=skip_zone)
    with open_journal(path) as db:
        for row in JournalCursor(db, path, scan=Scan.HEADS, clock=clock).rows():
            if row.kind != PosesSeen.__name__ and row.kind not in BOOKKEEPING_KINDS:
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


def skip_zone(_: ZoneRequest) -> MovementZone | None:
    """Work no zone out."""
    return None


DOWNSAMPLED_NS = 100_000_000
"""Pictures of what moves are kept so far apart: an eye takes ten a second for a slide."""
LEAST_MM, LEAST_DEG = 1.0, 1.0
"""What has moved by less is kept where it was until it comes to rest: on no screen is that a whole pixel."""
_NO_POSES: PosesSeen = PosesSeen(anchors_seen=0, calibration="", poses=())


def play_downsampled(path: Path) -> Iterator[PlaybackStep]:
    """Play a recording; steps of poses tell those of several pictures at once.

    Raises:
        BadInput: it cannot be read, here or while it is played.

    """
    clock, names, waiting = GameClock(), NameTable(), _PendingPoses()
    session, shown_ns = GameSession(read_first_state(path, read_about(path)), solve_zone=skip_zone), -DOWNSAMPLED_NS
    with open_journal(path) as db:
        for row in JournalCursor(db, path, names=names, clock=clock).rows():
            if row.kind in BOOKKEEPING_KINDS:
                continue
            at_ns, before, decision = clock.at_ns, session.state, session.last_decision
            if row.kind == PosesSeen.__name__:
                rest = waiting.add_row(row, names, path)
                poses = waiting.unpack(names) if rest or at_ns - shown_ns >= DOWNSAMPLED_NS else ()
                if not (poses and (rest or _differ_visibly(poses, session.poses))):
                    continue
                entry, shown_ns = _build_entry(row, poses), at_ns
            else:
                entry = decode_entry(row, names, path)
                if poses := waiting.unpack(names):
                    play_entry(session, _build_entry(row, poses), path)
            waiting.clear()
            play_entry(session, entry, path)
            yield PlaybackStep(at_ns=at_ns, entry=entry, before=before, decision=decision, session=session)


class _PendingPoses:
    """How models were seen since something was last shown; packed, for most of it nobody asks for."""

    def __init__(self) -> None:
        self._latest: dict[str, PackedPose | PoseEntry] = {}

    def add_row(self, row: RawRow, names: NameTable, path: Path) -> bool:
        """Take in a row of poses; return whether it is to be shown at once, for something rests or is not seen."""
        rest = False
        with locate_errors(row, path):
            for place in locate_poses(row.body) if isinstance(row.body, bytes) else ():
                self._latest[names.find_model(place.base)] = place
                rest = rest or not is_moving(place)
        if isinstance(row.body, str):
            what = decode_entry(row, names, path).what
            for entry in what.poses if isinstance(what, PosesSeen) else ():
                self._latest[entry.model] = entry
                rest = rest or not entry.moving or entry.state != "seen"
        return rest

    def unpack(self, names: NameTable) -> tuple[PoseEntry, ...]:
        """Return the latest poses, unpacked."""
        return tuple(
            unpack_pose(each, names) if isinstance(each, PackedPose) else each for each in self._latest.values()
        )

    def clear(self) -> None:
        """Forget them: they are shown."""
        self._latest.clear()


def _build_entry(row: RawRow, poses: tuple[PoseEntry, ...]) -> JournalEntry:
    return JournalEntry(id=row.id, captured_ns=row.captured_ns, what=_NO_POSES.model_copy(update={"poses": poses}))


def _differ_visibly(poses: tuple[PoseEntry, ...], shown: Mapping[str, PoseEntry]) -> bool:
    """Whether an eye could tell poses from those that are shown."""
    for entry in poses:
        before = shown.get(entry.model)
        if before is None or not before.moving or before.state != "seen":
            return True
        turned_deg = math.remainder(entry.facing_deg - before.facing_deg, 360)
        if math.dist((entry.x_mm, entry.y_mm), (before.x_mm, before.y_mm)) >= LEAST_MM or abs(turned_deg) >= LEAST_DEG:
            return True
    return False
