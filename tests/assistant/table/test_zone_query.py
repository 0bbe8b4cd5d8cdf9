"""Zone queries: a stand that follows in an evade, and zones that grow."""

from dataclasses import replace
from itertools import pairwise

import shapely

from assistant.game.state import Declaration, GameState, ModelTrack
from assistant.rules.movement_zone import MovementZone
from assistant.rules.referee import Referee
from assistant.table.declared_move import Pick
from assistant.table.zone_query import build_zone_request, compute_zone, refine_zone
from tests.assistant.rules.books.warmaster_revolution.table_builders import build_box, build_table, build_unit


def make_evade(*, gone: bool) -> GameState:
    """Two stands in column before an enemy; of an announced evade the first has gone around the other, or stands."""
    state = build_table(build_unit("a", "red", (600, 600, 0), (580, 600, 0)), build_unit("e", "blue", (680, 600, 180)))
    state = replace(state, declared=Declaration(unit="a", action="evade", intent={"toward": "e"}))
    start = state.find_model("a1").pose
    assert start is not None
    way = (start, replace(start, x_mm=470.0))
    return replace(state, tracks={"a1": ModelTrack(poses=way, observed=True)} if gone else {})


def ask_zone(state: GameState, model: str) -> MovementZone:
    request = build_zone_request(Referee(state), Pick(unit="a", model=model))
    assert request is not None
    return compute_zone(request, "keep")


def test_a_stand_that_follows_in_an_evade_is_free_in_where_it_goes() -> None:
    """Once the first has gone it is the closest to the enemy, and still no more than one that follows."""
    aside = shapely.Point(580, 680)
    first, follower = ask_zone(make_evade(gone=False), "a1"), ask_zone(make_evade(gone=True), "a2")
    assert not first.region.is_empty
    assert not first.region.contains(aside)
    assert follower.region.contains(aside)


def test_a_stand_does_not_pass_one_of_its_unit_that_has_moved() -> None:
    """Side by side in a lane as wide as one of them: the first has gone ahead, and shuts it for the other."""
    boxes = (
        build_box("left", 495, 622, 900, 700, "building"),
        build_box("right", 495, 500, 900, 578, "building"),
    )
    state = build_table(build_unit("a", "red", (480, 600, 0), (455, 600, 0)), terrain=boxes)
    state = replace(state, declared=Declaration(unit="a", action="order"))
    start = state.find_model("a1").pose
    assert start is not None
    beyond = shapely.Point(545, 600)
    assert ask_zone(state, "a2").region.contains(beyond)
    gone = ModelTrack(poses=(start, replace(start, x_mm=505.0)), observed=True)
    assert not ask_zone(replace(state, tracks={"a1": gone}), "a2").region.contains(beyond)


def test_a_zone_at_any_facing_is_there_at_once_and_then_grows() -> None:
    """Each that a page is sent holds the one before, the last is the whole, and it is known when it is asked again."""
    state = build_table(build_unit("a", "red", (300, 600, 30)), build_unit("e", "blue", (420, 640, 180)))
    state = replace(state, declared=Declaration(unit="a", action="order"))
    request = build_zone_request(Referee(state), Pick(unit="a", model="a1"))
    assert request is not None
    kept, zones = compute_zone(request, "keep").region, list(refine_zone(request))
    assert len(zones) > 1
    for smaller, larger in pairwise([zone.region for zone in zones]):
        assert shapely.difference(smaller, larger).area < 0.01
    assert any(shapely.difference(kept, zone.region).area < 0.01 for zone in zones[:-1])
    assert zones[-1].region.area > kept.area
    assert zones[-1].error_mm < zones[0].error_mm
    assert compute_zone(request, "any").region == zones[-1].region
    assert [zone.region for zone in refine_zone(request)] == [zones[-1].region]
