"""Statistics: a game in figures (`overtable.stats/1`), with a heat map of where models stood."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal

from pydantic import Field

from assistant.files.documents import Format
from assistant.game.events import Ruled
from assistant.game.naming import list_names
from assistant.game.state import NO_RULEBOOK, GameState, Ruling, Turn
from assistant.recording.journal.reader import read_about
from assistant.replay.event_descriptions import describe_ruling
from assistant.replay.moves import CLOSE, MoveCollector, RecordedMove, judge_moves
from assistant.replay.playback import play_events, read_first_state
from assistant.replay.reports.breaks import Breaks
from assistant.replay.reports.heat import Heat, compute_heat
from assistant.replay.second_process import Begin, begin_here
from assistant.rules.books import find_rulebook
from assistant.rules.verdict import Finding, Outcome, Verdict
from assistant.table.session import GameSession


class UnitStats(Format):
    """What a unit did."""

    unit: str
    name: str = Field(default="", description="what people call it, which is its id where it has no other name")
    player: str
    moves: int = Field(description="that were accepted")
    moved_mm: float = Field(description="the ways of all its models together, along their centres")
    longest_mm: float = Field(description="the longest way of one of its models in one move")


class PlayerStats(Format):
    """What a player's units did, and how long that took."""

    player: str
    moves: int
    moved_mm: float
    time_ns: int
    close_calls: int = Field(description="in moves of the player's units")


class TurnStats(Format):
    """A turn, or one player's part of a shared one."""

    number: int
    player: str
    began_ns: int
    lasted_ns: int
    moves: int = Field(description="that were accepted in it")


class CloseCall(Format):
    """A finding that could have gone the other way, in a move that was accepted or taken back."""

    at_ns: int = Field(description="when the move ended")
    move: int = Field(description="its number in the list of moves")
    unit: str
    rule: str
    outcome: Literal["legal", "illegal", "too-close", "unobserved", "note"]
    text: str
    margin_mm: float
    sigma_mm: float


class Decision(Format):
    """What people decided and did not take back."""

    at_ns: int
    by: Literal["players", "judge"]
    text: str


class LongestMove(Format):
    """The longest way of one model in one move that was accepted."""

    move: int
    unit: str
    model: str
    mm: float


class Statistics(Format):
    """A whole game in figures; times count from its beginning."""

    format: Literal["overtable.stats/1"] = "overtable.stats/1"
    title: str
    rulebook: str
    unit: Literal["in", "cm"] = Field(description="what the rulebook says lengths in")
    lasted_ns: int = Field(description="without the breaks, as all that lasted")
    breaks_ns: int = Field(default=0, description="from each end of the program until the game was gone on with")
    untimed_ns: int = Field(default=0, description="before turns were counted")
    timed_by: Literal["turns", "announcements"] = Field(
        description="what a player's time is: of the turns, or where nobody counted them of the player's moves"
    )
    units: tuple[UnitStats, ...]
    players: tuple[PlayerStats, ...]
    turns: tuple[TurnStats, ...]
    close_calls: tuple[CloseCall, ...]
    rulings: tuple[Decision, ...]
    longest: LongestMove | None
    names: dict[str, str] = Field(
        default_factory=dict, description="what people call units and models, by the ids that sentences say"
    )
    heat: Heat


def compute_statistics(path: Path, begin: Begin | None = None) -> Statistics:
    """Return what a recording comes to.

    Args:
        path: the recording.
        begin: begins what of it can be done beside the rest; without it all is done here.

    Raises:
        BadInput: it cannot be read.

    """
    about = read_about(path)
    state = read_first_state(path, about)
    find_heat = (begin or begin_here(path))(compute_heat, state)
    collector, rulings, turns = MoveCollector(), list[tuple[int, Ruling]](), list[tuple[int, Turn]]()
    session: GameSession | None = None
    for step in play_events(path):
        at_ns = step.at_ns
        collector.add_step(step)
        if isinstance(step.entry.what, Ruled):
            rulings.append((at_ns, step.entry.what.ruling))
        session = step.session
        if step.session.state.turn is not step.before.turn:
            _note_turn(turns, step.session.state.turn, at_ns)
    standing = session.rulings if session else ()  # asked once: it goes through all that happened
    moves = collector.finish()
    accepted = [each for each in moves if each.fate == "accepted"]
    judged = list(judge_moves((each for each in moves if each.fate in {"accepted", "taken back"}), detail=CLOSE))
    close = tuple(find_close_calls(judged))
    ways = {move.number: tuple(measure_ways(move, verdict)) for move, verdict in judged if move.fate == "accepted"}
    heat, breaks, end_ns = find_heat()
    spans = tuple(_summarise_turns(turns, end_ns, accepted, breaks))
    lasted_ns = breaks.compute_played_ns(0, end_ns)
    units = tuple(_summarise_units(state, accepted, ways))
    return Statistics(
        title=about.get("title", path.stem),
        rulebook=state.rulebook,
        unit="in" if state.rulebook == NO_RULEBOOK else find_rulebook(state.rulebook).unit,
        lasted_ns=lasted_ns,
        breaks_ns=end_ns - lasted_ns,
        untimed_ns=breaks.compute_played_ns(0, spans[0].began_ns) if spans else 0,
        timed_by="turns" if spans else "announcements",
        units=units,
        players=tuple(_summarise_players(units, spans, moves, close, breaks)),
        turns=spans,
        close_calls=close,
        rulings=tuple(
            Decision(at_ns=at_ns, by=ruling.by, text=describe_ruling(state, ruling))
            for at_ns, ruling in rulings
            if any(each is ruling for each in standing)
        ),
        longest=max((way for own in ways.values() for way in own), key=lambda way: way.mm, default=None),
        names=list_names(state.units),
        heat=heat,
    )


