import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.cli import overtable
from assistant.errors import BadInput
from tests.rulebook_cases import CASES


def ask(*words: object) -> str:
    result = CliRunner().invoke(overtable, ["cases", *map(str, words)], catch_exceptions=False, standalone_mode=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cases = tmp_path / "cases"
    cases.mkdir()
    document = json.loads((CASES / "activation-skirmish" / "act-03-too-far.json").read_text(encoding="utf-8"))
    (cases / "act-03-too-far.json").write_text(json.dumps(document), encoding="utf-8")
    document["name"], document["expect"] = "act-03-wrong", {"outcome": "legal"}
    (cases / "act-03-wrong.json").write_text(json.dumps(document), encoding="utf-8")
    return cases


def test_a_folder_of_cases_is_run_rule_by_rule(folder: Path) -> None:
    lines = ask("run", folder).splitlines()
    assert lines[:2] == ["activation-skirmish: 1 of 2", "  act-03       1 of 2"]
    assert lines[2].startswith("    act-03-wrong: the outcome is illegal, not legal; ")
    assert lines[-1] == "1 of 2 cases passed"
    told = json.loads(ask("run", folder, "--json"))
    assert (told["format"], told["cases"], told["passed"]) == ("overtable.case-results/1", 2, 1)


@pytest.mark.parametrize("engine", ["", "'overtable"])
def test_an_engine_that_is_no_command_is_bad_input(folder: Path, engine: str) -> None:
    with pytest.raises(BadInput, match=r"^--engine.*: .*expected a command and its arguments$"):
        ask("run", folder, "--engine", engine)


def test_another_engine_is_asked_by_its_command(folder: Path) -> None:
    lines = ask("run", folder, "--engine", "false").splitlines()
    assert lines[2] == "    act-03-too-far: it ended with status 1: it said nothing"
    assert lines[-1] == "0 of 2 cases passed"


def test_pages_and_a_kit_are_written(folder: Path, tmp_path: Path) -> None:
    assert ask("pages", folder, "--out", tmp_path / "rules") == f"{tmp_path / 'rules' / 'activation-skirmish.md'}\n"
    assert ask("pack", folder, "--out", tmp_path / "cases.pyz").startswith(f"{tmp_path / 'cases.pyz'}: ")


def test_a_kit_replaces_a_kit_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    kit, notes = tmp_path / "cases.pyz", tmp_path / "notes.txt"
    notes.write_text("my own", encoding="utf-8")
    with pytest.raises(BadInput, match=r"notes\.txt: .*packed cases"):
        ask("pack", folder, "--out", notes)
    assert notes.read_text(encoding="utf-8") == "my own"
    first = (ask("pack", folder, "--out", kit), kit.read_bytes())
    assert (ask("pack", folder, "--out", kit), kit.read_bytes()) == first
