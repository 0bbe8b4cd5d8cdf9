"""Motion through the picture, and what a rolling shutter makes of it: bases that slide and turn before one."""

import cmath
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.synthetic_camera import CAMERA, IMAGE_SIZE, make_enrolled_tag, make_fit, place_tag_square
from vision.tags.pose_estimation import BaseMeasurement, TypicalFit, measure_bases
from vision.tags.row_times import PictureMotion, Readout, ReadoutEvidence
from vision.tracking.motion import ExposureEvidence, estimate_motions, learn_readout
from vision.tracking.tracks import Track, advance_tracks
from vision.types import TagFit

FRAME_S = 1 / 30
NOISE_PX = 0.02
CLEAN = TypicalFit(floor_px=0.01, unexplained=math.inf)
Floats = NDArray[np.float64]
Path = Callable[[float], tuple[float, float, float]]


def see(
    path: Path, at_s: float, readout_s: float, *, noise_px: float = NOISE_PX, tag: int = 1, seed: int = 0
) -> TagFit:
    """Return how a base's tag is fitted in a picture: each corner is where it was when its own row was exposed."""
    base, corners = make_enrolled_tag(tag), np.empty((4, 2))
    for k in range(4):
        row_s = at_s
        for _ in range(4):
            square = place_tag_square(base, *path(row_s))
            corners[k] = CAMERA.image_from_table(square)[k]
            row_s = at_s + readout_s * float(Readout(s=readout_s, sigma_s=0).find_share(corners[k, 1], IMAGE_SIZE[1]))
    still = make_fit(place_tag_square(base, *path(at_s)), tag, noise_px=noise_px)
    off = np.random.default_rng(seed).normal(0, noise_px, (4, 2))
    return TagFit(
        tag=tag,
        corners_px=corners + off,
        covariance_px2=still.covariance_px2,
        noise_px2=still.noise_px2,
        astray=0.0,
        unexplained=3.0,
        blur_px=0.7,
    )


def estimate_motion(
    tracks: dict[int, Track], corners_px: Floats, captured_ns: int, late_s: float = 0.0
) -> PictureMotion | None:
    """Return how the only base moves."""
    return estimate_motions(list(tracks.values()), corners_px[None], captured_ns, np.array([late_s]))[0]


def follow(
    path: Path, readout_s: float, told: Readout, *, seed: int = 0
) -> tuple[list[BaseMeasurement], ReadoutEvidence]:
    """Return what is measured of a base in pictures in a row, and what it tells of the readout."""
    tracks: dict[int, Track] = {}
    evidence, measured = ReadoutEvidence(), []
    for number in range(12):
        fit = see(path, number * FRAME_S, readout_s, seed=12 * seed + number)
        captured_ns = round(number * FRAME_S * 1e9)
        late_s = told.s * float(told.find_share(fit.corners_px[:, 1].mean(), IMAGE_SIZE[1]))
        motion = estimate_motion(tracks, fit.corners_px, captured_ns, late_s) if tracks else None
        motions = {1: motion} if motion else {}
        now = measure_bases(CAMERA, [fit], {1: make_enrolled_tag(1)}, {}, CLEAN, motions=motions, readout=told)
        evidence = learn_readout(evidence, now, told, CLEAN.floor_px)
        tracks = advance_tracks(tracks, now, captured_ns)
        measured += now
    return measured, evidence


def slide(speed_mm_s: float, bearing_rad: float, spin_rad_s: float = 0.0) -> Path:
    def path(at_s: float) -> tuple[float, float, float]:
        way = complex(900, 300) + cmath.rect(speed_mm_s * at_s, bearing_rad)
        return way.real, way.imag, 0.4 + spin_rad_s * at_s

    return path


@pytest.mark.parametrize("readout_s", [0.016, 0.03, -0.016])
def test_a_moving_base_is_where_it_was_when_the_first_row_was_exposed(readout_s: float) -> None:
    path = slide(300, 0.5, 2.0)
    measured, _ = follow(path, readout_s, Readout(s=readout_s, sigma_s=1e-4))
    for number, m in list(enumerate(measured))[3:]:
        x_mm, y_mm, facing_rad = path(number * FRAME_S)
        assert (m.x_mm, m.y_mm) == pytest.approx((x_mm, y_mm), abs=0.25)
        assert math.remainder(m.facing_rad - facing_rad, math.tau) == pytest.approx(0, abs=0.012)
        assert m.rise_mm == pytest.approx(0, abs=6)  # a stretched tag would look larger


