"""The video recorder: writes the camera's pictures beside a journal, in a thread of its own that nobody waits for."""

import contextlib
import hashlib
import logging
import os
import queue
import sys
import threading
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import cv2

from assistant.recording.journal.row_types import VideoKept
from assistant.recording.video.codec import (
    EncoderMissingError,
    EncodingError,
    PieceEncoder,
    pack_piece,
    remove_left_folders,
)
from assistant.recording.video.mpegts import TransportStream
from hardware.frame import Frame

PIECE_NS = 400_000_000
"""A piece is written when it has become so long, so that no more is lost when the process dies."""
SEGMENT_NS = 60_000_000_000
"""A new file is begun after so long."""
QUEUE_LENGTH = 6
"""So many pictures wait to be encoded at most; then others are left out."""
MOST_FAULTS = 5
"""So many bugs are got over."""
_IDLE_S = PIECE_NS / 1e9
NICENESS = 5
"""Where there are fewer cores than work, the line has three times the share of who films."""
_log = logging.getLogger(__name__)


def locate_video_folder(journal: Path) -> Path:
    """Return where the video of a journal is."""
    return journal.with_name(journal.name + ".video")


def locate_segment(journal: Path, number: int) -> Path:
    """Return the file with a part of a journal's video."""
    return locate_video_folder(journal) / f"{number:04d}.ts"


@dataclass(kw_only=True)
class _Segment:
    """A file that is being written."""

    number: int
    file: BinaryIO
    began_ns: int
    stream: TransportStream = field(default_factory=TransportStream)
    bytes: int = 0


