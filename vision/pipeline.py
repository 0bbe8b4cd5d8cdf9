"""The line from a frame to base poses: detect, refine, calibrate, measure, track."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.spaces import CameraOverTable, Lens
from calibration.suspects import Examined
from calibration.table import guess_lens
from hardware.frame import Frame
from vision.anchors import AnchorWatch
from vision.detect import Region, around, as_it_stood, detect, prints_of, whole
from vision.glance import Glances, no_glances
from vision.level import Surface
from vision.locate import MOST_ASTRAY, Anchor, Enrolled, camera_over_table, measure, noisier, usual
from vision.refine import refine
from vision.scan import Scan
from vision.search import search, searched_widely
from vision.sightings import as_examined, examined
from vision.track import SIGHTINGS, Track, advance, base_pose
from vision.types import CalibrationChange, TableSnapshot, TagDetection, TagFit

OFTEN_FRAMES, SELDOM_FRAMES = 8, 30
"""Anchors are measured anew once in so many frames: often while their means are young, seldom later, as bases are."""
OLD = 4
"""A rest is borne out by so many pictures in a row before it is looked at seldom."""
ON_ITS_WAY_PX = 1.0
"""What goes farther from frame to frame looks different in the next."""
BUMPED = 0.03
"""An anchor that is not where it was is looked for within this share of the picture's width."""
TWICE_FRAMES = 30
"""Two prints of one tag are remembered for so many frames after both were seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Markers:
    """The tags that are expected."""

    anchors: tuple[Anchor, ...]
    bases: Mapping[int, Enrolled]
    """By tag."""
    lens: Lens | None
    """None: the lens is solved from the anchors as far as they allow."""
    placement: NDArray[np.float64] | None = None
    """(3n, 3n) joint covariance of x_mm, y_mm and turn_rad of the anchors in their order; None: they are exact."""
    surfaces: tuple[Surface, ...] = ()
    """The tops of terrain that bases may stand on."""

    @property
    def tags(self) -> frozenset[int]:
        """Every id that may appear."""
        return frozenset(self.bases) | {anchor.tag for anchor in self.anchors}


@dataclass(kw_only=True)
class Pipeline:
    """Follows one camera.  It holds what one frame tells about the next, and is used from one thread."""

    markers: Markers
    camera: CameraOverTable | None = None
    anchors_px: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """(4, 2) corners of the anchors that the camera was solved from, by tag."""
    tracks: dict[int, Track] = field(default_factory=dict)
    examined: Examined = field(default_factory=Examined)
    """Which anchors are not as they are said to be; nothing rests on those."""
    trouble: str = ""
    """Why there is no calibration, in one sentence; empty when there is one."""
    stages_ms: dict[str, float] = field(default_factory=dict)
    """What the last step spent on each stage; measured, never used."""
    _anchors: AnchorWatch = field(default_factory=lambda: AnchorWatch(squares_mm={}))
    _examined_px: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """(4, 2) corners by tag of the anchors when they were last examined."""
    _glances: Glances = field(default_factory=lambda: no_glances(()))
    _scan: Scan | None = None
    _twice: dict[int, tuple[int, tuple[TagDetection, ...]]] = field(default_factory=dict)
    """By tag that was seen at several places at once: when, as a number of the frame, and where."""
    _frames: int = 0
    _shape: tuple[int, ...] = ()

    def step(self, frame: Frame) -> TableSnapshot:
        """Return where every base stands in this frame.

        Raises:
            ValueError: the frame's size is not the lens's.

        """
        clock = _Clock(self.stages_ms)
        grey = as_grey(frame.image)
        check_size(self.markers.lens, grey)
        self._begin_anew(grey)
        clock.lap("grey")
        unchanged = self._unchanged(grey)
        clock.lap("glance")
        due, regions = self._to_look_at(grey, unchanged)
        found = detect(grey, regions, self.markers.tags)
        clock.lap("detect")
        noise = math.sqrt(self._glances.noise / 2) if self._glances.noise else None
        fits = refine(grey, self._single(found, due, unchanged), noise)
        clock.lap("refine")
        changes = self._calibrate(grey, fits, unchanged, frame.captured_ns)
        clock.lap("calibrate")
        if self.camera and self._anchors.doubt is None:
            self._follow(self.camera, fits, {tag.tag for tag in found}, unchanged, frame.captured_ns)
        else:  # where a base stands cannot be told from a camera that nobody knows the place of
            self.tracks = advance(self.tracks, [], frame.captured_ns)
        self._remember(grey, {fit.tag for fit in fits}, unchanged)
        clock.lap("track")
        self._frames += 1
        return TableSnapshot(
            captured_ns=frame.captured_ns,
            sequence=frame.sequence,
            calibration=calibration_id(self.camera),
            anchors_seen=len(self._anchors.in_view),
            shown_twice=tuple(sorted(self._twice)),
            wrong_anchors=self.examined.texts if self.camera else (),
            doubt=self._anchors.doubt,
            astray=self._anchors.astray,
            slipped_mm=dict(self._anchors.slipped_mm),
            changes=changes,
            poses=tuple(
                base_pose(track, self.markers.bases[tag], frame.captured_ns)
                for tag, track in sorted(self.tracks.items())
                if track.sightings >= SIGHTINGS and tag in self.markers.bases
            ),
        )

    def _begin_anew(self, grey: NDArray[np.uint8]) -> None:
        """Forget what other markers, or pictures of another size, have left behind."""
        if grey.shape != self._shape:
            self._shape, self.camera, self.tracks = grey.shape, None, {}
            self._anchors = AnchorWatch(squares_mm={})
            self._glances, self._scan = no_glances(self.markers.tags), None
        self._anchors.squares_mm = {anchor.tag: anchor.square_mm for anchor in self.markers.anchors}
        if self._glances.places.keys() != self.markers.tags:
            self._glances, self._twice = no_glances(self.markers.tags), {}
            self.tracks = {tag: track for tag, track in self.tracks.items() if tag in self.markers.bases}

    def _unchanged(self, grey: NDArray[np.uint8]) -> set[int]:
        """Return the tags that need not be looked at: what is there has not changed since they were."""
        settled = {tag for tag, track in self.tracks.items() if track.settled}
        settled |= {tag for tag in self._anchors.means if self._anchors.steady(tag)}
        return self._glances.unchanged(grey, settled)

    def _to_look_at(self, grey: NDArray[np.uint8], unchanged: set[int]) -> tuple[list[TagDetection], list[Region]]:
        """Return what rests and is due to be measured anew, and where to look for the rest.

        What looks as it did still stands where it stood, and its pattern is fitted without being searched for.
        """
        if self.camera is None:
            return [], [whole(grey)]
        due: list[TagDetection] = []
        regions = [around(p.corners_px, 12.0, grey) for _, prints in self._twice.values() for p in prints]
        wide = searched_widely(self.tracks)
        for number, (tag, track) in enumerate(self.tracks.items()):
            if tag in unchanged and track.missed == 0:
                if not track.settled or track.looks < OLD or self._turn(number, SELDOM_FRAMES):
                    due.append(as_it_stood(tag, track.corners_px))
            elif tag in wide or tag not in unchanged:
                regions.append(search(track, grey, wide=tag in wide))
        if self._anchors.doubt and self._frames % OFTEN_FRAMES == 0 and not self._anchors.witnessed:
            return [], [whole(grey)]  # whoever knocked the camera over may have turned it anywhere
        for number, (tag, mean) in enumerate(sorted(self._anchors.means.items())):
            due_now = self._anchors.alert or self._turn(number, OFTEN_FRAMES)
            if tag not in unchanged:  # the camera may have been bumped
                margin_px = BUMPED * grey.shape[1] if due_now else 12.0
                regions.append(around(self._anchors.last_px.get(tag, mean.corners_px), margin_px, grey))
            elif due_now:
                due.append(as_it_stood(tag, mean.corners_px))
        if self._scan and (wanted_mm := self._missing_mm()):
            regions += self._scan.next(grey, _extent_px(self.camera, wanted_mm))
        return due, regions

    def _turn(self, number: int, every: int) -> bool:
        """Whether it is the turn of the tag with that number, of those that are looked at once in so many frames."""
        return (self._frames + number) % every == 0

    def _missing_mm(self) -> float:
        """Return the size of the largest tag that is looked for and may be anywhere; 0 for none.

        Now and then a second print is looked for of a tag that is seen.
        """
        seen = {tag for tag, track in self.tracks.items() if not track.missed} | set(self._anchors.in_view)
        everything = self._frames % OFTEN_FRAMES == 0
        sizes = {anchor.tag: anchor.size_mm for anchor in self.markers.anchors}
        sizes |= {tag: base.size_mm for tag, base in self.markers.bases.items()}
        return max((size_mm for tag, size_mm in sizes.items() if everything or tag not in seen), default=0.0)

    def _single(self, found: list[TagDetection], due: list[TagDetection], unchanged: set[int]) -> list[TagDetection]:
        """Return the tags of which one print is seen, and take note of the others."""
        looked_at = {tag.tag for tag in [*found, *due]}
        # What has not changed is still there, though nobody looked.
        places = {tag: mean.corners_px for tag, mean in self._anchors.means.items()}
        places |= {tag: track.corners_px for tag, track in self.tracks.items() if not track.missed}
        still = [as_it_stood(tag, places[tag]) for tag in looked_at & unchanged & places.keys()]
        by_tag = prints_of([*due, *still, *found])
        for tag, prints in by_tag.items():
            if len(prints) > 1:
                self._twice[tag] = (self._frames, tuple(prints))
        self._twice = {tag: seen for tag, seen in self._twice.items() if self._frames - seen[0] < TWICE_FRAMES}
        return [prints[0] for tag, prints in by_tag.items() if tag not in self._twice]

    def _calibrate(
        self, grey: NDArray[np.uint8], fits: list[TagFit], unchanged: set[int], captured_ns: int
    ) -> tuple[CalibrationChange, ...]:
        """Keep the camera's place up to date, and return what was found to have changed."""
        anchors, watch = {a.tag for a in self.markers.anchors}, self._anchors
        seen = [fit for fit in fits if fit.tag in anchors and fit.astray <= MOST_ASTRAY]
        resting = {tag for tag, track in self.tracks.items() if not track.moving and track.missed == 0}
        borne_out = 2 * len(resting & unchanged) > len(resting)
        due = watch.add(seen, unchanged & anchors, camera=self.camera, captured_ns=captured_ns, borne_out=borne_out)
        before = calibration_id(self.camera)
        if watch.moved_to and self.camera:
            self._carry(self.camera, watch.moved_to)
        if due or not (self.camera or self.trouble):
            self._solve(grey)
        after = calibration_id(self.camera)
        return tuple(replace(c, calibration_before=before, calibration=after) for c in watch.changes)

    def _carry(self, camera: CameraOverTable, there: CameraOverTable) -> None:
        """Look for the bases, and for second prints no more, where a camera that was moved must see them."""
        for tag, track in self.tracks.items():
            height_mm = track.level_mm + self.markers.bases[tag].height_mm
            places = camera.table_from_image(track.corners_px, height_mm)
            corners_px = there.image_from_table(np.column_stack([places, np.full(4, height_mm)]))
            self.tracks[tag] = replace(track, corners_px=corners_px, step_px=np.zeros(2))
        self._twice = {}

    def _solve(self, grey: NDArray[np.uint8]) -> None:
        lens = self._anchors.lens = self.markers.lens or guess_lens((grey.shape[1], grey.shape[0]))
        means = self._anchors.solved_from
        corners_px, noise_px2 = (
            {tag: mean.corners_px for tag, mean in means.items()},
            {tag: mean.lasting_px2 for tag, mean in means.items()},
        )
        try:
            as_before = as_examined(self._examined_px, corners_px)
            self.examined, self.camera = trusted_camera(
                self.markers,
                lens,
                corners_px,
                noise_px2,
                before=self._anchors.moved_to or self.camera,
                known=self.examined if as_before else None,
            )
            if not as_before:
                self._examined_px = corners_px
            self.anchors_px, self.trouble = corners_px, ""
        except Unsolvable as error:
            self.camera, self.trouble, self._scan = None, str(error), None
            return
        if self._scan is None:  # no camera means that this picture was looked through as a whole
            sizes_mm = [base.size_mm for base in self.markers.bases.values()]
            sizes_mm += [anchor.size_mm for anchor in self.markers.anchors]
            self._scan = Scan(overlap_px=_extent_px(self.camera, max(sizes_mm)))
            self._scan.whole(grey)

    def _follow(
        self, camera: CameraOverTable, fits: list[TagFit], found: set[int], unchanged: set[int], captured_ns: int
    ) -> None:
        as_a_rule = usual(camera, [track.recent[-1][1] for track in self.tracks.values()])
        levels_mm = {tag: track.level_mm for tag, track in self.tracks.items()}
        measured = measure(camera, fits, self.markers.bases, levels_mm, as_a_rule)
        if self._anchors.unrest_px:
            unrest_mm = self._anchors.unrest_px * camera.height_mm / float(camera.lens.parameters[0])
            measured = [noisier(m, unrest_mm) for m in measured]
        looked_at = found | {fit.tag for fit in fits}
        still = {tag for tag in unchanged - looked_at if tag in self.tracks and self.tracks[tag].settled}
        self.tracks = advance(
            self.tracks,
            measured,
            captured_ns,
            unchanged=still,
            obscured=looked_at,
            surfaces=self.markers.surfaces,
        )

    def _remember(self, grey: NDArray[np.uint8], seen: set[int], unchanged: set[int]) -> None:
        """Keep what was looked at in mind, so that it need not be looked at again while nothing changes."""
        for tag, track in self.tracks.items():
            if track.moving and np.abs(track.step_px).max() > ON_ITS_WAY_PX:
                self._glances.forget(tag)
            elif tag in seen:
                self._glances.remember(grey, tag, track.corners_px)
            elif tag not in unchanged and track.missed:
                self._glances.again(grey, tag)
        for tag, mean in self._anchors.means.items():
            if tag in seen and not self._anchors.struck(tag):
                self._glances.remember(grey, tag, mean.corners_px)


