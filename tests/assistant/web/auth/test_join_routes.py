"""What other devices may do, asked as they ask: over the network, by an address that is not this machine's own name."""

import json
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from assistant.web.app import PAGES, create_app
from assistant.web.auth.devices import WRONG_FROM_ONE, DeviceRegistry
from assistant.web.auth.guard import JOIN_FIRST
from assistant.web.auth.join_routes import LEADS_TO, SecureAddress
from assistant.web.auth.roles import JOINED, find_path_roles
from assistant.web.certificate import FILE, open_certificate
from assistant.web.commands.game import Accept
from assistant.web.hub import Hub
from assistant.web.messages.message import Role
from assistant.web.server import Server

HTML = "text/html,application/xhtml+xml"
LAN = "http://192.0.2.7:8765"
ENCRYPTED = "https://192.0.2.7:8766"
PASSWORD = "a table under a lamp"


class ServedTable:
    """A served table, and its door."""

    def __init__(
        self, *, open_table: bool = False, state: Path | None = None, encryption: ssl.SSLContext | None = None
    ) -> None:
        self.hub, self.devices = Hub(), DeviceRegistry(open_table=open_table, state=state)
        secure = [SecureAddress(url=ENCRYPTED, fingerprint="AB CD")] if encryption else []
        app = create_app(hub=self.hub, picture=lambda: b"jpeg", join_urls=[LAN], devices=self.devices, secure=secure)
        self.server = Server(app, "127.0.0.1", 0, encryption)
        self.server.start()
        self.host = f"127.0.0.1:{self.server.port}"
        self.cookie_name = f"overtable-{self.server.port}"


class Device:
    """Another device, or with `host` this machine's own browser."""

    def __init__(self, table: ServedTable, *, host: str | None = None, **headers: str) -> None:
        self.table = table
        self.headers = {"Host": host or f"192.0.2.7:{table.server.port}", **headers}
        self.token = ""

    @property
    def _sent(self) -> dict[str, str]:
        cookie = {"Cookie": f"{self.table.cookie_name}={self.token}"} if self.token else {}
        return {**self.headers, **cookie}

    def ask(self, path: str, method: str = "GET", **more: Any) -> httpx.Response:
        with httpx.Client(trust_env=False) as client:
            headers = {**self._sent, **more.pop("headers", {})}
            return client.request(method, f"http://{self.table.host}{path}", headers=headers, **more)

    def join(self, code: str) -> httpx.Response:
        answer = self.ask("/join", "POST", json={"code": code})
        if answer.status_code == 200:
            self.token = answer.cookies[self.table.cookie_name]
        return answer

    def join_as(self, role: Role) -> "Device":
        assert self.join(self.table.devices.get_code(role)).json() == {"role": role}
        return self

    def connect(self, **headers: str) -> ClientConnection:
        sent = {**self._sent, **headers}
        # The library writes a Host of its own, so that the address is the one that is asked for.
        here, named = ("127.0.0.1", self.table.server.port), sent.pop("Host")
        return connect(f"ws://{named}/ws", address=here, proxy=None, additional_headers=sent)


@pytest.fixture
def table() -> Iterator[ServedTable]:
    made = ServedTable()
    yield made
    made.server.stop()


