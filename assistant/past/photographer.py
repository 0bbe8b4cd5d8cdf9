"""Keeps the camera's picture of the moments that somebody may have to look into."""

from collections.abc import Callable

from assistant.game.state import GameState
from assistant.rules.verdict import Outcome
from assistant.session import Session

MOST = 250
"""Of moves that came to rest, in one game; at a tenth of a megabyte each.  What is accepted or ruled is kept always."""
_KEPT = {Outcome.ILLEGAL, Outcome.TOO_CLOSE, Outcome.UNOBSERVED}


class Photographer:
    """Looks at a session after every picture, and keeps at most one picture for each change of its state."""

    def __init__(self) -> None:
        self._before: GameState | None = None
        self._offence = False
        """The verdict on that was not that it is legal."""
        self._kept = 0

    def look(self, session: Session, picture: Callable[[], bytes | None]) -> None:
        """Keep the camera's picture where a verdict that is not legal was reached at rest, accepted or ruled on.

        Args:
            session: the game; it is only asked again when its state has changed.
            picture: gives the latest picture as a JPEG; called only if it is to be kept.

        """
        before, state = self._before, session.state
        if state is before:
            return
        verdict = session.answer().verdict
        offence, offended = verdict is not None and verdict.outcome in _KEPT, self._offence
        self._before, self._offence = state, offence
        if before is None:
            return
        accepted = offended and bool(before.tracks.keys() - state.tracks.keys())
        decided = accepted or state.rulings != before.rulings
        settled = offence and state.tracks != before.tracks and self._kept < MOST
        if (decided or settled) and (jpeg := picture()) is not None:
            session.keep(jpeg)
            self._kept += settled
