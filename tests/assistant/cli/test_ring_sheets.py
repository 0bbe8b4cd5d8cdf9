"""`overtable print rings`, run as a shell runs it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.cli import overtable
from assistant.cli.sheets import print_
from assistant.errors import BadInput
from assistant.setup.ring_words import read_ring_words
from hardware.rings.words import load_ring_list, read_ring_list


@pytest.mark.parametrize("flags", [["--words"], ["--words", "--json"], ["--json"]])
def test_the_words_are_printed_as_one_json_document(flags: list[str]) -> None:
    run = CliRunner().invoke(overtable, ["print", "rings", *flags], catch_exceptions=False)
    assert run.exit_code == 0
    assert read_ring_list(json.loads(run.output)) == load_ring_list()


def test_the_words_are_written_to_a_file_that_a_set_up_can_name(tmp_path: Path) -> None:
    out = tmp_path / "rings.json"
    for _ in range(2):  # the second replaces the first
        CliRunner().invoke(print_, ["rings", "--words", "--out", str(out)], catch_exceptions=False)
    assert read_ring_words(out) == load_ring_list()


def test_nothing_else_is_replaced_by_the_words(tmp_path: Path) -> None:
    out = tmp_path / "diary.txt"
    out.write_text("dear diary")
    with pytest.raises(BadInput, match="would be lost"):
        CliRunner().invoke(print_, ["rings", "--words", "--out", str(out)], catch_exceptions=False)
    assert out.read_text() == "dear diary"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"kinds": []}, "kinds"),
        ({"words": {"round": {"cells": 36, "ids": {"0": "01"}}}}, "ids"),
        ({"words": {"round": {"cells": 36, "ids": {"zero": 36 * "0"}}}}, "zero"),
        ({"format": "overtable.rings/9"}, "overtable.rings/1"),
    ],
)
def test_a_list_that_is_none_is_told_by_its_place(tmp_path: Path, wrong: dict[str, object], sentence: str) -> None:
    run = CliRunner().invoke(print_, ["rings", "--words"], catch_exceptions=False)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({**json.loads(run.output), **wrong}))
    with pytest.raises(BadInput, match=sentence) as told:
        read_ring_words(path)
    assert str(path) in str(told.value)
    assert "\n" not in str(told.value)
