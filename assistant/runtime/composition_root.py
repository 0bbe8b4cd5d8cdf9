"""The composition root: cameras, pipelines, the session and the features, built from a session plan and run.

What is wrong with a set-up is said before any page opens and anything is recorded.
"""

import json
import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event

import click
from fastapi import FastAPI

from assistant.bridges.bridge import PlannedBridge, plan_bridges
from assistant.errors import BadInput
from assistant.features.camera.controller import CameraController, build_settings_writer
from assistant.features.camera.frame_sources import build_camera_opener
from assistant.features.camera.markers import build_markers
from assistant.features.camera.pairing import Pairing, find_calibration_files
from assistant.features.camera.ring_legibility import RingSight
from assistant.features.camera.sight_notices import SightNotices
from assistant.features.decisions import GameController, JudgeController
from assistant.features.demo.script import ScriptPerformer
from assistant.features.demo.virtual_table import (
    DemoController,
    VirtualLamp,
    build_virtual_table,
    push_model,
    update_table,
)
from assistant.features.enrolment.controller import EnrolmentController
from assistant.features.enrolment.virtual_hands import EnrolmentHands
from assistant.features.feature import Feature
from assistant.features.foresight import ForesightFeature
from assistant.features.laying.controller import LayingController
from assistant.features.lens.controller import LensController
from assistant.features.lens.virtual_hands import LensHands
from assistant.features.light.controller import LightController
from assistant.features.notices import print_notice
from assistant.features.projector.controller import ProjectorController
from assistant.features.refinement.controller import RefinementController
from assistant.features.session_plan import SessionPlan
from assistant.features.shown_calls import ShownCalls
from assistant.features.tools.controller import ToolsController
from assistant.features.wizard.controller import Wizard, open_wizard
from assistant.features.wizard.sheets import make_sheet
from assistant.game.situation_file import encode_situation
from assistant.game.state import GameState, Pose
from assistant.hall.publisher import HallLink, publish_to_hall
from assistant.recording.journal.reader import CHAINED_FORMATS, read_about
from assistant.recording.journal.writer import Journal
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.verification_notice import refuse_changed
from assistant.runtime.bridge_runner import BridgeNotices, run_bridges
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.keeper import Kept, keep
from assistant.runtime.live_loop import LatestFrame, LiveLoop, RateMeter, SessionVideo
from assistant.runtime.page_server import ServingOptions, serve_pages
from assistant.runtime.supervision import FaultNotices, describe_fault
from assistant.runtime.watchdog import LineProgress, run_watched
from assistant.setup.editing import read_projector
from assistant.setup.hall_file import HallFile, read_hall_file
from assistant.setup.lighting import TableLighting, read_lighting
from assistant.table.background_worker import BackgroundWorker
from assistant.table.session import GameSession
from assistant.table.zone_query import ZoneSolver
from assistant.web.app import add_sheet_routes
from assistant.web.hub import Hub
from assistant.web.replay_routes import Archive
from calibration.errors import WrongPairing
from hardware.camera.frame_source import FrameSource
from hardware.camera.latest_frame_reader import LatestFrameReader
from hardware.errors import EndOfFrames, SourceLost
from hardware.simulation.virtual_table import VirtualTable
from overtable_errors import OvertableError
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.tags.detection import leave_detector

CURTAIN_S = 20
CAMERA_HANGS_S = 5.0
"""A camera whose driver does not answer for so long is opened anew."""
MOST_LINES = 5
"""So often a line that stands still is begun anew in one process."""
REBUILT_S = 1.0
"""After a bug a table is built again no sooner."""
_log = logging.getLogger(__name__)
NO_CAMERA = "No camera is chosen yet: choose one on the set-up page."


@dataclass(kw_only=True)
class _Line:
    """One line of a live table: the first, or one that is begun after another stood still."""

    number: int = 0
    before: GameSession | None = None
    """Of the line that stood still, to go on from where nothing is recorded."""
    told: str = ""
    """Why it was begun anew, as a sentence."""
    progress: LineProgress
    opened: ExitStack = field(default_factory=ExitStack)
    journal: Journal | None = None
    session: GameSession | None = None
    camera: LatestFrameReader | None = None

    def leave(self) -> None:
        """Take from a line that stands still what the next one needs; it closes nothing more when it wakes up."""
        self.opened.pop_all()
        leave_detector(self.progress.thread)
        if self.journal:
            self.journal.take_away()
        if self.camera:
            self.camera.close()


