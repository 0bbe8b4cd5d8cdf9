"""Where a seen path that turns illegal ends instead: at its furthest legal place."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from assistant.game.state import Pose
from assistant.geometry.clearance import edge_clearance
from assistant.geometry.contact import Zone, first_contact, no_deeper, path_until, pose_at, spans_within
from assistant.geometry.crossing import first_over_edge, spans_beyond
from assistant.geometry.shapes import Placed
from assistant.rules.constraints import Allowance, Constraint, KeepOut, OnTable, Shut
from assistant.rules.keepout import others_of, thing_of
from assistant.rules.ruling import ROUNDING_MM
from assistant.rules.terrain import on_the_way as on_the_way_of
from assistant.rules.terrain import outline_of
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk


def stop(rule: str, constraints: Sequence[Constraint], walk: Walk, found: Iterable[Finding]) -> Iterator[Finding]:
    """Yield a note on where a model stops, if what was found of its way is illegal."""
    if len(walk.path) > 1 and any(finding.outcome is Outcome.ILLEGAL for finding in found):
        at, gone_mm = furthest_legal(constraints, walk)
        yield Finding(
            rule=rule,
            outcome=Outcome.NOTE,
            subjects=(walk.model.id,),
            measured_mm=gone_mm,
            witness_mm=((at.x_mm, at.y_mm),),
            stops_at=at,
            text=f"{walk.model.id} stops {walk.say(gone_mm, 2)} along its path, at the furthest legal place",
        )


def furthest_legal(constraints: Sequence[Constraint], walk: Walk) -> tuple[Pose, float]:
    """Return the furthest place of a path to which everything before it is legal, and at which it may end.

    Also how far the centre has come by then, millimetres.  The path is not taken up again after its first offence.
    Places are taken as they were measured, without their sigma; an allowance is that of the centre's way.
    """
    path = [walk.placed(pose) for pose in walk.path]
    time = min(_breaks(constraints, walk, path), default=math.inf)
    path = list(path_until(path, min(time, len(path) - 1)))
    time = _last_end(constraints, walk, path)
    at = pose_at(path, time)
    placed = replace(walk.end, x_mm=at.x_mm, y_mm=at.y_mm, z_mm=at.z_mm, facing_rad=at.facing_rad)
    return placed, sum(math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in pairwise(path_until(path, time)))


def _breaks(constraints: Sequence[Constraint], walk: Walk, path: Sequence[Placed]) -> Iterator[float]:
    """Yield the times at which a path first breaks what holds all along it."""
    zones = [no_deeper(zone, path[0]) for zone in zones_of(constraints, walk, on_the_way=True)]
    met = first_contact(path, zones)
    if met is not None:
        yield met.time
    for rule in constraints:
        if isinstance(rule, Allowance):
            yield _used_up(path, rule.limit_mm)
        elif isinstance(rule, OnTable):
            yield _over_edge(path, walk)


def zones_of(constraints: Sequence[Constraint], walk: Walk, *, on_the_way: bool) -> Iterator[Zone]:
    """Yield what is kept out of on the way, or only where it ends."""
    scene = walk.scene
    for rule in constraints:
        if isinstance(rule, KeepOut) and rule.on_the_way == on_the_way:
            for place in others_of(rule, walk).tolist():
                thing = thing_of(rule, scene.models[place], scene.poses[place])
                yield Zone(other=thing.placed, range_mm=rule.range_mm, heights_mm=thing.heights_mm)
        elif isinstance(rule, Shut) and rule.on_the_way == on_the_way:
            for terrain in on_the_way_of(walk, filter(rule.terrain, walk.state.terrain)):
                yield Zone(other=outline_of(terrain))


def _last_end(constraints: Sequence[Constraint], walk: Walk, path: Sequence[Placed]) -> float:
    """Return the latest time of a path at which it may end; its start if there is none."""
    zones = [replace(z, range_mm=z.range_mm - ROUNDING_MM) for z in zones_of(constraints, walk, on_the_way=False)]
    taken = [span for zone in zones for span in spans_within(path, zone)]
    if any(isinstance(rule, OnTable) for rule in constraints):
        table = walk.state.table
        width, depth = table.width_mm, table.depth_mm
        taken += spans_beyond(path, ((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth)))
    time = float(len(path) - 1)
    for span in sorted(taken, key=lambda span: -span.end):
        if span.start <= time <= span.end:
            time = span.start
    return time


def _used_up(path: Sequence[Placed], limit_mm: float) -> float:
    """Return the time at which the centre has come as far as it may; infinite if it never does."""
    lengths = [math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in pairwise(path)]
    done = np.concatenate(((0.0,), np.cumsum(lengths)))
    if done[-1] <= limit_mm + ROUNDING_MM:
        return math.inf
    leg = int(np.searchsorted(done, limit_mm, side="right")) - 1
    return float(leg + (limit_mm - done[leg]) / lengths[leg])


def _over_edge(path: Sequence[Placed], walk: Walk) -> float:
    """Return the time at which a base is first over the edge, or further over it than it stood; infinite if never."""
    table = walk.state.table
    over = max(0.0, -edge_clearance(path[0], table.width_mm, table.depth_mm).mm)
    wider = [replace(at, x_mm=at.x_mm + over, y_mm=at.y_mm + over) for at in path]
    met = first_over_edge(wider, table.width_mm + 2 * over, table.depth_mm + 2 * over)
    return math.inf if met is None else met.time
