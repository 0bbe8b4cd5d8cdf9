"""The web application: the pages, what they load, and the socket that keeps them live.

Beside the pages it serves a small part of the camera's picture, pixel by pixel, the table
from straight above, the sheets to print as downloads, and pictures of layouts.
"""

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.types import Scope

from assistant.errors import BadInput
from assistant.layouts.packs import find_packed_layout
from assistant.layouts.picture import draw_layout
from assistant.layouts.placing import place_layout
from assistant.web.api.routes import build_api
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.auth.guard import READS, Guard
from assistant.web.auth.join_routes import SecureAddress, add_join_routes
from assistant.web.auth.roles import API, OPEN, ROUTES
from assistant.web.guide import add_guide_routes
from assistant.web.hub import Hub
from assistant.web.languages.catalogue import (
    LANGUAGES,
    SOURCE,
    UNTRANSLATED,
    choose_language,
    read_catalogue,
    translate_document,
)
from assistant.web.live_socket import add_live_socket
from assistant.web.phone_routes import add_phone_routes
from assistant.web.replay_routes import Archive, TablePicture, add_replay_routes
from hardware.camera.phone import INBOX
from vision.table_map import TableArea

Crop = Callable[[int, int], bytes | None]
"""Returns what lies about a pixel as an encoded picture, or None while there is none; called in a worker thread."""
Pixel = Annotated[int, Query(ge=0, le=100_000)]

DrawTable = Callable[[TableArea | None, int, str], bytes | None]
"""Returns a part of the table, or all of it, so many pixels wide, at the height of a model's base where one is named;
None while nobody knows where the table is."""


def add_crop_route(app: FastAPI, crop: Crop) -> None:
    """Serve ``/crop.jpg?x=...&y=...``, in pixels of the camera's own picture."""

    @app.get("/crop.jpg")
    def cropped(x: Pixel, y: Pixel) -> Response:
        image = crop(x, y)
        if image is None:
            return PlainTextResponse("The camera has not delivered a picture yet.", status_code=503)
        return Response(image, media_type="image/jpeg")


SHEETS = ("anchors", "board", "rings", "tags", "enrol")


def add_table_route(app: FastAPI, draw: DrawTable) -> None:
    """Serve ``/table.jpg``, the table from straight above, whole or a part of it in its millimetres."""

    @app.get("/table.jpg")
    def table(asked: Annotated[TablePicture, Query()]) -> Response:
        jpeg = draw(asked.area, asked.fitting_width_px, asked.model)
        if jpeg is None:
            return PlainTextResponse("Nobody knows yet where in the camera's picture the table is.", status_code=503)
        return Response(jpeg, media_type="image/jpeg")


def add_sheet_routes(app: FastAPI, make: Callable[[str, str], bytes]) -> None:
    """Add ``/sheets/NAME.pdf?paper=a4`` to an application.

    Args:
        app: the application.
        make: returns the PDF of a sheet, by its name and the paper's; called in a worker thread.

    """
    for name in SHEETS:
        app.add_api_route(f"/sheets/{name}.pdf", partial(_respond_with_sheet, make, name), methods=["GET"])


def add_layout_route(app: FastAPI) -> None:
    """Serve ``/layouts/NAME.svg``, the picture of a layout in the packs."""

    @app.get("/layouts/{name}.svg")
    def drawn(name: str) -> Response:
        try:
            layout = find_packed_layout(name).layout
            svg = draw_layout(place_layout(layout), layout.title)
        except BadInput as error:
            return PlainTextResponse(f"{error}.", status_code=404)
        return Response(svg, media_type="image/svg+xml")


def _respond_with_sheet(make: Callable[[str, str], bytes], name: str, paper: str = "a4") -> Response:
    try:
        data = make(name, paper)
    except BadInput as error:
        return PlainTextResponse(f"{error}.", status_code=409)
    disposition = f'inline; filename="overtable-{name}.pdf"'
    return Response(data, media_type="application/pdf", headers={"Content-Disposition": disposition})


