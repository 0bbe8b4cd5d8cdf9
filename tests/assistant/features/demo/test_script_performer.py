"""The hand that plays a script: what it does when, and when it lets go for good."""

from dataclasses import replace
from itertools import pairwise

import pytest

from assistant.features.demo.script import (
    FAREWELL_S,
    LONGEST_STEP_NS,
    OVER,
    READ_S,
    SETS_OFF_S,
    STOPPED,
    ScriptPerformer,
    ScriptScene,
    find_pose_along,
    length_mm,
    slide_distance_mm,
)
from assistant.game.state import Move, Pose
from assistant.rules.verdict import Outcome
from assistant.table.ingest import GAP_NS
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.commands.game import Accept, Declare, Drag, Withdraw
from assistant.web.messages.message import Message
from tests.assistant.snapshot_script import FRAME_NS, SnapshotScript, build_game

PATH = (Pose(x_mm=300, y_mm=300), Pose(x_mm=300, y_mm=260), Pose(x_mm=340, y_mm=260, facing_rad=0.5))
SCENE = ScriptScene(
    caption="A scout walks.",
    move=Move(unit="scouts", action="advance", rolls=(2,), paths={"s1": PATH}, intent={"engages": ("w1",)}),
    outcome=Outcome.LEGAL,
    rule="10e-17",
    accepted=False,
    pace_mm_s=150,
)


class ScriptRun:
    """A performer before a table on which whatever it drags arrives at once."""

    def __init__(self, *scenes: ScriptScene) -> None:
        self.session = GameSession(build_game(), solve_zone=skip_zone)
        self.performer = ScriptPerformer(scenes, self.session)
        self.script = SnapshotScript()
        self.commands: tuple[Message, ...] = ()
        self.done: list[Message] = []

    def step(self, steps: int = 1) -> tuple[Message, ...]:
        """Show pictures, and obey what the performer then asks for."""
        for _ in range(steps):
            before = dict(self.script.places)
            for drag in (command for command in self.commands if isinstance(command, Drag)):
                self.script.places[drag.model] = (drag.x_mm, drag.y_mm)
            moving = frozenset(model for model, place in self.script.places.items() if before[model] != place)
            snapshot = self.script.take_snapshot(moving=moving)
            self.session.observe(snapshot)
            self.commands = self.performer.step(snapshot.captured_ns)
            self._obey(self.commands)
            self.done += self.commands
        return self.commands

    def step_until(self, kind: type[Message]) -> Message:
        """Go on until something of a kind is asked for."""
        seen = len(self.done)
        for _ in range(1000):
            self.step()
            if found := [command for command in self.done[seen:] if isinstance(command, kind)]:
                return found[0]
        raise AssertionError(f"no {kind.__name__} came")

    def _obey(self, commands: tuple[Message, ...]) -> None:
        for command in commands:
            match command:
                case Declare():
                    self.session.declare(unit=command.unit, action=command.action, rolls=tuple(command.rolls))
                case Withdraw():
                    self.session.withdraw()
                case Accept():
                    self.session.accept()


def test_a_scene_is_announced_then_slid_then_taken_back() -> None:
    show = ScriptRun(SCENE)
    assert show.step_until(Declare) == Declare(
        type="declare", unit="scouts", action="advance", rolls=[2], model="s1", intent={"engages": ["w1"]}
    )
    announced_ns = show.script.now_ns
    show.step_until(Drag)
    assert show.script.now_ns - announced_ns == pytest.approx(READ_S * 1e9, abs=2 * FRAME_NS)
    show.step_until(Withdraw)
    drags = [command for command in show.done if isinstance(command, Drag)]
    assert [type(command) for command in show.done if not isinstance(command, Drag)] == [Declare, Withdraw, Accept]
    ends = [(drag.x_mm, drag.y_mm) for drag in drags if drag.done]
    assert ends == [(340, 260), (300, 300)]
    steps_mm = [abs(b.x_mm - a.x_mm) + abs(b.y_mm - a.y_mm) for a, b in pairwise(drags)]
    assert max(steps_mm) <= SCENE.pace_mm_s * FRAME_NS / 1e9 + 1e-6
    assert show.session.state.tracks == {}


