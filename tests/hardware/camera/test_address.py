from pathlib import Path

import pytest

from hardware.camera import open_source
from hardware.camera.address import identify_camera, redact_address, redact_text
from hardware.errors import BadSource

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("rtsp://me:hunter2@10.0.0.5:554/one?two=3", "rtsp://me:***@10.0.0.5:554/one?two=3"),
        ("rtsp://me:p/hunter2@cam/one", "rtsp://me:***@cam/one"),
        ("rtsp://me:p@hunter2@cam/one", "rtsp://me:***@cam/one"),
        ("rtsp://me:p?#hunter2@cam/one", "rtsp://me:***@cam/one"),
        ("rtsp://hunter2@cam/one", "rtsp://***@cam/one"),
        ("rtsp://me:hunter2", "rtsp://me:***"),
        ("http://cam/get?user=me&Password=hunter2&channel=2", "http://cam/get?user=***&Password=***&channel=2"),
        ("http://cam/get?channel=2;token=hunter2", "http://cam/get?channel=2;token=***"),
        ("me:hunter2@cam", "me:***@cam"),
        ("rtsp:me:hunter2@cam", "rtsp:***@cam"),
        ("ndi+x://me:hunter2@cam", "ndi+x://me:***@cam"),
        ("rtsp://10.0.0.5:554/one", "rtsp://10.0.0.5:554/one"),
        ("http://[fe80::1]:80/video", "http://[fe80::1]:80/video"),
        ("http://cam/a@b", "http://cam/a@b"),
        ("usb:/dev/video0", "usb:/dev/video0"),
        ("file:/home/me/a:b@c.avi", "file:/home/me/a:b@c.avi"),
        ("virtual:", "virtual:"),
        ("no camera", "no camera"),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_what_is_secret_in_it(address: str, shown: str) -> None:
    assert redact_address(address) == shown
    assert redact_address(shown) == shown
    assert SECRET not in shown


def test_addresses_within_a_text_are_shown_so_too() -> None:
    text = 'source = "rtsp://me:hunter2@cam/one"  # and http://cam/?pwd=hunter2, at 10:30 by me@home'
    shown = 'source = "rtsp://me:***@cam/one"  # and http://cam/?pwd=*** at 10:30 by me@home'
    assert redact_text(text) == shown


def test_a_camera_is_known_by_its_address_alone() -> None:
    assert identify_camera("rtsp://me:secret@10.0.0.5:554/one?two=3") == "rtsp://10.0.0.5:554/one?two=3"
    assert identify_camera("rtsp://me:#hunter2@cam/one") == "rtsp://me:***@cam/one"
    assert identify_camera("rtsp://me:1/hunter2@cam/one") == "rtsp://me:***@cam/one"
    assert identify_camera("http://10.0.0.5/get?user=me&Password=secret&channel=2") == "http://10.0.0.5/get?channel=2"


@pytest.mark.parametrize(
    "address",
    [
        "rtsp://me:hunter2@/one",
        "rtsp://me:p/hunter2@cam",
        "rtsp://me:hunter2",
        "rstp:me:hunter2@cam",
        "me:hunter2@c",
    ],
)
def test_no_refusal_tells_a_password(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="expected") as refused:
        open_source(address, folder=tmp_path)
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None
