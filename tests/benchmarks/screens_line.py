"""The line from a film's pictures to the pages, timed picture by picture."""

import json
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from websockets.sync.client import connect

from assistant.cli.crew import Crew
from assistant.cli.reckoner import Reckoner
from assistant.cli.tools import Tools
from assistant.cli.watch import Latest, Meter, Watch
from assistant.game.state import GameState
from assistant.record.journal import Journal
from assistant.session import Session
from assistant.setup import Setup
from assistant.web.app import create_app
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.server import Server
from hardware.camera.drain import Drain
from hardware.camera.source import FrameSource
from hardware.frame import Frame
from tests.benchmarks.screens_scene import MOVED, ROUND, Projection
from vision.markers import Markers
from vision.pipeline import Pipeline


class TimedHub(Hub):
    """Remembers which picture each message shows first, and how long the line took to each picture's message."""

    def __init__(self, latest: Latest) -> None:
        super().__init__()
        self.captured_ns: dict[int, int] = {}
        self.took_ms: list[float] = []
        self.began_s: float | None = None
        """When the line began with a picture that it has not published yet."""
        self._latest = latest

    def publish(self, view: View) -> int:
        """Publish, and take note."""
        number = super().publish(view)
        if self.began_s is not None:
            self.took_ms.append((time.perf_counter() - self.began_s) * 1e3)
            self.began_s = None
        if self._latest.frame is not None:
            self.captured_ns.setdefault(number, self._latest.frame.captured_ns)
        return number


class TimedDrain(Drain):
    """Tells the hub when the line begins with a picture."""

    def __init__(self, source: FrameSource, hub: TimedHub) -> None:
        self._hub = hub
        super().__init__(lambda: source)

    def latest(self, after: int | None, timeout_s: float) -> Frame | None:
        """Wait for a picture, and take note."""
        frame = super().latest(after, timeout_s)
        if frame is not None:
            self._hub.began_s = time.perf_counter()
        return frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line at work."""

    port: int
    hub: TimedHub

    def ages_ms(self, seen_ns: dict[int, int]) -> list[float]:
        """Return how long after its picture's capture each message, by number, was seen, in order of age."""
        known = self.hub.captured_ns
        return sorted((at_ns - known[seq]) / 1e6 for seq, at_ns in seen_ns.items() if seq in known)


@contextmanager
def line(setup: Setup, state: GameState, film: list[NDArray[np.uint8]], fps: float) -> Iterator[Line]:
    """Play the film to a line that is built as the demo's: recorded, with zones beside it, but with nothing rendered.

    A unit's move is announced, and accepted once a round of the film.
    """
    latest, stop = Latest(), threading.Event()
    hub = TimedHub(latest)
    server = Server(create_app(hub=hub, picture=latest.jpeg, join_urls=[]), "127.0.0.1", 0)
    server.start()
    drain = TimedDrain(Projection(film, fps), hub)

    def run(folder: str) -> None:
        """Run the line as the program does, with the journal opened in the thread that writes to it."""
        with (
            Journal(Path(folder) / "bench.overtable", about={}) as journal,
            Reckoner() as reckoner,
            Reckoner() as ways,
        ):
            session = Session(state, journal, reach=reckoner)
            Watch(
                drain=drain,
                pipeline=Pipeline(markers=Markers(anchors=setup.anchor_tags, bases=setup.enrolled, lens=None)),
                session=session,
                hub=hub,
                name="film",
                title="bench",
                meter=Meter(live=True),
                latest=latest,
                hand=lambda _: None,
                virtual=True,
                crew=Crew(tools=Tools(reckoner, ways)),
            ).run(stop)
            if session.trouble:
                raise RuntimeError(session.trouble)

    with tempfile.TemporaryDirectory() as folder:
        threads = [
            threading.Thread(target=run, args=[folder]),
            threading.Thread(target=_play, args=[server.port, stop, ROUND / fps]),
        ]
        for thread in threads:
            thread.start()
        try:
            yield Line(port=server.port, hub=hub)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
            drain.close()
            server.stop()


def _play(port: int, stop: threading.Event, every_s: float) -> None:
    """Announce the move, and again whenever it has been accepted; in between listen to nothing."""
    model = f"{MOVED}-1"
    while True:
        with connect(f"ws://127.0.0.1:{port}/ws") as socket:
            socket.send(json.dumps({"type": "accept"}))
            socket.send(json.dumps({"type": "declare", "unit": MOVED, "action": "normal", "model": model}))
            socket.recv()
        if stop.wait(every_s):
            return
