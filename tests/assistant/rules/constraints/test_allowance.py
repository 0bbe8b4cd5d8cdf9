"""Allowances: lengths by the part of a base that goes furthest, and allowances that are themselves in doubt."""

import math

import pytest

from assistant.game.state import GameState, Model, Pose, Table, Unit
from assistant.geometry.shapes.base_shapes import Rect
from assistant.rules.constraints.allowance import Allowance, Pivot
from assistant.rules.constraints.base import ConstraintSet
from assistant.rules.engine.situation_index import index_situation
from assistant.rules.engine.walk import Walk
from assistant.rules.lengths import format_inches
from assistant.rules.verdict import Finding, Outcome

STAND = Rect(length_mm=40, width_mm=20)


def make_walk(*path: tuple[float, float, float], sigma_mm: float = 0.0, observed: bool = True) -> Walk:
    poses = tuple(Pose(x_mm=x, y_mm=y, facing_rad=math.radians(deg), sigma_mm=sigma_mm) for x, y, deg in path)
    mover = Model(id="m", base=STAND, pose=poses[0])
    unit = Unit(id="u", player="red", models=(mover,))
    state = GameState(rulebook="any", table=Table(width_mm=900, depth_mm=600), units=(unit,))
    return Walk(scene=index_situation(state), unit=unit, model=mover, path=poses, observed=observed, say=format_inches)


def make_allowance(limit_mm: float, sure_mm: float = math.inf) -> Allowance:
    return Allowance(
        rule="r",
        limit_mm=limit_mm,
        pivot=Pivot.DISPLACEMENT,
        pivot_mm=0.0,
        sure_mm=sure_mm,
        because="in a line",
    )


def find_length_finding(rule: Allowance, walk: Walk) -> Finding:
    (finding,) = rule.check(walk, ConstraintSet((rule,)))
    return finding


@pytest.mark.parametrize("observed", [True, False])
def test_an_about_face_is_the_diagonal(*, observed: bool) -> None:
    found = find_length_finding(make_allowance(100), make_walk((300, 300, 0), (300, 300, 180), observed=observed))
    assert found.measured_mm == pytest.approx(math.hypot(40, 20))
    assert found.outcome is Outcome.LEGAL
    assert found.margin_mm == pytest.approx(100 - math.hypot(40, 20))


def test_each_leg_is_measured_straight_and_the_same_corner_all_along() -> None:
    found = find_length_finding(make_allowance(300), make_walk((300, 300, 0), (400, 300, 90), (400, 400, 90)))
    corner = max(math.dist((300 + x, 300 + y), (400 - y, 300 + x)) + 100 for x in (-20, 20) for y in (-10, 10))
    assert found.measured_mm == pytest.approx(corner)


def test_two_ends_err_by_both() -> None:
    found = find_length_finding(make_allowance(100), make_walk((300, 300, 0), (360, 300, 0), sigma_mm=0.3))
    assert found.sigma_mm == pytest.approx(0.3 * math.sqrt(2))
    around = find_length_finding(
        make_allowance(200), make_walk((300, 300, 0), (360, 300, 0), (360, 360, 0), sigma_mm=0.3)
    )
    assert around.sigma_mm == pytest.approx(0.3 * math.sqrt(4))  # the corner counts twice, across itself


@pytest.mark.parametrize("observed", [True, False])
@pytest.mark.parametrize(
    ("gone_mm", "outcome"), [(90.0, Outcome.LEGAL), (150.0, Outcome.TOO_CLOSE), (210.0, Outcome.ILLEGAL)]
)
def test_between_what_is_sure_and_what_may_be_a_person_decides(
    gone_mm: float, outcome: Outcome, *, observed: bool
) -> None:
    rule = make_allowance(200.0, sure_mm=100.0)
    found = find_length_finding(rule, make_walk((300, 300, 0), (300 + gone_mm, 300, 0), observed=observed))
    assert found.outcome is outcome
    assert (found.margin_mm is None) == (outcome is Outcome.TOO_CLOSE)
    assert found.text.endswith("(in a line)")
    if outcome is Outcome.TOO_CLOSE:
        assert '5.91", more than the 3.94" that it surely may, and within the 7.87" that it may have' in found.text
