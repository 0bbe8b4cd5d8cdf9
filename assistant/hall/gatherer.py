"""The gatherer: the hall's side, which makes of every table's rows a recording, and tells tables what concerns them.

Each table has a queue of its own at the broker, from which one message is taken at a time: a table that floods fills
its own queue and delays no other.  A message is acknowledged once its rows are in the recording's file, so that whoever
is killed in between is told the same rows again, which are there already.  What a table sends is trusted in nothing.
"""

import asyncio
import contextlib
import logging
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.errors import BadInput
from assistant.hall.batches import read_first_row, unpack_rows
from assistant.hall.broker import HALL_USER
from assistant.hall.connection import connect
from assistant.hall.folder import HallFolder
from assistant.hall.loop_thread import GOODBYE_S, run_loop
from assistant.hall.messages import (
    STREAM,
    TableOrders,
    TableState,
    decode_message,
    encode_message,
    name_order_subject,
    name_rows_subject,
    name_state_subject,
)
from assistant.recording.journal.mirror import ChainedRow, JournalMirror, RowConflict, RowGap, check_format
from assistant.recording.journal.writer import JournalWriteError
from overtable_errors import OvertableError

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg
    from nats.js.client import JetStreamContext

QUEUED_MESSAGES = 1000
"""Of one table, until the hall has them; a table that is told that there is no room keeps its rows and tries again."""
MOST_STREAM_BYTES = 16 * 2**30
TWICE_S = 120
"""A message that comes a second time within so long is left out by the broker already."""
WAIT_S = 3.0
"""A queue is asked again after so long: a broker that has just started may not have heard the question."""
FULL_S = 2.0
ACKNOWLEDGED_S = 5
"""What was not acknowledged within so long comes again: the broker may have been killed in between."""
AGAIN_S = 1.0
LEAST_BETWEEN_S = 0.1
"""A table that says more often how it fares is not heard each time."""
LEAST_FREE_BYTES = 200 * 2**20
"""With less free on the disk nothing more is gathered: the desk itself has to go on."""
MOST_TABLE_BYTES = 8 * 2**30
"""Of all recordings of one table: some hundred times those of a tournament."""
_log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class GatheredTable:
    """What the hall has of one table; told by the gatherer's thread."""

    table: str
    state: TableState | None = None
    heard_s: float = 0.0
    """When it was last heard of, by the monotonic clock; 0 for never."""
    clock_off_s: float = 0.0
    """How far its clock is ahead of the hall's."""
    mirrors: dict[str, JournalMirror] = field(default_factory=dict)
    """The recording that grows, by its name; at most one."""
    recording: str = ""
    """The name of that which came last."""
    trouble: str = ""
    """Why what it sends is not gathered; empty while it is."""
    full: bool = False
    """It could not be written."""
    lacking: tuple[str, int] | None = None
    """The recording of which rows are lacking, and the last row that is there."""


Told = Callable[[str, Path, list[ChainedRow]], None]


