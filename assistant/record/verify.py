"""Whether a journal is as it was recorded: its rows lie on their chain, and its pictures are those that were kept."""

import hashlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import BadInput
from assistant.record.chain import genesis, link
from assistant.record.names import Names
from assistant.record.reading import CHAINED, about_of, damaged, opened, query
from assistant.record.rows import Body, read_named
from assistant.record.seen import Named, PictureKept, Standing, VideoKept
from assistant.record.standing import Stood
from assistant.record.video.filming import segment_of
from assistant.record.video.footage import piece_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Where a journal first differs from what was recorded."""

    event: int | None
    """The row; None where it is at the end."""
    captured_ns: int | None
    at_ns: int | None
    """Since the game's first picture."""
    what: str
    """What differs, as a sentence without its full stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a journal's chain says."""

    events: int
    pictures: int
    filmed: int
    """Pictures of the video that are there, where it was to be looked through."""
    video_missing: tuple[str, ...]
    """Files of the video that are not there; the journal is none the worse for it."""
    video_broken: Break | None
    """Where the video first differs from what was recorded; the game may be whole all the same."""
    head: str
    """The digest of the last row, hexadecimal; who writes it down can later tell that nothing before it changed."""
    broken: Break | None
    since_head: int | None = None
    """How many rows were added after the head that was asked for."""


def verify(path: Path, *, head: str | None = None, video: bool = False) -> Checked:
    """Check every row and every picture of a journal.

    Args:
        path: the journal; it may be growing.
        head: a head that was written down; it must lie on the chain, or something at the end was cut off or changed.
        video: check the video beside it, too, which takes a while.

    Raises:
        BadInput: the file is no journal, cannot be read or is damaged, or is so old that its rows are not chained.

    """
    with opened(path) as db:
        about = about_of(db, path)
        if about["format"] not in CHAINED:
            raise BadInput(
                f"{path}: this is {about['format']}, whose rows are not chained: whether it was changed cannot be told"
            )
        db.execute("BEGIN")  # rows, pictures and head are of one moment
        for (said,) in query(db, path, "PRAGMA integrity_check(1)"):
            if said != "ok":
                raise damaged(path, said)
        return _Checking(db, path, genesis(about), head.lower() if head else None, video=video).run()


class _Checking:
    """Goes along the chain."""

    def __init__(self, db: sqlite3.Connection, path: Path, first: bytes, wanted: str | None, *, video: bool) -> None:
        self._db, self._path, self._video = db, path, video
        self._filmed, self._missing = 0, set[str]()
        self._video_broken: Break | None = None
        self._head, self._wanted = first, wanted
        self._events, self._pictures = 0, 0
        self._names, self._stood = Names(), Stood()
        self._began_ns = 0
        """Capture time of the first picture; 0 before there is one."""
        self._found: int | None = 0 if wanted == first.hex() else None
        """The row with the head that was asked for."""

    def run(self) -> Checked:
        broken = self._along() or self._unnamed() or self._cut_off()
        return Checked(
            events=self._events,
            pictures=self._pictures,
            filmed=self._filmed,
            video_missing=tuple(sorted(self._missing)),
            video_broken=self._video_broken,
            head=self._head.hex(),
            broken=broken,
            since_head=None if self._found is None or broken else self._events - self._found,
        )

    def _along(self) -> Break | None:
        rows = "SELECT id, captured_ns, kind, body, chain FROM events ORDER BY id"
        for row, captured_ns, kind, body, chain in query(self._db, self._path, rows):
            self._began_ns = self._began_ns or captured_ns  # before the first picture there is no time
            if row != self._events + 1:
                return self._break(self._events + 1, captured_ns, f"event {self._events + 1} is missing")
            if not isinstance(body, str | bytes) or link(self._head, row, captured_ns, kind, body) != chain:
                start = "" if row > 1 else ", or what the game started from is not"
                return self._break(row, captured_ns, f"event {row} ({kind}) is not what was recorded{start}")
            self._head, self._events = chain, row
            if self._head.hex() == self._wanted:
                self._found = row
            if not self._adds_up(captured_ns, kind, body):
                return self._break(
                    row, captured_ns, f"event {row} ({kind}) does not say what the rows before add up to"
                )
            if kind == PictureKept.__name__ and (broken := self._picture(row, captured_ns, body)):
                return broken
            if self._video and kind == VideoKept.__name__:
                self._piece(row, captured_ns, body)
        return None

    def _piece(self, row: int, captured_ns: int, body: str | bytes) -> None:
        kept = VideoKept.model_validate_json(body)
        name = segment_of(self._path, kept.segment)
        if not name.is_file():
            self._missing.add(name.name)
            return
        try:
            piece_of(self._path, row, kept)
        except BadInput:
            what = f"{name.parent.name}/{name.name} is not the video that was recorded"
            self._video_broken = self._video_broken or self._break(row, captured_ns, what)
        else:
            self._filmed += len(kept.pictures)

    def _adds_up(self, captured_ns: int, kind: str, body: Body) -> bool:
        """Follow where everything stands; return whether a row that sums that up is right."""
        try:
            if kind == Standing.__name__ and self._stood.written(self._names) != body:
                return False
            if kind == Named.__name__:
                self._names.add(read_named(body))
            self._stood.follow(captured_ns, kind, body, self._names)
        except BadInput:
            pass  # its row lies on the chain, so it was written so; who reads it says what is wrong with it
        return True

    def _picture(self, row: int, captured_ns: int, body: str | bytes) -> Break | None:
        told = PictureKept.model_validate_json(body)  # its row lies on the chain, so it is as it was written
        number = told.picture
        kept = "SELECT captured_ns, jpeg FROM pictures WHERE id = ?"
        for taken_ns, jpeg in query(self._db, self._path, kept, number):
            if taken_ns == captured_ns and hashlib.sha256(jpeg).hexdigest() == told.sha256:
                self._pictures += 1
                return None
            return self._break(row, captured_ns, f"picture {number} is not what was recorded")
        return self._break(row, captured_ns, f"picture {number} is missing")

    def _unnamed(self) -> Break | None:
        """Tell of a picture that was put in."""
        more = "SELECT id, captured_ns FROM pictures WHERE id > ? OR id < 1 ORDER BY id LIMIT 1"
        for number, captured_ns in query(self._db, self._path, more, self._pictures):
            return self._break(None, captured_ns, f"picture {number} was not recorded, but added")
        return None

    def _cut_off(self) -> Break | None:
        """Tell that the head that was asked for is not there."""
        if self._wanted is None or self._found is not None:
            return None
        why = "the end was cut off, it is another recording, or the head was written down wrongly"
        return self._break(None, None, f"no event has the head {self._wanted}: {why}")

    def _break(self, row: int | None, captured_ns: int | None, what: str) -> Break:
        at_ns = None if captured_ns is None else max(0, captured_ns - self._began_ns)
        return Break(event=row, captured_ns=captured_ns, at_ns=at_ns, what=what)
