"""The guard before every request: whether it comes from a page of this table, from whom, and whether they may."""

import socket
from ipaddress import IPv6Address, ip_address
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.web.auth.devices import DeviceRegistry, Visitor, find_network
from assistant.web.auth.pace import Paces
from assistant.web.auth.pairings import hash_token
from assistant.web.auth.roles import (
    API_AT_ONCE,
    API_PER_S,
    describe_refusal,
    find_cost,
    find_path_roles,
    is_for_programs,
)
from assistant.web.commands.registry import Roles
from assistant.web.messages.message import Role

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}
JOIN_FIRST = 4401
"""The socket is closed with this when the device has not joined, or was sent away; the page then goes to ``/join``."""
READS = frozenset({"GET", "HEAD"})
OFFER = "bearer."
"""Before a token, where a socket's page offers it among the protocols."""
ASK_FOR_TOKEN = {"WWW-Authenticate": "Bearer"}
CARRIES_NOTHING = "Send a token as `Authorization: Bearer TOKEN`: `overtable token make NAME` makes one."
OPENS_NOTHING = (
    "This token opens nothing here: it was withdrawn, or copied in part, or it is a host's, which counts at the "
    "encrypted address only; `overtable token list` says which there are."
)
FOREIGN_PAGE = (
    "This web site may not use the table: make it a token with `overtable token make NAME --origin`, and its address."
)
LOCAL_NAMES = ("overtable.local", *(f"overtable-{number}.local" for number in range(2, 10)))
"""By which other devices may find this machine on the network, the best first: each table there takes one."""
FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""A proxy's headers.  Nothing that they say is believed; that they are there means that somebody else is asking."""


