"""Putting a table back: what models do meanwhile is no move, and those that are back stand exactly where they stood."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.state import FormerPlace, GameState, Pose
from assistant.recording.poses import PoseEntry
from assistant.replay.past_decisions import plan_restoring, plan_restoring_from_recording
from assistant.replay.recorded_game import RecordedGame
from assistant.table.declared_move import Pick
from assistant.table.restore import (
    PlacementDifference,
    build_last_accepted,
    compare_placements,
    draw_restoring,
    list_targets,
)
from assistant.table.session import GameSession
from tests.assistant.replay.sample_recording import RecordedTable
from tests.assistant.snapshot_script import SnapshotScript, build_game


class RestoringTable:
    def __init__(self, state: GameState | None = None) -> None:
        self.session, self.script = GameSession(state or build_game()), SnapshotScript()
        self.session.observe(self.script.take_snapshot())

    def slide(self, model: str, x_mm: float, y_mm: float) -> None:
        for frame in self.script.slide(model, x_mm, y_mm):
            self.session.observe(frame)

    def list_states(self) -> dict[str, str]:
        return {each.model: each.state for each in self.session.compare_placements()}


def test_a_bumped_table_is_put_back_without_noise() -> None:
    table = RestoringTable()
    table.session.accept()
    before = table.session.state
    table.slide("s1", 340, 260)
    table.slide("s2", 330, 330)
    table.session.withdraw()
    table.session.begin_restoring(build_last_accepted(table.session.state))
    assert table.list_states() == {"s1": "off", "s2": "near", "w1": "back"}
    table.slide("s1", 300.3, 300.2)
    assert table.session.consult_referee().verdict is None
    assert table.session.state.declared is None, "what is put back is no move"
    table.slide("s2", 300.8, 349.8)
    assert table.list_states() == {"s1": "back", "s2": "near", "w1": "back"}
    table.slide("s2", 299.7, 350)
    table.session.finish_restoring()
    after = table.session.state
    assert not after.tracks
    assert after.restoring is None
    assert [m.pose for _, m in after.iterate_models()] == [m.pose for _, m in before.iterate_models()]


def test_models_that_are_not_back_stay_where_they_are_and_it_can_be_taken_back() -> None:
    table = RestoringTable()
    table.slide("s1", 340, 260)
    table.session.begin_restoring(build_last_accepted(table.session.state))
    table.slide("w1", 700, 320)
    table.session.finish_restoring()
    stands = {m.id: (m.pose.x_mm, m.pose.y_mm) for _, m in table.session.state.iterate_models() if m.pose}
    assert stands == {"s1": (340, 260), "s2": (300, 350), "w1": (700, 320)}
    assert not table.session.state.tracks
    table.session.undo()
    assert table.session.state.restoring is not None
    table.session.undo()
    assert table.session.state.restoring is None
    assert set(table.session.state.tracks) == {"s1", "w1"}, "without it, what moved has moved"


def test_what_was_announced_is_to_be_seen_again_when_all_is_back() -> None:
    table = RestoringTable()
    table.session.declare(unit="scouts", action="normal")
    table.session.begin_restoring(build_last_accepted(table.session.state))
    assert table.session.pick is None
    table.session.finish_restoring()
    assert table.session.state.declared is not None
    assert table.session.pick == Pick(unit="scouts", model="s1")


def test_a_moment_in_the_middle_of_a_move_comes_back_with_the_move(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.push_too_far()
    then_ns = RecordedGame(table.path).find_end_ns()
    was = table.session.state
    table.do(table.session.accept)
    table.show(*table.script.slide("s2", 500, 500))
    past = RecordedGame(table.path)
    table.do(lambda: table.session.begin_restoring(plan_restoring(past, then_ns)))
    table.show(*table.script.slide("s2", 300.2, 519.9))
    assert {each.state for each in table.session.compare_placements()} == {"back"}
    table.do(table.session.finish_restoring)
    assert table.session.state.tracks == was.tracks
    assert table.session.state.find_model("s2") == was.find_model("s2")
    replayed = RecordedGame(table.path).find_moment(10**18).session
    assert replayed.state == table.session.state
    assert any("put back" in each.text for each in RecordedGame(table.path).judge_all().happenings)


def test_another_table_is_laid_out_as_a_recording_ended(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "last-week.overtable")
    table.push_too_far()
    restoring = plan_restoring_from_recording(table.path, None, build_game())
    assert restoring.when == "the end of last-week.overtable"
    assert restoring.places["s2"].accepted == table.session.state.tracks["s2"].poses[-1]
    first = plan_restoring_from_recording(table.path, 0, build_game()).places["s2"].accepted
    assert first is not None
    assert (first.x_mm, first.y_mm) == (300, 350)
    strangers = replace(build_game(), units=build_game().units[:0])
    with pytest.raises(BadInput, match="no model of this game"):
        plan_restoring_from_recording(table.path, None, strangers)
    new = RestoringTable()
    new.session.begin_restoring(restoring)
    new.slide("s2", 300.1, 520.1)
    new.session.finish_restoring()
    assert new.session.state.find_model("s2").pose == restoring.places["s2"].accepted


def test_only_what_is_being_put_back_can_be_ended() -> None:
    table = RestoringTable()
    with pytest.raises(BadInput, match="nothing is being put back"):
        table.session.finish_restoring()
    with pytest.raises(BadInput, match="no model"):
        table.session.begin_restoring(replace(build_last_accepted(build_game()), places={}))


def build_entry(x_mm: float, y_mm: float, turn_deg: float = 0, sigma_mm: float = 0.05, **more: object) -> PoseEntry:
    return PoseEntry.model_validate(
        {
            "tag": 1,
            "model": "s1",
            "x_mm": x_mm,
            "y_mm": y_mm,
            "facing_deg": turn_deg,
            "z_mm": 0,
            "sigma_mm": (sigma_mm, sigma_mm),
            "sigma_deg": 0.1,
            "state": "seen",
            "moving": False,
            **more,
        }
    )


def compare_one(seen: PoseEntry | None, place: Pose | None = None) -> PlacementDifference:
    places = {"s1": FormerPlace(accepted=place or Pose(x_mm=300, y_mm=300))}
    return compare_placements(places, {"s1": seen} if seen else {})[0]


@pytest.mark.parametrize(
    ("seen", "state", "text"),
    [
        (build_entry(300.4, 300.2), "back", ""),
        (build_entry(300.5, 300.3), "near", "0.5 mm left, 0.3 mm down"),
        (build_entry(287.7, 300, -4), "near", "12.3 mm right, turn 4° left"),
        (build_entry(300, 300, 358.5), "back", ""),
        (build_entry(300, 300, 2.5), "near", "turn 2° right"),
        (build_entry(300, 500), "off", "200.0 mm down"),
        (build_entry(300, 300, z_mm=60), "off", "60 mm lower"),
        (build_entry(300, 300, z_mm=60, other_z_mm=(0.0,)), "back", ""),
        (build_entry(300, 300, moving=True), "near", ""),
        (build_entry(301, 300, sigma_mm=0.6), "back", ""),
        (None, "missing", ""),
    ],
)
def test_each_model_is_told_what_it_lacks(seen: PoseEntry | None, state: str, text: str) -> None:
    difference = compare_one(seen)
    assert (difference.state, difference.text) == (state, text)
    assert difference.is_coarse == (seen is not None and seen.sigma_mm[0] > 0.5)


def test_an_arrow_points_where_a_model_has_to_go() -> None:
    shapes = {s.key: s for s in draw_restoring(build_game(), [compare_one(build_entry(280, 300))])}
    (start, tip), _ = shapes["restore-way:s1"].rings_mm
    assert tip[0] > start[0] > 316
    assert tip[1] == start[1] == 300
    assert shapes["restore:s1"].label == "20.0 mm right"
    turning = {s.key: s for s in draw_restoring(build_game(), [compare_one(build_entry(300, 300, 30))])}
    arc = turning["restore-way:s1"].rings_mm[0]
    assert math.atan2(arc[-1][1] - 300, arc[-1][0] - 300) < 0, "it turns right"
    back = draw_restoring(build_game(), [compare_one(build_entry(300, 300))])
    assert [(s.style, s.label) for s in back] == [("restore-back", "")]


def test_what_stands_nowhere_is_no_target() -> None:
    state = build_game().place_models({"s1": None})
    assert set(list_targets(state)) == {"s2", "w1"}
