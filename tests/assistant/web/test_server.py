import asyncio
import logging
import socket
import threading
import time

import httpx
import pytest
from fastapi import FastAPI, WebSocket
from websockets.sync.client import connect

from assistant.web import server as module
from assistant.web.server import Server

PATIENCE_S = 30.0


def build_app() -> FastAPI:
    app = FastAPI()
    app.get("/")(lambda: "here")
    return app


def ask_patiently(port: int) -> str:
    deadline = time.monotonic() + PATIENCE_S
    with httpx.Client(trust_env=False) as client:
        while True:
            try:
                return client.get(f"http://127.0.0.1:{port}/").text
            except httpx.TransportError:
                assert time.monotonic() < deadline, "the pages are not served any more"
                time.sleep(0.02)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RESTART_S", (0.01, 0.01))


def test_what_is_said_does_not_wait_for_an_acknowledgement() -> None:
    app, without_delay = build_app(), []
    server = Server(app, "127.0.0.1", 0)

    @app.get("/connections")
    def note() -> None:
        for connection in server._server.server_state.connections:
            used = connection.transport.get_extra_info("socket")
            without_delay.append(used.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    server.start()
    try:
        httpx.get(f"http://127.0.0.1:{server.port}/connections", trust_env=False)
    finally:
        server.stop()
    assert without_delay
    assert all(without_delay)


@pytest.mark.usefixtures("impatient")
def test_a_server_that_fails_is_started_again_at_the_same_port(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    works, failures = Server._serve, [True]

    async def serve(server: Server, *listeners: socket.socket | None) -> None:
        if failures:
            failures.pop()
            await asyncio.sleep(0)
            raise RuntimeError("injected")
        await works(server, *listeners)  # type: ignore[arg-type]

    monkeypatch.setattr(Server, "_serve", serve)
    server = Server(build_app(), "127.0.0.1", 0)
    server.start()
    try:
        assert ask_patiently(server.port) == '"here"'
    finally:
        server.stop()
    assert [record.levelno for record in caplog.records if record.name == module.__name__] == [logging.ERROR]


@pytest.mark.usefixtures("impatient")
def test_a_server_that_fails_for_good_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def serve(_: Server, *__: socket.socket | None) -> None:
        await asyncio.sleep(0)
        raise SystemExit(1)

    monkeypatch.setattr(Server, "_serve", serve)
    server = Server(build_app(), "127.0.0.1", 0)
    server.start()
    deadline = time.monotonic() + PATIENCE_S
    while caplog.records[-1:] == [] or caplog.records[-1].levelno < logging.CRITICAL:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    server.stop()
    assert "not served any more" in caplog.records[-1].message


def test_a_server_ends_though_a_page_has_said_more_than_was_heard(caplog: pytest.LogCaptureFixture) -> None:
    app, said, heard = build_app(), threading.Event(), list[str]()

    @app.websocket("/ws")
    async def listen(page: WebSocket) -> None:
        await page.accept()
        said.wait()  # with all that is served: most of what was said comes in one piece then
        while (message := await page.receive())["type"] == "websocket.receive":
            heard.append(message["text"])
            await asyncio.sleep(0.1 if len(heard) > 100 else 0.0)

    server = Server(app, "127.0.0.1", 0)
    server.start()
    try:
        with connect(f"ws://127.0.0.1:{server.port}/ws", proxy=None) as page:
            for _ in range(1000):
                page.send("again")
            said.set()
            while len(heard) <= 100:
                time.sleep(0.01)
            server.stop()
    finally:
        said.set()
        server.stop()
    assert not caplog.records


def test_the_last_port_there_is_has_none_after_it() -> None:
    assert Server(build_app(), "127.0.0.1", 65535).encrypted_port == 0
    assert Server(build_app(), "127.0.0.1", 8765).encrypted_port == 8766
