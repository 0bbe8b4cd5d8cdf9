"""The verdict diff: which calls of a recorded game come out otherwise now, with these rules or other parameters.

A single call is compared with what is said of the same state now, as a sentence; a whole game is compared as
`overtable.differences/1`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from assistant.errors import BadInput
from assistant.files.documents import Format
from assistant.game.events import Accepted
from assistant.game.situation_file import parse_situation
from assistant.game.state import NO_RULEBOOK, Setting
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.row_types import Called, CalledFinding, read_program_version
from assistant.replay.formatting import OUTCOMES
from assistant.replay.moves import MoveCollector, RecordedMove
from assistant.replay.playback import PlaybackStep, play_recording, read_first_state
from assistant.rules.books import find_rulebook
from assistant.rules.validation import check_state
from assistant.rules.verdict import Verdict, apply_rulings
from assistant.table.declared_move import find_current_verdict


def describe_changed_call(before: Called, now: Called | None) -> str:
    """Return how a call differs from what was said in play, as a sentence.

    Empty where the same was found, however much: `differences` looks at every digit.
    """
    if now is not None and before.is_equivalent(now):
        return ""
    was = OUTCOMES[before.outcome]
    if now is None:
        return f"This was called {was} in play and cannot be judged now."
    changed = [f.text for f in now.findings if f not in before.findings]
    gone = [f.text for f in before.findings if f not in now.findings]
    why = f" Now: {'; '.join(changed)}." if changed else f" In play: {'; '.join(gone)}." if gone else ""
    if before.outcome == now.outcome:
        return f"This was called {was} in play as well, but for other reasons.{why}"
    return f"This was called {was} in play and is called {OUTCOMES[now.outcome]} now.{why}"


OutcomeWord = Literal["legal", "illegal", "too-close", "unobserved"]


class FindingPair(Format):
    """What one rule says of the same models, then and now."""

    rule: str
    subjects: tuple[str, ...]
    before: CalledFinding | None = Field(description="null: it was not found")
    now: CalledFinding | None = Field(description="null: it is not found")


class Difference(Format):
    """A call that is another now."""

    at_ns: int
    entry: int = Field(description="the row of the journal")
    unit: str | None = Field(description="whose move it is about; null: how the table stood")
    action: str | None
    move: int | None = Field(description="its number in the list of moves, of which it is one call")
    accepted: bool = Field(description="it is the call with which the move was accepted")
    before: str = Field(description="the outcome in play; of an older recording as people had ruled")
    now: OutcomeWord | None = Field(description="null: it cannot be judged now")
    findings: tuple[FindingPair, ...] = Field(description="those that differ; empty where only effects or outcomes do")
    effects_before: tuple[str, ...] = ()
    effects_now: tuple[str, ...] = Field(default=(), description="the effects, where those differ")


class Differences(Format):
    """All of a game's calls, held to what is said now."""

    format: Literal["overtable.differences/1"] = "overtable.differences/1"
    title: str
    rulebook: str
    programs: tuple[str, ...] = Field(description="the versions that gave the calls in play, in order")
    program: str = Field(description="the version that judges now")
    parameters: Mapping[str, Setting] = Field(description="those that were changed for this")
    compared: int = Field(description="calls")
    outcomes_only: bool = Field(description="an older recording: it keeps what was accepted, but not why")
    differing: tuple[Difference, ...]


def override_parameters(path: Path, about: Mapping[str, str], parameters: Mapping[str, Setting]) -> dict[str, str]:
    """Return what a recorded game began with, but for some of the rulebook's parameters.

    Raises:
        BadInput: the rulebook has no such parameter, or the value is none that it may have.

    """
    if not parameters:
        return dict(about)
    try:
        situation = json.loads(about["situation"])
        situation["parameters"] = {**situation.get("parameters", {}), **parameters}
    except (KeyError, ValueError, TypeError):
        raise BadInput(f"{path}: it does not hold the situation that the game began with") from None
    state = parse_situation(situation, "--params").state
    if state.rulebook == NO_RULEBOOK:
        raise BadInput(f"--params: nothing was judged in {path.name}, so no parameter changes anything")
    try:
        check_state(find_rulebook(state.rulebook), state)
    except BadInput as error:
        raise BadInput(f"--params: {error}") from None
    return {**about, "situation": json.dumps(situation)}


