"""Any moment of any recording is the game played until then, however the moment is found."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.recording.journal import journal_state as tail
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about
from assistant.recording.verification import verify
from assistant.replay import recorded_game as replayed
from assistant.replay.playback import play_entry, read_first_state
from assistant.replay.recorded_game import Moment, RecordedGame
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.views.session import Source, build_view
from tests.assistant.replay.random_recording import convert_to_first_version, record_random_game, strip_summaries

SOURCE = Source(name="", title="", virtual=False, replay=True, state="live", text="", fps=0, latency_ms=0)


def play_straight(path: Path, at_ns: int) -> GameSession:
    """Play a recording from its beginning."""
    session = GameSession(read_first_state(path, read_about(path)), solve_zone=skip_zone)
    began_ns = next(entry.captured_ns for entry in read_entries(path))
    for entry in read_entries(path):
        if entry.captured_ns - began_ns > at_ns:
            break
        play_entry(session, entry, path)
    session.now_ns = began_ns + at_ns
    return session


def list_facts(session: GameSession) -> Iterator[object]:
    yield session.now_ns, session.state, list(session.poses.items()), session.seen, session.pick
    yield (
        session.timeline.calibration_changes,
        session.timeline.past_ruling,
        session.rulings,
        session.can_undo,
        session.timeline.decision_count,
    )
    yield session.observations.hidden_ns, session.recorder.calibrations
    yield build_view(session, SOURCE).model_dump_json()


@pytest.mark.parametrize("age", [lambda path: path, strip_summaries, convert_to_first_version])
@pytest.mark.parametrize("seed", range(3))
def test_any_moment_is_the_game_played_until_then(
    age: object, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "ROWS_PER_SUMMARY", 9)
    monkeypatch.setattr(replayed, "ROWS_PER_SUMMARY", 9)
    draw = random.Random(seed)
    record_random_game(tmp_path / "game.overtable", draw)
    assert verify(tmp_path / "game.overtable").broken is None
    assert callable(age)
    path = age(tmp_path / "game.overtable")
    past = RecordedGame(path)
    end_ns = past.find_end_ns()
    times = [0, end_ns, *(draw.randrange(end_ns) for _ in range(15))]
    for at_ns in times:
        moment = past.find_moment(at_ns)
        assert list(list_facts(moment.session)) == list(list_facts(play_straight(path, at_ns))), at_ns
    assert [describe_moment(past.find_moment(at_ns)) for at_ns in times] == [
        describe_moment(RecordedGame(path).find_moment(at_ns)) for at_ns in times
    ]


def describe_moment(moment: Moment) -> tuple[object, ...]:
    return moment.at_ns, moment.entry, moment.camera, build_view(moment.session, SOURCE)


def test_what_happened_is_told_as_it_is_when_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The times in the list, and the places to step to, are those of the rows before, whatever was left unread."""
    monkeypatch.setattr(tail, "ROWS_PER_SUMMARY", 9)
    path = tmp_path / "game.overtable"
    record_random_game(path, random.Random(8))
    older = strip_summaries(path)
    assert RecordedGame(path).list_move_times() == RecordedGame(older).list_move_times()
    lists = [
        [(each.at_ns, each.kind, each.text) for each in RecordedGame(p).judge_all().happenings] for p in (path, older)
    ]
    assert lists[0] == lists[1]
    assert sum(kind == "camera" for _, kind, _ in lists[0]) > 5


def test_poses_that_are_damaged_are_named_where_somebody_looks_and_nowhere_else(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    record_random_game(path, random.Random(1))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TRIGGER events_stay")
        chosen = "SELECT id FROM events WHERE kind = 'PosesSeen' AND typeof(body) = 'blob' AND length(body) > 30"
        ((row,),) = db.execute(f"{chosen} ORDER BY id DESC LIMIT 1")
        db.execute("UPDATE events SET body = substr(body, 1, 20) WHERE id = ?", [row])
    past = RecordedGame(path)
    assert past.find_moment(0).session.poses == play_straight(path, 0).poses
    with pytest.raises(BadInput, match=f"game.overtable: event {row}: its poses are not whole; the file is damaged"):
        past.find_moment(past.find_end_ns())
