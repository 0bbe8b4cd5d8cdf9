"""The turn clock: how long a game has been played, and how long each player has had the turn, by its events alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from assistant.game.state import Turn

LONGEST_PAUSE_NS = 30 * 60 * 10**9
"""When nothing at all happens for longer, nobody plays: the game was broken off meanwhile, and its clock stood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnClock:
    """What the clock showed at the last event."""

    played_ns: int = 0
    last_ns: int | None = None
    """When that was; None before the first event."""
    turns: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    """Who has had each turn, by its number, and what the clock showed when it began."""

    def after(self, turn: Turn | None, now_ns: int) -> "TurnClock":
        """Return the clock after an event, with the turn that is then."""
        played_ns, turns = self.read(now_ns), self.turns
        number = turn.number if turn else 0
        if turn is None or turn.number not in turns or len(turns) > number:
            turns = {n: begun for n, begun in turns.items() if n <= number}
            if turn is not None:
                turns.setdefault(number, (turn.player, played_ns))
        return TurnClock(played_ns=played_ns, last_ns=now_ns, turns=turns)

    def read(self, now_ns: int) -> int:
        """Return for how long the game has been played."""
        since_ns = 0 if self.last_ns is None else max(0, now_ns - self.last_ns)
        return self.played_ns + (since_ns if since_ns <= LONGEST_PAUSE_NS else 0)

    def sum_turns(self, now_ns: int) -> dict[str, int]:
        """Return for how long each player has had the turn."""
        sums: dict[str, int] = {}
        begun = [*self.turns.values(), ("", self.read(now_ns))]
        for (player, begun_ns), (_, end_ns) in pairwise(begun):
            sums[player] = sums.get(player, 0) + end_ns - begun_ns
        return sums
