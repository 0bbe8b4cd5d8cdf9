"""The anchor watch from picture to picture, on corners made by projection alone."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from calibration.spaces import CameraOverTable
from tests.vision.synthetic_camera import ANCHORS, BUMP_MM, BUMP_RAD, CAMERA, make_fit, move_camera
from vision.anchors.averages import MOST_AVERAGED
from vision.anchors.watch import IN_VIEW_FRAMES, AnchorWatch
from vision.types import CalibrationChange, ChangeKind, Doubt

FPS = 15
SECOND = FPS
NOISE_PX = 0.01
SQUARES_MM = {anchor.tag: anchor.square_mm for anchor in ANCHORS}
BUMP = move_camera(BUMP_RAD, BUMP_MM)
ALL = tuple(SQUARES_MM)


@dataclass(kw_only=True)
class WatchedAnchors:
    """Anchors, and the camera that looks at them."""

    camera: CameraOverTable = CAMERA
    slips_mm: dict[int, tuple[float, float]] = field(default_factory=dict)
    hidden: Collection[int] = ()
    known: CameraOverTable = CAMERA
    """The calibration, which a caller of the watch keeps up to date."""
    watch: AnchorWatch = field(default_factory=lambda: AnchorWatch(squares_mm=SQUARES_MM))
    told: list[CalibrationChange] = field(default_factory=list)
    frames: int = 0

    def pass_frames(self, count: int = 1, *, by_px: Mapping[int, float] | None = None, borne_out: bool = False) -> int:
        """Let some frames go by; return in how many of them a solve was due."""
        due = 0
        for _ in range(count):
            fits = []
            for tag in sorted(set(ALL) - set(self.hidden)):
                square_mm = SQUARES_MM[tag] + [*self.slips_mm.get(tag, (0.0, 0.0)), 0.0]
                fit = make_fit(square_mm, tag, noise_px=NOISE_PX, seed=self.frames)
                shift_px = self.camera.image_from_table(square_mm) - CAMERA.image_from_table(square_mm)
                shift_px = shift_px + (by_px or {}).get(tag, 0.0)
                fits.append(replace(fit, corners_px=fit.corners_px + shift_px))
            captured_ns = round(self.frames * 1e9 / FPS)
            known = self.known if self.frames else None
            due += self.watch.add(fits, camera=known, captured_ns=captured_ns, borne_out=borne_out)
            self.known = self.watch.moved_to or self.known
            self.told += self.watch.changes
            self.frames += 1
        return due


@pytest.fixture
def table() -> WatchedAnchors:
    table = WatchedAnchors()
    table.pass_frames(2 * SECOND)
    assert (table.told, table.watch.doubt, table.watch.alert) == ([], None, False)
    return table


def list_change_kinds(table: WatchedAnchors) -> list[tuple[ChangeKind, int | None]]:
    return [(change.kind, change.tag) for change in table.told]


def test_sightings_are_averaged() -> None:
    table = WatchedAnchors()
    table.pass_frames(MOST_AVERAGED)
    off_px = table.watch.means[580].corners_px - CAMERA.image_from_table(SQUARES_MM[580])
    assert float(np.sqrt((off_px**2).mean())) < 3 * NOISE_PX / math.sqrt(MOST_AVERAGED)


def test_a_solve_is_asked_for_when_there_is_more_to_know() -> None:
    table = WatchedAnchors()
    asked = [table.pass_frames() for _ in range(100)]
    assert [number for number, due in enumerate(asked, start=1) if due] == [1, 2, 4, 8, 16, 32, 64]
    late = WatchedAnchors(hidden=ALL[1:])
    late.pass_frames(5)
    late.hidden = ()
    assert late.pass_frames()


@pytest.mark.parametrize("px", [0.3, 8.0])
def test_a_bump_is_in_doubt_at_once_and_settled_when_the_picture_is_still(table: WatchedAnchors, px: float) -> None:
    table.camera = move_camera((px / 1185, 0.0, 0.0), (0.0, 0.0, 0.0))
    table.pass_frames()
    assert table.watch.doubt is Doubt.MOVING
    table.pass_frames(SECOND // 2)
    assert table.watch.doubt is None
    assert list_change_kinds(table) == [(ChangeKind.CAMERA_MOVED, None)]
    assert table.told[0].turned_rad == pytest.approx(px / 1185, rel=0.2)
    assert table.known.eye_mm == pytest.approx(CAMERA.eye_mm, abs=1.0)


def test_what_is_too_small_for_a_doubt_is_told_by_all_anchors_together_and_followed(table: WatchedAnchors) -> None:
    table.camera = move_camera((0.08 / 1185, 0.0, 0.0), (0.0, 0.0, 0.0))
    table.pass_frames()
    assert (table.watch.doubt, table.watch.alert) == (None, True)
    table.pass_frames(SECOND // 2)
    assert (table.told, table.watch.doubt, table.watch.alert) == ([], None, False)
    off_px = table.watch.means[582].corners_px - table.camera.image_from_table(SQUARES_MM[582])
    assert np.abs(off_px.mean(axis=0)).max() < 0.02


def test_while_the_table_shakes_nothing_is_settled_and_afterwards_all_is_as_before(table: WatchedAnchors) -> None:
    for frame in range(3 * SECOND):
        by_px = 1.5 * math.sin(frame)
        table.pass_frames(by_px=dict.fromkeys(ALL, by_px))
        assert table.watch.doubt is Doubt.MOVING or abs(by_px) < 0.2
    table.pass_frames(SECOND)
    assert (table.told, table.watch.doubt, table.watch.alert) == ([], None, False)


def test_one_anchor_that_slips_is_left_out_without_a_doubt_until_it_is_back(table: WatchedAnchors) -> None:
    table.slips_mm[583] = (5.0, -2.0)
    before_px = table.watch.means[583].corners_px
    for _ in range(2 * SECOND):
        table.pass_frames()
        assert table.watch.doubt is None
    assert list_change_kinds(table) == [(ChangeKind.ANCHOR_SLIPPED, 583)]
    assert table.watch.slipped_mm == {583: pytest.approx(math.hypot(5, 2), abs=0.1)}
    assert 583 not in table.watch.solved_from
    table.slips_mm.clear()
    assert table.pass_frames(SECOND)
    assert list_change_kinds(table)[1:] == [(ChangeKind.ANCHOR_BACK, 583)]
    assert table.watch.solved_from[583].corners_px == pytest.approx(before_px, abs=0.1)


def test_an_anchor_that_slipped_is_still_known_to_after_a_bump(table: WatchedAnchors) -> None:
    table.slips_mm[583] = (5.0, -2.0)
    table.pass_frames(2 * SECOND)
    table.camera = BUMP
    table.pass_frames(SECOND)
    assert list_change_kinds(table) == [(ChangeKind.ANCHOR_SLIPPED, 583), (ChangeKind.CAMERA_MOVED, None)]
    table.slips_mm.clear()
    table.pass_frames(SECOND)
    assert list_change_kinds(table)[2:] == [(ChangeKind.ANCHOR_BACK, 583)]


def test_an_anchor_that_is_half_hidden_for_a_moment_has_not_slipped(table: WatchedAnchors) -> None:
    table.pass_frames(SECOND // 2, by_px={582: 2.0})
    table.hidden = (582,)
    table.pass_frames(SECOND)
    table.hidden = ()
    table.pass_frames(SECOND)
    assert (table.told, table.watch.doubt) == ([], None)


def test_of_two_anchors_that_contradict_each_other_nothing_is_guessed() -> None:
    table = WatchedAnchors(hidden=ALL[2:])
    table.pass_frames(2 * SECOND)
    table.slips_mm[581] = (5.0, -2.0)
    table.pass_frames()
    assert table.watch.doubt is Doubt.MOVING
    table.pass_frames(3 * SECOND)
    assert (table.watch.doubt, table.watch.astray, table.told) == (Doubt.ASTRAY, (581,), [])
    table.slips_mm.clear()
    table.pass_frames(SECOND)
    assert (table.watch.alert, table.watch.astray, table.told) == (False, (), [])


def test_what_was_hidden_in_a_bump_is_expected_where_it_must_be(table: WatchedAnchors) -> None:
    table.hidden = (584,)
    table.camera = BUMP
    table.pass_frames(SECOND)
    assert 584 not in table.watch.solved_from
    expected_px = BUMP.image_from_table(SQUARES_MM[584])
    assert table.watch.means[584].corners_px == pytest.approx(expected_px, abs=0.3)
    table.hidden = ()
    table.pass_frames(SECOND)
    assert 584 in table.watch.solved_from
    assert list_change_kinds(table) == [(ChangeKind.CAMERA_MOVED, None)]


def test_with_all_anchors_hidden_only_bases_can_bear_the_calibration_out(table: WatchedAnchors) -> None:
    table.hidden = ALL
    table.pass_frames(SECOND, borne_out=True)
    assert table.watch.doubt is None
    table.pass_frames()
    assert table.watch.doubt is Doubt.MOVING
    table.pass_frames(IN_VIEW_FRAMES)
    assert table.watch.doubt is Doubt.HIDDEN
    table.hidden = ()
    table.pass_frames(SECOND)
    assert (table.watch.doubt, table.told) == (None, [])


def test_a_slow_drift_is_followed_without_a_doubt_and_told_once_it_has_gone_far(table: WatchedAnchors) -> None:
    px_a_second = 3 / 60
    for frame in range(20 * SECOND):
        gone_px = px_a_second * frame / FPS
        table.pass_frames(by_px=dict.fromkeys(ALL, gone_px))
        assert table.watch.doubt is None
    lag_px = table.watch.means[580].corners_px - CAMERA.image_from_table(SQUARES_MM[580]) - gone_px
    assert np.abs(lag_px).max() < 0.15
    assert {change.kind for change in table.told} == {ChangeKind.CAMERA_DRIFTED}


def test_an_anchor_that_has_gone_is_in_view_no_more(table: WatchedAnchors) -> None:
    table.hidden = (585,)
    table.pass_frames(IN_VIEW_FRAMES)
    assert sorted(table.watch.in_view) == list(ALL[:5])


def test_in_a_doubt_only_what_is_seen_since_it_began_counts_as_seen(table: WatchedAnchors) -> None:
    assert sorted(table.watch.seen) == list(ALL)
    table.camera, table.hidden = move_camera((8.0 / 1185, 0.0, 0.0), (0.0, 0.0, 0.0)), ALL[1:]
    table.pass_frames()
    assert (table.watch.doubt, table.watch.seen) == (Doubt.MOVING, [ALL[0]])
    table.camera, table.hidden = CAMERA, ()
    table.pass_frames(SECOND)
    assert (table.watch.doubt, sorted(table.watch.seen)) == (None, list(ALL))
