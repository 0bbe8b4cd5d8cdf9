"""The plan of a table against renders: what `overtable doctor --plan` predicts of a camera, beside what is measured.

Each camera of the plan is put up over the virtual table as the plan has it hang, with its noise, shutter and JPEG.
Tags of several sizes lie all about: how many are read of each size, at rest and sliding; and halos on the smallest
bases that are said to have room for one.  Then the camera is solved from the anchors again and again, with another lens
and other places of the anchors each time, as surely known as the plan takes them to be: how far the bases are off.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.features.camera.marker_sizes import USUAL_BLUR_PX, find_halo_band
from assistant.features.diagnosis.camera_table import CameraSpec, load_cameras
from assistant.features.diagnosis.plan import (
    ANCHOR_INSET_MM,
    ANCHOR_MM,
    SPEED_MM_S,
    USUAL_TAG_MM,
    CameraPlan,
    Room,
    estimate_look_ms,
    hang_camera,
    plan_camera,
)
from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import lay_ring, trace_base
from calibration.design_prediction import RULE_SIGMA_MM
from calibration.spaces import Lens
from hardware.frame import Frame
from hardware.rings.words import load_ring_list
from hardware.simulation.camera_faults import CameraFaults, FaultyCamera
from hardware.simulation.figures import fit_figure
from hardware.simulation.optics import CameraModel
from hardware.simulation.scene import FigureKind, Placement, VirtualAnchor, VirtualBase, VirtualRing, VirtualScene
from hardware.simulation.shutter import expose_base
from hardware.simulation.virtual_table import VirtualTable
from tests.vision.random_scenes import Disc, find_free_place, make_base, markers_from_scene, measure_radius
from vision.marker_numbers import number_ring
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.stills import locate_bases_in_image
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import detect_tags, select_whole
from vision.tags.pose_estimation import AT_ONCE, estimate_typical_fit, measure_bases, solve_camera_over_table
from vision.types import PoseState, TagFit

Grey = NDArray[np.uint8]
TABLE_MM = (1524.0, 1118.0)
CAMERAS = ("logitech-c920", "pi-global-shutter-6mm", "pi-camera-3-half", "waveshare-imx179", "logitech-brio-65")
SHARES = (0.55, 0.7, 0.85, 1.0, 1.25)
"""Sizes of tags, as shares of the smallest that is said to be read all over the table."""
OF_EACH = 18
NEAR_MM = 280.0
"""Bases this near to the middle, or to a corner, tell how well they are placed there."""
DRAWS = 40
JPEG_QUALITY = 85
STILL_FRAMES, SLIDING_FRAMES = 6, 12
MOVERS = 10
RAMP_S = 0.1
"""A hand takes so long to reach its speed."""


@dataclass(frozen=True, kw_only=True)
class PlannedTable:
    """A planned camera over a table full of tags."""

    plan: CameraPlan
    camera: CameraModel
    scene: VirtualScene
    faults: CameraFaults
    fps: float

    def shoot(self, seed: int = 1) -> Grey:
        """Return a picture of the table at rest."""
        return FaultyCamera(self.faults, self.plan.picture_px, seed=seed).take(self._lay(seed).render(), 0.0)

    def film(
        self, speed_mm_s: float, seed: int = 1, movers: int | None = None
    ) -> Iterator[tuple[Frame, dict[int, Placement]]]:
        """Yield frames in which all bases rest and then so many of them slide in directions by lot, and where they are.

        All slide where no number is given.
        """
        table, rng = self._lay(seed), np.random.default_rng([seed, 5])
        camera = FaultyCamera(self.faults, self.plan.picture_px, seed=seed)
        ways = np.exp(1j * rng.uniform(0, math.tau, len(self.scene.placements)))
        slides = {
            marker: _Slide(at, complex(way) * speed_mm_s)
            for (marker, at), way in list(zip(self.scene.placements.items(), ways, strict=True))[:movers]
        }
        for number in range(STILL_FRAMES + SLIDING_FRAMES):
            at_s = (number - STILL_FRAMES) / self.fps
            for marker, slide in slides.items() if at_s > 0 else ():
                table.move(marker, expose_base(slide, at_s, self.faults, self.camera))
            picture = camera.take(table.render(), at_s)
            frame = Frame(camera="film", sequence=number, captured_ns=round(number * 1e9 / self.fps), image=picture)
            yield frame, {marker: slide(at_s) for marker, slide in slides.items()}

    def _lay(self, seed: int) -> VirtualTable:
        return VirtualTable(self.scene, self.camera, noise=0.0, blur_px=USUAL_BLUR_PX, colour=False, seed=seed)


@dataclass(frozen=True)
class _Slide:
    """A base's way from a place: it rests until 0 s, and soon slides at a speed, mm a second."""

    at: Placement
    way: complex

    def __call__(self, at_s: float) -> Placement:
        long_s = max(0.0, at_s)
        gone = self.way * (long_s**2 / (2 * RAMP_S) if long_s < RAMP_S else long_s - RAMP_S / 2)
        return replace(self.at, x_mm=self.at.x_mm + gone.real, y_mm=self.at.y_mm + gone.imag)


