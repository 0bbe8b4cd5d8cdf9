import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.shape_clearance import Point, clearance
from assistant.geometry.motion import contact
from assistant.geometry.motion.contact import (
    LegMotion,
    PathSpan,
    ProximityZone,
    cut_path,
    find_contact_changes,
    find_first_contact,
    find_level_shares,
    find_pose,
    find_spans_within,
    measure_travel_within_mm,
    shrink_zone,
)
from assistant.geometry.motion.path_length import measure_centre_travel
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import decompose_convex
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles, placed_shapes, places

DISC, STAND = Round(radius_mm=16), Rect(length_mm=40, width_mm=20)
BARS = Rect(length_mm=150, width_mm=6)


def place_shape(shape: Base, x: float, y: float, facing: float = 0.0, z: float = 0.0) -> PlacedShape:
    return PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=facing, z_mm=z)


@st.composite
def paths(draw: st.DrawFn, legs: int = 2) -> list[PlacedShape]:
    start = draw(placed_shapes())
    return [
        start,
        *(replace(start, x_mm=draw(places), y_mm=draw(places), facing_rad=draw(angles)) for _ in range(legs)),
    ]


def move_shape(placed: PlacedShape, x: float, y: float, turn: float) -> PlacedShape:
    cos, sin = math.cos(turn), math.sin(turn)
    return replace(
        placed,
        x_mm=x + placed.x_mm * cos - placed.y_mm * sin,
        y_mm=y + placed.x_mm * sin + placed.y_mm * cos,
        facing_rad=placed.facing_rad + turn,
    )


@settings(max_examples=20)
@given(paths(), st.lists(placed_shapes(), min_size=2, max_size=6), st.floats(0.0, 30.0))
def test_the_first_contact_is_the_first_of_those_with_each_zone(
    path: list[PlacedShape], others: list[PlacedShape], range_mm: float
) -> None:
    zones = [ProximityZone(other=other, range_mm=range_mm) for other in others]
    alone = [find_first_contact(path, [zone]) for zone in zones]
    times = [math.inf if met is None else met.time for met in alone]
    found = find_first_contact(path, zones)
    assert (math.inf if found is None else found.time) == min(times)
    assert found is None or found.zone == times.index(min(times))


def assert_same(found: Sequence[PathSpan], expected: Sequence[PathSpan], *, within: float) -> None:
    """The same spans, but for such as are hardly longer than an instant."""
    one, two = ([span for span in spans if span.end - span.start > within] for spans in (found, expected))
    assert len(one) == len(two)
    for a, b in zip(one, two, strict=True):
        assert (a.start, a.end) == pytest.approx((b.start, b.end), abs=within)


@settings(max_examples=30)
@given(paths(), placed_shapes(), st.sampled_from([0.0, 25.4, 60.0]))
def test_spans_agree_with_dense_sampling(path: list[PlacedShape], other: PlacedShape, range_mm: float) -> None:
    zone = ProximityZone(other=other, range_mm=range_mm)
    spans = find_spans_within(path, zone)
    for time in np.linspace(0, len(path) - 1, 101).tolist():
        mm = clearance(find_pose(path, time), other).mm - range_mm
        inside = any(span.start <= time <= span.end for span in spans)
        assert mm <= 1e-6 if inside else mm >= -1e-6
    for time in [time for span in spans for time in (span.start, span.end) if time not in (0.0, len(path) - 1.0)]:
        assert clearance(find_pose(path, time), other).mm == pytest.approx(range_mm, abs=1e-6)
    first = find_first_contact(path, [zone])
    assert (first is None) == (not spans)
    if first is not None:
        assert first.time == pytest.approx(spans[0].start, abs=1e-9)


@settings(max_examples=12)
@given(paths(1), placed_shapes(), st.sampled_from([0.0, 25.4]))
def test_there_is_no_earlier_contact(path: list[PlacedShape], other: PlacedShape, range_mm: float) -> None:
    found = find_first_contact(path, [ProximityZone(other=other, range_mm=range_mm)])
    for time in np.arange(0.0, found.time if found else 1.0, 1e-3).tolist():
        assert clearance(find_pose(path, time), other).mm > range_mm - 1e-6


@settings(max_examples=25)
@given(paths(), placed_shapes())
def test_the_way_back_mirrors_the_spans(path: list[PlacedShape], other: PlacedShape) -> None:
    zone, legs = ProximityZone(other=other, range_mm=10.0), len(path) - 1
    back = [
        PathSpan(start=legs - span.end, end=legs - span.start) for span in reversed(find_spans_within(path[::-1], zone))
    ]
    assert_same(find_spans_within(path, zone), back, within=2e-6)


