"""Why a tag is not found at its last place: one print, spoiled in one way each."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulation.optics import build_overhead_camera
from hardware.tag36h11 import find_white_modules
from tests.calibration.virtual_camera import camera_from_model
from tests.vision.rings.rendered_rings import PlacedRing, enrol_ring, render_rings
from tests.vision.synthetic_camera import CAMERA
from vision.marker_numbers import number_ring
from vision.quality.hindrance import (
    explain_place,
    explain_unmeasured,
    explain_unread,
    explain_unread_markers,
    find_hindrances,
    find_other_sizes,
    measure_noise,
    select_unread,
)
from vision.rings.decoding import UnreadRing
from vision.rings.pattern_fit import RingStart, fit_rings
from vision.tags.faint_tags import UnreadTag
from vision.tags.pose_estimation import EnrolledTag
from vision.types import Hindrance, PoseState

Grey = NDArray[np.uint8]
TAG, MODULE_PX, LEFT, TOP = 7, 3, 100, 60
EDGE = 8 * MODULE_PX
INSIDE = np.array([(0, EDGE), (EDGE, EDGE), (EDGE, 0), (0, 0)], dtype=np.float64)
CORNERS = INSIDE + np.array([LEFT, TOP]) + MODULE_PX - 0.5
AT_MM = np.array([600.0, 500.0])
RING = PlacedRing(ring=enrol_ring(5), x_mm=600.0, y_mm=500.0)
RING_PX = CAMERA.image_from_table(np.column_stack([RING.ring.corners_mm + AT_MM, np.zeros(4)]))
RING_PLACE = RING.ring.layout.place(np.linspace(0.5, 35.5, 36), np.full(36, RING.ring.layout.band.middle_mm)) + AT_MM
STILL, PRINT = np.zeros(2), np.s_[TOP : TOP + 10 * MODULE_PX, LEFT : LEFT + 10 * MODULE_PX]


def draw(black: float = 30, white: float = 200, blur: float = 0.6) -> Grey:
    picture = np.full((200, 300), 110.0, dtype=np.float32)
    modules = np.pad(find_white_modules(TAG), 1, constant_values=True)
    picture[PRINT] = np.kron(np.where(modules, white, black), np.ones((MODULE_PX, MODULE_PX)))
    return cv2.GaussianBlur(picture, (0, 0), blur).round().astype(np.uint8)


def cover(picture: Grey, share: float) -> Grey:
    picture[TOP : TOP + round(10 * share * MODULE_PX), LEFT - 5 : LEFT + 40] = 90
    return picture


def spot(picture: Grey) -> Grey:
    rng = np.random.default_rng(4)
    for x, y in rng.integers(0, 9, (12, 2)) * MODULE_PX:
        picture[TOP + y : TOP + y + MODULE_PX, LEFT + x : LEFT + x + MODULE_PX] = 115
    return picture


def wipe(picture: Grey, level: int) -> Grey:
    picture[PRINT] = level
    return picture


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        (draw(), None),
        (draw(black=8, white=24), Hindrance.TOO_DARK),
        (draw(black=160, white=250), Hindrance.GLARE),
        (draw(blur=2.4), Hindrance.BLURRED),
        (cover(draw(), 0.4), Hindrance.COVERED),
        (spot(draw()), Hindrance.PRINT_DAMAGED),
        (wipe(draw(), 100), Hindrance.COVERED),
        (wipe(draw(), 255), Hindrance.GLARE),
        (wipe(draw(), 10), Hindrance.TOO_DARK),
    ],
)
def test_a_spoiled_print_says_what_is_wrong(picture: Grey, expected: Hindrance | None) -> None:
    assert explain_place(picture, TAG, CORNERS, STILL) == expected


def suspect(*, corners_px: NDArray[np.float64] = CORNERS, likeness: float = 0.8, lead: float = 2.0) -> UnreadTag:
    return UnreadTag(tag=TAG, corners_px=corners_px, likeness=likeness, lead=lead)


def shine(picture: Grey) -> Grey:
    cv2.circle(picture, np.rint(CORNERS.mean(axis=0)).astype(int).tolist(), 5, 250.0, -1)
    return picture


def roughen(picture: Grey, noise: float) -> Grey:
    rough = picture + np.random.default_rng(0).normal(0.0, noise, picture.shape)
    return rough.clip(0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        (shine(draw(white=130)), Hindrance.GLARE),
        (draw(black=8, white=24), Hindrance.TOO_DARK),
        (roughen(draw(black=10, white=45), 12.0), Hindrance.TOO_DARK),
        (draw(blur=2.4), Hindrance.BLURRED),
        (spot(draw()), Hindrance.PRINT_DAMAGED),
        (draw(), Hindrance.PRINT_DAMAGED),
    ],
)
def test_what_looks_like_a_tag_and_is_not_read_says_what_is_wrong(picture: Grey, expected: Hindrance) -> None:
    assert explain_unread(picture, suspect(), measure_noise(picture)) == expected


@pytest.mark.parametrize("noise", [0.0, 3.0, 12.0, 60.0])
def test_noise_is_told_from_what_slopes_and_has_edges(noise: float) -> None:
    slope = np.linspace(0, 40, 300).astype(np.uint8)[None].repeat(200, axis=0)
    picture = roughen(np.asarray(cv2.add(draw(), slope), dtype=np.uint8), noise)
    mask = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], dtype=np.float32)
    rough = np.abs(cv2.filter2D(picture, cv2.CV_32F, mask))
    assert measure_noise(picture) == float(np.median(rough)) / (6 * 0.6745)
    assert measure_noise(picture) == pytest.approx(noise, rel=0.05, abs=0.3)


def test_what_is_not_read_is_told_by_name_once_and_where_no_more_is_known_of_that_base() -> None:
    picture = shine(draw(white=130))
    base = EnrolledTag(tag=TAG, model="a", size_mm=16.0, height_mm=3.0, x_mm=0.0, y_mm=0.0, facing_rad=0.0)
    small = CORNERS.mean(axis=0) + (CORNERS - CORNERS.mean(axis=0)) / 3
    likely, rival = suspect(), suspect(corners_px=small, lead=1.05)

    def name(hindered: dict[int, Hindrance]) -> list[tuple[int | None, Hindrance]]:
        told = explain_unread_markers(picture, CAMERA, {TAG: base}, [likely, rival], hindered)
        return [(each.marker, each.hindrance) for each in told]

    nameless = [(None, Hindrance.GLARE), (None, Hindrance.TOO_SMALL)]
    assert name({}) == [(TAG, Hindrance.GLARE), nameless[1]]
    assert name({TAG: Hindrance.COVERED}) == name({})
    assert name({TAG: Hindrance.BLURRED}) == nameless
    told = explain_unread_markers(picture, CAMERA, {TAG: base}, [likely], {})
    back = CAMERA.image_from_table(np.array([[*told[0].place_mm, base.height_mm]]))[0]
    assert np.abs(back - told[0].place_px).max() < 0.1
    assert explain_unread_markers(picture, CAMERA, {}, [likely], {}) == ()
    seen = cast("Any", {TAG: SimpleNamespace(state=PoseState.SEEN)})
    assert (select_unread(told, {}), select_unread(told, seen)) == (told, ())


def test_what_is_beyond_the_edge_or_too_small_is_so_whatever_is_seen() -> None:
    assert explain_place(draw(), TAG, CORNERS - (LEFT + 10, 0), STILL) == Hindrance.OUT_OF_PICTURE
    assert explain_place(draw(), TAG, CORNERS.mean(axis=0) + (CORNERS - CORNERS.mean(axis=0)) / 3, STILL) == (
        Hindrance.TOO_SMALL
    )


def test_what_was_on_its_way_and_is_not_there_moves_too_fast() -> None:
    gone = wipe(draw(), 100)
    assert explain_place(gone, TAG, CORNERS, np.array([9.0, 0.0])) == Hindrance.MOVING_TOO_FAST
    assert explain_place(gone, number_ring(3), CORNERS, STILL) == Hindrance.COVERED


def test_what_moves_is_not_told_to_have_a_damaged_print() -> None:
    assert explain_place(spot(draw()), TAG, CORNERS, np.array([1.0, 0.0])) is None


def cover_ring(picture: Grey) -> Grey:
    x, y = RING_PX.mean(axis=0).astype(int)
    picture[:y, x:] = 130
    return picture


def damage_ring(picture: Grey) -> Grey:
    places = CAMERA.image_from_table(np.column_stack([RING_PLACE, np.zeros(len(RING_PLACE))]))
    for x, y in places[::3].round().astype(int):
        picture[y - 2 : y + 3, x - 2 : x + 3] = 130
    return picture


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda seen: seen, None),
        (lambda seen: seen // 12 + 5, Hindrance.TOO_DARK),
        (lambda seen: (seen // 3 + 150).astype(np.uint8), Hindrance.GLARE),
        (lambda seen: cv2.GaussianBlur(seen, (0, 0), 2.0), Hindrance.BLURRED),
        (lambda seen: np.full_like(seen, 100), Hindrance.COVERED),
        (cover_ring, Hindrance.COVERED),
        (damage_ring, Hindrance.PRINT_DAMAGED),
    ],
)
def test_a_spoiled_ring_says_what_is_wrong(spoil: Callable[[Grey], Grey], expected: Hindrance | None) -> None:
    picture = spoil(render_rings(CAMERA, [RING]))
    assert explain_place(picture, RING.ring.marker, RING_PX, STILL, RING.ring) == expected


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda seen: seen, Hindrance.PRINT_DAMAGED),
        (lambda seen: seen // 12 + 5, Hindrance.TOO_DARK),
        (lambda seen: (seen // 3 + 150).astype(np.uint8), Hindrance.GLARE),
        (cover_ring, Hindrance.COVERED),
        (damage_ring, Hindrance.PRINT_DAMAGED),
    ],
)
def test_what_looks_like_a_ring_and_is_not_read_says_what_is_wrong(
    spoil: Callable[[Grey], Grey], expected: Hindrance
) -> None:
    picture = render_rings(CAMERA, [RING])
    unread = suspect_ring(picture)
    picture = spoil(picture)
    assert explain_unread(picture, unread, measure_noise(picture)) is expected


def suspect_ring(picture: Grey) -> UnreadRing:
    (fit,) = fit_rings(CAMERA, picture, [RingStart(ring=RING.ring, x_mm=600.0, y_mm=500.0, facing_rad=0.0)])
    assert fit is not None
    return UnreadRing(fit=fit, corners_px=RING_PX, margin=20.0, lead=10.0)


def test_a_ring_that_is_not_read_is_told_by_name_where_it_stands_out_and_what_its_fit_tells_comes_first() -> None:
    picture, bases = render_rings(CAMERA, [RING]), {RING.ring.marker: RING.ring}
    unread = suspect_ring(picture)
    covered = cover_ring(picture)
    (told,) = explain_unread_markers(covered, CAMERA, bases, [unread], {})
    assert (told.marker, told.hindrance) == (RING.ring.marker, Hindrance.COVERED)
    assert told.place_mm == pytest.approx((600.0, 500.0), abs=0.3)
    (told,) = explain_unread_markers(covered, CAMERA, bases, [replace(unread, margin=5.0)], {})
    assert told.marker is None
    assert explain_unread(covered, replace(unread, fit=replace(unread.fit, blur_px=2.0)), 2.0) is Hindrance.BLURRED
    assert explain_unread(covered, replace(unread, fit=replace(unread.fit, px_per_mm=0.5)), 2.0) is Hindrance.TOO_SMALL


def enrol_tag(size_mm: float, tag: int = TAG) -> EnrolledTag:
    return EnrolledTag(tag=tag, model=f"m{tag}", size_mm=size_mm, x_mm=0, y_mm=0, facing_rad=0, height_mm=3)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(1.0, Hindrance.PRINT_DAMAGED), (0.55, Hindrance.OTHER_SIZE), (1.5, Hindrance.OTHER_SIZE)],
)
def test_of_a_tag_that_is_not_measured_the_size_is_asked_about_first(share: float, expected: Hindrance) -> None:
    edge_mm = float(np.ptp(CAMERA.table_from_image(CORNERS, 3.0), axis=0).mean())
    base = enrol_tag(share * edge_mm)
    assert explain_unmeasured(draw(), CAMERA, base, CORNERS) is expected
    fit = cast("Any", SimpleNamespace(tag=TAG, corners_px=CORNERS))
    is_odd = expected is Hindrance.OTHER_SIZE
    assert find_other_sizes(CAMERA, {TAG: base}, [fit], {}) == ({TAG: expected} if is_odd else {})
    assert find_other_sizes(CAMERA, {TAG: base}, [fit], cast("Any", {TAG: None})) == {}


def test_only_bases_that_are_not_seen_are_asked_about() -> None:
    camera = camera_from_model(build_overhead_camera())
    sizes = {TAG: 20.0, 8: 20.0, 9: 20.0, 10: 5.0}
    bases = {tag: enrol_tag(size, tag) for tag, size in sizes.items()}

    def track(state: PoseState) -> Any:
        return SimpleNamespace(state=state, corners_px=CORNERS, step_px=STILL, moving=False)

    tracks = {TAG: track(PoseState.HELD), 8: track(PoseState.SEEN)}
    found = find_hindrances(cover(draw(), 0.4), camera, bases, cast("Any", tracks))
    assert found == {TAG: Hindrance.COVERED, 10: Hindrance.TOO_SMALL}