def locate_alone(markers: Markers, image: NDArray[np.uint8], captured_ns: int) -> TableSnapshot:
    """Return where every base stands in one picture that nothing came before.

    Raises:
        calibration.errors.Unsolvable: the anchors in the picture do not determine the camera's place.
        ValueError: the picture's size is not the lens's.

    """
    grey = as_grey(image)
    check_size(markers.lens, grey)
    by_tag = prints_of(detect(grey, [whole(grey)], markers.tags))
    twice = {tag for tag, prints in by_tag.items() if len(prints) > 1}
    fits = refine(grey, [prints[0] for tag, prints in by_tag.items() if tag not in twice])
    seen_px = {fit.tag: fit.corners_px for fit in fits}
    lens = markers.lens or guess_lens((grey.shape[1], grey.shape[0]))
    noise_px2 = {fit.tag: fit.covariance_px2 for fit in fits}
    found, camera = trusted_camera(markers, lens, seen_px, noise_px2)
    measured = measure(camera, fits, markers.bases, {}, usual(camera, ()))
    tracks = advance({}, measure(camera, fits, markers.bases, {}, usual(camera, measured)), captured_ns)
    poses = (base_pose(track, markers.bases[tag], captured_ns) for tag, track in sorted(tracks.items()))
    return TableSnapshot(
        captured_ns=captured_ns,
        sequence=0,
        calibration=calibration_id(camera),
        anchors_seen=sum(anchor.tag in seen_px for anchor in markers.anchors),
        shown_twice=tuple(sorted(twice)),
        wrong_anchors=found.texts,
        poses=tuple(replace(pose, moving=False) for pose in poses),  # one picture shows no motion
    )


