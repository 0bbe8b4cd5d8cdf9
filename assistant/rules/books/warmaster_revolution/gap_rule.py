"""The gap rule: between enemies, or an enemy and a friend or closed terrain, a stand needs more room than its front."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.clearance.nearest_stretches import find_nearest_stretches
from assistant.geometry.clearance.pairwise import PairClearances, measure_pairs
from assistant.geometry.clearance.shape_arrays import Flags, Ints, build_shape_arrays
from assistant.geometry.clearance.shape_clearance import Clearance, Point
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.geometry.shapes.convex import Array, ConvexSet, decompose_placed
from assistant.geometry.shapes.polygons import circumscribe
from assistant.rules.books.warmaster_revolution.movement_limits import can_fly
from assistant.rules.books.warmaster_revolution.pace import find_pace
from assistant.rules.books.warmaster_revolution.parties import is_character, is_comrade, is_foe
from assistant.rules.books.warmaster_revolution.terrain import find_forbidding_row
from assistant.rules.books.warmaster_revolution.troops import measure_frontage_mm
from assistant.rules.constraints.base import BlockedWay, Constraint, ConstraintSet, Passage
from assistant.rules.context import RuleContext
from assistant.rules.engine.terrain import build_outline
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, build_finding, combine_sigmas

_DRAWN_MM = 0.05
_LINE_MM = 0.005
"""How thick a gap is made: ways that hug an obstacle would run through a line without a width."""


Segment = tuple[Point, Point]


@dataclass(frozen=True, slots=True, kw_only=True)
class _GapSide:
    """A stand or a piece of terrain at one side of a gap."""

    id: str
    placed: PlacedShape
    sigma_mm: float
    unit: str
    """Empty for terrain."""
    hostile: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _EnemyGap:
    """A gap between an enemy's stand and another party."""

    parties: tuple[_GapSide, _GapSide]
    clearance: Clearance
    """Where it is narrowest: along edges that face each other, in the middle."""
    mouths: tuple[Segment, Segment]
    """The first and the last of the shortest segments between both: the same where there is but one."""

    @property
    def sigma_mm(self) -> float:
        """How well it was measured."""
        return combine_sigmas(*(party.sigma_mm for party in self.parties))


@dataclass(frozen=True, slots=True, kw_only=True)
class GapRule(Constraint):
    """No middle of a stand through a gap beside an enemy that is not wider than the stand's front."""

    known: Callable[[], Sequence[_EnemyGap]]
    """The gaps that may be too narrow for some stand of the unit."""
    reach_mm: float
    """How far a way that nobody saw may have led."""

    def check(self, walk: Walk, _rules: ConstraintSet, /) -> Iterator[Finding]:
        """Yield the gaps that the middle of a stand went through on a path that was seen."""
        if not walk.observed or len(walk.path) < 2:
            return
        width = measure_frontage_mm(walk.model.base)
        way = shapely.LineString([(pose.x_mm, pose.y_mm) for pose in walk.path])
        for gap in self._select_near(walk):
            if all(way.intersects(shapely.LineString(mouth)) for mouth in gap.mouths):
                found = _build_gap_finding(walk, gap, width)
                if found.outcome is not Outcome.LEGAL:
                    yield found

    def holds_on_leg(self, *, seen: bool) -> bool:  # noqa: ARG002  # of either
        """Return that it holds all along a way."""
        return True

    def block_way(self, passage: Passage, /) -> BlockedWay:
        """Return the gaps as what the middle of a stand does not cross: those too narrow by so many sigma.

        Who goes into one may not come out of it at its far end; who starts in it may come out of either.
        """
        width, start = measure_frontage_mm(passage.walk.model.base), passage.ends[0]
        ways_out = (
            _find_far_mouth(gap, (start.x_mm, start.y_mm))
            for gap in self._select_near(passage.walk)
            if ROUNDING_MM < gap.clearance.mm <= width + passage.sigmas * gap.sigma_mm + ROUNDING_MM
        )
        return BlockedWay(
            walls=[ConvexSet(corners_mm=np.array(mouth), radius_mm=_LINE_MM) for mouth in ways_out if mouth is not None]
        )

    def has_walls(self) -> bool:
        """Return that gaps are walls to a way."""
        return True

    def _select_near(self, walk: Walk) -> list[_EnemyGap]:
        """Return the gaps near a way that may be too narrow for a stand."""
        width = measure_frontage_mm(walk.model.base)
        way = shapely.MultiPoint([(pose.x_mm, pose.y_mm) for pose in walk.path]).convex_hull
        reach = width if walk.observed else width + self.reach_mm
        gaps = [gap for gap in self.known() if gap.clearance.mm <= width + ROUNDING_MM + DECIDED_SIGMAS * gap.sigma_mm]
        lines = np.array([(gap.clearance.near, gap.clearance.far) for gap in gaps]).reshape(-1, 2, 2)
        near = shapely.distance(way, shapely.linestrings(lines)) <= reach
        return [gaps[at] for at in np.flatnonzero(near).tolist()]


