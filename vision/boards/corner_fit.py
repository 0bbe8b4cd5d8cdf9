"""Corner fit: a calibration board's corners to hundredths of a pixel, each with its own standard deviation.

Around a corner a board is two straight edges that cross, blurred.  That picture is fitted to as much of the real one as
shows nothing else: so the corner is placed by all of its edges, and how blurred and how noisy they are tells how well.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.bundle_adjustment import BoardView

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

SIDE_SHARE = 0.45
"""Of a square, along its edges, is looked at on either side of a corner."""
MOST_REACH_PX = 14
"""Farther edges tell little more, and are not straight."""
STEPS, MOST_STEP_PX = 8, 0.7
LEAST_BLUR_PX, MOST_BLUR_PX = 0.3, 5.0
MOST_SHIFT_PX = 2.5
"""A fit that ends farther away than this has found something else."""
LEAST_SIGMA_PX, UNFITTED_SIGMA_PX = 0.015, 0.6
"""No corner is placed better; one that no fit places is where it was seen first, this surely."""
LEAST_CONTRAST = 3.0
"""Half of the contrast, in standard deviations of what the fit leaves; less is no corner."""
LEAST_PIXELS = 30
PARAMETERS = 10
"""Of a corner's picture: its place, how its two edges lie and are blurred, and two greys, one of which slopes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patches:
    """The pixels around n corners, k each."""

    at_px: Floats
    """(n, k, 2) from where the corner was seen first."""
    greys: Floats
    """(n, k)."""
    used: Floats
    """(n, k) one where a pixel shows the corner's edges and nothing else, zero elsewhere."""
    normals: Floats
    """(n, 2, 2) unit vectors across the two edges."""


def fit_corners(grey: Grey, view: BoardView, square_mm: float, clear_mm: float) -> BoardView:
    """Return a view with its corners placed anew, and how surely.

    Args:
        grey: the picture.
        view: the corners as a detector found them, to a pixel or two.
        square_mm: edge of the board's squares.
        clear_mm: so far from an edge there is nothing else on the board.

    """
    if len(view.points_mm) < 4:
        return view
    patches = _cut_patches(grey, view, square_mm, clear_mm)
    if patches is None:
        return view
    fitted, variances, contrast, noise = _fit(patches)
    shift = fitted[:, :2]
    good = np.isfinite(fitted).all(axis=1) & (np.linalg.norm(shift, axis=1) < MOST_SHIFT_PX)
    good &= (patches.used.sum(axis=1) >= LEAST_PIXELS) & (np.abs(contrast) > LEAST_CONTRAST * noise)
    sigma_px = np.sqrt(np.where(good, variances, 0.0) + LEAST_SIGMA_PX**2)
    return replace(
        view,
        points_px=view.points_px + np.where(good[:, None], shift, 0.0),
        sigma_px=np.where(good, sigma_px, UNFITTED_SIGMA_PX),
    )


def _cut_patches(grey: Grey, view: BoardView, square_mm: float, clear_mm: float) -> _Patches | None:
    flat = view.points_mm[:, :2]
    found, _ = cv2.findHomography(flat - flat.mean(axis=0), view.points_px, cv2.LMEDS)
    if found is None:
        return None
    homography = np.asarray(found, dtype=np.float64)
    seen = np.column_stack([flat - flat.mean(axis=0), np.ones(len(flat))]) @ homography.T
    steps = (homography[:2, :2] - (seen[:, :2] / seen[:, 2:])[:, :, None] * homography[2, :2]) / seen[:, 2, None, None]
    edges_px = square_mm * np.linalg.norm(steps, axis=1)
    reach = int(min(MOST_REACH_PX, np.ceil(SIDE_SHARE * np.median(edges_px))))
    offsets = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1)] * 2), axis=-1).reshape(-1, 2)
    middles = np.round(view.points_px).astype(int)
    pixels = middles[:, None] + offsets
    height, width = grey.shape
    inside = (pixels >= 0).all(axis=2) & (pixels < (width, height)).all(axis=2)
    clipped = np.clip(pixels, 0, (width - 1, height - 1))
    at_px = pixels - view.points_px[:, None]
    at_mm = np.abs(np.einsum("nij,nkj->nki", np.linalg.inv(steps), at_px))
    near = (at_mm < SIDE_SHARE * square_mm).all(axis=2) & (at_mm.min(axis=2) < clear_mm)
    along = steps / np.linalg.norm(steps, axis=1, keepdims=True)  # columns: along the rows, along the columns
    across = np.stack([_turn(along[:, :, 1]), _turn(along[:, :, 0])], axis=1)
    across *= np.sign(np.einsum("nij,nji->ni", across, along))[:, :, None]
    return _Patches(
        at_px=at_px,
        greys=grey[clipped[..., 1], clipped[..., 0]].astype(np.float64),
        used=(inside & near).astype(np.float64),
        normals=across,
    )


