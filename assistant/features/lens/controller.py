"""Lens controller: what pages ask of a lens calibration, what each frame shows, and what is kept."""

from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from assistant.errors import BadInput
from assistant.features.camera.pairing import Pairing, find_calibration_files
from assistant.features.feature import Feature, Handles
from assistant.features.lens.state import LensCalibrationState, apply_solution, begin, drop, look, want_more
from assistant.features.lens.views import build_lens_view
from assistant.features.lens.virtual_hands import LensHands
from assistant.setup.editing import keep_lens
from assistant.setup.file import Setup
from assistant.table.session import GameSession
from assistant.web.commands.calibration import LensAgain, LensBegin, LensDrop, LensKeep, LensLeave, LensMore
from assistant.web.messages import View
from calibration.errors import Unsolvable
from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.file import LensFile
from calibration.lens.solve import LensFit, solve_lens
from hardware.frame import Frame
from vision.boards.detection import Board, BoardSighting, observe_board
from vision.images import convert_to_grey
from vision.pipeline import Pipeline


@dataclass(frozen=True, slots=True, kw_only=True)
class _BoardSearch:
    """What one frame was found to show."""

    board: Board
    sighting: BoardSighting | None
    captured_ns: int
    image_size: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _LensSolution:
    """What views of a board come to."""

    board: Board
    numbers: tuple[int, ...]
    outcome: LensFit | str


@dataclass(kw_only=True)
class LensController(Feature):
    """Leads through the calibration of the lens.  Used from the thread of the table.

    Boards are looked for, and lenses solved, in the threads of the executor, one at a time each: the live loop does not
    wait for them, and frames that come meanwhile are not looked at.
    """

    name = "lens"
    setup: Setup
    path: Path | None
    """The set-up file that names the lens; None where what is kept is forgotten with the program."""
    pipeline: Pipeline
    executor: Executor
    hands: LensHands | None = None
    """Does on a virtual table what a person does at a real one."""
    pairing: Pairing = field(default_factory=Pairing)
    """Knows which camera it is, and which files are used with it."""
    state: LensCalibrationState | None = None
    kept: str = ""
    """What became of the lens, in a sentence; empty before it is kept."""
    _left: dict[str, LensCalibrationState] = field(default_factory=dict)
    """What was left without an end, by board."""
    _look: "Future[_BoardSearch] | None" = None
    _solve: "Future[_LensSolution] | None" = None

    @Handles(LensBegin)
    def _begin(self, command: LensBegin) -> None:
        self.begin(command.board)

    def begin(self, board: str) -> None:
        """Begin with a board, or go on where its calibration was left.

        Raises:
            BadInput: this is no board.

        """
        fresh = begin(board, self._table_mm)
        self.leave()
        self.state = self._left.pop(board, fresh)

    @Handles(LensAgain)
    def restart(self) -> None:
        """Throw all views away, and begin anew with the same board."""
        self.state, self.kept = begin(self._require_state().spec, self._table_mm), ""

    @Handles(LensDrop)
    def _drop(self, command: LensDrop) -> None:
        self.drop(command.number)

    def drop(self, number: int | None) -> None:
        """Throw one view away, None for the last; BadInput if it is not there."""
        self.state, self.kept = drop(self._require_state(), number), ""

    @Handles(LensMore)
    def want_more(self) -> None:
        """Go on taking views although it is enough."""
        self.state, self.kept = want_more(self._require_state()), ""

    @Handles(LensLeave)
    def leave(self) -> None:
        """Leave the calibration; its views stay while the program runs."""
        if self.state is not None:
            self._left[self.state.spec] = self.state
        self.state, self.kept = None, ""
        if self.hands:
            self.hands.end()

    @Handles(LensKeep)
    def keep(self) -> None:
        """Write the lens beside the set-up file, name it there, and see through it from now on.

        Raises:
            BadInput: there is no lens yet, views are still to be solved from, or a file cannot be written.

        """
        state = self._require_state()
        if state.found is None:
            raise BadInput(state.unsolved or "there is no lens yet: more views are needed")
        if state.due:
            raise BadInput("the last views are still being worked out: wait a moment")
        if self.path is None:
            self.kept = "The lens is used from now on, until the program ends: a demo writes nothing."
        else:
            solved = state.found
            lens = LensFile.from_fit(
                solved.fit,
                self.pairing.mark,
                board=str(state.board),
                on_table=solved.on_table,
                verdict=solved.judgement,
            )
            self.setup, file, before = keep_lens(self.path, lens)
            self.pairing.files = find_calibration_files(self.setup, self.path, None)
            note = f" The lens before it is {before.name} now." if before else ""
            self.kept = f"Written to {file.name}, which {self.path.name} names.{note}"
        self.pipeline.change_lens(state.found.fit.lens)
        if self.hands:
            self.hands.end()

    def see(self, frame: Frame) -> None:
        """Look at a frame unless one is being looked at, and take in what was found out meanwhile."""
        if self.state is None:
            return
        if self.hands and not self.kept:
            self.hands.help(self.state, frame.captured_ns)
        self._take_in()
        state = self.state
        if self._look is None and not state.enough and not self.kept:
            self._look = self.executor.submit(_search_board, frame, state.board)
        if self._solve is None and state.due and state.scope is not None:
            views = {view.number: view.view for view in state.taken}
            self._solve = self.executor.submit(_solve_views, state.board, views, state.scope.image_size)
        self._take_in()

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show."""
        del session
        yield self.build_view()

    def build_view(self) -> View:
        """Return what the pages show."""
        return build_lens_view(
            self.state,
            kept=self.kept,
            left=tuple(self._left),
            working=self._solve is not None or (self.state is not None and self.state.due),
            virtual=self.hands is not None,
        )

    @property
    def _table_mm(self) -> tuple[float, float]:
        return self.setup.table.width_mm, self.setup.table.depth_mm

    def _take_in(self) -> None:
        if self._look is not None and self._look.done():
            look_done, self._look = self._look, None  # before what went wrong there is raised
            search = look_done.result()
            if self.state is not None and search.board == self.state.board and not self.kept:
                self.state = look(
                    self.state, search.sighting, captured_ns=search.captured_ns, image_size=search.image_size
                )
        if self._solve is not None and self._solve.done():
            solve_done, self._solve = self._solve, None
            solution = solve_done.result()
            if self.state is not None and solution.board == self.state.board:
                self.state = apply_solution(self.state, solution.numbers, solution.outcome)

    def _require_state(self) -> LensCalibrationState:
        if self.state is None:
            raise BadInput("no lens is being calibrated; begin with a board first")
        return self.state


def _search_board(frame: Frame, board: Board) -> _BoardSearch:
    grey = convert_to_grey(frame.image)
    return _BoardSearch(
        board=board,
        sighting=observe_board(grey, board),
        captured_ns=frame.captured_ns,
        image_size=(grey.shape[1], grey.shape[0]),
    )


def _solve_views(board: Board, views: dict[int, BoardView], image_size: tuple[int, int]) -> _LensSolution:
    outcome: LensFit | str
    try:
        outcome = solve_lens(list(views.values()), image_size)
    except Unsolvable as error:
        outcome = str(error)
    except (cv2.error, np.linalg.LinAlgError):
        outcome = "no lens explains these views: discard those that look odd, or take others"
    return _LensSolution(board=board, numbers=tuple(views), outcome=outcome)
