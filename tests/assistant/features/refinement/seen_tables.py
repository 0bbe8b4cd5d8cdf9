"""Tables that are seen: rendered, under a webcam whose lens nobody calibrated, and what their tags make of it."""

import math
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import cast

import numpy as np

from assistant.features.demo.catalogue import SETUP
from assistant.features.feature import Asker, Moment
from assistant.features.refinement.controller import RefinementController
from assistant.setup.file import read_setup
from assistant.table.session import GameSession
from assistant.web.commands.calibration import RefinementUse
from calibration.design_prediction import map_error
from calibration.table.anchor_layout import turn_sigma
from hardware.frame import Frame
from hardware.simulation.optics import CameraModel
from hardware.simulation.scene import Placement, VirtualScene
from hardware.simulation.virtual_table import VirtualTable
from tests.assistant.features.lens.test_controller import DeferredExecutor
from tests.assistant.snapshot_script import build_game
from tests.calibration.table.simulated_tables import IMAGE_SIZE, simulate_camera
from tests.vision.random_scenes import (
    ANCHORS,
    Disc,
    find_free_place,
    list_anchor_room,
    make_base,
    markers_from_scene,
    measure_radius,
)
from vision.pipeline import Pipeline
from vision.types import TableSnapshot

TAGS_MM = (18.0, 22.0)
LAID_MM = 0.3
"""How far anchors lie from where the set-up has them, along each axis, one standard deviation."""
FRAME_NS = 33_000_000
NOISE = 2.0


@dataclass(kw_only=True)
class SeenTable:
    """A rendered table, the eyes that look at it, and what offers a better lens."""

    table: VirtualTable
    laid: VirtualScene
    """As the set-up has it: anchors are not quite there."""
    pipeline: Pipeline = field(init=False)
    session: GameSession = field(default_factory=lambda: GameSession(build_game()))
    offers: RefinementController = field(init=False)
    _frames: int = 0

    def __post_init__(self) -> None:
        """Set the eyes and the offer up."""
        self.pipeline = Pipeline(markers=markers_from_scene(self.laid, None))
        self.offers = RefinementController(
            setup=read_setup(SETUP), path=None, pipeline=self.pipeline, executor=DeferredExecutor()
        )

    def watch(self, frames: int) -> TableSnapshot:
        """Let some pictures go by; the last one's snapshot is returned."""
        snapshots = [self._look() for _ in range(frames)]
        return snapshots[-1]

    def _look(self) -> TableSnapshot:
        at_ns, self._frames = self._frames * FRAME_NS, self._frames + 1
        frame = Frame(camera="table", sequence=self._frames, captured_ns=at_ns, image=self.table.render())
        snapshot = self.offers.filter_poses(self.pipeline.step(frame))
        self.session.observe(replace(snapshot, poses=()))
        return snapshot

    def ask(self) -> bool:
        """Return whether a better lens is offered by now."""
        self.offers._looked_ns = None
        self.watch(1)
        work_out_offer(self.offers, self.session)
        return self.offers.offer is not None

    def use(self) -> None:
        """Take the lens that is offered."""
        self.offers.handle(RefinementUse(type="refinement-use"), Asker(session=self.session))

    def measure(self) -> tuple[float, float]:
        """Return how far bases are off, mm root mean square, and how far by their covariance."""
        off, said = [], []
        for pose in self.watch(1).poses:
            at = self.table.scene.placements[pose.marker]
            off.append((pose.x_mm - at.x_mm) ** 2 + (pose.y_mm - at.y_mm) ** 2)
            said.append(float(np.trace(np.array(pose.covariance)[:2, :2])))
        return math.sqrt(np.mean(off)), math.sqrt(np.mean(said))

    @property
    def expected_mm(self) -> float:
        """The largest error that the calibration in use lets expect."""
        assert self.pipeline.camera is not None
        return map_error(self.pipeline.camera, width_mm=self.laid.width_mm, depth_mm=self.laid.depth_mm).worst_mm


def work_out_offer(offers: RefinementController, session: GameSession) -> None:
    """Let a picture go by, and what is worked out of it be worked out."""
    moment = cast("Moment", SimpleNamespace(session=session))
    offers.follow(moment)
    executor = offers.executor
    assert isinstance(executor, DeferredExecutor)
    executor.work()
    offers.follow(moment)


def build_seen_table(seed: int, count: int = 60) -> SeenTable:
    """Put a table with bases all over it under a webcam that is drawn by lot."""
    rng = np.random.default_rng([seed, 22])
    over = simulate_camera(rng)
    camera = CameraModel(
        image_size=IMAGE_SIZE,
        matrix=over.lens.matrix,
        distortion=over.lens.distortion,
        rotation=over.camera_from_table,
        translation=over.translation_mm,
    )
    bases = [make_base(rng, tag, sizes_mm=TAGS_MM, figures=0.0, overhang_mm=(0, 0)) for tag in range(count)]
    placements, taken = dict[int, Placement](), list_anchor_room()
    for base in bases:
        if place := find_free_place(rng, taken, measure_radius(base), VirtualScene()):
            placements[base.marker] = Placement(x_mm=place[0], y_mm=place[1], facing_rad=float(rng.uniform(-3, 3)))
            taken.append(Disc(x_mm=place[0], y_mm=place[1], radius_mm=measure_radius(base)))
    laid = VirtualScene(bases=tuple(bases), anchors=ANCHORS[:4], placements=placements)
    there = replace(
        laid,
        anchors=tuple(
            replace(
                a,
                x_mm=a.x_mm + rng.normal(0, LAID_MM),
                y_mm=a.y_mm + rng.normal(0, LAID_MM),
                facing_rad=a.facing_rad + rng.normal(0, turn_sigma(LAID_MM, a.size_mm)),
            )
            for a in laid.anchors
        ),
    )
    return SeenTable(table=VirtualTable(there, camera, noise=NOISE, colour=False, seed=seed), laid=laid)
