"""Whether a unit has room, and zones worked out by hand: on roofs, beside walls, among mates, out of reserve."""

import math
from dataclasses import replace
from typing import Any

import pytest
import shapely

from assistant.game.state import GameState, Model, Move, Pose, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Oval, Rect, Round
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import Outcome

DISC = Round(radius_mm=16)


def make_model(name: str, x: float, y: float, base: Base = DISC, **pose: Any) -> Model:
    return Model(id=name, base=base, pose=Pose(x_mm=x, y_mm=y, **pose))


def make_game(*units: Unit, terrain: tuple[Terrain, ...] = ()) -> GameState:
    table = Table(width_mm=1000, depth_mm=1000)
    return GameState(rulebook="warhammer-40k-10e", table=table, units=units, terrain=terrain)


def make_block(name: str, *sides: float, height: float = 76.2) -> Terrain:
    """A building between its left, near, right and far side."""
    left, near, right, far = sides
    outline = ((left, near), (right, near), (right, far), (left, far))
    return Terrain(id=name, outline_mm=outline, height_mm=height)


def make_unit(*models: Model, keywords: frozenset[str] = frozenset(), status: tuple[str, ...] = ()) -> Unit:
    return Unit(id="u", player="red", keywords=keywords, status=status, profile={"move_in": 6}, models=models)


def make_wreck(x: float, y: float, base: Base = DISC) -> Unit:
    keywords = frozenset({"vehicle", "transport"})
    return Unit(
        id="carrier", player="red", keywords=keywords, status=("destroyed",), models=(make_model("T", x, y, base),)
    )


def make_lane(depth_mm: float) -> tuple[Terrain, ...]:
    """Buildings that leave a lane of a certain depth around y 500, out of which nothing stands within 3 inches."""
    return (make_block("low", 300, 300, 700, 500 - depth_mm / 2), make_block("high", 300, 500 + depth_mm / 2, 700, 700))


def can_escape(state: GameState) -> bool:
    """Whether an emergency disembarkation may be chosen."""
    (option,) = [option for option in Referee(state).list_options("u") if option.action == "emergency-disembark"]
    return option.allowed


@pytest.mark.parametrize(("men", "fit"), [(2, True), (4, True), (5, False)])
def test_so_many_discs_fit_into_a_lane(men: int, *, fit: bool) -> None:
    # Either side of the transport the lane is 76.2 long: two discs of 32 in a row, and no room for a second row.
    squad = make_unit(*(make_model(f"m{i}", 0, 0) for i in range(men)), status=("embarked:T",))
    assert can_escape(make_game(squad, make_wreck(500, 500), terrain=make_lane(33))) != fit


@pytest.mark.parametrize(("depth_mm", "men"), [(66, 5), (66, 8), (84, 10)])
def test_rows_of_discs_fit_into_a_wider_lane(depth_mm: float, men: int) -> None:
    # Eight only as two and two on either side; ten only side by side.
    squad = make_unit(*(make_model(f"m{i}", 0, 0) for i in range(men)), status=("embarked:T",))
    assert not can_escape(make_game(squad, make_wreck(500, 500), terrain=make_lane(depth_mm)))


def test_ovals_fit_only_along_a_lane() -> None:
    # 70 x 30 fits into 33 when it lies along the lane, whichever way its own facing was.
    squad = make_unit(
        *(make_model(f"m{i}", 0, 0, Oval(length_mm=70, width_mm=30)) for i in range(2)), status=("embarked:T",)
    )
    turned = make_game(squad, make_wreck(500, 500), terrain=make_lane(33))
    assert not can_escape(turned)
    assert can_escape(replace(turned, terrain=make_lane(29)))
    across = tuple(replace(wall, outline_mm=tuple((y, x) for x, y in wall.outline_mm)) for wall in make_lane(33))
    assert not can_escape(replace(turned, terrain=across))


def test_a_roof_is_room() -> None:
    # All around the transport is a building.  On its roof, 60 up, 3 inches reach 46.98 on the level; 80 up, nowhere.
    squad = make_unit(make_model("m0", 0, 0), status=("embarked:T",))
    building = make_block("building", 380, 380, 620, 620, height=60)
    assert not can_escape(make_game(squad, make_wreck(500, 500), terrain=(building,)))
    assert can_escape(make_game(squad, make_wreck(500, 500), terrain=(replace(building, height_mm=80),)))


def test_error_counts_in_space() -> None:
    # On a roof 60 up, three inches less two standard deviations of both, 75.351, reach 45.58 on the level.
    squad = make_unit(make_model("m", 0, 0, sigma_mm=0.3), status=("embarked:T",))
    carrier = replace(make_wreck(500, 500), status=(), models=(make_model("T", 500, 500, sigma_mm=0.3),))
    state = make_game(squad, carrier, terrain=(make_block("building", 380, 380, 620, 620, height=60),))
    region = Referee(state).find_zone(model="m", action="disembark").region
    reach = math.sqrt((76.2 - 2 * 0.3 * math.sqrt(2)) ** 2 - 60**2)
    assert region.bounds == pytest.approx((500 - reach, 500 - reach, 500 + reach, 500 + reach), abs=0.05)


def test_who_flies_goes_through_the_air_to_a_roof() -> None:
    flyer = make_unit(make_model("m", 300, 300), keywords=frozenset({"fly"}))
    region = (
        Referee(make_game(flyer, terrain=(make_block("roof", 340, 200, 640, 400),)))
        .find_zone(model="m", action="normal")
        .region
    )
    level = math.sqrt(152.4**2 - 76.2**2)
    assert region.contains(shapely.Point(300 + level - 0.1, 300))
    assert not region.contains(shapely.Point(300 + level + 0.1, 300))
    walker = make_unit(make_model("m", 300, 300))
    region = (
        Referee(make_game(walker, terrain=(make_block("roof", 340, 200, 640, 400),)))
        .find_zone(model="m", action="normal")
        .region
    )
    assert region.contains(shapely.Point(300 + 76.1, 300))
    assert not region.contains(shapely.Point(300 + 76.3, 300))


