"""The web server: runs the web application in a thread of its own."""

import asyncio
import logging
import socket
import ssl
import threading
from contextlib import nullcontext
from functools import partial
from typing import cast

import uvicorn
from fastapi import FastAPI

from assistant.web.connections import Connection, EncryptedArrival, LivePageProtocol, RequestProtocol

LONGEST_MESSAGE_BYTES = 65536
"""From a page; the longest sensible command is a few hundred."""
LAST_PORT = 65535
GOODBYE_S = 2
"""How long open connections have to close when the server stops."""
RESTART_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""After so long a server that has ended by itself is started again; then no more."""
_log = logging.getLogger(__name__)


class Server:
    """A web server in a background thread; the same pages are served encrypted at another port where it is told how."""

    def __init__(self, app: FastAPI, host: str, port: int, encryption: ssl.SSLContext | None = None) -> None:
        self.host = host
        self.port = port
        """The port that is served; with 0 a free one is chosen by `start`."""
        self.encrypted_port = port + 1 if 0 < port < LAST_PORT else 0
        """The one that is served encrypted, if any is; a free one is chosen where it is taken."""
        self._encryption = encryption
        self._config = uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            http=RequestProtocol,
            ws=LivePageProtocol,
            ws_max_size=LONGEST_MESSAGE_BYTES,
            ws_per_message_deflate=False,  # on a local network the bytes are cheaper than the time
            timeout_graceful_shutdown=GOODBYE_S,
        )
        self._server = uvicorn.Server(self._config)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to serve; when this returns, pages can connect.

        Raises:
            OSError: the address cannot be served, for example because the port is taken.

        """
        try:
            listener = self._listen(self.port)
        except OSError as error:
            raise OSError(
                f"{self.host}:{self.port} cannot be served ({error.strerror or error}); choose another port with --port"
            ) from error
        self.port = listener.getsockname()[1]
        encrypted = self._listen_for_encrypted() if self._encryption else None
        self._thread = threading.Thread(target=self._run, args=(listener, encrypted), name="web", daemon=True)
        self._thread.start()

    def _listen_for_encrypted(self) -> socket.socket:
        try:
            listener = self._listen(self.encrypted_port)
        except OSError:
            listener = self._listen(0)
        self.encrypted_port = listener.getsockname()[1]
        return listener

    def _listen(self, port: int) -> socket.socket:
        listener = socket.create_server((self.host, port), backlog=128)
        # Inherited by every connection: without it a message waits until the last one is acknowledged, 40 ms on most
        # systems.  asyncio sees to it only for sockets that name their protocol, which this one does not.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener

    def _run(self, listener: socket.socket, encrypted: socket.socket | None) -> None:
        """Serve until told to stop; a server that ends by itself is started again, at growing intervals."""
        for wait_s in (*RESTART_S, None):
            try:
                with listener, encrypted or nullcontext():
                    asyncio.run(self._serve(listener, encrypted))
            except (Exception, SystemExit):  # the latter is how a server ends that cannot begin
                _log.exception("The pages were not served for a moment.")
            if self._stopping.is_set() or wait_s is None or self._stopping.wait(wait_s):
                break
            try:
                listener = self._listen(self.port)
                encrypted = self._listen(self.encrypted_port) if self._encryption else None
            except OSError:
                break
            self._server = uvicorn.Server(self._config)
        if not self._stopping.is_set():
            _log.critical("The pages are not served any more: end the program, and begin it again.")

    async def _serve(self, listener: socket.socket, encrypted: socket.socket | None) -> None:
        loop, state = asyncio.get_running_loop(), self._server.server_state
        if encrypted and self._encryption:
            build = partial(RequestProtocol, config=self._config, server_state=state, app_state={}, _loop=loop)
            connections = cast("set[Connection]", state.connections)
            arrive = partial(EncryptedArrival, connections, self._encryption, build)
            await loop.create_server(arrive, sock=encrypted, backlog=128)
        await self._server.serve(sockets=[listener])
        await asyncio.sleep(0)  # in which whoever was let in at the last moment becomes known
        for left in tuple(self._server.server_state.connections):  # who has not said goodbye in time
            left.transport.abort()
        await asyncio.sleep(0)  # in which their sockets are closed

    def stop(self) -> None:
        """Close every connection and wait until the server has ended; a server that was not started is left alone."""
        if self._thread is not None:
            self._stopping.set()
            while self._thread.is_alive():
                self._server.should_exit = True  # of the one that runs now
                self._thread.join(0.2)
            self._thread = None


def list_lan_addresses() -> list[str]:
    """Return this machine's IPv4 addresses as other devices reach it, the one of the default route first."""
    addresses = [_find_default_route_address()]
    try:
        infos = socket.getaddrinfo(socket.gethostname(), None, family=socket.AF_INET)
    except socket.gaierror:
        infos = []
    addresses += [str(address[0]) for *_, address in infos]
    return list(dict.fromkeys(a for a in addresses if a and not a.startswith("127.")))


def _find_default_route_address() -> str:
    """Ask the routing table which address faces the world; a datagram socket sends nothing when it connects."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address set aside for documentation (RFC 5737)
        except OSError:
            return ""
        return str(probe.getsockname()[0])
