"""Publishers of a hall's bench: a process of many tables that send the rows of one recording, each as its own.

A hash chain does not name its recording, so that each table's rows verify at the hall as those of a game of its own.
"""

import asyncio
import json
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.hall.batches import make_first_row, pack_rows
from assistant.hall.connection import connect
from assistant.hall.messages import (
    STATE_S,
    STREAM,
    TableState,
    encode_message,
    name_order_subject,
    name_rows_subject,
    name_state_subject,
)
from assistant.hall.publisher import POLL_S
from assistant.recording.journal.mirror import ChainedRow, read_chained_rows
from assistant.recording.journal.reader import read_about
from assistant.setup.hall_file import read_hall_file

if TYPE_CHECKING:
    from nats.aio.client import Client

CONNECTING_AT_ONCE = 8


async def publish_table(
    client: "Client", table: str, batches: list[list[ChainedRow]], starts_s: float
) -> list[tuple[str, int, float]]:
    """Send the batches of a table, one in each `POLL_S`; return table, last row and time of sending of each."""
    sent, told_s, recording = list[tuple[str, int, float]](), 0.0, f"{int(table):016x}"
    stream = client.jetstream(timeout=30)
    for at, rows in enumerate(batches):
        await asyncio.sleep(max(0.0, starts_s + at * POLL_S - time.monotonic()))
        now_s = time.monotonic()
        if now_s - told_s >= STATE_S:
            told_s, last = now_s, rows[-1].id if rows else 0
            state = TableState(clock_ns=time.time_ns(), recording=recording, row=last, camera="live")
            await client.publish(name_state_subject(table), encode_message(state))
        if rows:
            sent.append((table, rows[-1].id, now_s))
            name = {"Nats-Msg-Id": f"{recording}:{rows[0].id}"}
            await stream.publish(name_rows_subject(table), pack_rows(recording, rows), stream=STREAM, headers=name)
    return sent


async def _take_orders(_: object) -> None:
    """Let what the hall tells pass."""


def cut_batches(path: Path, most_s: float) -> list[list[ChainedRow]]:
    """Return the rows of a recording in the batches in which a table sends them, up to a time of its game."""
    rows = list(read_chained_rows(path, 0, 2**40))
    began_ns = min(row.captured_ns for row in rows if row.captured_ns)
    batches: list[list[ChainedRow]] = [[] for _ in range(int(most_s / POLL_S))]
    at = 0
    for row in rows:
        at = max(at, int((row.captured_ns - began_ns) / 1e9 / POLL_S))  # in their order, whenever they were captured
        if at < len(batches):
            batches[at].append(row)
    batches[0].insert(0, make_first_row(read_about(path)))
    return batches


async def publish_all(folder: Path, path: Path, tables: range, most_s: float) -> None:
    """Let tables play once all are connected and somebody says when, and print when each sent which rows."""
    batches, gate = cut_batches(path, most_s), asyncio.Semaphore(CONNECTING_AT_ONCE)
    async with AsyncExitStack() as stack:

        async def join(table: int) -> "Client":
            hall = read_hall_file(folder / "tables" / f"{table}.json")
            async with gate:
                client = await stack.enter_async_context(
                    connect(hall.servers, hall.build_context(), user=hall.user, password=hall.password)
                )
                await client.subscribe(name_order_subject(hall.table), cb=_take_orders)
            return client

        clients = await asyncio.gather(*map(join, tables))
        print("connected", flush=True)
        starts_s = float(await asyncio.to_thread(sys.stdin.readline))
        playing = (
            publish_table(client, str(table), batches, starts_s + at / len(tables) * POLL_S)
            for at, (table, client) in enumerate(zip(tables, clients, strict=True))
        )
        print(json.dumps([each for sent in await asyncio.gather(*playing) for each in sent]))


if __name__ == "__main__":
    where, recording, first, last, seconds = sys.argv[1:]
    asyncio.run(publish_all(Path(where), Path(recording), range(int(first), int(last) + 1), float(seconds)))