def receive_message(page: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(page.recv(timeout=5))
    return message


def read_close_code(page: ClientConnection) -> int:
    """Read on until the server ends it, and return the code with which it did."""
    with suppress(ConnectionClosed):
        while True:
            page.recv(timeout=5)
    assert page.close_code is not None
    return page.close_code


def test_this_machine_needs_no_code(table: ServedTable) -> None:
    for own in (table.host, f"localhost:{table.server.port}", f"[::1]:{table.server.port}"):
        browser = Device(table, host=own)
        assert browser.ask("/you.json").json() == {"role": "host", "may": True, "here": True, "password_at": ""}
        assert browser.ask("/codes.json").status_code == 200
    with Device(table, host=table.host).connect() as page:
        assert receive_message(page)["view"]["you"]["you"]["role"] == "host"


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"])
def test_whoever_comes_through_a_proxy_on_this_machine_is_not_this_machine(table: ServedTable, header: str) -> None:
    for said in ("203.0.113.5", "127.0.0.1"):
        assert Device(table, host=table.host, **{header: said}).ask("/codes.json").status_code == 401


def test_a_device_that_has_not_joined_is_led_to_where_it_can(table: ServedTable) -> None:
    stranger = Device(table)
    for path in ("/", "/tablet", "/projector?x=1"):
        answer = stranger.ask(path, headers={"Accept": HTML})
        assert answer.status_code == 303
        assert answer.headers["location"] == "/join?to=" + path.replace("?", "%3F").replace("=", "%3D")
        assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert stranger.ask("/picture.jpg").status_code == 401
    assert stranger.ask("/codes.json").status_code == 401
    assert stranger.ask("/join").status_code == stranger.ask("/static/join/join.js").status_code == 200
    assert stranger.ask("/you.json").json() == {"role": None, "may": False, "here": False, "password_at": ""}
    with stranger.connect() as page:
        assert read_close_code(page) == JOIN_FIRST


def test_the_cookie_is_kept_from_scripts_and_from_other_sites(table: ServedTable) -> None:
    answer = Device(table).join(table.devices.get_code("player"))
    (morsel,) = SimpleCookie(answer.headers["set-cookie"]).values()
    assert morsel.key == table.cookie_name
    assert morsel["httponly"]
    assert morsel["samesite"].lower() == "strict"
    assert morsel["path"] == "/"
    assert not morsel["domain"]
    assert morsel.value not in answer.text


def test_a_player_plays(table: ServedTable) -> None:
    player = Device(table).join_as("player")
    assert player.ask("/tablet", headers={"Accept": HTML}).status_code == 200
    assert player.ask("/picture.jpg").status_code == 200
    with player.connect() as page:
        assert receive_message(page)["view"]["you"]["you"]["role"] == "player"
        page.send('{"type": "accept"}')
        page.send('{"type": "rule", "outcome": "legal", "by": "judge", "note": "It is."}')
        assert receive_message(page) == {
            "type": "refused",
            "text": "This is for a judge: ask the host for the judge's code.",
        }
        (order,) = table.hub.take()
        assert isinstance(order.message, Accept)


def test_a_viewer_sees_and_changes_nothing(table: ServedTable) -> None:
    viewer = Device(table).join_as("viewer")
    assert viewer.ask("/tablet", headers={"Accept": HTML}).status_code == 200
    assert viewer.ask("/projector", headers={"Accept": HTML}).headers["location"] == "/join?to=/projector"
    told = viewer.ask("/you.json?to=/projector").json()
    assert (told["role"], told["may"], told["here"]) == ("viewer", False, False)
    assert viewer.ask("/codes.json").status_code == 403
    refused = viewer.ask("/past/rule", "POST")
    assert (refused.status_code, refused.text) == (403, "You are watching: ask the host for the player's code.")
    with viewer.connect() as page:
        receive_message(page)
        page.send('{"type": "accept"}')
        assert receive_message(page)["text"] == "You are watching: ask the host for the player's code."
    assert table.hub.take() == []


@pytest.mark.parametrize("role", ["player", "judge", "viewer"])
def test_only_the_host_sees_and_changes_codes(table: ServedTable, role: Role) -> None:
    device, code = Device(table).join_as(role), table.devices.get_code("judge")
    for path, method in (
        ("/codes.json", "GET"),
        ("/codes/judge.svg", "GET"),
        ("/codes/judge/renew", "POST"),
        ("/codes/judge/send-away", "POST"),
        ("/codes/host.svg", "GET"),
        ("/codes/password", "POST"),
        ("/codes/programs", "POST"),
        ("/codes/stays/0/withdraw", "POST"),
    ):
        answer = device.ask(path, method)
        assert answer.status_code == 403
        assert code not in answer.text
    assert table.devices.get_code("judge") == code


def test_a_wrong_code_is_said_to_be_wrong_and_guessing_is_slowed_down(table: ServedTable) -> None:
    guesser = Device(table)
    for _ in range(WRONG_FROM_ONE):
        answer = guesser.join("not it")
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
        assert "This code is not right" in answer.text
    late = guesser.join(table.devices.get_code("player"))
    assert late.status_code == 429
    assert int(late.headers["retry-after"]) > 0


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b'{"code": 1}', b'{"code": "' + b"1" * 5000 + b'"}', b"\xff"])
def test_what_is_no_code_is_refused(table: ServedTable, body: bytes) -> None:
    answer = Device(table).ask("/join", "POST", content=body)
    assert (answer.status_code, answer.text) == (400, "Enter the six digits of the code.")


