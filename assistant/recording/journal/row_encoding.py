"""Row encoding: what happened as a kind and a body, JSON or, for poses, packed; and the rows as a JSON Schema."""

from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import BaseModel, Field, RootModel, TypeAdapter, ValidationError, create_model

from assistant.errors import BadInput
from assistant.files.documents import Format, describe_validation_error
from assistant.game.events import Event, Stamped
from assistant.recording.journal.hash_chain import DIGEST_BYTES
from assistant.recording.journal.packed_poses import NameTable, PackingError, pack_poses, unpack_poses
from assistant.recording.journal.row_types import (
    BOOKKEEPING_KINDS,
    OBSERVATION_KINDS,
    BookkeepingRow,
    EyesTold,
    Named,
    ObservationRow,
    PosesSeen,
    VideoKept,
    VideoRow,
)

EVENT_KINDS: Mapping[str, type] = {kind.__name__: kind for kind in get_args(Event)}
Body = str | bytes
TimedRow = Stamped | tuple[int, ObservationRow | VideoRow]
"""What can be written: an event with its time, or a time and what was seen or filmed then."""


def encode_row(what: Event | ObservationRow | BookkeepingRow, names: NameTable) -> tuple[str, Body]:
    """Return the kind and the body of a row; a picture's bases and calibrations must have their numbers."""
    form: type = type(what)
    kind = form.__name__
    if isinstance(what, PosesSeen):
        try:
            return kind, pack_poses(what, names)
        except PackingError:
            return kind, what.model_dump_json()
    return kind, _build_adapter(form).dump_json(what).decode()


def decode_row(kind: str, body: Body, names: NameTable) -> Event | ObservationRow:
    """Return what a row tells of.

    Raises:
        BadInput: this version knows no such kind, or the body does not fit it; one sentence, which names no row.

    """
    form = OBSERVATION_KINDS.get(kind) or EVENT_KINDS.get(kind)
    if form is None:
        raise BadInput(f"it is a {kind!r}, which this version does not know; a newer one wrote it")
    try:
        if form is PosesSeen and isinstance(body, bytes):
            return unpack_poses(body, names)
        return cast("Event | ObservationRow", _build_adapter(form).validate_json(body))
    except ValidationError as error:
        raise BadInput(describe_validation_error(error)) from None


def decode_named(body: Body) -> Named:
    """Return what a row `Named` tells; errors as in `decode_row`."""
    try:
        return cast("Named", _build_adapter(Named).validate_json(body))
    except ValidationError as error:
        raise BadInput(describe_validation_error(error)) from None


def decode_video_row(kind: str, body: Body) -> VideoRow:
    """Return what a row tells of the video; errors as in `decode_row`."""
    try:
        return cast(
            "VideoRow", _build_adapter(VideoKept if kind == VideoKept.__name__ else EyesTold).validate_json(body)
        )
    except ValidationError as error:
        raise BadInput(describe_validation_error(error)) from None


@cache
def _build_adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def build_row_format() -> type[BaseModel]:
    """Return the format of a row of the table `events`, which is one of all kinds."""
    rows: list[Any] = [
        _build_row_model(kind, form) for kind, form in {**EVENT_KINDS, **OBSERVATION_KINDS, **BOOKKEEPING_KINDS}.items()
    ]
    any_row: Any = Annotated[reduce(or_, rows), Field(discriminator="kind")]
    doc = "A row of the table `events` of a journal (`overtable.journal/2`), its body unpacked."
    return create_model("JournalRow", __base__=RootModel[any_row], __doc__=doc)


def _build_row_model(kind: str, form: type) -> type[Format]:
    chain = Field(pattern=f"^[0-9a-f]{{{2 * DIGEST_BYTES}}}$", description="Digest of this row and all before it.")
    fields: dict[str, Any] = {
        "id": (int, Field(ge=1)),
        "captured_ns": (int, ...),
        "kind": (Literal[kind], ...),
        "body": (form, ...),
        "chain": (str, chain),
    }
    return create_model(f"{kind}Row", __base__=Format, **fields)
