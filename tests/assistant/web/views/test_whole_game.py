"""The view of a whole game, which a long one comes in pieces of."""

from pathlib import Path

import pytest

from assistant.replay.recorded_game import RecordedGame
from assistant.web.views.whole_game import build_whole_game
from tests.assistant.replay.sample_recording import play_sample_game


def test_a_long_game_is_told_in_pieces_with_how_far_it_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = RecordedGame(play_sample_game(tmp_path / "game.overtable").path)
    while not past.log.happenings:
        past.judge_more(5)
    monkeypatch.setattr(past, "judge_more", lambda: past.log.is_waiting)  # which takes its time in a long one
    told = build_whole_game(past, 0)
    assert told.more
    assert told.judged_ns == told.happened[-1].at_ns < told.ended_ns
