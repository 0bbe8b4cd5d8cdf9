"""Word proposals: which rings' words suit a place at a glance, before any pattern is fitted there.

The band is unrolled at some places about a hypothesis, and every word in every turn is compared with what the cells
show; the best are proposed.  A hypothesis may be off by HYPOTHESIS_MM and, where it tells a facing, by HYPOTHESIS_RAD.
What is proposed is not believed yet: `decoding.py` decides.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingLayout
from vision.rings.cell_evidence import weigh_covered
from vision.rings.enrolled_ring import EnrolledRing, RingShape, count_symmetries
from vision.rings.local_view import build_bases, map_places, sample_picture
from vision.rings.pattern_fit import RingStart

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
class TurnedWords:
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


def turn_all(rings: Iterable[EnrolledRing], listed: tuple[str, ...] = ()) -> dict[RingLayout, TurnedWords]:
    """Return the words of rings by their layouts, in every turn, and beside them those that are listed.

    However high their bases are: of words that are not compared, one may be taken for the other.
    """
    by_layout: dict[RingLayout, list[EnrolledRing]] = {}
    for ring in rings:
        by_layout.setdefault(ring.layout, []).append(ring)
    return {layout: turn_words(tuple(alike), listed) for layout, alike in by_layout.items()}


@lru_cache(maxsize=64)
def turn_words(rings: tuple[EnrolledRing, ...], listed: tuple[str, ...]) -> TurnedWords:
    """Return the words of rings of one layout in every turn, and beside them those that are listed."""
    cells, turns = rings[0].layout.cells, count_symmetries(rings[0].layout)
    shifts = np.arange(turns) * (cells // turns)
    enrolled = {ring.word for ring in rings}

    def turn(words: Iterable[str]) -> Singles:
        bits = np.array([[cell == "1" for cell in word] for word in words], dtype=np.float32).reshape(-1, cells)
        return bits[:, (np.arange(cells) - shifts[:, None]) % cells].reshape(-1, cells)

    return TurnedWords(
        bits=turn(ring.word for ring in rings),
        strangers=turn(word for word in listed if len(word) == cells and word not in enrolled),
        rings=[ring for ring in rings for _ in shifts],
        markers=np.repeat([ring.marker for ring in rings], turns),
        shifts=np.tile(shifts, len(rings)),
        turns=turns,
    )


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


def propose_words(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    hypotheses: Sequence[RingHypothesis],
    words: TurnedWords,
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
