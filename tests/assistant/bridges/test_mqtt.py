"""MQTT against a real broker: what it keeps of the table, what Home Assistant is told, and what is said without one."""

import asyncio
import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from assistant.bridges.bridge import PlannedBridge
from assistant.bridges.mqtt import BRIDGE, MqttSettings, build_discovery
from assistant.runtime import bridge_runner
from assistant.runtime.bridge_runner import BridgeNotices, run_bridges
from assistant.table.session import GameSession
from assistant.web.hub import Hub
from assistant.web.views.session import build_view
from tests.assistant.bridges.test_happenings import SOURCE
from tests.assistant.snapshot_script import SnapshotScript, build_game
from tests.pages.waiting import wait_for

MOSQUITTO = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
needs_broker = pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed: apt-get install mosquitto")


class Broker:
    """A mosquitto that wants a password, on a port of its own."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = int(probe.getsockname()[1])
        self._settings = folder / "mosquitto.conf"
        self._settings.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n")
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert MOSQUITTO is not None
        quiet = subprocess.DEVNULL
        self._running = subprocess.Popen([MOSQUITTO, "-c", str(self._settings)], stdout=quiet, stderr=quiet)
        wait_for(self._answers)

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self) -> None:
        if self._running is not None:
            self._running.terminate()
            self._running.wait()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    made = Broker(tmp_path)
    yield made
    made.stop()


class Listener:
    """What the broker holds, as a lamp would hear it."""

    def __init__(self, port: int) -> None:
        self.heard: dict[str, str] = {}
        self._port, self._loop, self._ready = port, asyncio.new_event_loop(), threading.Event()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._listen(),), daemon=True)
        self._thread.start()
        assert self._ready.wait(60)

    async def _listen(self) -> None:
        async with aiomqtt.Client("127.0.0.1", self._port) as client:
            await client.subscribe("#")
            self._ready.set()
            hearing = asyncio.create_task(self._hear(client))
            await self._stop.wait()
            hearing.cancel()

    async def _hear(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            assert isinstance(message.payload, bytes)
            self.heard[str(message.topic)] = message.payload.decode()

    @property
    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.heard.get("overtable/table/state", "{}"))
        return found

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._loop.close()


def plan(port: int) -> tuple[PlannedBridge, ...]:
    return (PlannedBridge(bridge=BRIDGE, settings=MqttSettings(host="127.0.0.1", port=port)),)


def list_texts(notices: BridgeNotices) -> list[str]:
    return [n.text for view in notices.build_views(None) for n in view.notices.values()]  # type: ignore[arg-type]


def play_illegal_move(publish: Callable[[GameSession], object]) -> None:
    session, script = GameSession(build_game()), SnapshotScript()
    session.observe(script.take_snapshot())
    publish(session)
    session.declare(unit="scouts", action="normal")
    for frame in script.slide("s2", 300, 550):
        session.observe(frame)
    publish(session)


@needs_broker
def test_a_lamp_is_told_of_an_illegal_move_and_whoever_comes_later_too(broker: Broker) -> None:
    broker.start()
    hub, lamp = Hub(), Listener(broker.port)
    try:
        with run_bridges(plan(broker.port), hub, {}, BridgeNotices()):
            wait_for(lambda: lamp.heard.get("overtable/table/availability") == "online")
            play_illegal_move(lambda session: hub.publish(build_view(session, SOURCE)))
            wait_for(lambda: lamp.state.get("outcome") == "illegal")
            late = Listener(broker.port)
            try:
                wait_for(lambda: late.state == lamp.state)
            finally:
                late.close()
            told = {topic: json.loads(text) for topic, text in lamp.heard.items() if topic.startswith("homeassistant/")}
            assert told == build_discovery(MqttSettings(host="127.0.0.1"))
        wait_for(lambda: lamp.heard["overtable/table/availability"] == "offline")
    finally:
        lamp.close()


@needs_broker
def test_a_broker_that_comes_later_and_goes_away_is_told_when_it_is_there(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_runner, "AGAIN_S", (0.05,))
    hub, notices = Hub(), BridgeNotices()
    with run_bridges(plan(broker.port), hub, {}, notices):
        wait_for(lambda: list_texts(notices) or None)
        broker.start()
        wait_for(lambda: not list_texts(notices))
        broker.stop()
        wait_for(lambda: list_texts(notices) or None)
        broker.start()
        lamp = Listener(broker.port)
        wait_for(lambda: lamp.state.get("outcome") == "none")
        lamp.close()


def test_without_a_broker_one_sentence_is_shown() -> None:
    notices = BridgeNotices()
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    with run_bridges(plan(port), Hub(), {}, notices):
        (text,) = wait_for(lambda: list_texts(notices) or None)
    assert text.startswith(f"Other programs are not told by mqtt: 127.0.0.1:{port} does not take it")


def test_home_assistant_is_told_of_entities_with_topics_and_names_of_their_own() -> None:
    told = build_discovery(MqttSettings(host="h", id="hall-3", discovery="ha"))
    assert len({about["unique_id"] for about in told.values()}) == len(told) == 6
    for topic, about in told.items():
        assert topic.startswith(("ha/binary_sensor/overtable_hall-3_", "ha/sensor/overtable_hall-3_"))
        assert topic.endswith("/config")
        assert about["state_topic"] == "overtable/hall-3/state"
        assert about["availability_topic"] == "overtable/hall-3/availability"
        assert about["device"]["identifiers"] == ["overtable_hall-3"]
    illegal = told["ha/binary_sensor/overtable_hall-3_illegal/config"]
    assert illegal["value_template"] == "{{ 'ON' if value_json.outcome == 'illegal' else 'OFF' }}"


def test_a_password_comes_from_a_file_and_is_in_no_set_up(tmp_path: Path) -> None:
    (tmp_path / "mqtt.password").write_text("a lamp\n")
    asked = {"host": "h", "username": "table", "password_file": "mqtt.password"}
    settings = MqttSettings.model_validate(asked, context=tmp_path)
    assert settings.password == "a lamp"
    assert "a lamp" not in settings.model_dump_json()
    assert "a lamp" not in repr(settings)
