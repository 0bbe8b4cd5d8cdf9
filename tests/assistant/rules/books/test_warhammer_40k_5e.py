"""The fifth edition's own mechanics, by hand."""

from dataclasses import replace
from typing import Any

import pytest

from assistant.errors import BadInput
from assistant.game.state import GameState, Model, Move, Pose, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Oval, Round
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import EVERYTHING, Finding, Outcome

ROUND = Round(radius_mm=16)
OVAL = Oval(length_mm=60, width_mm=35)


def make_model(name: str, x: float, y: float, base: Base = ROUND, **pose: Any) -> Model:
    return Model(id=name, base=base, pose=Pose(x_mm=x, y_mm=y, **pose))


def make_game(own: tuple[Model, ...], *others: Model, **more: Any) -> GameState:
    """Return a game of a red unit; those of the others that are called e are blue."""
    unit = {key: more.pop(key) for key in ("profile", "status", "keywords") if key in more}
    friends = tuple(other for other in others if not other.id.startswith("e"))
    foes = tuple(other for other in others if other.id.startswith("e"))
    return GameState(
        rulebook="warhammer-40k-5e",
        table=Table(width_mm=1524, depth_mm=1118),
        units=(
            Unit(id="a", player="red", models=own, **unit),
            Unit(id="friends", player="red", models=friends),
            Unit(id="foes", player="blue", models=foes),
        ),
        **more,
    )


def judge_findings(
    state: GameState, paths: dict[str, Any], action: str = "move", **more: Any
) -> dict[str, list[Finding]]:
    """Return what is said of a move, by rule; paths go from where the models stand to some places or poses."""
    full = dict[str, tuple[Pose, ...]]()
    for name, places_mm in paths.items():
        start = state.find_model(name).pose
        assert start is not None
        full[name] = (start, *(p if isinstance(p, Pose) else replace(start, x_mm=p[0], y_mm=p[1]) for p in places_mm))
    found: dict[str, list[Finding]] = {}
    for each in judge(state, Move(unit="a", action=action, paths=full, **more), detail=EVERYTHING).findings:
        found.setdefault(each.rule, []).append(each)
    return found


def test_a_gap_is_passed_only_by_who_goes_through_it() -> None:
    state = make_game((make_model("a1", 300, 300),), make_model("b1", 370, 276), make_model("b2", 370, 328))
    (through,) = judge_findings(state, {"a1": [(440, 300)]})["5e-05"]
    assert through.outcome is Outcome.ILLEGAL
    assert through.margin_mm == pytest.approx(-12)
    assert through.text == 'a1 goes between b1 and b2: they leave 0.79", its base takes 1.26"'
    for path in ([(300, 200), (440, 200), (440, 300)], [(340, 300), (300, 300)], [(370, 240), (300, 300)]):
        assert "5e-05" not in judge_findings(state, {"a1": path})
    assert "5e-05" not in judge_findings(state, {"a1": [(440, 300)]}, observed=False)


def test_between_friends_that_touch_or_overlap_there_is_no_gap() -> None:
    for apart, margin in ((32, -32), (20, -44)):
        state = make_game(
            (make_model("a1", 300, 300),),
            make_model("b1", 370, 300 - apart / 2),
            make_model("b2", 370, 300 + apart / 2),
        )
        (found,) = judge_findings(state, {"a1": [(440, 300)]})["5e-05"]
        assert found.margin_mm == pytest.approx(margin)


def test_a_gap_on_another_floor_is_none() -> None:
    up = make_model("b1", 370, 276, z_mm=80), make_model("b2", 370, 328, z_mm=80)
    level = make_game((make_model("a1", 300, 300),), *up)
    assert "5e-05" not in judge_findings(level, {"a1": [(440, 300)]})
    climbing = Pose(x_mm=440, y_mm=300, z_mm=80)
    assert "5e-05" in judge_findings(level, {"a1": [climbing]}), (
        "where it goes through it is half-way up, on their level"
    )
    late = Pose(x_mm=300, y_mm=300, z_mm=20), Pose(x_mm=440, y_mm=300, z_mm=20), Pose(x_mm=440, y_mm=300, z_mm=80)
    assert "5e-05" not in judge_findings(level, {"a1": late})


