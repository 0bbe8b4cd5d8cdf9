"""Pattern fit: a ring's place, facing and size to a few hundredths of a pixel, by fitting its whole band.

`fit_rings(camera, grey, starts)` takes rings that are known to lie about somewhere, and fits each one's word, drawn in
the table's plane at the ring's height and blurred, to what the picture shows there.  As in `tags/corner_refinement.py`
this is Baker and Matthews' inverse compositional alignment (IJCV 56, 2004).  Free are the place, the facing, the size,
the blur and the light; what the word does not explain, such as a figure in front, loses its weight and is counted.

The edges between cells carry the place and the facing; the band's own two edges carry the size, by which height is
told.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingBand, RingKind, RingLayout
from vision.rings.cell_evidence import weigh_cells
from vision.rings.enrolled_ring import EnrolledRing
from vision.rings.local_view import build_bases, map_places, sample_picture

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

ALONG_SAMPLES = (3, 8)
"""Fewest and most samples along a cell: about one a pixel."""
ACROSS_SAMPLES = (5, 12)
"""The same across the band."""
BEYOND_MM = 0.7
"""The band is sampled so far beyond its edges, where what is beside it may be taken for plain."""
DARK_QUANTILE, LIGHT_QUANTILE = 0.15, 0.85
"""Of a band's brightness: where dark and light are, before more is known."""
EDGE_MM = 0.35
"""A halo is sampled from so far within its inner edge on: what lies beside it, base and shadow, is not plain."""
RIM_BEYOND_MM = 0.3
"""A rim ends so near the base's own edge that no more is sampled beyond it."""
ROUNDS = 4
USUAL_BLUR_PX = 0.7
BLURS_PX = (0.3, 4.0)
OUTLIER_SHARE = 0.15
"""A sample that is off by this share of the contrast has a quarter of its weight."""
HIDDEN_SHARE = 0.25
"""A cell whose samples are off by this share of the contrast, root mean square, shows something else."""
CELL_RIDGE = 0.5
"""Samples' worth of belief in the word, so that a cell of which nothing is seen can be solved for."""
BODY_MM = 0.3
"""What the base's body hides of a halo is left out with so much beside it."""
LEAST_NOISE = 0.5
"""Grey levels; a picture of whole numbers knows no less."""
LEAST_CONTRAST = 12.0
"""Grey levels between dark and light below which a pattern is not a ring's."""
SPAN_QUANTILE, MOST_SPAN = 0.03, 1.4
"""Dark and light are apart by at most so many times what a band's brightest and darkest samples are."""
MOST_BEND = 0.6
"""Of the light by ink or gamma, as a share of the contrast."""
FARTHEST_CELLS = 1.5
"""A fit that leaves its start by more has lost its hold."""
NOISE_SHARE = 0.5
"""Share of a fit's variance that is another in each picture, where nothing tells how noisy pictures are."""
PARAMETERS, LIGHTS = 5, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RingStart:
    """About where a ring lies."""

    ring: EnrolledRing
    x_mm: float
    y_mm: float
    facing_rad: float
    """The ring's own middle and facing, not the base's; to a third of a cell."""
    surface_mm: float = 0.0
    """Height of what the base stands on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingFit:
    """A ring whose whole pattern has been fitted to the picture."""

    ring: EnrolledRing
    surface_mm: float
    """Height of what the base was taken to stand on."""
    x_mm: float
    y_mm: float
    facing_rad: float
    """The ring's own middle and facing on the table, at the height that was assumed."""
    scale: float
    """Apparent size over true size."""
    covariance: Floats
    """(4, 4) of x_mm, y_mm, facing_rad and scale, from what the fit leaves unexplained."""
    noise: Floats
    """(4, 4) what of it is another in each picture."""
    light: Singles
    """(cells,) nats for each cell's being light, and below."""
    dark: Singles
    """(cells,) for its being dark; see cell_evidence."""
    seen: float
    """Share of the cells that are seen."""
    contradicted: float
    """Share of the cells that are seen to be of the other kind."""
    unexplained: float
    """Root mean square of what the word does not explain where it is seen, grey levels."""
    contrast: float
    """Grey levels between dark and light."""
    blur_px: float
    """Standard deviation of the blur."""
    px_per_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _SamplingGrid:
    """Where a layout is sampled, in the ring's frame."""

    along: Singles
    """(columns,) cells."""
    across: Singles
    """(rows,) mm from the base's outline."""
    places: Singles
    """(m, 2) mm."""
    along_slope: Singles
    """(m, 2) by how many cells a step of a millimetre along x and y goes along the band."""
    across_slope: Singles
    """(m, 2) and by how many millimetres across."""
    bases: Singles
    """(m, 6) see local_view."""
    reach_mm: float


