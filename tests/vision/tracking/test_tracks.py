"""Tracks of bases: at rest or moving, seen, held, lifted or lost."""

import math
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
import pytest

from tests.vision.synthetic_camera import make_measurement
from vision.marker_numbers import FIRST_RING
from vision.tags.pose_estimation import BaseMeasurement, place_on_surface
from vision.tracking.surfaces import Surface
from vision.tracking.tracks import (
    HELD_NS,
    MOST_MISSED,
    SIGHTINGS,
    Track,
    advance_tracks,
    begin_standing_tracks,
    change_track,
    pose_from_track,
)
from vision.types import BasePose, PoseState

FRAME_NS = 33_333_333
SIGMA_MM = 0.1


class TrackedBase:
    """One base, frame by frame."""

    def __init__(self, surfaces: Sequence[Surface] = ()) -> None:
        self.surfaces = surfaces
        self.tracks: dict[int, Track] = {}
        self.now_ns = 0
        self.frame_ns = FRAME_NS

    def pass_measurements(self, *looks: BaseMeasurement | None) -> BasePose:
        for m in looks:
            self.tracks = advance_tracks(self.tracks, [m] if m else [], self.now_ns, surfaces=self.surfaces)
            self.now_ns += self.frame_ns
        return pose_from_track(self.tracks[1], "m1", self.now_ns - self.frame_ns)


def make_noisy_measurements(x_mm: float, count: int, seed: int = 0) -> list[BaseMeasurement]:
    rng = np.random.default_rng(seed)
    return [make_measurement(x_mm + rng.normal(0, SIGMA_MM), 500 + rng.normal(0, SIGMA_MM)) for _ in range(count)]


def test_a_base_comes_to_rest_and_its_place_gets_surer() -> None:
    table = TrackedBase()
    first = table.pass_measurements(make_measurement(300.0))
    assert first.moving
    rested = table.pass_measurements(*make_noisy_measurements(300.0, 60))
    assert not rested.moving
    assert rested.state is PoseState.SEEN
    assert rested.x_mm == pytest.approx(300.0, abs=0.06)
    # What pictures share does not average out, and what noise hides may have happened since.
    assert 0.1**2 < rested.covariance[0, 0] < 1.05 * first.covariance[0, 0]


@pytest.mark.parametrize("fps", [2, 15, 60])
def test_rest_is_told_by_a_camera_of_any_speed(fps: int) -> None:
    table = TrackedBase()
    table.frame_ns = 1_000_000_000 // fps
    table.pass_measurements(*make_noisy_measurements(300.0, 20))
    assert table.pass_measurements(make_measurement(350.0), make_measurement(360.0)).moving
    count = max(4, math.ceil(0.25 * fps) + 2)
    assert table.pass_measurements(make_measurement(370.0)).moving
    assert not table.pass_measurements(*make_noisy_measurements(370.0, count)).moving


def test_noise_does_not_end_the_rest_and_a_push_does() -> None:
    table = TrackedBase()
    table.pass_measurements(*make_noisy_measurements(300.0, 20))
    assert not any(table.pass_measurements(m).moving for m in make_noisy_measurements(300.0, 300, seed=1))
    table.pass_measurements(make_measurement(302.0))
    pushed = table.pass_measurements(make_measurement(304.0))
    assert pushed.moving
    assert pushed.x_mm == pytest.approx(304.0)
    assert not table.pass_measurements(*make_noisy_measurements(310.0, 20)).moving


def test_one_stray_measurement_moves_nothing_and_a_second_one_does() -> None:
    table = TrackedBase()
    table.pass_measurements(*make_noisy_measurements(300.0, 20))
    stray = table.pass_measurements(make_measurement(302.0))
    assert (stray.state, stray.moving) == (PoseState.SEEN, True)
    assert stray.x_mm == pytest.approx(300.0, abs=0.1)
    assert 2.0 < math.sqrt(stray.covariance[0, 0]) < 2.1  # it stands where it stood, or has begun to move
    assert math.sqrt(stray.covariance[1, 1]) < 0.3
    again = table.pass_measurements(make_measurement(300.0))
    assert (again.state, again.moving) == (PoseState.SEEN, False)
    table.pass_measurements(make_measurement(302.0))
    pushed = table.pass_measurements(make_measurement(302.2))
    assert (pushed.state, pushed.moving) == (PoseState.SEEN, True)
    assert pushed.x_mm == pytest.approx(302.2)


