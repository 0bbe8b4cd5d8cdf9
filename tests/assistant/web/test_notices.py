"""What the pages say of two prints of a tag, of heights in doubt, of a moved camera, and of what is hidden a moment."""

import math
from dataclasses import replace

from assistant.game.state import Terrain
from assistant.session import Session
from assistant.web.messages.table import ModelView
from assistant.web.notices import TOLD_NS
from assistant.web.view import Source, view_of
from tests.assistant.scripted import Script, game
from vision.types import CalibrationChange, ChangeKind, Doubt, PoseState, TableSnapshot

SOURCE = Source(name="", title="", virtual=False, replay=False, state="live", text="", fps=0.0, latency_ms=0.0)
STEP = Terrain(id="step", outline_mm=((200, 200), (400, 200), (400, 320), (200, 320)), height_mm=6)


def said(session: Session) -> dict[str, str]:
    return {key: notice.text for key, notice in view_of(session, SOURCE).notices.items()}


def shown(session: Session, model: str) -> ModelView:
    return view_of(session, SOURCE).models[model]


def with_s1(snapshot: TableSnapshot, **changes: object) -> TableSnapshot:
    poses = tuple(replace(p, **changes) if p.model == "s1" else p for p in snapshot.poses)  # type: ignore[arg-type]
    return replace(snapshot, poses=poses)


def test_a_tag_in_view_twice_is_said_for_as_long_as_it_is() -> None:
    session, script = Session(game()), Script()
    first = script.frame()
    tag = next(pose.tag for pose in first.poses if pose.model == "s1")
    session.see(first)
    assert said(session) == {}
    session.see(replace(with_s1(script.frame(), state=PoseState.HELD), shown_twice=(tag, 580)))
    assert said(session) == {
        f"tag:{tag}": f"Tag {tag} is in view twice: take one print away; s1 is held at its last place.",
        "tag:580": "Tag 580 is in view twice: take one print away.",
    }
    session.see(script.frame())
    assert said(session) == {}


def test_an_anchor_that_is_wrong_is_named_for_as_long_as_it_is() -> None:
    session, script = Session(game()), Script()
    session.see(replace(script.frame(), wrong_anchors=("anchor 581 seems turned by 180 degrees",)))
    assert said(session) == {"wrong-anchor:0": "Anchor 581 seems turned by 180 degrees."}
    session.see(script.frame())
    assert said(session) == {}


def test_a_height_in_doubt_is_said_until_it_is_known() -> None:
    session, script = Session(replace(game(), terrain=(STEP,))), Script()
    session.see(with_s1(script.frame(), other_z_mm=(6.0,)))
    assert list(said(session)) == ["height:s1"]
    assert said(session)["height:s1"].startswith("s1 stands on the table or on step: ")
    session.see(script.frame())
    assert said(session) == {}


def test_what_is_hidden_for_a_moment_is_shown_as_seen() -> None:
    session, script = Session(game()), Script()
    session.see(script.frame())
    hidden = with_s1(script.frame(), state=PoseState.HELD)
    session.see(hidden)
    assert (shown(session, "s1").state, shown(session, "s1").just_hidden) == ("held", True)
    session.see(replace(hidden, captured_ns=hidden.captured_ns + 149_000_000))
    assert shown(session, "s1").just_hidden
    session.see(replace(hidden, captured_ns=hidden.captured_ns + 150_000_000))
    assert (shown(session, "s1").state, shown(session, "s1").just_hidden) == ("held", False)
    session.see(script.frame())
    assert (shown(session, "s1").state, shown(session, "s1").just_hidden) == ("seen", False)


def test_a_camera_in_doubt_is_said_for_as_long_as_it_is_and_what_has_changed_for_a_while() -> None:
    session, script = Session(game()), Script()
    session.see(replace(script.frame(), doubt=Doubt.MOVING))
    assert said(session) == {
        "calibration": "The camera or the table was moved: wait until it is still. Until then nothing is judged."
    }
    session.see(replace(script.frame(), doubt=Doubt.ASTRAY, astray=(581,)))
    assert said(session)["calibration"].startswith("Anchor 581 is not where it was, and too few others tell")
    session.see(replace(script.frame(), doubt=Doubt.HIDDEN))
    assert "clear the view of the anchors" in said(session)["calibration"]
    changes = (
        CalibrationChange(kind=ChangeKind.CAMERA_MOVED, moved_mm=5.12, turned_rad=math.radians(0.3)),
        CalibrationChange(kind=ChangeKind.ANCHOR_SLIPPED, tag=583, moved_mm=4.12),
        CalibrationChange(kind=ChangeKind.ANCHOR_BACK, tag=584, moved_mm=0.1),
    )
    session.see(replace(script.frame(), changes=changes, slipped_mm={583: 4.12}))
    slipped = {
        "anchor:583": "Anchor 583 slipped by 4.1 mm and is left out: put it back where it lay, or measure its new"
        " place, write that into the set-up, and start again."
    }
    assert said(session) == slipped | {
        "changed:camera": "The camera or the table was moved by 5.1 mm and turned by 0.30°; it has been calibrated"
        " anew.",
        "changed:584": "Anchor 584 lies where it belongs again.",
    }
    script.now_ns += TOLD_NS
    session.see(replace(script.frame(), slipped_mm={583: 4.12}))
    assert said(session) == slipped
