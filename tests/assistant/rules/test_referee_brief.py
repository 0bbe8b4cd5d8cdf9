"""The referee in brief: what is surely kept is not measured where nobody asks for it, and all else is said the same."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.game.situation_file import parse_situation
from assistant.rules.books import list_rulebooks
from assistant.rules.referee import Referee
from assistant.rules.verdict import BREACHES, EVERYTHING, WITH_WAYS, Detail, Outcome
from tests.benchmarks.crowded_scenes import QUESTIONS, Question, make_scene
from tests.rulebook_cases import list_case_files

CLOSE, WIDE = Detail(sigmas=3.0, ways=True), Detail(sigmas=50.0, ways=True)
FILES = [
    path for at, path in enumerate(list_case_files()) if at % 12 == 0 or path.stem == "wm-50-nearly-straight-too-close"
]
"""Some, and one that is near terrain by some of these standard deviations."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_is_kept_changes_nothing_of_what_is_not(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    if case["situation"]["rulebook"] not in {book.id for book in list_rulebooks()}:
        pytest.skip("its rulebook is not there yet")
    situation = parse_situation(case["situation"], path.name)
    referee = Referee(situation.state)
    full = referee.judge(situation.move, detail=EVERYTHING)
    for detail in (BREACHES, WITH_WAYS, CLOSE, WIDE) if situation.move else (BREACHES,):
        brief = referee.judge(situation.move, detail=detail)
        assert list(brief.findings) == [found for found in full.findings if detail.tells(found)], detail
        assert brief.effects == full.effects


@pytest.mark.parametrize("question", [questions[0] for questions in QUESTIONS.values()], ids=lambda each: each.rulebook)
@pytest.mark.parametrize("seed", [1, 2])
def test_in_a_crowd_what_surely_holds_is_passed_over_and_nothing_else(question: Question, seed: int) -> None:
    """Some stand on each other, over the edge and on terrain that is shut, some on top of it, and units are apart."""
    state = make_scene(question, seed=seed, models=40)
    crowd = {
        model.id: replace(
            model.pose, x_mm=model.pose.x_mm % 330 - 5, y_mm=model.pose.y_mm % 290 - 5, z_mm=120.0 * (place % 7 == 0)
        )
        for place, (_, model) in enumerate(state.iterate_models())
        if model.pose is not None
    }
    referee = Referee(state.place_models(crowd))
    brief, full = (referee.judge(detail=detail).findings for detail in (BREACHES, EVERYTHING))
    assert len({found.rule for found in brief}) > 1
    assert sorted(map(repr, brief)) == sorted(repr(found) for found in full if found.outcome is not Outcome.LEGAL)
