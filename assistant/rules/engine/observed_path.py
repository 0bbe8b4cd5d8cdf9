"""Observed paths: the fewest straight legs that a seen path counts as, and the furthest legal place on it.

A path that turns illegal on its way ends at that place instead, where a rulebook says so.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, pairwise

from assistant.game.state import Pose
from assistant.geometry.clearance.shape_clearance import bound_clearance_mm
from assistant.geometry.motion.contact import (
    PathSpan,
    ProximityZone,
    cut_path,
    find_first_contact,
    find_pose,
    find_spans_within,
    select_near_zones,
    shrink_zone,
)
from assistant.geometry.motion.path_length import measure_furthest_displacement
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.rules.constraints.base import ConstraintSet
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import BREACHES, ROUNDING_MM, Finding, Outcome


def straighten_walk(constraints: ConstraintSet, walk: Walk) -> Walk:
    """Return a walk with the fewest, and of these the shortest, legs that break nothing that holds on the way.

    Poses of the path that was seen are kept, its first and last included.  Where no choice of them is clear it stays as
    it was seen.
    """
    last = len(walk.path) - 1
    if not walk.observed or last < 2:
        return walk

    @cache
    def clear(one: int, two: int) -> bool:
        leg = replace(walk, path=(walk.path[one], walk.path[two]), detail=BREACHES)
        return all(finding.outcome is not Outcome.ILLEGAL for finding in constraints.check_legs(leg, seen=True))

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


def note_stop(rule: str, constraints: ConstraintSet, walk: Walk, found: Iterable[Finding]) -> Iterator[Finding]:
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


def find_furthest_legal(constraints: ConstraintSet, walk: Walk) -> tuple[Pose, float]:
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


def _find_breaks(constraints: ConstraintSet, walk: Walk, path: Sequence[PlacedShape]) -> Iterator[float]:
    """Yield the times at which a path first breaks what holds all along it."""
    near = select_near_zones(path, list(find_contact_zones(constraints, walk, on_the_way=True)))
    zones = [shrink_zone(zone, path[0]) for zone in near]
    met = find_first_contact(path, zones)
    if met is not None:
        yield met.time
    yield from (rule.find_break_time(path, walk) for rule in constraints)


def find_contact_zones(constraints: ConstraintSet, walk: Walk, *, on_the_way: bool) -> Iterator[ProximityZone]:
    """Return what is kept out of on the way, or only where it ends."""
    return (zone for rule in constraints for zone in rule.list_contact_zones(walk, on_the_way=on_the_way))


def _find_last_end(constraints: ConstraintSet, walk: Walk, path: Sequence[PlacedShape]) -> float:
    """Return the latest time of a path at which it may end; its start if there is none."""
    zones = [
        replace(z, range_mm=z.range_mm - ROUNDING_MM) for z in find_contact_zones(constraints, walk, on_the_way=False)
    ]
    closed = [span for rule in constraints for span in rule.list_closed_spans(path, walk)]
    near, taken = select_near_zones(path, zones), dict[int, tuple[PathSpan, ...]]()
    time, before = float(len(path) - 1), math.inf
    while time < before:
        at, before = find_pose(path, time), time
        for number, zone in enumerate(near):
            if number not in taken and bound_clearance_mm(at, zone.other) <= zone.range_mm + ROUNDING_MM:
                taken[number] = find_spans_within(path, zone)
        over = (span.start for span in (*closed, *chain(*taken.values())) if span.start <= time <= span.end)
        time = min(over, default=time)
    return time
