"""Swapped tags: two models carry each other's, and what is seen of one counts for the other, now and in a replay."""

from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.features.demo.virtual_table import DemoController
from assistant.features.feature import Asker
from assistant.game.events import ModelSettled
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import PosesSeen
from assistant.replay.past_decisions import plan_restoring
from assistant.replay.recorded_game import RecordedGame
from assistant.table.session import GameSession
from assistant.web.commands.game import Drag
from assistant.web.views.notices import list_notices
from tests.assistant.replay.sample_recording import RecordedTable
from tests.assistant.snapshot_script import SnapshotScript, build_crossing_game, build_game
from tests.assistant.table.session_play import start_duel


def slide_model(session: GameSession, script: SnapshotScript, model: str, x_mm: float) -> None:
    for snapshot in script.slide(model, x_mm, script.places[model][1]):
        session.observe(snapshot)


def list_places(session: GameSession) -> dict[str, tuple[float, float]]:
    state = session.state.apply_tracks()
    return {model.id: (model.pose.x_mm, model.pose.y_mm) for _, model in state.iterate_models() if model.pose}


def test_what_was_and_is_seen_of_one_counts_for_the_other() -> None:
    session, script = start_duel()
    slide_model(session, script, "s1", 340)  # which is s2, as they find out
    session.swap_markers("s1", "s2")
    assert list_places(session) == {"s1": (300, 350), "s2": (340, 300), "w1": (600, 320)}
    assert list(session.state.tracks) == ["s2"]
    assert (session.poses["s2"].x_mm, session.poses["s2"].tag) == (340, 0)
    slide_model(session, script, "s1", 400)
    slide_model(session, script, "s2", 330)
    assert list_places(session) == {"s1": (330, 350), "s2": (400, 300), "w1": (600, 320)}
    assert session.state.tracks["s2"].poses[0].x_mm == 300  # from the start of its way, before anybody knew
    assert session.consult_referee().verdict is not None


def test_a_move_that_was_taken_up_for_the_wrong_unit_is_the_others() -> None:
    session, script = start_duel()
    slide_model(session, script, "w1", 640)
    assert session.state.declared is not None
    assert session.state.declared.unit == "walker"
    session.swap_markers("s1", "w1")
    assert session.state.declared is not None
    assert session.state.declared.unit == "scouts"
    assert session.pick is not None
    assert session.pick.model == "s1"
    assert session.state.tracks["s1"].poses[-1].x_mm == 640


def test_an_announcement_of_a_person_stays() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="advance", rolls=(3,))
    slide_model(session, script, "w1", 640)
    session.swap_markers("w1", "s1")
    assert session.state.declared is not None
    assert (session.state.declared.action, session.state.declared.rolls) == ("advance", (3,))
    assert session.state.tracks["s1"].told == session.state.declared


def test_it_can_be_taken_back_and_what_was_seen_since_stays_seen() -> None:
    session, script = start_duel()
    straight, other = start_duel()
    session.swap_markers("s1", "s2")
    slide_model(session, script, "s1", 400)
    session.undo()  # that scouts were announced, which the camera's sight led to
    session.undo()
    slide_model(straight, other, "s1", 400)
    straight.undo()
    assert session.state == straight.state
    assert session.poses == straight.poses
    slide_model(session, script, "s1", 420)
    slide_model(straight, other, "s1", 420)
    assert session.state.tracks["s1"] == straight.state.tracks["s1"]


def test_a_model_that_got_the_tag_of_one_that_is_not_in_the_game_stays_where_it_stands() -> None:
    session, script = start_duel()
    script.places["spare"] = (900.0, 900.0)
    session.observe(script.take_snapshot())
    assert "spare" not in list_places(session)
    del script.places["s2"]
    session.swap_markers("s2", "spare")
    assert list_places(session)["s2"] == (300, 350)
    script.places = {"s1": (300.0, 300.0), "gone": (0.0, 0.0), "w1": (600.0, 320.0), "spare": (310.0, 350.0)}
    session.observe(script.take_snapshot())
    assert list_places(session)["s2"] == (310, 350)


def test_a_model_that_got_the_tag_of_one_in_reserve_is_on_the_table_and_the_other_is_not() -> None:
    session, script = GameSession(build_crossing_game()), SnapshotScript()
    script.places = {"l1": (500.0, 500.0), "w1": (600.0, 320.0)}  # which is s1, for l1 is still to come
    session.observe(script.take_snapshot())
    session.swap_markers("s1", "l1")
    session.observe(script.take_snapshot())
    assert list_places(session)["s1"] == (500, 500)
    assert session.poses["l1"].state == "lost"  # its unit is in reserve, where no place of it counts


