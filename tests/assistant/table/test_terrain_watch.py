"""Terrain that the camera follows: what is told of it, what people decide, and what a recording has of it."""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.errors import BadInput
from assistant.game.events import Event, ModelPlaced, TerrainSettled, TerrainTaken
from assistant.game.situation_file import encode_situation
from assistant.game.state import GameState, Terrain
from assistant.game.terrain_places import find_in_frame, find_place
from assistant.recording.journal.writer import Journal
from assistant.replay.event_descriptions import describe_event
from assistant.replay.recorded_game import RecordedGame
from assistant.table.session import GameSession
from assistant.table.terrain_watch import describe_offset, draw_shifted
from tests.assistant.snapshot_script import FRAME_NS, SnapshotScript, build_game
from vision.types import BasePose, Doubt, PoseState, TableSnapshot

SOLID = frozenset({"hill"})
HILL_MM = ((800.0, 700.0), (1000.0, 700.0), (1000.0, 840.0), (800.0, 840.0))
TOP_MM = ((860.0, 740.0), (940.0, 740.0), (940.0, 800.0), (860.0, 800.0))
HILL = Terrain(id="hill", outline_mm=HILL_MM, height_mm=38, traits=SOLID)
TOP = Terrain(id="hill-top", outline_mm=TOP_MM, height_mm=76, traits=SOLID)
GAME = replace(build_game(), terrain=(HILL, TOP))
HOME = (900.0, 770.0, 0.0)
AWAY = (921.0, 780.0, 4.0)


class Watched:
    """A session whose camera sees a hill."""

    def __init__(self, state: GameState = GAME, journal: Journal | None = None) -> None:
        self.session, self.script = GameSession(state, journal), SnapshotScript()

    def see(
        self,
        x_mm: float,
        y_mm: float,
        facing_deg: float,
        *,
        sigma_mm: float = 0.1,
        state: PoseState = PoseState.SEEN,
        moving: bool = False,
        doubt: Doubt | None = None,
        model: str = "hill",
    ) -> None:
        """Let the camera see the hill."""
        pose = BasePose(
            marker=500,
            model=model,
            x_mm=x_mm,
            y_mm=y_mm,
            facing_rad=math.radians(facing_deg),
            z_mm=0.0,
            covariance=np.diag([sigma_mm**2, sigma_mm**2, 1e-6]),
            state=state,
            seen_ns=0,
            moving=moving,
        )
        self.session.observe(replace(self.script.take_snapshot(), terrain=(pose,), doubt=doubt))


def test_only_what_surely_rests_elsewhere_is_told_and_once() -> None:
    watched = Watched()
    watched.see(*HOME)
    watched.see(902.0, 771.0, 0.8)
    watched.see(*AWAY, moving=True)
    watched.see(*AWAY, state=PoseState.HELD)
    watched.see(921.0, 780.0, 0.5, sigma_mm=6.0)
    watched.see(*AWAY, doubt=Doubt.MOVING)
    watched.see(*AWAY, model="no-such-piece")
    assert watched.session.state.shifted == {}
    events: list[Event] = []
    watched.session._on_event = events.append
    for _ in range(3):
        watched.see(*AWAY)
    watched.see(921.4, 780.2, 4.1)
    told = [event for event in events if isinstance(event, TerrainSettled)]
    assert len(told) == 1
    assert describe_event(told[0], GAME).text == "hill moved 23 mm and 4 degrees."
    (shape,) = draw_shifted(watched.session.state)
    assert (shape.key, shape.label) == ("shifted:hill", "hill lies here")
    watched.see(925.0, 780.0, 4.0)
    watched.see(901.0, 770.0, 0.0)
    assert [event.place.x_mm for event in events if isinstance(event, TerrainSettled)] == [921.0, 925.0, 900.0]
    assert describe_event(events[-1], GAME).text == "hill lies in its place again."
    assert watched.session.state.shifted == {}


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        ((900.0, 770.0, 0.0), ""),
        ((900.0, 775.0, 0.3), "5 mm"),
        ((900.3, 770.0, 358.6), "1 degree"),
        ((904.0, 773.0, 12.0), "5 mm and 12 degrees"),
    ],
)
def test_it_is_said_in_whole_millimetres_and_degrees(seen: tuple[float, float, float], text: str) -> None:
    x_mm, y_mm, facing_deg = seen
    home = find_place(HILL)
    assert describe_offset(home, replace(home, x_mm=x_mm, y_mm=y_mm, facing_rad=math.radians(facing_deg))) == text


