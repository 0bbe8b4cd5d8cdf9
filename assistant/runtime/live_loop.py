"""The live loop: frames in, views out, commands obeyed, the camera's pictures recorded.

The garbage collector passes over what is there when the loop begins: to look through it would hold things up for 50
ms.
"""

import gc
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from assistant.errors import BadInput
from assistant.features.camera.pairing import Pairing
from assistant.features.demo.script import ScriptPerformer
from assistant.features.feature import Asker, Moment
from assistant.features.notices import print_notice
from assistant.game.events import SourceChanged
from assistant.game.state import GameState
from assistant.game.terrain_places import lay_as_seen
from assistant.recording.journal.row_types import CalibrationSeen, EyesTold
from assistant.recording.video.recorder import VideoRecorder
from assistant.replay.recorded_game import RecordedGame
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.supervision import Attempt, FaultNotices
from assistant.runtime.watchdog import LineProgress
from assistant.table.evidence_pictures import EvidenceKeeper
from assistant.table.session import GameSession
from assistant.table.surface_levels import list_solid_tops, list_surfaces
from assistant.web.commands import REGISTRY
from assistant.web.hub import Hub, PageCommand
from assistant.web.messages import View
from assistant.web.views.session import Source, build_view, forget_views
from calibration.errors import Unsolvable, WrongPairing
from calibration.spaces import CameraOverTable
from hardware.camera.latest_frame_reader import LatestFrameReader, SourceState, SourceStatus
from hardware.clock import read_clock_ns
from hardware.frame import Frame
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.rings.enrolled_ring import EnrolledRing
from vision.table_map import TableArea, draw_table
from vision.tags.pose_estimation import EnrolledTag
from vision.types import TableSnapshot


@contextmanager
def freeze_collector() -> Iterator[None]:
    """Let the collector pass over all that is there already: to look through it would hold things up for 50 ms.

    Where somebody has it do so already, as who runs tests has, that stays as it is.
    """
    if gc.get_freeze_count():
        yield
        return
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class SessionVideo:
    """Hands pictures to who writes them, and writes down what became of them.  Used from the table's thread."""

    def __init__(self, journal: Path) -> None:
        """Begin a video beside a journal."""
        self._filming = VideoRecorder(journal)
        self._told: Markers | None = None

    @property
    def trouble(self) -> str:
        """Why the video lacks pictures at the moment; empty while it lacks none."""
        return self._filming.trouble

    def see(self, frame: Frame, markers: Markers, session: GameSession) -> None:
        """Record a picture that the eyes are about to look at, and what they were told of the table."""
        if markers is not self._told:
            session.recorder.write((frame.captured_ns, EyesTold.from_markers(markers, began=self._told is None)))
            self._told = markers
        self._filming.add(frame)

    def write_down(self, session: GameSession) -> None:
        """Write down which pictures are in the video by now."""
        for kept in self._filming.take_kept_pieces():
            session.recorder.write((session.now_ns, kept))

    def close(self, session: GameSession) -> None:
        """End the video with all that was seen."""
        self._filming.close()
        self.write_down(session)


