"""The zone that is drawn and the verdict that is given are the same answer."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import GameState, Model, Move, Pose, Table, Unit
from assistant.geometry.shapes.base_shapes import Base, Oval, Rect, Round
from assistant.rules.engine.reachability import ERROR_MM
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import Outcome

BASES: tuple[Base, ...] = (
    Round(radius_mm=16),
    Round(radius_mm=25),
    Oval(length_mm=75, width_mm=42),
    Rect(length_mm=60, width_mm=40),
)


def make_random_state(rng: random.Random, *, base: Base, sigma_mm: float, enemies: int, mates: int = 0) -> GameState:
    def model(name: str, shape: Base, spread: tuple[float, float]) -> Model:
        x, y = rng.uniform(*spread), rng.uniform(*spread)
        pose = Pose(x_mm=x, y_mm=y, facing_rad=rng.uniform(-3, 3), sigma_mm=sigma_mm)
        return Model(id=name, base=shape, pose=pose)

    mover = Model(id="m", base=base, pose=Pose(x_mm=320, y_mm=120, facing_rad=rng.uniform(-3, 3), sigma_mm=sigma_mm))
    own = (mover, *(model(f"mate{i}", Round(radius_mm=16), (240, 400)) for i in range(mates)))
    blue = tuple(model(f"e{i}", rng.choice(BASES), (0, 600)) for i in range(enemies))
    # An enemy that engages the unit where it stands would leave no zone to compare.
    away = tuple(enemy for enemy in blue if all(_is_far(enemy, friend) for friend in own))
    friend = model("f", Round(radius_mm=20), (200, 440))
    return GameState(
        rulebook="warhammer-40k-10e",
        table=Table(width_mm=600, depth_mm=600),
        units=(
            Unit(id="u", player="red", profile={"move_in": 6}, models=own),
            Unit(id="friends", player="red", profile={"move_in": 6}, models=(friend,)),
            Unit(id="foes", player="blue", profile={"move_in": 6}, models=away or blue[:1]),
        ),
    )


def _is_far(one: Model, other: Model) -> bool:
    assert one.pose is not None
    assert other.pose is not None
    return math.dist((one.pose.x_mm, one.pose.y_mm), (other.pose.x_mm, other.pose.y_mm)) > 100


def may_end(state: GameState, x: float, y: float, *, facing: float) -> bool:
    start = state.find_model("m").pose
    assert start is not None
    end = replace(start, x_mm=x, y_mm=y, facing_rad=facing)
    verdict = judge(state, Move(unit="u", action="normal", paths={"m": (start, end)}, observed=False))
    return verdict.outcome in {Outcome.LEGAL, Outcome.UNOBSERVED}


def pick_places(rng: random.Random, region: BaseGeometry, count: int) -> list[tuple[float, float]]:
    """Places near the zone's edge and anywhere within reach."""
    edge = region.boundary
    found = []
    for _ in range(count):
        point = edge.interpolate(rng.uniform(0, edge.length))
        found.append((point.x + rng.gauss(0, 0.5), point.y + rng.gauss(0, 0.5)))
        found.append((rng.uniform(150, 490), rng.uniform(0, 300)))
    return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("sigma_mm", "mates"), [(0.0, 0), (0.4, 0), (0.0, 2)])
def test_round_base_zone_is_where_judge_agrees(seed: int, sigma_mm: float, mates: int) -> None:
    rng = random.Random(seed)
    state = make_random_state(rng, base=Round(radius_mm=16), sigma_mm=sigma_mm, enemies=9, mates=mates)
    answer = Referee(state).find_zone(model="m", action="normal")
    if answer.region.is_empty:
        return
    edge = answer.region.boundary
    for x, y in pick_places(rng, answer.region, 12):
        point = shapely.Point(x, y)
        if edge.distance(point) > answer.error_mm:
            assert may_end(state, x, y, facing=1.0) == answer.region.contains(point), (x, y)


@pytest.mark.parametrize("base", [Oval(length_mm=75, width_mm=42), Rect(length_mm=60, width_mm=40)])
@pytest.mark.parametrize("seed", range(3))
def test_kept_facing_zone_is_where_judge_agrees(seed: int, base: Base) -> None:
    rng = random.Random(100 + seed)
    state = make_random_state(rng, base=base, sigma_mm=0.1, enemies=6)
    answer = Referee(state).find_zone(model="m", action="normal", facing="keep")
    if answer.region.is_empty:
        return
    edge, start = answer.region.boundary, state.find_model("m").pose
    assert start is not None
    for x, y in pick_places(rng, answer.region, 6):
        point = shapely.Point(x, y)
        if edge.distance(point) > answer.error_mm:
            assert may_end(state, x, y, facing=start.facing_rad) == answer.region.contains(point), (x, y)


