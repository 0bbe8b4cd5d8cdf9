"""A recorded game at any moment: what was told until then, replayed, and how models were last seen, looked up."""

import threading
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assistant.game.events import ModelSettled, SourceChanged
from assistant.past.happened import Happened
from assistant.past.log import Found, Happening, Log
from assistant.past.playing import first_state, no_zone, play_entry
from assistant.record.along import (
    Row,
    entry_in,
    follow,
    last_seen,
    named_in,
    names_of,
    rows_after,
    summed_before,
    told_after,
)
from assistant.record.calibrations import CalibrationSeen
from assistant.record.journal import Picture, PosesSeen, read_about, read_picture
from assistant.record.names import Names
from assistant.record.reading import opened
from assistant.record.seen import LEDGER, Named, Standing
from assistant.record.standing import EVERY, Stood, latest_in
from assistant.session import Session

_POSES, _NAMED, _STANDING = PosesSeen.__name__, Named.__name__, Standing.__name__
TO_JUDGE = 50
"""So many events are judged at once: a page that asks for a long game gets it in pieces."""
PATIENCE_S = 0.5
"""So long judging waits at most before each event for those who look at a moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A game as it stood after an entry, but for where models were seen, which the poses say."""

    at_ns: int
    entry: int
    session: Session
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
    session: Session
    camera: SourceChanged | None


