"""Light controller: the light settings of a running table, and the mat that the light falls on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.features.feature import Asker, Feature, Handles, Moment
from assistant.game.state import GameState
from assistant.overlay.light_colours import compare_on_mat, fit_to_mat, mix_with_mat
from assistant.overlay.palette import PALETTE, Paint
from assistant.setup.lighting import LightColours, TableLighting, write_lighting
from assistant.table.session import GameSession
from assistant.web.commands.calibration import LightSettings
from assistant.web.messages import View
from assistant.web.messages.calibration import LightSampleView, LightsView, LookoutView
from assistant.web.messages.table import PaintView
from assistant.web.views.session import build_paint_view
from calibration.spaces import CameraOverTable
from vision.pipeline import Pipeline

EVERY_NS = 5 * 10**9
UNREST = 6.0
"""A mat that looks otherwise by less is the same one in another light: colours that change all the time are worse."""
GRID = 24
SAMPLES = (
    ("Zone", "zone"),
    ("Engagement", "engagement"),
    ("Not legal", "witness-illegal"),
    ("Objective", "objective"),
    ("Coherency", "coherency"),
    ("Threat", "threat"),
)


@dataclass(kw_only=True)
class LightController(Feature):
    """Holds how the light is set.  Used from the thread of the table."""

    name = "light"
    path: Path | None = None
    """The set-up file; None where what is set is forgotten with the program."""
    lights: TableLighting = field(default_factory=TableLighting)
    pipeline: Pipeline | None = None
    """Knows where the camera is, for pages that lay the light over its picture."""
    mat: str = ""
    """The mat's CSS colour as the camera sees it; empty while nobody knows."""
    _looked_ns: int | None = None
    _paints: Mapping[str, Paint] = field(default_factory=dict)

    @property
    def paints(self) -> Mapping[str, Paint]:
        """What is thrown in place of the palette's own paints, by style."""
        return self._paints if self.lights.colours == "mat" else {}

    def follow(self, moment: Moment) -> None:
        """Look at the mat now and then."""
        frame, camera, looked_ns = moment.frame, moment.pipeline.camera, self._looked_ns
        if frame is None or camera is None or (looked_ns is not None and frame.captured_ns - looked_ns < EVERY_NS):
            return
        self._looked_ns = frame.captured_ns
        mat = find_mat_colour(camera, frame.shown, moment.session.state)
        if mat and (not self.mat or compare_on_mat(mat, self.mat, mat) > UNREST):
            self.mat, self._paints = mat, fit_to_mat(mat)

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
        if command.colours is not None:
            lights = replace(lights, colours=command.colours)
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
        paints, samples = _describe_light(self.mat, lights.colours)
        view = LightsView(
            brightness=lights.brightness,
            line_width=lights.line_width,
            hidden=list(lights.hidden),
            seats={player: lights.find_seat(player, players) for player in players},
            colours=lights.colours,
            paints=paints,
            mat=self.mat,
            samples=samples,
        )
        return View(lights={"lights": view})


@lru_cache(maxsize=8)
def _describe_light(mat: str, colours: LightColours) -> tuple[dict[str, PaintView], list[LightSampleView]]:
    """Return what is thrown on a mat in place of the pages' paints, and what that looks like; views are made often."""
    if not mat:
        return {}, []
    paints = fit_to_mat(mat) if colours == "mat" else {}
    samples = [
        LightSampleView(
            label=label,
            usual=mix_with_mat(PALETTE[style].stroke, mat),
            seen=mix_with_mat({**PALETTE, **paints}[style].stroke, mat),
        )
        for label, style in SAMPLES
    ]
    return {style: build_paint_view(paint) for style, paint in paints.items()}, samples


def find_mat_colour(camera: CameraOverTable, image: NDArray[np.uint8], state: GameState) -> str:
    """Return the CSS colour that most of the table has beside its terrain; empty where a picture has no colours.

    Args:
        camera: where the camera is.
        image: its picture.
        state: how large the table is, and where terrain lies.

    """
    if image.ndim != 3:
        return ""
    across, up = (np.linspace(0, size, GRID + 2)[1:-1] for size in (state.table.width_mm, state.table.depth_mm))
    places = np.stack(np.meshgrid(across, up, [0.0]), axis=-1).reshape(-1, 3)
    outlines = [np.asarray(piece.outline_mm, dtype=np.float32) for piece in state.terrain]
    is_free = [all(cv2.pointPolygonTest(each, (x, y), False) < 0 for each in outlines) for x, y, _ in places]
    columns, rows = np.rint(camera.image_from_table(places[is_free])).astype(int).T
    height, width = image.shape[:2]
    is_seen = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
    if not is_seen.any():
        return ""
    blue, green, red = np.median(image[rows[is_seen], columns[is_seen]], axis=0).astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"


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
                model=camera.lens.model.value,
            )
        }
    )


def _list_players(state: GameState) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit.player for unit in state.units))
