"""`overtable setup`: the set-up wizard in the browser, and the sheets that it prints.

It runs one live table after another, as the wizard wants them.  A sheet is made for what was entered, and kept in the
wizard's folder.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import click
import platformdirs
from fastapi import FastAPI

from assistant.cli.sheets import ANCHORS_HEADING, TAGS_HEADING, build_card_sheets, label_anchor, name_ring
from assistant.errors import BadInput
from assistant.features.wizard.controller import Wizard, open_wizard
from assistant.features.wizard.state import WizardFacts
from assistant.files.documents import write_atomically
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.overlay.shapes import trace_outline
from assistant.runtime.composition_root import LiveTable, build_live_table, build_without_camera
from assistant.runtime.live_loop import LatestFrame, add_video_option
from assistant.runtime.page_server import ServingOptions, add_serving_options, serve_pages
from assistant.web.app import add_sheet_routes
from assistant.web.hub import Hub
from assistant.web.replay_routes import Archive
from calibration.errors import WrongPairing
from hardware.errors import BadSource, SourceLost
from hardware.printing.page import PAPERS, Page, Paper
from hardware.printing.pdf import render_pdf
from hardware.printing.sheets import TagCard, build_board_page, build_enrolment_page, fits_paper


def make_sheet(facts: WizardFacts, folder: Path, name: str, paper: str) -> bytes:
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
    pages = list(_make_pages(facts, name, PAPERS[paper]))
    data = render_pdf(pages, f"overtable {name}")
    write_atomically(folder / f"{name}-{paper}.pdf", data)
    return data


def _make_pages(facts: WizardFacts, name: str, paper: Paper) -> Iterator[Page]:
    match name:
        case "anchors":
            anchors, stretch = facts.reading.anchors, facts.reading.stretch
            if not anchors:
                raise BadInput("the table comes first: say how large it is and where the anchors lie")
            cards = [TagCard(tag=a.tag, size_mm=a.size_mm / stretch, label=label_anchor(a)) for a in anchors]
            yield from build_card_sheets(cards, paper, ANCHORS_HEADING)
        case "board":
            yield build_board_page(paper)
        case "tags":
            _insist_on_armies(facts)
            cards = [TagCard(tag=base.tag, size_mm=base.size_mm, label=base.model) for base in facts.given]
            yield from build_card_sheets(cards, paper, TAGS_HEADING)
        case _:
            _insist_on_armies(facts)
            yield from _make_rings(facts, paper)


def _insist_on_armies(facts: WizardFacts) -> None:
    if not facts.given:
        raise BadInput("the armies come first: these sheets are made for their models")


def _make_rings(facts: WizardFacts, paper: Paper) -> Iterator[Page]:
    """Yield the sheet for each base of the armies; one that no paper has room for is turned on the spot."""
    shapes = {name_ring(base): base.base.shape for base in facts.given}
    outlines = {name: trace_outline(PlacedShape(shape=shape, x_mm=0, y_mm=0)) for name, shape in shapes.items()}
    pages = [
        build_enrolment_page(outline, name, paper) for name, outline in outlines.items() if fits_paper(outline, paper)
    ]
    if not pages:
        raise BadInput("every base is larger than this paper: enrol the models by turning them on the spot")
    yield from pages


NO_CAMERA = "No camera is chosen yet: choose one on the set-up page."


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--source", help="The camera, such as usb:0 or virtual: ; it can be chosen on the page, too.")
@add_video_option
@add_serving_options
def setup(folder: Path | None, source: str | None, video: bool, where: ServingOptions) -> None:
    """Set up a table in the browser, and play on it.

    Everything is kept in FOLDER: what was entered, the set-up file, calibrations, sheets to print, recordings.  Run it
    again there to go on where you left it.  Without FOLDER it is one of your own, in your data folder.
    """
    wizard = open_wizard(folder or platformdirs.user_data_path("overtable") / "table")
    if source:
        wizard.enter({"source": source})
    hub, latest, archive = Hub(), LatestFrame(), Archive()

    def add(app: FastAPI) -> None:
        add_sheet_routes(app, lambda name, paper: make_sheet(wizard.facts, wizard.folder, name, paper))

    with serve_pages(hub, latest, where, "Set-up", archive=archive, opened="/setup", more=add) as stop:
        click.echo(f"Kept in {wizard.folder}")
        while not stop.is_set():
            _run(wizard, hub, latest, archive, stop, video=video)


def _run(wizard: Wizard, hub: Hub, latest: LatestFrame, archive: Archive, stop: Event, *, video: bool) -> None:
    """Run the line that the wizard wants, until it wants another."""
    try:
        line = _build_table(wizard, video=video)
        wizard.note_started()
        line.run(hub, latest, archive, stop)
    except WrongPairing as error:
        wizard.fail(str(error), lens=True)
    except (BadInput, BadSource, SourceLost) as error:
        wizard.fail(str(error))


def _build_table(wizard: Wizard, *, video: bool) -> LiveTable:
    if wizard.facts.fault:
        return build_without_camera(wizard.plan, wizard, wizard.facts.fault)
    if not wizard.reading.source:
        return build_without_camera(wizard.plan, wizard, NO_CAMERA)
    return build_live_table(replace(wizard.plan, video=video), wizard)


commands: list[click.Command] = [setup]
