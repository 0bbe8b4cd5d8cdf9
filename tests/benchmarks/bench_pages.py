"""The pages at a hundred models: how soon they show what the camera saw, how they draw, what they cost the pipeline.

The pages run in headless Chromium, which draws without a graphics card.  A probe is put into each page before its own
scripts, to note when it hears and draws.  The film's pictures are rendered beforehand.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from assistant.game.state import GameState
from assistant.setup.file import Setup
from assistant.table.session import GameSession
from assistant.web.hub import Hub
from assistant.web.views.session import Source, build_view
from hardware.frame import Frame
from tests.benchmarks.pages_scene import (
    MOVED,
    MOVERS,
    REST_FRAMES,
    ROUND,
    STROKE_FRAMES,
    make_game,
    setup_from_state,
    shoot,
)
from tests.benchmarks.timed_pipeline import TimedPipeline, run_timed_pipeline
from tests.pages.conftest import CHROMIUM_ARGUMENTS, find_chromium
from vision.markers import Markers
from vision.pipeline import Pipeline

PROBE = """(() => {
  const now = () => performance.timeOrigin + performance.now();
  const fresh = () => ({ seen: [], frames: [], paints: [], heard: [] });
  window.probe = fresh();
  window.startProbe = () => { window.probe = fresh(); requestAnimationFrame(tick); };
  const plainFrame = window.requestAnimationFrame.bind(window);
  let painted = 0;
  // What the page itself does in its frames.
  window.requestAnimationFrame = (paint) => plainFrame((at) => {
    const begun = performance.now();
    paint(at);
    if (paint !== tick) window.probe.paints.push(performance.now() - begun);
  });
  function tick(at) { window.probe.frames.push(at); plainFrame(tick); }
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", (event) => this.note(event));
    }
    note(event) {
      const number = /^.{0,30}"seq":(\\d+)/.exec(event.data);
      if (!number) return;
      const heard = now();
      plainFrame(() => {
        const { port1, port2 } = new MessageChannel();
        const row = [Number(number[1]), heard, 0, 0];
        port1.onmessage = () => { row[2] = now(); };
        port2.postMessage(0);
        plainFrame(() => { row[3] = now(); window.probe.seen.push(row); });
      });
    }
    set onmessage(listener) {
      super.onmessage = (event) => {
        const begun = performance.now();
        listener(event);
        window.probe.heard.push(performance.now() - begun);
      };
    }
  };
})()"""
"""Rows of `seen` are a message's number and, in milliseconds of the day, when it was heard, when the frame that shows
it was drawn and a task after that began, and when the next frame began."""

START_PROBE = "window.startProbe()"


ROOT = Path(__file__).parents[2]
RATES = (15.0, 30.0)
LATENCY_S, DRAG_S, CLIENTS_S = 12.0, 5.0, 4.0
WARM_UP_S = 3.0
CLIENTS = 20
TURNS = 3
"""How often the line is timed with each crowd of pages, by turns."""
SOURCE = Source(name="bench", title="bench", virtual=True, replay=False, state="live", text="", fps=0.0, latency_ms=0.0)

FilmImages = list[NDArray[np.uint8]]


def run() -> Iterator[str]:
    """Yield what was measured."""
    state = make_game()
    setup = setup_from_state(state)
    film = shoot(setup, state)
    yield f"1080p, 100 bases of which {MOVERS} go and stop; the film was rendered beforehand"
    yield from _time_server(setup, state, film)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_ARGUMENTS)
        for fps in RATES:
            with run_timed_pipeline(setup, state, film, fps) as at_work:
                yield from _time_latency(browser, at_work, fps)
        for fps in RATES:
            with run_timed_pipeline(setup, state, film, fps) as at_work:
                yield from _time_drag(browser, at_work, fps)
        browser.close()
    with run_timed_pipeline(setup, state, film, RATES[-1]) as at_work:
        yield from _time_crowds(at_work)


def _time_server(setup: Setup, state: GameState, film: FilmImages) -> Iterator[str]:
    """Time what the server does for the pages at each picture: view, difference, JSON."""
    pipeline = Pipeline(markers=Markers(anchors=setup.anchor_tags, bases=setup.enrolled_bases, lens=None))
    session, hub = GameSession(state), Hub()
    took: dict[bool, list[float]] = {True: [], False: []}
    for number in range(3 * ROUND):
        image = film[number % ROUND]
        frame = Frame(camera="film", sequence=number, captured_ns=number * 33_333_333, image=image)
        session.observe(pipeline.step(frame))
        if number == ROUND:
            session.declare(unit=MOVED, action="normal")
        session.consult_referee()
        begun = time.perf_counter()
        hub.publish(build_view(session, SOURCE))
        if number > ROUND:
            moving = 0 < number % (STROKE_FRAMES + REST_FRAMES) <= STROKE_FRAMES
            took[moving].append((time.perf_counter() - begun) * 1e3)
    for moving, what in ((True, f"{MOVERS} move"), (False, "all rest")):
        yield f"view, difference and JSON while {what}: {_format_spread(took[moving])}"


def _time_latency(browser: Browser, at_work: TimedPipeline, fps: float) -> Iterator[str]:
    with _open_tablet(browser, at_work) as (page, _):
        page.evaluate(START_PROBE)
        page.wait_for_timeout(LATENCY_S * 1e3)
        seen = page.evaluate("window.probe.seen")
    took = at_work.hub.took_ms
    yield f"{fps:.0f} pictures a second: the line from picture to message {_format_spread(took[len(took) // 5 :])}"
    for nth, what in ((1, "the socket"), (2, "drawn (frame and a task after it)"), (3, "the frame after that begins")):
        ages_ms = at_work.measure_ages_ms({int(row[0]): round(row[nth] * 1e6) for row in seen})
        yield f"  from capture to {what}: {_format_spread(ages_ms)}, {len(ages_ms)} messages"


def _time_drag(browser: Browser, at_work: TimedPipeline, fps: float) -> Iterator[str]:
    """Drag a model about with a finger, and count what is drawn."""
    with _open_tablet(browser, at_work) as (page, devtools):
        place = page.evaluate(
            """() => { const box = document.getElementById("table").getBoundingClientRect();
                return [box.left + box.width / 2, box.top + box.height / 2]; }"""
        )
        box = page.locator("#table").bounding_box()
        assert box is not None
        scale = min((box["width"] - 24) / 1524, (box["height"] - 24) / 1118)
        at = [place[0] + (90 - 762) * scale, place[1] - (170 - 559) * scale]
        send_touch(devtools, "touchStart", at)
        before = _read_spent_s(devtools)
        page.evaluate(START_PROBE)
        begun = time.monotonic()
        step = 0
        while time.monotonic() - begun < DRAG_S:
            step += 1
            send_touch(devtools, "touchMove", [at[0] + 40 + 30 * np.sin(step / 20), at[1] - 30 * np.cos(step / 25)])
            time.sleep(max(0.0, begun + step / 120 - time.monotonic()))
        probe = page.evaluate("window.probe")
        spent = {name: now - before[name] for name, now in _read_spent_s(devtools).items()}
        devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    frames = probe["frames"]
    gaps = [b - a for a, b in pairwise(frames)]
    drawn = len(probe["paints"])
    yield (
        f"a finger drags at {fps:.0f} pictures a second ({step / DRAG_S:.0f} touches a second): "
        f"{drawn / DRAG_S:.0f} drawn a second; between frames {_format_spread(gaps)}"
    )
    yield (
        f"  drawing {_format_spread(probe['paints'])}; messages {_format_spread(probe['heard'])}; "
        f"main thread {spent['TaskDuration'] / drawn * 1e3:.1f} a frame, of it script "
        f"{spent['ScriptDuration'] / drawn * 1e3:.1f}, style and layout "
        f"{(spent['LayoutDuration'] + spent['RecalcStyleDuration']) / drawn * 1e3:.1f}"
    )


def send_touch(devtools: CDPSession, kind: str, at: list[float]) -> None:
    """Let a finger touch a page, or move there."""
    devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at[0], "y": at[1]}]})


def _read_spent_s(devtools: CDPSession) -> dict[str, float]:
    names = {"TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration"}
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    return {metric["name"]: metric["value"] for metric in metrics if metric["name"] in names}


@contextmanager
def _open_tablet(browser: Browser, at_work: TimedPipeline) -> Iterator[tuple[Page, CDPSession]]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, has_touch=True)
    page = context.new_page()
    page.add_init_script(PROBE)
    page.goto(f"http://127.0.0.1:{at_work.port}/tablet")
    page.locator("#actions [aria-pressed=true]").wait_for()
    page.wait_for_timeout(WARM_UP_S * 1e3)
    devtools = context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    try:
        yield page, devtools
    finally:
        context.close()


@dataclass(kw_only=True)
class _Crowd:
    """Pages that listen, and what the line was like with them."""

    count: int
    deaf: bool = False
    """One more joins them that asks for the whole view again and again, and reads nothing."""
    took_ms: list[float] = field(default_factory=list)
    spent_ms: list[float] = field(default_factory=list)
    ages_ms: list[float] = field(default_factory=list)
    grown_mb: list[float] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Say who they are."""
        pages = "no page" if self.count == 0 else f"{self.count} page{'s' * (self.count > 1)}"
        return pages + " and a deaf one" * self.deaf


