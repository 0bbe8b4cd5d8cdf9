"""Decoding of rings: the right word and turn though figures hide cells, and none where there is none."""

import math
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.rings.words import load_ring_list
from tests.vision.rings.conftest import PLACED
from tests.vision.rings.rendered_rings import Figure, Grey, PlacedRing, enrol_ring, render_rings
from tests.vision.synthetic_camera import CAMERA
from vision.rings import decoding
from vision.rings.decoding import LEAST_LEAD, JudgedPlace, confirm_fits, decode_rings, judge_places
from vision.rings.enrolled_ring import EnrolledRing, count_symmetries
from vision.rings.following import WORDS_AGAIN
from vision.rings.pattern_fit import RingFit, RingStart, fit_rings
from vision.rings.word_proposals import RingHypothesis

OTHERS = tuple(
    replace(enrol_ring(number + 20), layout=one.ring.layout, marker=5000 + 20 * i + number)
    if one.ring.layout.cells == 36
    else replace(enrol_ring(number + 20, "oval 60x35"), layout=one.ring.layout, marker=5000 + 20 * i + number)
    for i, one in enumerate(PLACED)
    for number in range(12)
)
"""Rings of the same shapes that are not there."""
KNOWN = (*(one.ring for one in PLACED), *OTHERS)


def guess(placed: PlacedRing, seed: int = 0) -> RingHypothesis:
    """Return about where a ring lies, turned by any turn in which its shape is the same."""
    random = np.random.default_rng([seed, placed.ring.marker])
    turns = count_symmetries(placed.ring.layout)
    off, turn = random.uniform(-0.9, 0.9, 2), math.tau * random.integers(turns) / turns
    return RingHypothesis(
        shape=placed.ring.shape,
        x_mm=placed.x_mm + off[0],
        y_mm=placed.y_mm + off[1],
        facing_rad=None
        if turns == placed.ring.layout.cells
        else placed.facing_rad + turn + random.uniform(-0.04, 0.04),
    )


@pytest.mark.parametrize("seed", range(3))
def test_every_ring_is_read_and_turned_rightly_behind_figures(ringed_table: Grey, seed: int) -> None:
    readings = decode_rings(CAMERA, ringed_table, [guess(one, seed) for one in PLACED], KNOWN)
    assert [reading and reading.marker for reading in readings] == [one.ring.marker for one in PLACED]
    for reading, one in zip(readings, PLACED, strict=True):
        assert reading is not None
        assert abs(math.remainder(reading.fit.facing_rad - one.facing_rad, math.tau)) < math.radians(1.0)
        assert math.hypot(reading.fit.x_mm - one.x_mm, reading.fit.y_mm - one.y_mm) < 0.3


def test_a_ring_that_is_not_enrolled_is_taken_for_no_other(ringed_table: Grey) -> None:
    assert decode_rings(CAMERA, ringed_table, [guess(one) for one in PLACED], OTHERS) == [None] * len(PLACED)


GLARES = {12: (9.0, 0.7, 8.0), 44: (11.0, 1.35, 4.0), 72: (11.0, 1.35, 4.0)}
"""By a ring's number: the radius of a light over it, and the picture's blur and noise."""


@pytest.mark.parametrize(
    ("number", "most_words", "is_read"),
    [(12, 1, False), (12, 3, True), (44, 3, False), (44, WORDS_AGAIN, True), (72, 1, False), (72, WORDS_AGAIN, True)],
)
def test_a_word_that_suits_a_place_less_at_a_glance_is_read_by_what_its_fit_tells(
    number: int, most_words: int, is_read: bool
) -> None:
    radius_mm, blur_px, noise = GLARES[number]
    one = PlacedRing(ring=enrol_ring(number), x_mm=420.3, y_mm=310.4, facing_rad=0.8)
    x_mm, y_mm = one.x_mm + 14.0 * math.cos(3.0), one.y_mm + 14.0 * math.sin(3.0)
    glare = Figure(x_mm=x_mm, y_mm=y_mm, z_mm=4.0, radius_mm=radius_mm, grey=215.0)
    picture = render_rings(CAMERA, [one], [glare], blur_px=blur_px, noise=noise, seed=1)
    beside = RingHypothesis(shape=one.ring.shape, x_mm=one.x_mm + 1.3, y_mm=one.y_mm)
    (place,) = judge_places(CAMERA, picture, [beside], [enrol_ring(n) for n in range(150)], most_words=most_words)
    assert (place.reading and place.reading.marker) == (one.ring.marker if is_read else None)


