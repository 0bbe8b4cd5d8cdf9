"""Sheets to print for a table: its tags, anchors and calibration board, and the rings in which models are enrolled."""

from collections.abc import Iterable, Mapping, Sequence

from assistant.errors import BadInput
from assistant.game.base_spec import BaseSpec
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.overlay.shapes import trace_outline
from assistant.setup.bases import BaseSection
from assistant.setup.file import AnchorSection
from hardware.printing.page import Page, Paper
from hardware.printing.sheets import (
    TagCard,
    build_card_pages,
    build_enrolment_page,
    find_largest_tag_mm,
    fits_paper,
)

TAGS_HEADING = "overtable tags (tag36h11) · cut along the marks and keep the white rim"
ANCHORS_HEADING = "overtable anchors (tag36h11) · cut along the marks, lay flat; top edge away from you: facing_deg = 0"


def build_tag_sheets(cards: Sequence[TagCard], paper: Paper) -> Sequence[Page]:
    """Return the sheets of models' tags.

    Raises:
        BadInput: a tag is larger than the paper.

    """
    return _build_card_sheets(cards, paper, TAGS_HEADING)


def build_anchor_sheets(cards: Sequence[TagCard], paper: Paper) -> Sequence[Page]:
    """Return the sheets of anchors; errors as for `build_tag_sheets`."""
    return _build_card_sheets(cards, paper, ANCHORS_HEADING)


def build_anchor_card(anchor: AnchorSection, size_mm: float) -> TagCard:
    """Return an anchor of some size, with where it is to be laid."""
    label: str = anchor.corner or "anywhere"
    if anchor.x_mm is not None:
        label = f"x {anchor.x_mm:g}, y {anchor.y_mm:g}, {anchor.facing_deg or 0:g}°"
    return TagCard(tag=anchor.tag, size_mm=size_mm, label=label)


def list_sheet_bases(bases: Iterable[BaseSection]) -> dict[str, BaseSpec]:
    """Return models' bases by the names of their rings; an outline has no name of its own, so it takes its model's."""
    return {base.model if base.base.outline_mm else base.base.name: base.base for base in bases}


def build_enrolment_sheets(bases: Mapping[str, BaseSpec], paper: Paper) -> tuple[list[Page], list[str]]:
    """Return an enrolment sheet for each base, and the names of those that the paper has no room for."""
    pages, too_large = list[Page](), list[str]()
    for name, spec in bases.items():
        outline = trace_outline(PlacedShape(shape=spec.shape, x_mm=0, y_mm=0))
        if fits_paper(outline, paper):
            pages.append(build_enrolment_page(outline, name, paper))
        else:
            too_large.append(name)
    return pages, too_large


def _build_card_sheets(cards: Sequence[TagCard], paper: Paper, heading: str) -> Sequence[Page]:
    largest_mm = find_largest_tag_mm(paper)
    if too_large := next((card for card in cards if card.size_mm > largest_mm), None):
        raise BadInput(
            f"tag {too_large.tag} of {too_large.size_mm:g} mm is larger than {paper.name} paper;"
            f" at most {largest_mm:.0f} mm have room"
        )
    return build_card_pages(cards, paper, heading)
