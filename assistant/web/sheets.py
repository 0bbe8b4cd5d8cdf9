"""The sheets to print, as downloads."""

from collections.abc import Callable
from functools import partial

from fastapi import FastAPI, Response
from fastapi.responses import PlainTextResponse

from assistant.errors import BadInput

SHEETS = ("anchors", "board", "tags", "enrol")


def add_sheets(app: FastAPI, make: Callable[[str, str], bytes]) -> None:
    """Add ``/sheets/NAME.pdf?paper=a4`` to an application.

    Args:
        app: the application.
        make: returns the PDF of a sheet, by its name and the paper's; called in a worker thread.

    """
    for name in SHEETS:
        app.add_api_route(f"/sheets/{name}.pdf", partial(_sheet, make, name), methods=["GET"])


def _sheet(make: Callable[[str, str], bytes], name: str, paper: str = "a4") -> Response:
    try:
        data = make(name, paper)
    except BadInput as error:
        return PlainTextResponse(f"{error}.", status_code=409)
    disposition = f'inline; filename="overtable-{name}.pdf"'
    return Response(data, media_type="application/pdf", headers={"Content-Disposition": disposition})
