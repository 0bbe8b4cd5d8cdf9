"""Pixels of a page's canvas: where places of the table are, and what colour is there."""

from playwright.sync_api import Locator

from tests.pages.played_game import DEPTH, WIDTH
from tests.pages.waiting import wait_for

BLACK = (0, 0, 0)

READ_PIXELS = """(canvas, places) => {
    // by way of a copy, because reading a canvas directly makes the browser warn and draw it differently from then on
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const [k, round] = [devicePixelRatio, Math.round];
    return places.map((at) => [...copy.getImageData(round(at.x * k), round(at.y * k), 1, 1).data].slice(0, 3));
}"""


def locate_place(canvas: Locator, x_mm: float, y_mm: float, *, margin_px: float = 0) -> dict[str, float]:
    """Where a point of the table lies on a canvas that shows the whole table, CSS pixels."""
    box = canvas.bounding_box()
    assert box is not None
    scale = min((box["width"] - 2 * margin_px) / WIDTH, (box["height"] - 2 * margin_px) / DEPTH)
    return {
        "x": (box["width"] - WIDTH * scale) / 2 + x_mm * scale,
        "y": (box["height"] + DEPTH * scale) / 2 - y_mm * scale,
    }


def read_colour(canvas: Locator, at: dict[str, float]) -> tuple[int, int, int]:
    """The colour of the canvas at a point, as red, green and blue."""
    return read_colours(canvas, [at])[0]


def read_colours(canvas: Locator, places: list[dict[str, float]]) -> list[tuple[int, int, int]]:
    """The colours of the canvas at several points, all read at once."""
    return [(red, green, blue) for red, green, blue in canvas.evaluate(READ_PIXELS, places)]


def wait_for_lit_colour(canvas: Locator, at: dict[str, float]) -> tuple[int, int, int]:
    """The colour of the canvas at a point, once it is not black."""
    return wait_for(
        lambda: found if (found := read_colour(canvas, at)) != BLACK else None,
        otherwise=lambda: f"it stayed black at {at}",
    )
