from pathlib import Path

import pytest

from hardware.camera import Pace, open_source
from hardware.errors import BadSource, EndOfFrames
from tests.hardware.camera.recordings import number_of, write_images


def test_a_folder_is_read_in_the_order_of_names_a_second_apart(tmp_path: Path) -> None:
    write_images(tmp_path / "stills", count=4)
    (tmp_path / "stills" / "notes.txt").write_text("not a picture")
    source = open_source("images:stills", folder=tmp_path, pace=Pace.FREE)
    frames = [source.read() for _ in range(4)]
    assert [number_of(frame.image) for frame in frames] == [0, 1, 2, 3]
    assert [frame.captured_ns for frame in frames] == [0, 10**9, 2 * 10**9, 3 * 10**9]
    with pytest.raises(EndOfFrames):
        source.read()


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadSource, match="empty: no picture in this folder"):
        open_source("images:empty", folder=tmp_path)
    with pytest.raises(BadSource, match="gone: no such folder"):
        open_source("images:gone", folder=tmp_path)


def test_a_picture_that_vanishes_is_named(tmp_path: Path) -> None:
    write_images(tmp_path, count=1)
    source = open_source("images:.", folder=tmp_path, pace=Pace.FREE)
    (tmp_path / "image_00.jpg").unlink()
    with pytest.raises(BadSource, match=r"image_00\.jpg: cannot be read"):
        source.read()
