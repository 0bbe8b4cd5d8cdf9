"""The attack is made as it was made on the program: sockets that say half of something, or nothing, and stay."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from fastapi import FastAPI, Request

from assistant.web import connections as module
from assistant.web.certificate import FILE, open_certificate
from assistant.web.connections import RequestProtocol
from assistant.web.server import Server

PATIENCE_S = 30.0
WHOLE = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    app = FastAPI()
    app.get("/")(lambda: "here")

    @app.post("/")
    async def take(request: Request) -> int:
        return len(await request.body())

    made = Server(app, "127.0.0.1", 0)
    made.start()
    yield made
    made.stop()


def connect(server: Server, *, address: str = "127.0.0.1") -> socket.socket:
    return connect_to(server.port, address)


def connect_to(port: int, address: str = "127.0.0.1") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S, source_address=(address, 0))
    made.settimeout(PATIENCE_S)
    return made


def is_cut_off(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def is_answered(connection: socket.socket) -> bool:
    connection.sendall(WHOLE)
    answer = b""
    while not answer.endswith(b'"here"') and (part := connection.recv(4096)):
        answer += part
    return answer.startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1",
    ],
    ids=["nothing", "half a line", "half a head", "half a body"],
)
def test_a_request_that_does_not_come_whole_is_given_up(
    server: Server, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REQUEST_S", 0.05)
    with connect(server) as attacker:
        attacker.sendall(said)
        assert is_cut_off(attacker)


def test_the_second_request_of_a_connection_is_given_up_likewise(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REQUEST_S", 0.05)
    with connect(server) as attacker:
        assert is_answered(attacker)
        attacker.sendall(b"GET / HT")
        assert is_cut_off(attacker)


def test_a_request_that_came_whole_may_take_its_time() -> None:
    asked: list[bool] = []
    app = FastAPI()
    made = Server(app, "127.0.0.1", 0)

    @app.get("/")
    async def look() -> str:
        asked.extend(
            each._asks.runs for each in made._server.server_state.connections if isinstance(each, RequestProtocol)
        )
        return "here"

    made.start()
    try:
        with connect(made) as honest:
            assert is_answered(honest)
    finally:
        made.stop()
    assert asked == [False]


def test_an_address_that_takes_all_places_keeps_nobody_out(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CONNECTIONS", 8)
    with ExitStack() as opened:
        early = opened.enter_context(connect(server, address="127.0.0.2"))
        assert is_answered(early)
        attackers = [opened.enter_context(connect(server)) for _ in range(12)]
        for first in attackers[:5]:
            assert is_cut_off(first)
        late = opened.enter_context(connect(server, address="127.0.0.3"))
        assert is_answered(late)
        assert is_answered(early)
        assert is_answered(attackers[-1])


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, ssl.SSLContext]]:
    """A server that is encrypted at another port, and what trusts it."""
    folder = tmp_path_factory.mktemp("state")
    app = FastAPI()
    app.get("/")(lambda: "here")
    made = Server(app, "127.0.0.1", 0, open_certificate(folder, ["127.0.0.1"]).context)
    made.start()
    yield made, ssl.create_default_context(cafile=str(folder / FILE))
    made.stop()


def connect_encrypted(server: Server, trusting: ssl.SSLContext, *, address: str = "127.0.0.1") -> ssl.SSLSocket:
    return trusting.wrap_socket(connect_to(server.encrypted_port, address), server_hostname="127.0.0.1")


def test_the_same_pages_are_served_encrypted(encrypted: tuple[Server, ssl.SSLContext]) -> None:
    server, trusting = encrypted
    with connect_encrypted(server, trusting) as honest, connect(server) as plain:
        assert is_answered(honest)
        assert is_answered(plain)


@pytest.mark.parametrize(
    "said", [b"", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01"], ids=["nothing", "in the clear", "half"]
)
def test_who_agrees_on_no_key_is_cut_off(
    encrypted: tuple[Server, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(module, "HANDSHAKE_S", 0.05)
    server, trusting = encrypted
    with connect_to(server.encrypted_port) as attacker:
        attacker.sendall(said)
        while (told := attacker.recv(100)) != b"":  # that it was not understood, before
            assert told.startswith(b"\x15\x03")
    monkeypatch.undo()
    with connect_encrypted(server, trusting) as honest:
        assert is_answered(honest)


def test_who_agrees_on_no_key_takes_nobodys_place(
    encrypted: tuple[Server, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_CONNECTIONS", 8)
    server, trusting = encrypted
    with ExitStack() as opened:
        early = opened.enter_context(connect_encrypted(server, trusting, address="127.0.0.2"))
        assert is_answered(early)
        attackers = [opened.enter_context(connect_to(server.encrypted_port)) for _ in range(12)]
        for first in attackers[:5]:
            assert is_cut_off(first)
        late = opened.enter_context(connect_encrypted(server, trusting, address="127.0.0.3"))
        assert is_answered(late)
        assert is_answered(early)
