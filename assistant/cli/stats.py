"""`overtable stats`: a recorded game in figures."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from assistant.cli.output import add_json_option, print_json
from assistant.features.notices import print_notice
from assistant.game.naming import name_ids
from assistant.replay.formatting import OUTCOMES, format_clock
from assistant.replay.reports.statistics import CloseCall, Statistics, compute_statistics
from assistant.replay.second_process import begin_beside, collect_seldom
from assistant.replay.verification_notice import find_notice
from assistant.rules.lengths import format_centimetres, format_inches


@click.command()
@click.argument("recording", type=click.Path(path_type=Path))
@add_json_option
def stats(recording: Path, *, as_json: bool) -> None:
    """Say what a recorded game comes to: distances, times, close calls and rulings.

    The page /stats shows it of a game that is played or replayed, with a map of where models stood.
    """
    collect_seldom()
    with begin_beside(recording) as begin:
        notice = begin(find_notice)
        statistics = compute_statistics(recording, begin)
        print_notice(notice())
    if as_json:
        print_json(statistics.model_dump(mode="json"))
    else:
        click.echo("\n".join(_describe_statistics(statistics)))


def _describe_statistics(statistics: Statistics) -> Iterator[str]:
    say = format_centimetres if statistics.unit == "cm" else format_inches
    moves = _describe_count(sum(player.moves for player in statistics.players))
    yield f"{statistics.title}: {format_clock(statistics.lasted_ns)}, {moves} accepted"
    if statistics.breaks_ns:
        yield f"  left out: {format_clock(statistics.breaks_ns)} in which nothing was recorded"
    if statistics.untimed_ns:
        yield f"  before turns were counted: {format_clock(statistics.untimed_ns)}"
    by = "in their turns" if statistics.timed_by == "turns" else "with their moves"
    for player in statistics.players:
        moves, length = _describe_count(player.moves), say(player.moved_mm, 1)
        yield f"  {player.player}: {format_clock(player.time_ns)} {by}, {moves}, {length}"
    for turn in statistics.turns:
        yield f"  turn {turn.number} of {turn.player}: {format_clock(turn.lasted_ns)}, {_describe_count(turn.moves)}"
    yield "Distance by unit, all its models together"
    for unit in statistics.units:
        if unit.moves:
            went, longest = say(unit.moved_mm, 1), say(unit.longest_mm, 1)
            yield f"  {unit.name:<24} {went:>10}  {_describe_count(unit.moves)}, longest {longest}"
    if (longest_move := statistics.longest) is not None:
        model = statistics.names.get(longest_move.model, longest_move.model)
        yield f"Longest move: {model}, {say(longest_move.mm, 1)} (move {longest_move.move})"
    yield f"Close calls: {len(statistics.close_calls)}"
    yield from (_describe_close_call(call, statistics.names) for call in statistics.close_calls)
    yield f"Rulings: {len(statistics.rulings)}"
    for each in statistics.rulings:
        yield f"  {format_clock(each.at_ns)}  {name_ids(each.text, statistics.names)}"


def _describe_count(count: int) -> str:
    return f"{count} {'move' if count == 1 else 'moves'}"


def _describe_close_call(call: CloseCall, names: Mapping[str, str]) -> str:
    return (
        f"  {format_clock(call.at_ns)}  {OUTCOMES[call.outcome]:<17}"
        f" {call.margin_mm:+.2f} mm at {call.sigma_mm:.2f} mm sigma:"
        f" {name_ids(call.text, names)} ({call.rule}, move {call.move})"
    )


commands: list[click.Command] = [stats]
