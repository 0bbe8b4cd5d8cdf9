"""The referee's verdicts, options, coherency links and zones, worked out by hand, and what it refuses."""

import math
import re
from dataclasses import replace
from typing import Any

import pytest
import shapely

from assistant.errors import BadInput
from assistant.game.state import GameState, Model, Move, Pose, Setting, Table, Unit
from assistant.geometry.shapes.base_shapes import Base, Rect, Round
from assistant.rules.lengths import format_apart, format_inches
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import EVERYTHING, Finding, Outcome, decide_outcome, probability
from tests.assistant.snapshot_script import build_game

RECT = Rect(length_mm=100, width_mm=40)


def make_model(name: str, x: float, y: float, base: Base | None = None, **pose: Any) -> Model:
    return Model(id=name, base=base or Round(radius_mm=16), pose=Pose(x_mm=x, y_mm=y, **pose))


def make_game(*own: Model, foes: tuple[Model, ...] = (), profile: dict[str, Setting] | None = None) -> GameState:
    units = [Unit(id="a", player="red", profile={"move_in": 6} if profile is None else profile, models=own)]
    if foes:
        units.append(Unit(id="e", player="blue", models=foes))
    return GameState(rulebook="warhammer-40k-10e", table=Table(width_mm=1524, depth_mm=1118), units=tuple(units))


def make_move(state: GameState, end: Pose, *, observed: bool = True, action: str = "normal") -> Move:
    start = state.find_model("a1").pose
    assert start is not None
    return Move(unit="a", action=action, paths={"a1": (start, end)}, observed=observed)


def find_finding(state: GameState, move: Move, rule: str) -> Finding:
    (found,) = [f for f in judge(state, move, detail=EVERYTHING).findings if f.rule == rule]
    return found


def test_sentences_are_what_a_player_says() -> None:
    state = make_game(make_model("a1", 300, 300), foes=(make_model("e1", 600, 300),))
    texts = {f.rule: f.text for f in judge(state, make_move(state, Pose(x_mm=560.096, y_mm=300))).findings}
    assert texts["10e-15"] == 'a1 moved 10.24" of 6"'
    assert texts["10e-16"] == 'a1 ends 0.31" from e1, inside its engagement range of 1"'


def test_lengths_in_words_can_be_told_apart() -> None:
    assert format_inches(254) == '10"'
    assert format_inches(-0.01) == '0"'
    assert format_apart(format_inches, 152.41, 152.4) == ('6.0004"', '6"')


def test_only_what_is_broken_unless_everything_is_asked_for() -> None:
    state = make_game(make_model("a1", 300, 300), foes=(make_model("e1", 900, 300),))
    move = make_move(state, Pose(x_mm=400, y_mm=300))
    assert judge(state, move).findings == ()
    kept = judge(state, move, detail=EVERYTHING)
    assert kept.outcome is Outcome.LEGAL
    assert {f.rule for f in kept.findings} == {"10e-04", "10e-07", "10e-08", "10e-10", "10e-15", "10e-16", "10e-31"}


def test_witness_is_the_measured_segment() -> None:
    state = make_game(make_model("a1", 300, 300), foes=(make_model("e1", 500, 300),))
    found = find_finding(state, make_move(state, Pose(x_mm=440, y_mm=300)), "10e-16")
    assert found.measured_mm is not None
    assert math.dist(*found.witness_mm) == pytest.approx(found.measured_mm)
    assert found.witness_mm == ((456, 300), (484, 300))


@pytest.mark.parametrize(
    ("margin", "sigma", "at_limit", "outcome"),
    [
        (0.0, 0.0, True, Outcome.LEGAL),
        (-1e-6, 0.0, True, Outcome.LEGAL),
        (-2e-6, 0.0, True, Outcome.ILLEGAL),
        (0.0, 0.0, False, Outcome.ILLEGAL),
        (2e-6, 0.0, False, Outcome.LEGAL),
        (0.2, 0.1, True, Outcome.TOO_CLOSE),
        (-0.2, 0.1, True, Outcome.TOO_CLOSE),
        (0.21, 0.1, True, Outcome.LEGAL),
        (-0.21, 0.1, True, Outcome.ILLEGAL),
    ],
)
def test_two_sigma(margin: float, sigma: float, *, at_limit: bool, outcome: Outcome) -> None:
    assert decide_outcome(margin, sigma, at_limit=at_limit) is outcome


