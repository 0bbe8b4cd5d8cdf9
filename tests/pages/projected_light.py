"""A virtual projector that lights a virtual table with what a real browser renders, and where that light lands."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page

from assistant.features.demo.catalogue import read_demo
from assistant.features.demo.virtual_table import build_scene
from assistant.features.projector.controller import ProjectorController
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.live_loop import LatestFrame, LiveLoop, RateMeter
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.app import create_app
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.calibration import ProjectorView
from calibration.spaces import Lens
from hardware.camera.latest_frame_reader import LatestFrameReader
from hardware.camera.virtual import VirtualCamera
from hardware.simulation.optics import CameraModel, build_overhead_camera
from hardware.simulation.virtual_table import VirtualTable
from tests.hardware.simulation.askew_projector import build_askew_projector
from tests.pages.kept_windows import start_server
from vision.markers import Markers
from vision.pipeline import Pipeline

Floats = NDArray[np.float64]

REACH_MM = 7.0
"""A line of light is looked for so far on either side of where it belongs."""
STEP_MM = 0.25


@dataclass(frozen=True)
class ProjectedTable:
    """A table at work, and the light on it."""

    address: str
    table: VirtualTable
    hub: "RememberingHub"
    projector: ProjectorController
    halt: Callable[[], None]
    """Stops the watch, so that what is shown can be chosen; the pages stay."""

    def shine(self, page: Page) -> NDArray[np.uint8]:
        """Throw what a projector page shows on the table; return it."""
        png = np.frombuffer(page.screenshot(), np.uint8)
        picture = np.asarray(cv2.imdecode(png, cv2.IMREAD_COLOR), dtype=np.uint8)
        self.table.project_picture(picture)
        return picture


class RememberingHub(Hub):
    """Remembers what it last showed."""

    def __init__(self) -> None:
        super().__init__()
        self.view = View()

    def publish(self, view: View, own: Mapping[str, View] | None = None) -> int:
        """Show a view."""
        self.view = view
        return super().publish(view, own)

    @property
    def projector(self) -> ProjectorView | None:
        """What is shown of the projector."""
        return self.view.projector.get("projector")


@contextmanager
def light_table(path: Path, *, in_4k: bool = False) -> Iterator[ProjectedTable]:
    """Lay the demo's table under a camera whose lens is known, lit by a projector that hangs askew; serve its pages."""
    demo = read_demo("warhammer-40k-10e")
    setup = demo.setup
    size = (3840, 2160) if in_4k else (1920, 1080)
    optics = build_overhead_camera(image_size=size)
    table = VirtualTable(build_scene(setup, demo.state), optics, projector=build_askew_projector(image_size=size))
    hub, stop = RememberingHub(), threading.Event()
    pipeline = Pipeline(
        markers=Markers(anchors=setup.anchor_tags, bases=setup.enrolled_bases, lens=lens_from_camera(optics))
    )
    projector = ProjectorController(setup=setup, path=path, pipeline=pipeline)
    camera = LatestFrameReader(lambda: VirtualCamera(table, fps=12))
    watch = LiveLoop(
        camera=camera,
        pipeline=pipeline,
        session=GameSession(demo.state, solve_zone=skip_zone),
        hub=hub,
        name="virtual:",
        title="Lit table",
        meter=RateMeter(live=True),
        latest=LatestFrame(),
        virtual=True,
        features=FeatureSet(projector),
    )
    thread = threading.Thread(target=watch.run, args=(stop,))

    def halt() -> None:
        stop.set()
        thread.join()

    server = start_server(create_app(hub=hub, picture=lambda: None, join_urls=[]))
    thread.start()
    try:
        yield ProjectedTable(f"http://127.0.0.1:{server.port}", table, hub, projector, halt)
    finally:
        halt()
        camera.close()
        server.stop()


def lens_from_camera(camera: CameraModel) -> Lens:
    """What an ordinary calibration would know of a virtual camera's lens."""
    matrix = camera.matrix
    parameters = np.array([matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2], *camera.distortion])
    spread = np.array([0.5, 0.5, 0.5, 0.5, 0.002, 0.003, 1e-4, 1e-4, 0.002])
    return Lens(image_size=camera.image_size, parameters=parameters, covariance=np.diag(spread**2))


def measure_offsets_mm(
    table: VirtualTable, page_shows: NDArray[np.uint8], places_mm: Floats, normals: Floats
) -> Floats:
    """Return how far lines of light lie from where they belong, as the camera sees them, mm along each normal.

    The light's profile across a line is taken from the difference that it makes to the picture; its middle is the
    line's place.  The camera is the true one, so nothing of the calibration measures itself.
    """
    table.project_picture(None)
    dark = np.mean([table.render().astype(np.float32) for _ in range(4)], axis=0)
    table.project_picture(page_shows)
    light = np.mean([table.render().astype(np.float32) for _ in range(4)], axis=0) - dark
    level = light.sum(axis=2)
    along = np.arange(-REACH_MM, REACH_MM + STEP_MM / 2, STEP_MM)
    points = places_mm[:, None] + along[None, :, None] * normals[:, None]
    flat = np.concatenate([points.reshape(-1, 2), np.zeros((points[..., 0].size, 1))], axis=1)
    pixels = table.camera.project(flat).astype(np.float32).reshape(*points.shape[:2], 2)
    profile = cv2.remap(level, pixels[:, :, 0].copy(), pixels[:, :, 1].copy(), cv2.INTER_LINEAR)
    profile = np.clip(profile - 0.25 * profile.max(axis=1, keepdims=True), 0, None)
    return np.asarray((profile * along).sum(axis=1) / profile.sum(axis=1))
