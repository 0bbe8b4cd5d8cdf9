"""OBS: who it is by its protocol, which scene comes when, and what is said where it refuses.

There is no OBS here: its side is written from obs-websocket's own description of protocol 5.
"""

import base64
import hashlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve

from assistant.bridges.bridge import PlannedBridge
from assistant.bridges.happenings import Standing
from assistant.bridges.obs import BRIDGE, PROTOCOL, ObsSettings, find_phase
from assistant.runtime.bridge_runner import BridgeNotices, run_bridges
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.table import NoticeView
from tests.assistant.bridges.test_webhooks import build_camera, list_texts
from tests.pages.waiting import wait_for

PASSWORD = "a lamp over a table"
SALT, CHALLENGE = "lM1GncleQOaCu9lT1yeUZhFYnqhsLLP1G5lAGo3ixaI=", "+IxH4CnCiqpX1rM9scsNynZzbOe4KhDeYcTNS3PDaeY="
SCENES = ("Table", "Break")


class FakeObs:
    """Answers as OBS does, to whoever knows the password."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.server: Server = serve(self._answer, "127.0.0.1", 0, subprotocols=[PROTOCOL])
        self.port = int(self.server.socket.getsockname()[1])
        self._thread = threading.Thread(target=self.server.serve_forever)
        self._thread.start()

    def _answer(self, client: ServerConnection) -> None:
        def say(op: int, data: dict[str, Any]) -> None:
            client.send(json.dumps({"op": op, "d": data}))

        say(0, {"rpcVersion": 1, "authentication": {"challenge": CHALLENGE, "salt": SALT}})
        known = json.loads(client.recv())
        assert (known["op"], known["d"]["rpcVersion"]) == (1, 1)
        secret = base64.b64encode(hashlib.sha256(f"{PASSWORD}{SALT}".encode()).digest())
        if (
            known["d"].get("authentication")
            != base64.b64encode(hashlib.sha256(secret + CHALLENGE.encode()).digest()).decode()
        ):
            client.close(4009, "Authentication failed.")
            return
        say(2, {"negotiatedRpcVersion": 1})
        with suppress(ConnectionClosed):  # the table ends as it likes
            for text in client:
                asked = json.loads(text)["d"]
                assert asked["requestType"] == "SetCurrentProgramScene"
                scene = asked["requestData"]["sceneName"]
                there = scene in SCENES
                refused = {"result": False, "code": 600, "comment": "No source."}
                say(5, {"eventType": "Other"})
                status = {"result": True, "code": 100} if there else refused
                say(7, {"requestId": asked["requestId"], "requestStatus": status})
                if there:
                    self.shown.append(scene)

    def close(self) -> None:
        self.server.shutdown()
        self._thread.join()


@pytest.fixture
def obs() -> Iterator[FakeObs]:
    made = FakeObs()
    yield made
    made.close()


def plan(port: int, folder: Path, password: str = PASSWORD, **scenes: str) -> tuple[PlannedBridge, ...]:
    (folder / "obs.password").write_text(password)
    asked = {
        "port": port,
        "password_file": "obs.password",
        "scenes": {k.replace("_", "-"): v for k, v in scenes.items()},
    }
    return (PlannedBridge(bridge=BRIDGE, settings=ObsSettings.model_validate(asked, context=folder)),)


def test_the_scene_follows_the_table(obs: FakeObs, tmp_path: Path) -> None:
    hub, notices = Hub(), BridgeNotices()
    with run_bridges(plan(obs.port, tmp_path, waiting="Table", camera_lost="Break"), hub, {}, notices):
        wait_for(lambda: obs.shown == ["Table"])
        hub.publish(build_camera("lost"))
        wait_for(lambda: obs.shown == ["Table", "Break"])
        for number in range(20):  # of which nothing follows
            hub.publish(build_camera("lost").model_copy(update={"notices": {"n": NoticeView(text=f"{number}")}}))
            threading.Event().wait(0.01)
        hub.publish(build_camera("live"))
        wait_for(lambda: obs.shown == ["Table", "Break", "Table"])
        assert list_texts(notices) == []


@pytest.mark.parametrize(
    ("password", "scene", "sentence"),
    [
        ("wrong", "Table", "OBS refuses the password"),
        (PASSWORD, "Tabel", "OBS does not show the scene 'Tabel' (No source.)"),
    ],
)
def test_what_it_refuses_is_said(obs: FakeObs, tmp_path: Path, password: str, scene: str, sentence: str) -> None:
    notices = BridgeNotices()
    with run_bridges(plan(obs.port, tmp_path, password, waiting=scene), Hub(), {}, notices):
        (text,) = wait_for(lambda: list_texts(notices) or None)
    assert sentence in text


def test_whoever_is_no_obs_or_not_there_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    notices = BridgeNotices()
    with run_bridges(plan(port, tmp_path, waiting="Table"), Hub(), {}, notices):
        (text,) = wait_for(lambda: list_texts(notices) or None)
    assert text.startswith("Other programs are not told by obs: ")


@pytest.mark.parametrize(
    ("standing", "phase"),
    [
        (Standing(camera="lost", outcome="illegal", called=True), "camera-lost"),
        (Standing(called=True, outcome="illegal"), "judge-called"),
        (Standing(outcome="illegal", unit="scouts"), "illegal"),
        (Standing(outcome="too-close", unit="scouts"), "too-close"),
        (Standing(outcome="legal", unit="scouts"), "moving"),
        (Standing(outcome="legal"), "waiting"),
    ],
)
def test_what_matters_most_comes_first(standing: Standing, phase: str) -> None:
    assert find_phase(standing) == phase


def test_nothing_is_chosen_for_what_has_no_scene(obs: FakeObs, tmp_path: Path) -> None:
    hub = Hub()
    with run_bridges(plan(obs.port, tmp_path, camera_lost="Break"), hub, {}, BridgeNotices()):
        wait_for(lambda: hub._followers or None)
        hub.publish(View())
        hub.publish(build_camera("live"))
        hub.publish(build_camera("lost"))
        wait_for(lambda: obs.shown or None)
    assert obs.shown == ["Break"]
