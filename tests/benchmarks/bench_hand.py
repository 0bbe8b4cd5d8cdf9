"""The live hand: how the tablet leads a finger among two hundred models, and how soon light on the table follows.

The page of the tablet is timed as it is, and with its processor slowed four times, as on a phone.
"""

import statistics
import time
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from assistant.features.demo.virtual_table import build_virtual_table
from assistant.game.state import GameState, Table
from assistant.overlay.palette import PALETTE
from assistant.web.messages.calibration import ProjectorView, WarpView
from tests.benchmarks.bench_pages import PROBE, START_PROBE, send_touch
from tests.benchmarks.pages_scene import STRONG, make_crowd, make_game, setup_from_state, shoot
from tests.benchmarks.timed_pipeline import TimedPipeline, run_timed_pipeline
from tests.pages.conftest import CHROMIUM_ARGUMENTS, find_chromium

FPS = 30.0
DRAG_S, LIGHT_S, WARM_UP_S, TOUCHES = 5.0, 12.0, 2.0, 12
AHEAD_S = 60.0
"""It is waited for so long, on a busy machine, until what will be touched is foreseen."""
SLOWED = (1, 4)
ZONE_PROBE = """((fillStyle) => {
  window.touched = 0; window.zoned = [];
  const begun = new WeakMap(), drawn = new Set();
  const ask = window.requestAnimationFrame.bind(window);
  let within = false;  // a frame: what is painted before one is shown with it
  window.requestAnimationFrame = (paint) => ask((at) => {
    within = true;
    try { paint(at); } finally { within = false; }
  });
  const plain = Object.assign(new OffscreenCanvas(1, 1).getContext("2d"), { fillStyle }).fillStyle;
  addEventListener("pointerdown", () => { window.touched = performance.now(); }, true);
  const { moveTo } = Path2D.prototype, { fill } = CanvasRenderingContext2D.prototype;
  Path2D.prototype.moveTo = function (x, y) {
    if (!begun.has(this)) begun.set(this, `${x},${y}`);
    moveTo.call(this, x, y);
  };
  CanvasRenderingContext2D.prototype.fill = function (...given) {
    fill.apply(this, given);
    const zone = this.fillStyle === plain && begun.get(given[0]);
    if (!zone || drawn.has(zone)) return;
    drawn.add(zone);
    if (!window.touched) return;
    const since = window.touched;
    window.touched = 0;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => window.zoned.push(performance.now() - since);
    if (within) port2.postMessage(0);
    else ask(() => port2.postMessage(0));
  };
})("ZONE")""".replace("ZONE", PALETTE["zone"].fill)
"""Notes how long after a finger comes down the frame is drawn that first shows another zone than before."""


def run() -> Iterator[str]:
    """Yield what was measured."""
    crowd = make_crowd()
    setup = setup_from_state(crowd)
    still = [build_virtual_table(setup, crowd).render()]
    yield f"{len(crowd.units)} units of {STRONG}, one of them dragged with its zone and bands; medians and 95 %"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_ARGUMENTS)
        for rate in SLOWED:
            with run_timed_pipeline(setup, crowd, still, FPS, announces=False) as at_work:
                yield from _time_hand(browser, at_work, crowd, rate)
        few = make_game()
        setup = setup_from_state(few)
        film = shoot(setup, few)
        with run_timed_pipeline(setup, few, film, FPS, projector=_throw_light()) as at_work:
            yield from _time_light(browser, at_work)
        browser.close()


