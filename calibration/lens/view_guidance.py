"""View guidance: what views of a board cover of what a lens is to be known by, what is missing, and what to show next.

A lens is known where corners were seen, its focal length from boards that lean, and leans tell the more the more
different they are.  So three things are counted: the parts of the picture, the edge of the board that was nearest to
the camera, and how large the board would be seen face on.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np

from calibration.lens.bundle_adjustment import BoardView
from calibration.spaces import Floats, LensModel, flatten, project, unproject

COLUMNS, ROWS = 4, 3
"""The picture is counted in so many parts."""
CELL_CORNERS = 4
"""A part of the picture is covered when so many corners have been seen in it."""
EACH_SIDE, EACH_DISTANCE, ALL_VIEWS = 2, 3, 12
"""So many views should lean each way, be near, be far, and be there at all."""
LEAST_LEAN_RAD, MOST_LEAN_RAD = math.radians(14), math.radians(58)
"""Less is flat to the camera; more, and the corners are seen too flat to be read well."""
SAME_PLACE, SAME_SIZE, SAME_LEAN = 0.07, 1.2, math.radians(9)
"""Two views are the same: so far apart as a share of the picture's width, of sizes in this ratio, leaning so alike."""
LEAST_SQUARE_PX = 18.0
"""Squares that are seen smaller are read worse."""


class BoardSide(StrEnum):
    """The edge of the board, as the picture shows it, that is nearer to the camera than the others."""

    LEFT = "left"
    RIGHT = "right"
    UPPER = "upper"
    LOWER = "lower"


class BoardDistance(StrEnum):
    """How large the board is seen."""

    NEAR = "near"
    FAR = "far"


