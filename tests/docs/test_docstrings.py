"""A module says first what its file is named for, and what docstrings name is there."""

import ast
import re
from pathlib import Path

import pytest

from tests.docs.source_names import ROOMS, ROOT, iterate_blocks, read_source_names
from tests.docs.test_paths import DOTTED, PATH, is_path

MODULES = sorted(path for room in ROOMS if room != "tests" for path in (ROOT / room).rglob("*.py"))


def find_fault(source: str, name: str) -> str | None:
    """What is wrong with a module's first line; None where nothing is."""
    first = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    said = re.sub(r"[-_]", "", first.lower())
    words = [word for word in name.lower().split("_") if len(word) > 1]
    if not any(word[: max(3, len(word) - 3)] in said for word in words):  # whatever its ending
        return f"says nothing of {name}"
    return None if first.endswith((".", ":", "?")) else "does not end where its line does"


def name_concept(path: Path) -> str:
    """Return what a file is named for: its module, or the folder whose `__init__` it is."""
    if path.parent.name == "cli" and path.stem.startswith("__"):
        return "command"
    return path.parent.name if path.stem == "__init__" else path.stem


def test_a_module_says_first_what_it_is_named_for() -> None:
    assert len(MODULES) > 200
    faults = {
        str(path.relative_to(ROOT)): find_fault(path.read_text(encoding="utf-8"), name_concept(path))
        for path in MODULES
    }
    assert {path: fault for path, fault in faults.items() if fault} == {}


def find_stale_docstrings(source: str, path: Path) -> list[str]:
    """Return what the docstrings of a module name that nothing in the repository has."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [
        ast.get_docstring(node) or "" for node in iterate_blocks(ast.parse(source)) if isinstance(node, documented)
    ]
    names = [name for text in texts for name in DOTTED.findall(text) if not read_source_names().resolves(name)]
    return names + [named for text in texts for named in PATH.findall(text) if not is_path(named, path)]


def test_what_docstrings_name_is_there() -> None:
    stale = {
        str(path.relative_to(ROOT)): find_stale_docstrings(path.read_text(encoding="utf-8"), path) for path in MODULES
    }
    assert {path: names for path, names in stale.items() if names} == {}


def test_a_stale_name_in_a_docstring_is_found() -> None:
    source = '"""See `vision/nowhere.py`."""\ndef find() -> None:\n    """Find `vision.types.Nothing`."""'
    assert find_stale_docstrings(source, Path("vision/markers.py")) == ["vision.types.Nothing", "vision/nowhere.py"]


@pytest.mark.parametrize(
    "source",
    ['"""What to draw."""', '"""The palette: how each style is drawn,\nand so on."""', "COLOUR = 1"],
)
def test_a_first_line_that_names_nothing_is_found(source: str) -> None:
    assert find_fault(source, "palette") is not None
