"""What stands may not pass, end on or enter, hand-worked."""

import math

import pytest
import shapely

from assistant.game.state import GameState
from assistant.rules.books.warmaster_revolution.movement_limits import (
    build_allowance,
    build_combat_contact,
    build_hold_allowance,
    can_fly,
    constrain_closed_terrain,
)
from assistant.rules.constraints.allowance import Pivot
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import Outcome
from tests.assistant.rules.books.warmaster_revolution.judging import (
    judge_move,
    list_broken_rules,
    list_margins,
    select_findings,
)
from tests.assistant.rules.books.warmaster_revolution.stand_builders import Place
from tests.assistant.rules.books.warmaster_revolution.table_builders import (
    build_box,
    build_question,
    build_table,
    build_unit,
)

LINE = build_unit("a", "red", (300, 300, 0), (300, 340, 0))


# -- flyers


def list_rules_broken_by_flying(state: GameState, *way: Place) -> set[str]:
    return list_broken_rules(judge_move(state, "order", {"a1": way}))


@pytest.mark.parametrize(
    ("x", "rows"),
    [(440, set()), (380, {"wm-15"}), (340, set()), (360, set()), (360.1, {"wm-15"})],
)
def test_a_flyer_passes_over_stands_and_ends_on_none(x: float, rows: set[str]) -> None:
    """Stands at x 390: the one that flies is 40 long, so it touches them at 360 and at 420."""
    flyer = build_unit("a", "red", (300, 300, 0), troop="flyer")
    assert list_rules_broken_by_flying(build_table(flyer, build_unit("b", "red", (390, 300, 0))), (x, 300, 0)) == rows


def test_a_flyer_passes_its_own_that_have_moved_and_ends_on_none() -> None:
    pair = build_unit("a", "red", (300, 300, 0), (300, 320, 0), troop="flyer")
    ways: dict[str, list[Place]] = {"a1": [(400, 310, 0)], "a2": [(440, 310, 0)]}
    assert "wm-17" not in list_broken_rules(judge_move(build_table(pair), "order", ways))
    onto = judge_move(build_table(pair), "order", {**ways, "a2": [(430, 310, 0)]})
    assert list_margins(select_findings(onto, "wm-17")) == [(("a1", "a2"), 1 - 10), (("a2", "a1"), 1 - 10)]


@pytest.mark.parametrize(
    ("traits", "row"),
    [
        (("hill",), "wm-28"),
        (("dense",), "wm-28"),
        (("wall", "low"), "wm-34"),
        (("building",), "wm-34"),
        (("impassable",), "wm-28"),
    ],
)
def test_a_flyer_lands_on_no_terrain(traits: tuple[str, ...], row: str) -> None:
    state = build_table(
        build_unit("a", "red", (300, 300, 0), troop="flyer"), terrain=(build_box("t", 400, 250, 450, 350, *traits),)
    )
    assert list_rules_broken_by_flying(state, (420, 300, 0)) == {row}
    assert list_rules_broken_by_flying(state, (480, 300, 0)) == set()
    assert list_rules_broken_by_flying(state, (380, 300, 0)) == set()  # touches it
    assert [
        rule.on_the_way for rule in constrain_closed_terrain(build_question(state)) if hasattr(rule, "on_the_way")
    ] == [False]


def test_who_flies() -> None:
    assert can_fly(build_unit("a", "red", (0, 0, 0), troop="flyer"))
    assert can_fly(build_unit("a", "red", (0, 0, 0), troop="character", keywords=("fly",)))
    assert not can_fly(build_unit("a", "red", (0, 0, 0), troop="character"))
    assert not can_fly(build_unit("a", "red", (0, 0, 0), keywords=("fly",)))


# -- own stands


def test_an_own_stand_that_has_moved_is_in_the_way_and_one_that_has_not_is_passed() -> None:
    column = build_unit("a", "red", (300, 300, 0), (280, 300, 0))
    assert "wm-17" not in list_broken_rules(judge_move(build_table(column), "order", {"a2": [(320, 300, 0)]}))
    after = judge_move(build_table(column), "order", {"a1": [(340, 300, 0)], "a2": [(360, 300, 0)]})
    assert [each.subjects for each in select_findings(after, "wm-17")] == [("a2", "a1")]


