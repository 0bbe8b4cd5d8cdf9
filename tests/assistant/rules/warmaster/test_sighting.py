import random
from dataclasses import replace

import numpy as np
import pytest
import shapely

from assistant.game.state import GameState, Model, Pose, Unit
from assistant.rules.books.warmaster_revolution.sighting import View, edges, view
from assistant.rules.scene import scene_of
from tests.assistant.rules.warmaster.tables import box, table, unit

A = unit("a", "red", (300, 300, 0))
FOE = unit("e", "blue", (400, 300, 180))


def look(state: GameState, *, all_round: bool = False, touch_mm: float = 1.0) -> View:
    return view(scene_of(state), "a", "e", all_round=all_round, touch_mm=touch_mm)


def test_the_edges_of_a_stand_begin_with_its_front() -> None:
    (stand,) = unit("a", "red", (300, 300, 90)).models
    front, left, rear, right = edges(stand)
    assert (*front.first, *front.last) == pytest.approx((320, 310, 280, 310))
    assert (*left.first, *left.last) == pytest.approx((280, 310, 280, 290))
    assert (*rear.first, *rear.last) == pytest.approx((280, 290, 320, 290))
    assert (*right.first, *right.last) == pytest.approx((320, 290, 320, 310))


def test_nothing_in_between() -> None:
    assert look(table(A, FOE)) == View(seen=True, before=True)


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
    beside = unit("e", "blue", (x, 380, 0), sigma_mm=sigma_mm)
    state = table(unit("a", "red", (300, 300, 0), sigma_mm=sigma_mm), beside)
    assert look(state) == View(seen=before, before=before)


@pytest.mark.parametrize(
    ("traits", "seen"),
    [("wall", False), ("hill", False), ("dense", False), ("bridge", False), ("", False)]
    + [(trait, True) for trait in ("wall low", "river", "road", "field", "obstacle", "fortified", "dense low")],
)
def test_terrain_by_trait(traits: str, seen: bool) -> None:
    screen = box("screen", 350, 100, 360, 500, *traits.split())
    assert look(table(A, FOE, terrain=(screen,))) == View(seen=seen, before=True)


def line_of(gap_mm: float, sigma_mm: float = 0.0, player: str = "red") -> Unit:
    """Return four stands across the view, side by side."""
    return unit("b", player, *((340, 240 + (40 + gap_mm) * place, 0) for place in range(4)), sigma_mm=sigma_mm)


@pytest.mark.parametrize("player", ["red", "blue"])
@pytest.mark.parametrize(("gap_mm", "seen"), [(0.0, False), (0.3, False), (0.999, False), (1.001, True), (5.0, True)])
def test_stands_that_touch_leave_nothing_to_look_through(player: str, gap_mm: float, seen: bool) -> None:
    assert look(table(A, line_of(gap_mm, player=player), FOE)).seen is seen


def test_characters_are_looked_past() -> None:
    heroes = unit("h", "red", *((340, 240 + 25 * place, 0) for place in range(6)), troop="character")
    assert look(table(A, heroes, FOE)).seen


def test_the_own_unit_is_in_the_way_and_the_seen_one_is_not() -> None:
    ranks = unit("a", "red", (300, 300, 180), (320, 300, 180), (340, 300, 180))  # who faces away sees nothing
    assert look(table(ranks, FOE)) == View(seen=False, before=False)
    behind = unit("a", "red", (340, 300, 180), (320, 240, 180), (320, 280, 180), (320, 320, 180), (320, 360, 180))
    turned = replace(behind.models[0], id="last", pose=Pose(x_mm=280, y_mm=300))
    assert look(table(replace(behind, models=(*behind.models, turned)), FOE)) == View(seen=False, before=True)
    deep = unit("e", "blue", (400, 300, 180), (420, 300, 180))
    assert look(table(A, deep)).seen


@pytest.mark.parametrize(
    ("top", "seen"), [(319.0, True), (319.9, None), (320.1, None), (321.0, False)]
)  # the foe and the front reach to y 320; a line along its edge is free
def test_two_sigma_leave_it_open(top: float, seen: bool | None) -> None:
    wall = box("wall", 350, 100, 360, top, "wall")
    sure = table(A, FOE, terrain=(wall,))
    assert look(sure).seen is (top <= 320)
    measured = table(
        unit("a", "red", (300, 300, 0), sigma_mm=0.1), unit("e", "blue", (400, 300, 180), sigma_mm=0.1), terrain=(wall,)
    )
    assert look(measured).seen is seen


