"""Tag detection: decoded AprilTags in a grey picture, whole or in regions.

There is one detector in a process, used by one thread at a time: making and destroying several corrupts the heap.  One
that a thread hangs in is left to that thread, and never destroyed; another takes its place.
"""

import math
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pupil_apriltags import Detector

from vision.types import TagDetection

Grey = NDArray[np.uint8]

FAMILY = "tag36h11"
MOST_BITS_CORRECTED = 1
"""With two or three corrected bits false tags begin to appear in cluttered pictures."""
LEAST_SIDE_PX = 10
"""A tag is ten cells across with its white rim."""

TURN_S = 1.0
"""Who waits for the detector looks so often whether there is another by now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRegion:
    """A part of a picture, px: columns left to right, rows top to bottom, the ends excluded."""

    left: int
    top: int
    right: int
    bottom: int


def select_whole(grey: Grey) -> ImageRegion:
    """Return the region that is the whole picture."""
    return ImageRegion(left=0, top=0, right=grey.shape[1], bottom=grey.shape[0])


def cut_tiles(grey: Grey, across: int, down: int, overlap_px: int) -> list[ImageRegion]:
    """Cut a picture into overlapping regions, so that a tag of up to ``overlap_px`` lies whole in one of them."""
    height, width = grey.shape
    columns = np.linspace(0, width, across + 1).astype(int)
    rows = np.linspace(0, height, down + 1).astype(int)
    return [
        ImageRegion(
            left=int(left),
            top=int(top),
            right=min(width, int(right) + overlap_px),
            bottom=min(height, int(bottom) + overlap_px),
        )
        for top, bottom in pairwise(rows)
        for left, right in pairwise(columns)
    ]


def select_around(corners_px: NDArray[np.float64], margin_px: float, grey: Grey) -> ImageRegion:
    """Return the region of a picture around some corners."""
    height, width = grey.shape
    x, y = corners_px.T.tolist()  # of so few numbers, Python finds the least faster
    return ImageRegion(
        left=min(max(math.floor(min(x) - margin_px), 0), width),
        top=min(max(math.floor(min(y) - margin_px), 0), height),
        right=min(max(math.ceil(max(x) + margin_px) + 1, 0), width),
        bottom=min(max(math.ceil(max(y) + margin_px) + 1, 0), height),
    )


def detect_tags(grey: Grey, regions: Iterable[ImageRegion], tags: frozenset[int] | None = None) -> list[TagDetection]:
    """Return the tags that lie whole in one of the regions.

    A tag that two regions show is returned once.  A tag that stands at two places is returned twice.

    Args:
        grey: (height, width) picture.
        regions: where to look.
        tags: the ids that may appear; None for all.

    """
    detections: list[TagDetection] = []
    with _take_turn() as detector:
        for region in regions:
            if min(region.right - region.left, region.bottom - region.top) < LEAST_SIDE_PX:
                continue  # there is no room for a tag, and the library dies of an empty picture
            for tag in detector.detect(_crop(grey, region)):
                if tag.hamming > MOST_BITS_CORRECTED or (tags is not None and tag.tag_id not in tags):
                    continue
                detections.append(_convert_detection(tag, region))
    return _drop_repeats(detections)


class _LastingDetector(Detector):  # type: ignore[misc]  # the library ships no types
    """A detector that is never taken apart: the library crashes over it when the interpreter ends."""

    def __del__(self) -> None:
        pass


class _SharedDetector:
    """A detector, and whose turn it is."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.holder: int | None = None
        """The thread that uses it; None while none does."""

    @cached_property
    def library(self) -> Any:  # noqa: ANN401 - the library ships no types
        """The library's own, which takes 65 MB."""
        detector = _LastingDetector(families=FAMILY, nthreads=1, quad_decimate=1.0, quad_sigma=0.0, refine_edges=1)
        # The binding cuts its parameter to a whole number, and the default of 0.25 to nothing.
        detector.tag_detector_ptr.contents.decode_sharpening = 0.25
        return detector


_detectors = [_SharedDetector()]
"""The last is used; those before it were left to threads that hang in them, and are kept, lest they be destroyed."""


@contextmanager
def _take_turn() -> Iterator[Any]:
    """Wait for the process's detector, and use it alone."""
    while not (shared := _detectors[-1]).lock.acquire(timeout=TURN_S):
        pass  # another may have taken its place
    shared.holder = threading.get_ident()
    try:
        yield shared.library
    finally:
        shared.holder = None
        shared.lock.release()


def leave_detector(thread: int) -> None:
    """Leave the detector to a thread that hangs in it, for good; whoever waits for it gets another."""
    if _detectors[-1].holder == thread:
        _detectors.append(_SharedDetector())


def _crop(grey: Grey, region: ImageRegion) -> Grey:
    return np.ascontiguousarray(grey[region.top : region.bottom, region.left : region.right])


def _convert_detection(tag: Any, region: ImageRegion) -> TagDetection:  # noqa: ANN401 - the library ships no types
    # The library's corners go counter-clockwise from the tag's (-, -) and count from the pixel's edge.
    corners_px = np.asarray(tag.corners, dtype=np.float64) - 0.5 + (region.left, region.top)
    return TagDetection(
        tag=int(tag.tag_id), corners_px=corners_px, hamming=int(tag.hamming), margin=float(tag.decision_margin)
    )


def is_same_print(one: TagDetection, other: TagDetection) -> bool:
    """Whether two sightings of one id are of the same print, and not of two prints at different places."""
    size_px = float(np.linalg.norm(np.ptp(one.corners_px, axis=0)))
    apart_px = float(np.linalg.norm((one.corners_px - other.corners_px).mean(axis=0)))
    return one.tag == other.tag and apart_px < size_px / 2


def group_prints(detections: Iterable[TagDetection]) -> dict[int, list[TagDetection]]:
    """Return the sightings of each tag that are of different prints."""
    by_tag: dict[int, list[TagDetection]] = {}
    for sighting in detections:
        prints = by_tag.setdefault(sighting.tag, [])
        if not any(is_same_print(sighting, other) for other in prints):
            prints.append(sighting)
    return by_tag


def assume_detection(tag: int, corners_px: NDArray[np.float64]) -> TagDetection:
    """Return the detection of a tag that is taken to be where it was, (4, 2) corners."""
    return TagDetection(tag=tag, corners_px=corners_px, hamming=0, margin=0.0)


def _drop_repeats(detections: list[TagDetection]) -> list[TagDetection]:
    best_first = sorted(detections, key=lambda tag: (tag.tag, -tag.margin))
    return [tag for prints in group_prints(best_first).values() for tag in prints]
