"""Join routes: the addresses by which devices join, and by which the host sees and changes the codes."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import segno
from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from assistant.errors import BadInput
from assistant.web.auth import password
from assistant.web.auth.devices import DeviceRegistry, Joined, JoinRefused
from assistant.web.auth.guard import build_cookie_name, get_visitor, is_encrypted
from assistant.web.auth.pairings import LONGEST_NAME, Origin, describe_device
from assistant.web.auth.roles import JOINED, CodeRole, find_path_roles
from assistant.web.messages.message import Role

LEADS_TO: dict[Role, str] = {"player": "/tablet", "judge": "/judge", "viewer": "/tablet"}
"""Where a device goes once it has joined by a QR code."""
LONGEST_BODY_BYTES = 1000
REMEMBERED_S = 7 * 24 * 3600
"""A device keeps its cookie so long even if its browser is closed; what it is worth ends with the program."""
STAYS_S = 400 * 24 * 3600
"""So long where it stays joined; no browser keeps one for longer."""
ONLY_ENCRYPTED = "A password would be read by others in the network here: open the page by its encrypted address."
UNSET = "No password is set: set one on the machine that runs the table, on its start page or by `overtable password`."
WRONG = "This password is not right."

Password = Annotated[str, Field(max_length=password.LONGEST)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SecureAddress:
    """By which address a browser calls the pages secure, and lets them use a camera or send a password."""

    url: str
    fingerprint: str = ""
    """Of the certificate by which the pages come; empty where they come in the clear, from this machine itself."""


class JoinRequest(BaseModel):
    """What the join page sends: a code, or the host's password."""

    model_config = ConfigDict(extra="forbid")
    code: Annotated[str, Field(max_length=40)] = ""
    password: Password = ""
    stays: bool = False
    """The device stays joined when the program ends."""

    @model_validator(mode="after")
    def _has_one(self) -> "JoinRequest":
        if not self.password and "code" not in self.model_fields_set:
            raise ValueError("neither a code nor a password")
        return self


def _check_shown(name: str) -> str:
    if not name.isprintable():
        raise ValueError("it cannot be shown")
    return name


class NewProgram(BaseModel):
    """What the host's page sends of a program that is to be let in."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)
    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), AfterValidator(_check_shown)]
    role: Role = "viewer"
    origin: Annotated[Origin, BeforeValidator(lambda given: str(given).lower().removesuffix("/"))] | Literal[""] = ""
    """The web site whose pages may use it; empty: none."""


class NewPassword(BaseModel):
    """What the host's page sends."""

    model_config = ConfigDict(extra="forbid")
    password: Password
    """Empty: there is to be none."""


