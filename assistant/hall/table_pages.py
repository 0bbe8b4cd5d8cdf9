"""Table pages: every table's own pages at its hall, fed by what was gathered of its game, also while that table is off.

They are those of a recording that is replayed, but show as now how the game stood last, and follow as more of it comes.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
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
FOLLOWED_S = 1.0
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
            table, past = await to_thread.run_sync(self._open, name)
            if scope["type"] == "websocket":
                await to_thread.run_sync(table.show, past)
        except BadInput as error:
            refusal = PlainTextResponse(f"{str(error)[0].upper()}{str(error)[1:]}.", 404)
            await refusal(scope, receive, send)
            return
        if scope["type"] == "websocket":
            follower = asyncio.create_task(self._follow(name, table))
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

    def _open(self, name: str) -> tuple[OpenedTable, RecordedGame]:
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

    async def _follow(self, name: str, table: OpenedTable) -> None:
        """Show what is new of a table again and again; a game that was begun meanwhile takes the place of the last."""
        while True:
            await asyncio.sleep(FOLLOWED_S)
            try:
                await to_thread.run_sync(lambda: table.show(table.take_up(self._find_recording(name))))
            except BadInput as error:
                _log.warning("What is new of table %s is not shown: %s", name, error)
            except Exception:
                _log.exception("What is new of table %s is not shown.", name)


def _find_moment(past: RecordedGame, asked: QueryParams) -> str:
    """Return the page of a moment, which is named by the table's own clock; without one, of now."""
    captured_ns = asked.get("captured_ns", "")
    if not (captured_ns.isdecimal() and len(captured_ns) <= 19):
        return "/judge"
    return f"/judge?at_ns={max(0, int(captured_ns) - past.began_ns)}"
