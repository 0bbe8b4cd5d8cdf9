"""Verification: whether the rows of a journal lie on its chain, and its pictures and video are those that were kept."""

import hashlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from assistant.errors import BadInput
from assistant.recording.journal.hash_chain import compute_first_digest, compute_next_digest
from assistant.recording.journal.journal_state import ROWS_PER_SUMMARY, LastPoses
from assistant.recording.journal.packed_poses import NameTable
from assistant.recording.journal.pose_columns import follow_packed_rows
from assistant.recording.journal.reader import CHAINED_FORMATS, build_damage_error, open_journal, query, query_about
from assistant.recording.journal.row_encoding import Body, decode_named
from assistant.recording.journal.row_types import Named, PictureKept, PosesSeen, Standing, VideoKept
from assistant.recording.video.reader import read_piece
from assistant.recording.video.recorder import locate_segment

_ADDING_UP = {PosesSeen.__name__, Named.__name__, Standing.__name__}
"""Kinds of rows before which it counts where everything stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """Where a journal first differs from what was recorded."""

    event: int | None
    """The row; None where it is at the end."""
    captured_ns: int | None
    at_ns: int | None
    """Since the game's first picture."""
    what: str
    """What differs, as a sentence without its full stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationResult:
    """What a journal's chain says."""

    events: int
    pictures: int
    filmed: int
    """Pictures of the video that are there, where it was to be looked through."""
    video_missing: tuple[str, ...]
    """Files of the video that are not there; the journal is none the worse for it."""
    video_broken: Mismatch | None
    """Where the video first differs from what was recorded; the game may be whole all the same."""
    head: str
    """The digest of the last row, hexadecimal; who writes it down can later tell that nothing before it changed."""
    broken: Mismatch | None
    since_head: int | None = None
    """How many rows were added after the head that was asked for."""


def verify(path: Path, *, head: str | None = None, video: bool = False) -> VerificationResult:
    """Check every row and every picture of a journal.

    Args:
        path: the journal; it may be growing.
        head: a head that was written down; it must lie on the chain, or something at the end was cut off or changed.
        video: check the video beside it, too, which takes a while.

    Raises:
        BadInput: the file is no journal, cannot be read or is damaged, or is so old that its rows are not chained.

    """
    with open_journal(path) as db:
        about = query_about(db, path)
        if about["format"] not in CHAINED_FORMATS:
            raise BadInput(
                f"{path}: this is {about['format']}, whose rows are not chained: whether it was changed cannot be told"
            )
        db.execute("BEGIN")  # rows, pictures and head are of one moment
        for (answer,) in query(db, path, "PRAGMA integrity_check(1)"):
            if answer != "ok":
                raise build_damage_error(path, answer)
        return _Verification(db, path, compute_first_digest(about), head.lower() if head else None, video=video).run()


