"""A hall on this machine with a real broker, and tables that publish recordings to it without a camera."""

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from assistant.game.events import Ruled, SourceChanged, Stamped, TurnBegan, Undone
from assistant.game.state import Ruling
from assistant.hall.broker import Broker, find_broker
from assistant.hall.folder import make_hall
from assistant.hall.gatherer import Gatherer, gather
from assistant.hall.messages import TableOrders
from assistant.hall.publisher import HallLink, publish_to_hall
from assistant.recording.journal.row_types import KeptPicture
from assistant.recording.journal.writer import Journal
from assistant.setup.hall_file import HallFile, read_hall_file
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.table import CameraView
from tests.assistant.bridges.test_tuio import find_free_port
from tests.assistant.recording.journal.test_writer import SEEN

PROGRAM = shutil.which("nats-server", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin:/usr/local/bin")
needs_broker = pytest.mark.skipif(PROGRAM is None, reason="nats-server is not installed: apt-get install nats-server")
BEGAN_NS = 1_800_000_000_000_000_000
JPEG = b"\xff\xd8 a picture \xff\xd9"


class RunningHall:
    """A hall of some tables whose broker, and what gathers, can be started, stopped and killed."""

    def __init__(
        self, path: Path, tables: tuple[str, ...] = ("1", "2"), judges: tuple[str, ...] = ("Ann", "Ben")
    ) -> None:
        self.folder = make_hall(
            path, name="Autumn Cup", addresses=("127.0.0.1",), port=find_free_port(), desk_port=find_free_port()
        )
        self.folder.add(tables=tables, judges=judges)
        self.folder.write()
        self.broker = Broker(find_broker(), self.folder.path, self.folder.event.port)
        self.orders: dict[str, TableOrders] = {}
        self.gatherer = self.make_gatherer()

    def make_gatherer(self) -> Gatherer:
        def write_orders(table: str) -> TableOrders:
            return self.orders.get(table) or TableOrders(event=self.folder.event.name)

        return Gatherer(self.folder, write_orders=write_orders)

    def read_file(self, table: str) -> HallFile:
        return read_hall_file(self.folder.path / "tables" / f"{table}.json")

    def kill_broker(self) -> None:
        """Kill the broker, which its keeper then starts again."""
        os.kill(self.broker.pid, signal.SIGKILL)

    def list_recordings(self, table: str) -> list[Path]:
        return sorted((self.folder.path / "recordings" / table).glob("*.overtable"))


@contextmanager
def run_broker(hall: RunningHall) -> Iterator[RunningHall]:
    hall.broker.start()
    try:
        yield hall
    finally:
        hall.broker.stop()


@contextmanager
def gathering(hall: RunningHall) -> Iterator[Gatherer]:
    hall.gatherer = hall.make_gatherer()
    with gather(hall.gatherer):
        yield hall.gatherer


class PlayedTable:
    """A table whose game is written row by row, as a test likes."""

    def __init__(self, path: Path) -> None:
        self.path, self.hub = path, Hub()
        self.now_ns = BEGAN_NS
        self.journal = Journal(path, about={"title": path.stem, "situation": "{}", "source": "virtual:"})
        self.show("live")

    def show(self, state: str, text: str = "") -> None:
        camera = CameraView(
            source="virtual:",
            state=state,
            text=text,
            anchors_seen=6,
            fps=15,
            latency_ms=20,
        )
        self.hub.publish(View(camera={"camera": camera}))

    def play(self, rows: int, *, picture: bool = False) -> None:
        """Write so many rows of poses and events, and a picture at the end if one is wanted."""
        for number in range(rows):
            self.now_ns += 200_000_000
            if number % 5:
                self.journal.append((self.now_ns, SEEN))
            else:
                self.journal.append(
                    Stamped(captured_ns=self.now_ns, event=SourceChanged(state="live", text=f"{number}"))
                )
        if picture:
            self.journal.keep(KeptPicture(captured_ns=self.now_ns, jpeg=JPEG))

    def begin_turn(self, player: str) -> None:
        self.now_ns += 1_000_000_000
        self.journal.append(Stamped(captured_ns=self.now_ns, event=TurnBegan(player=player, step="move-units")))

    def undo(self) -> None:
        self.now_ns += 1_000_000_000
        self.journal.append(Stamped(captured_ns=self.now_ns, event=Undone()))

    def rule(self, ruling: Ruling) -> None:
        self.journal.append(Stamped(captured_ns=self.now_ns, event=Ruled(ruling=ruling)))

    @contextmanager
    def publishing(self, hall: HallFile) -> Iterator[HallLink]:
        link = HallLink(hall)
        with publish_to_hall(self.path, self.hub, link):
            yield link


def read_rows(path: Path) -> list[tuple[object, ...]]:
    """Return all rows of a recording; none where it is being made."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db, suppress(sqlite3.Error):
        return db.execute("SELECT id, captured_ns, kind, body, chain FROM events ORDER BY id").fetchall()
    return []


def hold_same(hall: RunningHall, table: str, played: PlayedTable) -> Callable[[], bool]:
    """Return a look whether the hall has exactly one recording of a table, with exactly its rows."""

    def look() -> bool:
        recordings = hall.list_recordings(table)
        return len(recordings) == 1 and read_rows(recordings[0]) == read_rows(played.path)

    return look