@pytest.mark.parametrize("base", [Oval(length_mm=75, width_mm=42), Rect(length_mm=60, width_mm=40)])
@pytest.mark.parametrize(("pivot", "sigma_mm"), [("furthest-point", 0.3), ("free", 0.0), ("fixed-2in", 0.1)])
def test_any_facing_zone_is_where_judge_agrees_at_some_facing(base: Base, pivot: str, sigma_mm: float) -> None:
    rng = random.Random(200)
    state = replace(make_random_state(rng, base=base, sigma_mm=sigma_mm, enemies=7), parameters={"pivot": pivot})
    answer, kept = (Referee(state).find_zone(model="m", action="normal", facing=facing) for facing in ("any", "keep"))
    assert shapely.difference(kept.region, answer.region).area < 1e-6
    assert answer.region.area > kept.region.area + 100
    start = state.find_model("m").pose
    assert start is not None
    few, many = (sorted(np.linspace(-math.pi, math.pi, count), key=abs) for count in (17, 513))
    within = shapely.buffer(answer.region, -2 * ERROR_MM)
    gained = shapely.difference(answer.region, shapely.buffer(kept.region, 0.5))
    for x, y in [*pick_places(rng, answer.region, 2), *pick_places(rng, gained, 2)]:
        point = shapely.Point(x, y)
        if within.contains(point):
            assert any(may_end(state, x, y, facing=start.facing_rad + turn) for turn in many), (x, y)
        elif answer.region.distance(point) > answer.error_mm:
            assert not any(may_end(state, x, y, facing=start.facing_rad + turn) for turn in few), (x, y)


def test_enough_zones_were_not_empty() -> None:
    states = (make_random_state(random.Random(s), base=Round(radius_mm=16), sigma_mm=0.4, enemies=9) for s in range(12))
    assert sum(not Referee(state).find_zone(model="m", action="normal").region.is_empty for state in states) >= 6


def make_open_table(**unit: object) -> GameState:
    mover = Model(id="m", base=Round(radius_mm=16), pose=Pose(x_mm=300, y_mm=300))
    settings: dict[str, object] = {"profile": {"move_in": 6}, **unit}
    return GameState(
        rulebook="warhammer-40k-10e",
        table=Table(width_mm=1000, depth_mm=1000),
        units=(Unit(id="u", player="red", models=(mover,), **settings),),  # type: ignore[arg-type]
    )


def test_open_zone_is_a_disc() -> None:
    answer = Referee(make_open_table()).find_zone(model="m", action="normal")
    assert answer.limit_mm == pytest.approx(152.4)
    disc = shapely.Point(300, 300).buffer(152.4, quad_segs=400)
    assert answer.region.hausdorff_distance(disc) < answer.error_mm


def test_advance_adds_the_roll() -> None:
    normal = Referee(make_open_table()).find_zone(model="m", action="normal").region
    advance = Referee(make_open_table()).find_zone(model="m", action="advance", rolls=(3,))
    assert advance.limit_mm == pytest.approx(228.6)
    assert advance.region.contains(normal)


def test_stationary_unit_has_no_zone_for_a_move() -> None:
    assert Referee(make_open_table(status=("stationary",))).find_zone(model="m", action="normal").region.is_empty


@pytest.mark.parametrize(("action", "profile"), [("remain-stationary", {"move_in": 6}), ("normal", {"move_in": 0})])
def test_who_may_not_leave_stays_in_place(action: str, profile: dict[str, int]) -> None:
    answer = Referee(make_open_table(profile=profile)).find_zone(model="m", action=action)
    assert answer.region.contains(shapely.Point(300, 300))
    assert answer.region.bounds == pytest.approx((299.975, 299.975, 300.025, 300.025))


def test_one_model_cannot_mend_what_two_others_break() -> None:
    clump = [Model(id=f"a{i}", base=Round(radius_mm=16), pose=Pose(x_mm=330 + 33 * i, y_mm=300)) for i in range(5)]
    lost = Model(id="lost", base=Round(radius_mm=16), pose=Pose(x_mm=300, y_mm=440))
    unit = make_open_table().units[0]
    state = replace(make_open_table(), units=(replace(unit, models=(*unit.models, *clump, lost)),))
    assert Referee(state).find_zone(model="m", action="normal").region.is_empty, (
        "the lost model has no second neighbour"
    )
    assert not Referee(state).find_zone(model="m", action="normal", alone=True).region.is_empty
    found = Model(id="found", base=Round(radius_mm=16), pose=Pose(x_mm=300, y_mm=480))
    pair = replace(make_open_table(), units=(replace(unit, models=(*unit.models, *clump, lost, found)),))
    region = Referee(pair).find_zone(model="m", action="normal").region
    assert region.contains(shapely.Point(300, 405)), "near both of the lost pair"
    assert region.within(shapely.Point(300, 440).buffer(83))


def test_sealed_in_by_enemies() -> None:
    ring = tuple(
        Model(
            id=f"e{i}",
            base=Round(radius_mm=16),
            pose=Pose(x_mm=300 + 90 * math.cos(i * math.pi / 4), y_mm=300 + 90 * math.sin(i * math.pi / 4)),
        )
        for i in range(8)
    )
    state = replace(make_open_table(), units=(*make_open_table().units, Unit(id="foes", player="blue", models=ring)))
    region = Referee(state).find_zone(model="m", action="normal").region
    assert region.contains(shapely.Point(300, 300))
    assert region.within(shapely.Point(300, 300).buffer(60))


def test_table_smaller_than_the_base() -> None:
    mover = Model(id="m", base=Round(radius_mm=60), pose=Pose(x_mm=50, y_mm=50))
    state = GameState(
        rulebook="warhammer-40k-10e",
        table=Table(width_mm=100, depth_mm=100),
        units=(Unit(id="u", player="red", profile={"move_in": 6}, models=(mover,)),),
    )
    assert Referee(state).find_zone(model="m", action="normal").region.is_empty
