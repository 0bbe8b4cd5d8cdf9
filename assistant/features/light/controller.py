"""Light controller: the light settings of a running table."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from assistant.features.feature import Asker, Feature, Handles
from assistant.game.state import GameState
from assistant.setup.lighting import TableLighting, write_lighting
from assistant.table.session import GameSession
from assistant.web.commands.calibration import LightSettings
from assistant.web.messages import View
from assistant.web.messages.calibration import LightsView, LookoutView
from calibration.spaces import CameraOverTable
from vision.pipeline import Pipeline


@dataclass(kw_only=True)
class LightController(Feature):
    """Holds how the light is set.  Used from the thread of the table."""

    name = "light"
    path: Path | None = None
    """The set-up file; None where what is set is forgotten with the program."""
    lights: TableLighting = field(default_factory=TableLighting)
    pipeline: Pipeline | None = None
    """Knows where the camera is, for pages that lay the light over its picture."""

    @Handles(LightSettings)
    def change_settings(self, command: LightSettings, asker: Asker) -> None:
        """Set the light anew, and keep it for the next time.

        Raises:
            BadInput: there is no such player, or it cannot be kept; in the latter case it is set all the same.

        """
        lights = self.lights.seat_players(command.seats, _list_players(asker.session.state))
        if command.brightness is not None:
            lights = replace(lights, brightness=command.brightness)
        if command.line_width is not None:
            lights = replace(lights, line_width=command.line_width)
        if command.hidden is not None:
            lights = replace(lights, hidden=tuple(dict.fromkeys(command.hidden)))
        self.lights = lights
        if command.keep and self.path is not None:
            write_lighting(self.path, lights)

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show of the light, and where the camera is above it."""
        yield self.build_view(session.state)
        yield build_lookout_view(self.pipeline.camera if self.pipeline else None)

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


def build_lookout_view(camera: CameraOverTable | None) -> View:
    """Return where in the picture the table is; nothing while the camera's place is not known."""
    if camera is None:
        return View()
    fx, fy, cx, cy, k1, k2, p1, p2, k3 = camera.lens.parameters.tolist()
    return View(
        lookout={
            "lookout": LookoutView(
                image_size=camera.lens.image_size,
                camera_from_table=np.column_stack([camera.camera_from_table, camera.translation_mm]).ravel().tolist(),
                focal_px=(fx, fy),
                centre_px=(cx, cy),
                distortion=(k1, k2, p1, p2, k3),
            )
        }
    )


def _list_players(state: GameState) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit.player for unit in state.units))