@pytest.mark.parametrize(("x", "on_top"), [(281.0, False), (281.1, True)])
def test_stands_that_must_touch_may_overlap_by_a_millimetre(x: float, *, on_top: bool) -> None:
    pair = build_unit("a", "red", (300, 300, 0), (270, 300, 0))
    found = select_findings(judge_move(build_table(pair), "order", {"a2": [(x, 300, 0)]}), "wm-17")
    assert bool(found) is on_top


# -- other units' stands on a seen path of several legs


def test_the_fewest_clear_legs_are_judged_and_of_these_the_shortest() -> None:
    """Around a friend at y 280 to 320, by five poses: two corners do, and (300, 341) for the first would be longer."""
    state = build_table(build_unit("a", "red", (300, 300, 0)), build_unit("b", "red", (360, 300, 0)))
    seen: list[Place] = [(300, 341, 0), (330, 350, 0), (360, 341, 0), (385, 341, 0), (420, 300, 0)]
    found = judge_move(state, "order", {"a1": seen})
    assert list_broken_rules(found) == set()
    (length,) = (each for each in found.findings if each.rule == "wm-14")
    assert length.measured_mm == pytest.approx(math.hypot(30, 50) + math.hypot(55, 9) + math.hypot(35, 41))


def test_a_path_that_is_clear_nowhere_says_what_it_ran_into() -> None:
    state = build_table(build_unit("a", "red", (300, 300, 0)), build_unit("b", "red", (360, 300, 0)))
    found = select_findings(judge_move(state, "order", {"a1": [(330, 305, 0), (420, 300, 0)]}), "wm-15")
    assert [(each.subjects, each.outcome) for each in found] == [(("a1", "b1"), Outcome.ILLEGAL)]


def test_one_may_not_end_in_a_fight_by_order_but_may_stay_in_one() -> None:
    foe = build_unit("e", "blue", (400, 300, 180))
    near = select_findings(
        judge_move(build_table(build_unit("a", "red", (300, 300, 0)), foe), "order", {"a1": [(379.5, 300, 0)]}), "wm-15"
    )
    assert [(each.subjects, each.margin_mm) for each in near] == [(("a1", "e1"), None)]
    along = judge_move(build_table(build_unit("a", "red", (379.5, 300, 0)), foe), "order", {"a1": [(379.5, 310, 0)]})
    assert select_findings(along, "wm-15") == []


# -- terrain


WOOD = build_box("w", 280, 280, 400, 320, "dense")


def test_who_starts_in_closed_terrain_may_leave_it_seen_or_not() -> None:
    state = build_table(build_unit("a", "red", (300, 300, 0), troop="cavalry"), terrain=(WOOD,))
    for observed in (True, False):
        assert list_broken_rules(judge_move(state, "order", {"a1": [(300, 400, 0)]}, observed=observed)) == set()
    region = Referee(state).find_zone(model="a1", action="order", facing="keep").region
    assert region.contains(shapely.Point(300, 400))
    assert region.contains(shapely.Point(430, 300))  # through all of the wood that it is in


def test_terrain_that_it_does_not_start_in_stays_closed() -> None:
    state = build_table(build_unit("a", "red", (250, 300, 0), troop="cavalry"), terrain=(WOOD,))
    assert list_broken_rules(judge_move(state, "order", {"a1": [(300, 300, 0)]})) == {"wm-24"}
    assert (
        not Referee(state).find_zone(model="a1", action="order", facing="keep").region.contains(shapely.Point(300, 300))
    )


# -- allowances and standing


def test_allowances_count_each_corner_s_straight_way() -> None:
    asked = build_question(build_table(LINE))
    assert build_hold_allowance().limit_mm == 0
    found = build_allowance(asked, "charge")
    assert (found.limit_mm, found.pivot, found.rule, found.no_way) == (200, Pivot.DISPLACEMENT, "wm-14", "wm-12")
    assert found.because == "full pace: it charges"
    assert build_allowance(asked, "character", "wm-58").rule == "wm-58"


def test_nobody_stands_on_another_but_characters_may() -> None:
    state = build_table(
        LINE, build_unit("b", "red", (312, 300, 0)), build_unit("c", "red", (300, 310, 0), troop="character")
    )
    found = [each for each in judge(state, None).findings if each.outcome is Outcome.ILLEGAL]
    assert [each.rule for each in found] == ["wm-15"]
    assert list_margins(found) == [(("a1", "b1"), -8)]


def test_combat_is_touching() -> None:
    rule = build_combat_contact(build_question(build_table(LINE)))
    assert (rule.range_mm, rule.at_limit, rule.on_the_way) == (1.0, False, False)
