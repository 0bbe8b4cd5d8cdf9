"""The referee's desk: a report is given again while nothing that it rests on has changed."""

from collections.abc import Hashable
from dataclasses import replace

from assistant.game.state import Declaration
from assistant.overlay.shapes import Layer
from assistant.rules.movement_zone import MovementZone
from assistant.table.declared_move import Pick
from assistant.table.referee_report import RefereeDesk
from assistant.table.zone_query import ZoneRequest, compute_zone
from tests.assistant.snapshot_script import build_game

STATE = replace(build_game(), declared=Declaration(unit="scouts", action="normal"))
PICK = Pick(unit="scouts", model="s1")


class LateSolver:
    """Knows a zone only once it is let go."""

    def __init__(self) -> None:
        self.zone: MovementZone | None = None
        self.requests: list[ZoneRequest] = []

    def __call__(self, request: ZoneRequest, _name: Hashable = "") -> MovementZone | None:
        self.requests.append(request)
        return self.zone

    def forget(self, name: Hashable) -> None:
        """Drop nothing: there is but one zone."""


def test_the_same_state_and_pick_are_answered_by_the_same_report() -> None:
    desk = RefereeDesk()
    report = desk.report(STATE, PICK)
    assert desk.report(STATE, Pick(unit="scouts", model="s1")) is report
    assert desk.report(STATE, Pick(unit="scouts", model="s2")) is not report
    assert desk.report(replace(STATE), PICK) is not report, "another state, though it says the same"


def test_a_zone_that_is_known_later_is_added_and_changes_nothing_else() -> None:
    solver = LateSolver()
    desk = RefereeDesk(solver)
    before = desk.report(STATE, PICK)
    assert before.zone is None
    assert desk.report(STATE, PICK) is before
    solver.zone = compute_zone(solver.requests[0], "keep")
    after = desk.report(STATE, PICK)
    assert after.zone is solver.zone
    assert after.verdict is before.verdict
    assert [shape for shape in after.shapes if shape.layer is not Layer.ZONE] == list(before.shapes)
    assert desk.report(STATE, PICK) is after


def test_a_fork_keeps_the_report_and_asks_its_own_solver() -> None:
    first, second = LateSolver(), LateSolver()
    desk = RefereeDesk(first)
    report = desk.report(STATE, PICK)
    assert desk.fork(second).report(STATE, PICK) is report
    assert (len(first.requests), second.requests) == (1, first.requests)
