"""Place reading: which rings are read at places where some may be, no two of them where only one can lie.

`read_places()` is asked with hypotheses, and with what is in sight already; `following.py` asks it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingLayout
from vision.rings.decoding import UnreadRing, judge_places
from vision.rings.enrolled_ring import EnrolledRing
from vision.rings.pattern_fit import RingFit, RingStart
from vision.rings.word_proposals import RingHypothesis

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

STRONG_MARGIN = 25.0
"""Nats by which a ring that is in sight elsewhere must be read to be taken for a second print."""
SAME_SHARE = 0.5
"""Rings whose middles are nearer than this share of their mean width lie at one place, where only one can."""
TAG_SHARE = 0.75
"""Rings whose middles are nearer to a tag's than this share of their mean width lie across it.  Of a ring that lies
farther off a tag shows too few cells to bear it out."""
READ_AT_ONCE = 128
"""What is read leaves no room for less likely hypotheses beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPlaces:
    """What is found at some places."""

    read: tuple[RingFit, ...]
    perhaps: tuple[RingHypothesis, ...]
    """Where there may be other rings: first those that seem to be one."""
    unread: tuple[UnreadRing, ...]
    """What is surely a ring of those, where several words were tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """Where a marker is seen, at whatever height: its middle's shadow on the table if the camera were a lamp."""

    middle: complex
    width_mm: float
    """Across the shorter axis."""

    @classmethod
    def of(cls, eye_mm: Floats, place: RingStart | RingHypothesis) -> "Footprint":
        """Return that of a ring at a place; ``eye_mm`` (3,) is where the camera is."""
        shape = place.shape if isinstance(place, RingHypothesis) else place.ring.shape
        eye = complex(eye_mm[0], eye_mm[1])
        scale = float(eye_mm[2] / (eye_mm[2] - place.surface_mm - shape.ring_height_mm))
        middle = eye + (complex(place.x_mm, place.y_mm) - eye) * scale
        return cls(middle=middle, width_mm=_measure_width_mm(shape.layout))

    def overlaps(self, other: "Footprint", share: float = SAME_SHARE) -> bool:
        """Whether one of two markers leaves no room for the other."""
        return abs(self.middle - other.middle) < share * (self.width_mm + other.width_mm) / 2

    def encloses(self, square: "Footprint") -> bool:
        """Whether a square, however it is turned, lies within a ring."""
        return abs(self.middle - square.middle) + square.width_mm / math.sqrt(2) < self.width_mm / 2


def is_free(camera: CameraOverTable, hypothesis: RingHypothesis, places: Sequence[RingStart]) -> bool:
    """Whether none of some rings lies where another may be."""
    spot = Footprint.of(camera.eye_mm, hypothesis)
    return not any(spot.overlaps(Footprint.of(camera.eye_mm, place)) for place in places)


def leave_room_for_tags(
    camera: CameraOverTable, hypotheses: Sequence[RingHypothesis], tags_px: Sequence[Floats]
) -> list[RingHypothesis]:
    """Return hypotheses of rings that lie beside tags or around them: what is dark and light there is theirs."""
    tags = []
    for corners_px in tags_px:
        corners = camera.table_from_image(corners_px, 0.0) @ np.array([1.0, 1j])
        side_mm = float(np.abs(np.roll(corners, -1) - corners).mean())
        tags.append(Footprint(middle=complex(corners.mean()), width_mm=side_mm))
    eye_mm = camera.eye_mm
    spots = [Footprint.of(eye_mm, hypothesis) for hypothesis in hypotheses]
    return [
        hypothesis
        for hypothesis, spot in zip(hypotheses, spots, strict=True)
        if not any(spot.overlaps(tag, TAG_SHARE) and not spot.encloses(tag) for tag in tags)
    ]


def read_places(
    camera: CameraOverTable,
    grey: Grey,
    rings: Mapping[int, EnrolledRing],
    hypotheses: Sequence[RingHypothesis],
    listed: tuple[str, ...],
    *,
    in_sight: Sequence[RingStart],
    most: int,
    most_words: int = 1,
) -> ReadPlaces:
    """Return the rings that are read at hypotheses where nothing else is, and where there may be others.

    A ring that is in sight elsewhere must be read without a doubt.

    Args:
        camera: where the camera is.
        grey: the picture.
        rings: all that may be there, by marker.
        hypotheses: the likeliest first.
        listed: words of rings that may lie there though nobody enrolled them.
        in_sight: what is there.
        most: so many hypotheses are looked at.
        most_words: so many words are tried at each.

    """
    eye_mm, read = camera.eye_mm, list[RingFit]()
    doubtful, others, unread = list[RingHypothesis](), list[RingHypothesis](), list[UnreadRing]()
    taken = [Footprint.of(eye_mm, place) for place in in_sight]
    elsewhere = {place.ring.marker for place in in_sight}
    each = ((hypothesis, Footprint.of(eye_mm, hypothesis)) for hypothesis in hypotheses)
    left = [(hypothesis, spot) for hypothesis, spot in each if not any(spot.overlaps(other) for other in taken)][:most]
    while left:
        left = [(hypothesis, spot) for hypothesis, spot in left if not any(spot.overlaps(other) for other in taken)]
        likeliest = [hypothesis for hypothesis, _ in left[:READ_AT_ONCE]]
        places = judge_places(camera, grey, likeliest, rings.values(), listed, most_words=most_words)
        left = left[READ_AT_ONCE:]
        doubtful += [place.doubtful for place in places if place.doubtful]
        unread += [place.unread for place in places if place.unread]
        others += [h for h, place in zip(likeliest, places, strict=True) if not (place.doubtful or place.reading)]
        for reading in sorted(
            (place.reading for place in places if place.reading), key=lambda reading: -reading.margin
        ):
            footprint = Footprint.of(eye_mm, place_fit(reading.fit))
            is_likely = reading.marker not in elsewhere or reading.margin >= STRONG_MARGIN
            if is_likely and not any(footprint.overlaps(other) for other in taken):
                taken.append(footprint)
                read.append(reading.fit)
                elsewhere.add(reading.marker)
    unread = [ring for ring in unread if ring.fit.ring.marker not in elsewhere and _is_beside(eye_mm, ring, taken)]
    perhaps = list[RingHypothesis]()
    for hypothesis in (*doubtful, *others):
        footprint = Footprint.of(eye_mm, hypothesis)
        if not any(footprint.overlaps(other) for other in taken):
            taken.append(footprint)
            perhaps.append(hypothesis)
    return ReadPlaces(read=tuple(read), perhaps=tuple(perhaps), unread=tuple(unread))


def _is_beside(eye_mm: Floats, ring: UnreadRing, taken: Sequence[Footprint]) -> bool:
    """Whether none of some rings lies where another may be that is not read."""
    footprint = Footprint.of(eye_mm, place_fit(ring.fit))
    return not any(footprint.overlaps(other) for other in taken)


def place_fit(fit: RingFit) -> RingStart:
    """Return where a fit found its ring."""
    return RingStart(ring=fit.ring, x_mm=fit.x_mm, y_mm=fit.y_mm, facing_rad=fit.facing_rad, surface_mm=fit.surface_mm)


@cache
def _measure_width_mm(layout: RingLayout) -> float:
    """Return how far a ring goes across, along the shorter axis."""
    return float(np.ptp(layout.middle_line_mm, axis=0).min())
