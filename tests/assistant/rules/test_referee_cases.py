"""Every case file (`overtable.case/1`): a situation with a question, and what the referee must answer."""

from pathlib import Path

import pytest

from assistant.conformance.case import Case
from assistant.conformance.case_file import read_case
from assistant.conformance.referee_engine import ask_referee
from assistant.conformance.runner import run_case
from assistant.rules.books import list_rulebooks
from tests.rulebook_cases import CASES, list_case_files, read_cases

FILES = list_case_files()
EXACT_MM = 1e-5


def test_every_rulebook_has_cases() -> None:
    for book in list_rulebooks():
        assert read_cases(book), f"no cases for {book.id}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_case(path: Path) -> None:
    case = read_case(path)
    assert case.rulebook == path.parent.name or not path.is_relative_to(CASES)
    assert case.rules == find_rules_named(case)
    assert not run_case(case, ask_referee, EXACT_MM).differences


def find_rules_named(case: Case) -> tuple[str, ...]:
    """Return the rule that a case is named after, if any: by its name the contract finds the cases of a rule."""
    (book,) = (book for book in list_rulebooks() if book.id == case.rulebook)
    return tuple(rule.id for rule in book.rules if case.name.startswith(f"{rule.id}-"))
