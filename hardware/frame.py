"""A frame: one picture from a camera, with the time at which it was taken."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One picture and when it was taken.

    The clock is read here and nowhere later: everything downstream takes its time from the frame.
    """

    camera: str
    """The source's name as written in the set-up, such as ``usb:0``."""
    sequence: int
    """Number of the picture since the source was opened, from 0; gaps mean pictures that were never looked at."""
    captured_ns: int
    """Nanoseconds: for a live source UTC by `hardware.clock`, for a recorded one since its first frame; as far as the
    source tells, of the middle of the exposure of the row that is exposed first."""
    image: NDArray[np.uint8]
    """(height, width) grey or (height, width, 3) BGR, read-only."""
    packed: NDArray[np.uint8] | None = None
    """(n,) the bytes of a JPEG as the camera made it, where ``image`` is the grey of a picture in colour."""

    def __post_init__(self) -> None:
        self.image.flags.writeable = False

    @property
    def shown(self) -> NDArray[np.uint8]:
        """The picture as people are to see it, in colour where the camera has colours.

        Decoding colour takes twice as long as grey, so it waits until somebody wants to look.
        """
        image = None if self.packed is None else cv2.imdecode(self.packed, cv2.IMREAD_COLOR)
        return self.image if image is None else np.asarray(image, dtype=np.uint8)
