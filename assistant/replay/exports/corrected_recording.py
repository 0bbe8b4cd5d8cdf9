"""The corrected recording: a copy of a game in which models are told apart that had carried each other's markers.

Models and units are called by the names that they are known to have had.  The game as it was played stays what was
recorded; this is a copy beside it.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import get_args

from assistant.errors import BadInput
from assistant.game.events import (
    Accepted,
    Bumped,
    Decision,
    Declared,
    Event,
    Exchanged,
    ModelPlaced,
    ModelSettled,
    ModelsRemoved,
    PutBack,
    Restored,
    RestoringBegan,
    Ruled,
    Stamped,
    StatusSet,
    StepBegan,
    Swapped,
    TurnBegan,
    Undone,
    Withdrawn,
    is_about_past,
)
from assistant.game.history import exchange_model
from assistant.game.state import Declaration, Setting
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about, read_pictures
from assistant.recording.journal.row_encoding import TimedRow
from assistant.recording.journal.row_types import Called, JournalEntry, KeptPicture, ObservationRow, PosesSeen
from assistant.recording.journal.writer import Journal
from assistant.recording.verification import verify
from assistant.replay.exports.exporter import Exporter, ExportOptions
from assistant.replay.playback import play_entry, read_first_state
from assistant.table.decisions import decide_acceptance
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone

TrueName = Callable[[str], str]
"""The name that a model is known to have had; of anything else its own."""


def rename_in_observation(seen: ObservationRow, true_name: TrueName) -> ObservationRow:
    """Return what was seen, or called, of the models that it is known to have been."""
    match seen:
        case PosesSeen(poses=poses):
            turned = (pose.model_copy(update={"model": true_name(pose.model)}) for pose in poses)
            return seen.model_copy(update={"poses": tuple(turned)})
        case Called(findings=findings, effects=effects):
            return seen.model_copy(
                update={
                    "findings": tuple(
                        f.model_copy(
                            update={
                                "subjects": _rename_all(f.subjects, true_name),
                                "text": _rename_in_text(f.text, true_name),
                            }
                        )
                        for f in findings
                    ),
                    "effects": tuple(
                        e.model_copy(update={"subjects": _rename_all(e.subjects, true_name)}) for e in effects
                    ),
                }
            )
        case _:
            return seen


def rename_in_event(event: Event, true_name: TrueName, units: Mapping[str, str]) -> Event:
    """Return an event with its models, and its unit where that is another, called by their known names.

    Args:
        event: as it was recorded.
        true_name: of each model.
        units: whose move it is known to have been, by the unit whose it was thought to be.

    """
    match event:
        case ModelPlaced() | ModelSettled():
            return replace(event, model=true_name(event.model))
        case Declared(declaration=declaration):
            return Declared(declaration=_rename_in_declaration(declaration, true_name, units))
        case Accepted():
            return replace(
                event,
                models=_rename_all(event.models, true_name),
                unit=units.get(event.unit, event.unit) if event.unit else None,
                status={units.get(unit, unit): status for unit, status in event.status.items()},
                off=_rename_all(event.off, true_name),
                lost=_rename_all(event.lost, true_name),
            )
        case Ruled(ruling=ruling):
            unit = units.get(ruling.unit, ruling.unit) if ruling.unit else None
            return Ruled(ruling=replace(ruling, subjects=_rename_all(ruling.subjects, true_name), unit=unit))
        case Bumped() | PutBack() | ModelsRemoved():
            return replace(event, models=_rename_all(event.models, true_name))
        case Swapped(models=(one, two), tags=tags, rings=rings):
            return replace(
                event,
                models=(true_name(one), true_name(two)),
                tags={tag: true_name(model) for tag, model in tags.items()},
                rings={ring: true_name(model) for ring, model in rings.items()},
            )
        case RestoringBegan(restoring=restoring):
            places = {true_name(model): stood for model, stood in restoring.places.items()}
            return RestoringBegan(restoring=replace(restoring, places=places))
        case Restored():
            return replace(event, back=_rename_all(event.back, true_name), stay=_rename_all(event.stay, true_name))
        case StatusSet():
            return replace(event, off=_rename_all(event.off, true_name))
        case _:
            return event


def _rename_in_declaration(declaration: Declaration, true_name: TrueName, units: Mapping[str, str]) -> Declaration:
    intent = {name: _rename_in_setting(value, true_name) for name, value in declaration.intent.items()}
    return replace(
        declaration,
        unit=units.get(declaration.unit, declaration.unit),
        intent=intent,
        lost=_rename_all(declaration.lost, true_name),
    )


def _rename_in_setting(value: Setting, true_name: TrueName) -> Setting:
    if isinstance(value, str):
        return true_name(value)
    return _rename_all(value, true_name) if isinstance(value, tuple) else value


def _rename_all(models: Iterable[str], true_name: TrueName) -> tuple[str, ...]:
    return tuple(true_name(model) for model in models)


def _rename_in_text(text: str, true_name: TrueName) -> str:
    """Return a sentence about models by their known names."""
    return re.sub(r"[\w-]+", lambda word: true_name(word.group()), text)


ROWS_AT_ONCE = 500
"""So many rows are written together."""
_ENDS = Accepted | Withdrawn | TurnBegan | StepBegan
"""What ends the making of a move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakenIdentity:
    """While two models were taken for each other."""

    models: tuple[str, str]
    from_entry: int
    """The first row that is wrong about them."""
    until_entry: int
    """The row that says so."""
    whole: bool
    """It was so before anything was seen."""

    def covers(self, entry: int) -> bool:
        """Whether a row is wrong about them."""
        return self.from_entry <= entry < self.until_entry