def set_up(name: str, sizes_mm: Sequence[float] = (), *, lux: float = 300.0, seed: int = 0) -> PlannedTable:
    """Hang a camera as planned over a table on which tags of some sizes lie, or of some about the smallest."""
    spec = load_cameras()[name]
    plan = plan_camera(Room(table_mm=TABLE_MM, height_mm=None, lux=lux), spec)
    rng = np.random.default_rng([seed, 9])
    edges_mm = [size for size in sizes_mm or [share * plan.tag_mm for share in SHARES] for _ in range(OF_EACH)]
    bases = [
        replace(make_base(rng, tag, sizes_mm=(size_mm, size_mm), figures=0.0, overhang_mm=(0, 0)), size_mm=size_mm)
        for tag, size_mm in enumerate(sorted(edges_mm, reverse=True))
    ]
    return _hang_over(spec, plan, bases, rng)


def set_up_rings(name: str, *, lux: float = 300.0, seed: int = 0) -> PlannedTable | None:
    """Hang a camera as planned over figures on the smallest round bases whose halo is read; None where none is."""
    spec, rings = load_cameras()[name], load_ring_list()
    plan = plan_camera(Room(table_mm=TABLE_MM, height_mm=None, lux=lux), spec)
    if plan.ring_base_mm is None:
        return None
    base = BaseSpec(round_mm=plan.ring_base_mm)
    shape, outline_mm = base.shape, [(float(x), float(y)) for x, y in trace_base(base.shape)]
    words, band = rings.choose_words(is_round=True), find_halo_band(base, rings, plan.px_per_mm[1])
    bases = [
        VirtualBase(
            marker=number_ring(ring),
            ring=VirtualRing(layout=lay_ring(shape, band, words.cells), word=words.ids[ring]),
            outline_mm=tuple(outline_mm),
            height_mm=3.5,
            figure=fit_figure(FigureKind.INFANTRY, tuple(outline_mm), seed=ring, colour=(70, 90, 150)),
        )
        for ring in range(OF_EACH)
    ]
    return _hang_over(spec, plan, bases, np.random.default_rng([seed, 10]))


def _hang_over(
    spec: CameraSpec, plan: CameraPlan, bases: Sequence[VirtualBase], rng: np.random.Generator
) -> PlannedTable:
    """Hang a camera over bases that lie wherever luck finds them room."""
    over = hang_camera(spec, TABLE_MM, plan.height_mm)
    placements, taken = dict[int, Placement](), _list_anchor_room()
    for base in bases:
        if place := find_free_place(rng, taken, measure_radius(base), VirtualScene()):
            placements[base.marker] = Placement(x_mm=place[0], y_mm=place[1], facing_rad=float(rng.uniform(-3, 3)))
            taken.append(Disc(x_mm=place[0], y_mm=place[1], radius_mm=measure_radius(base)))
    anchors = tuple(
        VirtualAnchor(tag=580 + n, x_mm=x, y_mm=y, size_mm=ANCHOR_MM)
        for n, (x, y) in enumerate((x, y) for x in _inset(TABLE_MM[0]) for y in _inset(TABLE_MM[1]))
    )
    return PlannedTable(
        plan=plan,
        camera=CameraModel(
            image_size=spec.picture_px,
            matrix=over.lens.matrix,
            distortion=over.lens.distortion,
            rotation=over.camera_from_table,
            translation=over.translation_mm,
        ),
        fps=spec.fps,
        scene=VirtualScene(
            bases=tuple(base for base in bases if base.marker in placements), anchors=anchors, placements=placements
        ),
        faults=CameraFaults(
            exposure_ms=plan.exposure_ms,
            readout_ms=spec.longest_readout_ms,
            noise=plan.noise,
            jpeg_quality=JPEG_QUALITY,
        ),
    )


