"""The demo's line, stage by stage, and the time from a picture's capture to the message that a page receives."""

import json
import statistics
import threading
import time
from collections import defaultdict
from contextlib import suppress
from functools import partial
from itertools import pairwise

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from assistant.cli.demos import Demo, read_demo
from assistant.cli.virtual import Lamp, hand, virtual_table
from assistant.cli.watch import Latest, Meter, Watch
from assistant.session import Session
from assistant.web.app import create_app
from assistant.web.hub import Hub
from assistant.web.server import Server
from assistant.web.view import Source, view_of
from hardware.camera.drain import Drain
from hardware.camera.source import Pace
from hardware.camera.virtual import VirtualCamera
from hardware.virtual.scene import Placement
from hardware.virtual.table import VirtualTable
from tests.benchmarks.screens_line import TimedHub
from vision.markers import Markers
from vision.pipeline import Pipeline

FRAMES = 240
WARM_UP = 30
SECONDS = 12
RATES = (15.0, 30.0)
SOURCE = Source(name="bench", title="bench", virtual=True, replay=False, state="live", text="", fps=0.0, latency_ms=0.0)


def run() -> list[str]:
    """Return the stages' times and the latency."""
    demo = read_demo("warhammer-40k-10e")
    markers = Markers(anchors=demo.setup.anchor_tags, bases=demo.setup.enrolled, lens=None)
    return [*_stages(demo, markers), *(line for fps in RATES for line in _latency(demo, markers, fps))]


def _push(table: VirtualTable, frame: int) -> None:
    """Slide one model up and down, as a hand would, with rests."""
    step = frame % 120
    way = min(step, 120 - step) if step % 60 > 20 else 20 * (step > 60)
    table.move(1, Placement(x_mm=330 + 1.5 * way, y_mm=420))


def _stages(demo: Demo, markers: Markers) -> list[str]:
    state = demo.state
    table = virtual_table(demo.setup, state)
    camera, pipeline, session, hub = (
        VirtualCamera(table, pace=Pace.FREE),
        Pipeline(markers=markers),
        Session(state),
        Hub(),
    )
    lamp = Lamp(table)
    spent: dict[str, list[float]] = defaultdict(list)
    for number in range(FRAMES):
        _push(table, number)
        if number == WARM_UP:
            session.declare(unit="scouts", action="normal")
        laps = [time.perf_counter()]
        frame = camera.read()
        laps.append(time.perf_counter())
        snapshot = pipeline.step(frame)
        laps.append(time.perf_counter())
        session.see(snapshot)
        laps.append(time.perf_counter())
        session.answer()
        laps.append(time.perf_counter())
        hub.publish(view_of(session, SOURCE))
        laps.append(time.perf_counter())
        lamp.throw(session)
        laps.append(time.perf_counter())
        if number < WARM_UP:
            continue
        names = ("render", "see", "ingest", "judge", "publish", "project")
        for name, (begun, ended) in zip(names, pairwise(laps), strict=True):
            spent[name].append((ended - begun) * 1e3)
        for name, ms in pipeline.stages_ms.items():
            spent[f"  {name}"].append(ms)
        spent["whole line"].append((laps[-1] - laps[0]) * 1e3)
    order = [
        "render",
        "see",
        *(name for name in spent if name.startswith("  ")),
        "ingest",
        "judge",
        "publish",
        "project",
    ]
    lines = [f"1080p, 14 bases, one pushed, {FRAMES - WARM_UP} frames in one thread; median, mean and longest ms"]
    for name in [*order, "whole line"]:
        took = spent[name]
        lines.append(f"{name:<14}{statistics.median(took):7.2f}{statistics.mean(took):7.2f}{max(took):8.1f}")
    lines.append(f"{1e3 / statistics.mean(spent['whole line']):.0f} frames a second, rendering included")
    return lines


def _latency(demo: Demo, markers: Markers, fps: float) -> list[str]:
    """Run the line as the demo does, with a page's socket at its end, in this one process."""
    state = demo.state
    table, latest = virtual_table(demo.setup, state), Latest()
    hub, stop = TimedHub(latest), threading.Event()
    server = Server(create_app(hub=hub, picture=latest.jpeg, join_urls=[]), "127.0.0.1", 0)
    server.start()
    drain = Drain(lambda: VirtualCamera(table, fps=fps))
    meter = Meter(live=True)
    watch = Watch(
        drain=drain,
        pipeline=Pipeline(markers=markers),
        session=Session(state),
        hub=hub,
        name="bench",
        title="bench",
        meter=meter,
        latest=latest,
        hand=partial(hand, table, demo.setup),
        virtual=True,
        after_frame=Lamp(table).throw,
    )
    threads = [
        threading.Thread(target=watch.run, args=[stop]),
        threading.Thread(target=_keep_pushing, args=[table, stop, fps]),
    ]
    for thread in threads:
        thread.start()
    try:
        arrived = _arrivals(f"ws://127.0.0.1:{server.port}/ws")
        rate, _ = meter.read()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        drain.close()
        server.stop()
    ages_ms = sorted((at_ns - hub.captured_ns[n]) / 1e6 for n, at_ns in arrived.items() if n in hub.captured_ns)
    late = ages_ms[int(0.99 * len(ages_ms))]
    middle = statistics.median(ages_ms)
    return [
        f"live, 1080p virtual camera asked for {fps:.0f} frames a second, projector and a page: {rate:.0f} a second",
        f"from capture to the page's socket: median {middle:.1f} ms, 99 % {late:.1f} ms, {len(ages_ms)} messages",
    ]


def _keep_pushing(table: VirtualTable, stop: threading.Event, fps: float) -> None:
    frame = 0
    while not stop.wait(1 / fps):
        _push(table, frame)
        frame += 1


def _arrivals(url: str) -> dict[int, int]:
    """Return when each message came, in nanoseconds of the day; the first seconds do not count."""
    arrived: dict[int, int] = {}
    begun_s = time.monotonic()
    with connect(url) as socket:
        socket.send(json.dumps({"type": "declare", "unit": "scouts", "action": "normal"}))
        while (past_s := time.monotonic() - begun_s) < SECONDS:
            with suppress(TimeoutError, ConnectionClosed):
                message = json.loads(socket.recv(timeout=1))
                if past_s > 2 and message["type"] == "delta":
                    arrived[message["seq"]] = time.time_ns()
    return arrived
