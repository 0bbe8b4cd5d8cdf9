"""`overtable report`: an incident of a recorded game on one sheet of paper."""

from dataclasses import replace
from pathlib import Path

import click

from assistant.cli.clock import clock
from assistant.cli.markers import tell
from assistant.cli.output import as_json, print_json
from assistant.cli.verify import notice_of
from assistant.errors import BadInput
from assistant.files import write_whole
from assistant.past.incident import clock_said, incident
from assistant.past.playing import first_state
from assistant.past.replayed import Past
from assistant.past.said import OUTCOMES, ruling_said
from assistant.past.sheet import report_pdf
from assistant.target import check_target, is_pdf

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("recording", type=_FILE)
@click.option("--at", help="When, from the game's beginning: 754.5 (seconds), 12:34.5 or 1:02:03.")
@click.option(
    "--finding", type=click.IntRange(min=1), help="The number of a finding, as --list says and the judge's page."
)
@click.option("--list", "listed", is_flag=True, help="List the findings of the whole game instead.")
@click.option("--out", type=_FILE, help="The PDF to write.")
@as_json
def report(
    *, recording: Path, at: str | None, finding: int | None, listed: bool, out: Path | None, as_json: bool
) -> None:
    """Write down an incident: the picture, the figures, the rule, the calibration and its error, and rulings."""
    past = Past(recording)
    tell(notice_of(recording))
    if listed:
        _list(past, as_json=as_json)
        return
    if at is None and finding is None:
        raise BadInput("report: which incident? give --at TIME, --finding NUMBER (--list shows them), or both")
    if out is None and not as_json:
        raise BadInput("report: --out is missing; expected the name of the PDF to write")
    if out is not None:
        check_target(out, "PDF", replaces=is_pdf)
    at_ns = clock(at, past) if at is not None else 0
    found = incident(past, at_ns, finding)
    if out is not None:
        write_whole(out, report_pdf(past, found))
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        click.echo(f"{out}: {found.outcome_said}, {clock_said(found.at_ns)} into the game: {found.statement}")


def _list(past: Past, *, as_json: bool) -> None:
    found = [f for f in past.judged().found.values() if not f.fleeting]
    if as_json:
        print_json(
            [
                {
                    "finding": f.number,
                    "at_ns": f.at_ns,
                    "outcome": f.finding.outcome,
                    "rule": f.finding.rule,
                    "subjects": f.finding.subjects,
                    "text": f.finding.text,
                    "fate": f.fate,
                    "rulings": [
                        {"by": d.ruling.by, "outcome": d.ruling.outcome, "note": d.ruling.note} for d in f.rulings
                    ],
                }
                for f in found
            ]
        )
        return
    first = first_state(past.path, past.about)
    for f in found:
        click.echo(f"{f.number:4}  {clock_said(f.at_ns):>10}  {OUTCOMES[f.finding.outcome]:17}  {f.finding.text}")
        for made in f.rulings:
            click.echo(f"{'':37}{ruling_said(first, replace(made.ruling, text=''))}")
    fleeting = len(past.judged().found) - len(found)
    if fleeting:
        click.echo(f"Numbers left out ({fleeting}) were over within half a second, while hands were at work.")
    if not found:
        click.echo("Nothing was found that was not legal.")


commands: list[click.Command] = [report]
