"""Output paths: whether a command may write to a file.

That is said before the command's work begins, so that neither the work nor another file is lost.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

from assistant.errors import BadInput

HEAD = 65536
"""Bytes of a file that are looked at before it is taken for one of ours and replaced; no format's name stands later."""


def check_target(path: Path, kind: str, *, replaces: Callable[[bytes], bool]) -> None:
    """Make sure that a result can be written to a file, and that nothing else is lost by it.

    Args:
        path: where the result is to go.
        kind: what it is, such as ``lens file``.
        replaces: says of what is there, by its beginning, whether it is the same kind of thing.

    Raises:
        BadInput: there is no such folder, it or the file is protected, or the file is of another kind.

    """
    if path.is_dir():
        raise BadInput(f"{path}: this is a folder; expected the name of the {kind} to write")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise BadInput(f"{path}: cannot be written, for there is no folder {folder}; make it, or choose another")
    if not os.access(folder, os.W_OK):
        raise BadInput(f"{path}: cannot be written, for nothing may be written to the folder {folder}")
    if not path.exists():
        return
    if not path.is_file() or not path.stat().st_mode & 0o222:  # a rename would replace what is protected
        raise BadInput(f"{path}: cannot be written, for it is protected; choose another name")
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written, for it cannot be read ({error.strerror})") from None
    if head and not replaces(head):
        raise BadInput(f"{path}: what is there is no {kind} and would be lost; choose another name, or move it away")


def is_json_of(name: str) -> Callable[[bytes], bool]:
    """Return what tells a JSON file of a format such as ``overtable.lens``, of any version, by its beginning."""
    opening = json.dumps(name)[:-1].encode() + b"/"
    return lambda head: head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and opening in head


def is_pdf(head: bytes) -> bool:
    """Return whether a file that begins so is a PDF."""
    return head.startswith(b"%PDF-")


def is_svg(head: bytes) -> bool:
    """Return whether a file that begins so is an SVG."""
    return b"<svg" in head
