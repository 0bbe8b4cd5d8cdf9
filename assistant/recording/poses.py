"""Pose entries: base poses as a file, a journal or a line of output has them (`overtable.poses/1`)."""

import math
from typing import Literal, get_args

from assistant.files.documents import Format
from assistant.game.state import Pose
from vision.types import BasePose, TableSnapshot

PoseStateName = Literal["seen", "held", "lifted", "lost"]
POSE_STATE_NAMES: tuple[PoseStateName, ...] = get_args(PoseStateName)


class PoseEntry(Format):
    """One base: its centre and facing on the table, with one standard deviation."""

    tag: int
    model: str
    x_mm: float
    y_mm: float
    facing_deg: float
    z_mm: float
    sigma_mm: tuple[float, float]
    sigma_deg: float
    state: PoseStateName
    moving: bool
    """Not at rest."""
    other_z_mm: tuple[float, ...] = ()
    """Heights of other surfaces that it may stand on as well, as far as its measured height tells."""
    calibration: str = ""
    """Which calibration it was measured with; older files do not say."""


class Poses(Format):
    """All bases in one picture."""

    format: Literal["overtable.poses/1"] = "overtable.poses/1"
    source: str
    frame: int
    captured_ns: int | None
    """Nanoseconds since the first frame of a video; none for a still."""
    anchors_seen: int
    shown_twice: tuple[int, ...] = ()
    """Tags of which two prints are in view: where their bases stand is not known from this picture."""
    wrong_anchors: tuple[str, ...] = ()
    """Anchors that are not where, how or what the set-up says, a sentence each; nothing rests on those."""
    bases: tuple[PoseEntry, ...]


def build_poses_document(snapshot: TableSnapshot, *, source: str, frame: int, captured_ns: int | None) -> Poses:
    """Return the document for what was seen in one picture."""
    return Poses(
        source=source,
        frame=frame,
        captured_ns=captured_ns,
        anchors_seen=snapshot.anchors_seen,
        shown_twice=snapshot.shown_twice,
        wrong_anchors=snapshot.wrong_anchors,
        bases=tuple(entry_from_pose(pose) for pose in snapshot.poses),
    )


def pose_from_entry(entry: PoseEntry) -> Pose:
    """Return the pose of an entry as the game knows it, with the larger of its two standard deviations."""
    return Pose(
        x_mm=entry.x_mm,
        y_mm=entry.y_mm,
        facing_rad=math.radians(entry.facing_deg),
        z_mm=entry.z_mm,
        sigma_mm=max(entry.sigma_mm),
        other_z_mm=entry.other_z_mm,
    )


def entry_from_pose(pose: BasePose) -> PoseEntry:
    """Return the entry of a pose: degrees, and no more digits than a camera can give and a journal keeps.

    Places to 0.01 mm, the facing to 0.01 degrees, from -180 to 180; standard deviations to three digits.
    """
    sigma_x, sigma_y, sigma_turn = (math.sqrt(pose.covariance[i, i]) for i in range(3))
    return PoseEntry(
        tag=pose.marker,
        model=pose.model,
        x_mm=_round_to_hundredths(pose.x_mm),
        y_mm=_round_to_hundredths(pose.y_mm),
        facing_deg=_round_to_hundredths(math.remainder(math.degrees(pose.facing_rad), 360)),
        z_mm=_round_to_hundredths(pose.z_mm),
        sigma_mm=(_round_to_three_digits(sigma_x), _round_to_three_digits(sigma_y)),
        sigma_deg=_round_to_three_digits(math.degrees(sigma_turn)),
        state=pose.state.value,
        moving=pose.moving,
        other_z_mm=tuple(_round_to_hundredths(z_mm) for z_mm in pose.other_z_mm),
        calibration=pose.calibration,
    )


def _round_to_hundredths(value: float) -> float:
    return round(value, 2) + 0.0  # which makes of -0.0 what every file makes of it


def _round_to_three_digits(value: float) -> float:
    """Round to three significant digits, and no more than six decimals."""
    return round(float(f"{value:.3g}"), 6)