def test_a_foreign_page_gets_nowhere_with_the_cookie(table: ServedTable) -> None:
    player = Device(table).join_as("player")
    with pytest.raises(InvalidStatus, match="403"):
        player.connect(Origin="http://evil.example")
    assert player.ask("/picture.jpg", headers={"Origin": "http://evil.example"}).status_code == 421
    rebound = Device(table, host="evil.example:8765")
    rebound.token = player.token
    assert rebound.ask("/picture.jpg").status_code == 421
    with pytest.raises(InvalidStatus, match="403"):
        rebound.connect(Origin="http://evil.example:8765")
    host = Device(table, host=table.host, Origin="http://evil.example")
    assert host.ask("/codes/player/renew", "POST").status_code == 421
    answer = Device(table, host=table.host).ask("/picture.jpg")
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_another_tables_cookie_opens_nothing(table: ServedTable) -> None:
    other = ServedTable()
    try:
        device = Device(table).join_as("judge")
        stray = Device(other)
        stray.token = device.token
        assert stray.ask("/picture.jpg").status_code == 401
    finally:
        other.server.stop()


def test_a_new_code_keeps_who_is_there_and_sending_away_ends_their_connection(table: ServedTable) -> None:
    host, player, judge = (
        Device(table, host=table.host),
        Device(table).join_as("player"),
        Device(table).join_as("judge"),
    )
    with player.connect() as gone, judge.connect() as stays:
        receive_message(gone)
        receive_message(stays)
        renewed = {each["role"]: each for each in host.ask("/codes/player/renew", "POST").json()["roles"]}
        assert renewed["player"] == {"role": "player", "code": table.devices.get_code("player"), "devices": 1}
        gone.send('{"type": "resync"}')
        assert receive_message(gone)["type"] == "full"
        assert host.ask("/codes/player/send-away", "POST").json()["roles"][0]["devices"] == 0
        assert read_close_code(gone) == JOIN_FIRST
        stays.send('{"type": "resync"}')
        assert receive_message(stays)["type"] == "full"
    assert player.ask("/picture.jpg").status_code == 401
    assert player.join(table.devices.get_code("player")).status_code == 200


def test_a_device_that_joins_as_something_else_is_that_on_all_its_pages(table: ServedTable) -> None:
    device = Device(table).join_as("player")
    with device.connect() as open_page:
        receive_message(open_page)
        device.join_as("viewer")
        assert read_close_code(open_page) == JOIN_FIRST
    assert device.ask("/you.json").json()["role"] == "viewer"


def test_a_qr_code_leads_to_a_page_that_its_role_may_open() -> None:
    assert set(LEADS_TO) == set(JOINED)
    for role, path in LEADS_TO.items():
        assert path.removeprefix("/") in PAGES
        assert role in (find_path_roles(path) or frozenset())


def test_an_open_table_lets_everyone_play_and_nobody_calibrate() -> None:
    table = ServedTable(open_table=True)
    try:
        anyone = Device(table)
        assert anyone.ask("/tablet", headers={"Accept": HTML}).status_code == 200
        assert anyone.ask("/codes.json").status_code == 403
        assert Device(table, host=table.host).ask("/codes.json").json()["open"] is True
        with anyone.connect() as page:
            assert receive_message(page)["view"]["you"]["you"]["role"] == "player"
    finally:
        table.server.stop()