def _time_hand(browser: Browser, at_work: TimedPipeline, crowd: GameState, rate: int) -> Iterator[str]:
    context = browser.new_context(viewport={"width": 1180, "height": 820}, has_touch=True)
    page = context.new_page()
    page.add_init_script(PROBE)
    page.add_init_script(ZONE_PROBE)
    page.goto(f"http://127.0.0.1:{at_work.port}/tablet")
    page.locator("#units [data-key=unit-1]").wait_for()
    page.wait_for_timeout(WARM_UP_S * 1e3)
    still_s = time.monotonic() - WARM_UP_S
    while at_work.hub.foreseen <= TOUCHES and time.monotonic() - still_s < AHEAD_S:
        page.wait_for_timeout(50)
    ahead_s = time.monotonic() - still_s
    devtools = context.new_cdp_session(page)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": rate})
    for unit in crowd.units[: TOUCHES + 1]:
        pose = unit.models[0].pose
        assert pose is not None
        at = _locate(page, pose.x_mm, pose.y_mm, crowd.table)
        send_touch(devtools, "touchStart", at)
        devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.wait_for_timeout(700)
    zoned = page.evaluate("window.zoned")[1:]  # the first touch of a page has much made for it
    yield (
        f"{rate} x slower: from a touch to its zone drawn {_format(zoned)}, {len(zoned)} of {TOUCHES} touches, "
        f"{at_work.hub.foreseen} models foreseen after {ahead_s:.1f} s"
    )
    frames, paints = _drag(page, devtools, at)
    gaps = [b - a for a, b in pairwise(frames)]
    yield (
        f"  a drag: {len(paints) / DRAG_S:.0f} drawn a second; between frames {_format(gaps)}, "
        f"at most {max(gaps):.0f} ms; drawing {_format(paints)}"
    )
    context.close()


def _locate(page: Page, x_mm: float, y_mm: float, table: Table) -> list[float]:
    """Return where a place on the table is on a page that shows all of it."""
    box = page.locator("#table").bounding_box()
    assert box is not None
    scale = min((box["width"] - 24) / table.width_mm, (box["height"] - 24) / table.depth_mm)
    return [
        box["x"] + box["width"] / 2 + (x_mm - table.width_mm / 2) * scale,
        box["y"] + box["height"] / 2 - (y_mm - table.depth_mm / 2) * scale,
    ]


def _drag(page: Page, devtools: CDPSession, at: list[float]) -> tuple[list[float], list[float]]:
    """Drag what was touched last about, and return when frames began and how long drawing took."""
    send_touch(devtools, "touchStart", at)
    page.evaluate(START_PROBE)
    begun, step = time.monotonic(), 0
    while time.monotonic() - begun < DRAG_S:
        step += 1
        turn = 2 * np.pi * step / 240
        send_touch(devtools, "touchMove", [at[0] + 70 * np.sin(turn), at[1] + 50 - 50 * np.cos(turn)])
        time.sleep(max(0.0, begun + step / 120 - time.monotonic()))
    probe = page.evaluate("window.probe")
    devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    return probe["frames"], probe["paints"]


def _throw_light() -> ProjectorView:
    """Return a projector above the table that is calibrated, and bends its light a little."""
    scale = 1080 / 1118
    warp = WarpView(
        image_size=(1920, 1080),
        homography=[scale, 0.01, 220, 0.005, -scale, 1075, 0, 0, 1],
        centre_px=(960, 540),
        radius_px=1101,
        distortion=(-0.02, 0.003, 0, 0),
    )
    return ProjectorView(
        page_size=(1920, 1080), step=None, note="", pattern=None, warp=warp, error=None, checking=False,
        nudge=None, dark_mm=[], halos_mm={},
    )  # fmt: skip


def _time_light(browser: Browser, at_work: TimedPipeline) -> Iterator[str]:
    """Time from a picture of six models on their way to the light that follows them."""
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    page = context.new_page()
    page.add_init_script(PROBE)
    page.goto(f"http://127.0.0.1:{at_work.port}/projector")
    page.wait_for_timeout(WARM_UP_S * 1e3)
    page.evaluate(START_PROBE)
    page.wait_for_timeout(LIGHT_S * 1e3)
    probe = page.evaluate("window.probe")
    took_ms = at_work.hub.took_ms
    heard_ms, ages_ms = (
        at_work.measure_ages_ms({int(row[0]): round(row[nth] * 1e6) for row in probe["seen"]}) for nth in (1, 2)
    )
    yield (
        f"light on the table, six of a hundred models on their way at {FPS:.0f} pictures a second: from capture to "
        f"drawn {_format(ages_ms)}, {len(ages_ms)} messages; of it the line {_format(took_ms[len(took_ms) // 5 :])}, "
        f"to the page {_format(heard_ms)}, drawing {_format(probe['paints'])}"
    )
    context.close()


def _format(values_ms: list[float]) -> str:
    ordered = sorted(values_ms)
    return f"{statistics.median(ordered):.1f} / {ordered[int(0.95 * len(ordered))]:.1f} ms"