def test_a_base_that_is_seen_far_from_its_place_has_moved() -> None:
    table = TrackedBase()
    table.pass_measurements(*make_noisy_measurements(300.0, 20))
    pushed = table.pass_measurements(make_measurement(320.0))
    assert (pushed.state, pushed.moving, pushed.x_mm) == (PoseState.SEEN, True, 320.0)


def test_a_slow_slide_is_followed() -> None:
    table = TrackedBase()
    table.pass_measurements(*make_noisy_measurements(300.0, 30))
    for step in range(100):
        pose = table.pass_measurements(make_measurement(300.0 + 0.3 * step))
        assert abs(pose.x_mm - (300.0 + 0.3 * step)) < 1.5


def test_a_turn_on_the_spot_is_a_motion() -> None:
    table = TrackedBase()
    table.pass_measurements(*make_noisy_measurements(300.0, 20))
    turned = table.pass_measurements(make_measurement(300.0, facing_rad=0.1), make_measurement(300.0, facing_rad=0.2))
    assert turned.moving
    assert turned.facing_rad == pytest.approx(0.2)


def test_facing_is_averaged_across_the_half_turn() -> None:
    table = TrackedBase()
    sides = [make_measurement(300.0, facing_rad=s * (math.pi - 0.002)) for s in (1, -1)] * 20
    assert abs(abs(table.pass_measurements(*sides).facing_rad) - math.pi) < 0.002


def test_a_changed_track_is_as_dataclasses_would_replace_it_and_the_one_before_stays() -> None:
    (before,) = advance_tracks({}, make_noisy_measurements(300.0, 1), 0).values()
    kept = {field.name: getattr(before, field.name) for field in fields(Track)}
    changed, replaced = change_track(before, missed=2, strikes=1), replace(before, missed=2, strikes=1)
    assert all(getattr(changed, name) is getattr(replaced, name) for name in kept)
    assert all(getattr(before, name) is value for name, value in kept.items())


def test_a_hidden_base_is_held_at_once_then_lost_and_found_again() -> None:
    table = TrackedBase()
    before = table.pass_measurements(*make_noisy_measurements(300.0, 30))
    assert table.pass_measurements(None).state is PoseState.HELD  # seen is only what every picture bears out
    held = table.pass_measurements(*[None] * 31)
    assert held.state is PoseState.HELD
    assert (held.x_mm, held.moving) == (before.x_mm, False)
    assert held.covariance[0, 0] > before.covariance[0, 0]
    assert held.seen_ns == before.seen_ns
    table.now_ns += HELD_NS
    assert table.pass_measurements(None).state is PoseState.LOST
    assert table.pass_measurements(*make_noisy_measurements(300.0, 2)).state is PoseState.SEEN


def test_what_has_not_changed_is_seen_without_being_measured() -> None:
    table = TrackedBase()
    table.pass_measurements(*make_noisy_measurements(300.0, 20))
    assert table.tracks[1].settled
    kept = advance_tracks(table.tracks, [], table.now_ns, unchanged={1})
    pose = pose_from_track(kept[1], "m1", table.now_ns)
    assert (pose.state, pose.seen_ns, pose.moving) == (PoseState.SEEN, table.now_ns, False)
    assert kept[1].settled
    table.pass_measurements(None)
    assert not table.tracks[1].settled


def test_what_was_seen_once_and_never_again_is_forgotten() -> None:
    table = TrackedBase()
    table.pass_measurements(*[make_measurement(300.0)] * (SIGHTINGS - 1), *[None] * MOST_MISSED)
    assert table.tracks[1].missed == MOST_MISSED
    table.tracks = advance_tracks(table.tracks, [], table.now_ns)
    assert table.tracks == {}


def test_a_base_in_the_hand_is_lifted_until_it_stands_again() -> None:
    table = TrackedBase()
    table.pass_measurements(*make_noisy_measurements(300.0, 20))
    up = table.pass_measurements(*[make_measurement(300.0 + i, rise_mm=10.0 * i) for i in range(9)])
    assert (up.state, up.moving) == (PoseState.LIFTED, True)
    assert up.z_mm == pytest.approx(80.0)  # what the last picture shows, not a mean that lags behind it
    down = table.pass_measurements(*[replace(m, rise_mm=1.0) for m in make_noisy_measurements(320.0, 20)])
    assert down.state is PoseState.SEEN
    assert (down.z_mm, down.moving) == (0.0, False)


def test_a_single_picture_tells_that_a_base_is_lifted() -> None:
    table = TrackedBase()
    table.pass_measurements(*make_noisy_measurements(300.0, 20))
    assert table.pass_measurements(make_measurement(300.0, rise_mm=12.0)).state is PoseState.LIFTED
    assert table.pass_measurements(make_measurement(300.0, rise_mm=0.0)).state is PoseState.SEEN


