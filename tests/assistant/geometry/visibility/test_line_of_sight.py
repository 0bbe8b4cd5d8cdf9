import math
from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.visibility.line_of_sight import SightLine, ViewingEdge, find_sight_line
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles, draw_polygon, placed_shapes

DISC, SQUARE = Round(radius_mm=16), Rect(length_mm=40, width_mm=40)
VIEWER_X, TARGET_X = -200.0, 200.0

small: st.SearchStrategy[Base] = st.one_of(
    st.builds(Round, radius_mm=st.floats(5, 30)),
    st.builds(Oval, length_mm=st.floats(10, 80), width_mm=st.floats(10, 50)),
    st.builds(Rect, length_mm=st.floats(10, 80), width_mm=st.floats(10, 50)),
    st.just(L_SHAPE),
)


def place_shape(shape: Base, x: float, y: float, facing: float = 0.0) -> PlacedShape:
    return PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=facing)


def draw_line(found: SightLine) -> shapely.LineString:
    return shapely.LineString([found.near, found.far])


def sample_outline(placed: PlacedShape, count: int = 40) -> np.ndarray:
    ring = draw_polygon(placed, 400).exterior
    return shapely.get_coordinates(ring.interpolate(np.linspace(0, 1, count), normalized=True))


def is_seen_by_sampling(viewer: np.ndarray, target: np.ndarray, blockers: list[PlacedShape]) -> bool:
    ends = np.stack((np.repeat(viewer, len(target), axis=0), np.tile(target, (len(viewer), 1))), axis=1)
    covered = shapely.union_all([draw_polygon(blocker, 400).buffer(-1e-3) for blocker in blockers])
    shapely.prepare(covered)
    return bool((~shapely.intersects(covered, shapely.linestrings(ends))).any())


def test_nothing_in_the_way() -> None:
    found = find_sight_line(place_shape(DISC, 0, 0), place_shape(DISC, 100, 0), [])
    assert found is not None
    assert found.near == pytest.approx((16, 0))
    assert found.far == pytest.approx((84, 0))


@pytest.mark.parametrize(("top", "seen"), [(16 - 1e-5, True), (16.0, True), (16 + 1e-5, False)])
def test_exact_at_the_last_tangent(top: float, seen: bool) -> None:
    wall = Outline(points_mm=((90, -80), (110, -80), (110, top), (90, top)))
    assert (
        find_sight_line(place_shape(DISC, 0, 0), place_shape(DISC, 200, 0), [place_shape(wall, 0, 0)]) is not None
    ) == seen


def test_between_two_discs_that_touch_but_not_along_the_seam_of_two_squares() -> None:
    gate = [ViewingEdge(first=(0, 0), last=(0, 1e-9)), place_shape(Round(radius_mm=1e-6), 200, 0)]
    assert isinstance(gate[0], ViewingEdge)
    assert isinstance(gate[1], PlacedShape)
    discs = [place_shape(DISC, 100, 16), place_shape(DISC, 100, -16)]
    squares = [place_shape(SQUARE, 100, 20), place_shape(SQUARE, 100, -20)]
    assert find_sight_line(gate[0], gate[1], discs) is not None
    assert find_sight_line(gate[0], gate[1], squares) is None
    assert find_sight_line(gate[0], gate[1], [replace(squares[0], y_mm=20 + 1e-4), squares[1]]) is not None
    assert (
        find_sight_line(gate[0], gate[1], [replace(squares[0], x_mm=140), squares[1]]) is not None
    )  # corner to corner


def test_no_line_through_the_inside_of_a_concave_outline() -> None:
    # All diagonals of a triangulated star-like outline lie inside it: none of them is a way through.
    cross = Outline(points_mm=((-60, -5), (-5, -5), (-5, -60), (5, -60), (5, -5), (60, -5), (60, 5), (5, 5), (5, 60)))
    eye, mark = place_shape(Round(radius_mm=0.001), -100, 0), place_shape(Round(radius_mm=0.001), 100, 0)
    assert find_sight_line(eye, mark, [place_shape(cross, 0, 0)]) is None
    diagonal = Outline(points_mm=((-50, 0), (0, -20), (50, 0), (0, 20), (-10, 0)))
    assert find_sight_line(eye, mark, [place_shape(diagonal, 0, 0)]) is None


def test_into_a_concave_outline() -> None:
    hook = place_shape(L_SHAPE, 0, 0)
    inside = place_shape(Round(radius_mm=3), 20, 20)
    assert find_sight_line(place_shape(DISC, 200, 200), inside, [hook]) is not None
    assert find_sight_line(place_shape(Round(radius_mm=3), -200, -30), inside, [hook]) is None


