"""When a base on its way comes within a range of others, and when it leaves them: exact in time, not sampled.

A path is a sequence of poses; on each leg place, height and facing change linearly, the facing by the shorter turn.  A
time on a path is the index of a leg plus the share of it that is done: 2.25 is a quarter along the third leg.

Coming to exactly a range, or grazing it, is being within it, to `swept.TOUCH_MM`.  Whoever lets a base touch asks for a
range smaller by a rounding.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from assistant.geometry.clearance import Clearance, between, clearance, leg_floors, turn_rad
from assistant.geometry.convex import Convex, convex_parts, placed_parts
from assistant.geometry.shapes import Placed
from assistant.geometry.swept import Motion, changes

ROUNDING_MM = 1e-6
"""By how much a base must go deeper than it stood, or beyond an edge, for that to be said."""
ANY_HEIGHT = (-math.inf, math.inf)
_SAME_TIME = 1e-9

Shares = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """A standing shape and the range around it."""

    other: Placed
    range_mm: float = 0.0
    heights_mm: tuple[float, float] = ANY_HEIGHT
    """The heights at which a base can be in it, both counted in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """A moment of a path at which a base meets something."""

    time: float
    at: Placed
    """The base at that moment."""
    clearance: Clearance
    """From the base to what it meets."""
    zone: int = 0
    """Which of the zones asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A part of a path, from one time to another."""

    start: float
    end: float


def first_contact(path: Sequence[Placed], zones: Sequence[Zone]) -> Contact | None:
    """Return the first moment at which a base is in one of the zones: 0 where it starts in one, None if it never is."""
    legs, parts = legs_of(path), convex_parts(path[0].shape)
    floors = leg_floors(legs, [zone.other for zone in zones])
    near = np.argwhere(floors <= np.array([zone.range_mm for zone in zones]) + ROUNDING_MM)
    best, which = math.inf, -1
    for leg, index in near.tolist():
        if leg > best:
            break
        share = _first_share(parts, legs[leg], zones[index])
        if leg + share < best:
            best, which = leg + share, index
    if which < 0:
        return None
    at = pose_at(path, best)
    return Contact(time=best, at=at, clearance=clearance(at, zones[which].other), zone=which)


def spans_within(path: Sequence[Placed], zone: Zone) -> tuple[Span, ...]:
    """Return the parts of a path on which a base is in a zone, in order and apart; an instant has no length."""
    legs, parts = legs_of(path), convex_parts(path[0].shape)
    floors = leg_floors(legs, [zone.other])[:, 0]
    near = np.flatnonzero(floors <= zone.range_mm + ROUNDING_MM).tolist()
    fixed = _grown(zone)
    return joined(
        Span(start=leg + low, end=leg + high)
        for leg in near
        for low, high in shares_touching(parts, legs[leg], fixed, zone.heights_mm)
    )


def no_deeper(zone: Zone, start: Placed) -> Zone:
    """Return a zone made smaller for a base that starts in it: it may leave, but go no deeper than it stood.

    What is left is entered `ROUNDING_MM` deeper than the start, or than the zone's own edge.
    """
    return replace(zone, range_mm=min(zone.range_mm, clearance(start, zone.other).mm) - ROUNDING_MM)


def pose_at(path: Sequence[Placed], time: float) -> Placed:
    """Return where a base is at a time of its path."""
    leg = min(int(time), len(path) - 2)
    return path[0] if leg < 0 else between(path[leg], path[leg + 1], time - leg)


def path_until(path: Sequence[Placed], time: float) -> tuple[Placed, ...]:
    """Return a path cut off at a time: that of its first contact is the furthest that it stays legal."""
    return (*path[: math.ceil(time)], pose_at(path, time)) if time > 0 else (path[0],)


def travel_within_mm(path: Sequence[Placed], spans: Sequence[Span]) -> float:
    """Return how far the centre travels on some spans of a path."""
    lengths = [math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in pairwise(path)]
    done = np.concatenate(((0.0,), np.cumsum(lengths)))
    times = np.arange(len(done))
    return float(sum(np.interp(span.end, times, done) - np.interp(span.start, times, done) for span in spans))


def level_shares(start: Placed, end: Placed, heights_mm: tuple[float, float]) -> Shares | None:
    """Return the part of a leg, as shares, on which the height is between two; None if there is none."""
    rise = end.z_mm - start.z_mm
    if rise == 0:
        return (0.0, 1.0) if heights_mm[0] <= start.z_mm <= heights_mm[1] else None
    ends = sorted((height - start.z_mm) / rise for height in heights_mm)
    low, high = max(0.0, ends[0]), min(1.0, ends[1])
    return (low, high) if low <= high else None


def shares_touching(
    parts: Sequence[Convex],
    leg: tuple[Placed, Placed],
    fixed: Sequence[Convex],
    heights_mm: tuple[float, float] = ANY_HEIGHT,
) -> Iterator[Shares]:
    """Yield the shares of a leg on which one of the parts of a base touches one of some sets; they may overlap."""
    level = level_shares(*leg, heights_mm)
    if level is None:
        return
    motion = motion_of(*leg, level)
    for part in parts:
        for other in fixed:
            times = [level[0] + share * (level[1] - level[0]) for share in changes(part, other, motion)]
            ends = [*times[1::2], level[1]]
            yield from zip(times[::2], ends, strict=False)


def joined(spans: Iterator[Span]) -> tuple[Span, ...]:
    """Return spans in order, those that touch or overlap made one."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda span: span.start):
        if found and span.start <= found[-1].end + _SAME_TIME:
            found[-1] = replace(found[-1], end=max(found[-1].end, span.end))
        else:
            found.append(span)
    return tuple(found)


def motion_of(start: Placed, end: Placed, shares: Shares = (0.0, 1.0)) -> Motion:
    """Return how a base moves on a part of a leg."""
    place, step = np.array((start.x_mm, start.y_mm)), np.array((end.x_mm - start.x_mm, end.y_mm - start.y_mm))
    turn, whole = turn_rad(start, end), shares[1] - shares[0]
    return Motion(
        place_mm=place + shares[0] * step,
        step_mm=whole * step,
        facing_rad=start.facing_rad + shares[0] * turn,
        turn_rad=whole * turn,
    )


def _first_share(parts: Sequence[Convex], leg: tuple[Placed, Placed], zone: Zone) -> float:
    """Return the share of a leg at which a base first is in a zone; infinite if it never is."""
    level = level_shares(*leg, zone.heights_mm)
    if level is None:
        return math.inf
    motion = motion_of(*leg, level)
    first = min(next(changes(part, other, motion), math.inf) for part in parts for other in _grown(zone))
    return level[0] + first * (level[1] - level[0]) if first <= 1 else math.inf


def _grown(zone: Zone) -> list[Convex]:
    return [part.grown(zone.range_mm) for part in placed_parts(zone.other)]


def legs_of(path: Sequence[Placed]) -> list[tuple[Placed, Placed]]:
    """Return the legs of a path; a single pose stands still."""
    return list(pairwise(path)) or [(path[0], path[0])]
