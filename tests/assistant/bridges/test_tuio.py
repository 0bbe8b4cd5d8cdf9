"""TUIO as whoever listens hears it: bytes of the specification, objects that come and go, and no stranger's page."""

import math
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from assistant.bridges.bridge import PlannedBridge
from assistant.bridges.tuio import (
    BRIDGE,
    MOST_BYTES,
    NTP_OFFSET_S,
    ObjectTracker,
    TuioSettings,
    build_bundles,
    pack_message,
)
from assistant.game.base_spec import BaseSpec
from assistant.runtime.bridge_runner import BridgeNotices, run_bridges
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.table import ModelView, TableView
from tests.pages.waiting import wait_for

TABLE = TableView(width_mm=1524, depth_mm=1118, rulebook="r", title="t", virtual=False, replay=False)


def build_model(x_mm: float, y_mm: float, facing_deg: float = 0.0, state: str = "seen") -> ModelView:
    return ModelView.model_validate({
        "unit": "u", "base": BaseSpec(round_mm=32), "x_mm": x_mm, "y_mm": y_mm, "facing_deg": facing_deg, "z_mm": 0.0,
        "sigma_mm": 0.1, "state": state, "moving": False,
    })  # fmt: skip


def build_table(**models: ModelView) -> View:
    return View(table={"table": TABLE}, models=models)


@dataclass
class Heard:
    """One message."""

    address: str
    arguments: list[Any]