def find_differences(path: Path, parameters: Mapping[str, Setting]) -> Differences:
    """Judge every call of a recording again, and return those that come out otherwise.

    Args:
        path: the recording.
        parameters: of the rulebook, in place of those that the game was played with.

    Raises:
        BadInput: it cannot be read, nothing was judged in it, or a parameter is none.

    """
    about = override_parameters(path, read_about(path), parameters)
    state = read_first_state(path, about)
    if state.rulebook == NO_RULEBOOK:
        raise BadInput(f"{path}: nothing was judged in this game, so there is nothing to judge again")
    collector, programs, last = MoveCollector(), dict[str, None](), 0
    calls, accepted = list[Difference | None](), list[Difference | None]()
    ends: set[int] = set()
    """The rows of the calls with which moves were accepted."""
    for step in play_recording(path, about=about):
        collector.add_step(step)
        what = step.entry.what
        if isinstance(what, Called):
            programs[what.program] = None
            calls.append(_compare_call(step, what, alike="corrected" in about))
            last = step.entry.id
        elif isinstance(what, Accepted) and what.unit is not None and what.outcome != "unjudged":
            accepted.append(_compare_outcome(step, what))
            ends.add(last if programs else step.entry.id)
    compared, moves = calls if programs else accepted, collector.finish()
    return Differences(
        title=about.get("title", path.stem),
        rulebook=state.rulebook,
        programs=tuple(programs),
        program=read_program_version(),
        parameters=dict(parameters),
        compared=len(compared),
        outcomes_only=not programs,
        differing=tuple(_assign_move(each, moves, ends) for each in compared if each is not None),
    )


def pair_findings(before: Called, now: Called | None) -> tuple[FindingPair, ...]:
    """Return the findings that differ, those of before first."""
    findings_before = {(f.rule, f.subjects): f for f in before.findings}
    findings_now = {(f.rule, f.subjects): f for f in now.findings} if now else {}
    return tuple(
        FindingPair(rule=about[0], subjects=about[1], before=findings_before.get(about), now=findings_now.get(about))
        for about in {**findings_before, **findings_now}
        if findings_before.get(about) != findings_now.get(about)
    )


def _compare_call(step: PlaybackStep, before: Called, *, alike: bool) -> Difference | None:
    """Return how a call differs; in a corrected copy models have other names, and so another order."""
    state, verdict = step.session.state, find_current_verdict(step.session.state)
    now = Called.from_verdict(verdict) if verdict else None
    if now is not None and (before.is_equivalent(now) if alike else before.is_identical(now)):
        return None
    effects = now is None or before.effects != now.effects
    return Difference(
        at_ns=step.at_ns,
        entry=step.entry.id,
        unit=state.declared.unit if state.declared else None,
        action=state.declared.action if state.declared else None,
        move=None,
        accepted=False,
        before=before.outcome,
        now=now.outcome if now else None,
        findings=pair_findings(before, now),
        effects_before=_describe_effects(before) if effects else (),
        effects_now=_describe_effects(now) if effects and now else (),
    )


def _describe_effects(called: Called) -> tuple[str, ...]:
    return tuple(f"{effect.effect} ({', '.join(effect.subjects)}, {effect.rule})" for effect in called.effects)


def _compare_outcome(step: PlaybackStep, event: Accepted) -> Difference | None:
    """Hold an acceptance to the outcome as people ruled then: all that an older recording keeps."""
    verdict: Verdict | None = find_current_verdict(step.before)
    now = apply_rulings(verdict, step.before.rulings).value if verdict else None
    if now == event.outcome:
        return None
    return Difference(
        at_ns=step.at_ns,
        entry=step.entry.id,
        unit=event.unit,
        action=event.action,
        move=None,
        accepted=True,
        before=event.outcome,
        now=now,  # type: ignore[arg-type]  # an outcome that is no note
        findings=(),
    )


def _assign_move(each: Difference, moves: list[RecordedMove], ends: set[int]) -> Difference:
    """Return a difference with the move that it is a call of."""
    move = next((m for m in moves if each.unit == m.unit and m.began_ns <= each.at_ns <= m.ended_ns), None)
    return each.model_copy(update={"move": move.number if move else None, "accepted": each.entry in ends})
