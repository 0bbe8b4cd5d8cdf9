"""What a phone sends as the table's camera, asked as other devices ask: who lacks the key is let in nowhere."""

import json
from collections.abc import Iterator

import cv2
import httpx
import numpy as np
import pytest

from assistant.web import app as app_module
from assistant.web.app import create_app
from assistant.web.auth.join_routes import SecureAddress
from assistant.web.hub import Hub
from assistant.web.phone_routes import MOST_PICTURE_BYTES
from assistant.web.server import Server
from hardware.camera.frame_source import ControlRequest
from hardware.camera.phone import PhoneInbox
from hardware.clock import read_clock_ns

PICTURE = cv2.imencode(".jpg", np.zeros((90, 160), np.uint8))[1].tobytes()
REPORT = {"device": "0a" * 8, "focus": 0.7, "autofocus": True}
ADDRESS = SecureAddress(url="https://192.0.2.7:8766", fingerprint="AB CD")


@pytest.fixture
def inbox(monkeypatch: pytest.MonkeyPatch) -> PhoneInbox:
    made = PhoneInbox()
    monkeypatch.setattr(app_module, "INBOX", made)
    return made


@pytest.fixture
def stranger(inbox: PhoneInbox) -> Iterator[httpx.Client]:  # noqa: ARG001 - the server is to have it
    """A device that has not joined."""
    server = Server(create_app(hub=Hub(), picture=lambda: None, join_urls=[], secure=[ADDRESS]), "127.0.0.1", 0)
    server.start()
    headers = {"Host": f"192.0.2.7:{server.port}"}
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", headers=headers, trust_env=False) as client:
        yield client
    server.stop()


def test_whoever_has_the_key_sends_pictures(stranger: httpx.Client, inbox: PhoneInbox) -> None:
    captured_ns = read_clock_ns() - 30_000_000
    headers = {"x-overtable-key": inbox.key, "captured-ms": str(captured_ns / 1e6)}
    assert stranger.post("/camera/picture", content=PICTURE, headers=headers).status_code == 204
    picture = inbox.take(0)
    assert picture is not None
    assert picture.data.tobytes() == PICTURE
    assert abs(picture.captured_ns - captured_ns) < 1000


@pytest.mark.parametrize("key", [b"", b"guessed", "ключ".encode()])
@pytest.mark.parametrize("path", ["/camera/picture", "/camera/report"])
def test_whoever_has_not_is_told_what_to_do(stranger: httpx.Client, inbox: PhoneInbox, path: str, key: bytes) -> None:
    answer = stranger.post(path, content=PICTURE, headers={b"x-overtable-key": key} if key else {})
    assert (answer.status_code, "scan the code" in answer.text) == (403, True)
    assert inbox.take(0) is None


def test_the_page_is_open_and_the_key_is_the_hosts_alone(stranger: httpx.Client, inbox: PhoneInbox) -> None:
    page = stranger.get("/camera")
    assert page.status_code == 200
    assert inbox.key not in page.text
    assert stranger.get("/codes/camera.json").status_code == 401
    assert stranger.get("/codes/camera.svg").status_code == 401
    host = {"Host": "localhost"}
    shown = stranger.get("/codes/camera.json", headers=host).json()
    assert shown == {"url": f"https://192.0.2.7:8766/camera#{inbox.key}", "fingerprint": "AB CD"}
    assert stranger.get("/codes/camera.svg", headers=host).headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize(
    ("data", "says"),
    [(b"no picture", "no whole JPEG"), (b"", "no whole JPEG"), (b"x" * (MOST_PICTURE_BYTES + 1), "no whole JPEG")],
    ids=["another file", "nothing", "a flood"],
)
def test_what_is_no_picture_is_refused(stranger: httpx.Client, inbox: PhoneInbox, data: bytes, says: str) -> None:
    answer = stranger.post("/camera/picture", content=data, headers={"x-overtable-key": inbox.key})
    assert (answer.status_code, says in answer.text) == (422, True)


def test_a_report_is_taken_and_answered_with_the_time_and_what_is_wished(
    stranger: httpx.Client, inbox: PhoneInbox
) -> None:
    inbox.request = ControlRequest(focus="hold", exposure=80.0)
    before_ms = read_clock_ns() / 1e6
    answer = stranger.post("/camera/report", content=json.dumps(REPORT), headers={"x-overtable-key": inbox.key}).json()
    assert before_ms <= answer.pop("now_ms") <= read_clock_ns() / 1e6
    assert answer == {"focus": "hold", "exposure": 80.0}
    assert (inbox.report.device, inbox.report.settings.focus) == ("0a" * 8, 0.7)


@pytest.mark.parametrize(
    "said", [b"", b"[]", b"{", json.dumps(REPORT | {"device": "me"}).encode(), b'{"device": "' + b"0" * 5_000 + b'"}']
)
def test_a_report_without_sense_is_one_sentence(stranger: httpx.Client, inbox: PhoneInbox, said: bytes) -> None:
    answer = stranger.post("/camera/report", content=said, headers={"x-overtable-key": inbox.key})
    assert answer.status_code == 422
    assert answer.text.startswith("What the phone says of itself makes no sense")
    assert answer.text.count(".") == 1 + answer.text.count("..")
    assert inbox.report.device == ""
