"""Reading scripts, and saying what is wrong with them."""

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import BadInput
from assistant.features.demo.script import read_script
from assistant.rules.verdict import Outcome
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.snapshot_script import build_crossing_game, build_game

SCENE: dict[str, Any] = {
    "caption": "A scout walks.",
    "move": {
        "unit": "scouts",
        "action": "advance",
        "rolls": [2],
        "paths": {"s1": [{"x_mm": 300, "y_mm": 300}, {"x_mm": 340, "y_mm": 300}]},
    },
    "expect": {"outcome": "legal", "rule": "10e-17"},
}


def write_script(folder: Path, *scenes: dict[str, Any]) -> Path:
    path = folder / "script.json"
    path.write_text(json.dumps({"format": "overtable.script/1", "scenes": scenes}))
    return path


def build_scene(**move: Any) -> dict[str, Any]:
    return {**SCENE, "move": {**SCENE["move"], **move}}


def test_a_scene_is_a_move_and_what_is_said_of_it(tmp_path: Path) -> None:
    (scene,) = read_script(write_script(tmp_path, SCENE), build_game())
    assert (scene.caption, scene.outcome, scene.rule, scene.accepted) == (
        "A scout walks.",
        Outcome.LEGAL,
        "10e-17",
        False,
    )
    assert (scene.move.unit, scene.move.action, scene.move.rolls) == ("scouts", "advance", (2,))
    assert [pose.x_mm for pose in scene.move.paths["s1"]] == [300, 340]


def test_a_scene_begins_where_those_before_it_have_left_the_models(tmp_path: Path) -> None:
    further = build_scene(paths={"s1": [{"x_mm": 340, "y_mm": 300}, {"x_mm": 350, "y_mm": 300}]})
    accepted = {**SCENE, "then": "accept"}
    assert len(read_script(write_script(tmp_path, SCENE, accepted, further), build_game())) == 3
    with pytest.raises(
        BadInput, match=r"scenes\[1\].move.paths.s1\[0\]: the path begins at \(300, 300\).*\(340, 300\)"
    ):
        read_script(write_script(tmp_path, accepted, SCENE), build_game())


def test_a_model_that_is_put_on_the_table_stays_there(tmp_path: Path) -> None:
    down = build_scene(unit="late", action="set-up", rolls=[], paths={"l1": [{"x_mm": 900, "y_mm": 900}]})
    assert read_script(write_script(tmp_path, {**down, "then": "accept"}), build_crossing_game())[0].move.unit == "late"
    with pytest.raises(BadInput, match="is off the table and cannot be slid back"):
        read_script(write_script(tmp_path, down), build_crossing_game())


@pytest.mark.parametrize(
    ("scene", "sentence"),
    [
        (build_scene(unit="ghosts"), 'scenes[0]: move.unit: there is no unit "ghosts"'),
        (build_scene(observed=False), "scenes[0].move.observed: a script's moves are all seen"),
        ({**SCENE, "pace_mm_s": 0}, "scenes[0].pace_mm_s: expected more than 0"),
        ({**SCENE, "expect": {"outcome": "note", "rule": "x"}}, "scenes[0].expect.outcome: expected 'legal'"),
        ({**SCENE, "then": "cheer"}, "scenes[0].then: expected 'accept' or 'take-back', not 'cheer'"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, scene: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_script(write_script(tmp_path, scene), build_game())
    assert sentence in str(caught.value)


def test_the_schema_is_published() -> None:
    assert run_overtable("schema", "script").document["properties"]["format"]["const"] == "overtable.script/1"
