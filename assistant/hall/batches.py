"""Batches of rows: how the rows of a journal are put into one message to the hall, and taken out of it again.

Many rows of poses go in one message a fifth of a second, so that what is thinned on the way is messages and not rows.
Whatever a message holds, taking it apart ends at once, in rows or in one sentence.
"""

import json
import re
import struct
from collections.abc import Iterable, Mapping

from pydantic import TypeAdapter, ValidationError

from assistant.errors import BadInput
from assistant.recording.journal.hash_chain import DIGEST_BYTES, compute_first_digest
from assistant.recording.journal.mirror import ChainedRow

MOST_BATCH_BYTES = 256 * 1024
"""A batch ends with the row that comes to so much."""
MOST_MESSAGE_BYTES = 8 * 2**20
"""Of a batch with one long row, such as a picture of the camera; the broker takes no more."""
MOST_ROWS = 4000
MOST_KIND_BYTES = 100
MOST_ABOUT_BYTES = 4 * 2**20
LAYOUT = b"OTR1"
_RECORDING = re.compile("[0-9a-f]{16}")
_ROW = struct.Struct(f"<qqB{DIGEST_BYTES}scII")
"""Row, capture time, bytes of the kind, digest, `T` (text) or `B`, bytes of the body and of the picture."""
_ABOUT: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])


def pack_rows(recording: str, rows: Iterable[ChainedRow]) -> bytes:
    """Return the message that holds some rows of a recording, one after the other."""
    parts = [LAYOUT, recording.encode()]
    for row in rows:
        kind = row.kind.encode()
        text = isinstance(row.body, str)
        body = row.body.encode() if isinstance(row.body, str) else row.body
        form = b"T" if text else b"B"
        parts += [_ROW.pack(row.id, row.captured_ns, len(kind), row.chain, form, len(body), len(row.jpeg))]
        parts += [kind, body, row.jpeg]
    return b"".join(parts)


def unpack_rows(message: bytes) -> tuple[str, list[ChainedRow]]:
    """Return the recording that a message is of, and its rows.

    Raises:
        BadInput: it is no such message.

    """
    head = len(LAYOUT)
    if not message.startswith(LAYOUT) or len(message) < head + 16:
        raise BadInput("this message holds no rows of a recording")
    try:
        recording, at, rows = message[head : head + 16].decode("ascii"), head + 16, list[ChainedRow]()
        while at < len(message):
            row, captured_ns, kinds, chain, form, size, picture = _ROW.unpack_from(message, at)
            at += _ROW.size
            ends = at + kinds, at + kinds + size, at + kinds + size + picture
            if ends[2] > len(message) or kinds > MOST_KIND_BYTES or form not in (b"T", b"B") or len(rows) == MOST_ROWS:
                raise BadInput("a message breaks off within a row, or has too many")
            body = message[ends[0] : ends[1]]
            rows.append(
                ChainedRow(
                    id=row,
                    captured_ns=captured_ns,
                    kind=message[at : ends[0]].decode(),
                    body=body.decode() if form == b"T" else body,
                    chain=chain,
                    jpeg=message[ends[1] : ends[2]],
                )
            )
            at = ends[2]
    except (struct.error, UnicodeDecodeError):
        raise BadInput("a message of rows is damaged") from None
    if not _RECORDING.fullmatch(recording):
        raise BadInput("a message names no recording")
    return recording, rows


def make_first_row(about: Mapping[str, str]) -> ChainedRow:
    """Return row 0 of a recording: what its game started from, which stands before the first of its rows."""
    body = json.dumps(dict(about), ensure_ascii=False)
    return ChainedRow(id=0, captured_ns=0, kind="about", body=body, chain=compute_first_digest(about))


def read_first_row(row: ChainedRow) -> dict[str, str]:
    """Return what a game started from.

    Raises:
        BadInput: the row does not say so.

    """
    if row.kind != "about" or len(row.body) > MOST_ABOUT_BYTES:
        raise BadInput("a recording does not begin with what its game started from")
    try:
        about = _ABOUT.validate_json(row.body)
    except ValidationError:
        raise BadInput("a recording does not say what its game started from") from None
    if compute_first_digest(about) != row.chain:
        raise BadInput("what a game started from is not what its digest says")
    return about
