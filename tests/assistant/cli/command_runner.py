"""Runs commands as a shell does, in this process or as programs of their own."""

import contextlib
import io
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from assistant.cli import main


@dataclass(frozen=True)
class ProgramRun:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document that it printed."""
        return json.loads(self.out)


def run_overtable(*arguments: str | Path, folder: Path | None = None) -> ProgramRun:
    """Run a command to its end, in this process, which has loaded already what it needs."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder or "."),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        patch.object(sys, "argv", ["overtable", *map(str, arguments)]),
        pytest.raises(SystemExit) as ended,
    ):
        main(kept=False)
    assert isinstance(ended.value.code, int)
    return ProgramRun(status=ended.value.code, out=out.getvalue(), err=err.getvalue())


def run_program(*arguments: str | Path) -> ProgramRun:
    """Run a command to its end, as a program of its own: what libraries print, and what they do at exit, counts."""
    ended = subprocess.run(
        [sys.executable, "-m", "assistant.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return ProgramRun(status=ended.returncode, out=ended.stdout, err=ended.stderr)


def read_refusal(run: ProgramRun) -> str:
    """Return the one line that says why; the test fails if it was not bad input."""
    assert run.status == 2, run
    assert run.out == ""
    (line,) = run.err.splitlines()
    assert line.startswith("overtable: ")
    return line
