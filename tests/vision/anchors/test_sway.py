"""Sways of a camera told from bumps, on corners made by projection alone."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from calibration.drift import ObservedSquare
from calibration.spaces import CameraOverTable
from tests.vision.synthetic_camera import ANCHORS, CAMERA, make_enrolled_tag, make_fit, move_camera, place_tag_square
from vision.anchors.sway import Sway, SwayFollower, Witness
from vision.anchors.watch import AnchorWatch
from vision.types import CalibrationChange, ChangeKind, Doubt

FPS = 30
NOISE_PX = 0.02
SQUARES_MM = {anchor.tag: anchor.square_mm for anchor in ANCHORS}
SQUARES_MM |= {
    tag: place_tag_square(make_enrolled_tag(tag), 300.0 + 200 * (tag % 5), 400.0 + 250 * (tag // 5), tag)
    for tag in range(10)
}
Motion = Callable[[float], CameraOverTable]
"""Where the camera is after some seconds."""


def zoom_camera(share: float, camera: CameraOverTable = CAMERA) -> CameraOverTable:
    """Return the camera with a focal length that is larger by a share."""
    scale = np.array([1 + share, 1 + share, 1, 1, 1, 1, 1, 1, 1])
    return replace(camera, lens=replace(camera.lens, parameters=camera.lens.parameters * scale))


def breathe(share: float, period_s: float) -> Motion:
    """Return a lens that hunts for its focus."""
    return lambda at_s: zoom_camera(share * math.sin(math.tau * at_s / period_s + 0.7))


def shake(px: float, hertz: float) -> Motion:
    """Return a camera on a floor on which somebody walks."""
    return lambda at_s: move_camera(
        (px / 1185 * math.sin(math.tau * hertz * at_s), px / 1185 * math.cos(1.3 * math.tau * hertz * at_s), 0.0),
        (0.0, 0.0, 0.0),
    )


@dataclass(kw_only=True)
class SwayingTable:
    """Anchors and resting bases, and the camera that looks at them."""

    follower: SwayFollower = field(default_factory=SwayFollower)
    watch: AnchorWatch = field(
        default_factory=lambda: AnchorWatch(squares_mm={anchor.tag: anchor.square_mm for anchor in ANCHORS})
    )
    told: list[CalibrationChange] = field(default_factory=list)
    known: CameraOverTable = CAMERA
    frames: int = 0
    doubts: list[Doubt] = field(default_factory=list)
    off_px: list[float] = field(default_factory=list)
    """How far from where it stood the followed camera sees what is on the table, for each frame."""

    def pass_time(self, seconds: float, motion: Motion, hidden: frozenset[int] = frozenset()) -> None:
        """Let some time go by, as the pipeline does."""
        for _ in range(round(seconds * FPS)):
            at_s, camera = self.frames / FPS, motion(self.frames / FPS)
            fits = {}
            for tag in sorted(SQUARES_MM.keys() - hidden):
                fit = make_fit(SQUARES_MM[tag], tag, noise_px=NOISE_PX, seed=self.frames)
                carried_px = camera.image_from_table(SQUARES_MM[tag]) - CAMERA.image_from_table(SQUARES_MM[tag])
                fits[tag] = replace(fit, corners_px=fit.corners_px + carried_px)
            anchors = [fit for tag, fit in fits.items() if tag in self.watch.squares_mm]
            captured_ns = round(at_s * 1e9)
            sway = None
            if not self.frames:
                self.known = camera
            else:
                expected = {tag: mean.square for tag, mean in self.watch.solved_from.items()}
                for tag in fits.keys() - self.watch.squares_mm.keys():
                    corners_px = self.known.image_from_table(SQUARES_MM[tag])
                    expected[tag] = ObservedSquare(corners_px=corners_px, noise_px2=1e-4 * np.eye(8))
                sway = self.follower.follow(
                    self.known,
                    [
                        Witness.see(fit, SQUARES_MM[tag], expected[tag], is_anchor=tag in self.watch.squares_mm)
                        for tag, fit in fits.items()
                        if tag in expected
                    ],
                    captured_ns,
                )
            self.watch.add(anchors, camera=self.known if self.frames else None, captured_ns=captured_ns, sway=sway)
            if sway and (there := sway.settle(self.known)):
                self.known = there
            self.known = self.watch.moved_to or self.known
            self.told += self.watch.changes
            self.doubts += [self.watch.doubt] if self.watch.doubt else []
            self.off_px.append(self._measure_error_px(camera))
            self.frames += 1

    def _measure_error_px(self, camera: CameraOverTable) -> float:
        now = self.follower.sway.apply(self.known) if self.follower.sway else self.known
        points_mm = np.concatenate(list(SQUARES_MM.values()))
        return float(np.linalg.norm(now.image_from_table(points_mm) - camera.image_from_table(points_mm), axis=1).max())


@pytest.mark.parametrize("motion", [breathe(1e-3, 1.0), breathe(1e-3, 20.0), breathe(6e-4, 4.0), shake(1.0, 9.3)])
def test_what_sways_is_followed_without_a_doubt(motion: Motion) -> None:
    table = SwayingTable()
    table.pass_time(4.0, motion)
    assert (table.doubts, table.told) == ([], [])
    assert max(table.off_px[30:]) < 0.1


def test_a_camera_that_stands_still_does_not_sway() -> None:
    table = SwayingTable()
    table.pass_time(4.0, lambda _: CAMERA)
    assert (table.follower.alert, table.follower.describe(0), table.doubts) == (False, None, [])


def test_how_far_it_breathes_and_shakes_is_told() -> None:
    table = SwayingTable()
    table.pass_time(1.0, lambda _: CAMERA)
    table.pass_time(3.0, breathe(5e-4, 2.0))
    told = table.follower.describe(round(4e9))
    assert told is not None
    assert told.breath == pytest.approx(5e-4, rel=0.15)
    assert told.shake_px < 0.05
    shaken = SwayingTable()
    shaken.pass_time(1.0, lambda _: CAMERA)
    shaken.pass_time(2.0, shake(1.0, 9.3))
    told = shaken.follower.describe(round(3e9))
    assert told is not None
    assert told.shake_px == pytest.approx(1.0, rel=0.15)
    assert told.breath < 3e-4


@pytest.mark.parametrize("px", [0.5, 2.0, 8.0, 40.0])
def test_a_bump_while_the_lens_breathes_is_a_bump(px: float) -> None:
    table = SwayingTable()
    table.pass_time(0.5, lambda _: zoom_camera(0.0))
    lens = breathe(8e-4, 5.0)
    table.pass_time(2.0, lens)
    assert table.told == []
    bumped = move_camera((px / 1185, 0.0, 0.0), (0.0, 0.0, 0.0))
    table.pass_time(0.6, lambda at_s: zoom_camera(lens(at_s).lens.parameters[0] / 1185 - 1, bumped))
    assert [change.kind for change in table.told] == [ChangeKind.CAMERA_MOVED]
    assert table.told[0].turned_rad == pytest.approx(px / 1185, rel=0.35)
    assert table.watch.doubt is None
    if px > 3:  # farther than a sway goes: nothing is judged until it is settled
        assert table.doubts


def test_an_anchor_that_slips_while_the_lens_breathes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    table = SwayingTable()
    lens = breathe(8e-4, 5.0)
    table.pass_time(1.0, lens)
    monkeypatch.setitem(SQUARES_MM, 583, SQUARES_MM[583] + [4.0, -2.0, 0.0])
    table.pass_time(2.0, lens)
    assert [(change.kind, change.tag) for change in table.told] == [(ChangeKind.ANCHOR_SLIPPED, 583)]
    assert table.doubts == []


def test_anchors_that_contradict_each_other_sway_nowhere() -> None:
    follower = SwayFollower()
    witnesses = []
    for anchor in ANCHORS:
        fit = make_fit(anchor.square_mm, anchor.tag, noise_px=NOISE_PX)
        away_px = (2.0 if anchor.x_mm < 700 else -2.0) * (1.0 if anchor.y_mm < 500 else -1.0)
        moved = replace(fit, corners_px=fit.corners_px + np.array([away_px, 0.0]))
        before = ObservedSquare(corners_px=CAMERA.image_from_table(anchor.square_mm), noise_px2=fit.noise_px2)
        witnesses.append(Witness.see(moved, anchor.square_mm, before, is_anchor=True))
    assert follower.follow(CAMERA, witnesses, 0) is None
    assert not follower.alert


def test_a_focus_that_stays_is_the_new_focus() -> None:
    table = SwayingTable()
    table.pass_time(1.0, lambda _: CAMERA)
    table.pass_time(4.0, lambda _: zoom_camera(1e-3))
    assert (table.told, table.doubts) == ([], [])
    assert table.follower.sway is None or abs(table.follower.sway.step[6]) < 1e-4
    assert table.known.lens.parameters[0] == pytest.approx(1185 * 1.001, rel=2e-4)


def test_what_is_taken_out_of_a_place_is_what_the_camera_strayed() -> None:
    turn_and_focus = np.array([4e-4, -3e-4, 2e-4, 0.3, -0.2, 0.0, 5e-4])
    sway = Sway(step=turn_and_focus, covariance=np.eye(7) * 1e-12, floor_px=0.01, farthest_px=1.0)
    points_mm = ANCHORS[0].square_mm
    seen_px = sway.apply(CAMERA).image_from_table(points_mm)
    assert sway.steady(CAMERA, points_mm, seen_px) == pytest.approx(CAMERA.image_from_table(points_mm), abs=5e-3)
