"""The game's timeline: its state, what Undo would take back, and when what the pages give notice of happened."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from assistant.game.events import (
    Accepted,
    Bumped,
    CalibrationChanged,
    Decision,
    Event,
    Exchanged,
    ModelSettled,
    PutBack,
    Restored,
    RestoringBegan,
    Ruled,
    Swapped,
    Undone,
    is_about_past,
)
from assistant.game.history import History
from assistant.game.state import GameState, ModelTrack, Ruling
from assistant.table.turn_clock import TurnClock


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GameTimeline:
    """A game's history, and what of it is only of interest for a while."""

    history: History
    calibration_changes: Mapping[int | None, tuple[int, CalibrationChanged]] = field(default_factory=dict)
    """When the calibration last changed and how, by the anchor that it was about; None: the camera."""
    past_ruling: tuple[int, Ruling] | None = None
    """When a ruling on the past was last made, and which, unless it was taken back."""
    last_tracks: Mapping[str, ModelTrack] = field(default_factory=dict)
    """How the models of the move that was accepted last came to where they stand, until another one begins."""
    exchanged_ns: int = 0
    """When two models were last found to carry each other's markers."""
    clock: TurnClock = field(default_factory=TurnClock)
    resumed: bool = False
    """The game was taken up from a recording, and nobody has said yet what became of the models meanwhile."""
    decision_count: int = 0
    """How many decisions there were, taking back included, but for those about the past; it only grows."""

    @property
    def state(self) -> GameState:
        """The game as it stands."""
        return self.history.state

    @property
    def last_decision(self) -> Event | None:
        """What `Undone` would take back; None if nothing is there."""
        return self.history.past.decision if self.history.past else None

    def after(self, event: Event, now_ns: int) -> "GameTimeline":
        """Return the timeline with one more event.

        Raises:
            KeyError: the event names a unit or a model that is not in the game.
            ValueError: there is nothing to take back.

        """
        history, changes = self.history.apply(event), self.calibration_changes
        clock = self.clock.after(history.state.turn, now_ns)
        if is_about_past(event):
            ruling = (now_ns, event.ruling) if isinstance(event, Ruled) else None
            return replace(self, history=history, clock=clock, past_ruling=ruling)
        return replace(
            self,
            history=history,
            clock=clock,
            last_tracks=self._find_last_tracks(event, history.state),
            calibration_changes={**changes, event.tag: (now_ns, event)}
            if isinstance(event, CalibrationChanged)
            else changes,
            exchanged_ns=now_ns if isinstance(event, Swapped | Exchanged) else self.exchanged_ns,
            resumed=self.resumed and not isinstance(event, Accepted | Bumped | PutBack | Restored),
            decision_count=self.decision_count + isinstance(event, Decision | Undone),
        )

    def _find_last_tracks(self, event: Event, state: GameState) -> Mapping[str, ModelTrack]:
        if isinstance(event, Accepted):
            return {model: self.state.tracks[model] for model in event.models if model in self.state.tracks}
        is_over = state.declared is not None or isinstance(event, ModelSettled | Undone | RestoringBegan)
        return {} if is_over else self.last_tracks

    def resume(self) -> "GameTimeline":
        """Return the timeline of a game that is taken up from its recording."""
        return replace(self, resumed=True)
