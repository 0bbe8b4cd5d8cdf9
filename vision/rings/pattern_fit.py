"""Pattern fit: a ring's place, facing and size to a few hundredths of a pixel, by fitting its whole band.

`fit_rings(camera, grey, starts)` takes rings that are known to lie about somewhere, and fits each one's word, drawn in
the table's plane at the ring's height and blurred, to what the picture shows there.  As in `tags/corner_refinement.py`
this is Baker and Matthews' inverse compositional alignment (IJCV 56, 2004).  Free are the place, the facing, the size,
the blur, how far a moving ring is smeared along its way, and the light; what the word does not explain, such as a
figure in front, loses its weight and is counted.

The edges between cells carry the place and the facing; the band's own two edges carry the size, by which height is
told.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from vision.rings.cell_evidence import weigh_cells
from vision.rings.enrolled_ring import EnrolledRing
from vision.rings.local_view import map_places, sample_picture
from vision.rings.pattern_drawing import LIGHTS, Patterns, build_grid, count_samples

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

ROUNDS = 6
NO_STEP = (0.02, 0.02, 1e-3, 1e-3)
"""Millimetres, radians and share of the size: a step that is smaller is the last."""
STRIDE = 1.5
"""By how much farther a step of the place and the turn goes than it is solved for: edges that are beside their place
have lost most of their weight, so that it falls short, by a half or so."""
USUAL_BLUR_PX = 0.7
BLURS_PX = (0.3, 4.0)
SMEARED_PX = 2.5
"""A ring that goes farther than this from picture to picture may be smeared while the shutter is open."""
USUAL_SHUTTER, SHUTTERS = 0.4, (0.02, 1.0)
"""Share of the time between two pictures in which the shutter is open: where nothing is known of it, and the bounds."""
OUTLIER_SHARE = 0.15
"""A sample that is off by this share of the contrast has a quarter of its weight."""
HIDDEN_SHARE = 0.25
"""A cell whose samples are off by this share of the contrast, root mean square, shows something else."""
LEAST_NOISE = 0.5
"""Grey levels; a picture of whole numbers knows no less."""
LEAST_CONTRAST = 12.0
"""Grey levels between dark and light below which a pattern is not a ring's."""
SHOWN_QUANTILES = (0.03, 0.15, 0.85, 0.97)
"""Of a band's samples: the darkest, about where dark and light are, and the brightest."""
MOST_SPAN = 1.6
"""Dark and light are apart by at most so many times what a band's brightest and darkest samples are: single cells of
two pixels, blurred along and across, show no more of it."""
LEAST_FADING, LEAST_SPAN = 0.5, 1e-3
"""What is smeared shows no smaller share of that than this: where it would, nothing can be read."""
LEAST_HOLD = 0.3
"""Share of its weights by which a fit is held at the least."""
FARTHEST_CELLS = 1.5
"""A fit that leaves its start by more has lost its hold."""
NOISE_SHOWN = np.sqrt([1.0, 1.0, 1.0, 0.65])
"""Share of pixels' noise, a standard deviation, that the place, the turn and the size show.  Samples between pixels
have less of it than pixels: of white noise 0.55 to 0.96 of the variance is seen in all four.  In films the first three
show all of it for all that, as if cells that are covered in part, which lose and gain weight from picture to picture,
made up for it; the size shows 0.62 to 0.69."""
NOISE_SHARE = 0.5
"""Share of a fit's variance that is another in each picture, where nothing tells how noisy pictures are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingStart:
    """About where a ring lies."""

    ring: EnrolledRing
    x_mm: float
    y_mm: float
    facing_rad: float
    """The ring's own middle and facing, not the base's; to a third of a cell."""
    surface_mm: float = 0.0
    """Height of what the base stands on."""
    step_mm: complex = 0j
    """How far it goes from picture to picture, on the table."""
    shutter: float = USUAL_SHUTTER
    """Share of that in which the shutter is open, to begin with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingFit:
    """A ring whose whole pattern has been fitted to the picture."""

    ring: EnrolledRing
    surface_mm: float
    """Height of what the base was taken to stand on."""
    x_mm: float
    y_mm: float
    facing_rad: float
    """The ring's own middle and facing on the table, at the height that was assumed."""
    scale: float
    """Apparent size over true size."""
    covariance: Floats
    """(4, 4) of x_mm, y_mm, facing_rad and scale, from what the fit leaves unexplained."""
    noise: Floats
    """(4, 4) what of it is another in each picture."""
    light: Singles
    """(cells,) nats for each cell's being light, and below."""
    dark: Singles
    """(cells,) for its being dark; see cell_evidence."""
    evidence: float
    """Nats for the word, all cells together."""
    seen: float
    """Share of the cells that are seen."""
    contradicted: float
    """Share of the cells that are seen to be of the other kind."""
    unexplained: float
    """Root mean square of what the word does not explain where it is seen, grey levels."""
    contrast: float
    """Grey levels between dark and light."""
    blur_px: float
    """Standard deviation of the blur."""
    px_per_mm: float
    step_mm: complex
    """How far it was taken to go from picture to picture; 0 where it is not smeared."""
    shutter: float
    """Share of that in which the shutter is open; where it is not smeared, as it was taken to be."""


