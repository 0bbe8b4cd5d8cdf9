"""The whole game as a list: what happened, and what the referee found, each with its time and sentence."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from assistant.calibrated import doubt_said
from assistant.game.events import Accepted, Event, Ruled, Undone
from assistant.game.state import GameState, Ruling
from assistant.judged import verdict_on
from assistant.past.calls import otherwise_said
from assistant.past.said import Kind, gap_said, said, units_of
from assistant.record.calibrations import CalibrationSeen
from assistant.record.called import Called
from assistant.record.journal import Entry, NotRecorded, PosesSeen
from assistant.rules.ruling import DECIDED_SIGMAS
from assistant.rules.verdict import Finding, Outcome, Verdict
from assistant.session import Session

Fate = Literal["stands", "accepted", "gone"]
"""What became of what was found: it holds, it was accepted as it stood, or it was put right or is judged no more."""
READ_NS = 500_000_000
"""What is over sooner nobody has read."""
_LISTED = {Outcome.ILLEGAL, Outcome.TOO_CLOSE, Outcome.UNOBSERVED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """Something that happened."""

    revision: int
    at_ns: int
    kind: Kind
    text: str
    units: tuple[str, ...]
    player: str | None
    """Whose turn it was."""
    turn: int | None
    """None while nobody counted."""
    entry: int
    """Its row of the journal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A ruling that was not taken back."""

    number: int
    """In the order in which they were made."""
    at_ns: int
    """When it was made."""
    ruling: Ruling
    found: tuple[int, ...]
    """The numbers of the findings that it is about; none for a moment without any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Something that was not legal, or not decided, for as long as it was so."""

    number: int
    revision: int
    """Of the last change; of all changes in a game the next has the next number."""
    at_ns: int
    until_ns: int | None
    """None while it holds."""
    fate: Fate
    finding: Finding
    units: tuple[str, ...]
    players: tuple[str, ...]
    """Whose units they are."""
    turn: int | None
    rulings: tuple[Decided, ...] = ()
    """What people decided of it, the oldest first."""

    @property
    def fleeting(self) -> bool:
        """Whether it came and went while hands were at work, so soon that nobody can have read it."""
        return self.until_ns is not None and self.until_ns - self.at_ns < READ_NS and self.fate == "gone"


class Log:
    """Takes in the entries of a journal as they come, and judges them when asked to, for that takes longer."""

    def __init__(self, session: Session) -> None:
        """Begin with a session at the start of the game, which nobody else uses."""
        self.began_ns = 0
        """Capture time from which the times here count."""
        self.happenings: list[Happening] = []
        self.found: dict[int, Found] = {}
        """By number."""
        self.decided: list[Decided] = []
        """Every ruling that holds, the oldest first."""
        self._rulings = 0
        """How many there were."""
        self.revision = 0
        self._session = session
        self._unjudged: deque[tuple[Entry, int]] = deque()
        self._standing: dict[tuple[object, ...], int] = {}
        """The number of each finding that holds, by what it is about."""
        self._last: dict[tuple[object, ...], int] = {}
        self._judged: GameState | None = None
        self._verdict: Verdict | None = None
        """On the state that was judged last."""
        self._differed = {""}
        """What was told of how the table stood, and was called otherwise."""

    def take(self, entry: Entry, at_ns: int) -> None:
        """Take in the next entry and its time since the game's beginning; of poses only those that change the doubt."""
        self._unjudged.append((entry, at_ns))

    @property
    def at_ns(self) -> int:
        """When the last thing happened that was judged."""
        return self.happenings[-1].at_ns if self.happenings else 0

    @property
    def waits(self) -> bool:
        """Whether something was taken in and is not judged yet."""
        return bool(self._unjudged)

    def judge(self) -> bool:
        """Judge the next entry; return whether there was one."""
        if not self._unjudged:
            return False
        entry, at_ns = self._unjudged.popleft()
        match entry.what:
            case PosesSeen():
                text = doubt_said(entry.what.doubt, entry.what.astray) if entry.what.doubt else _CERTAIN
                self._tell(entry, at_ns, "camera", text)
            case CalibrationSeen():
                count = len(entry.what.anchors)
                self._tell(entry, at_ns, "calibrated", f"Calibrated by {count} anchors: {entry.what.calibration}.")
            case Called():
                self._hold(entry, at_ns, entry.what)
            case NotRecorded():
                self._tell(entry, at_ns, "camera", gap_said(entry.captured_ns, entry.what))
            case event:
                self._happen(entry, at_ns, event)
        return True

    def _happen(self, entry: Entry, at_ns: int, event: Event) -> None:
        before = self._session.state
        what = said(event, before)
        self._session.now_ns = entry.captured_ns
        self._session.happen(event)
        self._tell(entry, at_ns, what.kind, what.text, what.units)
        match event:
            case Accepted():
                self._accept(event, before)
            case Ruled(ruling=ruling):
                self._decide(at_ns, ruling)
            case Undone():
                self._undecide()
        state = self._session.state
        if state is not self._judged:
            self._judged = state
            self._compare(at_ns, state)

    def _hold(self, entry: Entry, at_ns: int, called: Called) -> None:
        """Tell where a call was another in play; of how the table stands, which is said after every move, once."""
        state = self._session.state
        verdict = self._verdict if state is self._judged else verdict_on(state)
        text = otherwise_said(called, Called.of(verdict) if verdict else None)
        if text and text not in self._differed:
            self._tell(entry, at_ns, "differs", text, (state.declared.unit,) if state.declared else ())
        if state.declared is None:
            self._differed.add(text)

    def _tell(self, entry: Entry, at_ns: int, kind: Kind, text: str, units: tuple[str, ...] = ()) -> None:
        turn = self._session.state.turn
        self.revision += 1
        self.happenings.append(
            Happening(
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

    def _accept(self, event: Accepted, before: GameState) -> None:
        """Take note of what is accepted although it was found."""
        accepted = {event.unit, *units_of(before, event.models)}
        for number in self._standing.values():
            if accepted & set(self.found[number].units):
                self._change(number, fate="accepted")

    def _decide(self, at_ns: int, ruling: Ruling) -> None:
        """Note a ruling with the findings that it is about."""
        about_ns = at_ns if ruling.at_ns is None else ruling.at_ns - self.began_ns
        numbers = tuple(
            number
            for number, found in self.found.items()
            if found.at_ns <= about_ns
            and (found.until_ns is None or about_ns < found.until_ns)
            and ruling.rule in {None, found.finding.rule}
            and (ruling.rule is None or ruling.subjects == found.finding.subjects)
        )
        self._rulings += 1
        made = Decided(number=self._rulings, at_ns=at_ns, ruling=ruling, found=numbers)
        self.decided.append(made)
        for number in numbers:
            self._change(number, rulings=(*self.found[number].rulings, made))

    def _undecide(self) -> None:
        """Drop the rulings that were taken back."""
        hold = {id(ruling) for ruling in self._session.rulings}
        for made in [made for made in self.decided if id(made.ruling) not in hold]:
            self.decided.remove(made)
            for number in made.found:
                self._change(number, rulings=tuple(r for r in self.found[number].rulings if r is not made))

    def _compare(self, at_ns: int, state: GameState) -> None:
        """Hold what the referee finds now to what held until now."""
        verdict = self._verdict = verdict_on(state)
        now = (
            {_about(finding): finding for finding in verdict.findings if finding.outcome in _LISTED} if verdict else {}
        )
        for about, number in list(self._standing.items()):
            finding = now.get(about)
            if finding is None or not _alike(finding, self.found[number].finding):
                fate = self.found[number].fate
                self._change(number, until_ns=at_ns, fate="accepted" if fate == "accepted" else "gone")
                del self._standing[about]
        for about, finding in now.items():
            if about in self._standing:
                continue
            known = self._last.get(about)
            if known is not None and _same(finding, self.found[known].finding):
                # It was not shown while another move was judged, and nothing has changed since.
                fate = self.found[known].fate
                self._change(known, until_ns=None, fate="accepted" if fate == "accepted" else "stands")
                self._standing[about] = known
            else:
                self._standing[about] = self._last[about] = self._add(at_ns, state, finding)

    def _add(self, at_ns: int, state: GameState, finding: Finding) -> int:
        self.revision += 1
        number = len(self.found) + 1
        units = units_of(state, finding.subjects)
        self.found[number] = Found(
            number=number,
            revision=self.revision,
            at_ns=at_ns,
            until_ns=None,
            fate="stands",
            finding=finding,
            units=units,
            players=tuple(dict.fromkeys(state.unit(unit).player for unit in units)),
            turn=state.turn.number if state.turn else None,
        )
        return number

    def _change(self, number: int, **to: object) -> None:
        self.revision += 1
        self.found[number] = replace(self.found[number], revision=self.revision, **to)  # type: ignore[arg-type]

    def since(self, revision: int) -> tuple[list[Happening], list[Found]]:
        """Return what was added or changed after a revision."""
        added = list(_after(self.happenings, revision))
        return added[::-1], [each for each in self.found.values() if each.revision > revision]


_CERTAIN = "It is known again where the camera stands."


def _after(happenings: list[Happening], revision: int) -> Iterator[Happening]:
    """Yield what was added after a revision, the last first."""
    for each in reversed(happenings):
        if each.revision <= revision:
            return
        yield each


def _about(finding: Finding) -> tuple[object, ...]:
    return finding.rule, finding.subjects


def _alike(one: Finding, other: Finding) -> bool:
    """Whether the same is found of models that were only measured anew."""
    if one.outcome is not other.outcome or one.margin_mm is None or other.margin_mm is None:
        return (one.outcome, one.text) == (other.outcome, other.text)
    return abs(one.margin_mm - other.margin_mm) <= DECIDED_SIGMAS * max(one.sigma_mm or 0.0, other.sigma_mm or 0.0)


def _same(one: Finding, other: Finding) -> bool:
    """Whether the very same measurement is meant."""
    return (one.outcome, one.text, one.witness_mm) == (other.outcome, other.text, other.witness_mm)
