"""The draft of a set-up: entries are kept as they were entered, and each that says nothing has its sentence."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import BadInput
from assistant.features.demo.catalogue import SETUP
from assistant.setup.draft import (
    ANCHOR_ENTRY_NAMES,
    ENTRY_NAMES,
    SetupDraft,
    entries_from_setup,
    lay_out_anchors,
    place_usual_anchors,
    read_draft,
    read_draft_entries,
    write_draft,
)
from assistant.setup.file import read_setup


def test_right_and_wrong_entries_are_kept_alike(tmp_path: Path) -> None:
    draft = SetupDraft().enter({"width": " 6o ", "lay.580": "on the moon"}).keep_room("room", {"a": [1, None]})
    write_draft(tmp_path, draft)
    assert read_draft(tmp_path) == draft
    assert draft.entries == {"width": "6o", "lay.580": "on the moon"}
    assert draft.enter({"width": ""}).entries == {"lay.580": "on the moon"}
    assert read_draft(tmp_path / "elsewhere") == SetupDraft()


@pytest.mark.parametrize("name", ["colour", "x", "x.near", "width.580", "zz.580"])
def test_what_is_no_entry_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="the set-up has no entry"):
        SetupDraft().enter({name: "1"})


def test_a_draft_that_is_broken_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "draft.json").write_text('{"format": "overtable.draft/1", "entries": {"width": 60}}')
    with pytest.raises(BadInput, match="draft.json: entries.width: "):
        read_draft(tmp_path)
    assert "60" in (tmp_path / "draft.json").read_text()


def test_a_set_up_that_was_written_by_hand_is_taken_up_as_it_is() -> None:
    setup = read_setup(SETUP)
    reading = read_draft_entries(entries_from_setup(setup))
    assert reading.wrong == {}
    assert reading.table_mm == (setup.table.width_mm, setup.table.depth_mm)
    assert reading.anchors == setup.anchors


TABLE = {"source": "usb:0", "width": "60", "depth": "44"}


def test_a_table_in_inches_is_a_set_up_with_the_usual_anchors() -> None:
    reading = read_draft_entries(TABLE)
    assert reading.is_complete
    assert reading.table_mm == (1524.0, 1117.6)
    assert reading.ids == (580, 581, 582, 583, 584, 585)
    assert (reading.anchors[2].x_mm, reading.anchors[2].y_mm) == (1464.0, 1057.6)


@pytest.mark.parametrize(
    ("unit", "width", "mm"), [("in", "60", 1524.0), ("cm", "152,4", 1524.0), ("mm", "1524.", 1524.0)]
)
def test_lengths_are_read_as_people_write_them(unit: str, width: str, mm: float) -> None:
    assert read_draft_entries({"unit": unit, "width": width}).width_mm == mm


@pytest.mark.parametrize(
    ("entries", "name", "sentence"),
    [
        ({"width": "6o"}, "width", "Width of the table: expected a number of inches, such as 40, not '6o'."),
        ({"unit": "cm", "depth": "4"}, "depth", "Depth of the table: expected from 20 to 1000 centimetres, not 4."),
        ({"unit": "ell"}, "unit", "Unit: expected one of in, cm, mm, not 'ell'."),
        ({"anchors": "580-"}, "anchors", "Anchors: '580-' is neither an id nor a range such as 0-39."),
        ({"anchors": "1-600"}, "anchors", "not within 0 to 586"),
        ({"anchors": "559-561"}, "anchors", "tag 560 is one of the enrolment sheets’"),
        ({"anchors": "0-99"}, "anchors", "expected 40 at the most, not 100"),
        ({"anchor_mm": "4"}, "anchor_mm", "Size of the anchors: expected from 5 to 200 mm, not 4."),
        ({"ruler": "25.4"}, "ruler", "expected about 100 mm, not 25.4; print again at 100 %"),
        ({"tag_height": "-1"}, "tag_height", "Height of the bases: expected from 0 to 1000 mm"),
        ({**TABLE, "x.580": "9000"}, "x.580", "Anchor 580, x: 9000 mm is far off the table; expected from 0 to 1524."),
        ({**TABLE, "y.581": "near"}, "y.581", "Anchor 581, y: expected a number of millimetres, not 'near'."),
        ({"lay.580": "moon"}, "lay.580", "Anchor 580: expected one of measured, near-left"),
        ({"turn.580": "left"}, "turn.580", "Anchor 580, turn: expected a number of degrees, not 'left'."),
    ],
)
def test_what_is_not_understood_is_said_by_its_entry(entries: Mapping[str, str], name: str, sentence: str) -> None:
    reading = read_draft_entries(entries)
    assert sentence in reading.wrong[name]
    assert list(reading.wrong) == [name]


@given(
    st.dictionaries(
        st.sampled_from([*ENTRY_NAMES, *(f"{kind}.580" for kind in ANCHOR_ENTRY_NAMES)]), st.text(max_size=12)
    )
)
def test_whatever_is_entered_is_read(entries: dict[str, str]) -> None:
    reading = read_draft_entries(entries)
    assert reading.is_complete <= bool(reading.anchors)


def test_a_sheet_that_was_printed_small_makes_small_anchors() -> None:
    reading = read_draft_entries({**TABLE, "ruler": "97,5", "anchor_mm": "60", "size.581": "40"})
    assert [anchor.size_mm for anchor in reading.anchors[:2]] == [58.5, 39.0]


def test_anchors_are_laid_where_they_are_said_to_lie() -> None:
    entries = {**TABLE, "anchors": "580-582", "lay.580": "far-right", "lay.581": "anywhere", "x.582": "700,5"}
    reading = read_draft_entries(entries)
    corner, anywhere, measured = reading.anchors
    assert (corner.corner, corner.x_mm) == ("far-right", None)
    assert anywhere.is_open
    assert (measured.x_mm, measured.y_mm) == (700.5, 1057.6)
    laid = lay_out_anchors(reading.anchors, 1524.0, 1117.6)
    assert [(a.x_mm, a.y_mm) for a in laid] == [(1499.0, 1092.6), (1464.0, 60.0), (700.5, 1057.6)]


@pytest.mark.parametrize("count", [1, 4, 9, 40])
def test_every_anchor_has_a_place_of_its_own_on_the_table(count: int) -> None:
    places = place_usual_anchors(tuple(range(count)), 1118.0, 1524.0)
    assert len(set(places.values())) == len(places) == count
    assert all(0 < x < 1118 and 0 < y < 1524 for x, y in places.values())
