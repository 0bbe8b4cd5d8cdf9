"""Ring following: which rings are looked at in a picture, where they are looked for, and what is found.

A ring that rests and looks as it did is fitted where it lies, now and then.  One that moves is aligned around the place
where it must be by now, farther around if it is not there.  What is missing is searched for where the picture has
changed, and read there without knowing which it is.
"""

import cmath
import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingLayout
from vision.rings.alignment import FAR_STEPS, NEAR_STEPS, align_rings
from vision.rings.decoding import UnreadRing, confirm_fits
from vision.rings.enrolled_ring import EnrolledRing
from vision.rings.measurement import MOST_CONTRADICTED, SURE_EVIDENCE, is_borne_out
from vision.rings.pattern_fit import USUAL_SHUTTER, RingFit, RingStart, fit_rings
from vision.rings.place_reading import Footprint, is_free, leave_room_for_tags, place_fit, read_places
from vision.rings.search import search_rings
from vision.rings.unread_places import SteadyPicture, UnreadPlaces
from vision.rings.word_proposals import RingHypothesis
from vision.tags.detection import ImageRegion, select_around, select_whole
from vision.tracking.search import TileScan, choose_wide_searches, predict_pose, predict_region
from vision.tracking.surfaces import Surface
from vision.tracking.tracks import Track

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