def test_a_base_in_the_air_is_lifted_though_nobody_knows_how_high_the_camera_is() -> None:
    def look(x_mm: float, rise_mm: float) -> BaseMeasurement:
        return make_measurement(x_mm, rise_mm=rise_mm, lean=(0.2, 0.0), height_doubt=1.0)

    table = TrackedBase()
    table.pass_measurements(*[look(300.0, 0.0)] * 20)
    up = [table.pass_measurements(look(300.0 + 20.0 * i, min(20.0 * i, 100.0))).state for i in range(1, 10)]
    assert PoseState.SEEN not in up
    assert up[-1] is PoseState.LIFTED
    (still,) = begin_standing_tracks([look(300.0, 100.0)], 0).values()
    assert still.state is PoseState.LIFTED


def test_a_moving_base_that_looks_a_little_too_high_is_held_for_that_picture() -> None:
    table = TrackedBase()
    table.pass_measurements(*make_noisy_measurements(300.0, 20))
    before = table.pass_measurements(make_measurement(303.0), make_measurement(306.0))
    assert (before.state, before.moving) == (PoseState.SEEN, True)
    doubtful = table.pass_measurements(
        make_measurement(309.0, rise_mm=3.0)
    )  # four sigma: not yet in the air, and no longer surely down
    assert (doubtful.state, doubtful.x_mm) == (PoseState.HELD, before.x_mm)
    assert table.pass_measurements(make_measurement(312.0, rise_mm=1.0)).state is PoseState.SEEN
    assert table.pass_measurements(make_measurement(315.0, rise_mm=12.0)).state is PoseState.LIFTED


BLOCK = Surface(outline_mm=((600, 300), (900, 300), (900, 700), (600, 700)), height_mm=50.0)


def test_a_base_that_sets_off_may_be_rising_and_is_the_less_sure_of_its_place() -> None:
    def leaning(x_mm: float) -> BaseMeasurement:
        return make_measurement(x_mm, lean=(0.3, 0.0), rise_floor_mm=2.0)

    table = TrackedBase()
    still = table.pass_measurements(*(leaning(300.0) for _ in range(5)))
    assert still.moving, "it does not rest yet"
    assert still.covariance[0, 0] < 0.2**2
    off = table.pass_measurements(leaning(301.0))
    assert off.covariance[0, 0] > 0.5**2
    for x_mm in (302.0, 303.0, 304.0, 305.0):
        sliding = table.pass_measurements(leaning(x_mm))
    assert sliding.covariance[0, 0] < 0.2**2, "so long a lift would show"


def test_a_base_whose_height_is_so_open_that_its_place_is_is_not_vouched_for() -> None:
    table = TrackedBase()
    table.pass_measurements(make_measurement(300.0), make_measurement(300.0, lean=(0.5, 0.0), rise_floor_mm=20.0))
    assert table.tracks[1].state is PoseState.HELD


def test_a_base_under_way_is_vouched_for_where_noise_explains_its_height_and_is_no_surer_for_it() -> None:
    def looks(x_mm: float, rise_mm: float) -> BaseMeasurement:
        return make_measurement(x_mm, rise_mm=rise_mm, lean=(0.5, 0.0), rise_floor_mm=12.0)

    table = TrackedBase()
    table.pass_measurements(*(looks(300.0 + 5.0 * n, 0.0) for n in range(6)))
    noisy = table.pass_measurements(looks(330.0, 14.0), looks(335.0, 14.0))
    assert noisy.state is PoseState.SEEN
    assert noisy.covariance[0, 0] > 6.5**2
    table.pass_measurements(looks(340.0, 24.0), looks(345.0, 24.0))
    assert table.tracks[1].state is PoseState.HELD, "one sigma does not explain that"


def test_a_ringed_base_is_vouched_for_with_more_doubt_as_its_ring_goes_around_it() -> None:
    floors_mm = {1: 6.0, FIRST_RING: 11.0, FIRST_RING + 1: 14.0}
    looks = [
        replace(make_measurement(300.0, lean=(0.5, 0.0), rise_floor_mm=floor_mm), marker=marker)
        for marker, floor_mm in floors_mm.items()
    ]
    tracks: dict[int, Track] = {}
    for number in range(2):
        tracks = advance_tracks(tracks, looks, number * FRAME_NS)
    assert [tracks[marker].state for marker in floors_mm] == [PoseState.HELD, PoseState.SEEN, PoseState.HELD]
    assert pose_from_track(tracks[FIRST_RING], "m", FRAME_NS).covariance[0, 0] > 5.5**2, "and is not surer for it"


