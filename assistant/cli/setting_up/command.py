"""`overtable setup`: the pages, and one line from the camera after another, as the wizard wants them."""

from dataclasses import replace
from pathlib import Path
from threading import Event

import click
import platformdirs
from fastapi import FastAPI

from assistant.cli.filmer import with_video
from assistant.cli.line import Line, built, without_camera
from assistant.cli.serving import Serving, pages, serving
from assistant.cli.setting_up.sheets import sheet
from assistant.cli.setting_up.wizard import Wizard, wizard_in
from assistant.cli.watch import Latest
from assistant.errors import BadInput
from assistant.web.hub import Hub
from assistant.web.past import Archive
from assistant.web.sheets import add_sheets
from calibration.errors import WrongPairing
from hardware.errors import BadSource, SourceLost

NO_CAMERA = "No camera is chosen yet: choose one on the set-up page."


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--source", help="The camera, such as usb:0 or virtual: ; it can be chosen on the page, too.")
@with_video
@serving
def setup(folder: Path | None, source: str | None, video: bool, where: Serving) -> None:
    """Set up a table in the browser, and play on it.

    Everything is kept in FOLDER: what was entered, the set-up file, calibrations, sheets to print, recordings.  Run it
    again there to go on where you left it.  Without FOLDER it is one of your own, in your data folder.
    """
    wizard = wizard_in(folder or platformdirs.user_data_path("overtable") / "table")
    if source:
        wizard.enter({"source": source})
    hub, latest, archive = Hub(), Latest(), Archive()

    def add(app: FastAPI) -> None:
        add_sheets(app, lambda name, paper: sheet(wizard.facts, wizard.folder, name, paper))

    with pages(hub, latest, where, "Set-up", archive=archive, opened="/setup", more=add) as stop:
        click.echo(f"Kept in {wizard.folder}")
        while not stop.is_set():
            _run(wizard, hub, latest, archive, stop, video=video)


def _run(wizard: Wizard, hub: Hub, latest: Latest, archive: Archive, stop: Event, *, video: bool) -> None:
    """Run the line that the wizard wants, until it wants another."""
    try:
        line = _line(wizard, video=video)
        wizard.begun()
        line.run(hub, latest, archive, stop)
    except WrongPairing as error:
        wizard.fail(str(error), lens=True)
    except (BadInput, BadSource, SourceLost) as error:
        wizard.fail(str(error))


def _line(wizard: Wizard, *, video: bool) -> Line:
    if wizard.facts.fault:
        return without_camera(wizard.plan, wizard, wizard.facts.fault)
    if not wizard.reading.source:
        return without_camera(wizard.plan, wizard, NO_CAMERA)
    return built(replace(wizard.plan, video=video), wizard)


commands: list[click.Command] = [setup]
