"""Decoding: which of the enrolled rings is the one that is seen, and how it is turned.

`decode_rings(camera, grey, hypotheses, rings)` takes for each hypothesis ("a ring of this shape is about here") the
rings of that shape, and returns a reading or None.  A hypothesis may be off by HYPOTHESIS_MM and, where it tells a
facing, by HYPOTHESIS_RAD.  A reading's place is good for `pattern_fit.fit_rings()` to begin with, not for more.

Each cell is looked at by itself.  What it shows tells for a light cell, for a dark one, or for neither: something else
may cover it.  So the logarithm of the likelihood ratio of a cell saturates: a hidden cell counts neither way, and one
that contradicts a word counts no more than its being hidden in an unlucky shade is unlikely.  The sum over the cells is
taken for every word in every turn; the best one is believed if it stands out and enough cells bear it out.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingLayout
from vision.rings.enrolled_ring import EnrolledRing, RingShape, count_symmetries, group_by_shape
from vision.rings.local_view import build_bases, map_places

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
BEST_PLACES = 3
"""So many of the places that are tried are looked at with words."""
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
LEAST_MARGIN = 9.0
"""Nats between the best word and the second best."""
LEAST_SEEN = 0.42
"""Share of the cells that must bear a word out."""
MOST_CONTRADICTIONS = 0.12
"""Share of the cells that may show the other of dark and light."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingHypothesis:
    """That a ring of some shape may be somewhere."""

    shape: RingShape
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

    marker: int
    x_mm: float
    y_mm: float
    facing_rad: float
    """The ring's, on the table; to half a millimetre and an eighth of a cell."""
    surface_mm: float
    margin: float
    """Nats between this word and turn and the second best."""
    seen: float
    """Share of the cells that bear it out."""
    contradicted: float
    """Share of the cells that contradict it."""


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
) -> list[RingReading | None]:
    """Return which ring is seen at each hypothesis; None where none can be told.

    Args:
        camera: where the camera is.
        grey: (height, width) picture.
        hypotheses: where rings may be.
        rings: those that may be there, at any hypothesis of their shape.

    """
    readings: list[RingReading | None] = [None] * len(hypotheses)
    by_shape = group_by_shape(rings)
    numbers: dict[RingShape, list[int]] = {}
    for number, hypothesis in enumerate(hypotheses):
        numbers.setdefault(hypothesis.shape, []).append(number)
    for shape, of_shape in numbers.items():
        if shape in by_shape:
            found = _decode_shape(camera, grey, shape, [hypotheses[n] for n in of_shape], by_shape[shape])
            for number, reading in zip(of_shape, found, strict=True):
                readings[number] = reading
    return readings


def _decode_shape(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    shape: RingShape,
    hypotheses: Sequence[RingHypothesis],
    rings: Sequence[EnrolledRing],
) -> list[RingReading | None]:
    layout = shape.layout
    trials = _lay_trials(layout, any(h.facing_rad is None for h in hypotheses))
    middles = np.array([complex(h.x_mm, h.y_mm) for h in hypotheses])
    facings = np.array([h.facing_rad or 0.0 for h in hypotheses])
    heights = np.array([h.surface_mm + shape.ring_height_mm for h in hypotheses])
    maps = map_places(camera, middles, np.exp(1j * facings), heights, trials.reach_mm)
    samples = _sample(grey, maps, trials)
    levels, contrast = _scale(samples)
    columns = _weigh_columns(levels)
    best = np.argsort(-columns.sum(axis=2), axis=1, kind="stable")[:, :BEST_PLACES]
    chosen = np.take_along_axis(levels, best[:, :, None, None], axis=1)
    words, markers, shifts = _turn_words(rings, count_symmetries(layout))
    phases = CELL_SAMPLES if count_symmetries(layout) == layout.cells else 1
    is_light, is_dark = _weigh_cells(chosen, phases)
    # (n, places, phases, words) how well each word in each turn fits.
    scores = is_dark.sum(axis=-1)[..., None] + (is_light - is_dark) @ words.T
    readings: list[RingReading | None] = []
    for i, hypothesis in enumerate(hypotheses):
        place, phase, word = np.unravel_index(int(scores[i].argmax()), scores[i].shape)
        trial = best[i, place]
        bits = words[word] > 0.5
        for_it = np.where(bits, is_light[i, place, phase], is_dark[i, place, phase])
        against = np.where(bits, is_dark[i, place, phase], is_light[i, place, phase])
        others = scores[i].max(axis=(0, 1))
        turn = (
            math.tau * (shifts[word] + phase / phases) / layout.cells
            if phases > 1
            else math.tau * shifts[word] / layout.cells
        )
        apart = np.abs(np.mod(shifts - shifts[word] + layout.cells / 2, layout.cells) - layout.cells / 2)
        others[(markers == markers[word]) & (apart <= 1)] = -np.inf
        second = float(others.max())
        margin = float(scores[i, place, phase, word]) - (second if math.isfinite(second) else 0.0)
        seen, contradicted = float((for_it > 0).mean()), float((against > for_it).mean())
        middle = middles[i] + trials.moves[trial] * np.exp(1j * facings[i])
        reading = RingReading(
            marker=int(markers[word]),
            x_mm=float(middle.real),
            y_mm=float(middle.imag),
            facing_rad=math.remainder(float(facings[i] + trials.turns_rad[trial] + turn), math.tau),
            surface_mm=hypothesis.surface_mm,
            margin=margin,
            seen=seen,
            contradicted=contradicted,
        )
        readings.append(reading if contrast[i, trial] >= LEAST_CONTRAST and _is_believed(reading) else None)
    return readings


