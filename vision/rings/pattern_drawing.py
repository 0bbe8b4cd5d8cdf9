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
FAR_MM = 1e3
LEAST_WAY, EDGE_BLURS = 0.1, 12.0
"""Of an edge's blur: half a way that is shorter smears nothing, and from so much farther off no edge is seen."""
NEIGHBOURS = 3
"""Cells that shine into one, on either side: of what is blurred by more nothing can be read."""
LIGHTS = 4
"""What `build_light()` returns of a pattern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingGrid:
    """Where a layout is sampled, in the ring's frame."""

    along: Singles
    """(columns,) cells."""
    across: Singles
    """(rows,) mm from the base's outline."""
    across_slope: Singles
    """(m, 2) by how many millimetres a step of a millimetre along x and y goes across the band."""
    moves: Singles
    """(2, 4, m) by how many cells a step along x and along y (mm), a turn and growth go along the band, and by how many
    millimetres across."""
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
    steps = np.stack([by_s / np.maximum((by_s**2).sum(axis=1), 1e-6)[:, None], by_o]).transpose(0, 2, 1)
    x, y = places.T
    turn, growth = x * steps[:, 1] - y * steps[:, 0], x * steps[:, 0] + y * steps[:, 1]
    singles = {
        "along": along,
        "across": across,
        "across_slope": by_o,
        "moves": np.concatenate([steps, turn[:, None], growth[:, None]], axis=1),
        "bases": build_bases(places @ np.array([1.0, 1j]), reach_mm),
    }
    return SamplingGrid(reach_mm=reach_mm, **{name: value.astype(np.float32) for name, value in singles.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPatterns:
    """n blurred patterns: every sample is a product of what its column and what its row show.

    They are drawn for k parts of the band: one if the blur is the same all around, each cell for itself if not.
    """

    share: Singles
    """(n, k, samples of a cell, 2 * NEIGHBOURS + 1) how much of each cell around its own a column shows."""
    along: Singles
    """(3 or 4, n, columns) how light the cells are; its slopes by cells along, by the logarithm of the blur and, where
    there is one, by that of the smear."""
    across: Singles
    """(4, 3 or 4, n, k, rows) of the band, of light lines, of what lies beyond the print outward, and inward: how much
    of each a row shows; its slopes by millimetres across, and as above."""


class Patterns:
    """The words of n rings of as many cells, and where they are sampled."""

    def __init__(self, rings: Sequence[EnrolledRing], grids: Sequence[SamplingGrid]) -> None:
        self.cells = rings[0].layout.cells
        self.words = np.array([ring.bits for ring in rings], dtype=np.float32)
        self.cell_mm = np.array([ring.layout.cell_mm for ring in rings], dtype=np.float32)
        self.bodies_mm = np.array([ring.height_mm - ring.ring_height_mm for ring in rings])
        self.columns = len(grids[0].along)
        self.samples = self.columns // self.cells
        self.across = np.array([grid.across for grid in grids])
        self.across_slope = np.array([grid.across_slope for grid in grids])
        outward = self.across_slope.reshape(len(rings), self.cells, -1, 2).mean(axis=2)
        self.normals = (outward / np.linalg.norm(outward, axis=2, keepdims=True)) @ np.array([1.0, 1j])
        self.moves = np.array([grid.moves for grid in grids])
        self.bases = np.array([grid.bases for grid in grids])
        self.reach_mm = np.array([grid.reach_mm for grid in grids], dtype=np.float32)
        bands = [ring.layout.band for ring in rings]
        self.edges_mm = _list_edges(bands)
        ends = self.edges_mm[:, 0]
        is_band = (self.across > ends[:, :1]) & (self.across < ends[:, 1:])
        self.is_band = np.tile(is_band, (1, self.columns))

    def draw(self, blur_mm: Floats, smear_mm: NDArray[np.complex128]) -> DrawnPatterns:
        """Draw the blurred patterns.

        ``tanh`` stands for the error function: no lens is so exactly Gaussian that the difference would show.

        Args:
            blur_mm: (n,) standard deviation of the blur that is the same in every direction.
            smear_mm: (n,) half of the way that a ring goes while the shutter is open, in its frame; all 0 where none
                moves.

        """
        blurs = blur_mm[:, None]
        if not smear_mm.any():
            share, along = self._draw_along(blurs, None)
            return DrawnPatterns(share=share, along=along, across=self._draw_across(blurs, None))
        blurs = np.broadcast_to(blurs, self.normals.shape)
        toward = smear_mm[:, None] * self.normals.conj()
        share, along = self._draw_along(blurs, np.abs(toward.imag))
        return DrawnPatterns(share=share, along=along, across=self._draw_across(blurs, np.abs(toward.real)))

    def _draw_along(self, blur_mm: Floats, smear_mm: Floats | None) -> tuple[Singles, Singles]:
        """Return share and along, see DrawnPatterns, with (n, k) blur and smear along the band."""
        # A cell is what lies beyond its beginning and not beyond its end; those far away are not seen.
        cell_mm = self.cell_mm[:, None]
        beginnings = np.arange(-NEIGHBOURS, NEIGHBOURS + 2, dtype=np.float32)
        off = (np.arange(self.samples, dtype=np.float32)[:, None] + np.float32(0.5)) / self.samples - beginnings
        smear = None if smear_mm is None else (smear_mm / cell_mm)[..., None, None]
        beyond = _draw_edges(off.astype(np.float32), (blur_mm / cell_mm)[..., None, None], smear)
        beyond[0, ..., 0], beyond[0, ..., -1] = 0.5, -0.5
        share = beyond[..., :-1] - beyond[..., 1:]
        count, parts = blur_mm.shape
        around = self.words[:, _list_neighbours(self.cells)].reshape(count, parts, -1, share.shape[-1])
        along = around @ share.swapaxes(3, 4)
        return share[0], along.reshape(len(along), count, self.columns)

    def _draw_across(self, blur_mm: Floats, smear_mm: Floats | None) -> Singles:
        """(4, 3 or 4, n, k, rows) see DrawnPatterns, with (n, k) blur and smear across the band."""
        off = (self.across[:, None, None] - self.edges_mm[..., None]).astype(np.float32)[:, None]
        smear = None if smear_mm is None else smear_mm[..., None, None, None]
        beyond = _draw_edges(off, blur_mm[..., None, None, None], smear)
        parts = (beyond[:, :, :, :, 0] - beyond[:, :, :, :, 1]).transpose(3, 0, 1, 2, 4)
        lines = parts[3:].sum(axis=0)
        return np.stack([parts[0], lines, parts[1], parts[2]])

    def build_light(self, drawn: DrawnPatterns) -> Singles:
        """(n, LIGHTS, m) what the light may do: dark, light, and how bright it is on either side of the print."""
        band, lines, outside, inside = drawn.across[:, 0, :, :, None]
        count, parts = band.shape[:2]
        light = np.empty((count, LIGHTS, parts, self.columns // parts, self.across.shape[1]), dtype=np.float32)
        light[:, 0] = 1.0
        light[:, 1] = drawn.along[0].reshape(count, parts, -1, 1) * band + lines
        light[:, 2], light[:, 3] = outside, inside
        return light.reshape(count, LIGHTS, -1)

    def compute_slopes(self, drawn: DrawnPatterns, shades: Floats) -> Singles:
        """(n, p, m) derivatives by x, y (mm), turn, relative size and the logarithms of the blur and of the smear.

        The last is left out where nothing is smeared.
        """
        kinds, count, parts = drawn.across.shape[1:4]
        _, light, outside, inside = shades.astype(np.float32).T[..., None, None]
        band, lines, outward, inward = drawn.across
        beside = (light * lines + outside * outward + inside * inward)[:, :, :, None]
        band, along = (light * band)[:, :, :, None], drawn.along.reshape(kinds, count, parts, -1, 1)
        by_along = (along[1] * band[0]).reshape(count, 1, -1)
        by_across = (along[0] * band[1] + beside[1]).reshape(count, 1, -1)
        slopes = np.empty((count, kinds + 2, by_along.shape[2]), dtype=np.float32)
        np.multiply(by_along, self.moves[:, 0], out=slopes[:, :4])
        slopes[:, :4] += by_across * self.moves[:, 1]
        for number in range(2, kinds):
            by_width = along[number] * band[0] + along[0] * band[number] + beside[number]
            slopes[:, number + 2] = by_width.reshape(count, -1)
        return slopes

    def find_bare(self, lean: NDArray[np.complex128]) -> NDArray[np.bool_]:
        """(n, m) which samples the base's own body does not hide, standing between them and the camera.

        Args:
            lean: (n,) how far the camera is to the side for each millimetre that it is higher, in the ring's frame.

        """
        toward = lean * self.bodies_mm
        shift = self.across_slope[..., 0] * toward.real[:, None] + self.across_slope[..., 1] * toward.imag[:, None]
        across = np.tile(self.across, (1, self.columns))
        return np.asarray((self.bodies_mm <= 0)[:, None] | (across + shift > BODY_MM))

    def read_cells(self, drawn: DrawnPatterns, off: Singles, is_bare: NDArray[np.bool_]) -> tuple[Singles, Singles]:
        """Return (n, cells) how light each cell is, from 0 to 1, and what of its samples that does not explain.

        Neighbours shine into each other, so that all cells of a ring are solved for at once.

        Args:
            drawn: the patterns.
            off: (n, m) by what share of the contrast samples are lighter than drawn.
            is_bare: (n, m) which samples tell.

        """
        by_column = (len(off), self.columns, -1)
        off, band = off.reshape(by_column), drawn.across[0, 0]
        across = np.repeat(band, self.columns // band.shape[1], axis=1)
        bare = is_bare.reshape(by_column).astype(np.float32)
        own = np.arange(self.cells)[:, None]
        shown = np.zeros((len(off), self.cells, self.cells, self.samples), dtype=np.float32)
        shown[:, own, _list_neighbours(self.cells)] = drawn.share.swapaxes(2, 3)
        share = shown.swapaxes(2, 3).reshape(len(off), self.columns, self.cells)
        weighted = share.transpose(0, 2, 1) * (bare * across**2).sum(axis=2)[:, None, :]
        information = weighted @ share + CELL_RIDGE * np.eye(self.cells, dtype=np.float32)
        pull = share.transpose(0, 2, 1) @ (bare * across * off).sum(axis=2)[..., None]
        change = np.linalg.solve(information, pull)
        left = (off - (share @ change) * across) ** 2 * bare
        by_cell = (len(off), self.cells, -1)
        count = np.maximum(bare.reshape(by_cell).sum(axis=2), 1)
        return self.words + change[..., 0], np.sqrt(np.minimum(left, 1).reshape(by_cell).sum(axis=2) / count)

    def measure_crowding(self, px_per_mm: Floats) -> Floats:
        """(n,) how many samples share a pixel."""
        along = self.samples / (self.cell_mm * px_per_mm)
        across = 1 / ((self.across[:, 1] - self.across[:, 0]) * px_per_mm)
        return np.asarray(np.maximum(1.0, along) * np.maximum(1.0, across))


def _draw_edges(off: Singles, blur: Floats, smear: Floats | None) -> Singles:
    """Return half of how light edges are, from -1 to 1, and its slopes, see DrawnPatterns; all in one unit of length.

    What moves evenly while the shutter is open shows at every place in turn all that goes by.

    Args:
        off: how far samples lie beyond edges.
        blur: standard deviation of the blur, of a shape that goes with that.
        smear: half of the way that edges go meanwhile; None where they rest.

    """
    sharpness = np.asarray(0.8 / blur, dtype=np.float32)
    if smear is None:
        bend = np.tanh(sharpness * off)
        slope = sharpness * (1 - bend * bend) / 2
        return np.stack([bend / 2, slope, -slope * off])
    way = np.maximum(smear, LEAST_WAY * blur).astype(np.float32)
    farthest = way + EDGE_BLURS / sharpness
    off = np.clip(off, -farthest, farthest)
    before, after = sharpness * (off + way), sharpness * (off - way)
    bend = (_log_cosh(before) - _log_cosh(after)) / (2 * sharpness * way)
    before, after = np.tanh(before), np.tanh(after)
    by_blur = bend - ((off + way) * before - (off - way) * after) / (2 * way)
    return np.stack([bend / 2, (before - after) / (4 * way), by_blur / 2, (before + after) / 4 - bend / 2])


def _log_cosh(x: Singles) -> Singles:
    """Return the logarithm of the hyperbolic cosine, but for a constant."""
    size = np.abs(x)
    return np.asarray(size + np.log1p(np.exp(-2 * size)), dtype=np.float32)


@cache
def _list_neighbours(cells: int) -> NDArray[np.intp]:
    """(cells, 2 * NEIGHBOURS + 1) numbers of the cells around each."""
    return (np.arange(cells)[:, None] + np.arange(-NEIGHBOURS, NEIGHBOURS + 1)) % cells


def _list_edges(bands: Sequence[RingBand]) -> Floats:
    """(n, 3 + lines, 2) from where to where there are band, what lies outward and inward of the print, and light lines.

    Millimetres from the base's outline; a line that a ring lacks begins where it ends.
    """
    lines = [[(line.from_mm, line.to_mm) for line in band.borders if line.is_light] for band in bands]
    most = max(map(len, lines))
    edges = []
    for band, own in zip(bands, lines, strict=True):
        inner_mm, outer_mm = _get_span(band)
        around = [(band.inner_mm, band.outer_mm), (outer_mm, FAR_MM), (-FAR_MM, inner_mm)]
        edges.append(around + own + [(0.0, 0.0)] * (most - len(own)))
    return np.array(edges)
