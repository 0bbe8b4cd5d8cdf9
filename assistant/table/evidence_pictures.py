"""Evidence pictures: the camera's picture is kept of the moments that somebody may have to look into."""

from collections.abc import Callable

from assistant.game.state import GameState
from assistant.rules.verdict import Outcome
from assistant.table.session import GameSession

MOST_KEPT = 120
"""Of moves that came to rest, in one game; at a third of a megabyte each.  What is accepted or ruled is kept always."""
_KEPT = {Outcome.ILLEGAL, Outcome.TOO_CLOSE, Outcome.UNOBSERVED}


class EvidenceKeeper:
    """Looks at a session after every picture, and keeps at most one picture for each change of its state."""

    def __init__(self) -> None:
        self._before: GameState | None = None
        self._was_offence = False
        """The verdict on that was not that it is legal."""
        self._kept = 0

    def keep_evidence(self, session: GameSession, picture: Callable[[], bytes | None]) -> None:
        """Keep the camera's picture where a verdict that is not legal was reached at rest, accepted or ruled on.

        Args:
            session: the game; it is only asked again when its state has changed.
            picture: gives the latest picture as a JPEG; called only if it is to be kept.

        """
        before, state = self._before, session.state
        if state is before:
            return
        verdict = session.consult_referee().verdict
        is_offence, was_offence = verdict is not None and verdict.outcome in _KEPT, self._was_offence
        self._before, self._was_offence = state, is_offence
        if before is None:
            return
        accepted = was_offence and bool(before.tracks.keys() - state.tracks.keys())
        decided = accepted or state.rulings != before.rulings
        settled = is_offence and state.tracks != before.tracks and self._kept < MOST_KEPT
        if (decided or settled) and (jpeg := picture()) is not None:
            session.record_picture(jpeg)
            self._kept += settled
