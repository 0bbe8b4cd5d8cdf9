"""`overtable report`: an incident of a recorded game on one sheet of paper."""

from dataclasses import replace
from pathlib import Path

import click

from assistant.cli.output import add_json_option, print_json
from assistant.errors import BadInput
from assistant.features.camera.markers import print_notice
from assistant.files.documents import write_atomically
from assistant.files.output_path import check_target, is_pdf
from assistant.replay.event_descriptions import describe_ruling
from assistant.replay.formatting import OUTCOMES, format_clock, parse_clock
from assistant.replay.playback import read_first_state
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.incident import build_incident
from assistant.replay.reports.incident_pdf import build_report_pdf
from assistant.replay.verification_notice import find_notice

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("recording", type=_FILE)
@click.option("--at", help="When, from the game's beginning: 754.5 (seconds), 12:34.5 or 1:02:03.")
@click.option(
    "--finding", type=click.IntRange(min=1), help="The number of a finding, as --list says and the judge's page."
)
@click.option("--list", "listed", is_flag=True, help="List the findings of the whole game instead.")
@click.option("--out", type=_FILE, help="The PDF to write.")
@add_json_option
def report(
    *, recording: Path, at: str | None, finding: int | None, listed: bool, out: Path | None, as_json: bool
) -> None:
    """Write down an incident: the picture, the figures, the rule, the calibration and its error, and rulings."""
    past = RecordedGame(recording)
    print_notice(find_notice(recording))
    if listed:
        _list(past, as_json=as_json)
        return
    if at is None and finding is None:
        raise BadInput("report: which incident? give --at TIME, --finding NUMBER (--list shows them), or both")
    if out is None and not as_json:
        raise BadInput("report: --out is missing; expected the name of the PDF to write")
    if out is not None:
        check_target(out, "PDF", replaces=is_pdf)
    at_ns = parse_clock(at, recording=past.path, ended_ns=past.find_end_ns()) if at is not None else 0
    incident = build_incident(past, at_ns, finding)
    if out is not None:
        write_atomically(out, build_report_pdf(past, incident))
    if as_json:
        print_json(incident.model_dump(mode="json"))
    else:
        at = format_clock(incident.at_ns)
        click.echo(f"{out}: {incident.outcome_said}, {at} into the game: {incident.statement}")


def _list(past: RecordedGame, *, as_json: bool) -> None:
    findings = [f for f in past.judge_all().findings.values() if not f.is_preview]
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
                for f in findings
            ]
        )
        return
    first = read_first_state(past.path, past.about)
    for f in findings:
        click.echo(f"{f.number:4}  {format_clock(f.at_ns):>10}  {OUTCOMES[f.finding.outcome]:17}  {f.finding.text}")
        for decision in f.rulings:
            click.echo(f"{'':37}{describe_ruling(first, replace(decision.ruling, text=''))}")
    previews = len(past.judge_all().findings) - len(findings)
    if previews:
        click.echo(f"Numbers left out ({previews}) came and went while their moves were still being made.")
    if not findings:
        click.echo("Nothing was found that was not legal.")


commands: list[click.Command] = [report]
