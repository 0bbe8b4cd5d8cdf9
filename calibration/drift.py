"""Drift: whether a camera over a table was moved, or an anchor on it, told by where the anchors were seen and are now.

A camera or a table that is bumped carries all anchors along as one camera motion would; an anchor that slips leaves
the others where they are.  Compared are places in the picture, before and after, so that what is wrong with the lens
or with where the anchors are said to lie cancels out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations

import cv2
import numpy as np

from calibration.least_squares import solve_least_squares
from calibration.spaces import CameraOverTable, Floats, Lens, project
from calibration.table.camera_pose import inform_lens, remove_bleed

ALLOWANCE_PX = 0.03
"""A square may seem shifted by so much, and each of its corners again, though nothing moved: the light plays on it."""
BLEED_PX = 0.3
"""By so much its edges may all move outward or inward when the light changes."""
CARRY_ERROR = 0.003
"""Of the way that a square goes in the picture, what an ordinary lens file or a lens solved from anchors has wrong."""
APART_CHI2 = 20.0
"""Squared distance, in sigma, beyond which a square is not where it was (3 degrees of freedom: right, down, turn)."""
LEAST_IN_PLACE = 2
"""So many anchors in place, and more than have moved, say that the camera stands still: a camera that is moved leaves
no two of them where they were."""
LEAST_SLIP_MM = 0.3
"""An anchor that went less far has hardly slipped, if a small motion of the camera explains it as well."""
FIXED_VARIANCE = 1e-18
"""Relative variance of what is not to change."""
WEAK_INFORMATION = 1e-12
"""What is known beforehand of how a camera was moved, in inverse squares of a radian and a millimetre."""
LEAST_CARRIED = 3
"""So many anchors must agree on how the camera was moved before another is said to have slipped as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedSquare:
    """Where a square is in the picture."""

    corners_px: Floats
    """(4, 2)."""
    noise_px2: Floats
    """(8, 8) covariance from the noise of the pictures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareShift:
    """How far a square is from where it was."""

    shift: Floats
    """(3,) right and down in pixels, and the turn from right to down in radians."""
    sigmas: Floats
    """(3,) the same in standard deviations, made independent."""
    strain_chi2: float
    """Squared distance, in sigma, between the shape of the square and what it was (5 degrees of freedom)."""

    @property
    def chi2(self) -> float:
        """Squared distance in sigma, 3 degrees of freedom."""
        return float(self.sigmas @ self.sigmas)


class DriftKind(StrEnum):
    """What has happened to the camera."""

    STILL = "still"
    BUMPED = "bumped"
    UNDECIDED = "undecided"
    """The anchors contradict each other, and too few agree to tell who is right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftExplanation:
    """What explains where the anchors are seen now."""

    kind: DriftKind
    camera: CameraOverTable
    """The camera as it stands now, with the lens that it had."""
    moved_mm: float = 0.0
    turned_rad: float = 0.0
    """How far the camera went over the table, or the table under it, and by which angle it turned about any axis."""
    slipped_mm: Mapping[int, float]
    """How far the anchors that are not where they were went on the table, by tag."""
    astray: tuple[int, ...] = ()
    """While it is undecided: the anchors that are not seen where they were."""


def measure_shift(before: ObservedSquare, now: ObservedSquare, *, restless: float = 1.0) -> SquareShift:
    """Return how far a square is from where it was, or from where it is expected.

    Args:
        before: where it was.
        now: where it is.
        restless: how much more than usual it may stray, in mean square: the table shakes.

    """
    ways = _build_motion_basis(before.corners_px)
    weights = np.linalg.inv(_compute_spread(before, now) * restless)
    spread = np.linalg.inv(ways.T @ weights @ ways)
    away = (now.corners_px - before.corners_px).ravel()
    shift = spread @ ways.T @ weights @ away
    left = away - ways @ shift
    return SquareShift(
        shift=shift,
        sigmas=np.asarray(np.linalg.solve(np.linalg.cholesky(spread), shift)),
        strain_chi2=float(left @ weights @ left),
    )