def test_turning_and_climbing_add_up() -> None:
    # To stand on the roof within the table's edge it must turn by 60 degrees or more, which takes a corner 98 mm away;
    # 60 up makes 158 mm.  Turned about 40 mm further on, its corners are displaced by 145.6; the climb makes 205.6.
    bow = Rect(length_mm=100, width_mm=40)
    state = make_game(
        make_unit(make_model("m", 92, 500, bow)), terrain=(make_block("roof", 0, 300, 42, 700, height=60),)
    )
    assert Referee(state).find_zone(model="m", action="normal").region.bounds[0] >= 42
    faster = replace(state, units=(replace(state.units[0], profile={"move_in": 8}),))
    assert Referee(faster).find_zone(model="m", action="normal").region.bounds[0] < 42
    start = Pose(x_mm=300, y_mm=500)
    climber = make_game(
        make_unit(Model(id="m", base=bow, pose=start)), terrain=(make_block("roof", 310, 300, 600, 700, height=60),)
    )
    about = replace(start, x_mm=340, z_mm=60, facing_rad=math.pi)
    found = judge(climber, Move(unit="u", action="normal", paths={"m": (start, about)}, observed=False))
    assert found.outcome is Outcome.ILLEGAL


def test_enemies_below_do_not_close_the_way_to_a_roof() -> None:
    # It is not known at which height an unseen way passed them; at the end, 60 higher, they are out of range.
    line = Unit(id="foes", player="blue", models=tuple(make_model(f"e{i}", 420, 40 + 50 * i) for i in range(20)))
    state = make_game(
        make_unit(make_model("m", 340, 500)), line, terrain=(make_block("roof", 396, 0, 600, 1000, height=60),)
    )
    state = replace(state, parameters={"engagement_vertical_in": 1})
    assert Referee(state).find_zone(model="m", action="normal").region.contains(shapely.Point(420, 500))


@pytest.mark.parametrize("sunk_mm", [0.0, 0.1, 3.0])
def test_who_stands_at_a_wall_walks_off_it_without_climbing(sunk_mm: float) -> None:
    # As measured the base reaches a little into the wall: leaving it on its own side is no climb, crossing it is.
    state = make_game(
        make_unit(make_model("m", 384 + sunk_mm, 300)), terrain=(make_block("wall", 400, 100, 410, 500, height=60),)
    )
    region = Referee(state).find_zone(model="m", action="normal").region
    assert region.contains(shapely.Point(384 + sunk_mm - 152.3, 300))
    assert not region.contains(shapely.Point(430, 300))
    start = state.find_model("m").pose
    assert start is not None
    move = Move(unit="u", action="normal", paths={"m": (start, replace(start, x_mm=start.x_mm - 150))}, observed=False)
    assert judge(state, move).outcome is Outcome.LEGAL


def test_what_ends_at_a_wall_within_error_is_no_climb() -> None:
    state = make_game(
        make_unit(make_model("m", 300, 300, sigma_mm=0.2)),
        terrain=(make_block("wall", 400, 100, 410, 500, height=100),),
    )
    start = state.find_model("m").pose
    assert start is not None
    move = Move(unit="u", action="normal", paths={"m": (start, replace(start, x_mm=384.1))}, observed=False)
    verdict = judge(state, move)
    assert verdict.outcome is Outcome.TOO_CLOSE
    assert [finding.rule for finding in verdict.findings] == ["10e-28"]


def test_nobody_falls_back_well_while_a_mate_stays_engaged() -> None:
    squad = make_unit(make_model("m", 300, 300), make_model("mate", 340, 300))
    foes = Unit(id="foes", player="blue", models=(make_model("e", 320, 340),))
    assert Referee(make_game(squad, foes)).find_zone(model="m", action="fall-back").region.is_empty
    assert not Referee(make_game(squad, foes)).find_zone(model="m", action="fall-back", alone=True).region.is_empty


def test_a_corner_that_sweeps_into_a_wall_climbs_it() -> None:
    # Turned on the spot between two walls the corners reach 50 mm; the walls stand 42 mm away, a climb of 2 x 100 each.
    start = Pose(x_mm=500, y_mm=500)
    walls = (make_block("low", 300, 400, 700, 458, height=100), make_block("high", 300, 542, 700, 600, height=100))
    mover = Model(id="m", base=Rect(length_mm=80, width_mm=60), pose=start)
    state = make_game(make_unit(mover), terrain=walls)
    turn = Move(unit="u", action="normal", paths={"m": (start, replace(start, facing_rad=math.pi / 2))}, observed=False)
    assert judge(state, turn).outcome is Outcome.UNOBSERVED
    free = replace(state, terrain=())
    assert judge(free, turn).outcome is Outcome.LEGAL


def test_a_model_that_arrives_keeps_its_turn_and_its_error() -> None:
    squad = make_unit(
        make_model("m", 0, 0, Rect(length_mm=100, width_mm=40), facing_rad=math.pi / 2, sigma_mm=0.5),
        status=("reserves",),
    )
    region = Referee(make_game(squad)).find_zone(model="m", action="set-up", facing="keep").region
    assert region.bounds == pytest.approx((21, 51, 979, 949), abs=0.05)
