"""What the pages say of two prints of a tag, of heights in doubt, of a moved camera, and of what is hidden a moment."""

import math
from dataclasses import replace

from assistant.game.state import Terrain
from assistant.table.session import GameSession
from assistant.web.messages.table import ModelView
from assistant.web.views.notices import TOLD_NS
from assistant.web.views.session import Source, build_view
from tests.assistant.snapshot_script import SnapshotScript, build_game
from vision.marker_numbers import number_ring
from vision.types import CalibrationChange, CameraSway, ChangeKind, Doubt, PoseState, TableSnapshot

SOURCE = Source(name="", title="", virtual=False, replay=False, state="live", text="", fps=0.0, latency_ms=0.0)
STEP = Terrain(id="step", outline_mm=((200, 200), (400, 200), (400, 320), (200, 320)), height_mm=6)


def list_notice_texts(session: GameSession) -> dict[str, str]:
    return {key: notice.text for key, notice in build_view(session, SOURCE).notices.items()}


def find_model_view(session: GameSession, model: str) -> ModelView:
    return build_view(session, SOURCE).models[model]


def change_s1(snapshot: TableSnapshot, **changes: object) -> TableSnapshot:
    poses = tuple(replace(p, **changes) if p.model == "s1" else p for p in snapshot.poses)  # type: ignore[arg-type]
    return replace(snapshot, poses=poses)


def test_a_marker_in_view_twice_is_said_for_as_long_as_it_is() -> None:
    session, script = GameSession(build_game()), SnapshotScript()
    first = script.take_snapshot()
    tag = next(pose.marker for pose in first.poses if pose.model == "s1")
    session.observe(first)
    assert list_notice_texts(session) == {}
    session.observe(
        replace(change_s1(script.take_snapshot(), state=PoseState.HELD), shown_twice=(tag, 580, number_ring(17)))
    )
    assert list_notice_texts(session) == {
        f"twice:tag {tag}": f"Tag {tag} is in view twice: take one print away; s1 is held at its last place.",
        "twice:tag 580": "Tag 580 is in view twice: take one print away.",
        "twice:ring 17": "Ring 17 is in view twice: take one print away.",
    }
    session.observe(script.take_snapshot())
    assert list_notice_texts(session) == {}


def test_an_anchor_that_is_wrong_is_named_for_as_long_as_it_is() -> None:
    session, script = GameSession(build_game()), SnapshotScript()
    session.observe(replace(script.take_snapshot(), wrong_anchors=("anchor 581 seems turned by 180 degrees",)))
    assert list_notice_texts(session) == {"wrong-anchor:0": "Anchor 581 seems turned by 180 degrees."}
    session.observe(script.take_snapshot())
    assert list_notice_texts(session) == {}


def test_a_height_in_doubt_is_said_until_it_is_known() -> None:
    session, script = GameSession(replace(build_game(), terrain=(STEP,))), SnapshotScript()
    session.observe(change_s1(script.take_snapshot(), other_z_mm=(6.0,)))
    assert list(list_notice_texts(session)) == ["height:s1"]
    assert list_notice_texts(session)["height:s1"].startswith("s1 stands on the table or on step: ")
    session.observe(script.take_snapshot())
    assert list_notice_texts(session) == {}


def test_what_is_hidden_for_a_moment_is_shown_as_seen() -> None:
    session, script = GameSession(build_game()), SnapshotScript()
    session.observe(script.take_snapshot())
    hidden = change_s1(script.take_snapshot(), state=PoseState.HELD)
    session.observe(hidden)
    assert (find_model_view(session, "s1").state, find_model_view(session, "s1").just_hidden) == ("held", True)
    session.observe(replace(hidden, captured_ns=hidden.captured_ns + 149_000_000))
    assert find_model_view(session, "s1").just_hidden
    session.observe(replace(hidden, captured_ns=hidden.captured_ns + 150_000_000))
    assert (find_model_view(session, "s1").state, find_model_view(session, "s1").just_hidden) == ("held", False)
    session.observe(script.take_snapshot())
    assert (find_model_view(session, "s1").state, find_model_view(session, "s1").just_hidden) == ("seen", False)


def test_a_camera_in_doubt_is_said_for_as_long_as_it_is_and_what_has_changed_for_a_while() -> None:
    session, script = GameSession(build_game()), SnapshotScript()
    session.observe(replace(script.take_snapshot(), doubt=Doubt.MOVING))
    assert list_notice_texts(session) == {
        "calibration": "The camera or the table was moved: wait until it is still. Until then nothing is judged."
    }
    session.observe(replace(script.take_snapshot(), doubt=Doubt.ASTRAY, astray=(581,)))
    assert list_notice_texts(session)["calibration"].startswith(
        "Anchor 581 is not where it was, and too few others tell"
    )
    session.observe(replace(script.take_snapshot(), doubt=Doubt.HIDDEN))
    assert "clear the view of the anchors" in list_notice_texts(session)["calibration"]
    changes = (
        CalibrationChange(kind=ChangeKind.CAMERA_MOVED, moved_mm=5.12, turned_rad=math.radians(0.3)),
        CalibrationChange(kind=ChangeKind.ANCHOR_SLIPPED, tag=583, moved_mm=4.12),
        CalibrationChange(kind=ChangeKind.ANCHOR_BACK, tag=584, moved_mm=0.1),
    )
    session.observe(replace(script.take_snapshot(), changes=changes, slipped_mm={583: 4.12}))
    slipped = {
        "anchor:583": "Anchor 583 slipped by 4.1 mm and is left out: put it back where it lay, or measure its new"
        " place, write that into the set-up, and start again."
    }
    assert list_notice_texts(session) == slipped | {
        "changed:camera": "The camera or the table was moved by 5.1 mm and turned by 0.30°; it has been calibrated"
        " anew.",
        "changed:584": "Anchor 584 lies where it belongs again.",
    }
    script.now_ns += TOLD_NS
    session.observe(replace(script.take_snapshot(), slipped_mm={583: 4.12}))
    assert list_notice_texts(session) == slipped
    for breath, told in ((1e-4, set()), (5e-4, {"sway"})):
        sway = CameraSway(zoom=0.0, zoom_sigma=1e-5, breath=breath, shake_px=0.2)
        session.observe(replace(script.take_snapshot(), sway=sway))
        assert list_notice_texts(session).keys() == told
    assert "focus breathes by 0.05 %: switch its autofocus off" in list_notice_texts(session)["sway"]