def test_an_unknown_readout_is_in_the_sigma_of_what_moves_along_its_way() -> None:
    last = follow(slide(300, 0.0), 0.016, Readout(s=0.0, sigma_s=0.012))[0][-1]
    late_mm = 300 * 0.012 * float(last.corners_px[:, 1].mean()) / IMAGE_SIZE[1]
    assert math.sqrt(last.lasting[0, 0]) == pytest.approx(late_mm, rel=0.1)
    assert math.sqrt(last.lasting[1, 1]) < 0.3
    assert abs(last.x_mm - slide(300, 0.0)(11 * FRAME_S)[0]) < 3 * late_mm


@pytest.mark.parametrize("readout_s", [0.0, 0.016, -0.02])
def test_the_readout_is_told_by_moving_tags(readout_s: float) -> None:
    evidence = ReadoutEvidence()
    assert evidence.estimate().s == 0
    assert evidence.estimate().sigma_s > 0.01
    for k in range(16):
        more = follow(slide(300, 0.4 * k), readout_s, Readout(s=0.0, sigma_s=0.012), seed=k)[1]
        evidence = ReadoutEvidence(
            by_tag={**evidence.by_tag, k: more.by_tag[1]},
            squares=evidence.squares + more.squares,
            count=evidence.count + more.count,
        )
    told = evidence.estimate()
    assert told.sigma_s < 0.0025
    assert told.s == pytest.approx(readout_s, abs=3 * told.sigma_s)


def test_what_rests_has_no_motion() -> None:
    tracks: dict[int, Track] = {}
    for number in range(20):
        fit = see(slide(0, 0), number * FRAME_S, 0.0, seed=number)
        measured = measure_bases(CAMERA, [fit], {1: make_enrolled_tag(1)}, {}, CLEAN)
        tracks = advance_tracks(tracks, measured, round(number * FRAME_S * 1e9))
    assert not tracks[1].moving
    assert estimate_motion(tracks, fit.corners_px + 0.1, round(20 * FRAME_S * 1e9)) is None
    off = estimate_motion(tracks, fit.corners_px + np.array([6, 0]), round(20 * FRAME_S * 1e9))
    assert off is not None
    assert 6 / FRAME_S < off.velocity_px_s.real < 12 / FRAME_S


def speed_up(at_s: float) -> tuple[float, float, float]:
    return 800 + 900 * at_s**2, 700 - 300 * at_s**2, 0.4 + 5 * at_s**2


def test_what_speeds_up_is_where_it_was_when_the_first_row_was_exposed() -> None:
    measured, _ = follow(speed_up, 0.03, Readout(s=0.03, sigma_s=1e-4))
    for number, m in list(enumerate(measured))[3:]:
        x_mm, y_mm, facing_rad = speed_up(number * FRAME_S)
        assert (m.x_mm, m.y_mm) == pytest.approx((x_mm, y_mm), abs=0.12)
        assert m.facing_rad == pytest.approx(facing_rad, abs=0.008)


def test_the_exposure_time_is_told_by_how_far_tags_are_smeared() -> None:
    exposure = ExposureEvidence()
    motions = {
        tag: PictureMotion(velocity_px_s=200.0 * tag, turn_rad_s=0, sigma_px_s=1, sigma_rad_s=0) for tag in (1, 2, 3)
    }
    for number in range(10):
        fits = [see(slide(0, 0), number, 0.0, tag=tag) for tag in motions]
        smeared = [replace(fit, smear_px=0.02 * 200.0 * fit.tag) for fit in fits]
        exposure = exposure.add(smeared, motions)
    assert exposure.s == pytest.approx(0.02, rel=0.1)
    assert abs(exposure.predict_smears(motions)[2]) == pytest.approx(8, rel=0.1)


@pytest.mark.parametrize("gap_pictures", [10, 40])
def test_what_comes_out_from_under_a_hand_may_be_on_its_way(gap_pictures: int) -> None:
    readout, path = Readout(s=0.016, sigma_s=1e-4), slide(100, 0.5)
    tracks: dict[int, Track] = {}
    for number in (0, 1, 2, 3, gap_pictures):
        fit, captured_ns = see(path, number * FRAME_S, readout.s, seed=number), round(number * FRAME_S * 1e9)
        motion = estimate_motion(tracks, fit.corners_px, captured_ns) if tracks else None
        motions = {1: motion} if motion else {}
        (m,) = measure_bases(CAMERA, [fit], {1: make_enrolled_tag(1)}, {}, CLEAN, motions=motions, readout=readout)
        tracks = advance_tracks(tracks, [m], captured_ns)
    x_mm, y_mm, _ = path(gap_pictures * FRAME_S)
    off_mm = np.array([m.x_mm - x_mm, m.y_mm - y_mm])
    assert np.hypot(*off_mm) > 0.2  # its row was exposed later than the first
    assert off_mm @ np.linalg.solve((m.noise + m.lasting)[:2, :2], off_mm) < 9
