"""The reprocessor: plays a recorded game and, picture by picture beside it, the same game as its video is seen now.

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
    TerrainSettled,
    TerrainTaken,
)
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.row_types import CalibrationSeen, JournalEntry, ObservationRow, PosesSeen
from assistant.recording.journal.writer import Journal
from assistant.recording.poses import entry_from_pose
from assistant.recording.video.reader import VideoRun, find_gaps, read_frames, read_runs
from assistant.replay.playback import play_entry, read_first_state
from assistant.replay.reprocess.comparison import CallComparison, PoseComparison, find_largest_shift
from assistant.replay.reprocess.result import Anew, Lacking, Unfit
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from calibration.spaces import CameraOverTable
from hardware.frame import Frame
from overtable_errors import OvertableError
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.types import TableSnapshot

FrameReader = Callable[[Path, VideoRun], Iterator[Frame]]


def reprocess_recording(
    path: Path,
    *,
    eyes: Callable[[Markers], Pipeline],
    change_markers: Callable[[Markers], Markers] = lambda markers: markers,
    journal: Journal | None = None,
    frames: FrameReader = read_frames,
    progress: Callable[[float], None] = lambda _: None,
) -> Anew:
    """Play a recording's video through the eyes again, and return what comes out otherwise.

    Args:
        path: the recording.
        eyes: builds them.
        change_markers: what they are told in place of what they were told then.
        journal: where the game is recorded as it is seen now; None for nowhere.
        frames: reads the pictures of a run.
        progress: is told the share of the pictures that is done.

    Raises:
        BadInput: the recording has no video, or it is not what was recorded, or of another size than the lens.

    """
    again = _Reprocessing(path, journal)
    runs = read_runs(path)
    count, done = sum(run.count for run in runs), 0
    for run in runs:
        again.begin_run()
        pipeline: Pipeline | None = None
        changes = list(run.markers)
        for frame in frames(path, run):
            while changes and changes[0][0] <= frame.captured_ns:
                markers = change_markers(changes.pop(0)[1])
                if pipeline is None:
                    pipeline = eyes(markers)
                else:
                    pipeline.markers = markers
            assert pipeline is not None  # the first is told with the first picture
            again.add_frame(frame, pipeline)
            done += 1
            progress(done / count)
    return again.finish(runs, done)


class _Reprocessing:
    """The two games, side by side."""

    def __init__(self, path: Path, journal: Journal | None) -> None:
        self._path = path
        state = read_first_state(path, read_about(path))
        self._table = state.table
        self._then, self._now = (
            GameSession(state, solve_zone=skip_zone),
            GameSession(state, journal, solve_zone=skip_zone, on_event=self._note_event),
        )
        self._rested = list[ModelSettled]()
        """The moves that ended in the game of now since its last picture."""
        self._entries = read_entries(path)
        self._next = next(self._entries, None)
        self._picture_ns = self._entry_ns = self._began_ns = 0
        """When the last picture was taken, the last entry happened, and the first; they never go back."""
        self._settled_ns: int | None = None
        """When a model was recorded to come to rest, if nothing else has happened since."""
        self._sightings, self._calls, self._unfit = PoseComparison(), CallComparison(), list[Unfit]()
        self._calibration: CalibrationSeen | None = None
        self._camera: CameraOverTable | None = None

    def begin_run(self) -> None:
        """Let the program begin anew, as it did then."""
        if self._picture_ns:
            self._now.lose_track()
            self._sightings.begin_run()

    def add_frame(self, frame: Frame, pipeline: Pipeline) -> None:
        """Take in a picture in both games."""
        self._picture_ns = max(self._picture_ns, frame.captured_ns)
        for entry in self._take_entries(self._picture_ns - 1):
            self._play_entry(entry)
        try:
            snapshot = pipeline.step(frame)
        except OvertableError as error:
            raise BadInput(f"{self._path}: its video cannot be looked at so: {error}") from None
        entries = list(self._take_entries(self._picture_ns))
        self._note_calibration(pipeline, snapshot)
        self._now.observe(snapshot)
        for event in self._rested:
            self._calls.now.add_rested(self._compute_at_ns(self._picture_ns), event)
        self._rested.clear()
        shown = [each for entry in entries if isinstance(entry.what, PosesSeen) for each in entry.what.poses]
        self._sightings.add_picture(self._compute_at_ns(self._picture_ns), shown, map(entry_from_pose, snapshot.poses))
        for entry in entries:
            self._play_entry(entry)
        self._judge()
        self._now.record_call()

    def finish(self, runs: Sequence[VideoRun], pictures: int) -> Anew:
        """Play what was decided after the last picture, and return what came out otherwise."""
        while self._next is not None:
            for entry in self._take_entries(self._next.captured_ns):
                self._play_entry(entry)
        self._now.close()
        was, camera = self._calibration, self._camera
        size = {"width_mm": self._table.width_mm, "depth_mm": self._table.depth_mm}
        first_ns, last_ns = runs[0].pieces[0][1].began_ns, self._picture_ns
        return Anew(
            recording=self._path.name,
            pictures=pictures,
            length_ns=last_ns - first_ns,
            lacking=tuple(
                Lacking(
                    from_ns=self._compute_at_ns(gap.from_ns),
                    until_ns=self._compute_at_ns(gap.until_ns),
                    pictures=gap.pictures,
                )
                for gap in find_gaps(runs)
            ),
            calibration=find_largest_shift(was.solved_camera, camera, **size) if was and camera else None,
            models=self._sightings.summarise(),
            moves=len(self._calls.pair_ends()),
            ends=self._calls.find_worst_end(),
            rested=self._calls.find_lone_rests(),
            calls=self._calls.count,
            otherwise=self._calls.find_changed_calls(),
            unfit=tuple(self._unfit),
        )

    def _compute_at_ns(self, captured_ns: int) -> int:
        return max(0, captured_ns - self._began_ns)

    def _take_entries(self, until_ns: int) -> Iterator[JournalEntry]:
        """Yield what was recorded until then and not yielded yet."""
        while self._next is not None:
            entry = self._next
            self._began_ns = self._began_ns or entry.captured_ns
            self._entry_ns = max(self._entry_ns, entry.captured_ns)
            if self._entry_ns > until_ns:
                return
            self._next = next(self._entries, None)
            yield entry

    def _play_entry(self, entry: JournalEntry) -> None:
        """Take in what was recorded: what was seen in the one game, what was decided in both."""
        what = entry.what
        if isinstance(what, PosesSeen):
            self._sightings.add_recorded(what.poses)
        elif isinstance(what, CalibrationSeen):
            self._calibration = what
        elif isinstance(what, ModelSettled):
            self._calls.before.add_rested(self._compute_at_ns(entry.captured_ns), what)
        elif not isinstance(
            what, ObservationRow | ModelPlaced | TerrainSettled | CalibrationChanged
        ) and not self._is_automatic(entry):
            self._judge()
            if isinstance(what, Accepted):
                self._calls.add_acceptance(self._compute_at_ns(entry.captured_ns), self._then.state, self._now.state)
            self._repeat_decision(entry, what)
        if not isinstance(what, ObservationRow):
            self._settled_ns = entry.captured_ns if isinstance(what, ModelSettled) else None
        play_entry(self._then, entry, self._path)

    def _is_automatic(self, entry: JournalEntry) -> bool:
        """Whether an action was announced by nobody, but because a model came to rest: that follows anew."""
        state = self._then.state
        free = state.declared is None and state.restoring is None
        return isinstance(entry.what, Declared) and free and self._settled_ns == entry.captured_ns

    def _repeat_decision(self, entry: JournalEntry, what: Event) -> None:
        """Let what people decided then happen in the game of now; what is counted of it is counted anew."""
        self._now.now_ns = entry.captured_ns
        try:
            match what:
                case Accepted():
                    self._now.accept()
                case Restored():
                    self._now.finish_restoring()
                case Bumped(models=models):
                    self._now.record_bump(models)
                case PutBack(models=models):
                    self._now.put_back(models)
                case TerrainTaken(pieces=(piece, *_)) if piece in self._now.state.shifted:
                    self._now.take_terrain(piece)
                case _:
                    self._now.record_event(what)
        except (BadInput, KeyError) as error:
            why = f"there is no {error} in it" if isinstance(error, KeyError) else str(error)
            self._unfit.append(Unfit(at_ns=self._compute_at_ns(entry.captured_ns), kind=type(what).__name__, why=why))

    def _note_event(self, event: Event) -> None:
        if isinstance(event, ModelSettled):
            self._rested.append(event)

    def _judge(self) -> None:
        self._calls.before.judge(self._then.state)
        self._calls.now.judge(self._now.state)

    def _note_calibration(self, pipeline: Pipeline, snapshot: TableSnapshot) -> None:
        camera = pipeline.camera
        if camera is not None and snapshot.calibration not in self._now.recorder.calibrations:
            seen = CalibrationSeen.from_camera(camera, anchors=tuple(sorted(pipeline.calibrated.anchors_px)))
            self._now.recorder.record_calibration(seen, snapshot.captured_ns)
        self._camera = camera or self._camera
