"""A recording as an eye follows it: every event, and of what moves no more than can be seen."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from assistant.past.playing import Clock, Step, first_state, no_zone, play_entry
from assistant.poses import PoseEntry
from assistant.record.along import Row, entry_in, in_row, named_in, rows_after
from assistant.record.compact import Place, moving_at, places, pose_at
from assistant.record.journal import Entry, PosesSeen, read_about
from assistant.record.names import Names
from assistant.record.reading import opened
from assistant.record.seen import LEDGER, Named
from assistant.session import Session

LEAST_NS = 100_000_000
"""Pictures of what moves are kept so far apart: an eye takes ten a second for a slide."""
LEAST_MM, LEAST_DEG = 1.0, 1.0
"""What has moved by less is kept where it was until it comes to rest: on no screen is that a whole pixel."""
_SEEN: PosesSeen = PosesSeen(anchors_seen=0, calibration="", poses=())


def glimpses(path: Path) -> Iterator[Step]:
    """Play a recording; steps of poses tell those of several pictures at once.

    Raises:
        BadInput: it cannot be read, here or while it is played.

    """
    clock, names, waiting = Clock(), Names(), _Waiting()
    session, shown_ns = Session(first_state(path, read_about(path)), reach=no_zone), -LEAST_NS
    with opened(path) as db:
        for row in rows_after(db, path, 0):
            at_ns, before, decision = clock.at(row.captured_ns), session.state, session.last_decision
            if row.kind == Named.__name__:
                names.add(named_in(row, path))
                continue
            if row.kind in LEDGER:
                continue
            if row.kind == PosesSeen.__name__:
                rest = waiting.take(row, names, path)
                poses = waiting.poses(names) if rest or at_ns - shown_ns >= LEAST_NS else ()
                if not (poses and (rest or _seen_to_differ(poses, session.poses))):
                    continue
                entry, shown_ns = _entry(row, poses), at_ns
            else:
                entry = entry_in(row, names, path)
                if poses := waiting.poses(names):
                    play_entry(session, _entry(row, poses), path)
            waiting.clear()
            play_entry(session, entry, path)
            yield Step(at_ns=at_ns, entry=entry, before=before, decision=decision, session=session)


class _Waiting:
    """How models were seen since something was last shown; packed, for most of it nobody asks for."""

    def __init__(self) -> None:
        self._latest: dict[str, Place | PoseEntry] = {}

    def take(self, row: Row, names: Names, path: Path) -> bool:
        """Take in a row of poses; return whether it is to be shown at once, for something rests or is not seen."""
        rest = False
        with in_row(row, path):
            for place in places(row.body) if isinstance(row.body, bytes) else ():
                self._latest[names.model(place.base)] = place
                rest = rest or not moving_at(place)
        if isinstance(row.body, str):
            what = entry_in(row, names, path).what
            for entry in what.poses if isinstance(what, PosesSeen) else ():
                self._latest[entry.model] = entry
                rest = rest or not entry.moving or entry.state != "seen"
        return rest

    def poses(self, names: Names) -> tuple[PoseEntry, ...]:
        """Return them."""
        return tuple(pose_at(each, names) if isinstance(each, Place) else each for each in self._latest.values())

    def clear(self) -> None:
        """Forget them: they are shown."""
        self._latest.clear()


def _entry(row: Row, poses: tuple[PoseEntry, ...]) -> Entry:
    return Entry(id=row.id, captured_ns=row.captured_ns, what=_SEEN.model_copy(update={"poses": poses}))


def _seen_to_differ(poses: tuple[PoseEntry, ...], shown: Mapping[str, PoseEntry]) -> bool:
    """Whether an eye could tell poses from those that are shown."""
    for entry in poses:
        before = shown.get(entry.model)
        if before is None or not before.moving or before.state != "seen":
            return True
        turned_deg = math.remainder(entry.facing_deg - before.facing_deg, 360)
        if math.dist((entry.x_mm, entry.y_mm), (before.x_mm, before.y_mm)) >= LEAST_MM or abs(turned_deg) >= LEAST_DEG:
            return True
    return False
