"""`overtable stats`: a recorded game in figures."""

from collections.abc import Iterator
from pathlib import Path

import click

from assistant.cli.markers import tell
from assistant.cli.output import as_json, print_json
from assistant.cli.verify import notice_of
from assistant.past.incident import clock_said
from assistant.past.said import OUTCOMES
from assistant.past.statistics import CloseCall, Statistics, statistics
from assistant.rules.words import centimetres, inches


@click.command()
@click.argument("recording", type=click.Path(path_type=Path))
@as_json
def stats(recording: Path, *, as_json: bool) -> None:
    """Say what a recorded game comes to: distances, times, close calls and rulings.

    The page /stats shows it of a game that is played or replayed, with a map of where models stood.
    """
    found = statistics(recording)
    tell(notice_of(recording))
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        click.echo("\n".join(_told(found)))


def _told(found: Statistics) -> Iterator[str]:
    say = centimetres if found.unit == "cm" else inches
    yield f"{found.title}: {clock_said(found.lasted_ns)}, {_moves(sum(p.moves for p in found.players))} accepted"
    if found.breaks_ns:
        yield f"  left out: {clock_said(found.breaks_ns)} in which nothing was recorded"
    if found.untimed_ns:
        yield f"  before turns were counted: {clock_said(found.untimed_ns)}"
    by = "in their turns" if found.timed_by == "turns" else "with their moves"
    for player in found.players:
        yield f"  {player.player}: {clock_said(player.time_ns)} {by}, {_moves(player.moves)}, {say(player.moved_mm, 1)}"
    for turn in found.turns:
        yield f"  turn {turn.number} of {turn.player}: {clock_said(turn.lasted_ns)}, {_moves(turn.moves)}"
    yield "Distance by unit, all its models together"
    for unit in found.units:
        if unit.moves:
            went, longest = say(unit.moved_mm, 1), say(unit.longest_mm, 1)
            yield f"  {unit.unit:<24} {went:>10}  {_moves(unit.moves)}, longest {longest}"
    if found.longest is not None:
        yield f"Longest move: {found.longest.model}, {say(found.longest.mm, 1)} (move {found.longest.move})"
    yield f"Close calls: {len(found.close_calls)}"
    yield from map(_close, found.close_calls)
    yield f"Rulings: {len(found.rulings)}"
    for each in found.rulings:
        yield f"  {clock_said(each.at_ns)}  {each.text}"


def _moves(count: int) -> str:
    return f"{count} {'move' if count == 1 else 'moves'}"


def _close(call: CloseCall) -> str:
    return (
        f"  {clock_said(call.at_ns)}  {OUTCOMES[call.outcome]:<17}"
        f" {call.margin_mm:+.2f} mm at {call.sigma_mm:.2f} mm sigma:"
        f" {call.text} ({call.rule}, move {call.move})"
    )


commands: list[click.Command] = [stats]
