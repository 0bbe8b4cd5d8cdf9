"""Decoding: which of the enrolled rings is the one that is seen, and how it is turned.

`decode_rings(camera, grey, hypotheses, rings)` takes for each hypothesis ("a ring of this shape is about here") the
rings of that shape, and returns a reading or None.  A hypothesis may be off by HYPOTHESIS_MM and, where it tells a
facing, by HYPOTHESIS_RAD.  A reading holds the fit of the ring's pattern, ready for
`measurement.measure_rings()`.

It is done in two steps.  First the band is unrolled at some places about the hypothesis, and the word that agrees best
with any of them is proposed.  Its pattern is fitted to the picture; then every cell is read where it lies by the fit,
and the evidence of the cells (see `cell_evidence.py`) is added up for every word in every turn.  The best of all is
believed if it stands out, enough cells bear it out, and hardly any contradicts it.

Where there is doubt, the best of all other words is fitted as well, enrolled or not: a wrong word that lies half a cell
beside the ring that is there seems covered where it differs from it.  `judge_places()` tells also where there seems to
be a ring of which none of this can be said yet.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingLayout
from vision.rings.cell_evidence import weigh_covered
from vision.rings.enrolled_ring import EnrolledRing, RingShape, count_symmetries
from vision.rings.local_view import build_bases, map_places, sample_picture
from vision.rings.measurement import find_corners, is_borne_out
from vision.rings.pattern_fit import RingFit, RingStart, fit_rings

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

HYPOTHESIS_MM = 1.0
"""A hypothesis may be off by so much along each axis."""
HYPOTHESIS_RAD = math.radians(3.0)
"""And by so much in its facing, where it tells one."""
STEP_MM = 0.7
"""Between the middles that are tried."""
STEP_RAD = math.radians(1.5)
CIRCLES = (0.2, 0.5, 0.8)
"""Where across the band it is sampled."""
CELL_SAMPLES = 4
"""Samples along a cell; a round ring's turn is tried in as many steps."""
CELL_WEIGHTS = np.array([0.7, 1.0, 1.0, 0.7], dtype=np.float32)
"""The samples near a cell's ends show a part of its neighbour."""
DARK_QUANTILE, LIGHT_QUANTILE = 0.15, 0.85
LEAST_CONTRAST = 20.0
"""Grey levels between dark and light below which a band is not a ring's."""
SIGMA = 0.17
"""Standard deviation of what a cell shows, as a share of the contrast: its neighbours' blur, light and shadow."""
HIDDEN_SHARE = 0.2
"""Of the cells that show something else, before anything is known of them."""
HIDDEN_SPAN = 1.6
"""Something else is as likely to have any brightness within so much of the contrast."""
LEAST_PROPOSED = 0.3
"""Nats between the word that is proposed and the second best: less is as good as none."""
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
MOST_STRANGE = 8.0
"""Where another word's fit tells so much more, it is that ring, and none that could be read."""
SAME_SIZE = 0.04
"""What rests where it is taken to, and is not read, looks larger or smaller than it is by no more than this share."""
MOST_UNTOLD = 16.0
"""Nats by which cells may tell more of what they show than of the word that is believed: figures have cells, too."""
CONTRADICTION = 1.0
"""Nats by which the best word must stand out more for each cell that contradicts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingHypothesis:
    """That a ring of some layout may be somewhere."""

    shape: RingShape
    """The height is about that of the bases with such a ring."""
    x_mm: float
    y_mm: float
    """The ring's middle on the table."""
    facing_rad: float | None = None
    """Of the ring, up to the turns in which its shape is the same; None for a round one: it may be any."""
    surface_mm: float = 0.0
    """Height of what the base stands on."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trials:
    """Where a shape is sampled, for every place and turn that is tried around a hypothesis."""

    moves: NDArray[np.complex128]
    """(g,) shift of the middle, in the ring's frame, mm."""
    turns_rad: Floats
    """(g,)"""
    bases: Singles
    """(g * columns * circles, 6) see local_view."""
    reach_mm: float
    columns: int


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
    words = _turn_all(rings, listed)
    numbers: dict[RingLayout, list[int]] = {}
    for number, hypothesis in enumerate(hypotheses):
        numbers.setdefault(hypothesis.shape.layout, []).append(number)
    starts: list[tuple[int, RingStart]] = []
    for layout, alike in numbers.items():
        if layout in words:
            proposed = _propose(camera, grey, [hypotheses[n] for n in alike], words[layout], most=most_words)
            starts += [(n, start) for n, each in zip(alike, proposed, strict=True) for start in each]
    fits: dict[int, RingFit] = {}
    for (number, _), fit in zip(starts, fit_rings(camera, grey, [start for _, start in starts]), strict=True):
        if fit and (number not in fits or fit.evidence > fits[number].evidence):
            fits[number] = fit
    readings = confirm_fits(camera, grey, list(fits.values()), rings, listed, clearly_seen=CLEARLY_SEEN)
    found = {number: reading for number, reading in zip(fits, readings, strict=True) if reading}
    unsure = {n: (hypotheses[n], reading.fit) for n, reading in found.items() if reading.fit.seen < CLEARLY_SEEN}
    for number, evidence in _weigh_rivals(camera, grey, unsure, rings, listed).items():
        if evidence > found[number].fit.evidence:
            del found[number]
    margins = {
        number: _read_fit(fit, words[fit.ring.layout])[1]
        for number, fit in fits.items()
        if number not in found and is_borne_out(fit)
    }
    doubtful = {n: _place_again(fits[n], hypotheses[n]) for n, margin in margins.items() if margin > LEAST_DOUBTFUL}
    unread: dict[int, UnreadRing] = {}
    if most_words > 1:
        asked = {n: (hypotheses[n], fits[n]) for n in doubtful if abs(fits[n].scale - 1) < SAME_SIZE}
        rivals = _weigh_rivals(camera, grey, asked, rings, listed, most=most_words)
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


