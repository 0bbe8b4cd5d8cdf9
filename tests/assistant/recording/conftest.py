"""A small journal, for what is read of it and found in it."""

from pathlib import Path

import pytest

from assistant.game.events import Accepted, Stamped, Withdrawn
from assistant.recording.journal.row_types import KeptPicture
from assistant.recording.journal.writer import Journal
from tests.assistant.recording.journal.test_packed_poses import SEEN


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal with rows of every form: 1 names, 2 poses, 3 accepted, 4 and 5 pictures, 6 withdrawn."""
    with Journal(tmp_path / "game.overtable", about={"title": "a game"}) as journal:
        journal.append((1_000_000_000, SEEN))
        journal.append(Stamped(captured_ns=2_000_000_000, event=Accepted(models=("a",), outcome="illegal")))
        journal.keep(KeptPicture(captured_ns=2_000_000_000, jpeg=b"one"))
        journal.keep(KeptPicture(captured_ns=3_000_000_000, jpeg=b"two"))
        journal.append(Stamped(captured_ns=4_000_000_000, event=Withdrawn()))
    return tmp_path / "game.overtable"