@dataclass(slots=True, kw_only=True)
class _State:
    """What has been found of n rings."""

    middle: NDArray[np.complex128]
    facing_rad: Floats
    scale: Floats
    blur_px: Floats
    step_mm: NDArray[np.complex128]
    """What goes on to the next picture; 0 where it is too little to smear a ring."""
    shutter: Floats
    """Share of that in which the shutter is open."""
    shades: Floats
    """(n, LIGHTS)"""

    @property
    def smear_mm(self) -> NDArray[np.complex128]:
        """(n,) half of the way that is gone while the shutter is open, in the rings' frames."""
        return np.asarray(self.step_mm * self.shutter * np.exp(-1j * self.facing_rad) / 2)

    def advance(self, step: Floats, turn: NDArray[np.complex128]) -> None:
        """Go by what was solved for, within bounds; ``turn`` leads from the rings' frames to the table."""
        self.middle = self.middle - turn * (np.clip(step[:, 0], -1, 1) + 1j * np.clip(step[:, 1], -1, 1))
        self.facing_rad = self.facing_rad - np.clip(step[:, 2], -0.1, 0.1)
        self.scale = self.scale * np.exp(-np.clip(step[:, 3], -0.05, 0.05))
        self.blur_px = np.clip(self.blur_px * np.exp(np.clip(step[:, 4], -0.5, 0.5)), *BLURS_PX)
        if step.shape[1] > 5 + LIGHTS:
            self.shutter = np.clip(self.shutter * np.exp(np.clip(step[:, 5], -0.5, 0.5)), *SHUTTERS)
        self.shades = self.shades + step[:, -LIGHTS:]


def fit_rings(
    camera: CameraOverTable, grey: NDArray[np.uint8], starts: Sequence[RingStart], noise: float | None = None
) -> list[RingFit | None]:
    """Fit each ring's pattern to the picture; None where it does not hold at its place.

    Args:
        camera: where the camera is.
        grey: (height, width) picture.
        starts: rings, and about where they lie.
        noise: standard deviation of a pixel from picture to picture, grey levels; None where it is not known.

    """
    fits: list[RingFit | None] = [None] * len(starts)
    if not starts:
        return fits
    spots = np.array([(s.x_mm, s.y_mm, s.surface_mm + s.ring.ring_height_mm) for s in starts])
    scales = camera.patch_scale_px_per_mm(spots)
    inside = _are_inside(camera, grey, starts, spots, scales)
    alike: dict[tuple[int, int, int, bool], list[int]] = {}
    for i, start in enumerate(starts):
        if inside[i]:
            counts = count_samples(start.ring.layout, float(scales[i]))
            is_smeared = abs(start.step_mm) * scales[i] > SMEARED_PX
            alike.setdefault((start.ring.layout.cells, *counts, bool(is_smeared)), []).append(i)
    for (_, columns, rows, is_smeared), numbers in alike.items():
        some = [starts[i] if is_smeared else replace(starts[i], step_mm=0j) for i in numbers]
        found = _fit_alike(camera, grey, some, scales[numbers], counts=(columns, rows), noise=noise)
        for i, fit in zip(numbers, found, strict=True):
            fits[i] = fit
    return fits


