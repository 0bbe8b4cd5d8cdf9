"""Table pages: every table's own pages at its hall, fed by what was gathered of its game, also while that table is off.

They are those of a recording that is replayed, but show as now how the game stood last, and follow as more of it comes.
A broadcast has them at an address of its own, which goes along when another table is chosen for it.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from anyio import to_thread
from fastapi.responses import PlainTextResponse, RedirectResponse
from starlette.datastructures import QueryParams
from starlette.types import ASGIApp, Receive, Scope, Send

from assistant.errors import BadInput
from assistant.hall.desk import Desk
from assistant.replay.recorded_game import RecordedGame
from assistant.web.app import create_app
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.commands import REGISTRY
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.table import NoticeView
from assistant.web.replay_routes import Archive, build_recorded_source
from assistant.web.views.session import build_view

MOST_OPEN = 12
"""So many games are kept as far as they were judged; of more, those stay that somebody looks at."""
FOLLOWED_S, AIR_S = 1.0, 0.25
"""What is new of a table is shown so often, and so often where it is on air."""
ELSEWHERE = 1012
"""A socket is closed with this when another table is on air: the page comes back by itself, and is told of that one."""
WATCHED = "Here the game is watched: rule from the hall's desk, or at the table."
NOTHING = "nothing of this table has come yet"
_log = logging.getLogger(__name__)


class OpenedTable:
    """The pages of one table; any thread may ask for what is new to be shown."""

    def __init__(self, name: str, devices: DeviceRegistry, describe_state: Callable[[], str]) -> None:
        self.hub, self._archive = Hub(), Archive()
        self.app: ASGIApp = create_app(
            hub=self.hub, picture=lambda: None, join_urls=[], devices=devices, archive=self._archive
        )
        self._name, self._describe_state = name, describe_state
        self._lock = threading.Lock()
        self._shown: tuple[RecordedGame, int, str] | None = None

    def take_up(self, path: Path) -> RecordedGame:
        """Turn to a recording, unless it is the one that is shown; BadInput where it cannot be read."""
        with self._lock:
            past = self._archive.past
            if past is None or past.path != path:
                try:
                    past = self._archive.past = RecordedGame(path)
                except BadInput as error:
                    raise BadInput(str(error).removeprefix(f"{path}: ")) from None
            return past

    def show(self, past: RecordedGame) -> None:
        """Show how the game stood last, and tell pages that nothing can be changed here."""
        with self._lock:
            for command in self.hub.take():
                if not REGISTRY[type(command.message)].is_optional:
                    command.refuse(WATCHED)
            shown = past, past.rows, self._describe_state()
            if shown == self._shown:
                return
            moment = past.find_moment(past.find_end_ns())
            notices = {"hall": NoticeView(text=shown[2])} if shown[2] else {}
            self.hub.game = moment.session.state
            source = build_recorded_source(past, moment.camera)
            source = replace(source, title=f"{self._name} · {source.title}")
            self.hub.publish(build_view(moment.session, source, View(notices=notices)))
            self._shown = shown


class TablePages:
    """The application of all tables, to be mounted where its path has the table's name as ``table``."""

    def __init__(self, desk: Desk, devices: DeviceRegistry) -> None:
        self._desk, self._devices = desk, devices
        self._lock = threading.Lock()
        self._opened: dict[str, OpenedTable] = {}
        """By table, those that were asked for last at the end."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a page of a table, or what a page asks for."""
        name: str = scope["path_params"]["table"]
        try:
            table, past = await to_thread.run_sync(self.open, name)
            if scope["type"] == "websocket":
                await to_thread.run_sync(table.show, past)
        except BadInput as error:
            refusal = PlainTextResponse(f"{str(error)[0].upper()}{str(error)[1:]}.", 404)
            await refusal(scope, receive, send)
            return
        if scope["type"] == "websocket":
            follower = asyncio.create_task(self.follow(name, table, FOLLOWED_S))
            try:
                await table.app(scope, receive, send)
            finally:
                follower.cancel()
                await asyncio.wait([follower])
        elif scope["path"] == f"{scope['root_path']}/":
            address = await to_thread.run_sync(_find_moment, past, QueryParams(scope["query_string"]))
            await RedirectResponse(f"{scope['root_path']}{address}", 303)(scope, receive, send)
        else:
            await table.app(scope, receive, send)

    def open(self, name: str) -> tuple[OpenedTable, RecordedGame]:
        """Return a table's pages with the game that came last; BadInput where there is none, or none can be read."""
        path = self._find_recording(name)
        with self._lock:
            table = self._opened.pop(name, None) or OpenedTable(
                name, self._devices, lambda: self._desk.describe_absence(name)
            )
            self._opened[name] = table
            unwatched = [each for each, other in self._opened.items() if each != name and not other.hub.watched]
            for each in unwatched[: max(0, len(self._opened) - MOST_OPEN)]:
                del self._opened[each]
        return table, table.take_up(path)

    def _find_recording(self, name: str) -> Path:
        path = self._desk.find_recording(name)
        if path is None:
            raise BadInput(NOTHING)
        return path

    async def follow(self, name: str, table: OpenedTable, every_s: float) -> None:
        """Show what is new of a table again and again; a game that was begun meanwhile takes the place of the last."""
        while True:
            await asyncio.sleep(every_s)
            try:
                await to_thread.run_sync(lambda: table.show(table.take_up(self._find_recording(name))))
            except BadInput as error:
                _log.warning("What is new of table %s is not shown: %s", name, error)
            except Exception:
                _log.exception("What is new of table %s is not shown.", name)


