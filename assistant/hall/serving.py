"""Serving a hall: its broker and its gatherer, run together, with a folder that may change meanwhile."""

import logging
import threading
import time
from pathlib import Path

import click

from assistant.errors import BadInput
from assistant.hall.broker import Broker
from assistant.hall.folder import EVENT_FILE, HallFolder
from assistant.hall.gatherer import GatheredTable, Gatherer, gather
from assistant.hall.letters import SILENT_S, TableOrders

LOOK_S = 1.0
_log = logging.getLogger(__name__)


class ServedHall:
    """A hall that runs; what has changed in its folder is taken up by `look`."""

    def __init__(self, folder: HallFolder, broker: Broker) -> None:
        self.folder, self._broker = folder, broker
        self.gatherer = Gatherer(folder, write_orders=self._write_orders)
        self._stamp = _stamp(folder.path)
        self._told: dict[str, str] = {}

    def _write_orders(self, table: str) -> TableOrders:
        del table
        return TableOrders(event=self.folder.event.name)

    def look(self) -> bool:
        """Take up what has changed in the folder; return whether anything has."""
        stamp = _stamp(self.folder.path)
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        try:
            self.folder = HallFolder.open(self.folder.path)
        except BadInput as error:
            _log.warning("What has changed in the folder is not taken up: %s", error)
            return False
        self._broker.reload()
        return True

    def list_news(self) -> list[str]:
        """Return a sentence on each table that fares otherwise than it did when it was asked last."""
        news = []
        for name, table in self.gatherer.tables.items():
            said = describe_table(table, time.monotonic())
            if said != self._told.get(name, ""):
                self._told[name] = said
                news.append(f"Table {name} {said}")
        return news


def describe_table(table: GatheredTable, now_s: float) -> str:
    """Return how a table fares, in a few words; empty before anything was heard of it."""
    if not table.heard_s:
        return ""
    if now_s - table.heard_s > SILENT_S:
        return "is cut off."
    return f"is connected. {table.trouble}".strip()


def _stamp(folder: Path) -> tuple[int, int]:
    stat = (folder / EVENT_FILE).stat()
    return stat.st_mtime_ns, stat.st_ino


def serve_hall(folder: HallFolder, program: Path, stop: threading.Event) -> None:
    """Run a hall until told to stop.

    Args:
        folder: the hall's.
        program: nats-server.
        stop: set when the program is asked to end.

    Raises:
        BrokerMissing: the broker does not start.

    """
    broker = Broker(program, folder.path, folder.event.port)
    broker.start()
    try:
        served = ServedHall(folder, broker)
        with gather(served.gatherer) as call:
            event = folder.event
            click.echo(f"{event.name}: tables connect at {event.addresses[0]}:{event.port}; Ctrl-C ends it.")
            click.echo(f"Their games are gathered in {folder.path / 'recordings'}")
            while not stop.wait(LOOK_S):
                if served.look():
                    call(lambda: served.gatherer.take_up(served.folder))
                for sentence in served.list_news():
                    click.echo(sentence)
    finally:
        broker.stop()