@dataclass(kw_only=True)
class LiveTable:
    """A line that could be built; it runs once."""

    plan: SessionPlan
    markers: Markers
    pairing: Pairing
    table: VirtualTable | None
    open_camera: Callable[[], FrameSource]
    notice: str
    wizard: Wizard | None = None
    """Leads through the set-up, where it may be changed."""
    kept: Kept = field(default_factory=Kept)
    told: str = ""
    """Why the program was begun anew of which this is the first table."""
    bridges: tuple[PlannedBridge, ...] = ()
    """Which other programs are told of it."""
    bridge_notices: BridgeNotices = field(default_factory=BridgeNotices)
    hall: HallLink = field(default_factory=HallLink)
    """Shows how the hall fares that it is told to, if it belongs to one."""

    def run(self, hub: Hub, latest: LatestFrame, archive: Archive, stop: Event) -> None:
        """Keep the pages live until told to stop, or until the wizard wants another line.

        Raises:
            BadInput: the recording cannot be made, or a picture cannot be used.
            hardware.errors.BadSource: the camera's source cannot be read as it was written.
            calibration.errors.WrongPairing: a calibration file is not the camera's.

        """
        plan = self.plan
        with ExitStack() as opened:
            markers = {base.model: base.marker for base in plan.setup.bases}
            opened.enter_context(run_bridges(self.bridges, hub, markers, self.bridge_notices))
            opened.enter_context(publish_to_hall(plan.recording, hub, self.hall))
            workers = opened.enter_context(BackgroundWorker()), opened.enter_context(BackgroundWorker())
            executor = opened.enter_context(ThreadPoolExecutor(2, "lens"))
            # Of a program that was begun anew the first line is not the first of the game.
            line = _Line(number=1 if self.told else 0, told=self.told, progress=self._build_progress())
            while True:
                latest.frame = latest.over = None
                run = partial(
                    self._run_line, line, workers, executor, hub=hub, latest=latest, archive=archive, stop=stop
                )
                if plan.is_recorded_film or (line.number == MOST_LINES and not self.kept.is_watched):
                    run()  # a film would begin anew
                    break
                _, stage = run_watched(run, line.progress, line.leave)
                if stage is None:
                    break
                if line.number == MOST_LINES:
                    self.kept.end_hard()
                line = _Line(
                    number=line.number + 1,
                    before=line.session,
                    told=f"The table stood still while it {stage}, and was started again.",
                    progress=self._build_progress(),
                )

    def _build_progress(self) -> LineProgress:
        return LineProgress(partial(setattr, self.kept.notes, "stage"))

    def _run_line(
        self,
        line: _Line,
        workers: tuple[BackgroundWorker, BackgroundWorker],
        executor: ThreadPoolExecutor,
        *,
        hub: Hub,
        latest: LatestFrame,
        archive: Archive,
        stop: Event,
    ) -> None:
        plan, worker = self.plan, workers[0]
        with line.opened as opened:
            journal = opened.enter_context(_open_journal(plan, again=line.number > 0)) if plan.recording else None
            line.journal = journal
            archive.past = RecordedGame(plan.recording) if plan.recording else None
            if not line.number:
                self._announce(journal, hub, stop)
            if journal and journal.rows and archive.past:
                session = _resume_session(archive.past, journal, worker)
            elif line.before is not None:
                session = line.before.fork(solve_zone=worker)
                session.lose_track()
            else:
                session = GameSession(plan.state, journal, solve_zone=worker)
            line.session = session
            opened.callback(_end_session, session)
            if plan.restoring and not line.number:
                session.begin_restoring(plan.restoring)
            session.motion = replace(session.motion, expected={} if line.number else self._find_known_rests())
            tools = ToolsController(*workers)
            loop = self._build_loop(line, session, tools, executor, hub=hub, latest=latest, past=archive.past)
            loop.run(stop)
            if self.wizard:
                self.wizard.rests = (plan, session.motion.list_rests())

    def _announce(self, journal: Journal | None, hub: Hub, stop: Event) -> None:
        """Say where it is recorded to, and wait for who wants to see a film."""
        if journal:
            click.echo(f"{'Going on with' if journal.rows else 'Recording to'} {journal.path}")
        print_notice(self.notice)
        if self.plan.is_recorded_film and not hub.watched:
            _wait_for_a_page(hub, stop)

    def _find_known_rests(self) -> Mapping[str, Pose]:
        """Return where the models of the game that begins stood before its first picture; nothing of another table.

        Who moves one of them before the game has seen it has moved it from there: from where the set-up's pictures
        showed it, on a virtual table from where it was laid.
        """
        if self.plan.recording is None or self.plan.go_on:
            return {}
        if self.table is not None:
            return {model.id: model.pose for _, model in self.plan.state.iterate_models() if model.pose is not None}
        if self.wizard is None or self.wizard.rests is None:
            return {}
        before, rests = self.wizard.rests
        return rests if (before.setup, before.state) == (self.plan.setup, self.plan.state) else {}

    def _build_loop(
        self,
        line: _Line,
        session: GameSession,
        tools: ToolsController,
        executor: ThreadPoolExecutor,
        *,
        hub: Hub,
        latest: LatestFrame,
        past: RecordedGame | None,
    ) -> LiveLoop:
        plan, table, wizard = self.plan, self.table, self.wizard
        pipeline = Pipeline(markers=self.markers)
        calibration, notice = read_projector(plan.setup, plan.path)
        projector = ProjectorController(
            setup=plan.setup,
            path=plan.kept_at,
            pipeline=pipeline,
            file=calibration,
            notice=notice,
            page_size=table.projector.image_size if table else None,
            page_is_fixed=table is not None,
        )
        light = LightController(
            path=plan.kept_at,
            lights=read_lighting(plan.kept_at) if plan.kept_at else TableLighting(),
            pipeline=pipeline,
        )
        video = SessionVideo(plan.recording) if plan.video and plan.recording else None
        if video:
            line.opened.callback(video.close, session)
        hang_s = None if plan.is_recorded_film or table else CAMERA_HANGS_S
        camera = line.camera = LatestFrameReader(self.open_camera, hang_s=hang_s, after_ns=session.now_ns)
        # Who touches something waits for no picture, neither for the answer nor for what is worked out of it.
        hub.on_command = camera.wake
        tools.tell_of_answers(camera.wake)
        line.opened.callback(camera.close)
        features = self._build_features(pipeline, camera, executor, projector=projector, light=light, tools=tools)
        line.opened.callback(features.close)
        faults = FaultNotices()
        if line.told:
            faults.tell(line.told)
        return LiveLoop(
            camera=camera,
            pipeline=pipeline,
            session=session,
            hub=hub,
            name=plan.setup.camera.shown,
            title=plan.title,
            meter=RateMeter(live=not plan.is_recorded_film),
            latest=latest,
            virtual=table is not None,
            features=features,
            is_superseded=lambda: wizard is not None and wizard.due,
            after_commands=partial(update_table, table, plan.setup),
            after_frame=VirtualLamp(table, projector, light).throw if table else lambda _: None,
            performer=ScriptPerformer(plan.scenes, session) if plan.scenes and not line.number else None,
            video=video,
            pairing=self.pairing,
            past=past,
            faults=faults,
            progress=line.progress,
        )

    def _build_features(
        self,
        pipeline: Pipeline,
        camera: LatestFrameReader,
        executor: ThreadPoolExecutor,
        *,
        projector: ProjectorController,
        light: LightController,
        tools: ToolsController,
    ) -> FeatureSet:
        plan, table = self.plan, self.table
        set_up: list[Feature] = []
        armies: list[Feature] = []
        if self.wizard:
            self.wizard.projector = projector
            set_up, armies = [self.wizard], [self.wizard.armies, self.wizard.layouts]
        return FeatureSet(
            GameController(),
            JudgeController(),
            DemoController(push=partial(push_model, table, plan.setup)),
            EnrolmentController(
                setup=plan.setup,
                path=plan.kept_at,
                pipeline=pipeline,
                hands=EnrolmentHands(table, plan.setup) if table else None,
            ),
            LensController(
                setup=plan.setup,
                path=plan.kept_at,
                pipeline=pipeline,
                executor=executor,
                pairing=self.pairing,
                hands=LensHands(table) if table else None,
            ),
            *armies,
            RingSight(setup=plan.setup),
            SightNotices(setup=plan.setup, executor=executor),
            RefinementController(
                setup=plan.setup, path=plan.kept_at, pipeline=pipeline, executor=executor, pairing=self.pairing
            ),
            CameraController(camera=camera, executor=executor, keep=build_settings_writer(plan.kept_at)),
            projector,
            *set_up,
            tools,
            ShownCalls(),
            self.bridge_notices,
            self.hall,
            ForesightFeature(),
            LayingController(plan.setup, plan.kept_at, pipeline),
            light,
        )


