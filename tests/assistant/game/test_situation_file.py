"""Situation files: what is read from one, what is written to one, and what is refused."""

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import BadInput
from assistant.game.situation_file import SituationForm, encode_situation, parse_situation, read_situation
from assistant.geometry.shapes.base_shapes import Outline, Oval, Rect, Round


def make_document() -> dict[str, Any]:
    return {
        "format": "overtable.situation/1",
        "rulebook": "warhammer-40k-10e",
        "parameters": {"pivot": "furthest-point"},
        "table": {"width_mm": 1524, "depth_mm": 1118},
        "terrain": [
            {
                "id": "ruin",
                "outline_mm": [[600, 400], [750, 400], [750, 520]],
                "height_mm": 120,
                "traits": ["ruin"],
                "kind": "ruin",
            }
        ],
        "units": [
            {
                "id": "scouts",
                "player": "red",
                "keywords": ["infantry"],
                "profile": {"move_in": 6},
                "status": ["battle-shocked"],
                "models": [
                    {
                        "id": "s1",
                        "base": {"round_mm": 32},
                        "pose": {"x_mm": 300, "y_mm": 300, "facing_deg": 0, "z_mm": 0, "sigma_mm": 0.2},
                    },
                    {
                        "id": "s2",
                        "base": {"oval_mm": [60, 35]},
                        "pose": {"x_mm": 350, "y_mm": 300.5, "facing_deg": 90},
                    },
                ],
            },
            {
                "id": "walker",
                "player": "blue",
                "models": [
                    {"id": "w1", "base": {"rect_mm": [100, 60]}, "pose": {"x_mm": 900, "y_mm": 700}},
                    {
                        "id": "w2",
                        "base": {"outline_mm": [[0, 0], [30, 0], [0, 30]]},
                        "pose": {"x_mm": 1000, "y_mm": 700},
                    },
                ],
            },
        ],
        "move": {
            "unit": "scouts",
            "action": "advance",
            "rolls": [4],
            "paths": {
                "s2": [{"x_mm": 350, "y_mm": 300.5, "facing_deg": 90}, {"x_mm": 400, "y_mm": 380, "facing_deg": 45}],
                "s1": [{"x_mm": 300, "y_mm": 300}, {"x_mm": 420, "y_mm": 380, "sigma_mm": 0.5}],
            },
            "observed": False,
            "engages": ["w1"],
        },
    }


def test_everything_is_read() -> None:
    situation = parse_situation(make_document(), "here")
    state, move = situation.state, situation.move
    assert move is not None
    assert [type(model.base) for _, model in state.iterate_models()] == [Round, Oval, Rect, Outline]
    pose = state.find_model("s2").pose
    assert pose is not None
    assert (pose.x_mm, pose.y_mm, pose.facing_rad, pose.sigma_mm) == (350, 300.5, math.radians(90), 0)
    assert state.find_model("s1").base == Round(radius_mm=16)
    assert state.terrain[0].height_mm == 120
    assert state.terrain[0].kind == "ruin"
    assert list(move.paths) == ["s2", "s1"], "the order in which the models move"
    assert [pose.sigma_mm for pose in move.paths["s1"]] == [0.2, 0.5], "a path pose has the model's sigma or its own"
    assert not move.observed
    assert move.rolls == (4,)
    assert move.intent == {"engages": ("w1",)}


def test_written_and_read_again_it_is_the_same() -> None:
    situation = parse_situation(make_document(), "here")
    again = json.loads(json.dumps(encode_situation(situation.state, situation.move)))
    assert parse_situation(again, "again") == situation


def test_a_model_may_be_off_the_table() -> None:
    data = make_document()
    data["units"][1]["models"][0]["pose"] = None
    situation = parse_situation(data, "here")
    assert situation.state.find_model("w1").pose is None
    assert parse_situation(encode_situation(situation.state, situation.move), "again") == situation


def test_a_parameter_may_be_lists_by_id() -> None:
    data = make_document()
    data["parameters"] = {"agreed": {"ruin": ["walker", "scouts"], "w1": []}}
    situation = parse_situation(data, "here")
    assert situation.state.parameters == {"agreed": {"ruin": ("walker", "scouts"), "w1": ()}}
    again = json.loads(json.dumps(encode_situation(situation.state, situation.move)))
    assert parse_situation(again, "again") == situation


@pytest.mark.parametrize("begun", [True, False])
def test_orders_may_have_begun(begun: bool) -> None:
    assert not parse_situation(make_document(), "here").state.orders_begun
    situation = parse_situation(make_document() | {"turn": {"orders_begun": begun}}, "here")
    assert situation.state.orders_begun is begun
    assert parse_situation(encode_situation(situation.state, situation.move), "again") == situation


def test_a_base_may_overhang_the_edge() -> None:
    data = make_document()
    data["units"][1]["models"][0]["pose"] = {"x_mm": 0, "y_mm": 1118}
    assert parse_situation(data, "here").state.find_model("w1").pose is not None


def test_the_schema_names_the_format() -> None:
    schema = SituationForm.model_json_schema()
    assert schema["properties"]["format"]["const"] == "overtable.situation/1"


def break_document(place: list[Any], value: Any) -> dict[str, Any]:
    data = copy.deepcopy(make_document())
    where = data
    for key in place[:-1]:
        where = where[key]
    if value is ...:
        del where[place[-1]]
    else:
        where[place[-1]] = value
    return data