class _Verification:
    """Goes along the chain."""

    def __init__(self, db: sqlite3.Connection, path: Path, first: bytes, head: str | None, *, video: bool) -> None:
        self._db, self._path, self._video = db, path, video
        self._filmed, self._missing = 0, set[str]()
        self._video_broken: Mismatch | None = None
        self._head, self._head_sought = first, head
        self._events, self._pictures = 0, 0
        self._names, self._stood = NameTable(), LastPoses()
        self._packed = list[tuple[int, bytes]]()
        """Rows of packed poses that do not count for where everything stands yet: that is seldom asked."""
        self._began_ns = 0
        """Capture time of the first picture; 0 before there is one."""
        self._head_row: int | None = 0 if head == first.hex() else None
        """The row with the head that was asked for."""

    def run(self) -> VerificationResult:
        broken = self._check_rows() or self._find_added_picture() or self._find_missing_head()
        return VerificationResult(
            events=self._events,
            pictures=self._pictures,
            filmed=self._filmed,
            video_missing=tuple(sorted(self._missing)),
            video_broken=self._video_broken,
            head=self._head.hex(),
            broken=broken,
            since_head=None if self._head_row is None or broken else self._events - self._head_row,
        )

    def _check_rows(self) -> Mismatch | None:
        rows = "SELECT id, captured_ns, kind, body, chain FROM events ORDER BY id"
        for row, captured_ns, kind, body, chain in query(self._db, self._path, rows):
            if isinstance(captured_ns, int):
                self._began_ns = self._began_ns or captured_ns  # before the first picture there is no time
            if row != self._events + 1:
                return self._build_mismatch(self._events + 1, captured_ns, f"event {self._events + 1} is missing")
            if (
                not (isinstance(captured_ns, int) and isinstance(kind, str) and isinstance(body, str | bytes))
                or compute_next_digest(self._head, row, captured_ns, kind, body) != chain
            ):
                start = "" if row > 1 else ", or what the game started from is not"
                return self._build_mismatch(row, captured_ns, f"event {row} ({kind}) is not what was recorded{start}")
            self._head, self._events = chain, row
            if self._head_sought is not None and self._head.hex() == self._head_sought:
                self._head_row = row
            if not self._adds_up(captured_ns, kind, body):
                return self._build_mismatch(
                    row, captured_ns, f"event {row} ({kind}) does not say what the rows before add up to"
                )
            try:
                if kind == PictureKept.__name__ and (broken := self._check_picture(row, captured_ns, body)):
                    return broken
                if self._video and kind == VideoKept.__name__:
                    self._check_video_piece(row, captured_ns, body)
            except ValidationError:  # it lies on the chain, so whoever wrote it knew the chain, and no journal
                return self._build_mismatch(row, captured_ns, f"event {row} ({kind}) is nothing that is recorded")
        return None

    def _check_video_piece(self, row: int, captured_ns: int, body: str | bytes) -> None:
        piece = VideoKept.model_validate_json(body)
        segment = locate_segment(self._path, piece.segment)
        if not segment.is_file():
            self._missing.add(segment.name)
            return
        try:
            read_piece(self._path, row, piece)
        except BadInput:
            what = f"{segment.parent.name}/{segment.name} is not the video that was recorded"
            self._video_broken = self._video_broken or self._build_mismatch(row, captured_ns, what)
        else:
            self._filmed += len(piece.pictures)

    def _adds_up(self, captured_ns: int, kind: str, body: Body) -> bool:
        """Follow where everything stands; return whether a row that sums that up is right."""
        if kind == PosesSeen.__name__ and isinstance(body, bytes) and len(self._packed) < ROWS_PER_SUMMARY:
            self._packed.append((captured_ns, body))
            return True
        if kind in _ADDING_UP:
            follow_packed_rows(self._stood, self._packed, self._names)
            self._packed.clear()
        try:
            if kind == Standing.__name__ and self._stood.encode(self._names) != body:
                return False
            if kind == Named.__name__:
                self._names.add(decode_named(body))
            self._stood.follow(captured_ns, kind, body, self._names)
        except BadInput:
            pass  # its row lies on the chain, so it was written so; who reads it says what is wrong with it
        return True

    def _check_picture(self, row: int, captured_ns: int, body: str | bytes) -> Mismatch | None:
        record = PictureKept.model_validate_json(body)
        number = record.picture
        statement = "SELECT captured_ns, jpeg FROM pictures WHERE id = ?"
        for taken_ns, jpeg in query(self._db, self._path, statement, number):
            if (
                taken_ns == captured_ns
                and isinstance(jpeg, bytes)
                and hashlib.sha256(jpeg).hexdigest() == record.sha256
            ):
                self._pictures += 1
                return None
            return self._build_mismatch(row, captured_ns, f"picture {number} is not what was recorded")
        return self._build_mismatch(row, captured_ns, f"picture {number} is missing")

    def _find_added_picture(self) -> Mismatch | None:
        """Tell of a picture that was put in."""
        more = "SELECT id, captured_ns FROM pictures WHERE id > ? OR id < 1 ORDER BY id LIMIT 1"
        for number, captured_ns in query(self._db, self._path, more, self._pictures):
            return self._build_mismatch(None, captured_ns, f"picture {number} was not recorded, but added")
        return None

    def _find_missing_head(self) -> Mismatch | None:
        """Tell that the head that was asked for is not there."""
        if self._head_sought is None or self._head_row is not None:
            return None
        why = "the end was cut off, it is another recording, or the head was written down wrongly"
        return self._build_mismatch(None, None, f"no event has the head {self._head_sought}: {why}")

    def _build_mismatch(self, row: int | None, captured_ns: object, what: str) -> Mismatch:
        if not isinstance(captured_ns, int):
            return Mismatch(event=row, captured_ns=None, at_ns=None, what=what)
        return Mismatch(event=row, captured_ns=captured_ns, at_ns=max(0, captured_ns - self._began_ns), what=what)
