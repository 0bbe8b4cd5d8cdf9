"""A recorded game at any moment: replayed up to it from the checkpoint before."""

import json
import threading
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import BadInput
from assistant.game.events import ModelSettled, SourceChanged
from assistant.game.situation import from_json
from assistant.game.state import GameState
from assistant.past.log import Found, Happening, Log
from assistant.record.calibrations import CalibrationSeen
from assistant.record.journal import Entry, Picture, Seen, read_about, read_entries, read_picture
from assistant.rules.judge import Zone
from assistant.session import Session
from assistant.zones import Wanted

EVERY = 256
"""A checkpoint is kept after so many entries: replaying the rest takes a few milliseconds."""
TO_JUDGE = 50
"""So many events are judged at once: a page that asks for a long game gets it in pieces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A game as it stood after an entry."""

    at_ns: int
    entry: int
    session: Session
    camera: SourceChanged | None
    """What was last told of the camera."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A game as it stood at a time; the session is nobody else's."""

    at_ns: int
    """Since the game's beginning."""
    entry: int
    """The last that had happened."""
    session: Session
    camera: SourceChanged | None


class Past:
    """A recording that may still be growing; any thread may ask.

    Times are nanoseconds since the game's first picture, so that they fit into a page's numbers.  What cannot be read
    raises BadInput with one sentence, here as everywhere.
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
        self.log = Log(Session(first, reach=_no_zone))
        self._moved_ns: list[int] = []
        self._lock, self._judging = threading.RLock(), threading.Lock()
        """While some of the game is judged, moments of it are shown all the same."""
        tip = Session(first, reach=_no_zone)
        self._tip = Checkpoint(at_ns=0, entry=0, session=tip, camera=None)
        self._checkpoints = [Checkpoint(at_ns=-1, entry=0, session=tip.aside(reach=_no_zone), camera=None)]

    @property
    def began_ns(self) -> int:
        """Capture time of the first picture; 0 before there is one."""
        if self.log.began_ns == 0:
            self.ended_ns()
        return self.log.began_ns

    @property
    def title(self) -> str:
        """The game's."""
        return self.about.get("title", self.path.stem)

    def ended_ns(self) -> int:
        """Return when the last thing happened so far."""
        with self._lock:
            self._read_on()
            return self._tip.at_ns

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
            at_ns = min(max(at_ns, 0), self._tip.at_ns)
            near = self._checkpoints[bisect_right([c.at_ns for c in self._checkpoints], at_ns) - 1]
        session = near.session.aside(reach=None if zones else _no_zone)
        last, camera, clock_ns = near.entry, near.camera, near.at_ns
        for entry in read_entries(self.path, after=near.entry):
            clock_ns = self._clock(entry, clock_ns)
            if clock_ns > at_ns:
                break
            camera = play_entry(session, entry, self.path) or camera
            last = entry.id
        session.now_ns = max(session.now_ns, self.began_ns + at_ns)
        return Moment(at_ns=at_ns, entry=last, session=session, camera=camera)

    def judge_on(self, most: int = TO_JUDGE) -> bool:
        """Judge some of what has happened and was not judged yet; return whether there is more."""
        self.ended_ns()
        with self._judging:
            return self.log.judge(most)

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
        """Follow the journal to its end as it is now."""
        tip, camera = self._tip, self._tip.camera
        for entry in read_entries(self.path, after=tip.entry):
            if self.log.began_ns == 0:
                self.log.began_ns = entry.captured_ns
            at_ns = self._clock(entry, tip.at_ns)
            told = play_entry(tip.session, entry, self.path)
            camera = told or camera
            if isinstance(entry.what, CalibrationSeen):
                self.calibrations.setdefault(entry.what.calibration, (at_ns, entry.what))
            self.log.take(entry, at_ns)
            if isinstance(entry.what, ModelSettled) and self._moved_ns[-1:] != [at_ns]:
                self._moved_ns.append(at_ns)
            self._tip = tip = Checkpoint(at_ns=at_ns, entry=entry.id, session=tip.session, camera=camera)
            if entry.id - self._checkpoints[-1].entry >= EVERY:
                kept = tip.session.aside(reach=_no_zone)
                self._checkpoints.append(Checkpoint(at_ns=at_ns, entry=entry.id, session=kept, camera=camera))

    def _clock(self, entry: Entry, before_ns: int) -> int:
        """Return when an entry happened; what was written before the first picture, or late, counts as then."""
        return max(entry.captured_ns - self.log.began_ns, before_ns, 0)


def first_state(path: Path, about: Mapping[str, str]) -> GameState:
    """Return what a recorded game began with.

    Raises:
        BadInput: it does not say.

    """
    try:
        situation = json.loads(about["situation"])
    except (KeyError, ValueError):
        raise BadInput(f"{path}: it does not hold the situation that the game began with") from None
    return from_json(situation, f"{path}: situation").state


def play_entry(session: Session, entry: Entry, path: Path) -> SourceChanged | None:
    """Let a session take in one entry of a journal; return what it tells of the camera, if that is what it does.

    Raises:
        BadInput: it does not fit the game.

    """
    session.now_ns = entry.captured_ns
    if isinstance(entry.what, Seen):
        session.show(entry.what)
        return None
    if isinstance(entry.what, SourceChanged):
        return entry.what
    try:
        session.happen(entry.what)
    except KeyError as error:
        raise BadInput(f"{path}: event {entry.id}: there is no {error} in this game") from None
    except ValueError as error:
        raise BadInput(f"{path}: event {entry.id}: {error}") from None
    return None


def _no_zone(asked: Wanted) -> Zone | None:  # noqa: ARG001 - a `Reach` is asked by this name
    return None
