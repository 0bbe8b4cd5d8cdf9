"""Observed paths: the fewest straight legs that a seen path counts as, and the furthest legal place on it.

A path that turns illegal on its way ends at that place instead, where a rulebook says so.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np

from assistant.game.state import Pose
from assistant.geometry.clearance.shape_clearance import edge_clearance
from assistant.geometry.motion.boundary_crossing import find_edge_crossing, find_spans_beyond
from assistant.geometry.motion.contact import (
    ProximityZone,
    cut_path,
    find_first_contact,
    find_pose,
    find_spans_within,
    shrink_zone,
)
from assistant.geometry.motion.path_length import measure_furthest_displacement
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.rules.constraints import (
    Allowance,
    Constraint,
    CustomConstraint,
    ForbiddenTerrain,
    KeepOut,
    TableBoundary,
)
from assistant.rules.constraints.keep_out import build_approach_target, select_others
from assistant.rules.engine.measurement import check_constraint
from assistant.rules.engine.terrain import build_outline
from assistant.rules.engine.terrain import find_terrain_on_path as on_the_way_of
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import ROUNDING_MM, Finding, Outcome


def straighten_walk(constraints: Sequence[Constraint], walk: Walk) -> Walk:
    """Return a walk with the fewest, and of these the shortest, legs that break nothing that holds on the way.

    Poses of the path that was seen are kept, its first and last included.  Where no choice of them is clear it stays as
    it was seen.
    """
    last = len(walk.path) - 1
    if not walk.observed or last < 2:
        return walk
    rules = [
        rule
        for rule in constraints
        if isinstance(rule, KeepOut | ForbiddenTerrain | CustomConstraint) and rule.on_the_way
    ]

    @cache
    def clear(one: int, two: int) -> bool:
        leg = replace(walk, path=(walk.path[one], walk.path[two]))
        return all(found.outcome is not Outcome.ILLEGAL for rule in rules for found in check_constraint(rule, leg))

    # From pose to pose by clear legs, in rounds: how far it is to each that is first met in this round, and by which.
    rounds: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, (0,))}
    left = set(range(1, last + 1))
    while rounds and last not in rounds:
        onward = [last] if any(clear(pose, last) for pose in rounds) else sorted(left)
        found = dict[int, tuple[float, tuple[int, ...]]]()
        for pose in onward:
            before = ((at, *known) for at, known in rounds.items() if at < pose and clear(at, pose))
            ways = [(mm + _measure_mm(walk, at, pose), (*via, pose)) for at, mm, via in before]
            if ways:
                found[pose] = min(ways)
        left -= found.keys()
        rounds = found
    if last not in rounds:
        return walk
    return replace(walk, path=tuple(walk.path[pose] for pose in rounds[last][1]))


def _measure_mm(walk: Walk, one: int, two: int) -> float:
    return measure_furthest_displacement([walk.place_base(walk.path[one]), walk.place_base(walk.path[two])]).mm


def note_stop(rule: str, constraints: Sequence[Constraint], walk: Walk, found: Iterable[Finding]) -> Iterator[Finding]:
    """Yield a note on where a model stops, if what was found of its way is illegal."""
    if len(walk.path) > 1 and any(finding.outcome is Outcome.ILLEGAL for finding in found):
        at, gone_mm = find_furthest_legal(constraints, walk)
        yield Finding(
            rule=rule,
            outcome=Outcome.NOTE,
            subjects=(walk.model.id,),
            measured_mm=gone_mm,
            witness_mm=((at.x_mm, at.y_mm),),
            stops_at=at,
            text=f"{walk.model.id} stops {walk.say(gone_mm, 2)} along its path, at the furthest legal place",
        )


def find_furthest_legal(constraints: Sequence[Constraint], walk: Walk) -> tuple[Pose, float]:
    """Return the furthest place of a path to which everything before it is legal, and at which it may end.

    Also how far the centre has come by then, millimetres.  The path is not taken up again after its first offence.
    Places are taken as they were measured, without their sigma; an allowance is that of the centre's way.
    """
    path = [walk.place_base(pose) for pose in walk.path]
    time = min(_find_breaks(constraints, walk, path), default=math.inf)
    path = list(cut_path(path, min(time, len(path) - 1)))
    time = _find_last_end(constraints, walk, path)
    at = find_pose(path, time)
    placed = replace(walk.end, x_mm=at.x_mm, y_mm=at.y_mm, z_mm=at.z_mm, facing_rad=at.facing_rad)
    return placed, sum(math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in pairwise(cut_path(path, time)))


def _find_breaks(constraints: Sequence[Constraint], walk: Walk, path: Sequence[PlacedShape]) -> Iterator[float]:
    """Yield the times at which a path first breaks what holds all along it."""
    zones = [shrink_zone(zone, path[0]) for zone in find_contact_zones(constraints, walk, on_the_way=True)]
    met = find_first_contact(path, zones)
    if met is not None:
        yield met.time
    for rule in constraints:
        if isinstance(rule, Allowance):
            yield _find_allowance_end(path, rule.limit_mm)
        elif isinstance(rule, TableBoundary):
            yield _find_edge_crossing(path, walk)


def find_contact_zones(constraints: Sequence[Constraint], walk: Walk, *, on_the_way: bool) -> Iterator[ProximityZone]:
    """Yield what is kept out of on the way, or only where it ends."""
    scene = walk.scene
    for rule in constraints:
        if isinstance(rule, KeepOut) and rule.on_the_way == on_the_way:
            for place in select_others(rule, walk).tolist():
                thing = build_approach_target(rule, scene.models[place], scene.poses[place])
                yield ProximityZone(other=thing.placed, range_mm=rule.range_mm, heights_mm=thing.heights_mm)
        elif isinstance(rule, ForbiddenTerrain) and rule.on_the_way == on_the_way:
            for terrain in on_the_way_of(walk, filter(rule.terrain, walk.state.terrain)):
                yield ProximityZone(other=build_outline(terrain))


def _find_last_end(constraints: Sequence[Constraint], walk: Walk, path: Sequence[PlacedShape]) -> float:
    """Return the latest time of a path at which it may end; its start if there is none."""
    zones = [
        replace(z, range_mm=z.range_mm - ROUNDING_MM) for z in find_contact_zones(constraints, walk, on_the_way=False)
    ]
    taken = [span for zone in zones for span in find_spans_within(path, zone)]
    if any(isinstance(rule, TableBoundary) for rule in constraints):
        table = walk.state.table
        width, depth = table.width_mm, table.depth_mm
        taken += find_spans_beyond(path, ((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth)))
    time = float(len(path) - 1)
    for span in sorted(taken, key=lambda span: -span.end):
        if span.start <= time <= span.end:
            time = span.start
    return time


def _find_allowance_end(path: Sequence[PlacedShape], limit_mm: float) -> float:
    """Return the time at which the centre has come as far as it may; infinite if it never does."""
    lengths = [math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in pairwise(path)]
    done = np.concatenate(((0.0,), np.cumsum(lengths)))
    if done[-1] <= limit_mm + ROUNDING_MM:
        return math.inf
    leg = int(np.searchsorted(done, limit_mm, side="right")) - 1
    return float(leg + (limit_mm - done[leg]) / lengths[leg])


def _find_edge_crossing(path: Sequence[PlacedShape], walk: Walk) -> float:
    """Return the time at which a base is first over the edge, or further over it than it stood; infinite if never."""
    table = walk.state.table
    over = max(0.0, -edge_clearance(path[0], table.width_mm, table.depth_mm).mm)
    wider = [replace(at, x_mm=at.x_mm + over, y_mm=at.y_mm + over) for at in path]
    met = find_edge_crossing(wider, table.width_mm + 2 * over, table.depth_mm + 2 * over)
    return math.inf if met is None else met.time
