"""A recording as MCAP, for robotics tools: a channel of JSON messages for each kind of thing that happened.

Written here as its specification says (https://mcap.dev/spec, version 0 of the format), for the library that writes it
brings two compressors along.
"""

import json
import struct
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from assistant.replay.exports.json_lines import LINE_FORMATS, export_lines

MAGIC = b"\x89MCAP0\r\n"
CHUNK = 1 << 20
"""Messages are put together to chunks of about so many bytes, each with its index, so that tools can jump in time."""
_HEADER, _FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _INDEX = range(1, 8)
_CHUNK_INDEX, _STATISTICS, _SUMMARY_OFFSET, _DATA_END = 0x08, 0x0B, 0x0E, 0x0F


def write_mcap(recording: Path, out: Path, progress: Callable[[int], None] = lambda _: None) -> int:
    """Write a recording's events, poses, calibrations and verdicts; return how many messages that are.

    Args:
        recording: the game.
        out: the file.
        progress: is told how far it has come, nanoseconds since the game's beginning.

    Raises:
        BadInput: it cannot be read, here or on the way.

    """
    with out.open("wb") as file:
        writer = McapWriter(file)
        ids = {
            kind: writer.add_channel(
                topic=f"/overtable/{kind}", schema=f"overtable.{kind}", form=json.dumps(form.model_json_schema())
            )
            for kind, form in LINE_FORMATS.items()
        }
        told = export_lines(recording, verdicts=True, poses=True)
        game, first = next(told), next(told, None)
        for line in chain([game], [first] if first else [], told):
            # What the game began with is told at the time of the first thing that happened.
            time_ns = (first or {}).get("captured_ns", 0) if line is game else line["captured_ns"]
            progress(line.get("at_ns", 0))
            writer.add_message(ids[line["kind"]], time_ns, json.dumps(line, ensure_ascii=False).encode())
        return writer.close()


class McapWriter:
    """Writes a file in chunks that are not compressed."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0
        self._schemas: list[bytes] = []
        self._channels: list[bytes] = []
        self._chunks: list[bytes] = []
        """The records of their index."""
        self._counts: dict[int, int] = defaultdict(int)
        self._times: list[int] = []
        """The first and the last of the whole file."""
        self._start_chunk()
        self._put(MAGIC + _pack_record(_HEADER, _pack_text("") + _pack_text("overtable")))

    def add_channel(self, *, topic: str, schema: str, form: str) -> int:
        """Add a channel of JSON messages with a JSON Schema; return its id.  All are added before the first message."""
        number = len(self._channels) + 1
        described = struct.pack("<H", number) + _pack_text(schema) + _pack_text("jsonschema") + _pack_text(form)
        self._schemas.append(_pack_record(_SCHEMA, described))
        named = struct.pack("<HH", number, number) + _pack_text(topic) + _pack_text("json") + _pack_map({})
        self._channels.append(_pack_record(_CHANNEL, named))
        return number

    def add_message(self, channel: int, time_ns: int, data: bytes) -> None:
        """Add a message."""
        if not self._body:  # a chunk can be read by itself
            self._body += b"".join((*self._schemas, *self._channels))
        self._index[channel].append((time_ns, len(self._body)))
        self._counts[channel] += 1
        head = struct.pack("<HIQQ", channel, self._counts[channel], time_ns, time_ns)
        self._body += _pack_record(_MESSAGE, head + data)
        if len(self._body) >= CHUNK:
            self._end_chunk()

    def close(self) -> int:
        """Write what is left and the summary; return how many messages there are."""
        if self._body:
            self._end_chunk()
        self._put(_pack_record(_DATA_END, struct.pack("<I", 0)))
        start, offsets = self._at, b""
        groups = ((_SCHEMA, self._schemas), (_CHANNEL, self._channels), (_CHUNK_INDEX, self._chunks))
        statistics = [_pack_record(_STATISTICS, self._pack_statistics())]
        for code, records in (*groups, (_STATISTICS, statistics)):
            began = self._at
            self._put(b"".join(records))
            offsets += _pack_record(_SUMMARY_OFFSET, struct.pack("<BQQ", code, began, self._at - began))
        offset_start = self._at
        self._put(offsets)
        self._put(_pack_record(_FOOTER, struct.pack("<QQI", start, offset_start, 0)) + MAGIC)
        return sum(self._counts.values())

    def _pack_statistics(self) -> bytes:
        counts = (sum(self._counts.values()), len(self._schemas), len(self._channels), 0, 0, len(self._chunks))
        times = (min(self._times, default=0), max(self._times, default=0))
        return struct.pack("<QHIIIIQQ", *counts, *times) + _pack_numbers(self._counts)

    def _start_chunk(self) -> None:
        self._body = bytearray()
        self._index: dict[int, list[tuple[int, int]]] = defaultdict(list)

    def _end_chunk(self) -> None:
        body, index = bytes(self._body), self._index
        times = [time_ns for entries in index.values() for time_ns, _ in entries]
        span = struct.pack("<QQ", min(times), max(times))
        head = span + struct.pack("<QI", len(body), zlib.crc32(body)) + _pack_text("")
        chunk_at = self._at
        self._put(_pack_record(_CHUNK, head + struct.pack("<Q", len(body)) + body))
        chunk_long, index_at, places = self._at - chunk_at, self._at, {}
        for channel, entries in index.items():
            places[channel] = self._at
            pairs = b"".join(struct.pack("<QQ", *entry) for entry in entries)
            self._put(_pack_record(_INDEX, struct.pack("<HI", channel, len(pairs)) + pairs))
        self._chunks.append(
            _pack_record(
                _CHUNK_INDEX,
                span
                + struct.pack("<QQ", chunk_at, chunk_long)
                + _pack_numbers(places)
                + struct.pack("<Q", self._at - index_at)
                + _pack_text("")
                + struct.pack("<QQ", len(body), len(body)),
            )
        )
        self._times += [min(times), max(times)]
        self._start_chunk()

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._at += len(data)


def _pack_record(code: int, content: bytes) -> bytes:
    return struct.pack("<BQ", code, len(content)) + content


def _pack_text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def _pack_map(texts: Mapping[str, str]) -> bytes:
    return _pack_sized(_pack_text(key) + _pack_text(value) for key, value in texts.items())


def _pack_numbers(numbers: Mapping[int, int]) -> bytes:
    return _pack_sized(struct.pack("<HQ", key, value) for key, value in numbers.items())


def _pack_sized(parts: Iterable[bytes]) -> bytes:
    data = b"".join(parts)
    return struct.pack("<I", len(data)) + data