def add_join_routes(
    app: FastAPI,
    devices: DeviceRegistry,
    join_urls: Sequence[str],
    dismiss: Callable[[frozenset[str]], None],
    secure: Sequence[SecureAddress] = (),
) -> None:
    """Add the routes.

    Args:
        app: what they are added to; the guard stands before it.
        devices: the codes.
        join_urls: addresses of this machine as other devices reach it, the best first.
        dismiss: ends the connections of the devices that carry these tokens.
        secure: where the pages come encrypted, once they are served; the first is shown.

    """
    one_at_a_time = CapacityLimiter(1)  # trying a password takes a core and 32 MB

    @app.get("/you.json")
    async def you(request: Request, to: str = "/") -> JSONResponse:
        """Say who asks, whether they may open the page that they want, and how else they could."""
        visitor = get_visitor(request.scope)
        allowed = find_path_roles(to.partition("?")[0])
        may = allowed is None or visitor.role in allowed
        at = _find_encrypted(secure) if devices.password.is_set else ""
        here = visitor.role == "host" and not visitor.token
        return JSONResponse({"role": visitor.role, "may": may, "here": here, "password_at": at})

    async def try_password(request: Request, entered: JoinRequest, stays_as: str) -> Joined:
        if not is_encrypted(request.scope):
            raise JoinRefused(ONLY_ENCRYPTED)
        if not devices.password.is_set:
            raise JoinRefused(UNSET)
        guess = devices.begin_guess(request.client.host if request.client else "")
        if not await to_thread.run_sync(devices.password.fits, entered.password, limiter=one_at_a_time):
            raise JoinRefused(WRONG)
        return devices.join_as_host(guess, token=get_visitor(request.scope).token, stays_as=stays_as)

    @app.post("/join")
    async def join(request: Request) -> Response:
        try:
            entered = JoinRequest.model_validate_json(await read_body(request))
        except ValidationError:
            return PlainTextResponse("Enter the six digits of the code.", 400)
        stays_as = describe_device(request.headers.get("user-agent", "")) if entered.stays else ""
        try:
            if entered.password:
                joined = await try_password(request, entered, stays_as)
            else:
                address, token = request.client.host if request.client else "", get_visitor(request.scope).token
                joined = devices.join(entered.code, address=address, token=token, stays_as=stays_as)
        except JoinRefused as away:
            wait = {"Retry-After": str(round(away.wait_s))} if away.wait_s else {}
            return PlainTextResponse(str(away), 429 if away.wait_s else 403, headers=wait)
        if joined.gone:
            dismiss(joined.gone)  # the device's other pages come back as what it is now
        answer = JSONResponse({"role": joined.visitor.role})
        answer.set_cookie(
            build_cookie_name(request.scope),
            joined.visitor.token,
            max_age=STAYS_S if entered.stays else REMEMBERED_S,
            path="/",
            secure=is_encrypted(request.scope),
            httponly=True,
            samesite="strict",
        )
        return answer

    def respond(**more: str) -> JSONResponse:
        return JSONResponse(_describe_joining(devices, join_urls, secure) | more)

    @app.get("/codes/host.svg")
    async def host_code() -> Response:
        address = _find_encrypted(secure)
        if not address:
            return PlainTextResponse("The pages are not served encrypted.", status_code=404)
        return draw_qr_code(f"{address}/join?as=host&to=/")

    @app.get("/codes/{role}.svg")
    async def qr_code(role: CodeRole) -> Response:
        if not join_urls:
            return PlainTextResponse("This machine is in no network that a device could join.", status_code=404)
        return draw_qr_code(_build_join_url(join_urls[0], devices, role))

    @app.get("/codes.json")
    async def codes() -> JSONResponse:
        return respond()

    @app.post("/codes/{role}/renew")
    async def renew(role: CodeRole) -> JSONResponse:
        devices.renew_code(role)
        return respond()

    @app.post("/codes/{role}/send-away")
    async def send_away(role: CodeRole) -> JSONResponse:
        dismiss(devices.dismiss_devices(role))
        return respond()

    @app.post("/codes/stays/{name}/withdraw")
    async def withdraw(name: str) -> JSONResponse:
        dismiss(devices.withdraw_pairing(name))
        return respond()

    @app.post("/codes/programs")
    async def pair_program(request: Request) -> Response:
        """Make a token for a program; it is told in this answer and never again."""
        try:
            wanted = NewProgram.model_validate_json(await read_body(request))
            origins = (wanted.origin,) if wanted.origin else ()
            token = await to_thread.run_sync(devices.pair_program, wanted.role, wanted.name, origins)
        except ValidationError as error:
            about = ".".join(str(part) for part in error.errors()[0]["loc"][:1])
            return PlainTextResponse(_PROGRAM_FAULTS.get(about, "This is no program that could be let in."), 400)
        except BadInput as error:
            return PlainTextResponse(f"No token was made: {error}.", 409)
        return respond(token=token)

    @app.post("/codes/password")
    async def set_password(request: Request) -> Response:
        """Set the host's password, or remove it; who came by the one before has to enter the new one."""
        visitor = get_visitor(request.scope)
        try:
            wanted = NewPassword.model_validate_json(await read_body(request)).password
            if wanted:
                await to_thread.run_sync(devices.password.keep, wanted, limiter=one_at_a_time)
            else:
                devices.password.remove()
        except ValidationError:
            return PlainTextResponse(f"A password has {password.SHORTEST} to {password.LONGEST} letters.", 400)
        except (BadInput, OSError) as error:
            return PlainTextResponse(f"The password was not set: {error}.", 409)
        dismiss(devices.dismiss_devices("host", but=visitor.token))
        return respond()


def _find_encrypted(secure: Sequence[SecureAddress]) -> str:
    """Return where other devices find the pages encrypted; empty if nowhere."""
    return next((each.url for each in secure if each.fingerprint), "")


_PROGRAM_FAULTS = {
    "name": f"Give the program a name of 1 to {LONGEST_NAME} letters.",
    "origin": "Enter the web site as browsers name it, such as https://club.example, without a path.",
}


def _describe_joining(
    devices: DeviceRegistry, join_urls: Sequence[str], secure: Sequence[SecureAddress]
) -> dict[str, object]:
    return {
        "open": devices.open_table,
        "password": devices.password.is_set,
        "encrypted": [{"url": each.url, "fingerprint": each.fingerprint} for each in secure if each.fingerprint],
        "stays": [
            each.model_dump(mode="json", include={"role", "name", "since", "seen", "program"}) | {"id": each.id}
            for each in devices.list_pairings()
        ],
        "addresses": [f"{url}/join" for url in join_urls],
        "roles": [
            {"role": role, "code": devices.get_code(role), "devices": devices.count_devices(role)} for role in JOINED
        ],
    }


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