@dataclass(slots=True, kw_only=True)
class _State:
    """What has been found of n rings."""

    middle: NDArray[np.complex128]
    facing_rad: Floats
    scale: Floats
    blur_px: Floats
    shades: Floats
    """(n, LIGHTS)"""


def fit_rings(
    camera: CameraOverTable, grey: NDArray[np.uint8], starts: Sequence[RingStart], noise: float | None = None
) -> list[RingFit | None]:
    """Fit each ring's pattern to the picture; None where it does not hold at its place.

    Args:
        camera: where the camera is.
        grey: (height, width) picture.
        starts: rings, and about where they lie.
        noise: standard deviation of a pixel from picture to picture, grey levels; None where it is not known.

    """
    fits: list[RingFit | None] = [None] * len(starts)
    if not starts:
        return fits
    spots = np.array([(s.x_mm, s.y_mm, s.surface_mm + s.ring.ring_height_mm) for s in starts])
    scales = np.sqrt(np.abs(np.linalg.det(camera.scale_px_per_mm(spots))))
    inside = _are_inside(camera, grey, starts, spots, scales)
    alike: dict[tuple[int, int, int], list[int]] = {}
    for i, start in enumerate(starts):
        if inside[i]:
            counts = _count_samples(start.ring.layout, float(scales[i]))
            alike.setdefault((start.ring.layout.cells, *counts), []).append(i)
    for (_, columns, rows), numbers in alike.items():
        found = _fit_alike(
            camera, grey, [starts[i] for i in numbers], scales[numbers], counts=(columns, rows), noise=noise
        )
        for i, fit in zip(numbers, found, strict=True):
            fits[i] = fit
    return fits


def _are_inside(
    camera: CameraOverTable, grey: NDArray[np.uint8], starts: Sequence[RingStart], spots: Floats, scales: Floats
) -> NDArray[np.bool_]:
    """(n,) whether a ring lies within the picture."""
    height, width = grey.shape
    line = [s.ring.layout.middle_line_mm for s in starts]
    reach_px = np.array([np.abs(mm).max() + s.ring.layout.band.reach_mm for mm, s in zip(line, starts, strict=True)])
    reach_px = (reach_px * scales + 2)[:, None]
    middles = camera.image_from_table(spots)
    return np.asarray(((middles > reach_px) & (middles < np.array([width, height]) - reach_px)).all(axis=1))


def _get_span(band: RingBand) -> tuple[float, float]:
    """Return where the print begins and ends, mm from the base's outline."""
    return min([band.inner_mm, *(line.from_mm for line in band.borders)]), band.reach_mm


def _get_sampled(band: RingBand) -> tuple[float, float]:
    """Return from where to where the band is sampled, mm from the base's outline."""
    inner_mm, outer_mm = _get_span(band)
    if band.kind is RingKind.HALO:
        return inner_mm + EDGE_MM, outer_mm + BEYOND_MM
    return inner_mm - BEYOND_MM, outer_mm + RIM_BEYOND_MM


