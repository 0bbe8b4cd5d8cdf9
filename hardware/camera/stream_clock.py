"""The stream clock: when the pictures of a network stream were taken, by this computer's clock.

A stream's pictures carry the camera's time (RFC 3550, 5.1), whose zero is anybody's guess; they come after a delay, of
which the network makes each another.  No picture comes before it was taken, so the quickest of the last few seconds
says how the two clocks lie to each other, and what the slower ones lost on the way is no motion.  What all of them
take, in the camera and its encoder, stays in: nobody tells that.
"""

from collections import deque
from dataclasses import dataclass, field

WINDOW_NS = 10_000_000_000
"""Clocks drift apart, by some 50 parts in a million: the quickest picture counts for so long."""
SETTLED_NS = 2_000_000_000
"""A stream's times are held to this computer's clock once it has run for so long."""
MOST_APART = 0.02
"""Times that go faster or slower than this computer's clock by more than this share are no times: some cameras write
down at which rate they were told to send."""
JITTER_NS = 200_000_000
"""So much even the quickest of some pictures may come later than the quickest of others."""
MOST_LATE_NS = 1_500_000_000
"""A picture that seems older than that was not sent so late: the camera began to count anew."""


@dataclass(kw_only=True)
class StreamClock:
    """Brings a stream's times to this computer's clock.

    >>> clock = StreamClock()
    >>> [clock.convert(int(at_ms * 1e6), int(seen_ms * 1e6)) // 1_000_000 for at_ms, seen_ms in
    ...  ((0, 1020), (100, 1100), (200, 1290), (300, 1305))]
    [1020, 1100, 1200, 1300]
    """

    _pairs: deque[tuple[int, int]] = field(default_factory=deque)
    """The stream's time and when the picture came, nanoseconds."""
    _last_ns: int = -1

    def convert(self, stream_ns: int, arrived_ns: int) -> int:
        """Return when a picture was taken at the latest; always later than the one before.

        Args:
            stream_ns: the time that it carries, nanoseconds from anywhere.
            arrived_ns: when it came, UTC.

        """
        pairs = self._pairs
        if pairs and not pairs[-1][0] < stream_ns <= pairs[-1][0] + WINDOW_NS:
            pairs.clear()
        pairs.append((stream_ns, arrived_ns))
        while pairs[0][1] < arrived_ns - WINDOW_NS:
            pairs.popleft()
        taken_ns = stream_ns + min(arrived - stream for stream, arrived in pairs)
        if arrived_ns - taken_ns > MOST_LATE_NS:
            pairs.clear()
            pairs.append((stream_ns, arrived_ns))
            taken_ns = arrived_ns
        if not self._goes_right():
            taken_ns = arrived_ns
        self._last_ns = max(taken_ns, self._last_ns + 1)
        return self._last_ns

    def _goes_right(self) -> bool:
        """Whether the stream's time goes as this computer's does: the quickest of both halves say so."""
        pairs = self._pairs
        passed_ns = pairs[-1][1] - pairs[0][1]
        if passed_ns < SETTLED_NS:
            return True
        middle_ns = pairs[0][1] + passed_ns // 2
        early = min(arrived - stream for stream, arrived in pairs if arrived <= middle_ns)
        late = min(arrived - stream for stream, arrived in pairs if arrived > middle_ns)
        return abs(late - early) <= MOST_APART * passed_ns + JITTER_NS