def explain_drift(
    camera: CameraOverTable,
    squares_mm: Mapping[int, Floats],
    before: Mapping[int, ObservedSquare],
    now: Mapping[int, ObservedSquare],
    *,
    lens: Lens | None = None,
) -> DriftExplanation:
    """Return the simplest thing that explains where the anchors are seen now.

    That is, in this order: nothing moved, or a minority of anchors slipped; the camera was moved; it was moved and
    anchors slipped too; it was moved, which shows that its lens was not known as well as was thought.  Where two
    explanations are equally simple, or none is left, it is undecided.  The only anchor of a table does not slip: where
    the table is, is what it says.

    Args:
        camera: as it stood before.
        squares_mm: (4, 3) corners of the anchors on the table, by tag.
        before: where the anchors were seen then; those that do not count are left out.
        now: where they are seen; those that are hidden are left out, and those that were not seen before do not count.
        lens: what is known of the lens but for the anchors, if it may prove to be another than was thought.

    """
    tags = sorted(now.keys() & before.keys() & squares_mm.keys())
    problem = _DriftProblem(camera=camera, squares_mm=squares_mm, before=before, now=now)
    off = tuple(tag for tag in tags if measure_shift(before[tag], now[tag]).chi2 > APART_CHI2)
    if tags and not off:
        return DriftExplanation(kind=DriftKind.STILL, camera=camera, slipped_mm={})
    in_place = len(tags) - len(off)
    if in_place >= LEAST_IN_PLACE and in_place > len(off):
        slipped_mm = {tag: problem.measure_slip_mm(tag, camera) for tag in off}
        if max(slipped_mm.values()) < LEAST_SLIP_MM and (there := problem.solve_camera(tags)):
            return _describe_bump(camera, there, {})
        return DriftExplanation(kind=DriftKind.STILL, camera=camera, slipped_mm=slipped_mm)
    if len(squares_mm) == 1 or len(tags) > LEAST_IN_PLACE or len(off) == LEAST_IN_PLACE:
        for few in range(len(tags)):
            candidates = [(kept, there) for kept in _leave_out(tags, few) if (there := problem.solve_camera(kept))]
            if len(candidates) == 1:
                kept, there = candidates[0]
                return _describe_bump(
                    camera, there, {tag: problem.measure_slip_mm(tag, there) for tag in tags if tag not in kept}
                )
            if candidates:
                break
        if lens and len(tags) > LEAST_CARRIED and (there := problem.solve_camera(tags, lens)):
            return _describe_bump(camera, there, {})
    return DriftExplanation(kind=DriftKind.UNDECIDED, camera=camera, slipped_mm={}, astray=off)


def _leave_out(tags: Sequence[int], few: int) -> Iterator[tuple[int, ...]]:
    """Yield all but a few of some anchors, in every way in which those that are left can tell that these slipped."""
    kept = len(tags) - few
    if few == 0 or kept >= max(LEAST_CARRIED, few + 2):
        yield from combinations(tags, kept)


def carry(camera: CameraOverTable, there: CameraOverTable, square_mm: Floats, sight: ObservedSquare) -> ObservedSquare:
    """Return where a square on the table is seen once the camera has moved; the farther away, the less surely."""
    away_px = there.image_from_table(square_mm) - camera.image_from_table(square_mm)
    far_px = float(np.linalg.norm(away_px.mean(axis=0)))
    corners_px = sight.corners_px + away_px
    return ObservedSquare(
        corners_px=corners_px,
        noise_px2=sight.noise_px2 + _build_loose_covariance((CARRY_ERROR * far_px) ** 2, corners_px),
    )


def measure_slip_mm(camera: CameraOverTable, square_mm: Floats, was_px: Floats, is_px: Floats) -> float:
    """Return how far the centre of a square went on the table, by where a camera that stands still sees its corners."""
    places = camera.table_from_image(np.stack([was_px.mean(axis=0), is_px.mean(axis=0)]), float(square_mm[0, 2]))
    return float(np.linalg.norm(places[1] - places[0]))


def measure_motion(camera: CameraOverTable, there: CameraOverTable) -> tuple[float, float]:
    """Return by which angle (radians) a camera turned, and how far it went (mm)."""
    turn = np.asarray(cv2.Rodrigues(there.camera_from_table @ camera.camera_from_table.T)[0], dtype=np.float64)
    return float(np.linalg.norm(turn)), float(np.linalg.norm(there.eye_mm - camera.eye_mm))


