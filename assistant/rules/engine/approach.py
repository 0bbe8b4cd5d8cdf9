"""Nearest approach: how near a model comes to something that stands, and what that leaves of a range that it keeps."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from assistant.geometry.clearance.shape_clearance import (
    Approach,
    Clearance,
    bound_clearance_mm,
    clearance,
    find_nearer_approach,
    interpolate_pose,
)
from assistant.geometry.motion.contact import ANY_HEIGHT, find_level_shares
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.rules.engine.walk import Leg, Walk, interpolate_sigma
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, combine_sigmas


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproachTarget:
    """What is approached."""

    placed: PlacedShape
    range_mm: float = 0.0
    """How far from it a base is to stay."""
    heights_mm: tuple[float, float] = ANY_HEIGHT
    """The heights of a base at which it counts."""
    sigma_mm: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestApproach:
    """A nearest approach."""

    gap: Clearance
    margin_mm: float
    sigma_mm: float
    verb: str
    """What the model does there: ends, passes, or stands."""
    left: bool = False
    """It only leaves the range that it started within, or may have."""


def measure_approaches(
    walk: Walk, leg: Leg, thing: ApproachTarget, start_mm: float | None = None, known_mm: float = math.inf
) -> Iterator[NearestApproach]:
    """Yield what the nearest approach on a leg comes to; nothing where the heights are out of range.

    With the clearance at which it started within the range, `start_mm`, no more is asked than to come no nearer; but an
    end on top of the thing is measured by itself.  Without it, what comes no nearer than ``known_mm`` is passed over.
    """
    whole = walk.place_base(leg[0]), walk.place_base(leg[1])
    level = find_level_shares(*whole, thing.heights_mm)
    if level is None:
        return
    start, end = interpolate_pose(*whole, level[0]), interpolate_pose(*whole, level[1])
    if start == end:
        found = Approach(clearance=clearance(end, thing.placed), share=1.0)
    else:
        nearer = find_nearer_approach(start, end, thing.placed, known_mm if start_mm is None else math.inf)
        if nearer is None:
            return
        found = nearer
    share = level[0] + found.share * (level[1] - level[0])
    found = replace(found, share=share)
    yield assess_approach(walk, leg, found, range_mm=thing.range_mm, sigma_mm=thing.sigma_mm, start_mm=start_mm)
    if start_mm is not None and leg[1] is walk.end and thing.range_mm == 0 and level[1] == 1:
        there = Approach(clearance=clearance(end, thing.placed), share=1.0)
        yield assess_approach(walk, leg, there, sigma_mm=thing.sigma_mm)


def assess_approach(
    walk: Walk,
    leg: Leg,
    found: Approach,
    *,
    range_mm: float = 0.0,
    sigma_mm: float = 0.0,
    start_mm: float | None = None,
) -> NearestApproach:
    """Return what an approach on a leg comes to, measured from the range or from where it started within it."""
    verb = "stands" if len(walk.path) == 1 else "ends" if leg[1] is walk.end and found.share > 1 - 1e-9 else "passes"
    sigma = combine_sigmas(interpolate_sigma(leg, found.share), sigma_mm)
    gap = found.clearance
    if start_mm is None or gap.mm < start_mm - ROUNDING_MM:
        margin = gap.mm - (range_mm if start_mm is None else min(range_mm, start_mm))
        return NearestApproach(gap=gap, margin_mm=margin, sigma_mm=sigma, verb=verb)
    # It comes no nearer than it stood, however well that was measured.
    return NearestApproach(gap=gap, margin_mm=max(start_mm - range_mm, 0.0), sigma_mm=0.0, verb=verb, left=True)


def measure_start_within_mm(walk: Walk, thing: ApproachTarget) -> float | None:
    """Return the clearance at which a model that moves started within a range, or may have; None if it did not."""
    first = walk.path[0]
    low, high = thing.heights_mm
    if len(walk.path) == 1 or not low <= first.z_mm <= high:
        return None
    asked_mm = thing.range_mm + DECIDED_SIGMAS * combine_sigmas(first.sigma_mm, thing.sigma_mm) + ROUNDING_MM
    base = walk.place_base(first)
    if bound_clearance_mm(base, thing.placed) >= asked_mm:
        return None
    mm = clearance(base, thing.placed).mm
    return mm if mm < asked_mm else None
