"""The desk: what judges see of all tables, and what becomes of what they ask; its log survives whatever ends it.

Rows come in the gatherer's thread, judges' commands and the views in the desk's own; a lock is held for what both use.
"""

import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import singledispatchmethod
from pathlib import Path

from assistant.errors import BadInput
from assistant.game.state import Ruling
from assistant.hall.event import (
    LOG,
    Aired,
    Answered,
    Claimed,
    ClockHeld,
    Ended,
    EventLog,
    Paired,
    RoundBegan,
    RuledFromDesk,
    TimeGiven,
)
from assistant.hall.folder import RECORDINGS, HallFolder
from assistant.hall.gatherer import GatheredTable
from assistant.hall.messages import SILENT_S, DeskRuling, RoundClock, Summons, TableOrders
from assistant.hall.pairings_csv import parse_pairings, write_results
from assistant.hall.publisher import SAME_NS
from assistant.hall.table_digest import TableDigest, find_latest, follow_rows, read_digest
from assistant.recording.journal.mirror import ChainedRow
from assistant.setup.hall_file import TABLE_NAME
from assistant.web.commands import REGISTRY
from assistant.web.commands.hall import HallAir, HallAnswer, HallClaim, HallExtend, HallResult, HallRound, HallRule
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.hall import CallView, EventView, SeatView, TileView
from assistant.web.messages.message import Message

STANDS_S = 8.0
"""A call is in the queue once it has stood for so long: models that are still being pushed are nobody's case."""
CLOCK_OFF_S = 20.0
SOMEBODY = "A judge"
MOST_FOUND = 200
RECENT = 3
_NAMED = re.compile(r"\b(round|table)\s+([\w-]{1,32})")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCall:
    """A call that may need a judge."""

    name: str
    table: str
    kind: str
    """``summons`` or ``doubtful``."""
    since_s: float
    """When it came, by the monotonic clock."""
    text: str
    rule: str = ""
    margin_mm: float | None = None
    sigma_mm: float | None = None
    captured_ns: int = 0
    """When it was, by the table's clock; 0 where it is of no moment."""


