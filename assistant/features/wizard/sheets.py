"""The wizard's sheets: made for what was entered, and kept in its folder."""

from collections.abc import Sequence
from pathlib import Path

from assistant.errors import BadInput
from assistant.features.coded_ring_sheets import build_coded_ring_sheets, order_setup_rings
from assistant.features.sheets import (
    build_anchor_card,
    build_anchor_sheets,
    build_enrolment_sheets,
    build_tag_sheets,
    list_sheet_bases,
)
from assistant.features.wizard.state import WizardFacts
from assistant.files.documents import write_atomically
from assistant.setup.bases import TaggedBase
from hardware.printing.coded_rings import Cutter
from hardware.printing.page import PAPERS, Page, Paper
from hardware.printing.pdf import render_pdf
from hardware.printing.sheets import TagCard, build_board_page


def make_sheet(facts: WizardFacts, folder: Path, name: str, paper: str) -> bytes:
    """Return a sheet as PDF, and keep it in a folder.

    Args:
        facts: what was entered.
        folder: the wizard's.
        name: ``anchors``, ``board``, ``rings``, ``tags`` or ``enrol``.
        paper: ``a4`` or ``letter``.

    Raises:
        BadInput: there is no such paper, what the sheet needs is not entered yet, or it cannot be written.

    """
    if paper not in PAPERS:
        raise BadInput(f"there is no paper {paper!r}; expected one of {', '.join(sorted(PAPERS))}")
    data = render_pdf(_build_pages(facts, name, PAPERS[paper]), f"overtable {name}")
    write_atomically(folder / f"{name}-{paper}.pdf", data)
    return data


def _build_pages(facts: WizardFacts, name: str, paper: Paper) -> Sequence[Page]:
    if name == "board":
        return [build_board_page(paper)]
    if name == "anchors":
        anchors, stretch = facts.reading.anchors, facts.reading.stretch
        if not anchors:
            raise BadInput("the table comes first: say how large it is and where the anchors lie")
        return build_anchor_sheets([build_anchor_card(anchor, anchor.size_mm / stretch) for anchor in anchors], paper)
    if not facts.given:
        raise BadInput("the armies come first: these sheets are made for their models")
    if name == "rings":
        orders = order_setup_rings(facts.given)
        if not orders or facts.rings is None:
            raise BadInput("no base is to get a ring: choose halos or rims first")
        return build_coded_ring_sheets(orders, facts.rings, paper, Cutter.SCISSORS)
    if name == "tags":
        tagged = [base for base in facts.given if isinstance(base, TaggedBase)]
        cards = [TagCard(tag=base.tag, size_mm=base.size_mm, label=base.model) for base in tagged]
        return build_tag_sheets(cards, paper)
    tagged_bases = [base for base in facts.given if isinstance(base, TaggedBase)]
    pages, _ = build_enrolment_sheets(list_sheet_bases(tagged_bases), paper)  # larger bases are turned on the spot
    if not pages:
        raise BadInput("every base is larger than this paper: enrol the models by turning them on the spot")
    return pages