def _count_samples(layout: RingLayout, px_per_mm: float) -> tuple[int, int]:
    """Return how many samples there are along a cell and across the band."""
    inner_mm, outer_mm = _get_sampled(layout.band)
    columns = math.ceil(0.85 * layout.cell_mm * px_per_mm)
    rows = math.ceil(0.95 * (outer_mm - inner_mm) * px_per_mm)
    return min(max(columns, ALONG_SAMPLES[0]), ALONG_SAMPLES[1]), min(max(rows, ACROSS_SAMPLES[0]), ACROSS_SAMPLES[1])


@cache
def _build_grid(layout: RingLayout, columns: int, rows: int) -> _SamplingGrid:
    inner_mm, outer_mm = _get_sampled(layout.band)
    across = inner_mm + (np.arange(rows) + 0.5) * (outer_mm - inner_mm) / rows
    along = (np.arange(layout.cells * columns) + 0.5) / columns
    s, o = (mesh.ravel() for mesh in np.meshgrid(along, across, indexing="ij"))
    places, nudge = layout.place(s, o), 1e-3
    by_s = (layout.place(s + nudge, o) - layout.place(s - nudge, o)) / (2 * nudge)
    by_o = (layout.place(s, o + nudge) - layout.place(s, o - nudge)) / (2 * nudge)
    reach_mm = float(np.abs(places).max())
    singles = {
        "along": along,
        "across": across,
        "places": places,
        "along_slope": by_s / np.maximum((by_s**2).sum(axis=1), 1e-6)[:, None],
        "across_slope": by_o,
        "bases": build_bases(places @ np.array([1.0, 1j]), reach_mm),
    }
    return _SamplingGrid(reach_mm=reach_mm, **{name: value.astype(np.float32) for name, value in singles.items()})


