"""Evidence pictures: the camera's picture is kept of moments to look into, and of how the table stood after a turn."""

from collections.abc import Callable

from assistant.game.state import GameState, Turn
from assistant.rules.verdict import Outcome
from assistant.table.session import GameSession

MOST_KEPT = 120
"""Of offences as they began and of moves that came to rest, in one game; at a third of a megabyte each.  What is
accepted or ruled is kept always."""
_KEPT = {Outcome.ILLEGAL, Outcome.TOO_CLOSE, Outcome.UNOBSERVED}


class EvidenceKeeper:
    """Looks at a session after every picture, and keeps at most one picture for each change of its state."""

    def __init__(self) -> None:
        self._before: GameState | None = None
        self._offences = frozenset[tuple[str, tuple[str, ...]]]()
        """What was not legal then, by rule and subjects."""
        self._kept = 0

    def keep_evidence(self, session: GameSession, picture: Callable[[], bytes | None]) -> None:
        """Keep the camera's picture where a turn ends, or a verdict that is not legal was reached or decided on.

        Args:
            session: the game; it is only asked again when its state has changed.
            picture: gives the latest picture as a JPEG; called only if it is to be kept.

        """
        before, state = self._before, session.state
        if state is before:
            return
        verdict = session.consult_referee().verdict
        found = [each for each in verdict.findings if each.outcome in _KEPT] if verdict else []
        offences, known = frozenset((each.rule, each.subjects) for each in found), self._offences
        self._before, self._offences = state, offences
        if before is None:
            return
        accepted = bool(known) and bool(before.tracks.keys() - state.tracks.keys())
        decided = accepted or state.rulings != before.rulings
        # What is announced may be an offence before anything moves.
        begins = bool(offences) and (state.tracks != before.tracks or not offences <= known) and self._kept < MOST_KEPT
        turned = before.turn is not None and (state.turn is None or _name_turn(state.turn) != _name_turn(before.turn))
        if (decided or begins or turned) and (jpeg := picture()) is not None:
            session.record_picture(jpeg)
            self._kept += begins


def _name_turn(turn: Turn) -> tuple[int, str]:
    return turn.number, turn.player