class Gatherer:
    """Gathers the rows of all tables of a folder; `run` is one thread's, what it tells is called in that."""

    def __init__(
        self,
        folder: HallFolder,
        *,
        on_rows: Told = lambda _table, _path, _rows: None,
        write_orders: Callable[[str], TableOrders],
    ) -> None:
        """Prepare to gather.

        Args:
            folder: the hall's.
            on_rows: told of rows that are in a recording's file by now.
            write_orders: returns what a table is told, each time it says how it fares.

        """
        self.folder = folder
        self._on_rows, self._write_orders = on_rows, write_orders
        self.tables: Mapping[str, GatheredTable] = {}
        self.trouble = ""
        """Why nothing is gathered; empty while it is."""
        self._client: Client | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.take_up(folder)

    def take_up(self, folder: HallFolder) -> None:
        """Gather the tables that a folder has by now; called in the gatherer's thread, or before it runs."""
        self.folder = folder
        known = self.tables
        self.tables = {name: known.get(name) or GatheredTable(table=name) for name in folder.event.table_names}

    async def run(self, stop: asyncio.Event) -> None:
        """Gather until told to stop; where there is no broker, or no longer, it is tried again."""
        while not stop.is_set():
            work = asyncio.create_task(self._work_once())
            ending = asyncio.create_task(stop.wait())
            await asyncio.wait({work, ending}, return_when=asyncio.FIRST_COMPLETED)
            self._client = None
            for task in (work, ending, *self._tasks.values()):
                task.cancel()
            await asyncio.wait({work, ending, *self._tasks.values()}, timeout=GOODBYE_S)
            self._tasks.clear()
            if work.done() and not work.cancelled() and (error := work.exception()) is not None:
                expected = isinstance(error, OSError | BadInput)
                self.trouble = str(error) if expected else "it ended by a bug"
                _log.warning("Nothing is gathered: %s", error, exc_info=None if expected else error)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), AGAIN_S)
        for table in self.tables.values():
            close_mirrors(table)

    async def _work_once(self) -> None:
        event = self.folder.event
        context = self.folder.build_hall_file(event.tables[0]).build_context() if event.tables else None
        if context is None:
            raise BadInput("there are no tables: add some with overtable hall init")
        async with connect([f"127.0.0.1:{event.port}"], context, user=HALL_USER, password=event.password) as client:
            stream = client.jetstream(timeout=10)
            await make_stream(stream)
            await client.subscribe(name_state_subject("*"), cb=self._hear_state)
            self._client, self.trouble = client, ""
            while not client.is_closed:
                for name in self.tables:
                    if name not in self._tasks or self._tasks[name].done():
                        self._note_failure(name)
                        self._tasks[name] = asyncio.create_task(self._gather_table(stream, name))
                await asyncio.sleep(AGAIN_S)
            raise OSError("the broker broke off the connection")

    def _note_failure(self, name: str) -> None:
        task = self._tasks.get(name)
        if task is not None and not task.cancelled() and (error := task.exception()) is not None:
            _log.error("A table's rows were not gathered for a moment: %s.", name, exc_info=error)

    async def _gather_table(self, stream: "JetStreamContext", name: str) -> None:
        """Take one message of a table after the other; where the connection breaks off, that is the end of it."""
        from nats.errors import Error  # noqa: PLC0415 - an extra

        with contextlib.suppress(Error):
            await self._take_messages(stream, name)

    async def _take_messages(self, stream: "JetStreamContext", name: str) -> None:
        from nats.errors import TimeoutError as Nothing  # noqa: PLC0415 - an extra
        from nats.js.api import AckPolicy, ConsumerConfig  # noqa: PLC0415

        subject = name_rows_subject(name)
        wanted = ConsumerConfig(
            ack_policy=AckPolicy.EXPLICIT, ack_wait=ACKNOWLEDGED_S, max_ack_pending=1, filter_subject=subject
        )
        queue = await stream.pull_subscribe(subject, durable=f"hall-{name}", stream=STREAM, config=wanted)
        while self._client is not None and name in self.tables:  # a cancellation may be lost in the client
            try:
                messages = await queue.fetch(1, timeout=WAIT_S)
            except (Nothing, TimeoutError):
                continue
            for message in messages:
                if self._take_rows(self.tables[name], message.data):
                    await message.ack()
                else:
                    await asyncio.sleep(FULL_S)
                    await message.nak()

    def _take_rows(self, table: GatheredTable, data: bytes) -> bool:
        """Write the rows of a message to their recording; return whether the broker may forget it."""
        try:
            recording, rows = unpack_rows(data)
            path = self.folder.find_recording(table.table, recording)
            if self._is_full(table, path):
                return False
            about = read_first_row(rows[0]) if rows and rows[0].id == 0 else None
            if about is not None:
                check_format(path, about)
            mirror = _open_mirror(table, recording, path, about)
            new = mirror.append([row for row in rows if row.id > 0])
        except (JournalWriteError, OwnFileError) as error:
            table.full, table.trouble = True, f"The hall cannot write down what it sends ({error.why})."
            return False
        except RowGap:
            # What the hall had is lost: the table is told by its orders from where to send again.
            there = table.mirrors.get(recording)
            table.lacking = recording, -1 if there is None else there.row
            table.trouble = "Rows are lacking; it is asked for them."
            return True
        except RowConflict:
            table.trouble = (
                "What it sends contradicts what it sent before: look whether two machines go on with one game."
            )
            return True
        except BadInput as error:
            table.trouble = f"It sends what cannot be read: {str(error)[:200]}."
            return True
        table.full, table.trouble, table.recording, table.lacking = False, "", recording, None
        self._on_rows(table.table, path, new)
        return True

    def _is_full(self, table: GatheredTable, path: Path) -> bool:
        """Note that there is no room for more, of this table or at all."""
        there = path.parent
        if shutil.disk_usage(self.folder.path).free < LEAST_FREE_BYTES:
            table.full, table.trouble = True, "The hall's disk is full: make room, and it goes on by itself."
        elif there.is_dir() and sum(each.stat().st_size for each in there.iterdir()) > MOST_TABLE_BYTES:
            table.full, table.trouble = True, "It has sent more than any table does, and no more of it is gathered."
        else:
            table.full = False
        return table.full

    async def _hear_state(self, message: "Msg") -> None:
        """Take in how a table fares, and tell it what concerns it."""
        table = self.tables.get(message.subject.rpartition(".")[2])
        if table is None or time.monotonic() - table.heard_s < LEAST_BETWEEN_S:
            return
        try:
            state = decode_message(message.data, TableState)
        except BadInput as error:
            table.trouble = f"It says what cannot be read: {str(error)[:200]}."
            return
        table.state, table.heard_s = state, time.monotonic()
        table.clock_off_s = (state.clock_ns - time.time_ns()) / 1e9
        if self._client is not None:
            await self._client.publish(name_order_subject(table.table), encode_message(self._build_orders(table)))

    def _build_orders(self, table: GatheredTable) -> TableOrders:
        """Return what a table is told, with what it is to send again."""
        orders = self._write_orders(table.table)
        if table.lacking is None:
            return orders
        recording, row = table.lacking
        return orders.model_copy(update={"again": recording, "again_after": row})


