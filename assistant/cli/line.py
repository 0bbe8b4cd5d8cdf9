"""The line from a camera to the pages: built from a set-up and a game, and run until another is wanted."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from threading import Event

import click

from assistant.cli.crew import Crew
from assistant.cli.enroller import Enroller
from assistant.cli.filmer import Filmer
from assistant.cli.frames import camera_of
from assistant.cli.helper import Helper
from assistant.cli.lens_helper import LensHelper
from assistant.cli.lenser import Lenser
from assistant.cli.lighter import Lighter
from assistant.cli.markers import markers_of, tell
from assistant.cli.optician import Optician, keep_in
from assistant.cli.pairing import Pairing, calibration_files
from assistant.cli.plan import Plan
from assistant.cli.projectionist import Projectionist
from assistant.cli.reckoner import Reckoner
from assistant.cli.setting_up.wizard import Wizard
from assistant.cli.tools import Tools
from assistant.cli.verify import refuse_changed
from assistant.cli.virtual import Lamp, hand, lay, virtual_table
from assistant.cli.watch import Latest, Meter, Watch
from assistant.errors import BadInput
from assistant.game.situation import to_json
from assistant.lights import Lights, read_lights
from assistant.past.replayed import Past
from assistant.projection import projector_of
from assistant.record.journal import Journal, read_about
from assistant.record.reading import CHAINED
from assistant.script.performer import Performer
from assistant.session import Session
from assistant.web.hub import Hub
from assistant.web.past import Archive
from assistant.zones import Reach
from calibration.errors import WrongPairing
from hardware.camera.drain import Drain
from hardware.camera.source import FrameSource
from hardware.errors import EndOfFrames, SourceLost
from hardware.virtual.table import VirtualTable
from vision.markers import Markers
from vision.pipeline import Pipeline

CURTAIN_S = 20


@dataclass(kw_only=True)
class Line:
    """A line that could be built; it runs once."""

    plan: Plan
    markers: Markers
    pairing: Pairing
    table: VirtualTable | None
    open_camera: Callable[[], FrameSource]
    notice: str
    wizard: Wizard | None = None
    """Leads through the set-up, where it may be changed."""
    _opened: ExitStack = field(default_factory=ExitStack)

    def run(self, hub: Hub, latest: Latest, archive: Archive, stop: Event) -> None:
        """Keep the pages live until told to stop, or until the wizard wants another line.

        Raises:
            BadInput: the recording cannot be made, or a picture cannot be used.
            hardware.errors.BadSource: the camera's source cannot be read as it was written.
            calibration.errors.WrongPairing: a calibration file is not the camera's.

        """
        plan = self.plan
        latest.frame = None
        with self._opened as opened:
            journal = opened.enter_context(_journal(plan)) if plan.recording else None
            reckoner, ways = opened.enter_context(Reckoner()), opened.enter_context(Reckoner())
            aside = opened.enter_context(ThreadPoolExecutor(2, "lens"))
            if journal:
                click.echo(f"{'Going on with' if journal.rows else 'Recording to'} {journal.path}")
            archive.past = Past(plan.recording) if plan.recording else None
            tell(self.notice)
            if plan.is_recorded_film and not hub.watched:
                _wait_for_a_page(hub, stop)
            session = Session(plan.state, journal, reach=reckoner)
            if journal and journal.rows and archive.past:
                session = _taken_up(archive.past, journal, reckoner)
            opened.callback(_end, session)
            if plan.restoring:
                session.restore(plan.restoring)
            self._watch(session, Tools(reckoner, ways), aside, hub=hub, latest=latest, past=archive.past).run(stop)

    def _watch(
        self, session: Session, tools: Tools, aside: ThreadPoolExecutor, *, hub: Hub, latest: Latest, past: Past | None
    ) -> Watch:
        plan, table = self.plan, self.table
        pipeline = Pipeline(markers=self.markers)
        light, light_notice = projector_of(plan.setup, plan.path)
        projectionist = Projectionist(
            setup=plan.setup,
            path=plan.kept_at,
            pipeline=pipeline,
            file=light,
            notice=light_notice,
            page_size=table.projector.image_size if table else None,
            page_is_fixed=table is not None,
        )
        self._opened.callback(projectionist.close)
        lighter = Lighter(path=plan.kept_at, lights=read_lights(plan.kept_at) if plan.kept_at else Lights())
        filmer = Filmer(plan.recording) if plan.video and plan.recording else None
        if filmer:
            self._opened.callback(filmer.close, session)
        drain = Drain(self.open_camera)
        self._opened.callback(drain.close)
        return Watch(
            drain=drain,
            pipeline=pipeline,
            session=session,
            hub=hub,
            name=plan.setup.camera.source,
            title=plan.title,
            meter=Meter(live=not plan.is_recorded_film),
            latest=latest,
            hand=partial(hand, table, plan.setup),
            lay=partial(lay, table, plan.setup),
            virtual=table is not None,
            after_frame=Lamp(table, projectionist, lighter).throw if table else lambda _: None,
            performer=Performer(plan.scenes, session) if plan.scenes else None,
            filmer=filmer,
            pairing=self.pairing,
            past=past,
            crew=Crew(
                enroller=Enroller(
                    setup=plan.setup,
                    path=plan.kept_at,
                    pipeline=pipeline,
                    helper=Helper(table, plan.setup) if table else None,
                ),
                lenser=Lenser(
                    setup=plan.setup,
                    path=plan.kept_at,
                    pipeline=pipeline,
                    aside=aside,
                    pairing=self.pairing,
                    helper=LensHelper(table) if table else None,
                ),
                projectionist=projectionist,
                tools=tools,
                lighter=lighter,
                optician=Optician(camera=drain, aside=aside, keep=keep_in(plan.kept_at)),
                armoury=self.wizard.armoury if self.wizard else None,
                wizard=self.wizard,
            ),
        )


def built(plan: Plan, wizard: Wizard | None = None) -> Line:
    """Return the line of a plan; what is wrong with it is said before any page opens and anything is recorded.

    With a wizard the pages are open already, and say themselves how the camera fares.

    Raises:
        BadInput: a file that the set-up names does not fit it, or a film is of another camera than its lens file.
        hardware.errors.BadSource: the source cannot be opened as it was written.
        hardware.errors.SourceLost: no device answers.

    """
    markers, notice = markers_of(plan.setup, plan.path, plan.lens, plan.state.terrain)
    pairing = Pairing(calibration_files(plan.setup, plan.path, plan.lens))
    virtual = plan.setup.camera.source.startswith("virtual:")
    table = virtual_table(plan.on_table or plan.setup, plan.state, in_4k=plan.in_4k) if virtual else None
    open_camera = camera_of(plan.setup, plan.path, table, plan.fps, tried=wizard is None)
    if plan.is_recorded_film and wizard is None:
        _hold_to_its_lens(open_camera, pairing, plan.setup.camera.source)
    return Line(
        plan=plan,
        markers=markers,
        pairing=pairing,
        table=table,
        open_camera=open_camera,
        notice=notice,
        wizard=wizard,
    )


def without_camera(plan: Plan, wizard: Wizard, why: str) -> Line:
    """Return a line that shows a plan's game and nothing else, and says why there is no camera."""

    def open_camera() -> FrameSource:
        raise SourceLost(why)

    return Line(
        plan=plan,
        markers=Markers(anchors=(), bases={}, lens=None),
        pairing=Pairing(),
        table=None,
        open_camera=open_camera,
        notice="",
        wizard=wizard,
    )


def _journal(plan: Plan) -> Journal:
    assert plan.recording is not None
    about = {"title": plan.title, "situation": json.dumps(to_json(plan.state)), "source": plan.setup.camera.source}
    if plan.go_on and plan.recording.is_file() and read_about(plan.recording)["format"] in CHAINED:
        refuse_changed(plan.recording, "it is not gone on with: record to another file")
    return Journal(plan.recording, about=about, go_on=plan.go_on)


def _taken_up(past: Past, journal: Journal, reach: Reach) -> Session:
    """Return a session at the end of what was recorded of its game, which goes on from there."""
    session = past.at(past.ended_ns()).session.aside(reach=reach)
    session.go_on_in(journal)
    return session


def _end(session: Session) -> None:
    """Write what could not be written before, or say that it is lost."""
    session.close()
    tell(session.trouble)


def _hold_to_its_lens(open_camera: Callable[[], FrameSource], pairing: Pairing, name: str) -> None:
    """Say before any page opens and anything is recorded that a recording is not of the lens file's camera.

    It has its first picture at hand; a live camera is asked when it sends one.
    """
    source = open_camera()
    try:
        tell(pairing.check(source.identity(), source.read().image))
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
