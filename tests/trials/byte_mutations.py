"""Byte mutations: what turns the content of a file into one that no program wrote."""

import contextlib
import copy
import io
import json
import random
import sqlite3
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

from tests.trials.mutations import EXTREMES
from tests.trials.textual_mutations import TEXT_MUTATIONS

_LONG = (b" ", b"\t", b"9", b"a", b"[", b"{", b"(", b"\x00", b"<a>", b"a.", b"&amp;", b"\xff", "é".encode())
_VALUES: tuple[object, ...] = (
    None, "", "a", b"", b"\xff\xfe", -1, 0, 1, 2**31, 2**63 - 1, -(2**63), 1.5, float("inf"), "1e400", "\u0000",
)  # fmt: skip
"""What may stand in a column of a recording."""
MOST_TEXT_BYTES = 60_000
_UNREADABLE = (sqlite3.Error, ValueError, OverflowError, MemoryError, TypeError, IndexError)
"""What SQLite and its rows raise where an earlier change has left nothing to change."""


def _flip_bits(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 40))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _cut_out(rng: random.Random, data: bytes) -> bytes:
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:start] + data[end:] if rng.random() < 0.5 else data[:end]


def _repeat(rng: random.Random, data: bytes) -> bytes:
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[start:end][:100_000] * rng.choice((1, 2, 20)) + data[end:]


def _put_in_many(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(_LONG) * rng.choice((1, 8, 300, 20_000)) + data[at:]


def _put_in_number(rng: random.Random, data: bytes) -> bytes:
    at, value = rng.randrange(len(data) + 1), rng.choice((0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF))
    written = value.to_bytes(4, rng.choice(("little", "big")))
    return data[:at] + written + data[at + 4 :]


_BYTE_MUTATIONS = (_flip_bits, _flip_bits, _cut_out, _repeat, _put_in_many, _put_in_number)


def mutate_bytes(rng: random.Random, data: bytes) -> bytes:
    """Return content of any kind, changed in a place."""
    return rng.choice(_BYTE_MUTATIONS)(rng, data)


def mutate_text(rng: random.Random, data: bytes) -> bytes:
    """Return a text, changed as a text; one that has grown long by its bytes, for lines of it may be repeated."""
    if len(data) > MOST_TEXT_BYTES:
        return mutate_bytes(rng, data)
    text = rng.choice(TEXT_MUTATIONS)(rng, data.decode("utf-8", "surrogateescape"))
    return text.encode("utf-8", "surrogatepass" if "\ud800" in text else "surrogateescape")


def mutate_json(rng: random.Random, data: bytes) -> bytes:
    """Return a document, changed in what it says; as a text where it is no JSON any more."""
    try:
        return _change_document(rng, json.loads(data))
    except (ValueError, RecursionError):  # an earlier change has broken it, or nested it deep
        return mutate_text(rng, data)


def _change_document(rng: random.Random, document: Any) -> bytes:
    parent, key = _choose_place(rng, document)
    if parent is None:
        return json.dumps(rng.choice(EXTREMES)).encode()
    match rng.randrange(8):
        case 0:
            del parent[key]
        case 1 if isinstance(parent, list):
            parent += (parent[key:] * rng.choice((1, 1, 1, 40)))[:5000]
        case 1:
            parent[rng.choice(("x", "", "id", "format", "name"))] = parent[key]
        case 2:
            parent[key] = [parent[key]]
        case 3:
            other, at = _choose_place(rng, document)
            parent[key] = copy.deepcopy(other[at])
        case 4 if rng.random() < 0.1:
            parent[key] = _nest(rng.choice((50, 900, 3000)), parent[key])
        case _:
            parent[key] = rng.choice(EXTREMES)
    return json.dumps(document).encode()


def _choose_place(rng: random.Random, document: Any) -> tuple[Any, Any]:
    """Return where something stands in a document, as what holds it and its key there; None where nothing holds it."""
    parent, key, node = None, None, document
    while isinstance(node, dict | list) and node and (parent is None or rng.random() < 0.75):
        parent, key = node, rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
        node = parent[key]
    return parent, key


def _nest(depth: int, node: Any) -> Any:
    for _ in range(depth):
        node = [node] if depth % 2 else {"x": node}
    return node


def mutate_archive(mutate: Callable[[random.Random, bytes], bytes]) -> Callable[[random.Random, bytes], bytes]:
    """Return what changes a file in a ZIP, or its name or number."""

    def change(rng: random.Random, data: bytes) -> bytes:
        with contextlib.suppress(Exception):
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                files = [(name, packed.read(name)) for name in packed.namelist()]
            at = rng.randrange(len(files))
            match rng.randrange(6):
                case 0:
                    files[at] = rng.choice(("", "../up", "/top", "a" * 300, "\ud800")), files[at][1]
                case 1:
                    files.append(files[at])
                case 2:
                    files[at] = files[at][0], bytes(rng.choice((10**5, 6 * 10**6)))
                case _:
                    files[at] = files[at][0], mutate(rng, files[at][1])
            written = io.BytesIO()
            kind = rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))
            with warnings.catch_warnings(), zipfile.ZipFile(written, "w", kind) as packed:
                warnings.simplefilter("ignore")  # of two files of one name
                for name, content in files:
                    packed.writestr(name, content)
            return written.getvalue()
        return mutate_bytes(rng, data)

    return change


def mutate_recording(rng: random.Random, data: bytes) -> bytes:
    """Return a recording, changed in a row or in what SQLite knows of it."""
    with contextlib.suppress(*_UNREADABLE), contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.deserialize(data)
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        table = rng.choice(tables)
        columns = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]
        column = rng.choice(columns)
        rowids = [row for (row,) in db.execute(f'SELECT rowid FROM "{table}"')]
        row = rng.choice(rowids) if rowids else 0
        match rng.randrange(8):
            case 0:
                db.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))
            case 1:
                db.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO other')
            case 2:
                db.execute(f'DROP TABLE "{table}"')
            case 3 | 4:
                db.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (rng.choice(_VALUES), row))
            case _:
                (value,) = db.execute(f'SELECT "{column}" FROM "{table}" WHERE rowid = ?', (row,)).fetchone()
                db.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (_change_value(rng, value), row))
        db.commit()
        return db.serialize()
    return mutate_bytes(rng, data)


def _change_value(rng: random.Random, value: object) -> object:
    match value:
        case bytes():
            return mutate_bytes(rng, value)
        case str():
            return mutate_json(rng, value.encode()).decode("utf-8", "replace")
        case int():
            return max(-(2**63), min(2**63 - 1, value + rng.choice((-(10**18), -1, 1, 10**18))))
    return rng.choice(_VALUES)
