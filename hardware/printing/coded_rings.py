"""Coded rings printed: halos to lay under bases and rims to stick on them, by size of base, with lines to cut along."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray

from hardware.printing.page import (
    FOOT_MM,
    MARGIN_MM,
    Colour,
    CutLine,
    InkArea,
    InkLine,
    Mark,
    Page,
    Paper,
    Ring,
    SheetPosition,
    TextLine,
    draw_arrow,
    draw_ruler,
)
from hardware.printing.typeface import fit_text, measure_text_mm
from hardware.rings.layout import CORNER_SEGMENTS, RingBand, RingKind, RingLayout

GREY: Colour = (0.55, 0.55, 0.55)
HEAD_MM = 6.0
GROUP_HEAD_MM = 5.0
LETTERS_MM = (2.6, 2.2, 1.8, 1.5)
NUMBERS_MM = (4.0, 3.2, 2.6, 2.0)
WITHIN_MM = 0.002
"""Lines are this true, and have no more points than that takes."""
TOOTH_WIDE_MM, TOOTH_LONG_MM = 1.8, 1.2
"""A pointed tooth at the nose stays on what is cut out, where it covers no cell: outside of a halo, inside of a rim."""
OVERLAP_MM = 0.1
"""By which what is cut around a tooth is larger, so that it overlaps what it stands on."""
BLEED_MM = 0.4
"""Cells at an outer edge that is cut go on beyond it, so that a cut that is a little off shows no paper."""
WIDEST_MM = 185.0
"""Both papers have room for so much across."""
TUCK_MM = 2.0
"""Where its middle is cut out, so much of a halo stays under the base, to be glued to it."""


class Cutter(StrEnum):
    """What the rings are cut out with."""

    SCISSORS = "scissors"
    PLOTTER = "plotter"


GAPS_MM = {Cutter.SCISSORS: 5.0, Cutter.PLOTTER: 2.0}
"""Between two rings: room for a hand with scissors, or as little as a blade needs."""
DASHES_MM: dict[Cutter, tuple[float, ...]] = {Cutter.SCISSORS: (1.2, 0.8), Cutter.PLOTTER: ()}


@dataclass(frozen=True, kw_only=True)
class RingPrint:
    """A coded ring to be printed."""

    ring: int
    word: str
    layout: RingLayout
    outline_mm: Ring
    """The base's, in its own frame."""
    base_name: str
    """Such as round:32; rings for bases of one name stand together."""
    label: str = ""
    """Whose it is."""
    is_open: bool = False
    """Whether the middle of a halo is cut out, too."""

    @property
    def band(self) -> RingBand:
        """Where its cells lie."""
        return self.layout.band

    @cached_property
    def edge_mm(self) -> Ring:
        """What is cut along outside, in the base's frame."""
        edge_mm = offset_outline(self.outline_mm, self.band.reach_mm)
        return join_shapes(edge_mm, self.tooth_mm) if self.band.kind is RingKind.HALO else edge_mm

    @cached_property
    def hole_mm(self) -> Ring:
        """What is cut along inside; empty where nothing is."""
        if self.band.kind is RingKind.RIM:
            return cut_shape(offset_outline(self.outline_mm, self.inner_end_mm), self.tooth_mm)
        return offset_outline(self.outline_mm, -TUCK_MM) if self.is_open else ()

    @cached_property
    def tooth_mm(self) -> Ring:
        """A triangle that shows where the nose is."""
        is_halo = self.band.kind is RingKind.HALO
        foot_mm, way = (self.band.reach_mm, 1.0) if is_halo else (self.inner_end_mm, -1.0)
        foot, out = self.layout.place(np.zeros(2), np.array([foot_mm, foot_mm + 1.0]))
        out = out - foot
        across = np.array([-out[1], out[0]]) * TOOTH_WIDE_MM / 2
        return _as_ring(np.array([foot - across, foot + across, foot + way * TOOTH_LONG_MM * out]))

    @property
    def inner_end_mm(self) -> float:
        """How far inside the print goes."""
        return min([self.band.inner_mm, *(border.from_mm for border in self.band.borders)])

    @property
    def turn_rad(self) -> float:
        """By which it is turned on the sheet: its nose up, or to the right where the sheet is not wide enough."""
        return math.pi / 2 if np.ptp(self.edge_mm, axis=0)[1] <= WIDEST_MM else 0.0

    @cached_property
    def box_mm(self) -> tuple[float, float, float, float]:
        """From where to where it goes on the sheet about the middle of its base: left, lower, right, upper."""
        placed = SheetPosition(x_mm=0.0, y_mm=0.0, turn_rad=self.turn_rad).place_points(self.edge_mm)
        x, y = zip(*placed, strict=True)
        return min(x), min(y), max(x), max(y)

    @property
    def size_mm(self) -> tuple[float, float]:
        """How wide and how high it is on the sheet."""
        left, lower, right, upper = self.box_mm
        return right - left, upper - lower


