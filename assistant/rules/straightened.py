"""A seen path as the fewest straight legs between its poses that are clear."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from assistant.geometry.paths import furthest_displacement
from assistant.rules.constraints import Constraint, KeepOut, Own, Shut
from assistant.rules.measure import findings
from assistant.rules.verdict import Outcome
from assistant.rules.walk import Walk


def fewest_legs(constraints: Sequence[Constraint], walk: Walk) -> Walk:
    """Return a walk with the fewest, and of these the shortest, legs that break nothing that holds on the way.

    Poses of the path that was seen are kept, its first and last included.  Where no choice of them is clear it stays as
    it was seen.
    """
    last = len(walk.path) - 1
    if not walk.observed or last < 2:
        return walk
    rules = [rule for rule in constraints if isinstance(rule, KeepOut | Shut | Own) and rule.on_the_way]

    @cache
    def clear(one: int, two: int) -> bool:
        leg = replace(walk, path=(walk.path[one], walk.path[two]))
        return all(found.outcome is not Outcome.ILLEGAL for rule in rules for found in findings(rule, leg))

    # From pose to pose by clear legs, in rounds: how far it is to each that is first met in this round, and by which.
    rounds: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, (0,))}
    left = set(range(1, last + 1))
    while rounds and last not in rounds:
        onward = [last] if any(clear(pose, last) for pose in rounds) else sorted(left)
        found = dict[int, tuple[float, tuple[int, ...]]]()
        for pose in onward:
            before = ((at, *known) for at, known in rounds.items() if at < pose and clear(at, pose))
            ways = [(mm + _mm(walk, at, pose), (*via, pose)) for at, mm, via in before]
            if ways:
                found[pose] = min(ways)
        left -= found.keys()
        rounds = found
    if last not in rounds:
        return walk
    return replace(walk, path=tuple(walk.path[pose] for pose in rounds[last][1]))


def _mm(walk: Walk, one: int, two: int) -> float:
    return furthest_displacement([walk.placed(walk.path[one]), walk.placed(walk.path[two])]).mm
