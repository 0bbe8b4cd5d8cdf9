"""Pose estimation: from the corners of tags to measured base poses with their covariance, each picture by itself.

Each tag is fitted with a square of its size at its height; the camera's place is solved from the anchors' corners.
"""

import cmath
import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable, Lens
from calibration.table.camera_pose import remove_bleed, solve_table
from vision.marker_numbers import is_ring
from vision.tags.pixel_phase import estimate_common_errors
from vision.tags.row_times import PictureMotion, Readout, find_velocities
from vision.types import TagFit

Floats = NDArray[np.float64]

SIDES = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j])
"""The corners of a tag in its own frame as complex numbers, for an edge of 2."""
SHAPE_CHI2 = 60.0
"""A tag whose corners are this far from a square, in squared sigma (4 degrees of freedom), is partly hidden or none."""
MOST_ASTRAY, MOST_ASTRAY_BASE = 0.1, 0.2
"""A tag of whose area a larger share shows something else is partly hidden: an anchor, on which all rests; and a base,
of which a fit still tells the place to a quarter of a pixel, and says how surely."""
USUAL_ASTRAY = 0.06
"""With a larger share a fit is less sure than it says, in proportion."""
SCALES = (0.75, 1.6)
"""A tag that looks smaller or larger than this, against its size on the table, is none of ours."""
LASTING_SHARES = np.array([1.0, 1.0, 0.9, 1.5])
"""By which shares of what a fit leaves unexplained and no noise explains, as variances, x, y, turn and size of a tag
are off for as long as nothing moves.  Measured on the virtual table, on 459 rests, less what the calibration is off."""
FLOOR_SHARES = np.array([0.65, 0.65, 0.75, 0.5])
"""By which share of what makes squares oblong beyond noise these are off: on the virtual table by half of it, in frames
that another program rendered by this."""
SHAPE_FREEDOM = 4.0
"""What all tags tell of that weighs as so many coordinates, beside the two of a tag's own shape: a highlight or a
curled corner that bends a tag shifts it too."""
UNUSUAL_RATIO = 1.5
"""A fit that leaves so much more unexplained than is usual tells that something crosses the tag."""
AT_ONCE = Readout(s=0.0, sigma_s=0.0)
LEAST_TYPICAL_TAGS = 4
"""Bases below which they do not tell what is usual."""
LASTING_LOOKS = 4
"""So many looks at what rests tell what is the same in each; of what has rested for long no more are kept."""
MEDIAN_SPREAD = 0.789
"""The variances of so many normal deviates have their median at this share of their mean."""
MEDIAN_SQUARE = 0.455
"""The squares of normal deviates have their median at this share of their mean; a half hidden tag does not move it."""
FEW_FLOOR_PX = 0.02
"""By how much corners are taken to be off beyond their noise where nothing tells."""
SHAPE_FLOOR_PX = 0.03
"""A small tag that lies along the pixels may look so much askew, and is whole for all that."""
BLEED_SIGMA_PX = 0.03
"""By how much the edges of one print may bleed more than those of the anchors."""
SIZE_SIGMA = 0.005
"""By which share a tag may be larger than it is said to be: printers scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A tag that is fixed on the table."""

    tag: int
    x_mm: float
    y_mm: float
    facing_rad: float
    size_mm: float
    z_mm: float

    @property
    def square_mm(self) -> Floats:
        """(4, 3) its corners on the table, counter-clockwise from the tag's (-, -)."""
        corners = complex(self.x_mm, self.y_mm) + SIDES * self.size_mm / 2 * np.exp(1j * self.facing_rad)
        return np.column_stack([corners.real, corners.imag, np.full(4, self.z_mm)])


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolledTag:
    """A tag on a model's base."""

    tag: int
    model: str
    size_mm: float
    """Edge of the black square."""
    x_mm: float
    y_mm: float
    facing_rad: float
    """The tag's centre and turn in the base's frame."""
    height_mm: float
    """Of the tag above what the base stands on."""
    offset_sigma_mm: float = 0.0
    """One standard deviation of the tag's centre in the base, along each axis."""
    facing_sigma_rad: float = 0.0
    height_sigma_mm: float = 0.0

    @property
    def marker(self) -> int:
        """Its number among all markers."""
        return self.tag


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseMeasurement:
    """A base pose as one picture shows it."""

    marker: int
    x_mm: float
    y_mm: float
    facing_rad: float
    """The base's centre and facing, taken that it stands on the surface that was assumed."""
    noise: Floats
    """(3, 3) covariance from the picture's noise; independent from picture to picture."""
    lasting: Floats
    """(3, 3) covariance of what is the same in every picture while nothing moves: where the edges fall among the
    pixels, the calibration, the enrolment."""
    surface_mm: float
    """Height of the surface that was assumed."""
    rise_mm: float
    """Height above the table of what the base stands on, from the tag's apparent size."""
    rise_noise_mm: float
    """Standard deviation of the rise from the picture's noise."""
    rise_floor_mm: float
    """The same from what lasts while nothing moves, and is another wherever the tag stands."""
    rise_bias_mm: float
    """The same from what is always the same for one tag: its print may bleed, or be a little too large, and the camera
    be higher than is known."""
    height_doubt: float
    """By which share of its height what stands higher may seem too high beside, since the camera's own is not known."""
    lean: tuple[float, float]
    """How far x and y go for each millimetre that the base stands higher than was assumed."""
    corners_px: Floats
    camera: CameraOverTable
    """The calibration that the pose rests on."""
    unexplained: float
    """What the fit of the marker left unexplained, grey levels."""
    stretch_px: Floats | None = None
    """(2,) how far a tag's corners are off along the ways in which a square becomes an oblong and a lozenge; None for
    a ring."""
    stretch_noise_px2: Floats | None = None
    """(2,) how much of its square the picture's noise explains."""
    stretch_by_readout_px_s: Floats | None = None
    """(2,) by how much more for each second that the picture's readout takes; None for what does not move."""
    steady_px: Floats | None = None
    """(4, 2) where its corners would be seen if the camera had not swayed; None where it has not."""


