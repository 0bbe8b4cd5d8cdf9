"""Duplicate prints: neither of two tells anything, until one has not been seen for a while."""

import numpy as np

from vision.tags.detection import assume_detection
from vision.tags.duplicate_prints import REMEMBERED_FRAMES, DuplicatePrints
from vision.types import TagDetection


def see_tag(tag: int, x_px: float) -> TagDetection:
    """Return a tag of 20 px whose left edge is at a place."""
    return assume_detection(tag, np.array([[0, 0], [20, 0], [20, 20], [0, 20]]) + np.array([x_px, 50.0]))


def test_a_tag_that_is_seen_at_two_places_is_left_out_until_that_is_long_ago() -> None:
    duplicates, first, second, other = DuplicatePrints(), see_tag(1, 100.0), see_tag(1, 300.0), see_tag(2, 500.0)
    assert duplicates.keep_single([first, see_tag(1, 101.0), other], 0) == [first, other], "one print, found twice"
    assert duplicates.keep_single([first, second, other], 1) == [other]
    assert duplicates.tags == (1,)
    assert duplicates.prints == (first, second)
    assert duplicates.keep_single([first], REMEMBERED_FRAMES) == []
    assert duplicates.keep_single([first], REMEMBERED_FRAMES + 1) == [first]
    assert not duplicates.tags
    assert not duplicates.prints
