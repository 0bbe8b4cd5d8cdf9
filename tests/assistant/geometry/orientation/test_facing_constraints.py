import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.furthest_point import find_furthest_point
from assistant.geometry.clearance.shape_clearance import clearance, edge_clearance
from assistant.geometry.motion.path_length import measure_furthest_displacement
from assistant.geometry.orientation.facing_constraints import (
    Nearness,
    build_displacement_constraint,
    build_holding_constraint,
    build_least_displacement_constraint,
    build_nearness_constraint,
    build_obstacle_constraint,
    build_table_constraint,
)
from assistant.geometry.orientation.facing_search import Before, FacingConstraint, Stances
from assistant.geometry.orientation.separation import find_turn_mm
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import decompose_placed
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles, placed_shapes, places, shapes

WIDE = 1e6


def measure_room(legal: FacingConstraint, placed: PlacedShape, enough_mm: float = WIDE) -> float:
    stances = Stances(
        places=np.array([(placed.x_mm, placed.y_mm)]),
        owners=np.zeros(1, dtype=np.intp),
        facings=np.array([placed.facing_rad]),
        turns=np.zeros(1, dtype=np.intp),
        enough_mm=enough_mm,
        floor_mm=-math.inf,
    )
    legal.room(stances)
    return float(stances.rooms[0])


@settings(max_examples=60)
@given(shapes, placed_shapes(), places, places, angles)
def test_room_beside_an_obstacle_is_no_more_than_its_clearance(
    base: Base, other: PlacedShape, x: float, y: float, facing: float
) -> None:
    placed = PlacedShape(shape=base, x_mm=x, y_mm=y, facing_rad=facing)
    mm, room = (
        clearance(placed, other).mm,
        measure_room(build_obstacle_constraint(base, decompose_placed(other)), placed),
    )
    assert room <= mm + 1e-5
    if abs(mm) > 0.7:  # a needle's tip between two of the directions that are tried
        assert (room > 0) == (mm > 0)


@settings(max_examples=40)
@given(angles, st.integers(0, 3), st.floats(0, 40), places)
def test_parallel_sides_are_told_to_the_last_digit(facing: float, quarters: int, apart: float, along: float) -> None:
    base = Rect(length_mm=40, width_mm=40)
    other = PlacedShape(shape=base, x_mm=10, y_mm=20, facing_rad=facing + quarters * math.pi / 2)
    cos, sin = math.cos(facing), math.sin(facing)
    beside = PlacedShape(
        shape=base,
        x_mm=10 + (40 + apart) * cos - along / 10 * sin,
        y_mm=20 + (40 + apart) * sin + along / 10 * cos,
        facing_rad=facing,
    )
    room = measure_room(build_obstacle_constraint(base, decompose_placed(other)), beside)
    assert room == pytest.approx(apart, abs=1e-6)


@settings(max_examples=40)
@given(shapes, placed_shapes(), angles, st.floats(-1, 1), st.floats(0, 6))
def test_room_changes_no_faster_than_the_base_moves(
    base: Base, other: PlacedShape, facing: float, step: float, bearing: float
) -> None:
    legal = build_obstacle_constraint(base, decompose_placed(other)).combine(build_table_constraint(base, 400, 300, 2))
    here = PlacedShape(shape=base, x_mm=120, y_mm=90, facing_rad=facing)
    there = replace(here, x_mm=120 + step * math.cos(bearing), y_mm=90 + step * math.sin(bearing))
    assert abs(measure_room(legal, here) - measure_room(legal, there)) <= abs(step) + 0.05


@settings(max_examples=40)
@given(shapes, places, places, angles)
def test_room_at_the_table_edge_is_the_clearance_but_for_the_margin(
    base: Base, x: float, y: float, turn: float
) -> None:
    placed = PlacedShape(shape=base, x_mm=x, y_mm=y, facing_rad=turn)
    room = measure_room(build_table_constraint(base, 300, 200, 5), placed)
    assert room == pytest.approx(edge_clearance(placed, 300, 200).mm - 5, abs=0.01)


