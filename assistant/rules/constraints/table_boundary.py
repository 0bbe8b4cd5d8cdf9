"""The table's boundary: how far a model stays inside the table's edge."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from assistant.game.state import Pose, Table
from assistant.geometry.clearance.shape_clearance import Approach, edge_clearance, least_edge_clearance
from assistant.geometry.motion.boundary_crossing import find_edge_crossing, find_spans_beyond
from assistant.geometry.motion.contact import PathSpan
from assistant.geometry.orientation.facing_constraints import build_table_constraint
from assistant.geometry.orientation.facing_search import FacingConstraint
from assistant.geometry.shapes.base_shapes import Base, PlacedShape
from assistant.geometry.shapes.convex import decompose_convex, outer_radius_mm
from assistant.geometry.shortest_path.tangents import Box
from assistant.rules.constraints.base import Constraint, ConstraintSet
from assistant.rules.engine.approach import NearestApproach, assess_approach
from assistant.rules.engine.walk import Leg, Walk
from assistant.rules.verdict import DECIDED_SIGMAS, Finding, Outcome, build_finding, find_gravest


@dataclass(frozen=True, slots=True, kw_only=True)
class TableBoundary(Constraint):
    """No part of the base crosses the table's edge."""

    rule: str
    leaving: bool = False
    """One who starts over the edge may come back, and may go no further over it; to end over it is forbidden."""

    facing_rank: ClassVar[int] = 0
    stands_by_itself: ClassVar[bool] = True

    def check(self, walk: Walk, _rules: ConstraintSet, /) -> Iterator[Finding]:
        """Yield what the leg comes to that is nearest to the edge."""
        if walk.everything or may_reach_edge(walk, walk.detail.measured_sigmas):
            yield check_table_boundary(self, walk)

    def surely_holds(self, walk: Walk, /) -> bool:
        """Return whether the edge is out of reach."""
        return not walk.scene.near_edge[walk.scene.index[walk.model.id]]

    def holds_on_leg(self, *, seen: bool) -> bool:
        """Return whether legs are held to it: those made up only, since a seen path is held to it as a whole."""
        return not seen

    def bound_places(self, table: Table, body: Base, facing_rad: float, margin_mm: float, /) -> Box:
        """Return the places of a body's centre that keep it on the table with a margin."""
        sides = np.array([(-1.0, 0.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0)])
        parts = [part.move(0.0, 0.0, facing_rad) for part in decompose_convex(body)]
        left, near, right, far = np.max([part.support(sides) for part in parts], axis=0) + margin_mm
        return (float(left), float(near), table.width_mm - float(right), table.depth_mm - float(far))

    def find_mate_range_mm(self, _walk: Walk, /) -> float:
        """Return that it is about no models."""
        return -math.inf

    def build_facing_constraint(self, walk: Walk, _limit_mm: float | None, /) -> FacingConstraint:
        """Return where the base is on the table at a facing, beyond doubt."""
        table = walk.state.table
        doubt_mm = DECIDED_SIGMAS * walk.end.sigma_mm
        return build_table_constraint(walk.model.base, table.width_mm, table.depth_mm, doubt_mm)

    def find_break_time(self, path: Sequence[PlacedShape], walk: Walk, /) -> float:
        """Return the time at which a base is first over the edge, or further over it than it stood."""
        return _find_edge_crossing(path, walk) if may_reach_edge(walk) else math.inf

    def list_closed_spans(self, path: Sequence[PlacedShape], walk: Walk, /) -> Sequence[PathSpan]:
        """Return where a base is over the edge."""
        if not may_reach_edge(walk):
            return ()
        width, depth = walk.state.table.width_mm, walk.state.table.depth_mm
        return find_spans_beyond(path, ((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth)))


