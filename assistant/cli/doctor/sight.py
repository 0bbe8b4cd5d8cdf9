"""A look through the camera: some pictures, and what the eyes make of them."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from hardware.camera.source import FrameSource, Identity
from hardware.errors import EndOfFrames, SourceLost
from hardware.frame import Frame
from vision.alone import locate_alone
from vision.detect import as_it_stood, detect, whole
from vision.exposure import Exposure, exposure
from vision.grey import as_grey
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.refine import refine
from vision.types import TableSnapshot, TagFit

WARM_UP = 3
"""A camera's first pictures come late, and before it has found its exposure."""
PICTURES = 12
LONGEST_S = 8.0
"""A slow camera is looked through for no longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Some pictures of one source."""

    frames: tuple[Frame, ...]
    identity: Identity
    rate: float | None
    """Pictures a second; none for a recording."""


@dataclass(frozen=True, kw_only=True)
class Sight:
    """What is seen in them."""

    image_size: tuple[int, int]
    exposure: Exposure
    fits: tuple[TagFit, ...]
    """The tags of the last picture; of whatever id, where none is known."""
    pipeline: Pipeline
    """The eyes after the last picture: the camera's place, and why there is none."""
    snapshot: TableSnapshot
    """Where the bases stand."""


def pictures(open_camera: Callable[[], FrameSource], *, live: bool) -> View:
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
        identity = source.identity()
    if not frames:
        raise SourceLost("the source has no pictures")
    span_s = (frames[-1].captured_ns - frames[0].captured_ns) / 1e9
    rate = (len(frames) - 1) / span_s if live and span_s > 0 else None
    return View(frames=tuple(frames), identity=identity, rate=rate)


def look(view: View, markers: Markers) -> Sight:
    """Let the eyes follow some pictures as they would in a game."""
    last = as_grey(view.frames[-1].image)
    height, width = last.shape
    pipeline = Pipeline(markers=markers)
    same = [frame for frame in view.frames if frame.image.shape == view.frames[-1].image.shape]
    snapshots = [pipeline.step(frame) for frame in same]
    known = dict(pipeline.calibrated.anchors_px)
    known |= {tag: track.corners_px for tag, track in pipeline.tracks.items() if not track.missed}
    fits = refine(last, [as_it_stood(tag, corners_px) for tag, corners_px in known.items()])
    fits = fits or refine(last, detect(last, [whole(last)]))  # tags of other ids show how sharp it is, too
    squares_px = np.array([fit.corners_px for fit in fits]).reshape(-1, 4, 2)
    return Sight(
        image_size=(width, height),
        exposure=exposure([as_grey(frame.image) for frame in same], squares_px),
        fits=tuple(fits),
        pipeline=pipeline,
        snapshot=_alone(markers, view.frames[-1], snapshots),
    )


def _alone(markers: Markers, last: Frame, followed: Sequence[TableSnapshot]) -> TableSnapshot:
    """Return what the last picture shows: by itself, where there were too few to see that anything rests."""
    found = followed[-1]
    if not markers.bases or not found.calibration or any(not pose.moving for pose in found.poses):
        return found
    return locate_alone(markers, last.image, last.captured_ns)
