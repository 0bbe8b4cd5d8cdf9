"""Where the cells of a ring lie."""

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely

from hardware.rings.layout import RingBand, RingBorder, RingKind, RingLayout
from tests.base_outlines import make_oval, make_rectangle

HALO = RingBand(kind=RingKind.HALO, inner_mm=0.3, outer_mm=3.3, height_mm=0.25)
RIM = RingBand(kind=RingKind.RIM, inner_mm=-3.5, outer_mm=-0.5, height_mm=None)
CIRCLE = make_oval(32.0, 32.0)
OUTLINES = {
    "circle": CIRCLE,
    "oval": make_oval(75.0, 42.0),
    "rectangle": make_rectangle(50.0, 25.0),
    "hull": np.array([(40.0, -12.0), (40.0, 12.0), (5.0, 30.0), (-45.0, 20.0), (-45.0, -20.0), (0.0, -15.0)]),
}


@pytest.mark.parametrize("band", [HALO, RIM], ids=["halo", "rim"])
@pytest.mark.parametrize("outline", OUTLINES.values(), ids=list(OUTLINES))
def test_a_place_is_found_where_it_was_put(outline: np.ndarray, band: RingBand) -> None:
    layout = RingLayout.build(outline, band, 48)
    rng = np.random.default_rng(3)
    along = rng.uniform(0, 48, 400)
    offset = np.full(400, band.middle_mm)
    found_along, found_offset = layout.locate(layout.place(along, offset))
    assert np.abs(np.mod(found_along - along + 24, 48) - 24).max() < 1e-6
    assert np.abs(found_offset - offset).max() < 1e-6


@pytest.mark.parametrize("band", [HALO, RIM], ids=["halo", "rim"])
@pytest.mark.parametrize("outline", OUTLINES.values(), ids=list(OUTLINES))
def test_cells_cover_the_band_once(outline: np.ndarray, band: RingBand) -> None:
    layout = RingLayout.build(outline, band, 48)
    base = shapely.Polygon(outline)
    whole = base.buffer(band.outer_mm, quad_segs=64).difference(base.buffer(band.inner_mm, quad_segs=64))
    cells = [shapely.make_valid(shapely.Polygon(layout.cell_polygon(cell))) for cell in range(48)]
    # Where cells are parted close to a sharp corner they overlap a little.
    assert shapely.union_all(cells).symmetric_difference(whole).area < 0.01 * whole.area
    assert sum(cell.area for cell in cells) == pytest.approx(whole.area, rel=0.02)


def test_a_circle_is_cut_as_a_pie() -> None:
    layout = RingLayout.build(CIRCLE, HALO, 36)
    assert layout.length_mm == pytest.approx(math.tau * (16 + 1.8), rel=1e-4)
    points = layout.place(np.array([0.0, 9.0, 18.0, 27.5]), np.array([0.3, 3.3, 1.8, 1.8]))
    angles = np.radians([0.0, 90.0, 180.0, 275.0])
    radii = np.array([16.3, 19.3, 17.8, 17.8])
    assert np.abs(points - radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])).max() < 0.002


def test_the_first_cell_begins_at_the_nose() -> None:
    for outline in OUTLINES.values():
        layout = RingLayout.build(outline[::-1], RIM, 48)  # either way round
        x_mm, y_mm = layout.place(np.array([0.0]), np.array([-2.0]))[0]
        assert y_mm == pytest.approx(0.0, abs=1e-9)
        assert x_mm > 10
        assert layout.place(np.array([0.1]), np.array([-2.0]))[0, 1] > 0


def test_borders_go_with_the_edge_beside_them() -> None:
    outside, inside = (RingBorder(from_mm=a, to_mm=b, is_light=True) for a, b in ((3.3, 4.1), (-0.2, 0.3)))
    band = replace(HALO, borders=(outside, inside)).resize(0.5, 4.5)
    assert [(b.from_mm, b.to_mm) for b in band.borders] == [pytest.approx((4.5, 5.3)), pytest.approx((0.0, 0.5))]
    assert band.reach_mm == pytest.approx(5.3)


def test_a_base_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="no room"):
        RingLayout.build(make_rectangle(50.0, 3.0), RIM, 48)
    with pytest.raises(ValueError, match=r"\+x"):
        RingLayout.build(make_rectangle(10.0, 10.0) - (0.0, 30.0), HALO, 48)
