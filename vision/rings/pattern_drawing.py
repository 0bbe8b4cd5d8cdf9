"""Pattern drawing: what rings of known words look like at samples of their bands, blurred and lit.

Rings of as many cells that are sampled at as many places are drawn together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hardware.rings.layout import RingBand, RingKind, RingLayout
from vision.rings.enrolled_ring import EnrolledRing
from vision.rings.local_view import build_bases

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

SAMPLES_A_PX = 0.75
ALONG_SAMPLES, ACROSS_SAMPLES = (3, 4, 6), (5, 7, 9)
"""Samples along a cell, and across the band: few choices, so that many rings are fitted together."""
BEYOND_MM = 0.7
"""The band is sampled so far beyond its edges, where what is beside it may be taken for plain."""
EDGE_MM = 0.35
"""A halo is sampled from so far within its inner edge on: what lies beside it, base and shadow, is not plain."""
RIM_BEYOND_MM = 0.3
"""A rim ends so near the base's own edge that no more is sampled beyond it."""
BODY_MM = 0.3
"""What the base's body hides of a halo is left out with so much beside it."""
CELL_RIDGE = 0.5
"""Samples' worth of belief in the word, so that a cell of which nothing is seen can be solved for."""
PARAMETERS, LIGHTS = 5, 4
"""Of a pattern: place, turn, size and blur; and what `build_light()` returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingGrid:
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


def _get_span(band: RingBand) -> tuple[float, float]:
    """Return where the print begins and ends, mm from the base's outline."""
    return min([band.inner_mm, *(line.from_mm for line in band.borders)]), band.reach_mm


def _get_sampled(band: RingBand) -> tuple[float, float]:
    """Return from where to where the band is sampled, mm from the base's outline."""
    inner_mm, outer_mm = _get_span(band)
    if band.kind is RingKind.HALO:
        return inner_mm + EDGE_MM, outer_mm + BEYOND_MM
    return inner_mm - BEYOND_MM, outer_mm + RIM_BEYOND_MM


def count_samples(layout: RingLayout, px_per_mm: float) -> tuple[int, int]:
    """Return how many samples there are along a cell and across the band."""
    inner_mm, outer_mm = _get_sampled(layout.band)
    lengths_px = SAMPLES_A_PX * px_per_mm * np.array([layout.cell_mm, outer_mm - inner_mm])
    along, across = (
        next((count for count in counts if count >= length_px), counts[-1])
        for counts, length_px in zip((ALONG_SAMPLES, ACROSS_SAMPLES), lengths_px, strict=True)
    )
    return along, across


@cache
def build_grid(layout: RingLayout, columns: int, rows: int) -> SamplingGrid:
    """Return where a layout is sampled, so many times along each cell and across the band."""
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
    return SamplingGrid(reach_mm=reach_mm, **{name: value.astype(np.float32) for name, value in singles.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPatterns:
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


class Patterns:
    """The words of n rings of as many cells, and where they are sampled."""

    def __init__(self, rings: Sequence[EnrolledRing], grids: Sequence[SamplingGrid]) -> None:
        self.cells = rings[0].layout.cells
        self.words = np.array([ring.bits for ring in rings], dtype=np.float32)
        self.bands = [ring.layout.band for ring in rings]
        self.cell_mm = np.array([ring.layout.cell_mm for ring in rings], dtype=np.float32)
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

    def draw(self, blur_mm: Floats) -> DrawnPatterns:
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
        return DrawnPatterns(
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

    def build_light(self, drawn: DrawnPatterns) -> Singles:
        """(n, LIGHTS, m) what the light may do: dark, light, and how bright it is on either side of the print."""
        t = drawn.light
        return np.stack([np.ones_like(t), t, drawn.outside, drawn.inside], axis=1)

    def compute_slopes(self, drawn: DrawnPatterns, shades: Floats) -> Singles:
        """(n, PARAMETERS, m) derivatives by x, y (mm), turn, relative size and the logarithm of the blur."""
        _, light, outside, inside = shades.astype(np.float32).T[..., None]
        x, y = self.places.transpose(2, 0, 1)
        along = light * drawn.slopes[0]
        across, by_blur = (
            light * drawn.slopes[1 + k] + outside * drawn.outside_slopes[k] + inside * drawn.inside_slopes[k]
            for k in range(2)
        )
        by_x, by_y = (along * self.along_slope[..., k] + across * self.across_slope[..., k] for k in range(2))
        return np.stack([by_x, by_y, x * by_y - y * by_x, x * by_x + y * by_y, by_blur], axis=1)

    def find_bare(self, lean: NDArray[np.complex128]) -> NDArray[np.bool_]:
        """(n, m) which samples the base's own body does not hide, standing between them and the camera.

        Args:
            lean: (n,) how far the camera is to the side for each millimetre that it is higher, in the ring's frame.

        """
        toward = lean * self.bodies_mm
        shift = self.across_slope[..., 0] * toward.real[:, None] + self.across_slope[..., 1] * toward.imag[:, None]
        across = np.tile(self.across, (1, len(self.along)))
        return np.asarray((self.bodies_mm <= 0)[:, None] | (across + shift > BODY_MM))

    def read_cells(self, drawn: DrawnPatterns, off: Singles, is_bare: NDArray[np.bool_]) -> tuple[Singles, Singles]:
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

    def measure_crowding(self, px_per_mm: Floats) -> Floats:
        """(n,) how many samples share a pixel."""
        along = len(self.along) / self.cells / (self.cell_mm * px_per_mm)
        across = 1 / ((self.across[:, 1] - self.across[:, 0]) * px_per_mm)
        return np.asarray(np.maximum(1.0, along) * np.maximum(1.0, across))
