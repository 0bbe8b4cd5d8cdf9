"""Motion: how a base goes through the picture, from where its marker was seen lately.

It is told as a square of corners goes, of a tag and of the oblong around a ring alike, and by pictures alone.
"""

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


def estimate_motions(
    tracks: Sequence[Track], corners_px: Floats, captured_ns: int, lates_s: Floats
) -> list[PictureMotion | None]:
    """Return how each base moves that is now seen at some corners; None where it is taken to rest.

    Args:
        tracks: what was known of each.
        corners_px: (n, 4, 2) where their markers are.
        captured_ns: when the picture was taken.
        lates_s: (n,) how much later than the first row their own are exposed; they move so in the middle of that time.

    """
    if not tracks:
        return []
    looks = [_list_looks(track, captured_ns) for track in tracks]
    is_moving, has_strayed, is_followed = np.array(
        [(t.moving, t.strikes > 0, len(of) > 1) for t, of in zip(tracks, looks, strict=True)]
    ).T
    then_ns, before_ns = np.array([[at_ns for at_ns, _ in (of[0], of[-1])] for of in looks]).T
    now = np.asarray(corners_px @ (1, 1j), dtype=np.complex128)
    then, before = (np.array([of[at][1] for of in looks]) @ (1, 1j) for at in (0, -1))
    side_px = np.abs(np.diff(now, axis=1)).mean(axis=1)
    step, turn = _subtract(now, then)
    rests = ~is_moving & ~has_strayed & (np.abs(step) <= STILL_SIDES * side_px) & (np.abs(turn) <= STILL_RAD)
    is_lately = (then_ns < captured_ns) & (captured_ns - then_ns < LATELY_NS)
    since_s = np.where(is_lately, (captured_ns - then_ns) / SECOND_NS, 1.0)
    is_lately &= np.abs(step) <= FASTEST_SIDES_S * since_s * side_px
    # What has just set off goes ever faster; of what was followed, the last change tells, from the middle of the last
    # step to the middle of the delay, in ways between the middles of the last two.
    before_s = np.where(is_followed, (then_ns - before_ns) / SECOND_NS, 1.0)
    share = np.where(is_followed, (since_s - lates_s) / (since_s + before_s), SUDDEN_SHARE)
    unsteady = np.where(is_followed, UNSTEADY_SHARE, SUDDEN_SHARE)
    told = []
    for way, way_before, noise, carried in zip(
        (step, turn),
        _subtract(then, before),
        (NOISE_PX, NOISE_RAD),
        (CARRIED_SIDES_S * side_px, CARRIED_RAD_S),
        strict=True,
    ):
        speed = way / since_s
        change = speed - way_before / before_s
        told += [
            np.where(is_lately, speed + share * change, 0),
            np.where(is_lately, unsteady * np.abs(change) + noise / since_s, carried),
        ]
    return [
        None
        if is_at_rest
        else PictureMotion(velocity_px_s=velocity, turn_rad_s=turning, sigma_px_s=sigma_px, sigma_rad_s=sigma_rad)
        for is_at_rest, velocity, sigma_px, turning, sigma_rad in zip(
            rests.tolist(), *(each.tolist() for each in told), strict=True
        )
    ]


def _list_looks(track: Track, captured_ns: int) -> list[tuple[int, Floats]]:
    """Return when and where a marker was seen: the last two times lately, the last one first, or where it rested."""
    if not track.moving:
        return [(track.seen_ns, track.corners_px)]
    lately = [(at_ns, m) for at_ns, m in track.recent[:-3:-1] if 0 < captured_ns - at_ns < LATELY_NS]
    looks = [(at_ns, m.corners_px if m.steady_px is None else m.steady_px) for at_ns, m in lately]
    return looks or [(captured_ns - LATELY_NS, track.corners_px)]


def _subtract(now: NDArray[np.complex128], before: NDArray[np.complex128]) -> tuple[NDArray[np.complex128], Floats]:
    """Return how far (n, 4) squares have gone, (n,), and turned, (n,)."""
    middle, middle_before = now.mean(axis=1), before.mean(axis=1)
    arms = (now - middle[:, None]) * (before - middle_before[:, None]).conj()
    return middle - middle_before, np.angle(arms.sum(axis=1))


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