@pytest.mark.parametrize("base", [Oval(length_mm=75, width_mm=42), Rect(length_mm=60, width_mm=40), L_SHAPE])
@settings(max_examples=25)
@given(x=places, y=places, turn=angles, limit=st.floats(20, 300))
def test_displaced_within_a_limit(base: Base, x: float, y: float, turn: float, limit: float) -> None:
    start = PlacedShape(shape=base, x_mm=30, y_mm=-20, facing_rad=0.4)
    end = replace(start, x_mm=x, y_mm=y, facing_rad=turn)
    gone = measure_furthest_displacement([start, end]).mm
    within, beyond = build_displacement_constraint(start, limit), build_least_displacement_constraint(start, limit)
    if abs(gone - limit) > 0.2:
        assert (measure_room(within, end) > 0) == (gone < limit)
        assert (measure_room(beyond, end) > 0) == (gone > limit)
    assert abs(measure_room(within, end)) <= abs(limit - gone) + 0.2


@settings(max_examples=40)
@given(shapes, st.lists(placed_shapes(), min_size=1, max_size=3), places, places, angles)
def test_near_to_as_many_as_are_needed(
    base: Base, others: list[PlacedShape], x: float, y: float, facing: float
) -> None:
    placed = PlacedShape(shape=base, x_mm=x, y_mm=y, facing_rad=facing)
    ranges = [10.0, 80.0, 40.0][: len(others)]
    left = sorted(mm - clearance(placed, other).mm for other, mm in zip(others, ranges, strict=True))
    for needed in range(1, len(others) + 1):
        asked = Nearness(others=list(zip(others, ranges, strict=True)), needed=needed)
        room = measure_room(build_nearness_constraint(base, [asked]), placed)
        if left[-needed] < 60 and all(mm < 100 for mm in left):
            assert room == pytest.approx(left[-needed], abs=0.8)
    lacking = Nearness(others=[(others[0], 10.0)], needed=2)
    assert measure_room(build_nearness_constraint(base, [lacking]), placed) == -math.inf


@settings(max_examples=30)
@given(shapes, placed_shapes(st.builds(Round, radius_mm=st.floats(5, 80))), places, places, angles)
def test_wholly_within_a_range(base: Base, other: PlacedShape, x: float, y: float, facing: float) -> None:
    placed = PlacedShape(shape=base, x_mm=x, y_mm=y, facing_rad=facing)
    room = measure_room(build_holding_constraint(base, other, 76.2), placed)
    furthest = find_furthest_point(placed, other).mm
    assert room == pytest.approx(76.2 - furthest, abs=0.15) if furthest > 0 else room > 76


@pytest.mark.parametrize("base", [Rect(length_mm=60, width_mm=40), Oval(length_mm=90, width_mm=52), L_SHAPE])
def test_room_is_the_same_beside_what_was_measured_nearby_before(base: Base) -> None:
    rng = np.random.default_rng(2)
    others = [
        PlacedShape(shape=shape, x_mm=rng.uniform(0, 300), y_mm=rng.uniform(0, 300), facing_rad=rng.uniform(-3, 3))
        for shape in (Round(radius_mm=20), Rect(length_mm=50, width_mm=30), Oval(length_mm=60, width_mm=35), L_SHAPE)
    ]
    legal = build_obstacle_constraint(base, [part.grow(9.0) for other in others for part in decompose_placed(other)])
    places, facings, count = rng.uniform(0, 300, (400, 2)), rng.uniform(-3, 3, 400), np.arange(400)
    moved, turned = rng.uniform(-1, 1, (400, 2)), rng.uniform(-0.05, 0.05, 400)
    moved_mm = math.sqrt(2) + 0.05 * find_turn_mm(base)

    def measure(enough_mm: float, at: float, before: Before | None) -> Stances:
        stances = Stances(
            places=places + at * moved,
            owners=count,
            facings=facings + at * turned,
            turns=count,
            enough_mm=enough_mm,
            floor_mm=-math.inf,
            before=before,
            origins=count,
        )
        legal.room(stances)
        return stances

    before = Before(stances=measure(16.0, 0.0, None), moved_mm=moved_mm)
    again, alone = measure(8.0, 1.0, before), measure(8.0, 1.0, None)
    assert (before.stances.rooms < 8.0).any()
    assert np.minimum(again.rooms, 8.0) == pytest.approx(np.minimum(alone.rooms, 8.0))
