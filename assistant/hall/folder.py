"""The hall's folder: who takes part in an event and by what they are let in, kept by the organiser's machine.

Everything in it is this user's alone: with it somebody could speak for any table.
"""

import base64
import re
import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from pydantic import Field

from assistant.errors import BadInput
from assistant.files.documents import Format, read_json, write_atomically
from assistant.hall.broker import write_configuration
from assistant.setup.hall_file import PORT, SERVER_NAME, TABLE_NAME, HallFile
from assistant.web.auth import pairings
from assistant.web.auth.pairings import Pairings, hash_token
from assistant.web.certificate import RENEWED, issue_certificate, make_authority

EVENT_FILE, AUTHORITY_FILE, BROKER_FILE = "event.json", "authority.pem", "broker.pem"
TABLES, RECORDINGS, SHEETS = "tables", "recordings", "sheets.pdf"
DESK_PORT = 8866
MOST_TABLES, MOST_JUDGES = 500, 60
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of passwords: none that is taken for another."""


class TableEntry(Format):
    """A table, and what lets it in."""

    table: Annotated[str, Field(pattern=f"^{TABLE_NAME.pattern}$")]
    password: Annotated[str, Field(min_length=8, max_length=100, repr=False)]


class JudgeEntry(Format):
    """A judge, and the code of their sheet."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    code: Annotated[str, Field(pattern="^[0-9a-f]{32}$", repr=False)]


class EventFile(Format):
    """What an organiser's folder is of."""

    format: Literal["overtable.hall-event/1"]
    hall: Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    addresses: Annotated[tuple[str, ...], Field(min_length=1, max_length=10)]
    """Of this machine, as tables and judges reach it."""
    port: Annotated[int, Field(ge=1, le=65535)] = PORT
    desk_port: Annotated[int, Field(ge=1, le=65534)] = DESK_PORT
    """Of the judges' pages; encrypted they are at the next one."""
    rounds: Annotated[int, Field(ge=1, le=20)] = 5
    minutes: Annotated[int, Field(ge=1, le=1440)] = 165
    """Of a round."""
    dice_down_minutes: Annotated[int, Field(ge=0, le=120)] = 15
    """So long before a round's end tables are told to begin nothing new."""
    password: Annotated[str, Field(min_length=8, max_length=100, repr=False)]
    """The hall's own at its broker."""
    tables: Annotated[tuple[TableEntry, ...], Field(max_length=MOST_TABLES)] = ()
    judges: Annotated[tuple[JudgeEntry, ...], Field(max_length=MOST_JUDGES)] = ()

    @property
    def table_names(self) -> tuple[str, ...]:
        """The tables in their order."""
        return tuple(entry.table for entry in self.tables)


def make_password() -> str:
    """Return a new password, which nobody guesses and anybody can type."""
    return "".join(secrets.choice(_LETTERS) for _ in range(20))


