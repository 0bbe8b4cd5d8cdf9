"""Keeps a game recorded as well as it can be: while the disk is full it goes on, and what matters is held back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from assistant.game.events import Stamped
from assistant.poses import PoseEntry
from assistant.record.journal import Journal, NotWritten
from assistant.record.rows import Happening
from assistant.record.seen import NotRecorded, Picture, PosesSeen

AGAIN_NS = 1_000_000_000
"""After so long it is tried again, in the time of the pictures."""
MOST = 20_000
"""So many events are held back at most: more than any game has."""


@dataclass(kw_only=True)
class _Gap:
    """What could not be written since the first failure."""

    from_ns: int
    why: str
    tried_ns: int
    held: list[Happening] = field(default_factory=list)
    standing: dict[str, PoseEntry] = field(default_factory=dict)
    """How every model that changed was last seen."""
    latest: tuple[int, PosesSeen] | None = None
    lost_poses: int = 0
    lost_events: int = 0
    lost_pictures: int = 0


class Recorder:
    """Writes to a journal, and never fails.

    While nothing can be written, events are held back and poses and pictures are lost, save where everything stands at
    the end.  Once there is room again a row `NotRecorded` says what is lacking, and the events follow.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._gap: _Gap | None = None
        self._together: list[Happening] | None = None
        """What is to be written at once, while that is being gathered."""

    @property
    def trouble(self) -> str:
        """Why nothing is being recorded, in words for the players; empty while all is."""
        if self._gap is None:
            return ""
        return f"The game goes on, but is not recorded ({self._gap.why}): free some space on the table's computer."

    def write(self, told: Happening | Picture) -> None:
        """Write what happened, was seen or is to be kept, or hold it back."""
        if self._gap is not None:
            _hold(self._gap, told)
            if isinstance(told, Stamped):
                self.catch_up(told.captured_ns)
        elif isinstance(told, Picture):
            self._try(partial(self._journal.keep, told), told)
        elif self._together is not None:
            self._together.append(told)
        else:
            self._try(partial(self._journal.append, told), told)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write what is told meanwhile at the end, all or none: for several rows that takes a part of the time."""
        self._together = []
        try:
            yield
        finally:
            told, self._together = self._together, None
            if told:
                self._try(partial(self._journal.append, *told), *told)

    def _try(self, write: Callable[[], None], *told: Happening | Picture) -> None:
        try:
            write()
        except NotWritten as error:
            at_ns = told[0][0] if isinstance(told[0], tuple) else told[0].captured_ns
            self._gap = _Gap(from_ns=at_ns, why=error.why, tried_ns=at_ns)
            for each in told:
                _hold(self._gap, each)

    def look(self, now_ns: int) -> None:
        """Try again now and then; call it with every picture."""
        if self._gap is not None and now_ns - self._gap.tried_ns >= AGAIN_NS:
            self.catch_up(now_ns)

    def catch_up(self, now_ns: int) -> None:
        """Write all that was held back, if that is possible by now."""
        gap = self._gap
        if gap is None:
            return
        gap.tried_ns = now_ns
        said = NotRecorded(
            until_ns=max(now_ns, gap.from_ns),
            lost_poses=gap.lost_poses,
            lost_events=gap.lost_events,
            lost_pictures=gap.lost_pictures,
            why=gap.why,
        )
        standing: list[Happening] = []
        if gap.latest is not None:
            seen_ns, seen = gap.latest
            standing = [(seen_ns, seen.model_copy(update={"poses": tuple(gap.standing.values())}))]
        try:
            self._journal.append((gap.from_ns, said), *gap.held, *standing)
        except NotWritten as error:
            gap.why = error.why
        else:
            self._gap = None


def _hold(gap: _Gap, told: Happening | Picture) -> None:
    match told:
        case Picture():
            gap.lost_pictures += 1
        case (_, PosesSeen() as seen):
            gap.lost_poses += 1
            gap.latest = told[0], seen
            gap.standing.update({entry.model: entry for entry in seen.poses})
        case _ if len(gap.held) < MOST:
            gap.held.append(told)
        case _:
            gap.lost_events += 1