def _are_inside(
    camera: CameraOverTable, grey: NDArray[np.uint8], starts: Sequence[RingStart], spots: Floats, scales: Floats
) -> NDArray[np.bool_]:
    """(n,) whether a ring lies within the picture."""
    height, width = grey.shape
    line = [s.ring.layout.middle_line_mm for s in starts]
    reach_px = np.array([np.abs(mm).max() + s.ring.layout.band.reach_mm for mm, s in zip(line, starts, strict=True)])
    reach_px = (reach_px * scales + 2)[:, None]
    middles = camera.image_from_table(spots)
    return np.asarray(((middles > reach_px) & (middles < np.array([width, height]) - reach_px)).all(axis=1))


def _fit_alike(
    camera: CameraOverTable,
    grey: NDArray[np.uint8],
    starts: Sequence[RingStart],
    px_per_mm: Floats,
    *,
    counts: tuple[int, int],
    noise: float | None,
) -> list[RingFit | None]:
    """Fit rings of as many cells, with as many samples each."""
    rings = [start.ring for start in starts]
    grids = [build_grid(ring.layout, *counts) for ring in rings]
    patterns = Patterns(rings, grids)
    heights_mm = np.array([start.surface_mm + start.ring.ring_height_mm for start in starts])
    begun = np.array([complex(start.x_mm, start.y_mm) for start in starts])
    state = _State(
        middle=begun.copy(),
        facing_rad=np.array([start.facing_rad for start in starts]),
        scale=np.ones(len(starts)),
        blur_px=np.full(len(starts), USUAL_BLUR_PX),
        step_mm=np.array([start.step_mm for start in starts]),
        shutter=np.array([start.shutter for start in starts]),
        shades=np.zeros((len(starts), LIGHTS)),
    )
    eye = camera.eye_mm
    lean = (complex(eye[0], eye[1]) - begun) * np.exp(-1j * state.facing_rad) / (eye[2] - heights_mm)
    is_bare = patterns.find_bare(lean)
    reach_mm = np.array([grid.reach_mm for grid in grids])
    span = np.zeros(len(starts))
    for n in range(ROUNDS):
        turn = np.exp(1j * state.facing_rad) * state.scale
        maps = map_places(camera, state.middle, turn, heights_mm, reach_mm)
        samples = _sample(grey, maps, patterns.bases, patterns.columns)
        drawn = patterns.draw(state.blur_px / px_per_mm, state.smear_mm)
        light = patterns.build_light(drawn)
        if n == 0:
            state.shades, span = _guess_shades(light, samples, is_bare, patterns.is_band)
        rows = np.concatenate([patterns.compute_slopes(drawn, state.shades), light], axis=1)
        residuals = samples - (state.shades[:, None].astype(np.float32) @ light)[:, 0]
        relative = np.asarray(residuals / np.maximum(state.shades[:, 1, None], 1.0), dtype=np.float32)
        weight = _weigh(relative, is_bare, patterns.cells)
        step, information, inverse = _solve(rows, rows * weight[:, None], residuals)
        step[:, :3] *= STRIDE
        state.advance(step, turn)
        if n and (np.abs(step[:, :4]) < NO_STEP).all():
            break
    is_near = np.abs(state.middle - begun) < FARTHEST_CELLS * patterns.cell_mm
    if state.step_mm.any():
        span = span / _measure_fading(patterns, state.blur_px / px_per_mm, light, is_bare)
    is_fitted = is_near & _has_contrast(state.shades, span)
    unheld = 1 / _measure_hold(rows, relative, weight)
    unheld = unheld[:, :, None] * unheld[:, None]
    covariance = unheld * _estimate_covariance(rows, weight * residuals, information, inverse, patterns.cells)
    of_noise = NOISE_SHARE * covariance
    if noise is not None:
        # Samples closer together than pixels tell nothing more.
        of_noise = unheld * _estimate_noise(rows, weight, inverse, noise**2 * patterns.measure_crowding(px_per_mm))
        of_noise *= np.outer(NOISE_SHOWN, NOISE_SHOWN)
    light_nats, dark_nats = weigh_cells(*patterns.read_cells(drawn, relative, is_bare))
    is_light = patterns.words > 0
    for_word, against = np.where(is_light, light_nats, dark_nats), np.where(is_light, dark_nats, light_nats)
    unexplained = np.sqrt((weight * residuals**2).sum(axis=1) / np.maximum(weight.sum(axis=1), 1.0))
    to_table = _lead_to_table(turn, state.scale)
    covariance, of_noise = (to_table @ c @ to_table.transpose(0, 2, 1) for c in (covariance, of_noise))
    return [
        RingFit(
            ring=start.ring,
            surface_mm=start.surface_mm,
            x_mm=float(state.middle[i].real),
            y_mm=float(state.middle[i].imag),
            facing_rad=math.remainder(float(state.facing_rad[i]), math.tau),
            scale=float(state.scale[i]),
            covariance=covariance[i],
            noise=of_noise[i],
            evidence=float(for_word[i].sum()),
            seen=float((for_word[i] > 0).mean()),
            contradicted=float((against[i] > 0).mean()),
            light=light_nats[i],
            dark=dark_nats[i],
            unexplained=float(unexplained[i]),
            contrast=float(state.shades[i, 1]),
            blur_px=float(state.blur_px[i]),
            px_per_mm=float(px_per_mm[i]),
            step_mm=start.step_mm,
            shutter=float(state.shutter[i]),
        )
        if is_fitted[i] and np.isfinite(covariance[i]).all()
        else None
        for i, start in enumerate(starts)
    ]