def _time_crowds(at_work: TimedPipeline) -> Iterator[str]:
    """Time the line with no page, one, twenty, and twenty beside one that never reads, by turns."""
    crowds = [_Crowd(count=0), _Crowd(count=1), _Crowd(count=CLIENTS), _Crowd(count=CLIENTS, deaf=True)]
    texts: list[str] = []
    time.sleep(WARM_UP_S)
    for _ in range(TURNS):
        for crowd in crowds:
            with _listen(at_work.port, crowd) as answer:
                before_mb = _read_resident_mb()
                begun, spent_s = len(at_work.hub.took_ms), time.process_time()
                time.sleep(CLIENTS_S)
                took_ms = at_work.hub.took_ms[begun:]
                crowd.took_ms += took_ms
                crowd.spent_ms.append((time.process_time() - spent_s) / len(took_ms) * 1e3)
                crowd.grown_mb.append(_read_resident_mb() - before_mb)
            texts += answer["texts"]
            for heard in answer["heard"]:
                crowd.ages_ms += at_work.measure_ages_ms({int(seq): at_ns for seq, at_ns in heard.items()})
    yield f"the line's time for a picture with pages, by turns, {TURNS} x {CLIENTS_S:.0f} s each"
    alone_ms = statistics.median(crowds[0].took_ms)
    for crowd in crowds:
        ratio = statistics.median(crowd.took_ms) / alone_ms
        yield (
            f"  {crowd.name:<24} {_format_spread(crowd.took_ms)}, {ratio:.2f} of it alone; "
            f"processor {statistics.median(crowd.spent_ms):.1f} ms a picture in all threads; "
            f"memory {statistics.median(crowd.grown_mb):+.1f} MB"
        )
        if crowd.ages_ms:
            yield f"    from capture to each page's socket {_format_spread(crowd.ages_ms)}"
    yield from _describe_messages(texts)


