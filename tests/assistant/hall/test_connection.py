"""The connection to a real broker: whatever becomes of it, no socket stays open; one that is out of date is told so."""

import asyncio
import gc
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from nats.aio.client import Client

from assistant.hall import connection
from assistant.hall.connection import connect
from assistant.hall.loop_thread import run_loop
from assistant.web import certificate
from tests.assistant.hall.running_hall import (
    PlayedTable,
    RunningHall,
    gathering,
    hold_same,
    needs_broker,
    run_broker,
)
from tests.pages.waiting import wait_for

pytestmark = needs_broker


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHall]:
    with run_broker(RunningHall(tmp_path_factory.mktemp("hall") / "cup", ("1",))) as running:
        yield running


@pytest.fixture
def left_open(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What Python finds open that nobody holds any more."""
    found: list[str] = []
    gc.collect()
    monkeypatch.setattr(sys, "unraisablehook", lambda fault: found.append(str(fault.exc_value)))
    yield found
    gc.collect()


async def _never_close(client: Client) -> None:
    """As where the other end was killed, and does not answer to the goodbye."""
    del client
    await asyncio.sleep(3600)


def test_a_connection_whose_goodbye_nobody_answers_is_cut_off(
    hall: RunningHall, left_open: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "GOODBYE_S", 0.05)
    monkeypatch.setattr(Client, "close", _never_close)
    file = hall.read_file("1")
    connected: list[bool] = []

    async def work(stop: asyncio.Event) -> None:
        async with connect(file.servers, file.build_context(), user=file.user, password=file.password) as client:
            connected.append(client.is_connected)
            # What reads and pings goes on, as `close` would have ended it.
            await stop.wait()

    with run_loop(work, "test"):
        wait_for(lambda: connected)
    gc.collect()
    assert (connected, left_open) == ([True], [])


def test_one_that_is_told_to_end_amid_its_goodbye_is_cut_off(
    hall: RunningHall, left_open: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Client, "close", _never_close)
    file = hall.read_file("1")
    leaving: list[bool] = []

    async def connect_and_leave() -> None:
        async with connect(file.servers, file.build_context(), user=file.user, password=file.password):
            pass

    async def work(stop: asyncio.Event) -> None:
        task = asyncio.create_task(connect_and_leave())
        await asyncio.sleep(0.5)
        leaving.append(True)
        task.cancel()
        await asyncio.wait({task})
        await stop.wait()

    with run_loop(work, "test"):
        wait_for(lambda: leaving)
    gc.collect()
    assert left_open == []


@pytest.fixture
def expired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningHall]:
    """A hall whose broker runs with certificates that were valid until an hour ago."""
    with monkeypatch.context() as patched:
        patched.setattr(certificate, "LASTS", timedelta(hours=-1))
        made = RunningHall(tmp_path / "cup", ("1",))
    with run_broker(made) as running:
        yield running


def test_an_expired_certificate_is_told_in_a_sentence_to_table_and_judges(expired: RunningHall, tmp_path: Path) -> None:
    where = f"127.0.0.1:{expired.folder.event.port}"
    sentence = f"the certificate of {where} is not valid today: look at this machine's date, or make the hall anew"
    played = PlayedTable(tmp_path / "played.overtable")
    with gathering(expired) as gatherer, played.publishing(expired.read_file("1")) as link:
        played.play(5)
        assert wait_for(lambda: link.trouble or None) == sentence
        assert wait_for(lambda: gatherer.trouble or None) == sentence
        assert not link.connected
    assert expired.list_recordings("1") == []
    assert expired.folder.renew_certificates()
    assert not expired.folder.renew_certificates(), "they last for years now"
    expired.folder.write()
    expired.broker.reload()
    with gathering(expired), played.publishing(expired.read_file("1")):
        wait_for(hold_same(expired, "1", played))
    played.journal.close()
