"""Decoding: which of the enrolled rings is the one that is seen, and how it is turned.

`decode_rings(camera, grey, hypotheses, rings)` takes for each hypothesis ("a ring of this shape is about here") the
rings of that shape, and returns a reading or None.  A reading holds the fit of the ring's pattern, ready for
`measurement.measure_rings()`.

It is done in two steps.  First a word is proposed at a glance (see `word_proposals.py`).  Its pattern is fitted to the
picture; then every cell is read where it lies by the fit, and the evidence of the cells (see `cell_evidence.py`) is
added up for every word in every turn.  The best of all is believed if it stands out, enough cells bear it out, and
hardly any contradicts it.

Where there is doubt, the best of all other words is fitted as well, enrolled or not (see `rivals.py`): a wrong word
that lies half a cell beside the ring that is there seems covered where it differs from it.  `judge_places()` tells also
where there seems to be a ring of which none of this can be said yet.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingLayout
from vision.rings.enrolled_ring import EnrolledRing
from vision.rings.measurement import find_corners, is_borne_out, is_sharp
from vision.rings.pattern_fit import RingFit, RingStart, fit_rings
from vision.rings.rivals import is_odd, list_possible_places, weigh_rivals
from vision.rings.word_proposals import RingHypothesis, TurnedWords, propose_words, turn_all

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

LEAST_MARGIN = 12.0
"""Nats between the word that is believed and the second best."""
CLEAR_BY, CLEARLY_SEEN = 6.0, 0.85
"""Nats above the least margin, and share of the cells that bear a word out, from which on there is no doubt: cells of
a ring that nobody enrolled seem hidden where it differs from the word that suits it best."""
LEAST_EVIDENCE = 0.4
"""Nats for a word that is believed, for each of its cells, seen or not."""
UNKNOWN, FOLLOWED = (LEAST_MARGIN, LEAST_EVIDENCE), (4.0, 0.0)
"""Least margin and evidence of a ring that may be anywhere, and of one that was believed to lie there a moment ago, so
that nothing can have taken its place.  If something had, three in 2,000 wrong words would pass."""
LEAST_DOUBTFUL = 4.0
"""Nats by which a word must stand out that it be worth while to look again where it may be; and by how much more than
any other's the fit of a word must tell that people are told it is that ring which cannot be read."""
LEAST_LEAD = 4.0
"""Nats by which a word's fit must tell more than any other's there, enrolled or not, if not enough of it is seen."""
MOST_STRANGE = 8.0
"""Where another word's fit tells so much more, it is that ring, and none that could be read."""
SAME_SIZE = 0.04
"""What rests where it is taken to, and is not read, looks larger or smaller than it is by no more than this share."""
LOWEST_SHARE = 0.05
"""What looks so far below the table, as a share of the camera's height, is a smaller ring that nobody enrolled: of the
next size down it shows most cells of some words at 0.93 of their size.  Rings that were read rightly looked no smaller
than 0.978 in 4,630 looks at rings of all worlds."""
MOST_UNTOLD = 16.0
"""Nats by which cells may tell more of what they show than of the word that is believed: figures have cells, too."""
CONTRADICTION = 1.0
"""Nats by which the best word must stand out more for each cell that contradicts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingReading:
    """Which ring is seen somewhere."""

    fit: RingFit
    """Of the ring's pattern to the picture."""
    margin: float
    """Nats between this word and turn and the second best."""

    @property
    def marker(self) -> int:
        """The ring's number among all markers."""
        return self.fit.ring.marker


def decode_rings(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    hypotheses: Sequence[RingHypothesis],
    rings: Collection[EnrolledRing],
    listed: tuple[str, ...] = (),
) -> list[RingReading | None]:
    """Return which ring is seen at each hypothesis; None where none can be told.

    Args:
        camera: where the camera is.
        grey: (height, width) picture.
        hypotheses: where rings may be.
        rings: those that may be there, at any hypothesis of their layout.
        listed: words of rings that may lie on the table though nobody enrolled them.

    """
    return [place.reading for place in judge_places(camera, grey, hypotheses, rings, listed)]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPlace:
    """What was found at a hypothesis."""

    reading: RingReading | None = None
    doubtful: RingHypothesis | None = None
    """Where a ring seems to be of which it cannot be told which it is."""
    unread: "UnreadRing | None" = None
    """What people can be told of that ring, where several words were tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadRing:
    """Something that is surely a ring, and is not read."""

    fit: RingFit
    """Of the word that it is most like."""
    corners_px: Floats
    """(4, 2) of the oblong around it, in a tag's order."""
    margin: float
    """Nats between that word and turn and the second best."""
    lead: float
    """Nats by which its fit tells more than that of any other word, enrolled or not."""

    @property
    def marker(self) -> int:
        """The number of the ring that it is most like."""
        return self.fit.ring.marker

    @property
    def is_known(self) -> bool:
        """Whether it is that ring."""
        return _is_told(self.fit, self.margin, LEAST_MARGIN) and self.lead >= LEAST_DOUBTFUL


