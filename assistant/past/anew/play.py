"""Plays a recorded game and, picture by picture beside it, the same game as the eyes see it in the video now.

What people decided is taken from the recording, at its time; what follows from what was seen is made anew.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from assistant.errors import BadInput
from assistant.game.events import (
    Accepted,
    Bumped,
    CalibrationChanged,
    Declared,
    Event,
    ModelPlaced,
    ModelSettled,
    PutBack,
    Restored,
)
from assistant.ingest import recalled
from assistant.past.anew.calls import Calls
from assistant.past.anew.form import Anew, Lacking, Unfit
from assistant.past.anew.poses import Sightings, apart
from assistant.past.playing import first_state, no_zone, play_entry
from assistant.poses import entry_of
from assistant.record.calibrations import CalibrationSeen
from assistant.record.journal import Entry, Journal, PosesSeen, Seen, read_about, read_entries
from assistant.record.video.footage import Run, frames_of, gaps_in, runs_of
from assistant.session import Session
from calibration.spaces import CameraOverTable
from hardware.frame import Frame
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.types import TableSnapshot

Filmed = Callable[[Path, Run], Iterator[Frame]]


def look_again(
    path: Path,
    *,
    eyes: Callable[[Markers], Pipeline],
    told: Callable[[Markers], Markers] = lambda markers: markers,
    journal: Journal | None = None,
    frames: Filmed = frames_of,
    progress: Callable[[float], None] = lambda _: None,
) -> Anew:
    """Play a recording's video through the eyes again, and return what comes out otherwise.

    Args:
        path: the recording.
        eyes: builds them.
        told: what they are told in place of what they were told then.
        journal: where the game is recorded as it is seen now; None for nowhere.
        frames: reads the pictures of a run.
        progress: is told the share of the pictures that is done.

    Raises:
        BadInput: the recording has no video, or it is not what was recorded, or of another size than the lens.

    """
    again = _Again(path, journal)
    runs = runs_of(path)
    count, done = sum(run.count for run in runs), 0
    for run in runs:
        again.begin()
        pipeline: Pipeline | None = None
        changes = list(run.told)
        for frame in frames(path, run):
            while changes and changes[0][0] <= frame.captured_ns:
                markers = told(changes.pop(0)[1])
                if pipeline is None:
                    pipeline = eyes(markers)
                else:
                    pipeline.markers = markers
            assert pipeline is not None  # the first is told with the first picture
            again.picture(frame, pipeline)
            done += 1
            progress(done / count)
    return again.ended(runs, done)


class _Again:
    """The two games, side by side."""

    def __init__(self, path: Path, journal: Journal | None) -> None:
        self._path = path
        state = first_state(path, read_about(path))
        self._table = state.table
        self._then, self._now = Session(state, reach=no_zone), _Anew(state, journal, reach=no_zone)
        self._entries = read_entries(path)
        self._next = next(self._entries, None)
        self._picture_ns = self._entry_ns = self._began_ns = 0
        """When the last picture was taken, the last entry happened, and the first; they never go back."""
        self._settled_ns: int | None = None
        """When a model was recorded to come to rest, if nothing else has happened since."""
        self._sightings, self._calls, self._unfit = Sightings(), Calls(), list[Unfit]()
        self._calibration: CalibrationSeen | None = None
        self._camera: CameraOverTable | None = None

    def begin(self) -> None:
        """Let the program begin anew, as it did then."""
        if self._picture_ns:
            self._now.look_away()
            self._sightings.begin()

    def picture(self, frame: Frame, pipeline: Pipeline) -> None:
        """Take in a picture in both games."""
        self._picture_ns = max(self._picture_ns, frame.captured_ns)
        for entry in self._until(self._picture_ns - 1):
            self._play(entry)
        try:
            snapshot = pipeline.step(frame)
        except ValueError as error:
            raise BadInput(f"{self._path}: its video cannot be looked at so: {error}") from None
        entries = list(self._until(self._picture_ns))
        self._calibrated(pipeline, snapshot)
        self._now.see(snapshot)
        for event in self._now.rested():
            self._calls.now.rested(self._at(self._picture_ns), event)
        shown = [each for entry in entries if isinstance(entry.what, PosesSeen) for each in entry.what.poses]
        self._sightings.picture(self._at(self._picture_ns), shown, map(entry_of, snapshot.poses))
        for entry in entries:
            self._play(entry)
        self._judge()
        self._now.call()

    def ended(self, runs: Sequence[Run], pictures: int) -> Anew:
        """Play what was decided after the last picture, and return what came out otherwise."""
        while self._next is not None:
            for entry in self._until(self._next.captured_ns):
                self._play(entry)
        self._now.close()
        was, camera = self._calibration, self._camera
        size = {"width_mm": self._table.width_mm, "depth_mm": self._table.depth_mm}
        first_ns, last_ns = runs[0].pieces[0][1].began_ns, self._picture_ns
        return Anew(
            recording=self._path.name,
            pictures=pictures,
            length_ns=last_ns - first_ns,
            lacking=tuple(
                Lacking(from_ns=self._at(gap.from_ns), until_ns=self._at(gap.until_ns), pictures=gap.pictures)
                for gap in gaps_in(runs)
            ),
            calibration=apart(was.solved, camera, **size) if was and camera else None,
            models=self._sightings.found(),
            moves=len(self._calls.pairs()),
            ends=self._calls.ends(),
            rested=self._calls.rested(),
            calls=self._calls.count,
            otherwise=self._calls.otherwise(),
            unfit=tuple(self._unfit),
        )

    def _at(self, captured_ns: int) -> int:
        return max(0, captured_ns - self._began_ns)

    def _until(self, until_ns: int) -> Iterator[Entry]:
        """Yield what was recorded until then and not yielded yet."""
        while self._next is not None:
            entry = self._next
            self._began_ns = self._began_ns or entry.captured_ns
            self._entry_ns = max(self._entry_ns, entry.captured_ns)
            if self._entry_ns > until_ns:
                return
            self._next = next(self._entries, None)
            yield entry

    def _play(self, entry: Entry) -> None:
        """Take in what was recorded: what was seen in the one game, what was decided in both."""
        what = entry.what
        if isinstance(what, PosesSeen):
            self._sightings.recorded(what.poses)
        elif isinstance(what, CalibrationSeen):
            self._calibration = what
        elif isinstance(what, ModelSettled):
            self._calls.before.rested(self._at(entry.captured_ns), what)
        elif not isinstance(what, Seen | ModelPlaced | CalibrationChanged) and not self._by_itself(entry):
            self._judge()
            if isinstance(what, Accepted):
                self._calls.accepted(self._at(entry.captured_ns), self._then.state, self._now.state)
            self._decide(entry, what)
        if not isinstance(what, Seen):
            self._settled_ns = entry.captured_ns if isinstance(what, ModelSettled) else None
        play_entry(self._then, entry, self._path)

    def _by_itself(self, entry: Entry) -> bool:
        """Whether an action was announced by nobody, but because a model came to rest: that follows anew."""
        state = self._then.state
        free = state.declared is None and state.restoring is None
        return isinstance(entry.what, Declared) and free and self._settled_ns == entry.captured_ns

    def _decide(self, entry: Entry, what: Event) -> None:
        """Let what people decided then happen in the game of now; what is counted of it is counted anew."""
        self._now.now_ns = entry.captured_ns
        try:
            match what:
                case Accepted():
                    self._now.accept()
                case Restored():
                    self._now.restored()
                case Bumped(models=models):
                    self._now.bumped(models)
                case PutBack(models=models):
                    self._now.put_back(models)
                case _:
                    self._now.happen(what)
        except (BadInput, KeyError, ValueError) as error:
            why = f"there is no {error} in it" if isinstance(error, KeyError) else str(error)
            self._unfit.append(Unfit(at_ns=self._at(entry.captured_ns), kind=type(what).__name__, why=why))

    def _judge(self) -> None:
        self._calls.before.judge(self._then.state)
        self._calls.now.judge(self._now.state)

    def _calibrated(self, pipeline: Pipeline, snapshot: TableSnapshot) -> None:
        camera = pipeline.camera
        if camera is not None and not self._now.knows(snapshot.calibration):
            seen = CalibrationSeen.of(camera, anchors=tuple(sorted(pipeline.calibrated.anchors_px)))
            self._now.calibrated(seen, snapshot.captured_ns)
        self._camera = camera or self._camera


class _Anew(Session):
    """The game as it is seen now; it tells which models come to rest."""

    _rested: tuple[ModelSettled, ...] = ()

    def happen(self, event: Event) -> None:
        """Take an event in."""
        super().happen(event)
        if isinstance(event, ModelSettled):
            self._rested = (*self._rested, event)

    def rested(self) -> tuple[ModelSettled, ...]:
        """Return the moves that ended since this was last asked."""
        found, self._rested = self._rested, ()
        return found

    def look_away(self) -> None:
        """Let nobody have seen what became of the models since, as where a recorded game goes on."""
        self._memory = recalled(self.state, self.poses, self.now_ns)