def _describe_bump(
    camera: CameraOverTable, there: CameraOverTable, slipped_mm: Mapping[int, float]
) -> DriftExplanation:
    turned_rad, moved_mm = measure_motion(camera, there)
    return DriftExplanation(
        kind=DriftKind.BUMPED, camera=there, moved_mm=moved_mm, turned_rad=turned_rad, slipped_mm=slipped_mm
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _DriftProblem:
    """What `explain_drift` is given."""

    camera: CameraOverTable
    squares_mm: Mapping[int, Floats]
    before: Mapping[int, ObservedSquare]
    now: Mapping[int, ObservedSquare]

    def measure_slip_mm(self, tag: int, there: CameraOverTable) -> float:
        """Return how far an anchor went on the table while the camera went elsewhere."""
        square_mm = self.squares_mm[tag]
        was = carry(self.camera, there, square_mm, self.before[tag])
        return measure_slip_mm(there, square_mm, was.corners_px, self.now[tag].corners_px)

    def solve_camera(self, tags: Sequence[int], lens: Lens | None = None) -> CameraOverTable | None:
        """Return the camera as it stands if none of some anchors slipped; None if they contradict that.

        Its lens is the one that it had, or one that what is known of it allows.
        """
        points_mm = np.concatenate([self.squares_mm[tag] for tag in tags])
        away_px = np.array([self.now[tag].corners_px - self.before[tag].corners_px for tag in tags])
        # What the old solve left unexplained stays: a lens that is a little wrong, an anchor that lies a little off.
        aim_px = away_px.reshape(-1, 2) + self.camera.image_from_table(points_mm)
        loose = [
            _build_loose_covariance(
                (CARRY_ERROR * float(np.linalg.norm(away.mean(axis=0)))) ** 2, self.now[tag].corners_px
            )
            for tag, away in zip(tags, away_px, strict=True)
        ]
        spreads = [_compute_spread(self.before[tag], self.now[tag]) for tag in tags]
        whitening = np.linalg.inv(np.linalg.cholesky(np.array(spreads) + np.array(loose)))

        def residuals(parameters: Floats) -> tuple[Floats, Floats]:
            pixels, slope = project(points_mm, parameters, self.camera.lens.model)
            off = (pixels - aim_px).reshape(-1, 8, 1)
            return (whitening @ off).ravel(), (whitening @ slope.reshape(-1, 8, 15)).reshape(-1, 15)

        start = self.camera.parameters
        information = WEAK_INFORMATION * np.eye(15)
        information[6:, 6:] = (
            inform_lens(lens, start[6:]) if lens else np.diag(1 / (FIXED_VARIANCE * (start[6:] ** 2 + 1)))
        )
        after = solve_least_squares(residuals=residuals, start=start, prior=start, information=information).parameters
        lens_after = replace(self.camera.lens, parameters=after[6:])
        there = replace(self.camera, lens=lens_after, rotation=after[:3], translation_mm=after[3:6])
        if not np.isfinite(after).all() or there.height_mm <= 0:
            return None
        for tag in tags:
            expected = carry(self.camera, there, self.squares_mm[tag], self.before[tag])
            if measure_shift(expected, self.now[tag]).chi2 > APART_CHI2:
                return None
        return there


def _build_motion_basis(corners_px: Floats) -> Floats:
    """(8, 3) what a pixel to the right, one down, and a radian make of a square's corners."""
    arms = corners_px - corners_px.mean(axis=0)
    turned = np.column_stack([-arms[:, 1], arms[:, 0]]).ravel()
    return np.column_stack([np.tile([1.0, 0.0], 4), np.tile([0.0, 1.0], 4), turned])


def _compute_spread(before: ObservedSquare, now: ObservedSquare) -> Floats:
    """(8, 8) by how much the corners of a square that stayed where it is expected may be off."""
    outward = (before.corners_px - remove_bleed(before.corners_px[None], 1.0)[0]).ravel()
    allowed = _build_loose_covariance(ALLOWANCE_PX**2, before.corners_px) + BLEED_PX**2 * np.outer(outward, outward)
    return np.asarray(before.noise_px2 + now.noise_px2 + allowed)


def _build_loose_covariance(px2: float, corners_px: Floats) -> Floats:
    """(8, 8) covariance of corners that are off by so much (variance, px) together, and each again by itself."""
    together = _build_motion_basis(corners_px)[:, :2]
    return np.asarray(px2 * (np.eye(8) + together @ together.T))
