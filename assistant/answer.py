"""What the referee says of the table as it stands: everything that the pages show."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

from assistant.errors import BadInput, MissingField
from assistant.game.events import ModelSettled
from assistant.game.reduce import reduce
from assistant.game.state import NO_RULEBOOK, Declaration, GameState, Move, Setting, Track
from assistant.overlay.compose import compose
from assistant.overlay.shapes import OverlayShape
from assistant.rules.judge import (
    ActionOption,
    FieldOption,
    Zone,
    cost,
    fields,
    judge,
    options,
    rulebook,
    way_finding,
    zone,
)
from assistant.rules.region import Facing
from assistant.rules.rulebook import Rulebook, no_limit
from assistant.rules.sequence import moved_again
from assistant.rules.validity import ask, on_the_table
from assistant.rules.verdict import Finding, Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """The unit that is looked at, and the model whose zone is shown."""

    unit: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A zone to work out: where a model may end an action."""

    state: GameState
    model: str
    action: str
    rolls: tuple[int, ...]
    intent: Mapping[str, Setting]


class Reach(Protocol):
    """Knows zones, now or later."""

    def __call__(self, asked: Wanted) -> Zone | None:
        """Return what is known of a zone so far; the same object while nothing more is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the referee says of the table as it stands."""

    verdict: Verdict | None
    options: tuple[ActionOption, ...]
    zone: Zone | None
    note: str
    """What is missing before more can be said, in one sentence; empty if nothing is."""
    shapes: tuple[OverlayShape, ...]
    tests: int = 0
    """How many dice the move's own tests take; they may be given, or rolled elsewhere."""
    costs: int = 0
    """How many models of the unit the failed tests destroy."""
    may: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The labels of the actions that each unit may still choose, by unit id; empty while nobody counts turns."""
    fields: tuple[FieldOption, ...] = ()
    """What the announced move may say that it means to do."""
    ways: tuple[Finding, ...] = ()
    """How long the way of each model that has moved is, against what it is allowed: the judge's own findings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What the judge will say of the length of a way that a model is still on."""

    way: Finding
    track: Track


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """The verdict on the announced move, and what its own tests come to."""

    verdict: Verdict | None = None
    tests: int = 0
    costs: int = 0
    note: str = ""
    ways: tuple[Finding, ...] = ()
    asked: tuple[GameState, Move | None] | None = None
    """What the verdict is on: `judge` gives it again."""


def refer(state: GameState, pick: Pick | None, reach: Zone | None) -> Answer:
    """Ask the rulebook everything that the pages show besides the zone, which is given."""
    declared = state.declared
    now = state.as_it_stands()
    if state.rulebook == NO_RULEBOOK:
        shapes = compose(state=now, tracks=state.tracks, verdict=None, zone=None, unit=None)
        return Answer(verdict=None, options=(), zone=None, note="", shapes=shapes)
    book, missing = rulebook(state.rulebook), missing_dice(state)
    judged, trouble = _referred(book, state, now)
    shown = _shown(book, now, declared)
    said = _fields(state, declared) if declared else ()
    ways = tuple(way for way in judged.ways if declared is None or way.subjects[0] not in declared.lost)
    notes = (missing, judged.note, _strangers(book, state), trouble)
    return Answer(
        verdict=judged.verdict,
        options=choices(state, pick.unit) if pick else (),
        zone=reach,
        note=" ".join(note for note in notes if note),
        shapes=compose(
            state=shown,
            # What is put on the table has come no way on it.
            tracks={m: track for m, track in shown.tracks.items() if not book.absent(state.unit_of(m))},
            verdict=judged.verdict,
            zone=reach,
            unit=pick.unit if pick else None,
            named={name: option.label for option in said if option.names for name in option.chosen},
            ways=ways,
        ),
        tests=judged.tests,
        costs=judged.costs,
        may={unit.id: _may(state, unit.id) for unit in state.units if unit.models} if state.turn else {},
        fields=said,
        ways=ways,
    )


def verdict_on(state: GameState) -> Verdict | None:
    """Return the verdict that the pages show; None while nothing can be judged."""
    if state.rulebook == NO_RULEBOOK:
        return None
    return _referred(rulebook(state.rulebook), state, state.as_it_stands())[0].verdict


def asked_of(state: GameState) -> tuple[GameState, Move | None] | None:
    """Return the position and the move of which `judge` gives that verdict; None while nothing can be judged."""
    if state.rulebook == NO_RULEBOOK:
        return None
    return _referred(rulebook(state.rulebook), state, state.as_it_stands())[0].asked