def test_an_edge_looks_ahead_only() -> None:
    front = ViewingEdge(
        first=(0, -20), last=(0, 20)
    )  # as of an outline drawn counter-clockwise, whose inside is at x < 0
    assert find_sight_line(front, place_shape(DISC, 100, 0), [], ahead=True) is not None
    assert find_sight_line(front, place_shape(DISC, -100, 0), [], ahead=True) is None
    assert find_sight_line(front, place_shape(DISC, -100, 0), []) is not None
    assert (
        find_sight_line(front, place_shape(DISC, -15.9, 100), [], ahead=True) is not None
    )  # a sliver of it is in front
    assert find_sight_line(front, place_shape(DISC, -16, 100), [], ahead=True) is not None  # straight along the edge
    assert find_sight_line(front, place_shape(DISC, -16.001, 100), [], ahead=True) is None


def test_only_the_part_in_front_counts() -> None:
    front, behind = ViewingEdge(first=(0, -20), last=(0, 20)), place_shape(Rect(length_mm=100, width_mm=20), 0, 200)
    cover = place_shape(Rect(length_mm=60, width_mm=10), 29.999, 150)
    assert find_sight_line(front, behind, [cover]) is not None
    assert find_sight_line(front, behind, [cover], ahead=True) is None
    assert find_sight_line(front, behind, [replace(cover, x_mm=30)], ahead=True) is not None


def test_what_is_covered_neither_sees_nor_is_seen() -> None:
    viewer, target = place_shape(SQUARE, 0, 0), place_shape(SQUARE, 200, 0)
    assert find_sight_line(viewer, target, [place_shape(Rect(length_mm=60, width_mm=60), 0, 0)]) is None
    assert find_sight_line(viewer, target, [place_shape(Rect(length_mm=60, width_mm=60), 200, 0)]) is None
    assert find_sight_line(viewer, viewer, [place_shape(SQUARE, 20, 0)]) is not None
    # Of the viewer only a corner looks out, and of what it sees only a corner is left open.
    left = [
        place_shape(Rect(length_mm=100, width_mm=100), -31, 0),
        place_shape(Rect(length_mm=100, width_mm=100), 0, -31),
    ]
    assert find_sight_line(viewer, target, [*left, place_shape(Oval(length_mm=20, width_mm=200), 110, -81)]) is not None
    assert find_sight_line(viewer, target, [*left, place_shape(Oval(length_mm=20, width_mm=200), 110, -60)]) is None


@pytest.mark.parametrize("great", [Round(radius_mm=400), Oval(length_mm=900, width_mm=800)])
@pytest.mark.parametrize(("half_gap", "seen"), [(5.0, True), (1e-5, True), (0.0, True), (-1e-5, False)])
def test_through_the_waist_between_two_great_curves(great: Base, half_gap: float, seen: bool) -> None:
    # Only the two lines that touch both curves crosswise bound the free lines.
    def turned(shape: Base, x: float, y: float) -> PlacedShape:
        return place_shape(shape, x * math.cos(0.3) - y * math.sin(0.3), x * math.sin(0.3) + y * math.cos(0.3), 0.3)

    wall = Rect(length_mm=10, width_mm=600)
    waist = [turned(great, 0, 400 + half_gap), turned(great, 0, -400 - half_gap)]
    assert (find_sight_line(turned(wall, -200, 100), turned(wall, 200, 100), waist) is not None) == seen


@pytest.mark.parametrize(
    "viewer",
    [
        ViewingEdge(first=(0, -20), last=(0, 20)),
        place_shape(Round(radius_mm=20), -20, 5.5),
        place_shape(Oval(length_mm=40, width_mm=30), -20, 5.5),
        place_shape(Rect(length_mm=40, width_mm=40), -20, 5.5),
    ],
)
@pytest.mark.parametrize("cover", [Round(radius_mm=math.hypot(20, 30)), Rect(length_mm=80, width_mm=80)])
def test_out_of_the_gap_that_two_blockers_leave_of_the_viewer(viewer: PlacedShape | ViewingEdge, cover: Base) -> None:
    # Only the places where the blockers cross the viewer's outline bound the free lines.
    reach, lean = (1.0, 0.0) if isinstance(cover, Round) else (40 / math.hypot(20, 30), math.atan2(30, 20))

    def covers(gap: float) -> list[PlacedShape]:
        below, above = (-20 * reach, 5.5 - gap - 30 * reach), (-20 * reach, 5.5 + gap + 30 * reach)
        return [place_shape(cover, *below, lean), place_shape(cover, *above, -lean)]

    mark = place_shape(Round(radius_mm=0.2), 200, 60)
    assert find_sight_line(viewer, mark, covers(0.5)) is not None
    assert find_sight_line(viewer, mark, covers(-0.5)) is None


