"""The overtable program, started as a person starts it."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FIRST_WORDS_S = 60


@contextmanager
def run_overtable(*arguments: str | Path) -> Iterator[str]:
    """Run a command that serves pages on a free port; yield the pages' address, and end it by an interrupt."""
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # as a shell starts what runs behind: the program would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command = [sys.executable, "-m", "assistant.cli", *map(str, arguments), "--no-open", "--host", "127.0.0.1"]
    with subprocess.Popen(
        [*command, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as run:
        assert run.stdout is not None
        said = run.stdout.readline()
        try:
            found = re.search(r"http://localhost:\d+", said)
            assert found, f"it said {said + run.stdout.read()!r}"
            yield found[0]
        finally:
            run.send_signal(signal.SIGINT)
            try:
                rest = run.communicate(timeout=FIRST_WORDS_S)[0]
            except subprocess.TimeoutExpired:
                run.kill()  # or leaving would wait for it for ever
                raise
        assert run.returncode == 130, rest
        assert "Traceback" not in rest, rest
