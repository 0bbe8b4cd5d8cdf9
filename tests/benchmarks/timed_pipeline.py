"""A timed pipeline: from a film's pictures to the pages, with the time of every picture noted."""

import json
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from websockets.sync.client import connect

from assistant.features.decisions import GameController
from assistant.features.foresight import ForesightFeature
from assistant.features.tools.controller import ToolsController
from assistant.game.state import GameState
from assistant.recording.journal.writer import Journal
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.live_loop import LatestFrame, LiveLoop, RateMeter
from assistant.setup.file import Setup
from assistant.table.background_worker import BackgroundWorker
from assistant.table.session import GameSession
from assistant.web.app import create_app
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.calibration import ProjectorView
from assistant.web.server import Server
from hardware.camera.frame_source import FrameSource
from hardware.camera.latest_frame_reader import LatestFrameReader
from hardware.frame import Frame
from tests.benchmarks.pages_scene import MOVED, ROUND, LoopedFilmCamera
from vision.markers import Markers
from vision.pipeline import Pipeline


class TimedHub(Hub):
    """Remembers which picture each message shows first, and how long the line took to each picture's message."""

    def __init__(self, latest: LatestFrame, projector: ProjectorView | None = None) -> None:
        super().__init__()
        self._projector = {} if projector is None else {"projector": projector}
        self.captured_ns: dict[int, int] = {}
        self.took_ms: list[float] = []
        self.began_s: float | None = None
        """When the line began with a picture that it has not published yet."""
        self._latest = latest
        self.foreseen = 0
        """Of how many models the pages were told ahead."""

    def publish(self, view: View, own: Mapping[str, View] | None = None) -> int:
        """Publish, and take note."""
        if self._projector:
            view = view.model_copy(update={"projector": self._projector})
        self.foreseen = len(view.ahead)
        number = super().publish(view, own)
        if self.began_s is not None:
            self.took_ms.append((time.perf_counter() - self.began_s) * 1e3)
            self.began_s = None
        if self._latest.frame is not None:
            self.captured_ns.setdefault(number, self._latest.frame.captured_ns)
        return number


class TimedDrain(LatestFrameReader):
    """Tells the hub when the line begins with a picture."""

    def __init__(self, source: FrameSource, hub: TimedHub) -> None:
        self._hub = hub
        super().__init__(lambda: source)

    def wait_for_frame(self, after: int | None, timeout_s: float) -> Frame | None:
        """Wait for a picture, and take note."""
        frame = super().wait_for_frame(after, timeout_s)
        if frame is not None:
            self._hub.began_s = time.perf_counter()
        return frame


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedPipeline:
    """A line at work."""

    port: int
    hub: TimedHub

    def measure_ages_ms(self, seen_ns: dict[int, int]) -> list[float]:
        """Return how long after its picture's capture each message, by number, was seen, in order of age."""
        known = self.hub.captured_ns
        return sorted((at_ns - known[seq]) / 1e6 for seq, at_ns in seen_ns.items() if seq in known)


@contextmanager
def run_timed_pipeline(
    setup: Setup,
    state: GameState,
    film: list[NDArray[np.uint8]],
    fps: float,
    *,
    announces: bool = True,
    projector: ProjectorView | None = None,
) -> Iterator[TimedPipeline]:
    """Play the film to a line that is built as the demo's: recorded, with zones beside it, but with nothing rendered.

    A unit's move is announced, and accepted once a round of the film, unless nobody announces anything.
    """
    latest, stop = LatestFrame(), threading.Event()
    hub = TimedHub(latest, projector)
    server = Server(create_app(hub=hub, picture=latest.encode_jpeg, join_urls=[]), "127.0.0.1", 0)
    server.start()
    drain = TimedDrain(LoopedFilmCamera(film, fps), hub)

    def run(folder: str) -> None:
        """Run the line as the program does, with the journal opened in the thread that writes to it."""
        with (
            Journal(Path(folder) / "bench.overtable", about={}) as journal,
            BackgroundWorker() as worker,
            BackgroundWorker() as ways,
        ):
            session, tools = GameSession(state, journal, solve_zone=worker), ToolsController(worker, ways)
            hub.on_command = drain.wake
            tools.tell_of_answers(drain.wake)
            features = FeatureSet(GameController(), tools, ForesightFeature())
            LiveLoop(
                camera=drain,
                pipeline=Pipeline(markers=Markers(anchors=setup.anchor_tags, bases=setup.enrolled_bases, lens=None)),
                session=session,
                hub=hub,
                name="film",
                title="bench",
                meter=RateMeter(live=True),
                latest=latest,
                virtual=True,
                features=features,
            ).run(stop)
            features.close()
            if session.recorder.trouble:
                raise RuntimeError(session.recorder.trouble)

    with tempfile.TemporaryDirectory() as folder:
        threads = [threading.Thread(target=run, args=[folder])]
        if announces:
            threads.append(threading.Thread(target=_announce_moves, args=[server.port, stop, ROUND / fps]))
        for thread in threads:
            thread.start()
        try:
            yield TimedPipeline(port=server.port, hub=hub)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
            drain.close()
            server.stop()


def _announce_moves(port: int, stop: threading.Event, every_s: float) -> None:
    """Announce the move, and again whenever it has been accepted; in between listen to nothing."""
    model = f"{MOVED}-1"
    while True:
        with connect(f"ws://127.0.0.1:{port}/ws") as socket:
            socket.send(json.dumps({"type": "accept"}))
            socket.send(json.dumps({"type": "declare", "unit": MOVED, "action": "normal", "model": model}))
            socket.recv()
        if stop.wait(every_s):
            return
