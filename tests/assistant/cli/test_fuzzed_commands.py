"""Whatever stands in a command's files and arguments, it ends with an answer or one sentence."""

import os
from collections import Counter
from pathlib import Path

import pytest

from tests.assistant.cli.command_runner import read_refusal, run_overtable, run_program
from tests.trials.commands import build_command, build_mutated, find_fault
from tests.trials.questions import Fault

SEEDS = range(100, 160)


def test_what_nobody_would_give_is_answered_or_refused_in_one_sentence() -> None:
    found = {seed: find_fault(build_mutated(seed)) for seed in SEEDS}
    assert not {seed: each.what for seed, each in found.items() if isinstance(each, Fault)}
    kinds = Counter(found.values())
    assert min(kinds["answered"], kinds["refused"]) > len(SEEDS) / 10, "some are answered and some refused"


def test_what_is_mutated_does_its_work_before() -> None:
    commands = {command.arguments: command for command in map(build_command, range(60))}
    refused = [
        arguments[0]
        for arguments, command in commands.items()
        if find_fault({"arguments": arguments, "files": command.files}) != "answered"
    ]
    # No anchor and no board is in the picture, and some random moves may not be asked about.
    assert set(refused) <= {"locate", "calibrate", "enrol", "zone"}


def test_a_sentence_is_no_longer_than_a_person_reads() -> None:
    line = read_refusal(run_overtable("judge", "a" * 5000))
    assert len(line) < 800
    assert line.endswith("there is no such file") or "too long" in line


@pytest.mark.skipif(os.name == "nt", reason="there every name is text")
def test_a_name_that_is_no_text_is_told_as_it_can_be(tmp_path: Path) -> None:
    named = tmp_path / os.fsdecode(b"\xff.pdf")
    ended = run_program("print", "board", "--out", named)
    assert (ended.status, ended.err) == (0, "")
    assert "\\udcff.pdf: 1 sheet" in ended.out
    assert named.read_bytes().startswith(b"%PDF-")