POSE = ["units", 0, "models", 0, "pose"]
BAD: list[tuple[list[Any], Any, str]] = [
    (["formats"], 1, "formats: this key is not known here"),
    (["format"], "overtable.situation/2", "format: expected 'overtable.situation/1', not 'overtable.situation/2'"),
    (["table"], ..., "table: this key is missing"),
    (["table", "width_mm"], -5, "table.width_mm: expected 10 or more, not '-5'"),
    (["table", "width_mm"], True, "table.width_mm: expected a number, not 'True'"),
    (["table", "width_mm"], "1524", "table.width_mm: expected a number, not '1524'"),
    ([*POSE, "x_mm"], math.nan, "units[0].models[0].pose.x_mm: expected a finite number, not nan"),
    ([*POSE, "y_mm"], math.inf, "units[0].models[0].pose.y_mm: expected a finite number, not inf"),
    (
        [*POSE, "sigma_mm"],
        -0.1,
        "units[0].models[0].pose.sigma_mm: expected 0 or more, not '-0.1'",
    ),
    ([*POSE, "z_mm"], -1, "units[0].models[0].pose.z_mm: expected 0 or more, not '-1'"),
    (
        [*POSE, "x_mm"],
        1525,
        (
            'units[0].models[0].pose: the centre of "s1" at (1525, 300) is off the table; '
            "expected x_mm from 0 to 1524 and y_mm from 0 to 1118"
        ),
    ),
    (POSE, ..., "units[0].models[0].pose: this key is missing"),
    (
        ["units", 0, "models", 0, "base"],
        {"round_mm": 0},
        "units[0].models[0].base.round_mm: expected 1 or more, not '0'",
    ),
    (
        ["units", 0, "models", 0, "base"],
        {"round_mm": 32, "oval_mm": [3, 4]},
        "units[0].models[0].base: expected exactly one of round_mm, oval_mm, rect_mm, outline_mm",
    ),
    (
        ["units", 0, "models", 0, "base"],
        {"outline_mm": [[0, 0], [9, 9], [9, 0], [0, 9]]},
        (
            "units[0].models[0].base: the outline (0, 0), (9, 9), (9, 0), (0, 9) crosses or touches itself; "
            "expected a simple polygon"
        ),
    ),
    (
        ["terrain", 0, "outline_mm"],
        [[0, 0], [10, 10]],
        "terrain[0]: the outline (0, 0), (10, 10) has 2 points, not at least 3; expected a simple polygon",
    ),
    (
        ["units", 1, "models", 0, "id"],
        "s1",
        'units[1].models[0].id: the id "s1" is already used at units[0].models[0].id; expected another',
    ),
    (["units", 1, "id"], "scouts", 'units[1].id: the id "scouts" is already used at units[0].id; expected another'),
    (
        ["terrain", 0, "id"],
        "w1",
        'terrain[0].id: the id "w1" is already used at units[1].models[0].id; expected another',
    ),
    (["move", "unit"], "nobody", 'move.unit: there is no unit "nobody"; expected the id of a unit'),
    (["move", "paths", "zz"], [{"x_mm": 1, "y_mm": 1}], 'move.paths.zz: there is no model "zz"'),
    (
        ["move", "paths", "w1"],
        [{"x_mm": 900, "y_mm": 700}],
        'move.paths.w1: this model belongs to "walker"; expected a model of "scouts"',
    ),
    (
        ["parameters", "pivot"],
        {"ruin": "walker"},
        (
            "parameters.pivot: expected text, a finite number, true or false, a list of texts, "
            "or lists of texts by id, not {'ruin': 'walker'}"
        ),
    ),
    (["turn"], {"orders_begun": 1}, "turn.orders_begun: expected true or false, not '1'"),
    (["turn"], {"orders": True}, "turn.orders: this key is not known here"),
    (["move", "observed"], "yes", "move.observed: expected true or false, not 'yes'"),
    (["move", "rolls"], [4.5], "move.rolls[0]: expected a whole number, not '4.5'"),
]


@pytest.mark.parametrize(("place", "value", "sentence"), BAD, ids=lambda value: str(value)[:40])
def test_bad_input_is_one_sentence_with_its_place(place: list[Any], value: Any, sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_situation(break_document(place, value), "some.json")
    assert str(caught.value) == f"some.json: {sentence}"


def test_files_that_are_none(tmp_path: Path) -> None:
    missing, cut, twice = tmp_path / "missing.json", tmp_path / "cut.json", tmp_path / "twice.json"
    cut.write_text(json.dumps(make_document())[:200])
    twice.write_text('{"format": "overtable.situation/1", "format": "overtable.situation/1"}')
    with pytest.raises(BadInput, match="missing.json: there is no such file"):
        read_situation(missing)
    with pytest.raises(BadInput, match="cut.json: this is not whole JSON: .* line 1 column"):
        read_situation(cut)
    with pytest.raises(BadInput, match='twice.json: this is not whole JSON: the key "format" stands twice'):
        read_situation(twice)
    with pytest.raises(BadInput, match="cannot be read"):
        read_situation(tmp_path)
    whole = tmp_path / "whole.json"
    whole.write_text(json.dumps(make_document()))
    assert read_situation(whole) == parse_situation(make_document(), "here")
