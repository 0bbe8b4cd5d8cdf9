"""The first stand of an evade goes straight, seen or not: what judge, zone and actions say of it at random facings."""

import math
import random
from dataclasses import replace

import pytest
import shapely

from assistant.game.state import GameState, Pose, Terrain, Unit
from assistant.rules.referee import Referee
from assistant.rules.verdict import Outcome
from tests.assistant.rules.books.warmaster_revolution.judging import judge_move, list_broken_rules
from tests.assistant.rules.books.warmaster_revolution.table_builders import Place, build_table, build_unit

FROM = {"toward": "e"}
MIDDLE = (900.0, 600.0)


def turn_place(place: Place, turn_deg: float) -> Place:
    """Return a place given from the table's middle, all turned about it."""
    x, y, facing = place
    cos, sin = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    return MIDDLE[0] + x * cos - y * sin, MIDDLE[1] + x * sin + y * cos, facing + turn_deg


def turn_unit(turn_deg: float, name: str, player: str, *places: Place, troop: str = "infantry") -> Unit:
    return build_unit(name, player, *(turn_place(place, turn_deg) for place in places), troop=troop)


def turn_box(turn_deg: float, left: float, low: float, right: float, high: float) -> Terrain:
    corners = [turn_place((x, y, 0.0), turn_deg) for x, y in ((left, low), (right, low), (right, high), (left, high))]
    return Terrain(id="tower", outline_mm=tuple((x, y) for x, y, _ in corners), traits=frozenset({"building"}))


def is_unseen_evade_legal(state: GameState, stand: str, end: Place) -> bool:
    verdict = judge_move(state, "evade", {stand: [end]}, observed=False, intent=FROM)
    return verdict.outcome not in {Outcome.ILLEGAL, Outcome.TOO_CLOSE}


@pytest.mark.parametrize("turn_deg", [0.0, 37.3, 90.0, 141.7])
@pytest.mark.parametrize("bar", ["enemy", "tower"])
def test_what_stands_in_the_straight_line_is_not_gone_round(turn_deg: float, bar: str) -> None:
    barring = [turn_unit(turn_deg, "g", "blue", (-90, 3, 20))] if bar == "enemy" else []
    tower = (turn_box(turn_deg, -95, -4, -85, 12),) if bar == "tower" else ()
    mine, theirs = turn_unit(turn_deg, "a", "red", (0, 0, 0)), turn_unit(turn_deg, "e", "blue", (60, 0, 180))
    state = build_table(mine, theirs, *barring, terrain=tower)
    beyond = turn_place((-185, 0, 0), turn_deg)
    assert list_broken_rules(judge_move(state, "evade", {"a1": [beyond]}, observed=False, intent=FROM)) == {"wm-12"}
    assert not list_broken_rules(judge_move(build_table(mine, theirs), "evade", {"a1": [beyond]}, intent=FROM))
    for facing in ("keep", "any"):
        zone = (
            Referee(state)
            .find_zone(
                model="a1", action="evade", facing="keep" if facing == "keep" else "any", alone=True, intent=FROM
            )
            .region
        )
        reached = {mm: zone.contains(shapely.Point(turn_place((-mm, 0, 0), turn_deg)[:2])) for mm in range(12, 199, 2)}
        assert not any(reached[mm] for mm in range(106, 199, 2)), facing
        assert any(reached.values()) or bar == "enemy"


def test_the_zone_of_the_first_is_where_the_unseen_straight_way_is_legal() -> None:
    inside = set[bool]()
    for seed in range(12):
        rng = random.Random(seed)
        turn_deg = rng.uniform(-180, 180)
        spots = [(rng.uniform(-150, -30), rng.uniform(-30, 30), rng.uniform(-180, 180)) for _ in range(2)]
        boxes = [turn_box(turn_deg, x - 4, y - 4, x + 4, y + 4) for x, y, _ in spots]
        state = build_table(
            turn_unit(turn_deg, "a", "red", (0, 0, rng.uniform(-60, 60))),
            turn_unit(turn_deg, "e", "blue", (90, 0, 180)),
            terrain=tuple(replace(box, id=f"t{n}") for n, box in enumerate(boxes)),
        )
        start = state.find_model("a1").pose
        assert start is not None
        zone = Referee(state).find_zone(model="a1", action="evade", facing="keep", intent=FROM)
        for _ in range(10):
            off, mm = math.radians(rng.uniform(-4, 4)), rng.uniform(5, 190)
            way = math.atan2(*reversed(find_way_away(state)))
            x, y = start.x_mm + mm * math.cos(way + off), start.y_mm + mm * math.sin(way + off)
            if zone.region.is_empty or zone.region.boundary.distance(shapely.Point(x, y)) > zone.error_mm:
                contained = zone.region.contains(shapely.Point(x, y))
                facing_deg = math.degrees(start.facing_rad)
                assert contained == is_unseen_evade_legal(state, "a1", (x, y, facing_deg)), (seed, x, y)
                inside.add(contained)
    assert inside == {True, False}


