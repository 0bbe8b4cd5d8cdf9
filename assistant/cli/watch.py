"""The loop that keeps a table live: frames in, views out, commands obeyed."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import cv2
import numpy as np

from assistant.cli.crew import Crew
from assistant.cli.filmer import Filmer
from assistant.cli.markers import tell
from assistant.cli.obey import obey
from assistant.cli.pairing import Pairing
from assistant.cli.spared import spared
from assistant.errors import BadInput
from assistant.game.events import SourceChanged
from assistant.game.state import GameState
from assistant.past.photographer import Photographer
from assistant.past.replayed import Past
from assistant.record.calibrations import CalibrationSeen
from assistant.script.performer import Performer
from assistant.session import Session
from assistant.web.commands.demo import Drag
from assistant.web.commands.lights import LightSettings
from assistant.web.commands.projector import ProjectorPage
from assistant.web.hub import Hub, Order
from assistant.web.messages import View
from assistant.web.view import Source, view_of
from hardware.camera.drain import Drain, SourceState, SourceStatus
from hardware.frame import Frame
from vision.pipeline import Pipeline
from vision.types import TableSnapshot

IDLE_S = 0.05
"""Commands are obeyed this often while no frame comes."""
PICTURE_WIDTH_PX = 1280
CROP_PX = (120, 80)
"""Shown enlarged, so that a person sees how sharp the pixels themselves are."""
RATE_FRAMES = 30


class Latest:
    """The latest frame, for the page that shows the camera's picture."""

    def __init__(self) -> None:
        self.frame: Frame | None = None

    def jpeg(self) -> bytes | None:
        """Return the frame as a JPEG of a size for a page, or None if there is none yet; any thread may call."""
        frame = self.frame
        if frame is None:
            return None
        share = min(1.0, PICTURE_WIDTH_PX / frame.image.shape[1])
        small = cv2.resize(frame.image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        _, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return bytes(data)

    def crop(self, x_px: int, y_px: int) -> bytes | None:
        """Return what lies about a pixel of the frame as a JPEG of its own pixels; any thread may call."""
        frame = self.frame
        if frame is None:
            return None
        height, width = frame.image.shape[:2]
        across, down = min(CROP_PX[0], width), min(CROP_PX[1], height)
        left = min(max(x_px - across // 2, 0), width - across)
        top = min(max(y_px - down // 2, 0), height - down)
        _, data = cv2.imencode(
            ".jpg", frame.image[top : top + down, left : left + across], [cv2.IMWRITE_JPEG_QUALITY, 95]
        )
        return bytes(data)


@dataclass(kw_only=True)
class Meter:
    """How fast the line runs, for people; nothing is decided by it."""

    live: bool
    """Frames carry the time of day, so that their age can be told."""
    _ends_s: deque[float] = field(default_factory=lambda: deque(maxlen=RATE_FRAMES))
    _latencies_ms: deque[float] = field(default_factory=lambda: deque(maxlen=RATE_FRAMES))
    _shown: tuple[float, float] = (0.0, 0.0)
    _shown_s: float = 0.0

    def frame(self, captured_ns: int, began_s: float) -> None:
        """Take note that a frame has been dealt with."""
        now_s = time.perf_counter()
        age_ms = (time.time_ns() - captured_ns) / 1e6 if self.live else (now_s - began_s) * 1e3
        self._ends_s.append(now_s)
        self._latencies_ms.append(age_ms)

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
class Watch:
    """A camera, the line behind it, and the pages in front."""

    drain: Drain
    pipeline: Pipeline
    session: Session
    hub: Hub
    name: str
    title: str
    meter: Meter
    latest: Latest
    hand: Callable[[Drag], None]
    """Pushes a model of the table; raises BadInput if that cannot be done."""
    virtual: bool
    lay: Callable[[GameState, GameState], None] = lambda _before, _after: None
    """Told of what was decided, takes models off the table or puts them back, where no hand does it."""
    after_frame: Callable[[Session], None] = lambda _: None
    performer: Performer | None = None
    """Plays a script, until a person does something."""
    photographer: Photographer = field(default_factory=Photographer)
    """Keeps the picture of what may be disputed."""
    past: Past | None = None
    """What was recorded so far, for a judge who rules on it."""
    filmer: Filmer | None = None
    """Records the camera's pictures as well."""
    pairing: Pairing = field(default_factory=Pairing)
    """Holds the calibration files to the camera."""
    crew: Crew = field(default_factory=Crew)
    """Does what pages ask beside the game."""

    def run(self, stop: threading.Event) -> None:
        """Keep the pages live until told to stop, or until the wizard wants another line.

        Raises:
            hardware.errors.BadSource: the camera's source cannot be read as it was written.

        """
        with spared():
            self._run(stop)

    def _run(self, stop: threading.Event) -> None:
        last: int | None = None
        told: SourceStatus | None = None
        while not (stop.is_set() or (self.crew.wizard and self.crew.wizard.due)):
            frame = self.drain.latest(last, IDLE_S)
            began_s = time.perf_counter()
            if frame is not None:
                last = frame.sequence
                self.latest.frame = frame
                self._see(frame)
            before = self.session.state
            orders = self.hub.take()
            for order in orders or self._performed(frame):
                self._obey(order)
            # A page that says how large it is is nobody who wants the table, nor is who dims the light.
            if self.performer and any(not isinstance(o.message, ProjectorPage | LightSettings) for o in orders):
                self.performer.stop()
            if self.session.state is not before:
                self.lay(before, self.session.state)
            status = self.drain.status
            if status.state is not SourceState.STARTING and (told is None or status.state != told.state):
                self.session.happen(SourceChanged(state=status.state.value, text=status.text))
                told = status
            if self.filmer:
                self.filmer.write_down(self.session)
            if self.crew.wizard:
                self.crew.wizard.see(frame, status, self.pipeline, self.session, self.crew.projectionist)
            self._publish(status)
            self.session.call()  # once the pages know
            self.photographer.look(self.session, self.latest.jpeg)
            if frame is not None:
                self.meter.frame(frame.captured_ns, began_s)
                self.after_frame(self.session)
            elif status.state is SourceState.ENDED:
                stop.wait(IDLE_S)  # the drain no longer makes us wait

    def _see(self, frame: Frame) -> None:
        try:
            tell(self.pairing.check(self.drain.identity, frame.image))
            if self.crew.projectionist and self.crew.projectionist.see(frame, self.session):
                return  # tags of light are no models, and darken those that are
            if self.filmer:
                self.filmer.see(frame, self.pipeline.markers, self.session)
            snapshot = self.pipeline.step(frame)
            self._record_calibration(snapshot)
            if self.crew.enroller:
                self.crew.enroller.see(frame)
                snapshot = self.crew.enroller.without(snapshot)
            if self.crew.lenser:
                self.crew.lenser.see(frame)
            if self.crew.optician:
                self.crew.optician.see(frame)
            self.session.see(snapshot)
        except ValueError as error:
            raise BadInput(f"{self.name}: {error}") from error

    def _record_calibration(self, snapshot: TableSnapshot) -> None:
        """Write down what poses rest on before the first that names it."""
        camera = self.pipeline.camera
        if camera is None or self.session.knows(snapshot.calibration):
            return
        seen = CalibrationSeen.of(
            camera,
            anchors=tuple(sorted(self.pipeline.calibrated.anchors_px)),
            mark=self.pairing.mark,
            files=tuple(file.used for file in self.pairing.files),
        )
        self.session.calibrated(seen, snapshot.captured_ns)

    def _performed(self, frame: Frame | None) -> list[Order]:
        """Return what the script does at a picture; it plays while someone watches."""
        performer = self.performer
        if performer is None or frame is None or not self.hub.watched:
            return []
        commands = performer.step(frame.captured_ns)
        return [Order(message=command, refuse=performer.stop) for command in commands]

    def _obey(self, order: Order) -> None:
        try:
            obey(order.message, session=self.session, hand=self.hand, crew=self.crew, past=self.past, role=order.role)
        except BadInput as error:
            order.refuse(str(error))

    def _trouble(self) -> str:
        filmed = self.filmer.trouble if self.filmer else ""
        return " ".join(filter(None, (self.pipeline.calibrated.trouble, self.pairing.trouble, filmed)))

    def _publish(self, status: SourceStatus) -> None:
        fps, latency_ms = self.meter.read()
        state: Literal["starting", "live", "lost", "ended"] = status.state.value
        self.hub.publish(
            view_of(
                self.session,
                Source(
                    name=self.name,
                    title=self.title,
                    virtual=self.virtual,
                    replay=False,
                    state=state,
                    text=self._trouble() if status.state is SourceState.LIVE else status.text,
                    fps=fps,
                    latency_ms=latency_ms,
                ),
                *self._beside(),
            )
        )

    def _beside(self) -> Iterator[View]:
        """Yield what the pages show beside the game."""
        if self.performer and (scene := self.performer.shown()):
            yield View(scene={"scene": scene})
        yield from self.crew.shown(self.session, self.pipeline.camera)