class Past:
    """A recording that may still be growing; any thread may ask.

    What was told, which is little, is played at once; how models were seen, which is much, is looked up for the moment
    that is asked for.  Times are nanoseconds since the game's first picture, so that they fit into a page's numbers.
    What cannot be read raises BadInput with one sentence, here as everywhere.
    """

    def __init__(self, path: Path, about: Mapping[str, str] | None = None) -> None:
        """Open a recording; what the game began with may be another than it says itself.

        Raises:
            BadInput: there is no such file, or it is no journal.

        """
        self.path = path
        self.about = dict(about or read_about(path))
        self.calibrations: dict[str, tuple[int, CalibrationSeen]] = {}
        """When each calibration was made, and what it is, by its id."""
        first = first_state(path, self.about)
        self.log = Log(Session(first, reach=no_zone))
        self._happened = Happened(path)
        self._moved_ns: list[int] = []
        self._lock, self._judging = threading.RLock(), threading.Lock()
        """While some of the game is judged, moments of it are shown all the same."""
        self._looking, self._alone = 0, threading.Condition()
        """How many look at a moment, and told when nobody does any more."""
        self._began_ns = 0
        """Capture time of the first picture; 0 before there is one."""
        self._at_ns = self._entry = 0
        """When the last row was written, and which it is."""
        self._session = Session(first, reach=no_zone)
        """The game after it, but for where models were seen."""
        self._camera: SourceChanged | None = None
        start = self._session.aside(reach=no_zone)
        self._checkpoints = [Checkpoint(at_ns=-1, entry=0, session=start, camera=None, sums_up=False)]
        self._stood = {0: Stood()}
        """How models were seen by a checkpoint's entry, as far as that was looked up where no row says it."""

    @property
    def began_ns(self) -> int:
        """Capture time of the first picture; 0 before there is one."""
        if self._began_ns == 0:
            self.ended_ns()
        return self._began_ns

    @property
    def title(self) -> str:
        """The game's."""
        return self.about.get("title", self.path.stem)

    def ended_ns(self) -> int:
        """Return when the last thing happened so far."""
        with self._lock:
            self._read_on()
            return self._at_ns

    @property
    def rows(self) -> int:
        """How many rows there are so far."""
        with self._lock:
            self._read_on()
            return self._entry

    def moved_ns(self) -> list[int]:
        """Return when models came to rest so far, each time once, in order."""
        with self._lock:
            self._read_on()
            return list(self._moved_ns)

    def at(self, at_ns: int, *, zones: bool = False) -> Moment:
        """Return the game as it stood at a time; before its beginning and after its end as it stood then.

        Args:
            at_ns: since the game's beginning.
            zones: the session works zones out, which takes its time.

        """
        with self._lock:
            self._read_on()
            at_ns = min(max(at_ns, 0), self._at_ns)
            before = self._checkpoints[: bisect_right(self._checkpoints, at_ns, key=lambda each: each.at_ns)]
        near, path = before[-1], self.path
        start = next(each for each in reversed(before) if each.sums_up or each.entry in self._stood)
        passed = {each.entry for each in before if each.entry > start.entry}
        session = near.session.aside(reach=None if zones else no_zone)
        entry, camera, clock_ns, shown = start.entry, near.camera, near.at_ns, None
        with opened(path) as db:
            names = names_of(db, path, until=start.entry)
            known = self._stood.get(start.entry)
            stood = known.copy() if known else summed_before(db, path, start.entry, names)[1]
            for row in rows_after(db, path, start.entry):
                if row.id > near.entry:
                    clock_ns = self._clock(row, clock_ns)
                    if clock_ns > at_ns:
                        break
                    camera = self._play(session, row) or camera
                entry, shown = row.id, row if row.kind == _POSES else shown
                if row.kind == _NAMED:
                    names.add(named_in(row, path))
                follow(stood, row, names, path)
                if row.id in passed:
                    self._stood.setdefault(row.id, stood.copy())
            shown = shown or last_seen(db, path, start.entry)
            seen = entry_in(shown, names, path).what if shown else None
        session.sights.stand(stood.poses(names), stood.hidden_ns, seen if isinstance(seen, PosesSeen) else None)
        session.now_ns = max(session.now_ns, self.began_ns + at_ns)
        return Moment(at_ns=at_ns, entry=entry, session=session, camera=camera)

    @contextmanager
    def looking(self) -> Iterator[None]:
        """While it holds, judging waits: who looks at a moment goes first."""
        with self._alone:
            self._looking += 1
        try:
            yield
        finally:
            with self._alone:
                self._looking -= 1
                self._alone.notify_all()

    def judge_on(self, most: int = TO_JUDGE) -> bool:
        """Judge some of what has happened and was not judged yet; return whether there is more."""
        more = True
        with self._judging:
            for _ in range(most):
                if not self.log.judge():
                    happened, more = self._happened.next()
                    self.log.began_ns = self._happened.clock.began_ns
                    for entry, at_ns in happened:
                        self.log.take(entry, at_ns)
                    if not more and not happened:
                        break
                with self._alone:
                    self._alone.wait_for(lambda: self._looking == 0, PATIENCE_S)
            return more or self.log.waits

    def judged(self) -> Log:
        """Return what happened in the whole game so far, judged."""
        while self.judge_on():
            pass
        return self.log

    def news(self, revision: int) -> tuple[int, list[Happening], list[Found]]:
        """Return the revision of what is judged, and what was added or changed after another one."""
        with self._judging:
            return self.log.revision, *self.log.since(revision)

    def picture(self, at_ns: int) -> Picture | None:
        """Return the kept picture that is nearest to a time since the beginning; its own time is since then, too."""
        found = read_picture(self.path, self.began_ns + at_ns)
        return found and Picture(captured_ns=max(0, found.captured_ns - self.began_ns), jpeg=found.jpeg)

    def _read_on(self) -> None:
        """Follow the journal to its end as it is now, leaving out poses as far as its rows sum them up."""
        with opened(self.path) as db:
            for row in told_after(db, self.path, self._entry):
                self._take(row)

    def _take(self, row: Row) -> None:
        """Take in the next row."""
        self._began_ns = self._began_ns or row.captured_ns
        at_ns, sums_up = self._clock(row, self._at_ns), row.kind == _STANDING
        if sums_up:
            at_ns = max(at_ns, latest_in(row.body) - self._began_ns)
        self._camera = self._play(self._session, row, at_ns) or self._camera
        self._at_ns, self._entry = at_ns, row.id
        if sums_up or row.id - self._checkpoints[-1].entry > EVERY:
            self._keep(sums_up=sums_up)

    def _keep(self, *, sums_up: bool = False) -> None:
        """Keep the game as it is now."""
        if self._entry > self._checkpoints[-1].entry:
            self._checkpoints.append(
                Checkpoint(
                    at_ns=self._at_ns,
                    entry=self._entry,
                    session=self._session.aside(reach=no_zone),
                    camera=self._camera,
                    sums_up=sums_up,
                )
            )

    def _play(self, session: Session, row: Row, at_ns: int | None = None) -> SourceChanged | None:
        """Let a session take in a row, unless it is of poses; take note of it if it is given when it was."""
        if row.kind == _POSES or row.kind in LEDGER:
            return None
        entry = entry_in(row, Names(), self.path)
        camera = play_entry(session, entry, self.path)
        if at_ns is not None:
            if isinstance(entry.what, CalibrationSeen):
                self.calibrations.setdefault(entry.what.calibration, (at_ns, entry.what))
            if isinstance(entry.what, ModelSettled) and self._moved_ns[-1:] != [at_ns]:
                self._moved_ns.append(at_ns)
        return camera

    def _clock(self, row: Row, before_ns: int) -> int:
        """Return when a row was written; what was before the first picture, or late, counts as then."""
        return max(row.captured_ns - self._began_ns, before_ns, 0)
