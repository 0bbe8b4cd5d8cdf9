"""The examination of a set-up: every check of machine, camera, calibration and projector, in one diagnosis."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assistant.features.camera.markers import build_markers
from assistant.features.camera.pairing import build_mark, find_calibration_files
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.features.diagnosis import calibration, camera, machine, markers
from assistant.features.diagnosis.camera import CameraSample, analyse_sample, take_pictures
from assistant.features.diagnosis.report import Check, Diagnosis, report_bad
from assistant.features.session_plan import RECORDED
from assistant.game.state import NO_RULEBOOK, GameState, Table
from assistant.setup.file import Setup, read_setup
from calibration.camera_match import CameraMatch, match_cameras
from hardware.camera import PlaybackPace, open_source
from hardware.camera.frame_source import FrameSource
from hardware.camera.virtual import VirtualCamera
from hardware.errors import SourceLost


def examine_setup(
    setup_path: Path | None, *, lens: Path | None, host: str, port: int, games: Path
) -> tuple[Diagnosis, bool]:
    """Look through a set-up's camera for a few seconds and at the machine; change nothing.

    Args:
        setup_path: the set-up file; None looks at the machine alone.
        lens: a lens file in place of the set-up's.
        host: where the pages would be served.
        port: likewise.
        games: where games are recorded.

    Returns:
        What was found, and whether the camera is there.

    Raises:
        BadInput: the set-up or a file that it names is not as it should be.

    """
    checks: list[Check] = []
    outlook, is_there = None, True
    if setup_path is None:
        checks.append(machine.check_cameras())
    else:
        setup = read_setup(setup_path)
        try:
            sample = take_pictures(build_opener(setup, setup_path), live=not setup.camera.source.startswith(RECORDED))
        except SourceLost as error:
            files = find_calibration_files(setup, setup_path, lens)
            checks += [report_bad("camera", str(error), "see to the camera first"), machine.check_cameras()]
            checks += calibration.check_lens(setup.camera.lens, files, None, None)
            is_there = False
        else:
            more, outlook = _check_sample(setup, setup_path, lens, sample)
            checks += more
        checks.append(calibration.check_projector(setup, setup_path))
    checks += [machine.check_disk(games), machine.check_browser()]
    checks += machine.check_network(host, port)
    diagnosis = Diagnosis(
        setup=None if setup_path is None else str(setup_path),
        checks=tuple(checks),
        error=outlook.error if outlook else None,
        improve=outlook.improve if outlook else (),
    )
    return diagnosis, is_there


def _check_sample(
    setup: Setup, path: Path, lens: Path | None, sample: CameraSample
) -> tuple[list[Check], calibration.CalibrationOutlook | None]:
    """Return what there is to say of what the camera sees, and what is expected of its calibration."""
    expected, _ = build_markers(setup, path, lens)
    files = find_calibration_files(setup, path, lens)
    mark = build_mark(sample.identity, sample.frames[-1].image)
    if any(match_cameras(file.made_with, mark).match is CameraMatch.DIFFERENT for file in files):
        expected = replace(expected, lens=None)  # no game would be played with it
    sight = analyse_sample(sample, expected)
    outlook = calibration.predict_outlook(expected, sight, width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    checks = [
        *camera.check_camera(setup.camera.shown, sample, sight),
        *camera.check_picture(sight),
        *calibration.check_lens(setup.camera.lens, files, mark, outlook),
        *calibration.check_anchors(expected, sight),
        calibration.check_error(outlook.error if outlook else None),
    ]
    if sight.pipeline.camera is not None:
        place = sight.pipeline.camera
        checks += [markers.check_tags(setup, place, sight), *markers.check_rings(setup, place, sight)]
        checks += [*markers.check_bases(setup, sight), *markers.check_terrain(setup, sight)]
    return checks, outlook


def build_opener(setup: Setup, path: Path) -> Callable[[], FrameSource]:
    """Return what opens the camera of a set-up file, or one over its virtual table."""
    if not setup.camera.source.startswith("virtual:"):
        return lambda: open_source(setup.camera.source, folder=path.parent, pace=PlaybackPace.FREE)
    table = Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    laid = build_virtual_table(setup, GameState(rulebook=NO_RULEBOOK, table=table, units=()))
    return lambda: VirtualCamera(laid)
