"""Join routes: the addresses by which devices join, and by which the host sees and changes the codes."""

import io
from collections.abc import Callable, Sequence
from typing import Annotated

import segno
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.web.auth.devices import DeviceRegistry, JoinRefused
from assistant.web.auth.guard import build_cookie_name, get_visitor
from assistant.web.auth.roles import JOINED, find_path_roles
from assistant.web.messages.message import Role

LEADS_TO: dict[Role, str] = {"player": "/tablet", "judge": "/judge", "viewer": "/tablet"}
"""Where a device goes once it has joined by a QR code."""
LONGEST_BODY_BYTES = 1000
REMEMBERED_S = 7 * 24 * 3600
"""A device keeps its cookie so long even if its browser is closed; what it is worth ends with the program."""


class JoinRequest(BaseModel):
    """What the join page sends."""

    model_config = ConfigDict(extra="forbid")
    code: Annotated[str, Field(max_length=40)]


def add_join_routes(
    app: FastAPI, devices: DeviceRegistry, join_urls: Sequence[str], dismiss: Callable[[frozenset[str]], None]
) -> None:
    """Add the routes.

    Args:
        app: what they are added to; the guard stands before it.
        devices: the codes.
        join_urls: addresses of this machine as other devices reach it, the best first.
        dismiss: ends the connections of the devices that carry these tokens.

    """

    @app.get("/you.json")
    async def you(request: Request, to: str = "/") -> JSONResponse:
        """Say who asks, and whether they may open the page that they want."""
        role = get_visitor(request.scope).role
        allowed = find_path_roles(to.partition("?")[0])
        return JSONResponse({"role": role, "may": allowed is None or role in allowed})

    @app.post("/join")
    async def join(request: Request) -> Response:
        try:
            entered = JoinRequest.model_validate_json(await read_body(request))
        except ValidationError:
            return PlainTextResponse("Enter the six digits of the code.", 400)
        address = request.client.host if request.client else ""
        try:
            joined = devices.join(entered.code, address=address, token=get_visitor(request.scope).token)
        except JoinRefused as away:
            wait = {"Retry-After": str(round(away.wait_s))} if away.wait_s else {}
            return PlainTextResponse(str(away), 429 if away.wait_s else 403, headers=wait)
        if joined.gone:
            dismiss(joined.gone)  # the device's other pages come back as what it is now
        answer = JSONResponse({"role": joined.visitor.role})
        answer.set_cookie(
            build_cookie_name(request.scope),
            joined.visitor.token,
            max_age=REMEMBERED_S,
            path="/",
            httponly=True,
            samesite="strict",
        )
        return answer

    @app.get("/codes/{role}.svg")
    async def qr_code(role: Role) -> Response:
        if not join_urls:
            return PlainTextResponse("This machine is in no network that a device could join.", status_code=404)
        return draw_qr_code(_build_join_url(join_urls[0], devices, role))

    @app.get("/codes.json")
    async def codes() -> JSONResponse:
        return _respond_with_codes(devices, join_urls)

    @app.post("/codes/{role}/renew")
    async def renew(role: Role) -> JSONResponse:
        devices.renew_code(role)
        return _respond_with_codes(devices, join_urls)

    @app.post("/codes/{role}/send-away")
    async def send_away(role: Role) -> JSONResponse:
        dismiss(devices.dismiss_devices(role))
        return _respond_with_codes(devices, join_urls)


def _respond_with_codes(devices: DeviceRegistry, join_urls: Sequence[str]) -> JSONResponse:
    return JSONResponse(
        {
            "open": devices.open_table,
            "addresses": [f"{url}/join" for url in join_urls],
            "roles": [
                {"role": role, "code": devices.get_code(role), "devices": devices.count_devices(role)}
                for role in JOINED
            ],
        }
    )


def _build_join_url(url: str, devices: DeviceRegistry, role: Role) -> str:
    """Return what a QR code holds: where to join, the code, and where to go then."""
    return f"{url}/join?code={devices.get_scanned_code(role)}&to={LEADS_TO[role]}"


def draw_qr_code(address: str) -> Response:
    """Return an address as the picture that a device scans."""
    svg = io.BytesIO()
    segno.make(address, micro=False).save(svg, kind="svg", light="white", border=2, omitsize=True)
    return Response(svg.getvalue(), media_type="image/svg+xml")


async def read_body(request: Request, most_bytes: int = LONGEST_BODY_BYTES) -> bytes:
    """Return a request's body, cut off where it is longer than any that makes sense."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most_bytes:
            break
    return bytes(body)
