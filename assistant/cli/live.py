"""`overtable demo`, `run` and `replay`: the pages, live."""

import json
import os
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial, wraps
from ipaddress import ip_address
from pathlib import Path

import click
import platformdirs

from assistant.cli.demos import SETUP, demos, read_demo
from assistant.cli.enroller import Enroller
from assistant.cli.helper import Helper
from assistant.cli.lens_helper import LensHelper
from assistant.cli.lenser import Lenser
from assistant.cli.markers import markers_of, tell
from assistant.cli.output import Finite
from assistant.cli.pairing import Pairing, calibration_files
from assistant.cli.player import play
from assistant.cli.projectionist import Projectionist
from assistant.cli.reckoner import Reckoner
from assistant.cli.virtual import Lamp, hand, lay, virtual_table
from assistant.cli.watch import Latest, Meter, Watch
from assistant.errors import BadInput
from assistant.game.situation import read_situation, to_json
from assistant.game.state import NO_RULEBOOK, GameState, Model, Table, Unit
from assistant.projection import projector_of
from assistant.record.journal import Journal, read_about
from assistant.rules.judge import judge
from assistant.script.form import Scene
from assistant.script.performer import Performer
from assistant.session import Session
from assistant.setup import Setup, read_setup
from assistant.web.app import create_app
from assistant.web.hub import Hub
from assistant.web.server import Server, lan_addresses
from calibration.errors import WrongPairing
from hardware.camera import open_source
from hardware.camera.drain import Drain
from hardware.camera.source import FrameSource
from hardware.camera.virtual import VirtualCamera
from hardware.errors import EndOfFrames
from vision.pipeline import Pipeline

PORT = 8765
RULEBOOK = "warhammer-40k-10e"
"""Whose demo is shown where none is named."""
RECORDED = ("file:", "images:")
"""Sources with a time of their own."""
CURTAIN_S = 20
WATCHED = "all models"
"""The unit that holds what is watched where no situation names the units."""
_FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """Where the pages are served."""

    host: str
    port: int
    open_pages: bool