def build_live_table(
    plan: SessionPlan, wizard: Wizard | None = None, *, kept: Kept | None = None, told: str = ""
) -> LiveTable:
    """Return the line of a plan; what is wrong with it is said before any page opens and anything is recorded.

    With a wizard the pages are open already, and say themselves how the camera fares.  `told` says why the program was
    begun anew of which this is the first table.

    Raises:
        BadInput: a file that the set-up names does not fit it, or a film is of another camera than its lens file.
        hardware.errors.BadSource: the source cannot be opened as it was written.
        hardware.errors.SourceLost: no device answers.

    """
    markers, notice = build_markers(plan.setup, plan.path, plan.lens, plan.state.terrain)
    pairing = Pairing(find_calibration_files(plan.setup, plan.path, plan.lens))
    virtual = plan.setup.camera.source.startswith("virtual:")
    lies = _find_lying(plan) if told else plan.state
    table = build_virtual_table(plan.on_table or plan.setup, lies, in_4k=plan.in_4k) if virtual else None
    open_camera = build_camera_opener(plan.setup, plan.path, table, plan.fps, tried=wizard is None)
    if plan.is_recorded_film and wizard is None:
        _check_lens(open_camera, pairing, plan.setup.camera.shown)
    return LiveTable(
        plan=plan,
        markers=markers,
        pairing=pairing,
        table=table,
        open_camera=open_camera,
        notice=notice,
        wizard=wizard,
        kept=kept or Kept(),
        told=told,
        bridges=plan_bridges(plan.setup.bridges, plan.path),
        hall=HallLink(_find_hall(plan)),
    )


