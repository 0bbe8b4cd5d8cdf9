"""activation-skirmish: where a path stops, what is refused, and that the zone is where the verdict allows to end."""

import math
import random
from dataclasses import replace

import pytest
import shapely

from assistant.errors import BadInput
from assistant.game.state import GameState, Model, Move, Pose, Setting, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Oval, Rect, Round
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import Finding, Outcome

ROUND = Round(radius_mm=16)
OVAL = Oval(length_mm=75, width_mm=42)
BASES: tuple[Base, ...] = (ROUND, Round(radius_mm=25), OVAL, Rect(length_mm=60, width_mm=40))


def make_pose(x: float, y: float, facing: float = 0.0, sigma: float = 0.0) -> Pose:
    return Pose(x_mm=x, y_mm=y, facing_rad=facing, sigma_mm=sigma)


def make_game(*units: Unit, terrain: tuple[Terrain, ...] = ()) -> GameState:
    table = Table(width_mm=600, depth_mm=500)
    return GameState(rulebook="activation-skirmish", table=table, units=units, terrain=terrain)


def make_unit(name: str, player: str, *models: Model, **profile: Setting) -> Unit:
    return Unit(id=name, player=player, profile={"move_in": 6, "initiative_in": 2, **profile}, models=models)


def make_model(name: str, pose: Pose, base: Base = ROUND) -> Model:
    return Model(id=name, base=base, pose=pose)


def make_wall(*outline: tuple[float, float]) -> Terrain:
    return Terrain(id="wall", outline_mm=outline, traits=frozenset({"impassable"}))


def find_stop(state: GameState, move: Move) -> Finding:
    (found,) = (finding for finding in judge(state, move).findings if finding.rule == "act-20")
    return found


# -- the furthest legal place