def judge_places(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    hypotheses: Sequence[RingHypothesis],
    rings: Collection[EnrolledRing],
    listed: tuple[str, ...] = (),
    *,
    most_words: int = 1,
) -> list[JudgedPlace]:
    """Return what is found at each hypothesis: a ring, perhaps a ring, or nothing.

    Of so many words, those that suit a place best at a glance, the one counts whose fit tells most of it.  For the
    other arguments see decode_rings().
    """
    words = turn_all(rings, listed)
    numbers: dict[RingLayout, list[int]] = {}
    for number, hypothesis in enumerate(hypotheses):
        numbers.setdefault(hypothesis.shape.layout, []).append(number)
    starts: list[tuple[int, RingStart]] = []
    for layout, alike in numbers.items():
        if layout in words:
            proposed = propose_words(camera, grey, [hypotheses[n] for n in alike], words[layout], most=most_words)
            starts += [(n, start) for n, each in zip(alike, proposed, strict=True) for start in each]
    fits: dict[int, RingFit] = {}
    for (number, _), fit in zip(starts, fit_rings(camera, grey, [start for _, start in starts]), strict=True):
        if fit and (number not in fits or fit.evidence > fits[number].evidence):
            fits[number] = fit
    readings = confirm_fits(camera, grey, list(fits.values()), rings, listed, clearly_seen=CLEARLY_SEEN)
    found = {n: r for n, r in zip(fits, readings, strict=True) if r and _is_likely(camera, r.fit)}
    unsure = {
        n: (list_possible_places(camera, grey, hypotheses[n], reading.fit, rings), reading.fit)
        for n, reading in found.items()
        if reading.fit.seen < CLEARLY_SEEN or is_odd(reading.fit)
    }
    for number, evidence in weigh_rivals(camera, grey, unsure, rings, listed).items():
        if evidence > found[number].fit.evidence - LEAST_LEAD:
            del found[number]
    margins = {
        number: _read_fit(fit, words[fit.ring.layout])[1]
        for number, fit in fits.items()
        if number not in found and is_borne_out(fit)
    }
    doubtful = {n: _place_again(fits[n], hypotheses[n]) for n, margin in margins.items() if margin > LEAST_DOUBTFUL}
    unread: dict[int, UnreadRing] = {}
    if most_words > 1:
        asked = {n: ([hypotheses[n]], fits[n]) for n in doubtful if abs(fits[n].scale - 1) < SAME_SIZE}
        rivals = weigh_rivals(camera, grey, asked, rings, listed, most=most_words)
        leads = {n: fit.evidence - rivals.get(n, -math.inf) for n, (_, fit) in asked.items()}
        unread = {
            n: UnreadRing(fit=fits[n], corners_px=find_corners(camera, fits[n]), margin=margins[n], lead=lead)
            for n, lead in leads.items()
            if lead > -MOST_STRANGE
        }
    return [
        JudgedPlace(reading=found.get(n), doubtful=doubtful.get(n), unread=unread.get(n))
        for n in range(len(hypotheses))
    ]


def _is_likely(camera: CameraOverTable, fit: RingFit) -> bool:
    """Whether a ring may be where nobody knew of any: cells of two that are near may seem to be a blurred one's."""
    return not _lies_too_low(camera, fit) and (is_sharp(fit) or not is_odd(fit))


def _lies_too_low(camera: CameraOverTable, fit: RingFit) -> bool:
    """Whether what was read looks as if it lay below the table, where nothing lies."""
    drop_mm = float(camera.eye_mm[2]) - fit.surface_mm - fit.ring.ring_height_mm
    return fit.surface_mm + drop_mm * (1 - 1 / fit.scale) < -LOWEST_SHARE * camera.height_mm


def _place_again(fit: RingFit, hypothesis: RingHypothesis) -> RingHypothesis:
    """Return where a fit found what may be a ring."""
    facing_rad = None if hypothesis.facing_rad is None else fit.facing_rad
    return replace(hypothesis, shape=fit.ring.shape, x_mm=fit.x_mm, y_mm=fit.y_mm, facing_rad=facing_rad)


