"""Evades, hand-worked: what is burst through, and what is not."""

from assistant.game.state import GameState
from assistant.rules.verdict import Verdict
from tests.assistant.rules.warmaster.moves import broken, margins, moved, of_rule
from tests.assistant.rules.warmaster.stands import Place
from tests.assistant.rules.warmaster.tables import table, unit

OURS = unit("a", "red", (500, 300, 0))
THEIRS = unit("e", "blue", (560, 300, 180))  # 40 from it, straight ahead
FROM = {"toward": "e"}


def evade(state: GameState, *way: Place, observed: bool = True) -> Verdict:
    return moved(state, "evade", {"a1": way}, observed=observed, intent=FROM)


def confused(verdict: Verdict) -> list[str]:
    return [subject for each in verdict.effects if each.effect == "confused" for subject in each.subjects]


FRIENDS = unit("b", "red", (440, 330, 0))  # y 310 to 350, so the straight way at 300 cuts 10 off it


def test_bursting_through_confuses_whom_the_straightened_way_meets() -> None:
    assert confused(evade(table(OURS, THEIRS, FRIENDS), (380, 300, 0))) == ["b"]
    clear = unit("b", "red", (440, 340, 0))  # y 320 to 360: touched, not met
    assert confused(evade(table(OURS, THEIRS, clear), (380, 300, 0))) == []


def test_a_detour_that_nobody_needed_confuses_nobody() -> None:
    """What was seen bends through the friends, but straight there is clear of them."""
    aside = unit("b", "red", (440, 350, 0))  # y 330 to 370
    assert confused(evade(table(OURS, THEIRS, aside), (440, 330, 0), (380, 300, 0))) == []


def test_a_detour_around_friends_counts_as_straight_through_them() -> None:
    assert confused(evade(table(OURS, THEIRS, FRIENDS), (440, 285, 0), (380, 300, 0))) == ["b"]


def test_one_ends_on_no_friend_that_it_burst_through() -> None:
    found = evade(table(OURS, THEIRS, FRIENDS), (425, 300, 0))
    assert margins(of_rule(found, "wm-55")) == [(("a1", "b1"), -5)]  # x 415 to 435 on 430 to 450
    assert confused(found) == ["b"]


def test_a_way_that_nobody_saw_is_straight_through_friends() -> None:
    found = evade(table(OURS, THEIRS, FRIENDS), (380, 300, 0), observed=False)
    assert confused(found) == ["b"]


def test_friends_who_fight_are_not_passed() -> None:
    fighting = (FRIENDS, unit("f", "blue", (440, 370, 180)))
    assert {"wm-53", "wm-54"} & broken(evade(table(OURS, THEIRS, *fighting), (360, 300, 0))) == {"wm-53"}