SELDOM_FRAMES = 30
"""A rest that is young is measured in every picture, an old one once in so many."""
DUE_TOGETHER, DUE_EVERY = 10, 3
"""So many of these are measured together, once in so many pictures: that costs less than a few in each."""
SECOND_FRAMES = 30
"""Second prints of rings that are in sight are searched for once in so many pictures, by a scan of their own."""
CONFIRMED_AT_REST = 4
"""A rest is borne out by so many pictures in a row before it is looked at seldom."""
SEARCHED_FRAMES = 8
"""A ring that was missed is looked for far around its place in so many pictures; then only where it lay."""
FOLLOWED_NS = 100_000_000
"""Nothing takes the place of a base that was seen so lately."""
LOOKED_NS = 250_000_000
"""What pictures showed longer ago tells nothing of where a ring is on its way."""
HOLD_MM = 1.0
"""Fits that go farther from where they begin are not believed: see `alignment.STEP_MM`."""
RESEMBLING = 0.25
"""Share of its cells that bear a ring out of which it is said that it is hidden, and not that it is missing."""
SEARCH_FRAMES = 3
"""Where the picture has changed is searched once in so many pictures: some of an army's rings are always missing.
In between there is time to read a place once more."""
PRINT_LEVELS = 40
"""Grey levels within a few pixels from which on what changed may be a ring and not the bare table, however coloured."""
FIGURE_MM = 40.0
"""Height of a figure: it goes with its ring, and is seen beside it."""
MARGIN_PX = 8.0
"""Around a ring in the picture, where blur and shadow go with it."""
MOST_READ = 10
"""So many hypotheses are looked at in one picture, but for the first: a tile that changes again is searched again."""
WORDS_AGAIN = 8
"""So many words are tried at each place that is read in the mean of several pictures: that of a ring in glare was among
the first six at a glance in 59 of 61 means, and among the first three in 8."""
MOST_WORDS = 20
"""About so many at all that lie about one place are enough."""
SHUTTER_RATE = 0.2
"""What one picture adds to what is known of the shutter."""
DUPLICATE_FRAMES = 30
"""Two prints of one ring are remembered for so many frames after both were seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingSightings:
    """What one picture shows of the rings."""

    fits: tuple[RingFit, ...] = ()
    """One for each ring of which one print is to be seen."""
    looked_at: frozenset[int] = frozenset()
    """Markers of all that were found, borne out or not."""


@dataclass(kw_only=True)
class RingFollower:
    """What one picture tells of where to look for rings in the next."""

    duplicates: dict[int, tuple[int, tuple[RingStart, ...]]] = field(default_factory=dict)
    """By marker of a ring that was seen at several places at once: when, as a number of the frame, and where."""
    _looks: dict[int, tuple["_Look", ...]] = field(default_factory=dict)
    """By marker, the last two pictures that showed a ring, whether it was believed or not."""
    _scan: TileScan | None = None
    """For what is missing."""
    _second_scan: TileScan | None = None
    """For second prints."""
    _unread: UnreadPlaces = field(default_factory=UnreadPlaces)
    _steady: SteadyPicture = field(default_factory=SteadyPicture)
    _shutter: float = USUAL_SHUTTER
    """Share of the time between two pictures in which the shutter is open."""
    _frames: int = 0

    def look(
        self,
        camera: CameraOverTable,
        grey: Grey,
        rings: Mapping[int, EnrolledRing],
        *,
        listed: tuple[str, ...],
        tracks: Mapping[int, Track],
        unchanged: Collection[int],
        surfaces: Sequence[Surface],
        tags_px: Sequence[Floats],
        captured_ns: int,
        noise: float | None,
    ) -> RingSightings:
        """Find the rings in one picture.

        Args:
            camera: where the camera is.
            grey: (height, width) picture.
            rings: all that are enrolled, by marker.
            listed: words of rings that may lie on the table though nobody enrolled them.
            tracks: what is known of all bases.
            unchanged: markers around which the picture shows what it showed before.
            surfaces: the tops that a base can stand on.
            tags_px: (4, 2) corners each of tags in the picture, across which no ring goes.
            captured_ns: when the picture was taken.
            noise: standard deviation of a pixel from picture to picture, grey levels; None where it is not known.

        """
        if not rings:
            return RingSightings()
        self._frames += 1
        followed = {marker: track for marker, track in tracks.items() if marker in rings}
        still, expected = self._choose(camera, followed, rings, unchanged, captured_ns)
        expected = {marker: replace(start, shutter=self._shutter) for marker, start in expected.items()}
        resting = [start for marker, start in expected.items() if not followed[marker].moving]
        moving = [start for marker, start in expected.items() if followed[marker].moving]
        twice = [place for _, places in self.duplicates.values() for place in places]
        near = align_rings(camera, grey, [*moving, *twice], NEAR_STEPS)
        fits = _fit(camera, grey, [*still, *resting, *filter(None, near)], noise)
        quiet = {start.ring.marker for start in still} - self.duplicates.keys()
        lately = {m for m, track in followed.items() if captured_ns - track.recent[-1][0] <= FOLLOWED_NS}
        lately -= self.duplicates.keys()
        found = [fit for fit in fits if fit.ring.marker in quiet]
        found += _confirm(camera, grey, rings, [f for f in fits if f.ring.marker not in quiet], lately)
        borne_out = {fit.ring.marker for fit in found if is_borne_out(fit)}
        lost = [s for m, s in expected.items() if m not in borne_out and followed[m].missed < SEARCHED_FRAMES]
        far = align_rings(camera, grey, lost, FAR_STEPS)
        # What has gone farther within one picture than it was taken to go is smeared by that.
        far = [
            start if start is None or followed[was.ring.marker].missed else _go_on(was, start)
            for was, start in zip(lost, far, strict=True)
        ]
        far_fits = _fit(camera, grey, [*filter(None, far)], noise)
        found += _confirm(camera, grey, rings, far_fits, lately)
        # What has not changed is still there, though nobody looked.
        there = [_start_from_track(rings[m], t) for m, t in followed.items() if m in unchanged and not t.missed]
        seen = [place_fit(fit) for fit in found if is_borne_out(fit)]
        is_first = self._scan is None
        regions = self._choose_regions(camera, grey, rings, followed, there=there, seen=seen, noise=noise)
        if regions:
            in_sight = {place.ring.marker for place in (*there, *seen)}
            everything = is_first or self._frames % SECOND_FRAMES == 0
            sought = [ring for marker, ring in rings.items() if everything or marker not in in_sight]
            hypotheses = leave_room_for_tags(camera, search_rings(camera, grey, regions, sought, surfaces), tags_px)
            most = len(hypotheses) if is_first else MOST_READ
            places = read_places(camera, grey, rings, hypotheses, listed, in_sight=[*there, *seen], most=most)
            found += places.read
            self._unread.keep(camera, grey, places.perhaps)
        known = [*there, *(place_fit(fit) for fit in found)]
        found += self._look_again(camera, grey, rings, listed, surfaces, tags_px=tags_px, in_sight=known, noise=noise)
        missing = [ring for marker, ring in rings.items() if marker not in {place.ring.marker for place in known}]
        known_px = [*tags_px, *(track.corners_px for track in followed.values() if not track.missed)]
        hypotheses = self._search_mean(camera, grey, missing, surfaces, known_px=known_px)
        free = [h for h in leave_room_for_tags(camera, hypotheses, tags_px) if is_free(camera, h, known)]
        self._unread.keep(camera, grey, free)
        self._remember([*fits, *far_fits, *found], captured_ns)
        self._learn_shutter(found)
        return self._sort(camera, found, there)

    def find(
        self,
        camera: CameraOverTable,
        grey: Grey,
        rings: Mapping[int, EnrolledRing],
        *,
        listed: tuple[str, ...],
        surfaces: Sequence[Surface],
        tags_px: Sequence[Floats],
    ) -> tuple[RingFit, ...]:
        """Find the rings in one picture that nothing came before, and look closer where none is read at a glance."""
        found = self.look(
            camera,
            grey,
            rings,
            listed=listed,
            tracks={},
            unchanged=(),
            surfaces=surfaces,
            tags_px=tags_px,
            captured_ns=0,
            noise=None,
        )
        in_sight = [place_fit(fit) for fit in found.fits]
        hypotheses = self._unread.hypotheses
        most = len(hypotheses)
        closer = read_places(
            camera, grey, rings, hypotheses, listed, in_sight=in_sight, most=most, most_words=WORDS_AGAIN
        )
        self._unread.note(hypotheses, closer.unread)
        return self._sort(camera, [*found.fits, *closer.read], ()).fits

    @property
    def unread(self) -> tuple[UnreadRing, ...]:
        """What is surely a ring, and was not read at the last look."""
        return self._unread.unread

    def _predict(self, camera: CameraOverTable, ring: EnrolledRing, track: Track, captured_ns: int) -> RingStart:
        """Return where a ring must be by now.

        What moves goes on from where pictures showed it: each did so when its own row was exposed, which is not the
        moment that poses are said for.
        """
        start = _start_from_track(ring, track, captured_ns)
        looks = self._looks.get(ring.marker, ())
        if not (track.moving or track.strikes) or not looks or captured_ns - looks[-1].captured_ns > LOOKED_NS:
            return start
        then, last = (_raise_to(camera, look.place, start.surface_mm) for look in (looks[0], looks[-1]))
        if len(looks) == 1:
            return last
        ahead = (captured_ns - looks[1].captured_ns) / (looks[1].captured_ns - looks[0].captured_ns)
        step = complex(last.x_mm - then.x_mm, last.y_mm - then.y_mm) * ahead
        turn_rad = math.remainder(last.facing_rad - then.facing_rad, math.tau) * ahead
        return replace(
            last,
            x_mm=last.x_mm + step.real,
            y_mm=last.y_mm + step.imag,
            facing_rad=last.facing_rad + turn_rad,
            step_mm=step / (self._frames - looks[1].frame),
        )

    def _look_again(
        self,
        camera: CameraOverTable,
        grey: Grey,
        rings: Mapping[int, EnrolledRing],
        listed: tuple[str, ...],
        surfaces: Sequence[Surface],
        *,
        tags_px: Sequence[Floats],
        in_sight: Sequence[RingStart],
        noise: float | None,
    ) -> list[RingFit]:
        """Return the rings that are read in the mean of several pictures; for arguments see look() and read_places().

        What noise hid may have moved the hypothesis aside as well: so the place is searched anew.
        """
        taken = [Footprint.of(camera.eye_mm, place) for place in in_sight]
        elsewhere = {place.ring.marker for place in in_sight}
        missing = [ring for marker, ring in rings.items() if marker not in elsewhere]
        layouts = {ring.layout for ring in missing}

        def may_be(hypothesis: RingHypothesis) -> bool:
            spot = Footprint.of(camera.eye_mm, hypothesis)
            return hypothesis.shape.layout in layouts and not any(spot.overlaps(other) for other in taken)

        reads = self._frames % SEARCH_FRAMES != 0
        mean, due = self._unread.look(grey, noise or 0.0, may_be, reads=reads)
        if not due:
            return []
        hypotheses = [hypothesis for hypothesis, _ in due]
        hypotheses += search_rings(camera, mean, [region for _, region in due], missing, surfaces)
        hypotheses = leave_room_for_tags(camera, hypotheses, tags_px)
        most, most_words = len(hypotheses), min(WORDS_AGAIN, MOST_WORDS // max(len(hypotheses), 1) + 1)
        places = read_places(
            camera, mean, rings, hypotheses, listed, in_sight=in_sight, most=most, most_words=most_words
        )
        self._unread.note([hypothesis for hypothesis, _ in due], places.unread)
        return list(places.read)

    def _search_mean(
        self,
        camera: CameraOverTable,
        grey: Grey,
        missing: Sequence[EnrolledRing],
        surfaces: Sequence[Surface],
        *,
        known_px: Sequence[Floats],
    ) -> list[RingHypothesis]:
        """Return where rings may be that noise hides in single pictures, tile by tile in the mean of many."""
        if self._scan is None or not self._scan.is_noisy or not missing:
            return []
        mean = self._steady.add(grey, self._frames)
        if mean is None or self._frames % SEARCH_FRAMES != 1:  # not with what has changed
            return []
        tile = self._scan.choose_close_look(mean, known_px)
        if tile is None:
            self._steady.forget(self._frames)
            self._scan.begin_close_looks()
            return []
        return search_rings(camera, mean, [tile], missing, surfaces)[:MOST_READ]

    def _remember(self, fits: Sequence[RingFit], captured_ns: int) -> None:
        """Take note of where a picture showed rings, by the last of several fits of one."""
        for place in (place_fit(fit) for fit in fits if is_borne_out(fit)):
            look = _Look(frame=self._frames, captured_ns=captured_ns, place=place)
            before = [look for look in self._looks.get(place.ring.marker, ()) if look.frame < self._frames]
            self._looks[place.ring.marker] = (*before[-1:], look)

    def _learn_shutter(self, fits: Sequence[RingFit]) -> None:
        """Take note of how long the shutter is open, by rings that are smeared and told without a doubt."""
        shares = [fit.shutter for fit in fits if fit.step_mm and fit.evidence >= SURE_EVIDENCE * fit.ring.layout.cells]
        if shares:
            self._shutter += SHUTTER_RATE * (statistics.median(shares) - self._shutter)

    def _choose(
        self,
        camera: CameraOverTable,
        tracks: Mapping[int, Track],
        rings: Mapping[int, EnrolledRing],
        unchanged: Collection[int],
        captured_ns: int,
    ) -> tuple[list[RingStart], dict[int, RingStart]]:
        """Return what rests and is due to be fitted where it lies, and by marker where others are expected."""
        still, expected = [], {}
        for number, (marker, track) in enumerate(tracks.items()):
            if marker not in unchanged:
                expected[marker] = self._predict(camera, rings[marker], track, captured_ns)
            elif track.missed == 0:
                seldom = track.settled and track.confirmations >= CONFIRMED_AT_REST
                if not seldom or (self._frames + number // DUE_TOGETHER * DUE_EVERY) % SELDOM_FRAMES == 0:
                    still.append(_start_from_track(rings[marker], track))
        return still, expected

    def _choose_regions(
        self,
        camera: CameraOverTable,
        grey: Grey,
        rings: Mapping[int, EnrolledRing],
        tracks: Mapping[int, Track],
        *,
        there: Sequence[RingStart],
        seen: Sequence[RingStart],
        noise: float | None,
    ) -> list[ImageRegion]:
        """Return where to search for rings that are missing and may be anywhere.

        Now and then a second print is looked for of a ring that is seen.

        Args:
            camera: where the camera is.
            grey: the picture.
            rings: all that may be there, by marker.
            tracks: of bases with rings.
            there: rings that look as before.
            seen: rings that were found in this picture.
            noise: standard deviation of a pixel from picture to picture, grey levels; None where it is not known.

        """
        px_per_mm = camera.finest_px_per_mm
        extent_px = math.ceil(1.2 * px_per_mm * max(_measure_size_mm(ring.layout) for ring in rings.values()))
        if self._scan is None or self._second_scan is None:
            self._scan, self._second_scan = (
                TileScan(overlap_px=extent_px, most_tiles=1, least_step=PRINT_LEVELS) for _ in range(2)
            )
            self._scan.mark_whole_searched(grey)
            self._second_scan.mark_whole_searched(grey)
            return [select_whole(grey)]
        missing = rings.keys() - {place.ring.marker for place in (*there, *seen)}
        scan = self._scan if self._frames % SECOND_FRAMES else self._second_scan
        if not missing and scan is self._scan:
            return []
        wide = choose_wide_searches({marker: tracks[marker] for marker in missing & tracks.keys()})
        regions = [predict_region(tracks[marker], grey, wide=True) for marker in sorted(wide)]
        if self._frames % SEARCH_FRAMES:
            return regions
        windows = [_select_window(camera, grey, place, px_per_mm) for place in seen]
        of_difference = math.sqrt(2) * (noise or 0.0)
        return regions + scan.choose_regions(grey, extent_px, [*regions, *windows], noise=of_difference)

    def _sort(self, camera: CameraOverTable, found: Sequence[RingFit], there: Sequence[RingStart]) -> RingSightings:
        """Return what was found, no two at one place, and take note of rings that are at several."""
        eye_mm = camera.eye_mm
        fits: list[RingFit] = []
        taken: list[Footprint] = []
        for fit in sorted(found, key=lambda fit: (not is_borne_out(fit), fit.contradicted - fit.seen)):
            footprint = Footprint.of(eye_mm, place_fit(fit))
            if not any(footprint.overlaps(other) for other in taken):
                fits.append(fit)
                taken.append(footprint)
        prints: dict[int, list[RingStart]] = {}
        for place in [*(place_fit(fit) for fit in fits if is_borne_out(fit)), *there]:
            others = prints.setdefault(place.ring.marker, [])
            footprint = Footprint.of(eye_mm, place)
            if not any(footprint.overlaps(Footprint.of(eye_mm, other)) for other in others):
                others.append(place)
        self.duplicates |= {
            marker: (self._frames, tuple(places)) for marker, places in prints.items() if len(places) > 1
        }
        self.duplicates = {
            marker: sighting
            for marker, sighting in self.duplicates.items()
            if self._frames - sighting[0] < DUPLICATE_FRAMES
        }
        single = {fit.ring.marker: fit for fit in reversed(fits) if fit.ring.marker not in self.duplicates}
        return RingSightings(
            fits=tuple(single[marker] for marker in sorted(single)),
            looked_at=frozenset(fit.ring.marker for fit in fits),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """Where a picture showed a ring."""

    frame: int
    """Its number."""
    captured_ns: int
    place: RingStart


def _select_window(camera: CameraOverTable, grey: Grey, place: RingStart, px_per_mm: float) -> ImageRegion:
    """Return where in the picture a ring lies, and the figure that stands on it."""
    foot = (place.x_mm, place.y_mm, place.surface_mm)
    spots = camera.image_from_table(np.array([foot, (*foot[:2], place.surface_mm + FIGURE_MM)]))
    return select_around(spots, px_per_mm * _measure_size_mm(place.ring.layout) / 2 + MARGIN_PX, grey)


def _fit(camera: CameraOverTable, grey: Grey, starts: Sequence[RingStart], noise: float | None) -> list[RingFit]:
    """Return the fits of rings of which enough is to be seen, near enough, to say that they may well be there."""
    fits = fit_rings(camera, grey, starts, noise)
    return [
        fit
        for start, fit in zip(starts, fits, strict=True)
        if fit and fit.seen >= RESEMBLING and fit.contradicted <= MOST_CONTRADICTED
        # A fit that begins farther away may find another hold, with some of the cells.
        if math.hypot(fit.x_mm - start.x_mm, fit.y_mm - start.y_mm) <= HOLD_MM
    ]


def _confirm(
    camera: CameraOverTable,
    grey: Grey,
    rings: Mapping[int, EnrolledRing],
    fits: Sequence[RingFit],
    followed: Collection[int],
) -> list[RingFit]:
    """Return fits but those that another ring, or none that is known, suits as well.

    Where one base took another's place, the fit of the word that was expected there may bear itself out.  There is no
    time for that between two pictures: a ring that the last one showed is told by less.
    """
    borne_out = [fit for fit in fits if is_borne_out(fit)]
    readings = confirm_fits(camera, grey, borne_out, rings.values(), followed=followed)
    confirmed = [r.fit for r, fit in zip(readings, borne_out, strict=True) if r and r.marker == fit.ring.marker]
    return [*(fit for fit in fits if not is_borne_out(fit)), *confirmed]


def _go_on(expected: RingStart, found: RingStart) -> RingStart:
    """Return a ring that has gone on to another place than it was expected at since the last picture."""
    farther = complex(found.x_mm - expected.x_mm, found.y_mm - expected.y_mm)
    return replace(found, step_mm=expected.step_mm + farther)


def _raise_to(camera: CameraOverTable, place: RingStart, surface_mm: float) -> RingStart:
    """Return where a ring that is seen at a place lies if its base stands at another height."""
    eye_x_mm, eye_y_mm, eye_z_mm = camera.eye_mm.tolist()
    share = (surface_mm - place.surface_mm) / (eye_z_mm - place.surface_mm - place.ring.ring_height_mm)
    x_mm, y_mm = place.x_mm + share * (eye_x_mm - place.x_mm), place.y_mm + share * (eye_y_mm - place.y_mm)
    return replace(place, x_mm=x_mm, y_mm=y_mm, surface_mm=surface_mm)


def _start_from_track(ring: EnrolledRing, track: Track, captured_ns: int | None = None) -> RingStart:
    """Return where the ring of a base lies that has stayed, or where it must be by some time."""
    pose, surface_mm = (track.rest.pose, track.level_mm) if captured_ns is None else predict_pose(track, captured_ns)
    x_mm, y_mm, facing_rad = pose.tolist()
    step_mm = 0j
    if captured_ns is not None and track.moving and len(track.recent) > 1:
        (_, before), (_, last) = track.recent[-2:]
        step_mm = complex(last.x_mm - before.x_mm, last.y_mm - before.y_mm)
    middle = complex(x_mm, y_mm) + complex(ring.x_mm, ring.y_mm) * cmath.rect(1.0, facing_rad)
    return RingStart(
        ring=ring,
        x_mm=middle.real,
        y_mm=middle.imag,
        facing_rad=facing_rad + ring.facing_rad,
        surface_mm=surface_mm,
        step_mm=step_mm,
    )


@cache
def _measure_size_mm(layout: RingLayout) -> float:
    """Return how far a ring goes across, along the longer axis."""
    return float(np.ptp(layout.middle_line_mm, axis=0).max())
