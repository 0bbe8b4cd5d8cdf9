import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from assistant.conformance.case_file import CaseForm
from assistant.conformance.kit import pack_cases
from tests.rulebook_cases import CASES

PROGRAM = """
import json, sys
answer = {"outcome": "legal", "findings": [], "effects": []}
print(json.dumps(answer) if sys.argv[1] == "judge" else "")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cases = tmp_path / "cases"
    cases.mkdir()
    for what in ("hold", "too-far"):
        source = CASES / "activation-skirmish" / f"act-03-{what}.json"
        (cases / source.name).write_bytes(source.read_bytes())
    return cases


def test_the_kit_runs_where_only_python_is(folder: Path, tmp_path: Path) -> None:
    kit = tmp_path / "cases.pyz"
    kit.write_bytes(pack_cases(folder))
    run = [sys.executable, "-I", "-S", str(kit)]  # without site-packages, and without this folder
    engine = [sys.executable, "-c", PROGRAM]
    done = subprocess.run([*run, "--json", *engine], capture_output=True, text=True, check=True, cwd="/")
    told = json.loads(done.stdout)
    assert (told["cases"], [failed["case"] for failed in told["failed"]]) == (2, ["act-03-too-far"])
    none = subprocess.run([*run, "--rule", "act-99", *engine], capture_output=True, text=True, check=False)
    assert none.returncode == 2
    assert "there is no such case in the kit" in none.stderr


def test_the_same_cases_make_the_same_kit(folder: Path, tmp_path: Path) -> None:
    packed = pack_cases(folder)
    assert packed == pack_cases(folder)
    kit = tmp_path / "cases.pyz"
    kit.write_bytes(packed)
    with zipfile.ZipFile(kit) as archive:
        assert json.loads(archive.read("case.schema.json")) == CaseForm.model_json_schema()
        assert archive.read("cases/act-03-too-far.json") == (folder / "act-03-too-far.json").read_bytes()
