"""Rings followed from picture to picture: what is looked for, where, and what is made of it."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.words import load_ring_list
from tests.vision.rings.conftest import PLACED
from tests.vision.rings.rendered_rings import SHUTTER, Figure, Grey, PlacedRing, expose, render_rings
from tests.vision.synthetic_camera import CAMERA
from vision.change_detection import ChangeDetector, create_change_detector, sample_ring
from vision.rings import following
from vision.rings.following import SEARCH_FRAMES, SELDOM_FRAMES, RingFollower, RingSightings
from vision.rings.measurement import measure_rings
from vision.rings.pattern_fit import USUAL_SHUTTER, RingFit, RingStart, fit_rings
from vision.rings.place_reading import ReadPlaces, read_places
from vision.rings.search import search_rings
from vision.rings.unread_places import MEAN_OF, READ_AFTER
from vision.rings.word_proposals import RingHypothesis
from vision.tracking.tracks import Track, advance_tracks

ON_TABLE = PLACED[:5]
RINGS = {one.ring.marker: one.ring for one in ON_TABLE}
MARKERS = set(RINGS)
WORDS = load_ring_list().words
FIRST, OVAL = PLACED[0], PLACED[2]
FRAME_NS = 33_333_333


class FollowedTable:
    """A follower with the tracks that it goes by, shown one picture after another."""

    def __init__(self, *, noise: float = 2.0, said_off_mm: float = 0.0) -> None:
        """Begin; poses of what moves are said that far to the side, as those of late rows are."""
        self.follower = RingFollower()
        self.tracks: dict[int, Track] = {}
        self.number = 0
        self.noise, self.said_off_mm = noise, said_off_mm

    def show(self, picture: Grey, unchanged: set[int] | None = None) -> RingSightings:
        """Look at a picture in which nothing has changed about some rings."""
        now_ns = self.number * FRAME_NS
        seen = self.follower.look(
            CAMERA,
            picture,
            RINGS,
            listed=WORDS,
            tracks=self.tracks,
            unchanged=unchanged or set(),
            surfaces=(),
            tags_px=(),
            captured_ns=now_ns,
            noise=self.noise,
        )
        self.number += 1
        measured = [
            replace(m, x_mm=m.x_mm + self.said_off_mm) if m.marker in self.tracks else m
            for m in measure_rings(CAMERA, seen.fits)
        ]
        self.tracks = advance_tracks(
            self.tracks,
            measured,
            now_ns,
            unchanged=(unchanged or set()) - seen.looked_at,
            obscured=seen.looked_at,
        )
        return seen


def list_markers(seen: RingSightings) -> set[int]:
    """Return the markers that were fitted."""
    return {fit.ring.marker for fit in seen.fits}


def is_at(seen: RingSightings, placed: PlacedRing) -> bool:
    """Whether a ring was seen where it lies."""
    fits = [fit for fit in seen.fits if fit.ring is placed.ring]
    return len(fits) == 1 and math.hypot(fits[0].x_mm - placed.x_mm, fits[0].y_mm - placed.y_mm) < 0.3


def test_rings_are_found_from_nothing_and_each_is_told(ringed_table: Grey) -> None:
    table = FollowedTable()
    seen = table.show(ringed_table)
    assert list_markers(seen) == MARKERS
    assert all(is_at(seen, one) for one in ON_TABLE)


def test_no_ring_is_read_where_a_tag_lies_across_its_band(ringed_table: Grey) -> None:
    tags = ((FIRST, 40.0, 19.0), (PLACED[1], 40.0, 33.0), (OVAL, 10.0, 0.0))
    tags_px = []
    for one, side_mm, beside_mm in tags:
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * side_mm / 2 + (one.x_mm + beside_mm, one.y_mm)
        tags_px.append(CAMERA.image_from_table(np.column_stack([corners, np.zeros(4)])))
    fits = RingFollower().find(CAMERA, ringed_table, RINGS, listed=WORDS, surfaces=(), tags_px=tags_px)
    assert {fit.ring.marker for fit in fits} == MARKERS - {FIRST.ring.marker}


def test_what_rests_and_looks_as_before_is_looked_at_seldom(ringed_table: Grey) -> None:
    table = FollowedTable()
    for _ in range(20):
        table.show(ringed_table, set(table.tracks))
    looked_at = [table.show(ringed_table, MARKERS).looked_at for _ in range(SELDOM_FRAMES)]
    assert sorted(marker for markers in looked_at for marker in markers) == sorted(MARKERS), "once each"


def test_a_ring_that_moves_is_followed_without_a_search(ringed_table: Grey, monkeypatch: pytest.MonkeyPatch) -> None:
    table = FollowedTable()
    for _ in range(3):
        table.show(ringed_table, set(table.tracks))
    monkeypatch.setattr(following, "search_rings", lambda *_: [])
    still = MARKERS - {FIRST.ring.marker, OVAL.ring.marker}
    for step in range(1, 6):
        moved = [
            replace(
                one,
                x_mm=one.x_mm + 0.9 * step**1.5,
                y_mm=one.y_mm - 4.0 * step,
                facing_rad=one.facing_rad + turn * step,
            )
            for one, turn in ((FIRST, 0.08), (OVAL, 0.02))
        ]
        seen = table.show(render_rings(CAMERA, moved, seed=step), still)
        assert all(is_at(seen, one) for one in moved)


def test_a_ring_that_moves_is_found_again_where_it_goes_on(ringed_table: Grey, monkeypatch: pytest.MonkeyPatch) -> None:
    table = FollowedTable()
    for _ in range(3):
        table.show(ringed_table, set(table.tracks))
    monkeypatch.setattr(following, "search_rings", lambda *_: [])
    for step in range(1, 8):
        moved = replace(FIRST, x_mm=FIRST.x_mm - 4.0 * step, facing_rad=FIRST.facing_rad + 0.1 * step)
        hand = Figure(x_mm=moved.x_mm, y_mm=moved.y_mm, z_mm=40.0, radius_mm=40.0, grey=150.0)
        is_hidden = 4 <= step <= 6
        seen = table.show(
            render_rings(CAMERA, [moved], [hand] if is_hidden else [], seed=step), MARKERS - {FIRST.ring.marker}
        )
        assert is_at(seen, moved) != is_hidden


def test_a_ring_that_moves_is_looked_for_where_pictures_show_it(
    ringed_table: Grey, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = FollowedTable(said_off_mm=7.0)
    table.show(ringed_table)
    monkeypatch.setattr(following, "search_rings", lambda *_: [])
    for step in range(1, 6):
        moved = replace(FIRST, x_mm=FIRST.x_mm - 3.0 * step)
        assert is_at(table.show(render_rings(CAMERA, [moved], seed=step), MARKERS - {FIRST.ring.marker}), moved)


def test_noise_is_nothing_that_is_searched_for_rings(monkeypatch: pytest.MonkeyPatch) -> None:
    noise, there = 12.0, ON_TABLE[1:]
    table = FollowedTable(noise=noise)
    table.show(render_rings(CAMERA, there, noise=noise))

    def search(*told: Any) -> list[RingHypothesis]:
        assert max(region.right - region.left for region in told[2]) < 100, "but for what is read in a mean"
        return []

    monkeypatch.setattr(following, "search_rings", search)
    for seed in range(1, 10):
        table.show(render_rings(CAMERA, there, noise=noise, seed=seed), MARKERS)


def test_a_place_that_noise_has_shifted_is_searched_anew_in_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    aside = RingHypothesis(shape=FIRST.ring.shape, x_mm=FIRST.x_mm + 5.0, y_mm=FIRST.y_mm)
    with monkeypatch.context() as patched:
        patched.setattr(following, "search_rings", lambda *_: [aside])
        table = FollowedTable(noise=6.0)
        assert not table.show(render_rings(CAMERA, [FIRST], noise=6.0)).fits
    seen = [table.show(render_rings(CAMERA, [FIRST], noise=6.0, seed=n)) for n in range(1, READ_AFTER[0])]
    assert [is_at(each, FIRST) for each in seen] == [False] * (READ_AFTER[0] - 2) + [True]


def test_a_place_is_read_again_only_where_a_ring_that_is_missing_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    again = list[RingHypothesis]()

    def read(*told: Any, most_words: int = 1, **more: Any) -> ReadPlaces:
        again.extend(told[3] if most_words > 1 else [])
        return read_places(*told, most_words=most_words, **more)

    bare = [
        RingHypothesis(shape=one.ring.shape, x_mm=FIRST.x_mm + aside_mm, y_mm=FIRST.y_mm)
        for one, aside_mm in ((FIRST, 0.0), (OVAL, 70.0))
    ]
    monkeypatch.setattr(following, "read_places", read)
    table, there = FollowedTable(), ON_TABLE[1:]

    def search(*told: Any) -> list[RingHypothesis]:
        return [*search_rings(*told), *(bare if table.number == 0 else ())]

    monkeypatch.setattr(following, "search_rings", search)
    for seed in range(READ_AFTER[0] + SEARCH_FRAMES * len(bare)):
        seen = table.show(render_rings(CAMERA, there, seed=seed), MARKERS if seed else set())
        assert seed or len(seen.fits) == len(there)
    assert {place.shape.layout for place in again} == {FIRST.ring.layout}


def test_a_ring_that_no_single_picture_hints_at_is_searched_in_the_mean_of_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noise, clean = 12.0, render_rings(CAMERA, [FIRST], noise=0.0)
    table, random, searched = FollowedTable(noise=noise), np.random.default_rng(4), list[float]()

    def search(camera: CameraOverTable, grey: Grey, *told: Any) -> list[RingHypothesis]:
        searched.append(float(np.std(grey[:100, :100])))
        return [] if searched[-1] > noise / 2 else search_rings(camera, grey, *told)

    monkeypatch.setattr(following, "search_rings", search)
    for _ in range(MEAN_OF + 110):
        off = noise * random.standard_normal(clean.shape, dtype=np.float32)
        seen = table.show(np.clip(np.rint(clean + off), 0, 255).astype(np.uint8))
        if seen.fits:
            break
    assert is_at(seen, FIRST)
    assert min(searched) < noise / 4


def test_what_sets_off_is_taken_to_be_smeared_by_its_step_and_the_shutter_is_learned(
    ringed_table: Grey, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[RingStart] = []

    def fit(
        camera: CameraOverTable, grey: Grey, some: Sequence[RingStart], noise: float | None
    ) -> list[RingFit | None]:
        starts.extend(start for start in some if start.ring is FIRST.ring)
        return fit_rings(camera, grey, some, noise)

    table = FollowedTable()
    for _ in range(3):
        table.show(ringed_table, set(table.tracks))
    monkeypatch.setattr(following, "fit_rings", fit)
    monkeypatch.setattr(following, "search_rings", lambda *_: [])
    for number in range(1, 10):
        moved = replace(FIRST, x_mm=FIRST.x_mm + 5.0 * number)
        seen = table.show(expose(moved, 5.0 + 0j), MARKERS - {FIRST.ring.marker})
        assert FIRST.ring.marker in list_markers(seen)
        if number == 1:
            assert abs(starts[-1].step_mm - 5.0) < 0.5
            assert starts[-1].shutter == USUAL_SHUTTER
    assert starts[-1].shutter == pytest.approx(SHUTTER, abs=0.12)


def test_a_ring_that_is_hidden_is_not_seen_and_found_again(ringed_table: Grey) -> None:
    table = FollowedTable()
    for _ in range(2):
        table.show(ringed_table, set(table.tracks))
    hand = Figure(x_mm=FIRST.x_mm + 5, y_mm=FIRST.y_mm, z_mm=40.0, radius_mm=40.0, grey=150.0)
    covered = render_rings(CAMERA, PLACED[:1], [hand])
    for _ in range(3):
        seen = table.show(covered, MARKERS - {FIRST.ring.marker})
        assert FIRST.ring.marker not in seen.looked_at
    assert table.tracks[FIRST.ring.marker].missed == 3
    assert is_at(table.show(ringed_table, MARKERS - {FIRST.ring.marker}), FIRST)


def test_a_ring_that_is_shown_twice_is_not_said_to_be_at_either_place(ringed_table: Grey) -> None:
    table = FollowedTable()
    for _ in range(2):
        table.show(ringed_table, set(table.tracks))
    twin = replace(FIRST, x_mm=FIRST.x_mm + 300.0, y_mm=FIRST.y_mm + 200.0)
    both = np.maximum(ringed_table, 0)
    there = render_rings(CAMERA, [twin])
    column, row = np.rint(CAMERA.image_from_table([(twin.x_mm, twin.y_mm, 0.0)])[0]).astype(int)
    part = np.s_[row - 40 : row + 40, column - 40 : column + 40]
    both[part] = there[part]
    sightings = [table.show(both, MARKERS - {FIRST.ring.marker}) for _ in range(2 * following.SECOND_FRAMES)]
    assert FIRST.ring.marker in table.follower.duplicates
    assert FIRST.ring.marker not in list_markers(sightings[-1])
    assert FIRST.ring.marker in sightings[-1].looked_at, "which is to hold it, not to miss it"


def watch_rings(picture: Grey) -> ChangeDetector:
    """Return what remembers the rings that are PLACED."""
    what = create_change_detector({one.ring.marker: sample_ring(one.ring) for one in ON_TABLE})
    for one in ON_TABLE:
        corners = one.ring.corners_mm @ np.array([1.0, 1j]) * np.exp(1j * one.facing_rad)
        corners += complex(one.x_mm, one.y_mm)
        spots = np.column_stack([corners.real, corners.imag, np.full(4, one.ring.ring_height_mm)])
        what.remember(picture, {one.ring.marker: CAMERA.image_from_table(spots)})
    return what


def add_noise(picture: Grey) -> NDArray[np.float64]:
    """Return the next picture of the same thing."""
    return np.clip(picture + np.random.default_rng(2).normal(0.0, 2.0, picture.shape), 0, 255)


def test_what_flickers_within_a_ring_is_no_change_of_it(ringed_table: Grey) -> None:
    what, later = watch_rings(ringed_table), add_noise(ringed_table)
    for one in PLACED[:2]:  # something shines in the middle of the base
        column, row = CAMERA.image_from_table([(one.x_mm, one.y_mm, 4.0)])[0]
        cv2.circle(later, (round(column), round(row)), 6, 240.0, cv2.FILLED)
    assert what.find_unchanged(later.astype(np.uint8), MARKERS) == MARKERS


def test_what_crosses_a_ring_is_a_change_of_it(ringed_table: Grey) -> None:
    what, later = watch_rings(ringed_table), add_noise(ringed_table)
    column, row = CAMERA.image_from_table([(FIRST.x_mm + 17.0, FIRST.y_mm, 4.0)])[0]
    cv2.circle(later, (round(column), round(row)), 6, 140.0, cv2.FILLED)
    assert what.find_unchanged(later.astype(np.uint8), MARKERS) == MARKERS - {FIRST.ring.marker}
