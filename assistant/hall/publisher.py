"""The publisher: a table's side of the hall, which sends what was recorded and is told what concerns the table.

It reads the journal by row numbers, in a thread of its own, a batch at a time: what the hall has not taken stays where
it is, in the recording.  So the table's line never waits for a hall, and a hall that was away is caught up with.
"""

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from assistant.errors import BadInput
from assistant.features.feature import Feature
from assistant.game.events import Ruled
from assistant.hall.batches import MOST_BATCH_BYTES, MOST_MESSAGE_BYTES, make_first_row, pack_rows
from assistant.hall.connection import NotConnected, connect
from assistant.hall.loop_thread import run_loop
from assistant.hall.messages import (
    MOST_TOLD_BYTES,
    STATE_S,
    STREAM,
    DeskRuling,
    Summons,
    TableOrders,
    TableState,
    decode_message,
    encode_message,
    name_order_subject,
    name_rows_subject,
    name_state_subject,
)
from assistant.recording.journal.cursor import JournalCursor, Scan, decode_entry
from assistant.recording.journal.mirror import read_chained_rows
from assistant.recording.journal.outbox import Outbox
from assistant.recording.journal.packed_poses import NameTable
from assistant.recording.journal.reader import CHAINED_FORMATS, open_journal, query, read_about
from assistant.setup.hall_file import HallFile
from assistant.table.session import GameSession
from assistant.web.commands.game import CallJudge, RulePast
from assistant.web.hub import Hub, PageCommand
from assistant.web.messages import View
from assistant.web.messages.hall import DeskRulingView, HallView
from hardware.clock import read_clock_ns

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

POLL_S = 0.2
"""A batch goes out so often while there is something new."""
ANSWER_S = 5.0
REFUSED_S = 1.0
"""What the hall did not take is tried again after so long."""
AGAIN_S = (1.0, 2.0, 5.0, 10.0)
"""After so long a connection is tried again, the last each time from then on."""
GOODBYE_S = 2.0
SAME_NS = 1_000_000_000
"""Rulings by the same judge in the same words on moments so near are one."""
_log = logging.getLogger(__name__)


