"""When a convex set that moves along one leg meets a standing one: exact in time, certified, not sampled.

On a leg, place and facing change linearly with the share of it that is done.  From any share a step is taken over which
it is proven that the two stay apart, or stay in touch:

- Apart: along a fixed direction, the separation at a share is no more than the clearance there, and between the ends of
  a step it bends below its chord by no more than a known curvature.
- In touch: while a point of the one, fixed to it, lies in the other, they overlap.  Its signed distance from a convex
  set bends above its chord by no more than the point's own curved way does.  Where no such point lies deep enough,
  the clearance grows no faster than the fastest point moves.

A step ends where its bound comes to zero, which near a change is Newton's method.  Sets within `TOUCH_MM` of each other
touch: a graze counts if it comes that near.  Changes are found to 1e-9 of a leg, save those of grazes, where the share
is only as good as the root of that length.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from assistant.geometry.clearance import stretch
from assistant.geometry.convex import Array, Convex

TOUCH_MM = 1e-9
_LEAST_STEP = 1e-11
"""A share of a leg over which nothing is asked."""
_TRIALS = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Motion:
    """How a set's frame moves on a leg: place and facing at its start, and their changes to its end."""

    place_mm: Array
    step_mm: Array
    facing_rad: float
    turn_rad: float

    def place(self, share: float) -> Array:
        """Return where the frame's origin is, (2,)."""
        place: Array = self.place_mm + share * self.step_mm
        return place

    def facing(self, share: float) -> float:
        """Return the frame's facing."""
        return self.facing_rad + share * self.turn_rad


def changes(part: Convex, fixed: Convex, motion: Motion) -> Iterator[float]:
    """Yield the shares of a leg at which a moving set begins to touch a standing one and ceases to, in turn.

    Args:
        part: The moving set, in its own frame.
        fixed: The standing set, on the table; grow it to ask for a range.
        motion: The leg.

    """
    duel = _Duel(part, fixed, motion)
    share, touching = 0.0, False
    while True:
        mm, normal = duel.measure(share)
        if (mm <= TOUCH_MM) != touching:
            touching = not touching
            yield share
        if share == 1.0:
            return
        onward = duel.met_until(share, mm, normal) if touching else duel.apart_until(share, normal)
        share = min(1.0, max(onward, share + _LEAST_STEP))


class _Duel:
    """A moving set against a standing one.  All that is round about the moving one is given to the other."""

    def __init__(self, part: Convex, fixed: Convex, motion: Motion) -> None:
        circles = sum(a for a, b, _ in part.ellipses if a == b)
        self.fixed = fixed.grown(part.radius_mm + circles)
        self.part = replace(part, radius_mm=0.0, ellipses=tuple(e for e in part.ellipses if e[0] != e[1]))
        self.motion = motion
        reach = float(np.hypot(part.corners_mm[:, 0], part.corners_mm[:, 1]).max())
        turn, self.step_mm = abs(motion.turn_rad), float(np.hypot(*motion.step_mm))
        self.speed_mm = self.step_mm + turn * (reach + sum(max(a, b) for a, b, _ in self.part.ellipses))
        self.bulge_mm = turn**2 * (reach + sum(abs(a * a - b * b) / max(a, b) for a, b, _ in self.part.ellipses))
        """How fast the part's support may bend back: h'' = -h for a corner, h'' >= (b^2 - a^2) / a for an ellipse."""

    def moved(self, share: float) -> Convex:
        x, y = self.motion.place(share)
        return self.part.moved(float(x), float(y), self.motion.facing(share))

    def measure(self, share: float) -> tuple[float, Array]:
        """Return the clearance, and the direction it is measured along, from the standing set to the moving one."""
        return self.fixed.plus(self.moved(share).reflected()).distance(0.0, 0.0)

    def apart_until(self, share: float, normal: Array) -> float:
        """Return a share up to which the sets surely are further apart than half of what is a touch."""
        theirs = float(self.fixed.support(normal[None])[0]) + TOUCH_MM / 2

        def separation(at: float) -> float:
            return -theirs - float(self.moved(at).support(-normal[None])[0])

        return _held(separation, share, self.bulge_mm, 0.0)

    def met_until(self, share: float, mm: float, normal: Array) -> float:
        """Return a share up to which the sets surely touch."""
        lasting = share + (2 * TOUCH_MM - mm) / self.speed_mm if self.speed_mm > 0 else 1.0
        if lasting >= 1.0:
            return 1.0
        ends = stretch(self.moved(share), self.fixed, -normal)
        mine, theirs = (np.mean([pair[k] for pair in ends], axis=0) for k in (0, 1))
        body, turn = _into(self.motion, share, mine), abs(self.motion.turn_rad)
        away = float(np.hypot(*(theirs - self.motion.place(0.0)))) + self.step_mm

        def depth_of_mine(at: float) -> float:
            return -self.fixed.distance(*_out_of(self.motion, at, body))[0]

        def depth_of_theirs(at: float) -> float:
            return -self.part.distance(*_into(self.motion, at, theirs))[0]

        lasting = max(lasting, _held(depth_of_mine, share, turn**2 * float(np.hypot(*body)), 2 * TOUCH_MM))
        return max(lasting, _held(depth_of_theirs, share, turn * (turn * away + 2 * self.step_mm), 2 * TOUCH_MM))


def _out_of(motion: Motion, share: float, local: Array) -> Array:
    """Return where a point of the moving frame is on the table."""
    cos, sin = math.cos(motion.facing(share)), math.sin(motion.facing(share))
    x, y = local
    out: Array = motion.place(share) + np.array((x * cos - y * sin, x * sin + y * cos))
    return out


def _into(motion: Motion, share: float, point: Array) -> Array:
    """Return where a point of the table is in the moving frame."""
    cos, sin = math.cos(motion.facing(share)), math.sin(motion.facing(share))
    x, y = point - motion.place(share)
    return np.array((x * cos + y * sin, y * cos - x * sin))


def _held(bound: Callable[[float], float], share: float, bend_mm: float, slack_mm: float) -> float:
    """Return how far a quantity is surely not below ``-slack_mm``: the share itself if it is nowhere sure.

    Between two shares it lies below its chord by no more than ``bend_mm`` / 2 times the product of the ways to both.
    """
    first = bound(share)
    low, at_low, high, trial = share, first, 1.0, 1.0
    for trial_number in range(_TRIALS):
        value = bound(trial)
        if _stays(first, value, bend_mm * (trial - share) ** 2 / 2, slack_mm):
            low, at_low = trial, value
        else:
            high = trial
        if low == 1.0 or (low > share and (at_low < 0.02 * first or high - low <= low - share)):
            return low
        # To just above the chord's root, and every other time well short of it: what is not sure is of no use.
        ahead = (at_low - TOUCH_MM / 4) / (at_low - value) if at_low > TOUCH_MM / 4 > value else 0.5
        trial = low + (high - low) * ahead * (0.9 if trial_number % 2 else 1.0)
    return low


def _stays(first: float, last: float, bend_mm: float, slack_mm: float) -> bool:
    """Return whether first (1 - u) + last u - bend u (1 - u) is nowhere below ``-slack_mm`` for u in [0, 1]."""
    if min(first, last) < -slack_mm:
        return False
    lowest = min(1.0, max(0.0, (bend_mm + first - last) / (2 * bend_mm))) if bend_mm > 0 else 0.0
    return first * (1 - lowest) + last * lowest - bend_mm * lowest * (1 - lowest) >= -slack_mm
