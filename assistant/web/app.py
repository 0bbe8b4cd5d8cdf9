"""The web application: the pages, what they load, and the socket that keeps them live."""

import asyncio
import io
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import segno
from fastapi import FastAPI, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse, PlainTextResponse
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.web.hub import Client, Hub

STATIC = Path(__file__).parent / "static"
PAGES = ("tablet", "projector", "enrol", "lens", "setup")
"""Each is a folder of `STATIC` with a document of its name, beside the start page's ``landing``."""
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}


def create_app(*, hub: Hub, picture: Callable[[], bytes | None], join_urls: Sequence[str]) -> FastAPI:
    """Build the application.

    Args:
        hub: where the pages meet the table.
        picture: returns the latest camera picture as JPEG, or None when there is none; called in a worker thread.
        join_urls: addresses of the tablet page as other devices on the network reach it, the best first.

    """
    app = FastAPI(title="overtable", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Guard)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for path, name in {"/": "landing", **{f"/{name}": name for name in PAGES}}.items():
        app.add_api_route(path, _page(STATIC / name / f"{name}.html"), methods=["GET", "HEAD"])

    @app.get("/picture.jpg")
    def latest_picture() -> Response:
        jpeg = picture()
        if jpeg is None:
            return PlainTextResponse("The camera has not delivered a picture yet.", status_code=503)
        return Response(jpeg, media_type="image/jpeg")

    @app.get("/join.json")
    def join() -> list[str]:
        return list(join_urls)

    @app.get("/qr.svg")
    def qr_code() -> Response:
        if not join_urls:
            return PlainTextResponse("This machine is in no network that a tablet could join.", status_code=404)
        svg = io.BytesIO()
        segno.make(join_urls[0], micro=False).save(svg, kind="svg", light="white", border=2, omitsize=True)
        return Response(svg.getvalue(), media_type="image/svg+xml")

    @app.websocket("/ws")
    async def live(page: WebSocket) -> None:
        await page.accept()
        with hub.client() as client:
            sender = asyncio.create_task(_send(hub, client, page))
            try:
                while (message := await page.receive())["type"] == "websocket.receive":
                    hub.receive(client, message.get("text") or "")
            finally:
                sender.cancel()
                await asyncio.wait([sender])

    return app


async def _send(hub: Hub, client: Client, page: WebSocket) -> None:
    with suppress(WebSocketDisconnect):  # the receiving side sees it too, and ends the connection
        while True:
            for text in await hub.outgoing(client):
                await page.send_text(text)


def _page(file: Path) -> Callable[[], FileResponse]:
    def page() -> FileResponse:
        return FileResponse(file)

    return page


class Guard:
    """Turns away requests that a foreign page could have caused, and adds the security headers to every answer.

    Anyone on the local network may use the table; a web site that a player happens to have open may not.  A browser
    names the site in ``Origin``, and a site that lets its own name point at this machine (DNS rebinding) still sends
    that name as ``Host``.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or socket."""
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        welcome = _is_this_machine(host) and origin in {None, f"http://{host}", f"https://{host}"}
        if scope["type"] == "websocket":
            if welcome:
                await self.app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        refusal = PlainTextResponse("Open this page by the machine's address, such as http://localhost.", 421)
        await (self.app if welcome else refusal)(scope, receive, send_guarded)


def _is_this_machine(host: str) -> bool:
    """Whether a Host header is an address, localhost, or this machine's own name."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    own = socket.gethostname().lower()
    if name in {"localhost", own, f"{own}.local"}:
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