def write_corrected_copy(path: Path, out: Path) -> tuple[MistakenIdentity, ...]:
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
    mistakes = _find_mistaken_identities(path)
    if not mistakes:
        raise BadInput(
            f"{path}: nobody said of it that two models had carried each other's markers for a while, so there is"
            " nothing to correct"
        )
    about = read_about(path)
    title = f"{about.get('title', path.stem)}, as corrected"
    corrected_about = {**about, "title": title, "corrected": f"{path.name}, head {verify(path).head}"}
    corrected_about.pop("format")
    with Journal(out, about=corrected_about) as journal:
        pictures = read_pictures(path)
        picture = next(pictures, None)
        told_again = _Correction(path, mistakes).correct_rows()
        while rows := list(islice(told_again, ROWS_AT_ONCE)):
            journal.append(*rows)
            while picture is not None and picture.captured_ns <= _find_captured_ns(rows[-1]):
                journal.keep(picture)
                picture = next(pictures, None)
        _keep_remaining_pictures(journal, picture, pictures)
    return mistakes


def _keep_remaining_pictures(journal: Journal, picture: KeptPicture | None, pictures: Iterator[KeptPicture]) -> None:
    if picture is not None:
        journal.keep(picture)
    for each in pictures:
        journal.keep(each)


def _find_captured_ns(row: TimedRow) -> int:
    return row.captured_ns if isinstance(row, Stamped) else row[0]


def _find_mistaken_identities(path: Path) -> tuple[MistakenIdentity, ...]:
    """Return who was taken for each other before somebody said so, if that was not taken back."""
    decided: list[JournalEntry] = []
    seen: int | None = None
    times: list[tuple[int, int]] = []  # the latest time so far and the row, whenever it grew
    for entry in read_entries(path):
        if not times or entry.captured_ns > times[-1][0]:
            times.append((entry.captured_ns, entry.id))
        what = entry.what
        seen = entry.id if seen is None and isinstance(what, PosesSeen) else seen
        if isinstance(what, Undone) and what.ruling is None and decided:
            decided.pop()
        elif isinstance(what, get_args(Decision)) and not is_about_past(what):
            decided.append(entry)
    mistakes = []
    for entry in decided:
        if isinstance(entry.what, Swapped) and entry.what.since_ns is not None:
            at = bisect_left(times, (entry.what.since_ns, 0))
            first = times[at][1] if at < len(times) else entry.id
            whole = seen is None or first <= seen
            mistakes.append(
                MistakenIdentity(models=entry.what.models, from_entry=first, until_entry=entry.id, whole=whole)
            )
    return tuple(mistakes)


