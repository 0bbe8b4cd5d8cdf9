"""`overtable doctor`: what of a set-up works, how good it is in millimetres, and what would improve it most."""

from pathlib import Path

import click
import platformdirs

from assistant.cli import NOT_THERE
from assistant.cli.output import add_json_option
from assistant.errors import BadInput
from assistant.features.diagnosis.examination import examine_setup
from assistant.features.diagnosis.report import describe_diagnosis
from assistant.runtime.page_server import PORT
from assistant.runtime.support_bundle import write_bundle

_FILE = click.Path(path_type=Path)


@click.command()
@click.option("--setup", "setup_path", type=_FILE, help="The set-up to look at; without it only the machine is.")
@click.option("--lens", type=_FILE, help="A lens file, in place of the one that the set-up names.")
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(1, 65535), help="Of the pages.")
@click.option("--host", default="0.0.0.0", show_default=True, help="Of the pages.")  # noqa: S104
@click.option(
    "--bundle", type=_FILE, help="Pack logs, set-up, calibration and versions into this file, for a bug report."
)
@click.option("--with-pictures", is_flag=True, help="Pack a picture of the table as well.")
@add_json_option
def doctor(
    *,
    setup_path: Path | None,
    lens: Path | None,
    port: int,
    host: str,
    bundle: Path | None,
    with_pictures: bool,
    as_json: bool,
) -> int:
    """Say what of camera, calibration, disk and browser works, how good it is in millimetres, and what to do.

    It looks through the camera for a few seconds and changes nothing.
    """
    if with_pictures and bundle is None:
        raise BadInput("--with-pictures: into which file? Name it with --bundle")
    games = platformdirs.user_data_path("overtable") / "games"
    report = ""
    try:
        diagnosis, is_there = examine_setup(setup_path, lens=lens, host=host, port=port, games=games)
        report = f"{describe_diagnosis(diagnosis)}\n"
    except Exception as error:
        report = f"Nothing could be examined: {type(error).__name__}: {error}\n"
        raise
    finally:
        if bundle:
            write_bundle(bundle, setup_path=setup_path, lens=lens, report=report, with_pictures=with_pictures)
    if bundle:
        click.echo(f"Packed into {bundle}. No passwords are in it; look through it before you send it.", err=True)
    click.echo(diagnosis.model_dump_json() if as_json else describe_diagnosis(diagnosis))
    return 0 if is_there else NOT_THERE


commands: list[click.Command] = [doctor]