class OwnFileError(OvertableError, OSError):
    """The hall's own file of a recording cannot be opened, which is no fault of the table's: its rows are kept."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def _open_mirror(table: GatheredTable, recording: str, path: Path, about: Mapping[str, str] | None) -> JournalMirror:
    """Return the mirror of a recording; RowGap where it is lacking, OwnFileError where it cannot be opened."""
    mirror = table.mirrors.get(recording)
    if mirror is None:
        close_mirrors(table)
        try:
            mirror = table.mirrors[recording] = JournalMirror.open(path, about)
        except RowGap:
            raise
        except (BadInput, OSError) as error:
            raise OwnFileError(str(error)) from None
    return mirror


def close_mirrors(table: GatheredTable) -> None:
    """Close the recording of a table that grew until now."""
    for mirror in table.mirrors.values():
        mirror.close()
    table.mirrors.clear()


async def make_stream(stream: "JetStreamContext") -> None:
    """Let the broker keep what tables send until it is gathered; nothing happens where it does so already."""
    from nats.js.api import DiscardPolicy, RetentionPolicy, StorageType, StreamConfig  # noqa: PLC0415 - an extra
    from nats.js.errors import NotFoundError  # noqa: PLC0415

    config = StreamConfig(
        name=STREAM,
        subjects=[name_rows_subject("*")],
        retention=RetentionPolicy.WORK_QUEUE,
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,
        discard_new_per_subject=True,
        max_msgs_per_subject=QUEUED_MESSAGES,
        max_bytes=MOST_STREAM_BYTES,
        duplicate_window=TWICE_S,
    )
    try:
        await stream.update_stream(config)
    except NotFoundError:
        await stream.add_stream(config)


def gather(gatherer: Gatherer) -> AbstractContextManager[Callable[[Callable[[], None]], None]]:
    """Run a gatherer in a thread of its own meanwhile; yields a way to have something done in that thread."""
    return run_loop(gatherer.run, "gatherer")