def _is_believed(reading: RingReading) -> bool:
    return reading.margin >= LEAST_MARGIN and reading.seen >= LEAST_SEEN and reading.contradicted <= MOST_CONTRADICTIONS


@cache
def _lay_trials(layout: RingLayout, any_turn: bool) -> _Trials:
    steps = np.arange(-1, 2) * STEP_MM
    moves = (steps[:, None] + 1j * steps).ravel()
    half = 0 if any_turn else round(HYPOTHESIS_RAD / STEP_RAD)
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
    x, y = places_px.reshape(-1, trials.columns * len(CIRCLES), 2).transpose(2, 0, 1)
    sampled = cv2.remap(grey, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return sampled.reshape(len(maps), len(trials.moves), trials.columns, len(CIRCLES)).astype(np.float32)


def _scale(samples: Singles) -> tuple[Singles, Singles]:
    """Return the samples with dark at 0 and light at 1, and (n, g) the contrast in grey levels."""
    ordered = np.sort(samples.reshape(*samples.shape[:2], -1), axis=2)
    dark, light = (ordered[:, :, int(q * ordered.shape[2])] for q in (DARK_QUANTILE, LIGHT_QUANTILE))
    contrast = light - dark
    return (samples - dark[..., None, None]) / np.maximum(contrast, 1.0)[..., None, None], contrast


def _weigh_columns(levels: Singles) -> Singles:
    """(n, g, columns) how well the samples across the band agree on dark or on light, whichever it is."""
    off = np.minimum(np.abs(levels), np.abs(levels - 1)).max(axis=3)
    return np.asarray(np.exp(-((off / 0.3) ** 2)))


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

    def weigh(level: float) -> Singles:
        off = (across - level) / SIGMA
        # The circles of one cell share what is wrong with them: their mean counts, and the worst of them once more.
        squared = (off.mean(axis=-1) ** 2 + (off**2).max(axis=-1)) / 2
        return np.asarray(np.log((1 - HIDDEN_SHARE) * peak * np.exp(-0.5 * squared) + HIDDEN_SHARE))

    return weigh(1.0), weigh(0.0)


def _turn_words(rings: Sequence[EnrolledRing], turns: int) -> tuple[Singles, NDArray[np.intp], NDArray[np.intp]]:
    """Return every word in every turn of the band: (w, cells) its bits, (w,) its marker, (w,) cells it is turned by."""
    cells = rings[0].layout.cells
    shifts = np.arange(turns) * (cells // turns)
    bits = np.array([np.roll(ring.bits, shift) for ring in rings for shift in shifts], dtype=np.float32)
    markers = np.repeat([ring.marker for ring in rings], turns)
    return bits, markers, np.tile(shifts, len(rings))
