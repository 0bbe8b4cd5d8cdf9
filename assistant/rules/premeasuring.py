"""Premeasuring: whether players of a game may measure at any time, by its rules or by a house rule of their own."""

from dataclasses import dataclass

from assistant.game.state import NO_RULEBOOK, GameState
from assistant.rules.books import find_rulebook
from assistant.rules.rulebook import PREMEASURING


@dataclass(frozen=True, slots=True, kw_only=True)
class Premeasuring:
    """Whether players may measure at any time, and by what."""

    allowed: bool
    note: str
    """By what, in a sentence; empty on a table that is only watched."""
    agreed: bool = False
    """It is the players who say, by the parameter `PREMEASURING`."""


def find_premeasuring(state: GameState) -> Premeasuring:
    """Return whether players of a game may measure at any time."""
    if state.rulebook == NO_RULEBOOK:
        return Premeasuring(allowed=True, note="")
    book = find_rulebook(state.rulebook)
    if book.premeasured:
        return Premeasuring(allowed=True, note=f"The rules let players measure at any time ({book.premeasured}).")
    if PREMEASURING not in book.parameters:
        return Premeasuring(allowed=False, note="The rules do not say that players may measure at any time.")
    allowed = bool(state.parameters.get(PREMEASURING.name, PREMEASURING.default))
    said = "Players may measure at any time" if allowed else "Players may not measure before a move"
    return Premeasuring(
        allowed=allowed, note=f"{said}: a house rule of this game, since the rules do not say.", agreed=True
    )
