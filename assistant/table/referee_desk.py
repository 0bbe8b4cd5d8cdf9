"""The referee's desk: what the referee says of a game, worked out anew only when there is something new to say."""

from typing import Self

from assistant.game.state import GameState
from assistant.table.declared_move import Pick
from assistant.table.referee_report import RefereeReport, compile_report, replace_zone
from assistant.table.zone_query import ImmediateZoneSolver, ZoneSolver


class RefereeDesk:
    """Keeps the last report of one session, and sees to the zone that it asks for."""

    def __init__(self, solve_zone: ZoneSolver | None = None) -> None:
        """Begin with nothing asked; without a solver zones are worked out at once."""
        self._solve_zone = solve_zone or ImmediateZoneSolver()
        self._latest: tuple[GameState, Pick | None, RefereeReport] | None = None

    def report(self, state: GameState, pick: Pick | None) -> RefereeReport:
        """Return what the referee says; worked out anew only when the state, the pick or the zone has changed."""
        latest = self._latest
        if latest is None or latest[0] is not state or latest[1] != pick:
            latest = self._latest = (state, pick, compile_report(state, pick))
        zone = self._solve_zone(latest[2].zone_request) if latest[2].zone_request else None
        if latest[2].zone is not zone:
            latest = self._latest = (state, pick, replace_zone(latest[2], zone))
        return latest[2]

    def fork(self, solve_zone: ZoneSolver | None) -> Self:
        """Return a desk with the same report, which goes on by itself with another solver."""
        desk = type(self)(solve_zone)
        desk._latest = self._latest
        return desk
