"""The declared move: what a unit may choose, its move so far, and the verdict on it at rest and on the way."""

from dataclasses import dataclass, replace

from assistant.errors import BadInput, MissingField
from assistant.game.events import (
    Accepted,
    Declared,
    Event,
    ModelSettled,
    Restored,
    RestoringBegan,
    StepBegan,
    TurnBegan,
    Undone,
    Withdrawn,
)
from assistant.game.reduce import reduce
from assistant.game.state import NO_RULEBOOK, Declaration, GameState, ModelTrack, Move
from assistant.rules.books import find_rulebook
from assistant.rules.referee import ActionOption, Referee, count_losses
from assistant.rules.rulebook import give_no_limit
from assistant.rules.verdict import WITH_WAYS, Detail, Finding, Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """The unit that is looked at, and the model whose zone is shown."""

    unit: str
    model: str


def follow_pick(pick: Pick | None, event: Event, state: GameState) -> Pick | None:
    """Return what is looked at after an event that was picked before it.

    Args:
        pick: what was picked.
        event: what happened.
        state: the game after it.

    """
    match event:
        case Declared(declaration=declaration) if pick is None or pick.unit != declaration.unit:
            pick = _pick_declared_unit(state)
        case Withdrawn() | Accepted() | TurnBegan() | StepBegan() | RestoringBegan():
            return None
        case Restored() | Undone():  # what was announced before still is, or is again, and is to be seen
            pick = _pick_declared_unit(state)
    return None if pick is None else keep_to_unit(pick, state)


def keep_to_unit(pick: Pick, state: GameState) -> Pick | None:
    """Return a pick with a model that its unit still has; None where it has none left."""
    left = [model.id for model in state.find_unit(pick.unit).models]
    return pick if pick.model in left else Pick(unit=pick.unit, model=left[0]) if left else None


def _pick_declared_unit(state: GameState) -> Pick | None:
    declared = state.declared
    return Pick(unit=declared.unit, model=state.find_unit(declared.unit).models[0].id) if declared else None


def list_choices(referee: Referee, unit: str) -> tuple[ActionOption, ...]:
    """Return what a unit may choose, from where it started."""
    return referee.follow(place_at_start(referee.state, unit)).list_options(unit)


def choose_plain_move(state: GameState, unit: str) -> str | None:
    """Return a unit's plain move, as `find_plain_move`; None on a table that is only watched."""
    return None if state.rulebook == NO_RULEBOOK else find_plain_move(Referee(state), unit)


def find_plain_move(referee: Referee, unit: str) -> str | None:
    """Return a unit's first allowed move without dice; in a counted turn, if there is none, the first that is refused.

    A unit that is off the table is set up.
    """
    state, book = referee.state, referee.book
    away = book.absent(state.find_unit(unit))
    fitting = [
        option
        for option, action in ((option, book.find_action(option.action)) for option in list_choices(referee, unit))
        if option.dice == 0 and action.moves and (action.sets_up if away else action.limit_mm is not give_no_limit)
    ]
    allowed = [option.action for option in fitting if option.allowed and (away or option.limit_mm)]
    refused = [option.action for option in fitting] if state.turn is not None else []
    return next(iter(allowed or refused), None)


def build_move(state: GameState) -> Move | None:
    """Return the declared unit's move so far; None if nothing is declared."""
    declared = state.declared
    if declared is None:
        return None
    action, unit = find_rulebook(state.rulebook).find_action(declared.action), state.find_unit(declared.unit)
    members = {model.id for model in unit.models}
    tracks = {model: track for model, track in state.tracks.items() if model in members}
    paths = {model: track.poses for model, track in tracks.items()}  # in the order in which they set off
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


def place_at_start(state: GameState, unit: str) -> GameState:
    """Return the state that a unit's move is judged in: its models at their start, all others where they are now."""
    members = {model.id for model in state.find_unit(unit).models}
    return state.place_models({model: track.poses[-1] for model, track in state.tracks.items() if model not in members})


def describe_missing_dice(state: GameState) -> str:
    """Return the sentence that asks for the dice that the declared action still lacks."""
    if state.declared is None:
        return ""
    action = find_rulebook(state.rulebook).find_action(state.declared.action)
    lacking = action.dice.resolve(state.find_unit(state.declared.unit)).least - len(state.declared.rolls)
    return ask_for_dice(lacking, action.label) if lacking > 0 else ""


def ask_for_dice(count: int, what: str) -> str:
    """Return the sentence that asks for so many dice."""
    return f"Enter {describe_dice(count)} for the {what}."


