"""Unread places: rings that no single picture tells are told by the mean of several, while nothing changes."""

from dataclasses import replace

import numpy as np

from hardware.simulation.camera_faults import lay_noise, make_noise_sheet
from tests.vision.rings.conftest import PLACED
from tests.vision.rings.rendered_rings import Grey, render_rings
from tests.vision.synthetic_camera import CAMERA
from vision.rings.decoding import UnreadRing
from vision.rings.pattern_fit import RingStart, fit_rings
from vision.rings.unread_places import (
    CLEAR,
    GIVEN_UP_FOR,
    MEAN_EVERY,
    MEAN_OF,
    MOST_PLACES,
    MOST_READ,
    READ_AFTER,
    SteadyPicture,
    UnreadPlaces,
)
from vision.rings.word_proposals import RingHypothesis

PLACE = RingHypothesis(shape=PLACED[0].ring.shape, x_mm=PLACED[0].x_mm, y_mm=PLACED[0].y_mm)
NOISE = 25.0
CLEAN = render_rings(CAMERA, PLACED[:1], noise=0.0)
MIDDLE = tuple(np.rint(CAMERA.image_from_table(np.array([[PLACE.x_mm, PLACE.y_mm, 0.25]]))[0]).astype(int))
AROUND = slice(MIDDLE[1] - 15, MIDDLE[1] + 15), slice(MIDDLE[0] - 15, MIDDLE[0] + 15)


SHEET = make_noise_sheet(np.random.default_rng(0), CAMERA.lens.image_size, NOISE, channels=1)


def take_picture(seed: int, clean: Grey = CLEAN) -> Grey:
    return lay_noise(clean, SHEET, np.random.default_rng(seed))  # some five hundred are taken


def measure_noise(picture: Grey, clean: Grey = CLEAN) -> float:
    return float(np.std(picture[AROUND].astype(float) - clean[AROUND]))


def is_free(_: RingHypothesis) -> bool:
    return True


def test_a_place_is_read_in_the_mean_of_ever_more_pictures_and_then_given_up() -> None:
    places = UnreadPlaces()
    places.keep(CAMERA, take_picture(0), [PLACE])
    read_after, noises = [], []
    for number in range(1, 100):
        mean, due = places.look(take_picture(number), NOISE, is_free)
        if due:
            assert [hypothesis for hypothesis, _ in due] == [PLACE]
            (region,) = (region for _, region in due)
            assert region.left < MIDDLE[0] < region.right
            assert region.top < MIDDLE[1] < region.bottom
            read_after.append(number)
            noises.append(measure_noise(mean))
    assert tuple(read_after) == READ_AFTER
    assert noises[0] < NOISE / 1.5
    assert noises[-1] < NOISE / 4


def test_a_mean_in_which_hardly_any_noise_is_left_is_read_once() -> None:
    def count(noise: float) -> int:
        places = UnreadPlaces()
        places.keep(CAMERA, CLEAN, [PLACE])
        return sum(len(places.look(CLEAN, noise, is_free)[1]) for _ in range(2 * READ_AFTER[-1]))

    in_first, in_second = (CLEAR * READ_AFTER[n] ** 0.5 for n in range(2))
    assert [count(noise) for noise in (0.0, in_first, 1.3 * in_first, 1.3 * in_second)] == [1, 1, 2, 3]


def test_a_place_waits_until_there_is_time_to_read_it() -> None:
    places = UnreadPlaces()
    places.keep(CAMERA, CLEAN, [PLACE])
    waited = [places.look(CLEAN, 0.0, is_free, reads=False)[1] for _ in range(2 * READ_AFTER[0])]
    assert waited == [[]] * len(waited)
    assert places.look(CLEAN, 0.0, is_free)[1]


def test_what_changes_is_not_mixed_with_what_was_there_before() -> None:
    empty = np.full_like(CLEAN, CLEAN[0, 0])
    places = UnreadPlaces()
    places.keep(CAMERA, take_picture(0, empty), [PLACE])
    for number in range(1, READ_AFTER[0]):
        places.look(take_picture(number, empty), NOISE, is_free)
    mean, due = places.look(take_picture(READ_AFTER[0]), NOISE, is_free)
    assert due
    assert abs(float(np.mean(mean[AROUND].astype(float) - CLEAN[AROUND]))) < 3 * NOISE / 30
    assert measure_noise(mean) < 1.2 * NOISE


def test_nothing_is_kept_in_mind_of_what_lies_outside_of_the_picture() -> None:
    places = UnreadPlaces()
    places.keep(CAMERA, take_picture(0), [replace(PLACE, x_mm=-600.0)])
    assert all(not places.look(take_picture(number), NOISE, is_free)[1] for number in range(1, 2 * READ_AFTER[0]))


