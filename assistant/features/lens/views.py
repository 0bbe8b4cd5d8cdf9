"""Lens views: from a calibration of the lens to what the pages show of it."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.features.lens.state import LensCalibrationState, SolvedLens, describe_ask
from assistant.web.messages import View
from assistant.web.messages.calibration import LensFoundView, LensNeedView, LensShotView, LensView, SightingView
from assistant.web.messages.message import Point
from calibration.lens.view_guidance import (
    ALL_VIEWS,
    CELL_CORNERS,
    COLUMNS,
    EACH_DISTANCE,
    EACH_SIDE,
    ROWS,
    ViewCoverage,
)

Floats = NDArray[np.float64]


def build_lens_view(
    state: LensCalibrationState | None,
    *,
    kept: str,
    left: Sequence[str],
    working: bool,
    virtual: bool,
) -> View:
    """Return what the pages show.

    Args:
        state: the calibration under way, None while there is none.
        kept: what became of its lens, in a sentence.
        left: the boards whose calibration was left.
        working: the last views are still being worked out.
        virtual: a helper holds the board.

    """
    step = "begin" if state is None else "kept" if kept else "enough" if state.enough else "taking"
    coverage, scope = (None, None) if state is None else (state.coverage, state.scope)
    lens = LensView(
        board=state.spec if state else "",
        left=list(left),
        virtual=virtual,
        width_px=scope.image_size[0] if scope else 0,
        height_px=scope.image_size[1] if scope else 0,
        step=step,
        ask=describe_ask(state.ask) if state and state.ask else "",
        target_px=_round_points(state.target_px) if state else [],
        nearer=state.ask.side.value if state and state.ask and state.ask.side else None,
        shots=_build_shots(state) if state else [],
        columns=COLUMNS,
        rows=ROWS,
        covered=[corners >= CELL_CORNERS for corners in coverage.cells] if coverage else [],
        needs=_build_needs(coverage) if coverage else [],
        found=_build_found(state.found) if state and state.found else None,
        working=working,
        trouble=state.unsolved if state else "",
        kept=kept,
    )
    looking = state is not None and step == "taking"
    sighting = _build_sighting(state) if state is not None and looking else None
    return View(lens={"lens": lens}, sighting={"board": sighting} if sighting else {})


def _build_shots(state: LensCalibrationState) -> list[LensShotView]:
    counted = {taken.number for taken in state.counted}
    return [
        LensShotView(number=t.number, outline_px=_round_points(t.aspect.outline_px), counts=t.number in counted)
        for t in state.taken
    ]


def _build_needs(coverage: ViewCoverage) -> list[LensNeedView]:
    covered = COLUMNS * ROWS - len(coverage.uncovered_cells)
    return [
        LensNeedView(label="parts of the picture", have=covered, need=COLUMNS * ROWS),
        *(
            LensNeedView(label=f"{side.value} edge nearer", have=count, need=EACH_SIDE)
            for side, count in coverage.sides.items()
        ),
        *(
            LensNeedView(label=distance.value, have=count, need=EACH_DISTANCE)
            for distance, count in coverage.distances.items()
        ),
        LensNeedView(label="views", have=coverage.views, need=ALL_VIEWS),
    ]


def _build_found(solved: SolvedLens) -> LensFoundView:
    fit = solved.fit
    fx, fy, cx, cy = fit.lens.parameters[:4]
    sigmas = np.sqrt(np.diag(fit.lens.covariance))
    return LensFoundView(
        views=len(fit.views),
        focal_px=round(math.sqrt(fx * fy), 1),
        focal_sigma_px=round(float(sigmas[:2].max()), 2),
        middle_px=(round(float(cx), 1), round(float(cy), 1)),
        middle_sigma_px=round(float(sigmas[2:4].max()), 2),
        rms_px=round(fit.rms_px, 3),
        held_out_px=round(fit.held_out_px, 3),
        typical_mm=round(solved.on_table.typical_mm, 2),
        worst_mm=round(solved.on_table.worst_mm, 2),
        verdict=solved.judgement.level,
        reasons=[reason.sentence for reason in solved.judgement.reasons],
        dropped=[f"{drop.view}: {drop.reason}" for drop in fit.dropped],
    )


def _build_sighting(state: LensCalibrationState) -> SightingView:
    corners_px = state.looks[-1].sighting.view.points_px if state.looks else np.empty((0, 2))
    return SightingView(corners_px=_round_points(corners_px), note=state.note)


def _round_points(points_px: Floats) -> list[Point]:
    return [(round(float(x), 1), round(float(y), 1)) for x, y in points_px]
