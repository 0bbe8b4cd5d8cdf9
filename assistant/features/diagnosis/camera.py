"""Checks of the camera: its pictures' number and size, their light and sharpness, and the tags that they show.

They rest on a sample of pictures, through which the eyes follow the table as they would in a game.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from assistant.features.camera.picture_quality import describe_focus, describe_light, describe_noise
from assistant.features.diagnosis.report import Check, report_bad, report_fair, report_good
from assistant.setup.file import Setup
from calibration.design_prediction import COLUMNS, ROWS
from calibration.spaces import CameraOverTable
from hardware.camera.frame_source import FrameSource, Identity
from hardware.camera.usb import SIZE_PX
from hardware.errors import EndOfFrames, SourceLost
from hardware.frame import Frame
from vision.images import convert_to_grey
from vision.markers import Markers
from vision.pipeline import Pipeline, locate_bases_in_image
from vision.quality.exposure import Exposure, measure_exposure
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import assume_detection, detect_tags, select_whole
from vision.types import TableSnapshot, TagFit

WARM_UP = 3
"""A camera's first pictures come late, and before it has found its exposure."""
PICTURES = 12
LONGEST_S = 8.0
"""A slow camera is looked through for no longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraSample:
    """Some pictures of one source."""

    frames: tuple[Frame, ...]
    identity: Identity
    rate: float | None
    """Pictures a second; none for a recording."""


@dataclass(frozen=True, kw_only=True)
class SampleAnalysis:
    """What is seen in them."""

    image_size: tuple[int, int]
    exposure: Exposure
    fits: tuple[TagFit, ...]
    """The tags of the last picture; of whatever id, where none is known."""
    pipeline: Pipeline
    """The eyes after the last picture: the camera's place, and why there is none."""
    snapshot: TableSnapshot
    """Where the bases stand."""


def take_pictures(open_camera: Callable[[], FrameSource], *, live: bool) -> CameraSample:
    """Take some pictures.

    Raises:
        hardware.errors.BadSource: the source is wrong as it is written.
        hardware.errors.SourceLost: it does not answer.

    """
    frames: list[Frame] = []
    with closing(open_camera()) as source:
        until_s = time.monotonic() + LONGEST_S
        try:
            for _ in range(WARM_UP if live else 0):
                source.read()
            while len(frames) < PICTURES and (not frames or time.monotonic() < until_s):
                frames.append(source.read())
        except EndOfFrames:
            pass
        identity = source.identify()
    if not frames:
        raise SourceLost("the source has no pictures")
    span_s = (frames[-1].captured_ns - frames[0].captured_ns) / 1e9
    rate = (len(frames) - 1) / span_s if live and span_s > 0 else None
    return CameraSample(frames=tuple(frames), identity=identity, rate=rate)


def analyse_sample(view: CameraSample, markers: Markers) -> SampleAnalysis:
    """Let the eyes follow some pictures as they would in a game."""
    last = convert_to_grey(view.frames[-1].image)
    height, width = last.shape
    pipeline = Pipeline(markers=markers)
    same = [frame for frame in view.frames if frame.image.shape == view.frames[-1].image.shape]
    snapshots = [pipeline.step(frame) for frame in same]
    known = dict(pipeline.calibrated.anchors_px)
    known |= {tag: track.corners_px for tag, track in pipeline.tracks.items() if not track.missed}
    fits = refine_corners(last, [assume_detection(tag, corners_px) for tag, corners_px in known.items()])
    fits = fits or refine_corners(
        last, detect_tags(last, [select_whole(last)])
    )  # tags of other ids show how sharp it is, too
    squares_px = np.array([fit.corners_px for fit in fits]).reshape(-1, 4, 2)
    return SampleAnalysis(
        image_size=(width, height),
        exposure=measure_exposure([convert_to_grey(frame.image) for frame in same], squares_px),
        fits=tuple(fits),
        pipeline=pipeline,
        snapshot=_locate_last(markers, view.frames[-1], snapshots),
    )


def _locate_last(markers: Markers, last: Frame, followed: Sequence[TableSnapshot]) -> TableSnapshot:
    """Return what the last picture shows: by itself, where there were too few to see that anything rests."""
    snapshot = followed[-1]
    if not markers.bases or not snapshot.calibration or any(not pose.moving for pose in snapshot.poses):
        return snapshot
    return locate_bases_in_image(markers, last.image, last.captured_ns)


FEW_FPS, ENOUGH_FPS = 4.0, 9.0
"""Pictures a second below which a slide looks like a jump, and below which it is coarsely followed."""
USUAL_BLUR_PX = 0.7
LEAST_PX, SAFE_PX = (6.5, 8.0), (8.0, 10.0)
"""Edge of a tag's black square in the picture from which on half are read, and from which on all are: so much, and so
much more for each pixel of blur.  Measured on the virtual table: of tags all about it, those of 13 px were read at a
blur of 0.5 px, those of 17 px at 0.9 px; half of those of 10 and 14 px."""


