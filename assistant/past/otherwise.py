"""What of a recorded game is called otherwise now: by this version of the rules, or with other parameters."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from assistant.errors import BadInput
from assistant.files import Format
from assistant.game.events import Accepted
from assistant.game.situation import from_json
from assistant.game.state import NO_RULEBOOK, Setting
from assistant.judged import verdict_on
from assistant.past.moves import Made, Moves
from assistant.past.playing import Step, first_state, steps
from assistant.record.called import Called, CalledFinding, program
from assistant.record.journal import read_about
from assistant.rules.judge import rulebook
from assistant.rules.overruled import as_ruled
from assistant.rules.validity import check_state
from assistant.rules.verdict import Verdict

Word = Literal["legal", "illegal", "too-close", "unobserved"]


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
    now: Word | None = Field(description="null: it cannot be judged now")
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


def with_parameters(path: Path, about: Mapping[str, str], parameters: Mapping[str, Setting]) -> dict[str, str]:
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
    state = from_json(situation, "--params").state
    if state.rulebook == NO_RULEBOOK:
        raise BadInput(f"--params: nothing was judged in {path.name}, so no parameter changes anything")
    try:
        check_state(rulebook(state.rulebook), state)
    except BadInput as error:
        raise BadInput(f"--params: {error}") from None
    return {**about, "situation": json.dumps(situation)}


def differences(path: Path, parameters: Mapping[str, Setting]) -> Differences:
    """Judge every call of a recording again, and return those that come out otherwise.

    Args:
        path: the recording.
        parameters: of the rulebook, in place of those that the game was played with.

    Raises:
        BadInput: it cannot be read, nothing was judged in it, or a parameter is none.

    """
    about = with_parameters(path, read_about(path), parameters)
    state = first_state(path, about)
    if state.rulebook == NO_RULEBOOK:
        raise BadInput(f"{path}: nothing was judged in this game, so there is nothing to judge again")
    moves, programs, last = Moves(), dict[str, None](), 0
    calls, accepted = list[Difference | None](), list[Difference | None]()
    ends: set[int] = set()
    """The rows of the calls with which moves were accepted."""
    for step in steps(path, about=about):
        moves.take(step)
        what = step.entry.what
        if isinstance(what, Called):
            programs[what.program] = None
            calls.append(_differs(step, what, alike="corrected" in about))
            last = step.entry.id
        elif isinstance(what, Accepted) and what.unit is not None and what.outcome != "unjudged":
            accepted.append(_outcome_differs(step, what))
            ends.add(last if programs else step.entry.id)
    held, made = calls if programs else accepted, moves.made()
    return Differences(
        title=about.get("title", path.stem),
        rulebook=state.rulebook,
        programs=tuple(programs),
        program=program(),
        parameters=dict(parameters),
        compared=len(held),
        outcomes_only=not programs,
        differing=tuple(_placed(each, made, ends) for each in held if each is not None),
    )


def paired(before: Called, now: Called | None) -> tuple[FindingPair, ...]:
    """Return the findings that differ, those of before first."""
    then = {(f.rule, f.subjects): f for f in before.findings}
    here = {(f.rule, f.subjects): f for f in now.findings} if now else {}
    return tuple(
        FindingPair(rule=about[0], subjects=about[1], before=then.get(about), now=here.get(about))
        for about in {**then, **here}
        if then.get(about) != here.get(about)
    )


def _differs(step: Step, before: Called, *, alike: bool) -> Difference | None:
    """Return how a call differs; in a corrected copy models have other names, and so another order."""
    state, verdict = step.session.state, verdict_on(step.session.state)
    now = Called.of(verdict) if verdict else None
    if now is not None and (before.alike(now) if alike else before.same(now)):
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
        findings=paired(before, now),
        effects_before=_effects(before) if effects else (),
        effects_now=_effects(now) if effects and now else (),
    )


def _effects(called: Called) -> tuple[str, ...]:
    return tuple(f"{effect.effect} ({', '.join(effect.subjects)}, {effect.rule})" for effect in called.effects)


def _outcome_differs(step: Step, event: Accepted) -> Difference | None:
    """Hold an acceptance to the outcome as people ruled then: all that an older recording keeps."""
    verdict: Verdict | None = verdict_on(step.before)
    now = as_ruled(verdict, step.before.rulings).value if verdict else None
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


def _placed(each: Difference, made: list[Made], ends: set[int]) -> Difference:
    """Return a difference with the move that it is a call of."""
    move = next((m for m in made if each.unit == m.unit and m.began_ns <= each.at_ns <= m.ended_ns), None)
    return each.model_copy(update={"move": move.number if move else None, "accepted": each.entry in ends})