def test_a_base_on_its_way_is_vouched_for_once_several_heights_together_tell_of_it() -> None:
    """As low light showed one that rose to 52 mm far from the camera's foot, where that shifts it by 31 mm."""
    seen = [(6.0, 25.0), (1.0, 18.0), (-7.0, 32.0), (-1.0, 26.0), (4.0, 22.0), (25.0, 17.0), (38.0, 20.0)]
    tracks: dict[int, Track] = {}
    states = list[PoseState]()
    for number, (rise_mm, noise_mm) in enumerate(seen):
        look = make_measurement(300.0 + 5.0 * number, rise_mm=rise_mm, rise_noise_mm=noise_mm, lean=(0.6, 0.0))
        tracks = advance_tracks(tracks, [replace(look, marker=FIRST_RING)], number * FRAME_NS)
        states.append(tracks[FIRST_RING].state)
    assert states[1:] == [PoseState.HELD] * (len(seen) - 1)
    for number in range(len(seen), len(seen) + 12):
        look = make_measurement(300.0 + 5.0 * number, rise_mm=0.0, rise_noise_mm=14.0, lean=(0.6, 0.0))
        tracks = advance_tracks(tracks, [replace(look, marker=FIRST_RING)], number * FRAME_NS)
    pose = pose_from_track(tracks[FIRST_RING], "m", 0)
    assert (pose.state, pose.moving) == (PoseState.SEEN, True), "six of them tell what one does not"


def test_a_base_that_was_in_the_air_is_vouched_for_once_all_its_heights_since_tell_that_it_stands() -> None:
    """As low light showed one that was carried on at 52 mm: smeared as it was, single heights told of nothing."""
    table = TrackedBase()
    table.pass_measurements(*make_noisy_measurements(300.0, 20))
    assert table.pass_measurements(make_measurement(300.0, rise_mm=52.0)).state is PoseState.LIFTED

    def look(rise_mm: float, noise_mm: float) -> BaseMeasurement:
        x_mm = 300.0 + 10.0 * (table.now_ns / FRAME_NS)
        return make_measurement(x_mm, rise_mm=rise_mm, rise_noise_mm=noise_mm, lean=(0.2, 0.0))

    carried = [
        table.pass_measurements(look(*seen)).state for seen in [(20.0, 13.0), (43.0, 24.0), (44.0, 20.0), (-5.0, 32.0)]
    ]
    assert PoseState.SEEN not in carried
    # What is set down and pushed on is vouched for while it goes: the same noise tells less with each picture.
    for _ in range(30):
        sliding = table.pass_measurements(look(0.0, 13.0))
    assert (sliding.state, sliding.moving) == (PoseState.SEEN, True)


def test_a_base_set_down_on_terrain_comes_to_rest_at_its_height() -> None:
    table = TrackedBase(surfaces=[BLOCK])
    table.pass_measurements(*make_noisy_measurements(300.0, 20))
    assert table.pass_measurements(make_measurement(500.0, rise_mm=80.0)).state is PoseState.LIFTED
    on_top = table.pass_measurements(*[make_measurement(750.0, rise_mm=50.4)] * 2)
    assert (on_top.state, on_top.z_mm) == (PoseState.SEEN, 50.0)
    rested = table.pass_measurements(*[make_measurement(750.0, rise_mm=50.4, surface_mm=50.0)] * 12)
    assert (rested.state, rested.z_mm, rested.moving, rested.other_z_mm) == (PoseState.SEEN, 50.0, False, ())


@pytest.mark.parametrize(("rise_mm", "least_mm", "most_mm"), [(0.0, 0.05, 0.3), (5.0, 2.0, 3.0)])
def test_what_rests_as_high_as_nothing_there_may_be_as_high_as_it_looks(
    rise_mm: float, least_mm: float, most_mm: float
) -> None:
    looks = [
        replace(m, rise_mm=rise_mm, rise_noise_mm=1.5, lean=(0.5, 0.0)) for m in make_noisy_measurements(300.0, 20)
    ]
    pose = TrackedBase().pass_measurements(*looks)
    assert (pose.state, pose.moving, pose.z_mm, pose.other_z_mm) == (PoseState.SEEN, False, 0.0, ())
    assert least_mm < math.sqrt(pose.covariance[0, 0]) < most_mm
    aside = [replace(m, lean=(1.5, 0.0)) for m in looks]  # seen from so far aside its place is anybody's guess
    assert (TrackedBase().pass_measurements(*aside).state is PoseState.SEEN) is (rise_mm == 0.0)


