"""Ring layout: where the cells of a coded ring lie around a base.

A ring is a band along the base's outline.  A place in it is told by how far along it lies, in cells from the nose
counter-clockwise, and by how far outside of the outline, in millimetres.  The cells are of one length along the band's
middle line, and parted along its normals.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Self

import numpy as np
import shapely
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CORNER_SEGMENTS = 64
"""Pieces in which a quarter turn of a parallel outline is approximated: 0.001 mm off at 10 mm from a corner."""


class RingKind(StrEnum):
    """Where a ring lies."""

    HALO = "halo"
    """On the table, around the base."""
    RIM = "rim"
    """On the base, along its edge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingBorder:
    """A plain line beside the cells; distances from the base's outline, outward positive."""

    from_mm: float
    to_mm: float
    is_light: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RingBand:
    """The band in which the cells lie; distances from the base's outline, outward positive."""

    kind: RingKind
    inner_mm: float
    outer_mm: float
    height_mm: float | None
    """Above what the base stands on; None: at the top of the base."""
    borders: tuple[RingBorder, ...] = ()

    @property
    def middle_mm(self) -> float:
        """The middle line's distance from the outline."""
        return (self.inner_mm + self.outer_mm) / 2

    @property
    def reach_mm(self) -> float:
        """How far outside of the outline the print ends."""
        return max([self.outer_mm, *(border.to_mm for border in self.borders)])

    def resize(self, inner_mm: float, outer_mm: float) -> Self:
        """Return the band with other edges, as a set-up's `band_mm` gives them; borders go with the edge beside."""
        moved = []
        for border in self.borders:
            is_outside = border.from_mm + border.to_mm > self.inner_mm + self.outer_mm
            by_mm = outer_mm - self.outer_mm if is_outside else inner_mm - self.inner_mm
            moved.append(replace(border, from_mm=border.from_mm + by_mm, to_mm=border.to_mm + by_mm))
        return replace(self, inner_mm=inner_mm, outer_mm=outer_mm, borders=tuple(moved))


