"""Tracks: one base through time, at rest or moving, seen, held, lifted or lost.

At rest the measurements are averaged, so that nothing trembles and sigma falls; while a base moves, its last
measurement stands.  A pose is called seen only while every picture bears it out: what is hidden, or in doubt for a
picture, is held at its last place.
"""

import math
from bisect import bisect_right
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from vision.marker_numbers import is_ring
from vision.rings.enrolled_ring import EnrolledRing
from vision.tags.pose_estimation import BaseMeasurement, EnrolledTag, place_on_surface
from vision.tracking.rest_detection import (
    RestingPose,
    average_measurements,
    begin_rest,
    extend_rest,
    has_stayed,
    pose_from_measurement,
    restart_rest,
    subtract_poses,
)
from vision.tracking.surfaces import (
    FITS_SIGMAS,
    MeasuredHeight,
    Surface,
    average_rise,
    estimate_rise_noise,
    estimate_usual_bias,
    find_fitting_heights,
)
from vision.types import BasePose, PoseState

Floats = NDArray[np.float64]

SECOND_NS = 1_000_000_000
HELD_NS = 60 * SECOND_NS
"""A hidden base is held at its last place for so long; then it is lost."""
REST_NS = 250_000_000
"""A base that stays within its noise for so long is at rest."""
LONG_REST_NS = SECOND_NS
"""A base that shakes with the table is at rest if it has stayed for so long."""
RESTLESS, VERY_RESTLESS = 2.0, 25.0
"""How much more than noise, in mean square, shaking may add to a rest, and to a long one."""
LEAST_AT_REST = 4
"""Fewer measurements than this do not show rest, however long a slow camera takes over them."""
LIFTED_SIGMAS = 5.0
DOUBT_SIGMAS = 2.5
"""A base that looks so far above its surface is in the air; or may stand on another."""
NEARBY_MM, NEARBY_RAD = 3.0, math.radians(5.0)
"""A light or a finger pulls a measurement no farther than this; what is seen farther away has moved."""
LEAST_LIFT_MM = 6.0
RISE_NS = 150_000_000
"""A base that looks a little too high so soon after it began to move may be about to rise, and is not vouched for."""
MOST_DOUBT_MM = 5.0
MOST_RINGED_DOUBT_MM = 12.0
"""A base of which nobody can say how high it is, and therefore where, is not vouched for beyond this; once it has been
on its way for a while, what one sigma of its height explains does not count.  One with a ring, which goes around the
whole of it, is still known to stand within its own outline when it is more: the smallest bases are 25 mm across."""
SIDEWAYS_SHARE = 0.1
"""Share of what a wrong height shifts that may go across: the camera's place is not known exactly."""
RESTING_PICTURES = 3
"""A base that has begun to move may be rising, until so many measurements have shown no more of it."""
TELLING_PICTURES = 6
"""So many heights in a row tell of one that is on its way."""
HIDDEN_SIGMA_MM = 0.05
HIDDEN_SIGMA_RAD = math.radians(0.1)
"""By this a hidden base's sigma grows within a second, and with the square root of time."""
_HIDDEN_VARIANCES = np.diag(np.square([HIDDEN_SIGMA_MM, HIDDEN_SIGMA_MM, HIDDEN_SIGMA_RAD]))
SIGHTINGS = 2
"""A tag that was seen less often is not taken for a base: what looks like a tag in one picture may be none."""
MOST_MISSED = 8
"""A tag that was seen too seldom is forgotten after so many pictures without it."""


@dataclass(frozen=True, kw_only=True)
class Track:
    """What is known of one base."""

    marker: int
    state: PoseState
    moving: bool
    rest: RestingPose
    """Its pose: the average at rest, the last measurement while it moves."""
    confirmations: int
    """Measurements that have borne the rest out."""
    strikes: int
    """Measurements in a row that did not belong to the average."""
    recent: tuple[tuple[int, BaseMeasurement], ...]
    """Capture time and measurement, back to where rest can be told."""
    level_mm: float
    """Height of the surface that it stands on."""
    levels_mm: tuple[float, ...]
    """Heights of other surfaces that fit as well."""
    rise_mm: float
    """Measured height when it was last in the air; 0 once it has rested since."""
    above_mm: float
    """How much higher, or lower, than on its level it may be: it may be rising, or another surface fits as well."""
    bias: MeasuredHeight | None
    """By how much its tag looks too high when it stands; None until it has stood."""
    corners_px: Floats
    """(4, 2) where the tag was last seen."""
    step_px: Floats
    """(2,) how far it went from picture to picture when it was last seen."""
    missed: int
    """Pictures in a row that did not show it."""
    sightings: int
    seen_ns: int
    """When it was last seen."""

    @property
    def settled(self) -> bool:
        """Nothing is open: it rests, and the last picture bore that out."""
        return not self.moving and self.strikes == 0 and self.missed == 0 and self.state is PoseState.SEEN


