"""The types that vision hands on: tag detections and fits, base poses, table snapshots, calibration changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from vision.quality.flicker import Flicker
from vision.tags.row_times import Readout


@dataclass(frozen=True, slots=True, kw_only=True)
class TagDetection:
    """One decoded tag in one picture."""

    tag: int
    corners_px: NDArray[np.float64]
    """(4, 2), in the tag's own frame (x right, y up): (-,-), (+,-), (+,+), (-,+).  The centre of the top-left pixel
    is (0, 0)."""
    hamming: int
    """Bits that had to be corrected."""
    margin: float
    """The decoder's decision margin, grey levels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagFit:
    """A decoded tag whose whole pattern has been fitted to the picture."""

    tag: int
    corners_px: NDArray[np.float64]
    """(4, 2) in the order of TagDetection."""
    covariance_px2: NDArray[np.float64]
    """(8, 8) of the corners, from what the fit leaves unexplained: x and y of the first, of the second, ..."""
    noise_px2: NDArray[np.float64]
    """(8, 8) what of it is another in each picture."""
    astray: float
    """Share of the tag's area that shows something else."""
    unexplained: float
    """Root mean square of what the pattern does not explain, grey levels."""
    blur_px: float
    """Standard deviation of the blur."""
    smear_px: float = 0.0
    """How far it went while the shutter was open; 0 where that was not fitted."""


class PoseState(StrEnum):
    """How a base pose is known."""

    SEEN = "seen"
    HELD = "held"
    """Hidden now; its last known place."""
    LIFTED = "lifted"
    """In the air; it is not on the table."""
    LOST = "lost"
    """Hidden for so long that its place is no longer vouched for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BasePose:
    """Where a base stands on the table."""

    marker: int
    """The number of its marker: a tag's own, or a ring's as `vision.marker_numbers` counts them."""
    model: str
    x_mm: float
    y_mm: float
    """The base's centre in the table frame."""
    facing_rad: float
    z_mm: float
    """Height of the surface that the base stands on; the measured height of the base while it is lifted."""
    other_z_mm: tuple[float, ...] = ()
    """Heights of other surfaces that it may stand on as well, as far as its measured height tells."""
    covariance: NDArray[np.float64]
    """(3, 3) of (x_mm, y_mm, facing_rad)."""
    state: PoseState
    seen_ns: int
    """Capture time of the picture that last showed the tag."""
    moving: bool
    """The base is not at rest."""
    calibration: str = ""
    """Identifies the calibration that it was last measured with."""


class Doubt(StrEnum):
    """Why it is not known at the moment where the camera stands over the table."""

    MOVING = "moving"
    """The camera or the table was moved, and is not still yet."""
    HIDDEN = "hidden"
    """No anchor is to be seen, and nothing else tells that the camera stands still."""
    ASTRAY = "astray"
    """The picture is still, but the anchors are not where they were, and contradict each other or are too few."""


class Hindrance(StrEnum):
    """Why a marker that is expected is not found, or can no longer be read."""

    TOO_DARK = "too-dark"
    """Its black and white lie too close together, or drown in noise."""
    GLARE = "glare"
    """A light is mirrored in it: its black is as bright as its white."""
    BLURRED = "blurred"
    """Out of focus, or smeared where it stands."""
    MOVING_TOO_FAST = "moving-too-fast"
    """It was on its way when it was last seen, and blurs or outruns the search."""
    COVERED = "covered"
    """Something else is to be seen at its place."""
    PRINT_DAMAGED = "print-damaged"
    """It lies there, but smudged, creased or curled."""
    OTHER_SIZE = "other-size"
    """Its marker looks much larger or smaller than it is said to be."""
    ABOVE_TABLE = "above-table"
    """It rests higher than any surface that is known: its print is larger than it is said to be, or it stands on
    something."""
    TOO_SMALL = "too-small"
    """Too few pixels across a cell at its place."""
    OUT_OF_PICTURE = "out-of-picture"
    """Its place, or a part of it, is beyond the picture's edge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadMarker:
    """Something that is surely a marker, and cannot be read."""

    marker: int | None
    """Which one it is, where that can be told for all that."""
    place_mm: tuple[float, float]
    """Where its middle is over the table."""
    place_px: tuple[float, float]
    """The same in the picture."""
    hindrance: Hindrance


class ChangeKind(StrEnum):
    """What was found to have changed between the camera and the table."""

    CAMERA_MOVED = "camera-moved"
    """The camera was moved over the table, or the table under it."""
    CAMERA_DRIFTED = "camera-drifted"
    """The same, but so slowly that it was followed all the time."""
    ANCHOR_SLIPPED = "anchor-slipped"
    ANCHOR_BACK = "anchor-back"
    """An anchor that had slipped lies where it belongs again."""
    LENS_CHANGED = "lens-changed"
    """Another lens file is used: nothing moved, but everything is measured anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationChange:
    """One such change, told once it is over."""

    kind: ChangeKind
    tag: int | None = None
    """The anchor, where it is about one."""
    moved_mm: float
    """How far the camera or the anchor went, or still lies from its place."""
    turned_rad: float = 0.0
    """By which angle the camera turned about any axis."""
    calibration_before: str = ""
    calibration: str = ""
    """What identifies the calibrations before and after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraSway:
    """How the camera strays from where it stands, which is followed in every picture and taken out of every pose."""

    zoom: float
    """The share by which the focal length is larger in this picture: the lens focuses elsewhere."""
    zoom_sigma: float
    breath: float
    """How far up and down the focal length has gone in the last 20 seconds, as a share: the lens hunts for its focus,
    and does not if the camera's autofocus is switched off.  Of a camera that shakes, a tenth of it may be this."""
    shake_px: float
    """How far the picture's middle has strayed in that time, root mean square: the camera or the table shakes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSnapshot:
    """All base poses at one moment."""

    captured_ns: int
    sequence: int
    calibration: str
    """Identifies the calibration that is in force; a hidden base's pose may rest on an earlier one."""
    camera: CameraOverTable | None = field(default=None, compare=False, repr=False)
    """That calibration, while there is one."""
    anchors_seen: int
    shown_twice: tuple[int, ...] = ()
    """Markers that were seen at two places at once: two prints of one.  Their bases are held."""
    wrong_anchors: tuple[str, ...] = ()
    """Anchors that are not where, how or what they are said to be, a sentence each; the calibration leaves them out."""
    doubt: Doubt | None = None
    """Why the calibration does not hold at the moment, so that every base is held; None while it does."""
    astray: tuple[int, ...] = ()
    """The anchors in question while the doubt is that they are astray."""
    sway: CameraSway | None = None
    """How the camera strays meanwhile; None for one that stands still."""
    slipped_mm: Mapping[int, float] = field(default_factory=dict)
    """How far anchors lie from their places that the calibration leaves out for that, by tag."""
    changes: tuple[CalibrationChange, ...] = ()
    """What this picture brought to light."""
    readout: Readout | None = field(default=None, compare=False)
    """What is known of how long the camera takes from row to row."""
    flicker: Flicker | None = field(default=None, compare=False)
    """How the light of lamps swings, where it does so that pictures show it."""
    hindered: Mapping[int, Hindrance] = field(default_factory=dict)
    """Why bases are not found or no longer readable that are expected, by marker, where that can be told."""
    unread: tuple[UnreadMarker, ...] = ()
    """What looks like a marker and cannot be read, beside those that are seen."""
    poses: tuple[BasePose, ...]
    terrain: tuple[BasePose, ...] = ()
    """The same of pieces of terrain with a mark: where the piece's own frame is."""