class HallLink(Feature):
    """What the table's pages show of the hall; told by the publisher's thread."""

    name = "hall"

    def __init__(self, hall: HallFile | None = None) -> None:
        """Take the hall; None for a table of its own, which shows nothing."""
        self.hall = hall
        self.orders: TableOrders | None = None
        self.trouble = ""
        """Why there is no connection; empty while there is one."""
        self.connected = False
        self.waiting = 0

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show of the hall."""
        del session
        if self.hall is None:
            return
        orders = self.orders or TableOrders(event=self.hall.event)
        clock = orders.clock
        yield View(
            hall={
                "hall": HallView(
                    event=self.hall.event,
                    table=self.hall.table,
                    connected=self.connected,
                    text=self.trouble,
                    waiting=self.waiting,
                    players=list(orders.players),
                    round=clock.round if clock else 0,
                    left_s=clock.left_s if clock else 0,
                    running=clock is not None and clock.running,
                    dice_down=clock is not None and clock.dice_down,
                    coming=orders.coming,
                    coming_s=orders.coming_s,
                    rulings=[
                        DeskRulingView(judge=each.judge, outcome=each.outcome, note=each.note) for each in orders.recent
                    ],
                )
            }
        )


@contextmanager
def publish_to_hall(recording: Path | None, hub: Hub, link: HallLink) -> Iterator[None]:
    """Publish a recording to a table's hall meanwhile, if it belongs to one.

    Args:
        recording: the journal, which may not be there yet; None where nothing is recorded.
        hub: where the table tells how it fares, and is told what judges rule.
        link: shows how the hall fares; nothing is begun where it has none.

    """
    if link.hall is None:
        yield
        return
    with run_loop(Publisher(link.hall, recording, hub, link).run, "hall"):
        yield


class Publisher:
    """Publishes one recording; used in the loop of its thread."""

    def __init__(self, hall: HallFile, recording: Path | None, hub: Hub, link: HallLink) -> None:
        self._hall, self._recording, self._hub, self._link = hall, recording, hub, link
        self._outbox: Outbox | None = None
        self._trouble = ""
        """Why the hall's judges have something to look into at this table, beside what its camera says."""
        self._asked: list[DeskRuling] = []
        """The rulings that were handed to the table by this program."""
        self._told: TableState | None = None
        self._answered_s = 0
        """The summons of which the desk has said that it was answered."""
        self._times_sent = 0
        """How often rows had to be sent again: the broker leaves out what has the name of what it had."""

    async def run(self, stop: asyncio.Event) -> None:
        """Connect, publish, and begin again where that breaks off, until told to stop."""
        fails = 0
        working = asyncio.create_task(self._work_once())
        ending = asyncio.create_task(stop.wait())
        while True:
            await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
            if ending.done():
                break
            fails = 0 if self._link.connected else fails + 1
            self._note_end(working)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(ending), AGAIN_S[min(fails, len(AGAIN_S) - 1)])
            if ending.done():
                break
            working = asyncio.create_task(self._work_once())
        working.cancel()
        await asyncio.wait({working}, timeout=GOODBYE_S)
        if self._outbox is not None:
            self._outbox.close()

    def _note_end(self, work: "asyncio.Task[None]") -> None:
        """Say on the pages why the connection ended."""
        error = work.exception()
        self._link.connected = False
        if isinstance(error, OSError | BadInput | sqlite3.Error):
            self._report(str(error))
        else:
            _log.error("The hall was told nothing more because of a bug; it is tried again.", exc_info=error)
            self._report("it ended by a bug")

    def _report(self, sentence: str) -> None:
        if sentence != self._link.trouble:
            _log.warning("The hall: %s", sentence)
        self._link.trouble = sentence

    async def _work_once(self) -> None:
        """Publish for as long as there is a connection; OSError or BadInput says why there is none."""
        hall = self._hall
        context = hall.build_context()
        async with connect(hall.servers, context, user=hall.user, password=hall.password) as client:
            await client.subscribe(name_order_subject(hall.table), cb=self._take_orders)
            self._told = None
            state = asyncio.create_task(self._tell_state(client))
            try:
                await self._publish_rows(client)
            finally:
                state.cancel()
                await asyncio.wait({state}, timeout=GOODBYE_S)

    async def _publish_rows(self, client: "Client") -> None:
        """Send what is new, a batch at a time, each once the one before was acknowledged."""
        from nats.errors import Error  # noqa: PLC0415 - an extra

        stream = client.jetstream(timeout=ANSWER_S)
        while True:
            if client.is_closed:
                raise NotConnected("the connection broke off")
            batch = self._take_batch()
            if batch is None:
                self._link.connected, self._link.trouble = True, ""
                await asyncio.sleep(POLL_S)
                continue
            message, name, last = batch
            try:
                await stream.publish(
                    name_rows_subject(self._hall.table), message, stream=STREAM, headers={"Nats-Msg-Id": name}
                )
            except (Error, OSError, TimeoutError) as error:
                if client.is_closed:
                    raise NotConnected("the connection broke off") from None
                # The same rows are tried again: that the hall has them already is no harm.
                self._link.connected = False
                self._report(describe_refusal(error))
                await asyncio.sleep(REFUSED_S)
                continue
            assert self._outbox is not None
            self._outbox.acknowledge(last)
            self._link.connected, self._link.trouble = True, ""

    def _take_batch(self) -> tuple[bytes, str, int] | None:
        """Return the next rows as a message, its name, and the last of them; None where there is nothing new."""
        path = self._recording
        if path is None or not path.exists():
            return None
        if self._outbox is None:
            about = read_about(path)
            if about["format"] not in CHAINED_FORMATS:
                raise BadInput(f"{path.name} is of an older format, which no hall takes")
            self._outbox = Outbox.open(path, self._hall.hall)
        outbox = self._outbox
        if outbox.acknowledged < 0:
            row = make_first_row(read_about(path))
            return pack_rows(outbox.recording, [row]), f"{outbox.recording}:0:{self._times_sent}", 0
        rows = list(read_chained_rows(path, outbox.acknowledged, MOST_BATCH_BYTES))
        if not rows:
            return None
        message = pack_rows(outbox.recording, rows)
        if len(message) > MOST_MESSAGE_BYTES - 1000:
            raise BadInput(f"row {rows[0].id} of {path.name} is longer than the hall takes")
        return message, f"{outbox.recording}:{rows[0].id}-{rows[-1].id}:{self._times_sent}", rows[-1].id

    async def _tell_state(self, client: "Client") -> None:
        """Tell how the table fares, now and then and whenever that changes."""
        since_s = 0.0
        while True:
            with contextlib.suppress(BadInput):
                state = self._describe_state()
                same = self._told is not None and state.model_copy(update={"clock_ns": 0, "row": 0}) == self._told
                if not same or since_s >= STATE_S:
                    since_s, self._told = 0.0, state.model_copy(update={"clock_ns": 0, "row": 0})
                    await client.publish(name_state_subject(self._hall.table), encode_message(state))
            await asyncio.sleep(POLL_S)
            since_s += POLL_S

    def _describe_state(self) -> TableState:
        view = self._hub.get_view("judge")
        camera, table, summons = view.camera.get("camera"), view.table.get("table"), view.summons.get("judge")
        recording = self._recording
        row = read_last_row(recording) if recording is not None and recording.exists() else -1
        acknowledged = self._outbox.acknowledged if self._outbox else -1
        self._link.waiting = max(0, row - acknowledged)
        state: Literal["starting", "live", "lost", "ended"] = camera.state if camera else "starting"
        return TableState(
            clock_ns=read_clock_ns(),
            recording=self._outbox.recording if self._outbox else "",
            row=row,
            title=table.title[:100] if table else "",
            camera=state,
            camera_text=camera.text[:500] if camera else "",
            trouble=self._trouble[:500],
            summons=Summons(about=summons.about[:500], since_s=summons.since_s) if summons else None,
        )

    async def _take_orders(self, message: "Msg") -> None:
        """Take what the table is told."""
        if len(message.data) > MOST_TOLD_BYTES:
            return
        try:
            orders = decode_message(message.data, TableOrders)
        except BadInput as error:
            _log.warning("The hall said something that this version does not know: %s", error)
            return
        self._link.orders = orders
        outbox = self._outbox
        if outbox is not None and orders.again == outbox.recording and orders.again_after < outbox.acknowledged:
            outbox.acknowledge(orders.again_after)
            self._times_sent += 1
        summons = self._hub.get_view("judge").summons.get("judge")
        if summons is not None and orders.answered_s == summons.since_s != self._answered_s:
            self._answered_s = summons.since_s
            over = CallJudge(type="call-judge", needed=False)
            self._hub.submit(PageCommand(message=over, refuse=self._note_refusal, role="judge"))
        if orders.rulings and self._recording is not None:
            self._hand_over(orders.rulings, self._recording)
        self._hub.on_command()

    def _hand_over(self, rulings: tuple[DeskRuling, ...], recording: Path) -> None:
        """Let the table write down rulings from the desk that its record does not have."""
        began_ns, known = read_rulings(recording)
        for ruling in rulings:
            if any(is_same(ruling, each) for each in (*known, *self._asked)):
                continue
            self._asked.append(ruling)
            at_ns = max(0, ruling.captured_ns - began_ns)
            command = RulePast(
                type="rule-past", at_ns=at_ns, outcome=ruling.outcome, note=ruling.note, judge=ruling.judge
            )
            self._hub.submit(PageCommand(message=command, refuse=self._note_refusal, role="judge"))

    def _note_refusal(self, sentence: str) -> None:
        self._trouble = f"A ruling from the desk was not written down here: {sentence}."