def choices(state: GameState, unit: str) -> tuple[ActionOption, ...]:
    """Return what a unit may choose, from where it started; nothing on a table that is only watched."""
    return () if state.rulebook == NO_RULEBOOK else options(starting(state, unit), unit)


def plain_move(state: GameState, unit: str) -> str | None:
    """Return a unit's first allowed move without dice; in a counted turn, if there is none, the first that is refused.

    A unit that is off the table is set up.
    """
    if state.rulebook == NO_RULEBOOK:
        return None
    book = rulebook(state.rulebook)
    away = book.absent(state.unit(unit))
    fitting = [
        option
        for option, action in ((option, book.action(option.action)) for option in choices(state, unit))
        if option.dice == 0 and action.moves and (action.sets_up if away else action.limit_mm is not no_limit)
    ]
    allowed = [option.action for option in fitting if option.allowed and (away or option.limit_mm)]
    refused = [option.action for option in fitting] if state.turn is not None else []
    return next(iter(allowed or refused), None)


def the_move(state: GameState) -> Move | None:
    """Return the declared unit's move so far; None if nothing is declared."""
    declared = state.declared
    if declared is None:
        return None
    action, unit = rulebook(state.rulebook).action(declared.action), state.unit(declared.unit)
    tracks = {model.id: state.tracks[model.id] for model in unit.models if model.id in state.tracks}
    paths = {model: track.poses for model, track in tracks.items()}
    if action.sets_up:  # where its models stand now counts, not how they came there
        paths = {m.id: (m.pose,) for m in unit.models if m.pose is not None} | {m: p[-1:] for m, p in paths.items()}
    return Move(
        unit=declared.unit,
        action=declared.action,
        paths=paths if action.moves else {},
        rolls=declared.rolls,
        observed=all(track.observed for track in tracks.values()),
        intent=declared.intent,
    )


def starting(state: GameState, unit: str) -> GameState:
    """Return the state that a unit's move is judged in: its models at their start, all others where they are now."""
    mine = {model.id for model in state.unit(unit).models}
    return state.standing({model: track.poses[-1] for model, track in state.tracks.items() if model not in mine})


def _referred(book: Rulebook, state: GameState, now: GameState) -> tuple[_Judged, str]:
    """Judge what is announced, or else what stands now; with why that cannot be, in a sentence."""
    try:
        if state.declared is None:
            return _Judged(verdict=judge(now, None), asked=(now, None)), ""
        if not missing_dice(state):
            return _judged(book, state, state.declared), ""
        trouble = ""
    except MissingField as lacking:
        trouble = lacking.request
    except BadInput as error:
        trouble = str(error)
    return _Judged(), trouble


def _judged(book: Rulebook, state: GameState, declared: Declaration) -> _Judged:
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
        return replace(unrolled, note=_enter(tests - len(move.rolls), "tests"))
    try:
        rolled = judge(start, move)
    except BadInput:
        note = f"{_dice(len(move.rolls))} entered, but the move takes {tests} now: change them."
        return replace(unrolled, note=note)
    costs = cost(start, move.unit, rolled)
    if costs != len(declared.lost):
        return replace(unrolled, verdict=rolled, asked=(start, move), costs=costs, note=_choose(costs))
    if declared.lost:
        move = replace(move, lost=declared.lost)
        rolled = judge(start, move)
    return replace(unrolled, verdict=rolled, asked=(start, move), costs=costs)


def _ruled(start: GameState, move: Move) -> _Judged:
    """Judge a move, and keep of what is kept how long its ways are."""
    whole = judge(start, move, everything=True)
    kept = tuple(finding for finding in whole.findings if finding.outcome is not Outcome.LEGAL)
    ways = tuple(finding for finding in whole.findings if finding.way and finding.measured_mm is not None)
    return _Judged(verdict=replace(whole, findings=kept), ways=ways, asked=(start, move))


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


def _fields(state: GameState, declared: Declaration) -> tuple[FieldOption, ...]:
    """Return the fields of the announced move, to be chosen from where its unit started."""
    return fields(starting(state, declared.unit), declared.unit, declared.action, intent=declared.intent)


def _dice(count: int) -> str:
    return f"{count} {'die' if count == 1 else 'dice'}"


def _enter(count: int, what: str) -> str:
    return f"Enter {_dice(count)} for the {what}."


