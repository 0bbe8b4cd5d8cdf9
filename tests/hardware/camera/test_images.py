from pathlib import Path

import pytest

from hardware.camera import Identity, PlaybackPace, open_source
from hardware.errors import BadSource, EndOfFrames
from tests.hardware.camera.recordings import read_number, write_images


def test_a_folder_is_read_in_the_order_of_names_a_second_apart(tmp_path: Path) -> None:
    write_images(tmp_path / "stills", count=4)
    (tmp_path / "stills" / "notes.txt").write_text("not a picture")
    source = open_source("images:stills", folder=tmp_path, pace=PlaybackPace.FREE)
    frames = [source.read() for _ in range(4)]
    assert [read_number(frame.image) for frame in frames] == [0, 1, 2, 3]
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
    source = open_source("images:.", folder=tmp_path, pace=PlaybackPace.FREE)
    (tmp_path / "image_00.jpg").unlink()
    with pytest.raises(BadSource, match=r"image_00\.jpg: cannot be read"):
        source.read()


def test_a_folder_may_say_which_camera_took_its_pictures(tmp_path: Path) -> None:
    write_images(tmp_path, count=1)
    assert open_source("images:.", folder=tmp_path).identify() == Identity()
    told = '{"format": "overtable.camera/1", "identity": "usb 046d:0825", "focus": 30, "lent by": "a friend"}'
    (tmp_path / "camera.json").write_text(told)
    assert open_source("images:.", folder=tmp_path).identify() == Identity(camera="usb 046d:0825", focus=30.0)
    assert open_source("file:image_00.jpg", folder=tmp_path).identify().camera == "usb 046d:0825"


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ("{", "this is not whole JSON"),
        ("[]", 'expected an object with "format": "overtable.camera/1"'),
        ('{"format": "overtable.camera/1", "identity": 5}', "identity: expected the name of a camera, not 5"),
        ('{"format": "overtable.camera/1", "focus": true}', "focus: expected a number, not True"),
        ('{"format": "overtable.camera/1", "focus": NaN}', "focus: expected a number, not nan"),
        (f'{{"format": "overtable.camera/1", "focus": 1{"0" * 400}}}', f"focus: expected a number, not 1{'0' * 59}"),
        (f'{{"format": "overtable.camera/1", "identity": {"[" * 400}{"]" * 400}}}', f"not {'[' * 60}"),
    ],
)
def test_what_a_folder_says_wrongly_of_its_camera_is_refused(tmp_path: Path, told: str, sentence: str) -> None:
    write_images(tmp_path, count=1)
    (tmp_path / "camera.json").write_text(told)
    with pytest.raises(BadSource, match=r"camera\.json: ") as refusal:
        open_source("images:.", folder=tmp_path).identify()
    assert sentence in str(refusal.value)
    assert len(str(refusal.value)) < 500
