"""What moves came to then and come to now: where they ended, and what the referee says of them."""

import math
from dataclasses import dataclass, field
from typing import Self

from assistant.game.events import ModelSettled
from assistant.game.state import GameState
from assistant.judged import asked_of, verdict_on
from assistant.past.anew.form import CallAnew, CallsAnew, Rested, Where
from assistant.rules.judge import judge
from assistant.rules.overruled import deciding
from assistant.rules.verdict import Finding, Verdict

AT_ONCE_NS = 2_000_000_000
"""A model that comes to rest within so long in both came to rest after the same move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """What the referee says of a game as it stands; None while nothing can be judged."""

    state: GameState
    verdict: Verdict | None

    @classmethod
    def on(cls, state: GameState) -> Self:
        return cls(state=state, verdict=verdict_on(state))

    @property
    def outcome(self) -> str:
        return self.verdict.outcome.value if self.verdict else ""

    def told(self, beside: "_Call") -> CallAnew | None:
        """Return what is told of it beside another call, which may rest on a rule that is kept here."""
        if self.verdict is None:
            return None
        finding = deciding(self.verdict)
        if finding is None and beside.verdict and (there := deciding(beside.verdict)):
            finding = self._kept(there)
        if finding is None:
            return CallAnew(outcome=self.outcome)
        return CallAnew(
            outcome=self.outcome,
            rule=finding.rule,
            margin_mm=finding.margin_mm,
            sigma_mm=finding.sigma_mm,
            text=finding.text,
        )

    def _kept(self, like: Finding) -> Finding | None:
        """Return what is said of a rule that is kept, where another call finds it broken."""
        asked = asked_of(self.state)
        found = judge(*asked, everything=True).findings if asked else ()
        same = [f for f in found if f.rule == like.rule and f.subjects[:1] == like.subjects[:1]]
        return next((f for f in same if f.subjects == like.subjects), same[0] if same else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """A model that came to rest, and what the referee said then."""

    event: ModelSettled
    at_ns: int
    call: _Call


@dataclass(kw_only=True)
class Side:
    """One of the two games."""

    ends: list[_End] = field(default_factory=list)
    _rested: list[tuple[int, ModelSettled]] = field(default_factory=list)

    def rested(self, at_ns: int, event: ModelSettled) -> None:
        """Take in that a model came to rest."""
        self._rested.append((at_ns, event))

    def judge(self, state: GameState) -> None:
        """Ask what is said of the models that came to rest in this picture."""
        if not self._rested:
            return
        call = _Call.on(state)
        self.ends += [_End(event=event, at_ns=at_ns, call=call) for at_ns, event in self._rested]
        self._rested = []


@dataclass(kw_only=True)
class Calls:
    """Both games, as they are played side by side."""

    before: Side = field(default_factory=Side)
    now: Side = field(default_factory=Side)
    _accepted: list[tuple[int, str, _Call, _Call]] = field(default_factory=list)

    def accepted(self, at_ns: int, before: GameState, now: GameState) -> None:
        """Take in that people are about to accept what stands."""
        declared = before.declared or now.declared
        about = declared.unit if declared else "the table"
        self._accepted.append((at_ns, about, _Call.on(before), _Call.on(now)))

    def pairs(self) -> list[tuple[_End, _End]]:
        """Return the ends of moves that are in both games."""
        found, left = [], list(self.now.ends)
        for end in self.before.ends:
            near = [e for e in left if e.event.model == end.event.model and abs(e.at_ns - end.at_ns) <= AT_ONCE_NS]
            if near:
                other = min(near, key=lambda each: abs(each.at_ns - end.at_ns))
                left.remove(other)
                found.append((end, other))
        return found

    def rested(self) -> tuple[Rested, ...]:
        """Return the models that came to rest in one game only."""
        paired = {id(end) for pair in self.pairs() for end in pair}
        sides = (("before", self.before), ("now", self.now))
        lone = [
            Rested(model=end.event.model, at_ns=end.at_ns, when=when)  # type: ignore[arg-type]
            for when, side in sides
            for end in side.ends
            if id(end) not in paired
        ]
        return tuple(sorted(lone, key=lambda each: each.at_ns))

    def ends(self) -> Where | None:
        """Return where a move ended most differently; None where there was none."""
        worst = None
        for then, now in self.pairs():
            was, here = then.event.path[-1], now.event.path[-1]
            mm = round(math.hypot(here.x_mm - was.x_mm, here.y_mm - was.y_mm), 4)
            if worst is None or mm > worst.mm:
                place = {"x_mm": round(was.x_mm, 2), "y_mm": round(was.y_mm, 2)}
                worst = Where(mm=mm, at_ns=then.at_ns, model=then.event.model, **place)
        return worst

    @property
    def count(self) -> int:
        """How many calls are compared."""
        return len(self.pairs()) + len(self._accepted)

    def otherwise(self) -> tuple[CallsAnew, ...]:
        """Return the calls that are others now; where several models came to rest at once, the first's."""
        found: dict[tuple[int, str, str], CallsAnew] = {}
        for then, now in self.pairs():
            _note(found, then.at_ns, then.event.model, then.call, now.call, accepted=False)
        for at_ns, about, before, here in self._accepted:
            _note(found, at_ns, about, before, here, accepted=True)
        return tuple(sorted(found.values(), key=lambda each: each.at_ns))


def _note(
    found: dict[tuple[int, str, str], CallsAnew],
    at_ns: int,
    about: str,
    before: _Call,
    now: _Call,
    *,
    accepted: bool,
) -> None:
    if before.outcome != now.outcome:
        told = CallsAnew(at_ns=at_ns, about=about, accepted=accepted, before=before.told(now), now=now.told(before))
        found.setdefault((at_ns, before.outcome, now.outcome), told)