def change_track(track: Track, **changes: object) -> Track:
    """Return a track with some other values: `dataclasses.replace` for what is done a few hundred times a picture.

    It takes a tenth of the time.
    """
    changed = object.__new__(Track)
    changed.__dict__.update(track.__dict__, **changes)
    return changed


def advance_tracks(
    tracks: Mapping[int, Track],
    measurements: Sequence[BaseMeasurement],
    captured_ns: int,
    *,
    unchanged: Collection[int] = (),
    obscured: Collection[int] = (),
    surfaces: Sequence[Surface] = (),
    grounded: Container[int] = (),
) -> dict[int, Track]:
    """Return the tracks after one picture; the same pictures always lead to the same tracks.

    Args:
        tracks: what was known before.
        measurements: the bases that were measured in the picture.
        captured_ns: when it was taken.
        unchanged: markers of settled tracks around which the picture shows what it showed before.
        obscured: markers that were found in the picture, but partly hidden.
        surfaces: the tops that a base can stand on.
        grounded: markers of what stands on the table alone, such as terrain.

    """
    by_marker = {m.marker: m for m in measurements}
    # How high terrain is was measured by a ruler, and tells nothing of prints.
    seen = [t for t in tracks.values() if t.state is PoseState.SEEN and t.marker not in grounded]
    # Tags and rings come from other presses.
    usual_bias = {
        kind: estimate_usual_bias([(t.recent[-1][1], t.level_mm) for t in seen if is_ring(t.marker) is kind])
        for kind in (False, True)
    }
    steps_px = _measure_steps([(tracks[marker], m) for marker, m in by_marker.items() if marker in tracks])
    tracks_after: dict[int, Track] = {}
    for marker, track in tracks.items():
        if marker in by_marker:
            tracks_after[marker] = _update_track(
                track,
                by_marker[marker],
                captured_ns,
                usual_bias[is_ring(marker)],
                () if marker in grounded else surfaces,
                step_px=steps_px[marker],
            )
        elif marker in unchanged:
            tracks_after[marker] = change_track(track, seen_ns=captured_ns)
        elif marker in obscured:
            hidden_state = PoseState.HELD if track.state is PoseState.SEEN else track.state
            tracks_after[marker] = change_track(track, state=hidden_state)
        elif track.sightings >= SIGHTINGS or track.missed < MOST_MISSED:
            tracks_after[marker] = _mark_hidden(track, captured_ns)
    for marker, m in by_marker.items():
        if marker not in tracks:
            tracks_after[marker] = _begin_track(m, captured_ns)
    return tracks_after


def _measure_steps(seen: Sequence[tuple[Track, BaseMeasurement]]) -> dict[int, Floats]:
    """(2,) how far each marker has gone from picture to picture since it was last seen, px."""
    if not seen:
        return {}
    far_px = np.array([m.corners_px for _, m in seen]) - np.array([track.corners_px for track, _ in seen])
    pictures = np.array([track.missed + 1 for track, _ in seen])
    return dict(zip([m.marker for _, m in seen], far_px.mean(axis=1) / pictures[:, None], strict=True))


def begin_standing_tracks(
    measurements: Sequence[BaseMeasurement],
    captured_ns: int,
    surfaces: Sequence[Surface] = (),
    grounded: Container[int] = (),
) -> dict[int, Track]:
    """Return the tracks of bases in one picture that nothing came before, each on the surface that its height fits.

    Args:
        measurements: the bases, as if they stood on the table.
        captured_ns: when it was taken.
        surfaces: the tops that a base can stand on.
        grounded: markers of what stands on the table alone, such as terrain.

    """
    tops = {m.marker: () if m.marker in grounded else surfaces for m in measurements}
    tracks = {m.marker: _stand(m, captured_ns, None, tops[m.marker]) for m in measurements}
    standing = [m for m in measurements if m.marker not in grounded]
    usual_bias = {
        kind: estimate_usual_bias([(m, tracks[m.marker].level_mm) for m in standing if is_ring(m.marker) is kind])
        for kind in (False, True)
    }
    return {m.marker: _stand(m, captured_ns, usual_bias[is_ring(m.marker)], tops[m.marker]) for m in measurements}


