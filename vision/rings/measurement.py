"""Measurement: from the fits of rings to measured base poses with their covariance, each picture by itself.

`measure_rings(camera, fits)` is to rings what `measure_bases()` is to tags.  `estimate_cell_px()` tells how large a
ring's cells are in the picture, by which a set-up is judged before anything is printed.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingLayout
from vision.rings.enrolled_ring import EnrolledRing
from vision.rings.pattern_fit import RingFit
from vision.tags.pose_estimation import BaseMeasurement

Floats = NDArray[np.float64]

LEAST_SEEN = 0.42
"""Share of its cells that must bear a ring out; of one that shows less it is not known that it still lies there."""
MOST_CONTRADICTED = 0.17
"""Share of its cells that may look like the other of dark and light: figures are dark and light, too."""
MOST_BLUR_CELLS, PIXEL_BLUR_PX = 0.45, 0.5
"""Of a ring that is blurred by a larger share of a cell's length nothing can be read, but for what pixels blur; unless
it tells of itself without a doubt, as one that has just set off."""
SURE_EVIDENCE = 0.8
"""Nats for its word, a cell, from which on a ring tells of itself without a doubt."""
CLEAR_EVIDENCE, MOST_DOUBT = 2.1, 4.0
"""Nats for its word, a cell that is seen, below which a ring's fit is pulled aside by what covers a part of cells more
than it leaves unexplained, by as many times as they tell less, and no more than so many.  So the mean square of error
over sigma is alike for rings that tell much and little, in good light, bad light and glare."""
SCALES = (0.8, 1.4)
"""A ring that looks smaller or larger than this, against its size on the table, is none of ours."""
FLOOR_PX = 0.02
"""By how much a ring lies beside where its fit tells, and any place on it: where edges fall among the pixels."""
PRINT_MM = 0.01
"""The same by how exactly a ring is printed."""
SIZE_FLOOR_PX = 0.03
"""The same of its radius; of what moves it is another in each picture."""
BLEED_SIGMA_PX = 0.15
"""By how much the outer edge of a print may lie farther out than is said: ink bleeds, and so does light."""
SIZE_SIGMA = 0.005
"""By which share a ring may be larger than it is said to be: printers scale."""
LEAST_CELL_PX = 2.0
"""Of a cell's length and of the band's width, that a ring be read.  Of rings behind figures, drawn at fewer and fewer
pixels, 364 of 364 were read at 2.0 to 2.6, 98 % at 1.6 and 88 % at 1.2; a camera out of focus needs more."""


def measure_rings(
    camera: CameraOverTable, fits: Sequence[RingFit], moving: Collection[int] = ()
) -> list[BaseMeasurement]:
    """Return the pose of every base whose ring is seen well enough.

    Args:
        camera: where the camera is.
        fits: rings of one picture.
        moving: markers of those whose edges fall among other pixels in each picture.

    """
    fits = [fit for fit in fits if is_borne_out(fit)]
    if not fits:
        return []
    spots = np.array([(fit.x_mm, fit.y_mm, fit.surface_mm + fit.ring.ring_height_mm) for fit in fits])
    calibration = camera.pose_covariance(spots)
    drops_mm = camera.height_mm - spots[:, 2]
    leans = (camera.eye_mm[:2] - spots[:, :2]) / drops_mm[:, None]
    return [
        _measure_ring(camera, fit, calibration[i], float(drops_mm[i]), leans[i], is_moving=fit.ring.marker in moving)
        for i, fit in enumerate(fits)
    ]


def is_borne_out(fit: RingFit) -> bool:
    """Whether enough of a ring is seen, and little enough contradicts it, to say that it lies there.

    What tells less of it than of anything else may lie half a millimetre beside it, and be none of it.
    """
    is_shown = (
        fit.evidence > 0
        and fit.seen >= LEAST_SEEN
        and fit.contradicted <= MOST_CONTRADICTED
        and SCALES[0] < fit.scale < SCALES[1]
    )
    return is_shown and (is_sharp(fit) or fit.evidence >= SURE_EVIDENCE * fit.ring.layout.cells)


def is_sharp(fit: RingFit) -> bool:
    """Whether a ring is so little blurred that its cells can be told from each other."""
    most_blur_px = math.hypot(MOST_BLUR_CELLS * fit.ring.layout.cell_mm * fit.px_per_mm, PIXEL_BLUR_PX)
    return fit.blur_px <= most_blur_px


def _measure_ring(
    camera: CameraOverTable, fit: RingFit, calibration: Floats, drop_mm: float, lean: Floats, *, is_moving: bool
) -> BaseMeasurement:
    ring = fit.ring
    facing = math.remainder(fit.facing_rad - ring.facing_rad, math.tau)
    offset = complex(ring.x_mm, ring.y_mm) * np.exp(1j * facing)
    lever = np.array([[1, 0, offset.imag], [0, 1, -offset.real], [0, 0, 1]])
    radius_mm = ring.layout.length_mm / math.tau
    floor_mm = math.hypot(FLOOR_PX / fit.px_per_mm, PRINT_MM)
    doubt = min(max(1.0, CLEAR_EVIDENCE * fit.seen * ring.layout.cells / fit.evidence), MOST_DOUBT)
    fitted = doubt**2 * fit.covariance - fit.noise
    in_mm = np.diag([1.0, 1.0, radius_mm])
    left, axes = np.linalg.eigh(in_mm @ fitted[:3, :3] @ in_mm)
    # Noise may well explain more than one picture shows: then nothing lasts but the floor.
    lasting_mm2 = (axes * np.maximum(left, 0.0)) @ axes.T + floor_mm**2 * np.eye(3)
    lasting = np.linalg.solve(in_mm, np.linalg.solve(in_mm, lasting_mm2).T)
    by_scale_mm = drop_mm / fit.scale**2
    rise_mm = fit.surface_mm + drop_mm * (1 - 1 / fit.scale)
    size_floor = SIZE_FLOOR_PX / fit.px_per_mm / radius_mm
    height_doubt = camera.height_doubt
    return BaseMeasurement(
        marker=ring.marker,
        x_mm=fit.x_mm - float(offset.real),
        y_mm=fit.y_mm - float(offset.imag),
        facing_rad=facing,
        noise=lever @ fit.noise[:3, :3] @ lever.T,
        lasting=lever @ (lasting + calibration) @ lever.T + _estimate_enrolment_covariance(ring, lean, lever),
        surface_mm=fit.surface_mm,
        rise_mm=rise_mm,
        rise_noise_mm=by_scale_mm * math.hypot(math.sqrt(fit.noise[3, 3]), size_floor if is_moving else 0.0),
        rise_floor_mm=by_scale_mm * math.hypot(math.sqrt(max(0.0, fitted[3, 3])), 0.0 if is_moving else size_floor),
        rise_bias_mm=math.hypot(
            by_scale_mm * math.hypot(BLEED_SIGMA_PX / fit.px_per_mm / radius_mm, SIZE_SIGMA),
            ring.ring_height_mm * height_doubt,
        ),
        height_doubt=height_doubt,
        lean=(float(lean[0]), float(lean[1])),
        corners_px=find_corners(camera, fit),
        camera=camera,
        unexplained=fit.unexplained,
    )


def _estimate_enrolment_covariance(ring: EnrolledRing, lean: Floats, lever: Floats) -> Floats:
    """(3, 3) covariance of a base's pose from what is not known exactly of where its ring is."""
    height_sigma_mm = ring.height_sigma_mm if ring.layout.band.height_mm is None else 0.0
    in_base = np.zeros((3, 3))
    in_base[:2, :2] = ring.offset_sigma_mm**2 * np.eye(2) + height_sigma_mm**2 * np.outer(lean, lean)
    in_base[2, 2] = ring.facing_sigma_rad**2
    return np.asarray(lever @ in_base @ lever.T)


