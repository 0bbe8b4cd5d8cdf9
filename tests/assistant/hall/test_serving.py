"""Serving a hall as its command does: a process that is killed amid rows leaves nothing that the next one lacks."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assistant.hall import publisher
from assistant.hall.publisher import HallLink
from assistant.recording.verification import verify
from tests.assistant.hall.running_hall import PlayedTable, RunningHall, hold_same, needs_broker, read_rows
from tests.pages.waiting import wait_for


@contextmanager
def serve(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run the hall of a folder in a process of its own, which is killed in the end and not asked."""
    command = [sys.executable, "-m", "assistant.cli", "hall", "serve", str(folder), "--host", "127.0.0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert "tables connect at 127.0.0.1" in process.stdout.readline()
            yield process
        finally:
            process.kill()


@contextmanager
def end_broker(hall: RunningHall) -> Iterator[None]:
    """End in the end the broker that a killed hall has left behind, also where a test fails before the next does."""
    try:
        yield
    finally:
        hall.broker._end_left_over()


def describe(hall: RunningHall, played: PlayedTable, link: HallLink) -> str:
    """Return what is where, for whoever looks why rows have not come."""
    there = [len(read_rows(path)) for path in hall.list_recordings("1")]
    log = (hall.folder.path / "broker.log").read_text(encoding="utf-8")[-2000:]
    return f"{there} of {len(read_rows(played.path))} rows, {link.waiting} wait, {link.trouble!r}; {log}"


@needs_broker
def test_a_hall_that_is_killed_amid_rows_has_each_once_when_it_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher, "AGAIN_S", (0.1,))
    monkeypatch.setattr(publisher, "POLL_S", 0.02)
    hall, played = RunningHall(tmp_path / "cup", ("1",)), PlayedTable(tmp_path / "played.overtable")
    with end_broker(hall), played.publishing(hall.read_file("1")) as link:
        with serve(hall.folder.path):
            played.play(100)
            wait_for(lambda: (len(hall.list_recordings("1")) == 1 and link.connected) or None)
            played.play(100)
        played.play(100)  # the broker, which it has left behind, takes them
        with serve(hall.folder.path) as last:
            wait_for(hold_same(hall, "1", played), otherwise=lambda: describe(hall, played, link))
            last.terminate()
            assert last.wait(60) == 130
    (there,) = hall.list_recordings("1")
    assert verify(there).broken is None
    played.journal.close()