def serving(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of everything that serves pages, as the argument ``where``."""

    @click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
    @click.option("--host", default="0.0.0.0", show_default=True, help="127.0.0.1 keeps other devices out.")  # noqa: S104
    @click.option("--no-open", is_flag=True, help="Do not open the pages in a browser.")
    @wraps(command)
    def served(*, port: int, host: str, no_open: bool, **others: object) -> None:
        command(where=Serving(host=host, port=port, open_pages=not no_open), **others)

    return served


@click.command()
@click.option("--rulebook", default=RULEBOOK, show_default=True, help=f"Whose demo: {', '.join(demos())}.")
@click.option("--no-script", is_flag=True, help="Leave the table to you from the start.")
@click.option("--4k", "in_4k", is_flag=True, help="A 4K camera instead of 1080p; small bases have one anyway.")
@click.option("--fps", default=15.0, show_default=True, type=Finite(0.5, 120), help="Of the virtual camera.")
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
    hub = Hub()
    with pages(hub, Latest(), where, about.get("title", recording.stem)) as stop:
        play(recording, about, hub, stop, speed=speed)


def game_of(setup: Setup, setup_path: Path, situation: Path | None) -> GameState:
    """Return the game on a table; without a situation the enrolled models are watched, and not judged.

    Raises:
        BadInput: the situation is of another table, lacks an enrolled model, or does not fit its rulebook.

    """
    table = Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    if situation is None:
        models = tuple(Model(id=base.model, base=base.base.shape, pose=None) for base in setup.bases)
        watched = Unit(id=WATCHED, player="table", models=models)
        return GameState(rulebook=NO_RULEBOOK, table=table, units=(watched,) if models else ())
    state = read_situation(situation).state
    if state.table != table:
        raise BadInput(
            f"{situation}: its table is {state.table.width_mm:g} x {state.table.depth_mm:g} mm, but that of"
            f" {setup_path} is {table.width_mm:g} x {table.depth_mm:g} mm; make them the same"
        )
    try:
        judge(state, None)  # what does not fit the rulebook is said before the game begins
    except BadInput as error:
        raise BadInput(f"{situation}: {error}") from None
    known = {model.id for _, model in state.models()}
    if lacking := [base.model for base in setup.bases if base.model not in known]:
        raise BadInput(f"{situation}: it has no model {lacking[0]!r}, which {setup_path} enrols with a tag")
    return state


def _live(
    path: Path,
    setup: Setup,
    state: GameState,
    *,
    title: str,
    lens: Path | None,
    recording: Path | None,
    where: Serving,
    fps: float = 15.0,
    in_4k: bool = False,
    scenes: tuple[Scene, ...] = (),
) -> None:
    """Build the line from the camera to the pages, and keep it running until interrupted."""
    markers, notice = markers_of(setup, path, lens, state.terrain)
    pairing = Pairing(calibration_files(setup, path, lens))
    virtual = setup.camera.source.startswith("virtual:")
    table = virtual_table(setup, state, in_4k=in_4k) if virtual else None

    def open_camera() -> FrameSource:
        if table is not None:
            return VirtualCamera(table, fps=fps)
        return open_source(setup.camera.source, folder=path.parent, colour=True)

    recorded = setup.camera.source.startswith(RECORDED)
    _try_camera(open_camera, pairing, setup.camera.source, recorded=recorded)
    hub, latest = Hub(), Latest()
    about = {"title": title, "situation": json.dumps(to_json(state)), "source": setup.camera.source}
    recording = recording or new_recording(title)
    with (
        pages(hub, latest, where, title) as stop,
        Journal(recording, about=about) as journal,
        Reckoner() as reckoner,
        ThreadPoolExecutor(2, "lens") as aside,
    ):
        click.echo(f"Recording to {recording}")
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
            after_frame=Lamp(table, projectionist).throw if table else lambda _: None,
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
        )
        try:
            watch.run(stop)
        finally:
            drain.close()
            projectionist.close()


def _try_camera(open_camera: Callable[[], FrameSource], pairing: Pairing, name: str, *, recorded: bool) -> None:
    """Say what is wrong with a source, or with its calibration, before any page opens and anything is recorded.

    A recording has its first picture at hand; a live camera is asked when it sends one.
    """
    source = open_camera()
    try:
        if recorded:
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


def new_recording(title: str) -> Path:
    """Return a file of its own for a game that begins now, in the user's data folder."""
    began = datetime.now(UTC).strftime("%Y-%m-%d-%H%M%S")
    name = "-".join("".join(c if c.isalnum() else " " for c in title).lower().split()) or "game"
    folder = platformdirs.user_data_path("overtable") / "games"
    tries = (folder / f"{began}-{name}{suffix}.overtable" for suffix in ("", *(f"-{i}" for i in range(2, 1000))))
    return next(path for path in tries if not path.exists())


@contextmanager
def pages(
    hub: Hub, latest: Latest, where: Serving, title: str, *, opened: str = "/", to_stderr: bool = False
) -> Iterator[threading.Event]:
    """Serve the pages, say where, and open one; the event inside is set when the program is asked to end."""
    # The port is only known once it is served, so the addresses are filled in afterwards.
    join_urls: list[str] = []
    server = Server(create_app(hub=hub, picture=latest.jpeg, join_urls=join_urls), where.host, where.port)
    try:
        server.start()
    except OSError as error:
        raise BadInput(str(error)) from None
    local = f"http://localhost:{server.port}"
    if not _is_private(where.host):
        join_urls += [f"http://{address}:{server.port}/tablet" for address in lan_addresses()]
    click.echo(
        f"{title}: {local}{opened} (tablet {local}/tablet, projector {local}/projector); Ctrl-C ends it.",
        err=to_stderr,
    )
    if where.open_pages and _has_screen():
        webbrowser.open(f"{local}{opened}")
    stop = threading.Event()
    try:
        yield stop
    finally:
        server.stop()


def _is_private(host: str) -> bool:
    """Whether only this machine reaches what is served there."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _has_screen() -> bool:
    """Whether a browser can show itself; without a screen one would run in this terminal."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


commands: list[click.Command] = [demo, run, replay]
