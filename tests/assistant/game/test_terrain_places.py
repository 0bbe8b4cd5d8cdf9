"""Where terrain lies: its own frame follows it, its parts go with it, and hands may be a little off."""

import math
from dataclasses import replace

import pytest

from assistant.game.events import TerrainSettled, TerrainTaken, Undone
from assistant.game.history import History
from assistant.game.reduce import reduce
from assistant.game.state import GameState, Table, Terrain, TerrainPlace
from assistant.game.terrain_places import (
    find_place,
    is_elsewhere,
    is_in_place,
    lay_as_seen,
    measure_shift,
    move_pieces,
)
from assistant.layouts.packs import find_packed_layout, list_layouts
from assistant.layouts.placing import place_layout

BOX = ((500.0, 400.0), (740.0, 400.0), (740.0, 520.0), (500.0, 520.0))
RUIN = Terrain(id="ruin", outline_mm=BOX)
WALLS = Terrain(id="ruin-walls", outline_mm=((510.0, 410.0), (520.0, 410.0), (520.0, 510.0)), height_mm=100)
POND = Terrain(id="pond", outline_mm=((100.0, 100.0), (200.0, 100.0), (150.0, 180.0)))
STATE = GameState(rulebook="none", table=Table(width_mm=1524, depth_mm=1118), units=(), terrain=(WALLS, POND, RUIN))
THERE = TerrainPlace(x_mm=650, y_mm=480, facing_rad=math.radians(30), sigma_mm=0.2, sigma_rad=0.001)


@pytest.mark.parametrize("name", [one.name for one in list_layouts()])
def test_a_templates_place_is_where_a_layout_puts_it(name: str) -> None:
    layout = find_packed_layout(name).layout
    pieces = {piece.id: piece for piece in place_layout(layout).terrain}
    for form in layout.features:
        if form.template is not None:
            place = find_place(pieces[form.id])
            assert (place.x_mm, place.y_mm) == pytest.approx((form.x_mm, form.y_mm), abs=0.02), form.id
            assert place.facing_rad == math.radians(form.facing_deg)


def test_all_that_is_moved_keeps_its_shape_and_the_rest_stays() -> None:
    moved = move_pieces(STATE.terrain, {"ruin", "ruin-walls"}, "ruin", THERE)
    walls, pond, ruin = moved
    assert pond is POND
    shift_mm, turned_rad = measure_shift(find_place(ruin), THERE)
    assert (shift_mm, turned_rad) == pytest.approx((0, 0), abs=1e-3)
    between = [math.dist(a, b) for a, b in zip(WALLS.outline_mm, RUIN.outline_mm, strict=False)]
    assert [math.dist(a, b) for a, b in zip(walls.outline_mm, ruin.outline_mm, strict=False)] == pytest.approx(
        between, abs=2e-3
    )
    back = move_pieces(moved, {"ruin", "ruin-walls"}, "ruin", find_place(RUIN))
    assert [point for piece in back for point in piece.outline_mm] == [
        pytest.approx(point, abs=3e-3) for piece in STATE.terrain for point in piece.outline_mm
    ]
    with pytest.raises(KeyError):
        move_pieces(STATE.terrain, {"hill"}, "hill", THERE)


def test_hands_and_sigma_may_be_off_a_little() -> None:
    home = find_place(RUIN)
    for dx, turn_deg, sigma, lies, elsewhere in (
        (2.9, 0.0, 0.1, True, False),
        (3.1, 0.0, 0.1, False, True),
        (0.0, 1.2, 0.1, False, True),
        (4.0, 0.0, 1.0, False, False),
    ):
        seen = replace(home, x_mm=home.x_mm + dx, facing_rad=math.radians(turn_deg), sigma_mm=sigma)
        assert (is_in_place(RUIN, seen), is_elsewhere(home, seen)) == (lies, elsewhere)


def test_a_feature_is_seen_elsewhere_and_taken_and_that_is_taken_back() -> None:
    seen = reduce(STATE, TerrainSettled(piece="ruin", place=THERE))
    assert seen.terrain == STATE.terrain, "nobody has said yet that it lies there"
    assert seen.shifted == {"ruin": THERE}
    there = lay_as_seen(seen).terrain
    assert there == move_pieces(STATE.terrain, {"ruin", "ruin-walls"}, "ruin", THERE)
    assert lay_as_seen(STATE) is STATE
    assert reduce(seen, TerrainSettled(piece="ruin", place=find_place(RUIN))) == STATE
    taken = TerrainTaken(pieces=("ruin", "ruin-walls"), place=THERE)
    history = History(state=seen).apply(taken)
    assert (history.state.terrain, history.state.shifted) == (there, {})
    assert history.apply(Undone()).state == seen
    home = TerrainSettled(piece="ruin", place=find_place(RUIN))
    assert history.apply(home).state.shifted == {"ruin": find_place(RUIN)}
    assert history.apply(home).apply(Undone()).state == STATE, "what was seen since stays seen"
    with pytest.raises(KeyError):
        reduce(STATE, TerrainSettled(piece="hill", place=THERE))
