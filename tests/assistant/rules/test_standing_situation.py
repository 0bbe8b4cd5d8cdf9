"""How everybody stands is judged as if it had never been judged before, whoever has moved since."""

import random
from dataclasses import replace
from typing import Any

import pytest

from assistant.game.state import GameState, Pose, Score, Table, Terrain, Unit
from assistant.rules import standing_situation
from assistant.rules.context import RuleContext
from assistant.rules.engine.situation_index import Gaps, SituationIndex
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import BREACHES, EVERYTHING
from tests.assistant.rules.test_referee import make_model

UNITS, MODELS = 4, 4


def build_crowd() -> GameState:
    units = tuple(
        Unit(
            id=f"u{at}",
            player="red" if at % 2 else "blue",
            keywords=frozenset({"infantry"}),
            profile={"move_in": 6},
            models=tuple(make_model(f"{at}-{n}", 100 + 90 * at, 100 + 45 * n) for n in range(MODELS)),
        )
        for at in range(UNITS)
    )
    return GameState(rulebook="warhammer-40k-10e", table=Table(width_mm=500, depth_mm=400), units=units)


def test_a_crowd_in_motion_is_judged_as_if_it_were_new() -> None:
    draw, state = random.Random(11), build_crowd()
    referee, outcomes = Referee(state), set()
    for step in range(60):
        model = f"{draw.randrange(UNITS)}-{draw.randrange(MODELS)}"
        pose = Pose(x_mm=draw.uniform(5, 495), y_mm=draw.uniform(5, 395), sigma_mm=draw.choice((0.1, 5.0)))
        state = state.place_models({model: None if step % 9 == 8 else pose})
        if step == 30:
            state = replace(
                state, terrain=(Terrain(id="wall", outline_mm=((10, 10), (490, 10), (490, 60)), height_mm=100),)
            )
        referee = Referee(state, before=referee)
        detail = EVERYTHING if step % 7 == 6 else BREACHES
        verdict = referee.judge(detail=detail)
        assert verdict == judge(state, None, detail=detail)
        outcomes |= {finding.outcome for finding in verdict.findings}
    assert len(outcomes) >= 4


def test_only_who_moved_and_who_is_near_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    state, asked = build_crowd(), list[str]()
    check = standing_situation._check_unit

    def note(question: RuleContext, *of: Any, **how: Any) -> Any:
        asked.append(question.unit.id)
        return check(question, *of, **how)

    monkeypatch.setattr(standing_situation, "_check_unit", note)
    referee = Referee(state)
    referee.judge()
    assert asked == ["u0", "u1", "u2", "u3"]
    asked.clear()
    referee = referee.follow(state.place_models({"0-0": Pose(x_mm=105, y_mm=105)}))
    referee.judge()
    assert asked == ["u0"]
    asked.clear()
    referee.follow(referee.state.place_models({"1-0": Pose(x_mm=372, y_mm=65)})).judge()
    assert asked == ["u1", "u3"]


def test_clearances_are_measured_anew_only_where_somebody_stands_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    state, asked, measure = build_crowd(), list[float](), SituationIndex.measure_gaps

    def note(scene: SituationIndex, range_mm: float) -> Gaps:
        asked.append(range_mm)
        return measure(scene, range_mm)

    monkeypatch.setattr(SituationIndex, "measure_gaps", note)
    referee = Referee(state)
    verdict = referee.judge()
    scored = replace(state, scores={"red": Score(points=3)}).place_models({"0-0": state.find_model("0-0").pose})
    referee = referee.follow(scored)
    assert (referee.judge(), len(asked)) == (verdict, 1)
    referee.judge(detail=EVERYTHING)
    assert len(asked) == 2
    referee.follow(scored.place_models({"0-0": Pose(x_mm=105, y_mm=105)})).judge(detail=EVERYTHING)
    assert len(asked) == 3