def _inset(side_mm: float) -> tuple[float, float]:
    return ANCHOR_INSET_MM, side_mm - ANCHOR_INSET_MM


def _list_anchor_room() -> list[Disc]:
    return [Disc(x_mm=x, y_mm=y, radius_mm=ANCHOR_MM) for x in _inset(TABLE_MM[0]) for y in _inset(TABLE_MM[1])]


def find_tags(picture: Grey, markers: Markers) -> list[TagFit]:
    """Return what is read in one picture."""
    return refine_corners(picture, detect_tags(picture, [select_whole(picture)], markers.tags))


def measure_recall(planned: PlannedTable, fits: Sequence[TagFit]) -> dict[float, float]:
    """Return the share of the tags of each size that are read."""
    read = {fit.tag for fit in fits}
    by_size: dict[float, list[bool]] = {}
    for base in planned.scene.bases:
        by_size.setdefault(base.size_mm, []).append(base.marker in read)
    return {size_mm: float(np.mean(found)) for size_mm, found in sorted(by_size.items())}


def measure_errors(planned: PlannedTable, fits: Sequence[TagFit], draws: int = DRAWS) -> tuple[float, float]:
    """Return how far bases near the middle, and near the corners, are off: one sigma along the worse direction, mm."""
    rng = np.random.default_rng(3)
    spec = load_cameras()[planned.plan.camera]
    known = hang_camera(spec, TABLE_MM, planned.plan.height_mm).lens
    placement = np.diag([RULE_SIGMA_MM**2, RULE_SIGMA_MM**2, 1e-8] * 4)
    middle, corners = list[complex](), list[complex]()
    for _ in range(draws):
        lens = Lens(
            image_size=known.image_size,
            parameters=rng.multivariate_normal(known.parameters, known.covariance),
            covariance=known.covariance,
        )
        markers = markers_from_scene(planned.scene, lens)
        laid = tuple(
            replace(a, x_mm=a.x_mm + rng.normal(0, RULE_SIGMA_MM), y_mm=a.y_mm + rng.normal(0, RULE_SIGMA_MM))
            for a in markers.anchors
        )
        seen_px = {fit.tag: fit.corners_px for fit in fits}
        noise_px2 = {fit.tag: fit.covariance_px2 for fit in fits}
        camera = solve_camera_over_table(lens, laid, seen_px, noise_px2=noise_px2, placement=placement)
        bases = markers.tagged_bases
        for pose in measure_bases(camera, fits, bases, {}, estimate_typical_fit(camera, ())):
            at = planned.scene.placements[pose.marker]
            off = complex(pose.x_mm - at.x_mm, pose.y_mm - at.y_mm)
            if math.hypot(at.x_mm - TABLE_MM[0] / 2, at.y_mm - TABLE_MM[1] / 2) < NEAR_MM:
                middle.append(off)
            elif (
                math.hypot(*(min(v, side - v) for v, side in zip((at.x_mm, at.y_mm), TABLE_MM, strict=True))) < NEAR_MM
            ):
                corners.append(off)
    return _spread(middle), _spread(corners)


def _spread(offs: Sequence[complex]) -> float:
    """Return the root mean square of what is off along the worse direction."""
    pairs = np.array([(off.real, off.imag) for off in offs])
    return float(np.sqrt(np.linalg.eigvalsh(pairs.T @ pairs / len(pairs))[-1]))


def measure_rings(planned: PlannedTable) -> float:
    """Return the share of the rings that are read at rest, of figures that hide some of them."""
    found = locate_bases_in_image(markers_from_scene(planned.scene, None), planned.shoot(), 0).poses
    return len(found) / len(planned.scene.placements)


@dataclass(frozen=True, kw_only=True)
class Sliding:
    """How bases are followed that all slide."""

    seen: float
    """Share of them that are seen once they slide."""
    off_mm: float
    """Root mean square of how far off they are; nan where none is seen."""
    eyes_ms: float
    """Processor time to decode a picture and look at it."""


