"""Evades, hand-worked: what is burst through, and what is not."""

from assistant.game.state import GameState
from assistant.rules.verdict import Verdict
from tests.assistant.rules.books.warmaster_revolution.judging import (
    judge_move,
    list_broken_rules,
    list_margins,
    select_findings,
)
from tests.assistant.rules.books.warmaster_revolution.stand_builders import Place
from tests.assistant.rules.books.warmaster_revolution.table_builders import build_table, build_unit

OURS = build_unit("a", "red", (500, 300, 0))
THEIRS = build_unit("e", "blue", (560, 300, 180))  # 40 from it, straight ahead
FROM = {"toward": "e"}


def judge_evade(state: GameState, *way: Place, observed: bool = True) -> Verdict:
    return judge_move(state, "evade", {"a1": way}, observed=observed, intent=FROM)


def list_confused(verdict: Verdict) -> list[str]:
    return [subject for each in verdict.effects if each.effect == "confused" for subject in each.subjects]


FRIENDS = build_unit("b", "red", (440, 330, 0))  # y 310 to 350, so the straight way at 300 cuts 10 off it


def test_bursting_through_confuses_whom_the_straightened_way_meets() -> None:
    assert list_confused(judge_evade(build_table(OURS, THEIRS, FRIENDS), (380, 300, 0))) == ["b"]
    clear = build_unit("b", "red", (440, 340, 0))  # y 320 to 360: touched, not met
    assert list_confused(judge_evade(build_table(OURS, THEIRS, clear), (380, 300, 0))) == []


def test_a_detour_that_nobody_needed_confuses_nobody() -> None:
    """What was seen bends through the friends, but straight there is clear of them."""
    aside = build_unit("b", "red", (440, 350, 0))  # y 330 to 370
    assert list_confused(judge_evade(build_table(OURS, THEIRS, aside), (440, 330, 0), (380, 300, 0))) == []


def test_a_detour_around_friends_counts_as_straight_through_them() -> None:
    assert list_confused(judge_evade(build_table(OURS, THEIRS, FRIENDS), (440, 285, 0), (380, 300, 0))) == ["b"]


def test_one_ends_on_no_friend_that_it_burst_through() -> None:
    found = judge_evade(build_table(OURS, THEIRS, FRIENDS), (425, 300, 0))
    assert list_margins(select_findings(found, "wm-55")) == [(("a1", "b1"), -5)]  # x 415 to 435 on 430 to 450
    assert list_confused(found) == ["b"]


def test_a_way_that_nobody_saw_is_straight_through_friends() -> None:
    found = judge_evade(build_table(OURS, THEIRS, FRIENDS), (380, 300, 0), observed=False)
    assert list_confused(found) == ["b"]


def test_friends_who_fight_are_not_passed() -> None:
    fighting = (FRIENDS, build_unit("f", "blue", (440, 370, 180)))
    assert {"wm-53", "wm-54"} & list_broken_rules(judge_evade(build_table(OURS, THEIRS, *fighting), (360, 300, 0))) == {
        "wm-53"
    }
