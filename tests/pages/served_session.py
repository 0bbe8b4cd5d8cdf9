"""A session served to pages without a camera: what they drag is seen to arrive at once."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from assistant.features.decisions import GameController, JudgeController
from assistant.features.demo.virtual_table import DemoController
from assistant.features.feature import Feature
from assistant.features.laying.controller import LayingController
from assistant.features.shown_calls import ShownCalls
from assistant.features.tools.controller import ToolsController
from assistant.replay.recorded_game import RecordedGame
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.live_loop import LatestFrame, LiveLoop, RateMeter
from assistant.table.background_worker import BackgroundWorker
from assistant.table.session import GameSession
from assistant.web.app import create_app
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.commands.game import Drag
from assistant.web.hub import Hub
from assistant.web.replay_routes import Archive
from hardware.camera.latest_frame_reader import LatestFrameReader, SourceState, SourceStatus
from tests.assistant.snapshot_script import SnapshotScript
from tests.pages.kept_windows import start_server
from vision.anchors.camera_pose import CameraSolution
from vision.pipeline import Pipeline

ADDRESS = "http://192.0.2.7:8000"
"""As the machine of the table is called by others."""


@dataclass
class StillCamera:
    """A camera that shows nothing new by itself."""

    status: SourceStatus = field(default_factory=lambda: SourceStatus(state=SourceState.LIVE, text=""))

    def wait_for_frame(self, _after: int | None, wait_s: float) -> None:
        """Wait for a little, as for a frame."""
        threading.Event().wait(wait_s / 5)


@contextmanager
def serve_session(
    session: GameSession,
    places: Mapping[str, tuple[float, float]],
    recording: Path | None = None,
    began_ns: int = 0,
    laying: LayingController | None = None,
    *,
    more: tuple[Feature, ...] = (),
    devices: DeviceRegistry | None = None,
) -> Iterator[str]:
    """Serve the pages of a session whose models are first seen at some places; yield their address."""
    script, hub, stop = SnapshotScript(places=dict(places), now_ns=began_ns), Hub(), threading.Event()
    session.observe(script.take_snapshot())
    archive = Archive(RecordedGame(recording) if recording else None)

    def pushed(drag: Drag) -> None:
        place = (drag.x_mm, drag.y_mm)
        if not drag.done:
            return
        if drag.model in script.places:
            frames = script.slide(drag.model, *place)
        else:
            script.places[drag.model] = place
            frames = [script.take_snapshot(), script.take_snapshot()]
        for frame in frames:
            session.observe(frame)

    worker, ways = BackgroundWorker(), BackgroundWorker()
    watch = LiveLoop(
        camera=cast("LatestFrameReader", StillCamera()),
        pipeline=cast("Pipeline", SimpleNamespace(calibrated=CameraSolution(), camera=None)),
        session=session,
        hub=hub,
        name="script",
        title="Crossing",
        meter=RateMeter(live=False),
        latest=LatestFrame(),
        virtual=True,
        features=FeatureSet(
            GameController(),
            JudgeController(),
            DemoController(push=pushed),
            ToolsController(worker, ways),
            ShownCalls(),
            laying or LayingController(),
            *more,
        ),
        past=archive.past,
    )
    thread = threading.Thread(target=watch.run, args=(stop,))
    app = create_app(hub=hub, picture=lambda: None, join_urls=[ADDRESS], archive=archive, devices=devices)
    server = start_server(app)
    thread.start()
    try:
        with worker, ways:
            yield f"http://127.0.0.1:{server.port}"
    finally:
        stop.set()
        thread.join()
        server.stop()
