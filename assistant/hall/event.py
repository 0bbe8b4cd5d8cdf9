"""The event: its rounds with their clock, pairings and results, and what judges did, as a log that only grows.

What an event is at a moment is what its log adds up to: a hall that is killed goes on where it was.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from assistant.errors import BadInput
from assistant.files.documents import Format
from assistant.hall.messages import DeskRuling
from assistant.hall.pairings_csv import Players

LOG = "desk.jsonl"
SECOND_NS = 10**9
MOST_LOG_BYTES = 200_000_000
Moment = Annotated[int, Field(ge=0)]


class RoundBegan(Format):
    """A round's clock was started from its beginning."""

    kind: Literal["round-began"] = "round-began"
    at_ns: Moment
    round: Annotated[int, Field(ge=1)]
    minutes: Annotated[int, Field(ge=1)]


class ClockHeld(Format):
    """The clock stands, or goes on."""

    kind: Literal["clock-held"] = "clock-held"
    at_ns: Moment
    running: bool


class TimeGiven(Format):
    """One table has more time in this round, or less."""

    kind: Literal["time-given"] = "time-given"
    at_ns: Moment
    table: str
    minutes: int


class Paired(Format):
    """Who plays whom in a round."""

    kind: Literal["paired"] = "paired"
    at_ns: Moment
    round: Annotated[int, Field(ge=1)]
    players: dict[str, tuple[str, str]]
    """By table."""


class Ended(Format):
    """How a game ended."""

    kind: Literal["ended"] = "ended"
    at_ns: Moment
    round: Annotated[int, Field(ge=1)]
    table: str
    scores: tuple[int, int]


class Claimed(Format):
    """A judge looks after a call, or does so no longer (without a name)."""

    kind: Literal["claimed"] = "claimed"
    at_ns: Moment
    call: str
    judge: str


class Answered(Format):
    """A call needs no judge any more."""

    kind: Literal["answered"] = "answered"
    at_ns: Moment
    call: str
    judge: str


class RuledFromDesk(Format):
    """A judge ruled on a call from the desk."""

    kind: Literal["ruled"] = "ruled"
    at_ns: Moment
    table: str
    recording: str
    ruling: DeskRuling
    text: str
    """What the referee had said."""
    rule: str


class Aired(Format):
    """A broadcast follows a table from now on; without a name, none."""

    kind: Literal["aired"] = "aired"
    at_ns: Moment
    table: str


Happening = RoundBegan | ClockHeld | TimeGiven | Paired | Ended | Claimed | Answered | RuledFromDesk | Aired
_HAPPENING: TypeAdapter[Happening] = TypeAdapter(Annotated[Happening, Field(discriminator="kind")])


@dataclass(frozen=True, slots=True, kw_only=True)
class EventState:
    """What an event is at a moment."""

    round: int = 0
    minutes: int = 0
    running: bool = False
    since_ns: int = 0
    """When the clock began to run, or was held, last."""
    passed_ns: int = 0
    """What had passed of the round then."""
    extra: Mapping[str, int] = field(default_factory=dict)
    """Minutes that tables have more in this round."""
    began: tuple[tuple[int, int], ...] = ()
    """When each round began: its time and its number."""
    pairings: Mapping[int, Mapping[str, Players]] = field(default_factory=dict)
    results: Mapping[int, Mapping[str, tuple[int, int]]] = field(default_factory=dict)
    claims: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Who looks after a call, and since when."""
    answered: frozenset[str] = frozenset()
    rulings: tuple[RuledFromDesk, ...] = ()
    on_air: str = ""
    """The table that a broadcast follows; empty for none."""

    def read_left_s(self, now_ns: int, table: str = "") -> int:
        """Return how many seconds are left of the round, at one table or at all that have no more time."""
        passed_ns = self.passed_ns + (max(0, now_ns - self.since_ns) if self.running else 0)
        return (self.minutes + self.extra.get(table, 0)) * 60 - passed_ns // SECOND_NS

    def find_round(self, at_ns: int) -> int:
        """Return which round it was at a time; 0 before the first."""
        return next((number for began_ns, number in reversed(self.began) if began_ns <= at_ns), 0)

    def find_players(self, table: str) -> tuple[str, ...]:
        """Return who plays at a table in this round; before the first, in the first."""
        return self.pairings.get(self.round or 1, {}).get(table, ())


def reduce_event(state: EventState, happening: Happening) -> EventState:
    """Return what an event is after something happened."""
    match happening:
        case RoundBegan(at_ns=at_ns, round=number, minutes=minutes):
            return replace(
                state,
                round=number,
                minutes=minutes,
                running=True,
                since_ns=at_ns,
                passed_ns=0,
                extra={},
                began=(*state.began, (at_ns, number)),
            )
        case ClockHeld(at_ns=at_ns, running=running):
            if running == state.running:
                return state
            passed_ns = state.passed_ns + (0 if running else max(0, at_ns - state.since_ns))
            return replace(state, running=running, since_ns=at_ns, passed_ns=passed_ns)
        case TimeGiven(table=table, minutes=minutes):
            return replace(state, extra={**state.extra, table: state.extra.get(table, 0) + minutes})
        case Paired(round=number, players=players):
            return replace(state, pairings={**state.pairings, number: players})
        case Ended(round=number, table=table, scores=scores):
            known = state.results.get(number, {})
            return replace(state, results={**state.results, number: {**known, table: scores}})
        case Claimed(call=call, judge=judge, at_ns=at_ns):
            others = {other: claim for other, claim in state.claims.items() if other != call}
            return replace(state, claims={**others, call: (judge, at_ns)} if judge else others)
        case Answered(call=call):
            others = {other: claim for other, claim in state.claims.items() if other != call}
            return replace(state, claims=others, answered=state.answered | {call})
        case Aired(table=table):
            return replace(state, on_air=table)
        case RuledFromDesk():
            return replace(state, rulings=(*state.rulings, happening))


def read_event_log(path: Path) -> tuple[EventState, int]:
    """Return what an event comes to by its log, and how many bytes of a last line are there that was cut off.

    Raises:
        BadInput: the file is none of ours.

    """
    state = EventState()
    if not path.exists():
        return state, 0
    if path.stat().st_size > MOST_LOG_BYTES:
        raise BadInput(f"{path}: this log is larger than any event's")
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], start=1):
        try:
            state = reduce_event(state, _HAPPENING.validate_json(line, strict=False))
        except ValidationError:
            raise BadInput(f"{path}: line {number}: this is nothing that happens in an event") from None
    return state, len(lines[-1])


class EventLog:
    """The log of an event, in a file; used from one thread."""

    def __init__(self, path: Path) -> None:
        """Take up what is there.

        Raises:
            BadInput: the file is none of ours; of a last line that was cut off nothing is taken.

        """
        self._path = path
        self.state, cut_off = read_event_log(path)
        if cut_off:
            with path.open("r+b") as file:
                file.truncate(path.stat().st_size - cut_off)

    def add(self, happening: Happening) -> None:
        """Write down what happened; when this returns it survives the death of the process.

        Raises:
            BadInput: it cannot be written; then it has not happened.

        """
        data = json.dumps(happening.model_dump(mode="json"), ensure_ascii=False).encode() + b"\n"
        new = not self._path.exists()
        try:
            with self._path.open("ab") as file:
                if new:
                    self._path.chmod(0o600)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BadInput(f"this was not written down ({error.strerror}): make room on the hall's disk") from None
        self.state = reduce_event(self.state, happening)