def _place_again(fit: RingFit, hypothesis: RingHypothesis) -> RingHypothesis:
    """Return where a fit found what may be a ring."""
    facing_rad = None if hypothesis.facing_rad is None else fit.facing_rad
    return replace(hypothesis, shape=fit.ring.shape, x_mm=fit.x_mm, y_mm=fit.y_mm, facing_rad=facing_rad)


def _weigh_rivals(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    doubted: Mapping[int, tuple[RingHypothesis, RingFit]],
    rings: Collection[EnrolledRing],
    listed: tuple[str, ...],
    *,
    most: int = 1,
) -> dict[int, float]:
    """Return the evidence of the words, enrolled or not, that suit places best but for those that were fitted there.

    Of so many words at each, the one counts whose fit tells most.  A wrong word may lie half a cell beside the ring
    that is there, where it hides what contradicts it: then the right one, which lies well, tells more.
    """
    known = {ring.word for ring in rings}
    starts: list[tuple[int, RingStart]] = []
    for number, (hypothesis, fit) in doubted.items():
        layout = fit.ring.layout
        alike = next(ring for ring in rings if ring.layout is layout)
        words = [word for word in listed if len(word) == layout.cells and word not in known]
        strangers = (replace(alike, marker=-1 - n, word=word) for n, word in enumerate(words))
        turned = _turn_words((*(ring for ring in rings if ring.layout is layout), *strangers), ())
        (proposed,) = _propose(camera, grey, [hypothesis], turned, but_for=fit.ring.marker, most=most)
        starts += [(number, start) for start in proposed]
    weights: dict[int, float] = {}
    for (number, _), rival in zip(starts, fit_rings(camera, grey, [start for _, start in starts]), strict=True):
        if rival:
            weights[number] = max(rival.evidence, weights.get(number, -math.inf))
    return weights


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
    words = _turn_all(rings, listed)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _TurnedWords:
    """Every word of some rings of one layout in every turn of the band; w of them."""

    bits: Singles
    """(w, cells)"""
    rings: list[EnrolledRing]
    """(w,)"""
    markers: NDArray[np.intp]
    """(w,)"""
    shifts: NDArray[np.intp]
    """(w,) cells that each is turned by."""
    turns: int
    """Turns of each word."""
    strangers: Singles
    """(s, cells) words in every turn that such a ring may have which nobody enrolled."""

    def find_second(self, scores: Singles, best: int) -> float:
        """Return the best score but for one word and its turns by a cell."""
        cells = self.bits.shape[1]
        apart = np.abs(np.mod(self.shifts - self.shifts[best] + cells / 2, cells) - cells / 2)
        others = scores[(self.markers != self.markers[best]) | (apart > 1)]
        return float(others.max()) if len(others) else 0.0

    def find_best(self, scores: Singles, most: int) -> list[int]:
        """Return the best turn each of so many rings at most, the best of all first."""
        best = scores.reshape(-1, self.turns).argmax(axis=1) + np.arange(0, len(scores), self.turns)
        return [int(word) for word in best[np.argsort(-scores[best], kind="stable")][:most] if scores[word] > -np.inf]