def test_a_ring_of_the_list_that_nobody_enrolled_is_read_as_nothing_though_an_enrolled_one_is_much_like_it(
    ringed_table: Grey,
) -> None:
    def differ(ring: EnrolledRing) -> EnrolledRing:
        """Return a ring of which but three cells differ."""
        other = "".join("10"[int(cell)] for cell in ring.word[18:21])
        return replace(ring, word=ring.word[:18] + other + ring.word[21:], marker=7000)

    listed = load_ring_list().words
    for one in PLACED:
        enrolled = [differ(one.ring), *OTHERS]
        (taken_for,) = decode_rings(CAMERA, ringed_table, [guess(one)], enrolled)
        assert taken_for is not None, "else it shows nothing"
        assert taken_for.marker == 7000
        assert decode_rings(CAMERA, ringed_table, [guess(one)], enrolled, listed) == [None]
    readings = decode_rings(CAMERA, ringed_table, [guess(one) for one in PLACED], KNOWN, listed)
    assert [reading and reading.marker for reading in readings] == [one.ring.marker for one in PLACED]


BESIDE = (
    # Number of the ring that is there, its facing, its place; a figure before it, its radius and grey; where the ring
    # is guessed to lie; and the number of a ring that suits the cells there, half a cell beside.
    (252, 2.892, (315, 400), (3.28, -3.55), 4.2, 63, (0.15, 0.23), 233),
    (182, 1.421, (150, 250), (6.53, -6.20), 4.55, 103, (-0.84, 0.31), 203),
    (234, -0.158, (315, 300), (1.14, 11.30), 4.07, 184, (-0.60, -0.48), 105),
    (123, 1.592, (150, 150), (6.78, 10.88), 4.95, 115, (1.01, -0.12), 128),
    (154, -1.057, (260, 250), (-3.42, -13.94), 4.39, 66, (1.15, 0.49), 192),
    (224, 0.249, (480, 500), (5.55, 8.47), 6.3, 59, (-0.36, 0.40), 152),
)


def test_no_word_is_read_half_a_cell_beside_a_ring_that_nobody_enrolled() -> None:
    placed, figures, guesses = [], [], []
    for number, facing_rad, (x_mm, y_mm), off_mm, radius_mm, grey, guessed_mm, _ in BESIDE:
        ring = enrol_ring(number, "round 25")
        placed.append(PlacedRing(ring=ring, x_mm=x_mm, y_mm=y_mm, facing_rad=facing_rad))
        figures.append(Figure(x_mm=x_mm + off_mm[0], y_mm=y_mm + off_mm[1], z_mm=12.0, radius_mm=radius_mm, grey=grey))
        guesses.append(RingHypothesis(shape=ring.shape, x_mm=x_mm + guessed_mm[0], y_mm=y_mm + guessed_mm[1]))
    picture = render_rings(CAMERA, placed, figures, noise=6.0, seed=1)
    enrolled = [enrol_ring(number, "round 25") for *_, number in BESIDE]
    assert decode_rings(CAMERA, picture, guesses, enrolled, load_ring_list().words) == [None] * len(BESIDE)
    places = judge_places(CAMERA, picture, guesses, enrolled, load_ring_list().words, most_words=WORDS_AGAIN)
    assert any(place.doubtful for place in places)
    assert not any(place.unread for place in places), "strangers that tell more are no rings that cannot be read"
    everything = [*enrolled, *(one.ring for one in placed)]
    readings = decode_rings(CAMERA, picture, guesses, everything)
    assert [reading and reading.marker for reading in readings] == [one.ring.marker for one in placed]


def test_nothing_is_read_where_there_is_no_ring(ringed_table: Grey) -> None:
    elsewhere = [replace(guess(one), x_mm=one.x_mm + off) for one in PLACED for off in (-35.0, -12.0, 12.0, 35.0)]
    assert decode_rings(CAMERA, ringed_table, elsewhere, KNOWN) == [None] * len(elsewhere)


def test_a_word_that_was_fitted_to_another_ring_is_not_confirmed(ringed_table: Grey) -> None:
    placed = PLACED[0]
    alike = [ring for ring in KNOWN if ring.shape == placed.ring.shape]
    starts = []
    for ring in alike:
        shared = [np.sum(np.roll(ring.bits, turn) == placed.ring.bits) for turn in range(36)]
        facing_rad = placed.facing_rad + math.tau * int(np.argmax(shared)) / 36
        starts.append(RingStart(ring=ring, x_mm=placed.x_mm, y_mm=placed.y_mm, facing_rad=facing_rad))
    fits = [fit for fit in fit_rings(CAMERA, ringed_table, starts) if fit]
    assert len(fits) > len(alike) / 2
    readings = confirm_fits(CAMERA, ringed_table, fits, alike)
    assert {reading.marker for reading in readings if reading} == {placed.ring.marker}
    assert confirm_fits(CAMERA, ringed_table, fits, alike[1:]) == [None] * len(fits)


