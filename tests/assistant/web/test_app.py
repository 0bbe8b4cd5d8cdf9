import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from assistant.web.app import PAGES, STATIC, DrawTable, create_app
from assistant.web.hub import Hub, PageCommand
from assistant.web.messages import View
from assistant.web.messages.table import CameraView
from assistant.web.server import Server, list_lan_addresses
from vision.table_map import TableArea

JPEG = b"\xff\xd8 a picture \xff\xd9"


class ServedSite:
    """A server with a hub behind it, and what a browser would do with it."""

    def __init__(
        self,
        *,
        picture: bytes | None = JPEG,
        join_urls: tuple[str, ...] = ("http://192.0.2.7",),
        table: DrawTable | None = None,
    ) -> None:
        self.hub = Hub()
        app = create_app(hub=self.hub, picture=lambda: picture, join_urls=join_urls, table=table)
        self.server = Server(app, "127.0.0.1", 0)
        self.server.start()
        self.host = f"127.0.0.1:{self.server.port}"

    def get(self, path: str, **headers: str) -> httpx.Response:
        with httpx.Client(trust_env=False) as client:
            return client.get(f"http://{self.host}{path}", headers=headers)

    def connect(self, **headers: str) -> ClientConnection:
        return connect(f"ws://{self.host}/ws", proxy=None, additional_headers=headers, compression=None)


@pytest.fixture(scope="module")
def site() -> Iterator[ServedSite]:
    made = ServedSite()
    yield made
    made.server.stop()


def receive_message(page: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(page.recv(timeout=5))
    return message


def build_camera_view(*, text: str) -> CameraView:
    return CameraView(source="usb:0", state="live", text=text, anchors_seen=4, fps=15, latency_ms=60)


@pytest.mark.parametrize(
    ("path", "kind", "part"),
    [
        ("/", "text/html", "landing.js"),
        ("/tablet", "text/html", "tablet.js"),
        ("/projector", "text/html", "projector.js"),
        ("/enrol", "text/html", "enrol.js"),
        ("/lens", "text/html", "lens.js"),
        ("/board", "text/html", "board.js"),
        ("/static/common/live.js", "text/javascript", "WebSocket"),
        ("/static/common/style.css", "text/css", "--ground"),
        ("/join", "text/html", "join.js"),
        ("/codes/judge.svg", "image/svg+xml", "<svg"),
    ],
)
def test_pages_and_what_they_load(site: ServedSite, path: str, kind: str, part: str) -> None:
    answer = site.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind)
    assert part in answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]


