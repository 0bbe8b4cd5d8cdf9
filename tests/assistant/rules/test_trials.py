"""The trial of the rules by itself: that its generator makes what it should, and that it finds a referee who errs."""

import contextlib
import time
from collections import Counter
from dataclasses import replace

import pytest

from assistant.game.state import GameState, Move
from assistant.rules.verdict import Verdict
from tests.trials import relations
from tests.trials.bounds import OutOfTime, limit_seconds
from tests.trials.comparison import compare_verdicts
from tests.trials.minimising import minimise
from tests.trials.positions import BOOKS
from tests.trials.relations import judge
from tests.trials.situations import make_document, make_situation
from tests.trials.trial import TRIALS, Contradiction


def test_a_seed_makes_the_same_situation() -> None:
    assert make_document(7) == make_document.__wrapped__(7)


def test_situations_are_of_every_rulebook_and_kind() -> None:
    documents = [make_document(seed) for seed in range(60)]
    assert {document["rulebook"] for document in documents} == set(BOOKS)
    bases = Counter(key for d in documents for unit in d["units"] for m in unit["models"] for key in m["base"])
    assert set(bases) == {"round_mm", "oval_mm", "rect_mm", "outline_mm"}
    assert {document["move"]["observed"] for document in documents} == {True, False}
    assert any(
        model["pose"] and model["pose"]["sigma_mm"] > 0 for d in documents for u in d["units"] for model in u["models"]
    )
    assert any(terrain["height_mm"] > 0 for document in documents for terrain in document["terrain"])


def test_a_verdict_differs_from_one_with_another_margin_and_from_none() -> None:
    situation = make_situation(3)
    assert situation.move is not None
    said = judge(situation.state, situation.move)
    first = next(finding for finding in said.findings if finding.margin_mm is not None)
    assert not list(compare_verdicts(said, said))
    assert first.margin_mm is not None
    further = replace(first, margin_mm=first.margin_mm + 0.01)
    changed = replace(said, findings=tuple(further if each is first else each for each in said.findings))
    assert [each.kind for each in compare_verdicts(said, changed)] == [f"{first.rule} other margin"]
    assert list(compare_verdicts(said, replace(said, findings=())))


def test_a_referee_who_looks_at_the_direction_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge_by_direction(state: GameState, move: Move) -> Verdict:
        said = judge(state, move)
        west = any(path[-1].x_mm < path[0].x_mm for path in move.paths.values())
        return replace(said, findings=said.findings[:1] if west else said.findings)

    monkeypatch.setattr(relations, "judge", judge_by_direction)
    relations._read_and_judge.cache_clear()
    found = [each for seed in range(4) for each in TRIALS["mirror"](seed) if isinstance(each, Contradiction)]
    relations._read_and_judge.cache_clear()
    assert found
    before = found[0].document
    small = minimise(found[0], 2.0)
    assert small.kind == found[0].kind
    assert len(small.document["units"]) + len(small.document["terrain"]) < len(before["units"]) + len(before["terrain"])


def spin(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def spin_within(*limits: float) -> int:
    """Return which of some limits in one another is reached, the outermost the first."""
    with contextlib.ExitStack() as stack:
        entered = [stack.enter_context(limit_seconds(seconds)) for seconds in limits]
        try:
            spin(1.0)
        except OutOfTime as error:
            return entered.index(error.limit)
    return -1


def test_of_two_limits_in_one_another_the_first_that_is_reached_counts() -> None:
    assert spin_within(0.05) == 0
    assert spin_within(5.0, 0.05) == 1
    assert spin_within(0.05, 5.0) == 0
    assert spin_within(5.0) == -1


def spin_after_another() -> None:
    with limit_seconds(0.1):
        spin(0.05)
    spin(1.0)


def test_a_limit_counts_what_one_in_it_took() -> None:
    begun = time.process_time()
    with pytest.raises(OutOfTime), limit_seconds(0.2):
        spin_after_another()
    assert time.process_time() - begun < 0.9
    spin(0.3)  # nothing goes off any more
