"""The camera's place and the lens, beside OpenCV's own solvers: another program's answer to the same correspondences.

Corners are made by projection, with noise; every figure is a distance on the table at places that no anchor touches.
"""

import time
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.design_prediction import TableDesign, assume_calibrated, predict_camera
from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.solve import solve_lens
from calibration.spaces import CameraOverTable, Lens, project
from calibration.table.camera_pose import guess_lens, solve_table
from tests.vision.synthetic_camera import ANCHORS, CAMERA, IMAGE_SIZE

Floats = NDArray[np.float64]

DRAWS = 40
SIGMA_PX = 0.05
SQUARES_MM = np.array([anchor.square_mm for anchor in ANCHORS])
PLACES = np.array([(x, y, 0.0) for x in (100.0, 500.0, 1000.0, 1400.0) for y in (100.0, 500.0, 1000.0)])
PIXELS = CAMERA.image_from_table(PLACES)
BOARD = np.array([(25.0 * c, 25.0 * r, 0.0) for r in range(7) for c in range(10)])


def run() -> list[str]:
    """Return what both solvers make of the same corners."""
    known = assume_calibrated(CAMERA.lens)
    exact = replace(known, covariance=1e-12 * known.covariance)
    return [
        f"{len(ANCHORS)} anchors, corners off by {SIGMA_PX} px, {DRAWS} draws: root mean square error on the table, mm",
        _compare_solvers("lens known exactly", exact, _solve_by_pose),
        _compare_solvers("lens known as a calibration tells it", known, _solve_by_pose),
        _compare_solvers("lens not known", guess_lens(IMAGE_SIZE), _solve_by_calibration),
        *_compare_lens_sigmas(),
    ]


Rival = Callable[[Lens, Floats], CameraOverTable]


def _compare_solvers(what: str, lens: Lens, rival: Rival) -> str:
    rng = np.random.default_rng(3)
    squares_px = CAMERA.image_from_table(SQUARES_MM.reshape(-1, 3)).reshape(-1, 4, 2)
    ours, theirs, apart, nees = list[Floats](), list[Floats](), list[Floats](), list[Floats]()
    spent_ms = np.zeros((2, DRAWS))
    drawn = lens.covariance[0, 0] < (0.01 * lens.parameters[0]) ** 2
    for draw in range(DRAWS):
        told = (
            replace(lens, parameters=rng.multivariate_normal(CAMERA.lens.parameters, lens.covariance))
            if drawn
            else lens
        )
        noisy = squares_px + rng.normal(0, SIGMA_PX, squares_px.shape)
        began = time.perf_counter()
        camera = solve_table(lens=told, squares_mm=SQUARES_MM, squares_px=noisy)
        between = time.perf_counter()
        other = rival(told, noisy)
        spent_ms[:, draw] = 1e3 * (between - began), 1e3 * (time.perf_counter() - between)
        mine, their = (c.table_from_image(PIXELS, 0.0) for c in (camera, other))
        off = mine - PLACES[:, :2]
        ours.append(off)
        theirs.append(their - PLACES[:, :2])
        apart.append(mine - their)
        stated = predict_camera(_make_setting(camera, lens)).covariance_mm2(PLACES)
        nees.append(np.einsum("ni,nij,nj->n", off, np.linalg.inv(stated), off) / 2)
    return (
        f"{what:<38} ours {_rms(ours):.3f} ({np.median(spent_ms[0]):.1f} ms), OpenCV {_rms(theirs):.3f}"
        f" ({np.median(spent_ms[1]):.1f} ms), apart {_rms(apart):.3f}; our error over our sigma, mean square"
        f" {np.mean(nees):.2f}"
    )


def _make_setting(camera: CameraOverTable, lens: Lens) -> TableDesign:
    return TableDesign(
        camera=camera, lens=lens, squares_mm=SQUARES_MM, sigma_px=SIGMA_PX, width_mm=1524.0, depth_mm=1118.0
    )


def _solve_by_pose(lens: Lens, squares_px: Floats) -> CameraOverTable:
    _, turn, shift = cv2.solvePnP(
        SQUARES_MM.reshape(-1, 3),
        squares_px.reshape(-1, 1, 2),
        lens.matrix,
        lens.distortion,
        flags=cv2.SOLVEPNP_ITERATIVE,
    )
    turn, shift = cv2.solvePnPRefineLM(
        SQUARES_MM.reshape(-1, 3), squares_px.reshape(-1, 1, 2), lens.matrix, lens.distortion, turn, shift
    )
    return replace(CAMERA, lens=lens, rotation=np.ravel(turn), translation_mm=np.ravel(shift))


def _solve_by_calibration(lens: Lens, squares_px: Floats) -> CameraOverTable:
    """One view of the table as OpenCV would calibrate it: square pixels, nothing else held."""
    flags = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_ASPECT_RATIO
    _, matrix, distortion, turns, shifts = cv2.calibrateCamera(
        [SQUARES_MM.reshape(-1, 3).astype(np.float32)],
        [squares_px.reshape(-1, 1, 2).astype(np.float32)],
        IMAGE_SIZE,
        lens.matrix,
        np.zeros(5),
        flags=flags,
    )
    found = np.asarray(matrix, dtype=np.float64)
    parameters = np.array([found[0, 0], found[1, 1], found[0, 2], found[1, 2], *np.ravel(distortion)[:5]])
    return replace(
        CAMERA,
        lens=replace(lens, parameters=parameters),
        rotation=np.asarray(turns[0], dtype=np.float64).ravel(),
        translation_mm=np.asarray(shifts[0], dtype=np.float64).ravel(),
    )


def _compare_lens_sigmas() -> list[str]:
    """Standard deviations of a lens from board views, ours and OpenCV's own."""
    rng = np.random.default_rng(4)
    views: list[BoardView] = []
    while len(views) < 14:
        pose = np.concatenate([rng.normal(0, 0.35, 3), rng.uniform(-250, 50, 2), rng.uniform(350, 700, 1)])
        pixels, _ = project(BOARD, np.concatenate([pose, CAMERA.lens.parameters]))
        inside = (pixels > 0).all(axis=1) & (pixels < IMAGE_SIZE).all(axis=1)
        if inside.sum() > 40:
            noisy = pixels[inside] + rng.normal(0, 0.15, (int(inside.sum()), 2))
            views.append(BoardView(name=str(len(views)), points_mm=BOARD[inside], points_px=noisy))
    fit = solve_lens(views, IMAGE_SIZE)
    _, matrix, distortion, _, _, stated, _, _ = cv2.calibrateCameraExtended(
        [view.points_mm.astype(np.float32) for view in views],
        [view.points_px.astype(np.float32) for view in views],
        IMAGE_SIZE,
        np.eye(3),
        np.zeros(5),
    )
    found = np.asarray(matrix, dtype=np.float64)
    theirs = np.array([found[0, 0], found[1, 1], found[0, 2], found[1, 2], *np.ravel(distortion)[:5]])
    sigma = np.sqrt(np.diag(fit.lens.covariance))
    ratio = np.ravel(stated)[:9] / sigma
    apart = np.abs(fit.lens.parameters - theirs) / sigma
    spread = f"{ratio.min():.2f} to {ratio.max():.2f}"
    return [
        (
            f"lens from {len(views)} views: OpenCV's standard deviations are {spread} of ours, its parameters at most"
            f" {apart.max():.3f} sigma from ours"
        )
    ]


def _rms(off_mm: list[Floats]) -> float:
    return float(np.sqrt(np.mean(np.sum(np.square(off_mm), axis=-1))))