def test_what_a_page_has_already_or_wants_a_part_of_is_not_sent_whole(site: ServedSite) -> None:
    path = "/static/common/live.js"
    whole = site.get(path)
    assert whole.content == (STATIC / "common/live.js").read_bytes()
    known = site.get(path, **{"If-None-Match": whole.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")
    part = site.get(path, Range="bytes=3-9")
    assert (part.status_code, part.content) == (206, whole.content[3:10])
    head = httpx.head(f"http://{site.host}{path}", trust_env=False)
    assert head.content == b""
    assert head.headers["content-length"] == whole.headers["content-length"]


@pytest.mark.parametrize("name", ["nothing.js", "common", "", "%00", "a" * 300, "%2e%2e/app.py", "/etc/passwd"])
def test_what_is_no_file_of_theirs_is_not_there(site: ServedSite, name: str) -> None:
    assert site.get(f"/static/{name}").status_code == 404
    assert httpx.post(f"http://{site.host}/static/common/live.js", trust_env=False).status_code == 405


@pytest.mark.parametrize("path", ["/", *(f"/{name}" for name in PAGES)])
def test_a_page_holds_no_inline_script_and_nothing_from_elsewhere(site: ServedSite, path: str) -> None:
    text = site.get(path).text
    assert "<script>" not in text
    assert "style=" not in text
    assert "//" not in text.replace('placeholder="https://', "")  # an example to be typed, which loads nothing


def test_the_picture_is_the_latest(site: ServedSite) -> None:
    answer = site.get("/picture.jpg")
    assert answer.content == JPEG
    assert answer.headers["content-type"] == "image/jpeg"


def test_the_table_is_drawn_as_it_is_asked_for() -> None:
    asked: list[tuple[TableArea | None, int, str]] = []

    def draw(area: TableArea | None, width_px: int, model: str) -> bytes | None:
        asked.append((area, width_px, model))
        return JPEG if len(asked) < 4 else None

    site = ServedSite(table=draw)
    try:
        assert site.get("/table.jpg").content == JPEG
        part = "left_mm=10&low_mm=20&width_mm=60&depth_mm=120"
        assert site.get(f"/table.jpg?width_px=400&model=scout-1&{part}").headers["content-type"] == "image/jpeg"
        site.get("/table.jpg?width_px=400&width_mm=60")
        for senseless in ("width_px=9999", "width_px=0", f"{part}e9", "left_mm=x"):
            assert site.get(f"/table.jpg?{senseless}").status_code == 422
        assert site.get("/table.jpg").status_code == 503
    finally:
        site.server.stop()
    area = TableArea(left_mm=10, low_mm=20, width_mm=60, depth_mm=120)
    assert asked == [(None, 1600, ""), (area, 200, "scout-1"), (None, 400, ""), (None, 1600, "")]


def test_without_picture_or_network_the_answers_say_so() -> None:
    site = ServedSite(picture=None, join_urls=())
    try:
        assert site.get("/picture.jpg").status_code == 503
        assert site.get("/codes/player.svg").status_code == 404
        assert site.get("/codes.json").json()["addresses"] == []
    finally:
        site.server.stop()


@pytest.mark.parametrize("host", ["localhost:8000", "192.168.1.20:8000", "[::1]:8000", socket.gethostname()])
def test_this_machine_is_served_by_any_of_its_names(site: ServedSite, host: str) -> None:
    assert site.get("/join", Host=host).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:8000", "", "[", "127.0.0.1.evil.example"])
def test_a_foreign_name_is_turned_away(site: ServedSite, host: str) -> None:
    assert site.get("/", Host=host).status_code == 421
    assert site.get("/picture.jpg", Host=host).status_code == 421


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://[oops"}])
def test_a_socket_from_a_foreign_page_is_refused(site: ServedSite, headers: dict[str, str]) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        site.connect(**headers)


def test_a_socket_from_its_own_page_is_served(site: ServedSite) -> None:
    with site.connect(Origin=f"http://{site.host}") as page:
        assert receive_message(page)["type"] == "full"


def wait_for_commands(hub: Hub) -> list[PageCommand]:
    """What has been sent, as soon as anything has."""
    deadline_s = time.monotonic() + 5
    while not (orders := hub.take()):
        assert time.monotonic() < deadline_s, "nothing arrived within five seconds"
        time.sleep(0.01)
    return orders


def test_what_is_published_arrives_and_what_is_sent_is_taken(site: ServedSite) -> None:
    with site.connect() as page:
        full = receive_message(page)
        site.hub.publish(View(camera={"camera": build_camera_view(text="fine")}))
        delta = receive_message(page)
        assert delta["seq"] == full["seq"] + 1
        assert delta["set"]["camera"]["camera"]["text"] == "fine"
        page.send('{"type": "withdraw"}')
        (order,) = wait_for_commands(site.hub)
        order.refuse("Nothing is announced.")
        assert receive_message(page) == {"type": "refused", "text": "Nothing is announced."}


def test_a_bad_message_is_refused_and_the_connection_stays(site: ServedSite) -> None:
    with site.connect() as page:
        receive_message(page)
        for bad in ("nonsense", b"\x00\xff"):
            page.send(bad)
            assert receive_message(page)["type"] == "refused"
        page.send('{"type": "resync"}')
        assert receive_message(page)["type"] == "full"


def test_a_page_that_never_reads_holds_up_neither_the_table_nor_the_others(site: ServedSite) -> None:
    stalled = connect(f"ws://{site.host}/ws", proxy=None, max_queue=1, close_timeout=0.1)
    with site.connect() as lively, stalled:
        seen = receive_message(lively)
        for step in range(200):  # 20 MB, far more than the network holds for a page that does not read
            site.hub.publish(View(camera={"camera": build_camera_view(text=f"{step} {'.' * 100_000}")}))
            seen = receive_message(lively)
            assert seen["type"] == "delta"
        assert seen["set"]["camera"]["camera"]["text"].startswith("199 ")


def test_a_taken_port_is_said_to_be_taken(site: ServedSite) -> None:
    second = Server(create_app(hub=Hub(), picture=lambda: None, join_urls=[]), "127.0.0.1", site.server.port)
    with pytest.raises(OSError, match=f"127.0.0.1:{site.server.port} cannot be served .*--port"):
        second.start()
    second.stop()


def test_the_server_stops_with_pages_connected_and_its_port_is_free_again() -> None:
    site = ServedSite()
    with site.connect() as page:
        receive_message(page)
        site.server.stop()
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.1", site.server.port), timeout=5)
    again = Server(create_app(hub=Hub(), picture=lambda: None, join_urls=[]), "127.0.0.1", site.server.port)
    again.start()
    again.stop()


def test_lan_addresses_are_not_loopback() -> None:
    assert not [address for address in list_lan_addresses() if address.startswith("127.")]


def test_a_page_that_takes_nothing_for_long_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.web.connections.STALLED_S", 0.1)
    site = ServedSite()
    deadline_s = time.monotonic() + 10
    try:
        with socket.create_connection(("127.0.0.1", site.server.port)) as asleep:
            asleep.sendall(
                f"GET /ws HTTP/1.1\r\nHost: {site.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
            )
            while not site.hub.watched:
                assert time.monotonic() < deadline_s, "it never connected"
                time.sleep(0.01)
            step = 0
            while site.hub.watched:
                assert time.monotonic() < deadline_s, "it is still connected"
                site.hub.publish(
                    View(camera={"camera": build_camera_view(text=f"{(step := step + 1)} {'.' * 1_000_000}")})
                )
                time.sleep(0.01)
    finally:
        site.server.stop()
