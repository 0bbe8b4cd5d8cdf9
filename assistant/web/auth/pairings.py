"""Lasting pairings: devices that stay joined when the program ends, until they are withdrawn or long unseen.

Other programs are paired, too: what they carry is made for them by name, and never by a code.
"""

import hashlib
import logging
import os
import secrets
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import BadInput
from assistant.files.documents import write_atomically
from assistant.web.messages.message import Role

FILE = "pairings.json"
PREFIX = "overtable-"
"""Of what a program carries."""
FORGOTTEN = timedelta(days=180)
"""After so long unseen a device has to join again."""
MOST_PAIRINGS = 100
"""For one more, of the role that has most of them the one that was unseen for longest goes; programs and devices of a
role are apart, so that no crowd of devices pushes out a program."""
MOST_BYTES = 300_000
MOST_PROGRAMS = 50
MOST_ORIGINS = 8
LONGEST_NAME = 60
_log = logging.getLogger(__name__)


Origin = Annotated[str, Field(pattern=r"^https?://[a-z0-9.\[\]:-]{1,250}$")]
"""Of a web page, as its browser names it, such as ``https://club.example`` or ``http://192.0.2.7:8123``."""


class Pairing(BaseModel):
    """A device, or a program, that stays joined."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """SHA-256 of what the device carries, so that whoever reads the file can join by nothing in it."""
    role: Role
    name: Annotated[str, Field(max_length=LONGEST_NAME)]
    """Such as "Firefox on Android"."""
    since: date
    seen: date
    program: bool = False
    """It uses the interface for programs, and no page."""
    personal: Annotated[bool, Field(exclude_if=lambda personal: not personal)] = False
    """What is carried is a person's own code, which was handed to them, and the name is theirs."""
    origins: Annotated[tuple[Origin, ...], Field(max_length=MOST_ORIGINS)] = ()
    """The web sites whose pages may use the interface by what it carries; a program in no browser has none."""

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

    def add(self, token: str, role: Role, name: str, *, personal: bool = False) -> None:
        """Keep a device, or a person's own code."""
        self._keep(self._include(token, role, name[:LONGEST_NAME], personal=personal))

    def add_program(self, token: str, role: Role, name: str, origins: tuple[str, ...] = ()) -> Pairing:
        """Keep a program.

        Raises:
            BadInput: there are too many of them, or the file cannot be written.

        """
        if sum(each.program for each in self.list()) >= MOST_PROGRAMS:
            raise BadInput(
                f"{MOST_PROGRAMS} programs have a token already; withdraw one with `overtable token withdraw`"
            )
        kept = self._include(token, role, name, program=True, origins=origins)
        try:
            self._write(kept)
        except OSError as error:
            raise BadInput(f"{self._path}: the token cannot be kept ({error.strerror or error})") from None
        return kept[hash_token(token)]

    def _include(self, token: str, role: Role, name: str, **more: Any) -> dict[str, Pairing]:  # noqa: ANN401 - fields
        """Return what is kept with one more, and without another where that is too many."""
        self._refresh()
        digest, today = hash_token(token), self._today()
        made = Pairing(digest=digest, role=role, name=name, since=today, seen=today, **more)
        kept = {**self._by_digest, digest: made}
        if len(kept) > MOST_PAIRINGS:
            others = [each for each in kept.values() if not each.personal]
            ((crowd, _),) = Counter((each.role, each.program) for each in others).most_common(1)
            crowded = [each for each in others if (each.role, each.program) == crowd]
            del kept[min(crowded, key=lambda each: (each.seen, each.since, each.digest)).digest]
        return kept

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
        try:
            self._write(pairings)
        except (OSError, BadInput) as error:
            _log.warning("Which devices stay joined could not be kept: %s", error)

    def _write(self, pairings: dict[str, Pairing]) -> None:
        self._by_digest = pairings
        if self._path is None:
            return
        data = PairingFile(pairings=[*pairings.values()]).model_dump_json(indent=1)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path, data.encode(), private=True)
        self._stamp = _stamp(self._path.stat())


def _stamp(stat: os.stat_result) -> tuple[int, int, int]:
    """Return what tells one version of a file from another."""
    return stat.st_mtime_ns, stat.st_ino, stat.st_size


def make_program_token() -> str:
    """Return something new for a program to carry, which nobody guesses and everybody recognises as a secret."""
    return PREFIX + secrets.token_hex(32)


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