def find_way_away(state: GameState) -> tuple[float, float]:
    """Return the way directly away, by the nearest points of two polygons: measured by another hand."""
    mine, theirs = (outline_stand(state, stand) for stand in ("a1", "e1"))
    (x, y), (u, v) = shapely.get_coordinates(shapely.shortest_line(theirs, mine)).tolist()
    return u - x, v - y


def outline_stand(state: GameState, stand: str) -> shapely.Polygon:
    pose: Pose | None = state.find_model(stand).pose
    assert pose is not None
    cos, sin = math.cos(pose.facing_rad), math.sin(pose.facing_rad)
    corners = ((10, -20), (10, 20), (-10, 20), (-10, -20))
    return shapely.Polygon([(pose.x_mm + a * cos - b * sin, pose.y_mm + a * sin + b * cos) for a, b in corners])


def test_a_stand_that_is_not_the_closest_evades_only_after_the_first() -> None:
    column = turn_unit(23.0, "a", "red", (0, 0, 0), (-20, 0, 0))
    state = build_table(column, turn_unit(23.0, "e", "blue", (80, 0, 180)))
    referee = Referee(state)
    for facing in ("keep", "any"):
        by_itself = referee.find_zone(
            model="a2", action="evade", facing="keep" if facing == "keep" else "any", intent=FROM
        )
        assert by_itself.region.is_empty
    follows = referee.find_zone(model="a2", action="evade", facing="keep", alone=True, intent=FROM).region
    beside = turn_place((-60, 90, 0), 23.0)
    assert follows.contains(shapely.Point(beside[:2]))
    assert not is_unseen_evade_legal(state, "a2", beside)


@pytest.mark.parametrize("turn_deg", [0.0, 37.3, -118.9])
@pytest.mark.parametrize(("behind_mm", "allowed"), [(85.0, False), (170.0, True)])
def test_a_unit_without_a_place_to_evade_to_cannot(turn_deg: float, behind_mm: float, *, allowed: bool) -> None:
    """The enemy is 35 before it, another one behind: it must go back by 15, and no further than to 50 from that one."""
    state = build_table(
        turn_unit(turn_deg, "a", "red", (0, 0, 0)),
        turn_unit(turn_deg, "e", "blue", (55, 0, 180)),
        turn_unit(turn_deg, "g", "blue", (-behind_mm, 0, 0), troop="cavalry"),
    )
    (evade,) = (option for option in Referee(state).list_options("a") if option.action == "evade")
    assert evade.allowed == allowed
    assert [rule for rule, _ in evade.because] == ([] if allowed else ["wm-54"])
    zone = Referee(state).find_zone(model="a1", action="evade", facing="any", intent=FROM)
    assert zone.region.is_empty == (not allowed)


def test_who_touches_the_enemy_goes_straight_from_the_edge_that_it_touches() -> None:
    state = build_table(turn_unit(40.0, "a", "red", (0, 0, 0)), turn_unit(40.0, "e", "blue", (20, 0, 180)))
    for aside_deg, legal in ((0, True), (2.9, True), (3.1, False), (90, False)):
        turn = math.radians(aside_deg)
        end = turn_place((-100 * math.cos(turn), 100 * math.sin(turn), 0), 40.0)
        broken = list_broken_rules(judge_move(state, "evade", {"a1": [end]}, intent=FROM))
        assert ("wm-49" not in broken) == legal
