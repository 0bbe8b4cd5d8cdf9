"""`make pictures`: those of the guide's page about marking an army."""

import math
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
from playwright.sync_api import Page as BrowserPage
from playwright.sync_api import expect, sync_playwright

from assistant.features.camera.marker_sizes import estimate_sight
from assistant.features.coded_ring_sheets import RingOrder, build_coded_ring_sheets, build_ring_print
from assistant.features.demo.catalogue import read_demo
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.features.wizard.markers import assign_markers, choose_markers
from assistant.game.base_spec import BaseSpec
from hardware.printing.coded_rings import Cutter, RingPrint, draw_ring, offset_outline
from hardware.printing.page import (
    A4,
    Colour,
    CutLine,
    InkArea,
    Mark,
    Page,
    Paper,
    Point,
    Ring,
    SheetPosition,
    TextLine,
    draw_tag,
)
from hardware.printing.svg import render_svg
from hardware.rings.layout import RingKind
from hardware.rings.words import load_ring_list
from tests.pages.conftest import CHROMIUM_ARGUMENTS, find_chromium
from tests.pages.wizard_page import WizardDesk, serve_wizard

PICTURES = Path(__file__).resolve().parents[2] / "docs/guide/pictures"
GAME = "warhammer-40k-10e"
RINGS = load_ring_list()
WHITE: Colour = (1.0, 1.0, 1.0)
TABLE: Colour = (0.55, 0.60, 0.45)
EDGE, SAND = (0.16, 0.15, 0.14), (0.45, 0.40, 0.32)
COAT, SKIN, STEEL, HULL = (0.16, 0.33, 0.60), (0.85, 0.68, 0.55), (0.55, 0.58, 0.60), (0.18, 0.28, 0.42)
NOSE_UP = math.pi / 2


def draw_markers() -> bytes:
    """Return a halo around a base, a rim on one, and a tag on a roof, from above."""
    marks: list[Mark] = [InkArea(rings_mm=(_box(-1, -1, 192, 74),), colour=WHITE)]
    marks += [InkArea(rings_mm=(_box(1, 14, 188, 57),), colour=TABLE)]
    for x, kind in ((32.0, RingKind.HALO), (92.0, RingKind.RIM)):
        marks += _draw_ringed(SheetPosition(x_mm=x, y_mm=42.0, turn_rad=NOSE_UP), kind)
    marks += _draw_hull(SheetPosition(x_mm=152.0, y_mm=42.0))
    words = ((32, "halo", "lies under the base"), (92, "rim", "is stuck on the base"), (152, "tag", "on a roof"))
    for x, name, where in words:
        marks.append(TextLine(text=name, x_mm=x, y_mm=7.5, size_mm=4.2, centred=True, bold=True))
        marks.append(TextLine(text=where, x_mm=x, y_mm=2.5, size_mm=3.2, centred=True))
    return render_svg(Page(paper=Paper(name="drawing", width_mm=190, height_mm=72), marks=tuple(marks)), "markers")


def _draw_ringed(spot: SheetPosition, kind: RingKind) -> Iterator[Mark]:
    ring = build_ring_print(RingOrder(ring=17, kind=kind, base=BaseSpec(round_mm=32)), RINGS)
    outline = ring.outline_mm
    base, sand = (InkArea(rings_mm=(spot.place_points(outline),), colour=EDGE),
                  InkArea(rings_mm=(spot.place_points(offset_outline(outline, -1.2)),), colour=SAND))  # fmt: skip
    if kind is RingKind.HALO:
        yield InkArea(rings_mm=(spot.place_points(ring.edge_mm),), colour=WHITE)
        yield from _draw_cells(ring, spot)
        yield from (base, sand)
    else:
        yield from (base, sand)
        rings = (spot.place_points(ring.edge_mm), spot.place_points(ring.hole_mm))
        yield InkArea(rings_mm=rings, colour=WHITE)
        yield from _draw_cells(ring, spot)
    yield from _draw_figure(spot)


def _draw_cells(ring: RingPrint, spot: SheetPosition) -> Iterator[Mark]:
    """Draw what is left of a printed ring once it is cut out and in place."""
    return (mark for mark in draw_ring(ring, spot, Cutter.SCISSORS) if not isinstance(mark, TextLine | CutLine))