def test_probability_is_the_normal_distribution() -> None:
    assert probability(0.0, 0.3) == 0.5
    assert probability(0.3, 0.3) == pytest.approx(0.8413, abs=1e-4)
    assert (probability(1.0, 0.0), probability(-1.0, 0.0)) == (1.0, 0.0)


def test_unseen_way_around_is_as_long_as_tangents_and_arc() -> None:
    state = make_game(make_model("a1", 300, 300), foes=(make_model("e1", 370, 300),))
    state = replace(state, parameters={"engagement_in": 0.25})
    move = make_move(state, Pose(x_mm=440, y_mm=300), observed=False)
    reach = 32 + 0.25 * 25.4
    way = 2 * (math.sqrt(70**2 - reach**2) + reach * math.asin(reach / 70))
    found = find_finding(state, move, "10e-15")
    assert found.measured_mm == pytest.approx(way, abs=1e-9)
    assert found.text == f'a1 moved at least {format_inches(way)} of 6"'
    assert find_finding(state, move, "10e-16").outcome is Outcome.LEGAL


def test_nowhere_to_come_from() -> None:
    ring = tuple(
        make_model(f"e{i}", 700 + 80 * math.cos(i * math.pi / 4), 300 + 80 * math.sin(i * math.pi / 4))
        for i in range(8)
    )
    state = make_game(make_model("a1", 570, 300), foes=ring)
    state = replace(state, parameters={"engagement_in": 0.0})
    found = find_finding(state, make_move(state, Pose(x_mm=700, y_mm=300), observed=False), "10e-15")
    assert found.outcome is Outcome.ILLEGAL
    assert found.text == "a1 can only have come there on a way that breaks another rule"


def test_unseen_turn_is_proved_by_a_way_or_left_open() -> None:
    state = make_game(make_model("a1", 300, 300, RECT))
    turned = Pose(x_mm=340, y_mm=300, facing_rad=math.pi / 2)
    assert find_finding(state, make_move(state, turned, observed=False), "10e-15").outcome is Outcome.LEGAL
    # About face 140 mm further on: the rear corners are displaced by 140 + 100 mm along and 40 across.
    about = Pose(x_mm=440, y_mm=300, facing_rad=math.pi)
    found = find_finding(state, make_move(state, about, observed=False), "10e-15")
    assert found.outcome is Outcome.ILLEGAL
    assert found.measured_mm == pytest.approx(math.hypot(240, 40))
    seen = find_finding(state, make_move(state, about), "10e-15")
    assert seen.measured_mm is not None
    assert seen.measured_mm >= math.hypot(240, 40)


def test_error_on_the_way_is_that_of_both_ends() -> None:
    state = make_game(make_model("a1", 300, 300, sigma_mm=0.2), foes=(make_model("e1", 370, 340, sigma_mm=0.3),))
    start = state.find_model("a1").pose
    assert start is not None
    move = make_move(state, replace(start, x_mm=440.0, sigma_mm=0.6))
    assert find_finding(state, move, "10e-07").sigma_mm == pytest.approx(math.hypot(0.1, 0.3, 0.3))
    assert find_finding(state, move, "10e-15").sigma_mm == pytest.approx(math.hypot(0.2, 0.6))


def test_unseen_turn_in_a_narrow_place_is_unobserved() -> None:
    gate = (make_model("e1", 400, 345), make_model("e2", 400, 255))
    state = replace(make_game(make_model("a1", 300, 300, RECT), foes=gate), parameters={"engagement_in": 0.0})
    through = Pose(x_mm=445, y_mm=300)
    assert find_finding(state, make_move(state, through, observed=False), "10e-15").outcome is Outcome.LEGAL
    wide = state.place_models({"a1": Pose(x_mm=300, y_mm=300, facing_rad=math.pi / 2)})
    end = Pose(x_mm=440, y_mm=300, facing_rad=math.pi / 2)
    found = find_finding(wide, make_move(wide, end, observed=False), "10e-15")
    assert found.outcome is Outcome.UNOBSERVED
    assert found.text == 'a1 moved at least 5.51" of 6"; how it turned on its way was not seen'
    answer = Referee(wide).find_zone(model="a1", action="normal", facing="keep")
    assert answer.region.contains(shapely.Point(440, 300)), "what is unobserved is in the zone"


