"""The scene of `bench_pages`, a hundred models at work: a game, its set-up, and a film of their table that is looped.

Rendering a picture of the table takes longer than everything that is measured, so the film is rendered beforehand.
"""

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assistant.features.demo.catalogue import SETUP, enrol_models
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.game.state import GameState, Model, Pose, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Round
from assistant.setup.file import Setup, read_setup
from hardware.camera.frame_source import Identity
from hardware.frame import Frame
from hardware.simulation.scene import Placement
from tests.vision.base_motion import least_jerk

UNITS, STRONG = 10, 10
MOVED = "unit-1"
"""The unit that is announced, and of which some models move."""
MOVERS = 6
STROKE_MM = 60.0
STROKE_FRAMES, REST_FRAMES = 20, 8
ROUND = 2 * (STROKE_FRAMES + REST_FRAMES)
"""Pictures of the film: there, a rest, back, a rest."""
BASE = Round(radius_mm=20)
_ACROSS, _APART_MM = 5, 50.0


def make_game(rulebook: str = "warhammer-40k-10e") -> GameState:
    """Return two armies of five units each, a hundred models on bases of 40 mm, with terrain between them."""
    places = [(90 + 490 * column, 170 + 230 * row) for row in range(4) for column in range(3)][:UNITS]
    return GameState(
        rulebook=rulebook,
        table=Table(width_mm=1524, depth_mm=1118),
        units=tuple(
            Unit(
                id=f"unit-{number}",
                player="red" if number <= UNITS / 2 else "blue",
                keywords=frozenset({"infantry"}),
                profile={"move_in": 6},
                models=tuple(_make_model(f"unit-{number}-{nth}", x, y, nth - 1) for nth in range(1, STRONG + 1)),
            )
            for number, (x, y) in enumerate(places, 1)
        ),
        terrain=tuple(
            Terrain(
                id=f"wood-{x}-{y}",
                outline_mm=((x, y), (x + 110, y + 10), (x + 130, y + 70), (x + 20, y + 80)),
                height_mm=0.0,
                traits=frozenset({"wood"}),
            )
            for x, y in ((370, 300), (860, 520), (370, 760), (1280, 900))
        ),
    )


def make_crowd() -> GameState:
    """Return twenty units of ten, two hundred models, of which each army has half."""
    few = make_game()
    places = [(60 + 370 * column, 90 + 210 * row) for row in range(5) for column in range(4)]
    units = tuple(
        Unit(
            id=f"unit-{number}",
            player="red" if number <= len(places) / 2 else "blue",
            keywords=frozenset({"infantry"}),
            profile={"move_in": 6},
            models=tuple(_make_model(f"unit-{number}-{nth}", x, y, nth - 1) for nth in range(1, STRONG + 1)),
        )
        for number, (x, y) in enumerate(places, 1)
    )
    return replace(few, units=units)


def _make_model(name: str, x_mm: float, y_mm: float, nth: int) -> Model:
    column, row = nth % _ACROSS, nth // _ACROSS
    return Model(id=name, base=BASE, pose=Pose(x_mm=x_mm + _APART_MM * column, y_mm=y_mm + _APART_MM * row))


def setup_from_state(state: GameState) -> Setup:
    """Return the demo's set-up with every model of a game enrolled."""
    return enrol_models(read_setup(SETUP), state)


def compute_offset_mm(frame: int) -> float:
    """Return how far the movers are from where they began, away from the near edge."""
    at = frame % ROUND
    there = min(at / STROKE_FRAMES, 1.0)
    back = min(max((at - STROKE_FRAMES - REST_FRAMES) / STROKE_FRAMES, 0.0), 1.0)
    return STROKE_MM * (least_jerk(there) - least_jerk(back))


def shoot(setup: Setup, state: GameState) -> list[NDArray[np.uint8]]:
    """Render the film: six models of one unit go ahead together, rest, go back and rest."""
    table = build_virtual_table(setup, state)
    markers = {base.model: base.marker for base in setup.bases}
    movers = state.find_unit(MOVED).models[-MOVERS:]
    film = []
    for number in range(ROUND):
        for model in movers:
            assert model.pose is not None
            y_mm = model.pose.y_mm + compute_offset_mm(number)
            table.move(markers[model.id], Placement(x_mm=model.pose.x_mm, y_mm=y_mm))
        film.append(table.render())
    return film


class LoopedFilmCamera:
    """A camera that plays the film round and round at a steady rate.

    A picture's time of capture is the moment at which it is handed over: for a real camera, the end of its transfer.
    """

    def __init__(self, film: list[NDArray[np.uint8]], fps: float) -> None:
        self._film, self._fps = film, fps
        self._sequence = 0
        self._due_s = 0.0

    def read(self) -> Frame:
        """Hand over the next picture when it is due."""
        now_s = time.monotonic()
        self._due_s = max(self._due_s, now_s)
        time.sleep(self._due_s - now_s)
        self._due_s += 1 / self._fps
        image = self._film[self._sequence % len(self._film)]
        frame = Frame(camera="film", sequence=self._sequence, captured_ns=time.time_ns(), image=image)
        self._sequence += 1
        return frame

    def identify(self) -> Identity:
        """Return the name of all virtual cameras."""
        return Identity(camera="virtual", autofocus=False)

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""
