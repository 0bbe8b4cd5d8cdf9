"""The plan of laying a table: every piece once, twins together, and marks that are seen beside what lies."""

import math
from dataclasses import replace

import pytest
import shapely

from assistant.features.laying.plan import TICK_FROM_MM, TICK_TO_MM, draw_laying, find_next, plan_laying
from assistant.game.state import GameState, Objective, Table, Terrain
from assistant.layouts.packs import find_packed_layout, list_layouts
from assistant.layouts.placing import place_layout

TABLE = Table(width_mm=1524, depth_mm=1118)


def make_box(name: str, x_mm: float, y_mm: float, side_mm: float) -> Terrain:
    far_x, far_y = x_mm + side_mm, y_mm + side_mm
    return Terrain(id=name, outline_mm=((x_mm, y_mm), (far_x, y_mm), (far_x, far_y), (x_mm, far_y)))


def make_game(*terrain: Terrain) -> GameState:
    marker = Objective(id="A", x_mm=762, y_mm=559, radius_mm=20)
    return GameState(rulebook="none", table=TABLE, units=(), terrain=terrain, objectives=(marker,))


def test_large_pieces_come_first_each_beside_its_twin_and_the_nearest_next_and_markers_last() -> None:
    state = make_game(
        make_box("crate", 100, 100, 50),
        make_box("crate-twin", 1300, 900, 50),
        make_box("ruin", 300, 100, 240),
        make_box("ruin-walls", 310, 110, 100),
        make_box("ruin-twin", 900, 700, 240),
        make_box("ruin-twin-walls", 910, 710, 100),
        make_box("ruin-2", 30, 600, 230),
    )
    steps = plan_laying(state)
    assert [step.id for step in steps] == ["ruin-2", "ruin", "ruin-twin", "crate-twin", "crate", "objective A"]
    assert [step.number for step in steps] == [1, 2, 3, 4, 5, 6]
    assert [len(step.outlines_mm) for step in steps] == [1, 2, 2, 1, 1, 1]


@pytest.mark.parametrize("name", [one.name for one in list_layouts()])
def test_a_step_is_a_feature_of_the_layout(name: str) -> None:
    placed = place_layout(find_packed_layout(name).layout)
    game = make_game(*placed.terrain)
    steps = plan_laying(replace(game, objectives=placed.objectives))
    features = {feature.id: len(feature.pieces) for feature in placed.features}
    assert {step.id: len(step.outlines_mm) for step in steps[: len(features)]} == features
    assert len(steps) == len(features) + len(placed.objectives)


def test_the_next_piece_stands_out_and_its_marks_are_beside_it() -> None:
    steps = plan_laying(make_game(make_box("ruin", 300, 100, 240), make_box("crate", 100, 100, 50)))
    assert find_next(steps, {"ruin"}) == "crate"
    assert find_next(steps, {step.id for step in steps}) is None
    shapes = {shape.key: shape for shape in draw_laying(steps, {"ruin"})}
    assert {key: shape.style for key, shape in shapes.items()} == {
        "laying:ruin": "laying-done",
        "laying:crate": "laying-next",
        "laying-marks:crate": "laying-next",
        "laying:objective A": "laying-to-come",
    }
    ticks = shapes["laying-marks:crate"].rings_mm
    piece = shapely.Polygon(steps[1].outlines_mm[0])
    assert len(ticks) == 8
    assert all(shapely.LineString(tick).distance(piece) == pytest.approx(TICK_FROM_MM) for tick in ticks)
    last = {shape.key: shape for shape in draw_laying(steps, {"ruin", "crate"})}
    rays = last["laying-marks:objective A"].rings_mm
    assert len(rays) == 4, "what is round has no corners"
    for ray in rays:
        assert [math.dist(at, (762, 559)) for at in ray] == pytest.approx(
            [20 + TICK_FROM_MM, 20 + TICK_TO_MM], abs=0.05
        )


def test_only_corners_that_stand_out_are_marked() -> None:
    bent = ((0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (50.0, 50.0), (0.0, 100.0))
    for outline in (bent, bent[::-1]):
        steps = plan_laying(make_game(Terrain(id="bent", outline_mm=outline)))
        shapes = {shape.key: shape for shape in draw_laying(steps, ())}
        assert len(shapes["laying-marks:bent"].rings_mm) == 2 * 4


def test_a_crescent_whose_middle_is_beside_it_is_marked_where_it_can_be() -> None:
    disc = shapely.Point(500, 500).buffer(200, quad_segs=16)
    crescent = disc.difference(shapely.Point(560, 500).buffer(190, quad_segs=16))
    outline = tuple((float(x), float(y)) for x, y in shapely.get_coordinates(crescent)[:-1])
    steps = plan_laying(make_game(Terrain(id="moon", outline_mm=outline)))
    shapes = {shape.key: shape for shape in draw_laying(steps, ())}
    rays = shapes["laying-marks:moon"].rings_mm
    assert rays
    assert all(math.isfinite(value) for ray in rays for at in ray for value in at)


def test_walls_and_floors_are_lit_with_their_own_piece_alone() -> None:
    steps = plan_laying(make_game(make_box("ruin", 300, 100, 240), make_box("ruin-wall", 310, 110, 20)))
    for laid, lit in ((set[str](), 2), ({"ruin"}, 1)):
        shapes = {shape.key: shape for shape in draw_laying(steps, laid)}
        assert len(shapes["laying:ruin"].rings_mm) == lit
