import random
from dataclasses import replace

import numpy as np
import pytest
import shapely

from assistant.game.state import GameState, Model, Pose, Unit
from assistant.rules.books.warmaster_revolution.line_of_sight import Visibility, find_visibility, list_edges
from assistant.rules.engine.situation_index import index_situation
from tests.assistant.rules.books.warmaster_revolution.table_builders import build_box, build_table, build_unit

A = build_unit("a", "red", (300, 300, 0))
FOE = build_unit("e", "blue", (400, 300, 180))


def find_foe_visibility(state: GameState, *, all_round: bool = False, touch_mm: float = 1.0) -> Visibility:
    return find_visibility(index_situation(state), "a", "e", all_round=all_round, touch_mm=touch_mm)


def test_the_edges_of_a_stand_begin_with_its_front() -> None:
    (stand,) = build_unit("a", "red", (300, 300, 90)).models
    front, left, rear, right = list_edges(stand)
    assert (*front.first, *front.last) == pytest.approx((320, 310, 280, 310))
    assert (*left.first, *left.last) == pytest.approx((280, 310, 280, 290))
    assert (*rear.first, *rear.last) == pytest.approx((280, 290, 320, 290))
    assert (*right.first, *right.last) == pytest.approx((320, 290, 320, 310))


def test_nothing_in_between() -> None:
    assert find_foe_visibility(build_table(A, FOE)) == Visibility(seen=True, before=True)


@pytest.mark.parametrize(
    ("x", "sigma_mm", "before"),
    [
        (301.0, 0.0, True),
        (300.0, 0.0, True),  # its front corners reach to x 310, level with the front edge
        (299.9, 0.0, False),
        (301.0, 0.2, True),
        (300.1, 0.2, None),
        (299.9, 0.2, None),
        (299.0, 0.2, False),
    ],
)
def test_only_what_is_before_the_front_edge(x: float, sigma_mm: float, before: bool | None) -> None:
    beside = build_unit("e", "blue", (x, 380, 0), sigma_mm=sigma_mm)
    state = build_table(build_unit("a", "red", (300, 300, 0), sigma_mm=sigma_mm), beside)
    assert find_foe_visibility(state) == Visibility(seen=before, before=before)


@pytest.mark.parametrize(
    ("traits", "seen"),
    [("wall", False), ("hill", False), ("dense", False), ("bridge", False), ("", False)]
    + [(trait, True) for trait in ("wall low", "river", "road", "field", "obstacle", "fortified", "dense low")],
)
def test_terrain_by_trait(traits: str, seen: bool) -> None:
    screen = build_box("screen", 350, 100, 360, 500, *traits.split())
    assert find_foe_visibility(build_table(A, FOE, terrain=(screen,))) == Visibility(seen=seen, before=True)


def build_line(gap_mm: float, sigma_mm: float = 0.0, player: str = "red") -> Unit:
    """Return four stands across the view, side by side."""
    return build_unit("b", player, *((340, 240 + (40 + gap_mm) * place, 0) for place in range(4)), sigma_mm=sigma_mm)


@pytest.mark.parametrize("player", ["red", "blue"])
@pytest.mark.parametrize(("gap_mm", "seen"), [(0.0, False), (0.3, False), (0.999, False), (1.001, True), (5.0, True)])
def test_stands_that_touch_leave_nothing_to_look_through(player: str, gap_mm: float, seen: bool) -> None:
    assert find_foe_visibility(build_table(A, build_line(gap_mm, player=player), FOE)).seen is seen


def test_characters_are_looked_past() -> None:
    heroes = build_unit("h", "red", *((340, 240 + 25 * place, 0) for place in range(6)), troop="character")
    assert find_foe_visibility(build_table(A, heroes, FOE)).seen


def test_the_own_unit_is_in_the_way_and_the_seen_one_is_not() -> None:
    ranks = build_unit("a", "red", (300, 300, 180), (320, 300, 180), (340, 300, 180))  # who faces away sees nothing
    assert find_foe_visibility(build_table(ranks, FOE)) == Visibility(seen=False, before=False)
    behind = build_unit("a", "red", (340, 300, 180), (320, 240, 180), (320, 280, 180), (320, 320, 180), (320, 360, 180))
    turned = replace(behind.models[0], id="last", pose=Pose(x_mm=280, y_mm=300))
    assert find_foe_visibility(build_table(replace(behind, models=(*behind.models, turned)), FOE)) == Visibility(
        seen=False, before=True
    )
    deep = build_unit("e", "blue", (400, 300, 180), (420, 300, 180))
    assert find_foe_visibility(build_table(A, deep)).seen


@pytest.mark.parametrize(
    ("top", "seen"), [(319.0, True), (319.9, None), (320.1, None), (321.0, False)]
)  # the foe and the front reach to y 320; a line along its edge is free
def test_two_sigma_leave_it_open(top: float, seen: bool | None) -> None:
    wall = build_box("wall", 350, 100, 360, top, "wall")
    sure = build_table(A, FOE, terrain=(wall,))
    assert find_foe_visibility(sure).seen is (top <= 320)
    measured = build_table(
        build_unit("a", "red", (300, 300, 0), sigma_mm=0.1),
        build_unit("e", "blue", (400, 300, 180), sigma_mm=0.1),
        terrain=(wall,),
    )
    assert find_foe_visibility(measured).seen is seen