def test_all_round_from_free_edges() -> None:
    beside = unit("e", "blue", (280, 380, 0))
    assert look(table(A, beside)) == View(seen=False, before=False)
    assert look(table(A, beside), all_round=True) == View(seen=True, before=True)
    rear = unit("e", "blue", (200, 300, 0))
    in_line = unit("a", "red", (300, 300, 0), (300, 340, 0))  # their rears touch at a point, and are free
    assert look(table(in_line, rear), all_round=True).seen


@pytest.mark.parametrize(
    ("gap_mm", "sigma_mm", "seen"),
    [(0.0, 0.0, False), (0.9, 0.0, False), (1.1, 0.0, True), (0.9, 0.1, None), (1.1, 0.1, None), (2.0, 0.1, True)],
)
def test_an_edge_that_another_stand_touches_does_not_look(gap_mm: float, sigma_mm: float, seen: bool | None) -> None:
    rider = unit("a", "red", (300, 300, 0), troop="cavalry", sigma_mm=sigma_mm)  # its left edge runs at y 310
    friend = unit("f", "red", (280, 330 + gap_mm, 90), troop="cavalry", sigma_mm=sigma_mm)  # over a quarter of it
    beyond = unit("e", "blue", (304, 460, 0))
    assert look(table(rider, friend, beyond), all_round=True).seen is seen


# -- against dense sampling


def points(one: tuple[float, float], other: tuple[float, float], count: int) -> np.ndarray:
    share = np.linspace(0, 1, count)[:, None]
    return np.asarray((1 - share) * one + share * np.array(other))


def outline(model: Model) -> shapely.Polygon:
    return shapely.Polygon([edge.first for edge in edges(model)])


def sampled(state: GameState) -> bool:
    """Look along many lines; seeing is then sure, not seeing nearly so."""
    in_the_way = [outline(model) for owner, model in state.models() if owner.id != "e"]
    for stand in state.unit("a").models:
        others = shapely.union_all([each for each in in_the_way if not each.equals(outline(stand))])
        front = edges(stand)[0]
        normal = np.array((front.last[1] - front.first[1], front.first[0] - front.last[0]))
        for foe in state.unit("e").models:
            begins = points(front.first, front.last, 41)
            ends = np.concatenate([points(edge.first, edge.last, 31) for edge in edges(foe)])
            ends = ends[(ends - front.first) @ normal >= -1e-9]
            pairs = np.stack((np.repeat(begins, len(ends), axis=0), np.tile(ends, (len(begins), 1))), axis=1)
            solid = shapely.buffer(others, -1e-6, join_style="mitre")
            shapely.prepare(solid)
            if len(pairs) and not shapely.intersects(solid, shapely.linestrings(pairs)).all():
                return True
    return False


def drawn(seed: int, sigma_mm: float = 0.0) -> GameState:
    """Draw a thick crowd in which no two stands overlap or touch."""
    rng, taken, places = random.Random(seed), list[shapely.Polygon](), list[tuple[float, float, float]]()
    while len(places) < 11:
        x, y, facing = rng.uniform(300, 460), rng.uniform(240, 380), rng.uniform(0, 360)
        spot = outline(unit("x", "red", (x, y, facing)).models[0])
        if all(spot.distance(other) > 4 * sigma_mm + 1.5 for other in taken):
            taken.append(spot)
            places.append((x, y, facing))
    places.sort()
    return table(
        unit("a", "red", *places[:2], sigma_mm=sigma_mm),
        unit("b", "red", *places[2:6], sigma_mm=sigma_mm),
        unit("c", "blue", *places[6:9], sigma_mm=sigma_mm),
        unit("e", "blue", *places[9:], sigma_mm=sigma_mm),
    )


def test_as_dense_sampling_finds_it() -> None:
    answers = []
    for seed in range(40):
        state = drawn(seed)
        seen = look(state).seen
        if sampled(state):
            assert seen, seed
        answers.append((seen, sampled(state)))
    assert sum(seen != found for seen, found in answers) <= 4, "lines that only a finer sampling would find"
    assert 8 < sum(bool(seen) for seen, _ in answers) < 32


def test_what_is_decided_stays_so_where_the_camera_errs() -> None:
    rng = random.Random(3)
    sigma_mm, wrong, decided = 0.3, 0, 0
    for seed in range(20):
        state = drawn(seed, sigma_mm)
        seen = look(state).seen
        for _ in range(4 if seen is not None else 0):
            moved = {
                model.id: replace(
                    model.pose,
                    x_mm=model.pose.x_mm + rng.gauss(0, sigma_mm),
                    y_mm=model.pose.y_mm + rng.gauss(0, sigma_mm),
                    sigma_mm=0.0,
                )
                for _, model in state.models()
                if model.pose is not None
            }
            wrong += look(state.standing(moved)).seen is not seen
            decided += 1
    assert decided > 40
    assert wrong / decided < 0.05
