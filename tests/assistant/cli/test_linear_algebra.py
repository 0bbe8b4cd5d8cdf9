"""Linear algebra in a command: on one thread, unless somebody wants more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.cli import LINEAR_ALGEBRA

RUN_AND_COUNT = """
import os, sys
from assistant.cli import main
try:
    main()
except SystemExit as end:
    assert end.code == 0
assert "numpy" in sys.modules
print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted as Linux tells them")
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="on one core there is one thread anyway")
@pytest.mark.parametrize(("wanted", "threads"), [(None, 1), ("2", 2)])
def test_a_command_takes_one_thread_for_it_unless_told_otherwise(wanted: str | None, threads: int) -> None:
    environment = {name: value for name, value in os.environ.items() if name != LINEAR_ALGEBRA}
    done = subprocess.run(
        [sys.executable, "-c", RUN_AND_COUNT, "rulebooks"],
        env=environment | ({LINEAR_ALGEBRA: wanted} if wanted else {}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout.splitlines()[-1]) == threads
