"""Full or half pace: by troop, formation and fortified places, hand-worked, with what sigma leaves open."""

import pytest

from assistant.game.state import Terrain
from assistant.rules.books.warmaster_revolution.pace import UnitPace, find_fortified_stand, find_pace
from tests.assistant.rules.books.warmaster_revolution.stand_builders import build_question, build_stands, build_unit

LINE = ((300, 300), (300, 340), (300, 380))
SQUARE = ((300, 300), (300, 340), (280, 300), (280, 340))


def build_works(*, to_x: float = 295.0, traits: tuple[str, ...] = ("fortified",)) -> Terrain:
    """Return works that end at x; a stand of infantry at 300 begins at 290."""
    return Terrain(id="works", outline_mm=((200, 200), (to_x, 200), (to_x, 320), (200, 320)), traits=frozenset(traits))


def build_sure_pace(mm: float, reason: str) -> UnitPace:
    return UnitPace(sure_mm=mm, most_mm=mm, reason=reason)


@pytest.mark.parametrize(
    ("troop", "full", "half"),
    [("infantry", 200, 100), ("chariot", 300, 150), ("artillery", 100, 50), ("flyer", 1000, 100)],
)
def test_the_formation_sets_the_pace(troop: str, full: float, half: float) -> None:
    assert find_pace(build_question(build_unit(build_stands(*LINE), troop=troop)), "order") == build_sure_pace(
        full, "full pace: a line of 3"
    )
    irregular = find_pace(build_question(build_unit(build_stands(*SQUARE), troop=troop)), "order")
    assert (irregular.sure_mm, irregular.most_mm, irregular.doubt) == (half, half, "")
    assert irregular.reason == "half pace: irregular: b2's front edge touches nobody's rear edge"


@pytest.mark.parametrize(("action", "why"), [("charge", "it charges"), ("evade", "it evades")])
def test_charging_and_evading_any_formation_goes_full_pace(action: str, why: str) -> None:
    here = build_question(build_unit(build_stands(*SQUARE), troop="cavalry"), [build_works()])
    assert find_pace(here, action) == build_sure_pace(300, f"full pace: {why}")


def test_one_stand_in_part_over_a_fortified_place_slows_all() -> None:
    here = build_question(build_unit(build_stands(*LINE), troop="infantry"), [build_works()])
    assert find_pace(here, "order") == build_sure_pace(100, "half pace: b1 is fortified by works")


def test_a_fortified_irregular_unit_goes_half_pace_once() -> None:
    here = build_question(build_unit(build_stands(*SQUARE), troop="infantry"), [build_works()])
    assert find_pace(here, "order").sure_mm == 100


@pytest.mark.parametrize("terrain", [build_works(to_x=290.0), build_works(to_x=250.0), build_works(traits=("hill",))])
def test_beside_a_fortified_place_is_not_in_it(terrain: Terrain) -> None:
    here = build_question(build_unit(build_stands(*LINE), troop="infantry"), [terrain])
    assert find_fortified_stand(here) is None
    assert find_pace(here, "order").sure_mm == 200


@pytest.mark.parametrize(
    ("to_x", "least", "most"),
    [(290.5, 100, 100), (290.15, 100, 200), (289.85, 100, 200), (289.5, 200, 200)],  # two sigma are 0.2
)
def test_the_edge_of_a_fortified_place_may_be_too_near_to_call(to_x: float, least: float, most: float) -> None:
    found = find_pace(
        build_question(build_unit(build_stands(*LINE, sigma_mm=0.1), troop="infantry"), [build_works(to_x=to_x)]),
        "order",
    )
    assert (found.sure_mm, found.most_mm) == (least, most)
    doubt = "b1 is too near to the edge of works to call it fortified"
    assert found.doubt == (doubt if least < most else "")


def test_a_place_that_is_sure_counts_before_one_that_is_not() -> None:
    other = Terrain(
        id="tower", outline_mm=((295, 330), (330, 330), (330, 400), (295, 400)), traits=frozenset({"fortified"})
    )
    here = build_question(
        build_unit(build_stands(*LINE, sigma_mm=0.1), troop="infantry"), [build_works(to_x=290.1), other]
    )
    found = find_fortified_stand(here)
    assert found is not None
    assert (found.stand, found.terrain, found.sure) == ("b2", "tower", True)


def test_a_formation_in_doubt_leaves_both_paces() -> None:
    found = find_pace(
        build_question(build_unit(build_stands((300, 300), (278.9, 300), sigma_mm=0.1), troop="infantry")), "order"
    )
    assert (found.sure_mm, found.most_mm) == (100, 200)
    assert found.doubt == "if b2's front edge touches b1's rear edge it is a column: 1.1 mm of 1 mm"
    assert found.reason.startswith("half or full pace: irregular: b2's front edge is 1.1 mm")


def test_two_doubts_are_both_said() -> None:
    column = build_unit(build_stands((300, 300), (279.1, 300), sigma_mm=0.1), troop="infantry")
    ahead = Terrain(
        id="works", outline_mm=((309.9, 200), (400, 200), (400, 400), (309.9, 400)), traits=frozenset({"fortified"})
    )
    found = find_pace(build_question(column, [ahead]), "order")
    assert (found.sure_mm, found.most_mm, found.reason) == (100, 200, "half or full pace: a column of 2")
    assert found.doubt == (
        "b1 is too near to the edge of works to call it fortified, "
        "and if b2's front edge touches b1's rear edge it is a column: 0.9 mm of 1 mm"
    )


def test_surely_irregular_is_half_pace_wherever_the_edge_is() -> None:
    here = build_question(build_unit(build_stands(*SQUARE, sigma_mm=0.1), troop="infantry"), [build_works(to_x=270.1)])
    found = find_pace(here, "order")
    assert (found.sure_mm, found.most_mm, found.doubt) == (100, 100, "")


def test_characters_have_one_pace() -> None:
    hero = build_unit(build_stands((300, 300)), troop="character")
    assert find_pace(build_question(hero), "character") == build_sure_pace(600, "a character's pace")
    assert find_pace(build_question(hero, [build_works()]), "order") == build_sure_pace(600, "its one pace")
    flying = build_unit(build_stands((300, 300)), ["fly"], troop="character")
    assert find_pace(build_question(flying), "character").sure_mm == 1000