def parse(bundle: bytes) -> Iterator[Heard]:
    """Read a bundle by the rules of OSC 1.0, with no help of what wrote it."""

    def text(data: bytes, at: int) -> tuple[str, int]:
        end = data.index(b"\0", at)
        return data[at:end].decode(), (end // 4 + 1) * 4

    assert bundle[:16] == b"#bundle\0" + bytes(7) + b"\1"
    assert len(bundle) <= MOST_BYTES
    at = 16
    while at < len(bundle):
        (size,) = struct.unpack_from(">i", bundle, at)
        assert size % 4 == 0
        message = bundle[at + 4 : at + 4 + size]
        at += 4 + size
        address, inside = text(message, 0)
        tags, inside = text(message, inside)
        arguments: list[Any] = []
        for tag in tags[1:]:
            if tag == "s":
                word, inside = text(message, inside)
                arguments.append(word)
            else:
                arguments.append(struct.unpack_from({"i": ">i", "f": ">f", "t": ">Q"}[tag], message, inside)[0])
                inside += 8 if tag == "t" else 4
        assert inside == len(message)
        yield Heard(address, arguments)


def hear(view: View, tracker: ObjectTracker, version: str = "1.1", now_s: float = 0.0) -> list[Heard]:
    (bundle,) = build_bundles(view, tracker, 5, version, now_s)
    return list(parse(bundle))


def test_a_message_is_as_the_specification_of_osc_has_it() -> None:
    # The example of the specification, at opensoundcontrol.stanford.edu/spec-1_0-examples.html.
    packed = pack_message("/foo", 1000, -1, "hello", 1.234, 5.678)
    assert packed == bytes.fromhex(
        "2f666f6f 00000000 2c696973 66660000 000003e8 ffffffff 68656c6c 6f000000 3f9df3b6 40b5b22d"
    )


def test_a_model_is_an_object_with_its_markers_number_seen_as_on_a_screen() -> None:
    view = build_table(a=build_model(381, 1118 / 4, 90), b=build_model(0, 1118), c=build_model(5, 5, state="unseen"))
    said = hear(view, ObjectTracker({"a": 17, "b": 1042}.__getitem__))
    assert [heard.address for heard in said] == ["/tuio/2Dobj"] * 5
    assert [heard.arguments for heard in said[:2]] == [["source", "overtable"], ["alive", 1, 2]]
    assert said[2].arguments == pytest.approx(["set", 1, 17, 0.25, 0.75, 1.5 * math.pi, 0, 0, 0, 0, 0])
    assert said[3].arguments == pytest.approx(["set", 2, 1042, 0, 0, 0, 0, 0, 0, 0, 0])
    assert said[4].arguments == ["fseq", 5]


def test_whoever_comes_back_comes_as_another_object() -> None:
    tracker, model = ObjectTracker(lambda _: 17), build_model(5, 5)
    stays = [
        hear(view, tracker)[1].arguments[1:] for view in (build_table(a=model), build_table(), build_table(a=model))
    ]
    assert stays == [[1], [], [2]]


def test_version_2_names_the_model_and_the_tables_size() -> None:
    said = hear(build_table(a=build_model(762, 559, 180)), ObjectTracker(lambda _: 17), "2.0", 1.5)
    frame, token, symbol, alive = said
    assert (frame.address, frame.arguments[0], frame.arguments[3]) == ("/tuio2/frm", 5, "overtable")
    assert frame.arguments[1] == ((NTP_OFFSET_S + 1) << 32) + (1 << 31)
    assert divmod(frame.arguments[2], 1 << 16) == (1524, 1118)
    assert token.address == "/tuio2/tok"
    assert token.arguments == pytest.approx([1, 0, 17, 0.5, 0.5, math.pi])
    assert (symbol.address, symbol.arguments) == ("/tuio2/sym", [1, 0, 17, "overtable", "a"])
    assert (alive.address, alive.arguments) == ("/tuio2/alv", [1])


@pytest.mark.parametrize("version", ["1.1", "2.0"])
def test_an_army_goes_in_several_datagrams_each_of_which_says_who_is_there(version: str) -> None:
    count = 60
    view = build_table(**{f"model-{number}": build_model(number, number) for number in range(count)})
    said = [list(parse(bundle)) for bundle in build_bundles(view, ObjectTracker(lambda _: 1), 5, version, 0.0)]
    placed = {"1.1": ("/tuio/2Dobj", "set"), "2.0": ("/tuio2/tok", None)}[version]
    told = [
        h.arguments for each in said for h in each if h.address == placed[0] and placed[1] in {None, h.arguments[0]}
    ]
    assert len(said) > 1
    assert len(told) == count
    alive = [h.arguments for each in said for h in each if "alive" in h.arguments or h.address == "/tuio2/alv"]
    assert all([stay for stay in each if stay != "alive"] == list(range(1, count + 1)) for each in alive)
    assert len(alive) == len(said)


def test_nothing_is_said_before_there_is_a_table() -> None:
    assert list(build_bundles(View(), ObjectTracker(lambda _: 1), 5, "1.1", 0.0)) == []


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def test_it_is_heard_by_datagrams_and_by_pages_of_the_origins_that_it_names() -> None:
    hub, port = Hub(), find_free_port()
    hub.publish(build_table(s1=build_model(762, 559)))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(60)
        settings = TuioSettings(port=listener.getsockname()[1], websocket_port=port, origins=("http://localhost:8080",))
        with run_bridges((PlannedBridge(bridge=BRIDGE, settings=settings),), hub, {"s1": 9}, BridgeNotices()):
            first = list(parse(listener.recv(2000)))
            assert first[2].arguments[:3] == ["set", 1, 9]
            again = list(parse(listener.recv(2000)))
            assert again[2].arguments[:3] == ["set", 1, 9], "what stands still is said again"
            for origin in (Origin("http://localhost:8080"), None):
                with connect(f"ws://127.0.0.1:{port}", proxy=None, origin=origin) as page:
                    heard = page.recv(timeout=60)
                    assert isinstance(heard, bytes)
                    assert next(parse(heard)).arguments == ["source", "overtable"]
            with pytest.raises(InvalidStatus):
                connect(f"ws://127.0.0.1:{port}", proxy=None, origin=Origin("http://evil.example"))


def test_a_port_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings, notices = TuioSettings(port=0, websocket_port=taken.getsockname()[1]), BridgeNotices()
        with run_bridges((PlannedBridge(bridge=BRIDGE, settings=settings),), Hub(), {}, notices):
            (text,) = wait_for(lambda: [n.text for v in notices.build_views(None) for n in v.notices.values()] or None)  # type: ignore[arg-type]
    assert "tuio" in text
    assert "in use" in text
