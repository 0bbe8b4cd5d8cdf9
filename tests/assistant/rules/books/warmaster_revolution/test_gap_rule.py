"""The gap rule, hand-worked: stands of 20 by 40 whose front is 40, and gaps that the cases do not reach."""

import math

import pytest

from assistant.game.state import GameState, Terrain, Unit
from assistant.geometry.clearance.pairwise import PairClearances, measure_pairs
from assistant.geometry.clearance.shape_arrays import Ints, ShapeArrays
from assistant.rules.books.warmaster_revolution import gap_rule
from assistant.rules.verdict import Outcome
from tests.assistant.rules.books.warmaster_revolution.judging import judge_move, list_margins, select_findings
from tests.assistant.rules.books.warmaster_revolution.table_builders import build_box, build_table, build_unit

MOVER = build_unit("a", "red", (300, 300, 0))
HOUSE = (380.0, 330.0, 420.0, 400.0)


def build_enemy(x: float, y: float, name: str = "e", sigma_mm: float = 0.0) -> Unit:
    """Return one stand of an enemy, which reaches from x - 10 to x + 10 and from y - 20 to y + 20."""
    return build_unit(name, "blue", (x, y, 180), sigma_mm=sigma_mm)


def list_gaps_ahead(
    *units: Unit, terrain: tuple[Terrain, ...] = (), mover: Unit = MOVER, x: float = 460
) -> list[tuple[str, ...]]:
    """Return whom one that goes straight ahead goes between."""
    found = select_findings(
        judge_move(build_table(mover, *units, terrain=terrain), "order", {"a1": [(x, 300, 0)]}), "wm-21"
    )
    return [each.subjects for each in found]


@pytest.mark.parametrize(
    ("low", "narrow"),
    [(329.0, True), (330.0, True), (330.1, False)],  # the enemy ends at 290: 39, 40 and 40.1
)
def test_between_an_enemy_and_a_house(low: float, *, narrow: bool) -> None:
    house = build_box("h", 380, low, 420, 400, "building")
    assert list_gaps_ahead(build_enemy(400, 270), terrain=(house,)) == ([("a1", "e1", "h")] if narrow else [])


def test_terrain_that_the_mover_may_enter_makes_no_gap() -> None:
    wood = build_box("w", *HOUSE, "dense")
    assert list_gaps_ahead(build_enemy(400, 270), terrain=(wood,)) == []
    riders = build_unit("a", "red", (300, 300, 0), troop="cavalry")
    # Their front is 20, and so the gap of 15 is too narrow for them.
    close = build_box("w", 380, 305, 420, 400, "dense")
    assert list_gaps_ahead(build_enemy(400, 270), terrain=(close,), mover=riders) == [("a1", "e1", "w")]


def test_two_pieces_of_terrain_or_two_friends_make_no_gap() -> None:
    assert (
        list_gaps_ahead(terrain=(build_box("g", 380, 200, 420, 290, "building"), build_box("h", *HOUSE, "building")))
        == []
    )
    assert list_gaps_ahead(build_unit("b", "red", (400, 260, 0), (400, 340, 0))) == []


def test_an_enemy_beside_a_friend_beside_an_enemy() -> None:
    """Three in a row, at 35 from each other: either gap counts by itself, not the one from end to end."""
    row = (build_enemy(400, 265), build_unit("b", "red", (400, 340, 0)), build_enemy(400, 415, "f"))
    assert list_gaps_ahead(*row) == [("a1", "e1", "b1")]
    through = judge_move(build_table(MOVER, *row), "order", {"a1": [(300, 377, 0), (460, 377, 0)]})
    assert [each.subjects for each in select_findings(through, "wm-21")] == [("a1", "f1", "b1")]


def test_a_third_party_in_the_gap_parts_it() -> None:
    """Two enemies 39 apart, and a narrow house of 9 in the middle: 15 on each side of it."""
    pair = (build_enemy(400, 260.5), build_enemy(400, 339.5, "f"))
    assert list_gaps_ahead(*pair) == [("a1", "e1", "f1")]
    post = build_box("p", 395, 295.5, 405, 304.5, "building")
    found = judge_move(build_table(MOVER, *pair, terrain=(post,)), "order", {"a1": [(300, 288, 0), (460, 288, 0)]})
    assert list_margins(select_findings(found, "wm-21")) == [(("a1", "e1", "p"), 15 - 40)]


def test_one_who_stops_before_the_middle_of_the_gap_has_not_gone_between() -> None:
    pair = (build_enemy(400, 260.5), build_enemy(400, 339.5, "f"))
    assert list_gaps_ahead(*pair, x=389) == []  # the shortest segments between the two run from x 390 to 410
    assert list_gaps_ahead(*pair, x=411) == [("a1", "e1", "f1")]


@pytest.mark.parametrize(
    ("apart_mm", "outcome"), [(40.9, None), (40.5, Outcome.TOO_CLOSE), (39.5, Outcome.TOO_CLOSE), (39.1, "illegal")]
)
def test_two_sigma_of_both_sides_decide(apart_mm: float, outcome: Outcome | str | None) -> None:
    # Each of the two errs by 0.3: two sigma of both are 0.849.
    pair = (build_enemy(400, 280 - apart_mm / 2, sigma_mm=0.3), build_enemy(400, 320 + apart_mm / 2, "f", sigma_mm=0.3))
    found = select_findings(judge_move(build_table(MOVER, *pair), "order", {"a1": [(460, 300, 0)]}), "wm-21")
    assert [each.outcome for each in found] == ([] if outcome is None else [outcome])
    assert all(each.margin_mm == pytest.approx(apart_mm - 40) for each in found)


