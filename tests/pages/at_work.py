"""A session at work without a camera, served to pages: what they drag is seen to arrive at once."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from assistant.cli.crew import Crew
from assistant.cli.reckoner import Reckoner
from assistant.cli.tools import Tools
from assistant.cli.watch import Latest, Meter, Watch
from assistant.past.replayed import Past
from assistant.session import Session
from assistant.web.app import create_app
from assistant.web.commands.demo import Drag
from assistant.web.hub import Hub
from assistant.web.past import Archive
from assistant.web.server import Server
from hardware.camera.drain import Drain, SourceState, SourceStatus
from tests.assistant.scripted import Script
from vision.calibrate import Calibrated
from vision.pipeline import Pipeline


@dataclass
class Still:
    """A camera that shows nothing new by itself."""

    status: SourceStatus = field(default_factory=lambda: SourceStatus(state=SourceState.LIVE, text=""))

    def latest(self, _after: int | None, wait_s: float) -> None:
        """Wait for a little, as for a frame."""
        threading.Event().wait(wait_s / 5)


@contextmanager
def served(
    session: Session, places: Mapping[str, tuple[float, float]], recording: Path | None = None, began_ns: int = 0
) -> Iterator[str]:
    """Serve the pages of a session whose models are first seen at some places; yield their address."""
    script, hub, stop = Script(places=dict(places), now_ns=began_ns), Hub(), threading.Event()
    session.see(script.frame())
    archive = Archive(Past(recording) if recording else None)

    def pushed(drag: Drag) -> None:
        place = (drag.x_mm, drag.y_mm)
        if not drag.done:
            return
        if drag.model in script.places:
            frames = script.slide(drag.model, *place)
        else:
            script.places[drag.model] = place
            frames = [script.frame(), script.frame()]
        for frame in frames:
            session.see(frame)

    reckoner, ways = Reckoner(), Reckoner()
    watch = Watch(
        drain=cast("Drain", Still()),
        pipeline=cast("Pipeline", SimpleNamespace(calibrated=Calibrated(), camera=None)),
        session=session,
        hub=hub,
        name="script",
        title="Crossing",
        meter=Meter(live=False),
        latest=Latest(),
        hand=pushed,
        virtual=True,
        crew=Crew(tools=Tools(reckoner, ways)),
        past=archive.past,
    )
    thread = threading.Thread(target=watch.run, args=(stop,))
    server = Server(create_app(hub=hub, picture=lambda: None, join_urls=[], archive=archive), "127.0.0.1", 0)
    server.start()
    thread.start()
    try:
        with reckoner, ways:
            yield f"http://127.0.0.1:{server.port}"
    finally:
        stop.set()
        thread.join()
        server.stop()