def test_two_surfaces_that_fit_are_both_told() -> None:
    table = TrackedBase(surfaces=[replace(BLOCK, height_mm=3.0)])
    rested = table.pass_measurements(*[make_measurement(750.0, rise_mm=0.5)] * 15)
    assert (rested.z_mm, rested.other_z_mm, rested.moving) == (0.0, (3.0,), False)


def test_a_base_that_was_never_at_rest_may_be_on_any_surface_that_fits_until_it_has_stood_on_one() -> None:
    def look(x_mm: float) -> BaseMeasurement:
        return replace(make_measurement(x_mm, rise_mm=0.5), lean=(0.5, 0.0))

    table = TrackedBase(surfaces=[replace(BLOCK, height_mm=3.0)])
    under_way = table.pass_measurements(*(look(720.0 + 5.0 * number) for number in range(8)))
    assert (under_way.moving, under_way.z_mm, under_way.other_z_mm) == (True, 0.0, (3.0,))
    assert under_way.covariance[0, 0] > (3.0 * 0.5) ** 2
    beside = table.pass_measurements(*[look(300.0)] * 15, *(look(720.0 + 5.0 * number) for number in range(8)))
    assert (beside.moving, beside.other_z_mm) == (True, ())
    assert beside.covariance[0, 0] < (3.0 * 0.5) ** 2


def test_what_lies_on_the_table_alone_has_no_other_height() -> None:
    low = replace(BLOCK, height_mm=3.0)
    tracks: dict[int, Track] = {}
    for number in range(15):
        look = [make_measurement(750.0, rise_mm=0.5)]
        tracks = advance_tracks(tracks, look, number * FRAME_NS, surfaces=[low], grounded={1})
    assert (tracks[1].moving, tracks[1].level_mm, tracks[1].levels_mm) == (False, 0.0, ())
    (still,) = begin_standing_tracks([make_measurement(750.0, rise_mm=3.0)], 0, [low], grounded={1}).values()
    assert (still.level_mm, still.levels_mm) == (0.0, ())


def test_a_tag_that_always_looks_too_high_is_learned_while_it_stands() -> None:
    table = TrackedBase()
    table.pass_measurements(*[make_measurement(300.0, rise_mm=2.5, rise_bias_mm=4.0)] * 15)
    assert (bias := table.tracks[1].bias)
    assert bias.mm == pytest.approx(2.5)
    assert table.pass_measurements(make_measurement(300.0, rise_mm=2.5, rise_bias_mm=4.0)).state is PoseState.SEEN
    up = table.pass_measurements(make_measurement(300.0, rise_mm=12.5, rise_bias_mm=4.0))
    assert up.state is PoseState.LIFTED
    assert up.z_mm == pytest.approx(10.0)


def test_bases_of_one_picture_stand_on_what_their_height_fits() -> None:
    flat = [replace(make_measurement(300.0, rise_mm=2.0, rise_bias_mm=6.0), marker=tag) for tag in range(2, 10)]
    high = replace(make_measurement(750.0, rise_mm=52.0, rise_bias_mm=6.0), lean=(0.2, 0.0))
    in_a_hand = replace(make_measurement(750.0, rise_mm=82.0), marker=10)
    tracks = begin_standing_tracks([*flat, high, in_a_hand], 0, [BLOCK])
    poses = {tag: pose_from_track(track, "m", 0) for tag, track in tracks.items()}
    assert {tag: pose.z_mm for tag, pose in poses.items()} == {**dict.fromkeys(range(2, 10), 0.0), 1: 50.0, 10: 80.0}
    assert {tag for tag, pose in poses.items() if pose.state is PoseState.LIFTED} == {10}
    placed = place_on_surface(high, 50.0)
    assert (poses[1].x_mm, poses[1].y_mm) == (placed.x_mm, placed.y_mm) != (high.x_mm, high.y_mm)


def test_a_base_of_one_picture_that_two_surfaces_fit_is_as_unsure_as_they_are_apart() -> None:
    look = replace(make_measurement(750.0, rise_mm=0.5), lean=(0.3, 0.1))
    (track,) = begin_standing_tracks([look], 0, [replace(BLOCK, height_mm=3.0)]).values()
    (alone,) = begin_standing_tracks([look], 0).values()
    pose, sure = pose_from_track(track, "m", 0), pose_from_track(alone, "m", 0)
    assert (pose.z_mm, pose.other_z_mm) == (0.0, (3.0,))
    assert pose.covariance[0, 0] >= sure.covariance[0, 0] + (3.0 * 0.3) ** 2
