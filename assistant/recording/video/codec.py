"""The video codec: pictures to bytes and back, MPEG-4 Part 2 by OpenCV's FFmpeg, in pieces decoded by themselves."""

import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

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
        default_factory=lambda: tempfile.TemporaryDirectory(prefix="overtable-", ignore_cleanup_errors=True)
    )
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
            pictures = list(_split_avi(self._path.read_bytes()))
        except (OSError, ValueError, struct.error):
            pictures = []
        finally:
            self._folder.cleanup()
        if len(pictures) != self._count:
            raise EncodingError("pictures are lost while they are encoded: is there room for temporary files?")
        return pictures

    @property
    def _path(self) -> Path:
        return Path(self._folder.name) / "piece.avi"

    def _open_writer(self) -> cv2.VideoWriter:
        width, height = self.size
        even = width + width % 2, height + height % 2
        writer = cv2.VideoWriter(str(self._path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*CODEC), _NOMINAL_FPS, even)
        if not writer.isOpened():
            self._folder.cleanup()
            raise EncoderMissingError
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
    with tempfile.TemporaryDirectory(prefix="overtable-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "piece.ts"  # read from memory, what cannot be opened ends the process (OpenCV 5.0.0)
        path.write_bytes(piece)
        capture = open_capture(str(path), cv2.CAP_FFMPEG)
        if capture is None:
            return
        try:
            while (image := read_image(capture, colour=True)) is not None:
                if image.shape[0] < height or image.shape[1] < width:
                    return
                yield np.ascontiguousarray(image[:height, :width])
        finally:
            capture.release()


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