def _sample(grey: NDArray[np.uint8], maps: Floats, bases: Singles, columns: int) -> Singles:
    """(n, m) the picture at the samples of every ring."""
    places_px = (bases @ maps.astype(np.float32).transpose(0, 2, 1)).reshape(len(maps) * columns, -1, 2)
    sampled = sample_picture(grey, places_px, cv2.INTER_CUBIC)
    return np.asarray(sampled, dtype=np.float32).reshape(len(maps), -1)


def _guess_shades(
    light: Singles, samples: Singles, is_bare: NDArray[np.bool_], is_band: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return (n, LIGHTS) dark and light as the band shows them, whatever its word, and then as most samples agree.

    And (n,) by how many grey levels the band's darkest and brightest samples differ.
    """
    darkest, dark, bright, brightest = _find_quantiles(samples, is_band & is_bare, SHOWN_QUANTILES)
    shades = np.zeros((len(samples), LIGHTS))
    shades[:, 0], shades[:, 1] = dark, bright - dark
    # What is beside the band must not be guessed by the little of it that blurs into the band: it lost its weight for
    # good wherever that said that it is far darker than dark.
    for number in (2, 3):
        (beside,) = _find_quantiles(samples, (light[:, number] > 0.5) & is_bare, (0.5,))
        shades[:, number] = np.where(np.isfinite(beside), beside - dark, 0.0)
    for _ in range(2):
        off = samples - (shades[:, None].astype(np.float32) @ light)[:, 0]
        contrast = np.maximum(shades[:, 1, None], 1.0).astype(np.float32)
        weight = is_bare / (1 + (off / (2 * OUTLIER_SHARE * contrast)) ** 2) ** 2
        shades = _solve(light, light * weight[:, None].astype(np.float32), samples)[0]
    return shades, np.asarray(brightest - darkest, dtype=np.float64)


def _find_quantiles(samples: Singles, of_interest: NDArray[np.bool_], quantiles: Sequence[float]) -> list[Singles]:
    """Return (n,) quantiles each of those samples that are of interest; infinite where none is."""
    shown = np.sort(np.where(of_interest, samples, np.inf), axis=1)
    last = np.maximum(of_interest.sum(axis=1) - 1, 0)
    return [shown[np.arange(len(samples)), (q * last).astype(np.intp)] for q in quantiles]


def _measure_fading(patterns: Patterns, blur_mm: Floats, light: Singles, is_bare: NDArray[np.bool_]) -> Floats:
    """(n,) by which share bands that are smeared show less of dark and light than they would at rest."""
    at_rest = patterns.build_light(patterns.draw(blur_mm, np.zeros(len(blur_mm), dtype=np.complex128)))
    shown, ends = patterns.is_band & is_bare, (SHOWN_QUANTILES[0], SHOWN_QUANTILES[-1])
    (darkest, brightest), (dark, bright) = (_find_quantiles(each[:, 1], shown, ends) for each in (light, at_rest))
    share = (brightest - darkest) / np.maximum(bright - dark, LEAST_SPAN)
    return np.asarray(np.clip(share, LEAST_FADING, 1.0), dtype=np.float64)


def _has_contrast(shades: Floats, span: Floats) -> NDArray[np.bool_]:
    """(n,) whether dark and light are told apart, by as much as the band shows and no more.

    Of a band that shows nothing a pattern of too wide a blur and too much contrast makes whatever there is.
    """
    return np.asarray((shades[:, 1] > LEAST_CONTRAST) & (shades[:, 1] < MOST_SPAN * span))


def _estimate_covariance(rows: Singles, pulling: Singles, information: Floats, inverse: Floats, cells: int) -> Floats:
    """(n, 4, 4) of the place, turn and size, from what the fit left unexplained.

    Samples of one cell err together: their pull is added up before it is squared, as in `tags/corner_refinement.py`.
    """
    pulls = (rows * pulling[:, None]).reshape(*rows.shape[:2], cells, -1).sum(axis=3).astype(np.float64)
    spread = pulls @ pulls.transpose(0, 2, 1) * (cells / (cells - rows.shape[1]))
    return np.asarray((inverse @ (spread + LEAST_NOISE**2 * information) @ inverse)[:, :4, :4])


def _measure_hold(rows: Singles, relative: Singles, weight: Singles) -> Floats:
    """(n, 4) by which share of the weights that tell of them the place, turn and size are held.

    A sample that goes astray loses weight as it goes.  Where noise is not small against the contrast, that is most of
    them (Huber, Robust Statistics, 1981, 6.3); and what tells of the size is not what tells of the place.
    """
    astray = (relative / OUTLIER_SHARE) ** 2
    telling = weight[:, None] * rows[:, :4] ** 2
    held = (telling * ((1 - 3 * astray) / (1 + astray))[:, None]).sum(axis=2)
    return np.asarray(np.clip(held / np.maximum(telling.sum(axis=2), 1e-9), LEAST_HOLD, 1.0), dtype=np.float64)


def _estimate_noise(rows: Singles, weight: Singles, inverse: Floats, of_samples: Floats) -> Floats:
    """(n, 4, 4) the same from noise of samples with (n,) variances."""
    weighted = rows * weight[:, None]
    spread = (weighted @ weighted.transpose(0, 2, 1)).astype(np.float64) * of_samples[:, None, None]
    return np.asarray((inverse @ spread @ inverse)[:, :4, :4])


def _lead_to_table(turn: NDArray[np.complex128], scale: Floats) -> Floats:
    """(n, 4, 4) from steps in the rings' frames to steps on the table."""
    to_table = np.zeros((len(turn), 4, 4))
    to_table[:, 0, 0] = to_table[:, 1, 1] = turn.real
    to_table[:, 1, 0], to_table[:, 0, 1] = turn.imag, -turn.imag
    to_table[:, 2, 2], to_table[:, 3, 3] = 1.0, scale
    return to_table


def _weigh(off: Singles, is_bare: NDArray[np.bool_], cells: int) -> Singles:
    """(n, m) weights."""
    weight = is_bare / (1 + (off / OUTLIER_SHARE) ** 2) ** 2
    by_cell = (len(off), cells, -1)
    squared = (np.minimum(off**2, 1.0) * is_bare).reshape(by_cell).sum(axis=2)
    cell_off = np.sqrt(squared / np.maximum(is_bare.reshape(by_cell).sum(axis=2), 1))
    of_cell = 1 / (1 + (cell_off / HIDDEN_SHARE) ** 4)
    weighted = (weight.reshape(by_cell) * of_cell[..., None]).reshape(weight.shape)
    return np.asarray(weighted, dtype=np.float32)


def _solve(rows: Singles, weighted: Singles, left: Singles) -> tuple[Floats, Floats, Floats]:
    """Return the weighted least squares solution (n, p), its information and the inverse of that (n, p, p)."""
    information = (weighted @ rows.transpose(0, 2, 1)).astype(np.float64)
    pull = (weighted @ left[..., None]).astype(np.float64)
    # Parameters of as different sizes as millimetres and grey levels are brought to one; a trace of damping lets
    # what nothing tells stay as it is.
    size = np.sqrt(np.einsum("npp->np", information)) + 1e-9
    sizes = size[:, :, None] * size[:, None, :]
    inverse = np.linalg.inv(information / sizes + 1e-6 * np.eye(information.shape[1])) / sizes
    return (inverse @ pull)[..., 0], information, inverse
