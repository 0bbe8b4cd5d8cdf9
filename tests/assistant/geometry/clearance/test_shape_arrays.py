"""Placed shapes as arrays: what each holds is worked out again from the shape itself, with trigonometry and GEOS."""

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.shape_arrays import DISC, ELLIPSE, POLYGON, ShapeArrays, build_shape_arrays
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import decompose_placed, unit_vectors
from tests.assistant.geometry.shape_strategies import L_SHAPE, draw_polygon, placed_shapes

quick = settings(max_examples=40)

TRIANGLE = Outline(points_mm=((30, 0), (-20, 25), (-20, -10)))
NINE = Outline(points_mm=tuple((x, y) for x, y in (40 * unit_vectors(np.arange(9) * 2 * math.pi / 9)).tolist()))
U_SHAPE = Outline(points_mm=((-40, -30), (40, -30), (40, 30), (20, 30), (20, -10), (-20, -10), (-20, 30), (-40, 30)))


def list_corners(standing: ShapeArrays, item: int) -> np.ndarray:
    """The (8, corners) entries of a polygonal item."""
    entries: np.ndarray = standing.polygons[standing.kind[item] - POLYGON][:, :, standing.row[item]]
    return entries


def check_sides(entries: np.ndarray) -> shapely.Polygon:
    """Walk around a polygon by its sides, forwards and back, and return it; repeated corners repeat it all."""
    assert np.unique(entries, axis=1).shape[1] == len(np.unique(entries[:2], axis=1).T)
    real = entries[:, : len(np.unique(entries[:2], axis=1).T)]
    x, y, ex, ey, length, px, py, before = real
    assert np.hypot(ex, ey) == pytest.approx(1, abs=1e-12)
    following, last = np.roll(real, -1, axis=1), np.roll(real, 1, axis=1)
    assert x + ex * length == pytest.approx(following[0], abs=1e-9)
    assert y + ey * length == pytest.approx(following[1], abs=1e-9)
    assert x - px * before == pytest.approx(last[0], abs=1e-9)
    assert y - py * before == pytest.approx(last[1], abs=1e-9)
    found = shapely.Polygon(np.column_stack((x, y)))
    assert found.exterior.is_ccw
    return found


@quick
@given(st.lists(placed_shapes(), min_size=1, max_size=5))
def test_items_are_the_shapes(shapes: list[PlacedShape]) -> None:
    standing = build_shape_arrays(shapes)
    assert standing.count == len(shapes)
    directions = unit_vectors(np.linspace(0, 6, 25))
    for item, placed in enumerate(shapes):
        middle = np.array((placed.x_mm, placed.y_mm))
        assert standing.smooth[:2, item] == pytest.approx(middle)
        assert standing.centres[:2, 0, item] == pytest.approx(middle)
        assert not standing.centres[2:].any()
        away = np.hypot(*(shapely.get_coordinates(draw_polygon(placed)) - middle).T)
        assert standing.radius_mm[item] == pytest.approx(away.max(), abs=1e-3)
        match placed.shape:
            case Round() | Oval():
                assert standing.kind[item] == (DISC if isinstance(placed.shape, Round) else ELLIPSE)
                xx, xy, yy, determinant, turn = standing.smooth[2:, item]
                reach = np.sqrt(np.einsum("mi,ij,mj->m", directions, [[xx, xy], [xy, yy]], directions))
                assert reach == pytest.approx(decompose_placed(placed)[0].support(directions) - directions @ middle)
                assert determinant == pytest.approx(xx * yy - xy * xy)
                assert turn == placed.facing_rad
            case Rect() | Outline():
                hull = draw_polygon(placed).convex_hull
                assert check_sides(list_corners(standing, item)).symmetric_difference(hull).area < 1e-6


def test_polygons_are_padded_to_few_kinds() -> None:
    bases: tuple[Base, ...] = (TRIANGLE, NINE, Rect(length_mm=9, width_mm=4))
    shapes = [PlacedShape(shape=base, x_mm=5, y_mm=7, facing_rad=2) for base in bases]
    standing = build_shape_arrays(shapes)
    assert [kind.shape for kind in standing.polygons] == [(8, 6, 2), (8, 12, 1)]
    assert standing.kind.tolist() == [POLYGON, POLYGON + 1, POLYGON]
    assert standing.row.tolist() == [0, 0, 1]
    for item, placed in enumerate(shapes):
        assert check_sides(list_corners(standing, item)).symmetric_difference(draw_polygon(placed)).area < 1e-9


def test_the_parts_of_concave_shapes_follow_all_shapes() -> None:
    bases: tuple[Base, ...] = (L_SHAPE, Round(radius_mm=9), U_SHAPE, L_SHAPE)
    shapes = [PlacedShape(shape=base, x_mm=50 * i, y_mm=3, facing_rad=0.5 + i) for i, base in enumerate(bases)]
    standing = build_shape_arrays(shapes)
    first, number = standing.parts
    assert first.tolist() == [4, 1, 6, 9]
    assert number.tolist() == [2, 1, 3, 2]
    for item in (0, 2, 3):
        whole = draw_polygon(shapes[item])
        parts = [check_sides(list_corners(standing, part)) for part in range(first[item], first[item] + number[item])]
        assert sum(part.area for part in parts) == pytest.approx(whole.area)
        assert shapely.union_all(parts).symmetric_difference(whole).area < 1e-6
        assert check_sides(list_corners(standing, item)).symmetric_difference(whole.convex_hull).area < 1e-6


@pytest.mark.parametrize("facing", [0.0, 0.7, -2.5])
def test_a_pocket_is_a_side_of_the_hull_that_is_not_the_outline_s_own(facing: float) -> None:
    upright = PlacedShape(shape=U_SHAPE, x_mm=0, y_mm=0, facing_rad=facing)
    standing = build_shape_arrays([upright, replace(upright, shape=L_SHAPE), replace(upright, shape=TRIANGLE)])
    bearings = np.linspace(0, 2 * math.pi, 721)[:-1]
    normals = unit_vectors(bearings + facing)

    def open_sides(shape: int) -> list[float]:
        found = standing.may_be_pocket(np.full(len(normals), shape), normals.T)
        return [round(math.degrees(bearing), 6) for bearing in bearings[found]]

    assert open_sides(0) == [90.0]  # the mouth of the U
    assert open_sides(1) == []  # that of the L lies at no half degree
    assert open_sides(2) == []
    slant = math.atan2(35, 45) + facing  # across the way from (40, 5) to (5, 50)
    assert standing.may_be_pocket(np.array([1]), unit_vectors(np.array([slant])).T).tolist() == [True]
    assert standing.may_be_pocket(np.array([1]), unit_vectors(np.array([slant + 1e-3])).T).tolist() == [False]


def test_nothing_stands() -> None:
    standing = build_shape_arrays([])
    assert standing.count == 0
    assert standing.polygons == ()
    assert standing.smooth.shape == (7, 0)
