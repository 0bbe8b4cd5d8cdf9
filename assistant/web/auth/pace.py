"""Pace: how fast whoever is at the other end may speak; what is beyond it waits, or is refused."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial

MOST_KNOWN = 1000
"""So many are told apart; beyond that whoever was quiet for longest begins anew."""


class Pace:
    """So many messages a second, and so many at once after a silence."""

    def __init__(self, per_s: float, at_once: float, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._per_s, self._at_once, self._clock_s = per_s, at_once, clock_s
        self._left = at_once
        self._when_s = clock_s()

    def count(self, messages: float) -> float:
        """Count what was said, and return for how many seconds to hear nothing more."""
        self._refill()
        self._left -= messages
        return max(0.0, -self._left / self._per_s)

    def try_count(self, messages: float) -> float:
        """Count what is asked unless it is too much; return in how many seconds it would not be, 0 if it counts."""
        self._refill()
        if self._left >= messages:
            self._left -= messages
            return 0.0
        return (messages - self._left) / self._per_s

    def _refill(self) -> None:
        now_s = self._clock_s()
        self._left = min(self._at_once, self._left + (now_s - self._when_s) * self._per_s)
        self._when_s = now_s


class Paces:
    """A pace for each that is known by a name; used from one thread."""

    def __init__(self, per_s: float, at_once: float, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._build = partial(Pace, per_s, at_once, clock_s)
        self._known: OrderedDict[str, Pace] = OrderedDict()
        """Whoever was quiet for longest first."""

    def try_count(self, who: str, messages: float) -> int:
        """Count what somebody asks unless it is too much; return after how many whole seconds to ask again."""
        pace = self._known.get(who) or self._build()
        self._known[who] = pace
        self._known.move_to_end(who)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return math.ceil(pace.try_count(messages))