def parse_names(text: str) -> tuple[str, ...]:
    """Return the tables that somebody names: so many, or one by one.

    >>> parse_names("3"), parse_names("top, 2, stream")
    (('1', '2', '3'), ('top', '2', 'stream'))

    Raises:
        BadInput: there are too many, or one is no name of a table.

    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    if len(words) == 1 and re.fullmatch(r"\d{1,3}", words[0]):
        words = [str(number) for number in range(1, int(words[0]) + 1)]
    if not words or len(words) > MOST_TABLES:
        raise BadInput(f"--tables: expected 1 to {MOST_TABLES} tables")
    for word in words:
        if not TABLE_NAME.fullmatch(word):
            raise BadInput(
                f"--tables: {word[:60]!r} is no name for a table: expected up to 32 letters, digits, - and _"
            )
        if words.count(word) > 1:
            raise BadInput(f"--tables: {word!r} is named twice")
    return tuple(words)


def parse_judges(text: str) -> tuple[str, ...]:
    """Return the judges that somebody names, by commas; BadInput where a name is too long or comes twice."""
    names = tuple(" ".join(word.split()) for word in text.split(",") if word.strip())
    for name in names:
        if len(name) > 60 or not name.isprintable():
            raise BadInput(f"--judges: {name[:60]!r} is no name that fits on a sheet: expected at most 60 letters")
        if names.count(name) > 1:
            raise BadInput(f"--judges: {name!r} is named twice: give them different names")
    return names


class HallFolder:
    """An organiser's folder."""

    def __init__(self, path: Path, event: EventFile) -> None:
        self.path, self.event = path, event

    @classmethod
    def open(cls, path: Path) -> "HallFolder":
        """Open a folder that `make_hall` made.

        Raises:
            BadInput: it is none, or what is in it does not fit.

        """
        if not (path / EVENT_FILE).is_file():
            raise BadInput(f"{path}: this is no hall's folder; make one with: overtable hall init {path}")
        return cls(path.resolve(), read_json(path / EVENT_FILE, EventFile))

    def find_end(self) -> datetime:
        """Return until when the certificates are valid by which tables believe the hall; BadInput without any."""
        try:
            files = [(self.path / name).read_bytes() for name in (AUTHORITY_FILE, BROKER_FILE)]
            return min(x509.load_pem_x509_certificate(data).not_valid_after_utc for data in files)
        except (OSError, ValueError):
            raise BadInput(f"{self.path}: its certificates are not there or damaged: make the hall anew") from None

    def check_date(self) -> None:
        """Raise BadInput where the hall's certificates are over, so that no table would believe it."""
        ends = self.find_end()
        if ends < datetime.now(UTC):
            raise BadInput(
                f"{self.path / BROKER_FILE}: this certificate was valid until {ends:%Y-%m-%d}: look at this machine's"
                f" date, or make a new one, and new sheets for all tables, with: overtable hall init {self.path}"
            )

    def renew_certificates(self) -> bool:
        """Make the certificates anew where they end soon, after which each table needs its new file; return whether."""
        if self.find_end() - RENEWED > datetime.now(UTC):
            return False
        make_certificates(self.path, self.event.name)
        return True

    def write(self) -> None:
        """Write everything that follows from the event: who is let in by broker and desk, and the tables' files."""
        event = self.event
        write_atomically(self.path / EVENT_FILE, event.model_dump_json(indent=1).encode(), private=True)
        write_configuration(
            self.path,
            port=event.port,
            hall_password=event.password,
            tables={entry.table: entry.password for entry in event.tables},
        )
        files = self.path / TABLES
        files.mkdir(exist_ok=True)
        for entry in event.tables:
            data = self.build_hall_file(entry).model_dump_json(indent=1).encode()
            write_atomically(files / f"{entry.table}.json", data, private=True)
        for left in set(files.glob("*.json")) - {files / f"{entry.table}.json" for entry in event.tables}:
            left.unlink()
        self._let_judges_in()

    def _let_judges_in(self) -> None:
        kept = Pairings(self.path / pairings.FILE)
        wanted = {hash_token(judge.code): judge for judge in self.event.judges}
        there = {each.digest for each in kept.list()}
        kept.withdraw(lambda each: each.role == "judge" and each.personal and each.digest not in wanted)
        for digest in wanted.keys() - there:
            kept.add(wanted[digest].code, "judge", wanted[digest].name, personal=True)

    def build_hall_file(self, entry: TableEntry) -> HallFile:
        """Return what a table is given."""
        event = self.event
        authority = x509.load_pem_x509_certificate((self.path / AUTHORITY_FILE).read_bytes())
        return HallFile(
            format="overtable.hall/1",
            hall=event.hall,
            event=event.name,
            table=entry.table,
            servers=tuple(f"{address}:{event.port}" for address in event.addresses),
            password=entry.password,
            authority=base64.b64encode(authority.public_bytes(serialization.Encoding.DER)).decode(),
        )

    def build_judge_address(self, judge: JudgeEntry) -> str:
        """Return what a judge's QR code opens."""
        return f"https://{self.event.addresses[0]}:{self.event.desk_port + 1}/join?code={judge.code}&to=/hall"

    def add(self, *, tables: Iterable[str] = (), judges: Iterable[str] = ()) -> None:
        """Let more in; who is known stays who they are."""
        event = self.event
        known = {entry.table for entry in event.tables}, {entry.name for entry in event.judges}
        more = tuple(TableEntry(table=each, password=make_password()) for each in tables if each not in known[0])
        people = tuple(JudgeEntry(name=each, code=secrets.token_hex(16)) for each in judges if each not in known[1])
        self.event = event.model_copy(update={"tables": event.tables + more, "judges": event.judges + people})

    def withdraw(self, name: str) -> str:
        """Let a table or a judge in no longer; return which of the two it was.

        Raises:
            BadInput: there is none of this name.

        """
        event = self.event
        tables = tuple(entry for entry in event.tables if entry.table != name)
        judges = tuple(entry for entry in event.judges if entry.name != name)
        if (len(tables), len(judges)) == (len(event.tables), len(event.judges)):
            there = ", ".join((*event.table_names, *(judge.name for judge in event.judges)))
            raise BadInput(f"{self.path}: there is no table or judge {name!r}; there are {there}")
        was = "table" if len(tables) < len(event.tables) else "judge"
        self.event = event.model_copy(update={"tables": tables, "judges": judges})
        return was

    def find_recording(self, table: str, recording: str) -> Path:
        """Return where a recording of a table is gathered."""
        return self.path / RECORDINGS / table / f"{recording}.overtable"


def make_certificates(path: Path, name: str) -> None:
    """Write an authority of the event's own, and the broker's certificate, for which it vouches."""
    authority = make_authority(f"{name[:40]} (overtable hall)")
    certificate = issue_certificate(authority, [SERVER_NAME, "localhost", "127.0.0.1"])
    write_atomically(path / AUTHORITY_FILE, authority, private=True)
    write_atomically(path / BROKER_FILE, certificate, private=True)


def make_hall(
    path: Path,
    *,
    name: str,
    addresses: Sequence[str],
    port: int = PORT,
    desk_port: int = DESK_PORT,
    rounds: int = 5,
    minutes: int = 165,
) -> HallFolder:
    """Make a folder with an authority and a certificate for the broker; nobody is let in yet.

    Args:
        path: the folder, which must be empty or not there.
        name: what the event is called.
        addresses: of this machine, as tables reach it, the best first.
        port: of the broker.
        desk_port: of the judges' pages.
        rounds: how many the event has.
        minutes: of a round.

    Raises:
        BadInput: something is there already, or it cannot be made.

    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(0o700)
        if any(path.iterdir()):
            raise BadInput(f"{path}: this folder is not empty; name one that is not there yet")
    except OSError as error:
        raise BadInput(f"{path}: no folder can be made here ({error.strerror})") from None
    make_certificates(path, name)
    event = EventFile(
        format="overtable.hall-event/1",
        hall=secrets.token_hex(8),
        name=name,
        addresses=tuple(addresses),
        password=make_password(),
        port=port,
        desk_port=desk_port,
        rounds=rounds,
        minutes=minutes,
    )
    return HallFolder(path.resolve(), event)
