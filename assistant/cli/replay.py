"""`overtable replay`: a recorded game on the pages, or what of it is judged differently now.

With ``--reprocess`` its video goes through the eyes again, and the differences are printed.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from assistant.cli.output import FiniteFloat, add_json_option, print_json, show_progress
from assistant.cli.serving_options import add_serving_options
from assistant.errors import BadInput
from assistant.features.notices import print_notice
from assistant.features.reprocessing import Substitution, reprocess_with
from assistant.game.state import Setting
from assistant.recording.journal.row_types import CalledFinding
from assistant.replay.exports.corrected_recording import write_corrected_copy
from assistant.replay.formatting import OUTCOMES, format_clock
from assistant.replay.reprocess.result import describe_changes
from assistant.replay.verdict_diff import Difference, Differences, find_differences
from assistant.replay.verification_notice import find_notice
from assistant.rules.books import find_rulebook
from assistant.runtime.page_server import ServingOptions
from assistant.runtime.replay_loop import serve_replay

_PATH = click.Path(path_type=Path)


def add_reprocess_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of looking at a video again, as ``substitution`` (None: not asked) and ``to``."""

    @click.option(
        "--reprocess", is_flag=True, help="Play the video through the eyes again; say what comes out otherwise."
    )
    @click.option("--setup", type=_PATH, help="reprocess: a set-up file in place of what the table was set up with.")
    @click.option("--lens", type=_PATH, help="reprocess: a lens file in place of the lens then.")
    @click.option("--table", type=_PATH, help="reprocess: a table file in place of where the anchors lay then.")
    @click.option("--to", type=_PATH, help="reprocess: record the game as it is seen now, to a new file.")
    @wraps(command)
    def asked(
        *,
        reprocess: bool,
        setup: Path | None,
        lens: Path | None,
        table: Path | None,
        to: Path | None,
        **others: object,
    ) -> None:
        given = {"--setup": setup, "--lens": lens, "--table": table, "--to": to}
        if not reprocess and (alone := next((name for name, value in given.items() if value is not None), None)):
            raise BadInput(f"{alone}: means nothing without --reprocess; add it, or leave {alone} out")
        substitution = Substitution(setup=setup, lens=lens, table=table) if reprocess else None
        command(substitution=substitution, to=to, **others)

    return asked


def _reprocess(recording: Path, substitution: Substitution, to: Path | None, *, as_json: bool) -> None:
    with show_progress("Looking again") as progress:
        result = reprocess_with(recording, substitution, to, progress)
    if as_json:
        print_json(result.model_dump(mode="json"))
        return
    for line in describe_changes(result):
        click.echo(line)
    if to:
        click.echo(f"{to}: the game as it is seen now")


_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("recording", type=_FILE)
@click.option("--speed", default=1.0, show_default=True, type=FiniteFloat(0.01, 1000))
@click.option("--differences", "differing", is_flag=True, help="Say which calls are others now, and open no page.")
@click.option(
    "--corrected",
    "as_corrected",
    is_flag=True,
    help="Tell models apart that carried each other's markers, from where that began.",
)
@click.option("--params", multiple=True, metavar="KEY=VALUE", help="Judge with a parameter of the rulebook changed.")
@add_reprocess_options
@add_json_option
@add_serving_options
def replay(
    *,
    recording: Path,
    speed: float,
    differing: bool,
    as_corrected: bool,
    params: tuple[str, ...],
    substitution: Substitution | None,
    to: Path | None,
    as_json: bool,
    where: ServingOptions,
) -> None:
    """Play a recorded game in the browser, with a bar to pause, step and look around in it.

    The referee judges it anew as it goes, and the pages say where a call is another than in play: because the program
    is a newer one, or with --params. --differences lists those calls, before and now.
    --reprocess plays the video of `overtable run --video` through the eyes again, and says which poses, moves and calls
    come out otherwise.
    """
    changed = dict(_parse_parameter(each) for each in params)
    if substitution is not None:
        if differing or as_corrected or changed:
            raise BadInput("--reprocess: goes by itself; leave out --differences, --corrected and --params")
        _reprocess(recording, substitution, to, as_json=as_json)
        return
    if as_json and not differing:
        raise BadInput(
            "--json: means nothing without --differences or --reprocess, for the pages are the answer; leave it out"
        )
    with ExitStack() as stack:
        if as_corrected:
            copy = Path(stack.enter_context(TemporaryDirectory())) / recording.name
            write_corrected_copy(recording, copy)
            print_notice(find_notice(recording))
            recording = copy
        if differing:
            differences = find_differences(recording, changed)
            print_notice(find_notice(recording))
            _print_differences(differences, as_json=as_json)
        else:
            serve_replay(recording, changed, speed, where)


