"""The game log: the whole game as a list of what happened and what the referee found, with times and sentences."""

import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from assistant.game.events import (
    Accepted,
    Declared,
    Event,
    ModelPlaced,
    ModelSettled,
    Ruled,
    StepBegan,
    TurnBegan,
    Undone,
    Withdrawn,
)
from assistant.game.state import GameState, Ruling
from assistant.recording.journal.row_types import CalibrationSeen, Called, JournalEntry, NotRecorded, PosesSeen
from assistant.replay.event_descriptions import HappeningKind, describe_event, describe_gap, find_units
from assistant.replay.moves import CLOSE, judge_announced
from assistant.replay.verdict_diff import describe_changed_call
from assistant.rules.verdict import DECIDED_SIGMAS, Finding, Outcome, Verdict
from assistant.table.declared_move import VerdictFinder
from assistant.table.ingest import MOVED_MM
from assistant.table.observations import describe_doubt
from assistant.table.referee_report import KNOWN_STATES
from assistant.table.session import GameSession

FindingFate = Literal["stands", "accepted", "gone"]
"""What became of what was found: it holds, it was accepted as it stood, or it was put right or is judged no more."""
_LISTED = {Outcome.ILLEGAL, Outcome.TOO_CLOSE, Outcome.UNOBSERVED}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """Something that happened."""

    revision: int
    at_ns: int
    kind: HappeningKind
    text: str
    units: tuple[str, ...]
    player: str | None
    """Whose turn it was."""
    turn: int | None
    """None while nobody counted."""
    entry: int
    """Its row of the journal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRuling:
    """A ruling that was not taken back."""

    number: int
    """In the order in which they were made."""
    at_ns: int
    """When it was made."""
    ruling: Ruling
    findings: tuple[int, ...]
    """The numbers of the findings that it is about; none for a moment without any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedFinding:
    """Something that was not legal, or not decided, for as long as it was so; or that an accepted move hardly kept."""

    number: int
    revision: int
    """Of the last change; of all changes in a game the next has the next number."""
    at_ns: int
    until_ns: int | None
    """None while it holds."""
    fate: FindingFate
    finding: Finding
    units: tuple[str, ...]
    players: tuple[str, ...]
    """Whose units they are."""
    turn: int | None
    rulings: tuple[LoggedRuling, ...] = ()
    """What people decided of it, the oldest first."""
    judged: bool = False
    """It held when the move that it is about was over, or people had decided something of it."""

    @property
    def is_preview(self) -> bool:
        """Whether it came and went while its move was still being made, so that nothing was ever judged by it."""
        return self.until_ns is not None and not self.judged


def are_seen_together(one: JournalEntry, other: JournalEntry) -> bool:
    """Return whether two entries tell of models in the same picture: nobody ever saw the game stand between them."""
    sighting = ModelPlaced | ModelSettled
    return one.captured_ns == other.captured_ns and isinstance(one.what, sighting) and isinstance(other.what, sighting)


