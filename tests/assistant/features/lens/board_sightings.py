"""Board sightings: a printed board before a known lens, as looks of a lens calibration; nothing is rendered."""

import cv2
import numpy as np

from assistant.features.lens.state import apply_solution, begin, look
from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.solve import solve_lens
from calibration.lens.view_guidance import ViewScope
from calibration.spaces import project
from vision.boards.detection import BoardSighting

SIZE = (1920, 1080)
TABLE = (1524.0, 1118.0)
TRUE = np.array([1262.0, 1260.0, 951.0, 548.0, -0.11, 0.02, 4e-4, -3e-4, 0.0])
INNER = np.array([(25.0 * c, 25.0 * r, 0.0) for r in range(1, 7) for c in range(1, 10)])
STEP_NS = 150_000_000


def build_sighting(
    outline_px: np.ndarray, scope: ViewScope, *, blur_px: float = 0.8, seed: int = 0, kept: int = 54
) -> BoardSighting:
    """Return a look at the printed board, held so that its corners are about there."""
    matrix = np.array([[1262.0, 0, 951], [0, 1260, 548], [0, 0, 1]])
    _, turn, shift = cv2.solvePnP(scope.outline_mm, outline_px.reshape(-1, 1, 2), matrix, TRUE[4:])
    pixels, _ = project(INNER, np.concatenate([np.ravel(turn), np.ravel(shift), TRUE]))
    pixels += np.random.default_rng(seed).normal(0, 0.1, pixels.shape)
    across = np.linalg.norm(pixels.reshape(6, 9, 2)[:, 1:] - pixels.reshape(6, 9, 2)[:, :-1], axis=2)
    view = BoardView(name="", points_mm=INNER[:kept], points_px=pixels[:kept])
    return BoardSighting(view=view, blur_px=blur_px, square_px=float(np.median(across)), seen_share=kept / 54)


class BoardHolder:
    """Looks one after another, at times of their own."""

    def __init__(self) -> None:
        self.state = begin("printed", TABLE)
        self.now_ns = 0
        self.show_sighting(None)

    def show_sighting(self, seen: BoardSighting | None, size: tuple[int, int] = SIZE) -> str:
        self.now_ns += STEP_NS
        self.state = look(self.state, seen, captured_ns=self.now_ns, image_size=size)
        return self.state.note

    @property
    def scope(self) -> ViewScope:
        assert self.state.scope is not None
        return self.state.scope

    def hold(self, outline_px: np.ndarray | None = None, **how: float) -> str:
        """Hold the board still where it is asked for, or somewhere else, until something is said of it."""
        wanted_px = self.state.target_px if outline_px is None else outline_px
        notes = [self.show_sighting(build_sighting(wanted_px, self.scope, seed=at, **how)) for at in range(3)]  # type: ignore[arg-type]
        return notes[-1]

    def solve(self) -> None:
        views = {taken.number: taken.view for taken in self.state.taken}
        self.state = apply_solution(self.state, tuple(views), solve_lens(list(views.values()), SIZE))

    def hold_until_enough(self, most: int = 20) -> None:
        """Do what is asked until it is enough."""
        while not self.state.enough and len(self.state.taken) < most:
            assert self.hold().endswith("is taken.")
            if self.state.due:
                self.solve()