@contextmanager
def _listen(port: int, crowd: _Crowd) -> Iterator[dict[str, Any]]:
    """Let pages listen, from another process; afterwards what is yielded holds what they heard."""
    answer: dict[str, Any] = {"heard": [], "texts": []}
    if crowd.count == 0:
        yield answer
        return
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks.pages_clients",
        str(port),
        str(crowd.count),
        str(CLIENTS_S + 1),
    ]
    with subprocess.Popen([*command, *(["deaf"] * crowd.deaf)], cwd=ROOT, stdout=subprocess.PIPE, text=True) as clients:
        assert clients.stdout is not None
        clients.stdout.readline()
        yield answer
        answer |= json.loads(clients.stdout.read())


def _describe_messages(texts: list[str]) -> Iterator[str]:
    """Say how long the messages are in which six models move, with the frame's head: their places, and all of it."""
    places, whole = [], []
    for text in texts:
        delta = json.loads(text)
        if delta["type"] != "delta" or len(delta["set"].get("models", {})) != MOVERS or "move" in delta["set"]:
            continue
        whole.append(len(text.encode()) + 4)
        only = {**delta, "set": {"models": delta["set"]["models"]}, "gone": {}}
        places.append(len(json.dumps(only, separators=(",", ":"))) + 4)
    for sizes, what in (
        (places, "their places"),
        (whole, "with what else changes, such as the way of the one followed"),
    ):
        ordered = sorted(sizes)
        late = ordered[int(0.99 * len(ordered))]
        yield f"a delta for {MOVERS} moving models, {what}: median {statistics.median(ordered):.0f} bytes, 99 % {late}"


def _read_resident_mb() -> float:
    fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * 4096 / 1e6


def _format_spread(values_ms: list[float]) -> str:
    ordered = sorted(values_ms)
    return f"{statistics.median(ordered):.1f} / {ordered[int(0.99 * len(ordered))]:.1f} ms"