def confirm_fits(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    fits: Sequence[RingFit],
    rings: Collection[EnrolledRing],
    listed: tuple[str, ...] = (),
    *,
    clearly_seen: float = 0.0,
    followed: Collection[int] = (),
) -> list[RingReading | None]:
    """Return which ring is seen at each fit, be it of its own word or of another; None where none can be told.

    A wrong word bends its fit until what contradicts it seems hidden.  So where there is doubt the cells are fitted
    once more by what they show, whether there is such a word or not.  If they then show another word, or that tells
    much more, the word that suits them best must suit as well when it is fitted in turn.

    Args:
        camera: where the camera is.
        grey: (height, width) picture that they were fitted to.
        fits: of patterns to it.
        rings: those that may be there, at any fit of their layout.
        listed: words of rings that may lie on the table though nobody enrolled them.
        clearly_seen: share of its cells that must bear a word out, that there be no doubt.
        followed: markers of rings that were believed to be there a moment ago.

    """
    words = turn_all(rings, listed)
    readings: list[RingReading | None] = [None] * len(fits)
    doubted: dict[int, RingStart] = {}
    believed: dict[int, RingReading] = {}
    for number, fit in enumerate(fits):
        if fit.ring.layout in words:
            best, margin = _read_fit(fit, words[fit.ring.layout])
            least = FOLLOWED if fit.ring.marker in followed else UNKNOWN
            if best.ring is fit.ring and _is_believed(fit, margin, least):
                believed[number] = RingReading(fit=fit, margin=margin)
            if number in believed and fit.seen >= clearly_seen and _is_believed(fit, margin - CLEAR_BY):
                readings[number] = believed[number]
            else:
                doubted[number] = _start_freely(fit)
    probable: dict[int, tuple[RingStart, float]] = {}
    for number, free in _fit_each(camera, grey, doubted).items():
        best, margin = _read_fit(free, words[free.ring.layout])
        untold = free.evidence - fits[number].evidence
        agrees = best.ring is fits[number].ring and margin > 0.0 and untold <= MOST_UNTOLD
        # Cells that may be as they like and tell less all the same have lost their hold, and speak for nothing else.
        if number in believed and (agrees or untold < 0.0):
            readings[number] = believed[number]
        elif margin >= LEAST_MARGIN:
            probable[number] = best, margin
    for number, fit in _fit_each(camera, grey, {number: start for number, (start, _) in probable.items()}).items():
        best, margin = _read_fit(fit, words[fit.ring.layout])
        margin = min(margin, probable[number][1])
        if best.ring is fit.ring and _is_believed(fit, margin):
            readings[number] = RingReading(fit=fit, margin=margin)
    return readings


def _is_believed(fit: RingFit, margin: float, least: tuple[float, float] = UNKNOWN) -> bool:
    """Whether a fit is borne out, and its word stands out by enough, so many cells contradicting it."""
    least_margin, least_evidence = least
    has_evidence = fit.evidence >= least_evidence * fit.ring.layout.cells
    return has_evidence and _is_told(fit, margin, least_margin) and is_borne_out(fit)


def _is_told(fit: RingFit, margin: float, least: float) -> bool:
    """Whether a fit's word stands out by enough, so many cells contradicting it."""
    return margin >= least + CONTRADICTION * fit.contradicted * fit.ring.layout.cells


def _fit_each(camera: CameraOverTable, grey: NDArray[np.uint8], starts: Mapping[int, RingStart]) -> dict[int, RingFit]:
    """Return the fits that hold, by the numbers of their starts."""
    fits = fit_rings(camera, grey, list(starts.values()))
    return {number: fit for number, fit in zip(starts, fits, strict=True) if fit is not None}


def _start_freely(fit: RingFit) -> RingStart:
    """Return where to begin with a word of just what the cells of a fit show."""
    word = "".join("1" if is_light else "0" for is_light in fit.light > fit.dark)
    ring = replace(fit.ring, word=word)
    place = {"x_mm": fit.x_mm, "y_mm": fit.y_mm, "facing_rad": fit.facing_rad, "surface_mm": fit.surface_mm}
    return RingStart(ring=ring, step_mm=fit.step_mm, shutter=fit.shutter, **place)


def _read_fit(fit: RingFit, words: TurnedWords) -> tuple[RingStart, float]:
    """Return the word and turn that suit a fit's cells best, and by how much they stand out.

    By nothing at all where a word that nobody enrolled suits them better.
    """
    scores = fit.dark.sum() + words.bits @ (fit.light - fit.dark)
    best = int(scores.argmax())
    strangest = float(fit.dark.sum() + (words.strangers @ (fit.light - fit.dark)).max(initial=-np.inf))
    start = RingStart(
        ring=words.rings[best],
        x_mm=fit.x_mm,
        y_mm=fit.y_mm,
        facing_rad=fit.facing_rad + math.tau * int(words.shifts[best]) / fit.ring.layout.cells,
        surface_mm=fit.surface_mm,
        step_mm=fit.step_mm,
        shutter=fit.shutter,
    )
    return start, float(scores[best]) - words.find_second(scores, best) if scores[best] > strangest else 0.0
