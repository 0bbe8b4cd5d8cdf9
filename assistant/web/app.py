"""The web application: the pages, what they load, and the socket that keeps them live."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, PlainTextResponse
from fastapi.staticfiles import StaticFiles

from assistant.web.crop import Crop, add_crop
from assistant.web.door import Door
from assistant.web.guard import JOIN_FIRST, Guard, visitor_of
from assistant.web.hub import Client, Hub
from assistant.web.joining import add_joining
from assistant.web.past import Archive, add_past

STATIC = Path(__file__).parent / "static"
PAGES = ("tablet", "projector", "enrol", "lens", "join", "setup", "stream", "judge", "report", "stats")
"""Each is a folder of `STATIC` with a document of its name, beside the start page's ``landing``."""


def create_app(
    *,
    hub: Hub,
    picture: Callable[[], bytes | None],
    join_urls: Sequence[str],
    door: Door | None = None,
    crop: Crop | None = None,
    archive: Archive | None = None,
) -> FastAPI:
    """Build the application.

    Args:
        hub: where the pages meet the table.
        picture: returns the latest camera picture as JPEG, or None when there is none; called in a worker thread.
        join_urls: addresses of this machine as other devices on the network reach it, the best first, such as
            ``http://192.0.2.7:8765``.
        door: whom it lets in beside this machine; None for one with codes of its own.
        crop: returns a small part of it, where there is a live camera.
        archive: the recording that pages may look back into; None where nothing is recorded.

    """
    door = door or Door()
    app = FastAPI(title="overtable", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Guard, door=door)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for path, name in {"/": "landing", **{f"/{name}": name for name in PAGES}}.items():
        app.add_api_route(path, _page(STATIC / name / f"{name}.html"), methods=["GET", "HEAD"])

    if crop is not None:
        add_crop(app, crop)

    @app.exception_handler(RequestValidationError)
    def senseless(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        what = f"{first['loc'][-1]}: {first['msg'][0].lower()}{first['msg'][1:]}, not {first.get('input')!r}"
        return PlainTextResponse(f"This address makes no sense: {what}.", status_code=422)

    @app.get("/picture.jpg")
    def latest_picture() -> Response:
        jpeg = picture()
        if jpeg is None:
            return PlainTextResponse("The camera has not delivered a picture yet.", status_code=503)
        return Response(jpeg, media_type="image/jpeg")

    add_past(app, archive or Archive())

    @app.websocket("/ws")
    async def live(page: WebSocket) -> None:
        visitor = visitor_of(page.scope)
        assert visitor.role is not None, "the guard lets nobody in who has not joined"
        with hub.client(role=visitor.role, token=visitor.token) as client:
            client.dismissed = visitor.token != "" and door.visitor(visitor.token) != visitor  # since the guard looked
            await page.accept()
            sender = asyncio.create_task(_send(hub, client, page))
            try:
                while (message := await page.receive())["type"] == "websocket.receive":
                    hub.receive(client, message.get("text") or "")
            finally:
                sender.cancel()
                await asyncio.wait([sender])

    add_joining(app, door, join_urls, hub.dismiss)
    return app


async def _send(hub: Hub, client: Client, page: WebSocket) -> None:
    with suppress(WebSocketDisconnect):  # the receiving side sees it too, and ends the connection
        while True:
            texts = await hub.outgoing(client)
            if client.dismissed:
                await page.close(JOIN_FIRST)
                return
            for text in texts:
                await page.send_text(text)


def _page(file: Path) -> Callable[[], FileResponse]:
    def page() -> FileResponse:
        return FileResponse(file)

    return page
