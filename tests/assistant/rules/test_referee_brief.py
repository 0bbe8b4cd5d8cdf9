"""The referee in brief: what is surely kept is not measured where nobody asks for it, and all else is said the same."""

import json
from pathlib import Path

import pytest

from assistant.game.situation_file import parse_situation
from assistant.rules.books import list_rulebooks
from assistant.rules.referee import Referee
from assistant.rules.verdict import Outcome
from tests.rulebook_cases import list_case_files


@pytest.mark.parametrize("path", list_case_files()[::12], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_is_kept_changes_nothing_of_what_is_not(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    if case["situation"]["rulebook"] not in {book.id for book in list_rulebooks()}:
        pytest.skip("its rulebook is not there yet")
    situation = parse_situation(case["situation"], path.name)
    referee = Referee(situation.state)
    brief, full = (referee.judge(situation.move, everything=every) for every in (False, True))
    assert list(brief.findings) == [found for found in full.findings if found.outcome is not Outcome.LEGAL]
    assert brief.effects == full.effects
