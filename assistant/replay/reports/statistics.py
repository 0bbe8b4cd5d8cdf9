"""Statistics: a game in figures (`overtable.stats/1`), with its breaks and a heat map of where models stood.

A break is when nobody played: from the end of one run of the program to the beginning of the next.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

from pydantic import Field

from assistant.files.documents import Format
from assistant.game.events import Accepted, ModelPlaced, ModelSettled, ModelsRemoved, Ruled, SourceChanged, Undone
from assistant.game.state import NO_RULEBOOK, GameState, Ruling, Turn
from assistant.recording.journal.cursor import GameClock, JournalCursor, decode_entry, locate_errors
from assistant.recording.journal.packed_poses import NameTable, read_positions
from assistant.recording.journal.reader import open_journal, read_about
from assistant.recording.journal.row_types import BOOKKEEPING_KINDS, PosesSeen
from assistant.recording.poses import POSE_STATE_NAMES
from assistant.replay.event_descriptions import describe_ruling
from assistant.replay.formatting import SECOND_NS
from assistant.replay.moves import MoveCollector, RecordedMove, judge_announced
from assistant.replay.playback import play_events, read_first_state
from assistant.rules.books import find_rulebook
from assistant.rules.verdict import Finding, Outcome

LEAST_BREAK_NS = 10_000_000_000
"""A shorter time between two rows is none: nothing moved."""
CAMERA_STARTS_NS = 5_000_000_000
"""A program tells of its camera so soon after its first picture."""
_SOURCE_CHANGED = SourceChanged.__name__


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaks:
    """The breaks of a game, since its beginning."""

    spans_ns: tuple[tuple[int, int], ...] = ()

    def compute_played_ns(self, from_ns: int, until_ns: int) -> int:
        """Return how long was played between two times."""
        return until_ns - from_ns - sum(max(0, min(until_ns, b) - max(from_ns, a)) for a, b in self.spans_ns)


def read_breaks(path: Path) -> Breaks:
    """Return the breaks of a recording that was gone on with.

    A program that begins says that its camera is live, which the one before never took back.

    Raises:
        BadInput: it cannot be read.

    """
    clock, breaks_ns = GameClock(), list[tuple[int, int]]()
    pause: tuple[int, int] | None = None
    live, before_ns = False, 0
    with open_journal(path) as db:
        for row in JournalCursor(db, path, only=_SOURCE_CHANGED, clock=clock).rows():
            at_ns = clock.at_ns
            if at_ns - before_ns >= LEAST_BREAK_NS:
                pause = before_ns, at_ns
            before_ns = at_ns
            if row.kind != _SOURCE_CHANGED:
                continue
            changed = decode_entry(row, NameTable(), path).what
            was, live = live, isinstance(changed, SourceChanged) and changed.state == "live"
            if was and live and pause and at_ns - pause[1] <= CAMERA_STARTS_NS:
                breaks_ns.append(pause)
                pause = None
    return Breaks(spans_ns=tuple(breaks_ns))


CELL_MM = 25.4
"""A cell of the heat map."""
LEAST_STAY_NS = 50_000_000
"""What a model only slides over is left out."""
Cells = tuple[tuple[int, int, float], ...]
"""Column from the left, row from the near edge, seconds."""


class Heat(Format):
    """Where models stood, and for how long."""

    cell_mm: float
    columns: int
    rows: int
    seconds: dict[str, Cells] = Field(description="by player: column from the left, row from the near edge, seconds")


def compute_heat(path: Path, game: GameState, breaks: Breaks) -> tuple[Heat, int]:
    """Return where models stood in a recording, and when it ends, since its beginning.

    Args:
        path: the recording.
        game: what it began with.
        breaks: when nobody played.

    Raises:
        BadInput: it cannot be read.

    """
    heat, clock, names = HeatAccumulator(game, breaks), GameClock(), NameTable()
    with open_journal(path) as db:
        for row in JournalCursor(db, path, names=names, clock=clock).rows():
            if row.kind == PosesSeen.__name__ and isinstance(row.body, bytes):
                at_ns = clock.at_ns
                with locate_errors(row, path):
                    for base, state, x_mm, y_mm in read_positions(row.body):
                        heat.add_sighting(names.find_model(base), POSE_STATE_NAMES[state], (x_mm, y_mm), at_ns)
            elif row.kind not in BOOKKEEPING_KINDS:
                heat.add_event(decode_entry(row, names, path).what, clock.at_ns)
    return heat.finish(clock.at_ns), clock.at_ns


class HeatAccumulator:
    """Adds up for how long models stood where; a model counts from when it is first seen until it is lost."""

    def __init__(self, game: GameState, breaks: Breaks) -> None:
        """Begin with a game's first state."""
        self._game, self._breaks = game, breaks
        self._owner = {model.id: unit.player for unit, model in game.iterate_models()}
        self._here: dict[str, tuple[int, int, int]] = {}
        """Column, row, and since when, by model."""
        self._ns: dict[str, dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))

    def add_sighting(self, model: str, state: str, at_mm: tuple[float, float], at_ns: int) -> None:
        """Take in how a model was seen."""
        if state == "seen":
            self._arrive(model, at_mm, at_ns)
        elif state == "lost":
            self._leave(model, at_ns)

    def add_event(self, event: object, at_ns: int) -> None:
        """Take in what happened."""
        match event:
            case PosesSeen(poses=poses):
                for pose in poses:
                    self.add_sighting(pose.model, pose.state, (pose.x_mm, pose.y_mm), at_ns)
            case ModelPlaced(model=model, pose=pose) | ModelSettled(model=model, path=(*_, pose)):
                self._arrive(model, (pose.x_mm, pose.y_mm), at_ns)
            case Accepted(off=off, lost=lost):
                for model in (*off, *lost):
                    self._leave(model, at_ns)
            case ModelsRemoved(models=models):
                for model in models:
                    self._leave(model, at_ns)

    def finish(self, end_ns: int) -> Heat:
        """Return the map at the end of the game."""
        for model in list(self._here):
            self._leave(model, end_ns)
        table = self._game.table
        columns, rows = math.ceil(table.width_mm / CELL_MM), math.ceil(table.depth_mm / CELL_MM)
        return Heat(
            cell_mm=CELL_MM,
            columns=columns,
            rows=rows,
            seconds={
                player: tuple(
                    (column, row, round(ns / SECOND_NS, 1))
                    for (column, row), ns in sorted(cells.items())
                    if 0 <= column < columns and 0 <= row < rows and ns >= LEAST_STAY_NS
                )
                for player, cells in sorted(self._ns.items())
            },
        )

    def _arrive(self, model: str, at_mm: tuple[float, float], at_ns: int) -> None:
        column, row = int(at_mm[0] // CELL_MM), int(at_mm[1] // CELL_MM)
        stay = self._here.get(model)
        if stay is None or stay[0] != column or stay[1] != row:
            self._leave(model, at_ns)
            if model in self._owner:
                self._here[model] = column, row, at_ns

    def _leave(self, model: str, at_ns: int) -> None:
        stay = self._here.pop(model, None)
        if stay is not None:
            column, row, since_ns = stay
            self._ns[self._owner[model]][column, row] += self._breaks.compute_played_ns(since_ns, at_ns)


CLOSE_SIGMAS = 3.0
"""A call is close whose margin is within so many standard deviations."""


class UnitStats(Format):
    """What a unit did."""

    unit: str
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
    heat: Heat


def compute_statistics(path: Path) -> Statistics:
    """Return what a recording comes to.

    Raises:
        BadInput: it cannot be read.

    """
    about = read_about(path)
    state = read_first_state(path, about)
    collector, rulings, turns = MoveCollector(), list[tuple[int, Ruling]](), list[tuple[int, Turn]]()
    standing: tuple[Ruling, ...] = ()
    at_ns = 0
    for step in play_events(path):
        at_ns = step.at_ns
        collector.add_step(step)
        if isinstance(step.entry.what, Ruled):
            rulings.append((at_ns, step.entry.what.ruling))
        if isinstance(step.entry.what, Ruled | Undone):
            standing = step.session.rulings
        if step.session.state.turn is not step.before.turn:
            _note_turn(turns, step.session.state.turn, at_ns)
    breaks = read_breaks(path)
    heat, end_ns = compute_heat(path, state, breaks)
    moves = collector.finish()
    accepted = [each for each in moves if each.fate == "accepted"]
    close = tuple(call for each in moves if each.fate in {"accepted", "taken back"} for call in find_close_calls(each))
    spans = tuple(_summarise_turns(turns, end_ns, accepted, breaks))
    lasted_ns = breaks.compute_played_ns(0, end_ns)
    units = tuple(_summarise_units(state, accepted))
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
        longest=max((way for each in accepted for way in measure_ways(each)), key=lambda way: way.mm, default=None),
        heat=heat,
    )


