"""A frame: one picture from a camera, with the time at which it was taken."""

from dataclasses import dataclass

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
    """Nanoseconds: UTC for a live source, since the first frame for a recorded one; as far as the source tells, of the
    middle of the exposure of the row that is exposed first."""
    image: NDArray[np.uint8]
    """(height, width) grey or (height, width, 3) BGR, read-only."""

    def __post_init__(self) -> None:
        self.image.flags.writeable = False
