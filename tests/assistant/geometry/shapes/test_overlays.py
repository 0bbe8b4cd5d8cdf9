import pytest
import shapely

from assistant.geometry.shapes.overlays import intersect, subtract, unite

SQUARE = shapely.box(0, 0, 10, 10)
BOW_TIE = shapely.Polygon([(0, 0), (10, 10), (10, 0), (0, 10)])


def test_what_crosses_itself_is_put_together_all_the_same() -> None:
    with pytest.raises(shapely.GEOSException):
        shapely.intersection(BOW_TIE, SQUARE)
    assert unite([BOW_TIE, shapely.box(4, 0, 6, 10)]).area == pytest.approx(68)
    assert intersect(BOW_TIE, SQUARE).area == pytest.approx(50)
    assert subtract(SQUARE, BOW_TIE).area == pytest.approx(50)


def test_valid_regions_are_cut_to_the_last_digit() -> None:
    third = 10 / 3
    assert subtract(SQUARE, shapely.box(0, 0, third, 20)).bounds == (third, 0, 10, 10)
    assert intersect(SQUARE, shapely.box(third, -5, 20, 20)).bounds == (third, 0, 10, 10)
    assert unite([SQUARE, shapely.box(10, 0, 10 + third, 10)]).bounds == (0, 0, 10 + third, 10)