@lru_cache(maxsize=256)
def offset_outline(outline_mm: Ring, by_mm: float) -> Ring:
    """Return a line beside an outline, outward positive, with round joins; empty where there is no room for it."""
    moved = shapely.Polygon(outline_mm).buffer(by_mm, quad_segs=CORNER_SEGMENTS, join_style="round")
    if moved.is_empty or not isinstance(moved, shapely.Polygon):
        return ()
    return _trace(np.array(moved.exterior.coords))


@lru_cache(maxsize=256)
def join_shapes(one_mm: Ring, other_mm: Ring) -> Ring:
    """Return the line around two shapes that touch or overlap; the first alone where they do not."""
    both = shapely.Polygon(one_mm).union(shapely.Polygon(other_mm).buffer(OVERLAP_MM))
    return _trace(np.array(both.exterior.coords)) if isinstance(both, shapely.Polygon) else one_mm


@lru_cache(maxsize=256)
def cut_shape(one_mm: Ring, other_mm: Ring) -> Ring:
    """Return the line around what a shape leaves of another; the whole where that would fall into pieces."""
    if not one_mm:
        return one_mm
    left = shapely.Polygon(one_mm).difference(shapely.Polygon(other_mm).buffer(OVERLAP_MM))
    return _trace(np.array(left.exterior.coords)) if isinstance(left, shapely.Polygon) else one_mm


def measure_room_mm(paper: Paper, cutter: Cutter) -> tuple[float, float]:
    """Return the width and the height of the largest ring that a paper has room for."""
    gap_mm = GAPS_MM[cutter]
    high = paper.height_mm - MARGIN_MM - HEAD_MM - GROUP_HEAD_MM - FOOT_MM
    return paper.width_mm - 2 * MARGIN_MM - gap_mm, high - gap_mm


def fits_sheet(print_: RingPrint, paper: Paper, cutter: Cutter) -> bool:
    """Tell whether a paper has room for a ring."""
    return all(size <= room for size, room in zip(print_.size_mm, measure_room_mm(paper, cutter), strict=True))


def build_ring_pages(prints: Sequence[RingPrint], paper: Paper, cutter: Cutter, note: str = "") -> list[Page]:
    """Lay out rings in rows, those for bases of one name together, on as many sheets as they need.

    Args:
        prints: each has to fit (`fits_sheet`).
        paper: what is printed on.
        cutter: what the rings are cut out with.
        note: said at the foot of every sheet.

    """
    assert all(fits_sheet(one, paper, cutter) for one in prints)
    groups: dict[tuple[str, RingKind], list[RingPrint]] = {}
    for one in prints:
        groups.setdefault((one.base_name, one.band.kind), []).append(one)
    sheet = _Sheets(paper, cutter, note)
    for (base_name, kind), group in groups.items():
        sheet.begin_group(f"{kind}s for {base_name}", group)
        for one in group:
            sheet.add(one)
    return sheet.finish()


