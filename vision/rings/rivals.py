"""Rivals: how well other words, enrolled or not, suit a place at which a ring was read that not enough can be seen of.

`weigh_rivals()` fits them as the reading was fitted, wherever `list_possible_places()` says that the ring may be: an
arc of one that is half hidden is an arc of a larger one, too, a little farther off.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingLayout
from vision.rings.enrolled_ring import EnrolledRing
from vision.rings.measurement import find_corners
from vision.rings.pattern_fit import RingFit, RingStart, fit_rings
from vision.rings.search import search_rings
from vision.rings.word_proposals import RingHypothesis, propose_words, turn_words
from vision.tags.detection import ImageRegion

SIZES = (0.7, 1.4)
"""Rings that go around so much of another, or less, or so much or more, are told from it by any arc."""
ODD_EVIDENCE, ODDER_BY_SIZE = 1.65, 10.0
"""What tells less nats for each of its cells that is seen may be another ring, that lies beside: less than the first,
and so much more of them, times the share by which it looks larger or smaller than it is.  In glare nearly half of
the half hidden rings do that are read rightly: they are only looked at longer."""
ASIDE_MM = 1.5
"""A wrong word of a ring that is half hidden pulls its fit about so far along what is seen, or towards what is not."""
MARGIN = 0.3
"""A smaller ring is looked for within a larger one, and so much of that farther out."""
MOST_PLACES = 2
"""Of other shapes, at which rivals are weighed."""


def weigh_rivals(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    doubted: Mapping[int, tuple[Sequence[RingHypothesis], RingFit]],
    rings: Collection[EnrolledRing],
    listed: tuple[str, ...],
    *,
    most: int = 1,
) -> dict[int, float]:
    """Return the evidence of the words that suit places about fits best but for those that were fitted there.

    Of so many words at each place, the one counts whose fit tells most.  A wrong word may lie half a cell beside the
    ring that is there, where it hides what contradicts it: then the right one, which lies well, tells more.
    """
    known = {ring.word for ring in rings}
    starts: list[tuple[int, RingStart]] = []
    for number, (places, fit) in doubted.items():
        by_layout: dict[RingLayout, list[RingHypothesis]] = {}
        for place in places:
            by_layout.setdefault(place.shape.layout, []).append(place)
        for layout, some in by_layout.items():
            alike = [ring for ring in rings if ring.layout is layout]
            words = [word for word in listed if len(word) == layout.cells and word not in known]
            strangers = (replace(alike[0], marker=-1 - n, word=word) for n, word in enumerate(words))
            turned = turn_words((*alike, *strangers), ())
            proposed = propose_words(camera, grey, some, turned, but_for=fit.ring.marker, most=most)
            starts += [(number, start) for each in proposed for start in each]
    weights: dict[int, float] = {}
    for (number, _), rival in zip(starts, fit_rings(camera, grey, [start for _, start in starts]), strict=True):
        if rival:
            weights[number] = max(rival.evidence, weights.get(number, -math.inf))
    return weights


def list_possible_places(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    own: RingHypothesis,
    fit: RingFit,
    rings: Collection[EnrolledRing],
) -> list[RingHypothesis]:
    """Return where a ring may be that was read by a fit: there, and beside where it is odd."""
    return [own, *_step_aside(own, fit), *_find_other_shapes(camera, grey, fit, rings)] if is_odd(fit) else [own]


def is_odd(fit: RingFit) -> bool:
    """Whether what was fitted may lie beside what is there."""
    least = ODD_EVIDENCE + ODDER_BY_SIZE * abs(fit.scale - 1)
    return fit.evidence < least * fit.seen * fit.ring.layout.cells


def _step_aside(own: RingHypothesis, fit: RingFit) -> list[RingHypothesis]:
    """Return where the ring may be if a wrong word pulled the fit away from it."""
    return [
        replace(own, x_mm=fit.x_mm + x_mm, y_mm=fit.y_mm + y_mm)
        for x_mm, y_mm in ((ASIDE_MM, 0.0), (0.0, ASIDE_MM), (-ASIDE_MM, 0.0), (0.0, -ASIDE_MM))
    ]


def _find_other_shapes(
    camera: CameraOverTable, grey: NDArray[np.uint8], fit: RingFit, rings: Collection[EnrolledRing]
) -> list[RingHypothesis]:
    """Return where rings of other shapes, about as large, may lie on the table about a fit."""
    length_mm = fit.ring.layout.length_mm
    others = [
        ring
        for ring in rings
        if ring.layout is not fit.ring.layout and SIZES[0] < ring.layout.length_mm / length_mm < SIZES[1]
    ]
    if not others:
        return []
    corners_px = find_corners(camera, fit)
    room_px = MARGIN * np.ptp(corners_px, axis=0)
    left, top = np.maximum(np.floor(corners_px.min(axis=0) - room_px), 0).astype(int).tolist()
    right, bottom = np.minimum(np.ceil(corners_px.max(axis=0) + room_px), grey.shape[::-1]).astype(int).tolist()
    region = ImageRegion(left=left, top=top, right=right, bottom=bottom)
    return search_rings(camera, grey, [region], others)[:MOST_PLACES]
