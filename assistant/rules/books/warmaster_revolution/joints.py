"""Stands joined one to the next at their edges, as a column and a line ask it: what is measured, and how it is said."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.game.state import Model
from assistant.geometry.clearance import Point
from assistant.geometry.convex import Array
from assistant.geometry.sight import Edge
from assistant.rules.books.warmaster_revolution.orders import Link, best_order
from assistant.rules.books.warmaster_revolution.troops import Edges
from assistant.rules.ruling import outcome_of, together
from assistant.rules.verdict import Outcome
from assistant.rules.words import apart

ROUNDING_RAD = 1e-9
_ARM_MM = 40.0
"""Turned too far counts, where it is asked what lacks least, as the way of a stand's corner."""
_NEAR_MM = 10.0
"""What is no further apart than this was meant to touch."""
_GRADES = tuple(Outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How one stand is joined to the next."""

    name: str
    edge: str
    """The edge of a stand, of `Edges`, at which the next one joins it."""
    joining: str
    """The edge of the next one."""
    wheel_rad: float
    """How far the next may be turned from it."""
    level: bool
    """Whether the middles of both edges are level, along the facing of the first, where touching."""
    after: str
    """Where the next stands, in words."""
    before: str
    """The opposite."""


COLUMN = Plan(
    name="column",
    edge="rear",
    joining="front",
    wheel_rad=math.radians(45),
    level=False,
    after="behind",
    before="ahead of",
)
LINE = Plan(
    name="line",
    edge="left",
    joining="right",
    wheel_rad=math.pi,  # all facings are compared with all
    level=True,
    after="to the left of",
    before="to the right of",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """Two stands of which the second is, or is not, joined to the first."""

    stands: tuple[str, str]
    outcome: Outcome
    margin_mm: float
    """The least of what its measures leave of their limits."""
    gap_mm: float
    """Between the two edges."""
    shift_mm: float
    """Of the second against the first, where that counts; else 0."""
    turn_rad: float
    """From the first's facing to the second's, unsigned."""
    turned: bool
    """Turned further than it may be."""
    sigma_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The order of stands that comes nearest to what a plan asks."""

    plan: Plan
    limit_mm: float
    joints: tuple[Joint, ...]
    """From each stand to the next."""
    among: Mapping[tuple[str, str], Joint]
    """From every stand to every other."""

    @property
    def order(self) -> tuple[str, ...]:
        """The stands."""
        return (self.joints[0].stands[0], *(joint.stands[1] for joint in self.joints))

    @property
    def worst(self) -> Joint:
        """The joint that lacks most."""
        return min(self.joints, key=worth)

    @property
    def touching(self) -> int:
        """How many joints have edges that touch, or may, however the stands are turned and shifted."""
        gaps = (outcome_of(self.limit_mm - joint.gap_mm, joint.sigma_mm) for joint in self.joints)
        return sum(gap is not Outcome.ILLEGAL for gap in gaps)

    def joined(self, one: str, two: str) -> bool:
        """Return whether the second of two stands is, or may be, joined to the first."""
        return one != two and self.among[one, two].outcome is not Outcome.ILLEGAL


def worth(joint: Joint) -> tuple[int, float]:
    """Return how good a joint is: the greater the better."""
    return _GRADES.index(joint.outcome), joint.margin_mm


def chained(plan: Plan, stands: Sequence[Model], sides: Sequence[Edges], limit_mm: float) -> Chain:
    """Return the order of two or more stands that comes nearest to what a plan asks.

    Args:
        plan: how one is joined to the next.
        stands: all of one unit that are on the table.
        sides: their edges.
        limit_mm: how far apart edges still touch, and how far a stand still is level.

    """
    found = _all_joints(plan, stands, sides, limit_mm)
    order = best_order(len(stands), {link: worth(joint) for link, joint in found.items()})
    return Chain(
        plan=plan,
        limit_mm=limit_mm,
        joints=tuple(found[link] for link in pairwise(order)),
        among={joint.stands: joint for joint in found.values()},
    )


def _all_joints(plan: Plan, stands: Sequence[Model], sides: Sequence[Edges], limit_mm: float) -> dict[Link, Joint]:
    at, joining = _points(sides, plan.edge), _points(sides, plan.joining)
    gaps_mm = shapely.distance(_lines(at)[:, None], _lines(joining)[None]).tolist()
    poses = [stand.pose for stand in stands if stand.pose is not None]
    shifts_mm = _shifts_mm(at, joining, [pose.facing_rad for pose in poses]) if plan.level else None
    found = dict[Link, Joint]()
    for one, two in permutations(range(len(stands)), 2):
        gap_mm, shift_mm = gaps_mm[one][two], shifts_mm[one][two] if shifts_mm else 0.0
        turn_rad = abs(math.remainder(poses[two].facing_rad - poses[one].facing_rad, math.tau))
        turned = turn_rad > plan.wheel_rad + ROUNDING_RAD
        margin_mm = limit_mm - max(gap_mm, shift_mm)
        sigma_mm = together(poses[one].sigma_mm, poses[two].sigma_mm)
        found[one, two] = Joint(
            stands=(stands[one].id, stands[two].id),
            outcome=Outcome.ILLEGAL if turned else outcome_of(margin_mm, sigma_mm),
            margin_mm=min(margin_mm, (plan.wheel_rad - turn_rad) * _ARM_MM) if turned else margin_mm,
            gap_mm=gap_mm,
            shift_mm=shift_mm,
            turn_rad=turn_rad,
            turned=turned,
            sigma_mm=sigma_mm,
        )
    return found


def _points(sides: Sequence[Edges], edge: str) -> Array:
    """Return one edge of each stand as (n, 2, 2)."""
    found: list[Edge] = [getattr(each, edge) for each in sides]
    return np.array([(each.first, each.last) for each in found])


def _lines(points_mm: Array) -> NDArray[np.object_]:
    return np.asarray(shapely.linestrings(points_mm))


def _shifts_mm(at: Array, joining: Array, facings_rad: Sequence[float]) -> list[list[float]]:
    """Return how far the middle of each edge is from level with each other, along the facing of the first."""
    ahead = np.array([(math.cos(facing), math.sin(facing)) for facing in facings_rad])
    shifts = ahead @ joining.mean(axis=1).T - (ahead * at.mean(axis=1)).sum(axis=1)[:, None]
    found: list[list[float]] = np.abs(shifts).tolist()
    return found


def segments_mm(chain: Chain, sides: Mapping[str, Edges]) -> tuple[tuple[Point, Point], ...]:
    """Return the shortest segment between the two edges of each joint of a chain, the edges given by stand."""
    order = [sides[stand] for stand in chain.order]
    at, joining = _lines(_points(order[:-1], chain.plan.edge)), _lines(_points(order[1:], chain.plan.joining))
    ends = shapely.get_coordinates(shapely.shortest_line(at, joining)).reshape(-1, 2, 2).tolist()
    return tuple(((near[0], near[1]), (far[0], far[1])) for near, far in ends)


# -- in words


def lacking(chain: Chain) -> str:
    """Return what is wrong with the joint of a chain that lacks most."""
    joint, plan, order = chain.worst, chain.plan, chain.order
    one, two = joint.stands
    if joint.gap_mm <= _NEAR_MM:
        return _measured(chain, joint)
    made = [link for link in pairwise(order) if chain.joined(*link)]
    place = order.index(two)
    if place >= len(order) - place:  # the lesser part of the unit is the one that is not joined
        stand, edges, where = two, (plan.joining, plan.edge), plan.after
        joined = [other for other in order if chain.joined(other, two)]
        rivals = [(after, before) for before, after in made if before in joined]
    else:
        stand, edges, where = one, (plan.edge, plan.joining), plan.before
        joined = [other for other in order if chain.joined(one, other)]
        rivals = [(before, after) for before, after in made if after in joined]
    if not joined:
        return f"{stand}'s {edges[0]} edge touches nobody's {edges[1]} edge"
    if not rivals:
        return f"not all of its stands make one {plan.name}"
    rival, other = rivals[0]
    return f"{rival} and {stand} are both {where} {other}"


def doubt(chain: Chain) -> str:
    """Return on what it depends whether a chain is what its plan asks, where that is open."""
    claims, lengths = list[str](), list[str]()
    for joint in chain.joints:
        one, two = joint.stands
        touches = f"{two}'s {chain.plan.joining} edge touches {one}'s {chain.plan.edge} edge"
        for mm, claim in ((joint.gap_mm, touches), (joint.shift_mm, f"{two} is level with {one}")):
            if outcome_of(chain.limit_mm - mm, joint.sigma_mm) is Outcome.TOO_CLOSE:
                claims.append(claim)
                lengths.append(apart(_millimetres, mm, chain.limit_mm)[0])
    limit = _millimetres(chain.limit_mm, 2)
    return f"if {' and '.join(claims)} it is a {chain.plan.name}: {' and '.join(lengths)} of {limit}"


def _measured(chain: Chain, joint: Joint) -> str:
    one, two = joint.stands
    if joint.turned and max(joint.gap_mm, joint.shift_mm) <= chain.limit_mm:
        words = apart(degrees, math.degrees(joint.turn_rad), math.degrees(chain.plan.wheel_rad))
        return f"{two} is turned by {words[0]} from {one}, more than {words[1]} for a {chain.plan.name}"
    length, limit = apart(_millimetres, max(joint.gap_mm, joint.shift_mm), chain.limit_mm)
    if joint.shift_mm > joint.gap_mm:
        return f"{two} is shifted by {length} against {one}, more than {limit}"
    return f"{two}'s {chain.plan.joining} edge is {length} from {one}'s {chain.plan.edge} edge, more than {limit}"


def degrees(deg: float, decimals: int) -> str:
    """Return an angle as a player writes it."""
    return f"{round(deg, decimals):g}°"


def _millimetres(mm: float, decimals: int) -> str:
    return f"{round(mm, decimals):g} mm"