class TableOnAir:
    """The application of the table that is on air; while there is none, of a table at which nothing is played."""

    def __init__(self, desk: Desk, pages: TablePages, devices: DeviceRegistry) -> None:
        self._desk, self._pages = desk, pages
        self._nothing = OpenedTable("", devices, lambda: "")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a page, or what a page asks for."""
        if scope["type"] == "websocket":
            await self._serve_socket(scope, receive, send)
        elif scope["path"] == f"{scope['root_path']}/":
            await RedirectResponse(f"{scope['root_path']}/stream", 303)(scope, receive, send)
        else:
            table = await to_thread.run_sync(self._open, self._find_name())
            await table.app(scope, receive, send)

    async def _serve_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell a page of the table that is on air, until that is another."""
        name = await to_thread.run_sync(self._find_name)
        table = await to_thread.run_sync(self._open, name)
        serving = asyncio.create_task(_serve(table.app, scope, receive, send))
        others = {asyncio.create_task(self._wait_for_another(name))}
        if table is not self._nothing:
            others.add(asyncio.create_task(self._pages.follow(name, table, AIR_S)))
        try:
            await asyncio.wait({serving, *others}, return_when=asyncio.FIRST_COMPLETED)
            if not serving.done():
                serving.cancel()
                await asyncio.wait({serving})
                with suppress(RuntimeError, OSError):  # the page has left meanwhile
                    await send({"type": "websocket.close", "code": ELSEWHERE})
        finally:
            for task in (serving, *others):
                task.cancel()
            await asyncio.wait({serving, *others})
        if not serving.cancelled():
            serving.result()

    def _find_name(self) -> str:
        """Return the table that is on air, if something of it has come; else nothing."""
        name = self._desk.on_air
        return name if self._desk.find_recording(name) else ""

    def _open(self, name: str) -> OpenedTable:
        try:
            table, past = self._pages.open(name)
            table.show(past)
        except BadInput:
            return self._nothing
        return table

    async def _wait_for_another(self, name: str) -> None:
        while await to_thread.run_sync(self._find_name) == name:
            await asyncio.sleep(AIR_S)


async def _serve(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    await app(scope, receive, send)


def _find_moment(past: RecordedGame, asked: QueryParams) -> str:
    """Return the page of a moment, which is named by the table's own clock; without one, of now."""
    captured_ns = asked.get("captured_ns", "")
    if not (captured_ns.isdecimal() and len(captured_ns) <= 19):
        return "/judge"
    return f"/judge?at_ns={max(0, int(captured_ns) - past.began_ns)}"