def test_terrain_is_taken_as_it_lies_with_its_parts() -> None:
    watched = Watched()
    for piece, why in (("hill", "lies where it belongs"), ("pond", "no terrain 'pond'")):
        with pytest.raises(BadInput, match=why):
            watched.session.take_terrain(piece)
    watched.see(*AWAY)
    watched.session.take_terrain("hill")
    state = watched.session.state
    hill, top = state.terrain
    assert state.shifted == {}
    assert describe_offset(find_place(HILL), find_place(hill)) == "23 mm and 4 degrees"
    assert find_place(top).x_mm == pytest.approx(921, abs=0.1)
    watched.see(*AWAY)
    assert watched.session.state is state, "it lies where the game has it"
    watched.session.undo()
    assert watched.session.state.terrain == GAME.terrain
    assert watched.session.state.shifted.keys() == {"hill"}
    watched.see(-20.0, 700.0, 0.0)
    with pytest.raises(BadInput, match="beside the table"):
        watched.session.take_terrain("hill")


def test_what_stands_on_moved_terrain_stands_there_before_anybody_says_so() -> None:
    """Where neither height nor map tells, the terrain as it lies does: inside of a hill no base can be."""
    watched = Watched()
    placed: list[Event] = []
    watched.see(1000.0, 770.0, 0.0)
    watched.session._on_event = placed.append
    pose = BasePose(
        marker=1,
        model="s1",
        x_mm=1060.0,
        y_mm=770.0,
        facing_rad=0.0,
        z_mm=0.0,
        other_z_mm=(38.0,),
        covariance=np.diag([0.01, 0.01, 1e-4]),
        state=PoseState.SEEN,
        seen_ns=0,
        moving=False,
    )
    session = GameSession(watched.session.state, on_event=placed.append)
    session.observe(TableSnapshot(captured_ns=1, sequence=1, calibration="", anchors_seen=4, poses=(pose,)))
    (event,) = placed
    assert isinstance(event, ModelPlaced)
    assert (event.pose.z_mm, event.pose.other_z_mm) == (38.0, ())


@contextmanager
def record(path: Path) -> Iterator[Watched]:
    about = {"title": "hill", "situation": json.dumps(encode_situation(GAME))}
    with Journal(path, about=about) as journal:
        yield Watched(journal=journal)


def test_a_recording_has_it_and_shows_it_at_its_time(tmp_path: Path) -> None:
    path = tmp_path / "moved.overtable"
    with record(path) as watched:
        watched.see(*HOME)
        watched.see(*AWAY)
        asked_ns = FRAME_NS
        watched.see(*AWAY)
        watched.session.take_terrain("hill")
        watched.see(*AWAY)
        ended = watched.session.state
    game = RecordedGame(path)
    then = game.find_moment(asked_ns).session.state
    assert then.terrain == GAME.terrain
    assert then.shifted.keys() == {"hill"}
    last = game.find_moment(game.find_end_ns()).session.state
    assert (last.terrain, last.shifted) == (ended.terrain, {})
    taken = TerrainTaken(pieces=("hill", "hill-top"), place=then.shifted["hill"])
    assert describe_event(taken, then).text == "hill moved 23 mm and 4 degrees. It was taken as it lies."


def test_terrain_without_a_mark_is_moved_by_hand_with_its_parts_and_that_can_be_undone() -> None:
    watched = Watched()
    before = watched.session.state.terrain
    for piece, by_mm, why in (("pond", 5.0, "no terrain 'pond'"), ("hill", 9000.0, "beside the table")):
        with pytest.raises(BadInput, match=why):
            watched.session.move_terrain(piece, by_mm, 0.0, 0.0)
    watched.session.move_terrain("hill", 40.0, -30.0, math.radians(90))
    hill, top = watched.session.state.terrain
    assert describe_offset(find_place(HILL), find_place(hill)) == "50 mm and 90 degrees"
    was, now = (find_in_frame(find_place(one), find_place(on_it)) for one, on_it in (before, (hill, top)))
    assert (now.x_mm, now.y_mm) == pytest.approx((was.x_mm, was.y_mm), abs=0.01)
    watched.session.undo()
    assert watched.session.state.terrain == before
