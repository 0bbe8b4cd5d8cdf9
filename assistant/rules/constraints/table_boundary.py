"""The table's boundary: how far a model stays inside the table's edge."""

from collections.abc import Iterator

from assistant.game.state import Pose
from assistant.geometry.clearance.shape_clearance import Approach, edge_clearance, least_edge_clearance
from assistant.geometry.shapes.convex import outer_radius_mm
from assistant.rules.constraints import TableBoundary
from assistant.rules.engine.approach import NearestApproach, assess_approach
from assistant.rules.engine.walk import Leg, Walk
from assistant.rules.verdict import DECIDED_SIGMAS, Finding, Outcome, build_finding, find_gravest


def check_table_boundary(rule: TableBoundary, walk: Walk) -> Finding:
    """Return what the leg comes to that is nearest to the edge; those that cannot be are passed over unmeasured."""
    reach, doubt = outer_radius_mm(walk.model.base), DECIDED_SIGMAS * max(pose.sigma_mm for pose in walk.path)
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


def is_near_edge(walk: Walk) -> bool:
    """Return whether the disc around a base may cross the table's edge where it stands at the end."""
    return (
        measure_inside_edge_mm(walk, walk.end) <= outer_radius_mm(walk.model.base) + DECIDED_SIGMAS * walk.end.sigma_mm
    )


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