TOWARD = {BoardSide.LEFT: (-1, 0), BoardSide.RIGHT: (1, 0), BoardSide.UPPER: (0, -1), BoardSide.LOWER: (0, 1)}
"""Where an edge is from the middle of the board, x right and y down in the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewScope:
    """A board, and the picture that it is to be seen in."""

    image_size: tuple[int, int]
    """Width and height, px."""
    board_mm: tuple[float, float]
    """Width and height of all its squares."""
    origin_mm: tuple[float, float]
    """The board's upper left corner in the coordinates of its corners."""
    square_mm: float

    @property
    def far_share(self) -> float:
        """A far board's diagonal, seen face on, as a share of the picture's shorter side: what is less is far."""
        squares = math.hypot(*self.board_mm) / self.square_mm
        return max(0.40, 1.35 * LEAST_SQUARE_PX * squares / min(self.image_size))

    @property
    def near_share(self) -> float:
        """The same of a near board: what is more is near."""
        return 1.35 * self.far_share

    @property
    def outline_mm(self) -> Floats:
        """(4, 3) the board's corners, from the upper left clockwise."""
        (x, y), (w, h) = self.origin_mm, self.board_mm
        return np.array([(x, y, 0.0), (x + w, y, 0.0), (x + w, y + h, 0.0), (x, y + h, 0.0)])


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewAspect:
    """How one view shows the board."""

    outline_px: Floats
    """(4, 2) where the whole board is in the picture, from its upper left corner clockwise."""
    cells: tuple[int, ...]
    """Corners seen in each part of the picture, row by row."""
    lean: tuple[float, float]
    """How far its face leans from the camera's axis, radians: to the picture's right and down."""
    share: float
    """Its diagonal, seen face on, as a share of the picture's shorter side."""

    @property
    def lean_rad(self) -> float:
        """How far the face leans, whichever way."""
        return math.hypot(*self.lean)

    @property
    def side(self) -> BoardSide | None:
        """The edge nearest to the camera; None where the board is nearly flat to it."""
        if self.lean_rad < LEAST_LEAN_RAD:
            return None
        # A face that leans to the right has its left edge nearest.
        return max(BoardSide, key=lambda side: -(TOWARD[side][0] * self.lean[0] + TOWARD[side][1] * self.lean[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewCoverage:
    """What all views together show."""

    cells: tuple[int, ...]
    """Corners in each part of the picture, row by row."""
    sides: dict[BoardSide, int]
    """Views that lean so."""
    distances: dict[BoardDistance, int]
    views: int

    @property
    def uncovered_cells(self) -> list[int]:
        """The parts of the picture, by number, that no view covers."""
        return [cell for cell, corners in enumerate(self.cells) if corners < CELL_CORNERS]

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        lacking = [
            *(count < EACH_SIDE for count in self.sides.values()),
            *(count < EACH_DISTANCE for count in self.distances.values()),
        ]
        return not self.uncovered_cells and not any(lacking) and self.views >= ALL_VIEWS


def find_aspect(
    view: BoardView, scope: ViewScope, parameters: Floats, model: LensModel = LensModel.PINHOLE
) -> ViewAspect | None:
    """Return how a view shows its board, None where no pose of the board explains it.

    Args:
        view: at least four corners.
        scope: the board and the picture.
        parameters: (9,) of the lens as far as it is known, in the order of `spaces.LENS_PARAMETERS`.
        model: the lens's.

    """
    pose = _find_pose(view, parameters, model)
    if pose is None:
        return None
    outline_px, _ = project(scope.outline_mm, np.concatenate([pose, parameters]), model)
    turn = np.asarray(cv2.Rodrigues(pose[:3])[0], dtype=np.float64)
    face = -turn[:, 2]  # toward the camera
    lean_rad = math.acos(min(1.0, max(-1.0, -float(face[2]))))
    sideways = float(np.hypot(face[0], face[1]))
    lean = (0.0, 0.0) if sideways < 1e-9 else (lean_rad * face[0] / sideways, lean_rad * face[1] / sideways)
    middle_mm = scope.outline_mm.mean(axis=0)
    depth_mm = float((turn @ middle_mm + pose[3:])[2])
    diagonal_px = math.sqrt(parameters[0] * parameters[1]) / depth_mm * math.hypot(*scope.board_mm)
    return ViewAspect(
        outline_px=outline_px,
        cells=_count_cells(view.points_px, scope.image_size),
        lean=(float(lean[0]), float(lean[1])),
        share=diagonal_px / min(scope.image_size),
    )


def count_coverage(aspects: Sequence[ViewAspect], scope: ViewScope) -> ViewCoverage:
    """Return what views cover together."""
    sides = Counter(aspect.side for aspect in aspects)
    return ViewCoverage(
        cells=tuple(sum(aspect.cells[cell] for aspect in aspects) for cell in range(COLUMNS * ROWS)),
        sides={side: sides[side] for side in BoardSide},
        distances={
            BoardDistance.NEAR: sum(aspect.share >= scope.near_share for aspect in aspects),
            BoardDistance.FAR: sum(aspect.share <= scope.far_share for aspect in aspects),
        },
        views=len(aspects),
    )


def find_similar_view(aspect: ViewAspect, others: Sequence[ViewAspect], image_size: tuple[int, int]) -> int | None:
    """Return the number of the first of some views that shows the board nearly as this one does, None if none does."""
    for number, other in enumerate(others):
        apart = np.linalg.norm(aspect.outline_px.mean(axis=0) - other.outline_px.mean(axis=0)) / image_size[0]
        lean = math.hypot(aspect.lean[0] - other.lean[0], aspect.lean[1] - other.lean[1])
        ratio = max(aspect.share / other.share, other.share / aspect.share)
        if apart < SAME_PLACE and lean < SAME_LEAN and ratio < SAME_SIZE:
            return number
    return None


def _count_cells(points_px: Floats, image_size: tuple[int, int]) -> tuple[int, ...]:
    shares = np.clip(points_px / image_size, 0.0, 1.0 - 1e-9)
    number = (shares[:, 1] * ROWS).astype(int) * COLUMNS + (shares[:, 0] * COLUMNS).astype(int)
    return tuple(np.bincount(number, minlength=COLUMNS * ROWS).tolist())


def _find_pose(view: BoardView, parameters: Floats, model: LensModel) -> Floats | None:
    ideal = flatten(view.points_px, parameters, model).reshape(-1, 1, 2)
    poses: list[Floats] = []
    # A plane seen from afar has two poses that are nearly as good, which only the first tells apart; it fails where
    # they are one, and at a half turn, where the second does not.
    for method in (cv2.SOLVEPNP_IPPE, cv2.SOLVEPNP_ITERATIVE):
        try:
            _, turns, shifts, _ = cv2.solvePnPGeneric(view.points_mm, ideal, np.eye(3), None, flags=method)
        except cv2.error:
            continue
        poses += [np.concatenate([np.ravel(t), np.ravel(s)]) for t, s in zip(turns, shifts, strict=True)]
    poses = [pose for pose in poses if np.isfinite(pose).all() and pose[5] > 0]

    def error(pose: Floats) -> float:
        pixels, _ = project(view.points_mm, np.concatenate([pose, parameters]), model)
        return float(np.sum((pixels - view.points_px) ** 2))

    return min(poses, key=error, default=None)


ASKED_LEAN_RAD = math.radians(28)
MARGIN = 0.015
"""A board that is asked for at the rim keeps so much from it, as a share of the picture's width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRequest:
    """The view that would help most now."""

    cell: int
    side: BoardSide | None
    """None: any way, and so flat to the camera."""
    distance: BoardDistance


def choose_next_view(
    aspects: Sequence[ViewAspect],
    scope: ViewScope,
    parameters: Floats,
    unwanted: Sequence[ViewAspect] = (),
    model: LensModel = LensModel.PINHOLE,
) -> ViewRequest:
    """Return the view that would help most: a part of the picture, a lean and a distance that are missing most.

    It is none that is there already.

    Args:
        aspects: the views so far.
        scope: the board and the picture.
        parameters: (9,) of the lens as far as it is known.
        model: the lens's.
        unwanted: other views that are not asked for.

    """
    coverage = count_coverage(aspects, scope)
    sides: list[BoardSide | None] = [*sorted(BoardSide, key=lambda side: coverage.sides[side])]
    if coverage.views % 3 == 0 and min(coverage.sides.values()) >= EACH_SIDE:
        sides.insert(0, None)  # a lean is never useless, but flat is worth a look, too
    cells = sorted(range(COLUMNS * ROWS), key=lambda cell: _rank_cell(cell, coverage))
    distances = sorted(BoardDistance, key=lambda distance: coverage.distances[distance])
    asks = [ViewRequest(cell=c, side=s, distance=d) for d in distances for s in sides for c in cells]
    return next((ask for ask in asks if not _is_covered(ask, [*aspects, *unwanted], scope, parameters, model)), asks[0])


def _rank_cell(cell: int, coverage: ViewCoverage) -> tuple[bool, int, int]:
    """Return what puts a part of the picture before others: that it is bare, at the rim, seen little."""
    ends = (cell % COLUMNS in {0, COLUMNS - 1}) + (cell // COLUMNS in {0, ROWS - 1})
    return (
        cell not in coverage.uncovered_cells,
        -ends if cell in coverage.uncovered_cells else 0,
        coverage.cells[cell],
    )


def _is_covered(
    ask: ViewRequest, aspects: Sequence[ViewAspect], scope: ViewScope, parameters: Floats, model: LensModel
) -> bool:
    view = BoardView(name="", points_mm=scope.outline_mm, points_px=locate_target_px(ask, scope, parameters, model))
    aspect = find_aspect(view, scope, parameters, model)
    return aspect is None or find_similar_view(aspect, aspects, scope.image_size) is not None


def locate_target_px(
    ask: ViewRequest, scope: ViewScope, parameters: Floats, model: LensModel = LensModel.PINHOLE
) -> Floats:
    """Return (4, 2) where the board's corners would be in the view that is asked for, all inside of the picture.

    Args:
        ask: what is asked for.
        scope: the board and the picture.
        parameters: (9,) of the lens as far as it is known.
        model: the lens's.

    """
    width, height = scope.image_size
    share = 0.9 * scope.far_share if ask.distance is BoardDistance.FAR else 1.12 * scope.near_share
    x, y = (0.0, 0.0) if ask.side is None else TOWARD[ask.side]
    # The edge in the direction (x, y) comes nearer: a turn about the axis across it.
    lean = np.array([-y, x, 0.0]) * ASKED_LEAN_RAD
    column, row = ask.cell % COLUMNS, ask.cell // COLUMNS
    aim_px = np.array([_choose_aim(column, COLUMNS) * width, _choose_aim(row, ROWS) * height])
    fx, fy, cx, cy = parameters[:4]
    room_px = np.array([[MARGIN * width] * 2, [width - MARGIN * width, height - MARGIN * width]])
    outline_px = np.zeros((4, 2))
    for _ in range(12):
        depth_mm = math.sqrt(fx * fy) * math.hypot(*scope.board_mm) / (share * min(width, height))
        middle_mm = depth_mm * (
            np.array([(aim_px[0] - cx) / fx, (aim_px[1] - cy) / fy, 1.0])
            if model is LensModel.PINHOLE
            else unproject(aim_px, parameters, model)[0]
        )
        turn = np.asarray(cv2.Rodrigues(lean)[0], dtype=np.float64)
        shift = middle_mm - turn @ scope.outline_mm.mean(axis=0)
        outline_px, _ = project(scope.outline_mm, np.concatenate([lean, shift, parameters]), model)
        under, over = room_px[0] - outline_px.min(axis=0), outline_px.max(axis=0) - room_px[1]
        if max(under.max(), over.max()) < 1:
            break
        if (under + over > 0).any():  # it is larger than the picture
            share *= 0.93
        aim_px = aim_px + np.maximum(under, 0) - np.maximum(over, 0)
    return outline_px


def _choose_aim(at: int, of: int) -> float:
    """Return where to aim along one axis, as a share of the picture: right at the rim for what is at the rim."""
    return 0.0 if at == 0 else 1.0 if at == of - 1 else (at + 0.5) / of
