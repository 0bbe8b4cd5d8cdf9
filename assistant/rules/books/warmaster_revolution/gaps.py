"""The gap rule: between enemies, or an enemy and a friend or closed terrain, only where there is more than a front."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.clearance import Clearance, Point, clearance
from assistant.geometry.convex import Convex, placed_parts
from assistant.geometry.regions import around
from assistant.geometry.shapes import Placed
from assistant.rules.books.warmaster_revolution.foes import is_character, is_foe
from assistant.rules.books.warmaster_revolution.ground import forbids
from assistant.rules.books.warmaster_revolution.pace import pace
from assistant.rules.books.warmaster_revolution.sides import comrades
from assistant.rules.books.warmaster_revolution.stands import flies
from assistant.rules.books.warmaster_revolution.troops import frontage_mm
from assistant.rules.constraints import Own
from assistant.rules.rulebook import Question
from assistant.rules.ruling import DECIDED_SIGMAS, measured, together
from assistant.rules.terrain import outline_of
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk

_DRAWN_MM = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class _Party:
    """A stand or a piece of terrain at one side of a gap."""

    id: str
    placed: Placed
    sigma_mm: float
    unit: str
    """Empty for terrain."""
    hostile: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gap:
    """A gap between an enemy's stand and another party."""

    parties: tuple[_Party, _Party]
    clearance: Clearance

    @property
    def sigma_mm(self) -> float:
        """How well it was measured."""
        return together(*(party.sigma_mm for party in self.parties))


def gap_rule(asked: Question, action: str, charged: str | None = None) -> Iterator[Own]:
    """Yield the gap rule; one who charges passes between stands of the unit charged and anyone."""
    if not flies(asked.unit):
        reach_mm = pace(asked, action).most_mm  # a way that nobody saw may have led anywhere within the pace
        narrow = partial(_narrow, cache(lambda: _gaps(asked, reach_mm, charged)), reach_mm)
        yield Own(findings=partial(_findings, narrow), walls=partial(_walls, narrow), on_the_way=True)


def _findings(narrow: Callable[[Walk], Sequence[_Gap]], walk: Walk) -> Iterator[Finding]:
    """Yield the gaps that the middle of a stand went through on a path that was seen."""
    if not walk.observed or len(walk.path) < 2:
        return
    width = frontage_mm(walk.model.base)
    legs = [((a.x_mm, a.y_mm), (b.x_mm, b.y_mm)) for a, b in pairwise(walk.path)]
    for gap in narrow(walk):
        if any(_meets(leg, gap.clearance) for leg in legs):
            one, two = gap.parties
            found = measured(
                "wm-21",
                (walk.model.id, one.id, two.id),
                measured_mm=gap.clearance.mm,
                limit_mm=width,
                margin_mm=gap.clearance.mm - width,
                sigma_mm=gap.sigma_mm,
                witness_mm=(gap.clearance.near, gap.clearance.far),
                text=partial(_text, walk, gap, width),
                at_limit=False,
            )
            if found.outcome is not Outcome.LEGAL:
                yield found


def _walls(narrow: Callable[[Walk], Sequence[_Gap]], walk: Walk) -> list[Convex]:
    """Return the gaps that are surely too narrow, as what the middle of a stand does not cross."""
    width = frontage_mm(walk.model.base)
    return [
        Convex(corners_mm=np.array((gap.clearance.near, gap.clearance.far)))
        for gap in narrow(walk)
        if gap.clearance.mm > 0 and gap.clearance.mm - width <= -DECIDED_SIGMAS * gap.sigma_mm
    ]


def _text(walk: Walk, gap: _Gap, width_mm: float, outcome: Outcome) -> str:
    between = f"{walk.model.id} goes between {gap.parties[0].id} and {gap.parties[1].id}"
    wide, front = walk.say(max(gap.clearance.mm, 0.0), 2), walk.say(width_mm, 2)
    if outcome is Outcome.TOO_CLOSE:
        return f"{between}, {wide} apart: too close to its front of {front} to call"
    return f"{between}, {wide} apart: near enemies a gap must be wider than its front of {front}"


def _meets(leg: tuple[Point, Point], gap: Clearance) -> bool:
    return bool(shapely.LineString(leg).intersects(shapely.LineString((gap.near, gap.far))))