def _find_hall(plan: SessionPlan) -> HallFile | None:
    """Return the hall that a plan's game is told to; BadInput where its file cannot be used."""
    named = plan.setup.hall
    if plan.hall:
        hall = read_hall_file(plan.hall)
        hall.check_date(str(plan.hall))  # who names it is there to be told; a table that starts by itself plays on
        return hall
    return read_hall_file(plan.path.parent / named.file) if named else None


def _find_lying(plan: SessionPlan) -> GameState:
    """Return where the models of a virtual table lay when the program broke off."""
    if plan.recording is None or not plan.recording.is_file():
        return plan.state
    past = RecordedGame(plan.recording)
    return past.find_moment(past.find_end_ns()).session.state.apply_tracks()


def build_without_camera(plan: SessionPlan, wizard: Wizard, why: str) -> LiveTable:
    """Return a line that shows a plan's game and nothing else, and says why there is no camera."""

    def open_camera() -> FrameSource:
        raise SourceLost(why)

    return LiveTable(
        plan=plan,
        markers=Markers(anchors=(), bases={}, lens=None),
        pairing=Pairing(),
        table=None,
        open_camera=open_camera,
        notice="",
        wizard=wizard,
    )


def _open_journal(plan: SessionPlan, *, again: bool = False) -> Journal:
    """Return the journal of a plan; again after another line wrote to it."""
    assert plan.recording is not None
    about = {
        "title": plan.title,
        "situation": json.dumps(encode_situation(plan.state)),
        "source": plan.setup.camera.source,
    }
    if plan.go_on and plan.recording.is_file() and read_about(plan.recording)["format"] in CHAINED_FORMATS:
        refuse_changed(plan.recording, "it is not gone on with: record to another file")
    return Journal(plan.recording, about=about, go_on=plan.go_on or again)


def _resume_session(past: RecordedGame, journal: Journal, solve_zone: ZoneSolver) -> GameSession:
    """Return a session at the end of what was recorded of its game, which goes on from there."""
    session = past.find_moment(past.find_end_ns()).session.fork(solve_zone=solve_zone)
    session.resume_recording(journal)
    return session


