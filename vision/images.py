"""Grey images, as every step of the pipeline takes them, and the check that they have the lens's size."""

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import WrongPairing
from calibration.spaces import Lens


def convert_to_grey(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture without its colours."""
    return image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def check_size(lens: Lens | None, grey: NDArray[np.uint8]) -> None:
    """Raise WrongPairing unless a picture is of the size that the lens was calibrated at."""
    height, width = grey.shape
    if lens is not None and lens.image_size != (width, height):
        expected = "x".join(map(str, lens.image_size))
        raise WrongPairing(
            f"the picture is {width}x{height}, but the lens was calibrated at {expected}: set the camera to that size,"
            " or calibrate the lens at this one"
        )
