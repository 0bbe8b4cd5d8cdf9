"""TUIO: the models as objects on a tangible surface, in version 1.1 or 2.0, by UDP or to browsers by WebSocket.

Places are shares of the table's width and depth, seen as a screen: from the far left corner, to the right and down,
angles clockwise (specifications at tuio.org).  An object's number is its marker's; version 2.0 names the model, too,
and gives the table's size in millimetres as the sensor's dimension.
"""

import asyncio
import math
import struct
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack
from typing import Annotated, Literal, cast

from pydantic import Field
from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.typing import Origin

from assistant.bridges.bridge import Bridge, BridgeSettings, Link, repeat_views
from assistant.web.messages import View
from assistant.web.messages.table import ModelView, TableView

ARGUMENT_TAGS = {int: "i", float: "f", str: "s"}
MOST_BYTES = 1472
"""Of one datagram: what an Ethernet carries unbroken."""
SAID_AGAIN_S = 1.0
"""What stands still is said so often: datagrams get lost, and listeners come later."""
NTP_OFFSET_S = 2_208_988_800
MOST_SIZE_MM = 0xFFFF
Osc = int | float | str | bytes
"""An argument of an OSC message; bytes are a time tag, packed."""


class TuioSettings(BridgeSettings):
    """What the bridge takes."""

    version: Literal["1.1", "2.0"] = "1.1"
    host: Annotated[str, Field(min_length=1, max_length=253)] = "127.0.0.1"
    """To which datagrams are sent."""
    port: Annotated[int, Field(ge=0, le=65535)] = 3333
    """0: none are sent."""
    websocket_port: Annotated[int, Field(ge=0, le=65535)] = 0
    """At which pages on this machine listen; 0: none can."""
    origins: tuple[Annotated[str, Field(max_length=260)], ...] = ()
    """The web sites whose pages may, such as ``http://localhost:8080``; programs in no browser may anyway."""


class ObjectTracker:
    """Which objects are on the surface; each gets a number of its own whenever it comes."""

    def __init__(self, markers: Callable[[str], int]) -> None:
        self._markers = markers
        self._sessions: dict[str, int] = {}
        self._last = 0

    def list_objects(self, view: View) -> list[tuple[int, int, str, ModelView]]:
        """Return of each model on the table: the number of its stay, its marker's number, its id, and itself."""
        there = {name: model for name, model in view.models.items() if model.state in {"seen", "held", "lifted"}}
        self._sessions = {name: stay for name, stay in self._sessions.items() if name in there}
        for name in sorted(there.keys() - self._sessions.keys()):
            self._last += 1
            self._sessions[name] = self._last
        return [(self._sessions[name], self._markers(name), name, model) for name, model in sorted(there.items())]


def pack_message(address: str, *arguments: Osc) -> bytes:
    """Return an OSC 1.0 message.

    >>> pack_message("/a", 1, "b").hex(" ", 4)
    '2f610000 2c697300 00000001 62000000'
    """
    tags = "," + "".join("t" if isinstance(each, bytes) else ARGUMENT_TAGS[type(each)] for each in arguments)
    return _pack_text(address) + _pack_text(tags) + b"".join(map(_pack_argument, arguments))


def pack_bundle(messages: Iterable[bytes]) -> bytes:
    """Return OSC messages as one bundle that is to be taken at once."""
    parts = b"".join(struct.pack(">i", len(message)) + message for message in messages)
    return _pack_text("#bundle") + struct.pack(">q", 1) + parts


def _pack_text(text: str) -> bytes:
    data = text.encode() + b"\0"
    return data + b"\0" * (-len(data) % 4)


def _pack_argument(argument: Osc) -> bytes:
    if isinstance(argument, bytes):
        return argument
    if isinstance(argument, str):
        return _pack_text(argument)
    return struct.pack(">i" if isinstance(argument, int) else ">f", argument)


