"""`overtable cases`: the rules' cases, run against an engine, packed for another one, and shown rule by rule."""

import shlex
from pathlib import Path

import click

from assistant.cli.output import FiniteFloat, add_json_option, print_json
from assistant.conformance.case_file import read_cases
from assistant.conformance.comparison import TOLERANCE_MM
from assistant.conformance.engine_command import build_command_engine
from assistant.conformance.kit import is_packed, pack_cases
from assistant.conformance.referee_engine import ask_referee
from assistant.conformance.rule_pages import write_rule_pages
from assistant.conformance.runner import describe_results, encode_results, run_cases
from assistant.errors import BadInput
from assistant.files.documents import write_atomically
from assistant.files.output_path import check_target

_FOLDER = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))


@click.group()
def cases() -> None:
    """Hold a rules engine to cases worked out by hand."""


@cases.command()
@_FOLDER
@click.option("--engine", metavar="COMMAND", help="Another engine: what answers judge, zone and actions in our place.")
@click.option(
    "--tolerance-mm",
    type=FiniteFloat(min=0),
    default=TOLERANCE_MM,
    show_default=True,
    help="How far measures may lie from the expected ones.",
)
@add_json_option
def run(folder: Path, *, engine: str | None, tolerance_mm: float, as_json: bool) -> None:
    """Run the cases in DIR, and say rule by rule how many passed and what is wrong with the others.

    Exit status: 0 they were run, whatever came of it (--json says so as "passed" and "failed").
    """
    asked = ask_referee if engine is None else build_command_engine(_split_command(engine))
    results = run_cases(read_cases(folder), asked, tolerance_mm)
    if as_json:
        print_json(encode_results(results))
        return
    for line in describe_results(results):
        click.echo(line)


@cases.command()
@_FOLDER
@click.option("--out", required=True, metavar="FILE.pyz", type=click.Path(path_type=Path), help="What is written.")
def pack(folder: Path, *, out: Path) -> None:
    """Pack the cases in DIR and their runner into one file, for another engine.

    `python FILE.pyz COMMAND...` runs them with nothing else installed.
    """
    check_target(out, "packed cases", replaces=is_packed)
    packed = pack_cases(folder)
    write_atomically(out, packed)
    click.echo(f"{out}: {len(packed) / 1024:.0f} kB; run it by: python {out} COMMAND...")


@cases.command()
@_FOLDER
@click.option("--out", required=True, metavar="DIR", type=click.Path(path_type=Path), help="Where the pages go.")
def pages(folder: Path, *, out: Path) -> None:
    """Write a page for each rulebook: its rules, what becomes of each, and the cases in DIR that prove it."""
    written = write_rule_pages(folder, out)
    if not written:
        raise BadInput(f"{folder}: there is no case of a rulebook that is known here")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{out}: cannot be made ({error.strerror})") from None
    for path, text in written.items():
        write_atomically(path, text.encode())
        click.echo(str(path))


def _split_command(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadInput(f"--engine {text}: {error}; expected a command and its arguments") from None
    if not words:
        raise BadInput("--engine: expected a command and its arguments")
    return words


commands: list[click.Command] = [cases]
