"""The line from a frame to base poses: detect, calibrate, measure, track."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2s

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.spaces import CameraOverTable, Lens
from calibration.table import guess_lens
from hardware.frame import Frame
from vision.anchors import AnchorMeans
from vision.detect import Region, around, detect, tiles, whole
from vision.locate import Anchor, Enrolled, camera_over_table, measure
from vision.track import Track, advance, base_pose
from vision.types import TableSnapshot

TILE_PX = 180_000
"""A tile of the background scan, so that its cost in one frame stays small at every resolution."""
WIDENING = (1.0, 4.0, 10.0, 12.0, 12.0, 12.0, 12.0, 12.0)
"""By how much more than its own motion the search for a tag allows, after so many frames that missed it."""
PUSHED = 0.01
"""The search for a missed tag allows for at least this share of the picture's width, before it is widened: a hand does
not go slower where tags are small."""
ANCHOR_EVERY = 8
"""Each anchor is looked at once in so many frames."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Markers:
    """The tags that are expected."""

    anchors: tuple[Anchor, ...]
    bases: Mapping[int, Enrolled]
    """By tag."""
    lens: Lens | None
    """None: the lens is solved from the anchors as far as they allow."""

    @property
    def tags(self) -> frozenset[int]:
        """Every id that may appear."""
        return frozenset(self.bases) | {anchor.tag for anchor in self.anchors}


@dataclass(kw_only=True)
class Pipeline:
    """Follows one camera.  It holds what one frame tells about the next, and is used from one thread."""

    markers: Markers
    camera: CameraOverTable | None = None
    tracks: dict[int, Track] = field(default_factory=dict)
    trouble: str = ""
    """Why there is no calibration, in one sentence; empty when there is one."""
    stages_ms: dict[str, float] = field(default_factory=dict)
    """What the last step spent on each stage; measured, never used."""
    _means: AnchorMeans = field(default_factory=AnchorMeans)
    _tile: int = 0
    _frames: int = 0

    def step(self, frame: Frame) -> TableSnapshot:
        """Return where every base stands in this frame.

        Raises:
            ValueError: the frame's size is not the lens's.

        """
        clock = _Clock(self.stages_ms)
        grey = as_grey(frame.image)
        check_size(self.markers.lens, grey)
        clock.lap("grey")
        found = detect(grey, self._regions(grey), self.markers.tags)
        clock.lap("detect")
        self._calibrate(grey, {tag.tag: tag.corners_px for tag in found})
        clock.lap("calibrate")
        measured = measure(self.camera, found, self.markers.bases, {}) if self.camera else []
        clock.lap("locate")
        if self.camera:
            self.tracks = advance(self.tracks, self.camera, measured, frame.captured_ns)
        clock.lap("track")
        self._frames += 1
        return TableSnapshot(
            captured_ns=frame.captured_ns,
            sequence=frame.sequence,
            calibration=calibration_id(self.camera),
            anchors_seen=len(self._means.in_view),
            poses=tuple(
                base_pose(track, self.markers.bases[tag], frame.captured_ns)
                for tag, track in sorted(self.tracks.items())
            ),
        )

    def _regions(self, grey: NDArray[np.uint8]) -> list[Region]:
        """Where to look in this frame: at every base, at some anchors, and in one tile for what is missing."""
        if self.camera is None:
            return [whole(grey)]
        regions = [_search(track, grey) for track in self.tracks.values()]
        anchors = [corners for _, corners in sorted(self._means.corners_px.items())]
        regions += [
            around(corners, 12.0, grey) for i, corners in enumerate(anchors) if (self._frames + i) % ANCHOR_EVERY == 0
        ]
        missing = len(self.tracks) < len(self.markers.bases) or any(track.missed for track in self.tracks.values())
        if missing or len(anchors) < len(self.markers.anchors):
            regions.append(self._next_tile(grey))
        return regions

    def _next_tile(self, grey: NDArray[np.uint8]) -> Region:
        largest_px = max((np.ptp(c, axis=0).max() for c in self._means.corners_px.values()), default=0.0)
        across = max(1, round(np.sqrt(grey.size / TILE_PX * grey.shape[1] / grey.shape[0])))
        down = max(1, round(grey.size / TILE_PX / across))
        cut = tiles(grey, across, down, int(1.5 * largest_px))
        self._tile = (self._tile + 1) % len(cut)
        return cut[self._tile]

    def _calibrate(self, grey: NDArray[np.uint8], seen_px: Mapping[int, NDArray[np.float64]]) -> None:
        anchors = {a.tag for a in self.markers.anchors}
        if not self._means.add({tag: c for tag, c in seen_px.items() if tag in anchors}):
            return
        lens = self.markers.lens or guess_lens((grey.shape[1], grey.shape[0]))
        try:
            self.camera = camera_over_table(lens, self.markers.anchors, self._means.corners_px, self.camera)
            self.trouble = ""
        except Unsolvable as error:
            self.camera, self.trouble = None, str(error)


