"""Films the table while a game is played: the pictures go to a video, and what it takes to read them to the journal."""

from pathlib import Path

import click

from assistant.record.eyes import EyesTold
from assistant.record.video.filming import Filming
from assistant.session import Session
from hardware.frame import Frame
from vision.markers import Markers

with_video = click.option(
    "--video",
    is_flag=True,
    help="Record the camera's pictures as well: 30 MB a minute at 1080p and 15 pictures a second.",
)


class Filmer:
    """Hands pictures to who writes them, and writes down what became of them.  Used from the table's thread."""

    def __init__(self, journal: Path) -> None:
        """Begin a video beside a journal."""
        self._filming = Filming(journal)
        self._told: Markers | None = None

    @property
    def trouble(self) -> str:
        """Why the video lacks pictures at the moment; empty while it lacks none."""
        return self._filming.trouble

    def see(self, frame: Frame, markers: Markers, session: Session) -> None:
        """Record a picture that the eyes are about to look at, and what they were told of the table."""
        if markers is not self._told:
            session.filmed(frame.captured_ns, EyesTold.of(markers, began=self._told is None))
            self._told = markers
        self._filming.add(frame)

    def write_down(self, session: Session) -> None:
        """Write down which pictures are in the video by now."""
        for kept in self._filming.kept():
            session.filmed(session.now_ns, kept)

    def close(self, session: Session) -> None:
        """End the video with all that was seen."""
        self._filming.close()
        self.write_down(session)
