"""Allowances of unseen ways: those that nobody saw, past gaps that the measurement leaves open."""

import math
from dataclasses import replace

import pytest

from assistant.game.state import GameState, Model, Move, Pose, Table, Unit
from assistant.geometry.shapes.base_shapes import Oval, Round
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import EVERYTHING, Outcome

INCH = 25.4
NEEDED_MM = 2 * (16 + 16 + INCH)
"""Between the centres of two enemies, for a 32 mm base to pass between their engagement ranges."""


def make_walled_game(gap_mm: float, sigma_mm: float) -> GameState:
    """A model before a wall of enemies across the table, with one gap that is so much wider than it must be."""
    half = (NEEDED_MM + gap_mm) / 2
    ys = [559 + sign * (half + 60 * step) for step in range(9) for sign in (1, -1)]
    wall = tuple(
        Model(id=f"e{i}", base=Round(radius_mm=16), pose=Pose(x_mm=600, y_mm=y, sigma_mm=sigma_mm))
        for i, y in enumerate(ys)
    )
    mover = Model(id="m", base=Round(radius_mm=16), pose=Pose(x_mm=520, y_mm=559))
    return GameState(
        rulebook="warhammer-40k-10e",
        table=Table(width_mm=1524, depth_mm=1118),
        units=(
            Unit(id="u", player="red", profile={"move_in": 7}, models=(mover,)),
            Unit(id="foes", player="blue", profile={"move_in": 6}, models=wall),
        ),
    )


def judge_outcome(state: GameState) -> Outcome:
    path = (Pose(x_mm=520, y_mm=559), Pose(x_mm=680, y_mm=559))
    verdict = judge(state, Move(unit="u", action="normal", paths={"m": path}, observed=False))
    return next((f.outcome for f in verdict.findings if f.rule == "10e-15"), Outcome.LEGAL)


@pytest.mark.parametrize(
    ("gap_mm", "sigma_mm", "expected"),
    [
        (0.1, 0.0, Outcome.LEGAL),
        (-0.1, 0.0, Outcome.ILLEGAL),
        (0.1, 0.5, Outcome.TOO_CLOSE),
        (-0.1, 0.5, Outcome.TOO_CLOSE),
        (6.0, 0.5, Outcome.LEGAL),
        (-6.0, 0.5, Outcome.ILLEGAL),
    ],
)
def test_a_gap_that_sigma_leaves_open_is_for_a_person(gap_mm: float, sigma_mm: float, expected: Outcome) -> None:
    assert judge_outcome(make_walled_game(gap_mm, sigma_mm)) is expected


def test_the_zone_goes_through_a_gap_only_beyond_doubt() -> None:
    def beyond(gap_mm: float) -> bool:
        reach = Referee(make_walled_game(gap_mm, 0.5)).find_zone(model="m", action="normal", alone=True)
        return reach.region.bounds[2] > 660

    assert not beyond(0.1)
    assert beyond(6.0)


@pytest.mark.parametrize(("gap_mm", "expected"), [(0.1, Outcome.TOO_CLOSE), (6.0, Outcome.UNOBSERVED)])
def test_a_turn_that_nobody_saw_leaves_a_doubtful_gap_to_a_person(gap_mm: float, expected: Outcome) -> None:
    state = make_walled_game(gap_mm, 0.5)
    unit, foes = state.units
    path = tuple(Pose(x_mm=x, y_mm=559, facing_rad=math.pi / 2) for x in (520, 680))
    oval = Model(id="m", base=Oval(length_mm=60, width_mm=32), pose=path[0])
    state = replace(state, units=(replace(unit, models=(oval,)), foes))
    verdict = judge(state, Move(unit="u", action="normal", paths={"m": path}, observed=False), detail=EVERYTHING)
    assert next(f.outcome for f in verdict.findings if f.rule == "10e-15") is expected


@pytest.mark.parametrize(("end_mm", "tests"), [(450.0, ["a1"]), (520.0, [])])
def test_who_cannot_have_come_at_all_has_not_crossed_for_sure(end_mm: float, tests: list[str]) -> None:
    """Straight across is 150 mm and within 6 inches, around the enemy is not; 220 mm are too far either way."""
    mover = Model(id="a1", base=Round(radius_mm=16), pose=Pose(x_mm=300, y_mm=300))
    enemy = Model(id="e1", base=Round(radius_mm=16), pose=Pose(x_mm=345, y_mm=300))
    state = GameState(
        rulebook="warhammer-40k-10e",
        table=Table(width_mm=1000, depth_mm=600),
        units=(
            Unit(id="a", player="red", profile={"move_in": 6}, models=(mover,)),
            Unit(id="e", player="blue", profile={"move_in": 6}, models=(enemy,)),
        ),
    )
    path = (Pose(x_mm=300, y_mm=300), Pose(x_mm=end_mm, y_mm=300))
    verdict = judge(state, Move(unit="a", action="fall-back", paths={"a1": path}, observed=False))
    assert (verdict.outcome is Outcome.LEGAL) == bool(tests)
    assert [m for e in verdict.effects if e.effect == "desperate-escape-test" for m in e.subjects] == tests
