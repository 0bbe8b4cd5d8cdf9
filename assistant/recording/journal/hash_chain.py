"""The hash chain: every row of a journal carries a digest over itself and the digest of the row before.

Whoever changes a row, takes one out or puts one in has to make every digest after it anew; the head of the chain, if
somebody else wrote it down, then no longer lies on it.
"""

import hashlib
import json
import struct
from collections.abc import Mapping

DIGEST_BYTES = 16
"""Of SHA-256; half of it is enough against anyone who would have to find a second row with the same digest."""
_PLACE = struct.Struct("<qq")
_KIND = struct.Struct("<H")


def compute_first_digest(about: Mapping[str, str]) -> bytes:
    """Return the digest before the first row, over what the game started from."""
    text = json.dumps(sorted(about.items()), ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()[:DIGEST_BYTES]


def compute_next_digest(before: bytes, row: int, captured_ns: int, kind: str, body: str | bytes) -> bytes:
    """Return the digest of a row that follows another."""
    named = kind.encode()
    content = (b"T", body.encode()) if isinstance(body, str) else (b"B", body)
    data = b"".join((before, _PLACE.pack(row, captured_ns), _KIND.pack(len(named)), named, *content))
    return hashlib.sha256(data).digest()[:DIGEST_BYTES]
