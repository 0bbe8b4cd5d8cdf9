"""The film writer: films by OpenCV's own codecs or by the machine's ffmpeg, as the ending of a file's name wants it."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

import cv2

from assistant.errors import BadInput
from assistant.replay.lettering import BgrImage

CODECS = {".mp4": "mp4v", ".webm": "VP80"}
"""MPEG-4 Part 2, which players of films play and browsers do not; VP8, which browsers play, too.  H.264 is not in
OpenCV's wheels, and VP9 takes four times VP8's time, and nine times MPEG-4's."""
H264_ENCODERS = {"libx264": ("-preset", "veryfast", "-crf", "21"), "libopenh264": ("-b:v", "4M")}
"""With which an ffmpeg writes the films that everything plays, the best first, and how well."""
_ASKING_S = 10.0


class FilmWriter(Protocol):
    """What writes a film's pictures, one after the other."""

    def write(self, picture: BgrImage, /) -> object:
        """Write the next one; raises BadInput where that is not possible any more."""


@contextmanager
def open_film_writer(out: Path, size: tuple[int, int], fps: int) -> Iterator[FilmWriter]:
    """Yield what writes a film; afterwards the file is whole.

    Args:
        out: the file; the ending of its name chooses the codec, and for MP4 whether this machine has ffmpeg.
        size: width and height, pixels, both even.
        fps: pictures a second.

    Raises:
        BadInput: this machine writes no such film, here or afterwards.

    """
    encoder = find_h264_encoder() if out.suffix.lower() == ".mp4" else None
    if encoder is not None:
        with _write_by_ffmpeg(out, size, fps, *encoder) as film:
            yield film
        return
    with _hold_stderr():
        codec = cv2.VideoWriter.fourcc(*CODECS[out.suffix.lower()])
        writer = cv2.VideoWriter(str(out), cv2.CAP_FFMPEG, codec, fps, size)
    if not writer.isOpened():
        raise BadInput(f"{out}: this machine's OpenCV can write no such film; export with --to html instead")
    try:
        yield writer
    finally:
        writer.release()


def find_h264_encoder() -> tuple[str, str] | None:
    """Return this machine's ffmpeg and by what it writes H.264; None where it has none that does."""
    program = shutil.which("ffmpeg")
    if program is None:
        return None
    try:
        asked = subprocess.run(  # noqa: S603 - the machine's own
            [program, "-hide_banner", "-encoders"], capture_output=True, timeout=_ASKING_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = set(asked.stdout.decode(errors="replace").split())
    return next(((program, encoder) for encoder in H264_ENCODERS if encoder in words), None)


@contextmanager
def _write_by_ffmpeg(
    out: Path, size: tuple[int, int], fps: int, program: str, encoder: str
) -> Iterator["_FfmpegWriter"]:
    width, height = size
    pictures = ("-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{width}x{height}", "-r", str(fps), "-i", "pipe:0")
    # Chats and browsers want four pixels to a colour, and what tells where everything is at the file's beginning.
    film = ("-c:v", encoder, *H264_ENCODERS[encoder], "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4")
    command = [program, "-hide_banner", "-loglevel", "error", "-y", *pictures, *film, str(out.absolute())]
    with tempfile.TemporaryFile() as said:  # no pipe, which nobody would read while pictures are written
        process = subprocess.Popen(  # noqa: S603 - the machine's own
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said
        )

        def explain() -> BadInput:
            process.wait()
            said.seek(0)
            lines = said.read().decode(errors="replace").split("\n")
            why = next(
                (line.strip() for line in reversed(lines) if line.strip()), f"it ended with {process.returncode}"
            )
            return BadInput(f"{out}: {program} wrote no film ({why}); export with --to webm instead")

        try:
            yield _FfmpegWriter(process, explain)
            process.communicate()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            if process.stdin is not None:
                with suppress(OSError):  # what waits in it has nowhere to go
                    process.stdin.close()
        if process.returncode:
            raise explain()


class _FfmpegWriter:
    """Hands pictures to ffmpeg."""

    def __init__(self, process: "subprocess.Popen[bytes]", explain: Callable[[], BadInput]) -> None:
        self._process, self._explain = process, explain

    def write(self, picture: BgrImage) -> None:
        """Write the next picture; raises BadInput where ffmpeg has ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(picture.tobytes())
        except OSError:
            raise self._explain() from None


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