def test_a_ring_that_was_believed_a_moment_ago_is_told_by_less_and_a_wrong_word_by_no_less() -> None:
    noisy = render_rings(CAMERA, PLACED, noise=46.0)
    starts = [
        (one, RingStart(ring=ring, x_mm=one.x_mm, y_mm=one.y_mm, facing_rad=one.facing_rad))
        for one in PLACED
        for ring in KNOWN
        if ring.shape == one.ring.shape
    ]
    right = [start for one, start in starts if start.ring is one.ring]
    wrong = [start for one, start in starts if start.ring is not one.ring]
    everything = {ring.marker for ring in KNOWN}

    def count_confirmed(starts: list[RingStart], followed: set[int]) -> int:
        fits = [fit for fit in fit_rings(CAMERA, noisy, starts) if fit]
        readings = confirm_fits(CAMERA, noisy, fits, KNOWN, followed=followed)
        return sum(r is not None and r.marker == fit.ring.marker for r, fit in zip(readings, fits, strict=True))

    assert count_confirmed(right, set()) < len(PLACED)
    assert count_confirmed(right, everything) == len(PLACED)
    assert count_confirmed(wrong, everything) == 0


def test_a_shape_of_which_no_ring_is_known_is_not_read(ringed_table: Grey) -> None:
    rings: list[EnrolledRing] = [PLACED[1].ring]
    assert decode_rings(CAMERA, ringed_table, [guess(PLACED[0])], rings) == [None]


def test_a_ring_under_a_heap_is_not_read() -> None:
    placed = replace(PLACED[0], x_mm=500.0, y_mm=500.0)
    heap = [Figure(x_mm=500.0, y_mm=510.0, z_mm=10.0, radius_mm=26.0, grey=120.0)]
    picture = render_rings(CAMERA, [placed], heap)
    assert decode_rings(CAMERA, picture, [guess(placed)], KNOWN) == [None]


@pytest.mark.parametrize(("lead", "is_read"), [(0.99, False), (1.01, True)])
def test_a_half_hidden_ring_must_tell_clearly_more_than_any_other_that_may_be_there(
    ringed_table: Grey, monkeypatch: pytest.MonkeyPatch, lead: float, is_read: bool
) -> None:
    def weigh(*asked: Any) -> dict[int, float]:
        doubted: dict[int, tuple[Any, RingFit]] = asked[2]
        return {number: fit.evidence - lead * LEAST_LEAD for number, (_, fit) in doubted.items()}

    monkeypatch.setattr(decoding, "weigh_rivals", weigh)
    monkeypatch.setattr(decoding, "is_odd", lambda _: True)  # whatever is read is doubted
    readings = decode_rings(CAMERA, ringed_table, [guess(one) for one in PLACED], KNOWN)
    assert [reading is not None for reading in readings] == [is_read] * len(PLACED)


def test_what_is_so_blurred_that_its_cells_hardly_tell_is_no_ring_that_nobody_knew_of() -> None:
    """Cells of two rings that lie near each other may seem to be those of a third, all blurred."""
    one = PlacedRing(ring=enrol_ring(12, "round 25"), x_mm=420.3, y_mm=310.4, facing_rad=0.8)
    cover = Figure(x_mm=one.x_mm - 1.5, y_mm=one.y_mm + 11.5, z_mm=10.0, radius_mm=7.0, grey=100.0)
    picture = render_rings(CAMERA, [one], [cover], blur_px=1.55, noise=14.0, seed=10)
    rings = [enrol_ring(number, "round 25") for number in range(40)]
    about = RingHypothesis(shape=one.ring.shape, x_mm=420.0, y_mm=310.0)
    assert decode_rings(CAMERA, picture, [about], rings, load_ring_list().words) == [None]
    start = RingStart(ring=one.ring, x_mm=one.x_mm, y_mm=one.y_mm, facing_rad=one.facing_rad)
    followed = confirm_fits(CAMERA, picture, [f for f in fit_rings(CAMERA, picture, [start]) if f], rings)
    assert [reading and reading.marker for reading in followed] == [one.ring.marker]


