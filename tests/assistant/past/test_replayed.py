"""The game at any moment is what had happened until then, added up; while it grows, too."""

from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.past.playing import first_state
from assistant.past.replayed import Past
from assistant.record.journal import Journal, read_about
from tests.assistant.past.recorded import Recorded


def test_the_present_of_a_game_that_is_still_played_is_its_past_a_moment_later(tmp_path: Path) -> None:
    table = Recorded(tmp_path / "game.overtable")
    past = Past(table.path)
    table.too_far()
    first = past.at(past.ended_ns())
    assert first.session.state == table.session.state
    assert first.session.poses == table.session.poses
    table.do(table.session.accept)
    assert past.at(past.ended_ns()).session.state == table.session.state
    assert first.session.state != table.session.state  # whoever looked at it still has it
    past.at(first.at_ns).session.withdraw()
    assert past.at(first.at_ns).session.state == first.session.state


def test_a_zone_is_worked_out_where_it_is_asked_for(tmp_path: Path) -> None:
    table = Recorded(tmp_path / "game.overtable")
    table.too_far()
    past = Past(table.path)
    assert past.at(past.ended_ns()).session.answer().zone is None
    assert past.at(past.ended_ns(), zones=True).session.answer().zone is not None


def test_what_is_no_game_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no such file"):
        Past(tmp_path / "absent")
    with Journal(tmp_path / "empty", about={}):
        pass
    with pytest.raises(BadInput, match="it does not hold the situation that the game began with"):
        Past(tmp_path / "empty")


def test_a_recording_in_which_nothing_has_happened_yet_is_its_beginning(tmp_path: Path) -> None:
    table = Recorded(tmp_path / "whole.overtable")
    about = read_about(table.path)
    with Journal(tmp_path / "new", about={"situation": about["situation"]}):
        past = Past(tmp_path / "new")
        assert past.ended_ns() == 0
        assert past.at(5).session.state == first_state(table.path, about)
        assert past.judged().found == {}
