import cv2
import numpy as np
import pytest

from hardware.camera.jpeg import decode_jpeg_grey, read_jpeg_size

PICTURE = cv2.imencode(".jpg", np.full((90, 160, 3), (10, 120, 200), np.uint8))[1].tobytes()


def test_the_size_is_read_without_decoding() -> None:
    assert read_jpeg_size(PICTURE) == (160, 90)


def test_a_progressive_picture_with_a_comment_and_filling_before_a_marker_has_its_size() -> None:
    params = [cv2.IMWRITE_JPEG_PROGRESSIVE, 1]
    data = cv2.imencode(".jpg", np.zeros((31, 77), np.uint8), params)[1].tobytes()
    comment = b"\xff\xfe\x00\x06\xff\xc0ab"  # in which stands what begins a frame header elsewhere
    assert read_jpeg_size(data[:2] + comment + b"\xff" + data[2:]) == (77, 31)


@pytest.mark.parametrize("length", range(0, 200, 7))
def test_of_what_is_cut_short_there_is_the_size_or_none(length: int) -> None:
    assert read_jpeg_size(PICTURE[:length]) in {None, (160, 90)}


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xd8", b"GIF89a", b"\xff\xd8\xff\xe0\x00\x00" * 9, b"\xff\xd8" + b"\xff\xe0\x00\x02" * 9]
)
def test_what_is_no_picture_has_none(data: bytes) -> None:
    assert read_jpeg_size(data) is None


def test_brightness_is_decoded_and_what_is_damaged_is_none() -> None:
    grey = decode_jpeg_grey(np.frombuffer(PICTURE, np.uint8))
    assert grey is not None
    assert grey.shape == (90, 160)
    assert abs(float(grey.mean()) - (0.114 * 10 + 0.587 * 120 + 0.299 * 200)) < 2
    assert decode_jpeg_grey(np.frombuffer(PICTURE[:40], np.uint8)) is None