def test_of_a_ring_that_is_covered_too_much_to_be_read_it_is_told_which_it_is_but_of_no_stranger() -> None:
    one = PlacedRing(ring=enrol_ring(12), x_mm=420.3, y_mm=310.4, facing_rad=0.8)
    cover = Figure(x_mm=one.x_mm + 14.0, y_mm=one.y_mm + 4.0, z_mm=8.0, radius_mm=19.0, grey=130.0)
    picture = render_rings(CAMERA, [one], [cover])
    about = RingHypothesis(shape=one.ring.shape, x_mm=one.x_mm + 0.5, y_mm=one.y_mm - 0.3)
    enrolled = [enrol_ring(number) for number in range(60)]

    def judge(rings: list[EnrolledRing], most_words: int = WORDS_AGAIN, at: RingHypothesis = about) -> JudgedPlace:
        (place,) = judge_places(CAMERA, picture, [at], rings, load_ring_list().words, most_words=most_words)
        return place

    place = judge(enrolled)
    assert place.reading is None
    assert place.unread is not None
    assert (place.unread.marker, place.unread.is_known) == (one.ring.marker, True)
    middle_px = CAMERA.image_from_table([(one.x_mm, one.y_mm, one.ring.ring_height_mm)])[0]
    assert np.abs(place.unread.corners_px.mean(axis=0) - middle_px).max() < 0.5
    assert not replace(place.unread, lead=1.0).is_known, "it may as well be another"
    assert judge(enrolled, most_words=1).unread is None, "nobody looked so closely"
    assert judge([ring for ring in enrolled if ring.marker != one.ring.marker]) == JudgedPlace()
    lower_mm = -50.0
    share = lower_mm / (CAMERA.height_mm - one.ring.ring_height_mm)
    x_mm, y_mm = (np.array([about.x_mm, about.y_mm]) + share * (CAMERA.eye_mm[:2] - (about.x_mm, about.y_mm))).tolist()
    lower = judge(enrolled, at=replace(about, x_mm=x_mm, y_mm=y_mm, surface_mm=lower_mm))
    assert lower.doubtful is not None
    assert lower.unread is None, "it is not as large as it would be there"


def test_the_upper_of_two_halos_is_read_and_so_is_the_lower() -> None:
    lower = PlacedRing(ring=enrol_ring(60), x_mm=500.0, y_mm=500.0, facing_rad=0.3)
    upper = PlacedRing(ring=enrol_ring(61), x_mm=533.0, y_mm=503.0, facing_rad=2.0)
    picture = render_rings(CAMERA, [lower, upper])
    rings = [enrol_ring(number) for number in range(55, 70)]
    readings = decode_rings(CAMERA, picture, [guess(lower), guess(upper)], rings)
    assert [reading and reading.marker for reading in readings] == [lower.ring.marker, upper.ring.marker]


def test_a_chequered_cloth_a_heap_of_pebbles_and_a_bare_table_are_no_rings() -> None:
    random = np.random.default_rng(4)
    y, x = np.mgrid[: CAMERA.lens.image_size[1], : CAMERA.lens.image_size[0]]
    chequered = np.where((x // 9 + y // 7) % 2, 210, 40)
    pebbles = cv2.GaussianBlur(random.normal(0.0, 1.0, x.shape), (0, 0), 2.5) * 500 + 120
    bare = random.normal(95.0, 2.0, x.shape)
    hypotheses = [
        replace(guess(one, seed), x_mm=100.0 + 90 * seed, y_mm=200.0 + 110 * i)
        for i, one in enumerate(PLACED)
        for seed in range(14)
    ]
    for picture in (chequered, pebbles, bare):
        grey = np.clip(picture, 0, 255).astype(np.uint8)
        assert decode_rings(CAMERA, grey, hypotheses, KNOWN) == [None] * len(hypotheses)


def test_a_ring_is_read_whatever_height_its_base_was_taken_to_have(ringed_table: Grey) -> None:
    guesses = [guess(one) for one in PLACED]
    higher = [replace(one, shape=replace(one.shape, height_mm=one.shape.height_mm + 2.0)) for one in guesses]
    readings = decode_rings(CAMERA, ringed_table, higher, KNOWN)
    assert [reading and reading.marker for reading in readings] == [one.ring.marker for one in PLACED]


@pytest.mark.parametrize(("larger", "is_read"), [(1.03, True), (1.08, False)])
def test_what_looks_as_if_it_lay_below_the_table_is_another_ring(
    ringed_table: Grey, larger: float, is_read: bool
) -> None:
    one, lens = PLACED[0], CAMERA.lens
    longer = lens.parameters * np.where(np.arange(9) < 2, larger, 1.0)  # it shows what is there as that much smaller
    camera = replace(CAMERA, lens=replace(lens, parameters=longer))
    height_mm = one.surface_mm + one.ring.ring_height_mm
    spot_px = CAMERA.image_from_table([(one.x_mm, one.y_mm, height_mm)])
    x_mm, y_mm = camera.table_from_image(spot_px, height_mm)[0].tolist()
    at = RingHypothesis(shape=one.ring.shape, x_mm=x_mm, y_mm=y_mm, surface_mm=one.surface_mm)
    (reading,) = decode_rings(camera, ringed_table, [at], KNOWN)
    assert (reading is not None) is is_read
