"""Corner refinement: the corners of decoded tags to a few hundredths of a pixel, by fitting the whole printed pattern.

The detector finds a tag by the four edges of its black square.  Once its id is known, so is every cell of its pattern,
and every edge between a black cell and a white one says where the tag lies.  The fit is Baker and Matthews' inverse
compositional alignment (IJCV 56, 2004): the picture is sampled on a grid in the tag's frame and compared with the
blurred pattern.  Free are the four corners, the blur and the light; what no pattern explains, such as a finger over a
corner, loses its weight and is counted.  Of what moves, the way that it goes while the shutter is open is free in place
of the blur: the pattern is smeared alike to both sides of where it is in the middle of the exposure.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.tag36h11 import INNER, MODULES, find_white_modules
from vision.types import TagDetection, TagFit

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

SAMPLES = (32, 56, 80)
"""Samples along each side of the grid, for small and for large tags: about one a pixel; all multiples of BLOCKS."""
REACH = 4.6
"""Half the grid's side in cells: the black square, and as much of the white rim as its edge needs."""
FIRST_ROUND_SHARE = 5 / 8
"""Of the samples along each side: the first of two rounds only has to come near."""
USUAL_BLUR_PX = 0.7
BLURS_PX = (0.3, 4.0)
LEAST_SMEAR_PX, MOST_SMEARED_CELLS = 0.2, 4.5
"""Beyond this nothing is left of a pattern."""
MOMENTS = (3, 5, 7, 9)
MOMENT_PX = 1.4
"""What is smeared is drawn at moments about so far apart."""
OUTLIER_SHARE = 0.15
"""A sample that is off by this share of the contrast has half its weight."""
MISMATCH_SHARE = 0.3
"""A sample that is off by more than this share of the contrast shows something else than the tag."""
BLOCKS = 8
"""Blocks along each side of the grid: about a cell each."""
LEAST_NOISE = 0.5
"""Grey levels; a picture of whole numbers knows no less."""
LEAST_CONTRAST = 12.0
"""Grey levels between black and white below which a pattern is not a tag."""
FARTHEST_CELLS = 1.0
"""A fit that leaves the detected corners by more has lost its hold."""