class _Correction:
    """Tells a game once more, with every row as it is known to have been."""

    def __init__(self, path: Path, mistakes: Sequence[MistakenIdentity]) -> None:
        self._path, self._mistakes = path, mistakes
        self._session = GameSession(read_first_state(path, read_about(path)), solve_zone=skip_zone)
        self._units = {model.id: unit.id for unit, model in self._session.state.iterate_models()}
        self._moves = _collect_moved_models(path)

    def correct_rows(self) -> Iterator[TimedRow]:
        """Yield the rows of the copy."""
        reports = {mistake.until_entry for mistake in self._mistakes}
        for entry in read_entries(self._path):
            for mistake in self._mistakes:
                if mistake.from_entry == entry.id and not mistake.whole:
                    yield self._play_row(replace(entry, what=Exchanged(models=mistake.models)))
                    yield self._play_row(replace(entry, what=self._session.observations.exchange(mistake.models)))
            if entry.id not in reports:
                yield self._play_row(self._correct_entry(entry))

    def _play_row(self, entry: JournalEntry) -> TimedRow:
        try:
            play_entry(self._session, entry, self._path)
        except BadInput as error:
            raise BadInput(f"{error}, once its models are told apart: it can only be replayed as it was") from None
        what = entry.what
        return (
            (entry.captured_ns, what)
            if isinstance(what, ObservationRow)
            else Stamped(captured_ns=entry.captured_ns, event=what)
        )

    def _correct_entry(self, entry: JournalEntry) -> JournalEntry:
        """Return a row as it is known to have been."""
        mistakes = [mistake for mistake in self._mistakes if mistake.covers(entry.id)]
        if not mistakes:
            return entry

        def true_name(model: str) -> str:
            for mistake in mistakes:
                model = exchange_model(mistake.models, model)
            return model

        if isinstance(entry.what, ObservationRow):
            return replace(entry, what=rename_in_observation(entry.what, true_name))
        units = {unit: self._find_mover(unit, entry.id, true_name) for unit in set(self._units.values())}
        event = rename_in_event(entry.what, true_name, units)
        if isinstance(entry.what, Accepted) and isinstance(event, Accepted) and event.unit != entry.what.unit:
            event = self._accept_again(event)
        return replace(entry, what=event)

    def _find_mover(self, unit: str, entry: int, true_name: TrueName) -> str:
        """Return whose move it is known to have been that was thought to be a unit's.

        It is another's where none but models of that other one were moved.
        """
        at = bisect_left(self._moves, (entry, frozenset()))
        moved = self._moves[at][1] if at < len(self._moves) else frozenset()
        owners = {self._units.get(true_name(model), unit) for model in moved if self._units.get(model) == unit}
        return owners.pop() if len(owners) == 1 else unit

    def _accept_again(self, event: Accepted) -> Event:
        """Return how the move of another unit than was thought is accepted, with what that does to it."""
        try:
            return decide_acceptance(self._session.state, self._session.consult_referee())
        except BadInput:
            return event


def _collect_moved_models(path: Path) -> list[tuple[int, frozenset[str]]]:
    """Return the models that were moved in each move, with the row that ended it, in order."""
    moves: list[tuple[int, frozenset[str]]] = []
    moved: set[str] = set()
    last = 0
    for entry in read_entries(path):
        last = entry.id
        if isinstance(entry.what, ModelSettled):
            moved.add(entry.what.model)
        elif isinstance(entry.what, _ENDS):
            moves.append((entry.id, frozenset(moved)))
            moved.clear()
    return [*moves, (last, frozenset(moved))]


def export_corrected_recording(recording: Path, out: Path, options: ExportOptions) -> str:  # noqa: ARG001 - an `Export`
    """Write a recorded game as it is known to have been."""
    out.unlink()  # a journal is begun where there is none
    mistakes = write_corrected_copy(recording, out)
    pairs = (
        f"{' and '.join(m.models)} from {'the beginning' if m.whole else f'row {m.from_entry}'} on" for m in mistakes
    )
    return f"a recording of the game as it is known to have been: {'; '.join(pairs)} told apart"


EXPORTER = Exporter(name="recording", export=export_corrected_recording)
