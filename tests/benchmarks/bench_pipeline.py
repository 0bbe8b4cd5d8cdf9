"""The demo's pipeline, stage by stage, and the time from a picture's capture to the message that a page receives."""

import json
import statistics
import threading
import time
from collections import defaultdict
from contextlib import suppress
from itertools import pairwise

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from assistant.features.demo.catalogue import Demo, read_demo
from assistant.features.demo.virtual_table import VirtualLamp, build_virtual_table
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.live_loop import LatestFrame, LiveLoop, RateMeter
from assistant.table.session import GameSession
from assistant.web.app import create_app
from assistant.web.hub import Hub
from assistant.web.server import Server
from assistant.web.views.session import Source, build_view
from hardware.camera.frame_source import PlaybackPace
from hardware.camera.latest_frame_reader import LatestFrameReader
from hardware.camera.virtual import VirtualCamera
from hardware.simulation.scene import Placement
from hardware.simulation.virtual_table import VirtualTable
from tests.benchmarks.timed_pipeline import TimedHub
from vision.marker_numbers import number_ring
from vision.markers import Markers
from vision.pipeline import Pipeline

FRAMES = 240
WARM_UP = 30
SECONDS = 12
RATES = (15.0, 30.0)
PUSHED = number_ring(1)
"""The first of the scouts."""
SOURCE = Source(name="bench", title="bench", virtual=True, replay=False, state="live", text="", fps=0.0, latency_ms=0.0)


def run() -> list[str]:
    """Return the stages' times and the latency."""
    demo = read_demo("warhammer-40k-10e")
    markers = Markers(anchors=demo.setup.anchor_tags, bases=demo.setup.enrolled_bases, lens=None)
    return [*_time_stages(demo, markers), *(line for fps in RATES for line in _time_latency(demo, markers, fps))]


def _push_model(table: VirtualTable, frame: int) -> None:
    """Slide one model up and down, as a hand would, with rests."""
    step = frame % 120
    way = min(step, 120 - step) if step % 60 > 20 else 20 * (step > 60)
    table.move(PUSHED, Placement(x_mm=330 + 1.5 * way, y_mm=420))


def _time_stages(demo: Demo, markers: Markers) -> list[str]:
    state = demo.state
    table = build_virtual_table(demo.setup, state)
    camera, pipeline, session, hub = (
        VirtualCamera(table, pace=PlaybackPace.FREE),
        Pipeline(markers=markers),
        GameSession(state),
        Hub(),
    )
    lamp = VirtualLamp(table)
    spent: dict[str, list[float]] = defaultdict(list)
    for number in range(FRAMES):
        _push_model(table, number)
        if number == WARM_UP:
            session.declare(unit="scouts", action="normal")
        laps = [time.perf_counter()]
        frame = camera.read()
        laps.append(time.perf_counter())
        snapshot = pipeline.step(frame)
        laps.append(time.perf_counter())
        session.observe(snapshot)
        laps.append(time.perf_counter())
        session.consult_referee()
        laps.append(time.perf_counter())
        hub.publish(build_view(session, SOURCE))
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


def _time_latency(demo: Demo, markers: Markers, fps: float) -> list[str]:
    """Run the line as the demo does, with a page's socket at its end, in this one process."""
    state = demo.state
    table, latest = build_virtual_table(demo.setup, state), LatestFrame()
    hub, stop = TimedHub(latest), threading.Event()
    server = Server(create_app(hub=hub, picture=latest.encode_jpeg, join_urls=[]), "127.0.0.1", 0)
    server.start()
    drain = LatestFrameReader(lambda: VirtualCamera(table, fps=fps))
    meter = RateMeter(live=True)
    watch = LiveLoop(
        camera=drain,
        pipeline=Pipeline(markers=markers),
        session=GameSession(state),
        hub=hub,
        name="bench",
        title="bench",
        meter=meter,
        latest=latest,
        features=FeatureSet(),
        virtual=True,
        after_frame=VirtualLamp(table).throw,
    )
    threads = [
        threading.Thread(target=watch.run, args=[stop]),
        threading.Thread(target=_keep_pushing, args=[table, stop, fps]),
    ]
    for thread in threads:
        thread.start()
    try:
        arrived = _collect_arrivals(f"ws://127.0.0.1:{server.port}/ws")
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
        _push_model(table, frame)
        frame += 1


def _collect_arrivals(url: str) -> dict[int, int]:
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