def check_table_boundary(rule: TableBoundary, walk: Walk) -> Finding:
    """Return what the leg comes to that is nearest to the edge; those that cannot be are passed over unmeasured."""
    reach, doubt = (
        outer_radius_mm(walk.model.base),
        DECIDED_SIGMAS * max(pose.sigma_mm for pose in walk.path),
    )
    legs = [
        (min(measure_inside_edge_mm(walk, pose) for pose in leg) - reach, leg)
        for leg in walk.list_legs(on_the_way=True)
    ]
    start_mm = _measure_start_over_mm(walk) if rule.leaving else None
    found = list[Finding]()
    for floor, leg in sorted(legs, key=lambda entry: entry[0]):
        if found and floor > max(doubt, min(each.margin_mm or 0.0 for each in found)):
            break
        found += (_build_edge_finding(rule, walk, near) for near in _measure_approaches(walk, leg, start_mm))
    worst = find_gravest(found)
    assert worst is not None
    return worst


def may_reach_edge(walk: Walk, sigmas: float = DECIDED_SIGMAS) -> bool:
    """Return whether the disc around a base, so many of its standard deviations wider, may cross the table's edge."""
    doubt = sigmas * max(pose.sigma_mm for pose in walk.path)
    inside = min(measure_inside_edge_mm(walk, pose) for pose in walk.path)
    return inside <= outer_radius_mm(walk.model.base) + doubt


def measure_inside_edge_mm(walk: Walk, pose: Pose) -> float:
    """Return how far a place is inside the table's edge."""
    table = walk.state.table
    return min(pose.x_mm, pose.y_mm, table.width_mm - pose.x_mm, table.depth_mm - pose.y_mm)


def _measure_start_over_mm(walk: Walk) -> float | None:
    """Return how far inside the edge a model that moves started, if it was over it or may have been."""
    if len(walk.path) == 1:
        return None
    mm = edge_clearance(walk.place_base(walk.path[0]), walk.state.table.width_mm, walk.state.table.depth_mm).mm
    return mm if mm < DECIDED_SIGMAS * walk.path[0].sigma_mm else None


def _measure_approaches(walk: Walk, leg: Leg, start_mm: float | None) -> Iterator[NearestApproach]:
    table, start, end = walk.state.table, walk.place_base(leg[0]), walk.place_base(leg[1])
    there = Approach(clearance=edge_clearance(end, table.width_mm, table.depth_mm), share=1.0)
    found = there if start == end else least_edge_clearance(start, end, table.width_mm, table.depth_mm)
    yield assess_approach(walk, leg, found, start_mm=start_mm)
    if start_mm is not None and leg[1] is walk.end:
        yield assess_approach(walk, leg, there)


def _build_edge_finding(rule: TableBoundary, walk: Walk, near: NearestApproach) -> Finding:
    gap = near.gap

    def text(outcome: Outcome) -> str:
        match outcome:
            case Outcome.ILLEGAL:
                return f"{walk.model.id} is {walk.say(-gap.mm, 2)} over the table's edge"
            case Outcome.TOO_CLOSE:
                return f"{walk.model.id} is at the table's edge, too close to call whether it crosses it"
            case _ if gap.mm < 0:
                return f"{walk.model.id} comes back from over the table's edge"
            case _:
                return f"{walk.model.id} is {walk.say(gap.mm, 2)} inside the table's edge"

    return build_finding(
        rule.rule,
        (walk.model.id,),
        measured_mm=gap.mm,
        limit_mm=0.0,
        margin_mm=near.margin_mm,
        sigma_mm=near.sigma_mm,
        witness_mm=(gap.near, gap.far),
        text=text,
    )


def _find_edge_crossing(path: Sequence[PlacedShape], walk: Walk) -> float:
    """Return the time at which a base is first over the edge, or further over it than it stood; infinite if never."""
    table = walk.state.table
    over = max(0.0, -edge_clearance(path[0], table.width_mm, table.depth_mm).mm)
    wider = [replace(at, x_mm=at.x_mm + over, y_mm=at.y_mm + over) for at in path]
    met = find_edge_crossing(wider, table.width_mm + 2 * over, table.depth_mm + 2 * over)
    return math.inf if met is None else met.time
