"""A recording as JSON Lines (`overtable.events/1`): the game first, then what happened, a line each."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, Field, RootModel, TypeAdapter, create_model

from assistant.files import Format
from assistant.game.situation import to_json
from assistant.game.situation_form import SituationForm
from assistant.judged import verdict_on
from assistant.past.playing import first_state, steps, told_steps
from assistant.record.calibrations import CalibrationSeen
from assistant.record.journal import KINDS, SIGHTS, PosesSeen, read_about
from assistant.rules.formats import VerdictForm, verdict_json


class GameLine(Format):
    """The first line: what the game began with."""

    kind: Literal["Game"]
    format: Literal["overtable.events/1"]
    title: str
    situation: SituationForm


class Happened(Format):
    """What every other line says."""

    entry: int = Field(description="the row of the journal")
    at_ns: int = Field(description="since the game's beginning; never less than in the line before")
    captured_ns: int = Field(description="the capture time of the picture that it was told or seen with")


class VerdictLine(Happened):
    """What the referee says from here on, as far as it differs from what it said before."""

    kind: Literal["Verdict"]
    verdict: VerdictForm | None = Field(description="null while nothing can be judged")


def _line_of(kind: str, event: type) -> Any:  # noqa: ANN401 - a type that is made here
    return create_model(f"{kind}Line", __base__=Happened, kind=(Literal[kind], ...), event=(event, ...))  # type: ignore[arg-type]


_LINES = {kind: _line_of(kind, event) for kind, event in {**KINDS, **SIGHTS}.items()}
FORMS: dict[str, type[BaseModel]] = {"Game": GameLine, "Verdict": VerdictLine, **_LINES}
"""Of each kind of line."""


_LINE: Any = Annotated[Union[tuple(FORMS.values())], Field(discriminator="kind")]  # noqa: UP007 - made of a tuple
_ROOT: Any = RootModel
EventsForm: type[BaseModel] = _ROOT[_LINE]
"""Any line of the file."""


@cache
def _writer(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - whatever pydantic writes
    return TypeAdapter(kind)


def event_json(event: object) -> dict[str, Any]:
    """Return an event, or what was seen, as plain JSON."""
    kind: Any = type(event)
    document: dict[str, Any] = _writer(kind).dump_python(event, mode="json")
    return document


def lines(path: Path, *, verdicts: bool = False, poses: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the lines of a recording.

    Args:
        path: the recording.
        verdicts: also what the referee says, whenever that changes.
        poses: also the poses of every picture in which one changed, and the calibrations that they rest on.

    Raises:
        BadInput: it cannot be read, here or on the way.

    """
    about = read_about(path)
    situation = to_json(first_state(path, about))
    yield {"kind": "Game", "format": "overtable.events/1", "title": about.get("title", ""), "situation": situation}
    said: dict[str, Any] | None = None
    judged = None
    for step in steps(path) if poses else told_steps(path):
        what = step.entry.what
        happened = {"entry": step.entry.id, "at_ns": step.at_ns, "captured_ns": step.entry.captured_ns}
        if poses or not isinstance(what, PosesSeen | CalibrationSeen):
            yield {"kind": type(what).__name__, **happened, "event": event_json(what)}
        state = step.session.state
        if verdicts and state is not judged:
            judged, verdict = state, verdict_on(state)
            now = verdict_json(verdict) if verdict else None
            if now != said:
                said = now
                yield {"kind": "Verdict", **happened, "verdict": now}