@settings(max_examples=25)
@given(paths(), placed_shapes(), places, places, angles)
def test_rigid_motion_changes_no_time(
    path: list[PlacedShape], other: PlacedShape, x: float, y: float, turn: float
) -> None:
    carried = find_spans_within(
        [move_shape(p, x, y, turn) for p in path], ProximityZone(other=move_shape(other, x, y, turn), range_mm=10.0)
    )
    assert_same(carried, find_spans_within(path, ProximityZone(other=other, range_mm=10.0)), within=2e-6)


@settings(max_examples=12)
@given(paths(1), st.builds(Oval, length_mm=st.floats(5, 150), width_mm=st.floats(5, 150)), st.floats(0.2, 5.0))
def test_scale_changes_no_time(path: list[PlacedShape], oval: Oval, scale: float) -> None:
    def scaled(placed: PlacedShape) -> PlacedShape:
        match placed.shape:
            case Round(radius_mm=r):
                shape: Base = Round(radius_mm=r * scale)
            case Oval(length_mm=a, width_mm=b):
                shape = Oval(length_mm=a * scale, width_mm=b * scale)
            case Rect(length_mm=a, width_mm=b):
                shape = Rect(length_mm=a * scale, width_mm=b * scale)
            case Outline(points_mm=points):
                shape = Outline(points_mm=tuple((u * scale, v * scale) for u, v in points))
        return replace(placed, shape=shape, x_mm=placed.x_mm * scale, y_mm=placed.y_mm * scale)

    other = place_shape(oval, 10, -20, 0.4)
    assert_same(
        find_spans_within([scaled(p) for p in path], ProximityZone(other=scaled(other), range_mm=10.0 * scale)),
        find_spans_within(path, ProximityZone(other=other, range_mm=10.0)),
        within=2e-6,
    )


def test_discs_meet_where_the_quadratic_says() -> None:
    path = [place_shape(DISC, 0, 0), place_shape(DISC, 100, 0), place_shape(DISC, 300, 0)]
    zone = ProximityZone(other=place_shape(DISC, 200, 20), range_mm=8.0)
    found = find_first_contact(path, [zone])
    x = 200 - math.sqrt(40**2 - 20**2)
    assert found is not None
    assert found.time == pytest.approx(1 + (x - 100) / 200, abs=1e-10)
    assert found.at.x_mm == pytest.approx(x, abs=1e-8)
    assert math.dist(found.clearance.near, found.clearance.far) == pytest.approx(8.0, abs=1e-8)
    (span,) = find_spans_within(path, zone)
    assert span.end == pytest.approx(1 + (400 - x - 100) / 200, abs=1e-10)


def test_a_turn_on_the_spot_sweeps_its_corner_into_a_wall() -> None:
    # The corner of a 40 x 20 stand is 22.36 mm from its centre and comes to x = 21 when it is 20.1 degrees off x.
    wall = place_shape(Rect(length_mm=10, width_mm=200), 26, 0)
    path = [place_shape(STAND, 0, 0, 0.0), place_shape(STAND, 0, 0, 1.0)]
    (span,) = find_spans_within(path, ProximityZone(other=wall))
    corner, swing = math.atan2(10, 20), math.acos(21 / math.hypot(20, 10))
    assert (span.start, span.end) == pytest.approx((corner - swing, corner + swing), abs=1e-9)


def test_a_graze_is_a_touch_and_a_hair_less_is_none() -> None:
    other = place_shape(DISC, 100, 32)
    touching, passing = ([place_shape(DISC, 0, y), place_shape(DISC, 200, y)] for y in (0.0, -1e-8))
    found = find_first_contact(touching, [ProximityZone(other=other)])
    assert found is not None
    assert found.time == pytest.approx(0.5, abs=1e-5)
    assert find_first_contact(passing, [ProximityZone(other=other)]) is None
    assert find_first_contact(touching, [ProximityZone(other=other, range_mm=-1e-6)]) is None


def test_a_turning_corner_that_just_reaches_a_wall_grazes_it() -> None:
    reach = math.hypot(20, 10)
    path = [place_shape(STAND, 0, 0, -0.9), place_shape(STAND, 0, 0, 0.9)]
    for gap, touches in ((0.0, 2), (1e-7, 0)):
        spans = find_spans_within(
            path, ProximityZone(other=place_shape(Rect(length_mm=10, width_mm=200), reach + 5 + gap, 0))
        )
        assert len(spans) == touches
        shares = [(0.9 + sign * math.atan2(10, 20)) / 1.8 for sign in (-1, 1)][:touches]
        assert [span.start for span in spans] == pytest.approx(shares, abs=1e-4)


