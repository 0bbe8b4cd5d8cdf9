"""`overtable replay`: a recorded game on the pages, or what of it is called otherwise now."""

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from assistant.cli.markers import tell
from assistant.cli.output import Finite, as_json, print_json
from assistant.cli.player import play
from assistant.cli.reprocess import Reprocessing, reprocess, reprocessing
from assistant.cli.serving import Serving, pages, serving
from assistant.cli.verify import notice_of
from assistant.cli.watch import Latest
from assistant.errors import BadInput
from assistant.game.state import Setting
from assistant.past.corrected import corrected
from assistant.past.incident import clock_said
from assistant.past.otherwise import Difference, Differences, differences, with_parameters
from assistant.past.replayed import Past
from assistant.past.said import OUTCOMES
from assistant.record.called import CalledFinding
from assistant.record.journal import read_about
from assistant.rules.judge import rulebook
from assistant.web.hub import Hub
from assistant.web.past import Archive

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("recording", type=_FILE)
@click.option("--speed", default=1.0, show_default=True, type=Finite(0.01, 1000))
@click.option("--differences", "differing", is_flag=True, help="Say which calls are others now, and open no page.")
@click.option(
    "--corrected",
    "as_corrected",
    is_flag=True,
    help="Tell models apart that carried each other's tags, from where that began.",
)
@click.option("--params", multiple=True, metavar="KEY=VALUE", help="Judge with a parameter of the rulebook changed.")
@reprocessing
@as_json
@serving
def replay(
    *,
    recording: Path,
    speed: float,
    differing: bool,
    as_corrected: bool,
    params: tuple[str, ...],
    anew: Reprocessing | None,
    as_json: bool,
    where: Serving,
) -> None:
    """Play a recorded game in the browser, with a bar to pause, step and look around in it.

    The referee judges it anew as it goes, and the pages say where a call is another than in play: because the program
    is a newer one, or with --params. --differences lists those calls, before and now.
    --reprocess plays the video of `overtable run --video` through the eyes again, and says which poses, moves and calls
    come out otherwise.
    """
    changed = dict(_parameter(each) for each in params)
    if anew is not None:
        if differing or as_corrected or changed:
            raise BadInput("--reprocess: goes by itself; leave out --differences, --corrected and --params")
        reprocess(recording, anew, as_json=as_json)
        return
    if as_json and not differing:
        raise BadInput(
            "--json: means nothing without --differences or --reprocess, for the pages are the answer; leave it out"
        )
    with ExitStack() as stack:
        if as_corrected:
            copy = Path(stack.enter_context(TemporaryDirectory())) / recording.name
            corrected(recording, copy)
            tell(notice_of(recording))
            recording = copy
        if differing:
            found = differences(recording, changed)
            tell(notice_of(recording))
            _say(found, as_json=as_json)
        else:
            _play(recording, changed, speed, where)


def _say(found: Differences, *, as_json: bool) -> None:
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        click.echo("\n".join(_told(found)))


def _play(recording: Path, changed: Mapping[str, Setting], speed: float, where: Serving) -> None:
    about = with_parameters(recording, read_about(recording), changed)
    past = Past(recording, about)
    hub, archive = Hub(), Archive(past)
    title = about.get("title", recording.stem)
    with ThreadPoolExecutor(1, "verify") as aside, pages(hub, Latest(), where, title, archive=archive) as stop:
        notice = aside.submit(notice_of, recording)
        notice.add_done_callback(lambda done: tell(done.result()))
        play(past, hub, stop, speed=speed, notice=notice)


def _parameter(text: str) -> tuple[str, Setting]:
    """Read a parameter: its value is JSON, or a word as it stands."""
    key, given, value = text.partition("=")
    if not (key and given):
        raise BadInput(f"--params {text}: expected KEY=VALUE, such as pivot=free or coherency_in=2")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _told(found: Differences) -> Iterator[str]:
    count = len(found.differing)
    by = f"recorded by {', '.join(found.programs)}" if found.programs else "recorded without its calls"
    with_ = "".join(f", {key}={value}" for key, value in found.parameters.items())
    held = f"{found.compared} calls of {found.title} held to {found.program} ({by}{with_})"
    if found.outcomes_only:
        held += "; this older recording keeps only how accepted moves were called"
    if not count:
        yield f"No differences: {held}."
        return
    yield f"{count} {'call differs' if count == 1 else 'calls differ'}: {held}."
    first = found.differing[0]
    yield f"The stories part at {clock_said(first.at_ns)}{f', in move {first.move}' if first.move else ''}."
    groups: dict[object, list[Difference]] = {}
    for each in found.differing:
        groups.setdefault(each.move or each.findings, []).append(each)
    for group in groups.values():
        yield from _difference(found, group)


def _difference(found: Differences, group: list[Difference]) -> Iterator[str]:
    """Tell of a move its last call that differs, and what the same is found of again and again once."""
    what, each, more = "how the table stood", group[0], f" (and {len(group) - 1} times more)"
    if each.move is not None:
        each, more = group[-1], f" (the last of {len(group)} calls that differ)"
    if each.unit is not None and each.action is not None:
        what = f"{rulebook(found.rulebook).action(each.action).label} of {each.unit}"
    move = f"Move {each.move}, " if each.move else ""
    fate = ", accepted" if each.accepted else ""
    now = f"{OUTCOMES[each.before]}, now {OUTCOMES[each.now] if each.now else 'it cannot be judged'}"
    if each.before == each.now:
        now = f"{OUTCOMES[each.before]} then and now, but not for the same"
    yield f"{move}{what} at {clock_said(each.at_ns)}{fate}: {now}{more if len(group) > 1 else ''}"
    for pair in each.findings:
        yield f"  {pair.rule:<10} before  {_finding(pair.before)}"
        yield f"  {'':<10} now     {_finding(pair.now)}"
    if each.effects_before or each.effects_now:
        yield f"  {'effects':<10} before  {'; '.join(each.effects_before) or 'none'}"
        yield f"  {'':<10} now     {'; '.join(each.effects_now) or 'none'}"


def _finding(found: CalledFinding | None) -> str:
    if found is None:
        return "nothing found"
    margin = "" if found.margin_mm is None else f", margin {found.margin_mm:+.2f} mm"
    sigma = "" if found.sigma_mm is None else f" at {found.sigma_mm:.2f} mm sigma"
    return f"{OUTCOMES[found.outcome]}: {found.text}{margin}{sigma}"


commands: list[click.Command] = [replay]
