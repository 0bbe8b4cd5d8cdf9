"""Kept windows: a browser reads and compiles the pages' files once, not for every test anew.

It keeps that for a window (a context) and by address.  So windows are kept, emptied of all that a page can put down,
and what is served to them is served where it was before, as files that need not be asked for again.
"""

from contextlib import suppress
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.web.server import Server
from tests.pages.waiting import PATIENCE_S

LAPTOP = {"viewport": {"width": 1280, "height": 800}, "has_touch": True}


class KeptWindows:
    """Windows of one browser, each without cookies and storage when it is handed out."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[str, list[tuple[BrowserContext, CDPSession]]] = {}
        self._taken: list[tuple[str, BrowserContext, CDPSession]] = []
        self._given_up: list[BrowserContext] = []

    def take(self, **options: Any) -> BrowserContext:
        """Return a window for one test.

        Args:
            options: of `Browser.new_context`, where they are others than those of a laptop with touch.  What a test
                adds later, such as a script, it adds to a page, or gives the window up.

        """
        kind = repr(options)
        if free := self._free.get(kind):
            context, keeper = free.pop()
        else:
            context = self._browser.new_context(**{**LAPTOP, **options})
            context.set_default_timeout(PATIENCE_S * 1000)
            keeper = context.new_cdp_session(context.new_page())
        self._taken.append((kind, context, keeper))
        return context

    def give_up(self, context: BrowserContext) -> None:
        """Keep a window no longer than its pages: what was changed of it would stay."""
        self._taken = [taken for taken in self._taken if taken[1] is not context]
        self._given_up.append(context)

    def take_back(self) -> None:
        """Close the pages of all windows that are out, and empty these."""
        for kind, context, keeper in self._taken:
            for page in context.pages[1:]:  # the first is the keeper's
                page.close()
            context.clear_cookies()
            keeper.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "local_storage"})
            self._free.setdefault(kind, []).append((context, keeper))
        self._taken.clear()
        while self._given_up:
            self._given_up.pop().close()


_ports: list[int] = []
"""At which this process has served."""


def start_server(app: ASGIApp, host: str = "127.0.0.1") -> Server:
    """Serve an application where one was served before, if there is such a place and it is free."""
    for port in _ports:
        server = Server(_KeptFiles(app), host, port)  # type: ignore[arg-type]  # any application can be served
        with suppress(OSError):
            server.start()
            return server
    server = Server(_KeptFiles(app), host, 0)  # type: ignore[arg-type]
    server.start()
    _ports.append(server.port)
    return server


class _KeptFiles:
    """Lets a browser keep what pages load, for as long as it runs."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_to_keep(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                MutableHeaders(scope=message)["Cache-Control"] = "max-age=86400"
            await send(message)

        is_file = scope["type"] == "http" and scope["path"].startswith("/static/")
        await self._app(scope, receive, send_to_keep if is_file else send)