def solve_camera_over_table(
    lens: Lens,
    anchors: Sequence[Anchor],
    seen_px: Mapping[int, Floats],
    before: CameraOverTable | None = None,
    *,
    noise_px2: Mapping[int, Floats] | None = None,
    placement: Floats | None = None,
) -> CameraOverTable:
    """Solve the camera's place from the anchors that are seen.

    Args:
        lens: what is known of the lens.
        anchors: where tags lie.
        seen_px: (4, 2) corners by tag.
        before: an earlier solve to go on from.
        noise_px2: (8, 8) covariance of the corners by tag, as a fit of the pattern states it; nothing where not given.
        placement: (3n, 3n) joint covariance of the places of all anchors, in their order; exact where not given.

    Raises:
        calibration.errors.Unsolvable: the anchors that are seen do not determine it.

    """
    there = [anchor for anchor in anchors if anchor.tag in seen_px]
    rows = [3 * i + k for i, anchor in enumerate(anchors) if anchor.tag in seen_px for k in range(3)]
    return solve_table(
        lens=lens,
        squares_mm=np.array([anchor.square_mm for anchor in there]),
        squares_px=np.array([seen_px[anchor.tag] for anchor in there]),
        noise_px2=np.array([(noise_px2 or {}).get(anchor.tag, np.zeros((8, 8))) for anchor in there]),
        placement=None if placement is None else placement[np.ix_(rows, rows)],
        before=before,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TypicalFit:
    """What tags look like as a rule in a camera's pictures."""

    floor_px: float
    """By how much corners are off beyond what the picture's noise explains; one coordinate, one sigma."""
    unexplained: float
    """What a fit leaves unexplained, grey levels; infinite where nothing is known."""
    lasting_px: float | None = None
    """What of the floor is the same in each picture of what rests; None where too little rests to tell."""


def estimate_lasting(covariance_px2: Floats, noise_px2: Floats) -> Floats:
    """(n, 8, 8) what of the covariance of corners (n, 8, 8) stays while nothing moves: what no noise explains.

    What a fit leaves unexplained holds the picture's noise, too, which is another in each; in a poor light it is all.
    """
    explained = np.trace(np.linalg.solve(covariance_px2, noise_px2), axis1=1, axis2=2) / 8
    return np.asarray(np.maximum(0.0, 1 - explained)[:, None, None] * covariance_px2)


def estimate_lasting_floor(rests: Collection[Sequence[BaseMeasurement]]) -> float | None:
    """Return by how much corners are off in each picture of what rests alike, px; None where too few tell.

    What one picture shows and the mean of several does not was noise, whatever is known of it: compression makes
    neighbouring pixels err together, which nothing else tells.

    Args:
        rests: the measurements of each base that rests; rings are left aside.

    """
    looks = [
        np.array([m.stretch_px for m in rest[-LASTING_LOOKS:]])
        for rest in rests
        if len(rest) >= LASTING_LOOKS and rest[-1].stretch_px is not None
    ]
    if len(looks) < LEAST_TYPICAL_TAGS:
        return None
    stretches_px = np.array(looks)
    mean_px, noise_px2 = stretches_px.mean(axis=1), stretches_px.var(axis=1, ddof=1) / LASTING_LOOKS
    median_px2 = float(np.median(mean_px**2)) / MEDIAN_SQUARE
    return math.sqrt(max(0.0, median_px2 - float(np.median(noise_px2)) / MEDIAN_SPREAD))


def estimate_typical_fit(
    camera: CameraOverTable,
    measured: Collection[BaseMeasurement],
    rests: Collection[Sequence[BaseMeasurement]] = (),
) -> TypicalFit:
    """Return what is usual, judged by measured bases, and by the measurements of each base that rests.

    A square that looks oblong or like a lozenge shows what the noise of its pixels does not: a lens that sharpens, a
    curled print, compression.  It is the same in each picture of a tag that rests.  With few tags the anchors tell.
    Measured rings are left aside.
    """
    squares = [m.stretch_px for m in measured if m.stretch_px is not None]
    explained = [m.stretch_noise_px2 for m in measured if m.stretch_noise_px2 is not None]
    if len(squares) < LEAST_TYPICAL_TAGS:
        return TypicalFit(floor_px=max(FEW_FLOOR_PX, camera.sigma_px), unexplained=math.inf)
    median_px2 = statistics.median((np.concatenate(squares) ** 2).tolist()) / MEDIAN_SQUARE
    floor_px = math.sqrt(max(0.0, median_px2 - statistics.median(np.concatenate(explained).tolist())))
    usual = statistics.median(m.unexplained for m in measured if m.stretch_px is not None)
    return TypicalFit(floor_px=floor_px, unexplained=usual, lasting_px=estimate_lasting_floor(rests))


def measure_bases(
    camera: CameraOverTable,
    fits: Sequence[TagFit],
    enrolled: Mapping[int, EnrolledTag],
    surface_mm: Mapping[int, float],
    typical_fit: TypicalFit,
    *,
    resting: Collection[int] = (),
    motions: Mapping[int, PictureMotion] | None = None,
    readout: Readout = AT_ONCE,
) -> list[BaseMeasurement]:
    """Return the pose of every enrolled base among some tags, leaving out tags that do not look as they must.

    What moves is said to be where it was when the first row was exposed.

    Args:
        camera: where the camera is.
        fits: tags of one picture.
        enrolled: the bases, by tag.
        surface_mm: height of the surface that a base stands on, by tag; 0 where it is not given.
        typical_fit: what tags look like in this camera's pictures.
        resting: tags that rest, so that what is another in each picture averages out.
        motions: how tags that move go through the picture.
        readout: how long the camera takes from row to row.

    """
    fits = [fit for fit in fits if fit.tag in enrolled and fit.astray <= MOST_ASTRAY_BASE]
    if not fits:
        return []
    bases = [enrolled[fit.tag] for fit in fits]
    surfaces = np.array([surface_mm.get(base.marker, 0.0) for base in bases])
    heights = surfaces + [base.height_mm for base in bases]
    delays = _find_delays(fits, motions or {}, readout, camera.lens.image_size[1])
    sizes_mm = np.array([base.size_mm for base in bases])
    rests = np.array([fit.tag in resting for fit in fits])
    squares = _fit_squares(camera, fits, sizes_mm, heights, typical_fit, rests=rests, delays=delays)
    spots = np.column_stack([squares.centre.real, squares.centre.imag, heights])
    calibration = camera.pose_covariance(spots)
    drop_mm = camera.height_mm - heights
    eye = camera.eye_mm
    lean = (eye[:2] - spots[:, :2]) / drop_mm[:, None]
    height_doubt = camera.height_doubt
    facings = np.remainder(squares.turn_rad - [base.facing_rad for base in bases] + math.pi, math.tau) - math.pi
    offsets = np.array([complex(base.x_mm, base.y_mm) for base in bases]) * np.exp(1j * facings)
    centres = squares.centre - offsets
    levers = np.tile(np.eye(3), (len(bases), 1, 1))
    levers[:, 0, 2], levers[:, 1, 2] = offsets.imag, -offsets.real
    over = levers.transpose(0, 2, 1)
    noise = levers @ squares.noise[:, :3, :3] @ over
    lasting = levers @ (squares.lasting[:, :3, :3] + calibration + _estimate_enrolment_covariances(bases, lean)) @ over
    measurements = []
    for i, base in enumerate(bases):
        scale = float(squares.scale[i])
        if squares.chi2[i] > SHAPE_CHI2 or not SCALES[0] < scale < SCALES[1]:
            continue
        by_scale_mm = float(drop_mm[i]) / scale**2
        rise_mm = float(surfaces[i] + drop_mm[i] * (1 - 1 / scale))
        measurements.append(
            BaseMeasurement(
                marker=base.marker,
                x_mm=float(centres[i].real),
                y_mm=float(centres[i].imag),
                facing_rad=float(facings[i]),
                noise=noise[i],
                lasting=lasting[i],
                surface_mm=float(surfaces[i]),
                rise_mm=rise_mm,
                rise_noise_mm=by_scale_mm * math.sqrt(squares.noise[i, 3, 3]),
                rise_floor_mm=by_scale_mm * math.sqrt(squares.lasting[i, 3, 3]),
                rise_bias_mm=math.hypot(
                    by_scale_mm * math.hypot(2 * BLEED_SIGMA_PX / squares.side_px[i], SIZE_SIGMA),
                    base.height_mm * height_doubt,
                ),
                height_doubt=height_doubt,
                lean=(float(lean[i, 0]), float(lean[i, 1])),
                corners_px=fits[i].corners_px,
                camera=camera,
                unexplained=fits[i].unexplained,
                stretch_px=squares.stretch_px[i],
                stretch_noise_px2=squares.stretch_noise_px2[i],
                # What is bent by a light or a crease tells nothing of the readout.
                stretch_by_readout_px_s=squares.stretch_by_readout_px_s[i]
                if fits[i].tag in (motions or {}) and fits[i].astray <= USUAL_ASTRAY
                else None,
            )
        )
    return measurements


def _estimate_enrolment_covariances(bases: Sequence[EnrolledTag], lean: Floats) -> Floats:
    """(n, 3, 3) covariance of the places and turns of tags on their bases, which are not known exactly."""
    in_base = np.zeros((len(bases), 3, 3))
    height = np.array([base.height_sigma_mm for base in bases])[:, None] * lean
    offset = np.array([base.offset_sigma_mm**2 for base in bases])
    in_base[:, :2, :2] = height[:, :, None] * height[:, None] + offset[:, None, None] * np.eye(2)
    in_base[:, 2, 2] = [base.facing_sigma_rad**2 for base in bases]
    return in_base


def locate_tag(base: EnrolledTag, pose: Floats, surface_mm: float) -> Floats:
    """(4, 3) corners on the table of the tag of a base with a pose (x_mm, y_mm, facing_rad) on a surface."""
    x_mm, y_mm, facing_rad = pose
    centre = complex(x_mm, y_mm) + complex(base.x_mm, base.y_mm) * np.exp(1j * facing_rad)
    corners = centre + SIDES * base.size_mm / 2 * np.exp(1j * (facing_rad + base.facing_rad))
    return np.column_stack([corners.real, corners.imag, np.full(4, surface_mm + base.height_mm)])


def place_on_surface(measured: BaseMeasurement, surface_mm: float) -> BaseMeasurement:
    """Return a measured base as it is if what it stands on really is at another height than was assumed.

    How far that shifts it is known as well as where the camera is.
    """
    if surface_mm == measured.surface_mm:
        return measured
    x_mm, y_mm = find_place_on_surface(measured, surface_mm)
    lasting = measured.lasting.copy()
    lasting[:2, :2] += measured.camera.covariance_between_mm2(
        [(measured.x_mm, measured.y_mm, measured.surface_mm), (x_mm, y_mm, surface_mm)]
    )
    return replace(measured, x_mm=x_mm, y_mm=y_mm, surface_mm=surface_mm, lasting=lasting)


def find_place_on_surface(measured: BaseMeasurement, surface_mm: float) -> tuple[float, float]:
    """Return x_mm and y_mm of a measured base if what it stands on really is at another height than was assumed."""
    higher_mm = surface_mm - measured.surface_mm
    return measured.x_mm + higher_mm * measured.lean[0], measured.y_mm + higher_mm * measured.lean[1]


def recalibrate(
    measured: Sequence[BaseMeasurement], camera: CameraOverTable, marker_height_mm: float
) -> list[BaseMeasurement]:
    """Return measurements of one base in a row as they are by a camera that is known better now, but stands still.

    All go with the last: what is known better shifts, turns and enlarges what is near by alike.

    Args:
        measured: the measurements, by one camera.
        camera: what is known of it now.
        marker_height_mm: how high the base's marker is above what it stands on.

    """
    last = measured[-1]
    seen_px = last.corners_px if last.steady_px is None else last.steady_px
    height_mm = last.surface_mm + marker_height_mm
    before, after = (_look_at(at, seen_px, height_mm, bleeds=not is_ring(last.marker)) for at in (last.camera, camera))
    arms = before - before.mean()
    enlarged = complex(np.vdot(arms, after) / np.vdot(arms, arms))
    turn_rad, higher_mm = cmath.phase(enlarged), (abs(enlarged) - 1) * (camera.height_mm - height_mm)
    places = [
        complex(after.mean() + (complex(m.x_mm, m.y_mm) - before.mean()) * cmath.exp(1j * turn_rad)) for m in measured
    ]
    return [
        replace(
            m,
            x_mm=place.real,
            y_mm=place.imag,
            facing_rad=m.facing_rad + turn_rad,
            rise_mm=m.rise_mm + higher_mm,
            camera=camera,
            height_doubt=camera.height_doubt,
        )
        for m, place in zip(measured, places, strict=True)
    ]


def _look_at(camera: CameraOverTable, corners_px: Floats, height_mm: float, *, bleeds: bool) -> NDArray[np.complex128]:
    """(4,) where a camera shows (4, 2) corners at a height above the table."""
    edges_px = remove_bleed(corners_px[None], camera.bleed_px)[0] if bleeds else corners_px
    return np.asarray(camera.table_from_image(edges_px, height_mm) @ (1, 1j))


def add_noise(measured: BaseMeasurement, sigma_mm: float) -> BaseMeasurement:
    """Return a measured base as it is if the camera strays over the table by so much, one sigma along each axis."""
    return replace(measured, noise=measured.noise + np.diag([1.0, 1.0, 0.0]) * sigma_mm**2)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Delays:
    """What the readout does to n tags."""

    by_readout_px_s: Floats
    """(n, 8) how far each corner goes on before its row is exposed, for each second that the readout takes."""
    readout: Readout
    sigma_px: Floats
    sigma_rad: Floats
    """(n,) what is not known of their ways and turns meanwhile because the motion is not."""


def _find_delays(
    fits: Sequence[TagFit], motions: Mapping[int, PictureMotion], readout: Readout, height: int
) -> _Delays:
    still = PictureMotion(velocity_px_s=0, turn_rad_s=0, sigma_px_s=0, sigma_rad_s=0)
    moves = [motions.get(fit.tag, still) for fit in fits]
    corners_px = np.array([fit.corners_px for fit in fits])
    shares = readout.find_share(corners_px[:, :, 1], height)
    late_s = np.abs(shares.mean(axis=1)) * math.hypot(readout.s, readout.sigma_s)
    return _Delays(
        by_readout_px_s=(find_velocities(moves, corners_px) * shares[:, :, None]).reshape(-1, 8),
        readout=readout,
        sigma_px=np.array([m.sigma_px_s for m in moves]) * late_s,
        sigma_rad=np.array([m.sigma_rad_s for m in moves]) * late_s,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _SquareFits:
    """Squares fitted to n tags, places on the table as complex numbers."""

    centre: NDArray[np.complex128]
    turn_rad: Floats
    scale: Floats
    """Apparent size over true size."""
    noise: Floats
    """(n, 4, 4) of x_mm, y_mm, turn and scale, of what is another in each picture."""
    lasting: Floats
    """(n, 4, 4) of what stays while nothing moves."""
    chi2: Floats
    """(n,) of the corners from the square; 4 degrees of freedom."""
    side_px: Floats
    stretch_px: Floats
    stretch_noise_px2: Floats
    stretch_by_readout_px_s: Floats
    """(n, 2) see BaseMeasurement."""


def _fit_squares(
    camera: CameraOverTable,
    fits: Sequence[TagFit],
    sizes_mm: Floats,
    heights_mm: Floats,
    typical_fit: TypicalFit,
    *,
    rests: NDArray[np.bool_],
    delays: _Delays,
) -> _SquareFits:
    """Fit a square of free place, turn and scale to each tag's corners, weighted as surely as each corner is known."""
    corners_px = remove_bleed(np.array([fit.corners_px for fit in fits]), camera.bleed_px)
    corners_px = corners_px - (delays.readout.s * delays.by_readout_px_s).reshape(-1, 4, 2)
    flat = camera.table_from_image(corners_px.reshape(-1, 2), np.repeat(heights_mm, 4)).reshape(-1, 4, 2)
    corners = flat[..., 0] + 1j * flat[..., 1]
    centre = corners.mean(axis=1)
    square = SIDES * sizes_mm[:, None] / 2
    ratio = ((corners - centre[:, None]) * square.conj()).sum(axis=1) / (np.abs(square) ** 2).sum(axis=1)
    model = centre[:, None] + ratio[:, None] * square
    spots = np.column_stack([model.real.ravel(), model.imag.ravel(), np.repeat(heights_mm, 4)])
    off_px = (corners_px.reshape(-1, 2) - camera.image_from_table(spots)).reshape(-1, 8)
    # What x, y, turn and relative size do to each corner on the table, and from there in the picture; then what would
    # make the square an oblong and a lozenge.
    arms, still = ratio[:, None] * square, np.ones((len(fits), 4))
    bent = square.conj() * ratio[:, None]
    ways = np.stack([still, 1j * still, 1j * arms, arms, bent, 1j * bent], axis=2)
    px_per_mm = camera.scale_px_per_mm(spots).reshape(-1, 4, 2, 2)
    slope = (px_per_mm @ np.stack([ways.real, ways.imag], axis=2)).reshape(-1, 8, 6)
    slope, stretch = slope[..., :4], slope[..., 4:] / np.linalg.norm(slope[..., 4:], axis=1, keepdims=True)
    # A light or a shadow that crosses a tag pulls it by more than its pixels tell.
    odd = np.array(
        [
            max(1.0, fit.unexplained / (UNUSUAL_RATIO * typical_fit.unexplained), fit.astray / USUAL_ASTRAY) ** 2
            for fit in fits
        ]
    )
    covariance, picture_noise = np.array([(fit.covariance_px2, fit.noise_px2) for fit in fits]).swapaxes(0, 1)
    noise = covariance * odd[:, None, None]
    # What was seen once may be all that its noise is: nothing is taken off.
    unchanging = np.where(rests[:, None, None], estimate_lasting(covariance, picture_noise) * odd[:, None, None], noise)
    floor_px = typical_fit.floor_px
    lasting_px = np.where(rests, floor_px if typical_fit.lasting_px is None else typical_fit.lasting_px, floor_px)
    weight = np.linalg.inv(noise + floor_px**2 * np.eye(8))
    askew_px = max(floor_px, SHAPE_FLOOR_PX)
    gain = np.linalg.solve(slope.transpose(0, 2, 1) @ weight @ slope, slope.transpose(0, 2, 1) @ weight)
    step = (gain @ off_px[..., None])[..., 0]
    fitted = gain @ unchanging @ gain.transpose(0, 2, 1)
    residuals = off_px - (slope @ step[..., None])[..., 0]
    delay_px = delays.by_readout_px_s[..., None] * delays.readout.sigma_s
    leaning, late_by = delay_px @ delay_px.transpose(0, 2, 1), gain @ delay_px
    stretch_px = (stretch.transpose(0, 2, 1) @ off_px[..., None])[..., 0]
    stretch_noise_px2, stretch_late_px2 = ((stretch * (c @ stretch)).sum(axis=1) for c in (noise, leaning))
    bent_px2 = np.maximum(0.0, (stretch_px**2 - stretch_noise_px2 - stretch_late_px2).sum(axis=1))
    own_floor_px = np.sqrt((SHAPE_FREEDOM * lasting_px**2 + bent_px2) / (SHAPE_FREEDOM + 2))
    alike = gain @ np.tile(np.eye(2), (4, 1))  # what all corners have in common
    shift_px, turn_rad = estimate_common_errors(corners_px)
    by_pixels = np.concatenate([alike * shift_px[:, None], turn_rad[:, None, None] * np.eye(4)[:, 2:3]], axis=2)
    off_by = np.concatenate([FLOOR_SHARES[:, None] * gain * own_floor_px[:, None, None], by_pixels], axis=2)
    late = late_by @ late_by.transpose(0, 2, 1) + (delays.sigma_px**2)[:, None, None] * alike @ alike.transpose(0, 2, 1)
    late[:, 2, 2] += delays.sigma_rad**2
    spread = noise + askew_px**2 * np.eye(8) + leaning
    return _SquareFits(
        centre=centre + step[:, 0] + 1j * step[:, 1],
        turn_rad=np.angle(ratio) + step[:, 2],
        scale=np.abs(ratio) * (1 + step[:, 3]),
        noise=gain @ picture_noise @ gain.transpose(0, 2, 1),
        lasting=np.sqrt(np.outer(LASTING_SHARES, LASTING_SHARES)) * fitted + off_by @ off_by.transpose(0, 2, 1) + late,
        chi2=(residuals * np.linalg.solve(spread, residuals[..., None])[..., 0]).sum(axis=1),
        stretch_px=stretch_px,
        stretch_noise_px2=stretch_noise_px2,
        stretch_by_readout_px_s=(stretch.transpose(0, 2, 1) @ delays.by_readout_px_s[..., None])[..., 0],
        side_px=np.linalg.norm(np.roll(corners_px, -1, axis=1) - corners_px, axis=2).mean(axis=1),
    )
