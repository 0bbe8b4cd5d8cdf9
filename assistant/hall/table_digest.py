"""The table digest: what a table's rows come to, as far as a judge across the hall wants to know it."""

import sqlite3
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assistant.errors import BadInput
from assistant.game.events import Accepted, Decision, Ruled, TurnBegan, Undone, is_about_past
from assistant.game.state import Ruling
from assistant.recording.journal.cursor import JournalCursor, Scan
from assistant.recording.journal.mirror import ChainedRow
from assistant.recording.journal.packed_poses import NameTable
from assistant.recording.journal.reader import open_journal
from assistant.recording.journal.row_encoding import Body, decode_row
from assistant.recording.journal.row_types import Called, CalledFinding
from assistant.table.turn_clock import LONGEST_PAUSE_NS

PASSED_OVER = frozenset({"PosesSeen", "Standing", "VideoKept", "EyesTold", "Named", "PictureKept", "CalibrationSeen"})
"""Kinds of rows of which a desk wants nothing."""
MOST_RULINGS = 500
MOST_UNDONE = 500
MOST_PLAYERS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenRuling:
    """A ruling that a table's record has."""

    captured_ns: int
    ruling: Ruling


@dataclass(slots=True, kw_only=True)
class TableDigest:
    """What the rows of one recording come to."""

    recording: str
    path: Path
    row: int = 0
    turn: int = 0
    """0 while nobody counts."""
    player: str = ""
    clocks_ns: dict[str, int] = field(default_factory=dict)
    """How long each player has had the turn, until the last row."""
    last_ns: int = 0
    call: Called | None = None
    """What the referee said last, while it stands."""
    call_row: int = 0
    call_ns: int = 0
    rulings: deque[SeenRuling] = field(default_factory=lambda: deque(maxlen=MOST_RULINGS))
    _undo: deque[tuple[int, str] | None] = field(default_factory=lambda: deque(maxlen=MOST_UNDONE))
    """Of each decision that may be taken back the turn before it, if it began one."""

    def follow(self, row: int, captured_ns: int, kind: str, body: Body) -> None:
        """Take in the next row; one that this version does not know tells a desk nothing."""
        self.row = max(self.row, row)
        if kind in PASSED_OVER:
            return
        try:
            what = decode_row(kind, body, NameTable())
        except (BadInput, RecursionError):
            return
        passed_ns = captured_ns - self.last_ns if self.last_ns else 0
        if self.player and 0 < passed_ns <= LONGEST_PAUSE_NS:
            self.clocks_ns[self.player] = self.clocks_ns.get(self.player, 0) + passed_ns
        self.last_ns = max(self.last_ns, captured_ns)
        match what:
            case Called():
                self.call, self.call_row, self.call_ns = what, row, captured_ns
            case Undone(ruling=None):
                before = self._undo.pop() if self._undo else None
                if before is not None:
                    self.turn, self.player = before
                self.call = None
            case Ruled(ruling=ruling):
                self.rulings.append(SeenRuling(captured_ns=captured_ns, ruling=ruling))
            case _:
                pass
        if isinstance(what, Decision) and not is_about_past(what):
            self._undo.append((self.turn, self.player) if isinstance(what, TurnBegan) else None)
            if isinstance(what, Accepted | Ruled):
                self.call = None
        if isinstance(what, TurnBegan) and (what.player in self.clocks_ns or len(self.clocks_ns) < MOST_PLAYERS):
            self.turn, self.player = self.turn + 1, what.player[:100]
            self.clocks_ns.setdefault(self.player, 0)

    def find_deciding(self) -> CalledFinding | None:
        """Return the finding that decides what the referee said last; None where none does."""
        if self.call is None:
            return None
        return next((each for each in self.call.findings if each.outcome.value == self.call.outcome), None)


def follow_rows(digest: TableDigest | None, path: Path, rows: Iterable[ChainedRow]) -> TableDigest:
    """Return the digest of a recording after some more of its rows, made anew where it was of another."""
    if digest is None or digest.path != path:
        return read_digest(path)
    for row in rows:
        if row.id > digest.row:
            digest.follow(row.id, row.captured_ns, row.kind, row.body)
    return digest


def read_digest(path: Path) -> TableDigest:
    """Return the digest of a recording as it is; of one that cannot be read, that of none of its rows."""
    digest = TableDigest(recording=path.stem, path=path)
    try:
        with open_journal(path) as db:
            for row in JournalCursor(db, path, scan=Scan.EVENTS).rows():
                digest.follow(row.id, row.captured_ns, row.kind, row.body)
    except (BadInput, sqlite3.Error):
        pass
    return digest


def find_latest(folder: Path) -> Path | None:
    """Return the recording in a table's folder that was written to last."""
    recordings: Mapping[Path, float] = {each: each.stat().st_mtime for each in folder.glob("*.overtable")}
    return max(recordings, key=recordings.__getitem__, default=None)
