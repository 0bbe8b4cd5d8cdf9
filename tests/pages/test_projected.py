"""The whole way of the light: a real browser's page, thrown askew on the virtual table, seen by the virtual camera."""

import math
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page, expect

from assistant.cli.demos import SETUP
from assistant.setup import read_setup
from assistant.web.messages import ShapeView
from tests.pages.projected import Lit, lit_table, off_mm

Floats = NDArray[np.float64]

LONGEST_S = 60


def calibrate(lit: Lit, projector: Page, landing: Page) -> None:
    """Press the button, and let light and camera do the rest; then keep what was found."""
    landing.get_by_role("button", name="Calibrate the projector").click()
    deadline = time.monotonic() + LONGEST_S
    while (shown := lit.hub.projector) is None or shown.step != "measured":
        assert time.monotonic() < deadline, f"still at {shown and (shown.step, shown.note)}"
        lit.shine(projector)
    landing.get_by_role("button", name="Keep it").click()
    expect(landing.get_by_role("button", name="Calibrate again")).to_be_visible()


def rings() -> tuple[dict[str, ShapeView], Floats, Floats]:
    """Circles and lines all over the table, places along them where nothing else lies, and their normals."""
    shapes: dict[str, ShapeView] = {}
    places, normals = [], []
    for x in (130, 450, 762, 1074, 1394):
        for y in (140, 420, 700, 978):
            turns = np.linspace(0, math.tau, 72, endpoint=False)
            round_ = np.column_stack([np.cos(turns), np.sin(turns)])
            ring = [(float(px), float(py)) for px, py in (x, y) + 45 * round_]
            shapes[f"{x} {y}"] = shape(ring, closed=True)
            places.append((x, y) + 45 * round_)
            normals.append(round_)
    for key, start, end in (("long", (20.0, 40.0), (1504.0, 1090.0)), ("edge", (12.0, 1104.0), (1512.0, 1104.0))):
        shapes[key] = shape([start, end], closed=False)
        share = np.linspace(0.03, 0.97, 60)[:, None]
        way = np.array(end) - start
        places.append(start + share * way)
        normals.append(np.tile(np.array([-way[1], way[0]]) / np.linalg.norm(way), (60, 1)))
    return shapes, np.concatenate(places), np.concatenate(normals)


def shape(points: list[tuple[float, float]], *, closed: bool) -> ShapeView:
    return ShapeView(layer="witness", rings_mm=[points], closed=closed, style="witness-legal", label="")


def measured_mm(lit: Lit, page: Page) -> Floats:
    """How far lines of light on the bare table are from where they belong."""
    shapes, places, normals = rings()
    view = lit.hub.view
    # Dark masks over bases and anchors would cut the lines, so those places are left out.
    lit.hub.publish(view.model_copy(update={"shapes": shapes}))
    page.wait_for_timeout(300)
    picture = lit.shine(page)
    keep_clear = [(anchor.x_mm, anchor.y_mm, 45.0) for anchor in lit.projectionist.setup.anchors]
    keep_clear += [(model.x_mm, model.y_mm, 90.0) for model in view.models.values()]
    free = np.array([all(math.hypot(x - a, y - b) > r for a, b, r in keep_clear) for x, y in places])
    flat = np.array([not any(inside(place, piece.outline_mm) for piece in lit.table.scene.terrain) for place in places])
    return off_mm(lit.table, picture, places[free & flat], normals[free & flat])


def inside(place: Floats, outline: tuple[tuple[float, float], ...]) -> bool:
    ring = np.array(outline)
    return bool((np.linalg.norm(ring - place, axis=1).min() < 40) or (np.abs(ring.mean(axis=0) - place).max() < 100))


def projected(browser: Browser, lit: Lit, *, scale: float = 1.0) -> tuple[Page, Page]:
    """The projector's page and the start page."""
    context = browser.new_context(viewport={"width": 1920, "height": 1080}, device_scale_factor=scale)
    projector, landing = context.new_page(), context.new_page()
    projector.goto(f"{lit.address}/projector")
    expect(projector.locator("#status")).to_be_hidden()
    landing.goto(lit.address)
    return projector, landing


def test_light_lands_where_it_belongs(browser: Browser, tmp_path: Path) -> None:
    setup = tmp_path / "table.toml"
    setup.write_bytes(SETUP.read_bytes())
    with lit_table(setup) as lit:
        projector, landing = projected(browser, lit)
        calibrate(lit, projector, landing)
        lit.halt()
        off = np.abs(measured_mm(lit, projector))
        assert len(off) > 400
        assert off.mean() <= 0.5
        assert off.max() <= 1.0
        assert read_setup(setup).projector.calibration == "projector.json"