NOISE_SHARE = 0.5
"""Share of a fit's variance that is another in each picture, where nothing tells how noisy pictures are."""
CORNERS = np.array([[-4.0, -4.0], [4.0, -4.0], [4.0, 4.0], [-4.0, 4.0]])
"""Of the black square in cells, in the order of TagDetection."""
_X, _Y, _ONE, _NONE = *CORNERS.T / 4, np.ones(4), np.zeros(4)
_BY_ENTRIES = np.stack(
    [
        np.stack([_X, _Y, _ONE, _NONE, _NONE, _NONE, -_X * _X, -_X * _Y], axis=1),
        np.stack([_NONE, _NONE, _NONE, _X, _Y, _ONE, -_X * _Y, -_Y * _Y], axis=1),
    ],
    axis=1,
).reshape(8, 8)
"""How a homography's entries carry x and y of each corner along, in cells; it takes corners to be at 1 and -1."""
EDGES = np.arange(-4.0, 5.0, dtype=np.float32)
"""Where cells meet, along each axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SamplingGrid:
    """Where a tag is sampled, in its own frame."""

    along: Singles
    """(k,) along each axis, cells."""
    places: Singles
    """(3, k * k) x, y and 1 of each sample, cells."""


def refine_corners(
    grey: NDArray[np.uint8],
    detections: Sequence[TagDetection],
    noise: float | None = None,
    *,
    smears_px: Mapping[int, complex] | None = None,
    blur_px: float = USUAL_BLUR_PX,
) -> list[TagFit]:
    """Fit each detected tag's pattern to the picture.

    Tags are left out that reach out of the picture, have no contrast, or whose pattern does not hold at the place.

    Args:
        grey: (height, width) picture.
        detections: what the detector found in it.
        noise: standard deviation of a pixel from picture to picture, grey levels; None where it is not known.
        smears_px: by tag that moves, about how far it goes to the right, and down, while the shutter is open.
        blur_px: the usual blur of what does not move.

    """
    corners_px = np.array([tag.corners_px for tag in detections]).reshape(-1, 4, 2)
    inside = _find_inside(corners_px, grey)
    cells_px = _measure_cells_px(corners_px)
    least_samples = 0.85 * 2 * REACH * cells_px
    limits_px = {tag.tag: MOST_SMEARED_CELLS * cell_px for tag, cell_px in zip(detections, cells_px, strict=True)}
    smears = {tag: way for tag, way in (smears_px or {}).items() if abs(way) < limits_px.get(tag, 0.0)}
    alike: dict[int, list[TagDetection]] = {}
    for tag, least in zip(compress(detections, inside), least_samples[inside], strict=True):
        sample_count = next((samples for samples in SAMPLES if samples > least), SAMPLES[-1])
        alike.setdefault(sample_count, []).append(tag)
    return [
        fit
        for samples, tags in alike.items()
        for fit in _fit_patterns(
            grey, tags, samples, noise, smears_px=np.array([smears.get(tag.tag, 0j) for tag in tags]), usual_px=blur_px
        )
    ]


@cache
def _list_moments(count: int) -> tuple[Singles, Singles]:
    """Return when a smeared pattern is drawn, from -1 to 1 while the shutter is open, and the share of each moment.

    These are the nodes and weights of Gauss and Legendre, as Golub and Welsch find them (Mathematics of Computation 23,
    1969); what does not go on is drawn once.  Moments that are not drawn fill both up to the most: their share is 0.
    """
    number = np.arange(1, count)
    beside = number / np.sqrt(4 * number**2 - 1.0)
    since, vectors = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
    left = (0, MOMENTS[-1] - count)
    return np.pad(since, left).astype(np.float32), np.pad(vectors[0] ** 2, left).astype(np.float32)


def _count_moments(smear_px: float) -> int:
    return next((count for count in MOMENTS if count > 1 + smear_px / MOMENT_PX), MOMENTS[-1]) if smear_px else 1


def _fit_patterns(
    grey: NDArray[np.uint8],
    detections: list[TagDetection],
    sample_count: int,
    noise: float | None,
    *,
    smears_px: NDArray[np.complex128],
    usual_px: float,
) -> list[TagFit]:
    """Fit tags of about one size; those whose smear is not 0 by that, and blurred as is usual, the others by a blur."""
    start = np.array([tag.corners_px for tag in detections])
    steps = np.array([_find_steps(tag.tag) for tag in detections])
    cell_px = _measure_cells_px(start)
    smear_px = np.abs(smears_px)
    is_smeared = smear_px > 0
    moments = np.array([_count_moments(way_px) for way_px in smear_px.tolist()])
    blur_px = np.where(is_smeared, usual_px, USUAL_BLUR_PX)
    ahead = _find_ways(start, smears_px)
    corners, shades = start, np.empty((0, 5))
    for grid in (_build_grid(round(FIRST_ROUND_SHARE * sample_count)), _build_grid(sample_count)):
        blur, way = blur_px / cell_px, ahead * smear_px[:, None]
        template = _build_templates(steps, blur, way, moments, grid)
        rows = np.empty((len(start), 14, grid.places.shape[1]), dtype=np.float32)
        light = _fill_light(rows[:, 9:], template[0], grid)
        image_from_tag = solve_homographies(corners)
        samples = _sample(grey, image_from_tag, grid)
        if not len(shades):
            shades = _solve(light, light, samples)[0]
        _fill_slopes(rows[:, :9], template, shades, grid)
        residuals = samples - (shades[:, None].astype(np.float32) @ light)[:, 0]
        contrast = np.maximum(shades[:, 1, None], 1.0).astype(np.float32)
        weight = 1 / (1 + (residuals / (OUTLIER_SHARE * contrast)) ** 2)
        if is_smeared.any():
            weight[is_smeared] *= _find_white_rim(way[is_smeared], blur[is_smeared], grid)
        weighted = rows * weight[:, None]
        step, information = _solve(rows, weighted, residuals)
        off_cells = (step[:, :8] @ _BY_ENTRIES.T).reshape(-1, 4, 2)
        corners = warp_points(image_from_tag, CORNERS - np.clip(off_cells, -1.0, 1.0))
        shades = shades + step[:, 9:]
        wider = np.exp(np.clip(step[:, 8], -0.7, 0.7))
        farther_px = np.clip(smear_px * wider, LEAST_SMEAR_PX, MOST_SMEARED_CELLS * cell_px)
        smear_px = np.where(is_smeared, farther_px, 0.0)
        blur_px = np.where(is_smeared, blur_px, np.clip(blur_px * wider, *BLURS_PX))
    residuals -= (step[:, None].astype(np.float32) @ rows)[:, 0]
    inverse = np.asarray(np.linalg.inv(information), dtype=np.float64)
    covariance = _estimate_covariance(weighted, residuals, information, inverse)[:, :8, :8]
    noise_covariance = NOISE_SHARE * covariance
    if noise is not None:
        # Samples closer together than pixels tell nothing more.
        crowding = np.maximum(1.0, len(grid.along) / (2 * REACH * cell_px)) ** 2
        # An array times itself would be slow: BLAS has a way for it that pays for large ones only.
        weighted *= weight[:, None]
        spread = (weighted @ rows.transpose(0, 2, 1)).astype(np.float64)
        spread *= (noise**2 * crowding)[:, None, None]
        noise_covariance = (inverse @ spread @ inverse)[:, :8, :8]
    local = _compute_jacobian(corners) @ _BY_ENTRIES
    covariance_px2, noise_px2 = (local @ c @ local.transpose(0, 2, 1) for c in (covariance, noise_covariance))
    unexplained = np.sqrt((weight * residuals**2).mean(axis=1))
    astray = (np.abs(residuals) > MISMATCH_SHARE * np.abs(contrast)).mean(axis=1)
    off_px = np.linalg.norm(corners - start, axis=2).max(axis=1)
    is_fitted = (contrast[:, 0] > LEAST_CONTRAST) & (off_px < FARTHEST_CELLS * cell_px)
    is_fitted &= np.isfinite(covariance_px2).all(axis=(1, 2))
    return [
        TagFit(
            tag=tag.tag,
            corners_px=corners[i],
            covariance_px2=covariance_px2[i],
            noise_px2=noise_px2[i],
            astray=float(astray[i]),
            unexplained=float(unexplained[i]),
            blur_px=float(blur_px[i]),
            smear_px=float(smear_px[i]),
        )
        for i, tag in enumerate(detections)
        if is_fitted[i]
    ]


def _find_inside(corners_px: Floats, grey: NDArray[np.uint8]) -> NDArray[np.bool_]:
    height, width = grey.shape
    return np.asarray(((corners_px > 2) & (corners_px < (width - 3, height - 3))).all(axis=(1, 2)))


def _measure_cells_px(corners_px: Floats) -> Floats:
    """(n,) the usual width of a cell, px."""
    sides_px = corners_px[:, [1, 2, 3, 0]] - corners_px
    return np.asarray(np.hypot(sides_px[..., 0], sides_px[..., 1]).sum(axis=1) / 32)


@cache
def _build_grid(samples: int) -> _SamplingGrid:
    along = ((np.arange(samples) + 0.5) * (2 * REACH / samples) - REACH).astype(np.float32)
    x, y = np.array(np.meshgrid(along, along, indexing="ij")).reshape(2, -1)
    return _SamplingGrid(along=along, places=np.array([x, y, np.ones_like(x)]))


@cache
def _find_steps(tag: int) -> Singles:
    """(9, 9) what each inner crossing of cell borders, by x and y, adds to the pattern beyond it."""
    cells = np.ones((MODULES, MODULES), dtype=np.float32)
    cells[1 : INNER + 1, 1 : INNER + 1] = find_white_modules(tag)[::-1].T  # rows go down, y goes up
    return np.diff(np.diff(cells, axis=0), axis=1)


def _build_templates(
    steps: Singles, blur: Floats, way: Floats, moments: NDArray[np.intp], grid: _SamplingGrid
) -> Singles:
    """(4, n, m) the blurred patterns at the samples, and their slopes by x, by y and by what is free of their edges.

    That is the logarithm of the blur or, of tags that are drawn at several moments, of the (n, 2) cells that they go on
    meanwhile.  ``tanh`` stands for the error function: no lens is so exactly Gaussian that the difference would show.
    """
    count, along, most, half = len(steps), len(grid.along), moments.max(), np.float32(0.5)
    since, share = (np.array(each)[:, :most] for each in zip(*map(_list_moments, moments.tolist()), strict=True))
    sharpness = (0.8 / blur).astype(np.float32)[:, None, None, None, None]
    gone = half * way.astype(np.float32)[..., None, None, None] * since[:, None, None, :, None]
    # By tag, axis, sample, moment and border of cells: all moments are added up in one product.
    off = grid.along[:, None, None] - gone - EDGES
    edges = np.empty((count, 2, 3, along, most, len(EDGES)), dtype=np.float32)
    level, slope, free = edges.transpose(2, 0, 1, 3, 4, 5)
    np.tanh(sharpness * off, out=slope)
    np.multiply(slope, half, out=level)
    level += half
    np.multiply(level, 1 - level, out=slope)
    slope *= 2 * sharpness
    np.multiply(slope, -np.where((moments > 1)[:, None, None, None, None], gone, off), out=free)
    edges[:, 1] *= share[:, None, None, :, None]
    by_x = (edges[:, 0].reshape(count, -1, len(EDGES)) @ steps).reshape(count, 3 * along, -1)
    by_y = edges[:, 1].reshape(count, 3 * along, -1).transpose(0, 2, 1)
    drawn = np.empty((4, count, along**2), dtype=np.float32)
    first = (by_x @ by_y[:, :, :along]).reshape(count, 3, -1)
    across, freed = ((by_x[:, :along] @ by_y[:, :, at : at + along]).reshape(count, -1) for at in (along, 2 * along))
    np.add(first[:, 0], 1, out=drawn[0])
    drawn[1], drawn[2] = first[:, 1], across
    np.add(first[:, 2], freed, out=drawn[3])
    return drawn


def _find_ways(corners_px: Floats, smears_px: NDArray[np.complex128]) -> Floats:
    """(n, 2) how many cells tags go along their own axes for each px of ways through the picture; 0 for no way."""
    right, up = (
        corners_px[:, [1, 3]] - corners_px[:, [0, 0]] + corners_px[:, [2, 2]] - corners_px[:, [3, 1]]
    ).transpose(1, 0, 2) / 16
    unit = smears_px / np.maximum(np.abs(smears_px), 1e-9)
    area = right[:, 0] * up[:, 1] - right[:, 1] * up[:, 0]
    by_x, by_y = unit.real * up[:, 1] - unit.imag * up[:, 0], unit.imag * right[:, 0] - unit.real * right[:, 1]
    return np.stack([by_x / area, by_y / area], axis=1)


def _find_white_rim(smear: Floats, blur: Floats, grid: _SamplingGrid) -> Singles:
    """(n, m) which samples show nothing but the print all the while that it goes (n, 2) cells on: 1 or 0."""
    farthest = MODULES / 2 - np.abs(smear) / 2 - blur[:, None]
    inside = np.abs(grid.places[:2].T) < farthest[:, None]
    return np.asarray(inside.all(axis=2), dtype=np.float32)


def _fill_light(light: Singles, blurred: Singles, grid: _SamplingGrid) -> Singles:
    """Set (n, 5, m) what the light may do: black, white, a bend between them (ink, gamma), a slope across the tag."""
    x, y = grid.places[:2] / 8
    light[:, 0], light[:, 1] = 1, blurred
    for row, part in ((2, 1 - blurred), (3, x), (4, y)):
        np.multiply(blurred, part, out=light[:, row])
    return light


def _fill_slopes(slopes: Singles, template: Singles, shades: Floats, grid: _SamplingGrid) -> None:
    """Set (n, 9, m) derivatives of the picture by a homography's entries, and by the logarithm of the blur."""
    blurred, by_x, by_y, by_blur = template
    x, y = grid.places[:2] / 4
    _, white, bend, right, up = shades.astype(np.float32).T[..., None]
    gain = white + bend * (1 - 2 * blurred) + right * x / 2 + up * y / 2
    for first, by_place in ((0, by_x), (3, by_y)):
        np.multiply(gain, by_place, out=slopes[:, first + 2])
        np.multiply(slopes[:, first + 2], x, out=slopes[:, first])
        np.multiply(slopes[:, first + 2], y, out=slopes[:, first + 1])
    outward = slopes[:, 0] + slopes[:, 4]
    np.multiply(outward, -x, out=slopes[:, 6])
    np.multiply(outward, -y, out=slopes[:, 7])
    np.multiply(gain, by_blur, out=slopes[:, 8])


