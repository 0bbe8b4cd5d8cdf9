"""Motion: how a base goes through the picture, from where its marker was seen lately.

It is told as a square of corners goes, of a tag and of the oblong around a ring alike, and by pictures alone.
"""

import cmath
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.marker_numbers import is_ring
from vision.tags.pose_estimation import BaseMeasurement
from vision.tags.row_times import PictureMotion, Readout, ReadoutEvidence
from vision.tracking.tracks import Track
from vision.types import TagFit

Floats = NDArray[np.float64]

SECOND_NS = 1e9
STILL_SIDES, STILL_RAD = 0.2, 0.08
"""What rested goes at least so far, in sides of its marker, in a picture that shows it moving: else the look strays."""
NOISE_PX, NOISE_RAD = 0.04, 0.003
"""A step, or a turn, from picture to picture is off by this for the noise of its ends."""
SUDDEN_SHARE, UNSTEADY_SHARE = 0.5, 0.3
"""By what share of it a velocity may be off of what has just set off; and by what share of its last change."""
LEAST_SMEAR_PX = 0.5
"""What goes less far while the shutter is open is not smeared by it."""
FAST_PX_S, FORGOTTEN = 300.0, 0.95
"""A tag of this speed tells as much of the exposure time as what was known, and what was known of it by a picture."""
FASTEST_SIDES_S = 60.0
"""What goes farther within a second, in sides of its marker, has been put elsewhere."""
LATELY_NS = 150_000_000
"""What was seen longer ago tells nothing of how a base moves now."""
CARRIED_SIDES_S, CARRIED_RAD_S = 5.0, 1.0
"""How fast a base goes and turns that has come out from under a hand, in sides of its marker; one sigma."""


def estimate_motion(track: Track, corners_px: Floats, captured_ns: int, *, late_s: float = 0.0) -> PictureMotion | None:
    """Return how a base moves that is now seen at some corners; None where it is taken to rest.

    Args:
        track: what was known of it.
        corners_px: (4, 2) where its marker is.
        captured_ns: when the picture was taken.
        late_s: how much later than the first row its own are exposed; it moves so in the middle of that time.

    """
    corners = _list_corners(corners_px)
    side_px = _measure_side_px(corners)
    unknown = PictureMotion(
        velocity_px_s=0, turn_rad_s=0, sigma_px_s=CARRIED_SIDES_S * side_px, sigma_rad_s=CARRIED_RAD_S
    )
    if not track.moving:
        step, turn = _subtract(corners, _list_corners(track.corners_px))
        if not (track.strikes > 0 or abs(step) > STILL_SIDES * side_px or abs(turn) > STILL_RAD):
            return None
        since_s = (captured_ns - track.seen_ns) / SECOND_NS
        is_lately = 0 < since_s < LATELY_NS / SECOND_NS
        if not is_lately or abs(step) > FASTEST_SIDES_S * since_s * side_px:
            return unknown
        return _set_off(step / since_s, turn / since_s, since_s)
    lately = [(at_ns, m) for at_ns, m in track.recent[-2:] if 0 < captured_ns - at_ns < LATELY_NS]
    looks = [(at_ns, _list_corners(m.corners_px if m.steady_px is None else m.steady_px)) for at_ns, m in lately]
    if not looks:
        return unknown
    then_ns, then = looks[-1]
    since_s = (captured_ns - then_ns) / SECOND_NS
    step, turn = _subtract(corners, then)
    if abs(step) > FASTEST_SIDES_S * since_s * side_px:
        return unknown
    if len(looks) == 1:
        return _set_off(step / since_s, turn / since_s, since_s)
    before_s = (then_ns - looks[0][0]) / SECOND_NS
    step_before, turn_before = _subtract(then, looks[0][1])
    # From the middle of the last step to the middle of the delay, in ways between the middles of the last two.
    share = (since_s - late_s) / (since_s + before_s)
    change, change_of_turn = step / since_s - step_before / before_s, turn / since_s - turn_before / before_s
    return PictureMotion(
        velocity_px_s=step / since_s + share * change,
        turn_rad_s=turn / since_s + share * change_of_turn,
        sigma_px_s=UNSTEADY_SHARE * abs(change) + NOISE_PX / since_s,
        sigma_rad_s=UNSTEADY_SHARE * abs(change_of_turn) + NOISE_RAD / since_s,
    )


def _measure_side_px(corners: Sequence[complex]) -> float:
    first, second, third, fourth = corners
    return (abs(second - first) + abs(third - second) + abs(fourth - third)) / 3


def _set_off(velocity_px_s: complex, turn_rad_s: float, since_s: float) -> PictureMotion:
    """Return the motion of what rested until lately: it goes ever faster."""
    faster = 1 + SUDDEN_SHARE
    return PictureMotion(
        velocity_px_s=faster * velocity_px_s,
        turn_rad_s=faster * turn_rad_s,
        sigma_px_s=SUDDEN_SHARE * abs(velocity_px_s) + NOISE_PX / since_s,
        sigma_rad_s=SUDDEN_SHARE * abs(turn_rad_s) + NOISE_RAD / since_s,
    )


