"""`overtable doctor`: what of a set-up works, how good it is in millimetres, and what would improve it most."""

import re
from pathlib import Path

import click
import platformdirs

from assistant.cli import NOT_THERE
from assistant.cli.output import FiniteFloat, add_json_option
from assistant.errors import BadInput
from assistant.features.diagnosis.camera_table import CameraSpec, load_cameras
from assistant.features.diagnosis.examination import examine_setup
from assistant.features.diagnosis.plan import Room, describe_plan, plan_table
from assistant.features.diagnosis.report import describe_diagnosis
from assistant.runtime.page_server import PORT
from assistant.runtime.support_bundle import write_bundle
from assistant.setup.draft import UNIT_MM

_FILE = click.Path(path_type=Path)
TABLE = re.compile(r"(\d+(?:\.\d+)?)\s*x\s*(\d+(?:\.\d+)?)\s*(in|cm|mm)?")
LEAST_TABLE_MM, LARGEST_TABLE_MM = 200.0, 5000.0


@click.command()
@click.option("--setup", "setup_path", type=_FILE, help="The set-up to look at; without it only the machine is.")
@click.option("--lens", type=_FILE, help="A lens file, in place of the one that the set-up names.")
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(1, 65535), help="Of the pages.")
@click.option("--host", default="0.0.0.0", show_default=True, help="Of the pages.")  # noqa: S104
@click.option(
    "--bundle", type=_FILE, help="Pack logs, set-up, calibration and versions into this file, for a bug report."
)
@click.option("--with-pictures", is_flag=True, help="Pack a picture of the table as well.")
@click.option("--plan", "planned", is_flag=True, help="Say before anything is bought what cameras would give.")
@click.option("--table", default="60x44in", show_default=True, help="With --plan: the table, in in, cm or mm.")
@click.option("--height-mm", type=FiniteFloat(100, 6000), help="With --plan: of the camera above it.  [default: least]")
@click.option("--lux", default=300.0, show_default=True, type=FiniteFloat(1, 1e5), help="With --plan: light on it.")
@click.option("--camera", default="all", show_default=True, help="With --plan: one by its name.")
@add_json_option
def doctor(
    *,
    planned: bool,
    table: str,
    height_mm: float | None,
    lux: float,
    camera: str,
    setup_path: Path | None,
    lens: Path | None,
    port: int,
    host: str,
    bundle: Path | None,
    with_pictures: bool,
    as_json: bool,
) -> int:
    """Say what of camera, calibration, disk and browser works, how good it is in millimetres, and what to do.

    It looks through the camera for a few seconds and changes nothing.  With --plan it needs no camera: it says what
    cameras that can be bought would give over a table, in pixels a millimetre, smallest tags and rings, millimetres
    and lag.
    """
    if planned:
        if setup_path is not None:
            raise BadInput("--plan: it looks at no set-up; leave --setup out, or leave --plan out to examine one")
        plan = plan_table(Room(table_mm=_parse_table(table), height_mm=height_mm, lux=lux), _choose_cameras(camera))
        click.echo(plan.model_dump_json() if as_json else describe_plan(plan))
        return 0
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


def _parse_table(text: str) -> tuple[float, float]:
    """Return the longer and the shorter side of a table, mm."""
    found = TABLE.fullmatch(text.strip().lower())
    if found is None:
        raise BadInput(f"--table {text}: expected two lengths and a unit, such as 60x44in, 180x120cm or 1524x1118mm")
    sides = sorted((float(side) * UNIT_MM[found[3] or "mm"] for side in found.groups()[:2]), reverse=True)
    if not LEAST_TABLE_MM <= sides[1] <= sides[0] <= LARGEST_TABLE_MM:
        raise BadInput(
            f"--table {text}: expected sides from {LEAST_TABLE_MM:g} to {LARGEST_TABLE_MM:g} mm, such as 60x44in"
        )
    return sides[0], sides[1]


def _choose_cameras(name: str) -> list[CameraSpec]:
    known = load_cameras()
    if name == "all":
        return list(known.values())
    if name not in known:
        raise BadInput(f"--camera {name}: expected all or one of {', '.join(known)}")
    return [known[name]]


commands: list[click.Command] = [doctor]