def _draw_figure(spot: SheetPosition) -> Iterator[Mark]:
    """Draw a figure from above, which looks along the spot's x."""
    for ring, colour in (
        (((0.0, -5.6), (13.0, -5.2), (13.0, -4.2), (0.0, -4.0)), STEEL),
        (_oval(0, 0, 4.4, 8.0), COAT),
        (_oval(0.8, 0, 3.0, 3.0), SKIN),
    ):
        yield InkArea(rings_mm=(spot.place_points(ring),), colour=colour)


def _draw_hull(spot: SheetPosition) -> Iterator[Mark]:
    for box, colour in (
        (_box(-24, -25, 10, 50), EDGE),
        (_box(14, -25, 10, 50), EDGE),
        (_box(-16, -23, 32, 46), HULL),
        (_box(-12.5, -17, 25, 25), WHITE),
    ):
        yield InkArea(rings_mm=(spot.place_points(box),), colour=colour)
    yield draw_tag(5, SheetPosition(x_mm=spot.x_mm, y_mm=spot.y_mm - 4.5), 20.0)


def _box(x: float, y: float, width: float, height: float) -> Ring:
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def _oval(x: float, y: float, half_length: float, half_width: float) -> tuple[Point, ...]:
    turns = (math.tau * at / 48 for at in range(48))
    return tuple((x + half_length * math.cos(turn), y + half_width * math.sin(turn)) for turn in turns)


def draw_sheet() -> bytes:
    """Return a sheet of halos for an army."""
    sizes: Sequence[tuple[str, int, float]] = (("scouts", 10, 32), ("raiders", 5, 40), ("captain", 1, 50))
    names = [(f"{unit}-{at + 1}", size) for unit, count, size in sizes for at in range(count)]
    orders = [
        RingOrder(ring=ring, kind=RingKind.HALO, base=BaseSpec(round_mm=size), label=name)
        for ring, (name, size) in enumerate(names, 1)
    ]
    (page, *_) = build_coded_ring_sheets(orders, RINGS, A4, Cutter.SCISSORS)
    paper = InkArea(rings_mm=(_box(0, 0, A4.width_mm, A4.height_mm),), colour=WHITE)
    return render_svg(Page(paper=A4, marks=(paper, *page.marks)), "overtable rings")


def take_figures() -> bytes:
    """Return what a 4K camera sees of figures on halos, as a JPEG."""
    demo = read_demo(GAME)
    sight = estimate_sight((3840, 2160), (demo.state.table.width_mm, demo.state.table.depth_mm))
    marked = choose_markers(demo.state, {}, (), rings=RINGS, sight=sight)
    bases = assign_markers(demo.state, marked, (), taken=frozenset(), rings=RINGS, sight=sight)
    table = build_virtual_table(demo.setup.model_copy(update={"bases": bases}), demo.state, in_4k=True)
    return cv2.imencode(".jpg", table.render()[800:1400, 940:2040], [cv2.IMWRITE_JPEG_QUALITY, 88])[1].tobytes()


def take_pages(folder: Path) -> None:
    """Take the set-up page's steps about markers."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        with tempfile.TemporaryDirectory() as work, serve_wizard(Path(work), GAME) as (desk, address):
            page.goto(f"{address}#mark")
            expect(page.locator('[data-kind="round:40"]')).to_contain_text("Halo recommended")
            _take_step(page, folder / "choose.png")
            _lay(page, desk, f"{address}#enrol")
            _take_step(page, folder / "laid.png")
            page.goto("about:blank")
        browser.close()


def _lay(page: BrowserPage, desk: WizardDesk, address: str) -> None:
    page.goto(address)
    desk.unread_px = {"scouts-2": 1.6, "raiders-1": 2.6}
    page.locator('#work [data-key="middle"]').click()
    expect(page.locator("#work .tags li").first).to_contain_text("is not read")


def _take_step(page: BrowserPage, path: Path) -> None:
    """Take the step by itself, from its heading down."""
    page.screenshot(path=path, clip={"x": 320, "y": 60, "width": 520, "height": 760})


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / "markers.svg").write_bytes(draw_markers())
    (PICTURES / "sheet.svg").write_bytes(draw_sheet())
    (PICTURES / "figures.jpg").write_bytes(take_figures())
    take_pages(PICTURES)
    print(f"Written to {PICTURES}")
