"""Directly away, hand-worked: which way and how far, and where the zone lets the first stand go."""

import math
from dataclasses import replace

import pytest
import shapely

from assistant.game.state import GameState, ModelTrack
from assistant.rules.referee import Referee
from assistant.rules.verdict import Outcome, Verdict
from tests.assistant.rules.books.warmaster_revolution.judging import judge_move, list_broken_rules, select_findings
from tests.assistant.rules.books.warmaster_revolution.stand_builders import Place
from tests.assistant.rules.books.warmaster_revolution.table_builders import build_box, build_table, build_unit

OURS = build_unit("a", "red", (500, 300, 0))
THEIRS = build_unit("e", "blue", (560, 300, 180))  # 40 from it, straight ahead
FROM = {"toward": "e"}


def judge_evade(state: GameState, *way: Place, observed: bool = True) -> Verdict:
    return judge_move(state, "evade", {"a1": way}, observed=observed, intent=FROM)


# -- which way and how far


@pytest.mark.parametrize(("aside_deg", "margin_mm"), [(0, 60 * math.sin(math.radians(3))), (3, 0.0), (8, -5.229)])
def test_the_margin_of_a_direction(aside_deg: float, margin_mm: float) -> None:
    turn = math.radians(aside_deg)
    verdict = judge_evade(build_table(OURS, THEIRS), (500 - 60 * math.cos(turn), 300 + 60 * math.sin(turn), 0))
    (found,) = (each for each in verdict.findings if each.rule == "wm-49")
    assert found.margin_mm == pytest.approx(margin_mm, abs=1e-3)  # 60 sin 5 degrees is 5.229
    assert (found.outcome is Outcome.ILLEGAL) == (margin_mm < -1e-6)


def test_toward_the_enemy_the_whole_way_is_wrong() -> None:
    (found,) = select_findings(judge_evade(build_table(OURS, THEIRS), (510, 300, 0)), "wm-49")
    assert found.margin_mm == pytest.approx(-10)


def test_of_several_closest_pairs_any_gives_the_direction() -> None:
    """An enemy on each side of the line, corner to corner: the two ways lead off by as much to either hand."""
    pair = build_unit("e", "blue", (540, 350, 180), (540, 250, 180))
    # From (530, 330) to (510, 320), and from (530, 270) to (510, 280): 20 back and 10 aside.
    for aside in (-30, 30):
        assert "wm-49" not in list_broken_rules(judge_evade(build_table(OURS, pair), (440, 300 + aside, 0)))
    assert "wm-49" in list_broken_rules(judge_evade(build_table(OURS, pair), (440, 300, 0)))


def test_a_turn_on_the_spot_is_far_enough_only_by_its_corners() -> None:
    """A corner is 22.36 from the middle, and goes 2 x 22.36 x sin(half the turn): 10 at 25.84 degrees."""
    for turn, far in ((25.7, False), (26.0, True)):
        found = [
            each for each in judge_evade(build_table(OURS, THEIRS), (500, 300, turn)).findings if each.rule == "wm-48"
        ]
        assert [each.outcome is Outcome.LEGAL for each in found] == [far]
        assert found[0].margin_mm == pytest.approx(2 * math.hypot(10, 20) * math.sin(math.radians(turn / 2)) - 10)


def test_a_stand_that_was_put_back_within_the_noise_has_no_direction() -> None:
    state = build_table(OURS, build_unit("e", "blue", (620, 300, 180)))
    start = state.find_model("a1").pose
    assert start is not None
    state = state.place_models({"a1": replace(start, sigma_mm=0.3)})
    back = judge_evade(state, (440, 300, 0), (499.9, 300.6, 0))  # 0.61 away, two sigma of two poses are 0.85
    (found,) = select_findings(back, "wm-49")
    assert (found.outcome, found.margin_mm) == (Outcome.NOTE, None)
    assert found.text == "a1 stands within 0.08 cm of where it began, so it goes nowhere"
    assert select_findings(back, "wm-50") == []
    assert list_broken_rules(back) == {"wm-48"}
    further = judge_evade(state, (499.0, 301.0, 0))
    assert [each.outcome for each in select_findings(further, "wm-49")] != [Outcome.NOTE]
    # By a turn it comes far enough where it stands, and the zone says so, too.
    turned = judge_evade(state, (499.9, 300.6, 60))
    assert turned.outcome is Outcome.LEGAL
    region = Referee(state).find_zone(model="a1", action="evade", facing="any", alone=True, intent=FROM).region
    assert region.contains(shapely.Point(499.9, 300.6))
    assert not region.contains(shapely.Point(499.0, 301.0))


def test_a_path_that_is_straight_once_straightened_is_straight() -> None:
    bends: tuple[Place, ...] = ((470, 305, 0), (450, 293, 0), (400, 300, 0))
    assert select_findings(judge_evade(build_table(OURS, THEIRS), *bends), "wm-50") == []


def test_a_path_that_must_bend_is_not_straight() -> None:
    house = build_box("h", 430, 270, 450, 325, "building")
    found = judge_evade(build_table(OURS, THEIRS, terrain=(house,)), (480, 350, 0), (380, 350, 0), (370, 300, 0))
    assert [each.subjects for each in select_findings(found, "wm-50")] == [("a1",)]


# -- the zone


def list_reached(state: GameState, stand: str, *places: tuple[float, float]) -> list[bool]:
    region = Referee(state).find_zone(model=stand, action="evade", facing="keep", alone=True, intent=FROM).region
    return [region.contains(shapely.Point(place)) for place in places]


def test_the_zone_of_the_first_stand_is_a_wedge() -> None:
    edge = 100 * math.tan(math.radians(3))
    places = ((400, 300), (400, 300 + edge - 0.1), (400, 300 + edge + 0.1), (490.2, 300), (489, 300), (299, 300))
    assert list_reached(build_table(OURS, THEIRS), "a1", *places) == [True, True, False, False, True, False]


def test_the_others_are_free_and_so_is_light_cavalry() -> None:
    column = build_unit("a", "red", (500, 300, 0), (480, 300, 0))
    assert list_reached(build_table(column, THEIRS), "a2", (400, 380)) == [True]
    assert list_reached(build_table(column, THEIRS), "a1", (400, 380)) == [False]
    light = build_unit("a", "red", (500, 300, 0), troop="cavalry", keywords=("armour-6+",))
    assert list_reached(build_table(light, THEIRS), "a1", (450, 400), (495, 305)) == [True, False]


def test_once_the_first_has_moved_those_left_are_free() -> None:
    """What was the second is the closest now; it follows all the same."""
    state = build_table(build_unit("a", "red", (400, 300, 0), (480, 300, 0)), THEIRS)
    assert list_reached(state, "a2", (420, 360)) == [False]
    gone = state.find_model("a1").pose
    assert gone is not None
    assert list_reached(
        replace(state, tracks={"a1": ModelTrack(poses=(gone, gone), observed=True)}), "a2", (420, 360)
    ) == [True]
