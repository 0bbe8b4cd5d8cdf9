"""`overtable report`: an incident of a recorded game on one sheet of paper, or the whole game as a battle report."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from assistant.cli.output import add_json_option, print_json
from assistant.errors import BadInput
from assistant.features.notices import print_notice
from assistant.files.documents import write_atomically
from assistant.files.output_path import check_target, is_pdf
from assistant.game.naming import list_names, name_ids
from assistant.replay.event_descriptions import describe_ruling
from assistant.replay.formatting import OUTCOMES, format_clock, parse_clock
from assistant.replay.playback import read_first_state
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.battle import tell_battle
from assistant.replay.reports.battle_pdf import build_battle_pdf
from assistant.replay.reports.battle_pictures import BattlePictures
from assistant.replay.reports.incident import build_incident
from assistant.replay.reports.incident_pdf import build_report_pdf
from assistant.replay.verification_notice import find_notice
from assistant.web.battle_page import is_battle_page, read_battle_texts, render_battle_page
from assistant.web.languages.catalogue import LANGUAGES, SOURCE
from assistant.web.languages.reading import read
from assistant.web.languages.reports import translate_battle, translate_incident

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("recording", type=_FILE)
@click.option("--at", help="When, from the game's beginning: 754.5 (seconds), 12:34.5 or 1:02:03.")
@click.option(
    "--finding", type=click.IntRange(min=1), help="The number of a finding, as --list says and the judge's page."
)
@click.option("--list", "listed", is_flag=True, help="List the findings of the whole game instead.")
@click.option("--to", "kind", type=click.Choice(["html", "pdf"]), help="Report the whole battle, as a page or a PDF.")
@click.option(
    "--texts", type=_FILE, help="to: a page of the same game that was saved with other words; they are taken."
)
@click.option("--language", type=click.Choice(LANGUAGES), help="What it is written in; English without this.")
@click.option("--out", type=_FILE, help="The file to write: a PDF, or with --to html a page.")
@add_json_option
def report(
    *,
    recording: Path,
    at: str | None,
    finding: int | None,
    listed: bool,
    kind: str | None,
    texts: Path | None,
    language: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Write down an incident: the picture, the figures, the rule, the calibration and its error, and rulings.

    With --to it is the whole game: a map with an arrow for every move of each turn, what happened, the armies and the
    closest calls, in words that can be changed.
    """
    past = RecordedGame(recording)
    print_notice(find_notice(recording))
    if kind is not None:
        if at is not None or finding is not None or listed or as_json:
            raise BadInput("report: --to is about the whole game; leave --at, --finding, --list and --json out")
        _write_battle(past, kind, texts, language or SOURCE, out)
        return
    if texts is not None:
        raise BadInput("--texts: means nothing without --to; add it, or leave --texts out")
    if language is not None and (listed or out is None):
        raise BadInput("--language: is about what is written to a file; add --out, or leave --language out")
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
        told, say = translate_incident(incident, language or SOURCE), partial(read, language=language or SOURCE)
        write_atomically(out, build_report_pdf(past, told, say))
    if as_json:
        print_json(incident.model_dump(mode="json"))
    else:
        at = format_clock(incident.at_ns)
        click.echo(f"{out}: {incident.outcome_said}, {at} into the game: {incident.statement}")


def _write_battle(past: RecordedGame, kind: str, texts: Path | None, language: str, out: Path | None) -> None:
    """Write the battle report."""
    if out is None:
        raise BadInput(f"report: --out is missing; expected the name of the {kind.upper()} file to write")
    check_target(out, "PDF" if kind == "pdf" else "battle report", replaces=is_pdf if kind == "pdf" else is_battle_page)
    written = read_battle_texts(texts) if texts is not None else {}
    battle = translate_battle(tell_battle(past), language)
    pictures = BattlePictures(past, battle)
    if kind == "pdf":
        write_atomically(out, build_battle_pdf(battle, pictures, written))
    else:
        write_atomically(out, render_battle_page(battle, pictures, written, language=language).encode())
    moves = sum(len(chapter.moves) for chapter in battle.chapters)
    click.echo(f"{out}: {battle.title}, {len(battle.chapters)} chapters with {moves} moves")


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
    names = list_names(first.units)
    for f in findings:
        text = name_ids(f.finding.text, names)
        click.echo(f"{f.number:4}  {format_clock(f.at_ns):>10}  {OUTCOMES[f.finding.outcome]:17}  {text}")
        for decision in f.rulings:
            click.echo(f"{'':37}{describe_ruling(first, replace(decision.ruling, text=''))}")
    previews = len(past.judge_all().findings) - len(findings)
    if previews:
        click.echo(f"Numbers left out ({previews}) came and went while their moves were still being made.")
    if not findings:
        click.echo("Nothing illegal or undecided was accepted.")


commands: list[click.Command] = [report]