def test_options_say_why_not() -> None:
    state = make_game(make_model("a1", 300, 300), foes=(make_model("e1", 350, 300),))
    choices = {option.action: option for option in Referee(state).list_options("a")}
    assert choices["remain-stationary"].allowed
    assert choices["normal"].because == (("10e-04", "a1 is within engagement range of e1"),)
    assert choices["normal"].limit_mm is None
    assert choices["advance"].dice == 1
    assert choices["fall-back"].allowed
    assert choices["fall-back"].limit_mm == pytest.approx(152.4)
    free = {option.action: option for option in Referee(make_game(make_model("a1", 300, 300))).list_options("a")}
    assert free["normal"].limit_mm == pytest.approx(152.4)
    assert free["advance"].limit_mm is None
    assert free["fall-back"].because == (
        ("10e-03", "a is not within engagement range of an enemy and cannot fall back"),
    )


def test_a_unit_without_a_move_has_options_but_no_verdict() -> None:
    state = make_game(make_model("a1", 300, 300), profile={})
    assert {option.action: option.limit_mm for option in Referee(state).list_options("a")}["normal"] is None
    with pytest.raises(BadInput, match='^unit "a": profile.move_in is missing; a move is measured against it$'):
        judge(state, make_move(state, Pose(x_mm=400, y_mm=300)))


def test_links_and_breaks() -> None:
    state = make_game(make_model("a1", 300, 300), make_model("a2", 360, 300), make_model("a3", 700, 300))
    found = Referee(state).find_coherency_links("a")
    assert [link.models for link in found.links] == [("a1", "a2")]
    assert found.links[0].segment_mm == ((316, 300), (344, 300))
    assert found.breaking == ("a3",)
    assert Referee(make_game(make_model("a1", 300, 300))).find_coherency_links("a").breaking == ()


def test_engagement_range_is_the_rulebooks() -> None:
    state = make_game(make_model("a1", 300, 300))
    assert Referee(state).find_engagement_mm() == 25.4
    assert Referee(replace(state, parameters={"engagement_in": 2})).find_engagement_mm() == 50.8
    assert Referee(replace(state, units=())).find_engagement_mm() == 0


def test_models_off_the_table_take_no_part() -> None:
    gone = Model(id="a2", base=Round(radius_mm=16), pose=None)
    state = make_game(make_model("a1", 300, 300), gone, foes=(Model(id="e1", base=Round(radius_mm=16), pose=None),))
    assert judge(state, None).outcome is Outcome.LEGAL
    assert judge(state, make_move(state, Pose(x_mm=400, y_mm=300))).outcome is Outcome.LEGAL
    with pytest.raises(BadInput, match='^model: "a2" is not on the table$'):
        Referee(state).find_zone(model="a2", action="normal")


BAD_MOVES = [
    ({"action": "dance"}, "move.action: there is no action 'dance' in warhammer-40k-10e; expected one of remain-st"),
    ({"action": "embark"}, "move.transport is missing; expected the id of the transport to embark in"),
    (
        {"action": "embark", "paths": {"a1": (Pose(x_mm=300, y_mm=300),)}},
        "move.paths: embark moves nobody; expected no paths",
    ),
    (
        {"action": "disembark", "intent": {"transport": "x"}},
        'move.transport: there is no model "x" in this situation',
    ),
    ({"unit": "x"}, "move.unit: there is no unit 'x' in this situation"),
    ({"rolls": (3,)}, "move.rolls: normal takes no dice, not 1"),
    ({"action": "advance"}, "move.rolls: advance takes 1 die, not 0"),
    ({"action": "advance", "rolls": (0,)}, "move.rolls[0]: expected a whole number from 1 to 6, not 0"),
    ({"action": "advance", "rolls": (7,)}, "move.rolls[0]: expected a whole number from 1 to 6, not 7"),
    ({"intent": {"engages": ("e1",)}}, "move.engages: this field of a move is not known; expected one of transport"),
    ({"intent": {"transport": 3}}, "move.transport: expected text, not 3"),
    ({"paths": {"e1": ()}}, "move.paths.e1: there is no model 'e1' in unit 'a'"),
    ({"paths": {"a1": ()}}, "move.paths.a1: expected at least one pose"),
    (
        {"paths": {"a1": (Pose(x_mm=301, y_mm=300),)}},
        "move.paths.a1[0]: a path begins where its model stands; expected the pose of 'a1'",
    ),
]


