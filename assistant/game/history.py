"""Game history with undo: what was decided can be taken back, and what was seen since stays seen."""

from dataclasses import dataclass, replace
from functools import reduce as fold
from typing import get_args

from assistant.errors import BadInput
from assistant.game.events import Decision, Event, ModelPlaced, ModelSettled, Ruled, Swapped, Undone
from assistant.game.reduce import reduce
from assistant.game.state import GameState, Ruling

_DECISIONS = get_args(Decision)
KEPT_EVERY = 16
"""Of so many decisions that others followed, one keeps the state before it; from there the others' are found again."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class History:
    """The state of a game, and each decision that still counts with what was seen after it, to be taken back."""

    state: GameState
    past: "UndoEntry | None" = None
    on_past: tuple[Ruling, ...] = ()
    """Rulings on what is past, which hold however the game goes on or back; the oldest first."""

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """What people decided and did not take back, the oldest first: of moves as they were made, then on the past."""
        return (*(each.ruling for each in self._list_decisions() if isinstance(each, Ruled)), *self.on_past)

    @property
    def swaps(self) -> tuple[Swapped, ...]:
        """Which models people said to carry each other's markers, and did not take back, the oldest first."""
        return tuple(each for each in self._list_decisions() if isinstance(each, Swapped))

    def _list_decisions(self) -> list[Event]:
        """Return what was decided and not taken back, the oldest first."""
        found, past = list[Event](), self.past
        while past is not None:
            found.append(past.decision)
            past = past.earlier
        return found[::-1]

    def apply(self, event: Event) -> "History":
        """Return the history with one more event.

        Raises:
            KeyError: the event names a unit or a model that is not in the game.
            BadInput: there is nothing to take back.

        """
        if isinstance(event, Undone):
            return self._undo_last() if event.ruling is None else self._withdraw_ruling(event.ruling)
        if isinstance(event, Ruled) and event.ruling.at_ns is not None:
            return replace(self, on_past=(*self.on_past, event.ruling))
        if isinstance(event, _DECISIONS):
            earlier = self.past and self.past.lighten()
            past: UndoEntry | None = UndoEntry(before=self.state, decision=event, seen=(), earlier=earlier)
        else:
            past = self.past and replace(self.past, seen=(*self.past.seen, event))
        return replace(self, state=reduce(self.state, event), past=past)

    def _undo_last(self) -> "History":
        if self.past is None:
            raise BadInput("there is nothing to take back")
        last, earlier = self.past, self.past.earlier
        seen = last.seen
        if isinstance(last.decision, Swapped):  # what was seen since was told apart by it
            seen = tuple(_exchange_in_event(event, last.decision.models) for event in seen)
        kept = earlier and replace(earlier, seen=(*earlier.seen, *seen))
        return replace(self, state=fold(reduce, seen, last.find_state_before()), past=kept)

    def _withdraw_ruling(self, ruling: Ruling) -> "History":
        if ruling not in self.on_past:
            raise BadInput("there is no such ruling to take back")
        at = len(self.on_past) - 1 - self.on_past[::-1].index(ruling)
        return replace(self, on_past=(*self.on_past[:at], *self.on_past[at + 1 :]))


def exchange_model(models: tuple[str, str], model: str) -> str:
    """Return the other of two models; any third is itself."""
    one, two = models
    return two if model == one else one if model == two else model


def _exchange_in_event(event: Event, models: tuple[str, str]) -> Event:
    if isinstance(event, ModelPlaced | ModelSettled):
        return replace(event, model=exchange_model(models, event.model))
    return event


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UndoEntry:
    """The last decision that still counts."""

    before: GameState | None
    """None where an earlier entry has the state that it follows from: a night of states takes much memory."""
    decision: Event
    seen: tuple[Event, ...]
    """What was seen after it."""
    earlier: "UndoEntry | None"

    def lighten(self) -> "UndoEntry":
        """Return it as one that another decision followed, and that is seldom taken back."""
        near, count = self.earlier, 1
        while near is not None and near.before is None:
            near, count = near.earlier, count + 1
        return self if near is None or count >= KEPT_EVERY else replace(self, before=None)

    def find_state_before(self) -> GameState:
        """Return the state before the decision."""
        entry, since = self, list[Event]()
        while entry.before is None:
            assert entry.earlier is not None  # the first keeps its state
            entry = entry.earlier
            since[:0] = (entry.decision, *entry.seen)
        return fold(reduce, since, entry.before)
