"""One base through time: at rest or moving, seen, held, lifted or lost.

At rest the measurements are averaged, so that nothing trembles and sigma falls; a change that noise does not explain
ends the average.  While a base moves, its last measurement stands.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from vision.locate import Enrolled, Measured, raised
from vision.types import BasePose, PoseState

Floats = NDArray[np.float64]

SECOND_NS = 1_000_000_000
GRACE_NS = 150_000_000
"""A tag may be missed for so long before its base counts as hidden."""
VOUCHED_NS = 60 * SECOND_NS
"""A hidden base is held at its last place for so long; then it is lost."""
REST_NS = 250_000_000
"""A base that stays within its noise for so long is at rest."""
LEAST_AT_REST = 4
"""Fewer measurements than this do not show rest, however long a slow camera takes over them."""
MOST_AVERAGED = 100
LASTING = 0.5
"""Share of a measurement's variance that is the same in every picture of a base at rest, and does not average out:
where the edges fall among the pixels."""
CHANGE_CHI2 = 30.0
"""Squared distance, in sigma, beyond which a measurement does not belong to the average (3 degrees of freedom)."""
STILL_MM = 0.6
STILL_RAD = math.radians(1.5)
"""While moving, measurements that stay this close together are at rest."""
LEAVES_MM = 18.0
LANDS_MM = 9.0
"""Apparent rise at which a base counts as lifted, and at which it counts as standing again."""
HIDDEN_SIGMA_MM = 0.05
"""By this a hidden base's sigma grows within a second, and with the square root of time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """What is known of one base."""

    tag: int
    state: PoseState
    moving: bool
    pose: Floats
    """(3,) x_mm, y_mm, facing_rad."""
    noise: Floats
    """(3, 3) covariance of the pose from the corners' noise."""
    calibration: Floats
    """(2, 2) mm^2, from the calibration."""
    count: int
    """Measurements in the average; 1 while moving."""
    strikes: int
    """Measurements in a row that did not belong to the average."""
    recent: tuple[tuple[int, Measured], ...]
    """Capture time and measurement, back to where rest can be told."""
    rise_mm: float
    corners_px: Floats
    """(4, 2) where the tag was last seen."""
    step_px: Floats
    """(2,) how far it went from picture to picture when it was last seen."""
    missed: int
    """Pictures in a row that did not show it."""
    seen_ns: int


def advance(
    tracks: Mapping[int, Track], camera: CameraOverTable, measured: Sequence[Measured], captured_ns: int
) -> dict[int, Track]:
    """Return the tracks after one picture; the same pictures always lead to the same tracks."""
    by_tag = {m.tag: m for m in measured}
    after = {tag: _hidden(track, captured_ns) for tag, track in tracks.items() if tag not in by_tag}
    for tag, m in by_tag.items():
        after[tag] = _seen(tracks[tag], camera, m, captured_ns) if tag in tracks else _begun(m, captured_ns)
    return after


def base_pose(track: Track, enrolled: Enrolled, captured_ns: int) -> BasePose:
    """Return what the rest of the program sees of a track at a moment."""
    covariance = track.noise.copy()
    covariance[:2, :2] += track.calibration
    if track.state is PoseState.HELD:
        covariance[:2, :2] += np.eye(2) * HIDDEN_SIGMA_MM**2 * (captured_ns - track.seen_ns) / SECOND_NS
    return BasePose(
        tag=track.tag,
        model=enrolled.model,
        x_mm=float(track.pose[0]),
        y_mm=float(track.pose[1]),
        facing_rad=float(track.pose[2]),
        z_mm=track.rise_mm if track.state is PoseState.LIFTED else 0.0,
        covariance=covariance,
        state=track.state,
        seen_ns=track.seen_ns,
        moving=track.moving,
    )


def _begun(m: Measured, captured_ns: int) -> Track:
    return Track(
        tag=m.tag,
        state=PoseState.SEEN,
        moving=True,
        pose=_pose(m),
        noise=m.noise,
        calibration=m.calibration,
        count=1,
        strikes=0,
        recent=((captured_ns, m),),
        rise_mm=0.0,
        corners_px=m.corners_px,
        step_px=np.zeros(2),
        missed=0,
        seen_ns=captured_ns,
    )


