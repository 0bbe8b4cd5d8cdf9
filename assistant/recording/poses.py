"""Pose entries: base poses as a file, a journal or a line of output has them (`overtable.poses/1`)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Self, get_args

from pydantic import Field, model_validator

from assistant.files.documents import Format
from assistant.game.state import Pose
from vision.marker_numbers import get_ring, is_ring, number_ring
from vision.types import BasePose, Hindrance, TableSnapshot

PoseStateName = Literal["seen", "held", "lifted", "lost"]
POSE_STATE_NAMES: tuple[PoseStateName, ...] = get_args(PoseStateName)


def _is_none(value: object) -> bool:
    return value is None


def _is_empty(value: Sequence[object]) -> bool:
    return not value


class MarkerEntry(Format):
    """A marker as files name it: a tag or a ring, by its own id."""

    tag: int | None = Field(default=None, exclude_if=_is_none)
    ring: int | None = Field(default=None, exclude_if=_is_none)

    @model_validator(mode="after")
    def _check_one_marker(self) -> Self:
        if (self.tag is None) == (self.ring is None):
            raise ValueError("expected either tag or ring")
        return self

    @property
    def marker(self) -> int:
        """Its number, as `vision.marker_numbers` counts tags and rings."""
        return self.tag if self.tag is not None else number_ring(self.ring or 0)


class PoseEntry(MarkerEntry):
    """One base: its centre and facing on the table, with one standard deviation."""

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


class HinderedEntry(MarkerEntry):
    """A base whose marker is expected, and not found or not readable."""

    model: str
    hindrance: Hindrance


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
    rings_shown_twice: tuple[int, ...] = ()
    """The same of rings."""
    wrong_anchors: tuple[str, ...] = ()
    """Anchors that are not where, how or what the set-up says, a sentence each; nothing rests on those."""
    bases: tuple[PoseEntry, ...]
    terrain: tuple[PoseEntry, ...] = Field(default=(), exclude_if=_is_empty)
    """Marked pieces of terrain, each under its own id: where its middle is and how it is turned."""
    hindered: tuple[HinderedEntry, ...] = ()
    """Why bases are not found or no longer readable that are expected, where that can be told."""
    why: tuple[str, ...] = ()
    """Why anchors or bases are not found and what to do about it, a sentence each; never empty where no base is."""

    @property
    def markers_shown_twice(self) -> tuple[int, ...]:
        """Both of these, by marker."""
        return join_markers(self.shown_twice, self.rings_shown_twice)


def build_poses_document(
    snapshot: TableSnapshot,
    *,
    source: str,
    frame: int,
    captured_ns: int | None,
    models: Mapping[int, str],
    why: Sequence[str] = (),
) -> Poses:
    """Return the document for what was seen in one picture.

    Args:
        snapshot: what was seen.
        source: the picture's name.
        frame: the how many-th picture in it.
        captured_ns: since the first picture of a film; None for a still.
        models: who carries each marker.
        why: what keeps anchors or bases from being found, a sentence each.

    """
    twice = split_markers(snapshot.shown_twice)
    return Poses(
        source=source,
        frame=frame,
        captured_ns=captured_ns,
        anchors_seen=snapshot.anchors_seen,
        shown_twice=twice.tags,
        rings_shown_twice=twice.rings,
        wrong_anchors=snapshot.wrong_anchors,
        bases=tuple(entry_from_pose(pose) for pose in snapshot.poses),
        terrain=tuple(entry_from_pose(pose) for pose in snapshot.terrain),
        hindered=tuple(
            HinderedEntry(**name_in_file(marker), model=models[marker], hindrance=hindrance)
            for marker, hindrance in sorted(snapshot.hindered.items())
            if marker in models
        ),
        why=tuple(why),
    )


class MarkerIds(NamedTuple):
    """Tags and rings, each by their own ids."""

    tags: tuple[int, ...]
    rings: tuple[int, ...]


def split_markers(markers: Iterable[int]) -> MarkerIds:
    """Return markers as files name them."""
    markers = tuple(markers)
    return MarkerIds(
        tags=tuple(marker for marker in markers if not is_ring(marker)),
        rings=tuple(get_ring(marker) for marker in markers if is_ring(marker)),
    )


def join_markers(tags: Iterable[int], rings: Iterable[int]) -> tuple[int, ...]:
    """Return the numbers of markers that files name so."""
    return (*tags, *map(number_ring, rings))


def name_in_file(marker: int) -> dict[str, int]:
    """Return by which key and id files name a marker."""
    return {"ring": get_ring(marker)} if is_ring(marker) else {"tag": marker}


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
        **name_in_file(pose.marker),
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