class GameLog:
    """Takes in the entries of a journal as they come, and judges them when asked to, for that takes longer."""

    def __init__(self, session: GameSession) -> None:
        """Begin with a session at the start of the game, which nobody else uses."""
        self.began_ns = 0
        """Capture time from which the times here count."""
        self.happenings: list[LogEntry] = []
        self.findings: dict[int, LoggedFinding] = {}
        """By number."""
        self.rulings: list[LoggedRuling] = []
        """Every ruling that holds, the oldest first."""
        self._ruling_count = 0
        """How many there were."""
        self.revision = 0
        self._session = session
        self._unjudged: deque[tuple[JournalEntry, int]] = deque()
        self._applied: tuple[JournalEntry, int] | None = None
        """What happened last, while it is not judged how the game stands after it: the same picture may tell more."""
        self._standing: dict[tuple[object, ...], int] = {}
        """The number of each finding that holds, by what it is about."""
        self._last: dict[tuple[object, ...], int] = {}
        self._verdicts: Mapping[int, Verdict | None] = {}
        """What was found before, by the entry after which the game first stood so."""
        self._find_verdict = VerdictFinder().find
        self._judged: GameState | None = None
        self._judged_ns = 0
        self._verdict: Verdict | None = None
        """On the state that was judged last."""
        self._known = deque[tuple[GameState, Verdict | None]](maxlen=KNOWN_STATES)
        """What was judged last: what is taken back comes back."""
        self._differed = {""}
        """What was told of how the table stood, and was called otherwise."""

    def know_verdicts(self, verdicts: Mapping[int, Verdict | None]) -> None:
        """Take over what was found before, by the entry after which the game first stood so."""
        self._verdicts = verdicts

    def add_entry(self, entry: JournalEntry, at_ns: int) -> None:
        """Take in the next entry and its time since the game's beginning; of poses only those that change the doubt."""
        self._unjudged.append((entry, at_ns))

    @property
    def at_ns(self) -> int:
        """When the last thing happened that was judged."""
        return self.happenings[-1].at_ns if self.happenings else 0

    @property
    def is_waiting(self) -> bool:
        """Whether something was taken in and is not judged yet."""
        return bool(self._unjudged) or self._applied is not None

    def judge_next(self, until: float = math.inf) -> bool:
        """Take in the next entry, and judge how the game stood before it; return whether there was one.

        How it stands after the last one is judged by `judge_last`.

        Args:
            until: the last entry that is taken in.

        """
        if not self._unjudged or self._unjudged[0][0].id > until:
            return False
        entry, at_ns = self._unjudged.popleft()
        if self._applied is not None and not are_seen_together(self._applied[0], entry):
            self.judge_last()
        match entry.what:
            case PosesSeen():
                text = describe_doubt(entry.what.doubt, entry.what.astray) if entry.what.doubt else _CERTAIN
                self._append(entry, at_ns, "camera", text)
            case CalibrationSeen():
                count = len(entry.what.anchors)
                self._append(entry, at_ns, "calibrated", f"Calibrated by {count} anchors: {entry.what.calibration}.")
            case Called():
                self._compare_call(entry, at_ns, entry.what)
            case NotRecorded():
                self._append(entry, at_ns, "camera", describe_gap(entry.captured_ns, entry.what))
            case event:
                self._apply_event(entry, at_ns, event)
        return True

    def judge_last(self) -> None:
        """Judge how the game stands now."""
        applied, self._applied = self._applied, None
        state = self._session.state
        if applied is not None and state is not self._judged:
            self._judged, self._judged_ns = state, applied[1]
            self._verdict = self._judge_state(state, applied[0].id)
            self._compare_findings(applied[1], state, self._verdict)

    def _apply_event(self, entry: JournalEntry, at_ns: int, event: Event) -> None:
        before = self._session.state
        self._judge_finished_moves(event, before)
        if isinstance(event, Accepted):
            self._list_close_calls(at_ns, before)
        what = describe_event(event, before)
        self._session.now_ns = entry.captured_ns
        self._session.record_event(event)
        self._append(entry, at_ns, what.kind, what.text, what.units)
        match event:
            case Accepted():
                self._note_acceptance(event, before)
            case Ruled(ruling=ruling):
                self._note_ruling(at_ns, ruling)
            case Undone():
                self._drop_rulings()
        self._applied = entry, at_ns

    def _judge_state(self, state: GameState, entry: int) -> Verdict | None:
        """Return the verdict on how the game stands after an entry."""
        known = next((each for each in self._known if each[0] is state), None)
        if known is not None:
            return known[1]
        verdict = self._verdicts[entry] if entry in self._verdicts else self._find_verdict(state)
        self._known.append((state, verdict))
        return verdict

    def _judge_finished_moves(self, event: Event, state: GameState) -> None:
        """Take as judged what holds of moves that an event ends, and of units that have not begun to move."""
        match event:
            case Accepted():
                ended = {event.unit, *find_units(state, event.models)}
            case Declared(declaration=declaration):
                ended = {state.declared.unit} if state.declared else set()
                ended -= {declaration.unit}
            case Withdrawn() if state.declared and _stands_elsewhere(state, state.declared.unit):
                ended = {state.declared.unit}
            case TurnBegan() | StepBegan():
                ended = {unit.id for unit in state.units}
            case _:
                return
        under_way = {*find_units(state, tuple(state.tracks)), state.declared.unit if state.declared else None}
        for number in self._standing.values():
            units = {*self.findings[number].units}
            if units & ended or not units & under_way:
                self._change_finding(number, judged=True)

    def _list_close_calls(self, at_ns: int, state: GameState) -> None:
        """List what the move that is accepted keeps by so little that it could have been called the other way."""
        verdict = judge_announced(state, CLOSE) if state.declared is not None else None
        for finding in verdict.findings if verdict is not None else ():
            if finding.outcome is not Outcome.LEGAL or not finding.is_within(CLOSE.sigmas):
                continue
            number = self._find_earlier(finding)
            if number is None:
                number = self._last[_identify(finding)] = self._add_finding(self._judged_ns, state, finding)
            self._change_finding(number, until_ns=at_ns, fate="accepted", judged=True)

    def _compare_call(self, entry: JournalEntry, at_ns: int, called: Called) -> None:
        """Tell where a call was another in play; of how the table stands, which is said after every move, once."""
        state = self._session.state
        verdict = self._verdict if state is self._judged else self._find_verdict(state)
        text = describe_changed_call(called, Called.from_verdict(verdict) if verdict else None)
        if text and text not in self._differed:
            self._append(entry, at_ns, "differs", text, (state.declared.unit,) if state.declared else ())
        if state.declared is None:
            self._differed.add(text)

    def _append(
        self, entry: JournalEntry, at_ns: int, kind: HappeningKind, text: str, units: tuple[str, ...] = ()
    ) -> None:
        turn = self._session.state.turn
        self.revision += 1
        self.happenings.append(
            LogEntry(
                revision=self.revision,
                at_ns=at_ns,
                kind=kind,
                text=text,
                units=units,
                player=turn.player if turn else None,
                turn=turn.number if turn else None,
                entry=entry.id,
            )
        )

    def _note_acceptance(self, event: Accepted, before: GameState) -> None:
        """Take note of what is accepted although it was found."""
        accepted = {event.unit, *find_units(before, event.models)}
        for number in self._standing.values():
            if accepted & set(self.findings[number].units):
                self._change_finding(number, fate="accepted")

    def _note_ruling(self, at_ns: int, ruling: Ruling) -> None:
        """Note a ruling with the findings that it is about."""
        about_ns = at_ns if ruling.at_ns is None else ruling.at_ns - self.began_ns
        numbers = tuple(
            number
            for number, logged in self.findings.items()
            if logged.at_ns <= about_ns
            and (logged.until_ns is None or about_ns < logged.until_ns)
            and ruling.rule in {None, logged.finding.rule}
            and (ruling.rule is None or ruling.subjects == logged.finding.subjects)
        )
        self._ruling_count += 1
        logged = LoggedRuling(number=self._ruling_count, at_ns=at_ns, ruling=ruling, findings=numbers)
        self.rulings.append(logged)
        for number in numbers:
            self._change_finding(number, judged=True, rulings=(*self.findings[number].rulings, logged))

    def _drop_rulings(self) -> None:
        """Drop the rulings that were taken back."""
        if not self.rulings:  # which of them hold is asked of all that was ever decided
            return
        hold = {id(ruling) for ruling in self._session.rulings}
        for logged in [logged for logged in self.rulings if id(logged.ruling) not in hold]:
            self.rulings.remove(logged)
            for number in logged.findings:
                self._change_finding(number, rulings=tuple(r for r in self.findings[number].rulings if r is not logged))

    def _compare_findings(self, at_ns: int, state: GameState, verdict: Verdict | None) -> None:
        """Hold what the referee finds now to what held until now."""
        findings_now = (
            {_identify(finding): finding for finding in verdict.findings if finding.outcome in _LISTED}
            if verdict
            else {}
        )
        for about, number in list(self._standing.items()):
            finding = findings_now.get(about)
            if finding is None or not _is_same_finding(finding, self.findings[number].finding):
                fate = self.findings[number].fate
                self._change_finding(number, until_ns=at_ns, fate="accepted" if fate == "accepted" else "gone")
                del self._standing[about]
        for about, finding in findings_now.items():
            if about in self._standing:
                continue
            earlier = self._find_earlier(finding)
            if earlier is not None:
                # It was not shown while another move was judged, and nothing has changed since.
                fate = self.findings[earlier].fate
                self._change_finding(earlier, until_ns=None, fate="accepted" if fate == "accepted" else "stands")
                self._standing[about] = earlier
            else:
                self._standing[about] = self._last[about] = self._add_finding(at_ns, state, finding)

    def _find_earlier(self, finding: Finding) -> int | None:
        """Return the number that the very same measurement was found under before."""
        number = self._last.get(_identify(finding))
        return number if number and _is_same_measurement(finding, self.findings[number].finding) else None

    def _add_finding(self, at_ns: int, state: GameState, finding: Finding) -> int:
        self.revision += 1
        number = len(self.findings) + 1
        units = find_units(state, finding.subjects)
        self.findings[number] = LoggedFinding(
            number=number,
            revision=self.revision,
            at_ns=at_ns,
            until_ns=None,
            fate="stands",
            finding=finding,
            units=units,
            players=tuple(dict.fromkeys(state.find_unit(unit).player for unit in units)),
            turn=state.turn.number if state.turn else None,
        )
        return number

    def _change_finding(self, number: int, **to: object) -> None:
        self.revision += 1
        self.findings[number] = replace(self.findings[number], revision=self.revision, **to)  # type: ignore[arg-type]

    def list_changes(self, revision: int) -> tuple[list[LogEntry], list[LoggedFinding]]:
        """Return what was added or changed after a revision."""
        added = list(_list_added(self.happenings, revision))
        return added[::-1], [each for each in self.findings.values() if each.revision > revision]


