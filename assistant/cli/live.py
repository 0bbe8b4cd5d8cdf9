"""`overtable demo` and `run`: the pages, live."""

import re
from pathlib import Path

import click

from assistant.cli.demos import SETUP, demos, read_demo
from assistant.cli.filmer import with_video
from assistant.cli.frames import FPS
from assistant.cli.games import game_of, new_recording
from assistant.cli.line import built
from assistant.cli.output import Finite
from assistant.cli.plan import Plan
from assistant.cli.serving import Serving, pages, serving
from assistant.cli.watch import Latest
from assistant.errors import BadInput
from assistant.game.state import GameState, Restoring
from assistant.past.then import restoring_from
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
@with_video
@serving
def demo(
    *, rulebook: str, no_script: bool, in_4k: bool, fps: float, recording: Path | None, video: bool, where: Serving
) -> None:
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
        video=video,
        fps=fps,
        in_4k=in_4k or shown.in_4k,
        scenes=() if no_script else shown.scenes,
    )
    _live(plan, where)


@click.command()
@click.option("--setup", "setup_path", type=_FILE, help="Camera, anchors, bases, lens; `overtable setup` makes one.")
@click.option("--situation", type=_FILE, help="The game: units, terrain, rulebook. Without it models are only watched.")
@click.option("--lens", type=_FILE, help="A lens file, in place of the one that the set-up names.")
@click.option("--restore", type=_FILE, help="A recording: lay the models out as it ended, with the camera's help.")
@click.option("--at", "restore_at", help="The moment of that recording in place of its end, such as 1:02:03.")
@click.option(
    "--recording",
    type=_FILE,
    help="Where to record, or the recording to go on with; otherwise a new file.",
)
@with_video
@serving
def run(
    *,
    setup_path: Path | None,
    situation: Path | None,
    lens: Path | None,
    restore: Path | None,
    restore_at: str | None,
    recording: Path | None,
    video: bool,
    where: Serving,
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
        restoring=_laid_out(restore, restore_at, state),
        recording=recording or new_recording(title),
        video=video,
        go_on=recording is not None,
    )
    _live(plan, where)


def _laid_out(recording: Path | None, at: str | None, game: GameState) -> Restoring | None:
    """Return how the models of a game are to be laid out before it goes on; None: as they stand."""
    if recording is None:
        if at is not None:
            raise BadInput("--at: this is a moment of another recording: name it with --restore")
        return None
    return restoring_from(recording, None if at is None else _moment_ns(at), game)


def _moment_ns(text: str) -> int:
    """Read a time since a game's beginning, such as ``1:02:03.4`` or ``12:30``."""
    if not re.fullmatch(r"(\d+:){0,2}\d+(\.\d+)?", text):
        raise BadInput(f"--at: {text!r} is no time since the game's beginning: expected one such as 1:02:03")
    seconds = 0.0
    for part in text.split(":"):
        seconds = 60 * seconds + float(part)
    return round(seconds * 1e9)


def _live(plan: Plan, where: Serving) -> None:
    """Run a line and its pages until interrupted."""
    line = built(plan)
    hub, latest, archive = Hub(), Latest(), Archive()
    with pages(hub, latest, where, plan.title, archive=archive) as stop:
        line.run(hub, latest, archive, stop)


commands: list[click.Command] = [demo, run]
