"""How many pixels markers have and need."""

import math

import pytest

from assistant.features.camera.marker_sizes import (
    CELL_PX,
    TableSight,
    advise_on_cells,
    estimate_sight,
    find_cell_mm,
    find_halo_band,
    find_tag_mm,
    measure_sight,
)
from assistant.game.base_spec import BaseSpec
from hardware.rings.layout import RingKind
from hardware.rings.words import load_ring_list
from hardware.simulation.optics import build_overhead_camera
from tests.calibration.virtual_camera import camera_from_model

RINGS = load_ring_list()
TABLE_MM = (1524.0, 1118.0)
IN_1080P, IN_4K = estimate_sight((1920, 1080), TABLE_MM), estimate_sight((3840, 2160), TABLE_MM)


def test_what_is_expected_of_a_camera_is_about_what_one_over_the_table_sees() -> None:
    camera = build_overhead_camera(width_mm=TABLE_MM[0], depth_mm=TABLE_MM[1], image_size=(1920, 1080))
    seen = measure_sight(camera_from_model(camera), TABLE_MM)
    assert seen.px_per_mm == pytest.approx(IN_1080P.px_per_mm, rel=0.15)
    assert seen.width_px == 1920
    assert estimate_sight((1080, 1920), TABLE_MM) == IN_1080P


def test_a_halo_is_only_made_wider_where_that_lets_it_be_read() -> None:
    usual = RINGS.bands[RingKind.HALO]
    assert find_halo_band(BaseSpec.parse("round:32"), RINGS, IN_1080P.px_per_mm) == usual
    wide = find_halo_band(BaseSpec.parse("round:22"), RINGS, IN_1080P.px_per_mm)
    assert wide.outer_mm > usual.outer_mm
    assert find_cell_mm(BaseSpec.parse("round:22"), wide, RINGS) * IN_1080P.px_per_mm >= CELL_PX
    assert find_halo_band(BaseSpec.parse("round:5"), RINGS, IN_1080P.px_per_mm) == usual


def test_a_cell_is_as_small_as_its_shorter_edge() -> None:
    band, cells = RINGS.bands[RingKind.HALO], RINGS.round.cells
    across_mm = band.outer_mm - band.inner_mm
    assert find_cell_mm(BaseSpec.parse("round:100"), band, RINGS) == pytest.approx(across_mm)
    along_mm = math.tau * (11 + band.middle_mm) / cells
    assert find_cell_mm(BaseSpec.parse("round:22"), band, RINGS) == pytest.approx(along_mm, rel=1e-3)
    assert find_cell_mm(BaseSpec.parse("round:5"), RINGS.bands[RingKind.RIM], RINGS) == 0


def test_advice_names_what_would_help_and_nothing_that_is_there_already() -> None:
    base = BaseSpec.parse("round:22")
    said = advise_on_cells(base, RINGS, 1.999, IN_1080P)
    assert said.startswith("1.9 px a cell, 2 are needed: use a halo of ")
    assert said.endswith(" mm or a 4K camera")
    assert "4K" not in advise_on_cells(base, RINGS, 1.0, IN_4K)
    hopeless = TableSight(px_per_mm=0.2, width_px=3840)
    assert advise_on_cells(base, RINGS, 0.3, hopeless).endswith("hang the camera lower, or use a tag")


def test_tags_are_as_large_as_the_camera_needs_them() -> None:
    assert (find_tag_mm(IN_1080P.px_per_mm), find_tag_mm(IN_4K.px_per_mm)) == (20, 10)
