"""Webhooks as whoever takes them gets them: signed, tried again within bounds, and never in the table's way."""

import asyncio
import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from assistant.bridges import webhooks
from assistant.bridges.bridge import Link, PlannedBridge
from assistant.bridges.webhooks import BRIDGE, MOST_WAITING, Outbox, WebhookSettings
from assistant.runtime.bridge_runner import BridgeNotices, run_bridges
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.table import CameraView
from tests.pages.waiting import wait_for

SECRET = "whsec_" + base64.b64encode(b"a lamp over a table").decode()


class Receiver(BaseHTTPRequestHandler):
    """Takes messages, or answers as it is told to."""

    taken: ClassVar[list[tuple[dict[str, str], bytes]]]
    answers: ClassVar[list[int]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.taken.append(({key.lower(): value for key, value in self.headers.items()}, body))
        self.send_response(self.answers.pop(0) if self.answers else 204)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's
        pass


@pytest.fixture
def address() -> Iterator[str]:
    Receiver.taken, Receiver.answers = [], []
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/table?x=1"
        server.shutdown()
        thread.join()


def plan(address: str, folder: Path, **more: object) -> tuple[PlannedBridge, ...]:
    (folder / "secret").write_text(SECRET)
    asked = {"url": address, "secret_file": "secret", **more}
    return (PlannedBridge(bridge=BRIDGE, settings=WebhookSettings.model_validate(asked, context=folder)),)


def build_camera(state: str) -> View:
    camera = {"source": "s", "state": state, "text": "", "anchors_seen": 4, "fps": 15, "latency_ms": 20}
    return View(camera={"camera": CameraView.model_validate(camera)})


def list_texts(notices: BridgeNotices) -> list[str]:
    return [n.text for view in notices.build_views(None) for n in view.notices.values()]  # type: ignore[arg-type]


def test_what_happens_is_sent_and_the_signature_is_that_of_the_specification(address: str, tmp_path: Path) -> None:
    hub = Hub()
    hub.publish(build_camera("live"))
    with run_bridges(plan(address, tmp_path), hub, {}, BridgeNotices()):
        wait_for(lambda: hub._followers or None)
        while not Receiver.taken:  # the first view may not have been looked at yet, of which nothing has changed
            for state in ("live", "lost"):
                hub.publish(build_camera(state))
                threading.Event().wait(0.05)
    headers, body = Receiver.taken[0]
    message = json.loads(body)
    assert (message["format"], message["event"]) == ("overtable.event/1", "camera")
    said = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.digest(b"a lamp over a table", said, hashlib.sha256)).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert "a lamp" not in str(headers)


def test_one_that_is_not_taken_is_tried_again_with_the_same_id_and_then_dropped(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "TRIED_AFTER_S", (0.0, 0.01, 0.01))
    settings, told = plan(address, tmp_path)[0].settings, list[str]()
    assert isinstance(settings, WebhookSettings)
    Receiver.answers = [500, 302, 503, 500]

    async def send_two() -> None:
        outbox = Outbox()
        for body in (b"one", b"two"):
            outbox.put(body)
        link = Link(follow=lambda: None, markers={}, report=told.append)  # type: ignore[arg-type,return-value]
        sending = asyncio.create_task(webhooks._send_all(outbox, link, settings))
        while told[-1:] != [""]:
            await asyncio.sleep(0.01)
        sending.cancel()

    asyncio.run(send_two())
    assert [body for _, body in Receiver.taken] == [b"one"] * 3 + [b"two"] * 2
    assert len({headers["webhook-id"] for headers, _ in Receiver.taken}) == 2
    assert told == [f"127.0.0.1 answers with status {status}" for status in (500, 302, 503, 500)] + [""]


def test_whoever_is_away_is_said_and_holds_nothing_up(tmp_path: Path) -> None:
    hub, notices = Hub(), BridgeNotices()
    with run_bridges(plan("http://127.0.0.1:9/", tmp_path), hub, {}, notices):
        wait_for(lambda: hub._followers or None)
        while not list_texts(notices):
            for state in ("live", "lost"):
                hub.publish(build_camera(state))
                threading.Event().wait(0.05)
    (text,) = list_texts(notices)
    assert text == (
        "Other programs are not told by webhooks: 127.0.0.1 cannot be reached (Connection refused). It is tried again."
    )


def test_too_many_push_out_the_oldest() -> None:
    async def fill() -> bytes:
        outbox = Outbox()
        for number in range(MOST_WAITING + 3):
            outbox.put(f"{number}".encode())
        return await outbox.take()

    assert asyncio.run(fill()) == b"3"


def test_a_secret_that_only_says_that_it_is_base64_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("whsec_a lamp")
    with pytest.raises(ValueError, match="not base64"):
        WebhookSettings.model_validate({"url": "http://x", "secret_file": "secret"}, context=tmp_path)
