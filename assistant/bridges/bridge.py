"""The bridge: what one is, what it is given, and where all of them are found.

Other packages bring theirs by entry points of the group ``overtable.bridges``, each of which names a `Bridge`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assistant.errors import BadInput
from assistant.files.documents import Format, check
from assistant.files.plugins import Door
from assistant.web.messages import View
from assistant.web.messages.message import Role

MOST_SECRET_BYTES = 1000


class BridgeSettings(Format):
    """What every bridge may be told in the set-up file."""

    role: Role = "viewer"
    """It tells what this role sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What a bridge is given of the table."""

    follow: Callable[[], AsyncIterator[View]]
    """Yields what its role is shown, now and whenever it changes; what came meanwhile is the latest alone."""
    markers: Mapping[str, int]
    """The number of each model's marker, by the model's id."""
    report: Callable[[str], None]
    """Takes a sentence that says what is wrong at the other end; empty: nothing is any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """A way to tell programs of one kind; it runs until it is cancelled, or raises why it cannot go on now."""

    name: str
    """In the set-up file it is ``[bridges.NAME]``."""
    settings: type[BridgeSettings]
    run: Callable[[Link, Any], Awaitable[None]]
    """Takes the settings as well.  Raises OSError where nobody answers; then it is begun again after a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedBridge:
    """A bridge that a set-up asks for."""

    bridge: Bridge
    settings: BridgeSettings


BRIDGES = Door(
    word="bridge",
    group="overtable.bridges",
    package="assistant.bridges",
    attribute="BRIDGE",
    kind=Bridge,
    names=lambda bridge: (bridge.name,),
)


@cache
def list_bridges() -> dict[str, Bridge]:
    """Return all bridges there are, by name."""
    return {bridge.name: bridge for bridge in BRIDGES.find()}


def plan_bridges(asked: Mapping[str, Mapping[str, Any]], setup: Path) -> tuple[PlannedBridge, ...]:
    """Return the bridges that a set-up asks for.

    Args:
        asked: the settings by the bridge's name.
        setup: the set-up file, beside which files that settings name are looked for.

    Raises:
        BadInput: there is no such bridge, or a setting is none of its own or not what it takes.

    """
    if not asked:
        return ()
    planned = []
    for name, given in asked.items():
        bridge = list_bridges().get(name)
        if bridge is None:
            raise BadInput(f"{setup}: bridges.{name}: there is no such bridge; expected {', '.join(list_bridges())}")
        settings = check(dict(given), bridge.settings, f"{setup}: bridges.{name}", beside=setup.parent)
        planned.append(PlannedBridge(bridge=bridge, settings=settings))
    return tuple(planned)


async def repeat_views(views: AsyncIterator[View], after_s: float) -> AsyncIterator[View]:
    """Yield each view as it comes, and the last one again whenever none has come for so long."""
    coming = asyncio.ensure_future(anext(views))
    try:
        view = await asyncio.shield(coming)
        coming = asyncio.ensure_future(anext(views))
        while True:
            yield view
            done, _ = await asyncio.wait({coming}, timeout=after_s)
            if done:
                view = coming.result()
                coming = asyncio.ensure_future(anext(views))
    finally:
        coming.cancel()


def read_secret(path: Path) -> str:
    """Return what stands in the first line of a file that holds a password or a secret, and nothing else.

    Raises:
        ValueError: it cannot be read, or is empty.

    """
    try:
        with path.open("rb") as file:
            text = file.read(MOST_SECRET_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ValueError(f"{path.name} cannot be read ({reason})") from None
    secret = text.partition("\n")[0].strip()
    if not secret:
        raise ValueError(f"{path.name} is empty; expected one line")
    return secret