def _turn(vectors: Floats) -> Floats:
    return np.stack([-vectors[:, 1], vectors[:, 0]], axis=1)


def _fit(patches: _Patches) -> tuple[Floats, Floats, Floats, Floats]:
    """(n, 10) parameters, (n,) variances of a coordinate, (n,) half contrasts, and (n,) what is left, grey levels."""
    count = len(patches.greys)
    parameters = np.zeros((count, PARAMETERS))
    parameters[:, 4:6] = 1.0  # blurs
    total = np.maximum(patches.used.sum(axis=1), 1)
    parameters[:, 6] = (patches.used * patches.greys).sum(axis=1) / total
    for _ in range(STEPS):
        apart, slopes = _compare(patches, parameters)
        weighted = _weigh(slopes, patches.used)
        curvature, downhill = weighted @ slopes, (weighted @ apart[:, :, None])[:, :, 0]
        scale = np.sqrt(np.einsum("nii->ni", curvature)) + 1e-9
        scaled = curvature / (scale[:, :, None] * scale[:, None, :]) + 1e-3 * np.eye(PARAMETERS)
        step = np.linalg.solve(scaled, (downhill / scale)[:, :, None])[:, :, 0] / scale
        step[:, :6] = np.clip(step[:, :6], -MOST_STEP_PX, MOST_STEP_PX)
        parameters = parameters + step
        parameters[:, 4:6] = np.clip(parameters[:, 4:6], LEAST_BLUR_PX, MOST_BLUR_PX)
    apart, slopes = _compare(patches, parameters)
    curvature = _weigh(slopes, patches.used) @ slopes
    scale = np.sqrt(np.einsum("nii->ni", curvature)) + 1e-9
    inverse = np.linalg.inv(curvature / (scale[:, :, None] * scale[:, None, :]) + 1e-9 * np.eye(PARAMETERS))
    inverse /= scale[:, :, None] * scale[:, None, :]
    left = (patches.used * apart**2).sum(axis=1) / np.maximum(patches.used.sum(axis=1) - PARAMETERS, 1)
    variances = left * (inverse[:, 0, 0] + inverse[:, 1, 1]) / 2
    return parameters, np.abs(variances), parameters[:, 7], np.sqrt(left)


def _weigh(slopes: Floats, used: Floats) -> Floats:
    """(n, 10, k) for products of matrices, which take far less time than sums over three indices at once."""
    return np.asarray(np.swapaxes(slopes * used[:, :, None], 1, 2))


def _compare(patches: _Patches, parameters: Floats) -> tuple[Floats, Floats]:
    """Return (n, k) seen minus drawn, and (n, k, 10) how what is drawn changes with the parameters."""
    away = patches.at_px - parameters[:, None, :2]
    signs: list[Floats] = []
    slopes: list[Floats] = []
    normals: list[Floats] = []
    farther: list[Floats] = []
    for edge in (0, 1):
        angle, blur = parameters[:, 2 + edge, None], parameters[:, 4 + edge, None]
        level, upright = patches.normals[:, edge], _turn(patches.normals[:, edge])
        normal = np.cos(angle) * level + np.sin(angle) * upright
        reach = np.einsum("nki,ni->nk", away, normal) / blur
        signs.append(_erf(reach / np.sqrt(2)))
        slopes.append(np.sqrt(2 / np.pi) * np.exp(-(reach**2) / 2) / blur)
        normals.append(normal)
        farther.append(np.stack([np.einsum("nki,ni->nk", away, _turn(normal)), -reach], axis=-1))
    contrast = parameters[:, 7, None]
    first, second = contrast * slopes[0] * signs[1], contrast * slopes[1] * signs[0]
    by_place = -first[..., None] * normals[0][:, None] - second[..., None] * normals[1][:, None]
    product = signs[0] * signs[1]
    drawn = parameters[:, 6, None] + contrast * product + np.einsum("nki,ni->nk", patches.at_px, parameters[:, 8:10])
    columns = [by_place, first * farther[0][..., 0], second * farther[1][..., 0]]
    columns += [first * farther[0][..., 1], second * farther[1][..., 1], np.ones_like(product), product, patches.at_px]
    stacked = np.concatenate([column if column.ndim == 3 else column[..., None] for column in columns], axis=2)
    return patches.greys - drawn, stacked


def _erf(x: Floats) -> Floats:
    """Return the error function to 2e-7 (Abramowitz and Stegun 7.1.26)."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.asarray(np.sign(x) * (1 - poly * np.exp(-(x**2))))
