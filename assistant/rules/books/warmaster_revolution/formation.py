"""Formations: whether a unit stands in a column, in a line or in neither, and what two sigma leave open.

Stands are joined one to the next at their edges, as a column and a line ask it.  Of all orders of the stands, the one
is taken in which the worst joint is as good as it can be; what that joint lacks is said in words.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import combinations, pairwise, permutations

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.game.state import Model
from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.convex import Array
from assistant.geometry.visibility.line_of_sight import ViewingEdge
from assistant.rules.books.warmaster_revolution.troops import Edges, build_edges
from assistant.rules.context import RuleContext
from assistant.rules.lengths import format_apart
from assistant.rules.verdict import ROUNDING_MM, Outcome, combine_sigmas, decide_outcome

Link = tuple[int, int]
"""From one thing to the next."""
Worth = tuple[int, float]
"""The grade of a link, the higher the better, and what tells links of one grade apart."""


def find_best_order(count: int, links: Mapping[Link, Worth]) -> tuple[int, ...]:
    """Return an order of all things in which the lowest grade of a link is as high as it can be.

    Exact in the grade: where the best links, taken as they come, do not do, orders by links of the highest grades are
    searched for.  Such links are few, for they join neighbours.

    Args:
        count: how many things there are, 0 to count - 1.
        links: from every one to every other.

    """
    order = _order_greedily(count, links)
    reached = min((links[link][0] for link in pairwise(order)), default=0)
    for grade in sorted({grade for grade, _ in links.values() if grade > reached}, reverse=True):
        found = _search_order(count, {link for link, worth in links.items() if worth[0] >= grade})
        if found is not None:
            return found
    return order


def _order_greedily(count: int, links: Mapping[Link, Worth]) -> tuple[int, ...]:
    """Return the order that joins all things by the best links first, as far as each fits those before it."""
    after, before = dict[int, int](), dict[int, int]()
    for one, two in sorted(links, key=links.__getitem__, reverse=True):
        if one not in after and two not in before and _find_last(two, after) != one:
            after[one], before[two] = two, one
    first = next((thing for thing in range(count) if thing not in before), 0)
    order = [first] if count else []
    while order and order[-1] in after:
        order.append(after[order[-1]])
    return tuple(order)


def _find_last(thing: int, after: Mapping[int, int]) -> int:
    while thing in after:
        thing = after[thing]
    return thing


def _search_order(count: int, links: Collection[Link]) -> tuple[int, ...] | None:
    """Return an order by some links only; None if there is none."""
    onward = {thing: [two for one, two in links if one == thing] for thing in range(count)}
    if count - len({two for _, two in links}) > 1 or sum(not ways for ways in onward.values()) > 1:
        return None  # an order has one first and one last

    def extended(order: tuple[int, ...]) -> tuple[int, ...] | None:
        if len(order) == count:
            return order
        tried = (extended((*order, two)) for two in onward[order[-1]] if two not in order)
        return next((found for found in tried if found is not None), None)

    started = (extended((first,)) for first in range(count))
    return next((found for found in started if found is not None), None)


ROUNDING_RAD = 1e-9
_ARM_MM = 40.0
"""Turned too far counts, where it is asked what lacks least, as the way of a stand's corner."""
_NEAR_MM = 10.0
"""What is no further apart than this was meant to touch."""
_GRADES = tuple(Outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointPlan:
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


COLUMN = JointPlan(
    name="column",
    edge="rear",
    joining="front",
    wheel_rad=math.radians(45),
    level=False,
    after="behind",
    before="ahead of",
)
LINE = JointPlan(
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

    plan: JointPlan
    limit_mm: float
    joints: tuple[Joint, ...]
    """From each stand to the next."""
    among: Mapping[tuple[str, str], Joint]
    """From every stand to every other."""

    @property
    def order(self) -> tuple[str, ...]:
        """The stands, one joined to the next."""
        return (self.joints[0].stands[0], *(joint.stands[1] for joint in self.joints))

    @property
    def worst(self) -> Joint:
        """The joint that lacks most."""
        return min(self.joints, key=rank_joint)

    @property
    def touching(self) -> int:
        """How many joints have edges that touch, or may, however the stands are turned and shifted."""
        gaps = (decide_outcome(self.limit_mm - joint.gap_mm, joint.sigma_mm) for joint in self.joints)
        return sum(gap is not Outcome.ILLEGAL for gap in gaps)

    def is_joined(self, one: str, two: str) -> bool:
        """Return whether the second of two stands is, or may be, joined to the first."""
        return one != two and self.among[one, two].outcome is not Outcome.ILLEGAL


def rank_joint(joint: Joint) -> tuple[int, float]:
    """Return how good a joint is: the greater the better."""
    return _GRADES.index(joint.outcome), joint.margin_mm


def find_best_chain(plan: JointPlan, stands: Sequence[Model], sides: Sequence[Edges], limit_mm: float) -> Chain:
    """Return the order of two or more stands that comes nearest to what a plan asks.

    Args:
        plan: how one is joined to the next.
        stands: all of one unit that are on the table.
        sides: their edges.
        limit_mm: how far apart edges still touch, and how far a stand still is level.

    """
    found = _measure_joints(plan, stands, sides, limit_mm)
    order = find_best_order(len(stands), {link: rank_joint(joint) for link, joint in found.items()})
    return Chain(
        plan=plan,
        limit_mm=limit_mm,
        joints=tuple(found[link] for link in pairwise(order)),
        among={joint.stands: joint for joint in found.values()},
    )


def _measure_joints(
    plan: JointPlan, stands: Sequence[Model], sides: Sequence[Edges], limit_mm: float
) -> dict[Link, Joint]:
    at, joining = _stack_edges(sides, plan.edge), _stack_edges(sides, plan.joining)
    gaps_mm = shapely.distance(_build_lines(at)[:, None], _build_lines(joining)[None]).tolist()
    poses = [stand.pose for stand in stands if stand.pose is not None]
    shifts_mm = _measure_shifts_mm(at, joining, [pose.facing_rad for pose in poses]) if plan.level else None
    found = dict[Link, Joint]()
    for one, two in permutations(range(len(stands)), 2):
        gap_mm, shift_mm = gaps_mm[one][two], shifts_mm[one][two] if shifts_mm else 0.0
        turn_rad = abs(math.remainder(poses[two].facing_rad - poses[one].facing_rad, math.tau))
        turned = turn_rad > plan.wheel_rad + ROUNDING_RAD
        margin_mm = limit_mm - max(gap_mm, shift_mm)
        sigma_mm = combine_sigmas(poses[one].sigma_mm, poses[two].sigma_mm)
        found[one, two] = Joint(
            stands=(stands[one].id, stands[two].id),
            outcome=Outcome.ILLEGAL if turned else decide_outcome(margin_mm, sigma_mm),
            margin_mm=min(margin_mm, (plan.wheel_rad - turn_rad) * _ARM_MM) if turned else margin_mm,
            gap_mm=gap_mm,
            shift_mm=shift_mm,
            turn_rad=turn_rad,
            turned=turned,
            sigma_mm=sigma_mm,
        )
    return found


def _stack_edges(sides: Sequence[Edges], edge: str) -> Array:
    """Return one edge of each stand as (n, 2, 2)."""
    found: list[ViewingEdge] = [getattr(each, edge) for each in sides]
    return np.array([(each.first, each.last) for each in found])


def _build_lines(points_mm: Array) -> NDArray[np.object_]:
    return np.asarray(shapely.linestrings(points_mm))


def _measure_shifts_mm(at: Array, joining: Array, facings_rad: Sequence[float]) -> list[list[float]]:
    """Return how far the middle of each edge is from level with each other, along the facing of the first."""
    ahead = np.array([(math.cos(facing), math.sin(facing)) for facing in facings_rad])
    shifts = ahead @ joining.mean(axis=1).T - (ahead * at.mean(axis=1)).sum(axis=1)[:, None]
    found: list[list[float]] = np.abs(shifts).tolist()
    return found


def find_joint_segments_mm(chain: Chain, sides: Mapping[str, Edges]) -> tuple[tuple[Point, Point], ...]:
    """Return the shortest segment between the two edges of each joint of a chain, the edges given by stand."""
    order = [sides[stand] for stand in chain.order]
    at, joining = (
        _build_lines(_stack_edges(order[:-1], chain.plan.edge)),
        _build_lines(_stack_edges(order[1:], chain.plan.joining)),
    )
    ends = shapely.get_coordinates(shapely.shortest_line(at, joining)).reshape(-1, 2, 2).tolist()
    return tuple(((near[0], near[1]), (far[0], far[1])) for near, far in ends)


# -- in words


def describe_lack(chain: Chain) -> str:
    """Return what is wrong with the joint of a chain that lacks most."""
    joint, plan, order = chain.worst, chain.plan, chain.order
    one, two = joint.stands
    if joint.gap_mm <= _NEAR_MM:
        return _describe_measure(chain, joint)
    made = [link for link in pairwise(order) if chain.is_joined(*link)]
    place = order.index(two)
    if place >= len(order) - place:  # the lesser part of the unit is the one that is not joined
        stand, edges, where = two, (plan.joining, plan.edge), plan.after
        joined = [other for other in order if chain.is_joined(other, two)]
        rivals = [(after, before) for before, after in made if before in joined]
    else:
        stand, edges, where = one, (plan.edge, plan.joining), plan.before
        joined = [other for other in order if chain.is_joined(one, other)]
        rivals = [(before, after) for before, after in made if after in joined]
    if not joined:
        return f"{stand}'s {edges[0]} edge touches nobody's {edges[1]} edge"
    if not rivals:
        return f"not all of its stands make one {plan.name}"
    rival, other = rivals[0]
    return f"{rival} and {stand} are both {where} {other}"


def describe_doubt(chain: Chain) -> str:
    """Return on what it depends whether a chain is what its plan asks, where that is open."""
    claims, lengths = list[str](), list[str]()
    for joint in chain.joints:
        one, two = joint.stands
        touches = f"{two}'s {chain.plan.joining} edge touches {one}'s {chain.plan.edge} edge"
        for mm, claim in ((joint.gap_mm, touches), (joint.shift_mm, f"{two} is level with {one}")):
            if decide_outcome(chain.limit_mm - mm, joint.sigma_mm) is Outcome.TOO_CLOSE:
                claims.append(claim)
                lengths.append(format_apart(_format_millimetres, mm, chain.limit_mm)[0])
    limit = _format_millimetres(chain.limit_mm, 2)
    return f"if {' and '.join(claims)} it is a {chain.plan.name}: {' and '.join(lengths)} of {limit}"


def _describe_measure(chain: Chain, joint: Joint) -> str:
    one, two = joint.stands
    if joint.turned and max(joint.gap_mm, joint.shift_mm) <= chain.limit_mm:
        words = format_apart(format_degrees, math.degrees(joint.turn_rad), math.degrees(chain.plan.wheel_rad))
        return f"{two} is turned by {words[0]} from {one}, more than {words[1]} for a {chain.plan.name}"
    length, limit = format_apart(_format_millimetres, max(joint.gap_mm, joint.shift_mm), chain.limit_mm)
    if joint.shift_mm > joint.gap_mm:
        return f"{two} is shifted by {length} against {one}, more than {limit}"
    return f"{two}'s {chain.plan.joining} edge is {length} from {one}'s {chain.plan.edge} edge, more than {limit}"


def format_degrees(deg: float, decimals: int) -> str:
    """Return an angle as a player writes it."""
    return f"{round(deg, decimals):g}°"


def _format_millimetres(mm: float, decimals: int) -> str:
    return f"{round(mm, decimals):g} mm"


class FormationKind(StrEnum):
    """How a unit's stands are arranged."""

    ALONE = "alone"
    COLUMN = "column"
    LINE = "line"
    IRREGULAR = "irregular"


@dataclass(frozen=True, slots=True, kw_only=True)
class Formation:
    """How a unit stands."""

    kind: FormationKind
    """As measured."""
    sure: bool
    """Whether it is regular, or irregular, beyond two sigma."""
    order: tuple[str, ...]
    """A column's stands from its head, a line's from the right; of an irregular unit the order that lacks least."""
    joints_mm: tuple[tuple[Point, Point], ...] = ()
    """Where each stand of the order is joined, or should be, to the next: the shortest segment between their edges."""
    reason: str
    """What it is, and why it is irregular."""
    doubt: str = ""
    """On what it depends whether it is regular, where that is open."""

    @property
    def regular(self) -> bool:
        """Whether it is regular as measured."""
        return self.kind is not FormationKind.IRREGULAR


def find_formation(asked: RuleContext) -> Formation:
    """Return the formation of a unit as its stands on the table stand."""
    return classify_formation(
        tuple(stand for stand in asked.unit.models if stand.pose is not None),
        touch_mm=asked.read_number("touch_mm"),
        tolerance_rad=math.radians(asked.read_number("line_tolerance_deg")),
    )


@lru_cache(maxsize=512)
def classify_formation(stands: tuple[Model, ...], *, touch_mm: float, tolerance_rad: float) -> Formation:
    """Return the formation of stands on the table.

    Args:
        stands: all of one unit that have a pose.
        touch_mm: how far apart edges still touch, and how far a stand of a line may be shifted.
        tolerance_rad: how far any two facings of a line may differ.

    """
    names = tuple(stand.id for stand in stands)
    if len(stands) < 2:
        return Formation(kind=FormationKind.ALONE, sure=True, order=names, reason="a single stand")
    sides = {stand.id: build_edges(stand.place_base()) for stand in stands}
    known = {stand: own for stand, own in sides.items() if own is not None}
    if len(known) < len(stands):
        edgeless = next(stand for stand, own in sides.items() if own is None)
        reason = f"irregular: the base of {edgeless} has no edges"
        return Formation(kind=FormationKind.IRREGULAR, sure=True, order=names, reason=reason)
    chain, askew = _choose_likelier_chain(stands, known, touch_mm, tolerance_rad)
    outcome = Outcome.ILLEGAL if askew else chain.worst.outcome
    regular = outcome is Outcome.LEGAL or (not askew and chain.worst.margin_mm >= -ROUNDING_MM)
    kind = FormationKind(chain.plan.name) if regular else FormationKind.IRREGULAR
    return Formation(
        kind=kind,
        sure=outcome is not Outcome.TOO_CLOSE,
        order=chain.order,
        joints_mm=find_joint_segments_mm(chain, known),
        reason=f"a {kind} of {len(stands)}" if regular else f"irregular: {askew or describe_lack(chain)}",
        doubt=describe_doubt(chain) if outcome is Outcome.TOO_CLOSE else "",
    )


def _choose_likelier_chain(
    stands: Sequence[Model], sides: Mapping[str, Edges], touch_mm: float, tolerance_rad: float
) -> tuple[Chain, str]:
    """Return the column or the line that lacks less, and which facings forbid the line if it is that."""
    own = tuple(sides[stand.id] for stand in stands)
    column = find_best_chain(COLUMN, stands, own, touch_mm)
    if column.worst.outcome is Outcome.LEGAL:
        return column, ""
    line = find_best_chain(LINE, stands, own, touch_mm)
    askew = _describe_skew(stands, tolerance_rad)
    of_column, of_line = _rank_chain(column), (0, *_rank_chain(line)[1:]) if askew else _rank_chain(line)
    return (column, "") if of_column >= of_line else (line, askew)


def _rank_chain(chain: Chain) -> tuple[int, int, float]:
    """Return how near a chain comes to what is asked, as what can be compared."""
    grade, margin_mm = rank_joint(chain.worst)
    return grade, chain.touching, margin_mm


def _describe_skew(stands: Sequence[Model], tolerance_rad: float) -> str:
    """Return which two stands face too far apart for a line; empty if all face the same way."""
    facings = [(stand.id, stand.pose.facing_rad) for stand in stands if stand.pose is not None]
    turn_rad, one, two = max(
        (abs(math.remainder(b - a, math.tau)), first, second) for (first, a), (second, b) in combinations(facings, 2)
    )
    if turn_rad <= tolerance_rad + ROUNDING_RAD:
        return ""
    turn, limit = format_apart(format_degrees, math.degrees(turn_rad), math.degrees(tolerance_rad))
    return f"{one} and {two} face {turn} apart, more than {limit} for a line"
