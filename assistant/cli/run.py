"""`overtable run` and `overtable demo`: a game on a real or a virtual table, live on the pages."""

import re
from pathlib import Path

import click

from assistant.cli.serving_options import add_fps_option, add_serving_options, add_video_option
from assistant.errors import BadInput
from assistant.features.demo.catalogue import SETUP, list_demos, read_demo
from assistant.features.session_plan import SessionPlan, build_game, name_recording
from assistant.game.state import GameState, Restoring
from assistant.replay.past_decisions import plan_restoring_from_recording
from assistant.runtime.composition_root import serve_live_table
from assistant.runtime.page_server import ServingOptions
from assistant.setup.file import read_setup

RULEBOOK = "warhammer-40k-10e"
"""Whose demo is shown where none is named."""
_FILE = click.Path(path_type=Path)


@click.command()
@click.option("--rulebook", default=RULEBOOK, show_default=True, help=f"Whose demo: {', '.join(list_demos())}.")
@click.option("--no-script", is_flag=True, help="Leave the table to you from the start.")
@click.option("--4k", "in_4k", is_flag=True, help="A 4K camera instead of 1080p; small bases have one anyway.")
@add_fps_option
@click.option("--recording", type=_FILE, help="Where to record; otherwise a new file in the data folder.")
@add_video_option
@add_serving_options
def demo(
    *,
    rulebook: str,
    no_script: bool,
    in_4k: bool,
    fps: float,
    recording: Path | None,
    video: bool,
    where: ServingOptions,
) -> None:
    """Play on a virtual table, where a script shows what the referee says until you take over.

    It is rendered, seen by a rendered camera, and lit by a rendered projector; what follows the camera is as for a
    real table.
    """
    game = read_demo(rulebook)
    title = "Demo game"
    plan = SessionPlan(
        path=SETUP,
        kept_at=None,  # what is kept in a demo is forgotten with it
        setup=game.setup,
        state=game.state,
        title=title,
        recording=recording or name_recording(title),
        video=video,
        fps=fps,
        in_4k=in_4k or game.in_4k,
        scenes=() if no_script else game.scenes,
    )
    serve_live_table(plan, where)


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
@click.option("--hall", type=_FILE, help="The tournament's hall to tell: its file, or a photo of this table's sheet.")
@add_fps_option
@add_video_option
@add_serving_options
def run(
    *,
    setup_path: Path | None,
    situation: Path | None,
    lens: Path | None,
    restore: Path | None,
    restore_at: str | None,
    recording: Path | None,
    hall: Path | None,
    fps: float,
    video: bool,
    where: ServingOptions,
) -> None:
    """Play on a real or a filmed table."""
    if setup_path is None:
        raise BadInput("--setup: name a set-up file, or make one with: overtable setup")
    setup = read_setup(setup_path)
    state = build_game(setup, setup_path, situation)
    title = (situation or setup_path.resolve().parent).stem
    plan = SessionPlan(
        path=setup_path,
        kept_at=setup_path,
        setup=setup,
        state=state,
        title=title,
        lens=lens,
        restoring=_read_restoring(restore, restore_at, state),
        recording=recording or name_recording(title),
        video=video,
        fps=fps,
        go_on=recording is not None,
        hall=hall,
    )
    serve_live_table(plan, where)


def _read_restoring(recording: Path | None, at: str | None, game: GameState) -> Restoring | None:
    """Return how the models of a game are to be laid out before it goes on; None: as they stand."""
    if recording is None:
        if at is not None:
            raise BadInput("--at: this is a moment of another recording: name it with --restore")
        return None
    return plan_restoring_from_recording(recording, None if at is None else _parse_moment_ns(at), game)


def _parse_moment_ns(text: str) -> int:
    """Read a time since a game's beginning, such as ``1:02:03.4`` or ``12:30``."""
    if not re.fullmatch(r"(\d+:){0,2}\d+(\.\d+)?", text):
        raise BadInput(f"--at: {text!r} is no time since the game's beginning: expected one such as 1:02:03")
    seconds = 0.0
    for part in text.split(":"):
        seconds = 60 * seconds + float(part)
    return round(seconds * 1e9)


commands: list[click.Command] = [demo, run]
