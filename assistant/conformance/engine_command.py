"""An engine as a command: whatever answers `judge`, `zone` and `actions` as overtable's command line does.

The kit carries this module to wherever another engine is: it needs nothing but Python.
"""

import json
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assistant.conformance.case import Case

Answer = Mapping[str, Any]
Engine = Callable[[Case], Answer]
"""Answers the question of a case with the JSON document of its format; raises `NoAnswer` where it cannot."""
_LONGEST_S = 120.0


class NoAnswer(Exception):
    """What an engine did instead of answering, as a sentence."""


def build_command_engine(command: Sequence[str]) -> Engine:
    """Return the engine that a command is, such as ``["overtable"]``: it is started once for every case."""

    def answer(case: Case) -> Answer:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{case.rulebook}.json"
            path.write_text(json.dumps(case.situation), encoding="utf-8")
            return _run([*command, *list_arguments(case, str(path))])

    return answer


def list_arguments(case: Case, situation: str) -> list[str]:
    """Return the arguments that ask the question of a case, whose situation stands in a file."""
    ask = dict(case.ask)
    name = ask.pop("command")
    arguments = [name, situation, "--json", *(["--all"] if name == "judge" else [])]
    flags = {**ask, **ask.get("intent", {})}
    flags.pop("intent", None)
    for key, value in flags.items():
        option = "--roll" if key == "rolls" else f"--{key.replace('_', '-')}"
        if isinstance(value, bool):
            arguments += [option] * value
        else:
            values = value if isinstance(value, list | tuple) else [value]
            arguments += [word for each in values for word in (option, str(each))]
    return arguments


def _run(command: Sequence[str]) -> Answer:
    try:
        done = subprocess.run(command, capture_output=True, timeout=_LONGEST_S, check=False)  # noqa: S603 - the user's own
    except subprocess.TimeoutExpired:
        raise NoAnswer(f"it did not answer within {_LONGEST_S:.0f} s") from None
    except OSError as error:
        raise NoAnswer(f"{command[0]} cannot be started: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise NoAnswer(f"it ended with status {done.returncode}: {said[-1] if said else 'it said nothing'}")
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise NoAnswer("what it printed is not JSON") from None
    if not isinstance(answer, dict):
        raise NoAnswer("what it printed is not a JSON object")
    return answer
