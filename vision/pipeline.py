"""The vision pipeline, from a frame to base poses: detect, refine, calibrate, measure, track.

`Pipeline` follows one camera from frame to frame; `stills.py` looks at one picture that nothing came before.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.ma  # NumPy loads it for its first median, and the first picture would wait for that
from numpy.typing import NDArray

from calibration.drift import ObservedSquare
from calibration.spaces import CameraOverTable, Lens, is_same_lens
from calibration.table.camera_pose import guess_lens
from hardware.frame import Frame
from vision.anchors.camera_pose import CameraSolution, carry_tracks, recalibrate_tracks, update_camera_solution
from vision.anchors.sway import Sway, SwayFollower, Witness
from vision.anchors.watch import AnchorWatch
from vision.change_detection import TAG_SAMPLE, ChangeDetector, create_change_detector, sample_ring
from vision.images import check_size, convert_to_grey
from vision.marker_numbers import is_ring
from vision.markers import Markers
from vision.quality.hindrance_watch import HindranceWatch
from vision.rings.decoding import UnreadRing
from vision.rings.following import RingFollower, RingSightings
from vision.rings.measurement import measure_rings
from vision.rings.pattern_fit import RingFit
from vision.stage_timer import StageTimer
from vision.tags.alignment import align_tags
from vision.tags.candidates import find_candidates
from vision.tags.corner_refinement import USUAL_BLUR_PX, refine_corners
from vision.tags.detection import ImageRegion, assume_detection, detect_tags, select_around, select_whole
from vision.tags.duplicate_prints import DuplicatePrints
from vision.tags.expected_tags import find_expected_tags
from vision.tags.faint_places import FaintPlaces
from vision.tags.faint_tags import UnreadTag, find_faint_tags, want_tag
from vision.tags.pose_estimation import (
    MOST_ASTRAY,
    BaseMeasurement,
    add_noise,
    estimate_typical_fit,
    locate_tag,
    measure_bases,
    place_on_surface,
)
from vision.tracking.motion import place_at_first_row
from vision.tracking.search import (
    WIDENING_STEPS,
    TileScan,
    choose_close_looks,
    choose_wide_searches,
    predict_corners,
    predict_region,
    predict_tag,
)
from vision.tracking.shutter import ShutterWatch
from vision.tracking.tracks import Track, advance_tracks, list_poses
from vision.types import CalibrationChange, ChangeKind, TableSnapshot, TagDetection, TagFit

OFTEN_FRAMES, SELDOM_FRAMES = 8, 32
"""Once in so many frames anchors are measured anew, and bases that rest."""
REST_FRAMES = 4
"""Both are done in one frame of so many: what is measured together costs little more than one alone."""
CONFIRMED_AT_REST = 4
"""A rest is borne out by so many pictures in a row before it is looked at seldom."""
FAST_STEP_PX = 1.0
"""What goes farther from frame to frame looks different in the next."""
BUMP_SHARE = 0.03
"""An anchor that is not where it was is looked for within this share of the picture's width."""
BLUR_RATE = 0.1
"""What one picture adds to what is known of how blurred tags are."""
MOST_FAINT = 2
"""So many tags that are not found where their tracks lead are looked for there by their shape in one picture."""