def measure_ways(move: RecordedMove, verdict: Verdict | None) -> Iterator[LongestMove]:
    """Yield how far each model of a move went, along its centre's way; what is put on the table goes nowhere.

    Where a rulebook counts the fewest straight legs that were clear, out and back is no way, here as in its verdict.
    """
    book = None if move.state.rulebook == NO_RULEBOOK else find_rulebook(move.state.rulebook)
    straightened = book is not None and book.find_action(move.action).straightened
    findings = verdict.findings if verdict is not None and straightened else ()
    judged_mm = {each.subjects[0]: each.measured_mm for each in findings if each.way}
    for model in move.accepted.models if move.accepted else ():
        track = move.state.tracks.get(model)
        if track is not None and move.state.find_model(model).pose is not None:
            legs = pairwise((at.x_mm, at.y_mm, at.z_mm) for at in track.poses)
            mm = judged_mm.get(model)
            mm = sum(math.dist(a, b) for a, b in legs) if mm is None else mm
            yield LongestMove(move=move.number, unit=move.unit, model=model, mm=round(mm, 2))


def find_close_calls(judged: Iterable[tuple[RecordedMove, Verdict | None]]) -> Iterator[CloseCall]:
    """Yield the findings of judged moves whose margin is within that of `CLOSE`, the closest of each first."""
    for move, verdict in judged:
        findings = verdict.findings if verdict else ()
        for finding in sorted(findings, key=_compute_decision_sigmas):
            if finding.is_within(CLOSE.sigmas):
                yield _build_close_call(move, finding)


def _build_close_call(move: RecordedMove, finding: Finding) -> CloseCall:
    return CloseCall(
        at_ns=move.ended_ns,
        move=move.number,
        unit=move.unit,
        rule=finding.rule,
        outcome=finding.outcome.value,
        text=finding.text,
        margin_mm=round(finding.margin_mm or 0.0, 3),
        sigma_mm=round(finding.sigma_mm or 0.0, 3),
    )


def _compute_decision_sigmas(finding: Finding) -> float:
    """By how many standard deviations a finding is decided; notes decide nothing."""
    if finding.outcome is Outcome.NOTE or finding.margin_mm is None or not finding.sigma_mm:
        return math.inf
    return abs(finding.margin_mm) / finding.sigma_mm


def _summarise_units(
    state: GameState, accepted: Iterable[RecordedMove], ways: Mapping[int, Sequence[LongestMove]]
) -> Iterator[UnitStats]:
    """Yield every unit of the game, those that went furthest first; ``ways`` by the number of their move."""
    by_unit: dict[str, list[RecordedMove]] = defaultdict(list)
    for made in accepted:
        by_unit[made.unit].append(made)
    units = []
    for unit in state.units:
        lengths = [way.mm for made in by_unit[unit.id] for way in ways[made.number]]
        units.append(
            UnitStats(
                unit=unit.id,
                name=unit.words,
                player=unit.player,
                moves=len(by_unit[unit.id]),
                moved_mm=round(sum(lengths), 2),
                longest_mm=max(lengths, default=0.0),
            )
        )
    yield from sorted(units, key=lambda each: -each.moved_mm)


def _summarise_players(
    units: tuple[UnitStats, ...],
    turns: tuple[TurnStats, ...],
    made: Iterable[RecordedMove],
    close: tuple[CloseCall, ...],
    breaks: Breaks,
) -> Iterator[PlayerStats]:
    owner = {unit.unit: unit.player for unit in units}
    time_ns: dict[str, int] = defaultdict(int)
    for turn in turns:
        time_ns[turn.player] += turn.lasted_ns
    for each in () if turns else made:
        time_ns[owner[each.unit]] += breaks.compute_played_ns(each.began_ns, each.ended_ns)
    for player in sorted(set(owner.values())):
        own = [unit for unit in units if unit.player == player]
        yield PlayerStats(
            player=player,
            moves=sum(unit.moves for unit in own),
            moved_mm=round(sum(unit.moved_mm for unit in own), 2),
            time_ns=time_ns[player],
            close_calls=sum(owner[call.unit] == player for call in close),
        )


def _note_turn(turns: list[tuple[int, Turn]], turn: Turn | None, at_ns: int) -> None:
    """Note whose turn it has become; where that was taken back, the one before goes on."""
    if turn is None or (turns and _is_same_turn(turns[-1][1], turn)):
        if turn is None:
            turns.clear()
        return
    if len(turns) > 1 and _is_same_turn(turns[-2][1], turn):
        turns.pop()
    else:
        turns.append((at_ns, turn))


def _is_same_turn(one: Turn, other: Turn) -> bool:
    return (one.number, one.player) == (other.number, other.player)


def _summarise_turns(
    turns: list[tuple[int, Turn]], end_ns: int, accepted: list[RecordedMove], breaks: Breaks
) -> Iterator[TurnStats]:
    ends = [*(at_ns for at_ns, _ in turns[1:]), end_ns]
    for (began_ns, turn), until_ns in zip(turns, ends, strict=bool(turns)):
        own = (made for made in accepted if made.state.turn is not None and _is_same_turn(made.state.turn, turn))
        yield TurnStats(
            number=turn.number,
            player=turn.player,
            began_ns=began_ns,
            lasted_ns=breaks.compute_played_ns(began_ns, until_ns),
            moves=sum(1 for _ in own),
        )
