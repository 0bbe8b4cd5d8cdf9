"""Over the table's edge, hand-worked: a note on the stand, and what becomes of its unit and of who is with it."""

import pytest
import shapely

from assistant.rules.referee import Referee
from assistant.rules.verdict import Outcome, Verdict
from tests.assistant.rules.books.warmaster_revolution.judging import judge_move, select_findings
from tests.assistant.rules.books.warmaster_revolution.stand_builders import Place
from tests.assistant.rules.books.warmaster_revolution.table_builders import Place as Start
from tests.assistant.rules.books.warmaster_revolution.table_builders import build_table, build_unit


def judge_order(*way: Place, start: Start = (100, 100, 0), sigma_mm: float = 0.0, observed: bool = True) -> Verdict:
    return judge_move(
        build_table(build_unit("a", "red", start, sigma_mm=sigma_mm)), "order", {"a1": way}, observed=observed
    )


def list_notes(verdict: Verdict) -> list[tuple[Outcome, float | None]]:
    return [(each.outcome, each.margin_mm and round(each.margin_mm, 6)) for each in select_findings(verdict, "wm-62")]


@pytest.mark.parametrize(
    ("end", "over_mm"),
    [
        ((10, 20, 0), 0.0),  # into the corner, touching both edges
        ((9, 20, 0), 1.0),
        ((9, 17, 0), 3.0),  # over both: the further counts
        ((15, 20, 90), 5.0),  # turned it reaches 20 to either side along x
        ((15.8, 50, 45), 30 / 2**0.5 - 15.8),  # a corner reaches (10 + 20) / sqrt 2
    ],
)
def test_beside_a_corner_of_the_table(end: Place, over_mm: float) -> None:
    found = judge_order(end)
    expected = [(Outcome.NOTE, round(-over_mm, 6))] if over_mm else []
    assert list_notes(found) == expected
    assert [(each.rule, each.effect) for each in found.effects] == ([("wm-64", "off-table-test")] if over_mm else [])


def test_the_far_corner() -> None:
    assert list_notes(judge_order((1790, 1180, 0), start=(1700, 1100, 0))) == []
    assert list_notes(judge_order((1790.5, 1182, 0), start=(1700, 1100, 0))) == [(Outcome.NOTE, -2.0)]


def test_who_passes_over_the_edge_has_left_unless_nobody_needed_the_detour() -> None:
    assert list_notes(judge_order((5, 150, 0), (100, 200, 0))) == []
    state = build_table(build_unit("a", "red", (100, 100, 0)), build_unit("b", "red", (105, 150, 0)))
    assert list_notes(judge_move(state, "order", {"a1": [(5, 150, 0), (100, 200, 0)]})) == [(Outcome.NOTE, -5.0)]


def test_one_who_starts_over_the_edge_has_left_even_if_it_comes_back() -> None:
    assert list_notes(judge_order((60, 100, 0), start=(5, 100, 0))) == [(Outcome.NOTE, -5.0)]


@pytest.mark.parametrize(
    ("x", "outcome"), [(10.7, None), (10.5, Outcome.TOO_CLOSE), (9.5, Outcome.TOO_CLOSE), (9.3, Outcome.NOTE)]
)
def test_within_two_sigma_nobody_knows(x: float, outcome: Outcome | None) -> None:
    found = judge_order((x, 100, 0), sigma_mm=0.3)
    assert [said for said, _ in list_notes(found)] == ([] if outcome is None else [outcome])
    assert bool(found.effects) == (outcome is Outcome.NOTE)


def test_those_who_joined_share_its_fate_and_the_general_ends_the_battle() -> None:
    gone = build_unit("a", "red", (100, 100, 0), status=("lost-stands:2",))
    hero = build_unit("h", "red", (140, 140, 0), troop="character", status=("joined:a",))
    lord = build_unit("g", "red", (180, 140, 0), troop="character", status=("joined:a",), keywords=("general",))
    staying = build_unit("s", "red", (300, 300, 0))
    other = build_unit("o", "red", (220, 140, 0), troop="character", status=("joined:s",), keywords=("general",))
    found = judge_move(build_table(gone, hero, lord, staying, other), "order", {"a1": [(5, 100, 0)]})
    assert [(each.rule, each.subjects, each.effect) for each in found.effects] == [
        ("wm-64", ("a",), "off-table-test:-2"),
        ("wm-66", ("h",), "shares-fate:a"),
        ("wm-66", ("g",), "shares-fate:a"),
        ("wm-67", ("g",), "battle-may-end"),
    ]


# -- the zone


def list_reached(sigma_mm: float, *places: tuple[float, float]) -> list[bool]:
    state = build_table(build_unit("a", "red", (100, 100, 0), sigma_mm=sigma_mm))
    region = Referee(state).find_zone(model="a1", action="order", facing="keep").region
    return [region.contains(shapely.Point(place)) for place in places]


def test_the_zone_goes_over_the_edge_as_far_as_the_middle_of_a_stand() -> None:
    assert list_reached(0.0, (9, 100), (0.2, 100), (-0.2, 100), (0.2, 0.2)) == [True, True, False, True]


def test_the_zone_leaves_out_where_it_is_in_doubt_whether_a_stand_is_off() -> None:
    assert list_reached(0.3, (10.8, 100), (10.5, 100), (9.5, 100), (9.2, 100)) == [True, False, False, True]
