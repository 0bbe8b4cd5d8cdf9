"""Connections of the web server: none waits for ever, and no address takes the places of the others.

A device that opens connections and says nothing, or reads nothing, costs a place each.  So a request has to come whole
in time, what is sent has to be read in time, and where all places are taken the address that holds most gives one up.
"""

import asyncio
import ssl
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Protocol, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from assistant.web.auth.devices import find_network

REQUEST_S = 10.0
"""A request that has not come whole in so long is given up."""
HANDSHAKE_S = 5.0
"""In which a connection that is to be encrypted has to be."""
STALLED_S = 20.0
"""A page that takes nothing for so long is cut off; when it wakes it connects anew and gets the whole view."""
MOST_CONNECTIONS = 400
"""At a time, of all devices: well below the 1,024 files that a process may usually open."""


class Connection(Protocol):
    """What is known of a connection of either kind."""

    transport: asyncio.Transport
    client: tuple[str, int] | None
    """Address and port of who is at its other end."""
    arrived_s: float
    """By the event loop's clock."""


class _Deadline:
    """Cuts a connection off unless it is met in time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport) -> None:
        self._loop, self._transport = loop, transport
        self._timer: asyncio.TimerHandle | None = None

    @property
    def runs(self) -> bool:
        return self._timer is not None

    def start(self, within_s: float) -> None:
        self._timer = self._loop.call_later(within_s, self._transport.abort)

    def meet(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class _Prompt(asyncio.Protocol):
    """A connection that is cut where its page stops reading.

    Until then no more than one message waits beyond the socket's own buffer, because the sender waits, too.  An
    orderly close would wait for that buffer to be read, so the connection is cut.
    """

    loop: asyncio.AbstractEventLoop
    arrived_s: float
    _reads: _Deadline

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self.arrived_s = self.loop.time()
        self._reads = _Deadline(self.loop, cast("asyncio.Transport", transport))
        super().connection_made(transport)

    def pause_writing(self) -> None:
        """Begin to wait: the socket's buffer is full."""
        super().pause_writing()
        self._reads.start(STALLED_S)

    def resume_writing(self) -> None:
        """Go on: the page reads again."""
        self._reads.meet()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._reads.meet()
        super().connection_lost(exc)


class LivePageProtocol(_Prompt, WebSocketsSansIOProtocol):
    """A page's socket."""

    def shutdown(self) -> None:
        """Say goodbye; what was not heard by then is not heard any more, for that may take longer than is waited."""
        while not self.queue.empty():
            self.queue.get_nowait()
        super().shutdown()


class RequestProtocol(_Prompt, H11Protocol):
    """A connection by which requests come."""

    _asks: _Deadline

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, if there is a place or one can be made."""
        self._asks = _Deadline(self.loop, transport)
        self._asks.start(REQUEST_S)
        super().connection_made(transport)
        superfluous = find_superfluous(cast("set[Connection]", self.connections))
        if superfluous is not None:
            superfluous.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take what came, and wait for the rest of the request if one has begun."""
        super().data_received(data)
        if self.transport.get_protocol() is not self or self.conn.their_state not in {h11.IDLE, h11.SEND_BODY}:
            self._asks.meet()
        elif not self._asks.runs:
            self._asks.start(REQUEST_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._asks.meet()
        super().connection_lost(exc)


class EncryptedArrival(asyncio.Protocol):
    """A connection until it is encrypted; then a request's protocol takes it over.

    The event loop would encrypt by itself, but what has not agreed on a key yet would be in nobody's count.
    """

    def __init__(
        self, connections: set[Connection], context: ssl.SSLContext, build_protocol: Callable[[], asyncio.Protocol]
    ) -> None:
        self._connections, self._context, self._build_protocol = connections, context, build_protocol
        self.client: tuple[str, int] | None = None
        self.arrived_s = 0.0
        self.transport: asyncio.Transport
        self._agreeing: asyncio.Task[None] | None = None
        self._said = b""
        """What came with the last word of the agreement."""
        self._gone = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to agree on a key, if there is a place or one can be made."""
        loop = asyncio.get_running_loop()
        self.transport, self.arrived_s = cast("asyncio.Transport", transport), loop.time()
        self.transport.pause_reading()  # until there is who understands it
        self.client = transport.get_extra_info("peername")
        self._connections.add(self)
        superfluous = find_superfluous(self._connections)
        if superfluous is not None:
            superfluous.transport.abort()
        self._agreeing = loop.create_task(self._encrypt(loop))

    async def _encrypt(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            encrypted = await loop.start_tls(
                self.transport, self, self._context, server_side=True, ssl_handshake_timeout=HANDSHAKE_S
            )
        except OSError:  # whoever it was speaks otherwise, knows this certificate not yet, or says nothing
            self.transport.abort()
            return
        finally:
            self._connections.discard(self)
        if encrypted is None or self._gone:
            return
        protocol = self._build_protocol()
        encrypted.set_protocol(protocol)
        protocol.connection_made(encrypted)
        if self._said:
            protocol.data_received(self._said)

    def data_received(self, data: bytes) -> None:
        """Keep what is said between the agreement and the protocol that understands it."""
        self._said += data

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """Go no further."""
        self._gone = True

    def shutdown(self) -> None:
        """End, as the server does."""
        self.transport.abort()


def find_superfluous(connections: Iterable[Connection]) -> Connection | None:
    """Return the oldest connection of the address that holds most; None while there are places for all."""
    held = [each for each in connections if not each.transport.is_closing()]
    if len(held) <= MOST_CONNECTIONS:
        return None
    networks = [find_network(each.client[0] if each.client else "") for each in held]
    ((crowded, _),) = Counter(networks).most_common(1)
    of_it = [each for each, network in zip(held, networks, strict=True) if network == crowded]
    return min(of_it, key=lambda each: each.arrived_s)
