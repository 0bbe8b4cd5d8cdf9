import math

import pytest

from assistant.game.state import GameState, Unit
from assistant.rules.books.warmaster_revolution.initiative import may_be_ignored
from tests.assistant.rules.books.warmaster_revolution.table_builders import (
    Place,
    build_box,
    build_question,
    build_table,
    build_unit,
)

RIVER = build_box("river", 360, 0, 370, 1200, "river")


def build_riders(name: str, player: str, *places: Place, sigma_mm: float = 0.0) -> Unit:
    return build_unit(name, player, *places, troop="cavalry", sigma_mm=sigma_mm)


def may_enemy_be_ignored(state: GameState, **parameters: dict[str, tuple[str, ...]]) -> bool | None:
    asked = build_question(
        GameState(rulebook="", table=state.table, units=state.units, terrain=state.terrain, parameters=parameters)
    )
    return may_be_ignored(asked, state.find_unit("e"))


OURS, THEIRS = build_riders("a", "red", (300, 300, 0)), build_riders("e", "blue", (420, 310, 180))


@pytest.mark.parametrize(
    ("troop", "left", "sigma_mm", "answer"),
    [
        ("infantry", 400.0, 0.0, True),
        ("artillery", 400.0, 0.0, True),
        ("cavalry", 400.0, 0.0, False),
        ("infantry", 441.0, 0.0, False),
        ("infantry", 440.1, 0.2, None),
        ("artillery", 450.1, 0.2, None),
    ],
)
def test_fortified_infantry_and_artillery(troop: str, left: float, sigma_mm: float, answer: bool | None) -> None:
    works = build_box("works", left, 200, left + 80, 400, "fortified")
    foe = build_unit("e", "blue", (430, 300, 180), troop=troop, sigma_mm=sigma_mm)
    assert may_enemy_be_ignored(build_table(build_unit("a", "red", (300, 300, 0)), foe, terrain=(works,))) is answer


def test_a_river_from_edge_to_edge_divides_riders() -> None:
    assert may_enemy_be_ignored(build_table(OURS, THEIRS, terrain=(RIVER,))) is True


@pytest.mark.parametrize(
    ("state", "parameters"),
    [
        (build_table(OURS, THEIRS), {}),
        (build_table(OURS, build_unit("e", "blue", (420, 310, 180)), terrain=(RIVER,)), {}),  # infantry wades
        (build_table(build_unit("a", "red", (300, 300, 0)), THEIRS, terrain=(RIVER,)), {}),
        (build_table(OURS, THEIRS, terrain=(build_box("ford", 360, 0, 370, 1200, "river", "fordable"),)), {}),
        (build_table(OURS, THEIRS, terrain=(RIVER,)), {"agreed_terrain": {"river": ("cavalry",)}}),
        (build_table(OURS, THEIRS, terrain=(RIVER, build_box("bridge", 355, 160, 375, 200, "bridge"))), {}),
        (build_table(OURS, THEIRS, terrain=(build_box("pond", 360, 250, 370, 1200, "river"),)), {}),
    ],
)
def test_no_barrier(state: GameState, parameters: dict[str, dict[str, tuple[str, ...]]]) -> None:
    assert may_enemy_be_ignored(state, **parameters) is False


def test_every_line_between_the_units_meets_it() -> None:
    pond = build_box("pond", 360, 0, 370, 700, "river")
    theirs = build_riders("e", "blue", (420, 310, 180), (420, 330, 180))
    assert may_enemy_be_ignored(build_table(OURS, theirs, terrain=(pond,))) is True  # its end is 400 away
    apart = build_riders("e", "blue", (420, 310, 180), (350, 450, 90))  # one of them stands on this side
    assert may_enemy_be_ignored(build_table(OURS, apart, terrain=(pond,))) is False


def test_infantry_is_divided_by_a_wall_and_flyers_by_nothing() -> None:
    wall = build_box("wall", 360, 0, 370, 1200, "wall")
    foot, foe = build_unit("a", "red", (300, 300, 0)), build_unit("e", "blue", (420, 310, 180))
    assert may_enemy_be_ignored(build_table(foot, foe, terrain=(wall,))) is True
    assert (
        may_enemy_be_ignored(
            build_table(foot, build_unit("e", "blue", (420, 310, 180), troop="flyer"), terrain=(wall,))
        )
        is False
    )


def measure_way_round_mm(aside_mm: float) -> float:
    """Return how far riders go who stand 60 before a wall of 10, around its end so far aside, to where all is open.

    Their middle keeps 10 from the wall: straight up to the circle around its near corner, around that, past the end,
    and around the far corner until the enemy, 60 beyond the wall, is straight ahead.
    """
    turn = math.atan2(aside_mm, 60) + math.asin(10 / math.hypot(60, aside_mm))
    return math.sqrt(60**2 + aside_mm**2 - 10**2) + 10 * turn + 10 + 10 * turn


def build_walled_table(aside_mm: float, sigma_mm: float = 0.0) -> GameState:
    wall = build_box("wall", 360, 600 - aside_mm, 370, 1200, "wall")
    ours = build_riders("a", "red", (300, 600, 0), sigma_mm=sigma_mm)
    theirs = build_riders("e", "blue", (430, 600, 180), sigma_mm=sigma_mm)
    return build_table(ours, theirs, terrain=(wall,))


@pytest.mark.parametrize("aside_mm", [200.0, 246.0, 248.0, 250.0, 252.0, 300.0])
def test_who_comes_round_within_full_pace_is_not_ignored(aside_mm: float) -> None:
    assert may_enemy_be_ignored(build_walled_table(aside_mm)) is (measure_way_round_mm(aside_mm) > 300)


@pytest.mark.parametrize(
    ("beyond_mm", "sigma_mm", "answer"),
    [(0.2, 0.0, True), (-0.2, 0.0, False), (0.2, 0.2, None), (-0.2, 0.2, None), (0.2, 0.05, True), (-0.2, 0.05, False)],
)
def test_two_sigma_leave_the_way_round_open(beyond_mm: float, sigma_mm: float, answer: bool | None) -> None:
    low, high = 200.0, 300.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if measure_way_round_mm(middle) < 300 + beyond_mm else (low, middle)
    assert may_enemy_be_ignored(build_walled_table(low, sigma_mm)) is answer
