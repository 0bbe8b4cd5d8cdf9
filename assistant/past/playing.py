"""A recording from its first entry to its last, each with the game before and after it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assistant.game.state import GameState
from assistant.past.replayed import first_state, play_entry
from assistant.record.journal import Entry, read_about, read_entries
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
    session = Session(first_state(path, about or read_about(path)), reach=no_zone)
    began_ns = at_ns = 0
    for entry in read_entries(path):
        began_ns = began_ns or entry.captured_ns  # what was written before the first picture counts as then
        at_ns = max(at_ns, entry.captured_ns - began_ns)
        if until is not None:
            until(at_ns, session)
        before, decision = session.state, session.last_decision
        play_entry(session, entry, path)
        yield Step(at_ns=at_ns, entry=entry, before=before, decision=decision, session=session)


def no_zone(asked: Wanted) -> Zone | None:  # noqa: ARG001 - a `Reach` is asked by this name
    """Work no zone out."""
    return None
