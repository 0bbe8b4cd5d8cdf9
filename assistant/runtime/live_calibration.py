"""Live calibration: a lens or a projector measured through a set-up's camera, with pages but no recording."""

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import click

from assistant.errors import BadInput
from assistant.features.camera.frame_sources import build_camera_opener
from assistant.features.camera.markers import build_markers
from assistant.features.camera.pairing import Pairing, find_calibration_files
from assistant.features.decisions import GameController, JudgeController
from assistant.features.demo.virtual_table import DemoController, VirtualLamp, build_virtual_table
from assistant.features.feature import Feature
from assistant.features.lens.controller import LensController
from assistant.features.lens.virtual_hands import LensHands
from assistant.features.notices import print_notice
from assistant.features.projector.controller import ProjectorController
from assistant.features.session_plan import RECORDED, build_game
from assistant.game.state import GameState
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.live_loop import LatestFrame, LiveLoop, RateMeter
from assistant.runtime.page_server import ServingOptions, serve_pages
from assistant.setup.editing import read_projector
from assistant.setup.file import read_setup
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.commands.game import Drag
from assistant.web.hub import Hub
from calibration.projector.file import ProjectorFile
from hardware.camera.latest_frame_reader import LatestFrameReader
from hardware.simulation.virtual_table import VirtualTable
from vision.markers import Markers
from vision.pipeline import Pipeline


def calibrate_lens(path: Path, board: str, where: ServingOptions) -> None:
    """Serve the lens page for the camera of a set-up file, begun with a board, until interrupted.

    A lens that the set-up names is not looked through: it may be of another resolution, and is to be replaced.

    Raises:
        BadInput: the set-up or the board is not as it should be, or the port is taken.

    """
    setup = read_setup(path)
    state = build_game(setup, path, None)
    table = build_virtual_table(setup, state) if setup.camera.source.startswith("virtual:") else None

    open_camera = build_camera_opener(setup, path, table)  # what is wrong with it is said before any page opens
    hub, latest = Hub(), LatestFrame()
    words = setup.rings.ring_list.words
    pipeline = Pipeline(
        markers=Markers(anchors=setup.anchor_tags, bases=setup.enrolled_bases, lens=None, ring_words=words)
    )
    with ThreadPoolExecutor(2, "lens") as executor:
        hands, pairing = LensHands(table) if table else None, Pairing()
        lens = LensController(
            setup=setup, path=path, pipeline=pipeline, executor=executor, hands=hands, pairing=pairing
        )
        try:
            lens.begin(board)
        except BadInput as error:
            raise BadInput(f"--board: {error}") from None
        with serve_pages(hub, latest, where, "Lens", opened="/lens") as stop:
            camera = LatestFrameReader(open_camera)
            loop = LiveLoop(
                camera=camera,
                pipeline=pipeline,
                session=GameSession(state),
                hub=hub,
                name=setup.camera.shown,
                title="Lens calibration",
                meter=RateMeter(live=True),
                latest=latest,
                virtual=False,
                after_frame=_LensProgress(lens).follow,
                pairing=pairing,
                features=_build_features(lens, refusal="only the lens is calibrated here: models stay where they are"),
            )
            try:
                loop.run(stop)
            finally:
                camera.close()


@dataclass
class _LensProgress:
    """Says in the terminal what became of the lens, once."""

    lens: LensController
    said: str = ""
    """What was told last."""

    def follow(self, _: GameSession) -> None:
        """Say it if there is anything new."""
        if self.lens.kept != self.said:
            self.said = self.lens.kept
            if self.said:
                click.echo(self.said)


def measure_projector(
    path: Path, *, situation: Path | None, lens: Path | None, keep: bool, where: ServingOptions
) -> tuple[ProjectorFile, Path | None, Path | None]:
    """Throw tags of light on the table of a set-up file and serve the pages until the projector is measured.

    Args:
        path: the set-up file.
        situation: the game on the table.
        lens: a lens file in place of the set-up's.
        keep: write what was measured to the projector's file, and name it in the set-up.
        where: where the pages are served.

    Returns:
        What was measured, the file that was written, and where what that held before is now.

    Raises:
        BadInput: a file is not as it should be, or the port is taken.

    """
    setup = read_setup(path)
    if setup.camera.source.startswith(RECORDED):
        raise BadInput(
            f"{path}: its camera is a recording, which cannot see what the projector throws now; name a live one"
        )
    state = build_game(setup, path, situation)
    try:
        calibration, notice = read_projector(setup, path)
    except BadInput as error:  # what is wrong with the file before is no reason not to make a new one
        calibration, notice = None, str(error)
    markers, lens_notice = build_markers(setup, path, lens, state.terrain)
    table = build_virtual_table(setup, state) if setup.camera.source.startswith("virtual:") else None
    projector = ProjectorController(
        setup=setup,
        path=path,
        pipeline=Pipeline(markers=markers),
        file=calibration,
        notice=notice,
        page_size=table.projector.image_size if table else None,
        page_is_fixed=table is not None,
    )
    print_notice(lens_notice)
    pairing = Pairing(find_calibration_files(setup, path, lens))
    _run_projector_loop(projector, state, path, table, where=where, pairing=pairing)
    measured = projector.measured
    assert measured is not None
    if not keep:
        return measured, None, None
    projector.keep()
    return measured, projector.written, projector.before


def _run_projector_loop(
    projector: ProjectorController,
    state: GameState,
    path: Path,
    table: VirtualTable | None,
    *,
    where: ServingOptions,
    pairing: Pairing,
) -> None:
    open_camera = build_camera_opener(projector.setup, path, table)  # what is wrong is said before any page opens
    hub, latest = Hub(), LatestFrame()
    projector.begin()
    with (
        serve_pages(hub, latest, where, "Projector calibration", to_stderr=True) as stop,
        closing(LatestFrameReader(open_camera)) as camera,
    ):
        LiveLoop(
            camera=camera,
            pipeline=projector.pipeline,
            session=GameSession(state, solve_zone=skip_zone),
            hub=hub,
            name=projector.setup.camera.shown,
            title="Projector calibration",
            meter=RateMeter(live=True),
            latest=latest,
            virtual=False,
            after_frame=_ProjectorProgress(
                projector=projector, stop=stop, lamp=VirtualLamp(table, projector) if table else None
            ).follow,
            pairing=pairing,
            features=_build_features(
                projector, refusal="the projector is being calibrated: nothing is moved meanwhile"
            ),
        ).run(stop)


@dataclass(kw_only=True)
class _ProjectorProgress:
    """Lights the table after each frame, tells news in the terminal, and finds the end."""

    projector: ProjectorController
    stop: Event
    lamp: VirtualLamp | None
    note: str = ""
    """What was told last."""

    def follow(self, session: GameSession) -> None:
        """Light the table, tell what is new, and find the end; it begins anew where somebody left it on the page."""
        if self.lamp is not None:
            self.lamp.throw(session)
        if self.projector.state is None:  # somebody left it on the page
            self.projector.begin()
        if self.projector.measured is not None:
            self.stop.set()
        if (note := self.projector.build_view().note) != self.note:
            self.note = note
            print(note, file=sys.stderr)


def _build_features(feature: Feature, *, refusal: str) -> FeatureSet:
    """Return what is calibrated, with a game whose models nobody pushes; ``refusal`` says why not."""

    def refuse(_: Drag) -> None:
        raise BadInput(refusal)

    return FeatureSet(GameController(), JudgeController(), DemoController(push=refuse), feature)
