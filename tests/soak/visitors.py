"""The night's visitors: pages that come, watch, play and go, and others that only fetch something.

They are sockets and requests without a screen; what a browser does with the answers is tested elsewhere.
"""

import asyncio
import json
import random
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from assistant.game.state import GameState

PAGES = 3
STAYS_S = (5.0, 60.0)
ACTS_EVERY_S = 3.0
FETCHED = (
    "/tablet",
    "/judge",
    "/stream",
    "/projector",
    "/table.jpg?width_px=960",
    "/past/head.json",
    "/past/moments.json",
    "/past/view.json?at_ns=60000000000",
    "/past/table.jpg?at_ns=60000000000&width_px=960",
)
FETCH_EVERY_S = 4.0
NOT_YET = 503
"""Says that there is no picture yet, as of a camera that has just come back."""
DEVICE_DIGITS = 32


@dataclass(kw_only=True)
class Visitors:
    """What the visitors met."""

    port: int
    game: GameState
    seed: int
    visits: int = 0
    messages: int = 0
    acts: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    """Answers of the kind that means a bug, by what was asked."""
    _stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def come_and_go(self) -> Iterator["Visitors"]:
        """Let them come and go until the end."""
        threads = [
            threading.Thread(target=lambda: asyncio.run(self._run_pages()), name="visitors"),
            threading.Thread(target=self._fetch_all, name="fetches"),
        ]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            for thread in threads:
                thread.join()

    async def _run_pages(self) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(PAGES):
                group.create_task(self._visit_again(random.Random(self.seed + number)))

    async def _visit_again(self, rng: random.Random) -> None:
        while not self._stop.is_set():
            device = f"{rng.getrandbits(4 * DEVICE_DIGITS):0{DEVICE_DIGITS}x}"
            self.visits += 1
            try:
                address = f"ws://127.0.0.1:{self.port}/ws?device={device}"
                async with connect(address, max_size=None) as page, asyncio.timeout(rng.uniform(*STAYS_S)):
                    await self._stay(page, rng)
            except TimeoutError:
                pass  # it goes
            except (OSError, ConnectionClosed) as fault:
                if not self._stop.is_set():
                    self.faults[f"a page was sent away: {fault}"] += 1

    async def _stay(self, page: ClientConnection, rng: random.Random) -> None:
        acts_at = asyncio.get_running_loop().time() + rng.expovariate(1 / ACTS_EVERY_S)
        while not self._stop.is_set():
            now = asyncio.get_running_loop().time()
            if now >= acts_at:
                command = choose_command(rng, self.game)
                self.acts[command["type"]] += 1
                await page.send(json.dumps(command))
                acts_at = now + rng.expovariate(1 / ACTS_EVERY_S)
            try:
                await asyncio.wait_for(page.recv(), 0.5)
            except TimeoutError:
                continue
            self.messages += 1

    def _fetch_all(self) -> None:
        rng = random.Random(self.seed)
        while not self._stop.wait(rng.expovariate(1 / FETCH_EVERY_S)):
            path = rng.choice(FETCHED)
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as answer:
                    answer.read()
                self.acts["fetch"] += 1
            except urllib.error.HTTPError as refusal:
                refusal.close()
                if refusal.code >= 500 and refusal.code != NOT_YET:
                    self.faults[f"{path}: {refusal.code}"] += 1
            except OSError as fault:
                if not self._stop.is_set():
                    self.faults[f"{path}: {fault}"] += 1


def choose_command(rng: random.Random, game: GameState) -> dict[str, Any]:
    """Return something that a player might do; much of it will be refused, as it does not fit what was done before."""
    unit = rng.choice(game.units)
    models = [rng.choice(unit.models).id]
    kinds: tuple[dict[str, Any], ...] = (
        {"type": "declare", "unit": unit.id, "action": rng.choice(("normal", "advance", "charge"))},
        {"type": "declare", "unit": unit.id},
        {"type": "withdraw"},
        {"type": "accept"},
        {"type": "accept"},
        {"type": "bumped", "models": models},
        {"type": "put-back", "models": models},
        {"type": "go-on"},
        {"type": "undo"},
        {"type": "rule", "outcome": rng.choice(("legal", "illegal", "again"))},
        {"type": "score", "player": unit.player, "points": rng.randrange(100)},
        {"type": "resync"},
    )
    return rng.choice(kinds)
