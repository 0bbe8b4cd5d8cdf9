import json
from pathlib import Path
from typing import Any

import pytest

from assistant.conformance.case_file import read_case, read_cases
from assistant.errors import BadInput
from tests.rulebook_cases import CASES

PLAIN = CASES / "activation-skirmish" / "act-03-too-far.json"


def write_case(folder: Path, **changes: Any) -> Path:
    path = folder / "act-03-too-far.json"
    path.write_text(json.dumps(json.loads(PLAIN.read_text(encoding="utf-8")) | changes), encoding="utf-8")
    return path


def test_a_case_keeps_its_situation_as_it_stands_in_the_file() -> None:
    case, document = read_case(PLAIN), json.loads(PLAIN.read_text(encoding="utf-8"))
    assert case.situation == document["situation"]
    assert case.expect == document["expect"]
    assert (case.name, case.rules, case.rulebook) == ("act-03-too-far", ("act-03",), "activation-skirmish")
    assert case.ask == {"command": "judge"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "overtable.case/2"}, "format"),
        ({"name": "another"}, 'name: expected "act-03-too-far", as the file is called, not "another"'),
        ({"why": ""}, "why"),
        ({"expect": {}}, "of judge, expect has effects, findings, outcome"),
        ({"expect": {"findings": []}}, "of judge, expect has an outcome"),
        ({"expect": {"outcome": "legal", "inside": [[1, 2]]}}, "of judge, expect has effects, findings, outcome"),
        ({"ask": {"command": "guess"}}, "ask.command"),
        ({"ask": {"command": "zone", "model": "a1"}}, "ask: of zone, ask has an action, and either a model or a unit"),
        (
            {"ask": {"command": "zone", "action": "run"}},
            "ask: of zone, ask has an action, and either a model or a unit",
        ),
        ({"ask": {"command": "actions", "model": "a1"}}, "ask: of actions, ask has a unit"),
        ({"situation": {"format": "overtable.situation/1"}}, "situation.rulebook"),
        ({"answer": 42}, "answer"),
    ],
)
def test_what_is_wrong_with_a_case_is_said_with_its_place(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    path = write_case(tmp_path, **changes)
    with pytest.raises(BadInput) as error:
        read_case(path)
    assert str(error.value).startswith(f"{path}: ")
    assert said in str(error.value)


def test_a_folder_without_cases_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no case in this folder"):
        read_cases(tmp_path)
    with pytest.raises(BadInput, match="there is no such folder"):
        read_cases(tmp_path / "none")


def test_cases_are_found_below_a_folder_too(tmp_path: Path) -> None:
    below = tmp_path / "activation-skirmish"
    below.mkdir()
    write_case(below)
    assert [case.name for case in read_cases(tmp_path)] == ["act-03-too-far"]
