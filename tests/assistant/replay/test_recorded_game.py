"""The game at any moment is what had happened until then, added up; while it grows, too."""

from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.writer import Journal
from assistant.replay.playback import read_first_state
from assistant.replay.recorded_game import RecordedGame
from tests.assistant.replay.sample_recording import RecordedTable


def test_the_present_of_a_game_that_is_still_played_is_its_past_a_moment_later(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    past = RecordedGame(table.path)
    table.push_too_far()
    first = past.find_moment(past.find_end_ns())
    assert first.session.state == table.session.state
    assert first.session.poses == table.session.poses
    table.do(table.session.accept)
    assert past.find_moment(past.find_end_ns()).session.state == table.session.state
    assert first.session.state != table.session.state  # whoever looked at it still has it
    past.find_moment(first.at_ns).session.withdraw()
    assert past.find_moment(first.at_ns).session.state == first.session.state


def test_a_zone_is_worked_out_where_it_is_asked_for(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.push_too_far()
    past = RecordedGame(table.path)
    assert past.find_moment(past.find_end_ns()).session.consult_referee().zone is None
    assert past.find_moment(past.find_end_ns(), zones=True).session.consult_referee().zone is not None


def test_what_is_no_game_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no such file"):
        RecordedGame(tmp_path / "absent")
    with Journal(tmp_path / "empty", about={}):
        pass
    with pytest.raises(BadInput, match="it does not hold the situation that the game began with"):
        RecordedGame(tmp_path / "empty")


def test_a_recording_in_which_nothing_has_happened_yet_is_its_beginning(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "whole.overtable")
    about = read_about(table.path)
    with Journal(tmp_path / "new", about={"situation": about["situation"]}):
        past = RecordedGame(tmp_path / "new")
        assert past.find_end_ns() == 0
        assert past.find_moment(5).session.state == read_first_state(table.path, about)
        assert past.judge_all().findings == {}
