"""The video codec: pictures to bytes and back, MPEG-4 Part 2 by OpenCV's FFmpeg, in pieces decoded by themselves.

OpenCV writes and reads files by their names alone.  They lose their name as soon as they are open, where the system
lets them, so that a program that is killed leaves nothing behind; what it left all the same is taken away a day later.
"""

import os
import re
import stat
import struct
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.recording.video.mpegts import EMPTY, PACKET_BYTES, TransportStream
from hardware.camera.video_capture import open_capture, read_image
from overtable_errors import OvertableError

CODEC = "mp4v"
"""Of those that OpenCV's wheels write and a transport stream holds it is the smallest and the quickest.  Its finest
steps, which are what is left of the noise, are taken: no more bits are to be had of it."""
LEAST_PACKETS = 16
"""In fewer FFmpeg does not find a stream."""
_NOMINAL_FPS = 30
"""What FFmpeg is told; each picture's own time is written by ourselves."""
FOLDER = "overtable-"
_FOLDER_NAME = re.compile(rf"{FOLDER}[a-z0-9_]{{8}}")
"""As the temporary folders are called."""
WRITTEN, READ = "piece.avi", "piece.ts"
"""All that is ever in one."""
LEFT_S = 86_400.0
"""A piece takes less than a second: in a folder as old as this nobody is at work."""
_KEY = b"\x00\x00\x01\xb0"
"""The stream's head, which stands before pictures that are whole by themselves."""


class EncodingError(OvertableError):
    """Pictures could not be encoded; the text says why in few words."""


class EncoderMissingError(EncodingError):
    """Nothing can be encoded by this OpenCV."""

    def __init__(self) -> None:
        super().__init__(f"this computer's OpenCV does not write {CODEC}")


@dataclass(kw_only=True)
class PieceEncoder:
    """Some pictures of one size that follow each other, being encoded; they can be decoded by themselves."""

    size: tuple[int, int]
    """Width and height, pixels."""
    _folder: tempfile.TemporaryDirectory[str] = field(
        default_factory=lambda: tempfile.TemporaryDirectory(prefix=FOLDER, ignore_cleanup_errors=True)
    )
    _file: BinaryIO | None = None
    """What is written, while it has a name or none."""
    _writer: cv2.VideoWriter | None = None
    _count: int = 0

    def add(self, image: NDArray[np.uint8]) -> None:
        """Encode a picture, grey or BGR.

        Raises:
            NoEncoder: that cannot be done here.

        """
        if self._writer is None:
            self._writer = self._open_writer()
        self._writer.write(_pad_to_even(image))
        self._count += 1

    def finish(self) -> list[bytes]:
        """End the piece; return every picture as it was encoded.

        Raises:
            NotEncoded: some of them are not there, as when there is no room for temporary files.

        """
        if self._writer is not None:
            self._writer.release()
        try:
            pictures = list(_split_avi(self._file.read())) if self._file else []
        except (OSError, ValueError, struct.error):
            pictures = []
        finally:
            if self._file:
                self._file.close()
            self._folder.cleanup()
        if len(pictures) != self._count:
            raise EncodingError("pictures are lost while they are encoded: is there room for temporary files?")
        return pictures

    @property
    def _path(self) -> Path:
        return Path(self._folder.name) / WRITTEN

    def _open_writer(self) -> cv2.VideoWriter:
        width, height = self.size
        even = width + width % 2, height + height % 2
        writer = cv2.VideoWriter(str(self._path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*CODEC), _NOMINAL_FPS, even)
        if not writer.isOpened():
            self._folder.cleanup()
            raise EncoderMissingError
        self._file = self._path.open("rb")
        if os.name == "posix":
            self._folder.cleanup()  # both have it open
        return writer


def pack_piece(stream: TransportStream, encoded: list[bytes], at_ns: list[int]) -> bytes:
    """Return a piece as it is laid into a segment.

    Args:
        stream: the segment's.
        encoded: its pictures.
        at_ns: when each was taken, since the segment's first.

    """
    packets = (
        stream.build_picture_packets(data, ns, key=data.startswith(_KEY))
        for data, ns in zip(encoded, at_ns, strict=True)
    )
    data = stream.build_tables() + b"".join(packets)
    return data + EMPTY * (LEAST_PACKETS - len(data) // PACKET_BYTES)


def decode_piece(piece: bytes, size: tuple[int, int]) -> Iterator[NDArray[np.uint8]]:
    """Yield the pictures of a piece that was cut out of a segment, BGR, of the size that they were recorded in."""
    width, height = size
    with tempfile.TemporaryDirectory(prefix=FOLDER, ignore_cleanup_errors=True) as folder:
        path = Path(folder) / READ  # read from memory, what cannot be opened ends the process (OpenCV 5.0.0)
        path.write_bytes(piece)
        capture = open_capture(str(path), cv2.CAP_FFMPEG)
        if capture is None:
            return
        if os.name == "posix":
            path.unlink()
            Path(folder).rmdir()
        try:
            while (image := read_image(capture, colour=True)) is not None:
                if image.shape[0] < height or image.shape[1] < width:
                    return
                yield np.ascontiguousarray(image[:height, :width])
        finally:
            capture.release()


def remove_left_folders() -> None:
    """Take away what programs left that were killed: nothing but this module's files, in folders a day old."""
    with os.scandir(tempfile.gettempdir()) as entries:
        names = [each.name for each in entries if _FOLDER_NAME.fullmatch(each.name)]
    for folder in (Path(tempfile.gettempdir()) / name for name in names):
        try:
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or time.time() - status.st_mtime < LEFT_S:
                continue
            if hasattr(os, "getuid") and status.st_uid != os.getuid():
                continue
            for name in (WRITTEN, READ):
                (folder / name).unlink(missing_ok=True)
            folder.rmdir()  # which leaves it where there is anything else in it
        except OSError:
            continue


def _pad_to_even(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture in three channels and with an even width and height, which the codec asks for."""
    if image.ndim == 2:
        image = np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
    height, width = image.shape[:2]
    if not (height % 2 or width % 2):
        return image
    wider = cv2.copyMakeBorder(image, 0, height % 2, 0, width % 2, cv2.BORDER_REPLICATE)
    return np.asarray(wider, dtype=np.uint8)


def _split_avi(data: bytes) -> Iterator[bytes]:
    """Yield the pictures of an AVI file, in which FFmpeg lays each by itself."""
    at = data.index(b"movi") + 4
    while at + 8 <= len(data):
        name, size = data[at : at + 4], *struct.unpack_from("<I", data, at + 4)
        if name == b"idx1":
            return
        if name == b"00dc":
            yield data[at + 8 : at + 8 + size]
        at += 8 + size + size % 2