def test_a_wrecked_friend_bounds_no_gap_and_blocks_nobody() -> None:
    state = make_game((make_model("a1", 300, 300),), make_model("b1", 370, 276), make_model("b2", 370, 328))
    wreck = replace(
        state, units=(state.units[0], replace(state.units[1], keywords=frozenset({"wreck"})), state.units[2])
    )
    assert not {"5e-04", "5e-05"} & judge_findings(wreck, {"a1": [(440, 300)]}).keys()


BROKEN = (make_model("a1", 300, 300), make_model("a2", 500, 300))
WALL = Terrain(id="wall", outline_mm=((390, 0), (410, 0), (410, 1118), (390, 1118)), traits=frozenset({"impassable"}))


def test_a_broken_unit_may_not_hold_if_it_can_come_together() -> None:
    hold = Referee(make_game(BROKEN)).list_options("a")[0]
    assert not hold.allowed
    ((rule, text),) = hold.because
    assert rule == "5e-09"
    assert text.startswith("a is broken and holds only if it cannot come together: the longest link")


def test_whether_a_broken_unit_can_come_together_may_be_left_to_a_person() -> None:
    apart = make_game(BROKEN, terrain=(WALL,))
    (found,) = judge_findings(apart, {}, "hold")["5e-09"]
    assert (found.outcome, found.margin_mm) == (Outcome.TOO_CLOSE, None)
    assert "too close to call whether that is an offence" in found.text
    assert Referee(apart).list_options("a")[0].allowed
    assert [f.outcome for f in judge_findings(make_game(BROKEN), {}, "hold")["5e-09"]] == [Outcome.ILLEGAL]


def test_a_unit_of_three_groups_comes_together_one_by_one() -> None:
    three = (*BROKEN, make_model("a3", 300, 480), make_model("a4", 330, 500))
    assert [f.outcome for f in judge_findings(make_game(three), {}, "hold")["5e-09"]] == [Outcome.ILLEGAL]


def test_who_must_go_straight_cannot_restore_its_coherency() -> None:
    state = make_game(BROKEN, make_model("e1", 1400, 300))
    ahead = {"a2": [(652.4, 300)], "a1": [(452.4, 300)]}
    move = judge_findings(state, ahead, intent={"toward_closest": True})
    assert [found.outcome for found in move["5e-09"]] == [Outcome.LEGAL]
    assert judge_findings(state, ahead)["5e-09"][0].outcome is Outcome.ILLEGAL
    paths = {name: (state.find_model(name).pose, Pose(x_mm=x, y_mm=300)) for name, x in (("a2", 652.4), ("a1", 452.4))}
    effects = judge(state, Move(unit="a", action="move", paths=paths, intent={"toward_closest": True})).effects  # type: ignore[arg-type]
    assert [effect.effect for effect in effects] == ["cannot-shoot", "cannot-assault"]


BOG = Terrain(id="bog", outline_mm=((360, 250), (420, 250), (420, 350), (360, 350)), traits=frozenset({"difficult"}))


def test_whether_difficult_terrain_slowed_may_be_too_close_to_call() -> None:
    state = make_game((make_model("a1", 300, 234, sigma_mm=0.3),), terrain=(BOG,))
    (found,) = judge_findings(state, {"a1": [(570, 234)]}, "random", rolls=(6,))["5e-15"]
    assert (found.outcome, found.margin_mm) == (Outcome.TOO_CLOSE, None)
    assert found.text.endswith("if difficult terrain slowed it, which is too close to call")
    assert "5e-15" not in judge_findings(state, {"a1": [(640, 234)]}, "random", rolls=(6,)), "too far either way"
    (short,) = judge_findings(state, {"a1": [(500, 234)]}, "random", rolls=(6,))["5e-15"]
    assert short.outcome is Outcome.LEGAL


def test_terrain_that_is_not_on_the_way_slows_nobody_who_went_too_far() -> None:
    far = replace(BOG, outline_mm=((360, 450), (420, 450), (420, 550), (360, 550)))
    state = make_game((make_model("a1", 300, 300),), terrain=(far,))
    found = judge_findings(state, {"a1": [(650, 300)]}, "random", rolls=(5,), observed=False)
    assert "5e-15" not in found
    assert found["5e-14"][0].outcome is Outcome.ILLEGAL
    assert found["5e-14"][0].margin_mm == pytest.approx(279.4 - 350)


