import tracemalloc

import numpy as np
import pytest
import shapely

from assistant.geometry.shapes.base_shapes import Outline, PlacedShape
from assistant.geometry.shapes.polygons import extract_polygons
from assistant.geometry.visibility import polygon_sight
from assistant.geometry.visibility.line_of_sight import ViewingEdge, find_sight_line
from assistant.geometry.visibility.polygon_sight import find_polygon_sight_line

EDGE = shapely.LineString([(0, -20), (0, 20)])  # its front is at x > 0
TARGET = shapely.box(100, -20, 120, 20)


def unite_boxes(*boxes: tuple[float, float, float, float]) -> shapely.MultiPolygon:
    return extract_polygons(shapely.union_all([shapely.box(*box) for box in boxes]))


def test_nothing_in_the_way() -> None:
    found = find_polygon_sight_line(EDGE, TARGET, shapely.MultiPolygon())
    assert found is not None
    assert found.length == pytest.approx(100)


@pytest.mark.parametrize(("top", "seen"), [(19.0, True), (20.0, True), (20.001, False), (40.0, False)])
def test_along_an_edge_it_is_free(top: float, seen: bool) -> None:
    assert (find_polygon_sight_line(EDGE, TARGET, unite_boxes((50, -60, 60, top))) is not None) == seen


@pytest.mark.parametrize(("half_gap", "seen"), [(1.0, True), (1e-4, True), (0.0, False)])
def test_through_a_slit(half_gap: float, seen: bool) -> None:
    wall = unite_boxes((50, -60, 51, -half_gap), (50, half_gap, 51, 60))
    found = find_polygon_sight_line(EDGE, TARGET, wall)
    assert (found is not None) == seen


def test_around_two_corners_only_a_slanting_line_is_free() -> None:
    blocked = unite_boxes((30, -60, 40, 5), (70, -5, 80, 60))
    found = find_polygon_sight_line(EDGE, TARGET, blocked)
    assert found is not None
    assert not found.intersects(shapely.buffer(blocked, -1e-5))
    assert find_polygon_sight_line(EDGE, TARGET, unite_boxes((30, -60, 40, 6), (70, -6, 80, 60))) is None


def test_what_is_covered_neither_sees_nor_is_seen() -> None:
    assert find_polygon_sight_line(EDGE, TARGET, unite_boxes((-5, -25, 5, 25))) is None
    assert find_polygon_sight_line(EDGE, TARGET, unite_boxes((90, -25, 130, 25))) is None
    upper, lower = (-5, -25, 1e-3, 10), (100 - 1e-3, -10, 130, 25)  # of the edge and of the region half is left open
    assert find_polygon_sight_line(EDGE, TARGET, unite_boxes(upper, lower)) is not None
    assert find_polygon_sight_line(EDGE, TARGET, unite_boxes(upper, lower, (40, -9, 60, 1))) is not None
    assert find_polygon_sight_line(EDGE, TARGET, unite_boxes(upper, lower, (40, -9, 60, 3))) is None


def test_level_with_the_edge() -> None:
    level = shapely.box(-1e-7, 100, 20, 120)
    assert find_polygon_sight_line(EDGE, level, unite_boxes((-20, 30, -1e-7, 60))) is not None
    assert find_polygon_sight_line(EDGE, shapely.box(-5, 100, 0, 120), unite_boxes((-20, 30, 0, 60))) is not None
    assert find_polygon_sight_line(EDGE, shapely.box(-5, 100, 0, 120), unite_boxes((-20, 30, 1, 60))) is None


def test_as_sight_finds_it() -> None:
    rng, answers = np.random.default_rng(7), []
    for _ in range(150):
        boxes = [
            shapely.affinity.rotate(shapely.box(x, y, x + a, y + b), turn)
            for x, y, a, b, turn in rng.uniform((5, -50, 5, 5, 0), (85, 30, 25, 45, 180), (rng.integers(2, 12), 5))
        ]
        blocked = extract_polygons(shapely.union_all(boxes))
        found = find_polygon_sight_line(EDGE, TARGET, blocked)
        shapes = [place_polygon(each) for each in (TARGET, *boxes)]
        expected = find_sight_line(ViewingEdge(first=(0, -20), last=(0, 20)), shapes[0], shapes[1:])
        assert (found is None) == (expected is None)
        if found is not None:
            assert not found.intersects(shapely.buffer(blocked, -1e-5))
            assert found.distance(EDGE) < 1e-6
            assert found.distance(TARGET) < 1e-6
        answers.append(found is not None)
    assert 40 < sum(answers) < 110


def place_polygon(polygon: shapely.Polygon) -> PlacedShape:
    ring = shapely.get_coordinates(polygon.exterior)[:-1].tolist()
    return PlacedShape(shape=Outline(points_mm=tuple((x, y) for x, y in ring)), x_mm=0, y_mm=0)


def scatter_discs(seed: int, count: int, radius_mm: float) -> shapely.MultiPolygon:
    """Return what discs of 64 corners each cover between edge and target, and beside."""
    places = np.random.default_rng(seed).uniform((5, -150), (95, 150), (count, 2))
    return extract_polygons(shapely.union_all([shapely.Point(x, y).buffer(radius_mm) for x, y in places]))


@pytest.mark.parametrize(("radius_mm", "seen"), [(0.2, True), (6.0, False)])
def test_past_hundreds_of_discs_in_little_memory(radius_mm: float, seen: bool) -> None:
    crowd = scatter_discs(3, 400, radius_mm)  # some 20,000 corners: all pairs of them would take gigabytes
    tracemalloc.start()
    try:
        found = find_polygon_sight_line(EDGE, TARGET, crowd)
        most_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (found is not None) == seen
    assert found is None or not found.intersects(shapely.buffer(crowd, -1e-5))
    assert most_bytes < 100e6


def test_what_is_cut_into_pieces_is_as_closed_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    for seed in range(30):
        boxes = np.random.default_rng(seed).uniform((5, -60, 5, 5), (90, 60, 25, 40), (14, 4))
        crowd = unite_boxes(*((x, y, x + width, y + depth) for x, y, width, depth in boxes.tolist()))
        whole = find_polygon_sight_line(EDGE, TARGET, crowd) is not None
        with monkeypatch.context() as patched:
            patched.setattr(polygon_sight, "_PIECE_CORNERS", 5)
            assert (find_polygon_sight_line(EDGE, TARGET, crowd) is not None) == whole
        answers.append(whole)
    assert 5 < sum(answers) < 25