def build_bundles(view: View, tracker: ObjectTracker, frame: int, version: str, now_s: float) -> Iterator[bytes]:
    """Yield the bundles of one frame; each says who is there, and of some of these where they are."""
    table = view.table.get("table")
    if table is None or table.width_mm <= 0 or table.depth_mm <= 0:
        return
    objects = tracker.list_objects(view)
    stays = [stay for stay, *_ in objects]
    places = [_find_place(model, table.width_mm, table.depth_mm) for *_, model in objects]
    if version == "1.1":
        first = [
            pack_message("/tuio/2Dobj", "source", "overtable"),
            pack_message("/tuio/2Dobj", "alive", *stays),
        ]
        told = [
            [pack_message("/tuio/2Dobj", "set", stay, marker, *place, 0.0, 0.0, 0.0, 0.0, 0.0)]
            for (stay, marker, _, _), place in zip(objects, places, strict=True)
        ]
        last = [pack_message("/tuio/2Dobj", "fseq", frame)]
    else:
        first = [pack_message("/tuio2/frm", frame, _pack_time(now_s), _pack_size(table), "overtable")]
        told = [
            [
                pack_message("/tuio2/tok", stay, 0, marker, *place),
                pack_message("/tuio2/sym", stay, 0, marker, "overtable", name),
            ]
            for (stay, marker, name, _), place in zip(objects, places, strict=True)
        ]
        last = [pack_message("/tuio2/alv", *stays)]
    for some in _fill_datagrams(told, MOST_BYTES - len(pack_bundle([*first, *last]))):
        yield pack_bundle([*first, *some, *last])


def _fill_datagrams(told: list[list[bytes]], most_bytes: int) -> list[list[bytes]]:
    """Return messages in as few parts as are no longer than that, but for those of which one alone is longer."""
    parts: list[list[bytes]] = [[]]
    left = most_bytes
    for messages in told:
        size = sum(4 + len(message) for message in messages)
        if parts[-1] and size > left:
            parts.append([])
            left = most_bytes
        parts[-1] += messages
        left -= size
    return parts


def _pack_time(now_s: float) -> bytes:
    """Return a moment, in seconds since 1970, as an OSC time tag."""
    ntp_s = now_s + NTP_OFFSET_S
    return struct.pack(">II", int(ntp_s) & 0xFFFFFFFF, int(ntp_s % 1 * 2**32))


def _pack_size(table: TableView) -> int:
    """Return the table's width and depth as one number, half of its bits each."""
    size = min(round(table.width_mm), MOST_SIZE_MM), min(round(table.depth_mm), MOST_SIZE_MM)
    (both,) = struct.unpack(">i", struct.pack(">HH", *size))
    return int(both)


def _find_place(model: ModelView, width_mm: float, depth_mm: float) -> tuple[float, float, float]:
    """Return where a model is on the surface, and how it is turned, in radians from 0 to less than a whole turn."""
    turn = -math.radians(model.facing_deg) % math.tau
    return model.x_mm / width_mm, 1 - model.y_mm / depth_mm, 0.0 if turn >= math.tau else turn


async def run_tuio(link: Link, settings: TuioSettings) -> None:
    """Tell of every frame; OSError where the port of pages is taken, or the host is unknown."""
    tracker, frame = ObjectTracker(lambda model: link.markers.get(model, -1)), 0
    pages: set[ServerConnection] = set()

    async def welcome(page: ServerConnection) -> None:
        pages.add(page)
        try:
            await page.wait_closed()
        finally:
            pages.discard(page)

    async with AsyncExitStack() as opened:
        transport: asyncio.DatagramTransport | None = None
        if settings.port:
            loop = asyncio.get_running_loop()
            transport, _ = await loop.create_datagram_endpoint(
                asyncio.DatagramProtocol, remote_addr=(settings.host, settings.port)
            )
            opened.callback(transport.close)
        if settings.websocket_port:
            origins = cast("list[Origin | None]", [None, *settings.origins])
            serving = serve(welcome, "127.0.0.1", settings.websocket_port, origins=origins, max_size=1024)
            await opened.enter_async_context(serving)
        link.report("")
        told = None
        async for view in repeat_views(link.follow(), SAID_AGAIN_S):
            if view is not told and told is not None and view.models is told.models and view.table is told.table:
                told = view
                continue
            told, frame = view, (frame + 1) & 0x7FFFFFFF
            for bundle in build_bundles(view, tracker, frame, settings.version, time.time()):
                if transport is not None:
                    transport.sendto(bundle)
                broadcast(pages, bundle)


BRIDGE = Bridge(name="tuio", settings=TuioSettings, run=run_tuio)