def test_a_unit_nobody_saw_is_slowed_by_one_model_that_cannot_have_gone_around() -> None:
    state = make_game((make_model("a1", 300, 300), make_model("a2", 300, 390)), terrain=(BOG,))
    found = judge_findings(state, {"a1": [(400, 300)], "a2": [(400, 390)]}, "random", rolls=(6,), observed=False)
    assert [f.limit_mm for f in found["5e-15"]] == pytest.approx([228.6, 228.6])


def test_dangerous_terrain_that_cannot_have_been_avoided_is_tested_for() -> None:
    mire = replace(
        BOG, id="mire", outline_mm=((360, 0), (420, 0), (420, 1118), (360, 1118)), traits=frozenset({"dangerous"})
    )
    for terrain, tests in ((mire, ["dangerous-terrain-test"]), (replace(BOG, traits=mire.traits), [])):
        state = make_game((make_model("a1", 300, 300),), terrain=(terrain,))
        path = {"a1": (Pose(x_mm=300, y_mm=300), Pose(x_mm=500, y_mm=300))}
        move = Move(unit="a", action="random", rolls=(6,), paths=path, observed=False)
        assert [effect.effect for effect in judge(state, move).effects] == tests


TO_CLOSEST = {"toward_closest": True}


def test_who_stays_behind_must_go_too_unless_it_cannot() -> None:
    own = make_model("a1", 300, 300), make_model("a2", 300, 340)
    path = {"a1": [(452.4, 300)]}
    free = judge_findings(make_game(own, make_model("e1", 1400, 300)), path, intent=TO_CLOSEST)["5e-14"]
    assert {f.subjects: f.outcome for f in free} == {("a1",): Outcome.LEGAL, ("a2",): Outcome.ILLEGAL}
    assert 'a2 moves 0" and stops short: straight ahead it can go 6"' in [f.text for f in free]
    blocked = make_game(own, make_model("e1", 1400, 300), make_model("b1", 332.2, 340))
    assert {f.outcome for f in judge_findings(blocked, path, intent=TO_CLOSEST)["5e-14"]} == {Outcome.LEGAL}


def test_of_two_closest_enemies_the_mover_takes_either() -> None:
    state = make_game((make_model("a1", 300, 300),), make_model("e1", 300, 600), make_model("e2", 600, 300))
    for end in ((452.4, 300), (300, 452.4)):
        assert judge_findings(state, {"a1": [end]}, intent=TO_CLOSEST)["5e-14"][0].outcome is Outcome.LEGAL
    (between,) = judge_findings(state, {"a1": [(300 + 107.7, 300 + 107.7)]}, intent=TO_CLOSEST)["5e-14"]
    assert between.outcome is Outcome.ILLEGAL
    assert "45.0° off the straight line" in between.text
    assert Referee(state).find_zone(model="a1", action="move", intent=TO_CLOSEST).region.area > 10


def test_a_compulsory_move_stops_at_the_edge_and_at_friends() -> None:
    state = make_game((make_model("a1", 300, 1000),), make_model("e1", 300, 1117), parameters={"keep_out_in": 0})
    assert judge_findings(state, {"a1": [(300, 1084.9)]}, intent=TO_CLOSEST)["5e-14"][0].outcome is Outcome.LEGAL
    state = make_game((make_model("a1", 300, 300),), make_model("e1", 900, 300), make_model("b1", 400, 300, OVAL))
    (found,) = judge_findings(state, {"a1": [(350, 300)]}, intent=TO_CLOSEST)["5e-14"]
    assert found.outcome is Outcome.ILLEGAL
    assert found.limit_mm == pytest.approx(100 - 30 - 16, abs=1e-5)


def test_without_an_enemy_nobody_is_drawn_anywhere() -> None:
    state = make_game((make_model("a1", 300, 300),))
    assert "5e-14" not in judge_findings(state, {"a1": [(330, 300)]}, intent=TO_CLOSEST)
    assert Referee(state).find_zone(model="a1", action="move", intent=TO_CLOSEST).region.area > 70000