@pytest.mark.parametrize(("away", "seen"), [(31.0, True), (29.9, False)])
def test_two_that_overlap_see_each_other_where_something_of_both_is_left_open(away: float, seen: bool) -> None:
    ring = [
        place_shape(Round(radius_mm=30), away * math.cos(turn), away * math.sin(turn))
        for turn in np.radians((90, 210, 330))
    ]
    assert (
        find_sight_line(place_shape(Round(radius_mm=15), 3, 5), place_shape(Round(radius_mm=14), 3, 5), ring)
        is not None
    ) == seen


@pytest.mark.parametrize("viewer", [place_shape(DISC, 0, 0), ViewingEdge(first=(5, 5), last=(5, 5))])
def test_only_an_edge_with_a_length_has_a_front(viewer: PlacedShape | ViewingEdge) -> None:
    assert find_sight_line(viewer, place_shape(DISC, 100, 0), [place_shape(DISC, 50, 30)]) is not None
    with pytest.raises(ValueError, match="only an edge with a length"):
        find_sight_line(viewer, place_shape(DISC, 100, 0), [], ahead=True)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[PlacedShape, PlacedShape, list[PlacedShape]]:
    def standing(x: float, spread: float) -> PlacedShape:
        y, across = draw(st.floats(-spread, spread)), draw(st.floats(-spread, spread))
        return PlacedShape(shape=draw(small), x_mm=x + across, y_mm=y, facing_rad=draw(angles))

    blockers = [standing(0, 70) for _ in range(draw(st.integers(1, 8)))]
    return standing(VIEWER_X, 30), standing(TARGET_X, 30), blockers


@settings(max_examples=80)
@given(scenes())
def test_sees_all_that_dense_sampling_sees_and_its_line_is_free(
    scene: tuple[PlacedShape, PlacedShape, list[PlacedShape]],
) -> None:
    viewer, target, blockers = scene
    found = find_sight_line(viewer, target, blockers)
    if is_seen_by_sampling(sample_outline(viewer), sample_outline(target), blockers):
        assert found is not None
    if found is not None:
        assert not any(draw_polygon(blocker).buffer(-1e-3).intersects(draw_line(found)) for blocker in blockers)
        assert draw_polygon(viewer).distance(shapely.Point(found.near)) < 1e-3
        assert draw_polygon(target).distance(shapely.Point(found.far)) < 1e-3


@settings(max_examples=40)
@given(scenes(), angles)
def test_an_edge_sees_all_ahead_that_dense_sampling_sees(
    scene: tuple[PlacedShape, PlacedShape, list[PlacedShape]], turn: float
) -> None:
    _, target, blockers = scene
    half = np.array((math.cos(turn), math.sin(turn))) * 40
    first, last = np.array((VIEWER_X, 0)) - half, np.array((VIEWER_X, 0)) + half
    ahead = np.array((half[1], -half[0]))
    goals = sample_outline(target, 60)
    goals = goals[(goals - first) @ ahead >= 0]
    found = find_sight_line(
        ViewingEdge(first=(first[0], first[1]), last=(last[0], last[1])), target, blockers, ahead=True
    )
    if is_seen_by_sampling(np.linspace(first, last, 40), goals, blockers):
        assert found is not None
    if found is not None:
        assert (np.array(found.far) - found.near) @ ahead >= -1e-4
        assert not any(draw_polygon(blocker).buffer(-1e-3).intersects(draw_line(found)) for blocker in blockers)


@settings(max_examples=40)
@given(placed_shapes(small), placed_shapes(small), st.lists(placed_shapes(small), max_size=6))
def test_sight_is_mutual_and_one_more_blocker_never_opens_it(
    viewer: PlacedShape, target: PlacedShape, blockers: list[PlacedShape]
) -> None:
    there = find_sight_line(viewer, target, blockers)
    assert (there is None) == (find_sight_line(target, viewer, blockers) is None)
    if there is None:
        assert find_sight_line(viewer, target, [*blockers, place_shape(DISC, 0, 0)]) is None
    else:
        assert not any(draw_polygon(blocker).buffer(-1e-3).intersects(draw_line(there)) for blocker in blockers)


@pytest.mark.parametrize("hole", [7 + 5j, -9 + 2j, 3 - 11j, 12.5 + 1j, -4 - 6.5j])
def test_a_pinhole_that_only_blockers_bound_is_seen_through(hole: complex) -> None:
    disc = PlacedShape(shape=Round(radius_mm=20), x_mm=0, y_mm=0)

    def ring(distance_mm: float) -> list[PlacedShape]:
        """Three large discs that cover everything near, but for a hole if they are not near enough to each other."""
        centres = [hole + distance_mm * np.exp(2j * math.pi * k / 3 + 0.3j) for k in range(3)]
        return [PlacedShape(shape=Round(radius_mm=100), x_mm=c.real, y_mm=c.imag) for c in centres]

    found = find_sight_line(disc, disc, ring(100.05))
    assert found is not None
    assert math.dist(found.near, (hole.real, hole.imag)) < 0.2
    assert find_sight_line(disc, disc, ring(99.95)) is None
