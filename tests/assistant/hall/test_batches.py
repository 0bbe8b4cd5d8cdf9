"""Batches: what goes into a message comes out of it, and whatever else is in one ends in a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import BadInput
from assistant.hall import batches
from assistant.hall.batches import LAYOUT, make_first_row, pack_rows, read_first_row, unpack_rows
from assistant.recording.journal.mirror import ChainedRow

RECORDING = "0f3a5c7e9b1d2f4a"
ROWS = st.builds(
    ChainedRow,
    id=st.integers(0, 2**62),
    captured_ns=st.integers(-(2**62), 2**62),
    kind=st.sampled_from(["PosesSeen", "Ruled", "é"]),
    body=st.one_of(st.text(st.characters(codec="utf-8"), max_size=40), st.binary(max_size=40)),
    chain=st.binary(min_size=16, max_size=16),
    jpeg=st.binary(max_size=20),
)


@given(st.lists(ROWS, max_size=6))
def test_rows_come_out_as_they_went_in(rows: list[ChainedRow]) -> None:
    assert unpack_rows(pack_rows(RECORDING, rows)) == (RECORDING, rows)


@pytest.mark.parametrize("recording", ["0123456789012345", "abcdefabcdefabcd"])
def test_whatever_name_a_recording_has_drawn_its_rows_come(recording: str) -> None:
    assert unpack_rows(pack_rows(recording, [])) == (recording, [])


@given(st.lists(ROWS, min_size=1, max_size=3), st.data())
def test_whatever_a_message_holds_is_rows_or_one_sentence(rows: list[ChainedRow], data: st.DataObject) -> None:
    message = bytearray(pack_rows(RECORDING, rows))
    for _ in range(data.draw(st.integers(1, 4))):
        message[data.draw(st.integers(0, len(message) - 1))] = data.draw(st.integers(0, 255))
    del message[data.draw(st.integers(0, len(message))) :]
    try:
        recording, found = unpack_rows(bytes(message))
    except BadInput:
        return
    assert len(recording) == 16
    assert len(found) <= len(rows) + 1


@pytest.mark.parametrize("message", [b"", LAYOUT, b"x" * 100, LAYOUT + b"../../etc/passwd", LAYOUT + b"\xff" * 16])
def test_what_is_no_message_is_refused(message: bytes) -> None:
    with pytest.raises(BadInput):
        unpack_rows(message)


def test_a_message_that_breaks_off_within_a_row_or_has_too_many_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    row = ChainedRow(id=1, captured_ns=2, kind="Ruled", body=b"a body", chain=bytes(16))
    message = pack_rows(RECORDING, [row, row])
    for missing in (1, 5, 20):
        with pytest.raises(BadInput, match="a message"):
            unpack_rows(message[:-missing])
    monkeypatch.setattr(batches, "MOST_ROWS", 1)
    with pytest.raises(BadInput, match="or has too many"):
        unpack_rows(message)


def test_the_first_row_says_what_a_game_started_from_and_is_held_to_its_digest() -> None:
    about = {"format": "overtable.journal/2", "title": "Ünder"}
    row = make_first_row(about)
    assert read_first_row(row) == about
    for wrong in ("{}", "[1]", "no JSON", "[" * 10_000):
        with pytest.raises(BadInput):
            read_first_row(ChainedRow(id=0, captured_ns=0, kind="about", body=wrong, chain=row.chain))
