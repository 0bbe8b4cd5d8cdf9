"""A recorded game at any moment: what was told until then, replayed, and how models were last seen, looked up.

The event follower goes along a journal that may still be growing: everything but poses that leave the doubt as it was.
"""

import threading
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import BadInput
from assistant.game.events import ModelSettled, SourceChanged
from assistant.recording.journal.cursor import (
    GameClock,
    JournalCursor,
    RawRow,
    Scan,
    decode_entry,
    find_last_poses_row,
    find_last_summary,
    follow_row,
    locate_error,
    read_names,
)
from assistant.recording.journal.journal_state import ROWS_PER_SUMMARY, LastPoses
from assistant.recording.journal.packed_poses import NameTable, read_doubt
from assistant.recording.journal.reader import open_journal, read_about, read_picture
from assistant.recording.journal.row_types import (
    BOOKKEEPING_KINDS,
    CalibrationSeen,
    JournalEntry,
    KeptPicture,
    PosesSeen,
    Standing,
)
from assistant.replay.game_log import GameLog, LogEntry, LoggedFinding
from assistant.replay.playback import play_entry, read_first_state
from assistant.rules.verdict import Verdict
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone

ROWS_PER_READ = 10_000
"""So many rows are looked at in one piece, which takes some ten milliseconds."""
_POSES, _STANDING = PosesSeen.__name__, Standing.__name__


class EventFollower:
    """Goes along a journal that may be growing; used from one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._after = 0
        self.clock = GameClock()
        self._doubt: str | None = None

    def read_next(self) -> tuple[list[tuple[JournalEntry, int]], bool]:
        """Return what happened next, each with its time since the beginning, and whether there may be more."""
        entries, count = [], 0
        with open_journal(self._path) as db:
            cursor = JournalCursor(
                db, self._path, after=self._after, scan=Scan.HEADS, most=ROWS_PER_READ, clock=self.clock
            )
            for row in cursor.rows():
                count, self._after = count + 1, row.id  # a row that cannot be read is not asked for again
                if (entry := self._decode_row(cursor, row)) is not None:
                    entries.append((entry, self.clock.at_ns))
        return entries, count == ROWS_PER_READ

    def _decode_row(self, cursor: JournalCursor, row: RawRow) -> JournalEntry | None:
        if row.kind in BOOKKEEPING_KINDS:
            return None
        if row.kind != _POSES:
            return decode_entry(row, NameTable(), self._path)
        try:  # not `locate_errors`, for it is done for every row of poses
            if isinstance(row.body, bytes) and read_doubt(row.body) == self._doubt:
                return None
        except BadInput as error:
            raise locate_error(error, row, self._path) from None
        entry = cursor.read_whole(row)
        assert isinstance(entry.what, PosesSeen)
        if entry.what.doubt == self._doubt:
            return None  # it is JSON, of which no beginning tells
        self._doubt = entry.what.doubt
        return entry


EVENTS_AT_ONCE = 50
"""So many events are judged at once: a page that asks for a long game gets it in pieces."""
PATIENCE_S = 0.5
"""So long judging waits at most before each event for those who look at a moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A game as it stood after an entry, but for where models were seen, which the poses say."""

    at_ns: int
    entry: int
    session: GameSession
    camera: SourceChanged | None
    """What was last told of the camera."""
    sums_up: bool
    """The entry says where everything was seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A game as it stood at a time; the session is nobody else's."""

    at_ns: int
    """Since the game's beginning."""
    entry: int
    """The last row that was written until then."""
    session: GameSession
    camera: SourceChanged | None