def _choose(costs: int) -> str:
    return (
        f"Choose the {costs} models that the failed tests cost."
        if costs != 1
        else ("Choose the model that the failed test costs.")
    )


def _may(state: GameState, unit: str) -> tuple[str, ...]:
    return tuple(option.label for option in choices(state, unit) if option.allowed)


def missing_dice(state: GameState) -> str:
    """Return the sentence that asks for the dice that the declared action still lacks."""
    if state.declared is None:
        return ""
    action = rulebook(state.rulebook).action(state.declared.action)
    lacking = action.dice.of(state.unit(state.declared.unit)).least - len(state.declared.rolls)
    return _enter(lacking, action.label) if lacking > 0 else ""


def _strangers(book: Rulebook, state: GameState) -> str:
    """Return what there is to say of models which moved but do not belong to the declared unit."""
    again = moved_again(book, state)
    sentences = [f"{_have(again)} moved again after acting this turn ({book.acts_once})."] if again else []
    if state.declared is not None:
        mine = {model.id for model in state.unit(state.declared.unit).models}
        moved = [model for model in state.tracks if model not in mine and model not in again]
        sentences += [f"{_have(moved)} moved too, which is not part of this move and is not judged."] if moved else []
    return " ".join(sentences)


def _have(models: Sequence[str]) -> str:
    return f"{', '.join(models)} {'has' if len(models) == 1 else 'have'}"


def _shown(book: Rulebook, now: GameState, declared: Declaration | None) -> GameState:
    """Return what stands on the table: a unit that is being set up as if it had been, others only if they are there."""
    if declared is not None:
        action = book.action(declared.action)
        if action.sets_up and book.absent(now.unit(declared.unit)):
            asked = ask(book, now, declared.unit, "unit", rolls=declared.rolls, intent=declared.intent)
            with suppress(BadInput):  # which the note says
                now = now.having({declared.unit: action.status(asked)})
        now = now.bereft(declared.lost)
    return on_the_table(book, now)


def wanted(state: GameState, pick: Pick | None) -> Wanted | None:
    """Return the question whose answer is the zone to draw; None if there is none to draw."""
    state = _premeasured(state, pick)
    declared = state.declared
    if pick is None or declared is None or pick.unit != declared.unit or pick.model in declared.lost:
        return None
    if missing_dice(state) or declared.action not in {o.action for o in choices(state, pick.unit) if o.allowed}:
        return None
    mover = state.model(pick.model)
    if mover.pose is None and not rulebook(state.rulebook).action(declared.action).sets_up:
        return None
    # From where it started, among the others as they stand now; what has been seen of its own way changes nothing.
    now = state.as_it_stands()
    now = replace(now.standing({mover.id: mover.pose}).bereft(declared.lost), tracks={}, declared=None)
    return Wanted(
        state=now, model=mover.id, action=declared.action, rolls=_of_the_action(declared, state), intent=declared.intent
    )


def _premeasured(state: GameState, pick: Pick | None) -> GameState:
    """Return the state to measure in: where anything may be measured at any time, a plain move in no one's turn."""
    if pick is None or state.rulebook == NO_RULEBOOK or not rulebook(state.rulebook).premeasured:
        return state
    free = replace(state, turn=None)
    action = plain_move(free, pick.unit)
    if state.declared is not None or action is None:
        return free
    return replace(free, declared=Declaration(unit=pick.unit, action=action))


def reckon(asked: Wanted, facing: Facing) -> Zone:
    """Work a zone out.

    Raises:
        BadInput: the announced move lacks something that its action needs.

    """
    return zone(
        asked.state,
        model=asked.model,
        action=asked.action,
        rolls=asked.rolls,
        intent=asked.intent,
        facing=facing,
        alone=True,
    )


class AtOnce:
    """Works zones out when they are asked for, with a base's own facing, and remembers the last."""

    def __init__(self) -> None:
        self._last: tuple[Wanted, Zone | None] | None = None

    def __call__(self, asked: Wanted) -> Zone | None:
        """Return the zone; None if the announced move lacks something that its action needs."""
        if self._last is None or self._last[0] != asked:
            try:
                self._last = (asked, reckon(asked, "keep"))
            except BadInput:
                self._last = (asked, None)
        return self._last[1]


def _of_the_action(declared: Declaration, state: GameState) -> tuple[int, ...]:
    """Return the dice that decide where models may go: not those of tests."""
    dice = rulebook(state.rulebook).action(declared.action).dice.of(state.unit(declared.unit))
    return declared.rolls[: dice.least]
