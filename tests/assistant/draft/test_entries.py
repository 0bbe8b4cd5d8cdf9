"""What a person has entered is kept as it was entered."""

from pathlib import Path

import pytest

from assistant.cli.demos import SETUP
from assistant.draft.entries import Draft, entries_of, read_draft, write_draft
from assistant.draft.reading import read_entries
from assistant.errors import BadInput
from assistant.setup import read_setup


def test_right_and_wrong_entries_are_kept_alike(tmp_path: Path) -> None:
    draft = Draft().entered({"width": " 6o ", "lay.580": "on the moon"}).keeping("room", {"a": [1, None]})
    write_draft(tmp_path, draft)
    assert read_draft(tmp_path) == draft
    assert draft.entries == {"width": "6o", "lay.580": "on the moon"}
    assert draft.entered({"width": ""}).entries == {"lay.580": "on the moon"}
    assert read_draft(tmp_path / "elsewhere") == Draft()


@pytest.mark.parametrize("name", ["colour", "x", "x.near", "width.580", "zz.580"])
def test_what_is_no_entry_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="the set-up has no entry"):
        Draft().entered({name: "1"})


def test_a_draft_that_is_broken_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "draft.json").write_text('{"format": "overtable.draft/1", "entries": {"width": 60}}')
    with pytest.raises(BadInput, match="draft.json: entries.width: "):
        read_draft(tmp_path)
    assert "60" in (tmp_path / "draft.json").read_text()


def test_a_set_up_that_was_written_by_hand_is_taken_up_as_it_is() -> None:
    setup = read_setup(SETUP)
    reading = read_entries(entries_of(setup))
    assert reading.wrong == {}
    assert reading.table_mm == (setup.table.width_mm, setup.table.depth_mm)
    assert reading.anchors == setup.anchors
