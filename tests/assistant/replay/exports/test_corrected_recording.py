"""A game in which two models carried each other's markers, as it was played and as it is known to have been."""

import json
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.events import Declared, Exchanged, SourceChanged, Swapped
from assistant.game.situation_file import encode_situation
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.writer import Journal
from assistant.recording.verification import verify
from assistant.replay.exports.corrected_recording import write_corrected_copy
from assistant.replay.exports.move_list import format_moves
from assistant.replay.moves import read_moves
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.statistics import compute_statistics
from assistant.replay.verdict_diff import find_differences
from assistant.table.session import GameSession
from tests.assistant.cli.command_runner import read_refusal, run_overtable
from tests.assistant.replay.sample_recording import RecordedTable
from tests.assistant.snapshot_script import SnapshotScript, build_game


def record_mixed_up_game(path: Path, *, late: bool) -> RecordedTable:
    """Return a game in which the tags of s2 and w1 are on each other, as is found out after a move of each.

    Args:
        path: the recording.
        late: only from some moment on, for somebody exchanged them then.

    """
    table = RecordedTable(path)
    script, session = table.script, table.session
    if late:
        table.show(*script.slide("s1", 310, 300))
        table.do(session.accept)
    began_ns = script.now_ns if late else 0
    table.show(*script.slide("w1", 600, 480))  # which is s2, by more than its six inches
    table.do(session.accept)
    table.show(*script.slide("s2", 360, 350))  # which is w1
    table.do(session.accept)
    table.do(lambda: session.swap_markers("s2", "w1", began_ns))
    table.show(*script.slide("s1", 330, 310))
    table.do(session.accept)
    return table


@pytest.mark.parametrize("late", [False, True])
def test_the_copy_tells_apart_what_the_game_took_for_each_other(tmp_path: Path, late: bool) -> None:
    table = record_mixed_up_game(tmp_path / "game.overtable", late=late)
    out = tmp_path / "corrected.overtable"
    (mistake,) = write_corrected_copy(table.path, out)
    assert (mistake.models, mistake.whole) == (("s2", "w1"), not late)
    as_played, known = read_moves(table.path), read_moves(out)
    before = 1 if late else 0
    assert [each.unit for each in as_played][before:] == ["walker", "scouts", "scouts"]
    assert [each.unit for each in known][before:] == ["scouts", "walker", "scouts"]
    said = list(format_moves(known))[before]
    assert "scouts: Normal move, 6.3" in said
    assert "not legal" in said
    assert "walker: Normal move" in list(format_moves(as_played))[before]
    assert "legal; accepted" in list(format_moves(as_played))[before]
    # What is known in the end, the game knew in the end.
    assert RecordedGame(out).find_moment(10**15).session.state.units == table.session.state.units
    assert RecordedGame(out).find_moment(10**15).session.poses == table.session.poses


def test_the_copy_is_a_recording_that_names_the_other(tmp_path: Path) -> None:
    table = record_mixed_up_game(tmp_path / "game.overtable", late=True)
    out = tmp_path / "corrected.overtable"
    said = run_overtable("export", table.path, "--to", "corrected", "--out", out)
    assert "game as it is known to have been: s2 and w1 from row " in said.out
    head = verify(table.path).head
    assert read_about(out)["title"] == "Two scouts, as corrected"
    assert read_about(out)["corrected"] == f"game.overtable, head {head}"
    assert verify(out).broken is None
    assert verify(out).pictures == verify(table.path).pictures > 0
    assert not any(isinstance(entry.what, Swapped) for entry in read_entries(out))
    assert compute_statistics(out).title == "Two scouts, as corrected"
    moved = {unit.unit: unit.moved_mm for unit in compute_statistics(out).units}
    assert moved["scouts"] > 170
    told = [each.text for each in RecordedGame(out).judge_all().happenings]
    assert "From here on s2 and w1 are told apart as was found out later." in told
    assert "never written over" in read_refusal(
        run_overtable("export", table.path, "--to", "corrected", "--out", out, "--replace")
    )


def test_what_was_called_then_is_held_to_what_is_known(tmp_path: Path) -> None:
    table = record_mixed_up_game(tmp_path / "game.overtable", late=False)
    assert find_differences(table.path, {}).differing == ()
    found = run_overtable("replay", table.path, "--differences", "--corrected", "--json").document
    accepted = [(each["unit"], each["before"], each["now"]) for each in found["differing"] if each["accepted"]]
    assert accepted[0] == ("scouts", "legal", "illegal")
    (far,) = [p for e in found["differing"] if e["accepted"] for p in e["findings"] if p["rule"] == "10e-15"]
    assert (far["subjects"], far["before"], far["now"]["outcome"]) == (["s2"], None, "illegal")
    text = run_overtable("replay", table.path, "--differences", "--corrected").out
    assert "calls of Two scouts, as corrected held to" in text


def test_models_of_one_unit_are_only_called_by_each_others_names(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.do(lambda: table.session.declare(unit="scouts", action="normal", model="s2"))
    table.show(*table.script.slide("s2", 300, 520))
    table.do(table.session.accept)
    table.do(lambda: table.session.swap_markers("s1", "s2", 0))
    out = tmp_path / "corrected.overtable"
    write_corrected_copy(table.path, out)
    assert find_differences(out, {}).differing == ()
    (move,) = read_moves(out)
    assert list(move.state.tracks) == ["s1"]
    (declared,) = (e.what for e in read_entries(out) if isinstance(e.what, Declared))
    assert declared.declaration.unit == "scouts"


def test_what_was_written_before_the_first_picture_is_before_the_beginning(tmp_path: Path) -> None:
    """A program tells of its camera before there is a picture with a time."""
    with Journal(
        tmp_path / "game.overtable", about={"situation": json.dumps(encode_situation(build_game()))}
    ) as journal:
        session, script = GameSession(build_game(), journal), SnapshotScript(now_ns=10**18)
        session.record_event(SourceChanged(state="live", text=""))
        session.observe(script.take_snapshot())
        session.swap_markers("s1", "w1", RecordedGame(journal.path).began_ns)
    (mistake,) = write_corrected_copy(journal.path, tmp_path / "corrected.overtable")
    assert mistake.whole
    assert not any(isinstance(entry.what, Exchanged) for entry in read_entries(tmp_path / "corrected.overtable"))


def test_what_was_taken_back_or_only_holds_from_then_on_corrects_nothing(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.do(lambda: table.session.swap_markers("s1", "s2", 0))
    table.do(table.session.undo)
    table.do(lambda: table.session.swap_markers("s1", "s2"))
    with pytest.raises(BadInput, match="there is nothing to correct"):
        write_corrected_copy(table.path, tmp_path / "corrected.overtable")
    assert not (tmp_path / "corrected.overtable").exists()
