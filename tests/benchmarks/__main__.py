"""`make bench`: every benchmark of this folder, one after the other."""

import importlib
import os
import platform
import sys
from pathlib import Path

from assistant.cli import LINEAR_ALGEBRA


def main(wanted: list[str]) -> None:
    """Run the benchmarks whose names are wanted, or all of them."""
    print(f"Python {platform.python_version()} on {platform.machine()}; milliseconds are medians unless said otherwise")
    os.environ.setdefault(LINEAR_ALGEBRA, "1")  # as the program has it, before a benchmark loads what reads it
    folder = Path(__file__).parent
    for path in [*sorted(folder.glob("bench_*.py")), folder / "trial_eyes.py"]:
        name = path.stem.removeprefix("bench_")
        if wanted and name not in wanted:
            continue
        print(f"\n{name}", flush=True)
        for line in importlib.import_module(f"tests.benchmarks.{path.stem}").run():
            print(f"  {line}", flush=True)


if __name__ == "__main__":  # a process that it begins imports this file, too
    main(sys.argv[1:])
