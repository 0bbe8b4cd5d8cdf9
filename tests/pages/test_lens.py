"""The lens page: from the first look at a board to the lens that is kept; a helper holds it at a virtual table."""

import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from assistant.features.demo.catalogue import SETUP
from assistant.features.lens.controller import LensController
from assistant.features.lens.virtual_hands import LensHands
from assistant.files.documents import read_json
from assistant.game.state import NO_RULEBOOK, GameState, Table
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.live_loop import LatestFrame, LiveLoop, RateMeter
from assistant.setup.file import read_setup
from assistant.table.session import GameSession
from assistant.web.app import create_app
from assistant.web.hub import Hub
from calibration.lens.file import LensFile
from hardware.camera.frame_source import Identity, PlaybackPace
from hardware.camera.latest_frame_reader import LatestFrameReader, SourceState, SourceStatus
from hardware.camera.virtual import VirtualCamera
from hardware.frame import Frame
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import VirtualScene
from hardware.simulation.virtual_table import VirtualTable
from tests.pages.kept_windows import start_server
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.types import TableSnapshot

RATE = 2.0
LONG_MS = 120_000


class ImmediateExecutor(Executor):
    """Does everything at once, so that the same views are taken on any machine."""

    def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        done: Future[Any] = Future()
        done.set_result(work(*args, **kwargs))
        return done


class BlindPipeline(Pipeline):
    """Sees no bases: only the board matters here."""

    def step(self, frame: Frame) -> TableSnapshot:
        """Return nothing seen."""
        return TableSnapshot(
            captured_ns=frame.captured_ns, sequence=frame.sequence, calibration="", anchors_seen=0, poses=()
        )


@dataclass(kw_only=True)
class OnDemandCamera:
    """Takes a picture whenever one is asked for; slowly while nobody looks for a board in it."""

    source: VirtualCamera
    lens: LensController
    identity: Identity = field(default_factory=Identity)
    status: SourceStatus = field(default_factory=lambda: SourceStatus(state=SourceState.LIVE, text=""))

    def wait_for_frame(self, _after: int | None, wait_s: float) -> Frame:
        if not self.lens.build_view().sighting:
            threading.Event().wait(wait_s)
        return self.source.read()


@dataclass(kw_only=True)
class LensCalibrationAtWork:
    """A table whose lens is to be calibrated, at work."""

    table: VirtualTable
    setup: Path
    lens: LensController
    address: str


@pytest.fixture
def calibration(tmp_path: Path) -> Iterator[LensCalibrationAtWork]:
    path = tmp_path / "table.toml"
    path.write_text(SETUP.read_text())
    setup = read_setup(path)
    shown = VirtualTable(VirtualScene(), build_overhead_camera(image_size=(960, 540)), colour=False)
    pipeline = BlindPipeline(markers=Markers(anchors=setup.anchor_tags, bases={}, lens=None))
    lens = LensController(
        setup=setup, path=path, pipeline=pipeline, executor=ImmediateExecutor(), hands=LensHands(shown)
    )
    table = Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    hub, latest, stop = Hub(), LatestFrame(), threading.Event()
    watch = LiveLoop(
        camera=cast(
            "LatestFrameReader",
            OnDemandCamera(source=VirtualCamera(shown, fps=RATE, pace=PlaybackPace.FREE), lens=lens),
        ),
        pipeline=pipeline,
        session=GameSession(GameState(rulebook=NO_RULEBOOK, table=table, units=())),
        hub=hub,
        name="virtual:",
        title="Lens",
        meter=RateMeter(live=False),
        latest=latest,
        virtual=True,
        features=FeatureSet(lens),
    )
    thread = threading.Thread(target=watch.run, args=(stop,))
    server = start_server(create_app(hub=hub, picture=latest.encode_jpeg, join_urls=[]))
    thread.start()
    yield LensCalibrationAtWork(table=shown, setup=path, lens=lens, address=f"http://127.0.0.1:{server.port}")
    stop.set()
    thread.join()
    server.stop()


def press_key(page: Page, key: str) -> None:
    page.locator(f'[data-key="{key}"]').click()


def test_a_board_is_shown_until_it_is_enough_and_the_lens_is_kept(
    phone: Page, calibration: LensCalibrationAtWork
) -> None:
    page = phone
    page.goto(calibration.address)
    page.get_by_role("link", name="Calibrate the lens").click()
    page.locator("#board").select_option("chess")
    page.locator('[data-key="board-across"]').fill("2")
    press_key(page, "begin")
    expect(page.locator("#toast")).to_contain_text("Board 'chess:2x6:25': expected at least 3x3 inner corners")
    page.locator("#board").select_option("charuco")
    page.locator('[data-key="board-legacy"]').select_option("old")
    page.locator('[data-key="board-marker"]').fill("25,5")
    press_key(page, "begin")
    expect(page.locator("#toast")).to_contain_text("Board 'charuco:11x8:25:25.5:5X5_100:legacy': expected")
    page.locator("#board").select_option("screen")
    press_key(page, "begin")
    expect(page.locator('[data-key="board-square"]')).to_be_focused()  # it asks for what is missing
    page.locator("#board").select_option("printed")
    press_key(page, "begin")
    expect(page.locator("#drawn .target")).to_have_count(1)
    expect(page.locator(".ask")).to_contain_text("Hold the board")
    expect(page.locator(".why")).to_contain_text("moving")
    press_key(page, "view-3")
    press_key(page, "drop")
    expect(page.locator('[data-key="view-3"]')).to_have_count(0)
    press_key(page, "leave")
    press_key(page, "left-printed")  # what was left is there again
    expect(page.locator('[data-key="view-2"]')).to_be_visible()
    expect(page.locator(".ask")).to_contain_text("That is enough", timeout=LONG_MS)
    expect(page.locator("#drawn .bare")).to_have_count(0)
    expect(page.locator(".verdict")).to_contain_text("Good")
    for control in page.locator("#work button").all():
        box = control.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    press_key(page, "keep")
    expect(page.locator(".kept")).to_have_text("Written to table-lens.json, which table.toml names.")
    named = read_setup(calibration.setup).camera.lens
    assert named == "table-lens.json"
    lens = read_json(calibration.setup.with_name(named), LensFile).lens
    seen_through = calibration.lens.pipeline.markers.lens
    assert seen_through is not None
    np.testing.assert_allclose(seen_through.parameters, lens.parameters)
    camera = calibration.table.camera
    fx, fy, (cx, cy) = camera.matrix[0, 0], camera.matrix[1, 1], camera.matrix[:2, 2]
    apart = lens.parameters - np.concatenate([[fx, fy, cx, cy], camera.distortion])
    assert np.sqrt(lens.covariance[0, 0]) < 0.005 * fx
    assert apart @ np.linalg.solve(lens.covariance, apart) < 27.9  # of nine parameters, one in a thousand is beyond
