"""`overtable doctor`: what of a set-up works, how good it is in millimetres, and what would improve it most."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import platformdirs

from assistant.cli import NOT_THERE
from assistant.cli.doctor import calibrated, camera, machine, projector
from assistant.cli.doctor.report import Check, Diagnosis, bad, in_words
from assistant.cli.doctor.sight import View, look, pictures
from assistant.cli.markers import markers_of
from assistant.cli.output import as_json
from assistant.cli.pairing import calibration_files, mark_of
from assistant.cli.virtual import virtual_table
from assistant.game.state import NO_RULEBOOK, GameState, Table
from assistant.setup import Setup, read_setup
from calibration.pairing import Match, matched
from hardware.camera import Pace, open_source
from hardware.camera.source import FrameSource
from hardware.camera.virtual import VirtualCamera
from hardware.errors import SourceLost

PORT = 8765
RECORDED = ("file:", "images:")
_FILE = click.Path(path_type=Path)


@click.command()
@click.option("--setup", "setup_path", type=_FILE, help="The set-up to look at; without it only the machine is.")
@click.option("--lens", type=_FILE, help="A lens file, in place of the one that the set-up names.")
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(1, 65535), help="Of the pages.")
@click.option("--host", default="0.0.0.0", show_default=True, help="Of the pages.")  # noqa: S104
@as_json
def doctor(*, setup_path: Path | None, lens: Path | None, port: int, host: str, as_json: bool) -> int:
    """Say what of camera, calibration, disk and browser works, how good it is in millimetres, and what to do.

    It looks through the camera for a few seconds and changes nothing.
    """
    checks: list[Check] = []
    reckoned, lost = None, False
    if setup_path is None:
        checks.append(machine.plugged_in())
    else:
        setup = read_setup(setup_path)
        try:
            view = pictures(_opener(setup, setup_path), live=not setup.camera.source.startswith(RECORDED))
        except SourceLost as error:
            checks += [bad("camera", str(error), "see to the camera first"), machine.plugged_in()]
            checks += calibrated.lens(setup.camera.lens, calibration_files(setup, setup_path, lens), None, None)
            lost = True
        else:
            found, reckoned = _seen(setup, setup_path, lens, view)
            checks += found
        checks.append(projector.projector(setup, setup_path))
    checks += [machine.disk(platformdirs.user_data_path("overtable") / "games"), machine.browser()]
    checks += machine.network(host, port)
    diagnosis = Diagnosis(
        setup=None if setup_path is None else str(setup_path),
        checks=tuple(checks),
        error=reckoned.error if reckoned else None,
        improve=reckoned.improve if reckoned else (),
    )
    click.echo(diagnosis.model_dump_json() if as_json else in_words(diagnosis))
    return NOT_THERE if lost else 0


def _seen(setup: Setup, path: Path, lens: Path | None, view: View) -> tuple[list[Check], calibrated.Outlook | None]:
    """Return what there is to say of what the camera sees, and what is reckoned of its calibration."""
    markers, _ = markers_of(setup, path, lens)
    files = calibration_files(setup, path, lens)
    mark = mark_of(view.identity, view.frames[-1].image)
    if any(matched(file.made_with, mark).match is Match.DIFFERENT for file in files):
        markers = replace(markers, lens=None)  # no game would be played with it
    sight = look(view, markers)
    reckoned = calibrated.outlook(markers, sight, width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    checks = [
        *camera.camera(setup.camera.source, view, sight),
        *camera.picture(sight),
        *calibrated.lens(setup.camera.lens, files, mark, reckoned),
        *calibrated.anchors(markers, sight),
        calibrated.error(reckoned.error if reckoned else None),
    ]
    if sight.pipeline.camera is not None:
        checks += [camera.tags(setup, sight.pipeline.camera, sight), *camera.bases(setup, sight)]
    return checks, reckoned


def _opener(setup: Setup, path: Path) -> Callable[[], FrameSource]:
    if not setup.camera.source.startswith("virtual:"):
        return lambda: open_source(setup.camera.source, folder=path.parent, pace=Pace.FREE)
    table = Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    laid = virtual_table(setup, GameState(rulebook=NO_RULEBOOK, table=table, units=()))
    return lambda: VirtualCamera(laid)


commands: list[click.Command] = [doctor]
