"""Faint places: what looks like a tag is read by several looks together, and forgotten if it cannot be."""

import numpy as np

from tests.vision.synthetic_camera import CAMERA
from tests.vision.tags.test_faint_tags import WANTED, Floats, Grey, put_in_room, shine_on
from vision.tags.detection import ImageRegion
from vision.tags.faint_places import GIVEN_UP_EVERY, MOST_LOOKS, FaintPlaces
from vision.tags.faint_tags import UnreadTag, find_faint_tags

NOISE = 20.0
LIGHT = 0.2


def suspect(corners_px: Floats) -> UnreadTag:
    return UnreadTag(tag=3, corners_px=corners_px, likeness=0.7, lead=2.0)


def look(places: FaintPlaces, grey: Grey, known_px: list[Floats]) -> list[int]:
    found = places.look(CAMERA, grey, WANTED[:10], known_px, noise=NOISE, blur_px=0.7)
    return [tag.tag for tag in found]


def test_a_tag_that_hardly_a_single_picture_shows_is_read_by_several_together() -> None:
    alone, together, among, looks = 0, 0, 3, 8
    rng = np.random.default_rng(0)
    for tag in range(among):
        grey, region, corners_px = put_in_room(tag, 0.3 * tag, light=LIGHT, noise=0.0, smudge=False, seed=0)
        part = grey[region.top : region.bottom, region.left : region.right]
        clean, places, read = part.astype(np.float64), FaintPlaces(), False
        for _ in range(looks):
            part[:] = np.rint(clean + rng.normal(0.0, NOISE, clean.shape)).clip(0, 255).astype(np.uint8)
            places.add(grey, [suspect(corners_px)])
            alone += bool(find_faint_tags(CAMERA, grey, [region], WANTED).tags)
            read = look(places, grey, []) == [tag]
        together += read
    assert alone < among * looks / 2
    assert together == among


def test_a_place_is_given_up_after_some_looks_and_once_a_known_tag_lies_there() -> None:
    grey, _, corners_px = put_in_room(3, 0.4, light=1.0, noise=2.0, smudge=False, seed=0)
    plain = np.full_like(grey, 90)

    places = FaintPlaces()
    places.add(grey, [suspect(corners_px)] * 2)
    assert [look(places, plain, []) for _ in range(MOST_LOOKS)] == [[]] * MOST_LOOKS
    assert look(places, grey, []) == []

    places = FaintPlaces()
    places.add(grey, [suspect(corners_px)])
    assert look(places, grey, [corners_px]) == []
    assert look(places, grey, []) == []


def test_a_place_that_shows_something_else_is_read_anew() -> None:
    grey, _, corners_px = put_in_room(3, 0.4, light=1.0, noise=2.0, smudge=False, seed=0)
    places = FaintPlaces()
    places.add(grey, [suspect(corners_px)])

    for _ in range(MOST_LOOKS // 2):
        assert look(places, np.full_like(grey, 90), []) == []

    assert look(places, grey, []) == [3]


def test_what_looks_like_a_frame_and_is_not_wanted_is_handed_on() -> None:
    grey, region, corners_px = put_in_room(100, 0.4, light=1.0, noise=2.0, smudge=False, seed=0)

    unread = find_faint_tags(CAMERA, grey, [region], WANTED).unread

    x, y = corners_px.mean(axis=0)
    assert unread
    assert all(np.linalg.norm(each.corners_px.mean(axis=0) - (x, y)) < 5 for each in unread)
    assert not any(each.is_tag for each in unread)  # it is a stranger's
    assert find_faint_tags(CAMERA, grey, [region], WANTED, known_px=[corners_px]).unread == ()
    beside = ImageRegion(left=0, top=0, right=60, bottom=60)
    assert find_faint_tags(CAMERA, np.full_like(grey, 90), [beside], WANTED).unread == ()


def test_what_is_a_tag_and_cannot_be_read_is_told_for_as_long_as_it_is_there() -> None:
    grey, region, corners_px = shine_on(5)
    places, plain = FaintPlaces(), np.full_like(grey, 90)
    places.add(grey, find_faint_tags(CAMERA, grey, [region], WANTED[:10]).unread)

    for _ in range(2 * MOST_LOOKS):  # it is given up meanwhile
        assert look(places, grey, []) == []
    assert [(each.tag, each.is_known) for each in places.unread] == [(5, True)]

    for _ in range(GIVEN_UP_EVERY):
        look(places, plain, [])
    assert places.unread == ()

    places.add(grey, [suspect(corners_px)])
    look(places, grey, [corners_px])
    assert places.unread == ()
