"""A command that is interrupted ends, whatever it had just begun."""

import subprocess
import sys
from pathlib import Path

from assistant.cli import INTERRUPTED
from tests.pages.waiting import PATIENCE_S

INTERRUPTED_AT_WORK = """
import multiprocessing, time
from assistant import cli

def begin(**_):
    multiprocessing.get_context("spawn").Process(target=time.sleep, args=(3600,)).start()
    raise KeyboardInterrupt

if __name__ == "__main__":
    cli.overtable.main = begin
    cli.main()
"""
"""Interrupted as a process was begun, of which nobody knows yet."""


def test_nobody_waits_for_a_process_that_an_interrupt_came_upon(tmp_path: Path) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED_AT_WORK, encoding="utf-8")
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (run.returncode, run.stderr) == (INTERRUPTED, "")
