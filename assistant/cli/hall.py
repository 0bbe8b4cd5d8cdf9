"""`overtable hall`: a tournament of many tables, which are gathered in one place."""

import threading
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from assistant.cli.output import show_progress
from assistant.errors import BadInput
from assistant.files.documents import write_atomically
from assistant.files.output_path import check_target
from assistant.hall.broker import find_broker
from assistant.hall.demo import serve_demo
from assistant.hall.event_export import export_event
from assistant.hall.folder import DESK_PORT, EVENT_FILE, SHEETS, HallFolder, make_hall, parse_judges, parse_names
from assistant.hall.serving import serve_hall
from assistant.hall.sheets import build_sheets
from assistant.runtime.interrupts import catch_interrupts
from assistant.setup.hall_file import PORT
from assistant.web.server import list_lan_addresses
from hardware.printing.page import PAPERS

_FOLDER = click.Path(path_type=Path, file_okay=False)
TABLES = 8
"""Of a hall of which nobody says how many it has."""
_PORT = click.IntRange(1, 65534)


@click.group()
def hall() -> None:
    """Gather a tournament of many tables in one place.

    `init` makes a folder with all that lets tables in, `serve` runs the hall, and each table is begun with --hall.
    `export` makes one file of all its games.
    """


@hall.command()
@click.argument("folder", type=_FOLDER)
@click.option("--name", default="Tournament", show_default=True, help="What the event is called.")
@click.option("--tables", help="How many, or their names, such as 1,2,3,stream.  [default: 8 of a new hall]")
@click.option("--judges", default="", help="Their names, such as Ann,Ben: a sheet each, by which they are known.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 20))
@click.option("--minutes", default=165, show_default=True, type=click.IntRange(1, 1440), help="Of a round.")
@click.option("--address", "addresses", multiple=True, help="Of this machine, as tables reach it; found if not given.")
@click.option("--port", default=PORT, show_default=True, type=_PORT, help="Where tables connect.")
@click.option("--desk-port", default=DESK_PORT, show_default=True, type=_PORT, help="Of the judges' pages.")
@click.option("--paper", default="a4", show_default=True, type=click.Choice(sorted(PAPERS)))
def init(
    *,
    folder: Path,
    name: str,
    tables: str | None,
    judges: str,
    rounds: int,
    minutes: int,
    addresses: tuple[str, ...],
    port: int,
    desk_port: int,
    paper: str,
) -> None:
    """Make a hall's folder: configuration, certificates, a file for each table, and sheets for tables and judges.

    In a FOLDER that is one already, tables and judges are added, and everybody who is in it keeps what lets them in;
    but certificates that end within a month are made anew, and then each table needs its new file or sheet.
    """
    names, people = parse_names(tables or str(TABLES)), parse_judges(judges)
    if (folder / EVENT_FILE).exists():
        made, names = HallFolder.open(folder), names if tables else ()
        if made.renew_certificates():
            click.echo("The hall's certificates ended, or soon would, and are new: give each table its new sheet.")
    else:
        if not (name.strip() and name.isprintable() and len(name) <= 100):
            raise BadInput("--name: expected 1 to 100 letters that can be shown")
        found = tuple(_check_address(each) for each in addresses) or tuple(list_lan_addresses()) or ("127.0.0.1",)
        made = make_hall(
            folder,
            name=name.strip(),
            addresses=found[:10],
            port=port,
            desk_port=desk_port,
            rounds=rounds,
            minutes=minutes,
        )
    made.add(tables=names, judges=people)
    made.write()
    write_atomically(made.path / SHEETS, build_sheets(made, PAPERS[paper]), private=True)
    event = made.event
    click.echo(f"{event.name}: {len(event.tables)} tables, at {', '.join(event.addresses)}, port {event.port}.")
    if event.judges:
        click.echo(f"Judges: {', '.join(judge.name for judge in event.judges)}. Give each their own sheet.")
    click.echo(f"Give each table its sheet of {made.path / SHEETS}, or its file in {made.path / 'tables'}.")
    click.echo(f"Then: overtable hall serve {folder}")


def _check_address(text: str) -> str:
    """Return an address of this machine as tables are told it: a name, or an IP address without a port."""
    try:
        return str(ip_address(text)) if ":" not in text else f"[{ip_address(text)}]"
    except ValueError:
        pass
    if not text.replace("-", "").replace(".", "").isalnum() or len(text) > 100:
        raise BadInput(f"--address: {text[:60]!r}: expected a name or an address of this machine, without a port")
    return text


@hall.command()
@click.argument("folder", type=_FOLDER)
@click.option("--broker", type=click.Path(path_type=Path), help="Where nats-server is, if it is not on the path.")
@click.option("--host", default="0.0.0.0", show_default=True, help="127.0.0.1 keeps other devices from the desk.")  # noqa: S104
def serve(*, folder: Path, broker: Path | None, host: str) -> None:
    """Run the hall of a FOLDER: its broker, what gathers the tables' games, and the judges' desk."""
    opened, program = HallFolder.open(folder), find_broker(broker)
    opened.check_date()
    stop = threading.Event()
    with catch_interrupts(stop):
        serve_hall(opened, program, stop, host=host)


@hall.command()
@click.option("--tables", default=12, show_default=True, type=click.IntRange(1, 60), help="How many.")
@click.option("--broker", type=click.Path(path_type=Path), help="Where nats-server is, if it is not on the path.")
@click.option("--port", default=0, type=click.IntRange(0, 65534), help="Of the desk.  [default: a free one]")
@click.option("--no-open", is_flag=True, help="Do not open the desk in a browser.")
def demo(*, tables: int, broker: Path | None, port: int, no_open: bool) -> None:
    """Show a hall that plays by itself, on this machine alone, until Ctrl-C.

    The tables are simulated: their games are judged, recorded and sent as at any table, but nothing is rendered and no
    camera looks. All is forgotten at the end.
    """
    program, stop = find_broker(broker), threading.Event()
    with catch_interrupts(stop), TemporaryDirectory(prefix="overtable-hall-") as folder:
        serve_demo(Path(folder), program, stop, tables=tables, desk_port=port, opens=not no_open)


@hall.command()
@click.argument("folder", type=_FOLDER)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The zip file to write.")
@click.pass_context
def export(context: click.Context, *, folder: Path, out: Path) -> None:
    """Put all games of an event into one file: an index, a replay of each, calls, rulings and results as CSV.

    Each recording is held to its hash chain first. One that was changed, or cannot be read, is named and left out, and
    the exit status is 2 then.
    """
    opened = HallFolder.open(folder)
    if out.suffix.lower() != ".zip":
        raise BadInput(f"--out {out}: expected a name that ends with .zip")
    if out.exists():
        raise BadInput(f"--out {out}: there is such a file already; choose another name")
    check_target(out, "export", replaces=lambda _: False)
    with show_progress("Exporting") as progress:
        result = export_event(opened, out, progress)
    games = "1 game" if result.games == 1 else f"{result.games} games"
    click.echo(f"{out}: {games}, {out.stat().st_size / 1e6:.1f} MB")
    for trouble in result.troubles:
        click.echo(trouble, err=True)
    if result.troubles:
        context.exit(BadInput.exit_status)


@hall.command()
@click.argument("folder", type=_FOLDER)
@click.argument("name")
def withdraw(*, folder: Path, name: str) -> None:
    """Let a table or a judge in no longer; a hall that runs cuts them off within seconds.

    With `init` and the same NAME they get a new sheet.
    """
    opened = HallFolder.open(folder)
    was = opened.withdraw(name)
    opened.write()
    click.echo(f"The {was} {name} is let in no longer.")


commands: list[click.Command] = [hall]
