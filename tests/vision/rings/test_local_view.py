"""Pictures are sampled at however many places there are."""

import cv2
import numpy as np

from vision.rings.local_view import sample_picture


def test_more_rows_are_sampled_than_opencv_takes_at_once() -> None:
    grey = np.arange(12, dtype=np.uint8).reshape(3, 4)
    places_px = np.random.default_rng(0).integers(0, 3, (70_001, 2, 2)).astype(np.float32)
    columns, rows = places_px.astype(int).transpose(2, 0, 1)
    assert (sample_picture(grey, places_px, cv2.INTER_LINEAR) == grey[rows, columns]).all()
    assert sample_picture(grey, places_px[:1], cv2.INTER_CUBIC).shape == (1, 2)