FOREIGN_CAMERA = (Unsolvable, WrongPairing)
"""What ends a live table, for somebody has to mend it: the calibration is another camera's."""
IDLE_S = 0.05
"""Commands are obeyed this often while no frame comes."""
PICTURE_WIDTH_PX = 1280
EVIDENCE_WIDTH_PX = 1920
"""Of pictures that are kept: whoever looks into a call wants a camera's own pixels."""
CROP_PX = (120, 80)
HIGHEST_RIM_MM = 5.0
"""Of a base; a marker that is higher lies on the figure."""
MOST_DRAWN = 8
"""Pictures of the table from straight above that are kept of one frame."""
"""Shown enlarged, so that a person sees how sharp the pixels themselves are."""
RATE_FRAMES = 30
SLOW_HZ, STEADY_HZ = 8.0, 10.0
"""A camera of fewer pictures a second is slow, and no longer once it gives more again."""
SLOW_NS = 1_500_000_000
"""So long it has to be, that people are told within two seconds."""
SLOW_CAMERA = (
    "The camera gives few pictures a second, as it does in the dark: give the table more light, or hold its exposure."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenTable:
    """A frame that showed a game, the camera that took it, and the game."""

    frame: Frame
    camera: CameraOverTable
    state: GameState
    bases: Collection[EnrolledTag | EnrolledRing]

    def find_height_mm(self, model: str) -> float:
        """Return how high the rim of a model's base is seen; 0 for one that is not there."""
        poses = (one.pose for _, one in self.state.apply_tracks().iterate_models() if one.id == model)
        stands_mm = next((pose.z_mm for pose in poses if pose is not None), 0.0)
        tops_mm = (base.height_mm for base in self.bases if base.model == model)
        return stands_mm + min(next(tops_mm, 0.0), HIGHEST_RIM_MM)


class LatestFrame:
    """The latest frame, for the page that shows the camera's picture."""

    def __init__(self) -> None:
        self.frame: Frame | None = None
        self.over: SeenTable | None = None
        self._drawn: tuple[SeenTable | None, dict[tuple[TableArea, int, float], bytes]] = (None, {})
        """Of that frame, for every page that asks for the same."""

    def encode_jpeg(self, most_px: int = PICTURE_WIDTH_PX) -> bytes | None:
        """Return the frame as a JPEG no wider than that, or None if there is none yet; any thread may call."""
        frame = self.frame
        if frame is None:
            return None
        shown = frame.shown
        share = min(1.0, most_px / shown.shape[1])
        small = cv2.resize(shown, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        _, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return bytes(data)

    def draw_table(self, area: TableArea | None, width_px: int, model: str = "") -> bytes | None:
        """Return the table from straight above as a JPEG, None while nobody knows where it is; any thread may call.

        Args:
            area: a part of it; None for the whole.
            width_px: of the picture.
            model: the rim of its base is drawn where it is, rather than the table under it.

        """
        over = self.over
        if over is None:
            return None
        table, height_mm = over.state.table, over.find_height_mm(model) if model else 0.0
        area = area or TableArea(width_mm=table.width_mm, depth_mm=table.depth_mm)
        if self._drawn[0] is not over:
            self._drawn = (over, {})
        _, drawn = self._drawn
        key = (area, width_px, height_mm)
        if key not in drawn:
            if len(drawn) >= MOST_DRAWN:
                drawn.clear()
            tops = list_solid_tops(lay_as_seen(over.state).terrain, above_mm=height_mm)
            picture = draw_table(
                over.camera, over.frame.shown, area, width_px=width_px, height_mm=height_mm, raised=tops
            )
            drawn[key] = bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 85])[1])
        return drawn[key]

    def crop_jpeg(self, x_px: int, y_px: int) -> bytes | None:
        """Return what lies about a pixel of the frame as a JPEG of its own pixels; any thread may call."""
        frame = self.frame
        if frame is None:
            return None
        height, width = frame.image.shape[:2]
        across, down = min(CROP_PX[0], width), min(CROP_PX[1], height)
        left = min(max(x_px - across // 2, 0), width - across)
        top = min(max(y_px - down // 2, 0), height - down)
        _, data = cv2.imencode(
            ".jpg", frame.shown[top : top + down, left : left + across], [cv2.IMWRITE_JPEG_QUALITY, 95]
        )
        return bytes(data)


@dataclass(kw_only=True)
class RateMeter:
    """How fast the line runs, for people; nothing is decided by it."""

    live: bool
    """Frames carry the time of day, so that their age can be told."""
    _ends_s: deque[float] = field(default_factory=lambda: deque(maxlen=RATE_FRAMES))
    _latencies_ms: deque[float] = field(default_factory=lambda: deque(maxlen=RATE_FRAMES))
    _shown: tuple[float, float] = (0.0, 0.0)
    _shown_s: float = 0.0
    _taken: deque[tuple[int, int]] = field(default_factory=deque)
    _is_slow: bool = False

    def count_frame(self, frame: Frame, began_s: float) -> None:
        """Take note that a frame has been dealt with."""
        now_s = time.perf_counter()
        age_ms = (read_clock_ns() - frame.captured_ns) / 1e6 if self.live else (now_s - began_s) * 1e3
        self._ends_s.append(now_s)
        self._latencies_ms.append(age_ms)
        self._watch_camera(frame)

    def _watch_camera(self, frame: Frame) -> None:
        """Tell whether the camera is slow: by its own count and times, for what the line left out was taken, too."""
        if self._taken and not self._taken[-1][0] < frame.captured_ns < self._taken[-1][0] + SLOW_NS:
            self._taken.clear()  # it was away meanwhile
        self._taken.append((frame.captured_ns, frame.sequence))
        (first_ns, first), (last_ns, last) = self._taken[0], self._taken[-1]
        if last_ns - first_ns < SLOW_NS:
            return
        rate = (last - first) / (last_ns - first_ns) * 1e9
        self._is_slow = rate < (STEADY_HZ if self._is_slow else SLOW_HZ)
        while last_ns - self._taken[0][0] >= SLOW_NS:
            self._taken.popleft()

    @property
    def trouble(self) -> str:
        """What to do about a camera that gives few pictures, in a sentence; empty for one that gives enough."""
        return SLOW_CAMERA if self.live and self._is_slow else ""

    def read(self) -> tuple[float, float]:
        """Return frames a second and milliseconds from capture; they change once a second, lest pages never rest."""
        now_s = time.perf_counter()
        if now_s - self._shown_s > 1 and len(self._ends_s) > 1:
            span_s = self._ends_s[-1] - self._ends_s[0]
            rate = (len(self._ends_s) - 1) / span_s if now_s - self._ends_s[-1] < 1 else 0.0
            self._shown = (round(rate), round(float(np.median(self._latencies_ms))))
            self._shown_s = now_s
        return self._shown


@dataclass(frozen=True, kw_only=True)
class LiveLoop:
    """A camera, the line behind it, and the pages in front."""

    camera: LatestFrameReader
    pipeline: Pipeline
    session: GameSession
    hub: Hub
    name: str
    title: str
    meter: RateMeter
    latest: LatestFrame
    virtual: bool
    features: FeatureSet
    """Obey the pages, and work beside the game."""
    is_superseded: Callable[[], bool] = lambda: False
    """Whether another live table is wanted in place of this one."""
    after_commands: Callable[[GameState, GameState], None] = lambda _before, _after: None
    """Told of what was decided, takes models off the table or puts them back, where no hand does it."""
    after_frame: Callable[[GameSession], None] = lambda _: None
    performer: ScriptPerformer | None = None
    """Plays a script, until a person does something."""
    evidence: EvidenceKeeper = field(default_factory=EvidenceKeeper)
    """Keeps the picture of what may be disputed."""
    past: RecordedGame | None = None
    """What was recorded so far, for a judge who rules on it."""
    video: SessionVideo | None = None
    """Records the camera's pictures as well."""
    pairing: Pairing = field(default_factory=Pairing)
    """Holds the calibration files to the camera."""
    faults: FaultNotices = field(default_factory=FaultNotices)
    """Tells the pages what went wrong inside."""
    progress: LineProgress = field(default_factory=LineProgress)
    """Says in which stage the line is."""

    def run(self, stop: threading.Event) -> None:
        """Keep the pages live until told to stop, or until another live table is wanted.

        Raises:
            BadInput: the calibration files are another camera's.
            hardware.errors.BadSource: the camera's source cannot be read as it was written.

        """
        with freeze_collector(), self.faults.listen():
            try:
                self._run(stop)
            except FOREIGN_CAMERA as error:
                raise BadInput(f"{self.name}: {error}") from error

    def _run(self, stop: threading.Event) -> None:
        last: int | None = None
        reported: SourceStatus | None = None
        while not (stop.is_set() or self.is_superseded()):
            self.progress.enter("waited for the camera")
            frame = self.camera.wait_for_frame(last, IDLE_S)
            began_s = time.perf_counter()
            if frame is not None:
                last = frame.sequence
                self.latest.frame = frame
                with Attempt("A picture was left out.", passing=FOREIGN_CAMERA):
                    self._see(frame)
            self.progress.enter("did what was asked for")
            self._obey_all(frame)
            status = self.camera.status
            if status.state is not SourceState.STARTING and (reported is None or status.state != reported.state):
                reported = status
                with Attempt("How the camera fares was not written down."):
                    self.session.record_event(SourceChanged(state=status.state.value, text=status.text))
            with Attempt("What is in the video was not written down."):
                if self.video:
                    self.video.write_down(self.session)
            self.progress.enter("followed the table")
            self.features.follow(Moment(frame=frame, status=status, pipeline=self.pipeline, session=self.session))
            self.progress.enter("told the pages")
            self._publish(status)
            self.progress.enter("wrote down what the referee said")
            with Attempt("What the referee said was not written down."):
                self.session.record_call()  # once the pages know
            with Attempt("A picture was not kept as evidence."):
                self.evidence.keep_evidence(self.session, partial(self.latest.encode_jpeg, EVIDENCE_WIDTH_PX))
            if frame is not None:
                self.meter.count_frame(frame, began_s)
                with Attempt("What follows a picture was left out."):
                    self.after_frame(self.session)
            elif status.state is SourceState.ENDED:
                stop.wait(IDLE_S)  # the camera no longer makes us wait

    def _see(self, frame: Frame) -> None:
        self.progress.enter("looked at a picture")
        print_notice(self.pairing.check(self.camera.identity, frame.image))
        if self.features.claim_frame(frame, self.session):
            return  # tags of light are no models, and darken those that are
        self._follow_terrain()
        if self.video:
            self.video.see(frame, self.pipeline.markers, self.session)
        snapshot = self.pipeline.step(frame)
        if (camera := self.pipeline.camera) is not None:
            bases = self.pipeline.markers.bases.values()
            self.latest.over = SeenTable(frame=frame, camera=camera, state=self.session.state, bases=bases)
        self.progress.enter("took in what was seen")
        self._record_calibration(snapshot)
        self.session.observe(self.features.see(frame, snapshot))

    def _follow_terrain(self) -> None:
        """Let the eyes look for bases on the terrain as it lies now."""
        surfaces, markers = list_surfaces(lay_as_seen(self.session.state).terrain), self.pipeline.markers
        if surfaces != markers.surfaces:
            self.pipeline.markers = replace(markers, surfaces=surfaces)

    def _obey_all(self, frame: Frame | None) -> None:
        """Do what the pages ask, or what the script does at this picture."""
        before = self.session.state
        commands, scripted = self.hub.take(), list[PageCommand]()
        with Attempt("The script was not followed.") as script:
            scripted = [] if commands else self._perform(frame)
        for command in commands or scripted:
            asker = Asker(session=self.session, role=command.role, device=command.device, past=self.past)
            self.features.obey(command, asker)
        stops = any(REGISTRY[type(command.message)].stops_script for command in commands)
        if self.performer and (stops or script.failed):
            self.performer.stop()
        with Attempt("The table was not brought up to date."):
            if self.session.state is not before:
                self.after_commands(before, self.session.state)

    def _record_calibration(self, snapshot: TableSnapshot) -> None:
        """Write down what poses rest on before the first that names it."""
        camera = self.pipeline.camera
        if camera is None or snapshot.calibration in self.session.recorder.calibrations:
            return
        seen = CalibrationSeen.from_camera(
            camera,
            anchors=tuple(sorted(self.pipeline.calibrated.anchors_px)),
            mark=self.pairing.mark,
            files=tuple(file.used for file in self.pairing.files),
        )
        self.session.recorder.record_calibration(seen, snapshot.captured_ns)

    def _perform(self, frame: Frame | None) -> list[PageCommand]:
        """Return what the script does at a picture; it plays while someone watches."""
        performer = self.performer
        if performer is None or frame is None or not self.hub.watched:
            return []
        commands = performer.step(frame.captured_ns)
        return [PageCommand(message=command, refuse=performer.stop) for command in commands]

    def _describe_trouble(self) -> str:
        video = self.video.trouble if self.video else ""
        inside = self.faults.summary
        slow = "" if self.virtual else self.meter.trouble
        return " ".join(filter(None, (self.pipeline.calibrated.trouble, self.pairing.trouble, slow, video, inside)))

    def _publish(self, status: SourceStatus) -> None:
        with Attempt("The pages show what was before.") as attempt:
            self.session.keep_devices(self.hub.devices)
            forget_views(self.session, self.session.list_own_picks())
            self.hub.game = self.session.state
            self.hub.publish(*self._build_all_views(status))
        if attempt.failed:
            with Attempt("The pages are told of nothing."):
                for faults in self.faults.build_views():
                    self.hub.publish_notices(faults.notices)

    def _build_all_views(self, status: SourceStatus) -> tuple[View, dict[str, View]]:
        """Return what all pages show, and what those devices do that have picked a unit by themselves."""
        fps, latency_ms = self.meter.read()
        state: Literal["starting", "live", "lost", "ended"] = status.state.value
        source = Source(
            name=self.name,
            title=self.title,
            virtual=self.virtual,
            replay=False,
            state=state,
            text=self._describe_trouble() if status.state is SourceState.LIVE else status.text,
            fps=fps,
            latency_ms=latency_ms,
        )
        beside = tuple(self._build_views())
        devices = self.session.list_own_picks()
        own = {device: build_view(self.session, source, *beside, device=device) for device in devices}
        return build_view(self.session, source, *beside), own

    def _build_views(self) -> Iterator[View]:
        """Yield what the pages show beside the game."""
        if self.performer and (scene := self.performer.build_view()):
            yield View(scene={"scene": scene})
        yield from self.features.build_views(self.session)
        yield from self.faults.build_views()