def _print_differences(differences: Differences, *, as_json: bool) -> None:
    if as_json:
        print_json(differences.model_dump(mode="json"))
    else:
        click.echo("\n".join(_describe_differences(differences)))


def _parse_parameter(text: str) -> tuple[str, Setting]:
    """Read a parameter: its value is JSON, or a word as it stands."""
    key, given, value = text.partition("=")
    if not (key and given):
        raise BadInput(f"--params {text}: expected KEY=VALUE, such as pivot=free or coherency_in=2")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _describe_differences(differences: Differences) -> Iterator[str]:
    count = len(differences.differing)
    by = f"recorded by {', '.join(differences.programs)}" if differences.programs else "recorded without its calls"
    with_ = "".join(f", {key}={value}" for key, value in differences.parameters.items())
    held = f"{differences.compared} calls of {differences.title} held to {differences.program} ({by}{with_})"
    if differences.outcomes_only:
        held += "; this older recording keeps only how accepted moves were called"
    if not count:
        yield f"No differences: {held}."
        return
    yield f"{count} {'call differs' if count == 1 else 'calls differ'}: {held}."
    first = differences.differing[0]
    yield f"The stories part at {format_clock(first.at_ns)}{f', in move {first.move}' if first.move else ''}."
    groups: dict[object, list[Difference]] = {}
    for each in differences.differing:
        groups.setdefault(each.move or each.findings, []).append(each)
    for group in groups.values():
        yield from _describe_group(differences, group)


def _describe_group(differences: Differences, group: list[Difference]) -> Iterator[str]:
    """Tell of a move its last call that differs, and what the same is found of again and again once."""
    what, each, more = "how the table stood", group[0], f" (and {len(group) - 1} times more)"
    if each.move is not None:
        each, more = group[-1], f" (the last of {len(group)} calls that differ)"
    if each.unit is not None and each.action is not None:
        what = f"{find_rulebook(differences.rulebook).find_action(each.action).label} of {each.unit}"
    move = f"Move {each.move}, " if each.move else ""
    fate = ", accepted" if each.accepted else ""
    now = f"{OUTCOMES[each.before]}, now {OUTCOMES[each.now] if each.now else 'it cannot be judged'}"
    if each.before == each.now:
        now = f"{OUTCOMES[each.before]} then and now, but not for the same"
    yield f"{move}{what} at {format_clock(each.at_ns)}{fate}: {now}{more if len(group) > 1 else ''}"
    for pair in each.findings:
        yield f"  {pair.rule:<10} before  {_describe_finding(pair.before)}"
        yield f"  {'':<10} now     {_describe_finding(pair.now)}"
    if each.effects_before or each.effects_now:
        yield f"  {'effects':<10} before  {'; '.join(each.effects_before) or 'none'}"
        yield f"  {'':<10} now     {'; '.join(each.effects_now) or 'none'}"


def _describe_finding(finding: CalledFinding | None) -> str:
    if finding is None:
        return "nothing found"
    margin = "" if finding.margin_mm is None else f", margin {finding.margin_mm:+.2f} mm"
    sigma = "" if finding.sigma_mm is None else f" at {finding.sigma_mm:.2f} mm sigma"
    return f"{OUTCOMES[finding.outcome]}: {finding.text}{margin}{sigma}"


commands: list[click.Command] = [replay]