class Desk:
    """The judges' desk of a hall."""

    def __init__(
        self,
        folder: HallFolder,
        read_tables: Callable[[], Mapping[str, GatheredTable]],
        *,
        clock_ns: Callable[[], int] = time.time_ns,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open the desk, with what is in the folder already.

        Args:
            folder: the hall's.
            read_tables: returns what the gatherer knows of the tables.
            clock_ns: the hall's time of day, by which rounds go on over a restart.
            clock_s: any clock that goes on evenly.

        Raises:
            BadInput: the log of the event cannot be read.

        """
        self.folder, self._read_tables = folder, read_tables
        self._clock_ns, self._clock_s = clock_ns, clock_s
        self.log = EventLog(folder.path / LOG)
        self._lock = threading.Lock()
        self._digests: dict[str, TableDigest] = {}
        self._first_s: dict[str, float] = {}
        """When each open call was seen first."""
        self._calls: Mapping[str, OpenCall] = {}
        for table in folder.event.table_names:
            if (path := find_latest(folder.path / RECORDINGS / table)) is not None:
                self._digests[table] = read_digest(path)

    def take_rows(self, table: str, path: Path, rows: list[ChainedRow]) -> None:
        """Take in what was gathered; called in the gatherer's thread."""
        with self._lock:
            self._digests[table] = follow_rows(self._digests.get(table), path, rows)

    def write_orders(self, table: str) -> TableOrders:
        """Return what a table is told; called in the gatherer's thread."""
        with self._lock:
            state, now_ns, digest = self.log.state, self._clock_ns(), self._digests.get(table)
            names = (call.name for call in self._calls.values() if call.table == table)
            claim = next((state.claims[name] for name in names if name in state.claims), None)
            summons = self._find_summons(table)
            rulings = [each.ruling for each in state.rulings if digest and each.recording == digest.recording]
            known = [] if digest is None else list(digest.rulings)
        pending = tuple(each for each in rulings if not any(is_written(each, seen.ruling) for seen in known))
        clock = None
        if state.round:
            left_s = state.read_left_s(now_ns, table)
            clock = RoundClock(
                round=state.round, left_s=left_s, running=state.running, dice_down=self._is_ending(left_s)
            )
        return TableOrders(
            event=self.folder.event.name,
            players=state.find_players(table),
            clock=clock,
            coming=claim[0] if claim else "",
            coming_s=max(0, (now_ns - claim[1]) // 10**9) if claim else 0,
            answered_s=summons.since_s if summons and name_summons(table, summons) in state.answered else 0,
            rulings=pending[:100],
            recent=tuple(rulings[-RECENT:]),
        )

    def _find_summons(self, table: str) -> Summons | None:
        gathered = self._read_tables().get(table)
        return gathered.state.summons if gathered is not None and gathered.state is not None else None

    def _is_ending(self, left_s: int) -> bool:
        return left_s <= self.folder.event.dice_down_minutes * 60

    # What judges ask.

    def obey_all(self, hub: Hub) -> bool:
        """Do what judges ask, or tell them why not; return whether anything was asked."""
        commands = hub.take()
        for command in commands:
            try:
                _require_desk(command.message)
                with self._lock:
                    self._obey(command.message, command.person or SOMEBODY)
            except BadInput as error:
                command.refuse(f"{str(error)[0].upper()}{str(error)[1:]}.")
        return bool(commands)

    @singledispatchmethod
    def _obey(self, message: Message, judge: str) -> None:
        raise NotImplementedError(type(message).__name__, judge)

    @_obey.register
    def _set_round(self, message: HallRound, judge: str) -> None:
        del judge
        now_ns, state, event = self._clock_ns(), self.log.state, self.folder.event
        if message.action == "start":
            number = message.round or state.round + 1
            if number > event.rounds:
                raise BadInput(f"the event has {event.rounds} rounds")
            self.log.add(RoundBegan(at_ns=now_ns, round=number, minutes=event.minutes))
        elif not state.round:
            raise BadInput("no round has begun yet")
        else:
            self.log.add(ClockHeld(at_ns=now_ns, running=message.action == "go-on"))

    @_obey.register
    def _extend(self, message: HallExtend, judge: str) -> None:
        del judge
        self._require_table(message.table)
        if not self.log.state.round:
            raise BadInput("no round has begun yet")
        self.log.add(TimeGiven(at_ns=self._clock_ns(), table=message.table, minutes=message.minutes))

    @_obey.register
    def _claim(self, message: HallClaim, judge: str) -> None:
        call, holder = self._find_call(message.call), self.log.state.claims.get(message.call)
        if message.claimed:
            if holder is not None and holder[0] != judge:
                raise BadInput(f"{holder[0]} is on the way to table {call.table} already")
            if holder is None:
                self.log.add(Claimed(at_ns=self._clock_ns(), call=call.name, judge=judge))
        elif holder is not None:
            self.log.add(Claimed(at_ns=self._clock_ns(), call=call.name, judge=""))

    @_obey.register
    def _answer(self, message: HallAnswer, judge: str) -> None:
        call = self._find_call(message.call)
        self.log.add(Answered(at_ns=self._clock_ns(), call=call.name, judge=judge))

    @_obey.register
    def _rule(self, message: HallRule, judge: str) -> None:
        call = self._find_call(message.call)
        holder = self.log.state.claims.get(message.call)
        if holder is not None and holder[0] != judge:
            raise BadInput(f"{holder[0]} is on the way to table {call.table}, and rules there")
        digest = self._digests.get(call.table)
        if digest is None or not call.captured_ns:
            raise BadInput("there is no moment of a recording to rule on: go to the table")
        note = " ".join(message.note.split())
        if not note:
            raise BadInput("say why, in a sentence")
        ruling = DeskRuling(judge=judge, captured_ns=call.captured_ns, outcome=message.outcome, note=note)
        now_ns = self._clock_ns()
        self.log.add(
            RuledFromDesk(
                at_ns=now_ns,
                table=call.table,
                recording=digest.recording,
                ruling=ruling,
                text=call.text,
                rule=call.rule,
            )
        )
        self.log.add(Answered(at_ns=now_ns, call=call.name, judge=judge))

    @_obey.register
    def _write_result(self, message: HallResult, judge: str) -> None:
        del judge
        self._require_table(message.table)
        state = self.log.state
        if not state.round or message.table not in state.pairings.get(state.round, {}):
            raise BadInput(f"nobody is paired at table {message.table} in this round")
        one, other = message.scores
        self.log.add(Ended(at_ns=self._clock_ns(), round=state.round, table=message.table, scores=(one, other)))

    @_obey.register
    def _choose_on_air(self, message: HallAir, judge: str) -> None:
        del judge
        if message.table:
            self._require_table(message.table)
        self.log.add(Aired(at_ns=self._clock_ns(), table=message.table))

    def _require_table(self, table: str) -> None:
        if table not in self.folder.event.table_names:
            raise BadInput(f"there is no table {table}")

    def _find_call(self, name: str) -> OpenCall:
        call = self._calls.get(name)
        if call is None:
            raise BadInput("this call is over: it was answered, or the table went on")
        return call

    def pair(self, text: str, number: int) -> int:
        """Import the pairings of a round from a CSV; return how many tables play; errors as in `parse_pairings`."""
        if not 1 <= number <= self.folder.event.rounds:
            raise BadInput(f"round: the event has {self.folder.event.rounds} rounds")
        players = parse_pairings(text, "the pairings", self.folder.event.table_names)
        with self._lock:
            self.log.add(Paired(at_ns=self._clock_ns(), round=number, players=players))
        return len(players)

    def write_results(self) -> str:
        """Return pairings and results as CSV."""
        return write_results(self.log.state.pairings, self.log.state.results)

    # What judges see.

    def find_recording(self, table: str) -> Path | None:
        """Return the recording of a table that came last; None where there is none, or no such table."""
        return find_latest(self.folder.path / RECORDINGS / table) if TABLE_NAME.fullmatch(table) else None

    @property
    def on_air(self) -> str:
        """The table that a broadcast follows; empty for none."""
        return self.log.state.on_air

    def describe_absence(self, table: str) -> str:
        """Say in a sentence since when nothing more comes of a table's game; empty while something may."""
        gathered = self._read_tables().get(table)
        if gathered is None or not gathered.heard_s:
            return "This table is off: all is shown that has come of its game."
        minutes = math.ceil(silent_s / 60) if (silent_s := self._clock_s() - gathered.heard_s) > SILENT_S else 0
        return f"This table has been offline for {minutes} min: all is shown that came before." if minutes else ""

    def build_view(self, trouble: str = "") -> View:
        """Return what the pages of the hall show now."""
        tables, now_s, now_ns = self._read_tables(), self._clock_s(), self._clock_ns()
        with self._lock:
            state, event = self.log.state, self.folder.event
            self._calls = self._find_calls(now_s)
            called = {call.table for call in self._calls.values()}
            left_s = state.read_left_s(now_ns) if state.round else 0
            seats, results = {}, state.results.get(state.round, {})
            for name in event.table_names:
                seats[name] = SeatView(
                    players=list(state.find_players(name)),
                    extra_minutes=state.extra.get(name, 0),
                    scores=list(results.get(name, ())),
                )
            return View(
                event={
                    "event": EventView(
                        name=event.name,
                        round=state.round,
                        rounds=event.rounds,
                        minutes=event.minutes,
                        left_s=left_s,
                        running=state.running,
                        dice_down=bool(state.round) and self._is_ending(left_s),
                        trouble=trouble,
                        on_air=state.on_air,
                    )
                },
                seats=seats,
                tiles={name: self._build_tile(tables.get(name), name, now_s, called) for name in event.table_names},
                calls={name: self._build_call(call, now_s) for name, call in self._calls.items()},
            )

    def _find_calls(self, now_s: float) -> Mapping[str, OpenCall]:
        """Return the calls that are open, the oldest first."""
        names = self.folder.event.table_names
        there = {call.name: call for name in names for call in self._list_calls(name, now_s)}
        self._first_s = {name: since for name, since in self._first_s.items() if name in there}
        due = [
            call
            for call in there.values()
            if call.name not in self.log.state.answered and (call.kind == "summons" or now_s - call.since_s >= STANDS_S)
        ]
        return {call.name: call for call in sorted(due, key=lambda call: call.since_s)}

    def _list_calls(self, table: str, now_s: float) -> Iterator[OpenCall]:
        digest = self._digests.get(table)
        finding = digest.find_deciding() if digest else None
        about = finding.text[:500] if finding else ""
        if (summons := self._find_summons(table)) is not None:
            name = name_summons(table, summons)
            yield OpenCall(
                name=name,
                table=table,
                kind="summons",
                since_s=self._first_s.setdefault(name, now_s),
                text=summons.about or about or "A judge is asked for.",
                rule=finding.rule if finding else "",
                margin_mm=finding.margin_mm if finding else None,
                sigma_mm=finding.sigma_mm if finding else None,
                captured_ns=digest.call_ns if digest and digest.call else 0,
            )
        if digest is not None and digest.call is not None and digest.call.outcome in {"too-close", "unobserved"}:
            name = f"{table}:{digest.recording}:{digest.call_row}"
            yield OpenCall(
                name=name,
                table=table,
                kind="doubtful",
                since_s=self._first_s.setdefault(name, now_s),
                text=about,
                rule=finding.rule[:100] if finding else "",
                margin_mm=finding.margin_mm if finding else None,
                sigma_mm=finding.sigma_mm if finding else None,
                captured_ns=digest.call_ns,
            )

    def _build_call(self, call: OpenCall, now_s: float) -> CallView:
        claim = self.log.state.claims.get(call.name)
        opens = f"/hall/table/{call.table}/" + (f"?captured_ns={call.captured_ns}" if call.captured_ns else "")
        picture = f"/hall/picture.jpg?table={call.table}&at={call.captured_ns}" if call.captured_ns else ""
        return CallView(
            table=call.table,
            players=list(self.log.state.find_players(call.table)),
            kind="summons" if call.kind == "summons" else "doubtful",
            text=call.text,
            rule=call.rule,
            margin_mm=call.margin_mm,
            sigma_mm=call.sigma_mm,
            since_s=int(now_s - call.since_s),
            claimed=claim[0] if claim else "",
            picture=picture,
            opens=opens if call.table in self._digests else "",
            can_rule=call.captured_ns > 0,
        )

    def _build_tile(self, table: GatheredTable | None, name: str, now_s: float, called: set[str]) -> TileView:
        state, digest = table.state if table else None, self._digests.get(name)
        heard = table is not None and table.heard_s > 0
        silent_s = now_s - table.heard_s if table is not None and heard else 0.0
        away = silent_s > SILENT_S
        finding = digest.find_deciding() if digest else None
        summoned = state is not None and state.summons is not None
        camera = "" if state is None or state.camera == "live" else state.camera_text or "The camera is not there."
        clock = (
            f"Its clock is {abs(table.clock_off_s):.0f} s {'ahead' if table.clock_off_s > 0 else 'behind'}."
            if (table and abs(table.clock_off_s) > CLOCK_OFF_S)
            else ""
        )
        trouble = " ".join(filter(None, (table.trouble if table else "", state.trouble if state else "", clock)))
        rank = 0 if summoned else 1 if name in called else 2 if away else 3 if trouble or camera else 4 if state else 5
        acknowledged = digest.row if digest and state and state.recording == digest.recording else -1
        return TileView(
            rank=rank,
            state="new" if not heard else "away" if away else "connected",
            away_s=int(silent_s) if away else 0,
            title=state.title if state else "",
            turn=digest.turn if digest else 0,
            player=digest.player if digest else "",
            clocks={player: passed // 10**9 for player, passed in digest.clocks_ns.items()} if digest else {},
            outcome=digest.call.outcome if digest and digest.call else "",
            text=finding.text[:500] if finding else "",
            camera=camera,
            trouble=trouble[:1000],
            recorded=digest is not None,
            waiting=max(0, state.row - acknowledged) if state and not away else 0,
        )

    def find_rulings(self, asked: str) -> list[dict[str, object]]:
        """Return the rulings that have all the words that are asked for, the latest first: from desk and tables.

        A round and a table are asked for by their names, as ``round 2`` or ``table 7``.
        """
        asked = asked.lower()
        named: dict[str, str] = dict(_NAMED.findall(asked))
        words = _NAMED.sub(" ", asked).split()[:20]
        with self._lock:
            state = self.log.state
            told_from_desk: dict[str, list[DeskRuling]] = {}
            for each in state.rulings:
                told_from_desk.setdefault(each.recording, []).append(each.ruling)
            found: list[tuple[int, str, str, str, str, str, str]] = [
                (each.at_ns, each.table, each.ruling.judge, each.ruling.outcome, each.ruling.note, each.text, each.rule)
                for each in state.rulings
            ]
            for table, digest in self._digests.items():
                found += [
                    (
                        seen.captured_ns,
                        table,
                        seen.ruling.judge or seen.ruling.by,
                        seen.ruling.outcome,
                        seen.ruling.note[:1000],
                        seen.ruling.text[:500],
                        (seen.ruling.rule or "")[:100],
                    )
                    for seen in digest.rulings
                    if not any(is_written(each, seen.ruling) for each in told_from_desk.get(digest.recording, ()))
                ]
        listed = []
        for at_ns, table, judge, outcome, note, text, rule in sorted(found, reverse=True):
            number = state.find_round(at_ns)
            if named.get("round", str(number)) != str(number) or named.get("table", table.lower()) != table.lower():
                continue
            told = f"{judge} {outcome} {note} {text} {rule}".lower()
            if all(word in told for word in words):
                listed.append(
                    {
                        "round": number,
                        "table": table,
                        "judge": judge,
                        "outcome": outcome,
                        "note": note,
                        "text": text,
                        "rule": rule,
                    }
                )
        return listed[:MOST_FOUND]


def name_summons(table: str, summons: Summons) -> str:
    """Return by which name a summons is known at the desk."""
    return f"{table}:summons:{summons.since_s}"


def _require_desk(message: Message) -> None:
    if REGISTRY[type(message)].feature != "hall-desk":
        raise BadInput("this is for a table: it is done there")


def is_written(ruling: DeskRuling, seen: Ruling) -> bool:
    """Whether a ruling from the desk is one that a table's record has."""
    words = (seen.judge[:100], seen.outcome, seen.note[:500])
    near = abs(ruling.captured_ns - max(0, seen.at_ns or 0)) <= SAME_NS
    return near and words == (ruling.judge, ruling.outcome, ruling.note)
