"""What happened as a row of a journal has it: a kind, and a body that is JSON or, for poses, compact."""

from collections.abc import Mapping
from functools import cache
from typing import Any, cast, get_args

from pydantic import TypeAdapter, ValidationError

from assistant.errors import BadInput
from assistant.files import sentence_of
from assistant.game.events import Event, Stamped
from assistant.record.compact import Misfit, packed, unpacked
from assistant.record.eyes import EyesTold
from assistant.record.names import Names
from assistant.record.seen import SIGHTS, FilmKept, Ledger, Named, PosesSeen, Seen, VideoKept

KINDS: Mapping[str, type] = {kind.__name__: kind for kind in get_args(Event)}
Body = str | bytes
Happening = Stamped | tuple[int, Seen | FilmKept]
"""What can be written: an event with its time, or a time and what was seen or filmed then."""


def written(what: Event | Seen | Ledger, names: Names) -> tuple[str, Body]:
    """Return the kind and the body of a row; a picture's bases and calibrations must have their numbers."""
    form: type = type(what)
    kind = form.__name__
    if isinstance(what, PosesSeen):
        try:
            return kind, packed(what, names)
        except Misfit:
            return kind, what.model_dump_json()
    return kind, _adapter(form).dump_json(what).decode()


def read(kind: str, body: Body, names: Names) -> Event | Seen:
    """Return what a row tells of.

    Raises:
        BadInput: this version knows no such kind, or the body does not fit it; one sentence, which names no row.

    """
    known = SIGHTS.get(kind) or KINDS.get(kind)
    if known is None:
        raise BadInput(f"it is a {kind!r}, which this version does not know; a newer one wrote it")
    try:
        if known is PosesSeen and isinstance(body, bytes):
            return unpacked(body, names)
        return cast("Event | Seen", _adapter(known).validate_json(body))
    except ValidationError as error:
        raise BadInput(sentence_of(error)) from None


def read_named(body: Body) -> Named:
    """Return what a row `Named` tells; errors as in `read`."""
    try:
        return cast("Named", _adapter(Named).validate_json(body))
    except ValidationError as error:
        raise BadInput(sentence_of(error)) from None


def read_filmed(kind: str, body: Body) -> FilmKept:
    """Return what a row tells of the video; errors as in `read`."""
    try:
        return cast("FilmKept", _adapter(VideoKept if kind == VideoKept.__name__ else EyesTold).validate_json(body))
    except ValidationError as error:
        raise BadInput(sentence_of(error)) from None


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
