"""The connection to a hall's broker: encrypted, by a name and a password, and one sentence where there is none."""

import asyncio
import contextlib
import logging
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from assistant.hall.broker import build_inbox
from assistant.setup.hall_file import SERVER_NAME
from overtable_errors import OvertableError

if TYPE_CHECKING:
    from nats.aio.client import Client

CONNECT_S = 10.0
GOODBYE_S = 2.0
CLOSING_TURNS = 3
"""Turns of the loop in which sockets that were cut off are closed: one that is encrypted takes two."""
MISSING = "the package nats-py is missing: install overtable[hall]"


def _is_telling(record: logging.LogRecord) -> bool:
    """Whether a record of the log of asyncio says anything; for each encrypted connection that ends it does not."""
    return "eof_received() has no effect" not in record.getMessage()


logging.getLogger("asyncio").addFilter(_is_telling)


class NotConnected(OvertableError, OSError):
    """There is no connection, or no longer; the text says why, for people."""


@asynccontextmanager
async def connect(
    servers: Sequence[str], context: ssl.SSLContext, *, user: str, password: str
) -> AsyncIterator["Client"]:
    """Connect to the first of some brokers that answers, and leave it at the end.

    It does not connect again by itself: whoever uses it begins anew, and knows then what came through.

    Raises:
        NotConnected: nobody answers, it is another's hall, or the credentials are not taken.

    """
    try:
        from nats.aio.client import Client  # noqa: PLC0415 - an extra
        from nats.errors import Error  # noqa: PLC0415
    except ImportError:
        raise NotConnected(MISSING) from None
    heard: list[Exception] = []

    async def hear(error: Exception) -> None:
        heard.append(error)

    client = Client()
    try:
        async with asyncio.timeout(CONNECT_S):
            await client.connect(
                servers=[f"tls://{server}" for server in servers],
                error_cb=hear,
                user=user,
                password=password,
                tls=context,
                tls_hostname=SERVER_NAME,
                inbox_prefix=build_inbox(user),
                allow_reconnect=False,
                max_reconnect_attempts=1,
                connect_timeout=5,
                ping_interval=5,
                max_outstanding_pings=2,
                name=user,
            )
    except (OSError, Error, ValueError) as error:
        await _leave(client)
        raise NotConnected(describe_failure(error, heard, servers)) from None
    try:
        yield client
    finally:
        await _leave(client)


async def _leave(client: "Client") -> None:
    """Close a connection; one at whose other end nobody is any more is not waited for, but cut off."""
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await client.close()
    finally:  # also where whoever waits is told to end
        _cut_off(client)
        for _ in range(CLOSING_TURNS):
            await asyncio.sleep(0)


def _cut_off(client: "Client") -> None:
    """Close the sockets of a connection, which the client leaves open where its goodbye is not answered."""
    transport = client._transport  # it offers no other way
    for name in ("_io_writer", "_bare_io_writer"):
        writer: asyncio.StreamWriter | None = getattr(transport, name, None)
        if writer is not None:
            writer.transport.abort()


def describe_failure(error: Exception, heard: Sequence[Exception], servers: Sequence[str]) -> str:
    """Return why there is no connection, for people."""
    said = " ".join(str(each) for each in (*heard, error))
    where = servers[0]
    if "CERTIFICATE_VERIFY_FAILED" in said:
        if "expired" in said or "not yet valid" in said:
            return f"the certificate of {where} is not valid today: look at this machine's date, or make the hall anew"
        return f"{where} is another hall's: take the file, or a photo of the sheet, of this event"
    if "uthorization" in said:
        return f"{where} does not take this table's credentials: ask at the judges' desk for a new sheet"
    return f"{where} does not answer"
