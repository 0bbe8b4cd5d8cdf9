"""The frames of the pictures and videos that a command is given."""

from collections.abc import Iterator
from pathlib import Path

from hardware.camera.file import open_file
from hardware.errors import EndOfFrames
from hardware.frame import Frame


def frames_of(path: Path) -> Iterator[Frame]:
    """Give the one frame of a picture, or every frame of a video.

    Raises:
        BadSource: the file is not there, or is neither.

    """
    source = open_file(path, name=path.name)
    try:
        while True:
            yield source.read()
    except EndOfFrames:
        return
    finally:
        source.close()