def find_corners(camera: CameraOverTable, fit: RingFit) -> Floats:
    """(4, 2) corners in the picture of the oblong around the ring, in the order of a tag's."""
    corners = fit.ring.corners_mm @ np.array([1.0, 1j]) * fit.scale * np.exp(1j * fit.facing_rad)
    corners += complex(fit.x_mm, fit.y_mm)
    height_mm = fit.surface_mm + fit.ring.ring_height_mm
    return camera.image_from_table(np.column_stack([corners.real, corners.imag, np.full(4, height_mm)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSize:
    """How large a ring's cells are in a picture."""

    along_px: float
    """A cell's length along the band."""
    across_px: float
    """The band's width."""

    @property
    def is_readable(self) -> bool:
        """Whether they can be told from each other."""
        return min(self.along_px, self.across_px) >= LEAST_CELL_PX


def estimate_cell_px(camera: CameraOverTable, layout: RingLayout, place_mm: tuple[float, float, float]) -> CellSize:
    """Return how large the cells of a ring are in the picture where they look smallest.

    Args:
        camera: where the camera is.
        layout: of the ring.
        place_mm: x, y and height of the ring on the table.

    """
    px_per_mm = np.linalg.svd(camera.scale_px_per_mm([place_mm])[0], compute_uv=False)[-1]
    width_mm = layout.band.outer_mm - layout.band.inner_mm
    return CellSize(along_px=float(px_per_mm * layout.cell_mm), across_px=float(px_per_mm * width_mm))