def trusted_camera(
    markers: Markers,
    lens: Lens,
    seen_px: Mapping[int, NDArray[np.float64]],
    noise_px2: Mapping[int, NDArray[np.float64]],
    *,
    before: CameraOverTable | None = None,
    known: Examined | None = None,
) -> tuple[Examined, CameraOverTable]:
    """Return which anchors are not as they are said to be, if that is not known yet, and the camera by the others."""
    found = known or examined(lens, markers.anchors, seen_px, noise_px2, markers.placement)
    trusted = {tag: corners_px for tag, corners_px in seen_px.items() if tag not in found.left_out}
    camera = camera_over_table(lens, markers.anchors, trusted, before, noise_px2=noise_px2, placement=markers.placement)
    return found, camera


def calibration_id(camera: CameraOverTable | None) -> str:
    """Return a short name that tells two calibrations apart; empty for none."""
    return camera.id if camera else ""


def as_grey(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture without its colours."""
    return image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def check_size(lens: Lens | None, grey: NDArray[np.uint8]) -> None:
    """Raise ValueError unless a picture is of the size that the lens was calibrated at."""
    height, width = grey.shape
    if lens is not None and lens.image_size != (width, height):
        expected = "x".join(map(str, lens.image_size))
        raise ValueError(f"the picture is {width}x{height}, but the lens was calibrated at {expected}")


def _extent_px(camera: CameraOverTable, size_mm: float) -> int:
    """Return the extent of a tag with its rim in the picture, however it is turned."""
    return math.ceil(1.8 * size_mm * float(camera.lens.parameters[0]) / camera.height_mm)


class _Clock:
    """Writes how long each stage took, for people; nothing is decided by it."""

    def __init__(self, stages_ms: dict[str, float]) -> None:
        stages_ms.clear()
        self._stages_ms, self._last = stages_ms, time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self._stages_ms[stage] = self._stages_ms.get(stage, 0.0) + (now - self._last) * 1e3
        self._last = now
