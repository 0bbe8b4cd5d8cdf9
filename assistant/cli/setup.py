"""`overtable setup`: the set-up wizard in the browser."""

from pathlib import Path

import click
import platformdirs

from assistant.cli.serving_options import add_fps_option, add_serving_options, add_video_option
from assistant.runtime.composition_root import serve_wizard
from assistant.runtime.page_server import ServingOptions


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--source", help="The camera, such as usb:0, phone: or virtual: ; it can be chosen on the page, too.")
@click.option("--resume", is_flag=True, help="Go on by itself with the game that was being played when it ended.")
@add_fps_option
@add_video_option
@add_serving_options
def setup(
    *, folder: Path | None, source: str | None, resume: bool, fps: float, video: bool, where: ServingOptions
) -> None:
    """Set up a table in the browser, and play on it.

    Everything is kept in FOLDER: what was entered, the set-up file, calibrations, sheets to print, recordings.  Run it
    again there to go on where you left it.  Without FOLDER it is one of your own, in your data folder.
    """
    kept_in = folder or platformdirs.user_data_path("overtable") / "table"
    serve_wizard(kept_in, where, source=source, fps=fps, video=video, resume=resume)


commands: list[click.Command] = [setup]
