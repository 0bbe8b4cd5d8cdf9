"""Whose stands a rule is about, and who is in combat, hand-worked."""

import pytest

from assistant.rules.books.warmaster_revolution.parties import (
    are_foes,
    exclude_units,
    find_engaged_stands,
    find_engaged_units,
    is_comrade,
    is_other_unit,
    is_same_unit,
    restrict_to_units,
)
from assistant.rules.selectors import UnitSelector
from tests.assistant.rules.books.warmaster_revolution.table_builders import build_question, build_table, build_unit

OURS = build_unit("a", "red", (300, 300, 0), (300, 340, 0))
FRIEND = build_unit("b", "red", (600, 300, 0))
FOE = build_unit("e", "blue", (700, 300, 180))
HERO = build_unit("h", "red", (800, 300, 0), troop="character")
VILLAIN = build_unit("v", "blue", (900, 300, 0), troop="character")
EVERYONE = (OURS, FRIEND, FOE, HERO, VILLAIN)


@pytest.mark.parametrize(
    ("party", "ours", "heros"),
    [
        (is_other_unit, "be", "abe"),
        (is_same_unit, "a", "h"),
        (is_comrade, "b", "ab"),
        (are_foes, "e", ""),  # a character has no enemies: it fights nobody here
        (restrict_to_units(is_other_unit, ["b", "h"]), "b", "b"),
        (exclude_units(is_other_unit, ["b"]), "e", "ae"),
    ],
)
def test_parties(party: UnitSelector, ours: str, heros: str) -> None:
    assert "".join(other.id for other in EVERYONE if party(OURS, other)) == ours
    assert "".join(other.id for other in EVERYONE if party(HERO, other)) == heros


@pytest.mark.parametrize(
    ("x", "y", "fights"),
    [
        (320, 290, {"a1", "e1"}),  # edge to edge
        (321, 290, {"a1", "e1"}),  # exactly a millimetre
        (321.01, 290, set()),
        (320, 320, {"a1", "a2", "e1"}),  # across the joint of two stands
        (320, 380, {"a2", "e1"}),  # corner to corner
        (320.8, 380.8, set()),  # 0.8 and 0.8 are 1.13
    ],
)
def test_who_touches_an_enemy_fights(x: float, y: float, fights: set[str]) -> None:
    asked = build_question(build_table(OURS, FRIEND, build_unit("e", "blue", (x, y, 180))))
    assert find_engaged_stands(asked) == fights
    assert find_engaged_units(asked) == {stand[0] for stand in fights}


def test_a_fight_of_others_counts_and_characters_fight_nobody() -> None:
    beside_hero = build_unit("e", "blue", (800, 322.5, 180))  # 12.5 and 10 from the middles
    asked = build_question(
        build_table(OURS, FRIEND, HERO, beside_hero, build_unit("f", "blue", (620, 300, 180)), VILLAIN)
    )
    assert find_engaged_stands(asked) == {"b1", "f1"}
    assert find_engaged_units(asked) == {"b", "f"}


def test_friends_who_touch_do_not_fight() -> None:
    assert find_engaged_stands(build_question(build_table(OURS, build_unit("b", "red", (320, 300, 0))))) == frozenset()