def _turn_all(rings: Iterable[EnrolledRing], listed: tuple[str, ...] = ()) -> dict[RingLayout, _TurnedWords]:
    """Return the words of rings by their layouts, in every turn, and beside them those that are listed.

    However high their bases are: of words that are not compared, one may be taken for the other.
    """
    by_layout: dict[RingLayout, list[EnrolledRing]] = {}
    for ring in rings:
        by_layout.setdefault(ring.layout, []).append(ring)
    return {layout: _turn_words(tuple(alike), listed) for layout, alike in by_layout.items()}


@lru_cache(maxsize=64)
def _turn_words(rings: tuple[EnrolledRing, ...], listed: tuple[str, ...]) -> _TurnedWords:
    cells, turns = rings[0].layout.cells, count_symmetries(rings[0].layout)
    shifts = np.arange(turns) * (cells // turns)
    enrolled = {ring.word for ring in rings}

    def turn(words: Iterable[str]) -> Singles:
        bits = np.array([[cell == "1" for cell in word] for word in words], dtype=np.float32).reshape(-1, cells)
        return bits[:, (np.arange(cells) - shifts[:, None]) % cells].reshape(-1, cells)

    return _TurnedWords(
        bits=turn(ring.word for ring in rings),
        strangers=turn(word for word in listed if len(word) == cells and word not in enrolled),
        rings=[ring for ring in rings for _ in shifts],
        markers=np.repeat([ring.marker for ring in rings], turns),
        shifts=np.tile(shifts, len(rings)),
        turns=turns,
    )


def _propose(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    hypotheses: Sequence[RingHypothesis],
    words: _TurnedWords,
    *,
    but_for: int | None = None,
    most: int = 1,
) -> list[list[RingStart]]:
    """Return which rings, but for that of some marker, may be where about each of some hypotheses of one layout.

    So many at most, the likeliest first; where only one is asked for none if it stands out by as good as nothing.
    """
    layout = hypotheses[0].shape.layout
    is_round = words.turns == layout.cells
    trials = _lay_trials(layout, 0 if is_round else round(HYPOTHESIS_RAD / STEP_RAD))
    middles = np.array([complex(h.x_mm, h.y_mm) for h in hypotheses])
    facings = np.array([h.facing_rad or 0.0 for h in hypotheses])
    heights = np.array([h.surface_mm + h.shape.ring_height_mm for h in hypotheses])
    eye_mm = camera.eye_mm
    maps = map_places(camera, middles, np.exp(1j * facings), heights, trials.reach_mm)
    levels, contrast = _scale(_sample(grey, maps, trials))
    phases = CELL_SAMPLES if is_round else 1
    light, dark = _weigh_cells(levels, phases)
    base, gain = dark.sum(axis=-1), light - dark
    proposed: list[list[RingStart]] = []
    for i, hypothesis in enumerate(hypotheses):
        # (trials * phases, words) how well each word in each turn fits: those of one place at once stay in the cache.
        scores = base[i].reshape(-1, 1) + gain[i].reshape(-1, layout.cells) @ words.bits.T
        each = scores.max(axis=0)
        each[words.markers == but_for] = -np.inf
        best = int(each.argmax())
        if most == 1 and float(each[best]) - words.find_second(each, best) < LEAST_PROPOSED:
            proposed.append([])
            continue
        starts = []
        for word in words.find_best(each, most):
            trial, phase = divmod(int(scores[:, word].argmax()), phases)
            if contrast[i, trial] < LEAST_CONTRAST:
                continue
            ring = words.rings[word]
            middle = middles[i] + trials.moves[trial] * np.exp(1j * facings[i])
            # The same pixels show a ring that lies higher nearer to the camera's foot.
            rise_mm = hypothesis.surface_mm + ring.ring_height_mm - heights[i]
            middle += (complex(eye_mm[0], eye_mm[1]) - middle) * rise_mm / (eye_mm[2] - heights[i])
            turn = math.tau * (int(words.shifts[word]) + phase / phases) / layout.cells
            start = RingStart(
                ring=ring,
                x_mm=float(middle.real),
                y_mm=float(middle.imag),
                facing_rad=float(facings[i] + trials.turns_rad[trial]) + turn,
                surface_mm=hypothesis.surface_mm,
            )
            starts.append(start)
        proposed.append(starts)
    return proposed


def _read_fit(fit: RingFit, words: _TurnedWords) -> tuple[RingStart, float]:
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


@cache
def _lay_trials(layout: RingLayout, half: int) -> _Trials:
    """Lay a lattice of places, and of so many turns to either side."""
    steps = np.arange(-1, 2) * STEP_MM
    moves = (steps[:, None] + 1j * steps).ravel()
    turns = np.arange(-half, half + 1) * STEP_RAD
    along, offset = np.meshgrid(
        (np.arange(layout.cells * CELL_SAMPLES) + 0.5) / CELL_SAMPLES,
        layout.band.inner_mm + np.array(CIRCLES) * (layout.band.outer_mm - layout.band.inner_mm),
        indexing="ij",
    )
    band = layout.place(along, offset).reshape(-1, 2) @ np.array([1.0, 1j])
    places = (moves[:, None, None] + band * np.exp(1j * turns)[:, None]).ravel()
    reach_mm = float(max(np.abs(places.real).max(), np.abs(places.imag).max()))
    return _Trials(
        moves=np.repeat(moves, len(turns)),
        turns_rad=np.tile(turns, len(moves)),
        bases=build_bases(places, reach_mm).astype(np.float32),
        reach_mm=reach_mm,
        columns=len(along),
    )


def _sample(grey: NDArray[np.uint8], maps: Floats, trials: _Trials) -> Singles:
    """(n, g, columns, circles) the picture at the samples."""
    places_px = trials.bases @ maps.astype(np.float32).transpose(0, 2, 1)
    sampled = sample_picture(grey, places_px.reshape(-1, trials.columns * len(CIRCLES), 2), cv2.INTER_LINEAR)
    return sampled.reshape(len(maps), len(trials.moves), trials.columns, len(CIRCLES)).astype(np.float32)


def _scale(samples: Singles) -> tuple[Singles, Singles]:
    """Return the samples with dark at 0 and light at 1, and (n, g) the contrast in grey levels."""
    ordered = np.sort(samples.reshape(*samples.shape[:2], -1), axis=2)
    dark, light = (ordered[:, :, int(q * ordered.shape[2])] for q in (DARK_QUANTILE, LIGHT_QUANTILE))
    contrast = light - dark
    return (samples - dark[..., None, None]) / np.maximum(contrast, 1.0)[..., None, None], contrast


def _weigh_cells(levels: Singles, phases: int) -> tuple[Singles, Singles]:
    """Return twice (n, places, phases, cells): logarithms of how much likelier light and dark are than anything else.

    A phase begins its cells so many samples later.
    """

    def split(samples: Singles) -> Singles:
        turned = [np.roll(samples, -phase, axis=2) for phase in range(phases)]
        return np.stack(turned, axis=2).reshape(*samples.shape[:2], phases, -1, CELL_SAMPLES, samples.shape[-1])

    cells = split(levels)
    weights = CELL_WEIGHTS / CELL_WEIGHTS.sum()
    across = np.einsum("npfcsk,s->npfck", cells, weights)
    peak = HIDDEN_SPAN / (SIGMA * math.sqrt(math.tau))

    def weigh(level: float, covered: Singles) -> Singles:
        off = (across - level) / SIGMA
        # The circles of one cell share what is wrong with them: their mean counts, and the worst of them once more.
        squared = (off.mean(axis=-1) ** 2 + (off**2).max(axis=-1)) / 2
        return np.asarray(np.log((1 - HIDDEN_SHARE) * peak * np.exp(-0.5 * squared) + HIDDEN_SHARE * covered))

    light, dark = weigh_covered(across.mean(axis=-1))
    return weigh(1.0, light), weigh(0.0, dark)
