"""The film writer: the codecs in which OpenCV's wheels write films, by the ending of a file's name."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2

from assistant.errors import BadInput

CODECS = {".mp4": "mp4v", ".webm": "VP80"}
"""MPEG-4 Part 2, which players of films play and browsers do not; VP8, which browsers play, too.  H.264 is not in
OpenCV's wheels, and VP9 takes four times VP8's time."""


def open_film_writer(out: Path, size: tuple[int, int], fps: int) -> cv2.VideoWriter:
    """Return what writes a film's pictures, BGR, one after the other.

    Args:
        out: the file; the ending of its name chooses the codec.
        size: width and height, pixels, both even.
        fps: pictures a second.

    Raises:
        BadInput: this OpenCV writes no such film.

    """
    with _hold_stderr():
        codec = cv2.VideoWriter.fourcc(*CODECS[out.suffix.lower()])
        writer = cv2.VideoWriter(str(out), cv2.CAP_FFMPEG, codec, fps, size)
    if writer.isOpened():
        return writer
    raise BadInput(f"{out}: this machine's OpenCV can write no such film; export with --to html instead")


def is_webm(head: bytes) -> bool:
    """Return whether a file that begins so is WebM."""
    return head[:4] == b"\x1a\x45\xdf\xa3"


@contextmanager
def _hold_stderr() -> Iterator[None]:
    """Keep OpenCV from complaining that WebM has no name of four letters for its codec, which it needs not."""
    try:
        number = sys.__stderr__.fileno()  # type: ignore[union-attr]  # AttributeError is seen to
    except (AttributeError, ValueError, OSError):
        yield
        return
    kept = os.dup(number)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, number)
        yield
    finally:
        os.dup2(kept, number)
        os.close(kept)
        os.close(nowhere)
