"""A recording from its first entry to its last, each with the game before and after it."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import BadInput
from assistant.game.events import SourceChanged
from assistant.game.situation import from_json
from assistant.game.state import GameState
from assistant.record.along import entry_in, heads_after
from assistant.record.journal import Entry, PosesSeen, Seen, read_about, read_entries
from assistant.record.names import Names
from assistant.record.reading import opened
from assistant.record.seen import LEDGER
from assistant.rules.judge import Zone
from assistant.session import Session
from assistant.zones import Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An entry of a journal, taken in."""

    at_ns: int
    """Since the game's beginning; it never goes back."""
    entry: Entry
    before: GameState
    decision: object
    """What taking back would have taken back before it; None if nothing."""
    session: Session
    """After it; the same object at every step."""


def steps(
    path: Path, *, until: Callable[[int, Session], None] | None = None, about: Mapping[str, str] | None = None
) -> Iterator[Step]:
    """Play a recording.

    Args:
        path: the recording.
        about: what the game began with, where that is to be another than it says itself.
        until: is told when the next entry happened, and the game as it stood until then.

    Raises:
        BadInput: it cannot be read, here or while it is played.

    """
    clock = Clock()
    session = Session(first_state(path, about or read_about(path)), reach=no_zone)
    for entry in read_entries(path):
        at_ns = clock.at(entry.captured_ns)
        if until is not None:
            until(at_ns, session)
        yield _step(session, entry, at_ns, path)


def told_steps(path: Path) -> Iterator[Step]:
    """Play what was told in a recording, without how models were seen meanwhile, which takes ten times as long.

    The session's poses stay empty; errors as in `steps`.
    """
    clock = Clock()
    session = Session(first_state(path, read_about(path)), reach=no_zone)
    with opened(path) as db:
        for row in heads_after(db, path, 0):
            at_ns = clock.at(row.captured_ns)
            if row.kind != PosesSeen.__name__ and row.kind not in LEDGER:
                yield _step(session, entry_in(row, Names(), path), at_ns, path)


def _step(session: Session, entry: Entry, at_ns: int, path: Path) -> Step:
    before, decision = session.state, session.last_decision
    play_entry(session, entry, path)
    return Step(at_ns=at_ns, entry=entry, before=before, decision=decision, session=session)


class Clock:
    """Tells times since the game's beginning of the rows of a journal, one after the other."""

    def __init__(self) -> None:
        self.began_ns = 0
        """Capture time of the first picture; 0 before there is one."""
        self.at_ns = 0
        """When the last row was written."""

    def at(self, captured_ns: int) -> int:
        """Return when the next row was written; what was before the first picture, or late, counts as then."""
        self.began_ns = self.began_ns or captured_ns
        self.at_ns = max(self.at_ns, captured_ns - self.began_ns)
        return self.at_ns


def first_state(path: Path, about: Mapping[str, str]) -> GameState:
    """Return what a recorded game began with.

    Raises:
        BadInput: it does not say.

    """
    try:
        situation = json.loads(about["situation"])
    except (KeyError, ValueError):
        raise BadInput(f"{path}: it does not hold the situation that the game began with") from None
    return from_json(situation, f"{path}: situation").state


def play_entry(session: Session, entry: Entry, path: Path) -> SourceChanged | None:
    """Let a session take in one entry of a journal; return what it tells of the camera, if that is what it does.

    Raises:
        BadInput: it does not fit the game.

    """
    session.now_ns = entry.captured_ns
    if isinstance(entry.what, Seen):
        session.show(entry.what)
        return None
    if isinstance(entry.what, SourceChanged):
        return entry.what
    try:
        session.happen(entry.what)
    except KeyError as error:
        raise BadInput(f"{path}: event {entry.id}: there is no {error} in this game") from None
    except ValueError as error:
        raise BadInput(f"{path}: event {entry.id}: {error}") from None
    return None


def no_zone(asked: Wanted) -> Zone | None:  # noqa: ARG001 - a `Reach` is asked by this name
    """Work no zone out."""
    return None
