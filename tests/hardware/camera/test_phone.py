"""A phone's pictures, from the inbox to the frames that are read of them."""

import struct
import threading
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.camera import open_source, phone
from hardware.camera.frame_source import Adjustable, CameraSettings, ControlRequest
from hardware.camera.latest_frame_reader import LatestFrameReader, SourceState
from hardware.camera.phone import OLDEST_NS, PhoneCamera, PhoneInbox, PhoneReport
from hardware.clock import read_clock_ns
from hardware.errors import BadSource, SourceLost

NOW_NS = 1_700_000_000_000_000_000


def draw_picture(shade: int) -> bytes:
    return cv2.imencode(".jpg", np.full((90, 160, 3), shade, np.uint8))[1].tobytes()


@pytest.fixture
def inbox(monkeypatch: pytest.MonkeyPatch) -> PhoneInbox:
    monkeypatch.setattr(phone, "WAIT_S", 0.05)
    return PhoneInbox()


def test_a_picture_is_read_with_the_time_at_which_it_was_taken(inbox: PhoneInbox) -> None:
    camera = PhoneCamera(inbox, colour=True)
    inbox.put(draw_picture(50), captured_ns=NOW_NS - 40_000_000, now_ns=NOW_NS)
    frame = camera.read()
    assert (frame.camera, frame.sequence, frame.captured_ns) == ("phone:", 0, NOW_NS - 40_000_000)
    assert frame.image.shape == (90, 160)
    assert frame.shown.shape == (90, 160, 3)


def test_only_the_latest_picture_is_read_and_none_from_before_it_was_opened(inbox: PhoneInbox) -> None:
    inbox.put(draw_picture(10), captured_ns=NOW_NS, now_ns=NOW_NS)
    camera = PhoneCamera(inbox, colour=False)
    for shade in (50, 90, 200):
        inbox.put(draw_picture(shade), captured_ns=NOW_NS + shade, now_ns=NOW_NS + shade)
    assert abs(int(camera.read().image[0, 0]) - 200) < 3
    with pytest.raises(SourceLost, match="open the camera's page on it"):
        camera.read()


@pytest.mark.parametrize(
    ("said_ns", "taken_ns"),
    [(NOW_NS + 10**9, NOW_NS), (0, NOW_NS - OLDEST_NS), (NOW_NS - 10**8, NOW_NS - 10**8)],
    ids=["later than it came", "long ago", "a tenth of a second ago"],
)
def test_a_phone_cannot_say_that_a_picture_is_of_another_time(inbox: PhoneInbox, said_ns: int, taken_ns: int) -> None:
    inbox.put(draw_picture(50), captured_ns=said_ns, now_ns=NOW_NS)
    picture = inbox.take(0)
    assert picture is not None
    assert picture.captured_ns == taken_ns


def test_a_picture_that_was_overtaken_on_its_way_is_dropped(inbox: PhoneInbox) -> None:
    inbox.put(draw_picture(50), captured_ns=NOW_NS - 10, now_ns=NOW_NS)
    inbox.put(draw_picture(90), captured_ns=NOW_NS - 20, now_ns=NOW_NS)
    picture = inbox.take(0)
    assert picture is not None
    assert picture.captured_ns == NOW_NS - 10
    inbox.put(draw_picture(90), captured_ns=NOW_NS - 20, now_ns=NOW_NS)
    assert inbox.take(0) is None


def test_what_is_no_picture_or_would_fill_the_memory_is_refused(inbox: PhoneInbox) -> None:
    with pytest.raises(BadSource, match="no whole JPEG"):
        inbox.put(b"no picture", captured_ns=0, now_ns=0)
    whole = draw_picture(50)
    huge = whole.replace(struct.pack(">HH", 90, 160), struct.pack(">HH", 65_000, 65_000))
    with pytest.raises(BadSource, match="65000 x 65000 pixels"):
        inbox.put(huge, captured_ns=0, now_ns=0)


def test_a_damaged_picture_is_passed_over(inbox: PhoneInbox) -> None:
    camera = PhoneCamera(inbox, colour=False)
    inbox.put(draw_picture(50)[:-500], captured_ns=NOW_NS, now_ns=NOW_NS)
    whole = draw_picture(70)
    later = threading.Timer(0.02, lambda: inbox.put(whole, captured_ns=NOW_NS + 1, now_ns=NOW_NS + 1))
    later.start()
    shade = int(camera.read().image[-1, -1])
    later.join()
    assert abs(shade - 70) < 3


def test_a_phone_is_known_again_and_held_as_it_is_set(inbox: PhoneInbox) -> None:
    camera = PhoneCamera(inbox, colour=False)
    assert isinstance(camera, Adjustable)
    assert camera.identify().camera is None
    inbox.report = PhoneReport(device="0a" * 8, settings=CameraSettings(focus=0.7, autofocus=True))
    identity = camera.identify()
    assert (identity.camera, identity.focus, identity.autofocus) == ("phone " + "0a" * 8, None, True)
    camera.adjust(ControlRequest(focus="hold"))
    camera.adjust(ControlRequest(exposure=120.0))
    assert inbox.request == ControlRequest(focus="hold", exposure=120.0)
    assert camera.read_settings().focus == 0.7


def test_a_phone_that_goes_away_is_a_camera_that_is_lost_and_comes_back(
    inbox: PhoneInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phone, "INBOX", inbox)
    reader = LatestFrameReader(lambda: open_source("phone:", folder=Path()), retry_s=(0.01, 0.01))
    try:
        while (text := find_text(reader, SourceState.LOST)) is None:
            threading.Event().wait(0.01)
        assert "open the camera's page on it" in text
        while find_text(reader, SourceState.LIVE) is None:
            now_ns = read_clock_ns()
            inbox.put(draw_picture(50), captured_ns=now_ns, now_ns=now_ns)
            threading.Event().wait(0.01)
    finally:
        reader.close()


def find_text(reader: LatestFrameReader, state: SourceState) -> str | None:
    """Return what a reader says in a state; None in another one."""
    status = reader.status
    return status.text if status.state is state else None


def test_another_name_than_the_one_that_there_is_is_refused() -> None:
    with pytest.raises(BadSource, match="expected phone: and nothing more"):
        open_source("phone:mine", folder=Path())
