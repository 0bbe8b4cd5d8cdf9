"""Serving a hall: its broker, its gatherer and its desk, run together, with a folder that may change meanwhile."""

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click

from assistant.errors import BadInput
from assistant.hall.broker import Broker
from assistant.hall.desk import Desk
from assistant.hall.desk_app import create_desk_app
from assistant.hall.folder import EVENT_FILE, HallFolder
from assistant.hall.gatherer import Gatherer, gather
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.auth.join_routes import SecureAddress
from assistant.web.certificate import open_certificate
from assistant.web.hub import Hub
from assistant.web.server import Server, list_lan_addresses

LOOK_S = 0.1
"""Judges wait so long at most for what they ask."""
SHOWN_S = 1.0
_log = logging.getLogger(__name__)


class ServedHall:
    """A hall that runs; what has changed in its folder is taken up by `look`."""

    def __init__(self, folder: HallFolder, broker: Broker) -> None:
        """Open the desk; BadInput where its log cannot be read."""
        self.folder, self._broker = folder, broker
        self.hub = Hub()
        self.desk = Desk(folder, lambda: self.gatherer.tables)
        self.gatherer = Gatherer(folder, on_rows=self.desk.take_rows, write_orders=self.desk.write_orders)
        self._stamp = _stamp(folder.path)

    def look(self) -> bool:
        """Take up what has changed in the folder; return whether anything has."""
        stamp = _stamp(self.folder.path)
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        try:
            self.folder = self.desk.folder = HallFolder.open(self.folder.path)
        except BadInput as error:
            _log.warning("What has changed in the folder is not taken up: %s", error)
            return False
        self._broker.reload()
        return True

    def work(self, *, shown: bool) -> None:
        """Do what judges ask, and show what is new, or what has passed meanwhile."""
        if self.desk.obey_all(self.hub) or shown:
            trouble = self.gatherer.trouble
            self.hub.publish(self.desk.build_view(f"Nothing is gathered: {trouble}." if trouble else ""))


def _stamp(folder: Path) -> tuple[int, int]:
    stat = (folder / EVENT_FILE).stat()
    return stat.st_mtime_ns, stat.st_ino


def _work(served: ServedHall, call: Callable[[Callable[[], None]], None], stop: threading.Event) -> None:
    """Do what judges ask, show what is new, and take up what changes in the folder, until told to stop."""
    shown_s = SHOWN_S
    while not stop.wait(LOOK_S):
        shown_s += LOOK_S
        if served.look():
            call(lambda: served.gatherer.take_up(served.folder))
        served.work(shown=shown_s >= SHOWN_S)
        shown_s = 0.0 if shown_s >= SHOWN_S else shown_s


def serve_hall(
    folder: HallFolder,
    program: Path,
    stop: threading.Event,
    *,
    host: str,
    beside: Callable[[Desk, str], AbstractContextManager[None]] = lambda _desk, _address: nullcontext(),
) -> None:
    """Run a hall until told to stop.

    Args:
        folder: the hall's.
        program: nats-server.
        stop: set when the program is asked to end.
        host: where the desk is served.
        beside: what is done meanwhile, given the desk and its address on this machine.

    Raises:
        BrokerMissing: the broker does not start.
        BadInput: the desk cannot be served, or its log not be read.

    """
    event = folder.event
    broker = Broker(program, folder.path, event.port)
    served = ServedHall(folder, broker)
    devices = DeviceRegistry(state=folder.path)
    join_urls: list[str] = []
    secure: list[SecureAddress] = []
    app = create_desk_app(served.desk, served.hub, devices, join_urls, secure)
    addresses = [*event.addresses, *list_lan_addresses()]
    certificate = open_certificate(folder.path, addresses)
    server = Server(app, host, event.desk_port, certificate.context)
    broker.start()
    try:
        try:
            server.start()
        except OSError as error:
            raise BadInput(f"the desk cannot be served: {error}") from None
        join_urls += [f"http://{address}:{server.port}" for address in event.addresses]
        encrypted = f"https://{event.addresses[0]}:{server.encrypted_port}"
        secure.append(SecureAddress(url=encrypted, fingerprint=certificate.fingerprint))
        with gather(served.gatherer) as call:
            click.echo(f"{event.name}: tables connect at {event.addresses[0]}:{event.port}; Ctrl-C ends it.")
            click.echo(f"The desk is at http://localhost:{server.port}/hall; judges scan their sheets.")
            code = devices.get_code("viewer")
            click.echo(f"The board for everybody: {join_urls[0]}/hall/board, with the code {code[:3]} {code[3:]}.")
            with beside(served.desk, f"http://localhost:{server.port}/hall"):
                _work(served, call, stop)
    finally:
        server.stop()
        broker.stop()
