"""The whole way of the light: a real browser's page, thrown askew on the virtual table, seen by the virtual camera."""

import math
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray
from playwright.sync_api import Page, expect

from assistant.features.demo.catalogue import SETUP
from assistant.setup.file import read_setup
from assistant.web.commands.calibration import NudgeLight
from assistant.web.messages.table import ShapeView
from tests.pages.kept_windows import KeptWindows
from tests.pages.projected_light import ProjectedTable, light_table, measure_offsets_mm
from tests.pages.socket_listener import SocketListener
from tests.pages.waiting import PATIENCE_S, wait_for

Floats = NDArray[np.float64]


def calibrate_projector(lit: ProjectedTable, projector: Page, landing: Page) -> None:
    """Press the button, and let light and camera do the rest; then keep what was found."""
    landing.get_by_role("button", name="Calibrate the projector").click()
    deadline = time.monotonic() + PATIENCE_S
    while (shown := lit.hub.projector) is None or shown.step != "measured":
        assert time.monotonic() < deadline, f"still at {shown and (shown.step, shown.note)}"
        lit.shine(projector)
        projector.wait_for_timeout(200)  # the camera takes pictures meanwhile
    landing.get_by_role("button", name="Keep it").click()
    expect(landing.get_by_role("button", name="Calibrate again")).to_be_visible()


@dataclass
class LightLines:
    """Circles and lines of light, and places along them."""

    shapes: dict[str, ShapeView] = field(default_factory=dict)
    places: list[Floats] = field(default_factory=list)
    normals: list[Floats] = field(default_factory=list)
    """One for each place."""

    def add_circle(self, x_mm: float, y_mm: float, radius_mm: float) -> None:
        turns = np.linspace(0, math.tau, 72, endpoint=False)
        away = np.column_stack([np.cos(turns), np.sin(turns)])
        self._add((x_mm, y_mm) + radius_mm * away, away, closed=True)

    def add_line(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        way = np.array(end) - start
        share = np.linspace(0, 1, 80)[:, None]
        across = np.array([-way[1], way[0]]) / np.linalg.norm(way)
        self._add(np.array([start, end]), across, closed=False, along=start + share * way)

    def _add(self, points: Floats, normals: Floats, *, closed: bool, along: Floats | None = None) -> None:
        rings = [[(float(x), float(y)) for x, y in points]]
        number = str(len(self.shapes))
        self.shapes[number] = ShapeView(layer="witness", rings_mm=rings, closed=closed, style="witness-legal", label="")
        self.places.append(points if along is None else along)
        self.normals.append(np.broadcast_to(normals, self.places[-1].shape))


FRAMES = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"


def measure_lines_mm(lit: ProjectedTable, page: Page, wire: SocketListener) -> tuple[Floats, Floats]:
    """How far lines of light on the bare table are from where they belong, along which normals."""
    lines = LightLines()
    for x_mm in (130, 450, 762, 1074, 1394):
        for y_mm in (140, 280, 420, 560, 700, 840, 978):
            lines.add_circle(x_mm, y_mm, 45)
    lines.add_line((20, 40), (1504, 1090))
    lines.add_line((12, 1104), (1512, 1104))
    view = lit.hub.view
    projector = {"projector": lit.projector.build_view()}
    shown = view.model_copy(update={"shapes": lines.shapes, "projector": projector})
    lit.hub.publish(shown)
    wanted = shown.model_dump(mode="json", include={"shapes", "projector"})
    wait_for(lambda: wire.has_view(page) and wanted == {name: wire.view[name] for name in wanted})
    page.evaluate(FRAMES)
    picture = lit.shine(page)
    # Where light is masked, falls higher than on the table, is hidden, or crosses other light, nothing can be measured.
    covered = [shapely.Polygon(anchor.square_mm[:, :2]).buffer(30) for anchor in lit.projector.setup.anchor_tags]
    covered += [shapely.Point(model.x_mm, model.y_mm).buffer(90) for model in view.models.values()]
    covered += [shapely.Polygon(piece.outline_mm).buffer(60) for piece in lit.table.scene.terrain]
    drawn = [shapely.LineString([*places, places[0]] if len(places) == 72 else places) for places in lines.places]
    free_places, free_normals = [], []
    for number, (places, normals) in enumerate(zip(lines.places, lines.normals, strict=True)):
        others = [line.buffer(15) for at, line in enumerate(drawn) if at != number]
        free = ~shapely.contains_xy(shapely.unary_union([*covered, *others]), places)
        free_places.append(places[free])
        free_normals.append(normals[free])
    normals = np.concatenate(free_normals)
    return measure_offsets_mm(lit.table, picture, np.concatenate(free_places), normals), normals


def open_projector_pages(
    windows: KeptWindows, lit: ProjectedTable, *, scale: float = 1.0
) -> tuple[Page, SocketListener, Page]:
    """The projector's page, what it is told, and the start page."""
    size = {"width": 1920, "height": 1080}  # a window each: a page behind another is drawn once a second
    projector, landing = (windows.take(viewport=size, device_scale_factor=scale).new_page() for _ in range(2))
    wire = SocketListener(projector)
    projector.goto(f"{lit.address}/projector")
    expect(projector.locator("#status")).to_be_hidden()
    landing.goto(lit.address)
    return projector, wire, landing


def test_light_lands_where_it_belongs(windows: KeptWindows, tmp_path: Path) -> None:
    setup = tmp_path / "table.toml"
    setup.write_bytes(SETUP.read_bytes())
    with light_table(setup) as lit:
        projector, wire, landing = open_projector_pages(windows, lit)
        calibrate_projector(lit, projector, landing)
        lit.halt()
        off, normals = measure_lines_mm(lit, projector, wire)
        assert len(off) > 800
        assert np.abs(off).mean() <= 0.5
        assert np.abs(off).max() <= 1.0
        lit.projector.nudge(NudgeLight(type="nudge-light", x_mm=2, y_mm=-1))
        nudged, _ = measure_lines_mm(lit, projector, wire)
        moved = nudged - off - normals @ (2, -1)
        assert np.abs(moved).mean() < 0.1
        assert read_setup(setup).projector.calibration == "projector.json"
