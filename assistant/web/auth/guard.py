"""The guard before every request: whether it comes from a page of this table, from whom, and whether they may."""

import socket
from ipaddress import IPv6Address, ip_address
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.web.auth.devices import DeviceRegistry, Visitor
from assistant.web.auth.roles import describe_refusal, find_path_roles
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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or socket."""
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        own = _is_this_machine(host) and origin in {None, f"http://{host}", f"https://{host}"}
        visitor = self._identify_visitor(scope, headers)
        scope.setdefault("state", {})["visitor"] = visitor
        allowed = find_path_roles(scope["path"])
        if scope["type"] == "websocket":
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
            await send(message)

        answer: ASGIApp = self.app
        if not own:
            answer = PlainTextResponse("Open this page by the machine's address, such as http://localhost.", 421)
        elif not _is_allowed(visitor.role, allowed, reads=scope["method"] in READS):
            answer = _refuse(scope, headers, visitor.role, allowed or frozenset())
        await answer(scope, receive, send_guarded)

    def _identify_visitor(self, scope: Scope, headers: Headers) -> Visitor:
        address = scope["client"][0] if scope.get("client") else ""
        proxied = any(name in headers for name in FORWARDED)
        if not proxied and _is_loopback(address) and _is_loopback(_parse_host_name(headers.get("host", ""))):
            return Visitor(role="host")
        token = cookie_parser(headers.get("cookie", "")).get(build_cookie_name(scope), "")
        return self.devices.find_visitor(token, secure=is_encrypted(scope))


def get_visitor(scope: Scope) -> Visitor:
    """Return whom the guard has let through."""
    visitor = scope["state"]["visitor"]
    assert isinstance(visitor, Visitor)
    return visitor


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
    if scope["method"] in READS and "text/html" in headers.get("accept", ""):
        query = scope.get("query_string", b"").decode("latin-1")
        wanted = f"{scope['path']}?{query}" if query else scope["path"]
        return RedirectResponse(f"/join?to={quote(wanted, safe='/')}", 303)
    if role is None:
        return PlainTextResponse("Join first: open /join and enter the code.", 401)
    return PlainTextResponse(describe_refusal(role, allowed), 403)


def _is_this_machine(host: str) -> bool:
    """Whether a Host header is an address, localhost, or this machine's own name."""
    name, own = _parse_host_name(host), socket.gethostname().lower()
    if name in {"localhost", own, f"{own}.local"}:
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
