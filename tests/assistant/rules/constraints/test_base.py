"""A kind of constraint that no other file knows is judged, measured and drawn like the others."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import GameState, Model, Move, Pose, Table, Unit
from assistant.geometry.shapes.base_shapes import Base, Rect, Round
from assistant.geometry.shapes.polygons import extract_polygons
from assistant.rules.constraints.base import Constraint, ConstraintSet
from assistant.rules.constraints.coherency import Coherency
from assistant.rules.constraints.keep_out import KeepOut
from assistant.rules.context import RuleContext
from assistant.rules.engine.walk import Walk
from assistant.rules.referee import Referee
from assistant.rules.selectors import is_enemy
from assistant.rules.verdict import EVERYTHING, Finding, Outcome, build_finding
from tests.assistant.altered_rulebook import ID, add_rulebook

BORDER_MM = 350.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Border(Constraint):
    """Ends with its centre on this side of a line across the table."""

    rule: str
    x_mm: float

    def check(self, walk: Walk, _rules: ConstraintSet, /) -> Iterator[Finding]:
        yield build_finding(
            self.rule,
            (walk.model.id,),
            measured_mm=walk.end.x_mm,
            limit_mm=self.x_mm,
            margin_mm=self.x_mm - walk.end.x_mm,
            sigma_mm=walk.end.sigma_mm,
            witness_mm=(),
            text=lambda outcome: f"{walk.model.id} is {outcome} at the border",
        )

    def narrow_end(self, walk: Walk, places: BaseGeometry, /) -> BaseGeometry:
        side = shapely.box(0.0, 0.0, self.x_mm - 2 * walk.end.sigma_mm, walk.state.table.depth_mm)
        return extract_polygons(shapely.intersection(places, side))

    def narrow_turned_end(self, walk: Walk, places: BaseGeometry, /) -> BaseGeometry:
        return self.narrow_end(walk, places)


@pytest.fixture
def _bordered(monkeypatch: pytest.MonkeyPatch) -> None:
    book = add_rulebook(monkeypatch)

    def constrain(asked: RuleContext) -> Iterator[Constraint]:
        yield from book.find_action("normal").constraints(asked)
        yield Border(rule="x-border", x_mm=BORDER_MM)

    actions = tuple(replace(each, constraints=constrain) if each.id == "normal" else each for each in book.actions)
    monkeypatch.undo()
    add_rulebook(monkeypatch, actions=actions)


def make_state(base: Base) -> GameState:
    mover = Model(id="m", base=base, pose=Pose(x_mm=300, y_mm=300))
    unit = Unit(id="u", player="red", profile={"move_in": 6}, models=(mover,))
    return GameState(rulebook=ID, table=Table(width_mm=900, depth_mm=600), units=(unit,))


@pytest.mark.usefixtures("_bordered")
@pytest.mark.parametrize("observed", [True, False])
@pytest.mark.parametrize(("x_mm", "outcome"), [(349.0, Outcome.LEGAL), (351.0, Outcome.ILLEGAL)])
def test_a_new_kind_is_judged(x_mm: float, outcome: Outcome, *, observed: bool) -> None:
    path = (Pose(x_mm=300, y_mm=300), Pose(x_mm=x_mm, y_mm=300))
    referee = Referee(make_state(Round(radius_mm=16)))
    verdict = referee.judge(Move(unit="u", action="normal", paths={"m": path}, observed=observed), detail=EVERYTHING)
    (finding,) = (each for each in verdict.findings if each.rule == "x-border")
    assert finding.outcome is verdict.outcome is outcome
    assert finding.margin_mm == pytest.approx(BORDER_MM - x_mm)


@pytest.mark.usefixtures("_bordered")
@pytest.mark.parametrize("facing", ["keep", "any"])
@pytest.mark.parametrize("base", [Round(radius_mm=16), Rect(length_mm=60, width_mm=20)])
def test_a_new_kind_bounds_the_zone(base: Base, facing: str) -> None:
    zone = Referee(make_state(base)).find_zone(model="m", action="normal", facing=facing)  # type: ignore[arg-type]
    assert zone.region.bounds[0] < 300 - 100
    assert zone.region.bounds[2] == pytest.approx(BORDER_MM)


def test_what_binds_the_unit_or_those_who_stay_is_dropped_for_one_model() -> None:
    border = Border(rule="x-border", x_mm=BORDER_MM)
    enemies = KeepOut(
        rule="r", parties=is_enemy, range_mm=25.4, vertical_mm=9.0, on_the_way=True, name="range", everyone=True
    )
    together = Coherency(rule="c", range_mm=50.8, vertical_mm=127.0)
    alone = ConstraintSet((together, enemies, border)).drop_unit_parts()
    assert alone == ConstraintSet((replace(enemies, everyone=False), border))
    assert alone.find_way_limit() is None
