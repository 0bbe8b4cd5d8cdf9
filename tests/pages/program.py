"""The overtable program, started as a person starts it."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FIRST_WORDS_S = 60
RATE = "6"
"""Pictures a second of a virtual camera that need not be more: each is rendered and looked through."""
ADDRESS = r"http://localhost:\d+"
"""Of a table's pages."""
MOST_LINES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningProgram:
    """The program while it serves its pages."""

    address: str
    keeper: int
    pid: int
    """Of what served the pages first; its keeper may have begun another since."""

    def find_served(self) -> int:
        """Return who serves the pages now."""
        return find_served(self.keeper)

    def forget_peak(self) -> float:
        """Return how much memory it has now, MB, and measure the peak from here on."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5", encoding="ascii")
        return self._read_mb("VmRSS")

    def measure_peak(self) -> float:
        """Return the most memory that it had since `forget_peak`, MB."""
        return self._read_mb("VmHWM")

    def _read_mb(self, key: str) -> float:
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        found = re.search(rf"{key}:\s+(\d+) kB", status)
        assert found, status
        return int(found[1]) / 1000


def find_served(keeper: int) -> int:
    """Return the process that serves the pages: the keeper's only one, or what it is itself where it keeps none."""
    children = Path(f"/proc/{keeper}/task/{keeper}/children")
    began = children.read_text(encoding="ascii").split() if children.exists() else []
    return int(began[0]) if began else keeper


@contextmanager
def run_overtable(
    *arguments: str | Path, end_by: signal.Signals = signal.SIGINT, address: str = ADDRESS
) -> Iterator[str]:
    """Run a command as in `run_program`; yield the pages' address."""
    with run_program(*arguments, end_by=end_by, address=address) as program:
        yield program.address


@contextmanager
def run_program(
    *arguments: str | Path, end_by: signal.Signals = signal.SIGINT, address: str = ADDRESS
) -> Iterator[RunningProgram]:
    """Run a command that serves pages, and end it by a signal that asks it to.

    Args:
        arguments: of the command; a table's is given a free port on this machine alone.
        end_by: the signal.
        address: how the pages' address is written in what it says first; another one for a hall.

    """
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # as a shell starts what runs behind: the program would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command = [sys.executable, "-m", "assistant.cli", *map(str, arguments)]
    if address == ADDRESS:
        command += ["--no-open", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        assert run.stdout is not None
        said, found = "", None
        try:
            while not found and said.count("\n") < MOST_LINES and (line := run.stdout.readline()):
                said += line
                found = re.search(address, line)
            assert found, f"it said {said!r}"
            yield RunningProgram(address=found[0], keeper=run.pid, pid=find_served(run.pid))
        finally:
            run.send_signal(end_by)
            try:
                rest = run.communicate(timeout=FIRST_WORDS_S)[0]
            except subprocess.TimeoutExpired:
                run.kill()  # or leaving would wait for it for ever
                raise
        assert run.returncode == 130, rest
        assert "Traceback" not in rest, rest
