"""JPEG pictures as cameras send them: their size, and their brightness."""

import struct

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.video_capture import convert_channels

SIZED = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""The marker codes of frame headers, which hold the size (ITU-T T.81, table B.1)."""
BARE = frozenset({0x01, *range(0xD0, 0xD8)})
"""Markers without a length."""


def read_jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Return the width and height that a JPEG says it has, pixels; None of what is none.

    Nothing is decoded: a picture of a few bytes may claim to fill the memory.

    >>> read_jpeg_size(b"no picture") is None
    True
    """
    if not data.startswith(b"\xff\xd8"):
        return None
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        code = data[at + 1]
        if code == 0xFF or code in BARE:  # filling before a marker, or a marker alone
            at += 1 if code == 0xFF else 2
            continue
        if code in SIZED:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return (width, height) if width and height else None
        at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


def decode_jpeg_grey(data: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """Return a picture's brightness, (height, width); None where it was cut short or damaged on its way."""
    try:
        image = cv2.imdecode(data, cv2.IMREAD_GRAYSCALE)
    except cv2.error:  # it claims a size that cannot be
        return None
    return None if image is None else convert_channels(np.asarray(image, dtype=np.uint8), colour=False)
