"""Options of the commands that serve pages; commands that serve none wait for no server to be imported."""

from collections.abc import Callable
from functools import wraps

import click

from assistant.cli.output import FiniteFloat
from assistant.features.camera.frame_sources import FPS
from assistant.runtime.page_server import PORT, ServingOptions

add_video_option = click.option(
    "--video",
    is_flag=True,
    help="Record the camera's pictures as well: 30 MB a minute at 1080p and 15 pictures a second.",
)
add_fps_option = click.option(
    "--fps", default=FPS, show_default=True, type=FiniteFloat(0.5, 120), help="Of a virtual camera: pictures a second."
)


def add_serving_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of everything that serves pages, as the argument ``where``."""

    @click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
    @click.option("--host", default="0.0.0.0", show_default=True, help="127.0.0.1 keeps other devices out.")  # noqa: S104
    @click.option("--open-table", is_flag=True, help="Every device in the network plays, without a code.")
    @click.option("--no-open", is_flag=True, help="Do not open the pages in a browser.")
    @wraps(command)
    def served(*, port: int, host: str, no_open: bool, open_table: bool, **others: object) -> None:
        kept = click.get_current_context().find_root().obj is True
        where = ServingOptions(host=host, port=port, open_pages=not no_open, open_table=open_table, kept=kept)
        command(where=where, **others)

    return served
