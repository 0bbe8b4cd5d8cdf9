"""What the referee says of the announced move, at rest and on the way."""

from dataclasses import dataclass, replace

from assistant.announced import dice_said, enter, missing_dice, plain_move, starting, the_move
from assistant.errors import BadInput, MissingField
from assistant.game.events import ModelSettled
from assistant.game.reduce import reduce
from assistant.game.state import NO_RULEBOOK, Declaration, GameState, Move, Track
from assistant.rules.judge import cost, judge, rulebook, way_finding
from assistant.rules.rulebook import Rulebook
from assistant.rules.verdict import Finding, Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The verdict on the announced move, and what its own tests come to."""

    verdict: Verdict | None = None
    tests: int = 0
    costs: int = 0
    note: str = ""
    ways: tuple[Finding, ...] = ()
    asked: tuple[GameState, Move | None] | None = None
    """What the verdict is on: `judge` gives it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What the judge will say of the length of a way that a model is still on."""

    way: Finding
    track: Track


def verdict_on(state: GameState) -> Verdict | None:
    """Return the verdict that the pages show; None while nothing can be judged."""
    if state.rulebook == NO_RULEBOOK:
        return None
    return referred(rulebook(state.rulebook), state, state.as_it_stands())[0].verdict


def asked_of(state: GameState) -> tuple[GameState, Move | None] | None:
    """Return the position and the move of which `judge` gives that verdict; None while nothing can be judged."""
    if state.rulebook == NO_RULEBOOK:
        return None
    return referred(rulebook(state.rulebook), state, state.as_it_stands())[0].asked


def referred(book: Rulebook, state: GameState, now: GameState) -> tuple[Judged, str]:
    """Judge what is announced, or else what stands now; with why that cannot be, in a sentence."""
    try:
        if state.declared is None:
            return Judged(verdict=judge(now, None), asked=(now, None)), ""
        if not missing_dice(state):
            return _judged(book, state, state.declared), ""
        trouble = ""
    except MissingField as lacking:
        trouble = lacking.request
    except BadInput as error:
        trouble = str(error)
    return Judged(), trouble


def _judged(book: Rulebook, state: GameState, declared: Declaration) -> Judged:
    """Judge the announced move; where tests decide how many dice it takes, as far as they have been rolled."""
    start, move = starting(state, declared.unit), the_move(state)
    assert move is not None
    dice = book.action(move.action).dice.of(state.unit(move.unit))
    if dice.most == dice.least:
        return _ruled(start, move)
    unrolled = _ruled(start, replace(move, rolls=()))
    assert unrolled.verdict is not None
    tests = sum(effect.dice for effect in unrolled.verdict.effects)
    unrolled = replace(unrolled, tests=tests)
    if not move.rolls:
        return unrolled
    if len(move.rolls) < tests:
        return replace(unrolled, note=enter(tests - len(move.rolls), "tests"))
    try:
        rolled = judge(start, move)
    except BadInput:
        note = f"{dice_said(len(move.rolls))} entered, but the move takes {tests} now: change them."
        return replace(unrolled, note=note)
    costs = cost(start, move.unit, rolled)
    if costs != len(declared.lost):
        return replace(unrolled, verdict=rolled, asked=(start, move), costs=costs, note=_choose(costs))
    if declared.lost:
        move = replace(move, lost=declared.lost)
        rolled = judge(start, move)
    return replace(unrolled, verdict=rolled, asked=(start, move), costs=costs)


def _ruled(start: GameState, move: Move) -> Judged:
    """Judge a move, and keep of what is kept how long its ways are."""
    whole = judge(start, move, everything=True)
    kept = tuple(finding for finding in whole.findings if finding.outcome is not Outcome.LEGAL)
    ways = tuple(finding for finding in whole.findings if finding.way and finding.measured_mm is not None)
    return Judged(verdict=replace(whole, findings=kept), ways=ways, asked=(start, move))


def preview(state: GameState, event: ModelSettled) -> Preview | None:
    """Return how long the way of a model is that has not come to rest yet, as the judge will say if it rests here.

    None where it does not move for the announced unit, or its action measures no way or lacks dice.
    """
    unit = state.unit_of(event.model).id
    if state.declared is None and (action := plain_move(state, unit)) is not None:
        state = replace(state, declared=Declaration(unit=unit, action=action))
    if state.declared is None or state.declared.unit != unit or missing_dice(state):
        return None
    now = reduce(state, event)
    move, track = the_move(now), now.tracks.get(event.model)
    if move is None or track is None or event.model not in move.paths:
        return None  # such as a model that is being put back
    try:
        way = way_finding(starting(now, unit), move, event.model)
    except BadInput:  # the verdict will say it
        return None
    return None if way is None or way.measured_mm is None else Preview(way=way, track=track)


def _choose(costs: int) -> str:
    return (
        f"Choose the {costs} models that the failed tests cost."
        if costs != 1
        else ("Choose the model that the failed test costs.")
    )
