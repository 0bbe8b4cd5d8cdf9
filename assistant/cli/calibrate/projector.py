"""`overtable calibrate projector`: from tags of light on the table to the file that overlays are warped by."""

import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click

from assistant.cli.calibrate.lens import describe_written
from assistant.cli.output import add_json_option
from assistant.errors import BadInput
from assistant.features.camera.frame_sources import build_camera_opener
from assistant.features.camera.markers import build_markers, print_notice
from assistant.features.camera.pairing import Pairing, find_calibration_files
from assistant.features.demo.virtual_table import VirtualLamp, build_virtual_table
from assistant.features.projector.controller import ProjectorController
from assistant.features.session_plan import RECORDED, build_game
from assistant.game.state import GameState
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.live_loop import LatestFrame, LiveLoop, RateMeter
from assistant.runtime.page_server import ServingOptions, add_serving_options, serve_pages
from assistant.setup.calibration_files import read_projector
from assistant.setup.file import Setup, read_setup
from assistant.table.session import GameSession
from assistant.web.hub import Hub
from calibration.projector.file import ProjectorFile
from hardware.camera.latest_frame_reader import LatestFrameReader
from hardware.simulation.virtual_table import VirtualTable
from vision.pipeline import Pipeline

DOUBTFUL_MM = 0.5
"""Two standard deviations below this are not worth a word."""
_FILE = click.Path(path_type=Path)


@click.command()
@click.option("--setup", "setup_path", required=True, type=_FILE, help="The set-up file; the projector is named in it.")
@click.option("--situation", type=_FILE, help="The game on the table: no tag of light is thrown on its terrain.")
@click.option("--lens", type=_FILE, help="A lens file, in place of the one that the set-up names.")
@click.option("--dry-run", is_flag=True, help="Say what was found and write nothing.")
@add_serving_options
@add_json_option
def projector(
    *, setup_path: Path, situation: Path | None, lens: Path | None, dry_run: bool, where: ServingOptions, as_json: bool
) -> None:
    """Measure where the projector's light lands.

    Open the projector page on the projector, full screen; tags of light are thrown on the table, and the camera finds
    them.  Nothing but the table's anchors has to lie there.  The calibration before is kept beside the new one.
    """
    setup = read_setup(setup_path)
    if setup.camera.source.startswith(RECORDED):
        raise BadInput(
            f"{setup_path}: its camera is a recording, which cannot see what the projector throws now; name a live one"
        )
    state = build_game(setup, setup_path, situation)
    try:
        known, notice = read_projector(setup, setup_path)
    except BadInput as error:  # what is wrong with the file before is no reason not to make a new one
        known, notice = None, str(error)
    markers, lens_notice = build_markers(setup, setup_path, lens, state.terrain)
    pipeline = Pipeline(markers=markers)
    virtual = setup.camera.source.startswith("virtual:")
    table = build_virtual_table(setup, state) if virtual else None
    projectionist = ProjectorController(
        setup=setup,
        path=setup_path,
        pipeline=pipeline,
        file=known,
        notice=notice,
        page_size=table.projector.image_size if table else None,
        page_is_fixed=table is not None,
    )
    print_notice(lens_notice)
    pairing = Pairing(find_calibration_files(setup, setup_path, lens))
    _watch(projectionist, state, setup_path, table, where=where, pairing=pairing)
    assert projectionist.measured is not None
    found = projectionist.measured
    if not dry_run:
        projectionist.keep()
    written, before = (None, None) if dry_run else (projectionist.written, projectionist.before)
    click.echo(found.model_dump_json() if as_json else describe_projector(found, written, before))


def _watch(
    projectionist: ProjectorController,
    state: GameState,
    path: Path,
    table: VirtualTable | None,
    *,
    where: ServingOptions,
    pairing: Pairing,
) -> None:
    """Run the camera's line and the pages until the projector is measured."""
    setup: Setup = projectionist.setup

    open_camera = build_camera_opener(setup, path, table)  # what is wrong with it is said before any page opens
    hub, latest = Hub(), LatestFrame()
    projectionist.begin()
    with (
        serve_pages(hub, latest, where, "Projector calibration", to_stderr=True) as stop,
        closing(LatestFrameReader(open_camera)) as drain,
    ):
        LiveLoop(
            drain=drain,
            pipeline=projectionist.pipeline,
            session=GameSession(state, reach=lambda _: None),
            hub=hub,
            name=setup.camera.source,
            title="Projector calibration",
            meter=RateMeter(live=True),
            latest=latest,
            hand=_refuse_push,
            virtual=False,
            after_frame=_build_after_frame(projectionist, stop, VirtualLamp(table, projectionist) if table else None),
            pairing=pairing,
            crew=FeatureSet(projectionist=projectionist),
        ).run(stop)


def _refuse_push(_: object) -> None:
    raise BadInput("the projector is being calibrated: nothing is moved meanwhile")


def _build_after_frame(
    projectionist: ProjectorController, stop: threading.Event, lamp: VirtualLamp | None
) -> Callable[[GameSession], None]:
    """Return what is done after each frame: the table lit, news told, and the end found."""
    told = ""

    def after_frame(session: GameSession) -> None:
        nonlocal told
        if lamp is not None:
            lamp.throw(session)
        if projectionist.state is None:  # somebody left it on the page
            projectionist.begin()
        if projectionist.measured is not None:
            stop.set()
        if (note := projectionist.build_view().note) != told:
            told = note
            print(note, file=sys.stderr)

    return after_frame


def describe_projector(found: ProjectorFile, written: Path | None, before: Path | None) -> str:
    """Return what a person is told of a calibration."""
    held_out = found.held_out
    assert held_out is not None
    x_mm, y_mm = held_out.worst_at_mm
    width, height = found.image_size
    error = (
        f"Light lands within {held_out.mean_mm:.2f} mm of where it belongs on average, {held_out.worst_mm:.2f} mm at"
        f" the worst (near x {x_mm:.0f} mm, y {y_mm:.0f} mm): measured at {held_out.tags} tags of light, each held"
        " out of the fit that foretold it."
    )
    lines = [
        error,
        f"The camera's own place adds {held_out.camera_sigma_mm:.2f} mm, which moves light and models alike.",
        f"It holds for a projector page of {width} x {height} pixels; lens: {found.lens}.",
    ]
    if 2 * held_out.doubt_mm > max(held_out.worst_mm, DOUBTFUL_MM):
        x_mm, y_mm = held_out.doubt_at_mm
        lines.append(
            f"Away from those tags it may be off by {2 * held_out.doubt_mm:.1f} mm (near x {x_mm:.0f} mm, y {y_mm:.0f}"
            " mm): clear the table there, or lower the camera's exposure, and measure again."
        )
    if found.dropped:
        lines.append(f"{len(found.dropped)} tags did not belong to the others and were left out.")
    lines.append("Nothing was written." if written is None else describe_written(written, before))
    return "\n".join(lines)
