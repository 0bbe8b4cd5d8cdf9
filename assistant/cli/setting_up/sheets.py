"""The sheets of a set-up under way: made for what was entered, and kept in the wizard's folder."""

from collections.abc import Iterator
from pathlib import Path

from assistant.cli.setting_up.steps import Facts
from assistant.cli.sheets import ANCHORS_HEADING, TAGS_HEADING, anchor_label, card_sheets, ring_name
from assistant.errors import BadInput
from assistant.files import write_whole
from assistant.geometry.shapes import Placed
from assistant.overlay.outline import outline_mm
from hardware.print.board import board_page
from hardware.print.cards import Card
from hardware.print.enrol import enrol_page, fits
from hardware.print.page import PAPERS, Page, Paper
from hardware.print.pdf import pdf


def sheet(facts: Facts, folder: Path, name: str, paper: str) -> bytes:
    """Return a sheet as PDF, and keep it in a folder.

    Args:
        facts: what was entered.
        folder: the wizard's.
        name: ``anchors``, ``board``, ``tags`` or ``enrol``.
        paper: ``a4`` or ``letter``.

    Raises:
        BadInput: there is no such paper, what the sheet needs is not entered yet, or it cannot be written.

    """
    if paper not in PAPERS:
        raise BadInput(f"there is no paper {paper!r}; expected one of {', '.join(sorted(PAPERS))}")
    pages = list(_pages(facts, name, PAPERS[paper]))
    data = pdf(pages, f"overtable {name}")
    write_whole(folder / f"{name}-{paper}.pdf", data)
    return data


def _pages(facts: Facts, name: str, paper: Paper) -> Iterator[Page]:
    match name:
        case "anchors":
            anchors, stretch = facts.reading.anchors, facts.reading.stretch
            if not anchors:
                raise BadInput("the table comes first: say how large it is and where the anchors lie")
            cards = [Card(tag=a.tag, size_mm=a.size_mm / stretch, label=anchor_label(a)) for a in anchors]
            yield from card_sheets(cards, paper, ANCHORS_HEADING)
        case "board":
            yield board_page(paper)
        case "tags":
            _insist_on_armies(facts)
            cards = [Card(tag=base.tag, size_mm=base.size_mm, label=base.model) for base in facts.given]
            yield from card_sheets(cards, paper, TAGS_HEADING)
        case _:
            _insist_on_armies(facts)
            yield from _rings(facts, paper)


def _insist_on_armies(facts: Facts) -> None:
    if not facts.given:
        raise BadInput("the armies come first: these sheets are made for their models")


def _rings(facts: Facts, paper: Paper) -> Iterator[Page]:
    """Yield the sheet for each base of the armies; one that no paper has room for is turned on the spot."""
    shapes = {ring_name(base): base.base.shape for base in facts.given}
    outlines = {name: outline_mm(Placed(shape=shape, x_mm=0, y_mm=0)) for name, shape in shapes.items()}
    pages = [enrol_page(outline, name, paper) for name, outline in outlines.items() if fits(outline, paper)]
    if not pages:
        raise BadInput("every base is larger than this paper: enrol the models by turning them on the spot")
    yield from pages
