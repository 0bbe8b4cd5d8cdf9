"""The battle report: a game told chapter by chapter, for people to read and to show others.

A chapter is a turn; where nobody counted turns, some moves that follow each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice

from assistant.game.events import (
    ModelsRemoved,
    PutBack,
    Restored,
    Ruled,
    ScoreSet,
    StatusSet,
    Swapped,
    TurnBegan,
)
from assistant.game.naming import name_ids
from assistant.game.state import NO_RULEBOOK, GameState
from assistant.replay.event_descriptions import describe_event
from assistant.replay.formatting import DATED_NS, OUTCOMES, SECOND_NS, format_clock
from assistant.replay.moves import (
    CLOSE,
    MoveCollector,
    MoveWords,
    RecordedMove,
    judge_announced,
    judge_moves,
    put_in_words,
)
from assistant.replay.playback import PlaybackStep, play_events
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.statistics import CloseCall, Statistics, compute_statistics
from assistant.rules.books import find_rulebook
from assistant.rules.lengths import format_centimetres, format_inches

MOVES_A_CHAPTER = 20
"""Where nobody counts turns; more arrows on one map nobody reads."""
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
CLOSEST = 6
"""Calls that are told of with a picture."""
_FATES: Mapping[str, str] = {"taken back": ", and taken back"}
_TOLD = (ModelsRemoved, Ruled, ScoreSet, StatusSet, Swapped, PutBack, Restored)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A player and the army."""

    player: str
    number: int
    """By which the palette has its colours."""
    army: str
    points: int | None
    """None where nobody counted them."""
    units: tuple[tuple[str, int], ...]
    """Each with how many models it began with."""
    figures: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldMove:
    """A move that was accepted."""

    number: int
    """Among those."""
    move: RecordedMove
    side: int
    words: MoveWords

    @property
    def text(self) -> str:
        """Without whose turn it was, which stands above, and that it was accepted, as all are."""
        return "; ".join((f"{self.words.who}: {', '.join(self.words.parts)}", *self.words.fates[1:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A part of the game, with how the table stood at its end."""

    key: str
    """By which what a person writes of it is known."""
    title: str
    clock: str
    moves: tuple[ToldMove, ...]
    happened: tuple[str, ...]
    end_ns: int
    after: GameState


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosestCall:
    """A call that could have gone the other way."""

    call: CloseCall
    move: RecordedMove
    stood_ns: int
    """When its models stood so."""
    witness_mm: tuple[tuple[float, float], ...]
    """Where it was measured; empty where it is about no place."""
    title: str
    statement: str
    """What was found."""
    figures: str

    @property
    def text(self) -> str:
        """What was found, and how closely."""
        return f"{self.statement}. {self.figures}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Battle:
    """A whole game, told."""

    title: str
    about: tuple[str, ...]
    """When, how long, by which rules."""
    tiles: tuple[tuple[str, str], ...]
    """A figure and what it is."""
    sides: tuple[Side, ...]
    chapters: tuple[Chapter, ...]
    calls_title: str
    calls: tuple[ClosestCall, ...]
    foot: str


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A chapter that is still being played."""

    number: int | None
    player: str
    began_ns: int
    happened: list[str]
    end_ns: int = 0
    after: GameState | None = None


def tell_battle(past: RecordedGame) -> Battle:
    """Return a recorded game as people tell it.

    Raises:
        BadInput: the recording cannot be read.

    """
    statistics = compute_statistics(past.path)
    names = statistics.names
    collector, drafts, last = MoveCollector(), [_Draft(number=None, player="", began_ns=0, happened=[])], past.first
    end_ns, times_ns = 0, dict[int, int]()
    for step in play_events(past.path):
        collector.add_step(step)
        times_ns[step.entry.id] = step.at_ns
        if isinstance(step.entry.what, TurnBegan) or _has_changed_player(step):
            _end(drafts[-1], step.at_ns, step.before)
            turn = step.session.state.turn
            assert turn is not None
            drafts.append(_Draft(number=turn.number, player=turn.player, began_ns=step.at_ns, happened=[]))
        if isinstance(step.entry.what, _TOLD):
            drafts[-1].happened.append(name_ids(describe_event(step.entry.what, step.before).text, names))
        last, end_ns = step.session.state, step.at_ns
    _end(drafts[-1], max(end_ns, past.find_end_ns()), last)
    made = collector.finish()
    sides = list(dict.fromkeys(unit.player for unit in past.first.units))
    told = [
        ToldMove(
            number=number, move=move, side=_find_side(sides, move), words=_put_names(put_in_words(move, verdict), names)
        )
        for number, (move, verdict) in enumerate(judge_moves(each for each in made if each.fate == "accepted"), 1)
    ]
    return Battle(
        title=past.title,
        about=tuple(_list_about(past, statistics)),
        tiles=tuple(_list_tiles(past.first, statistics)),
        sides=tuple(_list_sides(past.first, last, statistics)),
        chapters=tuple(_list_chapters(drafts, told)),
        calls_title="The closest calls",
        calls=tuple(_list_calls(statistics, made, times_ns)),
        foot=f"Made by overtable from {past.path.name}; every length was measured on the table by its camera.",
    )


def _put_names(words: MoveWords, names: Mapping[str, str]) -> MoveWords:
    return replace(words, parts=tuple(name_ids(part, names) for part in words.parts))


def _has_changed_player(step: PlaybackStep) -> bool:
    before, after = step.before.turn, step.session.state.turn
    return after is not None and (before is None or (before.number, before.player) != (after.number, after.player))


def _end(draft: _Draft, at_ns: int, state: GameState) -> None:
    draft.end_ns, draft.after = at_ns, state.apply_tracks()


def _find_side(sides: Sequence[str], move: RecordedMove) -> int:
    return sides.index(move.state.find_unit(move.unit).player)


def _list_about(past: RecordedGame, statistics: Statistics) -> Iterator[str]:
    if past.began_ns >= DATED_NS:
        began = datetime.fromtimestamp(past.began_ns // SECOND_NS, UTC).astimezone()
        yield f"{began.day:02} {MONTHS[began.month - 1]} {began:%Y, %H:%M}"
    yield f"{_say_time(statistics.lasted_ns)} of play"
    if past.first.rulebook != NO_RULEBOOK:
        yield find_rulebook(past.first.rulebook).title
    if past.first.objectives:
        yield " ".join(_count(len(past.first.objectives), "objective marker", "objective markers"))


def _list_tiles(first: GameState, statistics: Statistics) -> Iterator[tuple[str, str]]:
    say = format_centimetres if statistics.unit == "cm" else format_inches
    if statistics.turns:
        yield _count(max(turn.number for turn in statistics.turns), "turn", "turns")
    yield _count(sum(player.moves for player in statistics.players), "move", "moves")
    yield say(sum(player.moved_mm for player in statistics.players), 0), "walked in all"
    yield _count(len(statistics.close_calls), "close call", "close calls")
    if statistics.longest:
        yield say(statistics.longest.mm, 1), f"the longest move: {first.name_unit(statistics.longest.unit)}"


def _count(number: int, one: str, more: str) -> tuple[str, str]:
    return str(number), one if number == 1 else more


def _list_sides(first: GameState, last: GameState, statistics: Statistics) -> Iterator[Side]:
    say = format_centimetres if statistics.unit == "cm" else format_inches
    for number, player in enumerate(dict.fromkeys(unit.player for unit in first.units)):
        score = last.scores.get(player)
        own = next(each for each in statistics.players if each.player == player)
        moves = " ".join(_count(own.moves, "move", "moves"))
        yield Side(
            player=player,
            number=number % 4,
            army=score.army if score else "",
            points=score.points if score else None,
            units=tuple((unit.words, len(unit.models)) for unit in first.units if unit.player == player),
            figures=f"{moves}, {say(own.moved_mm, 0)}, {_say_time(own.time_ns)}",
        )


def _list_chapters(drafts: Sequence[_Draft], told: Sequence[ToldMove]) -> Iterator[Chapter]:
    for draft in drafts:
        own = [
            each
            for each in told
            if draft.began_ns <= each.move.ended_ns < draft.end_ns
            or (draft is drafts[-1] and each.move.ended_ns >= draft.began_ns)
        ]
        if draft.number is not None:
            title = f"Turn {draft.number}: {draft.player}"
            yield _build_chapter(draft, f"turn-{draft.number}-{draft.player}", title, own)
        elif len(drafts) > 1:
            if own or draft.happened:
                yield _build_chapter(draft, "before", "Before the first turn", own)
        else:
            yield from _divide(draft, own)


def _divide(draft: _Draft, told: Sequence[ToldMove]) -> Iterator[Chapter]:
    """Yield a game in which nobody counted turns, some moves at a time."""
    rest, happened = iter(told), tuple(draft.happened)
    while some := tuple(islice(rest, MOVES_A_CHAPTER)):
        numbers = f"{some[0].number} to {some[-1].number}"
        is_last = some[-1] is told[-1]
        yield Chapter(
            key=f"moves-{some[0].number}",
            title=f"Moves {numbers}" if len(told) > MOVES_A_CHAPTER else "The game",
            clock=f"{format_clock(some[0].move.began_ns)[:-2]} to {format_clock(some[-1].move.ended_ns)[:-2]}",
            moves=some,
            happened=happened if is_last else (),
            end_ns=draft.end_ns if is_last else some[-1].move.ended_ns,
            after=(draft.after if is_last else None) or some[-1].move.state.apply_tracks(),
        )
    if not told:
        yield _build_chapter(draft, "game", "The game", told)


def _build_chapter(draft: _Draft, key: str, title: str, told: Sequence[ToldMove]) -> Chapter:
    assert draft.after is not None
    lasted = _say_time(draft.end_ns - draft.began_ns)
    return Chapter(
        key=key,
        title=title,
        clock=f"{format_clock(draft.began_ns)[:-2]} into the game, {lasted}",
        moves=tuple(told),
        happened=tuple(draft.happened),
        end_ns=draft.end_ns,
        after=draft.after,
    )


def _list_calls(
    statistics: Statistics, moves: Sequence[RecordedMove], times_ns: Mapping[int, int]
) -> Iterator[ClosestCall]:
    """Yield the closest calls, one a position."""
    by_number, seen = {move.number: move for move in moves}, list[GameState]()
    for call in sorted(statistics.close_calls, key=lambda each: abs(each.margin_mm) / (each.sigma_mm or 1e-9)):
        move = by_number[call.move]
        if len(seen) >= CLOSEST or any(each is move.state for each in seen):
            continue
        seen.append(move.state)
        verdict = judge_announced(move.state, CLOSE)
        found = (f for f in (verdict.findings if verdict else ()) if (f.rule, f.text) == (call.rule, call.text))
        name, side = move.state.name_unit(call.unit), "to spare" if call.margin_mm >= 0 else "past the limit"
        yield ClosestCall(
            call=call,
            move=move,
            stood_ns=times_ns.get(move.entry, call.at_ns),
            witness_mm=next((f.witness_mm for f in found), ()),
            statement=name_ids(call.text, statistics.names),
            title=f"{format_clock(call.at_ns)} · {name}: {OUTCOMES[call.outcome]}{_FATES.get(move.fate, '')}",
            figures=f"{abs(call.margin_mm):.2f} mm {side}; the camera is sure to {call.sigma_mm:.2f} mm (one sigma)",
        )


def _say_time(ns: int) -> str:
    minutes, seconds = divmod(round(ns / SECOND_NS), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"
