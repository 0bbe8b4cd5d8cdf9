"""Plays a demo from first to last through the loop that keeps a table live, and notes what was ruled."""

import json
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np

from assistant.announced import starting, the_move
from assistant.cli.demos import SETUP, Demo
from assistant.cli.markers import markers_of
from assistant.cli.virtual import hand, scene_of, virtual_table
from assistant.cli.watch import Latest, Meter, Watch
from assistant.game.situation import to_json
from assistant.game.state import Pose
from assistant.record.journal import Journal
from assistant.rules.judge import judge
from assistant.rules.verdict import Outcome
from assistant.script.performer import Performer
from assistant.session import Session
from assistant.web.commands.demo import Drag
from assistant.web.hub import Hub
from assistant.web.messages import View
from hardware.camera.drain import Drain, SourceState, SourceStatus
from hardware.camera.source import Identity, Pace
from hardware.camera.virtual import VirtualCamera
from hardware.frame import Frame
from hardware.virtual.ground import floor_below
from hardware.virtual.scene import Scene
from vision.calibrate import Calibrated
from vision.pipeline import Pipeline
from vision.types import BasePose, PoseState, TableSnapshot

RATE = 5.0
"""Pictures a second: the fewest that a path is still followed in, for the whole play is seen."""
REST_NS = 300_000_000
SIGMA_MM = 0.15
BLANK = np.zeros((16, 16), np.uint8)


@dataclass(frozen=True)
class Ruled:
    """What the referee said of a scene."""

    outcome: Outcome | None
    rules: frozenset[str]
    """Those that the outcome rests on; of a legal move all that were kept, and those of its effects."""


def exact(demo: Demo) -> list[Ruled]:
    """Play a demo with poses that are known as if measured without error, without camera or pages."""
    return _played(lambda hub: exactly(demo, hub))


def recorded(demo: Demo, path: Path) -> Path:
    """Play a demo as `exact` does, and return the recording that is made of it."""
    with Journal(path, about={"title": demo.state.rulebook, "situation": json.dumps(to_json(demo.state))}) as journal:
        _played(lambda hub: exactly(demo, hub, journal))
    return path


def rendered(demo: Demo) -> list[Ruled]:
    """Play a demo in rendered pictures, from which its tags are read."""
    table = virtual_table(demo.setup, demo.state, in_4k=demo.in_4k)
    pictures = VirtualCamera(table, fps=RATE, pace=Pace.FREE)
    markers, _ = markers_of(demo.setup, SETUP, None, demo.state.terrain)
    camera = _Camera(read=lambda _: pictures.read())
    pipeline = Pipeline(markers=markers)
    return _played(lambda hub: _watch(demo, camera, pipeline, partial(hand, table, demo.setup), hub))


class Audience(Hub):
    """Watches to the end, and hears what is published."""

    def __init__(self, hears: Callable[[View], None]) -> None:
        super().__init__()
        self._hears = hears

    @property
    def watched(self) -> bool:
        """Always."""
        return True

    def publish(self, view: View) -> int:
        """Hear what the pages are shown."""
        self._hears(view)
        return super().publish(view)


def exactly(demo: Demo, hub: Hub, journal: Journal | None = None) -> Watch:
    """Return the loop that plays a demo with exact poses."""
    table = _Table(
        poses={model.id: model.pose for _, model in demo.state.models() if model.pose is not None},
        scene=scene_of(demo.setup, demo.state),
    )
    camera = _Camera(read=lambda number: Frame(camera="", sequence=number, captured_ns=_ns(number), image=BLANK))
    return _watch(demo, camera, table, table.push, hub, journal=journal)


def _watch(
    demo: Demo,
    camera: "_Camera",
    pipeline: "Pipeline | _Table",
    push: Callable[[Drag], None],
    hub: Hub,
    *,
    journal: Journal | None = None,
) -> Watch:
    session = Session(demo.state, journal, reach=lambda _: None)
    return Watch(
        drain=cast("Drain", camera),
        pipeline=cast("Pipeline", pipeline),
        session=session,
        hub=hub,
        name="theatre",
        title="Theatre",
        meter=Meter(live=False),
        latest=Latest(),
        hand=push,
        virtual=True,
        performer=Performer(demo.scenes, session),
    )


def _played(build: Callable[[Hub], Watch]) -> list[Ruled]:
    stop = threading.Event()
    ruled: dict[int, Ruled] = {}

    def hears(view: View) -> None:
        scene = view.scene.get("scene")
        if scene is not None and (scene.outcome or scene.ruling) and scene.number not in ruled:
            ruled[scene.number] = _ruled(loop.session)
        if scene is not None and not scene.playing:
            stop.set()

    loop = build(Audience(hears))
    loop.run(stop)
    return [ruled[number] for number in sorted(ruled)]


def _ruled(session: Session) -> Ruled:
    verdict, move = session.answer().verdict, the_move(session.state)
    if verdict is None or move is None:
        return Ruled(None, frozenset())
    if verdict.outcome not in {Outcome.LEGAL, Outcome.NOTE}:
        return Ruled(verdict.outcome, frozenset(f.rule for f in verdict.findings if f.outcome is verdict.outcome))
    everything = judge(starting(session.state, move.unit), move, everything=True)
    return Ruled(
        Outcome.LEGAL, frozenset({f.rule for f in everything.findings} | {effect.rule for effect in everything.effects})
    )


def _ns(number: int) -> int:
    return round(number * 1e9 / RATE)


@dataclass(kw_only=True)
class _Camera:
    """Delivers a picture whenever one is asked for."""

    read: Callable[[int], Frame]
    identity: Identity = field(default_factory=Identity)
    status: SourceStatus = field(default_factory=lambda: SourceStatus(state=SourceState.LIVE, text=""))

    def latest(self, after: int | None, _wait_s: float) -> Frame:
        return self.read(0 if after is None else after + 1)


@dataclass(kw_only=True)
class _Table:
    """Stands where a pipeline would, and sees every base where the hand has put it."""

    poses: dict[str, Pose]
    scene: Scene
    calibrated: Calibrated = field(default_factory=Calibrated)
    camera: None = None
    _now_ns: int = 0
    _moved_ns: dict[str, int] = field(default_factory=dict)

    def push(self, drag: Drag) -> None:
        z_mm = floor_below(self.scene, x_mm=drag.x_mm, y_mm=drag.y_mm, z_mm=math.inf)
        to = Pose(x_mm=drag.x_mm, y_mm=drag.y_mm, facing_rad=math.radians(drag.facing_deg), z_mm=z_mm)
        if to != self.poses.get(drag.model):
            self._moved_ns[drag.model] = self._now_ns
        self.poses[drag.model] = to

    def step(self, frame: Frame) -> TableSnapshot:
        self._now_ns = frame.captured_ns
        return TableSnapshot(
            captured_ns=frame.captured_ns,
            sequence=frame.sequence,
            calibration="exact",
            anchors_seen=8,
            poses=tuple(
                BasePose(
                    tag=tag,
                    model=model,
                    x_mm=pose.x_mm,
                    y_mm=pose.y_mm,
                    facing_rad=pose.facing_rad,
                    z_mm=pose.z_mm,
                    covariance=np.diag([SIGMA_MM**2, SIGMA_MM**2, 1e-6]),
                    state=PoseState.SEEN,
                    seen_ns=frame.captured_ns,
                    moving=frame.captured_ns - self._moved_ns.get(model, -REST_NS) < REST_NS,
                )
                for tag, (model, pose) in enumerate(self.poses.items())
            ),
        )
