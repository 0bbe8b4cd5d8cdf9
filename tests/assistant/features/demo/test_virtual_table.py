"""What stands on the virtual table: by a decision, and by a hand."""

from dataclasses import replace

import pytest

from assistant.features.camera.markers import build_markers
from assistant.features.demo.catalogue import SETUP as SETUP_FILE
from assistant.features.demo.catalogue import read_demo
from assistant.features.demo.virtual_table import build_scene, build_virtual_table, push_model, update_table
from assistant.game.events import Accepted, ModelSettled, TerrainTaken
from assistant.game.reduce import reduce
from assistant.game.state import Pose
from assistant.game.terrain_places import find_place
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.commands.game import Drag
from hardware.camera.frame_source import PlaybackPace
from hardware.camera.virtual import VirtualCamera
from vision.pipeline import Pipeline

DEMO = read_demo("warhammer-40k-10e")
SETUP, STATE = DEMO.setup, DEMO.state
MARKERS = {base.model: base.marker for base in SETUP.bases}


def test_models_that_are_off_the_table_are_not_on_it() -> None:
    placed = build_virtual_table(SETUP, STATE).get_placements()
    off = {model for model, marker in MARKERS.items() if marker not in placed}
    assert off == {"sappers-1", "sappers-2", "stalkers-1", "stalkers-2"}


def test_a_decision_takes_models_off_and_puts_them_back() -> None:
    table = build_virtual_table(SETUP, STATE)
    gone = reduce(STATE, Accepted(models=(), outcome="legal", off=("captain-1",), lost=("scouts-1",)))
    before = table.get_placements()
    update_table(table, SETUP, STATE, gone)
    assert before.keys() - table.get_placements().keys() == {MARKERS["captain-1"], MARKERS["scouts-1"]}
    update_table(table, SETUP, gone, STATE)
    assert table.get_placements() == before


def test_what_a_hand_has_put_down_stays_there() -> None:
    table = build_virtual_table(SETUP, STATE)
    here = Pose(x_mm=500, y_mm=600)
    seen = reduce(STATE, ModelSettled(model="sappers-1", path=(here,), observed=True))
    table.move(MARKERS["sappers-1"], build_virtual_table(SETUP, STATE).get_placements()[MARKERS["captain-1"]])
    placed = table.get_placements()
    update_table(table, SETUP, seen, reduce(seen, Accepted(models=("sappers-1",), outcome="legal")))
    assert table.get_placements() == placed
    update_table(None, SETUP, STATE, seen)  # a real table is the players' business


def test_only_what_is_solid_and_stood_upon_is_a_block() -> None:
    assert [(piece.height_mm, piece.raised) for piece in build_scene(SETUP, STATE).terrain if piece.raised] == [
        (76.2, True)
    ]


def test_what_a_hand_pushes_over_a_block_is_seen_to_stand_on_it() -> None:
    table = build_virtual_table(SETUP, STATE)
    markers, _ = build_markers(SETUP, SETUP_FILE, None, STATE.terrain)
    pipeline, camera = Pipeline(markers=markers), VirtualCamera(table, fps=10, pace=PlaybackPace.FREE)
    session = GameSession(STATE, solve_zone=skip_zone)

    def pushed(x_mm: float, y_mm: float, pictures: int) -> None:
        push_model(table, SETUP, Drag(type="drag", model="scouts-3", x_mm=x_mm, y_mm=y_mm, facing_deg=0, done=True))
        for _ in range(pictures):
            session.observe(pipeline.step(camera.read()))

    pushed(500, 840, 8)
    for y_mm in range(850, 930, 10):
        pushed(500, y_mm, 1)
    pushed(500, 930, 8)
    assert table.get_placements()[MARKERS["scouts-3"]].z_mm == 76.2
    track = session.state.tracks["scouts-3"]
    assert (track.poses[-1].z_mm, track.observed) == (76.2, False)
    assert abs(track.poses[-1].y_mm - 930) < 5 * track.poses[-1].sigma_mm
    pushed(500, 840, 8)
    assert session.state.tracks["scouts-3"].poses[-1].z_mm == 0


def test_terrain_that_people_move_lies_elsewhere_on_the_virtual_table() -> None:
    table = build_virtual_table(SETUP, STATE)
    before, piece = table.scene.terrain, STATE.terrain[0]
    lies = find_place(piece)
    taken = TerrainTaken(pieces=(piece.id,), place=replace(lies, x_mm=lies.x_mm + 40))
    update_table(table, SETUP, STATE, reduce(STATE, taken))
    after = table.scene.terrain
    assert [one != other for one, other in zip(before, after, strict=True)].count(True) == 1
    assert after[0].outline_mm[0][0] == pytest.approx(before[0].outline_mm[0][0] + 40)