def make_random_game(rng: random.Random, sigma_mm: float, base: Base) -> GameState:
    """One model among friends, enemies and a wall; it may start on top of one, over the edge, or engaged."""

    def somewhere(name: str, spread_mm: float) -> Model:
        place = make_pose(rng.gauss(300, spread_mm), rng.gauss(120, spread_mm), rng.uniform(-3, 3), sigma_mm)
        inside = replace(place, x_mm=min(max(place.x_mm, 0), 600), y_mm=min(max(place.y_mm, 0), 500))
        return make_model(name, inside, rng.choice(BASES))

    x, y = rng.uniform(120, 480), rng.uniform(60, 330)
    return make_game(
        make_unit("m", "red", replace(somewhere("m", 110), base=base)),
        make_unit("friends", "red", *(somewhere(f"f{i}", 90) for i in range(3))),
        make_unit("foes", "blue", *(somewhere(f"e{i}", 90) for i in range(3))),
        terrain=(make_wall((x, y), (x + 90, y), (x + 90, y + 14), (x, y + 14)),),
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_path_is_legal_up_to_where_it_stops_and_not_beyond(seed: int) -> None:
    rng = random.Random(seed)
    state = make_random_game(rng, 0.0, rng.choice(BASES))
    (mover,) = state.find_unit("m").models
    assert mover.pose is not None
    path = [mover.pose, *(make_pose(rng.uniform(0, 600), rng.uniform(0, 500), rng.uniform(-3, 3)) for _ in range(2))]
    rulings = ["act-03", "act-06", "act-16", "act-17", "act-18", "act-19", "act-25"]
    move = Move(unit="m", action="normal", paths={"m": tuple(path)})
    found = [f for f in judge(state, move).findings if f.rule == "act-20"]
    if not found:
        return
    stops = found[0].stops_at
    assert stops is not None
    leg = next(i for i in (1, 2) if is_on_leg(path[i - 1], path[i], stops))
    cut = replace(move, paths={"m": (*path[:leg], stops)})
    offences = [f for f in judge(state, cut).findings if f.outcome is Outcome.ILLEGAL and f.rule in rulings]
    stuck = math.dist((stops.x_mm, stops.y_mm), (path[0].x_mm, path[0].y_mm)) < 1e-6
    assert stuck or not offences  # one who cannot end legally anywhere stays where it stands
    if stuck:
        return
    further = replace(stops, x_mm=stops.x_mm + 1e-3 * (path[leg].x_mm - stops.x_mm))
    further = replace(further, y_mm=stops.y_mm + 1e-3 * (path[leg].y_mm - stops.y_mm))
    beyond = judge(state, replace(move, paths={"m": (*path[:leg], further)}))
    assert any(f.outcome is Outcome.ILLEGAL and f.rule in rulings for f in beyond.findings)


def is_on_leg(a: Pose, b: Pose, place: Pose) -> bool:
    line = shapely.LineString([(a.x_mm, a.y_mm), (b.x_mm, b.y_mm)])
    return bool(line.distance(shapely.Point(place.x_mm, place.y_mm)) < 1e-6)


def test_one_who_starts_over_the_edge_stops_where_it_would_go_further_over() -> None:
    state = make_game(make_unit("m", "red", make_model("m", make_pose(10, 300))))
    found = find_stop(
        state, Move(unit="m", action="normal", paths={"m": (make_pose(10, 300), make_pose(40, 300), make_pose(2, 300))})
    )
    assert found.stops_at is not None
    assert found.stops_at.x_mm == pytest.approx(16, abs=1e-5)  # the last place at which it may end
    assert found.measured_mm == pytest.approx(54, abs=1e-5)


def test_a_turn_on_the_spot_may_be_what_is_illegal() -> None:
    barred = make_wall((270, 320), (330, 320), (330, 340), (270, 340))
    state = make_game(make_unit("m", "red", make_model("m", make_pose(300, 295), OVAL)), terrain=(barred,))
    found = find_stop(
        state, Move(unit="m", action="normal", paths={"m": (make_pose(300, 295), make_pose(300, 295, math.pi / 2))})
    )
    assert found.stops_at is not None
    assert 0 < found.stops_at.facing_rad < math.pi / 2


# -- what is refused


def make_pair(sigma: float = 0.0, gap_mm: float = 0.5) -> GameState:
    """One red model, at a gap from a blue one."""
    return make_game(
        make_unit("m", "red", make_model("m", make_pose(300, 200, 0, sigma))),
        make_unit("e", "blue", make_model("e", make_pose(332 + gap_mm, 200))),
    )


def list_allowed(state: GameState) -> dict[str, bool]:
    return {option.action: option.allowed for option in Referee(state).list_options("m")}


def test_an_engaged_model_neither_moves_nor_runs() -> None:
    state = make_pair()
    assert list_allowed(state) == {"hold": True, "normal": False, "run": False}
    because = {option.action: [rule for rule, _ in option.because] for option in Referee(state).list_options("m")}
    assert because == {"hold": [], "normal": ["act-13"], "run": ["act-10"]}
    assert Referee(state).find_zone(model="m", action="normal").region.is_empty


def test_one_that_may_be_engaged_may_choose_but_has_no_sure_place() -> None:
    state = make_pair(sigma=0.3, gap_mm=1.2)
    assert list_allowed(state) == {"hold": True, "normal": True, "run": True}
    assert Referee(state).find_zone(model="m", action="normal").region.is_empty


def test_of_a_unit_only_the_engaged_model_is_held() -> None:
    state = make_game(
        make_unit("m", "red", make_model("m", make_pose(300, 200)), make_model("free", make_pose(300, 300))),
        make_unit("e", "blue", make_model("e", make_pose(332, 200))),
    )
    assert list_allowed(state)["normal"]
    assert Referee(state).find_zone(model="m", action="normal").region.is_empty
    assert not Referee(state).find_zone(model="free", action="normal").region.is_empty
    both = Move(
        unit="m",
        action="normal",
        paths={"m": (make_pose(300, 200), make_pose(280, 200)), "free": (make_pose(300, 300), make_pose(320, 300))},
    )
    assert [(f.rule, f.subjects) for f in judge(state, both).findings] == [
        ("act-13", ("m", "e")),
        ("act-15", ("m", "e")),
    ]


# -- bad input


def test_a_charge_is_for_a_run() -> None:
    with pytest.raises(BadInput, match="^move.charge: normal takes no charge; expected it only with run$"):
        judge(make_pair(), Move(unit="m", action="normal", intent={"charge": True}))
    with pytest.raises(BadInput, match="^move.charge: expected true or false, not 'yes'$"):
        judge(make_pair(), Move(unit="m", action="run", intent={"charge": "yes"}))


def test_a_run_is_measured_by_the_initiative_too() -> None:
    state = make_game(
        Unit(id="m", player="red", profile={"move_in": 6}, models=(make_model("m", make_pose(300, 200)),))
    )
    with pytest.raises(BadInput, match='^unit "m": profile.initiative_in is missing; a move is measured against it$'):
        judge(state, Move(unit="m", action="run", paths={"m": (make_pose(300, 200), make_pose(310, 200))}))
    assert {o.action: o.limit_mm for o in Referee(state).list_options("m")} == {
        "hold": None,
        "normal": 152.4,
        "run": None,
    }


# -- the zone


@pytest.mark.parametrize("base", [ROUND, OVAL], ids=["round", "oval"])
@pytest.mark.parametrize("sigma_mm", [0.0, 0.3])
@pytest.mark.parametrize(("action", "charge"), [("normal", False), ("run", False), ("run", True)])
def test_the_zone_is_where_judge_agrees(action: str, base: Base, sigma_mm: float, *, charge: bool) -> None:
    intent: dict[str, Setting] = {"charge": True} if charge else {}
    seen = set[bool]()
    for seed in range(4):
        rng = random.Random(seed)
        state = make_random_game(rng, sigma_mm, base)
        (mover,) = state.find_unit("m").models
        assert mover.pose is not None
        answer = Referee(state).find_zone(model="m", action=action, facing="keep", intent=intent)
        places = [(rng.uniform(100, 500), rng.uniform(0, 320)) for _ in range(6)]
        if not answer.region.is_empty:
            edge = answer.region.boundary
            ends = [edge.interpolate(rng.uniform(0, edge.length)) for _ in range(10)]
            places += [(end.x + rng.gauss(0, 0.4), end.y + rng.gauss(0, 0.4)) for end in ends]
        for x, y in places:
            if answer.region.is_empty or answer.region.boundary.distance(shapely.Point(x, y)) > answer.error_mm:
                end = replace(mover.pose, x_mm=x, y_mm=y)
                move = Move(unit="m", action=action, paths={"m": (mover.pose, end)}, observed=False, intent=intent)
                inside = answer.region.contains(shapely.Point(x, y))
                counted = {f.outcome for f in judge(state, move).findings}
                assert (counted <= {Outcome.UNOBSERVED, Outcome.NOTE}) == inside, (seed, x, y)
                seen.add(inside)
    assert seen == {True, False}