def locate_alone(markers: Markers, image: NDArray[np.uint8], captured_ns: int) -> TableSnapshot:
    """Return where every base stands in one picture that nothing came before.

    Raises:
        calibration.errors.Unsolvable: the anchors in the picture do not determine the camera's place.
        ValueError: the picture's size is not the lens's.

    """
    grey = as_grey(image)
    check_size(markers.lens, grey)
    found = detect(grey, [whole(grey)], markers.tags)
    seen_px = {tag.tag: tag.corners_px for tag in found}
    lens = markers.lens or guess_lens((grey.shape[1], grey.shape[0]))
    camera = camera_over_table(lens, markers.anchors, seen_px)
    tracks = advance({}, camera, measure(camera, found, markers.bases, {}), captured_ns)
    poses = (base_pose(track, markers.bases[tag], captured_ns) for tag, track in sorted(tracks.items()))
    return TableSnapshot(
        captured_ns=captured_ns,
        sequence=0,
        calibration=calibration_id(camera),
        anchors_seen=sum(anchor.tag in seen_px for anchor in markers.anchors),
        poses=tuple(replace(pose, moving=False) for pose in poses),  # one picture shows no motion
    )


def calibration_id(camera: CameraOverTable | None) -> str:
    """Return a short name that tells two calibrations apart; empty for none."""
    if camera is None:
        return ""
    return blake2s(camera.parameters.tobytes(), digest_size=6).hexdigest()


def as_grey(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture without its colours."""
    return image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def check_size(lens: Lens | None, grey: NDArray[np.uint8]) -> None:
    """Raise ValueError unless a picture is of the size that the lens was calibrated at."""
    height, width = grey.shape
    if lens is not None and lens.image_size != (width, height):
        expected = "x".join(map(str, lens.image_size))
        raise ValueError(f"the picture is {width}x{height}, but the lens was calibrated at {expected}")


def _search(track: Track, grey: NDArray[np.uint8]) -> Region:
    """Where a base's tag may be in the next frame.

    It is wider at once for a tag that was missed, since a hand may have pushed it away faster than any margin grows.
    A tag that stays hidden is looked for where it was; the tiles find it elsewhere.
    """
    size_px = float(np.ptp(track.corners_px, axis=0).max())
    ahead = track.corners_px if track.missed else track.corners_px + track.step_px
    margin_px = 0.35 * size_px + 3 + float(np.abs(track.step_px).max())
    if 0 < track.missed < len(WIDENING):
        margin_px = max(margin_px, PUSHED * grey.shape[1])
    widening = WIDENING[track.missed] if track.missed < len(WIDENING) else 1.0
    return around(ahead, widening * margin_px, grey)


class _Clock:
    """Writes how long each stage took, for people; nothing is decided by it."""

    def __init__(self, stages_ms: dict[str, float]) -> None:
        self._stages_ms, self._last = stages_ms, time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self._stages_ms[stage] = (now - self._last) * 1e3
        self._last = now
