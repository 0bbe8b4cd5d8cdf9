"""A recorded game as it is known to have been, with models told apart that had carried each other's tags.

The game as it was played stays what was recorded; this is a copy beside it.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import get_args

from assistant.decisions import accepted
from assistant.errors import BadInput
from assistant.game.events import (
    Accepted,
    Decision,
    Event,
    Exchanged,
    ModelSettled,
    Stamped,
    StepBegan,
    Swapped,
    TurnBegan,
    Undone,
    Withdrawn,
    about_past,
)
from assistant.game.history import other_of
from assistant.past.playing import first_state, no_zone, play_entry
from assistant.past.turned import Known, named_otherwise, seen_otherwise
from assistant.record.journal import Entry, Journal, Picture, PosesSeen, Seen, read_about, read_entries, read_pictures
from assistant.record.rows import Happening
from assistant.record.verify import verify
from assistant.session import Session

AT_ONCE = 500
"""So many rows are written together."""
_ENDS = Accepted | Withdrawn | TurnBegan | StepBegan
"""What ends the making of a move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistaken:
    """While two models were taken for each other."""

    models: tuple[str, str]
    from_entry: int
    """The first row that is wrong about them."""
    until_entry: int
    """The row that says so."""
    whole: bool
    """It was so before anything was seen."""

    def holds(self, entry: int) -> bool:
        """Whether a row is wrong about them."""
        return self.from_entry <= entry < self.until_entry


def corrected(path: Path, out: Path) -> tuple[Mistaken, ...]:
    """Write a copy of a recording in which models that were taken for each other are told apart.

    Args:
        path: the recording.
        out: the copy, which must not exist yet.

    Returns:
        who was taken for each other, and where.

    Raises:
        BadInput: it cannot be read, nobody was said to have been taken for another before, or its decisions make no
            sense once the models are told apart.

    """
    mistakes = _mistakes(path)
    if not mistakes:
        raise BadInput(
            f"{path}: nobody said of it that two models had carried each other's tags for a while, so there is nothing"
            " to correct"
        )
    about = read_about(path)
    title = f"{about.get('title', path.stem)}, as corrected"
    told = {**about, "title": title, "corrected": f"{path.name}, head {verify(path).head}"}
    told.pop("format")
    with Journal(out, about=told) as journal:
        pictures = read_pictures(path)
        picture = next(pictures, None)
        told_again = _Retold(path, mistakes).rows()
        while rows := list(islice(told_again, AT_ONCE)):
            journal.append(*rows)
            while picture is not None and picture.captured_ns <= _time(rows[-1]):
                journal.keep(picture)
                picture = next(pictures, None)
        _rest(journal, picture, pictures)
    return mistakes


def _rest(journal: Journal, picture: Picture | None, pictures: Iterator[Picture]) -> None:
    if picture is not None:
        journal.keep(picture)
    for each in pictures:
        journal.keep(each)


def _time(row: Happening) -> int:
    return row.captured_ns if isinstance(row, Stamped) else row[0]


def _mistakes(path: Path) -> tuple[Mistaken, ...]:
    """Return who was taken for each other before somebody said so, if that was not taken back."""
    decided: list[Entry] = []
    seen: int | None = None
    times: list[tuple[int, int]] = []  # the latest time so far and the row, whenever it grew
    for entry in read_entries(path):
        if not times or entry.captured_ns > times[-1][0]:
            times.append((entry.captured_ns, entry.id))
        what = entry.what
        seen = entry.id if seen is None and isinstance(what, PosesSeen) else seen
        if isinstance(what, Undone) and what.ruling is None and decided:
            decided.pop()
        elif isinstance(what, get_args(Decision)) and not about_past(what):
            decided.append(entry)
    found = []
    for entry in decided:
        if isinstance(entry.what, Swapped) and entry.what.since_ns is not None:
            at = bisect_left(times, (entry.what.since_ns, 0))
            first = times[at][1] if at < len(times) else entry.id
            whole = seen is None or first <= seen
            found.append(Mistaken(models=entry.what.models, from_entry=first, until_entry=entry.id, whole=whole))
    return tuple(found)


class _Retold:
    """Tells a game once more, with every row as it is known to have been."""

    def __init__(self, path: Path, mistakes: Sequence[Mistaken]) -> None:
        self._path, self._mistakes = path, mistakes
        self._session = Session(first_state(path, read_about(path)), reach=no_zone)
        self._units = {model.id: unit.id for unit, model in self._session.state.models()}
        self._moves = _moves(path)

    def rows(self) -> Iterator[Happening]:
        """Yield the rows of the copy."""
        said = {mistake.until_entry for mistake in self._mistakes}
        for entry in read_entries(self._path):
            for mistake in self._mistakes:
                if mistake.from_entry == entry.id and not mistake.whole:
                    yield self._row(replace(entry, what=Exchanged(models=mistake.models)))
                    yield self._row(replace(entry, what=self._session.sights.exchanged(mistake.models)))
            if entry.id not in said:
                yield self._row(self._retold(entry))

    def _row(self, entry: Entry) -> Happening:
        try:
            play_entry(self._session, entry, self._path)
        except BadInput as error:
            raise BadInput(f"{error}, once its models are told apart: it can only be replayed as it was") from None
        what = entry.what
        return (
            (entry.captured_ns, what) if isinstance(what, Seen) else Stamped(captured_ns=entry.captured_ns, event=what)
        )

    def _retold(self, entry: Entry) -> Entry:
        """Return a row as it is known to have been."""
        mistakes = [mistake for mistake in self._mistakes if mistake.holds(entry.id)]
        if not mistakes:
            return entry

        def known(model: str) -> str:
            for mistake in mistakes:
                model = other_of(mistake.models, model)
            return model

        if isinstance(entry.what, Seen):
            return replace(entry, what=seen_otherwise(entry.what, known))
        units = {unit: self._whose(unit, entry.id, known) for unit in set(self._units.values())}
        event = named_otherwise(entry.what, known, units)
        if isinstance(entry.what, Accepted) and isinstance(event, Accepted) and event.unit != entry.what.unit:
            event = self._accepted(event)
        return replace(entry, what=event)

    def _whose(self, unit: str, entry: int, known: Known) -> str:
        """Return whose move it is known to have been that was thought to be a unit's.

        It is another's where none but models of that other one were moved.
        """
        at = bisect_left(self._moves, (entry, frozenset()))
        moved = self._moves[at][1] if at < len(self._moves) else frozenset()
        owners = {self._units.get(known(model), unit) for model in moved if self._units.get(model) == unit}
        return owners.pop() if len(owners) == 1 else unit

    def _accepted(self, event: Accepted) -> Event:
        """Return how the move of another unit than was thought is accepted, with what that does to it."""
        try:
            return accepted(self._session.state, self._session.answer())
        except BadInput:
            return event


def _moves(path: Path) -> list[tuple[int, frozenset[str]]]:
    """Return the models that were moved in each move, with the row that ended it, in order."""
    found: list[tuple[int, frozenset[str]]] = []
    moved: set[str] = set()
    last = 0
    for entry in read_entries(path):
        last = entry.id
        if isinstance(entry.what, ModelSettled):
            moved.add(entry.what.model)
        elif isinstance(entry.what, _ENDS):
            found.append((entry.id, frozenset(moved)))
            moved.clear()
    return [*found, (last, frozenset(moved))]
