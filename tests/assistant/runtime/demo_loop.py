"""Demos played from first to last through the live loop, with what was ruled of each scene."""

import json
import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np

from assistant.features.camera.markers import build_markers
from assistant.features.decisions import GameController
from assistant.features.demo.catalogue import SETUP, Demo
from assistant.features.demo.script import ScriptPerformer
from assistant.features.demo.virtual_table import DemoController, build_scene, build_virtual_table, push_model
from assistant.game.situation_file import encode_situation
from assistant.game.state import Pose
from assistant.recording.journal.writer import Journal
from assistant.rules.referee import judge
from assistant.rules.verdict import EVERYTHING, Outcome
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.live_loop import LatestFrame, LiveLoop, RateMeter
from assistant.table.declared_move import build_move, place_at_start
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.commands.game import Drag
from assistant.web.hub import Hub
from assistant.web.messages import View
from hardware.camera.frame_source import Identity, PlaybackPace
from hardware.camera.latest_frame_reader import LatestFrameReader, SourceState, SourceStatus
from hardware.camera.virtual import VirtualCamera
from hardware.frame import Frame
from hardware.simulation.ground import find_floor_height
from hardware.simulation.scene import VirtualScene
from vision.anchors.camera_pose import CameraSolution
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.types import BasePose, PoseState, TableSnapshot

RATE = 5.0
"""Frames per second: the fewest that a path is still followed in, for the whole play is seen."""
REST_NS = 300_000_000
SIGMA_MM = 0.15
BLANK = np.zeros((16, 16), np.uint8)


@dataclass(frozen=True)
class SceneRuling:
    """What the referee said of a scene."""

    outcome: Outcome | None
    rules: frozenset[str]
    """Those that the outcome rests on; of a legal move all that were kept, and those of its effects."""


def play_exactly(demo: Demo) -> list[SceneRuling]:
    """Play a demo with poses that are known as if measured without error, without camera or pages."""
    return _play(lambda hub: build_exact_loop(demo, hub))


def record_demo(demo: Demo, path: Path) -> Path:
    """Play a demo as `play_exactly` does, and return the recording that is made of it."""
    with Journal(
        path, about={"title": demo.state.rulebook, "situation": json.dumps(encode_situation(demo.state))}
    ) as journal:
        _play(lambda hub: build_exact_loop(demo, hub, journal))
    return path


def play_rendered(demo: Demo) -> list[SceneRuling]:
    """Play a demo in rendered pictures, from which its tags are read."""
    table = build_virtual_table(demo.setup, demo.state, in_4k=demo.in_4k)
    pictures = VirtualCamera(table, fps=RATE, pace=PlaybackPace.FREE)
    markers, _ = build_markers(demo.setup, SETUP, None, demo.state.terrain)
    camera = ScriptedCamera(read=lambda _: pictures.read())
    pipeline = Pipeline(markers=markers)
    return _play(lambda hub: _build_loop(demo, camera, pipeline, partial(push_model, table, demo.setup), hub))


class ListeningHub(Hub):
    """Watches to the end, and hears what is published."""

    def __init__(self, hears: Callable[[View], None]) -> None:
        super().__init__()
        self._hears = hears

    @property
    def watched(self) -> bool:
        """Always."""
        return True

    def publish(self, view: View, own: Mapping[str, View] | None = None) -> int:
        """Hear what the pages are shown."""
        self._hears(view)
        return super().publish(view, own)


def build_exact_loop(demo: Demo, hub: Hub, journal: Journal | None = None) -> LiveLoop:
    """Return the loop that plays a demo with exact poses, recorded if a journal is given."""
    table = _ExactTable(
        poses={model.id: model.pose for _, model in demo.state.iterate_models() if model.pose is not None},
        scene=build_scene(demo.setup, demo.state),
    )
    camera = ScriptedCamera(
        read=lambda number: Frame(camera="", sequence=number, captured_ns=_frame_ns(number), image=BLANK)
    )
    return _build_loop(demo, camera, table, table.push, hub, journal=journal)


def _build_loop(
    demo: Demo,
    camera: "ScriptedCamera",
    pipeline: "Pipeline | _ExactTable",
    push: Callable[[Drag], None],
    hub: Hub,
    *,
    journal: Journal | None = None,
) -> LiveLoop:
    session = GameSession(demo.state, journal, solve_zone=skip_zone)
    return LiveLoop(
        camera=cast("LatestFrameReader", camera),
        pipeline=cast("Pipeline", pipeline),
        session=session,
        hub=hub,
        name="theatre",
        title="Theatre",
        meter=RateMeter(live=False),
        latest=LatestFrame(),
        virtual=True,
        features=FeatureSet(GameController(), DemoController(push=push)),
        performer=ScriptPerformer(demo.scenes, session),
    )


def _play(build: Callable[[Hub], LiveLoop]) -> list[SceneRuling]:
    stop = threading.Event()
    ruled: dict[int, SceneRuling] = {}

    def hears(view: View) -> None:
        scene = view.scene.get("scene")
        if scene is not None and (scene.outcome or scene.ruling) and scene.number not in ruled:
            ruled[scene.number] = _read_ruling(loop.session)
        if scene is not None and not scene.playing:
            stop.set()

    loop = build(ListeningHub(hears))
    loop.run(stop)
    return [ruled[number] for number in sorted(ruled)]


def _read_ruling(session: GameSession) -> SceneRuling:
    verdict, move = session.consult_referee().verdict, build_move(session.state)
    if verdict is None or move is None:
        return SceneRuling(None, frozenset())
    if verdict.outcome not in {Outcome.LEGAL, Outcome.NOTE}:
        return SceneRuling(verdict.outcome, frozenset(f.rule for f in verdict.findings if f.outcome is verdict.outcome))
    everything = judge(place_at_start(session.state, move.unit), move, detail=EVERYTHING)
    return SceneRuling(
        Outcome.LEGAL, frozenset({f.rule for f in everything.findings} | {effect.rule for effect in everything.effects})
    )


def _frame_ns(number: int) -> int:
    return round(number * 1e9 / RATE)


@dataclass(kw_only=True)
class ScriptedCamera:
    """Delivers a picture whenever one is asked for."""

    read: Callable[[int], Frame]
    identity: Identity = field(default_factory=Identity)
    status: SourceStatus = field(default_factory=lambda: SourceStatus(state=SourceState.LIVE, text=""))

    def wait_for_frame(self, after: int | None, _wait_s: float) -> Frame:
        return self.read(0 if after is None else after + 1)


@dataclass(kw_only=True)
class _ExactTable:
    """Stands where a pipeline would, and sees every base where the hand has put it."""

    poses: dict[str, Pose]
    scene: VirtualScene
    calibrated: CameraSolution = field(default_factory=CameraSolution)
    markers: Markers = field(default_factory=lambda: Markers(anchors=(), bases={}, lens=None))
    camera: None = None
    _now_ns: int = 0
    _moved_ns: dict[str, int] = field(default_factory=dict)

    def push(self, drag: Drag) -> None:
        z_mm = find_floor_height(self.scene, x_mm=drag.x_mm, y_mm=drag.y_mm, z_mm=math.inf)
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
                    marker=tag,
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