def describe_refusal(error: BaseException) -> str:
    """Return why the hall took no rows, for people."""
    said = str(error)
    if "maximum" in said or "insufficient" in said or "no space" in said:
        return "the hall has no room for more at the moment"
    if "no responders" in said.lower() or "NoStreamResponse" in type(error).__name__:
        return "the hall's broker runs, but nobody gathers: start overtable hall serve"
    return "the hall does not answer"


def is_same(one: DeskRuling, other: DeskRuling) -> bool:
    """Whether two rulings are one that was told twice."""
    words = (one.judge, one.outcome, one.note), (other.judge, other.outcome, other.note)
    return words[0] == words[1] and abs(one.captured_ns - other.captured_ns) <= SAME_NS


def read_last_row(path: Path) -> int:
    """Return the number of the last row of a journal; BadInput where it cannot be read."""
    with open_journal(path) as db:
        ((last,),) = query(db, path, "SELECT coalesce(max(id), 0) FROM events")
    return int(last)


def read_rulings(path: Path) -> tuple[int, list[DeskRuling]]:
    """Return when a journal's first picture was taken, and the rulings in it by judges' names."""
    began, found = "SELECT captured_ns FROM events WHERE captured_ns > 0 ORDER BY id LIMIT 1", list[DeskRuling]()
    with open_journal(path) as db:
        began_ns = next((int(captured_ns) for (captured_ns,) in query(db, path, began)), 0)
        for row in JournalCursor(db, path, scan=Scan.EVENTS).rows():
            if row.kind != Ruled.__name__:
                continue
            told = decode_entry(row, NameTable(), path).what
            ruling = told.ruling if isinstance(told, Ruled) else None
            if ruling is not None and ruling.judge and ruling.outcome != "again":
                found.append(
                    DeskRuling(
                        judge=ruling.judge, captured_ns=ruling.at_ns or 0, outcome=ruling.outcome, note=ruling.note
                    )
                )
    return began_ns, found
