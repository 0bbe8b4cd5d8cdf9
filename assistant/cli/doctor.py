"""`overtable doctor`: what of a set-up works, how good it is in millimetres, and what would improve it most."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import platformdirs

from assistant.cli import NOT_THERE
from assistant.cli.output import add_json_option
from assistant.features.camera.markers import build_markers
from assistant.features.camera.pairing import build_mark, find_calibration_files
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.features.diagnosis import calibration as calibrated
from assistant.features.diagnosis import calibration as projector
from assistant.features.diagnosis import camera, machine
from assistant.features.diagnosis.camera import CameraSample, analyse_sample, take_pictures
from assistant.features.diagnosis.report import Check, Diagnosis, describe_diagnosis, report_bad
from assistant.game.state import NO_RULEBOOK, GameState, Table
from assistant.setup.file import Setup, read_setup
from calibration.camera_match import CameraMatch, match_cameras
from hardware.camera import PlaybackPace, open_source
from hardware.camera.frame_source import FrameSource
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
@add_json_option
def doctor(*, setup_path: Path | None, lens: Path | None, port: int, host: str, as_json: bool) -> int:
    """Say what of camera, calibration, disk and browser works, how good it is in millimetres, and what to do.

    It looks through the camera for a few seconds and changes nothing.
    """
    checks: list[Check] = []
    reckoned, lost = None, False
    if setup_path is None:
        checks.append(machine.check_cameras())
    else:
        setup = read_setup(setup_path)
        try:
            view = take_pictures(_build_opener(setup, setup_path), live=not setup.camera.source.startswith(RECORDED))
        except SourceLost as error:
            checks += [report_bad("camera", str(error), "see to the camera first"), machine.check_cameras()]
            checks += calibrated.check_lens(
                setup.camera.lens, find_calibration_files(setup, setup_path, lens), None, None
            )
            lost = True
        else:
            found, reckoned = _check_view(setup, setup_path, lens, view)
            checks += found
        checks.append(projector.check_projector(setup, setup_path))
    checks += [machine.check_disk(platformdirs.user_data_path("overtable") / "games"), machine.check_browser()]
    checks += machine.check_network(host, port)
    diagnosis = Diagnosis(
        setup=None if setup_path is None else str(setup_path),
        checks=tuple(checks),
        error=reckoned.error if reckoned else None,
        improve=reckoned.improve if reckoned else (),
    )
    click.echo(diagnosis.model_dump_json() if as_json else describe_diagnosis(diagnosis))
    return NOT_THERE if lost else 0


def _check_view(
    setup: Setup, path: Path, lens: Path | None, view: CameraSample
) -> tuple[list[Check], calibrated.CalibrationOutlook | None]:
    """Return what there is to say of what the camera sees, and what is reckoned of its calibration."""
    markers, _ = build_markers(setup, path, lens)
    files = find_calibration_files(setup, path, lens)
    mark = build_mark(view.identity, view.frames[-1].image)
    if any(match_cameras(file.made_with, mark).match is CameraMatch.DIFFERENT for file in files):
        markers = replace(markers, lens=None)  # no game would be played with it
    sight = analyse_sample(view, markers)
    reckoned = calibrated.predict_outlook(markers, sight, width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    checks = [
        *camera.check_camera(setup.camera.shown, view, sight),
        *camera.check_picture(sight),
        *calibrated.check_lens(setup.camera.lens, files, mark, reckoned),
        *calibrated.check_anchors(markers, sight),
        calibrated.check_error(reckoned.error if reckoned else None),
    ]
    if sight.pipeline.camera is not None:
        checks += [camera.check_tags(setup, sight.pipeline.camera, sight), *camera.check_bases(setup, sight)]
    return checks, reckoned


def _build_opener(setup: Setup, path: Path) -> Callable[[], FrameSource]:
    if not setup.camera.source.startswith("virtual:"):
        return lambda: open_source(setup.camera.source, folder=path.parent, pace=PlaybackPace.FREE)
    table = Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    laid = build_virtual_table(setup, GameState(rulebook=NO_RULEBOOK, table=table, units=()))
    return lambda: VirtualCamera(laid)


commands: list[click.Command] = [doctor]