def _narrow(known: Callable[[], Sequence[_Gap]], reach_mm: float, walk: Walk) -> list[_Gap]:
    """Return the gaps near a way that may be too narrow for a stand."""
    width = frontage_mm(walk.model.base)
    way = shapely.MultiPoint([(pose.x_mm, pose.y_mm) for pose in walk.path]).convex_hull
    reach = width if walk.observed else width + reach_mm
    return [
        gap
        for gap in known()
        if gap.clearance.mm <= width + DECIDED_SIGMAS * gap.sigma_mm
        and way.distance(shapely.LineString((gap.clearance.near, gap.clearance.far))) <= reach
    ]


def _gaps(asked: Question, reach_mm: float, charged: str | None) -> list[_Gap]:
    """Return the gaps that may be too narrow for some stand of a unit, none with a third party in it.

    The other units stand where they do while the unit moves, so these are the same for each of its stands.
    """
    width = max((frontage_mm(model.base) for model in asked.unit.models), default=0.0)
    around = _around(asked, width, reach_mm)
    parties = [party for party in _parties(asked) if _outline(party.placed).intersects(around)]
    if not parties:
        return []
    hostile = np.array([party.hostile for party in parties])
    target = np.array([charged is not None and party.unit == charged for party in parties])
    left, near, right, far = shapely.bounds([_outline(party.placed) for party in parties]).T
    first, second = np.triu_indices(len(parties), 1)
    aside = np.maximum(np.maximum(left[first] - right[second], left[second] - right[first]), 0.0)
    along = np.maximum(np.maximum(near[first] - far[second], near[second] - far[first]), 0.0)
    doubt = DECIDED_SIGMAS * math.sqrt(2) * max(party.sigma_mm for party in parties)
    asked_about = (hostile[first] | hostile[second]) & ~(target[first] | target[second])
    close = asked_about & (np.hypot(aside, along) <= width + doubt)
    tree = shapely.STRtree([_outline(party.placed) for party in parties])
    found = []
    for one, two in zip(first[close].tolist(), second[close].tolist(), strict=True):
        gap = clearance(parties[one].placed, parties[two].placed)
        if gap.mm <= width + doubt and not _parted(gap, (one, two), tree):
            found.append(_Gap(parties=_ordered(parties[one], parties[two]), clearance=gap))
    return found


def _around(asked: Question, width_mm: float, reach_mm: float) -> shapely.Polygon:
    """Return a box in which lies whatever may be at the side of a gap on the unit's ways."""
    starts = [model.pose for model in asked.unit.models if model.pose is not None]
    poses = [pose for path in (asked.paths or {}).values() for pose in path] or starts
    seen = bool(asked.paths) and asked.observed
    reach = width_mm if seen else width_mm + reach_mm
    left, low, right, high = shapely.MultiPoint([(pose.x_mm, pose.y_mm) for pose in poses]).bounds
    return shapely.box(left - reach, low - reach, right + reach, high + reach)


def _parties(asked: Question) -> Iterator[_Party]:
    """Yield what may be at the side of a gap: enemies' stands, friends' of other units, and closed terrain."""
    scene, unit = asked.scene, asked.unit
    for place, owner in enumerate(scene.owners):
        other = scene.state.units[owner]
        if is_foe(unit, other) or (comrades(unit, other) and not is_character(unit)):
            model, pose = scene.models[place], scene.poses[place]
            yield _Party(
                id=model.id,
                placed=model.placed(pose),
                sigma_mm=pose.sigma_mm,
                unit=other.id,
                hostile=is_foe(unit, other),
            )
    for terrain in asked.state.terrain:
        if forbids(unit, terrain, asked.parameters["agreed_terrain"]):
            yield _Party(id=terrain.id, placed=outline_of(terrain), sigma_mm=0.0, unit="", hostile=False)


def _ordered(one: _Party, two: _Party) -> tuple[_Party, _Party]:
    """Return the enemy before a friend, and either before terrain; else in the order of the situation."""
    first, second = sorted((one, two), key=lambda party: (not party.hostile, party.unit == ""))
    return first, second


def _parted(gap: Clearance, sides: tuple[int, int], parties: shapely.STRtree) -> bool:
    """Whether a third party stands in a gap."""
    line = shapely.LineString((gap.near, gap.far))
    return any(at not in sides and parties.geometries[at].crosses(line) for at in parties.query(line).tolist())


@lru_cache(maxsize=1024)
def _outline(placed: Placed) -> BaseGeometry:
    return shapely.union_all([around(part, _DRAWN_MM) for part in placed_parts(placed)])
