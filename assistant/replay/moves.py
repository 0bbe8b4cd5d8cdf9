"""Moves: the moves that were made in a recorded game, and the list of them in words."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from assistant.errors import BadInput
from assistant.game.events import Accepted, Event, ModelPlaced, ModelSettled, Ruled, Undone, is_about_past
from assistant.game.state import NO_RULEBOOK, GameState, Ruling
from assistant.recording.journal.row_types import ObservationRow
from assistant.replay.event_descriptions import describe_ruling
from assistant.replay.formatting import OUTCOMES, format_length, lower_sentence
from assistant.replay.playback import PlaybackStep, play_events
from assistant.rules.books import find_rulebook
from assistant.rules.verdict import WITH_WAYS, Detail, Finding, Outcome, Verdict, apply_rulings, find_deciding_finding
from assistant.table.declared_move import find_detailed_verdict

FINE_MM = 2.5
"""A way is said more finely where less is left of what is allowed."""
CLOSE = Detail(sigmas=3.0, ways=True)
"""A call is close whose margin is within so many standard deviations."""
MoveFate = Literal["accepted", "undone", "taken back", "open"]
"""``undone``: accepted first, then that was taken back; ``taken back``: the announcement was; ``open``: still made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedMove:
    """A move that was announced and judged."""

    number: int
    """From 1, in the order in which they ended."""
    began_ns: int
    """When it was announced, since the game's beginning."""
    ended_ns: int
    entry: int
    """The row of the journal after which the game first stood so."""
    state: GameState
    """With the move as it was accepted; of one that was taken back, with its models where they were furthest."""
    unit: str
    action: str
    fate: MoveFate
    accepted: Accepted | None = None
    rulings: tuple[Ruling, ...] = ()
    """What a judge decided of it later, and did not take back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpenMove:
    """The announcement that is made."""

    unit: str
    began_ns: int
    furthest: GameState
    entry: int
    far_mm: float


class MoveCollector:
    """Takes in a game step by step, and knows the moves that were made in it."""

    def __init__(self) -> None:
        self._made: list[RecordedMove] = []
        self._now: _OpenMove | None = None
        self._at_ns = 0
        self._entry = 0
        """The last that changed the game."""
        self._later: list[tuple[int, Ruling]] = []
        """Rulings on the past that hold, with the moment that each is about."""

    def add_step(self, step: PlaybackStep) -> None:
        """Take in the next step."""
        self._at_ns, event, state = step.at_ns, step.entry.what, step.session.state
        if isinstance(event, ObservationRow):
            return
        if is_about_past(event):
            self._note_ruling(event, step.entry.captured_ns - step.at_ns)
            return
        move = self._now
        if isinstance(event, Undone) and isinstance(step.decision, Accepted):
            self._made = [
                replace(each, fate="undone") if each.accepted is step.decision else each for each in self._made
            ]
        if isinstance(event, Accepted) and event.unit is not None and step.before.declared is not None:
            began_ns = move.began_ns if move else step.at_ns
            self._add_move(step.before, self._entry, began_ns, "accepted", event)
            move = None
        elif move is not None and _has_ended(move, state) and not isinstance(event, Undone):
            if move.far_mm > 0:
                self._add_move(move.furthest, move.entry, move.began_ns, "taken back")
            move = None
        self._now = _follow_announcement(move, step)
        if state is not step.before:
            self._entry = step.entry.id

    def finish(self) -> list[RecordedMove]:
        """Return the moves so far, and the one that is still being made; call it once, at the end."""
        if self._now is not None and self._now.far_mm > 0:
            self._add_move(self._now.furthest, self._now.entry, self._now.began_ns, "open")
        return [replace(each, rulings=tuple(self._find_rulings(each))) for each in self._made]

    def _note_ruling(self, event: Event, began_ns: int) -> None:
        """Note a ruling on the past of a game that began then, or that it is taken back."""
        match event:
            case Ruled(ruling=ruling) if ruling.at_ns is not None:
                self._later.append((ruling.at_ns - began_ns, ruling))
            case Undone(ruling=taken_back):
                self._later = [(at_ns, ruling) for at_ns, ruling in self._later if ruling != taken_back]

    def _find_rulings(self, move: RecordedMove) -> Iterator[Ruling]:
        for at_ns, ruling in self._later:
            about = (ruling.unit, ruling.action) == (move.unit, move.action)
            if about and move.began_ns <= at_ns <= move.ended_ns:
                yield ruling

    def _add_move(
        self, state: GameState, entry: int, began_ns: int, fate: MoveFate, accepted: Accepted | None = None
    ) -> None:
        assert state.declared is not None
        self._made.append(
            RecordedMove(
                number=len(self._made) + 1,
                began_ns=began_ns,
                ended_ns=self._at_ns,
                entry=entry,
                state=state,
                unit=state.declared.unit,
                action=state.declared.action,
                fate=fate,
                accepted=accepted,
            )
        )


def read_moves(path: Path) -> list[RecordedMove]:
    """Return the moves of a recording; announcements that moved nobody and were not accepted are left out.

    Raises:
        BadInput: the recording cannot be read.

    """
    collector = MoveCollector()
    for step in play_events(path):
        collector.add_step(step)
    return collector.finish()


def _has_ended(move: _OpenMove, state: GameState) -> bool:
    return state.declared is None or state.declared.unit != move.unit


def _follow_announcement(move: _OpenMove | None, step: PlaybackStep) -> _OpenMove | None:
    """Return the announcement after an event, and where its models were furthest so far."""
    state = step.session.state
    if state.declared is None:
        return None
    far_mm, unit = _measure_travel(state), state.declared.unit
    if move is None or move.unit != unit:
        return _OpenMove(unit=unit, began_ns=step.at_ns, furthest=state, entry=step.entry.id, far_mm=far_mm)
    if step.before.restoring is not None or state.restoring is not None:  # what a bump moved was no move, nor is this
        return replace(move, furthest=state, entry=step.entry.id, far_mm=0.0 if state.restoring else far_mm)
    changed = state.declared != move.furthest.declared and not isinstance(step.entry.what, ModelSettled | ModelPlaced)
    if far_mm >= move.far_mm or (changed and far_mm > 0):
        return replace(move, furthest=state, entry=step.entry.id, far_mm=far_mm)
    return move


def _measure_travel(state: GameState) -> float:
    """How far the models of the announced unit stand from where they began, in all; what is put down counts, too."""
    assert state.declared is not None
    total_mm = 0.0
    for model in state.find_unit(state.declared.unit).models:
        if model.id in state.tracks:
            a, b = state.tracks[model.id].poses[0], state.tracks[model.id].poses[-1]
            total_mm += max(1e-3, math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm))
    return total_mm


def find_move(path: Path, number: int) -> RecordedMove:
    """Return a move by its number in the list.

    Raises:
        BadInput: there is none, or the recording cannot be read.

    """
    moves = read_moves(path)
    if not 1 <= number <= len(moves):
        has = f"its moves have the numbers 1 to {len(moves)}" if moves else "no move was made in it"
        raise BadInput(f"{path}: it has no move {number}; {has}, as `overtable export --to moves` lists them")
    return moves[number - 1]


def judge_moves(
    moves: Iterable[RecordedMove], known: Mapping[int, Verdict | None] | None = None, detail: Detail = WITH_WAYS
) -> Iterator[tuple[RecordedMove, Verdict | None]]:
    """Yield moves, each with the verdict on it.

    Args:
        moves: the moves.
        known: verdicts that were found before, by the entry after which the game first stood so.
        detail: what the others tell of what is kept, ways included.

    """
    state, verdict = None, None
    for move in moves:
        if known and move.entry in known:
            state, verdict = move.state, known[move.entry]
        elif move.state is not state:  # an announcement that was taken back, and that again, is judged once
            state, verdict = move.state, judge_announced(move.state, detail)
        yield move, verdict


def describe_move(move: RecordedMove) -> str:
    """Return a move in words: whose turn, who did what, how far, how it was judged and what became of it."""
    return describe_judged_move(move, judge_announced(move.state))


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveWords:
    """A move in words, part by part, for pages that say each in their reader's language."""

    when: str
    """Whose turn, as a sentence."""
    who: str
    parts: tuple[str, ...]
    """What was done, how far, and how that was judged."""
    fates: tuple[str, ...]
    """What became of it, and what was ruled later."""

    def __str__(self) -> str:
        return f"{self.when} {self.who}: {', '.join(self.parts)}; {'; '.join(self.fates)}"


