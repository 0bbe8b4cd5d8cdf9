"""The connection to a real broker: whatever becomes of it, no socket of it stays open."""

import asyncio
import gc
import sys
from collections.abc import Iterator

import pytest
from nats.aio.client import Client

from assistant.hall import connection
from assistant.hall.connection import connect
from assistant.hall.loop_thread import run_loop
from tests.assistant.hall.running_hall import RunningHall, needs_broker, run_broker
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