@dataclass(frozen=True, kw_only=True, eq=False)
class RingLayout:
    """The cells of a ring around one shape of base, in the base's frame: +x is its nose."""

    middle_line_mm: Floats
    """(n, 2) the middle line from where +x crosses it, counter-clockwise; the first point is not repeated."""
    band: RingBand
    cells: int

    @classmethod
    def build(cls, outline_mm: Sequence[tuple[float, float]] | Floats, band: RingBand, cells: int) -> Self:
        """Lay a ring around an outline.

        Args:
            outline_mm: (n, 2) of the base, either way round; curves as polygons of many corners.
            band: where the ring lies.
            cells: how many there are.

        Raises:
            ValueError: there is no room for the band, it falls into pieces, or +x does not cross it.

        """
        middle = shapely.Polygon(outline_mm).buffer(band.middle_mm, quad_segs=CORNER_SEGMENTS, join_style="round")
        if middle.is_empty or middle.geom_type != "Polygon":
            raise ValueError("the outline leaves no room for the band")
        line = np.array(shapely.geometry.polygon.orient(middle).exterior.coords)[:-1]
        return cls(middle_line_mm=_begin_at_nose(line), band=band, cells=cells)

    @cached_property
    def _steps_mm(self) -> Floats:
        """(n, 2) from each point of the middle line to the next."""
        return np.roll(self.middle_line_mm, -1, axis=0) - self.middle_line_mm

    @cached_property
    def _lengths_mm(self) -> Floats:
        """(n + 1,) length of the middle line up to each point, and of all of it."""
        return np.concatenate([[0.0], np.cumsum(np.hypot(*self._steps_mm.T))])

    @cached_property
    def _corner_normals(self) -> Floats:
        """(n, 2) outward at each point, between the normals of the sides that meet there."""
        along = self._steps_mm / np.hypot(*self._steps_mm.T)[:, None]
        mean = along + np.roll(along, 1, axis=0)
        return np.asarray(np.column_stack([mean[:, 1], -mean[:, 0]]) / np.hypot(*mean.T)[:, None])

    @cached_property
    def _mitres(self) -> Floats:
        """(n, 2) from each point to where parallels to both of its sides meet, 1 mm outside of them."""
        along = self._steps_mm / np.hypot(*self._steps_mm.T)[:, None]
        outward = np.column_stack([along[:, 1], -along[:, 0]])
        return np.asarray(self._corner_normals / (self._corner_normals * outward).sum(axis=1)[:, None])

    @property
    def length_mm(self) -> float:
        """Length of the middle line."""
        return float(self._lengths_mm[-1])

    @property
    def cell_mm(self) -> float:
        """Length of a cell along the middle line."""
        return self.length_mm / self.cells

    def place(self, along_cells: Floats, offset_mm: Floats) -> Floats:
        """Return points in the base's frame.

        Args:
            along_cells: (...) how far along the band, in cells; any turn.
            offset_mm: (...) distance from the outline, outward positive.

        Returns:
            (..., 2) mm.

        """
        along_mm = np.mod(along_cells, self.cells) * self.cell_mm
        side = np.clip(np.searchsorted(self._lengths_mm, along_mm, side="right") - 1, 0, len(self._steps_mm) - 1)
        length_mm = self._lengths_mm[side + 1] - self._lengths_mm[side]
        share = ((along_mm - self._lengths_mm[side]) / length_mm)[..., None]
        point = self.middle_line_mm[side] + share * self._steps_mm[side]
        # A curve's normals turn steadily; those of a polygon with few corners jump, and are its sides' own.
        before, after = self._corner_normals[side], self._corner_normals[(side + 1) % len(self._steps_mm)]
        own = self._steps_mm[side] / length_mm[..., None]
        own = np.stack([own[..., 1], -own[..., 0]], axis=-1)
        smooth = before + share * (after - before)
        is_curved = ((before * own).sum(-1) > SMOOTH_COSINE) & ((after * own).sum(-1) > SMOOTH_COSINE)
        normal = np.where(is_curved[..., None], smooth, own)
        normal = normal / np.hypot(normal[..., 0], normal[..., 1])[..., None]
        return np.asarray(point + (offset_mm - self.band.middle_mm)[..., None] * normal)

    def locate(self, points_mm: Floats) -> tuple[Floats, Floats]:
        """Return how far along the band points lie, in cells, and how far outside of the outline, mm.

        Args:
            points_mm: (..., 2) in the base's frame, near the band.

        """
        flat = np.asarray(points_mm, dtype=np.float64).reshape(-1, 2)
        line = shapely.LinearRing(self.middle_line_mm)
        geometries = shapely.points(flat)
        along_mm = np.asarray(shapely.line_locate_point(line, geometries))
        outside = ~shapely.contains_xy(shapely.Polygon(line), flat[:, 0], flat[:, 1])
        offset_mm = np.where(outside, 1.0, -1.0) * np.asarray(shapely.distance(line, geometries)) + self.band.middle_mm
        shape = np.shape(points_mm)[:-1]
        return (along_mm / self.cell_mm).reshape(shape), offset_mm.reshape(shape)

    def outline_strip(self, from_cells: float, to_cells: float, inner_mm: float, outer_mm: float) -> Floats:
        """(n, 2) corners, counter-clockwise, of the part of a band between two places along it.

        At a sharp corner of the middle line the part ends where parallels to both sides meet.
        """
        turns = self._lengths_mm[:-1] / self.cell_mm + np.array([[-self.cells], [0.0], [self.cells]])
        row, corner = np.nonzero((turns > from_cells + SAME_CELLS) & (turns < to_cells - SAME_CELLS))
        ends = np.array([from_cells, to_cells])

        def follow(offset_mm: float) -> Floats:
            first, last = self.place(ends, np.full(2, offset_mm))
            between = self.middle_line_mm[corner] + (offset_mm - self.band.middle_mm) * self._mitres[corner]
            return np.concatenate([first[None], between, last[None]])

        corner = corner[np.argsort(turns[row, corner])]
        return np.concatenate([follow(outer_mm), follow(inner_mm)[::-1]])

    def cell_polygon(self, cell: int) -> Floats:
        """(n, 2) corners of a cell, counter-clockwise, mm."""
        return self.outline_strip(cell, cell + 1, self.band.inner_mm, self.band.outer_mm)


SMOOTH_COSINE = np.cos(np.radians(4.0))
"""Sides that meet at a smaller angle (twice this) are pieces of a curve."""
SAME_CELLS = 1e-9
"""Places along a band that are nearer to each other are one."""


def _begin_at_nose(line_mm: Floats) -> Floats:
    """Return the points of a closed line anew, the first where +x crosses it farthest out."""
    following = np.roll(line_mm, -1, axis=0)
    is_crossing = (line_mm[:, 1] < 0) & (following[:, 1] >= 0)
    if not is_crossing.any():
        raise ValueError("the base's +x axis does not cross the band")
    sides = np.flatnonzero(is_crossing)
    share = line_mm[sides, 1] / (line_mm[sides, 1] - following[sides, 1])
    x_mm = line_mm[sides, 0] + share * (following[sides, 0] - line_mm[sides, 0])
    first = int(np.argmax(x_mm))
    nose = np.array([x_mm[first], 0.0])
    turned = np.roll(line_mm, -(sides[first] + 1), axis=0)
    is_new = np.hypot(*(turned - nose).T) > NOSE_MM
    return np.concatenate([nose[None], turned[is_new]])


NOSE_MM = 1e-9
"""A corner at the nose is not told twice."""