def constrain_gaps(asked: RuleContext, action: str, charged: str | None = None) -> Iterator[GapRule]:
    """Yield the gap rule; one who charges passes between stands of the unit charged and anyone."""
    if not can_fly(asked.unit):
        reach_mm = find_pace(asked, action).most_mm  # a way that nobody saw may have led anywhere within the pace
        yield GapRule(known=cache(lambda: _list_gaps(asked, reach_mm, charged)), reach_mm=reach_mm)


def _build_gap_finding(walk: Walk, gap: _EnemyGap, width_mm: float) -> Finding:
    one, two = gap.parties
    return build_finding(
        "wm-21",
        (walk.model.id, one.id, two.id),
        measured_mm=gap.clearance.mm,
        limit_mm=width_mm,
        margin_mm=gap.clearance.mm - width_mm,
        sigma_mm=gap.sigma_mm,
        witness_mm=(gap.clearance.near, gap.clearance.far),
        text=partial(_describe_gap, walk, gap, width_mm),
        at_limit=False,
    )


def _describe_gap(walk: Walk, gap: _EnemyGap, width_mm: float, outcome: Outcome) -> str:
    between = f"{walk.model.id} goes between {gap.parties[0].id} and {gap.parties[1].id}"
    wide, front = walk.say(max(gap.clearance.mm, 0.0), 2), walk.say(width_mm, 2)
    if outcome is Outcome.TOO_CLOSE:
        return f"{between}, {wide} apart: too close to its front of {front} to call"
    return f"{between}, {wide} apart: near enemies a gap must be wider than its front of {front}"


def _find_far_mouth(gap: _EnemyGap, place: Point) -> Segment | None:
    """Return the mouth of a gap that is further from a place; None for a place between both."""
    lines = [np.array(mouth) for mouth in gap.mouths]
    along = lines[1].mean(axis=0) - lines[0].mean(axis=0)
    length = float(np.hypot(*along))
    if length <= ROUNDING_MM:
        return gap.mouths[0]
    between = shapely.convex_hull(shapely.MultiPoint(np.concatenate(lines)))
    if between.contains(shapely.Point(place)):
        return None
    ahead = float((np.array(place) - lines[0].mean(axis=0)) @ along) / length
    return gap.mouths[0] if ahead > length / 2 else gap.mouths[1]


def _list_gaps(asked: RuleContext, reach_mm: float, charged: str | None) -> list[_EnemyGap]:
    """Return the gaps that may be too narrow for some stand of a unit, none with a third party in it.

    The other units stand where they do while the unit moves, so these are the same for each of its stands.  What
    overlaps leaves no gap that an unseen way would take.
    """
    width = max((measure_frontage_mm(model.base) for model in asked.unit.models), default=0.0)
    around = _build_search_box(asked, width, reach_mm)
    parties = [party for party in _list_gap_sides(asked) if _build_outline(party.placed).intersects(around)]
    if not parties:
        return []
    doubt = DECIDED_SIGMAS * math.sqrt(2) * max(party.sigma_mm for party in parties)
    found = measure_pairs(
        build_shape_arrays([party.placed for party in parties]), *_pair_parties(parties, charged, width + doubt)
    )
    kept = found.mm <= width + doubt
    if not _is_seen(asked):
        kept &= found.mm > ROUNDING_MM
    found = found.select(kept)
    mouths = find_nearest_stretches([party.placed for party in parties], found)
    open_ = ~_find_parted(mouths.mean(axis=1), found, parties)
    found, mouths = found.select(open_), mouths[open_]
    return [
        _EnemyGap(
            parties=_order_sides(parties[one], parties[two]),
            clearance=Clearance(mm=mm, near=(near[0], near[1]), far=(far[0], far[1])),
            mouths=((tuple(a), tuple(b)), (tuple(c), tuple(d))),
        )
        for one, two, mm, (near, far), ((a, b), (c, d)) in zip(
            *(each.tolist() for each in (found.first, found.second, found.mm, mouths.mean(axis=1), mouths)), strict=True
        )
    ]