def _stand(
    m: BaseMeasurement, captured_ns: int, usual_bias: MeasuredHeight | None, surfaces: Sequence[Surface]
) -> Track:
    track, rise = _begin_track(m, captured_ns), average_rise([m], usual_bias)
    standing = find_fitting_heights(m, rise, surfaces)
    if not standing:
        high = rise.mm > LEAST_LIFT_MM and rise.is_beyond(0.0, LIFTED_SIGMAS)
        return _mark_lifted(track, m, rise, captured_ns) if high else track
    level_mm, *others = standing
    return change_track(
        track,
        rest=begin_rest(place_on_surface(m, level_mm)),
        level_mm=level_mm,
        levels_mm=tuple(others),
        above_mm=max((abs(height - level_mm) for height in others), default=0.0),
    )


def pose_from_track(track: Track, model: str, captured_ns: int) -> BasePose:
    """Return what the rest of the program sees of the track of a model's base at a moment."""
    covariance = track.rest.covariance
    if track.strikes and not track.moving:  # it may still stand here, or may have begun to go as far as it was seen
        stray = subtract_poses(pose_from_measurement(track.recent[-1][1]), track.rest.pose)
        covariance = covariance + np.outer(stray, stray)
    if track.above_mm:
        x_mm, y_mm = (share * track.above_mm for share in track.recent[-1][1].lean)
        across = SIDEWAYS_SHARE**2 * (x_mm**2 + y_mm**2)
        by_height = [[x_mm**2 + across, x_mm * y_mm, 0.0], [x_mm * y_mm, y_mm**2 + across, 0.0], [0.0, 0.0, 0.0]]
        covariance = covariance + by_height
    if track.state is PoseState.HELD:
        covariance = covariance + (captured_ns - track.seen_ns) / SECOND_NS * _HIDDEN_VARIANCES
    x_mm, y_mm, facing_rad = track.rest.pose.tolist()
    lifted = track.state is PoseState.LIFTED
    return BasePose(
        marker=track.marker,
        model=model,
        x_mm=x_mm,
        y_mm=y_mm,
        facing_rad=facing_rad,
        z_mm=track.rise_mm if lifted else track.level_mm,
        other_z_mm=() if lifted else track.levels_mm,
        covariance=covariance,
        state=track.state,
        seen_ns=track.seen_ns,
        moving=track.moving or track.strikes > 0,
        calibration=track.recent[-1][1].camera.id,
    )


def list_poses(
    tracks: Mapping[int, Track], marked: Mapping[int, EnrolledTag | EnrolledRing], captured_ns: int
) -> tuple[BasePose, ...]:
    """Return where bases, or pieces of terrain, are that have been found, in the order of their markers."""
    return tuple(
        pose_from_track(track, marked[marker].model, captured_ns)
        for marker, track in sorted(tracks.items())
        if track.sightings >= SIGHTINGS and marker in marked
    )


def _begin_track(m: BaseMeasurement, captured_ns: int) -> Track:
    return Track(
        marker=m.marker,
        state=PoseState.SEEN,
        moving=True,
        rest=begin_rest(m),
        confirmations=0,
        strikes=0,
        recent=((captured_ns, m),),
        level_mm=0.0,
        levels_mm=(),
        rise_mm=0.0,
        above_mm=0.0,
        bias=None,
        corners_px=m.corners_px,
        step_px=np.zeros(2),
        missed=0,
        sightings=1,
        seen_ns=captured_ns,
    )


def _mark_hidden(track: Track, captured_ns: int) -> Track:
    state = track.state
    if captured_ns - track.seen_ns > HELD_NS:
        state = PoseState.LOST
    elif state is PoseState.SEEN:
        state = PoseState.HELD
    return change_track(track, state=state, missed=track.missed + 1)


