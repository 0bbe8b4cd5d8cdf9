"""Comparing the recorded and the reprocessed game: how models were seen, where moves ended, how they were called."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from assistant.game.events import ModelSettled
from assistant.game.state import GameState
from assistant.recording.poses import PoseEntry, name_in_file
from assistant.replay.reprocess.result import CallAnew, CallsAnew, ModelAnew, Rested, Where
from assistant.rules.verdict import EVERYTHING, Finding, Verdict, find_deciding_finding
from assistant.table.declared_move import find_current_verdict, find_judged_move
from calibration.spaces import CameraOverTable

GRID = 9
"""Calibrations are compared at so many places along each side of the table."""


@dataclass(slots=True, kw_only=True)
class _ModelComparison:
    name: str
    mm: list[float] = field(default_factory=list)
    deg: list[float] = field(default_factory=list)
    sigmas: list[float] = field(default_factory=list)
    largest: Where | None = None
    only_before: int = 0
    only_now: int = 0


@dataclass(kw_only=True)
class PoseComparison:
    """Takes in, picture by picture, how models were seen then and are seen now; by marker, whoever carries it."""

    _before: dict[int, PoseEntry] = field(default_factory=dict)
    """How each was last recorded: what does not change is not."""
    _models: dict[int, _ModelComparison] = field(default_factory=dict)
    _unknown: set[int] = field(default_factory=set)
    """Of which it is not known whether they were seen then."""

    def begin_run(self) -> None:
        """Let the program have begun anew: what it sees again as it was, it does not record."""
        self._unknown = set(self._before)

    def add_recorded(self, poses: Iterable[PoseEntry]) -> None:
        """Take in what was recorded of a picture that may be lacking in the video."""
        seen = {entry.marker: entry for entry in poses}
        self._before.update(seen)
        self._unknown -= seen.keys()

    def add_picture(self, at_ns: int, before: Iterable[PoseEntry], now: Iterable[PoseEntry]) -> None:
        """Take in a picture.

        Args:
            at_ns: when it was taken.
            before: what was recorded of it.
            now: how all models are seen in it.

        """
        seen_before = {entry.marker: entry for entry in before}
        self.add_recorded(seen_before.values())
        seen_now = {entry.marker: entry for entry in now}
        for marker in {**self._before, **seen_now}:
            earlier, later = self._before.get(marker), seen_now.get(marker)
            comparison = self._models.setdefault(marker, _ModelComparison(name=(later or self._before[marker]).model))
            was_seen, is_seen = (entry is not None and entry.state == "seen" for entry in (earlier, later))
            if marker not in self._unknown:
                comparison.only_before += was_seen and not is_seen
                comparison.only_now += is_seen and not was_seen
            if was_seen and is_seen and marker in seen_before:
                _compare(comparison, at_ns, seen_before[marker], seen_now[marker])

    def summarise(self) -> tuple[ModelAnew, ...]:
        """Return how differently each model was seen, the worst first."""
        models = [
            ModelAnew(
                model=comparison.name,
                **name_in_file(marker),
                compared=len(comparison.mm),
                rms_mm=_rms(comparison.mm, 4),
                rms_deg=_rms(comparison.deg, 4),
                rms_sigmas=_rms(comparison.sigmas, 3),
                largest=comparison.largest,
                largest_deg=round(max(comparison.deg, default=0.0), 4),
                largest_sigmas=round(max(comparison.sigmas, default=0.0), 3),
                only_before=comparison.only_before,
                only_now=comparison.only_now,
            )
            for marker, comparison in self._models.items()
        ]
        return tuple(sorted(models, key=lambda each: (-each.rms_mm, each.marker)))


def _compare(comparison: _ModelComparison, at_ns: int, before: PoseEntry, now: PoseEntry) -> None:
    mm = math.hypot(now.x_mm - before.x_mm, now.y_mm - before.y_mm)
    comparison.mm.append(mm)
    comparison.deg.append(abs(math.remainder(now.facing_deg - before.facing_deg, 360)))
    sigma_mm = math.hypot(*before.sigma_mm, *now.sigma_mm)  # along both axes, as the distance is
    comparison.sigmas.append(mm / sigma_mm if sigma_mm else 0.0)
    if comparison.largest is None or mm > comparison.largest.mm:
        comparison.largest = Where(
            mm=round(mm, 4), at_ns=at_ns, model=comparison.name, x_mm=before.x_mm, y_mm=before.y_mm
        )


def _rms(values: list[float], digits: int) -> float:
    return round(math.sqrt(math.fsum(v * v for v in values) / len(values)), digits) if values else 0.0


def find_largest_shift(before: CameraOverTable, now: CameraOverTable, *, width_mm: float, depth_mm: float) -> Where:
    """Return where on a table what is seen at one place of the picture is taken to lie farthest apart."""
    xs, ys = np.meshgrid(np.linspace(0, width_mm, GRID), np.linspace(0, depth_mm, GRID))
    places = np.column_stack([xs.ravel(), ys.ravel()])
    seen_px = before.image_from_table(np.column_stack([places, np.zeros(len(places))]))
    away = now.table_from_image(seen_px, 0.0) - before.table_from_image(seen_px, 0.0)
    far_mm = np.hypot(away[:, 0], away[:, 1])
    worst = int(np.argmax(far_mm))
    x_mm, y_mm = places[worst]
    return Where(mm=round(float(far_mm[worst]), 4), x_mm=round(float(x_mm), 1), y_mm=round(float(y_mm), 1))


SAME_MOVE_NS = 2_000_000_000
"""A model that comes to rest within so long in both came to rest after the same move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """What the referee says of a game as it stands; None while nothing can be judged."""

    state: GameState
    verdict: Verdict | None

    @classmethod
    def from_state(cls, state: GameState) -> Self:
        return cls(state=state, verdict=find_current_verdict(state))

    @property
    def outcome(self) -> str:
        return self.verdict.outcome.value if self.verdict else ""

    def build_report(self, beside: "_Call") -> CallAnew | None:
        """Return what is told of it beside another call, which may rest on a rule that is kept here."""
        if self.verdict is None:
            return None
        finding = find_deciding_finding(self.verdict)
        if finding is None and beside.verdict and (broken := find_deciding_finding(beside.verdict)):
            finding = self._find_kept(broken)
        if finding is None:
            return CallAnew(outcome=self.outcome)
        return CallAnew(
            outcome=self.outcome,
            rule=finding.rule,
            margin_mm=finding.margin_mm,
            sigma_mm=finding.sigma_mm,
            text=finding.text,
        )

    def _find_kept(self, like: Finding) -> Finding | None:
        """Return what is said of a rule that is kept, where another call finds it broken."""
        asked = find_judged_move(self.state)
        findings = asked[0].judge(asked[1], detail=EVERYTHING).findings if asked else ()
        same = [f for f in findings if f.rule == like.rule and f.subjects[:1] == like.subjects[:1]]
        return next((f for f in same if f.subjects == like.subjects), same[0] if same else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _MoveEnd:
    """A model that came to rest, and what the referee said then."""

    event: ModelSettled
    at_ns: int
    call: _Call


@dataclass(kw_only=True)
class GameSide:
    """One of the two games."""

    ends: list[_MoveEnd] = field(default_factory=list)
    _rested: list[tuple[int, ModelSettled]] = field(default_factory=list)

    def add_rested(self, at_ns: int, event: ModelSettled) -> None:
        """Take in that a model came to rest."""
        self._rested.append((at_ns, event))

    def judge(self, state: GameState) -> None:
        """Ask what is said of the models that came to rest in this picture."""
        if not self._rested:
            return
        call = _Call.from_state(state)
        self.ends += [_MoveEnd(event=event, at_ns=at_ns, call=call) for at_ns, event in self._rested]
        self._rested = []


@dataclass(kw_only=True)
class CallComparison:
    """Both games, as they are played side by side."""

    before: GameSide = field(default_factory=GameSide)
    now: GameSide = field(default_factory=GameSide)
    _accepted: list[tuple[int, str, _Call, _Call]] = field(default_factory=list)

    def add_acceptance(self, at_ns: int, before: GameState, now: GameState) -> None:
        """Take in that people are about to accept what stands."""
        declared = before.declared or now.declared
        about = declared.unit if declared else "the table"
        self._accepted.append((at_ns, about, _Call.from_state(before), _Call.from_state(now)))

    def pair_ends(self) -> list[tuple[_MoveEnd, _MoveEnd]]:
        """Return the ends of moves that are in both games."""
        pairs, unpaired = [], list(self.now.ends)
        for end in self.before.ends:
            near = [
                e for e in unpaired if e.event.model == end.event.model and abs(e.at_ns - end.at_ns) <= SAME_MOVE_NS
            ]
            if near:
                other = min(near, key=lambda each: abs(each.at_ns - end.at_ns))
                unpaired.remove(other)
                pairs.append((end, other))
        return pairs

    def find_lone_rests(self) -> tuple[Rested, ...]:
        """Return the models that came to rest in one game only."""
        paired = {id(end) for pair in self.pair_ends() for end in pair}
        sides = (("before", self.before), ("now", self.now))
        lone = [
            Rested(model=end.event.model, at_ns=end.at_ns, when=when)  # type: ignore[arg-type]
            for when, side in sides
            for end in side.ends
            if id(end) not in paired
        ]
        return tuple(sorted(lone, key=lambda each: each.at_ns))

    def find_worst_end(self) -> Where | None:
        """Return where a move ended most differently; None where there was none."""
        worst = None
        for before, now in self.pair_ends():
            place_before, place_now = before.event.path[-1], now.event.path[-1]
            mm = round(math.hypot(place_now.x_mm - place_before.x_mm, place_now.y_mm - place_before.y_mm), 4)
            if worst is None or mm > worst.mm:
                place_mm = {"x_mm": round(place_before.x_mm, 2), "y_mm": round(place_before.y_mm, 2)}
                worst = Where(mm=mm, at_ns=before.at_ns, model=before.event.model, **place_mm)
        return worst

    @property
    def count(self) -> int:
        """How many calls are compared."""
        return len(self.pair_ends()) + len(self._accepted)

    def find_changed_calls(self) -> tuple[CallsAnew, ...]:
        """Return the calls that are others now; where several models came to rest at once, the first's."""
        changes: dict[tuple[int, str, str], CallsAnew] = {}
        for end_before, end_now in self.pair_ends():
            _note_change(
                changes, end_before.at_ns, end_before.event.model, end_before.call, end_now.call, accepted=False
            )
        for at_ns, about, call_before, call_now in self._accepted:
            _note_change(changes, at_ns, about, call_before, call_now, accepted=True)
        return tuple(sorted(changes.values(), key=lambda each: each.at_ns))


def _note_change(
    changes: dict[tuple[int, str, str], CallsAnew],
    at_ns: int,
    about: str,
    before: _Call,
    now: _Call,
    *,
    accepted: bool,
) -> None:
    if before.outcome != now.outcome:
        change = CallsAnew(
            at_ns=at_ns, about=about, accepted=accepted, before=before.build_report(now), now=now.build_report(before)
        )
        changes.setdefault((at_ns, before.outcome, now.outcome), change)
