"""Where a model may end: which zone is to be drawn, and what works it out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from assistant.announced import Pick, choices, missing_dice, plain_move
from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, Declaration, GameState, Setting
from assistant.rules.judge import Zone, rulebook, zone
from assistant.rules.region import Facing


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


def _premeasured(state: GameState, pick: Pick | None) -> GameState:
    """Return the state to measure in: where anything may be measured at any time, a plain move in no one's turn."""
    if pick is None or state.rulebook == NO_RULEBOOK or not rulebook(state.rulebook).premeasured:
        return state
    free = replace(state, turn=None)
    action = plain_move(free, pick.unit)
    if state.declared is not None or action is None:
        return free
    return replace(free, declared=Declaration(unit=pick.unit, action=action))


def _of_the_action(declared: Declaration, state: GameState) -> tuple[int, ...]:
    """Return the dice that decide where models may go: not those of tests."""
    dice = rulebook(state.rulebook).action(declared.action).dice.of(state.unit(declared.unit))
    return declared.rolls[: dice.least]
