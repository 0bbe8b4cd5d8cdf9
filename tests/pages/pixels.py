"""Where things are on a page's canvas, and what colour is there."""

import time

from playwright.sync_api import Locator

from tests.pages.game import DEPTH, WIDTH

BLACK = (0, 0, 0)

READ_PIXEL = """(canvas, at) => {
    // by way of a copy, because reading a canvas directly makes the browser warn and draw it differently from then on
    const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, -Math.round(at.x * devicePixelRatio), -Math.round(at.y * devicePixelRatio));
    return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""


def place(canvas: Locator, x_mm: float, y_mm: float, *, margin_px: float = 0) -> dict[str, float]:
    """Where a point of the table lies on a canvas that shows the whole table, CSS pixels."""
    box = canvas.bounding_box()
    assert box is not None
    scale = min((box["width"] - 2 * margin_px) / WIDTH, (box["height"] - 2 * margin_px) / DEPTH)
    return {
        "x": (box["width"] - WIDTH * scale) / 2 + x_mm * scale,
        "y": (box["height"] + DEPTH * scale) / 2 - y_mm * scale,
    }


def colour(canvas: Locator, at: dict[str, float]) -> tuple[int, int, int]:
    """The colour of the canvas at a point, as red, green and blue."""
    red, green, blue = canvas.evaluate(READ_PIXEL, at)
    return red, green, blue


def lit(canvas: Locator, at: dict[str, float]) -> tuple[int, int, int]:
    """The colour of the canvas at a point, once it is not black."""
    deadline = time.monotonic() + 10
    while (found := colour(canvas, at)) == BLACK:
        assert time.monotonic() < deadline, f"it stayed black at {at}"
        time.sleep(0.02)
    return found
