"""What units may come to threaten: regions known by hand."""

import math
from dataclasses import replace

import pytest
import shapely

from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, GameState, Pose, Turn
from assistant.table.threats import ERROR_MM, Threat, build_threat_query
from tests.assistant.snapshot_script import build_crossing_game, build_game

INCH = 25.4


def build_open_field() -> GameState:
    """Two scouts alone in the middle of the table, the walker far away."""
    return build_game().place_models(
        {"s1": Pose(x_mm=500, y_mm=560), "s2": Pose(x_mm=500, y_mm=610), "w1": Pose(x_mm=1400, y_mm=560)}
    )


def find_threat(state: GameState, unit: str, range_mm: float | None = None) -> Threat:
    threats = [answer for answer in build_threat_query(state, unit, range_mm).answers() if answer is not None]
    assert len(threats) == 1
    return threats[0]


def test_a_unit_threatens_what_its_move_and_its_engagement_range_reach() -> None:
    threat = find_threat(build_open_field(), "scouts")
    assert threat.text == 'scouts: 6" normal move + 1" engagement range'
    assert threat.note == ""
    reach = 6 * INCH + 16 + INCH
    expected = (500 - reach, 560 - reach, 500 + reach, 610 + reach)
    assert threat.region.bounds == pytest.approx(expected, abs=ERROR_MM)
    for turn in range(0, 360, 15):
        way = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        inner, outer = (shapely.Point(500 + r * way[0], 560 + r * way[1]) for r in (reach - ERROR_MM, reach + ERROR_MM))
        assert threat.region.covers(inner)
        assert threat.region.covers(outer) == (0 < turn < 180)  # towards the other scout it reaches further


def test_a_person_says_how_far_it_strikes() -> None:
    threat = find_threat(build_open_field(), "scouts", 12 * INCH)
    assert threat.text == 'scouts: 6" normal move + 12" range'
    assert threat.region.bounds[2] == pytest.approx(500 + 6 * INCH + 16 + 12 * INCH, abs=ERROR_MM)
    assert threat.region.bounds[1] == pytest.approx(560 - 6 * INCH - 16 - 12 * INCH, abs=ERROR_MM)


def test_nobody_threatens_what_lies_beside_the_table() -> None:
    threat = find_threat(build_open_field(), "walker", 24 * INCH)
    assert threat.region.bounds[2] == 1524
    assert threat.note == "Without what it could reach only by turning on its way."


def test_the_next_move_is_meant_whoevers_turn_it_is_and_whatever_ends_by_then() -> None:
    state = build_open_field()
    advanced = state.set_statuses({"scouts": ("advanced",)})
    advanced = replace(advanced, turn=Turn(number=1, player="blue", step="movement", done={"scouts": "advance"}))
    assert find_threat(advanced, "scouts") == find_threat(state, "scouts")


def test_a_unit_that_may_not_move_threatens_from_where_it_stands() -> None:
    state = replace(build_open_field(), rulebook="warhammer-40k-5e").set_statuses({"scouts": ("pinned",)})
    threat = find_threat(state, "scouts", INCH)
    assert threat.text == 'scouts: no move + 1" range'
    assert threat.region.bounds[0] == pytest.approx(500 - 16 - INCH, abs=ERROR_MM)


def test_what_threatens_nobody_is_said() -> None:
    with pytest.raises(BadInput, match="there is no unit 'ghosts'"):
        build_threat_query(build_game(), "ghosts", None)
    with pytest.raises(BadInput, match="late is not on the table"):
        build_threat_query(build_crossing_game(), "late", None)
    with pytest.raises(BadInput, match="nothing is played"):
        build_threat_query(replace(build_game(), rulebook=NO_RULEBOOK), "scouts", None)