def test_a_slide_along_an_edge_touches_all_the_way() -> None:
    path = [place_shape(STAND, 0, 0), place_shape(STAND, 300, 0)]
    (span,) = find_spans_within(path, ProximityZone(other=place_shape(Rect(length_mm=100, width_mm=20), 150, 20)))
    assert (span.start, span.end) == pytest.approx((80 / 300, 220 / 300), abs=1e-9)
    assert (
        find_spans_within(path, ProximityZone(other=place_shape(Rect(length_mm=100, width_mm=20), 150, 20.001))) == ()
    )


def test_a_base_moves_on_and_out_of_a_notch_that_it_fits() -> None:
    notched = place_shape(L_SHAPE, 0, 0)
    small = Round(radius_mm=5)
    path = [place_shape(small, 60, 40), place_shape(small, 15, 15), place_shape(small, 60, 40)]
    assert find_spans_within(path, ProximityZone(other=notched)) == ()
    into = [place_shape(small, 60, 40), place_shape(small, 8, 8), place_shape(small, 60, 40)]
    (span,) = find_spans_within(into, ProximityZone(other=notched))
    assert span.start == pytest.approx(2 - span.end, abs=1e-8)
    assert clearance(find_pose(into, span.start), notched).mm == pytest.approx(0, abs=1e-8)


def test_bars_that_cross_without_a_corner_in_each_other_stay_met() -> None:
    path = [place_shape(BARS, -60, 0, math.pi / 2), place_shape(BARS, 60, 0, math.pi / 2 + 0.3)]
    (span,) = find_spans_within(path, ProximityZone(other=place_shape(BARS, 0, 0)))
    assert span == PathSpan(start=0.0, end=1.0)


def test_who_swings_out_of_a_slab_and_back_is_free_between() -> None:
    # A block 35 mm off its centre swings out over the far side of a slab that it is in at both ends of its turn; then
    # the slab is what turns, around a centre 19 mm beside it.
    block = Outline(points_mm=((30, -5), (40, -5), (40, 5), (30, 5)))
    slab = Outline(points_mm=((14, -60), (24, -60), (24, 60), (14, 60)))
    for mover, other in (
        (place_shape(block, 0, 0), place_shape(slab, 0, 0)),
        (place_shape(slab, 0, 0), place_shape(block, 0, 0)),
    ):
        first, last = find_spans_within([replace(mover, facing_rad=f) for f in (-1.0, 1.0)], ProximityZone(other=other))
        assert (first.start, last.end) == (0.0, 1.0)
        assert first.end == pytest.approx(1 - last.start, abs=1e-8)
        # One of the block's inner corners, (30, -5) or its mirror image, is the last to leave the slab's far side.
        out = math.acos(24 / math.hypot(30, 5)) - math.atan2(5, 30)
        assert first.end == pytest.approx((1 - out) / 2, abs=1e-9)


def test_a_round_base_turns_without_anything_happening() -> None:
    round_oval = Oval(length_mm=32, width_mm=32)
    for shape in (DISC, round_oval):
        (span,) = find_spans_within(
            [place_shape(shape, 0, 0), place_shape(shape, 0, 0, 2.0)], ProximityZone(other=place_shape(DISC, 32, 0))
        )
        assert span == PathSpan(start=0.0, end=1.0)
        assert (
            find_spans_within(
                [place_shape(shape, 0, 0), place_shape(shape, 0, 0, 2.0)],
                ProximityZone(other=place_shape(DISC, 32.001, 0)),
            )
            == ()
        )


def test_a_start_in_the_zone_is_contact_at_once() -> None:
    path = [place_shape(DISC, 0, 0), place_shape(DISC, -100, 0)]
    found = find_first_contact(path, [ProximityZone(other=place_shape(DISC, 40, 0), range_mm=25.4)])
    assert found is not None
    assert found.time == 0.0
    assert find_first_contact(path[:1], [ProximityZone(other=place_shape(DISC, 40, 0), range_mm=25.4)]) is not None
    assert find_first_contact(path[:1], [ProximityZone(other=place_shape(DISC, 90, 0), range_mm=25.4)]) is None


def test_who_starts_in_a_zone_may_leave_it_but_go_no_deeper() -> None:
    zone = ProximityZone(other=place_shape(DISC, 50, 0), range_mm=25.4)
    start = place_shape(DISC, 0, 0)
    own = shrink_zone(zone, start)
    assert find_first_contact([start, place_shape(DISC, -100, 0)], [own]) is None
    assert find_first_contact([start, place_shape(DISC, 50, 50), place_shape(DISC, 0, 0)], [own]) is not None
    found = find_first_contact([start, place_shape(DISC, 0, 30), place_shape(DISC, 30, 0)], [own])
    assert found is not None
    assert found.time > 1
    assert found.clearance.mm == pytest.approx(18.0, abs=2e-6)
    clear = place_shape(DISC, -200, 0)
    assert shrink_zone(zone, clear).range_mm == pytest.approx(25.4, abs=2e-6)


