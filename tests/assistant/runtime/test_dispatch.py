"""Several pages decide at once: nobody decides about something that they did not see."""

from typing import get_args

import pytest

from assistant.errors import BadInput
from assistant.features.armies.controller import ArmiesController
from assistant.features.decisions import GameController
from assistant.features.feature import Asker, Feature, Handles
from assistant.features.layout_editor.controller import LayoutEditor
from assistant.hall.desk import Desk
from assistant.runtime import composition_root, replay_loop
from assistant.runtime.dispatch import ABSENT, FeatureSet
from assistant.table.session import GameSession
from assistant.web.commands import ENTRIES
from assistant.web.commands.calibration import LensMore, LightSettings, ProjectorPage
from assistant.web.commands.game import Accept, Declare, GoOn, Play, Restore, RestoreDone, Rule, RulePast, Shown, Undo
from assistant.web.messages.message import Message, Role
from assistant.web.messages.move import MoveView
from assistant.web.views.session import build_move_view
from tests.assistant.snapshot_script import SnapshotScript, build_game


def give(session: GameSession, command: Message, role: Role = "player") -> None:
    FeatureSet(GameController()).handle(command, Asker(session=session, role=role))


def build_moving_session(*, to_x_mm: float) -> tuple[GameSession, SnapshotScript]:
    """Return a table on which s1 is moving as announced."""
    session, script = GameSession(build_game()), SnapshotScript()
    for snapshot in (script.take_snapshot(), *script.slide("s1", 300, 300)):
        session.observe(snapshot)
    give(session, Declare(type="declare", unit="scouts", action="normal"))
    for snapshot in script.slide("s1", to_x_mm, 300):
        session.observe(snapshot)
    return session, script


def read_move(session: GameSession) -> MoveView:
    return build_move_view(session, session.consult_referee())


def build_accept(now: MoveView) -> Accept:
    return Accept(type="accept", shown=Shown(decided=now.decided, outcome=now.outcome, moved=now.moved))


def test_what_is_shown_is_accepted() -> None:
    session, _ = build_moving_session(to_x_mm=330)
    give(session, build_accept(read_move(session)))
    assert session.state.declared is None
    assert not session.state.tracks


def test_a_move_that_changed_under_the_finger_is_not_accepted() -> None:
    session, script = build_moving_session(to_x_mm=330)
    accept = build_accept(read_move(session))
    for snapshot in script.slide("s1", 520, 300):
        session.observe(snapshot)
    assert read_move(session).outcome != "legal"
    with pytest.raises(BadInput, match="the move changed while you tapped"):
        give(session, accept)
    assert session.state.declared is not None
    give(session, build_accept(read_move(session)))
    assert session.state.declared is None


def test_another_model_that_moved_meanwhile_is_not_accepted_with_it() -> None:
    session, script = build_moving_session(to_x_mm=330)
    accept = build_accept(read_move(session))
    for snapshot in script.slide("s2", script.places["s2"][0], script.places["s2"][1] + 20):
        session.observe(snapshot)
    assert len(read_move(session).moved) == 2
    with pytest.raises(BadInput, match="changed while you tapped"):
        give(session, accept)


@pytest.mark.parametrize("kind", [Accept, Undo, GoOn])
def test_who_decides_a_moment_later_is_told_to_look_again(kind: type[Accept | Undo | GoOn]) -> None:
    session, _ = build_moving_session(to_x_mm=330)
    before = read_move(session)
    commands: dict[type, Message] = {
        Accept: build_accept(before),
        Undo: Undo(type="undo", decided=before.decided),
        GoOn: GoOn(type="go-on", decided=before.decided),
    }
    give(session, build_accept(before))  # on another tablet
    state = session.state
    with pytest.raises(BadInput, match="look again"):
        give(session, commands[kind])
    assert session.state is state


