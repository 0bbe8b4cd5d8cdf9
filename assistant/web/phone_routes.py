"""Phone routes: the addresses to which a phone that is the camera sends its pictures, and by which the host invites it.

Who may send pictures is not a matter of roles: a player's device could show the table what it likes.  The key is in the
address that the host shows as a QR code, and nowhere else.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import FastAPI, Header, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.files.documents import describe_validation_error
from assistant.web.auth.join_routes import SecureAddress, draw_qr_code, read_body
from hardware.camera.frame_source import CameraSettings
from hardware.camera.phone import PhoneInbox, PhoneReport
from hardware.clock import read_clock_ns
from hardware.errors import BadSource

MOST_PICTURE_BYTES = 16_000_000
"""Of one picture, where one of 4K takes three million."""
MOST_REPORT_BYTES = 2_000
NOT_INVITED = "This page does not belong to the table any more: scan the code on the set-up page again."

Key = Annotated[str, Header(alias="x-overtable-key", max_length=100)]
Number = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]


class ReportFromPhone(BaseModel):
    """What the page says of the phone, every few seconds."""

    model_config = ConfigDict(extra="forbid")
    device: Annotated[str, Field(pattern="^[0-9a-f]{16,64}$")]
    focus: Number | None = None
    autofocus: bool | None = None
    exposure: Number | None = None
    autoexposure: bool | None = None


class AnswerToPhone(BaseModel):
    """What it is told."""

    now_ms: float
    """By the table's clock."""
    focus: float | Literal["hold", "auto"] | None
    """How it is to be set; None: as it is."""
    exposure: float | Literal["hold", "auto"] | None


def add_phone_routes(app: FastAPI, inbox: PhoneInbox, addresses: Sequence[SecureAddress]) -> None:
    """Add the routes.

    Args:
        app: what they are added to; the guard stands before it.
        inbox: where the pictures go.
        addresses: where a phone finds the page, once the pages are served; the first is shown.

    """

    @app.post("/camera/picture")
    async def take_picture(request: Request, key: Key = "", captured_ms: Annotated[float, Header()] = 0.0) -> Response:
        if not inbox.opens(key):
            return PlainTextResponse(NOT_INVITED, 403)
        picture = await read_body(request, MOST_PICTURE_BYTES)
        try:
            inbox.put(picture, captured_ns=round(captured_ms * 1e6), now_ns=read_clock_ns())
        except BadSource as fault:
            return PlainTextResponse(f"{fault}.", 422)
        return Response(status_code=204)

    @app.post("/camera/report")
    async def take_report(request: Request, key: Key = "") -> Response:
        if not inbox.opens(key):
            return PlainTextResponse(NOT_INVITED, 403)
        try:
            told = ReportFromPhone.model_validate_json(await read_body(request, MOST_REPORT_BYTES))
        except ValidationError as error:
            return PlainTextResponse(
                f"What the phone says of itself makes no sense: {describe_validation_error(error)}.", 422
            )
        inbox.report = PhoneReport(
            device=told.device,
            settings=CameraSettings(
                focus=told.focus, autofocus=told.autofocus, exposure=told.exposure, autoexposure=told.autoexposure
            ),
        )
        wanted = inbox.request
        answer = AnswerToPhone(now_ms=read_clock_ns() / 1e6, focus=wanted.focus, exposure=wanted.exposure)
        return JSONResponse(answer.model_dump())

    @app.get("/codes/camera.svg")
    async def qr_code() -> Response:
        return draw_qr_code(f"{addresses[0].url}/camera#{inbox.key}")

    @app.get("/codes/camera.json")
    async def address() -> JSONResponse:
        found = addresses[0]
        return JSONResponse({"url": f"{found.url}/camera#{inbox.key}", "fingerprint": found.fingerprint})
