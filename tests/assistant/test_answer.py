"""What the referee says, and the zone that is often known only after all the rest."""

from dataclasses import replace

from assistant.announced import Pick
from assistant.answer import reaching, refer
from assistant.game.state import Declaration
from assistant.overlay.shapes import Layer
from assistant.zones import reckon, wanted
from tests.assistant.scripted import game


def test_a_zone_takes_the_place_of_the_one_before_and_of_nothing_else() -> None:
    pick = Pick(unit="scouts", model="s1")
    state = replace(game(), declared=Declaration(unit="scouts", action="normal"))
    answer = refer(state, pick)
    assert answer.zone is None
    assert answer.shapes
    asked = wanted(state, pick)
    assert asked is not None
    zone = reckon(asked, "keep")
    first = reaching(answer, zone)
    assert first.zone is zone
    zones = [shape for shape in first.shapes if shape.layer is Layer.ZONE]
    assert len(zones) == len(zone.region.geoms)
    assert first.shapes[len(zones) :] == answer.shapes
    assert reaching(first, zone).shapes == first.shapes
    assert reaching(first, None) == answer
