"""The referee without a camera: verdicts, zones and options of a situation file."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import click

from assistant.cli.output import add_json_option, print_json
from assistant.errors import BadInput
from assistant.game.situation_file import read_situation
from assistant.game.state import Setting
from assistant.rules.answer_documents import encode_actions, encode_rulebook, encode_verdict, encode_zone
from assistant.rules.books import find_rulebook, list_rulebooks
from assistant.rules.referee import Referee, judge
from assistant.rules.rulebook import Key
from assistant.rules.verdict import BREACHES, EVERYTHING


@click.command("judge")
@click.argument("situation", type=click.Path(path_type=Path))
@click.option("--all", "everything", is_flag=True, help="Also the rules that are kept.")
@add_json_option
def judge_command(situation: Path, *, everything: bool, as_json: bool) -> None:
    """Say what the rules make of a SITUATION.

    If it holds a move, that is judged.
    """
    situation_read = read_situation(situation)
    with _name_errors(situation):
        verdict = judge(situation_read.state, situation_read.move, detail=EVERYTHING if everything else BREACHES)
    if as_json:
        print_json(encode_verdict(verdict))
        return
    click.echo(verdict.outcome.value)
    for finding in verdict.findings:
        click.echo(f"  {finding.outcome.value:<10} {finding.rule}  {finding.text}")
    book = find_rulebook(verdict.rulebook)
    for effect in verdict.effects:
        click.echo(f"  {'effect':<10} {effect.rule}  {book.describe_effect(effect)}")


class _ZoneCommand(click.Command):
    """A command that has an option for each field of a move that any rulebook knows."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own options, and those of the rulebooks before its last two."""
        own, keys = super().get_params(ctx), {key.name: key for book in list_rulebooks() for key in book.intent}
        return [*own[:-2], *map(_build_intent_option, keys.values()), *own[-2:]]


def _build_intent_option(key: Key) -> click.Option:
    """Return the option for a field of a move: a flag, one id, or several."""
    flag = key.values is bool
    return click.Option(
        [f"--{key.name.replace('_', '-')}"],
        is_flag=flag,
        multiple=key.values is tuple,
        metavar=None if flag else "ID",
        help=f"{key.statement[0].upper()}{key.statement[1:]}.",
    )


@click.command("zone", cls=_ZoneCommand)
@click.argument("situation", type=click.Path(path_type=Path))
@click.option("--model", metavar="ID", help="The model that moves.")
@click.option("--unit", metavar="ID", help="In place of a model: where any model of a unit may end, each by itself.")
@click.option("--action", required=True, metavar="KIND", help="What its unit does.")
@click.option("--roll", "rolls", multiple=True, type=int, metavar="N", help="A die, in the order rolled.")
@click.option(
    "--facing",
    type=click.Choice(("any", "keep")),
    default="any",
    show_default=True,
    help="The facing that it may end with: any, or only the one that it has.",
)
@click.option("--alone", is_flag=True, help="Leave aside what binds the unit as a whole.")
@click.option(
    "--lost", multiple=True, metavar="ID", help="A model that failed tests cost, gone before the others move."
)
@add_json_option
def zone_command(
    situation: Path,
    *,
    model: str | None,
    unit: str | None,
    action: str,
    rolls: tuple[int, ...],
    facing: Literal["any", "keep"],
    alone: bool,
    lost: tuple[str, ...],
    as_json: bool,
    **intent: Setting,
) -> None:
    """Say where a model may end an action, or any model of a unit."""
    if (model is None) == (unit is None):
        raise BadInput("zone: expected either --model or --unit")
    state = read_situation(situation).state
    intent_given: Mapping[str, Setting] = {key: value for key, value in intent.items() if value}
    with _name_errors(situation):
        referee = Referee(state)
        if model is not None:
            answer = referee.find_zone(
                model=model, action=action, rolls=rolls, facing=facing, alone=alone, intent=intent_given, lost=lost
            )
        else:
            answer = referee.find_unit_zone(
                unit=str(unit), action=action, rolls=rolls, facing=facing, intent=intent_given, lost=lost
            )
    if as_json:
        print_json(encode_zone(answer))
        return
    region, limit, who = answer.region, answer.limit_mm, answer.model
    if region.is_empty:
        click.echo(f"{who} may end {action} nowhere")
        return
    left, near, right, far = region.bounds
    click.echo(f"{who} may end {action} in {region.area / 100:.0f} cm², in {len(region.geoms)} part(s)")
    click.echo(f"  x {left:.1f} to {right:.1f} mm, y {near:.1f} to {far:.1f} mm; edges within {answer.error_mm:.2f} mm")
    if limit is not None:
        click.echo(f"  it may go {limit:.1f} mm")


@click.command("actions")
@click.argument("situation", type=click.Path(path_type=Path))
@click.option("--unit", required=True, metavar="ID", help="The unit that is to act.")
@add_json_option
def actions_command(situation: Path, *, unit: str, as_json: bool) -> None:
    """Say which actions a unit may choose.

    And why not the others.
    """
    state = read_situation(situation).state
    with _name_errors(situation):
        choices = Referee(state).list_options(unit)
    if as_json:
        print_json(encode_actions(unit, choices))
        return
    for option in choices:
        limit = "" if option.limit_mm is None else f", up to {option.limit_mm:.1f} mm"
        takes = option.dice if option.allowed else 0
        dice = f", takes {takes} {'die' if takes == 1 else 'dice'}" if takes else ""
        click.echo(f"{option.action:<20} {'yes' if option.allowed else 'no'}{limit}{dice}")
        if option.reason:
            click.echo(f"{'':<20} {option.reason}")
        for rule, text in option.because:
            click.echo(f"{'':<20} {rule}  {text}")


@click.command("rulebooks")
@add_json_option
def rulebooks_command(*, as_json: bool) -> None:
    """List the rulebooks.

    With their actions, profile keys, statuses, parameters, and rules with coverage.
    """
    listed = [encode_rulebook(book) for book in list_rulebooks()]
    if as_json:
        print_json({"format": "overtable.rulebooks/1", "rulebooks": listed})
        return
    for book in listed:
        click.echo(f"{book['id']}: {book['title']}")
        for title in ("profile", "parameters", "intent"):
            for key in book[title]:
                default = "" if key["default"] is None else f" (default {key['default']})"
                click.echo(f"  {title:<10} {key['key']}: {key['statement']}{default}")
        click.echo(f"  {'statuses':<10} {', '.join(book['statuses'])}")
        for action in book["actions"]:
            click.echo(f"  {'action':<10} {action['action']}: {action['label']}")
        for rule in book["rules"]:
            reason = f" ({rule['reason']})" if rule["reason"] else ""
            click.echo(f"  {rule['id']:<10} {rule['coverage']}{reason}: {rule['statement']}")


commands: list[click.Command] = [judge_command, zone_command, actions_command, rulebooks_command]


@contextmanager
def _name_errors(path: Path) -> Iterator[None]:
    """Let an error of the referee name the file that it is about."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
