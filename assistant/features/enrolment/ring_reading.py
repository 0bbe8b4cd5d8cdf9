"""Ring reading: which ring of a kind is in the picture, of all that a base may get."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.features.enrolment.laid_rings import build_ringed_base
from assistant.game.base_spec import BaseSpec
from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingKind
from hardware.rings.words import RingList
from vision.rings.decoding import RingReading, decode_rings
from vision.rings.enrolled_ring import EnrolledRing
from vision.rings.search import search_rings
from vision.tags.detection import ImageRegion, cut_tiles


def list_candidates(base: BaseSpec, kind: RingKind, rings: RingList) -> list[EnrolledRing]:
    """Return every ring of a kind that a base may have.

    Raises:
        ValueError: the base has no room for any.

    """
    ids = rings.choose_words(is_round=base.round_mm is not None).ids
    return [build_ringed_base("shown", base, kind, ring, height=None).enroll_ring(rings) for ring in ids]


PART_PX = 1_000_000
"""So much of a picture is searched at one look: the game waits for it, and a few looks see all of a 4K picture."""
OVERLAP_SHARE = 0.05
"""Of the picture's width: a ring is at least in one part for the most part."""


def cut_into_parts(grey: NDArray[np.uint8]) -> list[ImageRegion]:
    """Return the parts of a picture that are searched one after another."""
    down = max(1, round(math.sqrt(grey.size / PART_PX)))
    across = max(1, round(grey.size / PART_PX / down))
    return cut_tiles(grey, across, down, int(OVERLAP_SHARE * grey.shape[1]))


def read_rings(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    regions: Sequence[ImageRegion],
    candidates: Sequence[EnrolledRing],
) -> list[RingReading]:
    """Return the rings that are read in some parts of a picture."""
    hypotheses = search_rings(camera, grey, regions, candidates)
    readings = decode_rings(camera, grey, hypotheses, candidates)
    return [reading for reading in readings if reading is not None]


def find_rings(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    regions: Sequence[ImageRegion],
    candidates: Sequence[EnrolledRing],
) -> frozenset[int]:
    """Return the markers of the rings that are read in some parts of a picture."""
    return frozenset(reading.marker for reading in read_rings(camera, grey, regions, candidates))
