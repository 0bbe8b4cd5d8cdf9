"""A game is shown in parts as it is shown in one, and what was found meanwhile is what is found from nothing."""

import gc
import json
import pickle
import random
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.game.situation_file import encode_situation
from assistant.recording.journal import journal_state, pose_columns
from assistant.recording.journal.reader import open_journal
from assistant.recording.journal.row_types import PosesSeen
from assistant.recording.journal.writer import Journal
from assistant.recording.poses import PoseEntry
from assistant.replay import playback, second_process
from assistant.replay.moves import judge_announced, read_moves
from assistant.replay.playback import PlaybackStep, play_downsampled, play_events
from assistant.replay.recorded_game import RecordedGame
from assistant.table.declared_move import find_current_verdict
from assistant.web import replay_moments
from assistant.web.replay_moments import ShownGame, show_game
from tests.assistant.replay.random_recording import record_random_game
from tests.assistant.replay.sample_recording import play_sample_game
from tests.assistant.snapshot_script import build_game


def record_at_random(path: Path) -> None:
    record_random_game(path, random.Random(3))


@pytest.fixture(params=[play_sample_game, record_at_random])
def recording(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(journal_state, "ROWS_PER_SUMMARY", 9)  # so that the later part begins where one is summed up
    record: Callable[[Path], object] = request.param
    record(tmp_path / "game.overtable")
    return tmp_path / "game.overtable"


def show(recording: Path) -> ShownGame:
    return show_game(recording, "a game", 10**15, lambda _: None)


def test_a_game_in_two_parts_is_the_game_in_one(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, shown = show(recording), list[int]()
    monkeypatch.setattr(replay_moments, "is_shared", lambda _: True)
    show_part = replay_moments._show_part

    def show_one(*of: object) -> object:
        if shown:  # the later part is shown by another process, which is told and tells by pickles
            of = pickle.loads(pickle.dumps(of))
        part = show_part(*of)  # type: ignore[arg-type]
        shown.append(len(part.moments))
        return pickle.loads(pickle.dumps(part))

    monkeypatch.setattr(replay_moments, "_show_part", show_one)
    past = RecordedGame(recording)
    parts = show_game(recording, "a game", 10**15, lambda _: None, past.judge_until)
    told = len(past.log.happenings)
    known, judged = past.judge_all(parts.verdicts), RecordedGame(recording).judge_all()
    assert 0 < told < len(known.happenings), "what came later is told once it is known what was found then"
    assert (known.happenings, known.findings, known.rulings) == (judged.happenings, judged.findings, judged.rulings)
    assert len(shown) == 2
    assert min(shown) > 0
    assert (parts.full, list(parts.moments)) == (whole.full, list(whole.moments))
    assert (parts.verdicts, parts.on_moves) == (whole.verdicts, whole.on_moves)


def record_slide(path: Path) -> None:
    """Record a model on its slow way beside one that is seen at rest now and then."""
    with Journal(path, about={"title": "slow", "situation": json.dumps(encode_situation(build_game()))}) as journal:
        for at in range(60):
            poses = [build_entry("s1", x_mm=300 + 0.2 * at, moving=True)]
            poses += [build_entry("s2", x_mm=400 + at, moving=False)] if at % 7 == 3 else []
            seen = PosesSeen(anchors_seen=6, calibration="c", poses=tuple(poses))
            journal.append((10**18 + 33_000_000 * at, seen))


def build_entry(model: str, *, x_mm: float, moving: bool) -> PoseEntry:
    return PoseEntry(
        tag=int(model[1:]), model=model, x_mm=x_mm, y_mm=300, facing_deg=0, z_mm=0, sigma_mm=(0.1, 0.1), sigma_deg=0.2,
        state="seen", moving=moving, calibration="c",
    )  # fmt: skip


@pytest.mark.parametrize("record", [play_sample_game, record_at_random, record_slide])
def test_a_game_played_from_within_goes_on_as_from_its_beginning(
    record: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_state, "ROWS_PER_SUMMARY", 9)
    path, skipped = tmp_path / "game.overtable", 0
    record(path)
    whole = [_describe_step(step) for step in play_downsampled(path)]
    for start in sorted({entry for entry, _ in whole}):
        steps, after = play_downsampled(path, start), [each for each in whole if each[0] >= start]
        assert [_describe_step(step) for step in steps] == after
        with open_journal(path) as db:
            skipped += playback._find_rest(db, path, start) is not None
    assert skipped > len(whole) // 3


def test_a_game_that_is_left_in_the_middle_leaves_its_journal_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pose_columns, "ROWS_AT_ONCE", 5)
    play_sample_game(tmp_path / "game.overtable")
    steps = play_downsampled(tmp_path / "game.overtable")
    next(steps)
    del steps  # what is read further is closed before the journal is; else the collector complains
    gc.collect()


def _describe_step(step: PlaybackStep) -> tuple[int, object]:
    session = step.session
    seen = dict(session.poses), dict(session.observations.hidden_ns), session.now_ns
    return step.entry.id, (step.at_ns, step.entry.what, step.before, session.state, seen)


def test_another_process_shows_the_later_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, asked = tmp_path / "game.overtable", list[str]()
    play_sample_game(path)
    whole = show(path)

    class Counted(ProcessPoolExecutor):
        def submit(self, work: Callable[..., Any], /, *of: Any, **more: Any) -> Future[Any]:
            asked.append(work.__name__)
            return super().submit(work, *of, **more)

    for module in (replay_moments, second_process):
        monkeypatch.setattr(module, "is_shared", lambda _: True)
    monkeypatch.setattr(second_process, "ProcessPoolExecutor", Counted)
    parts = show(path)
    assert asked == ["list_rulebooks", "_show_part"]
    assert parts == replace(whole, moments=tuple(whole.moments))


def test_what_is_found_on_the_way_is_what_is_found_from_nothing(recording: Path) -> None:
    shown, state = show(recording), None
    for step in play_events(recording):
        if step.session.state is not state and step.entry.id in shown.verdicts:
            state = step.session.state
            assert shown.verdicts[step.entry.id] == find_current_verdict(state)
    assert state is not None
    assert shown.on_moves == {move.entry: judge_announced(move.state) for move in read_moves(recording)}


def test_a_game_whose_verdicts_are_known_is_told_as_one_that_is_judged(recording: Path) -> None:
    known = RecordedGame(recording).judge_all(show(recording).verdicts)
    judged = RecordedGame(recording).judge_all()
    assert known.happenings == judged.happenings
    assert known.findings == judged.findings