def _pair_parties(parties: Sequence[_GapSide], charged: str | None, within_mm: float) -> tuple[Ints, Ints]:
    """Return the pairs that may have a gap between them, of those that stand in the same places only the first."""
    hostile = np.array([party.hostile for party in parties])
    target = np.array([charged is not None and party.unit == charged for party in parties])
    left, near, right, far = shapely.bounds([_build_outline(party.placed) for party in parties]).T
    first, second = np.triu_indices(len(parties), 1)
    aside = np.maximum(np.maximum(left[first] - right[second], left[second] - right[first]), 0.0)
    along = np.maximum(np.maximum(near[first] - far[second], near[second] - far[first]), 0.0)
    asked_about = (hostile[first] | hostile[second]) & ~(target[first] | target[second])
    close = asked_about & (np.hypot(aside, along) <= within_mm)
    first, second = first[close], second[close]
    ranks: dict[tuple[PlacedShape, float], int] = {}
    places = np.array([ranks.setdefault((party.placed, party.sigma_mm), len(ranks)) for party in parties])
    low, high = np.minimum(places[first], places[second]), np.maximum(places[first], places[second])
    kept = np.sort(np.unique(low * len(ranks) + high, return_index=True)[1])
    return first[kept], second[kept]


def _build_search_box(asked: RuleContext, width_mm: float, reach_mm: float) -> shapely.Polygon:
    """Return a box in which lies whatever may be at the side of a gap on the unit's ways."""
    starts = [model.pose for model in asked.unit.models if model.pose is not None]
    poses = [pose for path in (asked.paths or {}).values() for pose in path] or starts
    reach = width_mm if _is_seen(asked) else width_mm + reach_mm
    left, low, right, high = shapely.MultiPoint([(pose.x_mm, pose.y_mm) for pose in poses]).bounds
    return shapely.box(left - reach, low - reach, right + reach, high + reach)


def _list_gap_sides(asked: RuleContext) -> Iterator[_GapSide]:
    """Yield what may be at the side of a gap: enemies' stands, friends' of other units, and closed terrain."""
    scene, unit = asked.scene, asked.unit
    for place, owner in enumerate(scene.owners):
        other = scene.state.units[owner]
        if is_foe(unit, other) or (is_comrade(unit, other) and not is_character(unit)):
            model, pose = scene.models[place], scene.poses[place]
            yield _GapSide(
                id=model.id,
                placed=model.place_base(pose),
                sigma_mm=pose.sigma_mm,
                unit=other.id,
                hostile=is_foe(unit, other),
            )
    for terrain in asked.state.terrain:
        if find_forbidding_row(unit, terrain, asked.parameters["agreed_terrain"]):
            yield _GapSide(id=terrain.id, placed=build_outline(terrain), sigma_mm=0.0, unit="", hostile=False)


def _order_sides(one: _GapSide, two: _GapSide) -> tuple[_GapSide, _GapSide]:
    """Return the enemy before a friend, and either before terrain; else in the order of the situation."""
    first, second = sorted((one, two), key=lambda party: (not party.hostile, party.unit == ""))
    return first, second


def _is_seen(asked: RuleContext) -> bool:
    return bool(asked.paths) and asked.observed


def _find_parted(lines: Array, pairs: PairClearances, parties: Sequence[_GapSide]) -> Flags:
    """Return in which gaps a third party stands, of lines (m, 2 ends, 2) across their middles."""
    parted = np.zeros(len(lines), dtype=bool)
    across = np.asarray(shapely.linestrings(lines))
    left, low, right, high = shapely.bounds(across).T
    for at, party in enumerate(parties):
        outline = _build_outline(party.placed)
        shapely.prepare(outline)
        x0, y0, x1, y1 = outline.bounds
        asked = ~parted & (left <= x1) & (right >= x0) & (low <= y1) & (high >= y0)
        rows = np.flatnonzero(asked & (pairs.first != at) & (pairs.second != at))
        parted[rows] = shapely.crosses(outline, across[rows])
    return parted


@lru_cache(maxsize=1024)
def _build_outline(placed: PlacedShape) -> BaseGeometry:
    return shapely.union_all([circumscribe(part, _DRAWN_MM) for part in decompose_placed(placed)])