class EncryptedDevice:
    """Another device, which opens the pages by their encrypted address."""

    def __init__(self, table: ServedTable, trusting: ssl.SSLContext) -> None:
        self.client = httpx.Client(
            trust_env=False,
            verify=trusting,
            base_url=f"https://127.0.0.1:{table.server.encrypted_port}",
            headers={"Host": f"192.0.2.7:{table.server.encrypted_port}"},
        )
        self.cookie_name = f"overtable-{table.server.encrypted_port}"
        self.token = ""

    def ask(self, path: str, method: str = "GET", **more: Any) -> httpx.Response:
        headers = {"Cookie": f"{self.cookie_name}={self.token}"} if self.token else {}
        return self.client.request(method, path, headers=headers, **more)

    def enter(self, password: str, *, stays: bool = False) -> httpx.Response:
        answer = self.ask("/join", "POST", json={"password": password, "stays": stays})
        if answer.status_code == 200:
            self.token = answer.cookies[self.cookie_name]
            cookie = SimpleCookie(answer.headers["set-cookie"])[self.cookie_name]
            assert (bool(cookie["secure"]), bool(cookie["httponly"]), cookie["samesite"]) == (True, True, "strict")
        return answer


@pytest.fixture
def arrive(far_table: ServedTable, tmp_path: Path) -> Iterator[Callable[[], EncryptedDevice]]:
    """Makes a device that trusts the table's certificate."""
    trusting = ssl.create_default_context(cafile=str(tmp_path / FILE))
    with ExitStack() as opened:

        def arrive_once() -> EncryptedDevice:
            device = EncryptedDevice(far_table, trusting)
            opened.enter_context(device.client)
            return device

        yield arrive_once


@pytest.fixture
def far_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedTable]:
    """One that is encrypted, too, and whose host's password is set."""
    monkeypatch.setattr("assistant.web.auth.password._COST", 2)
    made = ServedTable(state=tmp_path, encryption=open_certificate(tmp_path, ["127.0.0.1"]).context)
    made.devices.password.keep(PASSWORD)
    yield made
    made.server.stop()


def test_by_the_password_another_device_is_the_host(
    far_table: ServedTable, arrive: Callable[[], EncryptedDevice]
) -> None:
    device = arrive()
    assert device.ask("/setup").status_code == 401
    assert device.ask("/you.json").json()["password_at"] == ENCRYPTED
    wrong = device.enter("not the password")
    assert (wrong.status_code, wrong.text) == (403, "This password is not right.")
    assert device.enter(PASSWORD).json() == {"role": "host"}
    assert device.ask("/setup").status_code == 200
    assert device.ask("/you.json").json() == {"role": "host", "may": True, "here": False, "password_at": ENCRYPTED}
    assert device.ask("/codes/host.svg").headers["content-type"] == "image/svg+xml"
    plain = Device(far_table)
    plain.token = device.token
    assert plain.ask("/codes.json").status_code == 401, "whoever listens has read it there"


def test_the_password_is_taken_nowhere_where_others_read_it(far_table: ServedTable) -> None:
    for plain in (Device(far_table), Device(far_table, host=far_table.host)):
        answer = plain.ask("/join", "POST", json={"password": PASSWORD})
        assert (answer.status_code, "by its encrypted address" in answer.text) == (403, True)
        assert "set-cookie" not in answer.headers


def test_guessing_the_password_is_slowed_down(arrive: Callable[[], EncryptedDevice]) -> None:
    device = arrive()
    assert {device.enter("not it, again").status_code for _ in range(WRONG_FROM_ONE)} == {403}
    late = device.enter(PASSWORD)
    assert (late.status_code, int(late.headers["retry-after"]) > 0) == (429, True)