class Guard:
    """Turns away whom a foreign page sent and who may not be here, and adds the security headers to every answer.

    A web site that a player happens to have open may not use the table: a browser names the site in ``Origin``, and a
    site that lets its own name point at this machine (DNS rebinding) still sends that name as ``Host``.  Whoever sits
    at this machine may do everything; other devices on the network what they joined as.  Handlers find the `Visitor`
    by `get_visitor`.
    """

    def __init__(self, app: ASGIApp, devices: DeviceRegistry) -> None:
        self.app = app
        self.devices = devices
        self._paces = Paces(API_PER_S, API_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or socket."""
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        visitor = self._identify_visitor(scope, headers)
        pages = {None, f"http://{host}", f"https://{host}", *visitor.origins}
        own = _is_this_machine(host) and origin in pages
        scope.setdefault("state", {})["visitor"] = visitor
        path = _find_own_path(scope)
        allowed = find_path_roles(path)
        is_socket, for_programs = scope["type"] == "websocket", is_for_programs(path)
        if is_socket and not for_programs:
            if not own:
                await send({"type": "websocket.close", "code": 1008})
            elif _is_allowed(visitor.role, allowed):
                await self.app(scope, receive, send)
            else:  # a page is told the reason only by a socket that was open
                await receive()
                await send({"type": "websocket.accept"})
                await send({"type": "websocket.close", "code": JOIN_FIRST})
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered = MutableHeaders(scope=message)
                own_policy = answered.get("Content-Security-Policy")  # of a page that is one file
                answered.update(SECURITY_HEADERS)
                if own_policy is not None:
                    answered["Content-Security-Policy"] = own_policy
                if for_programs and origin is not None:
                    answered.update(_build_sharing_headers(origin, visitor))
            await send(message)

        answer: ASGIApp = self.app
        if not own and not for_programs:
            answer = PlainTextResponse("Open this page by the machine's address, such as http://localhost.", 421)
        elif for_programs and _is_this_machine(host) and _asks_before(scope, headers):
            answer = self._answer_before(origin or "")
        elif for_programs and (refusal := self._refuse_program(scope, headers, visitor, own=own)):
            answer = refusal
        elif not _is_allowed(visitor.role, allowed, reads=is_socket or scope["method"] in READS):
            answer = _refuse(scope, headers, visitor.role, allowed or frozenset())
        await answer(scope, receive, send_guarded)

    def _identify_visitor(self, scope: Scope, headers: Headers) -> Visitor:
        """Return who asks: for a program's address by the token that it sends, where it sends any, and nothing else.

        A page of another web site, too, is whoever its token says, also in a browser on this machine.
        """
        if is_for_programs(_find_own_path(scope)) and (token := _find_program_token(headers)) is not None:
            program = self.devices.find_program(token)
            if program.role == "host" and not (is_encrypted(scope) or _is_from_here(scope, headers)):
                return Visitor(role=None)
            return program
        if _is_from_here(scope, headers) and _is_loopback(_parse_host_name(headers.get("host", ""))):
            return Visitor(role="host", person=self._find_carrier(scope, headers).person)
        return self._find_carrier(scope, headers)

    def _find_carrier(self, scope: Scope, headers: Headers) -> Visitor:
        """Return who carries the cookie that is sent."""
        token = cookie_parser(headers.get("cookie", "")).get(build_cookie_name(scope), "")
        return self.devices.find_visitor(token, secure=is_encrypted(scope))

    def _refuse_program(self, scope: Scope, headers: Headers, visitor: Visitor, *, own: bool) -> Response | None:
        """Return what a program is told that is turned away whatever it asks; None where it is not."""
        address = scope["client"][0] if scope.get("client") else ""
        who = hash_token(visitor.token) if visitor.token else find_network(address)
        if wait_s := self._paces.try_count(who, find_cost(_find_own_path(scope))):
            text = f"Too many requests: ask again in {wait_s} {'second' if wait_s == 1 else 'seconds'}."
            return PlainTextResponse(text, 429, headers={"Retry-After": str(wait_s)})
        if not _is_this_machine(headers.get("host", "")):
            return PlainTextResponse("Ask by the machine's address, such as http://localhost.", 421)
        if visitor.role is None and _find_program_token(headers) is not None:
            return PlainTextResponse(OPENS_NOTHING, 401, headers=ASK_FOR_TOKEN)
        if visitor.role is None:
            return PlainTextResponse(CARRIES_NOTHING, 401, headers=ASK_FOR_TOKEN)
        return None if own else PlainTextResponse(FOREIGN_PAGE, 403)

    def _answer_before(self, origin: str) -> Response:
        """Tell a browser whether a page of another web site may ask; by which token, it says only when it does ask."""
        if origin not in self.devices.list_origins():
            return PlainTextResponse(FOREIGN_PAGE, 403)
        allowed = {"Access-Control-Allow-Methods": "GET", "Access-Control-Allow-Headers": "authorization"}
        return Response(status_code=204, headers={**allowed, "Access-Control-Allow-Origin": origin, "Vary": "Origin"})


def get_visitor(scope: Scope) -> Visitor:
    """Return whom the guard has let through."""
    visitor = scope["state"]["visitor"]
    assert isinstance(visitor, Visitor)
    return visitor


def _build_sharing_headers(origin: str, visitor: Visitor) -> dict[str, str]:
    """Return what lets a page of another web site read an answer, if it may."""
    shared = {"Access-Control-Allow-Origin": origin} if origin in visitor.origins else {}
    return {**shared, "Vary": "Origin"}


def _asks_before(scope: Scope, headers: Headers) -> bool:
    """Whether a browser asks if a page of another web site may ask."""
    return (
        scope["type"] == "http"
        and scope["method"] == "OPTIONS"
        and "origin" in headers
        and "access-control-request-method" in headers
    )


def _find_program_token(headers: Headers) -> str | None:
    """Return what a program carries; None where it sends nothing of the kind.

    A page cannot give a socket a header, so that it offers the token as a protocol.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    offered = [each.strip() for each in headers.get("sec-websocket-protocol", "").split(",")]
    return next((each.removeprefix(OFFER) for each in offered if each.startswith(OFFER)), None)


def _find_own_path(scope: Scope) -> str:
    """Return a path as the application has it that is guarded, which may be mounted within another."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _is_from_here(scope: Scope, headers: Headers) -> bool:
    """Whether this machine itself asks, and nobody through it."""
    address = scope["client"][0] if scope.get("client") else ""
    return not any(name in headers for name in FORWARDED) and _is_loopback(address)


def is_encrypted(scope: Scope) -> bool:
    """Whether nobody between the device and this machine reads what they say."""
    return scope.get("scheme") in {"https", "wss"}


def build_cookie_name(scope: Scope) -> str:
    """Return what the device's token is called; cookies know no ports, and two tables may be on one machine."""
    return f"overtable-{scope['server'][1]}" if scope.get("server") else "overtable"


def _is_allowed(role: Role | None, allowed: Roles | None, *, reads: bool = True) -> bool:
    return allowed is None or (role in allowed and (reads or role != "viewer"))


def _refuse(scope: Scope, headers: Headers, role: Role | None, allowed: Roles) -> Response:
    """Send a person to the page where they can join; tell a script why."""
    if scope.get("method") in READS and "text/html" in headers.get("accept", ""):
        query = scope.get("query_string", b"").decode("latin-1")
        wanted = f"{scope['path']}?{query}" if query else scope["path"]
        return RedirectResponse(f"/join?to={quote(wanted, safe='/')}", 303)
    if role is None:
        return PlainTextResponse("Join first: open /join and enter the code.", 401)
    return PlainTextResponse(describe_refusal(role, allowed), 403)


def _is_this_machine(host: str) -> bool:
    """Whether a Host header is an address, localhost, or this machine's own name."""
    name, own = _parse_host_name(host), socket.gethostname().lower()
    if name in {"localhost", own, f"{own}.local", *LOCAL_NAMES}:
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _parse_host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_loopback(name: str) -> bool:
    """Whether an address is of this machine and cannot be reached from elsewhere."""
    try:
        address = ip_address(name)
    except ValueError:
        return name == "localhost"
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
