"""What is printed, as values: areas, lines and words on a sheet of paper, in millimetres.

The origin is the paper's lower left corner, x to the right, y up.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
    def across(self) -> "Paper":
        """The same paper on its side."""
        return Paper(name=self.name, width_mm=self.height_mm, height_mm=self.width_mm)


A4 = Paper(name="a4", width_mm=210.0, height_mm=297.0)
LETTER = Paper(name="letter", width_mm=215.9, height_mm=279.4)
PAPERS = {paper.name: paper for paper in (A4, LETTER)}


Colour = tuple[float, float, float]
"""Red, green and blue, each from 0 to 1."""
BLACK: Colour = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """Ink inside of some rings, each point counted by how many rings are around it: even is white."""

    rings_mm: tuple[Ring, ...]
    colour: Colour = BLACK


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line through some points."""

    points_mm: Ring
    width_mm: float = 0.2
    closed: bool = False
    colour: Colour = BLACK
    dash_mm: tuple[float, ...] = ()
    """Lengths of dash and gap, in turn; empty for a line without gaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
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
class Window:
    """Marks of which only what is inside of a ring is seen."""

    ring_mm: Ring
    marks: tuple["Mark", ...]


Mark = Area | Line | Words | Photo | Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A sheet of paper and what is on it."""

    paper: Paper
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place on a sheet, and how what is drawn there is turned."""

    x_mm: float
    y_mm: float
    turn_rad: float = 0.0

    def place(self, ring: Iterable[Point]) -> Ring:
        """Return points of the spot's own frame on the sheet."""
        cos, sin = math.cos(self.turn_rad), math.sin(self.turn_rad)
        return tuple((self.x_mm + cos * x - sin * y, self.y_mm + sin * x + cos * y) for x, y in ring)


_WIDTHS = (
    [278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278]
    + [556] * 10
    + [278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778]
    + [667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556]
    + [278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334]
    + [260, 334, 584]
)
"""Of Helvetica's letters from the space on, thousandths of their size (Adobe's metrics of the standard fonts)."""


def width_mm(text: str, size_mm: float) -> float:
    """Return how wide a line of text is; other than plain letters count as middling."""
    units = (_WIDTHS[ord(letter) - 32] if " " <= letter <= "~" else 556 for letter in text)
    return sum(units) * size_mm / 1000


def fitted(text: str, *, room_mm: float, sizes_mm: Sequence[float]) -> tuple[str, float]:
    """Return a text and the largest of some sizes at which it has room; at the least it is cut short."""
    for size_mm in sizes_mm:
        if width_mm(text, size_mm) <= room_mm:
            return text, size_mm
    least_mm = min(sizes_mm)
    while text and width_mm(text + "…", least_mm) > room_mm:
        text = text[:-1]
    return text + "…", least_mm
