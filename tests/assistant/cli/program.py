"""Runs a command as a shell does."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Run:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document that it printed."""
        return json.loads(self.out)


def overtable(*arguments: str | Path, folder: Path | None = None) -> Run:
    """Run a command to its end."""
    ended = subprocess.run(
        [sys.executable, "-m", "assistant.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        timeout=120,
    )
    return Run(status=ended.returncode, out=ended.stdout, err=ended.stderr)


def refused(run: Run) -> str:
    """Return the one line that says why; the test fails if it was not bad input."""
    assert run.status == 2, run
    assert run.out == ""
    (line,) = run.err.splitlines()
    assert line.startswith("overtable: ")
    return line
