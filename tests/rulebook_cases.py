"""The case files of rulebooks: in `tests/cases`, or, of a book that another package brings, in its folder ``cases``."""

import importlib
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from assistant.rules.books import DOOR, list_rulebooks
from assistant.rules.rulebook import Rulebook

CASES = Path(__file__).parent / "cases"


def find_case_folder(book: Rulebook) -> Path:
    """Return where a book's cases lie: of another package's book beside the module that holds it."""
    for point in entry_points(group=DOOR.group):
        with suppress(Exception):  # one that is broken has no cases to find
            module = importlib.import_module(point.module)
            if point.load() is book and module.__file__ is not None:
                return Path(module.__file__).parent / "cases"
    return CASES / book.id


def list_case_files() -> list[Path]:
    """Return the case files of every book, and whatever else lies in `tests/cases`."""
    brought = (path for book in list_rulebooks() for path in find_case_folder(book).glob("*.json"))
    return sorted({*CASES.glob("*/*.json"), *brought})


def read_cases(book: Rulebook) -> Mapping[str, Any]:
    """Return a book's cases by the names of their files."""
    return _read_folder(find_case_folder(book))


@cache
def _read_folder(folder: Path) -> Mapping[str, Any]:
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