def measure_sliding(
    planned: PlannedTable, speed_mm_s: float, *, learns: bool = True, movers: int | None = None
) -> Sliding:
    """Return how sliding bases are followed by eyes that know the camera exactly.

    Args:
        planned: the table.
        speed_mm_s: how fast they slide.
        learns: whether the eyes learn the shutter's row times; or take it for one that exposes all rows at once.
        movers: how many slide; all where it is not given.

    """
    spec = load_cameras()[planned.plan.camera]
    over = hang_camera(spec, TABLE_MM, planned.plan.height_mm)
    exactly = Lens(image_size=spec.picture_px, parameters=over.lens.parameters, covariance=1e-6 * over.lens.covariance)
    markers = replace(markers_from_scene(planned.scene, exactly), readout=None if learns else AT_ONCE)
    pipeline = Pipeline(markers=markers)
    seen, offs, took_ms = list[bool](), list[float](), list[float]()
    for frame, there in planned.film(speed_mm_s, movers=movers):
        jpeg = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
        begun_s = time.process_time()
        cv2.imdecode(jpeg, cv2.IMREAD_GRAYSCALE)
        snapshot = pipeline.step(frame)
        took_ms.append(1e3 * (time.process_time() - begun_s))
        if frame.sequence < STILL_FRAMES + SLIDING_FRAMES // 2:
            continue
        poses = {pose.marker: pose for pose in snapshot.poses if pose.state is PoseState.SEEN and pose.moving}
        for marker, at in there.items():
            seen.append(marker in poses)
            if pose := poses.get(marker):
                offs.append(math.hypot(pose.x_mm - at.x_mm, pose.y_mm - at.y_mm))
    return Sliding(
        seen=float(np.mean(seen)),
        off_mm=float(np.sqrt(np.mean(np.square(offs)))) if offs else math.nan,
        eyes_ms=float(np.median(took_ms[-SLIDING_FRAMES // 2 :])),
    )


def run() -> Iterator[str]:
    """Yield what is found."""
    cv2.setNumThreads(1)
    yield f"{'':24}read at rest, by the tag's edge in mm (the plan's smallest is marked *)"
    for name in CAMERAS:
        planned = set_up(name)
        plan = planned.plan
        fits = find_tags(planned.shoot(), markers_from_scene(planned.scene, None))
        recall = measure_recall(planned, fits)
        marks = {size: "*" if math.isclose(size, plan.tag_mm) else "" for size in recall}
        shares = "  ".join(f"{size:.1f}{marks[size]} {100 * share:.0f} %" for size, share in recall.items())
        yield f"{name:24}{shares}"
        middle_mm, corner_mm = measure_errors(planned, fits)
        yield (
            f"{'':24}at rest: predicted {plan.rest_mm[0]:.2f} mm in the middle and {plan.rest_mm[1]:.2f} at worst,"
            f" measured {middle_mm:.2f} and {corner_mm:.2f} near the corners"
        )
        if rings := set_up_rings(name):
            yield f"{'':24}halos on {plan.ring_base_mm:g} mm: {100 * measure_rings(rings):.0f} % read"
        yield from _report_sliding(name, plan)


def _report_sliding(name: str, plan: CameraPlan) -> Iterator[str]:
    """Yield how what slides is followed, how far it is off by the shutter's fault, and what looking at it takes."""
    sliding = set_up(name, [max(USUAL_TAG_MM, plan.tag_mm)] * 2)
    for speed in (0.6 * plan.fastest_mm_s, plan.fastest_mm_s, 1.5 * plan.fastest_mm_s, SPEED_MM_S):
        found = measure_sliding(sliding, speed)
        yield (
            f"{'':24}sliding at {speed:.0f} mm/s: {100 * found.seen:.0f} % seen, off by {found.off_mm:.2f} mm;"
            f" decoded and looked at in {found.eyes_ms:.0f} ms"
        )
    if plan.moving_mm is not None and plan.first_moving_mm is not None:
        first, later = measure_sliding(sliding, SPEED_MM_S, learns=False), measure_sliding(sliding, SPEED_MM_S)
        said = [math.sqrt(mm**2 - plan.rest_mm[1] ** 2) for mm in (plan.first_moving_mm, plan.moving_mm)]
        yield (
            f"{'':24}of that the shutter's share: predicted {said[0]:.2f} mm before its row times are told and"
            f" {said[1]:.2f} after, measured {first.off_mm:.2f} and {later.off_mm:.2f}"
        )
    many = measure_sliding(set_up(name, [max(USUAL_TAG_MM, plan.tag_mm)] * 6), plan.fastest_mm_s / 2, movers=MOVERS)
    yield (
        f"{'':24}decoded and looked at while {MOVERS} of a hundred slide: predicted"
        f" {estimate_look_ms(load_cameras()[name]):.0f} ms, measured {many.eyes_ms:.0f}"
    )
