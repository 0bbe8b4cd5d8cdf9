"""A mirror takes the rows of another journal, each once and in order, and nothing that does not lie on the chain."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.recording.journal.mirror import ChainedRow, JournalMirror, RowConflict, RowGap, read_chained_rows
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.row_types import KeptPicture
from assistant.recording.journal.writer import Journal
from assistant.recording.verification import verify
from tests.assistant.recording.journal.test_writer import SEEN


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "played.overtable", about={"title": "Played", "situation": "{}"}) as journal:
        for number in range(1, 600):
            journal.append((number, SEEN))
        journal.keep(KeptPicture(captured_ns=600, jpeg=b"a picture"))
        yield journal


def read_all(played: Journal) -> list[ChainedRow]:
    return list(read_chained_rows(played.path, 0, 10**9))


def begin(played: Journal, folder: Path) -> JournalMirror:
    return JournalMirror.open(folder / "mirror.overtable", read_about(played.path))


def test_a_mirror_is_the_recording_whatever_comes_twice(played: Journal, tmp_path: Path) -> None:
    rows, mirror = read_all(played), begin(played, tmp_path)
    assert mirror.append(rows[:300]) == rows[:300]
    mirror.close()
    again = JournalMirror.open(mirror.path)
    assert again.append(rows[200:400]) == rows[300:400]
    assert again.append(rows[390:]) == rows[400:]
    assert again.append(rows) == []
    again.close()
    found = verify(mirror.path)
    assert (found.broken, found.head, found.pictures) == (None, played.head.hex(), 1)
    with Journal(mirror.path, about={"situation": "{}"}, go_on=True) as gone_on:
        gone_on.append((700, SEEN))
    assert verify(mirror.path).broken is None


def test_batches_end_with_so_many_bytes_and_have_one_row_at_least(played: Journal) -> None:
    assert len(list(read_chained_rows(played.path, 0, 1))) == 1
    some = list(read_chained_rows(played.path, 100, 2000))
    assert some[0].id == 101
    assert 2 <= len(some) < 100
    assert list(read_chained_rows(played.path, played.rows, 2000)) == []


def test_rows_that_are_lacking_changed_or_contradicting_are_refused(played: Journal, tmp_path: Path) -> None:
    rows, mirror = read_all(played), begin(played, tmp_path)
    with pytest.raises(RowGap):
        mirror.append(rows[1:3])
    with pytest.raises(RowConflict, match="row 2 does not lie on the chain"):
        mirror.append([rows[0], replace(rows[1], captured_ns=77)])
    with pytest.raises(RowConflict):
        mirror.append([replace(rows[0], captured_ns=2**70)])
    assert mirror.row == 0
    mirror.append(rows[:10])
    with pytest.raises(RowConflict, match="another row 3"):
        mirror.append([replace(rows[2], chain=bytes(16))])
    mirror.close()


def test_a_picture_that_is_another_is_left_out_and_missed(played: Journal, tmp_path: Path) -> None:
    rows, mirror = read_all(played), begin(played, tmp_path)
    mirror.append([replace(row, jpeg=b"another") if row.jpeg else row for row in rows])
    mirror.close()
    broken = verify(mirror.path).broken
    assert broken is not None
    assert broken.what == "picture 1 is missing"


def test_what_is_no_journal_of_this_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="which is not known here"):
        JournalMirror.open(tmp_path / "other.overtable", {"format": "overtable.journal/9"})
    with pytest.raises(BadInput):
        JournalMirror.open(tmp_path / "none.overtable")
