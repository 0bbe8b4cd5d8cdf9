"""The overlay as a picture and as polygons."""

import math

import numpy as np
import pytest
import shapely

from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.overlay.palette import PALETTE
from assistant.overlay.raster import darken_masks, rasterise, warp_from_homography
from assistant.overlay.shapes import DRAWN_WITHIN_MM, Layer, OverlayShape, Points, trace_outline

SQUARE: Points = ((10, 10), (90, 10), (90, 90), (10, 90))
HOLE: Points = ((40, 40), (60, 40), (60, 60), (40, 60))
UPRIGHT = np.array([[1.0, 0, 0], [0, -1, 100], [0, 0, 1]])


def draw_picture(*shapes: OverlayShape, masks: tuple[Points, ...] = ()) -> np.ndarray:
    drawn = rasterise(shapes, projector_from_table=warp_from_homography(UPRIGHT), image_size=(100, 100))
    return darken_masks(drawn, masks, projector_from_table=warp_from_homography(UPRIGHT))


def build_zone_shape(*rings: Points) -> OverlayShape:
    return OverlayShape(key="z", layer=Layer.ZONE, rings_mm=rings, closed=True, style="zone")


def test_a_zone_is_light_with_a_hole_in_it() -> None:
    drawn = draw_picture(build_zone_shape(SQUARE, HOLE)).sum(axis=2)
    assert drawn[25, 25] > 0
    assert drawn[50, 50] == 0
    assert drawn[3, 3] == 0


def test_the_tables_far_edge_is_at_the_top() -> None:
    drawn = draw_picture(build_zone_shape(((10, 80), (90, 80), (90, 95), (10, 95)))).sum(axis=2)
    assert drawn[12, 50] > 0
    assert drawn[88, 50] == 0


def test_masks_stay_dark_even_where_they_overlap() -> None:
    drawn = draw_picture(build_zone_shape(SQUARE), masks=(HOLE, ((50, 50), (70, 50), (70, 70), (50, 70)))).sum(axis=2)
    assert drawn[45, 55] == 0
    assert drawn[35, 65] == 0


def test_lines_are_drawn_in_the_palettes_colours() -> None:
    line = OverlayShape(
        key="w", layer=Layer.WITNESS, rings_mm=(((10, 50), (90, 50)),), closed=False, style="witness-illegal"
    )
    blue, green, red = draw_picture(line)[50, 50].tolist()
    assert f"#{red:02x}{green:02x}{blue:02x}" == PALETTE["witness-illegal"].stroke


def test_no_shape_is_no_light() -> None:
    assert not draw_picture().any()


@pytest.mark.parametrize(
    ("shape", "area_mm2"),
    [
        (Round(radius_mm=16), math.pi * 16**2),
        (Oval(length_mm=60, width_mm=35), math.pi * 30 * 17.5),
        (Rect(length_mm=60, width_mm=40), 2400),
        (Outline(points_mm=((0, 0), (40, 0), (40, 40))), 800),
    ],
)
def test_an_outline_is_drawn_where_the_shape_stands(shape: Base, area_mm2: float) -> None:
    placed = PlacedShape(shape=shape, x_mm=300, y_mm=200, facing_rad=0.7)
    drawn = shapely.Polygon(trace_outline(placed))
    assert drawn.area == pytest.approx(area_mm2, abs=DRAWN_WITHIN_MM * drawn.length)
    assert drawn.contains(shapely.Point(300, 200)) or isinstance(shape, Outline)
    grown = shapely.Polygon(trace_outline(placed, 25.4))
    assert grown.contains(drawn)
    assert grown.exterior.distance(drawn) == pytest.approx(25.4, abs=2 * DRAWN_WITHIN_MM)
