"""The light settings of a running table."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from assistant.game.state import GameState
from assistant.lights import Lights, write_lights
from assistant.web.commands.lights import LightSettings
from assistant.web.messages import View
from assistant.web.messages.lights import LightsView


@dataclass(kw_only=True)
class Lighter:
    """Holds how the light is set.  Used from the thread of the table."""

    path: Path | None = None
    """The set-up file; None where what is set is forgotten with the program."""
    lights: Lights = field(default_factory=Lights)

    def set(self, order: LightSettings, state: GameState) -> None:
        """Set the light anew, and keep it for the next time.

        Raises:
            BadInput: there is no such player, or it cannot be kept; in the latter case it is set all the same.

        """
        lights = self.lights.seated(order.seats, _players(state))
        if order.brightness is not None:
            lights = replace(lights, brightness=order.brightness)
        if order.line_width is not None:
            lights = replace(lights, line_width=order.line_width)
        if order.hidden is not None:
            lights = replace(lights, hidden=tuple(dict.fromkeys(order.hidden)))
        self.lights = lights
        if order.keep and self.path is not None:
            write_lights(self.path, lights)

    def shown(self, state: GameState) -> View:
        """Return what the pages show."""
        lights, players = self.lights, _players(state)
        view = LightsView(
            brightness=lights.brightness,
            line_width=lights.line_width,
            hidden=list(lights.hidden),
            seats={player: lights.seat_of(player, players) for player in players},
        )
        return View(lights={"lights": view})


def _players(state: GameState) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit.player for unit in state.units))
