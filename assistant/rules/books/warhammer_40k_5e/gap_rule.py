"""The gap rule: no base passes between friendly models that leave it too little room at its best turn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely

from assistant.geometry.clearance.passage import Passage, crosses_line, least_width, measure_passage
from assistant.geometry.clearance.shape_clearance import Point, interpolate_pose
from assistant.geometry.motion.contact import find_level_shares
from assistant.geometry.shapes.convex import Array
from assistant.rules.books.warhammer_40k_5e.common import FRIENDS
from assistant.rules.engine.walk import Walk
from assistant.rules.lengths import format_apart
from assistant.rules.verdict import (
    ROUNDING_MM,
    Finding,
    Outcome,
    build_finding,
    combine_sigmas,
    find_gravest,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _FriendGap:
    """Two friends, by their places in the scene, in order."""

    one: int
    two: int
    floor_mm: float
    """It is no narrower."""


def judge_gaps(vertical_mm: float, walk: Walk) -> Iterator[Finding]:
    """Yield what the narrowest gap between friends comes to that a model was seen to go through.

    Its centre crosses the line between their nearest points.  A way that nobody saw passes none that is too narrow.
    """
    if not walk.observed or len(walk.path) < 2:
        return
    found, narrowest = list[Finding](), np.inf if walk.everything else -np.inf  # what is surely wide need not be told
    asked_mm = least_width(walk.model.base)[0] + walk.scene.find_doubt_mm(walk.detail.measured_sigmas)
    for gap in _list_gaps(walk, max(narrowest, asked_mm)):
        one, two = (walk.scene.poses[place] for place in (gap.one, gap.two))
        if gap.floor_mm > max(narrowest, asked_mm):
            break
        passed = _find_passage(
            walk, gap, (max(one.z_mm, two.z_mm) - vertical_mm, min(one.z_mm, two.z_mm) + vertical_mm)
        )
        if passed is not None:
            narrowest = min(narrowest, passed.gap.mm)
            found.append(_judge_gap(walk, gap, passed))
    worst = find_gravest(found)
    if worst is not None:
        yield worst


def _list_gaps(walk: Walk, within_mm: float) -> list[_FriendGap]:
    """Return the gaps that a path may lead through, but for those surely wider than so much, the narrowest first.

    Its centre comes near to the line between the friends' middles.
    """
    scene, path = walk.scene, np.array([(at.x_mm, at.y_mm) for at in walk.path])
    low, high = path.min(axis=0), path.max(axis=0)
    friends = scene.select_party(FRIENDS, walk.unit, walk.model.id)
    radii_mm, places_mm = scene.radii_mm[friends], scene.places_mm[friends, :2]
    outside_mm = np.maximum(np.maximum(low - places_mm, places_mm - high), 0.0).max(axis=1)
    near = outside_mm <= within_mm + radii_mm + 2 * radii_mm.max(initial=0.0) + ROUNDING_MM
    friends, radii_mm, places_mm = friends[near], radii_mm[near], places_mm[near]
    first, second = np.triu_indices(len(friends), 1)
    reach, one, two = np.maximum(radii_mm[first], radii_mm[second]) + ROUNDING_MM, places_mm[first], places_mm[second]
    floors_mm = np.hypot(*(one - two).T) - radii_mm[first] - radii_mm[second]
    met = (np.minimum(one, two) - reach[:, None] <= high) & (np.maximum(one, two) + reach[:, None] >= low)
    maybe = np.flatnonzero(met.all(axis=1) & (floors_mm <= within_mm))
    lines = shapely.linestrings(np.stack((one[maybe], two[maybe]), axis=1))
    maybe = maybe[shapely.distance(_build_line(path), lines) <= reach[maybe]]
    maybe = maybe[np.argsort(floors_mm[maybe], kind="stable")]
    ends = zip(friends[first[maybe]].tolist(), friends[second[maybe]].tolist(), floors_mm[maybe].tolist(), strict=True)
    return [_FriendGap(one=here, two=there, floor_mm=mm) for here, there, mm in ends]


def _find_passage(walk: Walk, gap: _FriendGap, heights_mm: tuple[float, float]) -> Passage | None:
    """Return how a base gets through a gap if its path crosses that at some height."""
    one, two = (walk.scene.models[place].place_base() for place in (gap.one, gap.two))
    through = measure_passage(walk.model.base, one, two)
    ends = (through.gap.near, through.gap.far)
    if through.gap.mm <= ROUNDING_MM:  # they touch or overlap, and have no nearest points apart
        ends = ((one.x_mm, one.y_mm), (two.x_mm, two.y_mm))
    ways = _list_level_parts(walk, heights_mm)
    return through if any(crosses_line(way, ends, ROUNDING_MM) for way in ways) else None


def _list_level_parts(walk: Walk, heights_mm: tuple[float, float]) -> Iterator[list[Point]]:
    """Yield the parts of a path, of the base's centre, that are between two heights."""
    low, high = heights_mm
    part = list[Point]()
    for leg in pairwise(walk.place_base(pose) for pose in walk.path):
        shares = find_level_shares(*leg, heights_mm) if low <= high else None
        places = [interpolate_pose(*leg, share) for share in shares or ()]
        if part and (shares is None or shares[0] > 0):
            yield part
            part = []
        part += [(at.x_mm, at.y_mm) for at in (places[1:] if part else places)]
        if shares is not None and shares[1] < 1:
            yield part
            part = []
    if part:
        yield part


def _build_line(points: Array | Sequence[Point]) -> shapely.LineString:
    return shapely.LineString(points)


def _judge_gap(walk: Walk, gap: _FriendGap, passed: Passage) -> Finding:
    one, two = (walk.scene.models[place].id for place in (gap.one, gap.two))
    width_mm = least_width(walk.model.base)[0]
    gap_words, width = format_apart(walk.say, max(passed.gap.mm, 0.0), width_mm)

    def text(outcome: Outcome) -> str:
        doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
        return f"{walk.model.id} goes between {one} and {two}: they leave {gap_words}, its base takes {width}{doubt}"

    return build_finding(
        "5e-05",
        (walk.model.id, one, two),
        measured_mm=passed.gap.mm,
        limit_mm=width_mm,
        margin_mm=passed.margin_mm,
        sigma_mm=combine_sigmas(*(walk.scene.poses[place].sigma_mm for place in (gap.one, gap.two))),
        witness_mm=(passed.gap.near, passed.gap.far),
        text=text,
    )
