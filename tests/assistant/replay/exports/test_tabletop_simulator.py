"""Saves of Tabletop Simulator: all in inches from the table's middle, and nothing that people wrote in a script."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import shapely

from assistant.game.state import GameState, Model, Pose, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, Rect, Round
from assistant.replay.exports.tabletop_simulator import build_save
from tests.assistant.cli.command_runner import read_refusal, run_overtable
from tests.assistant.replay.sample_recording import play_sample_game

TABLE = Table(width_mm=1524.0, depth_mm=1118.0)
TOWER = Terrain(id="tower", outline_mm=((0.0, 0.0), (200.0, 0.0), (200.0, 100.0), (0.0, 100.0)), height_mm=76.2)
POINT = re.compile(r"\{(-?[\d.]+),(-?[\d.]+),(-?[\d.]+)\}")


def build_game(*models: Model, player: str = "red") -> GameState:
    return GameState(
        rulebook="none", table=TABLE, terrain=(TOWER,), units=(Unit(id="a", player=player, models=models),)
    )


def place(base: Base, x_mm: float, y_mm: float, *, facing_deg: float = 0.0, z_mm: float = 0.0) -> Model:
    pose = Pose(x_mm=x_mm, y_mm=y_mm, facing_rad=math.radians(facing_deg), z_mm=z_mm)
    return Model(id="m", base=base, pose=pose)


def read_lines(save: dict[str, Any]) -> list[list[tuple[float, float, float]]]:
    """Return the points of each line that the script draws."""
    drawn = re.findall(r"points=\{(.*?)\},color", save["LuaScript"])
    return [[(float(x), float(y), float(z)) for x, y, z in POINT.findall(points)] for points in drawn]


def test_a_model_is_a_block_where_it_stood_turned_as_it_was() -> None:
    save = build_save(
        build_game(place(Rect(length_mm=101.6, width_mm=50.8), 762.0 + 254.0, 559.0 - 127.0, facing_deg=30)), "g"
    )
    table, model = save["ObjectStates"]
    at = model["Transform"]
    assert [at["posX"], at["posY"], at["posZ"]] == pytest.approx([10.0, 1 + 2 / 25.4, -5.0], abs=1e-4)
    assert [at["rotX"], at["rotY"], at["rotZ"]] == [0.0, 330.0, 0.0]
    assert [at["scaleX"], at["scaleY"], at["scaleZ"]] == pytest.approx([4.0, 4 / 25.4, 2.0], abs=1e-4)
    assert (model["Nickname"], model["Description"], model["Locked"]) == ("m", "a, red", False)
    top = table["Transform"]["posY"] + table["Transform"]["scaleY"] / 2
    assert (table["Transform"]["scaleX"], table["Locked"], top) == (60.0, True, 1.0)


@pytest.mark.parametrize(
    "base",
    [
        Round(radius_mm=16.0),
        Oval(length_mm=60.0, width_mm=35.0),
        Rect(length_mm=40.0, width_mm=20.0),
        Outline(points_mm=((22.0, 0.0), (-14.0, 15.0), (-14.0, -15.0))),
    ],
)
def test_a_block_lies_in_its_base_whose_outline_is_drawn(base: Base) -> None:
    model = place(base, 900.0, 300.0, facing_deg=40.0)
    save = build_save(build_game(model), "g")
    at = save["ObjectStates"][1]["Transform"]
    drawn = shapely.Polygon([(x, z) for x, _, z in read_lines(save)[-1]])
    length, width = at["scaleX"] / 2, at["scaleZ"] / 2
    block = shapely.Polygon([(-length, -width), (length, -width), (length, width), (-length, width)])
    laid = shapely.affinity.translate(
        shapely.affinity.rotate(block, -at["rotY"], origin=(0, 0)), at["posX"], at["posZ"]
    )
    assert drawn.buffer(0.01).contains(laid)
    exact = model.place_base().shape
    area_mm2 = math.pi * 16.0**2 if isinstance(exact, Round) else drawn.area * 25.4**2
    assert drawn.area * 25.4**2 == pytest.approx(area_mm2, rel=0.005)


def test_what_stands_on_terrain_stays_there_and_the_terrain_is_drawn_at_both_heights() -> None:
    save = build_save(build_game(place(Round(radius_mm=16.0), 100.0, 50.0, z_mm=76.2)), "g")
    assert save["ObjectStates"][1]["Locked"]
    low, high, base = read_lines(save)
    assert [line[0][1] for line in (low, high, base)] == pytest.approx(
        [1.0 + 0.5 / 25.4, 4.0 + 0.5 / 25.4, 4.0 + 0.5 / 25.4], abs=1e-3
    )
    assert low[0] == low[-1]
    assert (low[0][0], low[0][2]) == pytest.approx((-30.0, -22.0079), abs=1e-4)


def test_no_word_of_anybody_stands_in_the_script() -> None:
    hostile = 'red"}) os.exit() --[['
    state = build_game(place(Round(radius_mm=16.0), 100.0, 50.0), player=hostile)
    named = replace(state, terrain=(replace(TOWER, id=hostile, kind=hostile),))
    save = build_save(named, hostile)
    assert re.fullmatch(
        r"function onLoad\(\)\nGlobal\.setVectorLines\(\{\n[\d.,{}=\-\sa-z]*\}\)\nend\n", save["LuaScript"]
    )
    assert "exit" not in save["LuaScript"]
    assert json.loads(json.dumps(save))["ObjectStates"][1]["Description"] == f"a, {hostile}"


def test_a_recorded_game_is_exported_at_any_moment(tmp_path: Path) -> None:
    recording, out = tmp_path / "game.overtable", tmp_path / "save.json"
    play_sample_game(recording)
    run = run_overtable("export", recording, "--to", "tts", "--out", out, "--at", "0:00:00")
    assert (run.status, run.err) == (0, "")
    before = json.loads(out.read_text(encoding="utf-8"))
    assert before["SaveName"].startswith("Two scouts, 0:00:00")
    assert {each["Nickname"] for each in before["ObjectStates"]} == {"Table", "s1", "s2", "w1"}
    run_overtable("export", recording, "--to", "tts", "--out", out, "--replace")
    after = json.loads(out.read_text(encoding="utf-8"))
    places = [
        {each["Nickname"]: each["Transform"]["posX"] for each in save["ObjectStates"]} for save in (before, after)
    ]
    assert places[0].keys() == places[1].keys()
    assert places[0] != places[1]
    told = read_refusal(run_overtable("export", recording, "--to", "tts", "--out", tmp_path / "save.txt"))
    assert "expected a name that ends with .json" in told
