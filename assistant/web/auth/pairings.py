"""Lasting pairings: devices that stay joined when the program ends, until they are withdrawn or long unseen."""

import hashlib
import logging
import os
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import BadInput
from assistant.files.documents import write_atomically
from assistant.web.messages.message import Role

FILE = "pairings.json"
FORGOTTEN = timedelta(days=180)
"""After so long unseen a device has to join again."""
MOST_PAIRINGS = 100
"""For one more, of the role that has most of them the one that was unseen for longest goes."""
MOST_BYTES = 100_000
LONGEST_NAME = 60
_log = logging.getLogger(__name__)


class Pairing(BaseModel):
    """A device that stays joined."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """SHA-256 of what the device carries, so that whoever reads the file can join by nothing in it."""
    role: Role
    name: Annotated[str, Field(max_length=LONGEST_NAME)]
    """Such as "Firefox on Android"."""
    since: date
    seen: date

    @property
    def id(self) -> str:
        """By which it is named to the host."""
        return self.digest[:12]


class PairingFile(BaseModel):
    """The file."""

    model_config = ConfigDict(extra="forbid")
    format: Literal["overtable.pairings/1"] = "overtable.pairings/1"
    pairings: Annotated[list[Pairing], Field(max_length=MOST_PAIRINGS)] = []


class Pairings:
    """The pairings in a file, which all tables of this user share; another program's changes are seen at once."""

    def __init__(self, path: Path | None, today: Callable[[], date] = lambda: datetime.now(UTC).date()) -> None:
        """Take a file that may be there already; None keeps them in memory alone."""
        self._path, self._today = path, today
        self._by_digest: dict[str, Pairing] = {}
        self._stamp: tuple[int, int, int] | None = None

    def list(self) -> tuple[Pairing, ...]:
        """Return all of them, the latest first."""
        self._refresh()
        return tuple(sorted(self._by_digest.values(), key=lambda each: (each.since, each.digest), reverse=True))

    def find(self, token: str) -> Pairing | None:
        """Return the pairing of the device that carries this, and note that it was seen today."""
        self._refresh()
        found = self._by_digest.get(hash_token(token))
        if found is not None and found.seen != self._today():
            found = found.model_copy(update={"seen": self._today()})
            self._keep({**self._by_digest, found.digest: found})
        return found

    def add(self, token: str, role: Role, name: str) -> None:
        """Keep a device."""
        self._refresh()
        digest, today = hash_token(token), self._today()
        made = Pairing(digest=digest, role=role, name=name[:LONGEST_NAME], since=today, seen=today)
        kept = {**self._by_digest, digest: made}
        if len(kept) > MOST_PAIRINGS:
            ((crowded, _),) = Counter(each.role for each in kept.values()).most_common(1)
            del kept[min((each.seen, each.since, each.digest) for each in kept.values() if each.role == crowded)[-1]]
        self._keep(kept)

    def withdraw(self, which: Callable[[Pairing], bool]) -> frozenset[str]:
        """Forget those of which this holds; return their digests."""
        self._refresh()
        gone = frozenset(digest for digest, each in self._by_digest.items() if which(each))
        if gone:
            self._keep({digest: each for digest, each in self._by_digest.items() if digest not in gone})
        return gone

    def _refresh(self) -> None:
        if self._path is None:
            return
        try:
            stat = self._path.stat()
        except OSError:
            self._by_digest, self._stamp = {}, None
            return
        if self._stamp == (stamp := _stamp(stat)):
            return
        self._stamp = stamp
        try:
            with self._path.open("rb") as file:
                kept = PairingFile.model_validate_json(file.read(MOST_BYTES)).pairings
        except (OSError, ValueError) as error:
            _log.warning("Devices have to join again, for the list of those that stay cannot be read: %s", error)
            kept = []
        oldest = self._today() - FORGOTTEN
        self._by_digest = {each.digest: each for each in kept if each.seen >= oldest}

    def _keep(self, pairings: dict[str, Pairing]) -> None:
        self._by_digest = pairings
        if self._path is None:
            return
        data = PairingFile(pairings=[*pairings.values()]).model_dump_json(indent=1)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, data.encode(), private=True)
            self._stamp = _stamp(self._path.stat())
        except (OSError, BadInput) as error:
            _log.warning("Which devices stay joined could not be kept: %s", error)


def _stamp(stat: os.stat_result) -> tuple[int, int, int]:
    """Return what tells one version of a file from another."""
    return stat.st_mtime_ns, stat.st_ino, stat.st_size


def hash_token(token: str) -> str:
    """Return what is kept of what a device carries."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS": "Mac",
    "Linux": "Linux",
}
BROWSERS = {
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Edg": "Edge",
    "Chrom": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}


def describe_device(user_agent: str) -> str:
    """Return what a browser says of itself, as a person says it.

    >>> describe_device("Mozilla/5.0 (Android 16; Mobile; rv:150.0) Gecko/150.0 Firefox/150.0")
    'Firefox on Android'
    >>> describe_device("curl/8")
    'A device'
    """
    browser = next((name for mark, name in BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    return " on ".join(filter(None, (browser, system))) or "A device"
