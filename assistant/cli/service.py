"""`overtable service`: a table that starts with the machine, without a keyboard or a screen."""

from pathlib import Path

import click
import platformdirs

from assistant.runtime.service import build_unit, find_program, install_service, remove_service


@click.group()
def service() -> None:
    """Let a table start with the machine, and go on with its last game.

    It is a service of systemd, of this user alone. Set a password first, so that a phone can run the table: `overtable
    password set`.
    """


@service.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--user", is_flag=True, expose_value=False, help="As this user's own service: the only kind there is.")
@click.option("--port", type=click.IntRange(1, 65535), help="Where the pages are; the usual one if it is not said.")
@click.option("--video", is_flag=True, help="Record the camera's pictures as well.")
@click.option("--print", "prints", is_flag=True, help="Print the unit, and change nothing.")
@click.option(
    "--no-start", is_flag=True, help="Write the unit only; systemctl --user enable --now overtable starts it."
)
def install(folder: Path | None, port: int | None, video: bool, prints: bool, no_start: bool) -> None:
    """Install the service of the table in FOLDER, or of your own in your data folder."""
    kept = (folder or platformdirs.user_data_path("overtable") / "table").absolute()
    options = [*(("--port", str(port)) if port else ()), *(("--video",) if video else ())]
    text = build_unit(find_program(), kept, options)
    if prints:
        click.echo(text, nl=False)
        return
    for sentence in install_service(text, start=not no_start):
        click.echo(sentence)


@service.command()
def remove() -> None:
    """Stop the table, and let it start with the machine no more; recordings stay."""
    for sentence in remove_service():
        click.echo(sentence)


commands: list[click.Command] = [service]
