"""The sheets that are printed: the calibration board, tags to cut out, and the enrolment sheet.

The calibration board is a chessboard with ArUco markers in its white squares.  Tags are for bases, and for anchors.
An enrolment sheet has eight tags round the outline of a base, within which a model is set to be enrolled.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from hardware.printing.page import (
    FOOT_MM,
    MARGIN_MM,
    RIM,
    InkArea,
    InkLine,
    Mark,
    Page,
    Paper,
    Point,
    Ring,
    SheetPosition,
    TextLine,
    draw_arrow,
    draw_cut_marks,
    draw_ruler,
    draw_tag,
)
from hardware.printing.typeface import fit_text

BOARD_COLUMNS, BOARD_ROWS = 10, 7
BOARD_SQUARE_MM, BOARD_MARKER_MM = 25.0, 18.0
BOARD_DICTIONARY = "5X5_100"
BOARD_SPEC = f"charuco:{BOARD_COLUMNS}x{BOARD_ROWS}:{BOARD_SQUARE_MM:g}:{BOARD_MARKER_MM:g}:{BOARD_DICTIONARY}"
"""The board as `overtable calibrate lens --board` takes it; ``printed`` is short for it."""
MARKER_MODULES = 7
"""Along the edge of a 5x5 marker, its black border included."""


def build_board_page(paper: Paper) -> Page:
    """Return the board on a paper laid on its side; A4 and Letter have room for it."""
    side = paper.landscape
    left = (side.width_mm - BOARD_COLUMNS * BOARD_SQUARE_MM) / 2
    top = (side.height_mm + FOOT_MM + BOARD_ROWS * BOARD_SQUARE_MM - MARGIN_MM / 2) / 2
    marks: list[Mark] = [
        InkArea(rings_mm=tuple(tuple((left + x, top - y) for x, y in ring) for ring in _trace_black_parts())),
        TextLine(
            text=f"overtable board: {BOARD_SPEC}. Glue it flat on something stiff.",
            x_mm=side.width_mm / 2,
            y_mm=top + 1.5,
            size_mm=2.6,
            centred=True,
        ),
        *draw_ruler(side),
    ]
    return Page(paper=side, marks=tuple(marks))


def _trace_black_parts() -> list[tuple[Point, ...]]:
    """Return the rings of the black parts, counted even and odd; x right, y down from the board's upper left corner."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, f"DICT_{BOARD_DICTIONARY}"))
    board = cv2.aruco.CharucoBoard((BOARD_COLUMNS, BOARD_ROWS), BOARD_SQUARE_MM, BOARD_MARKER_MM, dictionary)
    corners = [np.asarray(points_mm, dtype=np.float64).reshape(4, 3)[:, :2] for points_mm in board.getObjPoints()]
    light = {(int(c[0, 0] // BOARD_SQUARE_MM), int(c[0, 1] // BOARD_SQUARE_MM)) for c in corners}
    rings = [
        _build_box(column * BOARD_SQUARE_MM, row * BOARD_SQUARE_MM, BOARD_SQUARE_MM)
        for row in range(BOARD_ROWS)
        for column in range(BOARD_COLUMNS)
        if (column, row) not in light
    ]
    module = BOARD_MARKER_MM / MARKER_MODULES
    for number, places in zip(np.ravel(np.asarray(board.getIds())), corners, strict=True):
        x, y = places.min(axis=0)
        rings.append(_build_box(x, y, BOARD_MARKER_MM))
        white = cv2.aruco.generateImageMarker(dictionary, int(number), MARKER_MODULES) > 127
        rings += [_build_box(x + column * module, y + row * module, module) for row, column in np.argwhere(white)]
    return rings


def _build_box(x: float, y: float, edge: float) -> tuple[Point, ...]:
    x, y = float(x), float(y)
    return ((x, y), (x + edge, y), (x + edge, y + edge), (x, y + edge))


CARD_GAP_MM = 5.0
"""Between two tags, for the marks to cut along."""
CARD_HEAD_MM = 6.0
CARD_LETTERS_MM = (2.4, 2.0, 1.7, 1.4)
CARD_LEAST_ROOM_MM = 14.0
"""A small tag's words are given so much width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagCard:
    """A tag to be printed."""

    tag: int
    size_mm: float
    """Edge of the black square."""
    label: str = ""
    """What it is for."""

    @property
    def edge_mm(self) -> float:
        """What is cut out: the black square and its white rim."""
        return RIM * self.size_mm

    @property
    def pitch_mm(self) -> float:
        """From one card to the next."""
        return max(self.edge_mm, CARD_LEAST_ROOM_MM) + CARD_GAP_MM

    @property
    def drop_mm(self) -> float:
        """From one row of such cards to the next: the words are below the tag."""
        return self.edge_mm + CARD_GAP_MM + 2.5 * CARD_LETTERS_MM[0]


def find_largest_tag_mm(paper: Paper) -> float:
    """Return the edge of the largest tag that a paper has room for."""
    wide = paper.width_mm - 2 * MARGIN_MM - CARD_GAP_MM
    high = paper.height_mm - MARGIN_MM - CARD_HEAD_MM - FOOT_MM - CARD_GAP_MM - 2.5 * CARD_LETTERS_MM[0]
    return min(wide, high) / RIM


def build_card_pages(cards: Sequence[TagCard], paper: Paper, heading: str) -> list[Page]:
    """Lay out tags in rows, as many sheets as they need; none may be larger than `find_largest_tag_mm`."""
    assert all(card.size_mm <= find_largest_tag_mm(paper) for card in cards)
    pages: list[Page] = []
    top = paper.height_mm - MARGIN_MM - CARD_HEAD_MM
    marks: list[Mark] = []
    left, y, drop = MARGIN_MM, top, 0.0
    for card in cards:
        if marks and left + card.pitch_mm > paper.width_mm - MARGIN_MM:
            left, y, drop = MARGIN_MM, y - drop, 0.0
        if marks and y - max(drop, card.drop_mm) < FOOT_MM:
            pages.append(_build_card_page(paper, heading, marks))
            marks, left, y, drop = [], MARGIN_MM, top, 0.0
        spot = SheetPosition(x_mm=left + card.pitch_mm / 2, y_mm=y - CARD_GAP_MM / 2 - card.edge_mm / 2)
        marks += _draw_card(card, spot)
        left, drop = left + card.pitch_mm, max(drop, card.drop_mm)
    pages.append(_build_card_page(paper, heading, marks))
    return pages


def _build_card_page(paper: Paper, heading: str, marks: Sequence[Mark]) -> Page:
    words = TextLine(text=heading, x_mm=MARGIN_MM, y_mm=paper.height_mm - MARGIN_MM - 3, size_mm=3.0)
    return Page(paper=paper, marks=(words, *marks, *draw_ruler(paper)))


def _draw_card(card: TagCard, spot: SheetPosition) -> Iterator[Mark]:
    yield draw_tag(card.tag, spot, card.size_mm)
    yield from draw_cut_marks(spot, card.edge_mm)
    below = spot.y_mm - card.edge_mm / 2 - CARD_GAP_MM / 2
    room_mm = card.pitch_mm - CARD_GAP_MM / 2
    for line, text in enumerate((f"{card.tag} · {card.size_mm:g} mm", card.label)):
        if text:
            label, size_mm = fit_text(text, room_mm=room_mm, sizes_mm=CARD_LETTERS_MM)
            y_mm = below - CARD_LETTERS_MM[0] * (0.6 + 1.15 * line)
            yield TextLine(text=label, x_mm=spot.x_mm, y_mm=y_mm, size_mm=size_mm, centred=True)


ENROLMENT_FIRST_TAG = 560
"""The sheet's tags have eight ids from this on, the same on every sheet: one sheet at a time lies on the table."""
ENROLMENT_TAGS = frozenset(range(ENROLMENT_FIRST_TAG, ENROLMENT_FIRST_TAG + 8))
ENROLMENT_TAG_MM = 18.0
"""Edge of the black squares: what a 1080p camera over a whole table still reads."""
ENROLMENT_ROOM_MM = 9.0
"""Between the outline and the white rims of the tags: for the arrow, and for fingers that set a model down."""
ENROLMENT_HEAD_MM = 12.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolmentTag:
    """A tag of an enrolment sheet, in the base's frame: its x is along the base's front."""

    tag: int
    x_mm: float
    y_mm: float
    size_mm: float = ENROLMENT_TAG_MM


def build_enrolment_tags(outline_mm: Ring) -> tuple[EnrolmentTag, ...]:
    """Return the tags round a base: at the corners and at the middles of the sides of a rectangle.

    Args:
        outline_mm: the base's outline as a polygon in its own frame; only how far it reaches matters.

    """
    away = ENROLMENT_ROOM_MM + RIM * ENROLMENT_TAG_MM / 2
    near_x, far_x = min(x for x, _ in outline_mm) - away, max(x for x, _ in outline_mm) + away
    near_y, far_y = min(y for _, y in outline_mm) - away, max(y for _, y in outline_mm) + away
    middle_x, middle_y = (near_x + far_x) / 2, (near_y + far_y) / 2
    places = [
        (far_x, middle_y),
        (far_x, far_y),
        (middle_x, far_y),
        (near_x, far_y),
        (near_x, middle_y),
        (near_x, near_y),
        (middle_x, near_y),
        (far_x, near_y),
    ]
    return tuple(EnrolmentTag(tag=ENROLMENT_FIRST_TAG + at, x_mm=x, y_mm=y) for at, (x, y) in enumerate(places))


def fits_paper(outline_mm: Ring, paper: Paper) -> bool:
    """Tell whether a paper has room for the tags round a base."""
    tags = build_enrolment_tags(outline_mm)
    length = max(t.x_mm for t in tags) - min(t.x_mm for t in tags) + RIM * ENROLMENT_TAG_MM
    width = max(t.y_mm for t in tags) - min(t.y_mm for t in tags) + RIM * ENROLMENT_TAG_MM
    high = paper.height_mm - ENROLMENT_HEAD_MM - FOOT_MM
    return length <= high and width <= paper.width_mm - 2 * MARGIN_MM


def build_enrolment_page(outline_mm: Ring, name: str, paper: Paper) -> Page:
    """Return the sheet for a base that `fits_paper`, its front up the sheet.

    Args:
        outline_mm: the base's outline as a polygon in its own frame.
        name: what the base is called.
        paper: what is printed on.

    """
    assert fits_paper(outline_mm, paper)
    tags = build_enrolment_tags(outline_mm)
    middle_x = (max(t.x_mm for t in tags) + min(t.x_mm for t in tags)) / 2
    middle_y = (max(t.y_mm for t in tags) + min(t.y_mm for t in tags)) / 2
    # The base's x points up the sheet, its y to the left.
    centre = SheetPosition(
        x_mm=paper.width_mm / 2 + middle_y,
        y_mm=(FOOT_MM + paper.height_mm - ENROLMENT_HEAD_MM) / 2 - middle_x,
        turn_rad=math.pi / 2,
    )
    marks: list[Mark] = [
        TextLine(
            text=f"overtable enrol · base {name} · set the model inside the outline, its front on the arrow",
            x_mm=paper.width_mm / 2,
            y_mm=paper.height_mm - MARGIN_MM - 2,
            size_mm=3.2,
            centred=True,
        ),
        InkLine(points_mm=centre.place_points(outline_mm), width_mm=0.3, closed=True),
        *_draw_guides(outline_mm, centre),
    ]
    for one in tags:
        ((x, y),) = centre.place_points([(one.x_mm, one.y_mm)])
        marks.append(draw_tag(one.tag, SheetPosition(x_mm=x, y_mm=y, turn_rad=centre.turn_rad), one.size_mm))
    return Page(paper=paper, marks=(*marks, *draw_ruler(paper)))


def _draw_guides(outline_mm: Ring, centre: SheetPosition) -> Iterator[Mark]:
    """Draw the arrow at the front, ticks along the base's axes outside of the outline, and a cross in its middle."""
    front, rear = max(x for x, _ in outline_mm), min(x for x, _ in outline_mm)
    left, right = max(y for _, y in outline_mm), min(y for _, y in outline_mm)
    ((x, y),) = centre.place_points([(front + 1.0, 0.0)])
    yield draw_arrow(SheetPosition(x_mm=x, y_mm=y, turn_rad=centre.turn_rad), ENROLMENT_ROOM_MM - 2.0, 7.0)
    for inner, outer in (
        ((rear - 1.0, 0.0), (rear - ENROLMENT_ROOM_MM + 1.0, 0.0)),
        ((0.0, left + 1.0), (0.0, left + ENROLMENT_ROOM_MM - 1.0)),
        ((0.0, right - 1.0), (0.0, right - ENROLMENT_ROOM_MM + 1.0)),
        ((-3.0, 0.0), (3.0, 0.0)),
        ((0.0, -3.0), (0.0, 3.0)),
    ):
        yield InkLine(points_mm=centre.place_points([inner, outer]), width_mm=0.3)