class RecordedGame:
    """A recording that may still be growing; any thread may ask.

    What was told, which is little, is played at once; how models were seen, which is much, is looked up for the moment
    that is asked for.  Times are nanoseconds since the game's first picture, so that they fit into a page's numbers.
    What cannot be read raises BadInput with one sentence, here as everywhere.
    """

    def __init__(
        self,
        path: Path,
        about: Mapping[str, str] | None = None,
    ) -> None:
        """Open a recording.

        Args:
            path: the file.
            about: what the game began with, where that is to be another than it says itself.

        Raises:
            BadInput: there is no such file, or it is no journal.

        """
        self.path = path
        self.about = dict(about or read_about(path))
        self._calibrations: dict[str, tuple[int, CalibrationSeen]] = {}
        first = self.first = read_first_state(path, self.about)
        """What the game began with."""
        self.log = GameLog(GameSession(first, solve_zone=skip_zone))
        self._happened = EventFollower(path)
        self._moved_ns: list[int] = []
        self._lock, self._judging = threading.RLock(), threading.Lock()
        """While some of the game is judged, moments of it are shown all the same."""
        self._looking, self._alone = 0, threading.Condition()
        """How many look at a moment, and told when nobody does any more."""
        self._end, self._end_row = GameClock(), 0
        """The time, and the row, of what happened last."""
        self._clock = GameClock()
        self._entry = 0
        """The last row that was taken in."""
        self._session = GameSession(first, solve_zone=skip_zone)
        """The game after it, but for where models were seen."""
        self._camera: SourceChanged | None = None
        start = self._session.fork(solve_zone=skip_zone)
        self._checkpoints = [Checkpoint(at_ns=-1, entry=0, session=start, camera=None, sums_up=False)]
        self._last_poses = {0: LastPoses()}
        """How models were seen by a checkpoint's entry, as far as that was looked up where no row says it."""

    @property
    def began_ns(self) -> int:
        """Capture time of the first picture; 0 before there is one."""
        if self._end.began_ns == 0:
            self.find_end_ns()
        return self._end.began_ns

    @property
    def title(self) -> str:
        """What the game is called."""
        return self.about.get("title", self.path.stem)

    def find_end_ns(self) -> int:
        """Return when the last thing happened so far: for that nothing is played."""
        with self._lock, open_journal(self.path) as db:
            for row in JournalCursor(db, self.path, after=self._end_row, scan=Scan.EVENTS, clock=self._end).rows():
                self._end_row = row.id
                if row.kind == _STANDING:
                    self._end.catch_up(row, self.path)
            return self._end.at_ns

    @property
    def rows(self) -> int:
        """How many rows there are so far."""
        with self._lock:
            self._read_on()
            return self._entry

    @property
    def calibrations(self) -> dict[str, tuple[int, CalibrationSeen]]:
        """When each calibration so far was made, and what it is, by its id."""
        with self._lock:
            self._read_on()
            return self._calibrations

    def list_move_times(self) -> list[int]:
        """Return when models came to rest so far, each time once, in order."""
        with self._lock:
            self._read_on()
            return list(self._moved_ns)

    def find_moment(self, at_ns: int, *, zones: bool = False) -> Moment:
        """Return the game as it stood at a time; before its beginning and after its end as it stood then.

        Args:
            at_ns: since the game's beginning.
            zones: the session works zones out, which takes its time.

        """
        with self._lock:
            self._read_on()
            at_ns = min(max(at_ns, 0), self._clock.at_ns)
            before = self._checkpoints[: bisect_right(self._checkpoints, at_ns, key=lambda each: each.at_ns)]
        checkpoint, path = before[-1], self.path
        start = next(each for each in reversed(before) if each.sums_up or each.entry in self._last_poses)
        checkpoint_rows = {each.entry for each in before if each.entry > start.entry}
        session = checkpoint.session.fork(solve_zone=None if zones else skip_zone)
        entry, camera, poses_row = start.entry, checkpoint.camera, None
        with open_journal(path) as db:
            names = read_names(db, path, until=start.entry)
            kept_poses = self._last_poses.get(start.entry)
            last_poses = kept_poses.copy() if kept_poses else find_last_summary(db, path, start.entry, names)[1]
            cursor = JournalCursor(
                db,
                path,
                after=start.entry,
                names=names,
                clock=GameClock(began_ns=self._clock.began_ns, at_ns=max(checkpoint.at_ns, 0)),
                clock_after=checkpoint.entry,
                until_ns=at_ns,
            )
            for row in cursor.rows():
                if row.id > checkpoint.entry:
                    camera = self._play_row(session, row) or camera
                entry, poses_row = row.id, row if row.kind == _POSES else poses_row
                follow_row(last_poses, row, names, path)
                if row.id in checkpoint_rows:
                    self._last_poses.setdefault(row.id, last_poses.copy())
            poses_row = poses_row or find_last_poses_row(db, path, start.entry)
            seen = decode_entry(poses_row, names, path).what if poses_row else None
        session.observations.jump_to(
            last_poses.unpack(names), last_poses.hidden_ns, seen if isinstance(seen, PosesSeen) else None
        )
        session.now_ns = max(session.now_ns, self.began_ns + at_ns)
        return Moment(at_ns=at_ns, entry=entry, session=session, camera=camera)

    @contextmanager
    def hold_judging(self) -> Iterator[None]:
        """While it holds, judging waits: who looks at a moment goes first."""
        with self._alone:
            self._looking += 1
        try:
            yield
        finally:
            with self._alone:
                self._looking -= 1
                self._alone.notify_all()

    def judge_more(self, most: int = EVENTS_AT_ONCE) -> bool:
        """Judge some of what has happened and was not judged yet; return whether there is more."""
        more = True
        with self._judging:
            for _ in range(most):
                if not self.log.judge_next():
                    happened, more = self._read_happened()
                    if not more and not happened:
                        self.log.judge_last()
                        break
                with self._alone:
                    self._alone.wait_for(lambda: self._looking == 0, PATIENCE_S)
            return more or self.log.is_waiting

    def _read_happened(self) -> tuple[bool, bool]:
        """Let the log take in some more of what happened; return whether there was any, and whether there is more."""
        happened, more = self._happened.read_next()
        self.log.began_ns = self._happened.clock.began_ns
        for entry, at_ns in happened:
            self.log.add_entry(entry, at_ns)
        return bool(happened), more

    def judge_until(self, entry: int, verdicts: Mapping[int, Verdict | None]) -> None:
        """Judge how the game stood before each entry up to one; what happened later is only read.

        Args:
            entry: the entry.
            verdicts: what was found until then, as for `judge_all`, which goes on from here.

        """
        self.log.know_verdicts(verdicts)
        with self._judging:
            more = True
            while more:
                _, more = self._read_happened()
            while self.log.judge_next(entry):
                pass

    def judge_all(self, verdicts: Mapping[int, Verdict | None] | None = None) -> GameLog:
        """Return what happened in the whole game so far, judged.

        Args:
            verdicts: what was found before, by the entry after which the game first stood so; of it nothing is judged.

        """
        if verdicts is not None:
            self.log.know_verdicts(verdicts)
        while self.judge_more():
            pass
        return self.log

    def read_changes(self, revision: int) -> tuple[int, list[LogEntry], list[LoggedFinding]]:
        """Return the revision of what is judged, and what was added or changed after another one."""
        with self._judging:
            return self.log.revision, *self.log.list_changes(revision)

    def find_picture(self, at_ns: int) -> KeptPicture | None:
        """Return the kept picture that is nearest to a time since the beginning; its own time is since then, too."""
        picture = read_picture(self.path, self.began_ns + at_ns)
        return picture and KeptPicture(captured_ns=max(0, picture.captured_ns - self.began_ns), jpeg=picture.jpeg)

    def _read_on(self) -> None:
        """Follow the journal to its end as it is now, leaving out poses as far as its rows sum them up."""
        with open_journal(self.path) as db:
            for row in JournalCursor(db, self.path, after=self._entry, scan=Scan.EVENTS).rows():
                self._take_row(row)

    def _take_row(self, row: RawRow) -> None:
        """Take in the next row."""
        clock, sums_up = self._clock, row.kind == _STANDING
        clock.advance(row.captured_ns)
        if sums_up:
            clock.catch_up(row, self.path)
        self._camera = self._play_row(self._session, row, clock.at_ns) or self._camera
        self._entry = row.id
        if sums_up or row.id - self._checkpoints[-1].entry > ROWS_PER_SUMMARY:
            self._keep_checkpoint(sums_up=sums_up)

    def _keep_checkpoint(self, *, sums_up: bool = False) -> None:
        """Keep the game as it is now."""
        if self._entry > self._checkpoints[-1].entry:
            self._checkpoints.append(
                Checkpoint(
                    at_ns=self._clock.at_ns,
                    entry=self._entry,
                    session=self._session.fork(solve_zone=skip_zone),
                    camera=self._camera,
                    sums_up=sums_up,
                )
            )

    def _play_row(self, session: GameSession, row: RawRow, at_ns: int | None = None) -> SourceChanged | None:
        """Let a session take in a row, unless it is of poses; take note of it if it is given when it was."""
        if row.kind == _POSES or row.kind in BOOKKEEPING_KINDS:
            return None
        entry = decode_entry(row, NameTable(), self.path)
        camera = play_entry(session, entry, self.path)
        if at_ns is not None:
            if isinstance(entry.what, CalibrationSeen):
                self._calibrations.setdefault(entry.what.calibration, (at_ns, entry.what))
            if isinstance(entry.what, ModelSettled) and self._moved_ns[-1:] != [at_ns]:
                self._moved_ns.append(at_ns)
        return camera
