"""`overtable demo`, `run` and `replay`: the pages, live."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from assistant.cli.demos import SETUP, demos, read_demo
from assistant.cli.frames import FPS
from assistant.cli.games import game_of, new_recording
from assistant.cli.line import built
from assistant.cli.markers import tell
from assistant.cli.output import Finite
from assistant.cli.plan import Plan
from assistant.cli.player import play
from assistant.cli.serving import Serving, pages, serving
from assistant.cli.verify import notice_of
from assistant.cli.watch import Latest
from assistant.errors import BadInput
from assistant.past.replayed import Past
from assistant.record.journal import read_about
from assistant.setup import read_setup
from assistant.web.hub import Hub
from assistant.web.past import Archive

RULEBOOK = "warhammer-40k-10e"
"""Whose demo is shown where none is named."""
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
    title = "Demo game"
    plan = Plan(
        path=SETUP,
        kept_at=None,  # what is kept in a demo is forgotten with it
        setup=shown.setup,
        state=shown.state,
        title=title,
        recording=recording or new_recording(title),
        fps=fps,
        in_4k=in_4k or shown.in_4k,
        scenes=() if no_script else shown.scenes,
    )
    _live(plan, where)


@click.command()
@click.option("--setup", "setup_path", type=_FILE, help="Camera, anchors, bases, lens; `overtable setup` makes one.")
@click.option("--situation", type=_FILE, help="The game: units, terrain, rulebook. Without it models are only watched.")
@click.option("--lens", type=_FILE, help="A lens file, in place of the one that the set-up names.")
@click.option(
    "--recording",
    type=_FILE,
    help="Where to record, or the recording to go on with; otherwise a new file.",
)
@serving
def run(
    setup_path: Path | None, situation: Path | None, lens: Path | None, recording: Path | None, where: Serving
) -> None:
    """Play on a real or a filmed table."""
    if setup_path is None:
        raise BadInput("--setup: name a set-up file, or make one with: overtable setup")
    setup = read_setup(setup_path)
    state = game_of(setup, setup_path, situation)
    title = (situation or setup_path.resolve().parent).stem
    plan = Plan(
        path=setup_path,
        kept_at=setup_path,
        setup=setup,
        state=state,
        title=title,
        lens=lens,
        recording=recording or new_recording(title),
        go_on=recording is not None,
    )
    _live(plan, where)


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


def _live(plan: Plan, where: Serving) -> None:
    """Run a line and its pages until interrupted."""
    line = built(plan)
    hub, latest, archive = Hub(), Latest(), Archive()
    with pages(hub, latest, where, plan.title, archive=archive) as stop:
        line.run(hub, latest, archive, stop)


commands: list[click.Command] = [demo, run, replay]
