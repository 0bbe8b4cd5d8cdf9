"""What views of a board cover of what a lens is to be known by, what is missing, and what to show next.

A lens is known where corners were seen, its focal length from boards that lean, and leans tell the more the more
different they are.  So three things are counted: the parts of the picture, the edge of the board that was nearest to
the camera, and how large the board would be seen face on.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.aspects import (
    COLUMNS,
    EACH_SIDE,
    ROWS,
    TOWARD,
    Aspect,
    Coverage,
    Distance,
    Scope,
    Side,
    aspect_of,
    coverage_of,
    same_as,
)
from calibration.lens import BoardView
from calibration.spaces import Floats, project

ASKED_LEAN_RAD = math.radians(28)
MARGIN = 0.015
"""A board that is asked for at the rim keeps so much from it, as a share of the picture's width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The view that would help most now."""

    cell: int
    side: Side | None
    """None: any way, and so flat to the camera."""
    distance: Distance


def next_ask(aspects: Sequence[Aspect], scope: Scope, parameters: Floats, unwanted: Sequence[Aspect] = ()) -> Ask:
    """Return the view that would help most: a part of the picture, a lean and a distance that are missing most.

    It is none that is there already.

    Args:
        aspects: the views so far.
        scope: the board and the picture.
        parameters: (9,) of the lens as far as it is known.
        unwanted: other views that are not asked for.

    """
    coverage = coverage_of(aspects, scope)
    sides: list[Side | None] = [*sorted(Side, key=lambda side: coverage.sides[side])]
    if coverage.views % 3 == 0 and min(coverage.sides.values()) >= EACH_SIDE:
        sides.insert(0, None)  # a lean is never useless, but flat is worth a look, too
    cells = sorted(range(COLUMNS * ROWS), key=lambda cell: _worth(cell, coverage))
    distances = sorted(Distance, key=lambda distance: coverage.distances[distance])
    asks = [Ask(cell=c, side=s, distance=d) for d in distances for s in sides for c in cells]
    return next((ask for ask in asks if not _is_there(ask, [*aspects, *unwanted], scope, parameters)), asks[0])


def _worth(cell: int, coverage: Coverage) -> tuple[bool, int, int]:
    """Return what puts a part of the picture before others: that it is bare, at the rim, seen little."""
    ends = (cell % COLUMNS in {0, COLUMNS - 1}) + (cell // COLUMNS in {0, ROWS - 1})
    return (cell not in coverage.bare, -ends if cell in coverage.bare else 0, coverage.cells[cell])


def _is_there(ask: Ask, aspects: Sequence[Aspect], scope: Scope, parameters: Floats) -> bool:
    shown = BoardView(name="", points_mm=scope.outline_mm, points_px=target_px(ask, scope, parameters))
    aspect = aspect_of(shown, scope, parameters)
    return aspect is None or same_as(aspect, aspects, scope.image_size) is not None


def target_px(ask: Ask, scope: Scope, parameters: Floats) -> Floats:
    """Return (4, 2) where the board's corners would be in the view that is asked for, all inside of the picture.

    Args:
        ask: what is asked for.
        scope: the board and the picture.
        parameters: (9,) of the lens as far as it is known.

    """
    width, height = scope.image_size
    share = 0.9 * scope.far_share if ask.distance is Distance.FAR else 1.12 * scope.near_share
    x, y = (0.0, 0.0) if ask.side is None else TOWARD[ask.side]
    # The edge in the direction (x, y) comes nearer: a turn about the axis across it.
    lean = np.array([-y, x, 0.0]) * ASKED_LEAN_RAD
    column, row = ask.cell % COLUMNS, ask.cell // COLUMNS
    aim_px = np.array([_aim(column, COLUMNS) * width, _aim(row, ROWS) * height])
    fx, fy, cx, cy = parameters[:4]
    room_px = np.array([[MARGIN * width] * 2, [width - MARGIN * width, height - MARGIN * width]])
    outline_px = np.zeros((4, 2))
    for _ in range(12):
        depth_mm = math.sqrt(fx * fy) * math.hypot(*scope.board_mm) / (share * min(width, height))
        middle_mm = depth_mm * np.array([(aim_px[0] - cx) / fx, (aim_px[1] - cy) / fy, 1.0])
        turn = np.asarray(cv2.Rodrigues(lean)[0], dtype=np.float64)
        shift = middle_mm - turn @ scope.outline_mm.mean(axis=0)
        outline_px, _ = project(scope.outline_mm, np.concatenate([lean, shift, parameters]))
        under, over = room_px[0] - outline_px.min(axis=0), outline_px.max(axis=0) - room_px[1]
        if max(under.max(), over.max()) < 1:
            break
        if (under + over > 0).any():  # it is larger than the picture
            share *= 0.93
        aim_px = aim_px + np.maximum(under, 0) - np.maximum(over, 0)
    return outline_px


def _aim(at: int, of: int) -> float:
    """Return where to aim along one axis, as a share of the picture: right at the rim for what is at the rim."""
    return 0.0 if at == 0 else 1.0 if at == of - 1 else (at + 0.5) / of