def test_a_replay_knows_them_as_the_game_did(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.do(lambda: table.session.swap_markers("s1", "s2"))
    table.push_too_far()
    moment = RecordedGame(table.path).find_moment(10**12)
    assert moment.session.state == table.session.state
    assert moment.session.poses == table.session.poses
    assert RecordedGame(table.path).find_moment(1_500_000_000).session.poses["s1"].tag == 1
    (settled,) = (e.what for e in read_entries(table.path) if isinstance(e.what, ModelSettled))
    assert settled.model == "s1"  # the script pushes the base with the tag of s2
    last = [e.what for e in read_entries(table.path) if isinstance(e.what, PosesSeen) and e.what.poses][-1]
    assert [(pose.tag, pose.model) for pose in last.poses] == [(1, "s1")]


def test_each_is_put_back_to_where_it_stood_and_not_to_where_it_was_thought_to(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.wait()
    then_ns = table.script.now_ns
    table.do(lambda: table.session.swap_markers("s1", "s2", 0))
    past = RecordedGame(table.path)
    at_ns = then_ns - past.began_ns
    known = plan_restoring(past, at_ns, table.session.swaps).places
    thought = plan_restoring(past, at_ns).places
    assert (known["s1"], known["s2"], known["w1"]) == (thought["s2"], thought["s1"], thought["w1"])
    assert plan_restoring(past, past.find_end_ns(), table.session.swaps).places["s1"] == known["s1"]
    table.do(table.session.undo)
    assert table.session.swaps == ()


def test_the_set_up_file_is_said_to_be_wrong_until_it_is_not() -> None:
    session, script = start_duel()
    session.swap_markers("s1", "s2")
    session.observe(script.take_snapshot())
    assert "give tag 0 the model s2 and tag 1 the model s1 there" in list_notices(session)["swapped"].text
    # With the set-up put right, the game goes on and nothing is turned twice.
    script.places = {"s2": (300.0, 300.0), "s1": (300.0, 350.0), "w1": (600.0, 320.0)}
    session.observe(script.take_snapshot())
    assert "swapped" not in list_notices(session)
    assert list_places(session)["s1"] == (300, 350)


def test_models_with_rings_and_with_tags_are_told_apart_likewise() -> None:
    session = GameSession(build_game())
    script = SnapshotScript(places={"s1": (300.0, 300.0), "s2": (300.0, 350.0)}, ringed=frozenset({"s2"}))
    session.observe(script.take_snapshot())
    session.swap_markers("s1", "s2")
    assert (session.state.carried, session.state.carried_rings) == ({0: "s2"}, {1: "s1"})
    slide_model(session, script, "s2", 340)
    assert (session.poses["s1"].ring, session.poses["s2"].tag) == (1, 0)
    assert list_places(session)["s1"] == (340, 350)
    assert "give tag 0 the model s2 and ring 1 the model s1 there" in list_notices(session)["swapped"].text
    while session.swaps:  # what moved since was announced for it
        session.undo()
    session.observe(script.take_snapshot())
    assert (session.poses["s1"].tag, session.poses["s2"].ring) == (0, 1)


def test_a_hand_pushes_the_base_that_carries_the_model() -> None:
    session, script = start_duel()
    session.swap_markers("s1", "s2")
    session.observe(script.take_snapshot())
    pushed: list[str] = []
    drag = Drag(type="drag", model="s1", x_mm=1, y_mm=1, facing_deg=0, done=True)
    DemoController(push=lambda order: pushed.append(order.model)).handle(drag, Asker(session=session))
    assert pushed == ["s2"]


@pytest.mark.parametrize(
    ("one", "two", "sentence"),
    [
        ("s1", "s9", "there is no model 's9' in this game"),
        ("s1", "s1", "name two models"),
    ],
)
def test_what_cannot_be_is_refused(one: str, two: str, sentence: str) -> None:
    session, _ = start_duel()
    with pytest.raises(BadInput, match=sentence):
        session.swap_markers(one, two)
    with pytest.raises(BadInput, match="this moment has not come yet"):
        session.swap_markers("s1", "s2", since_ns=session.now_ns + 1)
    with pytest.raises(BadInput, match="the camera has seen neither s1 nor s2"):
        GameSession(build_game()).swap_markers("s1", "s2")


def test_nothing_is_exchanged_twice_over() -> None:
    session, _ = start_duel()
    before = session.state
    session.swap_markers("s1", "s2")
    session.swap_markers("s2", "s1")
    assert list_places(session) == {"s1": (300, 300), "s2": (300, 350), "w1": (600, 320)}
    assert session.state.carried == {0: "s1", 1: "s2"}
    session.undo()
    session.undo()
    assert session.state == before
