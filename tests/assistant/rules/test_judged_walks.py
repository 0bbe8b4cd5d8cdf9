"""A move that grows, or changes on its way, is judged as if it had never been judged before."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from assistant.conformance.case_file import read_case
from assistant.errors import BadInput
from assistant.game.situation_file import parse_situation
from assistant.game.state import GameState, Move, Pose, Terrain
from assistant.rules.constraints.allowance import Allowance
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import EVERYTHING
from tests.assistant.rules.test_referee import make_game, make_model
from tests.rulebook_cases import list_case_files


def make_squad(**profile: Any) -> GameState:
    own = [make_model(f"a{n}", 300 + 40 * n, 300) for n in range(1, 5)]
    foes = (make_model("e1", 340, 480), make_model("e2", 800, 800))
    return make_game(*own, foes=foes, profile={"move_in": 6, **profile})


def walk(state: GameState, *ends: tuple[str, float, float], **how: Any) -> Move:
    paths = {}
    for model, x, y in ends:
        start = state.find_model(model).pose
        assert start is not None
        paths[model] = (start, Pose(x_mm=x, y_mm=y, sigma_mm=0.3))
    return Move(unit="a", action=how.pop("action", "normal"), paths=paths, **{"observed": True, **how})


CASES_PER_BOOK = 8
GROWING = (("a1", 340, 420), ("a2", 380, 330), ("a3", 420, 420), ("a4", 380, 332))
"""The second ends on top of where the fourth does, and the third not: what stands where at each walk matters."""


def test_a_move_that_grows_is_judged_as_if_it_were_new() -> None:
    state = make_squad()
    referee = Referee(state)
    for count in (1, 2, 3, 4, 2, 3):
        move = walk(state, *GROWING[:count])
        assert referee.judge(move, detail=EVERYTHING) == judge(state, move, detail=EVERYTHING)
        assert referee.judge(move) == judge(state, move)


def test_only_the_walk_that_was_added_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    state, asked = make_squad(), list[str]()
    check = Allowance.check

    def note(rule: Allowance, walk: Any, rules: Any) -> Any:
        asked.append(walk.model.id)
        return check(rule, walk, rules)

    monkeypatch.setattr(Allowance, "check", note)
    referee = Referee(state)
    for count in (1, 2, 3, 4):
        referee = referee.follow(replace(state, tracks={}))
        referee.judge(walk(state, *GROWING[:count]))
    assert asked == ["a1", "a2", "a3", "a4"]


@pytest.mark.parametrize(
    "changed",
    [
        lambda state: (state, walk(state, ("a1", 345, 420), *GROWING[1:])),
        lambda state: (state, walk(state, GROWING[1], GROWING[0], *GROWING[2:])),
        lambda state: (state, walk(state, *GROWING, action="advance", rolls=(3,))),
        lambda state: (state, walk(state, *GROWING, observed=False)),
        lambda state: (state.place_models({"e2": Pose(x_mm=342, y_mm=385)}), walk(state, *GROWING)),
        lambda state: (
            replace(
                state, terrain=(Terrain(id="ruin", outline_mm=((330, 340), (360, 340), (360, 380)), height_mm=90),)
            ),
            walk(state, *GROWING),
        ),
        lambda state: (
            replace(state, units=(replace(state.units[0], keywords=frozenset({"fly"})), *state.units[1:])),
            walk(state, *GROWING),
        ),
    ],
    ids=["path", "order", "action", "unseen", "enemy", "terrain", "keywords"],
)
def test_nothing_is_taken_over_of_another_move(changed: Any) -> None:
    state = make_squad()
    referee = Referee(state)
    referee.judge(walk(state, *GROWING), detail=EVERYTHING)
    other, move = changed(state)
    assert referee.follow(other).judge(move, detail=EVERYTHING) == judge(other, move, detail=EVERYTHING)


def test_moves_of_every_rulebooks_cases_grow() -> None:
    grown = Counter[str]()
    for path in list_case_files():
        if grown[path.parent.name] == CASES_PER_BOOK:
            continue
        situation = parse_situation(read_case(path).situation, path.stem)
        move = situation.move
        if move is None or len(move.paths) < 2 or move.lost or not move.observed:
            continue
        referee = Referee(situation.state)
        with suppress(BadInput):  # the dice may be those of all
            referee.judge(replace(move, paths=dict(list(move.paths.items())[:-1])), detail=EVERYTHING)
            assert referee.judge(move, detail=EVERYTHING) == judge(situation.state, move, detail=EVERYTHING), path.stem
            grown[path.parent.name] += 1
    assert len(grown) > 3, "of the books whose units move more than one model"