def _solve(rows: Singles, weighted: Singles, left: Singles) -> tuple[Floats, Floats]:
    """Return the weighted least squares solution (n, p) and its information (n, p, p)."""
    information = (weighted @ rows.transpose(0, 2, 1)).astype(np.float64)
    pull = (weighted @ left[..., None]).astype(np.float64)
    # A trace of damping, so that a featureless patch gives a far step and no error.
    ridge = 1e-7 * np.einsum("nii->ni", information)[:, None] + 1e-9
    return np.linalg.solve(information + ridge * np.eye(information.shape[1]), pull)[..., 0], information


def _estimate_covariance(weighted: Singles, residuals: Singles, information: Floats, inverse: Floats) -> Floats:
    """(n, p, p) of the solution, from what the fit left unexplained.

    Neighbouring samples err together, since what they share is a wrong idea of the lens, a scratch, the edge of a
    light.  Their pull is therefore added up block by block before it is squared: the cluster-robust covariance of Liang
    and Zeger (Biometrika 73, 1986).
    """
    count, parameters, samples = weighted.shape
    along = math.isqrt(samples)
    pulls = (weighted * residuals[:, None]).reshape(-1, along)
    means = cv2.resize(pulls, (BLOCKS, count * parameters * BLOCKS), interpolation=cv2.INTER_AREA)
    blocks = means.reshape(count, parameters, -1).astype(np.float64) * (along / BLOCKS) ** 2
    spread = blocks @ blocks.transpose(0, 2, 1) * (BLOCKS**2 / (BLOCKS**2 - parameters))
    return np.asarray(inverse @ (spread + LEAST_NOISE**2 * information) @ inverse)


