"""Marker sizes: how many pixels a cell of a ring or the square of a tag has and needs, and what to do about too few."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import lay_ring
from calibration.design_prediction import COLUMNS, ROWS
from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingBand, RingKind, RingLayout
from hardware.rings.words import RingList

CELL_PX = 2.0
"""A ring is read all over the table where the shorter edge of its cells has so many pixels or more: at 2.3 px all
rings were read, at 1.7 px nine of ten."""
LEAST_CELL_PX = 1.5
"""Below it most rings are not read."""
LEAST_PX, SAFE_PX = (6.5, 8.0), (8.0, 10.0)
"""Edge of a tag's black square in the picture from which on half are read, and from which on all are: so much, and so
much more for each pixel of blur.  Measured on the virtual table: of tags all about it, those of 13 px were read at a
blur of 0.5 px, those of 17 px at 0.9 px; half of those of 10 and 14 px."""
USUAL_BLUR_PX = 0.8
"""Blur of a webcam's edges, one standard deviation, where nothing tells it."""
LEAST_TAG_MM = 10.0
"""No smaller tag is worth cutting out."""
FILLED = 0.85
"""The share of a picture that a table fills, by its narrower side, and what the lens takes at its corners: a guess."""
FINE_WIDTH_PX = 3840
"""A 4K camera's pictures are as wide as this."""
WIDER_MM = tuple(np.arange(4.0, 7.5, 0.5).tolist())
"""Widths of a halo that are tried where the usual one is too fine for the camera."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSight:
    """How fine a camera sees a table."""

    px_per_mm: float
    """Where it sees it least."""
    width_px: int
    """The longer side of its pictures."""


def estimate_sight(picture_px: tuple[int, int], table_mm: tuple[float, float]) -> TableSight:
    """Return how fine a camera sees a table that just fits into its pictures, whichever way it is turned."""
    long_mm, short_mm = sorted(table_mm, reverse=True)
    long_px, short_px = sorted(picture_px, reverse=True)
    return TableSight(px_per_mm=FILLED * min(long_px / long_mm, short_px / short_mm), width_px=long_px)


def measure_sight(camera: CameraOverTable, table_mm: tuple[float, float]) -> TableSight:
    """Return how fine a camera whose place is known sees the table."""
    across, along = np.meshgrid(np.linspace(0, table_mm[0], COLUMNS), np.linspace(0, table_mm[1], ROWS))
    places = np.column_stack([across.ravel(), along.ravel(), np.zeros(across.size)])
    return TableSight(px_per_mm=float(camera.patch_scale_px_per_mm(places).min()), width_px=max(camera.lens.image_size))


def measure_cell_mm(layout: RingLayout) -> float:
    """Return the shorter edge of a ring's cells: along the band, or across."""
    return min(layout.cell_mm, layout.band.outer_mm - layout.band.inner_mm)


def find_cell_mm(base: BaseSpec, band: RingBand, rings: RingList) -> float:
    """Return that of a ring which a base may get; 0 where there is no room for it."""
    try:
        layout = lay_ring(base.shape, band, rings.choose_words(is_round=base.round_mm is not None).cells)
    except ValueError:
        return 0.0
    return measure_cell_mm(layout)


def find_halo_band(base: BaseSpec, rings: RingList, px_per_mm: float) -> RingBand:
    """Return the halo for a base: the usual band, or the narrowest wider one of which the cells are read.

    Where none is, the usual one.
    """
    usual = rings.bands[RingKind.HALO]
    edges_mm = (usual.inner_mm + width_mm for width_mm in WIDER_MM)
    wider = (usual.resize(usual.inner_mm, edge_mm) for edge_mm in edges_mm if edge_mm > usual.outer_mm)
    read = (band for band in (usual, *wider) if find_cell_mm(base, band, rings) * px_per_mm >= CELL_PX)
    return next(read, usual)


def find_tag_mm(px_per_mm: float) -> float:
    """Return the edge of the smallest tag that is read all over the table, in whole millimetres."""
    return max(LEAST_TAG_MM, float(np.ceil(find_safe_tag_px() / px_per_mm)))


def find_least_tag_px(blur_px: float | None = None) -> float:
    """Return the edge of a tag's black square from which on half are read, px, at a blur that may be known."""
    return LEAST_PX[0] + LEAST_PX[1] * (USUAL_BLUR_PX if blur_px is None else blur_px)


def find_safe_tag_px(blur_px: float | None = None) -> float:
    """Return the edge from which on all are read."""
    return SAFE_PX[0] + SAFE_PX[1] * (USUAL_BLUR_PX if blur_px is None else blur_px)


def format_px(pixels: float) -> str:
    """Return pixels to a tenth, never more than there are: 1.99 are not 2.0."""
    return f"{math.floor(10 * pixels + 1e-9) / 10:.1f}"


def advise_on_cells(base: BaseSpec, rings: RingList, cell_px: float, sight: TableSight) -> str:
    """Say that the cells of a ring are too small in the picture, and what would help.

    As in "1.6 px a cell, 2 are needed: use a halo of 4 mm or a 4K camera".
    """
    ways = list(_list_ways(base, rings, sight))
    advice = f"use {' or '.join(ways)}" if ways else "hang the camera lower, or use a tag"
    return f"{format_px(cell_px)} px a cell, {CELL_PX:g} are needed: {advice}"


def _list_ways(base: BaseSpec, rings: RingList, sight: TableSight) -> Iterator[str]:
    band = find_halo_band(base, rings, sight.px_per_mm)
    if find_cell_mm(base, band, rings) * sight.px_per_mm >= CELL_PX:
        yield f"a halo of {band.outer_mm - band.inner_mm:g} mm"
    if sight.width_px < FINE_WIDTH_PX:
        yield "a 4K camera"