def _subtract(now: Sequence[complex], before: Sequence[complex]) -> tuple[complex, float]:
    """Return how far a square has gone and turned."""
    a, b, c, d = now
    e, f, g, h = before
    middle, middle_before = (a + b + c + d) / 4, (e + f + g + h) / 4
    back = middle_before.conjugate()
    arms = (a - middle) * (e.conjugate() - back) + (b - middle) * (f.conjugate() - back)
    arms += (c - middle) * (g.conjugate() - back) + (d - middle) * (h.conjugate() - back)
    return middle - middle_before, cmath.phase(arms)


def _list_corners(corners_px: Floats) -> list[complex]:
    """Return corners as Python's own numbers: of so few, they are reckoned with ten times as fast."""
    return [complex(x, y) for x, y in corners_px.tolist()]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposureEvidence:
    """What moving tags have told of how long the shutter is open."""

    s: float = 0.008
    weight: float = 0.0

    def add(self, fits: Iterable[TagFit], motions: Mapping[int, PictureMotion]) -> "ExposureEvidence":
        """Return what is known with one more picture, fast tags telling most, and late ones more than early ones."""
        smeared = [(fit.smear_px, abs(motions[fit.tag].velocity_px_s)) for fit in fits if fit.smear_px]
        if not smeared:
            return self
        times_s = [smear_px / speed for smear_px, speed in smeared]
        usual_s, weight = statistics.median(times_s), sum(speed for _, speed in smeared) / FAST_PX_S
        kept = self.weight * FORGOTTEN
        return ExposureEvidence(s=(self.s * kept + usual_s * weight) / (kept + weight), weight=kept + weight)

    def predict_smears(self, motions: Mapping[int, PictureMotion]) -> dict[int, complex]:
        """Return how far each tag that moves goes while the shutter is open, px to the right, and down."""
        smears = {tag: motion.velocity_px_s * self.s for tag, motion in motions.items()}
        return {tag: way for tag, way in smears.items() if abs(way) > LEAST_SMEAR_PX}


def learn_readout(
    evidence: ReadoutEvidence, measured: Iterable[BaseMeasurement], readout: Readout, floor_px: float
) -> ReadoutEvidence:
    """Return what moving tags tell of a camera's readout time.

    Args:
        evidence: what is known.
        measured: bases as they were measured in one picture.
        readout: what was taken off when they were.
        floor_px: by how much corners are off beyond what the picture's noise explains.

    """
    tags, bent, by_readout, variance = [], [], [], []
    for m in measured:
        if m.stretch_px is not None and m.stretch_by_readout_px_s is not None and m.stretch_noise_px2 is not None:
            tags.append(m.marker)
            bent.append(m.stretch_px + readout.s * m.stretch_by_readout_px_s)
            by_readout.append(m.stretch_by_readout_px_s)
            variance.append(m.stretch_noise_px2 + floor_px**2)
    if not bent:
        return evidence
    return evidence.add(tags, np.array(bent), np.array(by_readout), np.array(variance))


def place_at_first_row(
    measured: Iterable[BaseMeasurement], motions: Mapping[int, PictureMotion], readout: Readout
) -> list[BaseMeasurement]:
    """Return measured bases with each ring that moves where it was when the picture's first row was exposed."""
    return [
        _place_ring(m, motions[m.marker], readout) if is_ring(m.marker) and m.marker in motions else m for m in measured
    ]


def _place_ring(m: BaseMeasurement, motion: PictureMotion, readout: Readout) -> BaseMeasurement:
    share = float(readout.find_share(m.corners_px[:, 1].mean(), m.camera.lens.image_size[1]))
    mm_per_px = np.linalg.inv(m.camera.scale_px_per_mm([(m.x_mm, m.y_mm, m.surface_mm)])[0])
    velocity_mm_s = mm_per_px @ (motion.velocity_px_s.real, motion.velocity_px_s.imag)
    by_readout = np.array([*velocity_mm_s, -motion.turn_rad_s]) * share  # the picture's y goes down
    x_mm, y_mm, facing_rad = np.array([m.x_mm, m.y_mm, m.facing_rad]) - readout.s * by_readout
    unknown = np.outer(by_readout, by_readout) * readout.sigma_s**2
    unknown[2, 2] += (motion.sigma_rad_s * share) ** 2 * (readout.s**2 + readout.sigma_s**2)
    unknown[:2, :2] += mm_per_px @ mm_per_px.T * (motion.sigma_px_s * share) ** 2 * (readout.s**2 + readout.sigma_s**2)
    return replace(m, x_mm=float(x_mm), y_mm=float(y_mm), facing_rad=float(facing_rad), lasting=m.lasting + unknown)