def measure_ways(move: RecordedMove) -> Iterator[LongestMove]:
    """Yield how far each model of a move went, along its centre's way; what is put on the table goes nowhere."""
    for model in move.accepted.models if move.accepted else ():
        track = move.state.tracks.get(model)
        if track is not None and move.state.find_model(model).pose is not None:
            mm = sum(math.dist((a.x_mm, a.y_mm, a.z_mm), (b.x_mm, b.y_mm, b.z_mm)) for a, b in pairwise(track.poses))
            yield LongestMove(move=move.number, unit=move.unit, model=model, mm=round(mm, 2))


def find_close_calls(move: RecordedMove) -> Iterator[CloseCall]:
    """Yield the findings of a move whose margin is within `CLOSE_SIGMAS`, the closest first."""
    verdict = judge_announced(move.state)
    close = (
        [finding for finding in verdict.findings if _compute_decision_sigmas(finding) <= CLOSE_SIGMAS]
        if verdict
        else []
    )
    for finding in sorted(close, key=_compute_decision_sigmas):
        yield CloseCall(
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


def _summarise_units(state: GameState, accepted: Iterable[RecordedMove]) -> Iterator[UnitStats]:
    """Yield every unit of the game, those that went furthest first."""
    by_unit: dict[str, list[RecordedMove]] = defaultdict(list)
    for made in accepted:
        by_unit[made.unit].append(made)
    units = []
    for unit in state.units:
        lengths = [way.mm for made in by_unit[unit.id] for way in measure_ways(made)]
        units.append(
            UnitStats(
                unit=unit.id,
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
