"""Printed pages: areas, lines and text on a sheet of paper, in millimetres, and the parts that several sheets share.

The origin is the paper's lower left corner, x to the right, y up.  The shared parts are tags, the ruler that a print
is checked with, marks to cut along, and arrow heads.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import shapely
from shapely.geometry.polygon import orient

from hardware.tag36h11 import INNER, MODULES, find_white_modules

Point = tuple[float, float]
Ring = tuple[Point, ...]

MARGIN_MM = 7.0
"""Most printers leave less than this white at the edge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A size of paper, upright."""

    name: str
    width_mm: float
    height_mm: float

    @property
    def landscape(self) -> "Paper":
        """The same paper on its side."""
        return Paper(name=self.name, width_mm=self.height_mm, height_mm=self.width_mm)


A4 = Paper(name="a4", width_mm=210.0, height_mm=297.0)
LETTER = Paper(name="letter", width_mm=215.9, height_mm=279.4)
PAPERS = {paper.name: paper for paper in (A4, LETTER)}


Colour = tuple[float, float, float]
"""Red, green and blue, each from 0 to 1."""
BLACK: Colour = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class InkArea:
    """Ink inside of some rings, each point counted by how many rings are around it: even is white."""

    rings_mm: tuple[Ring, ...]
    colour: Colour = BLACK


@dataclass(frozen=True, slots=True, kw_only=True)
class InkLine:
    """A line through some points."""

    points_mm: Ring
    width_mm: float = 0.2
    closed: bool = False
    colour: Colour = BLACK
    dash_mm: tuple[float, ...] = ()
    """Lengths of dash and gap, in turn; empty for a line without gaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutLine:
    """A closed line to cut along, for scissors or for a machine that follows it; in a colour that nothing else has."""

    points_mm: Ring
    dash_mm: tuple[float, ...] = ()
    """As for `InkLine`."""


CUT_COLOUR: Colour = (1.0, 0.0, 1.0)
CUT_WIDTH_MM = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """A line of text, centred on a point or beginning there."""

    text: str
    x_mm: float
    y_mm: float
    """Of the line that the letters stand on."""
    size_mm: float
    centred: bool = False
    bold: bool = False
    colour: Colour = BLACK


@dataclass(frozen=True, slots=True, kw_only=True)
class Photo:
    """A picture in colour."""

    jpeg: bytes
    width_px: int
    height_px: int
    left_mm: float
    bottom_mm: float
    width_mm: float
    height_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ClippedMarks:
    """Marks of which only what is inside of a ring is seen."""

    ring_mm: Ring
    marks: tuple["Mark", ...]


Mark = InkArea | InkLine | CutLine | TextLine | Photo | ClippedMarks


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A sheet of paper and what is on it."""

    paper: Paper
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPosition:
    """A place on a sheet, and how what is drawn there is turned."""

    x_mm: float
    y_mm: float
    turn_rad: float = 0.0

    def place_points(self, ring: Iterable[Point]) -> Ring:
        """Return points of the spot's own frame on the sheet."""
        cos, sin = math.cos(self.turn_rad), math.sin(self.turn_rad)
        return tuple((self.x_mm + cos * x - sin * y, self.y_mm + sin * x + cos * y) for x, y in ring)


RIM = MODULES / INNER
"""A tag with its white rim is this much wider than its black square."""
RULER_MM = 100
FOOT_MM = 20.0
"""The lowest part of a sheet is the ruler's."""


def draw_tag(number: int, spot: SheetPosition, size_mm: float) -> InkArea:
    """Return a tag centred on a spot, its x along the spot's; ``size_mm`` is the edge of its black square.

    Its black modules are one area: no printer or viewer can leave a hairline between two of them.
    """
    module_mm = size_mm / INNER
    half = INNER / 2
    black = shapely.union_all(
        [
            shapely.box(column - half, half - row - 1, column - half + 1, half - row)
            for row, line in enumerate(find_white_modules(number))
            for column, white in enumerate(line)
            if not white
        ]
    )
    polygons = [part for part in shapely.get_parts(black) if isinstance(part, shapely.Polygon)]
    rings = [
        ring.simplify(0.0) for polygon in polygons for ring in (orient(polygon).exterior, *orient(polygon).interiors)
    ]
    scaled = (((x * module_mm, y * module_mm) for x, y in ring.coords[:-1]) for ring in rings)
    return InkArea(rings_mm=tuple(spot.place_points(ring) for ring in scaled))


def draw_cut_marks(spot: SheetPosition, edge_mm: float) -> Iterator[InkLine]:
    """Mark the corners of a square, from outside, so that nothing of the marks stays on what is cut out."""
    half, gap, long = edge_mm / 2, 0.3, 1.5
    for x in (-1, 1):
        for y in (-1, 1):
            along = [(x * (half + gap), y * half), (x * (half + gap + long), y * half)]
            up = [(x * half, y * (half + gap)), (x * half, y * (half + gap + long))]
            yield InkLine(points_mm=spot.place_points(along), width_mm=0.1)
            yield InkLine(points_mm=spot.place_points(up), width_mm=0.1)


def draw_ruler(paper: Paper) -> Iterator[Mark]:
    """Draw a ruler at the foot of a sheet, to check the print with."""
    left_mm, foot_mm = (paper.width_mm - RULER_MM) / 2, MARGIN_MM + 4.5
    for at in range(RULER_MM + 1):
        height = 4.0 if at % 10 == 0 else 2.8 if at % 5 == 0 else 1.8
        x = left_mm + at
        yield InkLine(points_mm=((x, foot_mm), (x, foot_mm + height)), width_mm=0.15)
    yield InkLine(points_mm=((left_mm, foot_mm), (left_mm + RULER_MM, foot_mm)), width_mm=0.15)
    for at in range(0, RULER_MM + 1, 20):
        yield TextLine(text=str(at), x_mm=left_mm + at, y_mm=foot_mm - 2.8, size_mm=2.4, centred=True)
    yield TextLine(text="mm", x_mm=left_mm + RULER_MM + 4, y_mm=foot_mm - 2.8, size_mm=2.4)
    yield TextLine(
        text="Print at 100 %, without fitting to the page; then measure: this line must be 100 mm long.",
        x_mm=paper.width_mm / 2,
        y_mm=MARGIN_MM - 1.5,
        size_mm=2.6,
        centred=True,
    )


def draw_arrow(spot: SheetPosition, length_mm: float, width_mm: float) -> InkArea:
    """Return an arrow head whose foot is centred on a spot, pointing along the spot's x."""
    return InkArea(rings_mm=(spot.place_points([(0, -width_mm / 2), (length_mm, 0), (0, width_mm / 2)]),))
