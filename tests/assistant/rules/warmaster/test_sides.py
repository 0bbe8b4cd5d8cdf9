"""Whose stands a rule is about, and who is in combat, hand-worked."""

import pytest

from assistant.rules.books.warmaster_revolution.sides import (
    but_units,
    comrades,
    engaged,
    engaged_units,
    foes_of,
    of_units,
    others,
    own,
)
from assistant.rules.parties import Party
from tests.assistant.rules.warmaster.tables import ask, table, unit

OURS = unit("a", "red", (300, 300, 0), (300, 340, 0))
FRIEND = unit("b", "red", (600, 300, 0))
FOE = unit("e", "blue", (700, 300, 180))
HERO = unit("h", "red", (800, 300, 0), troop="character")
VILLAIN = unit("v", "blue", (900, 300, 0), troop="character")
EVERYONE = (OURS, FRIEND, FOE, HERO, VILLAIN)


@pytest.mark.parametrize(
    ("party", "ours", "heros"),
    [
        (others, "be", "abe"),
        (own, "a", "h"),
        (comrades, "b", "ab"),
        (foes_of, "e", ""),  # a character has no enemies: it fights nobody here
        (of_units(others, ["b", "h"]), "b", "b"),
        (but_units(others, ["b"]), "e", "ae"),
    ],
)
def test_parties(party: Party, ours: str, heros: str) -> None:
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
    asked = ask(table(OURS, FRIEND, unit("e", "blue", (x, y, 180))))
    assert engaged(asked) == fights
    assert engaged_units(asked) == {stand[0] for stand in fights}


def test_a_fight_of_others_counts_and_characters_fight_nobody() -> None:
    beside_hero = unit("e", "blue", (800, 322.5, 180))  # 12.5 and 10 from the middles
    asked = ask(table(OURS, FRIEND, HERO, beside_hero, unit("f", "blue", (620, 300, 180)), VILLAIN))
    assert engaged(asked) == {"b1", "f1"}
    assert engaged_units(asked) == {"b", "f"}


def test_friends_who_touch_do_not_fight() -> None:
    assert engaged(ask(table(OURS, unit("b", "red", (320, 300, 0))))) == frozenset()
