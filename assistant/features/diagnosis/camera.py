"""Checks of the camera: its pictures' number and size, their light and sharpness.

They rest on a sample of pictures, through which the eyes follow the table as they would in a game.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from assistant.features.camera.marker_sizes import USUAL_BLUR_PX
from assistant.features.camera.picture_clues import PictureClues, gather_clues
from assistant.features.camera.picture_quality import describe_focus, describe_light, describe_noise
from assistant.features.camera.sight_reasons import explain_flicker
from assistant.features.diagnosis.report import Check, report_bad, report_fair, report_good
from hardware.camera.frame_source import FrameSource, Identity
from hardware.camera.usb import SIZE_PX
from hardware.errors import EndOfFrames, SourceLost
from hardware.frame import Frame
from vision.images import convert_to_grey
from vision.marker_numbers import is_ring
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.quality.exposure import Exposure, measure_exposure
from vision.quality.flicker import PICTURES as FLICKER_PICTURES
from vision.quality.flicker import Flicker, find_flicker, sample_rows
from vision.stills import locate_bases_in_image
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
    """Frames per second; none for a recording."""


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
    clues: PictureClues | None
    """What else the last picture shows; None where bases are seen."""


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
    known |= {
        marker: track.corners_px
        for marker, track in pipeline.tracks.items()
        if not track.missed and not is_ring(marker)
    }
    fits = refine_corners(last, [assume_detection(tag, corners_px) for tag, corners_px in known.items()])
    fits = fits or refine_corners(
        last, detect_tags(last, [select_whole(last)])
    )  # tags of other ids show how sharp it is, too
    squares_px = np.array([fit.corners_px for fit in fits]).reshape(-1, 4, 2)
    snapshot = replace(_locate_last(markers, view.frames[-1], snapshots), flicker=_find_flicker(same))
    return SampleAnalysis(
        image_size=(width, height),
        exposure=measure_exposure([convert_to_grey(frame.image) for frame in same], squares_px),
        fits=tuple(fits),
        pipeline=pipeline,
        snapshot=snapshot,
        clues=None
        if snapshot.camera and snapshot.poses
        else gather_clues(last, markers.tags, anchors=markers.anchor_tags),
    )


def _locate_last(markers: Markers, last: Frame, followed: Sequence[TableSnapshot]) -> TableSnapshot:
    """Return what the last picture shows: by itself, where there were too few to see that anything rests."""
    snapshot = followed[-1]
    if not markers.bases or not snapshot.calibration or any(not pose.moving for pose in snapshot.poses):
        return snapshot
    return locate_bases_in_image(markers, last.image, last.captured_ns)


def _find_flicker(frames: Sequence[Frame]) -> Flicker | None:
    """Return how lamps flicker, told by the last pictures: none by fewer than it takes."""
    last = frames[-FLICKER_PICTURES:]
    span_ns = last[-1].captured_ns - last[0].captured_ns
    if len(last) < FLICKER_PICTURES or not span_ns:
        return None
    return find_flicker([sample_rows(convert_to_grey(frame.image)) for frame in last], span_ns / 1e9 / (len(last) - 1))


FEW_FPS, ENOUGH_FPS = 4.0, 9.0
"""Frames per second below which a slide looks like a jump, and below which it is coarsely followed."""


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
        describe_focus(blur_px=measure_blur_px(sight), tags=len(sight.fits)),
    )
    for remark in filter(None, remarks):
        if remark.grade == "good":
            yield report_good(remark.about, remark.text)
        else:
            yield (report_fair if remark.grade == "weak" else report_bad)(remark.about, remark.text, remark.advice)
    for reason in explain_flicker(sight.snapshot.flicker):
        yield report_fair(reason.about, reason.fact, reason.advice)


def measure_blur_px(sight: SampleAnalysis) -> float:
    """Return the blur of edges by the tags that are seen, one standard deviation, or what is usual."""
    return float(np.median([fit.blur_px for fit in sight.fits] or [USUAL_BLUR_PX]))
