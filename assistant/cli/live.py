"""`overtable demo`, `run` and `replay`: the pages, live."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import click

from assistant.cli.demos import SETUP, demos, read_demo
from assistant.cli.enroller import Enroller
from assistant.cli.frames import FPS, camera_of
from assistant.cli.games import RECORDED, game_of, new_recording
from assistant.cli.helper import Helper
from assistant.cli.lens_helper import LensHelper
from assistant.cli.lenser import Lenser
from assistant.cli.lighter import Lighter
from assistant.cli.markers import markers_of, tell
from assistant.cli.output import Finite
from assistant.cli.pairing import Pairing, calibration_files
from assistant.cli.player import play
from assistant.cli.projectionist import Projectionist
from assistant.cli.reckoner import Reckoner
from assistant.cli.serving import Serving, pages, serving
from assistant.cli.tools import Tools
from assistant.cli.verify import notice_of
from assistant.cli.virtual import Lamp, hand, lay, virtual_table
from assistant.cli.watch import Latest, Meter, Watch
from assistant.errors import BadInput
from assistant.game.situation import to_json
from assistant.game.state import GameState
from assistant.lights import Lights, read_lights
from assistant.past.replayed import Past
from assistant.projection import projector_of
from assistant.record.journal import Journal, read_about
from assistant.script.form import Scene
from assistant.script.performer import Performer
from assistant.session import Session
from assistant.setup import Setup, read_setup
from assistant.web.hub import Hub
from assistant.web.past import Archive
from calibration.errors import WrongPairing
from hardware.camera.drain import Drain
from hardware.camera.source import FrameSource
from hardware.errors import EndOfFrames
from vision.pipeline import Pipeline

RULEBOOK = "warhammer-40k-10e"
"""Whose demo is shown where none is named."""
CURTAIN_S = 20
_FILE = click.Path(path_type=Path)


@click.command()
@click.option("--rulebook", default=RULEBOOK, show_default=True, help=f"Whose demo: {', '.join(demos())}.")
@click.option("--no-script", is_flag=True, help="Leave the table to you from the start.")
@click.option("--4k", "in_4k", is_flag=True, help="A 4K camera instead of 1080p; small bases have one anyway.")
@click.option("--fps", default=FPS, show_default=True, type=Finite(0.5, 120), help="Of the virtual camera.")
@click.option("--recording", type=_FILE, help="Where to record; otherwise a new file in the data folder.")
@serving
def demo(*, rulebook: str, no_script: bool, in_4k: bool, fps: float, recording: Path | None, where: Serving) -> None:
    """Play on a virtual table, where a script shows what the referee says until you take over.

    It is rendered, seen by a rendered camera, and lit by a rendered projector; what follows the camera is as for a
    real table.
    """
    shown = read_demo(rulebook)
    _live(
        SETUP,
        shown.setup,
        shown.state,
        title="Demo game",
        lens=None,
        recording=recording,
        where=where,
        fps=fps,
        in_4k=in_4k or shown.in_4k,
        scenes=() if no_script else shown.scenes,
    )


@click.command()
@click.option("--setup", "setup_path", required=True, type=_FILE, help="Camera, anchors, bases, lens.")
@click.option("--situation", type=_FILE, help="The game: units, terrain, rulebook. Without it models are only watched.")
@click.option("--lens", type=_FILE, help="A lens file, in place of the one that the set-up names.")
@click.option("--recording", type=_FILE, help="Where to record; otherwise a new file in the data folder.")
@serving
def run(setup_path: Path, situation: Path | None, lens: Path | None, recording: Path | None, where: Serving) -> None:
    """Play on a real or a filmed table."""
    setup = read_setup(setup_path)
    state = game_of(setup, setup_path, situation)
    title = (situation or setup_path.resolve().parent).stem
    _live(setup_path, setup, state, title=title, lens=lens, recording=recording, where=where)


@click.command()
@click.argument("recording", type=_FILE)
@click.option("--speed", default=1.0, show_default=True, type=Finite(0.01, 1000))
@serving
def replay(recording: Path, speed: float, where: Serving) -> None:
    """Play a recorded game in the browser.

    The referee judges it anew as it goes.
    """
    about = read_about(recording)
    hub, archive = Hub(), Archive(Past(recording))
    title = about.get("title", recording.stem)
    with ThreadPoolExecutor(1, "verify") as aside, pages(hub, Latest(), where, title, archive=archive) as stop:
        notice = aside.submit(notice_of, recording)
        notice.add_done_callback(lambda found: tell(found.result()))
        play(recording, about, hub, stop, speed=speed, notice=notice)


def _live(
    path: Path,
    setup: Setup,
    state: GameState,
    *,
    title: str,
    lens: Path | None,
    recording: Path | None,
    where: Serving,
    fps: float = FPS,
    in_4k: bool = False,
    scenes: tuple[Scene, ...] = (),
) -> None:
    """Build the line from the camera to the pages, and keep it running until interrupted."""
    markers, notice = markers_of(setup, path, lens, state.terrain)
    pairing = Pairing(calibration_files(setup, path, lens))
    virtual = setup.camera.source.startswith("virtual:")
    table = virtual_table(setup, state, in_4k=in_4k) if virtual else None

    open_camera = camera_of(setup, path, table, fps)  # what is wrong with it is said before any page opens
    recorded = setup.camera.source.startswith(RECORDED)
    if recorded:
        _hold_to_its_lens(open_camera, pairing, setup.camera.source)
    hub, latest, archive = Hub(), Latest(), Archive()
    about = {"title": title, "situation": json.dumps(to_json(state)), "source": setup.camera.source}
    recording = recording or new_recording(title)
    with (
        pages(hub, latest, where, title, archive=archive) as stop,
        Journal(recording, about=about) as journal,
        Reckoner() as reckoner,
        Reckoner() as ways,
        ThreadPoolExecutor(2, "lens") as aside,
    ):
        click.echo(f"Recording to {recording}")
        archive.past = Past(recording)
        tell(notice)
        if recorded:
            _wait_for_a_page(hub)
        drain = Drain(open_camera)
        session = Session(state, journal, reach=reckoner)
        pipeline = Pipeline(markers=markers)
        kept_at = None if path == SETUP else path  # what is kept in a demo is forgotten with it
        light, light_notice = projector_of(setup, path)
        projectionist = Projectionist(
            setup=setup,
            path=kept_at,
            pipeline=pipeline,
            file=light,
            notice=light_notice,
            page_size=table.projector.image_size if table else None,
            page_is_fixed=table is not None,
        )
        lighter = Lighter(path=kept_at, lights=read_lights(kept_at) if kept_at else Lights())
        watch = Watch(
            drain=drain,
            pipeline=pipeline,
            session=session,
            hub=hub,
            name=setup.camera.source,
            title=title,
            meter=Meter(live=not recorded),
            latest=latest,
            hand=partial(hand, table, setup),
            lay=partial(lay, table, setup),
            virtual=virtual,
            after_frame=Lamp(table, projectionist, lighter).throw if table else lambda _: None,
            performer=Performer(scenes, session) if scenes else None,
            pairing=pairing,
            enroller=Enroller(
                setup=setup,
                path=kept_at,
                pipeline=pipeline,
                helper=Helper(table, setup) if table else None,
            ),
            lenser=Lenser(
                setup=setup,
                path=None if path == SETUP else path,
                pipeline=pipeline,
                aside=aside,
                pairing=pairing,
                helper=LensHelper(table) if table else None,
            ),
            projectionist=projectionist,
            tools=Tools(reckoner, ways),
            past=archive.past,
            lighter=lighter,
        )
        try:
            watch.run(stop)
        finally:
            drain.close()
            projectionist.close()
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


def _wait_for_a_page(hub: Hub) -> None:
    """Give a person the time to open a page, so that a film is not over before they see it."""
    click.echo(f"The film begins when a page is open, or in {CURTAIN_S} seconds.")
    until_s = time.monotonic() + CURTAIN_S
    while not hub.watched and time.monotonic() < until_s:
        time.sleep(0.05)


commands: list[click.Command] = [demo, run, replay]
