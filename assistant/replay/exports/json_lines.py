"""A recording as JSON Lines (`overtable.events/1`): the game first, then what happened, a line each."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, Field, RootModel, TypeAdapter, create_model

from assistant.files.documents import Format
from assistant.files.output_path import is_json_of
from assistant.game.situation_file import SituationForm, encode_situation
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.row_encoding import EVENT_KINDS
from assistant.recording.journal.row_types import OBSERVATION_KINDS, CalibrationSeen, PosesSeen
from assistant.replay.exports.exporter import Exporter, ExportOptions, write_lines
from assistant.replay.playback import play_events, play_recording, read_first_state
from assistant.replay.recorded_game import RecordedGame
from assistant.rules.answer_documents import VerdictForm, encode_verdict
from assistant.table.declared_move import VerdictFinder


class GameLine(Format):
    """The first line: what the game began with."""

    kind: Literal["Game"]
    format: Literal["overtable.events/1"]
    title: str
    situation: SituationForm


class EventLine(Format):
    """What every other line says."""

    entry: int = Field(description="the row of the journal")
    at_ns: int = Field(description="since the game's beginning; never less than in the line before")
    captured_ns: int = Field(description="the capture time of the picture that it was told or seen with")


class VerdictLine(EventLine):
    """What the referee says from here on, as far as it differs from what it said before."""

    kind: Literal["Verdict"]
    verdict: VerdictForm | None = Field(description="null while nothing can be judged")


def _build_line_model(kind: str, event: type) -> Any:  # noqa: ANN401 - a type that is made here
    return create_model(f"{kind}Line", __base__=EventLine, kind=(Literal[kind], ...), event=(event, ...))  # type: ignore[arg-type]


_LINES = {kind: _build_line_model(kind, event) for kind, event in {**EVENT_KINDS, **OBSERVATION_KINDS}.items()}
LINE_FORMATS: dict[str, type[BaseModel]] = {"Game": GameLine, "Verdict": VerdictLine, **_LINES}
"""Of each kind of line."""


_LINE: Any = Annotated[Union[tuple(LINE_FORMATS.values())], Field(discriminator="kind")]  # noqa: UP007 - made of a tuple
_ROOT: Any = RootModel
EventsForm: type[BaseModel] = _ROOT[_LINE]
"""Any line of the file."""


@cache
def _build_adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - whatever pydantic writes
    return TypeAdapter(kind)


def dump_event(event: object) -> dict[str, Any]:
    """Return an event, or what was seen, as plain JSON."""
    kind: Any = type(event)
    document: dict[str, Any] = _build_adapter(kind).dump_python(event, mode="json")
    return document


def export_lines(path: Path, *, verdicts: bool = False, poses: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the lines of a recording.

    Args:
        path: the recording.
        verdicts: also what the referee says, whenever that changes.
        poses: also the poses of every picture in which one changed, and the calibrations that they rest on.

    Raises:
        BadInput: it cannot be read, here or on the way.

    """
    about = read_about(path)
    situation = encode_situation(read_first_state(path, about))
    yield {"kind": "Game", "format": "overtable.events/1", "title": about.get("title", ""), "situation": situation}
    before: dict[str, Any] | None = None
    judged, find_verdict = None, VerdictFinder().find
    for step in play_recording(path) if poses else play_events(path):
        what = step.entry.what
        happened = {"entry": step.entry.id, "at_ns": step.at_ns, "captured_ns": step.entry.captured_ns}
        if poses or not isinstance(what, PosesSeen | CalibrationSeen):
            yield {"kind": type(what).__name__, **happened, "event": dump_event(what)}
        state = step.session.state
        if verdicts and state is not judged:
            judged, verdict = state, find_verdict(state)
            now = encode_verdict(verdict) if verdict else None
            if now != before:
                before = now
                yield {"kind": "Verdict", **happened, "verdict": now}


def export_json_lines(recording: Path, out: Path, options: ExportOptions) -> str:
    """Write a recorded game as JSON Lines."""
    whole_ns = max(1, RecordedGame(recording).find_end_ns())

    def encode_lines() -> Iterator[str]:
        for line in export_lines(recording, verdicts=options.verdicts, poses=options.poses):
            options.progress(line.get("at_ns", 0) / whole_ns)
            yield json.dumps(line, ensure_ascii=False)

    return f"{write_lines(out, encode_lines())} lines"


EXPORTER = Exporter(
    name="file of events",
    export=export_json_lines,
    options=frozenset({"verdicts", "poses"}),
    recognises=is_json_of("overtable.events"),
    activity="Writing",
)
