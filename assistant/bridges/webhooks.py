"""Webhooks: what happens on the table, sent as signed messages to an address.

They are signed as standardwebhooks.com has it, for whose signatures most languages have a library: HMAC-SHA256 over the
message's id, its time and its body, all of which the receiver has at hand.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import ssl
import time
import uuid
from collections import deque
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, get_args
from urllib.parse import urlsplit

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from assistant.bridges.bridge import Bridge, BridgeSettings, Link, read_secret
from assistant.bridges.happenings import HappeningKind, Standing, describe_standing, list_happenings

FORMAT = "overtable.event/1"
MOST_WAITING = 100
"""Messages that wait to be sent; for one more the oldest is dropped."""
TRIED_AFTER_S = (0.0, 1.0, 5.0, 30.0)
"""A message is tried again after so long, and then dropped."""
ANSWER_S = 10.0
"""In which whoever takes messages has to answer."""
PREFIX = "whsec_"
"""Of a secret that is written in base64."""


class WebhookSettings(BridgeSettings):
    """What the bridge takes."""

    url: Annotated[str, Field(pattern=r"^https?://[^\s@]{1,500}$")]
    """To which messages are sent."""
    secret_file: Annotated[str, Field(min_length=1, max_length=400)]
    """A file beside the set-up file whose first line is the secret by which they are signed."""
    events: tuple[HappeningKind, ...] = get_args(HappeningKind)
    """Which are sent."""
    _secret: str = PrivateAttr(default="")

    @model_validator(mode="after")
    def _read_secret(self, info: ValidationInfo) -> "WebhookSettings":
        if isinstance(info.context, Path):
            self._secret = read_secret(info.context / self.secret_file)
            self.sign("", 0, b"")
        return self

    def sign(self, name: str, at_s: int, body: bytes) -> str:
        """Return the signature of a message; ValueError where the secret says that it is base64, and is not."""
        key = self._secret.encode()
        if self._secret.startswith(PREFIX):
            try:
                key = base64.b64decode(self._secret.removeprefix(PREFIX), validate=True)
            except ValueError:
                raise ValueError(f"{self.secret_file}: what follows {PREFIX} is not base64") from None
        digest = hmac.new(key, f"{name}.{at_s}.".encode() + body, hashlib.sha256).digest()
        return f"v1,{base64.b64encode(digest).decode()}"


class Outbox:
    """The messages that wait, the oldest first."""

    def __init__(self) -> None:
        self._messages: deque[bytes] = deque(maxlen=MOST_WAITING)
        self._more = asyncio.Event()

    def put(self, message: bytes) -> None:
        """Add one; where too many wait the oldest goes."""
        self._messages.append(message)
        self._more.set()

    async def take(self) -> bytes:
        """Return the oldest, as soon as there is one."""
        while not self._messages:
            self._more.clear()
            await self._more.wait()
        return self._messages.popleft()


def build_message(kind: HappeningKind, standing: Standing) -> bytes:
    """Return a message's body."""
    return json.dumps({"format": FORMAT, "event": kind, **asdict(standing)}).encode()


async def run_webhooks(link: Link, settings: WebhookSettings) -> None:
    """Send what happens."""
    outbox = Outbox()
    sending = asyncio.create_task(_send_all(outbox, link, settings))
    try:
        before: Standing | None = None
        async for view in link.follow():
            now = describe_standing(view)
            for kind in list_happenings(before, now):
                if kind in settings.events:
                    outbox.put(build_message(kind, now))
            before = now
    finally:
        sending.cancel()
        await asyncio.wait([sending])


async def _send_all(outbox: Outbox, link: Link, settings: WebhookSettings) -> None:
    while True:
        body, name, fault = await outbox.take(), f"msg_{uuid.uuid4().hex}", ""
        for wait_s in TRIED_AFTER_S:
            await asyncio.sleep(wait_s)
            fault = await _try_to_send(name, body, settings)
            if not fault:
                break
            link.report(fault)
        if not fault:
            link.report("")


async def _try_to_send(name: str, body: bytes, settings: WebhookSettings) -> str:
    """Send a message once; return why it was not taken, empty if it was."""
    host = urlsplit(settings.url).hostname
    try:
        async with asyncio.timeout(ANSWER_S):
            status = await _post(name, body, settings)
    except TimeoutError:
        return f"{host} does not answer"
    except (OSError, ValueError) as error:
        number = error.errno if isinstance(error, OSError) else None
        return f"{host} cannot be reached ({os.strerror(number) if number and number > 0 else error})"
    return "" if 200 <= status < 300 else f"{host} answers with status {status}"


async def _post(name: str, body: bytes, settings: WebhookSettings) -> int:
    """Return the status by which an address answers; it is followed nowhere else."""
    url, at_s = urlsplit(settings.url), int(time.time())
    secure = url.scheme == "https"
    reader, writer = await asyncio.open_connection(
        url.hostname, url.port or (443 if secure else 80), ssl=ssl.create_default_context() if secure else None
    )
    try:
        path = f"{url.path or '/'}{f'?{url.query}' if url.query else ''}"
        head = {
            "Host": url.netloc,
            "Content-Type": "application/json",
            "Content-Length": f"{len(body)}",
            "Connection": "close",
            "User-Agent": "overtable",
            "webhook-id": name,
            "webhook-timestamp": f"{at_s}",
            "webhook-signature": settings.sign(name, at_s, body),
        }
        lines = [f"POST {path} HTTP/1.1", *(f"{key}: {value}" for key, value in head.items()), "", ""]
        writer.write("\r\n".join(lines).encode() + body)
        await writer.drain()
        version, status, *_ = (await reader.readline()).decode("latin-1").split()
        if not version.startswith("HTTP/1."):
            raise ValueError("it speaks no HTTP")
        return int(status)
    finally:
        writer.close()


BRIDGE = Bridge(name="webhooks", settings=WebhookSettings, run=run_webhooks)
