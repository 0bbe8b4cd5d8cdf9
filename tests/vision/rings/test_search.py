import math
from dataclasses import replace

import numpy as np
import pytest

from tests.vision.rings.conftest import PLACED
from tests.vision.rings.rendered_rings import Grey, PlacedRing, enrol_ring, render_rings
from tests.vision.synthetic_camera import CAMERA
from vision.rings.enrolled_ring import count_symmetries
from vision.rings.search import search_rings
from vision.rings.word_proposals import HYPOTHESIS_MM, HYPOTHESIS_RAD, RingHypothesis
from vision.tags.detection import ImageRegion, select_around, select_whole
from vision.tracking.surfaces import Surface

RINGS = [one.ring for one in PLACED]
TOP = Surface(outline_mm=((300, 200), (500, 200), (500, 400), (300, 400)), height_mm=60.0)


def is_about(hypothesis: RingHypothesis, placed: PlacedRing) -> bool:
    """Whether a hypothesis is as near to a ring as the decoder asks for."""
    layout = placed.ring.layout
    if hypothesis.shape.layout is not placed.ring.layout or hypothesis.surface_mm != placed.surface_mm:
        return False
    if max(abs(hypothesis.x_mm - placed.x_mm), abs(hypothesis.y_mm - placed.y_mm)) > HYPOTHESIS_MM:
        return False
    if hypothesis.facing_rad is None:
        return count_symmetries(layout) == layout.cells
    off = math.remainder(hypothesis.facing_rad - placed.facing_rad, math.tau / count_symmetries(layout))
    return abs(off) <= HYPOTHESIS_RAD


def test_rings_of_every_shape_are_found_behind_figures(ringed_table: Grey) -> None:
    found = search_rings(CAMERA, ringed_table, [select_whole(ringed_table)], RINGS)
    for placed in PLACED:
        assert any(is_about(hypothesis, placed) for hypothesis in found), placed.ring.marker
    assert len(found) < 10 * len(PLACED)


def test_the_likeliest_come_first(ringed_table: Grey) -> None:
    found = search_rings(CAMERA, ringed_table, [select_whole(ringed_table)], RINGS)
    ranks = [min(i for i, hypothesis in enumerate(found) if is_about(hypothesis, placed)) for placed in PLACED]
    assert np.median(ranks) < len(PLACED)


def test_a_ring_is_found_in_the_part_of_the_picture_that_shows_it(ringed_table: Grey) -> None:
    for placed in PLACED:
        middle = np.array([[placed.x_mm, placed.y_mm, placed.ring.ring_height_mm]])
        part = select_around(CAMERA.image_from_table(middle), 60.0, ringed_table)
        found = search_rings(CAMERA, ringed_table, [part], [placed.ring])
        assert any(is_about(hypothesis, placed) for hypothesis in found), placed.ring.marker


def test_nothing_is_found_where_nothing_is() -> None:
    blank = render_rings(CAMERA, [])
    assert search_rings(CAMERA, blank, [select_whole(blank)], RINGS) == []
    assert search_rings(CAMERA, blank, [], RINGS) == []
    assert search_rings(CAMERA, blank, [select_whole(blank)], []) == []
    assert search_rings(CAMERA, blank, [ImageRegion(left=5, top=5, right=7, bottom=6)], RINGS) == []


@pytest.mark.parametrize("name", ["round 32", "oval 60x35"])
def test_a_ring_on_a_hill_is_found_there(name: str) -> None:
    placed = PlacedRing(ring=enrol_ring(11, name), x_mm=400.0, y_mm=310.0, facing_rad=0.5, surface_mm=TOP.height_mm)
    picture = render_rings(CAMERA, [placed])
    found = search_rings(CAMERA, picture, [select_whole(picture)], [placed.ring], [TOP])
    assert any(is_about(hypothesis, placed) for hypothesis in found)
    elsewhere = replace(TOP, outline_mm=tuple((x + 400, y) for x, y in TOP.outline_mm))
    found = search_rings(CAMERA, picture, [select_whole(picture)], [placed.ring], [elsewhere])
    assert not any(hypothesis.surface_mm for hypothesis in found)


def test_the_same_is_found_again(ringed_table: Grey) -> None:
    whole = [select_whole(ringed_table)]
    assert search_rings(CAMERA, ringed_table, whole, RINGS) == search_rings(CAMERA, ringed_table, whole, RINGS)
