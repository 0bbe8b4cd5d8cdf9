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
from assistant.geometry.clearance.shape_clearance import turn_rad
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
from assistant.geometry.shapes.convex import Array, outer_radius_mm
from assistant.rules.constraints.base import ConstraintSet
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import ROUNDING_MM, Finding, Outcome

_SAME_MM = 1e-4
"""A pose no further from a straight leg than this, by any point of its base, lies on that leg: files round so."""
_SAME_RAD = 1e-9
_TIED_MM = 1e-9


def merge_legs(walk: Walk) -> Walk:
    """Return a walk whose path has a pose only where it bends: so it is the same however often it was sampled.

    Poses are left out at which the base is where the leg past them has it, as place, facing and height change linearly.
    A leg that would turn further than the shorter turn leads is parted into equal ones.
    """
    if not walk.observed or len(walk.path) < 3:
        return walk
    states = _unwrap_states(walk)
    bends, spans = [0], [(0, len(states) - 1)]
    while spans:
        first, last = spans.pop()
        bend = _find_bend(states[first : last + 1])
        if bend is None:
            bends.append(last)
        else:
            spans += [(first + bend, last), (first, first + bend)]
    legs = [_part_leg(walk, leg, states) for leg in pairwise(bends)]
    return replace(walk, path=(walk.path[0], *(pose for leg in legs for pose in leg)))


def _unwrap_states(walk: Walk) -> Array:
    """Return place, height and facing along a path, (n, 4), millimetres: the facing as the furthest point's way."""
    placed = [walk.place_base(pose) for pose in walk.path]
    turned = np.cumsum([0.0, *(turn_rad(one, two) for one, two in pairwise(placed))])
    places = np.array([(at.x_mm, at.y_mm, at.z_mm) for at in placed])
    return np.column_stack((places, turned * outer_radius_mm(walk.model.base)))


def _find_bend(states: Array) -> int | None:
    """Return which state bends the way most, away from the leg from first to last or back along it; None if none."""
    along = states[-1] - states[0]
    length = math.hypot(*along)
    heading = along / length if length > 0 else along
    walked = (states - states[0]) @ heading
    nearest = np.clip(walked, 0.0, length)[:, None] * heading
    off = np.hypot.reduce(states - states[0] - nearest, axis=1)
    if off.max() > _SAME_MM:
        return int((off >= off.max() - _TIED_MM).argmax())
    furthest = np.maximum.accumulate(walked)
    back = furthest - walked
    return int((walked >= furthest[back.argmax()] - _TIED_MM).argmax()) if back.max() > _SAME_MM else None


def _part_leg(walk: Walk, leg: tuple[int, int], states: Array) -> tuple[Pose, ...]:
    """Return the poses after the first of a merged leg: its last, and before it those that part too long a turn."""
    start, end = (walk.path[at] for at in leg)
    radius_mm = outer_radius_mm(walk.model.base)
    turn = float(states[leg[1], 3] - states[leg[0], 3]) / radius_mm if radius_mm > 0 else 0.0
    if abs(turn - turn_rad(walk.place_base(start), walk.place_base(end))) < _SAME_RAD:
        return (end,)
    count = math.floor(abs(turn) / math.pi) + 1
    between = [
        replace(
            walk.path[leg[0] + 1],
            x_mm=start.x_mm + share * (end.x_mm - start.x_mm),
            y_mm=start.y_mm + share * (end.y_mm - start.y_mm),
            z_mm=start.z_mm + share * (end.z_mm - start.z_mm),
            facing_rad=start.facing_rad + share * turn,
        )
        for share in (step / count for step in range(1, count))
    ]
    return (*between, end)


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
        leg = replace(walk, path=(walk.path[one], walk.path[two]))
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
    zones = [shrink_zone(zone, path[0]) for zone in find_contact_zones(constraints, walk, on_the_way=True)]
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
    taken = [span for zone in zones for span in find_spans_within(path, zone)]
    taken += (span for rule in constraints for span in rule.list_closed_spans(path, walk))
    time = float(len(path) - 1)
    for span in sorted(taken, key=lambda span: -span.end):
        if span.start <= time <= span.end:
            time = span.start
    return time
