"""Light controller: the light settings of a running table."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from assistant.game.state import GameState
from assistant.setup.lighting import TableLighting, write_lighting
from assistant.web.commands.lights import LightSettings
from assistant.web.messages import View
from assistant.web.messages.lights import LightsView


@dataclass(kw_only=True)
class LightController:
    """Holds how the light is set.  Used from the thread of the table."""

    path: Path | None = None
    """The set-up file; None where what is set is forgotten with the program."""
    lights: TableLighting = field(default_factory=TableLighting)

    def obey(self, order: LightSettings, state: GameState) -> None:
        """Set the light anew, and keep it for the next time.

        Raises:
            BadInput: there is no such player, or it cannot be kept; in the latter case it is set all the same.

        """
        lights = self.lights.seat_players(order.seats, _list_players(state))
        if order.brightness is not None:
            lights = replace(lights, brightness=order.brightness)
        if order.line_width is not None:
            lights = replace(lights, line_width=order.line_width)
        if order.hidden is not None:
            lights = replace(lights, hidden=tuple(dict.fromkeys(order.hidden)))
        self.lights = lights
        if order.keep and self.path is not None:
            write_lighting(self.path, lights)

    def build_view(self, state: GameState) -> View:
        """Return what the pages show."""
        lights, players = self.lights, _list_players(state)
        view = LightsView(
            brightness=lights.brightness,
            line_width=lights.line_width,
            hidden=list(lights.hidden),
            seats={player: lights.find_seat(player, players) for player in players},
        )
        return View(lights={"lights": view})


def _list_players(state: GameState) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit.player for unit in state.units))
