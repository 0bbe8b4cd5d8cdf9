"""A program whose threads no longer get their turn, or that the system ends, is begun anew by its keeper."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from assistant.recording.verification import verify
from assistant.replay.recorded_game import RecordedGame
from assistant.runtime.keeper import SharedNotes
from tests.pages.program import RATE, run_program
from tests.pages.waiting import PATIENCE_S, wait_for

if sys.platform != "linux":
    pytest.skip("elsewhere the program is kept by nobody", allow_module_level=True)

PROGRAM = """
import ctypes, os, signal, sys, time
from assistant.runtime import keeper, watchdog
from assistant.runtime.interrupts import interrupt_at_signals
watchdog.MOST_LOOKS = 3

def stand_still():
    ctypes.PyDLL(None).pause()  # which holds Python's lock

def break_down():
    ctypes.string_at(0)

def serve(kept):
    if not kept.told:
        kept.carry("number", 7)
        kept.notes.stage = "looked at a picture"
    print(os.getpid(), kept.recall("number"), kept.told, flush=True)
    time.sleep(0.6)
    if not kept.told:
        HOW()
    sys.exit(5)

with interrupt_at_signals():
    keeper.keep(serve)
"""


@contextmanager
def begin(how: str) -> "Iterator[subprocess.Popen[str]]":
    program = [sys.executable, "-c", PROGRAM.replace("HOW", how)]
    # A second thread of the linear algebra, and it could not be forked.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as started:
        try:
            yield started
        finally:
            started.kill()


@pytest.mark.parametrize(
    ("how", "told", "stack"),
    [
        ("stand_still", "The program stood still while it looked at a picture", "in stand_still"),
        ("break_down", "The program was ended by the system (SIGSEGV) while it looked at a picture", "in break_down"),
        ("lambda: os.kill(os.getpid(), signal.SIGKILL)", "The program was ended by the system (SIGKILL)", ""),
    ],
)
def test_it_is_begun_anew_with_what_it_carried(how: str, told: str, stack: str) -> None:
    with begin(f"({how})") as started:
        out, said = started.communicate(timeout=PATIENCE_S)
    begun, again = out.splitlines()
    first, number = begun.split()
    second, carried, why = again.split(" ", 2)
    assert first != second
    assert number == carried == "7"
    assert why.startswith(told)
    assert why.endswith(", and was started again.")
    assert stack in said
    assert started.returncode == 5, "the keeper ends as the program did"


def test_what_ends_before_it_began_or_again_and_again_is_left() -> None:
    with begin("break_down") as started:
        out, _ = started.communicate(timeout=PATIENCE_S)
    assert len(out.splitlines()) == 2
    early = PROGRAM.replace("with interrupt", "keeper._tell_stacks = lambda _: break_down()\nwith interrupt")
    ended = subprocess.run(
        [sys.executable, "-c", early], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert (ended.stdout, ended.returncode) == ("", 128 + signal.SIGSEGV)
    assert "ended by the system" not in ended.stderr, "nothing was begun anew"
    again = PROGRAM.replace("if not kept.told:\n        HOW", "if True:\n        break_down")
    ended = subprocess.run(
        [sys.executable, "-c", again], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert len(ended.stdout.splitlines()) == 4
    assert ended.returncode == 128 + signal.SIGSEGV


def test_who_asks_the_keeper_to_end_asks_the_program() -> None:
    with begin("(lambda: time.sleep(60))") as started:
        assert started.stdout is not None
        started.stdout.readline()
        started.send_signal(signal.SIGTERM)
        _, said = started.communicate(timeout=PATIENCE_S)
    assert "KeyboardInterrupt" in said
    assert started.returncode == 130


def test_a_keeper_that_is_killed_takes_its_program_along() -> None:
    with begin("(lambda: time.sleep(60))") as started:
        assert started.stdout is not None
        process = int(started.stdout.readline().split()[0])
        assert process != started.pid
        started.kill()
        started.wait()
        wait_for(lambda: not Path(f"/proc/{process}").exists())


def test_notes_that_find_no_room_are_as_they_were() -> None:
    notes = SharedNotes()
    assert notes.carried == {}
    notes.carried = {"ports": [1, 2]}
    notes.carried = {"ports": [3, 4], "game": "é" * 10}
    notes.carried = {"ports": "x" * (1 << 20)}
    assert notes.carried == {"ports": [3, 4], "game": "é" * 10}
    notes.stage = "told the pages " * 20
    assert notes.stage.startswith("told the pages")
    assert notes.beats == 0


def test_pages_and_record_notice_no_more_than_a_gap(tmp_path: Path) -> None:
    recording = tmp_path / "game.overtable"
    with run_program("demo", "--no-script", "--fps", RATE, "--recording", recording) as program:
        address = program.address

        def ask(path: str, device: httpx.Client) -> httpx.Response | None:
            try:
                return device.get(f"{address}{path}", timeout=PATIENCE_S)
            except httpx.TransportError:
                return None

        with httpx.Client(trust_env=False) as host:
            wait_for(lambda: host.get(f"{address}/picture.jpg").status_code == 200)
            codes = host.get(f"{address}/codes.json").json()
            os.kill(program.pid, signal.SIGSEGV)
            wait_for(lambda: (answer := ask("/picture.jpg", host)) is not None and answer.status_code == 200)
            assert program.find_served() != program.pid
            assert host.get(f"{address}/codes.json").json()["roles"] == codes["roles"]
    assert verify(recording).broken is None
    past = RecordedGame(recording)
    assert past.rows > 0