def describe_dice(count: int) -> str:
    """Return how many dice, in words."""
    return f"{count} {'die' if count == 1 else 'dice'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveJudgement:
    """The verdict on the announced move, and what its own tests come to."""

    verdict: Verdict | None = None
    tests: int = 0
    costs: int = 0
    note: str = ""
    ways: tuple[Finding, ...] = ()
    basis: tuple[Referee, Move | None] | None = None
    """What the verdict is on: `Referee.judge` gives it again."""
    detailed: Verdict | None = None
    """The verdict with what else was asked for; None where it is to be asked for yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WayPreview:
    """What the judge will say of the length of a way that a model is still on."""

    way: Finding
    track: ModelTrack


class VerdictFinder:
    """Finds the verdicts on the states of a game, one after the other: what holds still is not judged again."""

    def __init__(self) -> None:
        self._before: Referee | None = None

    def find(self, state: GameState) -> Verdict | None:
        """Return what `find_current_verdict` does."""
        if state.restoring is not None:
            return None
        judged, self._before = _judge_state(state, self._before)
        return judged.verdict


def find_current_verdict(state: GameState) -> Verdict | None:
    """Return the verdict that the pages show; None while nothing can be judged."""
    return VerdictFinder().find(state)


def find_judged_move(state: GameState) -> tuple[Referee, Move | None] | None:
    """Return the position and the move of which `judge` gives that verdict; None while nothing can be judged."""
    return _judge_state(state)[0].basis


def find_detailed_verdict(state: GameState, detail: Detail) -> Verdict | None:
    """Return that verdict with what is kept, as far as a detail has it, ways included; None without a verdict."""
    return complete_verdict(_judge_state(state, detail=detail)[0], detail)


def complete_verdict(judged: MoveJudgement, detail: Detail = WITH_WAYS) -> Verdict | None:
    """Return the verdict of a judgement in the detail that it was judged in; None without one."""
    if judged.detailed is not None or judged.basis is None:
        return judged.detailed
    referee, move = judged.basis
    return referee.judge(move, detail=detail)


def _judge_state(
    state: GameState, before: Referee | None = None, detail: Detail = WITH_WAYS
) -> tuple[MoveJudgement, Referee | None]:
    """Return the judgement of a state, and its referee; `before` is that of the state before."""
    if state.rulebook == NO_RULEBOOK:
        return MoveJudgement(), None
    find_rulebook(state.rulebook)  # where there is none, that is said whatever stands on the table
    try:
        referee = Referee(state, before=before)
        return judge_now(referee, detail)[0], referee
    except BadInput:
        return MoveJudgement(), None


def judge_now(referee: Referee, detail: Detail = WITH_WAYS) -> tuple[MoveJudgement, str]:
    """Judge what is announced, in some detail, or else what stands now; with why that cannot be, in a sentence."""
    state, trouble = referee.state, ""
    try:
        if state.declared is None:
            now = referee.follow(state.apply_tracks())
            return MoveJudgement(verdict=now.judge(), basis=(now, None)), ""
        if not describe_missing_dice(state):
            return _judge_declared(referee, state.declared, detail), ""
    except MissingField as lacking:
        trouble = lacking.request
    except BadInput as error:
        trouble = str(error)
    return MoveJudgement(), trouble


def _judge_declared(referee: Referee, declared: Declaration, detail: Detail) -> MoveJudgement:
    """Judge the announced move; where tests decide how many dice it takes, as far as they have been rolled."""
    state, move = referee.state, build_move(referee.state)
    assert move is not None
    start = referee.follow(place_at_start(state, declared.unit))
    dice = referee.book.find_action(move.action).dice.resolve(state.find_unit(move.unit))
    if dice.most == dice.least:
        return _judge_with_ways(start, move, detail)
    unrolled = _judge_with_ways(start, replace(move, rolls=()), detail)
    assert unrolled.verdict is not None
    tests = sum(effect.dice for effect in unrolled.verdict.effects)
    unrolled = replace(unrolled, tests=tests)
    if not move.rolls:
        return unrolled
    if len(move.rolls) < tests:
        return replace(unrolled, note=ask_for_dice(tests - len(move.rolls), "tests"))
    try:
        rolled = start.judge(move)
    except BadInput:
        note = f"{describe_dice(len(move.rolls))} entered, but the move takes {tests} now: change them."
        return replace(unrolled, note=note)
    costs = count_losses(start.state, move.unit, rolled)
    if costs != len(declared.lost):
        return replace(
            unrolled, verdict=rolled, detailed=None, basis=(start, move), costs=costs, note=_ask_for_lost_models(costs)
        )
    if declared.lost:
        move = replace(move, lost=declared.lost)
        rolled = start.judge(move)
    return replace(unrolled, verdict=rolled, detailed=None, basis=(start, move), costs=costs)


def _judge_with_ways(start: Referee, move: Move, detail: Detail) -> MoveJudgement:
    """Judge a move, and keep of what is kept how long its ways are."""
    verdict = start.judge(move, detail=detail)
    kept = tuple(finding for finding in verdict.findings if finding.outcome is not Outcome.LEGAL)
    ways = tuple(finding for finding in verdict.findings if finding.way and finding.measured_mm is not None)
    return MoveJudgement(verdict=replace(verdict, findings=kept), ways=ways, basis=(start, move), detailed=verdict)


def preview_way(state: GameState, event: ModelSettled) -> WayPreview | None:
    """Return how long the way of a model is that has not come to rest yet, as the judge will say if it rests here.

    None where it does not move for the announced unit, or its action measures no way or lacks dice.
    """
    unit, referee = state.find_unit_of(event.model).id, None
    if state.declared is None and state.rulebook != NO_RULEBOOK:
        referee = Referee(state)
        if (action := find_plain_move(referee, unit)) is not None:
            state = replace(state, declared=Declaration(unit=unit, action=action))
    if state.declared is None or state.declared.unit != unit or describe_missing_dice(state):
        return None
    now = reduce(state, event)
    move, track = build_move(now), now.tracks.get(event.model)
    if move is None or track is None or event.model not in move.paths:
        return None  # such as a model that is being put back
    try:
        way = Referee(place_at_start(now, unit), before=referee).judge_way_length(move, event.model)
    except BadInput:  # the verdict will say it
        return None
    return None if way is None or way.measured_mm is None else WayPreview(way=way, track=track)


def _ask_for_lost_models(costs: int) -> str:
    return (
        f"Choose the {costs} models that the failed tests cost."
        if costs != 1
        else ("Choose the model that the failed test costs.")
    )