def test_an_accepted_scene_leaves_its_models_where_they_are() -> None:
    show = ScriptRun(replace(SCENE, accepted=True))
    show.step_until(Accept)
    assert show.script.places["s1"] == (340, 260)
    assert not any(isinstance(command, Withdraw) for command in show.done)


def test_the_caption_stands_with_the_ruling_and_in_the_end_says_whose_the_table_is() -> None:
    show = ScriptRun(SCENE)
    assert show.performer.build_view() is None
    show.step_until(Declare)
    told = show.performer.build_view()
    assert told
    assert (told.number, told.count, told.caption, told.outcome) == (1, 1, "A scout walks.", None)
    show.step_until(Withdraw)
    told = show.performer.build_view()
    assert told
    assert (told.outcome, told.caption) == ("illegal", "A scout walks.")  # what is said, not what was expected
    assert "10e-60" in told.ruling
    show.step()
    over = show.performer.build_view()
    assert over
    assert (over.caption, over.playing, show.performer.playing) == (OVER, False, False)
    show.step(round(FAREWELL_S * 1e9 / FRAME_NS) + 2)
    assert show.performer.build_view() is None


def test_a_way_that_was_not_seen_whole_is_gone_once_more() -> None:
    show = ScriptRun(SCENE)
    show.step_until(Drag)
    show.step(3)
    show.script.now_ns += GAP_NS
    show.step_until(Withdraw)
    told = show.performer.build_view()
    assert told
    assert told.outcome is None
    show.step_until(Declare)
    show.step_until(Withdraw)
    told = show.performer.build_view()
    assert told
    assert told.outcome == "illegal"
    assert show.performer.step(show.script.now_ns) == ()


def test_it_stops_for_good() -> None:
    show = ScriptRun(SCENE, SCENE)
    show.step_until(Drag)
    show.performer.stop()
    assert show.step(200) == ()
    count = len(show.done)
    show.step(200)
    assert len(show.done) == count
    assert not show.performer.playing


def test_it_says_that_it_has_stopped_and_only_once() -> None:
    show = ScriptRun(SCENE)
    show.step_until(Declare)
    show.performer.stop()
    show.performer.stop("something else")
    told = show.performer.build_view()
    assert told
    assert told.caption == STOPPED


def test_a_late_picture_makes_no_leap() -> None:
    show = ScriptRun(SCENE)
    first = show.step_until(Drag)
    show.script.now_ns += 10**10
    show.step()
    last = show.done[-1]
    assert isinstance(first, Drag)
    assert isinstance(last, Drag)
    assert abs(last.y_mm - first.y_mm) <= SCENE.pace_mm_s * LONGEST_STEP_NS / 1e9


def test_a_hand_comes_up_to_its_pace_little_by_little() -> None:
    assert slide_distance_mm(0, 180) == 0
    assert slide_distance_mm(SETS_OFF_S / 2, 180) == pytest.approx(180 * SETS_OFF_S / 8)
    assert slide_distance_mm(SETS_OFF_S, 180) == pytest.approx(180 * SETS_OFF_S / 2)
    assert slide_distance_mm(SETS_OFF_S + 2, 180) - slide_distance_mm(SETS_OFF_S + 1, 180) == pytest.approx(180)


def test_a_hand_goes_along_a_path_and_turns_on_the_way() -> None:
    assert length_mm(PATH) == 80
    assert find_pose_along(PATH, 20) == Pose(x_mm=300, y_mm=280)
    half = find_pose_along(PATH, 60)
    assert (half.x_mm, half.y_mm, half.facing_rad) == pytest.approx((320, 260, 0.25))
    assert find_pose_along(PATH, 500) == PATH[-1]
    turn = (Pose(x_mm=0, y_mm=0, facing_rad=0), Pose(x_mm=0, y_mm=0, facing_rad=-1))
    assert find_pose_along(turn, length_mm(turn) / 2).facing_rad == pytest.approx(-0.5)
    assert find_pose_along(PATH[:1], 0) == PATH[0]
