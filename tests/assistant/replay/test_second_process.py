"""A second process comes to what the work itself comes to, and tells what is wrong as it does."""

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.writer import Journal
from assistant.replay import second_process
from assistant.replay.second_process import begin_beside


@pytest.fixture(params=["short", "long"])
def recording(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a recording that is taken for a short one or a long one."""
    monkeypatch.setattr(second_process, "LONG_BYTES", 0 if request.param == "long" else 10**9)
    path = tmp_path / "game.overtable"
    with Journal(path, about={"title": "A game"}):
        pass
    return path


def test_a_work_is_done_beside(recording: Path) -> None:
    with begin_beside(recording) as begin:
        about, more = begin(read_about), begin(_add_up, 2, 3)
        assert (about()["title"], more()) == ("A game", 5)


def test_what_is_wrong_is_told_where_the_result_is_asked_for(recording: Path) -> None:
    with begin_beside(recording) as begin:
        scribbled = begin(_scribble)
        with pytest.raises(BadInput, match="scribbled"):
            scribbled()


def test_a_process_that_is_killed_is_done_without(recording: Path) -> None:
    with begin_beside(recording) as begin:
        done, more = begin(_be_killed_beside), begin(_add_up, 2, 3)
        assert (done(), more()) == (recording, 5)


def _be_killed_beside(recording: Path) -> Path:
    if multiprocessing.parent_process() is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    return recording


def _add_up(_recording: Path, one: int, two: int) -> int:
    return one + two


def _scribble(recording: Path) -> None:
    raise BadInput(f"{recording}: somebody scribbled on it")


AHEAD = """
    executor = begin_process()
    print(executor.submit(os.getpid).result(), flush=True)
"""
BESIDE = """
    second_process.is_shared = lambda _: True
    begin = second_process.begin_beside(Path())
    print(begin.__enter__()(os.path.exists)(), flush=True)
"""
KILLED = """
import os, signal
from pathlib import Path
from assistant.features.foresight import begin_process
from assistant.replay import second_process
if __name__ == "__main__":
    os.cpu_count = lambda: 2
    {begin}
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no process is killed so on this system")
@pytest.mark.parametrize("begin", [AHEAD, BESIDE], ids=["ahead", "beside"])
def test_it_ends_with_a_program_that_is_killed(begin: str, tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text(KILLED.format(begin=begin.strip()))
    # It has the same output, which ends when both have ended.
    told = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert told.returncode == -signal.SIGKILL
    assert told.stdout.strip() not in {"", "0"}