class VideoRecorder:
    """A video that is being recorded.  `add`, `take_kept_pieces` and `close` are called from one thread."""

    def __init__(self, journal: Path) -> None:
        """Begin to film, beside what was filmed of the same game before."""
        self._journal = journal
        self._waiting: queue.Queue[Frame | None] = queue.Queue(QUEUE_LENGTH)
        self._kept: deque[VideoKept] = deque()
        self._lost = self._left_out = 0
        """Pictures that are lacking since the last piece; pictures that did not get as far as the thread."""
        self._told_out = 0
        self._segment: _Segment | None = None
        self._piece: PieceEncoder | None = None
        self._frames: list[tuple[int, int]] = []
        """Number and capture time of every picture of the piece."""
        self.trouble = ""
        """Why the video lacks pictures at the moment, in words for the players; empty while it lacks none."""
        self._gave_up = False
        self._thread = threading.Thread(target=self._run, name="video", daemon=True)
        self._thread.start()

    def add(self, frame: Frame) -> None:
        """Let a picture be recorded, unless too many wait already."""
        try:
            self._waiting.put_nowait(frame)
        except queue.Full:
            self._left_out += 1

    @property
    def is_full(self) -> bool:
        """Whether a picture that is added now would be left out."""
        return self._waiting.full()

    def take_kept_pieces(self) -> list[VideoKept]:
        """Return what was written since it was last asked, for the journal."""
        return [self._kept.popleft() for _ in range(len(self._kept))]

    def close(self) -> None:
        """Write what is still waiting, and end; ask for what was `take_kept_pieces` then."""
        if self._thread.is_alive():
            self._waiting.put(None)
            self._thread.join()

    def _run(self) -> None:
        """Film until told to end; a bug costs the piece that was being made, and too many end the film."""
        remove_left_folders()
        _lower_thread_priority()
        faults = 0
        while True:
            try:
                self._film()
            except Exception:
                faults += 1
                self._piece, self._frames = None, []
                self._gave_up = faults > MOST_FAULTS
                again = "It is not recorded any more." if self._gave_up else "It goes on."
                _log.exception("Pictures are missing in the video. %s", again)
                self._count_lost(1, "something went wrong inside")
            else:
                return

    def _film(self) -> None:
        while True:
            try:
                frame = self._waiting.get(timeout=_IDLE_S)
            except queue.Empty:
                self._end_piece()
                continue
            if frame is None:
                break
            if not self._belongs_to_piece(frame):
                self._end_piece()
            self._encode(frame)
        self._end_piece()
        self._end_segment()

    def _belongs_to_piece(self, frame: Frame) -> bool:
        """Whether a picture belongs into the piece that is being made."""
        if self._piece is None or not self._frames:
            return False
        since_ns = frame.captured_ns - self._frames[0][1]
        return (
            _measure_size(frame) == self._piece.size
            and self._frames[-1][1] <= frame.captured_ns
            and since_ns < PIECE_NS
        )

    def _encode(self, frame: Frame) -> None:
        if self._gave_up:
            self._lost += 1
            return
        self._piece = self._piece or PieceEncoder(size=_measure_size(frame))
        try:
            self._piece.add(frame.shown)
        except (EncodingError, OSError, cv2.error) as error:
            self._piece, self._gave_up = None, isinstance(error, EncoderMissingError)
            self._count_lost(1, str(error))
        else:
            self._frames.append((frame.sequence, frame.captured_ns))

    def _end_piece(self) -> None:
        piece, frames, self._piece, self._frames = self._piece, self._frames, None, []
        if piece is None or not frames:
            return
        try:
            self._write(piece.finish(), frames, piece.size)
        except (EncodingError, OSError, cv2.error) as error:
            self._end_segment()
            self._count_lost(len(frames), error.strerror or str(error) if isinstance(error, OSError) else str(error))

    def _write(self, encoded: list[bytes], frames: list[tuple[int, int]], size: tuple[int, int]) -> None:
        """Lay a piece into a segment, and tell of it once it is there."""
        first_ns = frames[0][1]
        segment = self._choose_segment(first_ns)
        data = pack_piece(segment.stream, encoded, [ns - segment.began_ns for _, ns in frames])
        try:
            _write_all(segment.file, data)
        except OSError:
            segment.file.truncate(segment.bytes)
            raise
        left_out, told_out = self._left_out, self._told_out
        lost, self._lost, self._told_out = self._lost + left_out - told_out, 0, left_out
        piece = VideoKept(
            began_ns=first_ns,
            segment=segment.number,
            at_byte=segment.bytes,
            bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            size=size,
            pictures=tuple((number, ns - first_ns) for number, ns in frames),
            lost=lost,
        )
        segment.bytes += len(data)
        self._kept.append(piece)
        self.trouble = "The video lacks pictures: this computer is too slow for it." if left_out > told_out else ""

    def _choose_segment(self, first_ns: int) -> _Segment:
        segment = self._segment
        if segment is not None and 0 <= first_ns - segment.began_ns < SEGMENT_NS:
            return segment
        self._end_segment()
        folder = locate_video_folder(self._journal)
        folder.mkdir(parents=True, exist_ok=True)
        number = 1 + max((int(each.stem) for each in folder.glob("*.ts") if each.stem.isdecimal()), default=0)
        file = locate_segment(self._journal, number).open("xb", buffering=0)
        self._segment = _Segment(number=number, file=file, began_ns=first_ns)
        return self._segment

    def _end_segment(self) -> None:
        segment, self._segment = self._segment, None
        if segment is None:
            return
        segment.file.close()
        if not segment.bytes:
            locate_segment(self._journal, segment.number).unlink(missing_ok=True)

    def _count_lost(self, count: int, why: str) -> None:
        self._lost += count
        self.trouble = f"The game goes on, but its video is not recorded ({why})."


def _lower_thread_priority() -> None:
    """Let this thread and those of the encoder come after the camera's line, where a thread can be told to.

    A program that is nice already stays as it is: only a privileged one may be less so.
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, max(NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))


def _measure_size(frame: Frame) -> tuple[int, int]:
    height, width = frame.image.shape[:2]
    return width, height


def _write_all(file: BinaryIO, data: bytes) -> None:
    """Write it all at once, or as much as goes at a time; what is written survives the process."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]
