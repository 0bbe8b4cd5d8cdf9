"""The demo of a hall: one that plays by itself, on this machine alone, and is forgotten at the end."""

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from assistant.hall.desk import Desk
from assistant.hall.folder import HallFolder, make_hall
from assistant.hall.serving import serve_hall
from assistant.hall.simulated_tables import pair_names, play_tables
from assistant.web.commands.hall import HallRound
from assistant.web.hub import Hub, PageCommand

EVENT = "Demo Cup"
MINUTES = 60


def serve_demo(
    path: Path, program: Path, stop: threading.Event, *, tables: int, desk_port: int = 0, opens: bool = False
) -> None:
    """Run a hall of simulated tables until told to stop; errors as in `serve_hall`.

    Args:
        path: an empty folder for all of it.
        program: nats-server.
        stop: set when the program is asked to end.
        tables: how many.
        desk_port: where the desk is served; 0 takes a free one.
        opens: opens the desk in a browser, where there is a screen.

    """
    ports = find_free_ports(taken={desk_port})
    folder = make_hall(
        path / "hall",
        name=EVENT,
        addresses=("127.0.0.1",),
        port=ports[0],
        desk_port=desk_port or ports[1],
        minutes=MINUTES,
    )
    names = tuple(str(number) for number in range(1, tables + 1))
    folder.add(tables=names)
    folder.write()

    @contextmanager
    def play(desk: Desk, address: str) -> Iterator[None]:
        begin_round(desk, folder)
        if opens and (sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            webbrowser.open(address)
        with play_tables(folder, path / "tables"):
            yield

    serve_hall(folder, program, stop, host="127.0.0.1", beside=play)


def begin_round(desk: Desk, folder: HallFolder) -> None:
    """Seat made-up players at all tables, and begin the first round."""
    desk.pair(pair_names(folder.event.table_names), 1)
    hub = Hub()
    hub.submit(PageCommand(message=HallRound(type="hall-round", action="start"), refuse=lambda _: None))
    desk.obey_all(hub)


def find_free_ports(taken: Collection[int] = ()) -> tuple[int, int]:
    """Return two ports at which nothing is served, each with a free one after it."""
    found: list[int] = []
    while len(found) < 2:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = int(probe.getsockname()[1])
        if port not in {*taken, *found, *(each + 1 for each in found)}:
            found.append(port)
    return found[0], found[1]