class _Sheets:
    """Sheets that are filled from the top, row by row."""

    def __init__(self, paper: Paper, cutter: Cutter, note: str) -> None:
        self.paper, self.cutter = paper, cutter
        room_mm = paper.width_mm - 2 * MARGIN_MM - 2
        text, size_mm = fit_text(note, room_mm=room_mm, sizes_mm=(2.8, *LETTERS_MM))
        self.note = TextLine(text=text, x_mm=MARGIN_MM + 1, y_mm=FOOT_MM - 2.5, size_mm=size_mm)
        self.gap_mm = GAPS_MM[cutter]
        self.top_mm = paper.height_mm - MARGIN_MM - HEAD_MM
        self.pages: list[Page] = []
        self.marks: list[Mark] = []
        self.heading = ""
        self._open_sheet()

    def _open_sheet(self) -> None:
        self.left_mm, self.y_mm, self.drop_mm = MARGIN_MM, self.top_mm, 0.0

    def begin_group(self, heading: str, group: Sequence[RingPrint]) -> None:
        """Begin a row for rings of one size; on a sheet of their own where not one of them has room below."""
        self.heading = heading
        self._end_row()
        if self.y_mm - GROUP_HEAD_MM - group[0].size_mm[1] - self.gap_mm < FOOT_MM:
            self._end_sheet()
        self._draw_heading()

    def add(self, one: RingPrint) -> None:
        """Draw a ring in the row, or in the next."""
        wide_mm, high_mm = (size + self.gap_mm for size in one.size_mm)
        if self.left_mm + wide_mm > self.paper.width_mm - MARGIN_MM:
            self._end_row()
        if self.y_mm - high_mm < FOOT_MM:
            self._end_sheet()
            self._draw_heading()
        left, _, _, upper = one.box_mm
        spot = SheetPosition(
            x_mm=self.left_mm + self.gap_mm / 2 - left,
            y_mm=self.y_mm - self.gap_mm / 2 - upper,
            turn_rad=one.turn_rad,
        )
        self.marks += draw_ring(one, spot, self.cutter)
        self.left_mm, self.drop_mm = self.left_mm + wide_mm, max(self.drop_mm, high_mm)

    def finish(self) -> list[Page]:
        """Return the sheets."""
        self._end_sheet()
        return self.pages

    def _draw_heading(self) -> None:
        y_mm = self.y_mm - GROUP_HEAD_MM + 1.5
        self.marks.append(TextLine(text=self.heading, x_mm=MARGIN_MM + 1, y_mm=y_mm, size_mm=2.8, bold=True))
        self.y_mm -= GROUP_HEAD_MM

    def _end_row(self) -> None:
        self.left_mm, self.y_mm, self.drop_mm = MARGIN_MM, self.y_mm - self.drop_mm, 0.0

    def _end_sheet(self) -> None:
        if not self.marks:
            return
        heading = TextLine(text=HEADINGS[self.cutter], x_mm=MARGIN_MM + 1, y_mm=self.top_mm + 1.5, size_mm=2.8)
        self.pages.append(Page(paper=self.paper, marks=(heading, *self.marks, self.note, *draw_ruler(self.paper))))
        self.marks = []
        self._open_sheet()


HEADINGS = {
    Cutter.SCISSORS: "overtable rings · cut along the broken lines; keep the little tooth: it shows where the front is",
    Cutter.PLOTTER: "overtable rings · cut along the coloured lines; the little tooth shows where the front is",
}


def draw_ring(one: RingPrint, spot: SheetPosition, cutter: Cutter) -> Iterator[Mark]:
    """Draw a ring with its base's middle at a spot, its nose along the spot's x."""
    yield from _draw_cells(one, spot)
    for border in one.band.borders:
        if not border.is_light:
            edges = (offset_outline(one.outline_mm, at_mm) for at_mm in (border.from_mm, border.to_mm))
            yield InkArea(rings_mm=tuple(spot.place_points(edge) for edge in edges))
    if one.band.kind is RingKind.HALO:
        yield InkLine(points_mm=spot.place_points(one.outline_mm), width_mm=0.15, closed=True, colour=GREY)
    yield from _draw_nose(one, spot)
    yield from _draw_words(one, spot)
    for line_mm in (one.edge_mm, one.hole_mm):
        if line_mm:
            yield CutLine(points_mm=spot.place_points(line_mm), dash_mm=DASHES_MM[cutter])


