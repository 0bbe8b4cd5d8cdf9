"""Video capture: OpenCV's `VideoCapture` with its quirks put away."""

import os
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.address import redact_text
from hardware.errors import SourceLost

# A failure is told in one sentence of our own.  OpenCV reads this variable when it first uses FFmpeg; -8 is quiet.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def open_capture(target: str | int, backend: int, settings: Sequence[int] = ()) -> cv2.VideoCapture | None:
    """Open a video by one back end only; None where that fails."""
    if isinstance(target, str):
        if not is_whole_text(target):
            return None
        capture = cv2.VideoCapture(target, backend, settings)
    else:
        capture = cv2.VideoCapture(target, backend, settings)
    if not capture.isOpened():
        capture.release()
        return None
    return capture


def is_whole_text(name: str) -> bool:
    """Tell whether a name is UTF-8: of another, such as files of old disks have, OpenCV reads what is not there."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def read_image(capture: cv2.VideoCapture, *, colour: bool) -> NDArray[np.uint8] | None:
    """Read the next picture: BGR or grey; None where there is none.  SourceLost when the back end throws."""
    try:
        got, image = capture.read()
    except cv2.error as fault:
        raise SourceLost(f"the camera's driver failed: {redact_text(fault.err)}") from fault
    return convert_channels(np.asarray(image, dtype=np.uint8), colour=colour) if got else None


def convert_channels(image: NDArray[np.uint8], *, colour: bool) -> NDArray[np.uint8]:
    """Bring a picture to three channels or to one."""
    channels = image.shape[2] if image.ndim == 3 else 1
    if colour and channels == 1:
        image = np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
    elif not colour and channels == 3:
        image = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    return image