def _update_track(
    track: Track,
    m: BaseMeasurement,
    captured_ns: int,
    usual_bias: MeasuredHeight | None,
    surfaces: Sequence[Surface],
    *,
    step_px: Floats,
) -> Track:
    recalibrated = m.camera is not track.recent[-1][1].camera
    track = change_track(
        track,
        recent=(*_keep_recent(track.recent, captured_ns), (captured_ns, m)),
        corners_px=m.corners_px,
        step_px=step_px,
        missed=0,
        sightings=track.sightings + 1,
    )
    bias = MeasuredHeight(mm=track.bias.mm, sigma_mm=0.0) if track.bias else usual_bias
    rise = average_rise([m], bias)
    above_mm = rise.mm - track.level_mm
    if track.state is PoseState.LIFTED or rise.is_beyond(track.level_mm, DOUBT_SIGMAS):
        standing = find_fitting_heights(m, rise, surfaces)
        if standing and track.level_mm not in standing:
            return _move_to_surface(track, m, standing[0], captured_ns)
        if track.state is PoseState.LIFTED and rise.is_beyond(track.level_mm, DOUBT_SIGMAS):
            standing = ()
        high = above_mm > LEAST_LIFT_MM and rise.is_beyond(track.level_mm, LIFTED_SIGMAS)
        if not standing and (high or track.state is PoseState.LIFTED):
            return _mark_lifted(track, m, rise, captured_ns)
        if track.state is PoseState.LIFTED:
            track = change_track(track, recent=track.recent[-1:])  # it comes to stand here
    extended = None if track.moving else (restart_rest if recalibrated else extend_rest)(track.rest, m)
    if extended is not None:
        return change_track(
            track,
            state=PoseState.SEEN,
            rest=extended,
            confirmations=track.confirmations + 1,
            strikes=0,
            seen_ns=captured_ns,
        )
    if not track.moving:
        track = change_track(track, recent=track.recent[-1:])  # a motion begins here
        step = subtract_poses(pose_from_measurement(m), track.rest.pose)
        # A light or a finger may pull a tag a little way; two pictures do not end a rest by mistake, and one that shows
        # the whole pattern elsewhere does not either.
        if track.strikes == 0 and math.hypot(step[0], step[1]) < NEARBY_MM and abs(step[2]) < NEARBY_RAD:
            return change_track(track, state=PoseState.SEEN, strikes=1, seen_ns=captured_ns)
    limit = DOUBT_SIGMAS if captured_ns - track.recent[0][0] < RISE_NS else FITS_SIGMAS
    # What was the same in each picture while it rested is in what its tag looked too high by then, and is another now.
    sigma_mm = math.hypot(rise.find_sigma(track.level_mm), track.bias.sigma_mm if track.bias else 0.0)
    if track.state is not PoseState.LIFTED and above_mm > limit * sigma_mm:
        return change_track(track, state=PoseState.HELD, moving=True, strikes=track.strikes + 1)
    return _follow_motion(track, m, captured_ns, bias, surfaces)


def _estimate_height_above_level(track: Track, bias: MeasuredHeight | None) -> tuple[float, float]:
    """Return how much higher than on its level a moving base may well be, for its sigma and for the doubt.

    It may be rising, and not where it seems.  What sets off is doubted for all that noise may hide, half of which is
    its sigma.  What has been on its way on its level for a while is doubted for what it seems higher than what lasts
    explains, and for what noise hides of several heights together.  What comes out of the air is doubted for all that
    noise may hide of all its heights since: until they tell that it stands, it is as likely still in the hand.
    """
    recent = [m for _, m in track.recent]
    still = [has_stayed(before, after) for before, after in pairwise(recent[-RESTING_PICTURES - 2 :])]
    sets_off = len(recent) <= RESTING_PICTURES or any(rested and not rests for rested, rests in pairwise(still))
    if track.rise_mm or sets_off:
        seems_mm, sigma_mm = _compare_height(track, recent if track.rise_mm else recent[-2:], bias)
        most_mm = math.hypot(seems_mm, 2 * sigma_mm)
        return most_mm / 2, most_mm
    telling = recent[-TELLING_PICTURES:]
    noise_mm, (steadily_mm, sigma_mm) = estimate_rise_noise(telling), _compare_height(track, telling, bias)
    seems_mm = max(steadily_mm, _compare_height(track, recent[-2:], bias)[0])
    unexplained_mm = max(0.0, seems_mm - math.sqrt(max(0.0, sigma_mm**2 - noise_mm**2)))
    return seems_mm, math.hypot(unexplained_mm, DOUBT_SIGMAS * noise_mm)


def _list_other_levels(
    track: Track, m: BaseMeasurement, bias: MeasuredHeight | None, surfaces: Sequence[Surface]
) -> tuple[float, ...]:
    """Return which other surfaces a moving base may be on: none, once it has stood where only one was possible."""
    if track.bias is not None and not track.levels_mm:
        return ()
    rise = average_rise([look for _, look in track.recent[-TELLING_PICTURES:]], bias)
    return tuple(height for height in find_fitting_heights(m, rise, surfaces) if height != track.level_mm)