def _fit_alike(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    starts: Sequence[RingStart],
    px_per_mm: Floats,
    *,
    counts: tuple[int, int],
    noise: float | None,
) -> list[RingFit | None]:
    """Fit rings of as many cells, with as many samples each."""
    grids = [_build_grid(start.ring.layout, *counts) for start in starts]
    patterns = _Patterns(starts, grids)
    begun = np.array([complex(start.x_mm, start.y_mm) for start in starts])
    state = _State(
        middle=begun.copy(),
        facing_rad=np.array([start.facing_rad for start in starts]),
        scale=np.ones(len(starts)),
        blur_px=np.full(len(starts), USUAL_BLUR_PX),
        shades=np.zeros((len(starts), LIGHTS)),
    )
    reach_mm = np.array([grid.reach_mm for grid in grids])
    cells = starts[0].ring.layout.cells
    for n in range(ROUNDS):
        turn = np.exp(1j * state.facing_rad) * state.scale
        maps = map_places(camera, state.middle, turn, patterns.heights_mm, reach_mm)
        samples = _sample(grey, maps, patterns.bases, cells * counts[0])
        drawn = patterns.draw(state.blur_px / px_per_mm)
        light = patterns.build_light(drawn)
        is_bare = patterns.find_bare(camera, state)
        if n == 0:
            state.shades = _guess_shades(patterns, light, samples, is_bare)
        rows = np.concatenate([patterns.compute_slopes(drawn, state.shades), light], axis=1)
        residuals = samples - (state.shades[:, None].astype(np.float32) @ light)[:, 0]
        relative = np.asarray(residuals / np.maximum(state.shades[:, 1, None], 1.0), dtype=np.float32)
        weight = _weigh(relative, is_bare, cells)
        step, information, inverse = _solve(rows, rows * weight[:, None], residuals)
        move = np.clip(step[:, 0], -1, 1) + 1j * np.clip(step[:, 1], -1, 1)
        state.middle = state.middle - turn * move
        state.facing_rad = state.facing_rad - np.clip(step[:, 2], -0.1, 0.1)
        state.scale = state.scale * np.exp(-np.clip(step[:, 3], -0.05, 0.05))
        state.blur_px = np.clip(state.blur_px * np.exp(np.clip(step[:, 4], -0.5, 0.5)), *BLURS_PX)
        state.shades = state.shades + step[:, PARAMETERS:]
    pulls = (rows * (weight * residuals)[:, None]).reshape(*rows.shape[:2], cells, -1).sum(axis=3).astype(np.float64)
    spread = pulls @ pulls.transpose(0, 2, 1) * (cells / (cells - rows.shape[1]))
    covariance = inverse @ (spread + LEAST_NOISE**2 * information) @ inverse
    of_noise = NOISE_SHARE * covariance
    if noise is not None:
        weighted = rows * weight[:, None]
        # Samples closer together than pixels tell nothing more.
        of_noise = noise**2 * inverse @ (weighted @ weighted.transpose(0, 2, 1)).astype(np.float64) @ inverse
        of_noise *= patterns.measure_crowding(px_per_mm)[:, None, None]
    to_table = np.zeros((len(starts), 4, 4))
    to_table[:, 0, 0], to_table[:, 0, 1], to_table[:, 1, 0], to_table[:, 1, 1] = (
        turn.real,
        -turn.imag,
        turn.imag,
        turn.real,
    )
    to_table[:, 2, 2], to_table[:, 3, 3] = 1.0, state.scale
    covariance, of_noise = (to_table @ c[:, :4, :4] @ to_table.transpose(0, 2, 1) for c in (covariance, of_noise))
    light_nats, dark_nats = weigh_cells(*patterns.read_cells(drawn, relative, is_bare))
    for_word, against = (np.where(patterns.words == bit, light_nats, dark_nats) for bit in (1, 0))
    unexplained = np.sqrt((weight * residuals**2).sum(axis=1) / np.maximum(weight.sum(axis=1), 1.0))
    cell_mm = np.array([start.ring.layout.cell_mm for start in starts])
    farthest = FARTHEST_CELLS * cell_mm
    is_near = np.abs(state.middle - begun) < farthest
    is_fitted = is_near & patterns.has_contrast(state.shades, samples, is_bare)
    return [
        RingFit(
            ring=start.ring,
            surface_mm=start.surface_mm,
            x_mm=float(state.middle[i].real),
            y_mm=float(state.middle[i].imag),
            facing_rad=math.remainder(float(state.facing_rad[i]), math.tau),
            scale=float(state.scale[i]),
            covariance=covariance[i],
            noise=of_noise[i],
            seen=float((for_word[i] > 0).mean()),
            contradicted=float((against[i] > 0).mean()),
            light=light_nats[i],
            dark=dark_nats[i],
            unexplained=float(unexplained[i]),
            contrast=float(state.shades[i, 1]),
            blur_px=float(state.blur_px[i]),
            px_per_mm=float(px_per_mm[i]),
        )
        if is_fitted[i] and np.isfinite(covariance[i]).all()
        else None
        for i, start in enumerate(starts)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """n patterns at their samples, (n, m) each."""

    share: Singles
    """(n, columns, cells) how much of each cell a column shows."""
    across: Singles
    """(n, rows) how much of the band a row shows."""
    light: Singles
    """How much of a sample is light print."""
    outside: Singles
    """How much of it lies beyond the print, outward."""
    inside: Singles
    """And inward."""
    slopes: Singles
    """(3, n, m) of the light by cells along, by millimetres across, and by the logarithm of the blur."""
    outside_slopes: Singles
    """(2, n, m) by millimetres across and by the logarithm of the blur."""
    inside_slopes: Singles


class _Patterns:
    """The words of n rings of as many cells, and where they are sampled."""

    def __init__(self, starts: Sequence[RingStart], grids: Sequence[_SamplingGrid]) -> None:
        rings = [start.ring for start in starts]
        self.cells = rings[0].layout.cells
        self.words = np.array([ring.bits for ring in rings], dtype=np.float32)
        self.bands = [ring.layout.band for ring in rings]
        self.cell_mm = np.array([ring.layout.cell_mm for ring in rings], dtype=np.float32)
        self.heights_mm = np.array([start.surface_mm + start.ring.ring_height_mm for start in starts])
        self.bodies_mm = np.array([ring.height_mm - ring.ring_height_mm for ring in rings])
        self.along = grids[0].along
        half = self.cells / 2
        around = np.mod(self.along[:, None] - np.arange(self.cells) + half, self.cells) - half
        self.along_from_edges: Singles = around.astype(np.float32)
        self.across = np.array([grid.across for grid in grids])
        self.places = np.array([grid.places for grid in grids])
        self.along_slope = np.array([grid.along_slope for grid in grids])
        self.across_slope = np.array([grid.across_slope for grid in grids])
        self.bases = np.array([grid.bases for grid in grids])
        bands = np.array([(ring.layout.band.inner_mm, ring.layout.band.outer_mm) for ring in rings])
        is_band = (self.across > bands[:, :1]) & (self.across < bands[:, 1:])
        self.is_band = np.tile(is_band, (1, len(self.along)))
        self.reach_mm = np.array([grid.reach_mm for grid in grids], dtype=np.float32)

    def draw(self, blur_mm: Floats) -> _Drawn:
        """Draw the blurred patterns.

        ``tanh`` stands for the error function: no lens is so exactly Gaussian that the difference would show.
        """
        # Along: a cell is what lies beyond its beginning and not beyond its end.  On a closed band what lies beyond an
        # edge is taken less a slope that makes the ends meet.
        sharpness = (0.8 * self.cell_mm / blur_mm).astype(np.float32)[:, None, None]
        off = self.along_from_edges
        bend = np.tanh(sharpness * off)
        slope = (1 - bend * bend) / 2
        beyond = bend / 2 - off / self.cells
        share = beyond - np.roll(beyond, -1, axis=2) + np.float32(1 / self.cells)
        steps = (self.words - np.roll(self.words, 1, axis=1))[..., None]
        by_cell = sharpness * slope - np.float32(1 / self.cells)
        word = (share @ self.words[..., None])[..., 0]
        by_along = (by_cell @ steps)[..., 0]
        word_by_blur = ((-sharpness * slope * off) @ steps)[..., 0]
        band, lines, inner, outer = self._draw_across(blur_mm)

        def over(along: Singles, across: Singles) -> Singles:
            return np.asarray((along[:, :, None] * across[:, None, :]).reshape(len(along), -1), dtype=np.float32)

        one = np.ones_like(word)
        return _Drawn(
            share=share,
            across=band[0],
            light=over(word, band[0]) + over(one, lines[0]),
            outside=over(one, outer[0]),
            inside=over(one, inner[0]),
            slopes=np.array(
                [
                    over(by_along, band[0]),
                    over(word, band[1]) + over(one, lines[1]),
                    over(word_by_blur, band[0]) + over(word, band[2]) + over(one, lines[2]),
                ]
            ),
            outside_slopes=np.array([over(one, outer[1]), over(one, outer[2])]),
            inside_slopes=np.array([over(one, inner[1]), over(one, inner[2])]),
        )

    def _draw_across(self, blur_mm: Floats) -> tuple[Singles, Singles, Singles, Singles]:
        """Return across the band (3, n, rows) each, with slopes by millimetres and by the logarithm of the blur.

        These are the cells, the light lines beside them, and what lies inward and outward of the print.
        """

        def step(at_mm: Sequence[float]) -> Floats:
            off = self.across - np.array(at_mm)[:, None]
            sharpness = 0.8 / blur_mm[:, None]
            bend = np.tanh(sharpness * off)
            slope = sharpness * (1 - bend * bend) / 2
            return np.array([(1 + bend) / 2, slope, -slope * off])

        band = step([b.inner_mm for b in self.bands]) - step([b.outer_mm for b in self.bands])
        lines = np.zeros_like(band)
        for i, own in enumerate(self.bands):
            for line in own.borders:
                if line.is_light:
                    ends = [step([at_mm] * len(self.bands))[:, i] for at_mm in (line.from_mm, line.to_mm)]
                    lines[:, i] += ends[0] - ends[1]
        spans = np.array([_get_span(b) for b in self.bands])
        whole = np.array([1.0, 0.0, 0.0])[:, None, None]
        inner, outer = whole - step(spans[:, 0].tolist()), step(spans[:, 1].tolist())
        return tuple(part.astype(np.float32) for part in (band, lines, inner, outer))  # type: ignore[return-value]

    def build_light(self, drawn: _Drawn) -> Singles:
        """(n, LIGHTS, m) what the light may do.

        Dark, light, a bend between them (ink, gamma), slopes across the ring, and how bright it is on either side.
        """
        t = drawn.light
        return np.stack([np.ones_like(t), t, t * (1 - t), drawn.outside, drawn.inside], axis=1)

    def compute_slopes(self, drawn: _Drawn, shades: Floats) -> Singles:
        """(n, PARAMETERS, m) derivatives by x, y (mm), turn, relative size and the logarithm of the blur."""
        _, light, bend, outside, inside = shades.astype(np.float32).T[..., None]
        x, y = self.places.transpose(2, 0, 1)
        gain = light + bend * (1 - 2 * drawn.light)
        along = gain * drawn.slopes[0]
        across, by_blur = (
            gain * drawn.slopes[1 + k] + outside * drawn.outside_slopes[k] + inside * drawn.inside_slopes[k]
            for k in range(2)
        )
        by_x, by_y = (along * self.along_slope[..., k] + across * self.across_slope[..., k] for k in range(2))
        return np.stack([by_x, by_y, x * by_y - y * by_x, x * by_x + y * by_y, by_blur], axis=1)

    def find_bare(self, camera: CameraOverTable, state: _State) -> NDArray[np.bool_]:
        """(n, m) which samples the base's own body does not hide: it stands between them and the camera."""
        eye = camera.eye_mm
        turn = np.exp(1j * state.facing_rad)
        away = (complex(eye[0], eye[1]) - state.middle) * turn.conj() / (eye[2] - self.heights_mm)
        shift_mm = self.bodies_mm * away
        toward = self.across_slope[..., 0] * shift_mm.real[:, None] + self.across_slope[..., 1] * shift_mm.imag[:, None]
        across = np.tile(self.across, (1, len(self.along)))
        lies_below = (self.bodies_mm > 0)[:, None]
        return np.asarray(~lies_below | (across + toward > BODY_MM))

    def read_cells(self, drawn: _Drawn, off: Singles, is_bare: NDArray[np.bool_]) -> tuple[Singles, Singles]:
        """Return (n, cells) how light each cell is, from 0 to 1, and what of its samples that does not explain.

        Neighbours shine into each other, so that all cells of a ring are solved for at once.

        Args:
            drawn: the patterns.
            off: (n, m) by what share of the contrast samples are lighter than drawn.
            is_bare: (n, m) which samples tell.

        """
        by_column = (len(off), len(self.along), -1)
        off, across = off.reshape(by_column), drawn.across[:, None, :]
        bare = is_bare.reshape(by_column).astype(np.float32)
        weighted = drawn.share.transpose(0, 2, 1) * (bare * across**2).sum(axis=2)[:, None, :]
        information = weighted @ drawn.share + CELL_RIDGE * np.eye(self.cells, dtype=np.float32)
        pull = drawn.share.transpose(0, 2, 1) @ (bare * across * off).sum(axis=2)[..., None]
        change = np.linalg.solve(information, pull)
        left = (off - (drawn.share @ change) * across) ** 2 * bare
        by_cell = (len(off), self.cells, -1)
        count = np.maximum(bare.reshape(by_cell).sum(axis=2), 1)
        return self.words + change[..., 0], np.sqrt(np.minimum(left, 1).reshape(by_cell).sum(axis=2) / count)

    def has_contrast(self, shades: Floats, samples: Singles, is_bare: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(n,) whether dark and light are told apart, by as much as the band shows and no more.

        Of a band that shows nothing a pattern of too wide a blur and too much contrast makes whatever there is.
        """
        shown = np.where(self.is_band & is_bare, samples, np.nan)
        span = np.nanquantile(shown, [SPAN_QUANTILE, 1 - SPAN_QUANTILE], axis=1)
        _, light, bend, *_ = shades.T
        is_shown = light < MOST_SPAN * (span[1] - span[0])
        return np.asarray((light > LEAST_CONTRAST) & is_shown & (np.abs(bend) < MOST_BEND * light))

    def measure_crowding(self, px_per_mm: Floats) -> Floats:
        """(n,) how many samples share a pixel."""
        along = len(self.along) / self.cells / (self.cell_mm * px_per_mm)
        across = 1 / ((self.across[:, 1] - self.across[:, 0]) * px_per_mm)
        return np.asarray(np.maximum(1.0, along) * np.maximum(1.0, across))


def _sample(grey: NDArray[np.uint8], maps: Floats, bases: Singles, columns: int) -> Singles:
    """(n, m) the picture at the samples of every ring."""
    places_px = (bases @ maps.astype(np.float32).transpose(0, 2, 1)).reshape(len(maps) * columns, -1, 2)
    sampled = sample_picture(grey, places_px, cv2.INTER_CUBIC)
    return np.asarray(sampled, dtype=np.float32).reshape(len(maps), -1)


def _guess_shades(patterns: _Patterns, light: Singles, samples: Singles, is_bare: NDArray[np.bool_]) -> Floats:
    """(n, LIGHTS) dark and light as the band shows them, whatever its word, and then as most samples agree."""
    shown = np.sort(np.where(patterns.is_band & is_bare, samples, np.nan), axis=1)
    count = (patterns.is_band & is_bare).sum(axis=1)
    each = np.arange(len(samples))
    dark, bright = (shown[each, (q * count).astype(np.intp)] for q in (DARK_QUANTILE, LIGHT_QUANTILE))
    shades = np.zeros((len(samples), LIGHTS))
    shades[:, 0], shades[:, 1] = dark, bright - dark
    for n in range(4):
        off = samples - (shades[:, None].astype(np.float32) @ light)[:, 0]
        contrast = np.maximum(shades[:, 1, None], 1.0).astype(np.float32)
        weight = is_bare / (1 + (off / (2 * OUTLIER_SHARE * contrast)) ** 2) ** 2
        if n == 0:  # nothing is known yet of what is beside the band
            weight = weight * patterns.is_band
        shades = _solve(light, light * weight[:, None].astype(np.float32), samples)[0]
    return shades


def _weigh(off: Singles, is_bare: NDArray[np.bool_], cells: int) -> Singles:
    """(n, m) weights."""
    weight = is_bare / (1 + (off / OUTLIER_SHARE) ** 2) ** 2
    by_cell = (len(off), cells, -1)
    squared = (np.minimum(off**2, 1.0) * is_bare).reshape(by_cell).sum(axis=2)
    cell_off = np.sqrt(squared / np.maximum(is_bare.reshape(by_cell).sum(axis=2), 1))
    of_cell = 1 / (1 + (cell_off / HIDDEN_SHARE) ** 4)
    weighted = (weight.reshape(by_cell) * of_cell[..., None]).reshape(weight.shape)
    return np.asarray(weighted, dtype=np.float32)


def _solve(rows: Singles, weighted: Singles, left: Singles) -> tuple[Floats, Floats, Floats]:
    """Return the weighted least squares solution (n, p), its information and the inverse of that (n, p, p)."""
    information = (weighted @ rows.transpose(0, 2, 1)).astype(np.float64)
    pull = (weighted @ left[..., None]).astype(np.float64)
    # Parameters of as different sizes as millimetres and grey levels are brought to one; a trace of damping lets
    # what nothing tells stay as it is.
    size = np.sqrt(np.einsum("npp->np", information)) + 1e-9
    sizes = size[:, :, None] * size[:, None, :]
    inverse = np.linalg.inv(information / sizes + 1e-6 * np.eye(information.shape[1])) / sizes
    return (inverse @ pull)[..., 0], information, inverse
