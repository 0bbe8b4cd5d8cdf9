"""The referee's report, and the zone in it that is often known only after all the rest."""

from dataclasses import replace

from assistant.game.state import Declaration
from assistant.overlay.shapes import Layer
from assistant.table.declared_move import Pick
from assistant.table.referee_report import compile_report, replace_zone
from assistant.table.zone_query import build_zone_request, compute_zone
from tests.assistant.snapshot_script import build_game


def test_a_zone_takes_the_place_of_the_one_before_and_of_nothing_else() -> None:
    pick = Pick(unit="scouts", model="s1")
    state = replace(build_game(), declared=Declaration(unit="scouts", action="normal"))
    answer = compile_report(state, pick)
    assert answer.zone is None
    assert answer.shapes
    asked = build_zone_request(state, pick)
    assert asked is not None
    zone = compute_zone(asked, "keep")
    first = replace_zone(answer, zone)
    assert first.zone is zone
    zones = [shape for shape in first.shapes if shape.layer is Layer.ZONE]
    assert len(zones) == len(zone.region.geoms)
    assert first.shapes[len(zones) :] == answer.shapes
    assert replace_zone(first, zone).shapes == first.shapes
    assert replace_zone(first, None) == answer