def test_few_places_are_kept_and_fewer_read_at_once_and_none_where_something_is_read() -> None:
    many = [replace(PLACE, x_mm=PLACE.x_mm + 5 * number) for number in range(MOST_PLACES + 5)]
    places = UnreadPlaces()
    places.keep(CAMERA, take_picture(0), many)
    seen = set[float]()
    for number in range(1, 3 * MOST_PLACES):
        _, due = places.look(take_picture(number), NOISE, is_free)
        assert len(due) <= MOST_READ
        seen |= {hypothesis.x_mm for hypothesis, _ in due}
    assert seen == {hypothesis.x_mm for hypothesis in many[:MOST_PLACES]}
    for number in range(3 * MOST_PLACES, 6 * MOST_PLACES):
        assert places.look(take_picture(number), NOISE, lambda _: False)[1] == []


def read_to_the_end(places: UnreadPlaces, unread: UnreadRing | None = None) -> None:
    """Read PLACE as often as it will be, the last time as a ring, if any, that is surely there and cannot be read."""
    for number in range(1, READ_AFTER[-1] + 1):
        _, due = places.look(take_picture(number), NOISE, is_free)
        if due:
            places.note([hypothesis for hypothesis, _ in due], [unread] if unread else [])


def count_reads(places: UnreadPlaces, pictures: int, clean: Grey = CLEAN) -> int:
    some = [take_picture(500 + number, clean) for number in range(8)]
    return sum(len(places.look(some[number % 8], NOISE, is_free)[1]) for number in range(pictures))


def test_a_place_that_was_read_in_vain_is_not_read_again_until_something_changes_there_or_time_has_gone_by() -> None:
    def keep_and_count(pictures: int, clean: Grey = CLEAN) -> int:
        places.keep(CAMERA, take_picture(400, clean), [replace(PLACE, x_mm=PLACE.x_mm + 2.0)])
        return count_reads(places, pictures, clean)

    places = UnreadPlaces()
    places.keep(CAMERA, take_picture(0), [PLACE])
    assert keep_and_count(1) == 0, "it is kept once"
    read_to_the_end(places)
    assert keep_and_count(READ_AFTER[0]) == 0
    empty = np.full_like(CLEAN, CLEAN[0, 0])
    assert count_reads(places, 1, empty) == 0
    assert keep_and_count(READ_AFTER[0], empty) == 1
    places = UnreadPlaces()
    places.keep(CAMERA, take_picture(0), [PLACE])
    read_to_the_end(places)
    assert count_reads(places, GIVEN_UP_FOR) == 0
    assert keep_and_count(READ_AFTER[0]) == 1


def test_what_is_surely_a_ring_is_remembered_until_its_place_changes_and_read_once_more_after_a_while() -> None:
    (fit,) = fit_rings(
        CAMERA, CLEAN, [RingStart(ring=PLACED[0].ring, x_mm=PLACE.x_mm, y_mm=PLACE.y_mm, facing_rad=1.0)]
    )
    assert fit is not None
    unread = UnreadRing(fit=fit, corners_px=np.zeros((4, 2)), margin=20.0, lead=10.0)
    empty = np.full_like(CLEAN, CLEAN[0, 0])
    places = UnreadPlaces()
    places.keep(CAMERA, take_picture(0), [PLACE])
    assert count_reads(places, READ_AFTER[0]) == 1
    places.note([PLACE], [unread])
    assert places.unread == (unread,)
    places.look(take_picture(900, empty), NOISE, is_free)
    assert not places.unread
    places = UnreadPlaces()
    places.keep(CAMERA, take_picture(0), [PLACE])
    read_to_the_end(places, unread)
    assert places.unread == (unread,)
    assert count_reads(places, GIVEN_UP_FOR) == 1
    assert places.unread == (unread,), "as nobody said that it is not"
    count_reads(places, 2, empty)
    assert not places.unread
    places.keep(CAMERA, take_picture(0), [PLACE])
    read_to_the_end(places, unread)
    places.look(take_picture(0), NOISE, lambda _: False)
    assert not places.unread, "something is read there"


def test_the_mean_of_the_whole_picture_is_told_once_it_is_of_many_and_anew_after_a_while() -> None:
    steady = SteadyPicture()
    assert all(steady.add(take_picture(number), number) is None for number in range(1, MEAN_OF))
    mean = steady.add(take_picture(MEAN_OF), MEAN_OF)
    assert mean is not None
    assert measure_noise(mean) < 1.3 * NOISE / MEAN_OF**0.5
    steady.forget(MEAN_OF)
    again = MEAN_OF + MEAN_EVERY
    assert all(steady.add(CLEAN, number) is None for number in (MEAN_OF + 1, again - 1))
    means = [steady.add(CLEAN, number) for number in range(again, again + MEAN_OF)]
    assert means[:-1] == [None] * (MEAN_OF - 1)
    assert means[-1] is not None
    assert np.abs(means[-1].astype(int) - CLEAN).max() <= 1, "and of nothing that came before"