def describe_judged_move(move: RecordedMove, verdict: Verdict | None) -> str:
    """Return the same of a move that was judged already."""
    return str(put_in_words(move, verdict))


def put_in_words(move: RecordedMove, verdict: Verdict | None) -> MoveWords:
    """Return a move that was judged already in words, part by part."""
    state = move.state
    declared, turn = state.declared, state.turn
    assert declared is not None
    unit = state.find_unit(move.unit)
    when = f"Turn {turn.number}, {turn.player}." if turn else f"{unit.player}."
    rolls = f" ({', '.join(map(str, declared.rolls))} rolled)" if declared.rolls else ""
    whose = f" ({unit.player})" if turn and turn.player != unit.player else ""
    later = (
        f"later {lower_sentence(describe_ruling(state, replace(ruling, text='', note='')))}" for ruling in move.rulings
    )
    return MoveWords(
        when=when,
        who=f"{unit.words}{whose}",
        parts=(
            f"{_find_label(state, move.action)}{rolls}",
            *_describe_way(state, verdict),
            _describe_call(state, verdict),
        ),
        fates=(_FATES[move.fate], *later),
    )


_FATES: dict[MoveFate, str] = {
    "accepted": "accepted",
    "undone": "accepted, and that taken back",
    "taken back": "taken back",
    "open": "still being made",
}


