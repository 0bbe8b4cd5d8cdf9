"""Picture clues: what a picture shows beside what was looked for in it, by which it is told why nothing was found."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.quality.exposure import Exposure, measure_exposure
from vision.quality.sharpness import measure_edge_blur
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import detect_tags, select_whole
from vision.types import TagDetection

ENLARGED = 2
"""Tags are too small that are read only in a picture enlarged so many times."""
MOST_ENLARGED_PX = 2600
"""Wider pictures are not enlarged: it would take seconds."""
OTHER_FAMILIES = {
    "tag25h9": cv2.aruco.DICT_APRILTAG_25H9,
    "tag16h5": cv2.aruco.DICT_APRILTAG_16H5,
    "tag36h10": cv2.aruco.DICT_APRILTAG_36H10,
    "ArUco 4x4": cv2.aruco.DICT_4X4_50,
    "ArUco 5x5": cv2.aruco.DICT_5X5_50,
    "ArUco 6x6": cv2.aruco.DICT_6X6_50,
    "ArUco original": cv2.aruco.DICT_ARUCO_ORIGINAL,
}
"""What people print in place of tag36h11, and what OpenCV calls it."""
LEAST_OF_FAMILY = 3
"""Families of few bits are seen in any clutter, but not with so many ids at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureClues:
    """What a picture shows beside what was looked for in it."""

    level: float
    """Mean grey level."""
    exposure: Exposure
    blur_px: float | None = None
    """Of the sharpest edges, one standard deviation, the worse of upright and level ones; None where there are none."""
    strangers: tuple[int, ...] = ()
    """Tags that are read and that nothing expects."""
    mirrored: int = 0
    """How many tags are read in the picture's mirror image only."""
    small_px: float | None = None
    """Edge of the tags that are read in an enlarged picture only, in the picture's own pixels; None where none are."""
    centres_px: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    """(2,) where expected tags are seen that can be measured, by tag."""
    faint: int = 0
    """How many expected tags are read, but too poorly to be measured."""
    families: Mapping[str, int] = field(default_factory=dict)
    """How many markers of other families are seen, by the family."""


def gather_clues(
    grey: NDArray[np.uint8],
    expected: frozenset[int],
    known: Collection[TagDetection] | None = None,
    *,
    anchors: frozenset[int] = frozenset(),
) -> PictureClues:
    """Look through a picture in which markers are missing; it takes some tenths of a second.

    Args:
        grey: the picture.
        expected: the tags that a set-up names.
        known: the tags that are read in it, where they are known already: then nothing else is looked for.
        anchors: the anchors among the expected: where none of them is read, they may be of another family than the
            bases.

    """
    found = detect_tags(grey, [select_whole(grey)]) if known is None else known
    fits = refine_corners(grey, [tag for tag in found if tag.tag in expected])
    squares_px = np.array([tag.corners_px for tag in found]).reshape(-1, 4, 2)
    blurs = [blur for blur in measure_edge_blur(grey) if blur is not None]
    read = {tag.tag for tag in found}
    mirrored: tuple[TagDetection, ...] = ()
    small: tuple[TagDetection, ...] = ()
    if not found and known is None:
        mirrored = _detect(np.ascontiguousarray(grey[:, ::-1]))
        small = () if mirrored or grey.shape[1] > MOST_ENLARGED_PX else _detect(_enlarge(grey))
    is_told = bool(mirrored or small or (read & anchors if anchors else read))
    return PictureClues(
        level=float(grey.mean()),
        exposure=measure_exposure([grey], squares_px),
        blur_px=max(blurs, default=None),
        strangers=tuple(sorted(read - expected)),
        centres_px={fit.tag: fit.corners_px.mean(axis=0) for fit in fits},
        faint=len(read & expected) - len(fits),
        mirrored=len(mirrored),
        small_px=float(np.median([measure_edge_px(tag) for tag in small])) / ENLARGED if small else None,
        families={} if is_told or known is not None else _count_families(grey),
    )


def measure_edge_px(tag: TagDetection) -> float:
    """Return the mean edge of a tag's black square, px."""
    sides = np.roll(tag.corners_px, -1, axis=0) - tag.corners_px
    return float(np.linalg.norm(sides, axis=1).mean())


def _detect(grey: NDArray[np.uint8]) -> tuple[TagDetection, ...]:
    return tuple(detect_tags(grey, [select_whole(grey)]))


def _enlarge(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    larger = cv2.resize(grey, None, fx=ENLARGED, fy=ENLARGED, interpolation=cv2.INTER_CUBIC)
    return np.asarray(larger, dtype=np.uint8)


def _count_families(grey: NDArray[np.uint8]) -> dict[str, int]:
    """Return the family of which most markers are seen, if any is."""
    exact = cv2.aruco.DetectorParameters()
    exact.errorCorrectionRate = 0.0
    counts: dict[str, int] = {}
    for name, number in OTHER_FAMILIES.items():
        detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(number), exact)
        ids: object = detector.detectMarkers(grey)[1]  # none where there are none, whatever the stubs say
        counts[name] = 0 if ids is None else len(np.unique(np.asarray(ids)))
    name = max(counts, key=lambda family: counts[family])
    return {name: counts[name]} if counts[name] >= LEAST_OF_FAMILY else {}
