"""Rivals: what suits an arc of a half hidden ring that nobody enrolled gives way to what suits it better."""

import pytest

from hardware.rings.words import load_ring_list
from tests.vision.rings.rendered_rings import Figure, PlacedRing, enrol_ring, render_rings
from tests.vision.synthetic_camera import CAMERA
from vision.rings.decoding import decode_rings
from vision.rings.search import search_rings
from vision.tags.detection import select_whole

HALF_HIDDEN = {
    # A stranger's number, its facing, its place; a figure before it, its radius and grey; the shape and number of a
    # ring that suits what is seen; and pictures that show it so.
    "as large": (182, 0.843, (810.0, 150.0), (-3.67, -9.64), 10.76, 168.0, "round 28", 203, (17, 18, 27, 28)),
    "larger": (50, 0.12, (150.0, 480.0), (-5.7, -9.75), 9.85, 65.0, "round 32", 146, (11, 33, 36)),
}
OTHERS = range(20)


@pytest.mark.parametrize("case", HALF_HIDDEN)
def test_an_arc_of_a_ring_that_nobody_enrolled_is_taken_for_none_that_lies_beside(case: str) -> None:
    number, facing_rad, (x_mm, y_mm), off_mm, radius_mm, grey, outline, alike, seeds = HALF_HIDDEN[case]
    stranger = PlacedRing(ring=enrol_ring(number, "round 28"), x_mm=x_mm, y_mm=y_mm, facing_rad=facing_rad)
    figure = Figure(x_mm=x_mm + off_mm[0], y_mm=y_mm + off_mm[1], z_mm=12.0, radius_mm=radius_mm, grey=grey)
    rings = [enrol_ring(alike, outline), *(enrol_ring(other, "round 28") for other in OTHERS)]
    for seed in seeds:
        picture = render_rings(CAMERA, [stranger], [figure], blur_px=1.1, noise=9.0, seed=seed)
        places = search_rings(CAMERA, picture, [select_whole(picture)], rings)
        assert places, "something is looked at"
        assert not any(decode_rings(CAMERA, picture, places, rings, load_ring_list().words))
