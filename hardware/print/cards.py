"""Sheets of tags to be cut out: for bases, and as anchors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hardware.print.page import MARGIN_MM, Mark, Page, Paper, Spot, Words, fitted
from hardware.print.parts import FOOT_MM, RIM, cut_marks, ruler, tag

GAP_MM = 5.0
"""Between two tags, for the marks to cut along."""
HEAD_MM = 6.0
LETTERS_MM = (2.4, 2.0, 1.7, 1.4)
LEAST_ROOM_MM = 14.0
"""A small tag's words are given so much width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
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
        return max(self.edge_mm, LEAST_ROOM_MM) + GAP_MM

    @property
    def drop_mm(self) -> float:
        """From one row of such cards to the next: the words are below the tag."""
        return self.edge_mm + GAP_MM + 2.5 * LETTERS_MM[0]


def largest_mm(paper: Paper) -> float:
    """Return the edge of the largest tag that a paper has room for."""
    wide = paper.width_mm - 2 * MARGIN_MM - GAP_MM
    high = paper.height_mm - MARGIN_MM - HEAD_MM - FOOT_MM - GAP_MM - 2.5 * LETTERS_MM[0]
    return min(wide, high) / RIM


def card_pages(cards: Sequence[Card], paper: Paper, heading: str) -> list[Page]:
    """Lay out tags in rows, as many sheets as they need; none may be larger than `largest_mm`."""
    assert all(card.size_mm <= largest_mm(paper) for card in cards)
    pages: list[Page] = []
    top = paper.height_mm - MARGIN_MM - HEAD_MM
    marks: list[Mark] = []
    left, y, drop = MARGIN_MM, top, 0.0
    for card in cards:
        if marks and left + card.pitch_mm > paper.width_mm - MARGIN_MM:
            left, y, drop = MARGIN_MM, y - drop, 0.0
        if marks and y - max(drop, card.drop_mm) < FOOT_MM:
            pages.append(_page(paper, heading, marks))
            marks, left, y, drop = [], MARGIN_MM, top, 0.0
        spot = Spot(x_mm=left + card.pitch_mm / 2, y_mm=y - GAP_MM / 2 - card.edge_mm / 2)
        marks += _card(card, spot)
        left, drop = left + card.pitch_mm, max(drop, card.drop_mm)
    pages.append(_page(paper, heading, marks))
    return pages


def _page(paper: Paper, heading: str, marks: Sequence[Mark]) -> Page:
    words = Words(text=heading, x_mm=MARGIN_MM, y_mm=paper.height_mm - MARGIN_MM - 3, size_mm=3.0)
    return Page(paper=paper, marks=(words, *marks, *ruler(paper)))


def _card(card: Card, spot: Spot) -> Iterator[Mark]:
    yield tag(card.tag, spot, card.size_mm)
    yield from cut_marks(spot, card.edge_mm)
    below = spot.y_mm - card.edge_mm / 2 - GAP_MM / 2
    room_mm = card.pitch_mm - GAP_MM / 2
    for line, text in enumerate((f"{card.tag} · {card.size_mm:g} mm", card.label)):
        if text:
            said, size_mm = fitted(text, room_mm=room_mm, sizes_mm=LETTERS_MM)
            y_mm = below - LETTERS_MM[0] * (0.6 + 1.15 * line)
            yield Words(text=said, x_mm=spot.x_mm, y_mm=y_mm, size_mm=size_mm, centred=True)
