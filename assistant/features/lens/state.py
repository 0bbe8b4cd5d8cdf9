"""The state of a lens calibration: which views of a board were taken, what is missing, and what it comes to.

State in, look in, state out.  A view is taken by itself when the board is held still, is sharp, and shows something
that no view before it shows.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.quality import LensErrorMap, LensJudgement, judge_lens, map_lens_error, place_table_under
from calibration.lens.solve import LensFit
from calibration.lens.view_guidance import (
    COLUMNS,
    LEAST_SQUARE_PX,
    MOST_LEAN_RAD,
    ROWS,
    BoardDistance,
    ViewAspect,
    ViewCoverage,
    ViewRequest,
    ViewScope,
    choose_next_view,
    count_coverage,
    find_aspect,
    find_similar_view,
    locate_target_px,
)
from calibration.spaces import Lens
from calibration.table.camera_pose import guess_lens
from vision.boards.detection import (
    BadBoard,
    Board,
    BoardSighting,
    average_views,
    count_corners,
    measure_motion_px,
    parse_board,
    scope_from_board,
)

Floats = NDArray[np.float64]

STILL_LOOKS, STILL_NS = 3, 250_000_000
"""So many looks in a row, over so long, that show the board at one place: it is held still."""
STILL_SHARE = 0.0008
"""One place, as a share of the picture's width: a hand trembles by half a millimetre and more."""
LEAST_SEEN, LEAST_CORNERS = 0.35, 12
"""Less of the board, or fewer of its corners, and it is cut off."""
BLURRED, BLURRED_PX, BLURRED_SQUARE = 1.5, 0.35, 0.12
"""Edges blurred by this much more than the sharpest, at least by so much, or by this share of a square, are blurred."""
SMALL_SHARE = 0.75
"""A square may be seen so much smaller than is good."""
ENOUGH_VIEWS = 3
"""For a solve, which says how surely."""
MOST_VIEWS = 40
"""More would not help."""
SURE, SURE_ENOUGH = 0.001, 0.01
"""A focal length's relative standard deviation: better need not be, worse is not enough."""
LEVEL_VIEWS, LEVEL = 3, 0.9
"""The expected error has stopped falling if the last views left so much of it."""
LONG_ENOUGH = 20
"""With so many views it is enough, even if what they come to is less than good."""
MORE_VIEWS = 6
"""So many are taken where a person wants more than enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLook:
    """The board as it was seen at a moment."""

    sighting: BoardSighting
    captured_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenView:
    """A view that counts."""

    number: int
    view: BoardView
    aspect: ViewAspect


@dataclass(frozen=True, slots=True, kw_only=True)
class SolvedLens:
    """A lens, and what to think of it."""

    fit: LensFit
    on_table: LensErrorMap
    """What it is expected to be off on the table."""
    judgement: LensJudgement

    @property
    def doubt(self) -> float:
        """The relative standard deviation of a focal length, the worse of the two."""
        lens = self.fit.lens
        return float((np.sqrt(np.diag(lens.covariance)[:2]) / lens.parameters[:2]).max())


@dataclass(frozen=True, slots=True, kw_only=True)
class LensCalibrationState:
    """A lens calibration under way."""

    spec: str
    """The board as it was named."""
    board: Board
    table_mm: tuple[float, float]
    """Width and depth of the table that the lens is for."""
    scope: ViewScope | None = None
    """None before the first picture."""
    taken: tuple[TakenView, ...] = ()
    last_number: int = 0
    """Numbers are not used again."""
    looks: tuple[BoardLook, ...] = ()
    """The last ones, as far as they show the board at one place."""
    sharpest_px: float = float("inf")
    """The least that this board's edges were ever blurred."""
    note: str = ""
    """Why no view is taken now, in a sentence."""
    thrown: ViewAspect | None = None
    """A view that was thrown away, and after which none was taken: its like is not taken again at once."""
    ask: ViewRequest | None = None
    """The view that would help most; None before the first picture and when it is enough."""
    target_px: Floats = field(default_factory=lambda: np.empty((0, 2)))
    """(4, 2) where its board would be in the picture."""
    found: SolvedLens | None = None
    solved: tuple[int, ...] = ()
    """The views, by number, that were last solved from."""
    unsolved: str = ""
    """Why there is no fit of them."""
    errors_mm: tuple[float, ...] = ()
    """Which error was expected on the table after each solve so far."""
    least_views: int = 0
    """A person wants so many."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """The views that count."""
        return tuple(taken.number for taken in self.taken)

    @property
    def counted(self) -> tuple[TakenView, ...]:
        """The views without those that the last fit did not believe: what they show is still missing."""
        odd = {drop.view for drop in self.found.fit.dropped} if self.found else set()
        return tuple(taken for taken in self.taken if taken.view.name not in odd)

    @property
    def due(self) -> bool:
        """Whether there are views enough for a solve, and others than at the last one."""
        return len(self.taken) >= ENOUGH_VIEWS and self.numbers != self.solved

    @property
    def waiting(self) -> bool:
        """Whether the views may be enough, which a solve has still to tell: until then none is taken."""
        coverage = self.coverage
        most = len(self.taken) >= max(MOST_VIEWS, self.least_views)
        return self.due and coverage is not None and (coverage.complete or most)

    @property
    def coverage(self) -> ViewCoverage | None:
        """What the views cover; None before the first picture."""
        return None if self.scope is None else count_coverage([taken.aspect for taken in self.counted], self.scope)

    @property
    def lens(self) -> Lens:
        """The lens as far as it is known."""
        assert self.scope is not None
        return self.found.fit.lens if self.found else guess_lens(self.scope.image_size)

    @property
    def enough(self) -> bool:
        """Whether more views would not help: nothing is missing, and what is known is sure, or gets no surer."""
        found, coverage = self.found, self.coverage
        if found is None or coverage is None or self.numbers != self.solved or len(self.taken) < self.least_views:
            return False
        if len(self.taken) >= MOST_VIEWS:
            return True
        if found.judgement.level != "good" and len(self.taken) < LONG_ENOUGH:
            return False
        errors_mm = self.errors_mm
        levelled = len(errors_mm) > LEVEL_VIEWS and errors_mm[-1] > LEVEL * errors_mm[-1 - LEVEL_VIEWS]
        return coverage.complete and found.doubt < SURE_ENOUGH and (found.doubt < SURE or levelled)


def begin(spec: str, table_mm: tuple[float, float]) -> LensCalibrationState:
    """Return the beginning of a calibration with a board, for a table of some width and depth.

    Raises:
        BadInput: this is no board; the sentence says what is expected.

    """
    try:
        return LensCalibrationState(spec=spec, board=parse_board(spec), table_mm=table_mm)
    except BadBoard as error:
        raise BadInput(str(error)) from None


def look(
    state: LensCalibrationState, sighting: BoardSighting | None, *, captured_ns: int, image_size: tuple[int, int]
) -> LensCalibrationState:
    """Return a calibration after one more look at a picture of that size, (width, height)."""
    if state.scope is None or (state.scope.image_size != image_size and not state.taken):
        state = _plan_next_view(replace(state, scope=scope_from_board(state.board, image_size)))
    scope = state.scope
    assert scope is not None
    if scope.image_size != image_size:
        size, before = ("x".join(map(str, size)) for size in (image_size, scope.image_size))
        return replace(state, looks=(), note=f"The picture is {size} now, but the views are {before}: start over.")
    if sighting is None:
        note = "No board is seen: hold it with its face to the camera, near enough, and in good light."
        return replace(state, looks=(), note=note)
    now = BoardLook(sighting=sighting, captured_ns=captured_ns)
    still_px = STILL_SHARE * image_size[0]
    same = all(measure_motion_px(before.sighting.view, sighting.view) <= still_px for before in state.looks)
    looks = (*state.looks, now)[-2 * STILL_LOOKS :] if same else (now,)
    state = replace(state, looks=looks, sharpest_px=min(state.sharpest_px, sighting.blur_px))
    if state.enough:
        return replace(state, note="")
    if state.waiting:
        return replace(state, note="Wait a moment: it is being worked out whether this is enough.")
    aspect = find_aspect(sighting.view, scope, state.lens.parameters, state.lens.model)
    if note := _find_hindrance(state, sighting, aspect):
        return replace(state, note=note)
    limit_px = _find_blur_limit_px(state, sighting)
    view = average_views([seen.sighting.view for seen in looks if seen.sighting.blur_px <= limit_px])
    return _add_view(state, replace(view, name=f"view {state.last_number + 1}"))


def _find_hindrance(state: LensCalibrationState, now: BoardSighting, aspect: ViewAspect | None) -> str:
    """Return why a look is not taken as a view, empty if nothing is in the way."""
    assert state.scope is not None
    corners, every = len(now.view.points_mm), count_corners(state.board)
    if corners < LEAST_CORNERS or now.seen_share < LEAST_SEEN or aspect is None:
        return f"Only {corners} of its {every} corners are seen: it is cut off, covered or too dark."
    if now.square_px < SMALL_SHARE * LEAST_SQUARE_PX:
        return "It is too small in the picture: hold it nearer to the camera, or tilt it less."
    if aspect.lean_rad > MOST_LEAN_RAD:
        return "It is tilted too far: turn its face more to the camera."
    if len(state.looks) < STILL_LOOKS or state.looks[-1].captured_ns - state.looks[0].captured_ns < STILL_NS:
        return "It is moving: hold it still."
    if now.blur_px > _find_blur_limit_px(state, now):
        return "It is blurred: hold it stiller, a little farther from the camera, or give it more light."
    others = [taken.aspect for taken in state.taken]
    if (at := find_similar_view(aspect, others, state.scope.image_size)) is not None:
        return f"View {state.taken[at].number} shows it so already: move on."
    if state.thrown is not None and find_similar_view(aspect, [state.thrown], state.scope.image_size) is not None:
        return "A view like this was just discarded: hold the board differently."
    return ""


def _find_blur_limit_px(state: LensCalibrationState, now: BoardSighting) -> float:
    """Return how blurred edges may be, against the sharpest that this board has shown and the size of its squares."""
    sharpest_px = state.sharpest_px
    return min(max(BLURRED * sharpest_px, sharpest_px + BLURRED_PX), BLURRED_SQUARE * now.square_px)


def _add_view(state: LensCalibrationState, view: BoardView) -> LensCalibrationState:
    assert state.scope is not None
    aspect = find_aspect(view, state.scope, state.lens.parameters, state.lens.model)
    assert aspect is not None
    number = state.last_number + 1
    taken = (*state.taken, TakenView(number=number, view=view, aspect=aspect))
    note = f"View {number} is taken."
    return _plan_next_view(replace(state, taken=taken, last_number=number, thrown=None, note=note))


def drop(state: LensCalibrationState, number: int | None) -> LensCalibrationState:
    """Return a calibration without one of its views, None for the last.

    Raises:
        BadInput: there is no such view.

    """
    number = number if number is not None else state.numbers[-1] if state.taken else 0
    if number not in state.numbers:
        raise BadInput(f"there is no view {number} to discard" if number else "there is no view to discard yet")
    taken = tuple(kept for kept in state.taken if kept.number != number)
    dropped = next(gone.aspect for gone in state.taken if gone.number == number)
    found = state.found if len(taken) >= ENOUGH_VIEWS else None
    # What was expected before was expected of other views.
    note = f"View {number} is discarded."
    return _plan_next_view(replace(state, taken=taken, thrown=dropped, found=found, errors_mm=(), note=note))


def want_more(state: LensCalibrationState) -> LensCalibrationState:
    """Return a calibration that goes on although it is enough."""
    return _plan_next_view(replace(state, least_views=len(state.taken) + MORE_VIEWS))


def apply_solution(
    state: LensCalibrationState, numbers: tuple[int, ...], outcome: LensFit | str
) -> LensCalibrationState:
    """Return a calibration after a solve of some of its views: a fit, or why there is none.

    The views are named after their numbers.  A solve of views that were thrown away meanwhile counts for nothing.
    """
    if not set(numbers) <= set(state.numbers):
        return state
    if isinstance(outcome, str):
        return _plan_next_view(replace(state, found=None, solved=numbers, unsolved=outcome))
    on_table = map_lens_error(
        outcome.lens, place_table_under(outcome.lens, table_mm=state.table_mm), misfit_px=outcome.misfit_px
    )
    found = SolvedLens(fit=outcome, on_table=on_table, judgement=judge_lens(outcome, on_table))
    errors_mm = (*state.errors_mm, on_table.typical_mm)
    state = replace(state, found=found, solved=numbers, unsolved="", errors_mm=errors_mm)
    assert state.scope is not None
    # How the boards lean, and how far away they are, is known better now.
    lens = outcome.lens
    aspects = [find_aspect(taken.view, state.scope, lens.parameters, lens.model) for taken in state.taken]
    pairs = zip(state.taken, aspects, strict=True)
    return _plan_next_view(replace(state, taken=tuple(replace(t, aspect=aspect or t.aspect) for t, aspect in pairs)))


def _plan_next_view(state: LensCalibrationState) -> LensCalibrationState:
    """Return the same with the view that would help most now."""
    if state.scope is None or state.enough:
        return replace(state, ask=None, target_px=np.empty((0, 2)))
    # One that was not believed, or was thrown away, would come out no better in the same place.
    unwanted = [taken.aspect for taken in state.taken if taken.number not in {kept.number for kept in state.counted}]
    unwanted += [state.thrown] if state.thrown else []
    lens = state.lens
    ask = choose_next_view(
        [taken.aspect for taken in state.counted], state.scope, lens.parameters, unwanted, lens.model
    )
    return replace(state, ask=ask, target_px=locate_target_px(ask, state.scope, lens.parameters, lens.model))


def describe_ask(ask: ViewRequest) -> str:
    """Return in words how to hold the board."""
    column, row = ask.cell % COLUMNS, ask.cell // COLUMNS
    across = {0: "left", COLUMNS - 1: "right"}.get(column, "")
    down = {0: "upper", ROWS - 1: "lower"}.get(row, "")
    beside = f"to the {'left' if 2 * column < COLUMNS else 'right'} of the middle"
    if across and down:
        where = f"in the {down} {across} corner of the picture"
    elif across or down:
        where = f"at the {down or across} edge of the picture" + (f", {beside}" if down else "")
    else:
        where = f"in the picture, {beside}"
    lean = "its face straight to it" if ask.side is None else f"its {ask.side} edge tilted toward it"
    return f"Hold the board {'near' if ask.distance is BoardDistance.NEAR else 'far from'} the camera, {where}, {lean}."