@dataclass(kw_only=True)
class Pipeline:
    """Follows one camera.  It holds what one frame tells about the next, and is used from one thread."""

    markers: Markers
    calibrated: CameraSolution = field(default_factory=CameraSolution)
    tracks: dict[int, Track] = field(default_factory=dict)
    stages_ms: dict[str, float] = field(default_factory=dict)
    """What the last step spent on each stage; measured, never used."""
    _anchors: AnchorWatch = field(default_factory=lambda: AnchorWatch(squares_mm={}))
    _sway: SwayFollower = field(default_factory=SwayFollower)
    _change_detector: ChangeDetector = field(default_factory=lambda: create_change_detector({}))
    _scan: TileScan | None = None
    _duplicates: DuplicatePrints = field(default_factory=DuplicatePrints)
    _rings: RingFollower = field(default_factory=RingFollower)
    _faint: FaintPlaces = field(default_factory=FaintPlaces)
    _looks_everywhere: int = 0
    _shutter: ShutterWatch = field(default_factory=ShutterWatch)
    _blur_px: float = USUAL_BLUR_PX
    _hindrances: HindranceWatch = field(default_factory=HindranceWatch)
    _told: Markers | None = None
    """Those of the last frame."""
    _through_other: CameraOverTable | None = None
    """The camera by another lens, until it is known by this one."""
    _frames: int = 0
    _shape: tuple[int, ...] = ()

    @property
    def camera(self) -> CameraOverTable | None:
        """The camera over the table; None while its place is not known."""
        return self.calibrated.camera

    def change_lens(self, lens: Lens) -> None:
        """Take another lens from the next frame on."""
        self.markers = replace(self.markers, lens=lens)

    def step(self, frame: Frame) -> TableSnapshot:
        """Return where every base stands in this frame.

        Raises:
            ValueError: the frame's size is not the lens's.

        """
        clock = StageTimer(self.stages_ms)
        grey = convert_to_grey(frame.image)
        check_size(self.markers.lens, grey)
        self._forget_outdated(grey)
        self._shutter.known = self.markers.readout
        self._shutter.lamps.look(grey, frame.captured_ns)
        clock.lap("grey")
        unchanged = self._find_unchanged(grey)
        clock.lap("glance")
        due, aligned, regions = self._choose_where_to_look(grey, unchanged)
        detections = [*aligned, *detect_tags(grey, regions, self.markers.tags)]
        clock.lap("detect")
        found = {tag.tag for tag in [*detections, *due]}
        detections += self._look_closer(grey, unchanged, found, frame.captured_ns)
        clock.lap("look closer")
        noise = math.sqrt(self._change_detector.noise / 2) if self._change_detector.noise else None
        fits = self._refine(grey, self._keep_single_prints(detections, due, unchanged), frame.captured_ns, noise)
        clock.lap("refine")
        changes = self._calibrate(grey, fits, unchanged, frame.captured_ns)
        clock.lap("calibrate")
        rings = RingSightings()
        if self.camera and self._anchors.doubt is None:
            now = self._sway.sway.apply(self.camera) if self._sway.sway else self.camera
            rings = self._look_for_rings(now, grey, unchanged, fits, captured_ns=frame.captured_ns, noise=noise)
            clock.lap("rings")
            measured = self._measure(self.camera, now, fits, rings.fits, captured_ns=frame.captured_ns)
            self._hindrances.note_sizes(now, self.markers, fits, self.tracks)
            looked_at = {tag.tag for tag in detections} | {fit.tag for fit in fits} | rings.looked_at
            still = {m for m in unchanged - looked_at if m in self.tracks and self.tracks[m].settled}
            self.tracks = advance_tracks(
                self.tracks,
                measured,
                frame.captured_ns,
                unchanged=still,
                obscured=looked_at,
                surfaces=self.markers.surfaces,
                grounded=self.markers.terrain,
            )
        else:  # where a base stands cannot be told from a camera that nobody knows the place of
            self.tracks = advance_tracks(self.tracks, [], frame.captured_ns)
        self._remember(grey, {fit.tag for fit in fits} | {fit.ring.marker for fit in rings.fits}, unchanged)
        clock.lap("track")
        if self._anchors.doubt is not None:
            self._hindrances.forget()
        elif self.camera and self._frames % OFTEN_FRAMES == 0:
            unread: list[UnreadTag | UnreadRing] = [*self._faint.unread, *self._rings.unread]
            self._hindrances.ask(grey, self.camera, self.markers, self.tracks, unread)
        self._frames += 1
        return TableSnapshot(
            captured_ns=frame.captured_ns,
            sequence=frame.sequence,
            calibration=self.calibrated.id,
            camera=self.camera,
            anchors_seen=len(self._anchors.seen),
            shown_twice=tuple(sorted([*self._duplicates.tags, *self._rings.duplicates])),
            wrong_anchors=self.calibrated.examined.texts if self.camera else (),
            doubt=self._anchors.doubt,
            astray=self._anchors.astray,
            sway=self._sway.describe(frame.captured_ns),
            slipped_mm=dict(self._anchors.slipped_mm),
            changes=changes,
            hindered=self._hindrances.list_hindered(self.tracks),
            unread=self._hindrances.list_unread(self.tracks),
            readout=self._shutter.readout,
            flicker=self._shutter.lamps.flicker,
            poses=list_poses(self.tracks, self.markers.bases, frame.captured_ns),
            terrain=list_poses(self.tracks, self.markers.terrain, frame.captured_ns),
        )

    def _forget_outdated(self, grey: NDArray[np.uint8]) -> None:
        """Forget what other markers, or pictures of another size, have left behind."""
        told, self._told = self._told, self.markers
        if grey.shape != self._shape:
            self._shape, self.tracks = grey.shape, {}
            self.calibrated = replace(self.calibrated, camera=None)
            self._anchors, self._sway = AnchorWatch(squares_mm={}), SwayFollower()
            self._change_detector, self._scan = create_change_detector({}), None
            self._faint = FaintPlaces()
        elif self.markers is told:
            return
        before, lens = told.lens if told else None, self.markers.lens
        if self.camera and not is_same_lens(before, lens):
            # Where the camera is, and all that was measured, was seen through the one before.
            self._through_other, self.calibrated = self.camera, replace(self.calibrated, camera=None)
            self.tracks = {}
        if self._scan and told and told.sizes_mm != self.markers.sizes_mm:
            self._scan.begin_close_looks()
        self._anchors.squares_mm = {anchor.tag: anchor.square_mm for anchor in self.markers.anchors}
        followed, rings = self.markers.followed, self.markers.ringed
        if self._change_detector.rows.keys() != self.markers.tags | rings.keys():
            samples = dict.fromkeys(self.markers.tags, TAG_SAMPLE)
            samples |= {marker: sample_ring(ring) for marker, ring in rings.items()}
            self._change_detector, self._duplicates = create_change_detector(samples), DuplicatePrints()
            self._rings = RingFollower()
            self.tracks = {marker: track for marker, track in self.tracks.items() if marker in followed}

    def _find_unchanged(self, grey: NDArray[np.uint8]) -> set[int]:
        """Return the tags that need not be looked at: what is there has not changed since they were."""
        settled = {tag for tag, track in self.tracks.items() if track.settled}
        settled |= {tag for tag in self._anchors.means if self._anchors.is_steady(tag)}
        return self._change_detector.find_unchanged(grey, settled)

    def _choose_where_to_look(
        self, grey: NDArray[np.uint8], unchanged: set[int]
    ) -> tuple[list[TagDetection], list[TagDetection], list[ImageRegion]]:
        """Return what rests and is due to be measured anew, what is found where it is expected, and where to look else.

        What looks as it did still stands where it stood, and its pattern is fitted without being searched for.  What
        does not is found by its print near where its track leads, but is searched for now and then: there may be a
        second print of it.
        """
        if self.camera is None:
            return [], [], self._look_everywhere(grey)
        due: list[TagDetection] = []
        expected: list[int] = []
        around: dict[int, ImageRegion] = {}
        regions = [select_around(each.corners_px, 12.0, grey) for each in self._duplicates.prints]
        tracks = {tag: track for tag, track in self.tracks.items() if not is_ring(tag)}
        wide = choose_wide_searches(tracks)
        nudged = self._change_detector.nudged
        for number, (tag, track) in enumerate(tracks.items()):
            if tag in nudged and track.settled and tag not in wide:
                due.append(assume_detection(tag, track.corners_px))
                continue
            if tag in unchanged and track.missed == 0:
                if (
                    not track.settled
                    or track.confirmations < CONFIRMED_AT_REST
                    or self._is_rest_due(number, SELDOM_FRAMES)
                ):
                    due.append(assume_detection(tag, track.corners_px))
                continue
            if tag in wide or tag not in unchanged:
                around[tag] = predict_region(track, grey, wide=tag in wide)
            if (track.missed or tag in around) and not self._is_due(number, SELDOM_FRAMES):
                expected.append(tag)
        if self._anchors.doubt and self._frames % OFTEN_FRAMES == 0 and not self._anchors.witnessed:
            return [], [], self._look_everywhere(grey)  # whoever knocked the camera over may have turned it anywhere
        is_open = self._anchors.alert or self._sway.alert
        for number, (tag, mean) in enumerate(sorted(self._anchors.means.items())):
            due_now = is_open or self._anchors.is_young(tag) or self._is_rest_due(number, OFTEN_FRAMES)
            corners_px = self._anchors.last_px.get(tag, mean.corners_px)
            if tag not in unchanged and tag not in nudged:  # the camera may have been bumped
                margin_px = BUMP_SHARE * grey.shape[1] if due_now else 12.0
                regions.append(select_around(corners_px, margin_px, grey))
            elif due_now or tag in nudged:
                due.append(assume_detection(tag, corners_px))
        aligned = align_tags(grey, expected, predict_corners([tracks[tag] for tag in expected]))
        looked_at = [*regions, *around.values()]
        for tag in sorted(around.keys() - {found.tag for found in aligned}):
            regions += find_candidates(grey, around[tag]) if tag in wide else [around[tag]]
        if self._scan and (wanted_mm := self._find_missing_mm()):
            extent_px, noise = _compute_extent_px(self.camera, wanted_mm), math.sqrt(self._change_detector.noise)
            regions += self._scan.choose_regions(grey, extent_px, looked_at, noise=noise)
        return due, aligned, regions

    def _look_everywhere(self, grey: NDArray[np.uint8]) -> list[ImageRegion]:
        """Return where to look for what may be anywhere, in turns: wherever a tag may be, and the whole picture."""
        self._looks_everywhere += 1
        return [select_whole(grey)] if self._looks_everywhere % 2 == 0 else find_candidates(grey, select_whole(grey))

    def _look_closer(
        self, grey: NDArray[np.uint8], unchanged: set[int], found: set[int], captured_ns: int
    ) -> list[TagDetection]:
        """Return tags that the detector missed where they should be, and where nobody has read what lies there yet."""
        if self.camera is None or self._anchors.doubt is not None:
            return []
        bases = self.markers.tagged
        lost = {
            tag: track
            for tag, track in self.tracks.items()
            if tag in bases and tag not in found and (track.missed or tag not in unchanged)
        }
        looks = choose_close_looks(lost)
        read = find_expected_tags(
            grey, [predict_tag(lost[tag], captured_ns, self._shutter.exposure.s) for tag in looks]
        )
        found = found | {tag.tag for tag in read}
        for tag in [tag for tag in looks if tag not in found][:MOST_FAINT]:
            region = predict_region(lost[tag], grey, wide=False)
            there = [want_tag(bases[tag], lost[tag].level_mm)]
            read += find_faint_tags(self.camera, grey, [region], there, blur_px=self._blur_px).tags
        wanted = [want_tag(bases[tag]) for tag in bases.keys() - found if tag in lost or tag not in self.tracks]
        if self._scan is None or not wanted or not self._scan.has_time:
            return read
        known_px = [mean.corners_px for mean in self._anchors.means.values()]
        known_px += [track.corners_px for tag, track in self.tracks.items() if not track.missed]
        unseen = [t for t in wanted if t.tag not in lost or lost[t.tag].missed >= len(WIDENING_STEPS)]
        if unseen and (tile := self._scan.choose_close_look(grey, known_px)):
            sightings = find_faint_tags(self.camera, grey, [tile], unseen, known_px=known_px, blur_px=self._blur_px)
            self._faint.add(grey, sightings.unread)
            return [*read, *sightings.tags]
        noise = math.sqrt(self._change_detector.noise / 2)
        read += self._faint.look(self.camera, grey, wanted, known_px, noise=noise, blur_px=self._blur_px)
        return read

    def _is_due(self, number: int, every: int) -> bool:
        """Whether it is the turn of the tag with that number, of those that are looked at once in so many frames."""
        return (self._frames + number) % every == 0

    def _is_rest_due(self, number: int, every: int) -> bool:
        """Whether it is the turn of what rests, in the same frame as others, and not where tiles have theirs."""
        return self._is_due(REST_FRAMES * number + 1, every)

    def _find_missing_mm(self) -> float:
        """Return the size of the largest tag that is looked for and may be anywhere; 0 for none.

        Now and then a second print is looked for of a tag that is seen.
        """
        visible = {tag for tag, track in self.tracks.items() if not track.missed} | set(self._anchors.in_view)
        everything = self._frames % OFTEN_FRAMES == 0
        sizes_mm = self.markers.sizes_mm.items()
        return max((size_mm for tag, size_mm in sizes_mm if everything or tag not in visible), default=0.0)

    def _keep_single_prints(
        self, detections: list[TagDetection], due: list[TagDetection], unchanged: set[int]
    ) -> list[TagDetection]:
        """Return the tags of which one print is seen, and take note of the others."""
        looked_at = {tag.tag for tag in [*detections, *due]}
        # What has not changed is still there, though nobody looked.
        places = {tag: mean.corners_px for tag, mean in self._anchors.means.items()}
        places |= {tag: track.corners_px for tag, track in self.tracks.items() if not track.missed}
        still = [assume_detection(tag, places[tag]) for tag in looked_at & unchanged & places.keys()]
        return self._duplicates.keep_single([*due, *still, *detections], self._frames)

    def _refine(
        self, grey: NDArray[np.uint8], detections: list[TagDetection], captured_ns: int, noise: float | None
    ) -> list[TagFit]:
        seen_px = {tag.tag: tag.corners_px for tag in detections}
        motions = self._shutter.estimate_motions(self.tracks, seen_px, captured_ns, height=self._shape[0])
        smears_px = self._shutter.exposure.predict_smears(motions)
        fits = refine_corners(grey, detections, noise, smears_px=smears_px, blur_px=self._blur_px)
        sharp = [fit.blur_px for fit in fits if not fit.smear_px]
        if sharp:
            self._blur_px += BLUR_RATE * (statistics.median(sharp) - self._blur_px)
        self._shutter.learn_exposure(fits, motions)
        return fits

    def _calibrate(
        self, grey: NDArray[np.uint8], fits: list[TagFit], unchanged: set[int], captured_ns: int
    ) -> tuple[CalibrationChange, ...]:
        """Keep the camera's place up to date, and return what was found to have changed."""
        anchors, watch = {a.tag for a in self.markers.anchors}, self._anchors
        anchor_fits = [fit for fit in fits if fit.tag in anchors and fit.astray <= MOST_ASTRAY]
        resting = {tag for tag, track in self.tracks.items() if not track.moving and track.missed == 0}
        is_confirmed = 2 * len(resting & unchanged) > len(resting)
        sway = self._follow_sway(anchor_fits, fits, unchanged, captured_ns)
        due = watch.add(
            anchor_fits,
            unchanged & anchors,
            camera=self.camera,
            captured_ns=captured_ns,
            borne_out=is_confirmed or sway is not None,
            sway=sway,
        )
        before = self.calibrated
        if watch.moved_to and self.camera:
            self.tracks = carry_tracks(self.tracks, self.markers.followed, self.camera, watch.moved_to)
            self._duplicates, self._sway = DuplicatePrints(), SwayFollower()
        if due or not (before.camera or before.trouble):
            watch.lens = self.markers.lens or guess_lens((grey.shape[1], grey.shape[0]))
            near = watch.moved_to or before.camera
            if before.camera is None:
                self._rings = RingFollower()
            self.calibrated = update_camera_solution(before, self.markers, watch.lens, watch.solved_from, near)
            if self.camera and not (watch.moved_to or (sway and sway.lasting is not None)):
                self.tracks = recalibrate_tracks(self.tracks, self.markers.followed, self.camera)
            self._scan = self._begin_scan(grey)
        changes = list(watch.changes)
        if (other := self._through_other) and self.camera:
            before, self._through_other = replace(before, camera=other), None
            moved_mm = float(np.linalg.norm(self.camera.eye_mm - other.eye_mm))
            changes.append(CalibrationChange(kind=ChangeKind.LENS_CHANGED, moved_mm=moved_mm))
        return tuple(replace(c, calibration_before=before.id, calibration=self.calibrated.id) for c in changes)

    def _follow_sway(
        self, anchors: Sequence[TagFit], fits: Sequence[TagFit], unchanged: set[int], captured_ns: int
    ) -> Sway | None:
        """Return how the camera strayed in this picture from where it stands."""
        if self.camera is None:
            self._sway = SwayFollower()
            return None
        watch = self._anchors
        expected = {tag: (watch.squares_mm[tag], mean.square) for tag, mean in watch.solved_from.items()}
        witnesses = [Witness.see(fit, *expected[fit.tag], is_anchor=True) for fit in anchors if fit.tag in expected]
        is_open = self._sway.alert or watch.alert or not watch.means.keys() <= unchanged
        for fit in fits if is_open else ():
            track, base = self.tracks.get(fit.tag), self.markers.tagged.get(fit.tag)
            if track and base and track.settled and fit.astray <= MOST_ASTRAY:
                square_mm = locate_tag(base, track.rest.pose, track.level_mm)
                square = ObservedSquare(corners_px=self.camera.image_from_table(square_mm), noise_px2=fit.noise_px2)
                witnesses.append(Witness.see(fit, square_mm, square, is_anchor=False))
        return self._sway.follow(self.camera, witnesses, captured_ns)

    def _begin_scan(self, grey: NDArray[np.uint8]) -> TileScan | None:
        """Return the scan for what is missing, begun anew where there was no camera; None while there is none."""
        if self.camera is None or self._scan is not None:
            return self._scan if self.camera else None
        # No camera means that this picture was looked through everywhere.
        extent_px = _compute_extent_px(self.camera, max(self.markers.sizes_mm.values()))
        scan = TileScan(overlap_px=extent_px, tags_only=True)
        scan.mark_whole_searched(grey, hurried=self._looks_everywhere % 2 == 1)
        return scan

    def _look_for_rings(
        self,
        camera: CameraOverTable,
        grey: NDArray[np.uint8],
        unchanged: set[int],
        tags: Sequence[TagFit],
        *,
        captured_ns: int,
        noise: float | None,
    ) -> RingSightings:
        # Tags that rest are seldom fitted, and no ring is read across them all the same.
        places = {tag: mean.corners_px for tag, mean in self._anchors.means.items()}
        places |= {tag: t.corners_px for tag, t in self.tracks.items() if not (t.missed or is_ring(tag))}
        places |= {tag.tag: tag.corners_px for tag in tags}
        return self._rings.look(
            camera,
            grey,
            self.markers.ringed,
            listed=self.markers.ring_words,
            tracks=self.tracks,
            unchanged=unchanged,
            surfaces=self.markers.surfaces,
            tags_px=list(places.values()),
            captured_ns=captured_ns,
            noise=noise,
        )

    def _measure(
        self,
        camera: CameraOverTable,
        now: CameraOverTable,
        fits: Sequence[TagFit],
        ring_fits: Sequence[RingFit],
        *,
        captured_ns: int,
    ) -> list[BaseMeasurement]:
        """Return the poses of the bases whose markers were fitted, as standing where they are taken to stand.

        Args:
            camera: where it stands.
            now: where it stood for this picture.
            fits: the tags.
            ring_fits: the rings.
            captured_ns: when the picture was taken.

        """
        readout = self._shutter.readout
        on_their_way = {marker for marker, track in self.tracks.items() if _is_on_its_way(track)}
        rings = measure_rings(now, ring_fits, on_their_way)
        seen_px = {fit.tag: fit.corners_px for fit in fits} | {ring.marker: ring.corners_px for ring in rings}
        if self._sway.sway:
            seen_px = self._sway.sway.steady_squares(camera, seen_px)
        motions = self._shutter.estimate_motions(self.tracks, seen_px, captured_ns, height=self._shape[0])
        rests = {marker: track for marker, track in self.tracks.items() if not track.moving}
        typical_fit = estimate_typical_fit(
            camera,
            [track.recent[-1][1] for track in self.tracks.values()],
            [[m for _, m in track.recent[-track.rest.count :]] for track in rests.values()],
        )
        levels_mm = {marker: track.level_mm for marker, track in self.tracks.items()}
        bases = self.markers.tagged
        measured = measure_bases(
            now, fits, bases, levels_mm, typical_fit, resting=rests.keys(), motions=motions, readout=readout
        )
        if motions:
            self._shutter.learn_readout(measured, typical_fit.floor_px)
        rings = place_at_first_row(rings, motions, readout)
        measured += [place_on_surface(m, levels_mm.get(m.marker, 0.0)) for m in rings]
        if self._sway.sway:
            measured = self._sway.sway.steady_measurements(camera, measured)
        if self._anchors.unrest_px and measured:
            places_mm = np.array([(m.x_mm, m.y_mm, m.surface_mm) for m in measured])
            unrest_mm = self._anchors.unrest_px / camera.patch_scale_px_per_mm(places_mm)
            measured = [add_noise(m, float(each_mm)) for m, each_mm in zip(measured, unrest_mm, strict=True)]
        return measured

    def _remember(self, grey: NDArray[np.uint8], fitted: set[int], unchanged: set[int]) -> None:
        """Keep what was looked at in mind, so that it need not be looked at again while nothing changes."""
        measured_px = {
            tag: mean.corners_px
            for tag, mean in self._anchors.means.items()
            if tag in fitted and not self._anchors.has_strayed(tag)
        }
        missed = []
        for tag, track in self.tracks.items():
            if (
                _is_on_its_way(track) or self._anchors.doubt is not None
            ):  # in doubt it was not measured, whatever was seen of it
                self._change_detector.forget(tag)
            elif tag in fitted:
                measured_px[tag] = track.corners_px
            elif tag not in unchanged and track.missed:
                missed.append(tag)
        self._change_detector.remember(grey, measured_px)
        self._change_detector.refresh(grey, missed)


def _is_on_its_way(track: Track) -> bool:
    """Whether a base goes on so fast that each picture shows it otherwise."""
    return bool(track.moving and np.abs(track.step_px).max() > FAST_STEP_PX)


def _compute_extent_px(camera: CameraOverTable, size_mm: float) -> int:
    """Return the extent of a tag with its rim in the picture, however it is turned."""
    return math.ceil(1.8 * size_mm * camera.finest_px_per_mm)
