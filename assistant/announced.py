"""What is announced for a unit, and what could be: the move so far, and where it is judged from."""

from dataclasses import dataclass

from assistant.game.state import NO_RULEBOOK, GameState, Move
from assistant.rules.judge import ActionOption, options, rulebook
from assistant.rules.rulebook import no_limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """The unit that is looked at, and the model whose zone is shown."""

    unit: str
    model: str


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


def missing_dice(state: GameState) -> str:
    """Return the sentence that asks for the dice that the declared action still lacks."""
    if state.declared is None:
        return ""
    action = rulebook(state.rulebook).action(state.declared.action)
    lacking = action.dice.of(state.unit(state.declared.unit)).least - len(state.declared.rolls)
    return enter(lacking, action.label) if lacking > 0 else ""


def enter(count: int, what: str) -> str:
    """Return the sentence that asks for so many dice."""
    return f"Enter {dice_said(count)} for the {what}."


def dice_said(count: int) -> str:
    """Return how many dice, in words."""
    return f"{count} {'die' if count == 1 else 'dice'}"
