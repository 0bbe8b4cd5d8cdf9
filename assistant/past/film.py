"""A recorded game as a film of the table from above."""

from collections.abc import Callable
from pathlib import Path

import cv2

from assistant.errors import BadInput
from assistant.past.incident import clock_said
from assistant.past.playing import first_state, steps
from assistant.past.replayed import Past
from assistant.past.said import said
from assistant.past.still import Picture, Still
from assistant.record.journal import Seen
from assistant.session import Session

FPS = 25
LONGEST_WAIT_NS = 2_000_000_000
"""Nothing happens for minutes while players think; who watches waits no longer than this."""
LAST_NS = 2_000_000_000
"""How long the end is shown."""
CODEC = "mp4v"
"""MPEG-4 Part 2, which players of films play and browsers do not.  VP9, the only other that OpenCV's wheels write and
that is widely played, takes twenty times as long."""


def film(
    recording: Path, out: Path, *, size: tuple[int, int], speed: float, progress: Callable[[float], None]
) -> float:
    """Write a film.

    Args:
        recording: the game.
        out: the MP4 file.
        size: width and height, pixels, both even.
        speed: 2 plays twice as fast.
        progress: is told the share of the game that is done.

    Returns:
        how long the film is, seconds.

    Raises:
        BadInput: the recording cannot be read, or this OpenCV writes no film.

    """
    past = Past(recording)
    still = Still(table=first_state(recording, past.about).table, size=size, title=past.title)
    whole_ns = max(1, past.ended_ns())
    writer = _writer(out, size)
    try:
        return _Reel(writer, still, speed, lambda at_ns: progress(at_ns / whole_ns)).run(recording)
    finally:
        writer.release()


class _Reel:
    """Writes the pictures of a game, as many as its time takes."""

    def __init__(self, writer: cv2.VideoWriter, still: Still, speed: float, progress: Callable[[int], None]) -> None:
        self._writer, self._still, self._speed, self._progress = writer, still, speed, progress
        self._film_ns, self._before_ns, self._written = 0.0, 0, 0
        self._told = ""
        self._picture: Picture | None = None
        """Of the present moment; None when something has happened since it was drawn."""

    def run(self, recording: Path) -> float:
        """Write the film of a game; return its length in seconds."""
        session = None
        for step in steps(recording, until=self._until):
            session, self._picture = step.session, None
            if not isinstance(step.entry.what, Seen):
                self._told = said(step.entry.what, step.before).text
        if session is not None:
            self._film_ns += LAST_NS
            self._fill(session)
        return self._written / FPS

    def _until(self, at_ns: int, session: Session) -> None:
        """Show the game as it stands until something happens at a time."""
        self._film_ns += min((at_ns - self._before_ns) / self._speed, LONGEST_WAIT_NS)
        self._fill(session)
        self._before_ns = at_ns

    def _fill(self, session: Session) -> None:
        due = int(self._film_ns * FPS / 1e9)
        if due <= self._written:
            return
        if self._picture is None:
            self._picture = self._still.draw(session, clock_said(self._before_ns), self._told)
            self._progress(self._before_ns)
        while self._written < due:
            self._writer.write(self._picture)
            self._written += 1


def _writer(out: Path, size: tuple[int, int]) -> cv2.VideoWriter:
    writer = cv2.VideoWriter(str(out), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*CODEC), FPS, size)
    if writer.isOpened():
        return writer
    raise BadInput(f"{out}: this machine's OpenCV can write no film; export with --to html instead")
