"""One table at work: from snapshots and commands to verdicts, and the same again from the journal."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.events import Accepted, CalibrationChanged, Declared, Event
from assistant.game.state import NO_RULEBOOK
from assistant.overlay.shapes import Layer
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import CalibrationSeen, ObservationRow, PosesSeen
from assistant.recording.journal.writer import Journal
from assistant.recording.verification import verify
from assistant.replay.playback import play_entry
from assistant.rules.verdict import Outcome
from assistant.table.declared_move import Pick
from assistant.table.session import GameSession
from assistant.web.views.notices import list_notices
from tests.assistant.snapshot_script import SnapshotScript, build_game
from tests.assistant.table.session_play import judge_outcome, show_snapshots, start_duel
from tests.vision.synthetic_camera import CAMERA
from vision.types import CalibrationChange, ChangeKind, Doubt, TableSnapshot


def list_layers(session: GameSession) -> set[Layer]:
    return {shape.layer for shape in session.consult_referee().shapes}


def test_a_standing_table_is_judged_and_nothing_is_picked() -> None:
    session, _ = start_duel()
    assert judge_outcome(session) is Outcome.LEGAL
    assert session.pick is None
    assert session.consult_referee().options == ()


def test_a_declared_move_within_its_allowance_is_legal_and_shows_where_it_came_from() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    assert Layer.ZONE in list_layers(session)
    assert Layer.ENGAGEMENT in list_layers(session)
    show_snapshots(session, script.slide("s1", 350, 320))
    assert judge_outcome(session) is Outcome.LEGAL
    assert {Layer.GHOST, Layer.PATH, Layer.COHERENCY} <= list_layers(session)


def test_a_move_that_is_too_long_is_illegal_and_recorded_all_the_same() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    show_snapshots(session, script.slide("s2", 300, 350 + 170))
    verdict = session.consult_referee().verdict
    assert verdict is not None
    broken = {finding.rule for finding in verdict.findings if finding.outcome is Outcome.ILLEGAL}
    assert broken == {"10e-15", "10e-60"}
    session.accept()
    assert session.state.find_model("s2").pose is not None
    assert session.state.find_model("s2").pose.y_mm == pytest.approx(520)  # type: ignore[union-attr]
    assert session.state.tracks == {}


def test_a_model_pushed_with_nothing_declared_makes_its_units_first_move() -> None:
    session, script = start_duel()
    show_snapshots(session, script.slide("s1", 350, 320))
    assert session.pick == Pick(unit="scouts", model="s1")
    assert session.state.declared is not None
    assert session.state.declared.action == "normal"


def test_a_carried_models_path_is_not_judged_by_what_was_not_seen() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    show_snapshots(session, script.carry("s1", 350, 330))
    assert not session.state.tracks["s1"].observed
    assert judge_outcome(session) is Outcome.LEGAL


def test_a_models_zone_is_there_while_a_hand_moves_it() -> None:
    session, script = start_duel()
    for move in (script.slide, script.carry):
        x_mm, y_mm = script.places["s1"]
        frames = move("s1", x_mm + 40, y_mm + 20)
        show_snapshots(session, frames[:-1])
        assert (session.pick, session.shown_pick) == (None, Pick(unit="scouts", model="s1"))
        zone = session.consult_referee().zone
        assert zone is not None
        assert (zone.model, zone.action, session.state.declared) == ("s1", "normal", None)
        session.observe(frames[-1])
        assert session.state.declared is not None
        session.accept()
        assert session.shown_pick is None
    show_snapshots(session, script.slide("s1", 380.2, 340.1)[:-1])
    assert session.shown_pick is None  # it trembled


def test_dice_that_are_missing_are_asked_for() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="advance")
    show_snapshots(session, script.slide("s1", 350, 320))
    assert judge_outcome(session) is None
    assert session.consult_referee().note == "Enter 1 die for the Advance."
    session.declare(unit="scouts", action="advance", rolls=(4,))
    assert session.consult_referee().note == ""
    assert judge_outcome(session) is Outcome.LEGAL


def test_another_units_model_that_moved_meanwhile_stands_where_it_stands() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    show_snapshots(session, script.slide("w1", 420, 320))
    show_snapshots(session, script.slide("s1", 330, 310))
    verdict = session.consult_referee().verdict
    assert verdict is not None
    assert "10e-16" in {finding.rule for finding in verdict.findings if finding.outcome is Outcome.ILLEGAL}


def test_what_cannot_be_declared_is_said() -> None:
    session, _ = start_duel()
    with pytest.raises(BadInput, match="there is no unit 'ghosts'"):
        session.declare(unit="ghosts", action="normal")
    with pytest.raises(BadInput, match="has no model 'w1'"):
        session.declare(unit="scouts", action="normal", model="w1")
    with pytest.raises(BadInput, match="has no action 'teleport'"):
        session.declare(unit="scouts", action="teleport")


def test_withdrawing_leaves_the_models_where_they_are() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    show_snapshots(session, script.slide("s1", 350, 320))
    session.withdraw()
    assert session.pick is None
    assert set(session.state.tracks) == {"s1"}


def test_a_replay_of_the_journal_gives_the_same_state_and_the_same_verdicts(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        session, script = GameSession(build_game(), journal), SnapshotScript()
        answers = []

        def step(snapshots: Iterable[TableSnapshot]) -> None:
            show_snapshots(session, snapshots)
            answers.append(session.consult_referee().verdict)

        step([script.take_snapshot()])
        session.declare(unit="scouts", action="advance", rolls=(2,))
        step(script.slide("s1", 380, 300))
        step(script.carry("s2", 380, 345))
        session.accept()
        step(script.slide("w1", 480, 320))
        state = session.state
    again = GameSession(build_game())
    replayed = []
    for entry in read_entries(path):
        again.now_ns = entry.captured_ns
        if isinstance(entry.what, ObservationRow):
            again.apply_observation(entry.what)
        else:
            again.record_event(entry.what)
            replayed.append(again.consult_referee().verdict)
    assert again.state == state
    assert again.poses == session.poses
    assert all(answer in replayed for answer in answers)


def test_a_move_without_the_dice_that_it_takes_is_not_accepted() -> None:
    session, _ = start_duel()
    session.declare(unit="scouts", action="advance")
    with pytest.raises(BadInput, match="Enter 1 die for the Advance"):
        session.accept()
    session.declare(unit="scouts", action="advance", rolls=(2,))
    session.accept()


def test_the_time_of_an_event_is_that_of_the_picture_before_it(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        session, script = GameSession(build_game(), journal), SnapshotScript()
        show_snapshots(session, [script.take_snapshot()])
        session.declare(unit="scouts", action="normal")
        session.accept()
    times = {type(e.what): e.captured_ns for e in read_entries(path)}
    assert times[Declared] == times[Accepted] == script.now_ns


def test_a_still_table_writes_nothing_more(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        session, script = GameSession(build_game(), journal), SnapshotScript()
        show_snapshots(session, [script.take_snapshot() for _ in range(50)])
    assert len(list(read_entries(path))) == 1 + 3


def test_when_the_journal_cannot_be_written_the_game_goes_on(tmp_path: Path) -> None:
    with Journal(tmp_path / "game.overtable", about={}) as journal:
        session, script = GameSession(build_game(), journal), SnapshotScript()
        show_snapshots(session, [script.take_snapshot()])
        journal._db.execute("PRAGMA query_only = 1")
        show_snapshots(session, script.slide("s1", 350, 320))
        assert "not recorded (attempt to write a readonly database)" in session.recorder.trouble
        assert set(session.state.tracks) == {"s1"}
        journal._db.execute("PRAGMA query_only = 0")
        show_snapshots(session, script.slide("s1", 360, 320))
        assert session.recorder.trouble == ""


def test_a_game_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        session, script = GameSession(build_game(), journal), SnapshotScript()
        show_snapshots(session, [script.take_snapshot()])
        session.declare(unit="scouts", action="normal")
        show_snapshots(session, script.slide("s1", 350, 320))
    script.now_ns = 0  # a camera's clock need not go on where it was
    script.places["w1"] = (640.0, 320.0)
    with Journal(path, about={}, go_on=True) as journal:
        again = GameSession(build_game())
        for entry in read_entries(path):
            play_entry(again, entry, path)
        again.resume_recording(journal)
        show_snapshots(again, [script.take_snapshot()])
        assert again.state.declared == session.state.declared
        assert again.state.tracks["s1"] == session.state.tracks["s1"]
        moved = again.state.tracks["w1"]
        assert (moved.poses[0].x_mm, moved.poses[-1].x_mm, moved.observed) == (600, 640, False)
        assert "one model stands elsewhere than then" in list_notices(again)["gone-on"].text
        show_snapshots(again, script.slide("s1", 380, 320))
        again.accept()
        assert "gone-on" not in list_notices(again)
    replayed = GameSession(build_game())
    for entry in read_entries(path):
        play_entry(replayed, entry, path)
    assert (replayed.state, replayed.poses) == (again.state, again.poses)
    assert verify(path).broken is None


def test_what_another_unit_did_is_named_and_not_accepted_with_the_move() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    show_snapshots(session, script.slide("s1", 330, 310))
    show_snapshots(session, script.slide("w1", 900, 320))
    assert session.consult_referee().note == "w1 has moved too, which is not part of this move and is not judged."
    session.accept()
    assert set(session.state.tracks) == {"w1"}
    walker = session.state.find_model("w1").pose
    assert walker is not None
    assert walker.x_mm == 600


def test_accepting_what_nobody_declared_is_recorded_as_unjudged(tmp_path: Path) -> None:
    with Journal(tmp_path / "game.overtable", about={}) as journal:
        session, script = GameSession(build_game(), journal), SnapshotScript()
        show_snapshots(session, [script.take_snapshot()])
        show_snapshots(session, script.slide("w1", 900, 320))
        session.withdraw()
        session.accept()
    accepted = [e.what for e in read_entries(tmp_path / "game.overtable") if isinstance(e.what, Accepted)]
    assert accepted == [Accepted(models=("w1",), outcome="unjudged")]


def test_a_table_without_a_rulebook_is_watched_and_not_judged() -> None:
    session, script = GameSession(replace(build_game(), rulebook=NO_RULEBOOK)), SnapshotScript()
    show_snapshots(session, [script.take_snapshot()])
    show_snapshots(session, script.slide("s2", 300, 800))
    session.declare(unit="scouts", action=None)
    answer = session.consult_referee()
    assert (answer.verdict, answer.options, answer.zone, answer.note) == (None, (), None, "")
    assert list_layers(session) == {Layer.GHOST, Layer.PATH}
    with pytest.raises(BadInput, match="none has no action"):
        session.declare(unit="scouts", action="normal")


def test_while_the_camera_is_in_doubt_nothing_settles_and_no_move_is_accepted(tmp_path: Path) -> None:
    change = CalibrationChange(
        kind=ChangeKind.CAMERA_MOVED, moved_mm=5.123, turned_rad=0.0053, calibration_before="a", calibration="b"
    )
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        session, script = GameSession(build_game(), journal), SnapshotScript()
        show_snapshots(session, [script.take_snapshot()])
        session.declare(unit="scouts", action="normal")
        show_snapshots(session, (replace(s, doubt=Doubt.MOVING) for s in script.slide("s1", 350, 320)))
        assert session.state.tracks == {}
        with pytest.raises(BadInput, match="wait until it is still"):
            session.accept()
        show_snapshots(session, [replace(script.take_snapshot(), changes=(change,), slipped_mm={583: 4.123})])
        assert (session.seen.doubt, session.seen.slipped_mm) == (None, {583: 4.1})
        assert set(session.state.tracks) == {"s1"}
        session.accept()
    replayed, whats = GameSession(build_game()), [entry.what for entry in read_entries(path)]
    for what in whats:
        replayed.apply_observation(what) if isinstance(what, ObservationRow) else replayed.record_event(what)
    assert replayed.state == session.state
    assert (replayed.seen.slipped_mm, replayed.timeline.calibration_changes[None][1]) == (
        {583: 4.1},
        session.timeline.calibration_changes[None][1],
    )
    changed = CalibrationChanged(what="camera-moved", moved_mm=5.12, turned_rad=0.0053, before="a", after="b")
    assert changed in whats
    doubts = [what.doubt for what in whats if isinstance(what, PosesSeen)]
    assert {"moving", None} == set(doubts)


def test_a_fork_goes_on_by_itself_and_is_recorded_nowhere(tmp_path: Path) -> None:
    path, events = tmp_path / "game.overtable", list[Event]()
    with Journal(path, about={}) as journal:
        session, script = GameSession(build_game(), journal, on_event=events.append), SnapshotScript()
        show_snapshots(session, [script.take_snapshot()])
        session.declare(unit="scouts", action="normal")
        before, rows, count = session.state, journal.rows, len(events)
        poses, calibrations = dict(session.poses), set(session.recorder.calibrations)
        fork = session.fork()
        show_snapshots(fork, script.slide("s1", 350, 320))
        fork.recorder.record_calibration(CalibrationSeen.from_camera(CAMERA, anchors=(580, 581)), fork.now_ns)
        fork.accept()
        fork.record_call()
        assert fork.state != before
        assert (session.state, session.poses, session.pick) == (before, poses, Pick(unit="scouts", model="s1"))
        assert (journal.rows, len(events), session.recorder.calibrations) == (rows, count, calibrations)
        show_snapshots(session, SnapshotScript(now_ns=script.now_ns).slide("s2", 350, 350))
    assert set(session.state.tracks) == {"s2"}