def _hidden(track: Track, captured_ns: int) -> Track:
    hidden_ns = captured_ns - track.seen_ns
    state = track.state
    if hidden_ns > VOUCHED_NS:
        state = PoseState.LOST
    elif hidden_ns > GRACE_NS and state is PoseState.SEEN:
        state = PoseState.HELD
    return replace(track, state=state, missed=track.missed + 1)


def _seen(track: Track, camera: CameraOverTable, m: Measured, captured_ns: int) -> Track:
    recent = (*_lately(track.recent, captured_ns), (captured_ns, m))
    step_px = (m.corners_px.mean(axis=0) - track.corners_px.mean(axis=0)) / (track.missed + 1)
    track = replace(track, recent=recent, corners_px=m.corners_px, step_px=step_px, missed=0, seen_ns=captured_ns)
    rise_mm = float(np.median([r.rise_mm for _, r in recent[-3:]]))
    lifted = rise_mm > (LANDS_MM if track.state is PoseState.LIFTED else LEAVES_MM)
    if lifted and len(recent) >= 3:
        x_mm, y_mm = raised(camera, m)
        up = replace(track, state=PoseState.LIFTED, rise_mm=rise_mm)
        return _moved(up, replace(m, x_mm=x_mm, y_mm=y_mm))
    track = replace(track, state=PoseState.SEEN, rise_mm=0.0)
    return _settled(track, m) if track.moving else _rested(track, m)


def _lately(recent: tuple[tuple[int, Measured], ...], captured_ns: int) -> tuple[tuple[int, Measured], ...]:
    """Keep what tells rest: the measurements of the last REST_NS, and so many more that a slow camera has enough."""
    within = sum(captured_ns - at_ns < REST_NS for at_ns, _ in recent)
    return recent[-max(within + 1, LEAST_AT_REST - 1) :]


def _rested(track: Track, m: Measured) -> Track:
    """Add a measurement to the average, unless it does not belong there."""
    apart = _apart(_pose(m), track.pose)
    if apart @ np.linalg.solve(m.noise + track.noise, apart) > CHANGE_CHI2:
        # One stray measurement, such as a half hidden tag, does not end the rest; two do.
        return replace(track, strikes=1) if track.strikes == 0 else _moved(track, m)
    count = min(track.count + 1, MOST_AVERAGED)
    pose = track.pose + apart / count
    return replace(track, pose=pose, noise=_averaged(m, count), calibration=m.calibration, count=count, strikes=0)


def _averaged(m: Measured, count: int) -> Floats:
    return m.noise * (LASTING + (1 - LASTING) / count)


def _moved(track: Track, m: Measured) -> Track:
    return replace(track, moving=True, pose=_pose(m), noise=m.noise, calibration=m.calibration, count=1, strikes=0)


def _settled(track: Track, m: Measured) -> Track:
    """End the motion if the last measurements have stayed together for long enough."""
    long_enough = track.recent[-1][0] - track.recent[0][0] >= REST_NS and len(track.recent) >= LEAST_AT_REST
    steps = np.array([_apart(_pose(r), _pose(m)) for _, r in track.recent])
    still = np.hypot(steps[:, 0], steps[:, 1]).max() < STILL_MM and np.abs(steps[:, 2]).max() < STILL_RAD
    if not (long_enough and still):
        return _moved(track, m)
    return replace(
        track,
        moving=False,
        pose=_pose(m) + steps.mean(axis=0),
        noise=_averaged(m, len(track.recent)),
        calibration=m.calibration,
        count=len(track.recent),
        strikes=0,
    )


def _pose(m: Measured) -> Floats:
    return np.array([m.x_mm, m.y_mm, m.facing_rad])


def _apart(pose: Floats, other: Floats) -> Floats:
    apart = pose - other
    apart[2] = math.remainder(apart[2], math.tau)
    return np.asarray(apart)