def test_all_round_from_free_edges() -> None:
    beside = build_unit("e", "blue", (280, 380, 0))
    assert find_foe_visibility(build_table(A, beside)) == Visibility(seen=False, before=False)
    assert find_foe_visibility(build_table(A, beside), all_round=True) == Visibility(seen=True, before=True)
    rear = build_unit("e", "blue", (200, 300, 0))
    in_line = build_unit("a", "red", (300, 300, 0), (300, 340, 0))  # their rears touch at a point, and are free
    assert find_foe_visibility(build_table(in_line, rear), all_round=True).seen


@pytest.mark.parametrize(
    ("gap_mm", "sigma_mm", "seen"),
    [(0.0, 0.0, False), (0.9, 0.0, False), (1.1, 0.0, True), (0.9, 0.1, None), (1.1, 0.1, None), (2.0, 0.1, True)],
)
def test_an_edge_that_another_stand_touches_does_not_look(gap_mm: float, sigma_mm: float, seen: bool | None) -> None:
    rider = build_unit("a", "red", (300, 300, 0), troop="cavalry", sigma_mm=sigma_mm)  # its left edge runs at y 310
    friend = build_unit("f", "red", (280, 330 + gap_mm, 90), troop="cavalry", sigma_mm=sigma_mm)  # over a quarter of it
    beyond = build_unit("e", "blue", (304, 460, 0))
    assert find_foe_visibility(build_table(rider, friend, beyond), all_round=True).seen is seen


# -- against dense sampling


def sample_points(one: tuple[float, float], other: tuple[float, float], count: int) -> np.ndarray:
    share = np.linspace(0, 1, count)[:, None]
    return np.asarray((1 - share) * one + share * np.array(other))


def build_stand_outline(model: Model) -> shapely.Polygon:
    return shapely.Polygon([edge.first for edge in list_edges(model)])


def sees_by_sampling(state: GameState) -> bool:
    """Look along many lines; seeing is then sure, not seeing nearly so."""
    in_the_way = [build_stand_outline(model) for owner, model in state.iterate_models() if owner.id != "e"]
    for stand in state.find_unit("a").models:
        others = shapely.union_all([each for each in in_the_way if not each.equals(build_stand_outline(stand))])
        front = list_edges(stand)[0]
        normal = np.array((front.last[1] - front.first[1], front.first[0] - front.last[0]))
        for foe in state.find_unit("e").models:
            begins = sample_points(front.first, front.last, 41)
            ends = np.concatenate([sample_points(edge.first, edge.last, 31) for edge in list_edges(foe)])
            ends = ends[(ends - front.first) @ normal >= -1e-9]
            pairs = np.stack((np.repeat(begins, len(ends), axis=0), np.tile(ends, (len(begins), 1))), axis=1)
            solid = shapely.buffer(others, -1e-6, join_style="mitre")
            shapely.prepare(solid)
            if len(pairs) and not shapely.intersects(solid, shapely.linestrings(pairs)).all():
                return True
    return False


def draw_crowd(seed: int, sigma_mm: float = 0.0) -> GameState:
    """Draw a thick crowd in which no two stands overlap or touch."""
    rng, taken, places = random.Random(seed), list[shapely.Polygon](), list[tuple[float, float, float]]()
    while len(places) < 11:
        x, y, facing = rng.uniform(300, 460), rng.uniform(240, 380), rng.uniform(0, 360)
        spot = build_stand_outline(build_unit("x", "red", (x, y, facing)).models[0])
        if all(spot.distance(other) > 4 * sigma_mm + 1.5 for other in taken):
            taken.append(spot)
            places.append((x, y, facing))
    places.sort()
    return build_table(
        build_unit("a", "red", *places[:2], sigma_mm=sigma_mm),
        build_unit("b", "red", *places[2:6], sigma_mm=sigma_mm),
        build_unit("c", "blue", *places[6:9], sigma_mm=sigma_mm),
        build_unit("e", "blue", *places[9:], sigma_mm=sigma_mm),
    )


def test_as_dense_sampling_finds_it() -> None:
    answers = []
    for seed in range(40):
        state = draw_crowd(seed)
        seen = find_foe_visibility(state).seen
        if sees_by_sampling(state):
            assert seen, seed
        answers.append((seen, sees_by_sampling(state)))
    assert sum(seen != found for seen, found in answers) <= 4, "lines that only a finer sampling would find"
    assert 8 < sum(bool(seen) for seen, _ in answers) < 32


def test_what_is_decided_stays_so_where_the_camera_errs() -> None:
    rng = random.Random(3)
    sigma_mm, wrong, decided = 0.3, 0, 0
    for seed in range(20):
        state = draw_crowd(seed, sigma_mm)
        seen = find_foe_visibility(state).seen
        for _ in range(4 if seen is not None else 0):
            moved = {
                model.id: replace(
                    model.pose,
                    x_mm=model.pose.x_mm + rng.gauss(0, sigma_mm),
                    y_mm=model.pose.y_mm + rng.gauss(0, sigma_mm),
                    sigma_mm=0.0,
                )
                for _, model in state.iterate_models()
                if model.pose is not None
            }
            wrong += find_foe_visibility(state.place_models(moved)).seen is not seen
            decided += 1
    assert decided > 40
    assert wrong / decided < 0.05