@pytest.mark.parametrize(("change", "sentence"), BAD_MOVES, ids=lambda value: str(value)[:40])
def test_bad_moves(change: dict[str, object], sentence: str) -> None:
    state = make_game(make_model("a1", 300, 300), foes=(make_model("e1", 900, 300),))
    move = replace(Move(unit="a", action="normal"), **change)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="^" + re.escape(sentence)):
        judge(state, move)


BAD_STATES = [
    ({"parameters": {"luck": 1}}, "parameters.luck: this parameter is not known; expected one of engagement_in"),
    ({"parameters": {"pivot": "sideways"}}, "parameters.pivot: expected one of furthest-point, fixed-2in, free, not"),
    ({"parameters": {"coherency_in": -1}}, "parameters.coherency_in: expected a number from 0 to 24, not -1"),
    ({"parameters": {"coherency_in": True}}, "parameters.coherency_in: expected a number from 0 to 24, not True"),
    ({"rulebook": "chess"}, "rulebook: there is no rulebook 'chess'; expected one of "),
]


@pytest.mark.parametrize(("change", "sentence"), BAD_STATES, ids=lambda value: str(value)[:40])
def test_bad_states(change: dict[str, object], sentence: str) -> None:
    state = replace(make_game(make_model("a1", 300, 300)), **change)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="^" + re.escape(sentence)):
        judge(state, None)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"profile": {"speed": 6}}, "units[0].profile.speed: this profile key is not known; expected one of move_in"),
        ({"profile": {"move_in": -6}}, "units[0].profile.move_in: expected a number from 0 to 100, not -6"),
        ({"status": ("tired",)}, "units[0].status[0]: the status 'tired' is not known; expected one of battle-shocked"),
        ({"status": ("embarked:",)}, "units[0].status[0]: the status 'embarked:' is not known"),
    ],
)
def test_bad_units(change: dict[str, object], sentence: str) -> None:
    state = make_game(make_model("a1", 300, 300))
    unit = replace(state.units[0], **change)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="^" + re.escape(sentence)):
        judge(replace(state, units=(unit,)), None)


def test_bad_questions() -> None:
    state = make_game(make_model("a1", 300, 300))
    with pytest.raises(BadInput, match='^model: there is no model "x" in this situation$'):
        Referee(state).find_zone(model="x", action="normal")
    with pytest.raises(BadInput, match="^action: there is no action 'x' in warhammer-40k-10e; expected one of "):
        Referee(state).find_zone(model="a1", action="x")
    with pytest.raises(BadInput, match="^roll: advance takes 1 die, not 2$"):
        Referee(state).find_zone(model="a1", action="advance", rolls=(1, 2))
    with pytest.raises(BadInput, match="^intent.charge: this field of a move is not known"):
        Referee(state).find_zone(model="a1", action="normal", intent={"charge": True})
    with pytest.raises(BadInput, match="^unit: there is no unit 'x' in this situation$"):
        Referee(state).list_options("x")


def test_a_referee_checks_again_what_has_changed_and_nothing_else() -> None:
    state = build_game()
    referee = Referee(state)
    assert referee.follow(state.place_models({})) is referee
    there = Pose(x_mm=700, y_mm=700)
    moved = referee.follow(state.place_models({"s1": there}))
    assert moved == Referee(moved.state) != referee
    assert moved.parameters is referee.parameters
    assert moved.build_context("scouts").unit.models[0].pose == there
    with pytest.raises(BadInput, match="the status 'asleep' is not known"):
        referee.follow(state.set_statuses({"scouts": ("asleep",)}))