def test_the_first_of_many_zones_is_named() -> None:
    path = [place_shape(DISC, 0, 0), place_shape(DISC, 100, 0), place_shape(DISC, 300, 0)]
    zones = [
        ProximityZone(other=place_shape(DISC, 280, 0)),
        ProximityZone(other=place_shape(DISC, 90, 500)),
        ProximityZone(other=place_shape(DISC, 200, 0)),
    ]
    found = find_first_contact(path, zones)
    assert found is not None
    assert found.zone == 2
    assert found.at.x_mm == pytest.approx(168)
    assert find_first_contact(path, []) is None
    reordered = find_first_contact(path, zones[::-1])
    assert reordered is not None
    assert (reordered.zone, reordered.time) == (0, found.time)


def test_heights_out_of_reach_do_not_count() -> None:
    path = [place_shape(DISC, 0, 0, z=100), place_shape(DISC, 100, 0, z=0)]
    zone = ProximityZone(other=place_shape(DISC, 60, 0), heights_mm=(-50, 50))
    (span,) = find_spans_within(path, zone)
    found = find_first_contact(path, [zone])
    assert found is not None
    assert found.time == span.start == pytest.approx(0.5)
    assert found.clearance.mm == pytest.approx(-22)
    assert span.end == pytest.approx(0.92)
    assert find_first_contact(path, [replace(zone, heights_mm=(-50, -1))]) is None
    assert find_first_contact([place_shape(DISC, 0, 0, z=100), place_shape(DISC, 100, 0, z=100)], [zone]) is None


def test_the_level_part_of_a_leg() -> None:
    low, high = place_shape(DISC, 0, 0), place_shape(DISC, 0, 0, z=80)
    assert find_level_shares(low, high, (20, 60)) == (0.25, 0.75)
    assert find_level_shares(high, low, (-math.inf, 20)) == (0.75, 1.0)
    assert find_level_shares(low, high, (90, 99)) is None
    assert find_level_shares(low, low, (0, 0)) == (0.0, 1.0)


def test_a_path_is_cut_where_it_turns_illegal() -> None:
    path = [place_shape(DISC, 0, 0), place_shape(DISC, 100, 0), place_shape(DISC, 300, 0)]
    found = find_first_contact(path, [ProximityZone(other=place_shape(DISC, 200, 0))])
    assert found is not None
    legal = cut_path(path, found.time)
    assert [p.x_mm for p in legal] == pytest.approx([0, 100, 168])
    assert cut_path(path, 0.0) == (path[0],)
    assert cut_path(path, 1.0) == tuple(path[:2])
    assert cut_path(path, 2.0) == tuple(path)


@settings(max_examples=25)
@given(paths(), st.floats(0, 2), st.floats(0, 2))
def test_travel_within_spans_is_that_of_the_pieces(path: list[PlacedShape], one: float, two: float) -> None:
    low, high = sorted((one, two))
    until = [measure_centre_travel(cut_path(path, time)).mm for time in (low, high)]
    within = measure_travel_within_mm(path, [PathSpan(start=low, end=high)])
    assert within == pytest.approx(until[1] - until[0], abs=1e-9)
    spans = [PathSpan(start=0.0, end=low), PathSpan(start=low, end=2.0)]
    assert measure_travel_within_mm(path, spans) == pytest.approx(measure_centre_travel(path).mm)


@pytest.mark.parametrize("gap_mm", [0.0, 5e-10, 2e-9, 1e-8])
def test_one_that_slides_along_another_is_asked_about_in_few_places(
    monkeypatch: pytest.MonkeyPatch, gap_mm: float
) -> None:
    """So near to each other, the direction between their nearest points is one of rounding, and proves nothing."""
    (part,) = decompose_convex(Rect(length_mm=40, width_mm=20))
    measure, asked = contact._MovingPair.measure, list[float]()

    def count(pair: contact._MovingPair, share: float) -> tuple[float, Point]:
        asked.append(share)
        assert len(asked) < 100
        return measure(pair, share)

    monkeypatch.setattr(contact._MovingPair, "measure", count)
    for turn in np.arange(0.0, 2 * math.pi, 0.3).tolist():
        along, beside = np.array((math.cos(turn), math.sin(turn))), np.array((-math.sin(turn), math.cos(turn)))
        place = np.array((400.0, 300.0)) + (20 + gap_mm) * beside
        leg = LegMotion(place_mm=place - 60 * along, step_mm=120 * along, facing_rad=turn, turn_rad=0.0)
        asked.clear()
        met = list(find_contact_changes(part, part.move(400.0, 300.0, turn), leg))
        assert met == pytest.approx([1 / 6, 5 / 6] if met else [], abs=1e-6)