def list_charged_gaps(state: GameState, toward: str) -> list[tuple[str, ...]]:
    found = judge_move(state, "charge", {"a1": [(460, 300, 0)]}, intent={"toward": toward, "ordered": True})
    return [each.subjects for each in select_findings(found, "wm-21")]


def test_a_charge_passes_beside_the_unit_charged_and_no_other() -> None:
    state = build_table(MOVER, build_enemy(400, 260.5), build_enemy(400, 339.5, "f"), build_enemy(480, 300, "g"))
    assert list_charged_gaps(state, "e") == []
    assert list_charged_gaps(state, "f") == []
    assert list_charged_gaps(state, "g") == [("a1", "e1", "f1")]


def test_a_charge_passes_between_the_unit_charged_and_a_house() -> None:
    state = build_table(
        MOVER, build_enemy(400, 270), build_enemy(480, 300, "g"), terrain=(build_box("h", *HOUSE, "building"),)
    )
    assert list_charged_gaps(state, "e") == []
    assert list_charged_gaps(state, "g") == [("a1", "e1", "h")]


def test_friends_make_no_gap_for_a_character() -> None:
    hero = build_unit("a", "red", (300, 300, 0), troop="character")
    near = judge_move(
        build_table(hero, build_enemy(400, 275), build_unit("b", "red", (400, 335, 0))),
        "character",
        {"a1": [(460, 305, 0)]},
    )
    assert select_findings(near, "wm-21") == []
    both = judge_move(
        build_table(hero, build_enemy(400, 275), build_enemy(400, 335, "f")), "character", {"a1": [(460, 305, 0)]}
    )
    assert [each.margin_mm for each in select_findings(both, "wm-21")] == [pytest.approx(20 - 25)]


def measure_unseen_mm(gap_mm: float) -> float:
    """Return how long a way past two enemies is that nobody saw."""
    pair = (build_enemy(400, 280 - gap_mm / 2), build_enemy(400, 320 + gap_mm / 2, "f"))
    found = judge_move(build_table(MOVER, *pair), "order", {"a1": [(460, 300, 0)]}, observed=False)
    assert select_findings(found, "wm-21") == []
    (length,) = (each for each in found.findings if each.rule == "wm-14")
    assert length.measured_mm is not None
    return length.measured_mm


def test_a_way_that_nobody_saw_leads_around_a_gap() -> None:
    """The enemy reaches down to 240.5 where the gap is 39, and the middle of a stand keeps 10 from its corners."""
    assert measure_unseen_mm(40.5) == pytest.approx(160)
    before, after = math.hypot(90, 59.5), math.hypot(50, 59.5)
    turn = math.atan2(59.5, 90) + math.asin(10 / before) + math.atan2(59.5, 50) + math.asin(10 / after)
    around = math.sqrt(before**2 - 100) + 10 * turn + 20 + math.sqrt(after**2 - 100)
    assert measure_unseen_mm(39) == pytest.approx(around)


@pytest.mark.parametrize("turn_deg", [0.0, 35.2, 90.0, 211.7])
@pytest.mark.parametrize(("ahead_mm", "through"), [(-9.0, False), (-2.0, False), (8.0, False), (11.0, True)])
def test_between_parallel_edges_one_is_through_only_at_the_far_end(
    turn_deg: float, ahead_mm: float, *, through: bool
) -> None:
    """The edges face each other from 7 before the middle of the one to 10 after it, however the table lies."""
    cos, sin = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))

    def place(x: float, y: float, facing: float) -> tuple[float, float, float]:
        return 900 + x * cos - y * sin, 600 + x * sin + y * cos, facing + turn_deg

    state = build_table(
        build_unit("a", "red", place(-80, 0, 90)),
        build_unit("e", "blue", place(0, 35, 0)),
        build_unit("f", "blue", place(3, -35, 180)),
    )
    verdict = judge_move(state, "order", {"a1": [place(ahead_mm, 0, 90)]})
    assert [each.outcome for each in select_findings(verdict, "wm-21")] == ([Outcome.ILLEGAL] if through else [])
    unseen = judge_move(state, "order", {"a1": [place(ahead_mm, 0, 90)]}, observed=False)
    assert through or unseen.outcome is Outcome.LEGAL


def test_enemies_in_one_place_are_at_the_side_of_one_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two heaps of 40: not 1,600 gaps between them, nor one for each two of a heap."""
    measured = []

    def count_pairs(shapes: ShapeArrays, first: Ints, second: Ints) -> PairClearances:
        measured.append(len(first))
        return measure_pairs(shapes, first, second)

    monkeypatch.setattr(gap_rule, "measure_pairs", count_pairs)
    heaps = [build_enemy(400, y, f"{name}{at}") for y, name in ((260.5, "e"), (339.5, "f")) for at in range(40)]
    found = select_findings(judge_move(build_table(MOVER, *heaps), "order", {"a1": [(460, 300, 0)]}), "wm-21")
    assert [each.subjects for each in found] == [("a1", "e01", "f01")]
    assert set(measured) == {3}