class PageFiles(StaticFiles):
    """Serves what pages load: dozens of small files each, which a thread takes longer to be asked for than to read."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, looked up in no thread either; of what is none, the answer that is usual."""
        with suppress(OSError, ValueError):
            full_path, found = self.lookup_path(path)
            if found is not None and stat.S_ISREG(found.st_mode) and scope["method"] in READS:
                return self.file_response(full_path, found, scope)
        return await super().get_response(path, scope)

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return a whole file that is asked for in one piece."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        if not isinstance(response, FileResponse) or "range" in Headers(scope=scope):
            return response
        data = Path(full_path).read_bytes()
        return Response(data, status_code, {**response.headers, "content-length": str(len(data))})


STATIC = Path(__file__).parent / "static"
PAGES = tuple(
    name for name in (path.removeprefix("/") for path in (*OPEN, *ROUTES)) if (STATIC / name / f"{name}.html").is_file()
)
"""Addresses of which there is a folder in `STATIC` with a document of that name; the start page's is ``landing``."""


def create_app(
    *,
    hub: Hub,
    picture: Callable[[], bytes | None],
    join_urls: Sequence[str],
    devices: DeviceRegistry | None = None,
    crop: Crop | None = None,
    table: DrawTable | None = None,
    archive: Archive | None = None,
    secure: Sequence[SecureAddress] = (),
) -> FastAPI:
    """Build the application.

    Args:
        hub: where the pages meet the table.
        picture: returns the latest camera picture as JPEG, or None when there is none; called in a worker thread.
        join_urls: addresses of this machine as other devices on the network reach it, the best first, such as
            ``http://192.0.2.7:8765``.
        devices: whom it lets in beside this machine; None for one with codes of its own.
        crop: returns a small part of it, where there is a live camera.
        table: returns the table from straight above, where there is a live camera; called in a worker thread.
        archive: the recording that pages may look back into; None where nothing is recorded.
        secure: where a phone that is the camera, and who has the host's password, find their pages; may be filled in
            once the pages are served.

    """
    devices, archive = devices or DeviceRegistry(), archive or Archive()
    app = FastAPI(title="overtable", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Guard, devices=devices)
    add_language_route(app)
    app.mount("/static", PageFiles(directory=STATIC), name="static")
    for path, name in {"/": "landing", **{f"/{name}": name for name in PAGES}}.items():
        app.add_api_route(path, build_page_handler(STATIC / name / f"{name}.html"), methods=["GET", "HEAD"])

    if crop is not None:
        add_crop_route(app, crop)
    if table is not None:
        add_table_route(app, table)

    api = build_api(hub, archive)
    app.mount(f"{API}/1", api)
    for each in (app, api):
        each.add_exception_handler(RequestValidationError, _answer_senseless)

    @app.get("/picture.jpg")
    def latest_picture() -> Response:
        jpeg = picture()
        if jpeg is None:
            return PlainTextResponse("The camera has not delivered a picture yet.", status_code=503)
        return Response(jpeg, media_type="image/jpeg")

    add_phone_routes(app, INBOX, secure)
    add_replay_routes(app, archive)
    add_layout_route(app)
    add_guide_routes(app)

    add_live_socket(app, "/ws", hub, devices)
    add_live_socket(api, "/live", hub, devices)
    add_join_routes(app, devices, join_urls, hub.dismiss, secure)
    return app


def _answer_senseless(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    what = f"{first['loc'][-1]}: {first['msg'][0].lower()}{first['msg'][1:]}, not {first.get('input')!r}"
    return PlainTextResponse(f"This address makes no sense: {what}.", status_code=422)


def build_page_handler(file: Path) -> Callable[[Request], Response]:
    """Return what serves a page's document, in the language that the device wants."""

    def page(request: Request) -> Response:
        language = SOURCE if file.stem in UNTRANSLATED else choose_language(request.headers)
        headers = {"Vary": "Accept-Language, Cookie"}
        if language == SOURCE:
            return FileResponse(file, headers=headers)
        return HTMLResponse(translate_document(file, language), headers={**headers, "Cache-Control": "no-cache"})

    return page


def add_language_route(app: FastAPI) -> None:
    """Serve ``/static/languages/LANGUAGE.json``, the catalogue that a page loads beside its scripts."""

    @app.get("/static/languages/{language}.json")
    def catalogue(language: str) -> Response:
        if language not in LANGUAGES or language == SOURCE:
            return PlainTextResponse("There is no catalogue of this language.", status_code=404)
        return JSONResponse(read_catalogue(language), headers={"Cache-Control": "no-cache"})