def _compare_height(track: Track, looks: Sequence[BaseMeasurement], bias: MeasuredHeight | None) -> tuple[float, float]:
    """Return how much higher than on its level a base seems by some looks at it, at least 0, and the sigma of that."""
    rise = average_rise(looks, bias)
    return max(0.0, rise.mm - track.level_mm), rise.find_sigma(track.level_mm)


def _keep_recent(
    recent: tuple[tuple[int, BaseMeasurement], ...], captured_ns: int
) -> tuple[tuple[int, BaseMeasurement], ...]:
    """Keep what tells rest: the measurements of LONG_REST_NS, and so many more that a slow camera has enough."""
    within = len(recent) - bisect_right(recent, captured_ns - LONG_REST_NS, key=_get_time)
    return recent[-max(within + 1, LEAST_AT_REST - 1) :]


_get_time = itemgetter(0)


def _select_spanning(recent: tuple[tuple[int, BaseMeasurement], ...], span_ns: int) -> list[BaseMeasurement]:
    """Return the last measurements on one calibration that span a time; none if they do not, or are too few."""
    now_ns, last = recent[-1]
    if recent[0][1].camera is not last.camera:
        recent = tuple(measurement for measurement in recent if measurement[1].camera is last.camera)
    spanning = bisect_right(recent, now_ns - span_ns, key=_get_time)
    if not spanning or len(recent) < LEAST_AT_REST:
        return []
    return [m for _, m in recent[-max(len(recent) - spanning + 1, LEAST_AT_REST) :]]


def _mark_lifted(track: Track, m: BaseMeasurement, rise: MeasuredHeight, captured_ns: int) -> Track:
    return change_track(
        track,
        state=PoseState.LIFTED,
        moving=True,
        rest=begin_rest(place_on_surface(m, rise.mm)),
        strikes=0,
        rise_mm=rise.mm,
        above_mm=0.0,
        seen_ns=captured_ns,
    )


def _move_to_surface(track: Track, m: BaseMeasurement, level_mm: float, captured_ns: int) -> Track:
    """Take it that a base stands on another surface.  The next picture is measured on that; this one does not count."""
    state = track.state if track.state is PoseState.LIFTED else PoseState.HELD
    recent = ((captured_ns, place_on_surface(m, level_mm)),)
    return change_track(track, state=state, moving=True, strikes=0, level_mm=level_mm, recent=recent)


def _follow_motion(
    track: Track, m: BaseMeasurement, captured_ns: int, bias: MeasuredHeight | None, surfaces: Sequence[Surface]
) -> Track:
    """Follow the motion, and end it if the last measurements have stayed together for long enough."""
    before, track = track, change_track(track, state=PoseState.SEEN, strikes=0, seen_ns=captured_ns)
    lately = _select_spanning(track.recent, REST_NS)
    rest = average_measurements(lately, RESTLESS) if lately else None
    if rest is None and (longer := _select_spanning(track.recent, LONG_REST_NS)):
        rest, lately = average_measurements(longer, VERY_RESTLESS), longer
    most_mm = MOST_RINGED_DOUBT_MM if is_ring(m.marker) else MOST_DOUBT_MM
    doubted = change_track(track, state=PoseState.HELD, moving=True, seen_ns=before.seen_ns)
    if rest is None:
        above_mm, doubtful_mm = _estimate_height_above_level(track, bias)
        if doubtful_mm * math.hypot(*m.lean) > most_mm:
            return doubted
        others = _list_other_levels(track, m, bias, surfaces)
        above_mm = max((above_mm, *(abs(height - track.level_mm) for height in others)))
        return change_track(track, moving=True, rest=begin_rest(m), levels_mm=others, above_mm=above_mm)
    rise = average_rise(lately, bias)
    standing = find_fitting_heights(m, rise, surfaces)
    if standing and track.level_mm not in standing:
        return _move_to_surface(track, m, standing[0], track.seen_ns)
    others = tuple(height for height in standing if height != track.level_mm)
    own_bias = track.bias
    if standing and not others:
        own_bias = average_rise(lately, MeasuredHeight(mm=track.level_mm, sigma_mm=0.0))
    # What rests, and is as high as nothing there, may well be as high as it looks.
    possible = others if standing else (rise.mm,)
    farthest_mm = max((abs(height - track.level_mm) for height in possible), default=0.0)
    if not standing and farthest_mm * math.hypot(*m.lean) > most_mm:
        return doubted
    return change_track(
        track,
        moving=False,
        rest=rest,
        confirmations=0,
        levels_mm=others,
        rise_mm=0.0,
        above_mm=farthest_mm,
        bias=own_bias,
    )