def test_the_host_sets_replaces_and_removes_the_password(
    far_table: ServedTable, arrive: Callable[[], EncryptedDevice]
) -> None:
    near, far, other = Device(far_table, host=far_table.host), arrive(), arrive()
    far.enter(PASSWORD)
    other.enter(PASSWORD, stays=True)
    short = near.ask("/codes/password", "POST", json={"password": "short"})
    assert (short.status_code, "10 to 200 letters" in short.text) == (409, True)
    for senseless in (b"", b"{}", b'{"password": 1}', json.dumps({"password": "x" * 300}).encode()):
        assert near.ask("/codes/password", "POST", content=senseless).status_code == 400
    assert far.ask("/codes/password", "POST", json={"password": "another lamp"}).json()["password"] is True
    assert far.ask("/codes.json").status_code == 200, "whoever sets it stays"
    assert other.ask("/codes.json").status_code == 401
    assert other.enter(PASSWORD).status_code == 403
    assert other.enter("another lamp").status_code == 200
    assert near.ask("/codes/password", "POST", json={"password": ""}).json()["password"] is False
    assert far.ask("/codes.json").status_code == 401
    assert "No password is set" in far.enter("another lamp").text


def test_the_host_lets_a_program_in_and_sends_it_away(table: ServedTable) -> None:
    near = Device(table, host=table.host)
    made = near.ask(
        "/codes/programs", "POST", json={"name": " Lamps ", "role": "judge", "origin": "https://Club.example/"}
    )
    token = made.json()["token"]
    (listed,) = made.json()["stays"]
    assert (listed["name"], listed["role"], listed["program"]) == ("Lamps", "judge", True)
    assert table.devices.list_origins() == {"https://club.example"}
    carried = {"authorization": f"Bearer {token}"}
    stranger = Device(table)
    assert stranger.ask("/api/1/you", headers=carried).json()["role"] == "judge"
    assert "token" not in near.ask("/codes.json").json()
    near.ask(f"/codes/stays/{listed['id']}/withdraw", "POST")
    assert stranger.ask("/api/1/you", headers=carried).status_code == 401


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"name": "  "}, "Give the program a name of 1 to 60 letters."),
        ({"name": "x" * 61}, "Give the program a name"),
        ({"name": "a\u0000b"}, "Give the program a name"),
        ({}, "Give the program a name"),
        ({"name": "a", "origin": "https://club.example/path"}, "Enter the web site as browsers name it"),
        ({"name": "a", "origin": "javascript:alert(1)"}, "Enter the web site as browsers name it"),
        ({"name": "a", "role": "king"}, "This is no program that could be let in."),
        ({"name": "a", "more": 1}, "This is no program that could be let in."),
        ([], "This is no program that could be let in."),
    ],
)
def test_what_is_no_program_is_said_in_a_sentence(table: ServedTable, wanted: object, says: str) -> None:
    answer = Device(table, host=table.host).ask("/codes/programs", "POST", json=wanted)
    assert answer.status_code == 400
    assert answer.text.startswith(says)
    assert table.devices.list_pairings() == ()


def test_there_are_only_so_many_programs(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.web.auth.pairings.MOST_PROGRAMS", 1)
    near = Device(table, host=table.host)
    assert near.ask("/codes/programs", "POST", json={"name": "one"}).status_code == 200
    refused = near.ask("/codes/programs", "POST", json={"name": "two"})
    assert (refused.status_code, refused.text.startswith("No token was made: 1 programs have")) == (409, True)


def test_devices_that_stay_are_listed_and_withdrawn(
    far_table: ServedTable, arrive: Callable[[], EncryptedDevice]
) -> None:
    near, far = Device(far_table, host=far_table.host), arrive()
    far.enter(PASSWORD, stays=True)
    (listed,) = near.ask("/codes.json").json()["stays"]
    assert (listed["role"], listed["name"]) == ("host", "A device")
    assert far.token not in json.dumps(near.ask("/codes.json").json())
    assert near.ask(f"/codes/stays/{listed['id']}/withdraw", "POST").json()["stays"] == []
    assert far.ask("/codes.json").status_code == 401
