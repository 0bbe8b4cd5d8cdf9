"""The kit's own command: it runs the cases that lie beside it against the engine that a command is.

The kit carries this module to wherever another engine is: it needs nothing but Python.
"""

import argparse
import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from assistant.conformance.case import Case, build_case
from assistant.conformance.comparison import TOLERANCE_MM
from assistant.conformance.engine_command import build_command_engine
from assistant.conformance.runner import describe_results, encode_results, run_cases


def main() -> None:
    """Run the cases of the archive that was started."""
    parser = argparse.ArgumentParser(description="Run overtable's cases against a rules engine.")
    parser.add_argument("--rulebook", help="only the cases of this rulebook")
    parser.add_argument("--rule", help="only the cases of this rule")
    parser.add_argument("--tolerance-mm", type=float, default=TOLERANCE_MM, help="how exactly measures are compared")
    parser.add_argument("--json", action="store_true", help="print JSON instead of words")
    parser.add_argument("command", nargs="...", help="what answers judge, zone and actions as overtable does")
    asked = parser.parse_args()
    if not asked.command:
        parser.error("expected the command of an engine, and its arguments")
    cases = [
        case
        for case in read_packed_cases(Path(sys.argv[0]))
        if asked.rulebook in {None, case.rulebook} and (asked.rule is None or asked.rule in case.rules)
    ]
    if not cases:
        parser.error("there is no such case in the kit")
    results = run_cases(cases, build_command_engine(asked.command), asked.tolerance_mm)
    if asked.json:
        sys.stdout.write(json.dumps(encode_results(results)) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in describe_results(results))


def read_packed_cases(archive: Path) -> Iterator[Case]:
    """Yield the cases of a kit, which were checked when it was packed."""
    with zipfile.ZipFile(archive) as kit:
        for name in sorted(kit.namelist()):
            if name.startswith("cases/"):
                yield build_case(json.loads(kit.read(name)))
