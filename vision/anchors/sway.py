"""Sway: by how little the camera strays from where it stands, picture by picture.

A lens that hunts for its focus makes the picture a little larger and smaller; a table that is leaned on, or a tripod on
a wooden floor, shakes it.  All anchors and all resting bases go with it as one small turn, shift and change of the
focal length would carry them.  What they agree on is taken out of what they show, its uncertainty is added to every
pose, and nothing need be in doubt.  What is farther than a sway goes, or not agreed on, is left to the anchor watch;
and so is what lasts: then the camera was bumped, or creeps.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from calibration.drift import APART_CHI2, ObservedSquare
from calibration.spaces import CameraOverTable, Floats, project
from vision.anchors.averages import LEAST_LOOKS, LONG_NS, STILL_NS, square_from_fit
from vision.tags.pose_estimation import BaseMeasurement
from vision.types import CameraSway, TagFit

FARTHEST_SHARE = 2e-3
"""Of the picture's width, how far a sway may carry what is seen, the focus apart: 3.8 px at 1080p."""
LEAST_LASTING_PX = 0.05
"""What carries all that is seen less far need not be taken for where the camera stands now."""
MOST_ZOOM = 0.004
"""By which share the focal length may change: a lens of 4 mm that hunts between 0.7 and 1.4 m makes it 0.0029."""
PRIOR_SHARE, RISE_SHARE = 5e-4, 0.2
"""Of the picture's width, one sigma of what a turn or a shift does before anything is seen of them; and of that, what
going up and down does."""
PRIOR_ZOOM = 0.0015
FLOOR = np.diag([1.0, 1.0, 0.5])
"""What a floor of one pixel makes of a place and a turn."""
FIRST_FLOOR_PX, LEAST_FLOOR_PX = 0.03, 0.01
"""By how much places stray beyond noise and sway, since edges fall elsewhere among the pixels; to begin with."""
LEARNING_RATE = 0.1
LEAST_AGREEING = 3
"""So many anchors and resting bases tell a sway."""
ROUNDS = 5
DIFFERS_CHI2 = 30.0
"""Squared distance, in sigma, between two sways beyond which they are not the same (6 or 7 degrees of freedom)."""
LASTING_NS = 3_000_000_000
"""A change of focus that stays for so long is taken for the new focus; ..."""
RESTLESS_PICTURES = 4
"""... and a camera that was moving in more pictures than this of that time has to stand still for the long time."""
REMEMBERED_NS = 20_000_000_000
"""How far a camera sways is told of this time: a slow breath takes as long."""
_TURN_AND_SHIFT, _ALL = slice(0, 6), slice(0, 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """What rests on the table, where it is expected and where it is seen."""

    points_mm: Floats
    """(4, 3) its corners on the table."""
    before: ObservedSquare
    now: ObservedSquare
    is_anchor: bool

    @classmethod
    def see(cls, fit: TagFit, points_mm: Floats, expected: ObservedSquare, *, is_anchor: bool) -> "Witness":
        """Return what a picture shows of a tag with its corners at points (4, 3) of the table."""
        return cls(points_mm=points_mm, before=expected, now=square_from_fit(fit), is_anchor=is_anchor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sway:
    """How the camera strays in one picture."""

    step: Floats
    """(7,) of the camera's turn vector (radians), its shift (mm) and its focal length (a share)."""
    covariance: Floats
    """(7, 7) of the step."""
    floor_px: float
    """By how much each place strays beyond it and beyond noise; one sigma."""
    farthest_px: float
    """How far its turn and shift carry what is seen, at most."""
    lasting: Floats | None = None
    """(7,) what of the step has stayed: there the camera stands now."""

    def apply(self, camera: CameraOverTable) -> CameraOverTable:
        """Return the camera as it stood for this picture."""
        return _move_by(camera, self.step)

    def settle(self, camera: CameraOverTable) -> CameraOverTable | None:
        """Return where a camera has come to stand; None where it stood."""
        return None if self.lasting is None else _move_by(camera, self.lasting)

    def steady(self, camera: CameraOverTable, points_mm: Floats, corners_px: Floats) -> Floats:
        """Return where (n, 2) corners at points (n, 3) would be seen if the camera had not strayed."""
        _, slope = project(points_mm, camera.parameters, camera.lens.model)
        return np.asarray(corners_px - slope @ (_build_modes(camera) @ self.step))

    def steady_squares(self, camera: CameraOverTable, squares_px: Mapping[int, Floats]) -> dict[int, Floats]:
        """Return where (4, 2) corners of markers on the table would be seen if the camera had not strayed."""
        if not squares_px:
            return {}
        seen_px = np.concatenate(list(squares_px.values()))
        points_mm = np.column_stack([camera.table_from_image(seen_px, 0.0), np.zeros(len(seen_px))])
        return dict(zip(squares_px, self.steady(camera, points_mm, seen_px).reshape(-1, 4, 2), strict=True))

    def steady_measurements(
        self, camera: CameraOverTable, measured: Sequence[BaseMeasurement]
    ) -> list[BaseMeasurement]:
        """Return what was measured by the camera as it stood, as of the camera that strays: less sure by the sway."""
        if not measured:
            return []
        modes = _build_modes(camera)
        astray = replace(camera, covariance=modes @ self.covariance @ modes.T)
        places_mm = np.array([(m.x_mm, m.y_mm, m.surface_mm) for m in measured])
        spread = astray.pose_covariance(places_mm)
        floors_mm = self.floor_px / camera.patch_scale_px_per_mm(places_mm)
        sides_px = [float(np.linalg.norm(m.corners_px[1] - m.corners_px[0])) for m in measured]
        own = [
            np.diag(np.square([floor_mm, floor_mm, self.floor_px / side_px]))
            for floor_mm, side_px in zip(floors_mm, sides_px, strict=True)
        ]
        steady_px = self.steady_squares(camera, {m.marker: m.corners_px for m in measured})
        return [
            replace(m, camera=camera, noise=m.noise + shared + floor, steady_px=steady_px[m.marker])
            for m, shared, floor in zip(measured, spread, own, strict=True)
        ]


@dataclass(kw_only=True)
class SwayFollower:
    """What is known of how one camera sways.  It is written to, and used from one thread."""

    sway: Sway | None = None
    """How it strays in the last picture from where it was found to stand; None for not at all, or nobody can tell."""
    _steps: deque[tuple[int, Sway]] = field(default_factory=deque)
    """Capture times and sways since it began to; none while it stands still."""
    _moving_ns: deque[int] = field(default_factory=deque)
    """When it was turned or shifted otherwise than in the picture before."""
    _told: deque[tuple[int, float, float, float]] = field(default_factory=deque)
    """Capture time, change of focal length, and shift right and down of the picture's middle (px), of late."""
    _zoom_variance: float = 0.0
    """Of the last change of the focal length."""
    _floor_px: float = FIRST_FLOOR_PX

    @property
    def alert(self) -> bool:
        """Whether every anchor is to be looked at in every picture."""
        return bool(self._steps)

    def follow(self, camera: CameraOverTable, witnesses: Sequence[Witness], captured_ns: int) -> Sway | None:
        """Take in what one picture shows; return how the camera strayed, None where it did not or nobody can tell.

        Args:
            camera: where it stands.
            witnesses: what rests on the table; some of it may be about to move.
            captured_ns: when the picture was taken.

        """
        self.sway = None
        if len(witnesses) < LEAST_AGREEING:
            return None
        shifts = _measure_shifts(camera, witnesses)
        step, covariance, agree = shifts.solve(_expect_sway(camera), self._floor_px)
        farthest_px = float(np.linalg.norm(shifts.slope[:, :2, :6] @ step[:6], axis=1).max())
        sway = Sway(step=step, covariance=covariance, floor_px=self._floor_px, farthest_px=farthest_px)
        if not _is_agreed(camera, shifts, sway, agree):
            return None
        self._learn(shifts, sway, agree)
        if not self._steps and not _differ(sway, None, _ALL):
            return None
        if self._steps and _differ(sway, self._steps[-1][1], _TURN_AND_SHIFT):
            self._moving_ns.append(captured_ns)
        self._steps.append((captured_ns, sway))
        self._zoom_variance = float(covariance[6, 6])
        middle = camera.table_from_image(camera.lens.parameters[2:4][None], 0.0)
        right_px, down_px = -sway.steady(camera, np.column_stack([middle, [0.0]]), np.zeros((1, 2)))[0]
        self._told.append((captured_ns, float(step[6]), float(right_px), float(down_px)))
        return self._settle(captured_ns)

    def describe(self, captured_ns: int) -> CameraSway | None:
        """Return what is told of it; None for a camera that has stood still."""
        while self._told and captured_ns - self._told[0][0] > REMEMBERED_NS:
            self._told.popleft()
        if not self._told:
            return None
        lately = np.array([told[1:] for told in self._told])
        return CameraSway(
            zoom=float(self.sway.step[6]) if self.sway else 0.0,
            zoom_sigma=math.sqrt(self._zoom_variance),
            breath=math.sqrt(2 * max(0.0, float(lately[:, 0].var()) - self._zoom_variance)),
            shake_px=float(np.sqrt(lately[:, 1:].var(axis=0).sum())),
        )

    def _learn(self, shifts: "_Shifts", sway: Sway, agree: NDArray[np.bool_]) -> None:
        """Learn by how much places stray beyond a sway and noise."""
        free = 3 * int(agree.sum()) - 7
        if free > 0:
            left = (shifts.away - shifts.slope @ sway.step)[agree]
            noise = np.einsum("nii->n", shifts.noise[agree]).sum()
            floor_px2 = max(0.0, float((left**2).sum()) * (free + 7) / free - noise) / (agree.sum() * np.trace(FLOOR))
            px2 = self._floor_px**2 + LEARNING_RATE * (floor_px2 - self._floor_px**2)
            self._floor_px = max(LEAST_FLOOR_PX, float(np.sqrt(px2)))

    def _settle(self, captured_ns: int) -> Sway:
        """Return the last sway, and whether it lasts; begin anew once the camera has stood still."""
        sway = self.sway = self._steps[-1][1]
        while captured_ns - self._steps[0][0] > LASTING_NS and captured_ns - self._steps[1][0] >= LASTING_NS:
            self._steps.popleft()
        while self._moving_ns and captured_ns - self._moving_ns[0] > LASTING_NS:
            self._moving_ns.popleft()
        needed_ns = LONG_NS if len(self._moving_ns) > RESTLESS_PICTURES else STILL_NS
        still = self._find_still(needed_ns, _TURN_AND_SHIFT)
        lasts = bool(still) and all(
            s.farthest_px > LEAST_LASTING_PX and _differ(s, None, _TURN_AND_SHIFT) for s in still
        )
        over = bool(self._find_still(LASTING_NS, _ALL))
        if lasts or (over and _differ(sway, None, _ALL)):
            # The focus is taken for what it is only once it has stayed for longer.
            gone = sway.step * ([1.0] * 6 + [1.0 if over else 0.0])
            self.sway = replace(sway, step=sway.step - gone, farthest_px=0.0)
            self._steps = deque([(captured_ns, self.sway)])
            return replace(sway, lasting=gone)
        if over:
            self._steps.clear()
        return sway

    def _find_still(self, span_ns: int, part: slice) -> list[Sway]:
        """Return the sways of so long a time if the last is the same as each of them in a part; none if it is not."""
        end_ns, sway = self._steps[-1]
        lately = [step for at_ns, step in self._steps if end_ns - at_ns <= span_ns]
        if end_ns - self._steps[0][0] < span_ns or len(lately) < LEAST_LOOKS:
            return []
        return [] if any(_differ(sway, step, part) for step in lately) else lately


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shifts:
    """How n witnesses are shifted: right, down, and by how much a turn moves their corners, px."""

    away: Floats
    """(n, 3)."""
    noise: Floats
    """(n, 3, 3) covariance from the pictures' noise."""
    slope: Floats
    """(n, 3, 7) how they go with a sway."""
    is_anchor: NDArray[np.bool_]

    def weigh(self, step: Floats, floor_px: float) -> Floats:
        """(n,) squared distance of each witness from where a sway carries it, in sigma (3 degrees of freedom)."""
        left = self.away - self.slope @ step
        return np.asarray(np.einsum("ni,nij,nj->n", left, np.linalg.inv(self.noise + floor_px**2 * FLOOR), left))

    def solve(self, spread: Floats, floor_px: float) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return the sway that most witnesses bear out, its covariance, and which do."""
        whole = np.linalg.inv(spread)
        weighted = self.slope.transpose(0, 2, 1) @ np.linalg.inv(self.noise + floor_px**2 * FLOOR)
        each, pull = weighted @ self.slope, (weighted @ self.away[..., None])[..., 0]
        step, agree = np.zeros(7), np.ones(len(self.away), dtype=bool)
        for n in range(ROUNDS + 1):
            chi2 = self.weigh(step, floor_px)
            agree = chi2 <= APART_CHI2
            weight = 1 / (1 + chi2 / max(9.0, 3 * float(np.median(chi2)))) if n < ROUNDS else agree.astype(np.float64)
            information = whole + np.einsum("n,nij->ij", weight, each)
            step = np.linalg.solve(information, weight @ pull)
        return step, np.linalg.inv(information), agree & (self.weigh(step, floor_px) <= APART_CHI2)


def _measure_shifts(camera: CameraOverTable, witnesses: Sequence[Witness]) -> _Shifts:
    count = len(witnesses)
    before = np.array([w.before.corners_px for w in witnesses])
    away = np.array([w.now.corners_px for w in witnesses]) - before
    arms = before - before.mean(axis=1, keepdims=True)
    turned = np.stack([-arms[..., 1], arms[..., 0]], axis=-1)
    ways = np.zeros((count, 8, 3))
    ways[:, 0::2, 0] = ways[:, 1::2, 1] = 1.0
    ways[..., 2] = (turned / np.linalg.norm(turned, axis=2).mean(axis=1)[:, None, None]).reshape(count, 8)
    gain = np.linalg.pinv(ways)
    noise = np.array([w.before.noise_px2 + w.now.noise_px2 for w in witnesses])
    _, slope = project(np.concatenate([w.points_mm for w in witnesses]), camera.parameters, camera.lens.model)
    return _Shifts(
        away=(gain @ away.reshape(count, 8, 1))[..., 0],
        noise=gain @ noise @ gain.transpose(0, 2, 1),
        slope=gain @ (slope @ _build_modes(camera)).reshape(count, 8, 7),
        is_anchor=np.array([w.is_anchor for w in witnesses]),
    )


def _is_agreed(camera: CameraOverTable, shifts: _Shifts, sway: Sway, agree: NDArray[np.bool_]) -> bool:
    """Whether a sway goes no farther than sways do, and most anchors, and most of all that is seen, bear it out."""
    anchors = agree[shifts.is_anchor]
    is_small = sway.farthest_px <= FARTHEST_SHARE * camera.lens.image_size[0] and abs(sway.step[6]) <= MOST_ZOOM
    is_borne_out = (not len(anchors) or 2 * anchors.sum() > len(anchors)) and 2 * agree.sum() > len(agree)
    return bool(is_small and is_borne_out and agree.sum() >= LEAST_AGREEING)


def _differ(sway: Sway, other: Sway | None, part: slice) -> bool:
    """Whether two sways, or one and none, are surely not the same."""
    step, covariance = sway.step[part], sway.covariance[part, part]
    if other is not None:
        step, covariance = step - other.step[part], covariance + other.covariance[part, part]
    return float(step @ np.linalg.solve(covariance, step)) > DIFFERS_CHI2


def _build_modes(camera: CameraOverTable) -> Floats:
    """(15, 7) what turn, shift and focal length make of a camera's parameters."""
    modes = np.zeros((15, 7))
    modes[:6, :6] = np.eye(6)
    modes[6:8, 6] = camera.lens.parameters[:2]
    return modes


def _move_by(camera: CameraOverTable, step: Floats) -> CameraOverTable:
    parameters = camera.parameters + _build_modes(camera) @ step
    lens = replace(camera.lens, parameters=parameters[6:])
    return replace(camera, lens=lens, rotation=parameters[:3], translation_mm=parameters[3:6])


def _expect_sway(camera: CameraOverTable) -> Floats:
    """(7, 7) covariance of a sway of which nothing is seen yet."""
    turn_rad = PRIOR_SHARE * camera.lens.image_size[0] / float(camera.lens.parameters[0])
    shift_mm = turn_rad * camera.height_mm
    # To and fro it hardly goes: what makes all of the picture larger is the focus.
    return np.diag(np.square([turn_rad] * 3 + [shift_mm, shift_mm, RISE_SHARE * shift_mm, PRIOR_ZOOM]))