def _draw_cells(one: RingPrint, spot: SheetPosition) -> Iterator[InkArea]:
    """Draw the dark cells; those side by side are one area, in which no printer can leave a hairline."""
    layout, word = one.layout, one.word
    inner_mm, outer_mm = one.band.inner_mm, one.band.outer_mm
    if one.band.reach_mm == outer_mm:
        outer_mm += BLEED_MM
    if "1" not in word:
        edges = (offset_outline(one.outline_mm, at_mm) for at_mm in (inner_mm, outer_mm))
        yield InkArea(rings_mm=tuple(spot.place_points(edge) for edge in edges))
        return
    for first in range(len(word)):
        if word[first] == "0" and word[first - 1] == "1":
            count = next(n for n in range(1, len(word)) if word[(first + n) % len(word)] == "1")
            strip = _trace(layout.outline_strip(first, first + count, inner_mm, outer_mm))
            yield InkArea(rings_mm=(spot.place_points(strip),))


def _draw_nose(one: RingPrint, spot: SheetPosition) -> Iterator[Mark]:
    """Mark where the front is: by an arrow under the base, and by the tooth that stays to be seen."""
    if one.band.kind is RingKind.HALO and not one.is_open:
        reach_mm = _find_crossing(one.outline_mm)
        length_mm = min(4.0, reach_mm / 3)
        ((x, y),) = spot.place_points([(reach_mm - length_mm - 0.6, 0.0)])
        yield draw_arrow(SheetPosition(x_mm=x, y_mm=y, turn_rad=spot.turn_rad), length_mm, length_mm)
    yield InkArea(rings_mm=(spot.place_points(one.tooth_mm),))


def _draw_words(one: RingPrint, spot: SheetPosition) -> Iterator[TextLine]:
    """Say inside of the band which ring it is and whose."""
    inside_mm = one.hole_mm or one.outline_mm
    placed = np.array(SheetPosition(x_mm=0.0, y_mm=0.0, turn_rad=spot.turn_rad).place_points(inside_mm))
    wide_mm = 0.62 * float(np.ptp(placed[:, 0]))
    high_mm = float(np.ptp(placed[:, 1]))
    sizes_mm = [size for size in NUMBERS_MM if size < high_mm / 3] or NUMBERS_MM[-1:]
    number, size_mm = fit_text(str(one.ring), room_mm=wide_mm, sizes_mm=sizes_mm)
    yield TextLine(text=number, x_mm=spot.x_mm, y_mm=spot.y_mm + 0.2, size_mm=size_mm, centred=True, bold=True)
    if one.label:
        label, size_mm = fit_label(one.label, wide_mm)
        yield TextLine(text=label, x_mm=spot.x_mm, y_mm=spot.y_mm - 1.3 * size_mm, size_mm=size_mm, centred=True)


def fit_label(label: str, room_mm: float) -> tuple[str, float]:
    """Return a model's name and the size at which it has room; shortened before its number, which tells it apart."""
    text, size_mm = fit_text(label, room_mm=room_mm, sizes_mm=LETTERS_MM)
    name, hyphen, number = label.rpartition("-")
    if text == label or not (hyphen and number.isdecimal()):
        return text, size_mm
    left_mm = room_mm - measure_text_mm(f"-{number}", size_mm)
    return fit_text(name, room_mm=left_mm, sizes_mm=[size_mm])[0] + f"-{number}", size_mm


def _find_crossing(line_mm: Ring) -> float:
    """Return where +x crosses a line farthest out."""
    reach_mm = max(x for x, _ in line_mm) + 1
    crossing = shapely.LineString([(0, 0), (reach_mm, 0)]).intersection(shapely.LinearRing(line_mm))
    return float(crossing.bounds[2]) if not crossing.is_empty else reach_mm - 1


def _as_ring(points_mm: NDArray[np.float64]) -> Ring:
    return tuple((float(x), float(y)) for x, y in points_mm)


def _trace(points_mm: NDArray[np.float64]) -> Ring:
    """Return a closed line with no more points than needed."""
    thinned = shapely.LinearRing(points_mm).simplify(WITHIN_MM)
    return _as_ring(np.array(thinned.coords)[:-1])