def check_camera(source: str, view: CameraSample, sight: SampleAnalysis) -> Iterator[Check]:
    """Say how many pictures come, of what size, and whether the camera keeps its focus."""
    width, height = sight.image_size
    fact = f"{source.rstrip(':')}: {width}x{height}"
    if source.startswith("usb:") and sight.image_size != SIZE_PX:
        fact += f" (asked for {SIZE_PX[0]}x{SIZE_PX[1]})"
    if view.rate is not None:
        fact += f", {view.rate:.0f} pictures a second"
    if view.identity.camera not in (None, source, source.rstrip(":")):
        fact += f", {view.identity.camera}"
    advice = "give the table more light, use a USB 3 socket without a hub, or a smaller picture"
    if view.rate is None or view.rate >= ENOUGH_FPS:
        yield report_good("camera", fact)
    elif view.rate >= FEW_FPS:
        yield report_fair("camera", fact, advice)
    else:
        yield report_bad("camera", fact, advice)
    if view.identity.autofocus:
        yield report_fair(
            "autofocus",
            "the camera changes its focus by itself, and its lens with it",
            "turn autofocus off in the camera's settings, then calibrate the lens",
        )


def check_picture(sight: SampleAnalysis) -> Iterator[Check]:
    """Say whether the pictures are well lit and sharp."""
    remarks = (
        describe_light(sight.exposure, tags=bool(sight.fits)),
        describe_noise(sight.exposure),
        describe_focus(blur_px=_measure_blur_px(sight), tags=len(sight.fits)),
    )
    for remark in filter(None, remarks):
        if remark.grade == "good":
            yield report_good(remark.about, remark.text)
        else:
            yield (report_fair if remark.grade == "weak" else report_bad)(remark.about, remark.text, remark.advice)


def check_tags(setup: Setup, camera: CameraOverTable, sight: SampleAnalysis) -> Check:
    """Say whether the tags are large enough to be read all over the table."""
    across, along = np.meshgrid(
        np.linspace(0, setup.table.width_mm, COLUMNS), np.linspace(0, setup.table.depth_mm, ROWS)
    )
    places = np.column_stack([across.ravel(), along.ravel(), np.zeros(across.size)])
    px_per_mm = float(np.sqrt(np.abs(np.linalg.det(camera.scale_px_per_mm(places))).min()))
    blur_px = _measure_blur_px(sight)
    least_px, safe_px = (fixed + by_blur * blur_px for fixed, by_blur in (LEAST_PX, SAFE_PX))
    safe_mm = np.ceil(safe_px / px_per_mm)
    if not setup.tagged_bases:
        return report_good(
            "tags", f"the set-up has no tagged bases yet; tags of {safe_mm:.0f} mm or more are read all over the table"
        )
    smallest = min(setup.tagged_bases, key=lambda base: base.size_mm)
    size_px = smallest.size_mm * px_per_mm
    fact = (
        f"the smallest, that of {smallest.model} with {smallest.size_mm:g} mm, is {size_px:.0f} px where it is farthest"
    )
    if size_px >= safe_px:
        return report_good("tags", fact)
    advice = f"use tags of {safe_mm:.0f} mm or more, or a camera with more pixels, or focus better"
    return (report_fair if size_px >= least_px else report_bad)("tags", fact, advice)


def check_bases(setup: Setup, sight: SampleAnalysis) -> Iterator[Check]:
    """Say how surely the models are placed now."""
    poses = [pose for pose in sight.snapshot.poses if pose.state == "seen"]
    still = [pose for pose in poses if not pose.moving]
    if not setup.bases:
        return
    fact = f"{len(poses)} of {len(setup.bases)} are seen"
    if still:
        sigmas_mm = [float(np.sqrt(np.linalg.eigvalsh(pose.covariance[:2, :2])[-1])) for pose in still]
        worst = still[int(np.argmax(sigmas_mm))]
        fact += (
            f", placed within {np.median(sigmas_mm):.2f} mm, {worst.model} within {max(sigmas_mm):.2f} mm (one sigma)"
        )
    if twice := sight.snapshot.shown_twice:
        yield report_bad("bases", f"{fact}; in view twice: tag {_join_numbers(twice)}", "take one print of each away")
    elif poses:
        yield report_good("bases", fact)
    else:
        yield report_fair("bases", fact, "set the models on the table, tags up, to see how surely they are placed")


def _measure_blur_px(sight: SampleAnalysis) -> float:
    return float(np.median([fit.blur_px for fit in sight.fits] or [USUAL_BLUR_PX]))


def _join_numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