def judge_announced(state: GameState, detail: Detail = WITH_WAYS) -> Verdict | None:
    """Return the verdict on what is announced in a state, in some detail with its ways; None without one."""
    return None if state.rulebook == NO_RULEBOOK else find_detailed_verdict(state, detail)


def find_longest_way(verdict: Verdict | None) -> Finding | None:
    """Return the finding on the longest of a move's ways; None where its action measures none."""
    ways = [f for f in verdict.findings if f.way and f.measured_mm is not None] if verdict else []
    return max(ways, key=lambda f: f.measured_mm or 0.0, default=None)


def _describe_way(state: GameState, verdict: Verdict | None) -> Iterator[str]:
    way = find_longest_way(verdict)
    if way is not None and way.measured_mm is not None and way.limit_mm is not None:
        decimals = 1 if way.limit_mm - way.measured_mm > FINE_MM else 2
        yield f"{format_length(state, way.measured_mm, decimals)} of {format_length(state, way.limit_mm)}"


def _describe_call(state: GameState, whole: Verdict | None) -> str:
    """Return the verdict, with what decides it where it is not that the move is legal, and the rulings on it."""
    if whole is None:
        return OUTCOMES["unjudged"]
    verdict = replace(whole, findings=tuple(f for f in whole.findings if f.outcome is not Outcome.LEGAL))
    outcome = apply_rulings(verdict, state.rulings)
    words = OUTCOMES[Outcome.LEGAL if outcome is Outcome.NOTE else outcome]
    if state.rulings:
        by = "the judge ruled" if any(ruling.by == "judge" for ruling in state.rulings) else "the players agreed"
        referee = OUTCOMES[verdict.outcome]
        return f"{words} as {by} (the referee: {referee})"
    first = find_deciding_finding(verdict) if outcome not in {Outcome.LEGAL, Outcome.NOTE} else None
    return f"{words} ({first.text}, {first.rule})" if first else words


def _find_label(state: GameState, action: str) -> str:
    return find_rulebook(state.rulebook).find_action(action).label