def test_standing_contact_within_error_is_noted_and_an_overlap_is_an_offence() -> None:
    def found(x: float) -> list[tuple[str, Outcome, tuple[str, ...]]]:
        state = make_game((make_model("a1", 300, 300, sigma_mm=0.2),), make_model("e1", x, 300, sigma_mm=0.2))
        return [(f.rule, f.outcome, f.subjects) for f in judge(state, None).findings]

    notes = [("5e-06", Outcome.NOTE, ("a1", "e1")), ("5e-06", Outcome.NOTE, ("e1", "a1"))]
    assert found(332.3) == notes
    assert found(331.7) == notes
    assert found(331) == [("5e-06", Outcome.ILLEGAL, ("a1", "e1"))]
    assert found(334) == []


def test_what_is_drawn() -> None:
    state = make_game((*BROKEN, make_model("a3", 340, 300)), make_model("e1", 900, 300))
    assert Referee(state).find_engagement_mm() == pytest.approx(25.4)
    drawn = Referee(state).find_coherency_links("a")
    assert [link.models for link in drawn.links] == [("a1", "a3")]
    assert drawn.breaking == ("a2",)


def test_models_off_the_table_count_for_nothing() -> None:
    away = Model(id="a3", base=ROUND, pose=None)
    found = judge_findings(
        make_game(
            (make_model("a1", 300, 300), make_model("a2", 340, 300), away), Model(id="e1", base=ROUND, pose=None)
        ),
        {},
    )
    assert [f.outcome for f in found["5e-08"]] == [Outcome.LEGAL]
    assert "5e-08" not in judge_findings(make_game((make_model("a1", 300, 300), away)), {"a1": [(330, 300)]})


def test_a_unit_says_how_many_dice_it_takes() -> None:
    state = make_game((make_model("a1", 300, 300),), profile={"random_dice": 2})
    assert [(option.action, option.dice) for option in Referee(state).list_options("a")] == [
        ("hold", 0),
        ("move", 0),
        ("random", 2),
    ]
    assert Referee(state).find_zone(model="a1", action="random", rolls=(2, 3)).limit_mm == pytest.approx(11 * 25.4)


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (
            {"action": "move", "intent": {"instead": True}},
            "move.instead: move takes no instead; expected it only with random",
        ),
        (
            {"action": "hold", "intent": TO_CLOSEST},
            "move.toward_closest: hold takes no toward_closest; expected it only",
        ),
        (
            {"action": "move", "intent": {"toward_closest": "e1"}},
            "move.toward_closest: expected true or false, not 'e1'",
        ),
        ({"action": "random"}, "move.rolls: random takes 1 die, not 0"),
        ({"action": "random", "rolls": (1, 2)}, "move.rolls: random takes 1 die, not 2"),
        ({"action": "random", "rolls": (7,)}, r"move.rolls\[0\]: expected a whole number from 1 to 6, not 7"),
        ({"action": "move", "rolls": (1,)}, "move.rolls: move takes no dice, not 1"),
        (
            {"action": "charge"},
            "move.action: there is no action 'charge' in warhammer-40k-5e; expected one of hold, move",
        ),
    ],
)
def test_bad_moves_are_told_apart(move: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=f"^{message}"):
        judge(make_game((make_model("a1", 300, 300),)), Move(unit="a", **move))


def test_half_a_die_is_bad_input() -> None:
    state = make_game((make_model("a1", 300, 300),), profile={"random_dice": 1.5})
    with pytest.raises(
        BadInput, match=r"^units\[0\].profile.random_dice: expected a whole number from 1 to 6, not 1.5"
    ):
        Referee(state).list_options("a")


def test_an_end_beside_what_it_started_on_is_judged_within_error() -> None:
    state = make_game((make_model("a1", 300, 300, sigma_mm=0.3),), make_model("b1", 325, 300))
    assert judge_findings(state, {"a1": [(200, 300)]})["5e-04"][0].outcome is Outcome.LEGAL
    (found,) = judge_findings(state, {"a1": [(292.9, 300)]})["5e-04"]
    assert found.outcome is Outcome.TOO_CLOSE
    assert found.margin_mm == pytest.approx(0.1)


def test_the_same_at_the_edge() -> None:
    state = make_game((make_model("a1", 10, 300, sigma_mm=0.3),))
    assert judge_findings(state, {"a1": [(60, 300)]})["5e-17"][0].outcome is Outcome.LEGAL
    assert judge_findings(state, {"a1": [(16.1, 300)]})["5e-17"][0].outcome is Outcome.TOO_CLOSE