def _end_session(session: GameSession) -> None:
    """Write what could not be written before, or say that it is lost."""
    session.close()
    print_notice(session.recorder.trouble)


def _check_lens(open_camera: Callable[[], FrameSource], pairing: Pairing, name: str) -> None:
    """Say before any page opens and anything is recorded that a recording is not of the lens file's camera.

    It has its first picture at hand; a live camera is asked when it sends one.
    """
    source = open_camera()
    try:
        print_notice(pairing.check(source.identify(), source.read().image))
    except EndOfFrames:
        pass  # the pages say that there is nothing to see
    except WrongPairing as error:
        raise BadInput(f"{name}: {error}") from None
    finally:
        source.close()


def _wait_for_a_page(hub: Hub, stop: Event) -> None:
    """Give a person the time to open a page, so that a film is not over before they see it."""
    click.echo(f"The film begins when a page is open, or in {CURTAIN_S} seconds.")
    until_s = time.monotonic() + CURTAIN_S
    while not hub.watched and time.monotonic() < until_s and not stop.is_set():
        time.sleep(0.05)


def serve_live_table(plan: SessionPlan, where: ServingOptions) -> None:
    """Run the live table of a plan and its pages until interrupted; errors as for `build_live_table`."""

    def serve(kept: Kept) -> None:
        live_table = build_live_table(plan, kept=kept, told=kept.told)
        hub, latest, archive = Hub(), LatestFrame(), Archive()
        with serve_pages(hub, latest, where, plan.title, archive=archive, kept=kept) as stop:
            live_table.run(hub, latest, archive, stop)

    # A film would begin anew.
    (keep if where.kept and not plan.is_recorded_film else _serve_once)(serve)


def _serve_once(serve: Callable[[Kept], None]) -> None:
    serve(Kept())


def serve_wizard(
    folder: Path, where: ServingOptions, *, source: str | None, fps: float, video: bool, resume: bool = False
) -> None:
    """Run the live tables that a folder's wizard wants, one after another, and the pages until interrupted.

    The program is kept where `where` says so.

    Args:
        folder: where everything is kept.
        where: where the pages are served.
        source: the camera; None for the one that was entered before.
        fps: pictures a second of a virtual camera.
        video: the camera's pictures are recorded as well.
        resume: the game that was being played when the program ended goes on by itself.

    Raises:
        BadInput: the folder cannot be used, or the port is taken.

    """
    serve = partial(_serve_wizard, folder, where, source=source, fps=fps, video=video, resume=resume)
    (keep if where.kept else _serve_once)(serve)


def _serve_wizard(
    folder: Path, where: ServingOptions, kept: Kept, *, source: str | None, fps: float, video: bool, resume: bool
) -> None:
    wizard, told = open_wizard(folder), kept.told
    if source and not told:
        wizard.enter({"source": source})
    if told or resume:
        wizard.resume(at_once=bool(told))
    hub, latest, archive = Hub(), LatestFrame(), Archive()

    def add_sheets(app: FastAPI) -> None:
        add_sheet_routes(app, lambda name, paper: make_sheet(wizard.facts, wizard.folder, name, paper))

    with serve_pages(
        hub, latest, where, "Set-up", archive=archive, opened="/setup", more=add_sheets, kept=kept
    ) as stop:
        click.echo(f"Kept in {wizard.folder}")
        while not stop.is_set():
            try:
                live_table = _build_wanted(wizard, kept, told, fps=fps, video=video)
                told = ""
                wizard.note_started()
                live_table.run(hub, latest, archive, stop)
            except WrongPairing as error:
                wizard.fail(str(error), lens=True)
            except OvertableError as error:
                wizard.fail(str(error))
            except Exception:
                _log.exception("The table was not built.")
                wizard.fail(describe_fault())
                stop.wait(REBUILT_S)


def _build_wanted(wizard: Wizard, kept: Kept, told: str, *, fps: float, video: bool) -> LiveTable:
    if wizard.facts.fault:
        return build_without_camera(wizard.plan, wizard, wizard.facts.fault)
    if not wizard.reading.source:
        return build_without_camera(wizard.plan, wizard, NO_CAMERA)
    return build_live_table(replace(wizard.plan, fps=fps, video=video), wizard, kept=kept, told=told)