_CERTAIN = "It is known again where the camera stands."


def _list_added(happenings: list[LogEntry], revision: int) -> Iterator[LogEntry]:
    """Yield what was added after a revision, the last first."""
    for each in reversed(happenings):
        if each.revision <= revision:
            return
        yield each


def _stands_elsewhere(state: GameState, unit: str) -> bool:
    """Whether a model of a unit stands elsewhere than where its move began."""
    tracks = (state.tracks[m.id].poses for m in state.find_unit(unit).models if m.id in state.tracks)
    return any(math.hypot(way[-1].x_mm - way[0].x_mm, way[-1].y_mm - way[0].y_mm) > MOVED_MM for way in tracks)


def _identify(finding: Finding) -> tuple[object, ...]:
    return finding.rule, finding.subjects


def _is_same_finding(one: Finding, other: Finding) -> bool:
    """Whether the same is found of models that were only measured anew."""
    if one.outcome is not other.outcome or one.margin_mm is None or other.margin_mm is None:
        return (one.outcome, one.text) == (other.outcome, other.text)
    return abs(one.margin_mm - other.margin_mm) <= DECIDED_SIGMAS * max(one.sigma_mm or 0.0, other.sigma_mm or 0.0)


def _is_same_measurement(one: Finding, other: Finding) -> bool:
    """Whether the very same measurement is meant."""
    return (one.outcome, one.text, one.witness_mm) == (other.outcome, other.text, other.witness_mm)
