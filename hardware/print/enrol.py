"""The sheet on which a model is enrolled: a ring of tags round the outline of its base."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from hardware.print.page import MARGIN_MM, Line, Mark, Page, Paper, Ring, Spot, Words
from hardware.print.parts import FOOT_MM, RIM, arrow, ruler, tag

FIRST_TAG = 560
"""The ring's tags have eight ids from this on, the same on every sheet: one sheet at a time lies on the table."""
RING_TAGS = frozenset(range(FIRST_TAG, FIRST_TAG + 8))
TAG_MM = 18.0
"""Edge of the black squares: what a 1080p camera over a whole table still reads."""
ROOM_MM = 9.0
"""Between the outline and the white rims of the tags: for the arrow, and for fingers that set a model down."""
HEAD_MM = 12.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RingTag:
    """A tag of the ring, in the base's frame: its x is along the base's front."""

    tag: int
    x_mm: float
    y_mm: float
    size_mm: float = TAG_MM


def ring(outline_mm: Ring) -> tuple[RingTag, ...]:
    """Return the ring round a base: tags at the corners and at the middles of the sides of a rectangle.

    Args:
        outline_mm: the base's outline as a polygon in its own frame; only how far it reaches matters.

    """
    away = ROOM_MM + RIM * TAG_MM / 2
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
    return tuple(RingTag(tag=FIRST_TAG + at, x_mm=x, y_mm=y) for at, (x, y) in enumerate(places))


def fits(outline_mm: Ring, paper: Paper) -> bool:
    """Tell whether a paper has room for the ring round a base."""
    tags = ring(outline_mm)
    length = max(t.x_mm for t in tags) - min(t.x_mm for t in tags) + RIM * TAG_MM
    width = max(t.y_mm for t in tags) - min(t.y_mm for t in tags) + RIM * TAG_MM
    high = paper.height_mm - HEAD_MM - FOOT_MM
    return length <= high and width <= paper.width_mm - 2 * MARGIN_MM


def enrol_page(outline_mm: Ring, name: str, paper: Paper) -> Page:
    """Return the sheet for a base that `fits`, its front up the sheet.

    Args:
        outline_mm: the base's outline as a polygon in its own frame.
        name: what the base is called.
        paper: what is printed on.

    """
    assert fits(outline_mm, paper)
    tags = ring(outline_mm)
    middle_x = (max(t.x_mm for t in tags) + min(t.x_mm for t in tags)) / 2
    middle_y = (max(t.y_mm for t in tags) + min(t.y_mm for t in tags)) / 2
    # The base's x points up the sheet, its y to the left.
    centre = Spot(
        x_mm=paper.width_mm / 2 + middle_y,
        y_mm=(FOOT_MM + paper.height_mm - HEAD_MM) / 2 - middle_x,
        turn_rad=math.pi / 2,
    )
    marks: list[Mark] = [
        Words(
            text=f"overtable enrol · base {name} · set the model inside the outline, its front on the arrow",
            x_mm=paper.width_mm / 2,
            y_mm=paper.height_mm - MARGIN_MM - 2,
            size_mm=3.2,
            centred=True,
        ),
        Line(points_mm=centre.place(outline_mm), width_mm=0.3, closed=True),
        *_guides(outline_mm, centre),
    ]
    for one in tags:
        ((x, y),) = centre.place([(one.x_mm, one.y_mm)])
        marks.append(tag(one.tag, Spot(x_mm=x, y_mm=y, turn_rad=centre.turn_rad), one.size_mm))
    return Page(paper=paper, marks=(*marks, *ruler(paper)))


def _guides(outline_mm: Ring, centre: Spot) -> Iterator[Mark]:
    """Draw the arrow at the front, ticks along the base's axes outside of the outline, and a cross in its middle."""
    front, rear = max(x for x, _ in outline_mm), min(x for x, _ in outline_mm)
    left, right = max(y for _, y in outline_mm), min(y for _, y in outline_mm)
    ((x, y),) = centre.place([(front + 1.0, 0.0)])
    yield arrow(Spot(x_mm=x, y_mm=y, turn_rad=centre.turn_rad), ROOM_MM - 2.0, 7.0)
    for inner, outer in (
        ((rear - 1.0, 0.0), (rear - ROOM_MM + 1.0, 0.0)),
        ((0.0, left + 1.0), (0.0, left + ROOM_MM - 1.0)),
        ((0.0, right - 1.0), (0.0, right - ROOM_MM + 1.0)),
        ((-3.0, 0.0), (3.0, 0.0)),
        ((0.0, -3.0), (0.0, 3.0)),
    ):
        yield Line(points_mm=centre.place([inner, outer]), width_mm=0.3)