def test_two_who_press_undo_at_once_take_back_one_decision() -> None:
    session, _ = build_moving_session(to_x_mm=330)
    give(session, build_accept(read_move(session)))
    undo = Undo(type="undo", decided=read_move(session).decided)
    give(session, undo)
    assert session.state.declared is not None
    with pytest.raises(BadInput, match="the game went on"):
        give(session, undo)
    assert session.state.declared is not None
    assert read_move(session).decided == (undo.decided or 0) + 1


@pytest.mark.parametrize("role", [role for role in get_args(Role) if role != "viewer"])
def test_only_a_judge_takes_a_judges_ruling_back(role: Role) -> None:
    session, _ = build_moving_session(to_x_mm=520)
    give(session, Rule(type="rule", outcome="legal", by="judge", note="It was measured by hand."), "judge")
    if role == "player":
        with pytest.raises(BadInput, match="only a judge can take that back"):
            give(session, Undo(type="undo"), role)
        assert session.state.rulings
    else:
        give(session, Undo(type="undo"), role)
        assert not session.state.rulings


def test_the_players_take_their_own_agreement_back() -> None:
    session, _ = build_moving_session(to_x_mm=520)
    give(session, Rule(type="rule", outcome="legal"))
    give(session, Undo(type="undo"))
    assert not session.state.rulings


def test_while_a_table_is_put_back_nothing_else_is_decided() -> None:
    session, script = build_moving_session(to_x_mm=340)
    give(session, Restore(type="restore"))
    for refused in (build_accept(read_move(session)), Declare(type="declare", unit="walker"), GoOn(type="go-on")):
        with pytest.raises(BadInput, match="being put back"):
            give(session, refused)
    with pytest.raises(BadInput, match="look again"):
        give(session, RestoreDone(type="restore-done", missing=0))
    for snapshot in script.slide("s1", 300, 300):
        session.observe(snapshot)
    give(session, RestoreDone(type="restore-done", missing=0))
    assert not session.state.tracks
    with pytest.raises(BadInput, match="not recorded"):
        give(session, Restore(type="restore", at_ns=5))


def test_a_game_that_is_being_played_is_no_replay() -> None:
    with pytest.raises(BadInput, match="being played"):
        FeatureSet().handle(Play(type="play"), Asker(session=GameSession(build_game())))


def test_whatever_is_not_there_is_refused_with_a_reason_of_its_own() -> None:
    assert set(ABSENT) == {entry.feature for entry in ENTRIES}
    asker = Asker(session=GameSession(build_game()))
    with pytest.raises(BadInput, match="no lens can be calibrated here"):
        FeatureSet().handle(LensMore(type="lens-more"), asker)
    FeatureSet().handle(ProjectorPage(type="projector-page", width_px=800, height_px=600), asker)


def test_every_command_has_a_feature_that_handles_it() -> None:
    features = {
        value.name
        for module in (composition_root, replay_loop)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Feature) and value is not Feature
    }
    wizard_has = {ArmiesController.name, LayoutEditor.name}
    assert {entry.feature for entry in ENTRIES} - {"hall-desk"} <= features | wizard_has
    desk_has = Desk.__dict__["_obey"].dispatcher.registry.keys()
    assert {entry.command for entry in ENTRIES if entry.feature == "hall-desk"} == desk_has - {object}


def test_a_feature_has_exactly_one_handler_for_each_of_its_commands() -> None:
    with pytest.raises(TypeError, match="UnrulePast"):

        class Lacking(Feature):
            name = "judge"

            @Handles(RulePast)
            def rule(self) -> None: ...

    with pytest.raises(TypeError, match="LightSettings"):

        class Twofold(Feature):
            name = "light"

            @Handles(LightSettings)
            def one(self) -> None: ...

            @Handles(LightSettings)
            def other(self) -> None: ...

    with pytest.raises(TypeError, match="LensMore"):

        class Foreign(Feature):
            name = "clock"

            @Handles(LensMore)
            def want_more(self) -> None: ...


def test_no_two_features_of_a_table_have_the_same_name() -> None:
    with pytest.raises(TypeError, match="same name"):
        FeatureSet(GameController(), GameController())
