"""The desk application: the pages of a hall, what they load, and the addresses behind them."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

from anyio import to_thread
from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse, RedirectResponse

from assistant.errors import BadInput
from assistant.hall.desk import Desk
from assistant.hall.pairings_csv import MOST_CHARACTERS
from assistant.hall.table_pages import TableOnAir, TablePages
from assistant.recording.journal.reader import read_picture
from assistant.web.api.recordings import CopyResponse, copy_aside
from assistant.web.app import STATIC, PageFiles, add_language_route, build_page_handler
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.auth.guard import Guard
from assistant.web.auth.join_routes import SecureAddress, add_join_routes, read_body
from assistant.web.hub import Hub
from assistant.web.live_socket import add_live_socket

MOST_WORDS = 200


def create_desk_app(
    desk: Desk, hub: Hub, devices: DeviceRegistry, join_urls: Sequence[str], secure: Sequence[SecureAddress]
) -> FastAPI:
    """Build the application.

    Args:
        desk: what judges see and ask.
        hub: where its pages are.
        devices: whom it lets in: judges by codes of their own.
        join_urls: addresses of this machine as other devices reach it; may be filled in once the pages are served.
        secure: where the pages come encrypted; likewise.

    """
    app = FastAPI(title="overtable hall", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Guard, devices=devices)
    add_language_route(app)
    app.mount("/static", PageFiles(directory=STATIC), name="static")

    @app.get("/")
    def start() -> RedirectResponse:
        return RedirectResponse("/hall", 303)

    for address, page in (("/join", "join/join"), ("/hall", "desk/desk"), ("/hall/board", "desk/board")):
        app.get(address)(build_page_handler(STATIC / f"{page}.html"))

    @app.post("/hall/pairings")
    async def pair(request: Request, number: Annotated[int, Query(alias="round", ge=1, le=20)]) -> Response:
        data = await read_body(request, MOST_CHARACTERS)
        try:
            count = desk.pair(data.decode("utf-8-sig"), number)
        except UnicodeDecodeError:
            return PlainTextResponse("This file is no text in UTF-8: export it anew as CSV in UTF-8.", 400)
        except BadInput as error:
            return PlainTextResponse(f"{str(error)[0].upper()}{str(error)[1:]}.", 400)
        return JSONResponse({"tables": count})

    @app.get("/hall/results.csv")
    def results() -> Response:
        disposition = {"Content-Disposition": 'attachment; filename="results.csv"'}
        return Response(desk.write_results(), media_type="text/csv; charset=utf-8", headers=disposition)

    @app.get("/hall/rulings.json")
    def rulings(q: Annotated[str, Query(max_length=MOST_WORDS)] = "") -> JSONResponse:
        return JSONResponse(desk.find_rulings(q))

    @app.get("/hall/picture.jpg")
    def picture(table: Annotated[str, Query(max_length=32)], at: Annotated[int, Query(ge=0, lt=2**63)]) -> Response:
        path = desk.find_recording(table)
        try:
            kept = read_picture(path, at) if path else None
        except BadInput:
            kept = None
        if kept is None:
            return PlainTextResponse("No picture of this call has come yet.", status_code=404)
        return Response(kept.jpeg, media_type="image/jpeg")

    copying = asyncio.Lock()

    @app.get("/hall/recording")
    async def recording(table: Annotated[str, Query(max_length=32)]) -> Response:
        path = desk.find_recording(table)
        if path is None:
            return PlainTextResponse("Nothing of this table has come yet.", status_code=404)
        await copying.acquire()  # which the response lets go of
        try:
            copy = await to_thread.run_sync(copy_aside, path)
        except (BadInput, OSError) as error:
            copying.release()
            return PlainTextResponse(f"The recording cannot be copied now ({error}).", status_code=503)
        return CopyResponse(copy, f"table-{table}.overtable", copying)

    pages = TablePages(desk, devices)
    app.mount("/hall/table/{table}", pages)
    app.mount("/hall/air", TableOnAir(desk, pages, devices))
    add_live_socket(app, "/ws", hub, devices)
    add_join_routes(app, devices, join_urls, hub.dismiss, secure)
    return app
