"""The session's recorder: what is written once; without a journal nothing is, nor is anything worked out for it."""

from pathlib import Path

from assistant.game.events import Stamped, Withdrawn
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import CalibrationSeen, Called
from assistant.recording.journal.writer import Journal
from assistant.rules.referee import judge
from assistant.rules.verdict import Verdict
from assistant.table.session_recorder import SessionRecorder
from tests.assistant.snapshot_script import build_game
from tests.vision.synthetic_camera import CAMERA


def refuse_verdict() -> Verdict | None:
    raise AssertionError("nobody needs a verdict here")


def test_without_a_journal_nothing_is_written_and_no_verdict_is_asked_for() -> None:
    recorder = SessionRecorder()
    with recorder.write_together(1):
        recorder.write(Stamped(captured_ns=1, event=Withdrawn()))
    recorder.record_call(build_game(), 1, refuse_verdict)
    recorder.close(2)
    assert recorder.trouble == ""


def test_a_call_is_recorded_once_of_each_state(tmp_path: Path) -> None:
    path, state = tmp_path / "game.overtable", build_game()
    with Journal(path, about={}) as journal:
        recorder = SessionRecorder(journal)
        recorder.record_call(state, 1, lambda: judge(state, None))
        recorder.record_call(state, 2, refuse_verdict)
        recorder.record_call(build_game(), 3, lambda: None)  # nothing can be judged
    (call,) = read_entries(path)
    assert (call.captured_ns, type(call.what)) == (1, Called)


def test_what_poses_rest_on_is_recorded_and_known_from_then_on(tmp_path: Path) -> None:
    path, seen = tmp_path / "game.overtable", CalibrationSeen.from_camera(CAMERA, anchors=(580, 581, 582))
    recorder = SessionRecorder()
    with Journal(path, about={}) as journal:
        recorder.resume(journal)
        recorder.record_calibration(seen, 4)
    assert [(entry.captured_ns, entry.what) for entry in read_entries(path)] == [(4, seen)]
    assert recorder.calibrations == {seen.calibration}
