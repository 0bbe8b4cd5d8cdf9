"""Foxglove as its app hears it: the schema that it draws by itself, every base in metres, and what is gone."""

import json
import math
import socket
import struct
from collections.abc import Iterator

import pytest
from foxglove.messages import SceneUpdate
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from assistant.bridges.bridge import PlannedBridge
from assistant.bridges.foxglove import BRIDGE, FoxgloveSettings, Scene, draw
from assistant.game.base_spec import BaseSpec
from assistant.runtime.bridge_runner import BridgeNotices, run_bridges
from assistant.web.hub import Hub
from assistant.web.messages.table import ModelView, TerrainView
from tests.assistant.bridges.test_tuio import build_model, build_table, find_free_port
from tests.assistant.bridges.test_webhooks import list_texts
from tests.pages.waiting import wait_for

RUIN = TerrainView(outline_mm=[(0, 0), (100, 0), (0, 100)], height_mm=120, traits=[], kind="ruin", of="ruin")


def subscribe(app: ClientConnection) -> None:
    """Ask for the table, as protocol foxglove.sdk.v1 has it."""
    while (told := json.loads(app.recv(timeout=60)))["op"] != "advertise":
        assert told["op"] == "serverInfo"
    (channel,) = told["channels"]
    assert (channel["topic"], channel["schemaName"]) == ("/table", "foxglove.SceneUpdate")
    app.send(json.dumps({"op": "subscribe", "subscriptions": [{"id": 7, "channelId": channel["id"]}]}))


def hear(app: ClientConnection) -> Iterator[bytes]:
    """Yield what comes on the subscription, as it is encoded."""
    while True:
        message = app.recv(timeout=60)
        if isinstance(message, bytes):
            assert struct.unpack_from("<BI", message) == (1, 7)
            yield message[13:]


def test_the_app_is_told_of_every_base_and_of_what_is_gone(caplog: pytest.LogCaptureFixture) -> None:
    hub, port = Hub(), find_free_port()
    hub.publish(
        build_table(s1=build_model(381, 254), s2=build_model(5, 5)).model_copy(update={"terrain": {"ruin": RUIN}})
    )
    planned = (PlannedBridge(bridge=BRIDGE, settings=FoxgloveSettings(port=port)),)
    with run_bridges(planned, hub, {}, BridgeNotices()):
        wait_for(lambda: is_served(port))
        with connect(f"ws://127.0.0.1:{port}", proxy=None, subprotocols=[Subprotocol("foxglove.sdk.v1")]) as app:
            subscribe(app)
            heard = hear(app)
            whole = next(said for said in heard if b"s2" in said and b"terrain ruin" in said)
            for length_m in (1.524, 1.118, 0.381, 0.254, 0.032, 0.12):
                assert struct.pack("<d", length_m) in whole, length_m
            hub.publish(build_table(s1=build_model(500, 254)))
            moved = next(said for said in heard if struct.pack("<d", 0.5) in said)
            assert b"s2" in moved, "it is gone"
            assert struct.pack("<d", 0.381) not in moved
            again = next(heard)
            assert b"s1" in again, "who comes later is told again"
            assert b"s2" not in again
    assert caplog.messages == [], "whoever only knocks, as above, is no fault of the table's"


def is_served(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_only_what_has_changed_is_told_until_all_is_told_again() -> None:
    scene, stays = Scene(), build_model(5, 5)
    assert scene.update(build_table(a=stays, b=build_model(9, 9)), everything=False) == (["table", "a", "b"], [])
    moved = build_table(a=stays, b=build_model(10, 9))
    assert scene.update(moved, everything=False) == (["b"], [])
    assert scene.update(moved, everything=False) == ([], [])
    assert scene.update(moved, everything=True) == (["table", "a", "b"], [])
    assert scene.update(build_table(b=moved.models["b"]), everything=False) == ([], ["a"])


@pytest.mark.parametrize(
    ("base", "lengths_m"),
    [
        (BaseSpec(round_mm=32), (0.032, 0.032)),
        (BaseSpec(oval_mm=(105, 70)), (0.105, 0.07)),
        (BaseSpec(rect_mm=(100, 60)), (0.1, 0.06)),
    ],
)
def test_a_base_is_drawn_in_its_size_and_turned(base: BaseSpec, lengths_m: tuple[float, float]) -> None:
    drawn = encode(build_model(5, 5, 90).model_copy(update={"base": base}))
    size = b"".join(bytes([8 * field + 1]) + struct.pack("<d", m) for field, m in enumerate((*lengths_m, 0.004), 1))
    assert size in drawn
    assert bytes([8 * 3 + 1]) + struct.pack("<d", math.sin(math.pi / 4)) in drawn, "the turn's z"


def test_an_outline_is_turned_with_its_model() -> None:
    base = BaseSpec(outline_mm=((0, 0), (50, 0), (0, 20)))
    drawn = encode(build_model(100, 100, 180).model_copy(update={"base": base}))
    for x_m, y_m in ((0.1, 0.1), (0.05, 0.1), (0.1, 0.08)):
        assert any(
            struct.pack("<d", x_m) == drawn[at + 1 : at + 9]
            and abs(struct.unpack_from("<d", drawn, at + 10)[0] - y_m) < 1e-9
            for at in range(len(drawn) - 18)
            if (drawn[at], drawn[at + 9]) == (9, 17)
        ), (x_m, y_m)


def encode(model: ModelView) -> bytes:
    """Return how a model is drawn, as protocol buffers have it: a number is its field's and eight bytes."""
    return bytes(SceneUpdate(entities=[draw("a", model, 0)]).encode())


def test_a_port_that_is_taken_is_said() -> None:
    notices = BridgeNotices()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        planned = (PlannedBridge(bridge=BRIDGE, settings=FoxgloveSettings(port=port)),)
        with run_bridges(planned, Hub(), {}, notices):
            (text,) = wait_for(lambda: list_texts(notices) or None)
    assert text.startswith(f"Other programs are not told by foxglove: port {port} cannot be served")