def _sample(grey: NDArray[np.uint8], image_from_tag: Floats, grid: _SamplingGrid) -> Singles:
    """(n, m) the picture at the samples of every tag."""
    x, y, depth = (image_from_tag.astype(np.float32) @ grid.places).transpose(1, 0, 2)
    # OpenCV is quicker over a few long rows than over many short ones.
    sampled = cv2.remap(grey, x / depth, y / depth, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(sampled, dtype=np.float32)


def solve_homographies(corners_px: Floats) -> Floats:
    """(n, 3, 3) from the tag's frame, in cells, to the picture, for (n, 4, 2) corners.

    This is Heckbert's closed form for a square (Fundamentals of Texture Mapping, 1989, section 2.2).
    """
    first, second, third, fourth = corners_px.transpose(1, 0, 2)
    right, up, bent = second - third, fourth - third, first - second + third - fourth
    area = right[:, 0] * up[:, 1] - right[:, 1] * up[:, 0]
    g = (bent[:, 0] * up[:, 1] - bent[:, 1] * up[:, 0]) / area
    h = (right[:, 0] * bent[:, 1] - right[:, 1] * bent[:, 0]) / area
    by_x = (second - first + g[:, None] * second) / 8
    by_y = (fourth - first + h[:, None] * fourth) / 8
    matrices = np.empty((len(corners_px), 3, 3))
    matrices[:, :2, 0], matrices[:, :2, 1] = by_x, by_y
    matrices[:, :2, 2] = first + 4 * (by_x + by_y)
    matrices[:, 2, 0], matrices[:, 2, 1], matrices[:, 2, 2] = g / 8, h / 8, 1 + (g + h) / 2
    return matrices


def warp_points(matrices: Floats, points: Floats) -> Floats:
    """Map (n, k, 2) points by (n, 3, 3) homographies."""
    there = points @ matrices[:, :, :2].transpose(0, 2, 1) + matrices[:, None, :, 2]
    return np.asarray(there[..., :2] / there[..., 2:])


def _compute_jacobian(corners_px: Floats) -> Floats:
    """(n, 8, 8) block-diagonal: how each corner moves in the picture with its place in the tag's frame."""
    nudge = 0.01
    matrices = solve_homographies(corners_px)
    right, up = (
        (warp_points(matrices, CORNERS + offset) - corners_px) / nudge
        for offset in np.array([[nudge, 0.0], [0.0, nudge]])
    )
    local = np.zeros((len(corners_px), 8, 8))
    for k in range(4):
        local[:, 2 * k : 2 * k + 2, 2 * k] = right[:, k]
        local[:, 2 * k : 2 * k + 2, 2 * k + 1] = up[:, k]
    return local
