"""Images as a frame source: a folder of still pictures, as if taken one a second."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.frame_source import FrameSource, Identity, Pacer, PlaybackPace, read_identity_beside
from hardware.camera.video_capture import is_whole_text
from hardware.errors import BadSource, EndOfFrames
from hardware.frame import Frame

PREFIXES = ("images:",)

FRAME_INTERVAL_NS = 1_000_000_000

FILE_ENDINGS = {b"\xff\xd8": b"\xff\xd9", b"\x89PNG": b"IEND"}
"""How a file ends that begins like this.  The decoders fill in what is missing, with a remark on the terminal."""


def open_spec(spec: str, *, folder: Path, pace: PlaybackPace, colour: bool) -> FrameSource:
    """Open ``images:DIR``: the folder's pictures in the order of their names."""
    source = folder / spec.removeprefix("images:")
    if not source.is_dir():
        raise BadSource(f"{source}: no such folder: expected a folder of pictures")
    paths = sorted(path for path in source.iterdir() if path.is_file() and is_picture(path))
    if not paths:
        raise BadSource(f"{source}: no picture in this folder: expected JPEG or PNG files")
    return StillImages(paths, name=spec, pace=pace, colour=colour)


def is_picture(path: Path) -> bool:
    """Tell whether a file is a picture, by its content."""
    return is_whole_text(str(path)) and cv2.haveImageReader(str(path))


class StillImages:
    """Pictures from files."""

    def __init__(self, paths: Sequence[Path], *, name: str, pace: PlaybackPace, colour: bool) -> None:
        self._paths: Sequence[Path] = list(paths)
        self._first = self._paths[0]
        self._name, self._colour = name, colour
        self._pacer = Pacer(pace)
        self._sequence = 0

    def read(self) -> Frame:
        """Read the next picture."""
        if self._sequence >= len(self._paths):
            raise EndOfFrames
        image = read_still(self._paths[self._sequence], colour=self._colour)
        captured_ns = self._sequence * FRAME_INTERVAL_NS
        self._pacer.wait(captured_ns)
        frame = Frame(camera=self._name, sequence=self._sequence, captured_ns=captured_ns, image=image)
        self._sequence += 1
        return frame

    def identify(self) -> Identity:
        """Return what the pictures' folder says of the camera that took them."""
        return read_identity_beside(self._first)

    def close(self) -> None:
        """Leave the rest unread."""
        self._paths = ()


def read_still(path: Path, *, colour: bool) -> NDArray[np.uint8]:
    """Read a picture: (height, width, 3) BGR or (height, width) grey.  BadSource if it cannot be read whole."""
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise BadSource(f"{path}: cannot be read ({fault.strerror}): expected a picture") from fault
    for beginning, ending in FILE_ENDINGS.items():
        if data.startswith(beginning) and ending not in data:
            raise BadSource(f"{path}: the picture is cut short: expected a whole file")
    # Grey is decoded several times faster than colour.
    mode = cv2.IMREAD_COLOR if colour else cv2.IMREAD_GRAYSCALE
    image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), mode) if data else None
    if image is None:
        raise BadSource(f"{path}: not a picture that can be read: expected JPEG or PNG")
    return np.asarray(image, dtype=np.uint8)
