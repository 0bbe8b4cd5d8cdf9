"""What a game is told of bases that are not found: once it has lasted, of models on the table, and no longer."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from assistant.features.camera.sight_notices import HANDS_NS, LASTED_NS, SET_UP_NS, SightNotices
from assistant.features.demo.catalogue import SETUP
from assistant.features.feature import Moment
from assistant.game.state import GameState
from assistant.setup.file import read_setup
from assistant.table.session import GameSession
from assistant.web.messages import View
from hardware.frame import Frame
from tests.assistant.features.camera.test_sight_reasons import CAMERA, GOOD, build_markers, darken, leave_unread, see
from tests.assistant.snapshot_script import build_game
from vision.types import Doubt, Hindrance, TableSnapshot

SECOND_NS = 1_000_000_000
GLARE = {1: Hindrance.GLARE, 2: Hindrance.GLARE}


class Game:
    """A table of which one snapshot after another is seen."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        self.notices = SightNotices(setup=read_setup(SETUP), executor=executor)
        markers = build_markers(bases=4)
        named = zip(markers.bases.items(), ("s1", "s2", "w1", "spare"), strict=True)
        self.markers = replace(markers, bases={tag: replace(base, model=model) for (tag, base), model in named})
        rest = SimpleNamespace(pose=np.array([200.0, 200.0, 0.0]))
        track = SimpleNamespace(corners_px=480.0 + np.array([(-9, 9), (9, 9), (9, -9), (-9, -9)]), rest=rest, missed=0)
        self.pipeline = SimpleNamespace(
            camera=CAMERA,
            calibrated=SimpleNamespace(trouble=""),
            markers=self.markers,
            tracks={1: track, 2: track},
        )
        self.session = GameSession(build_game())

    def show(self, snapshot: TableSnapshot, at_s: float, image: Any = GOOD) -> View:
        captured_ns = round(at_s * SECOND_NS)
        frame = Frame(camera="c", image=image.copy(), captured_ns=captured_ns, sequence=0)
        self.notices.see(frame)
        self.notices.filter_poses(replace(snapshot, captured_ns=captured_ns))
        self.notices.follow(cast("Moment", SimpleNamespace(pipeline=self.pipeline, session=self.session)))
        (view,) = self.notices.build_views(self.session)
        return view


@pytest.fixture
def game() -> Any:
    with ThreadPoolExecutor(1) as executor:
        yield Game(executor)


def test_glare_is_told_once_it_has_lasted_and_marked_at_each_model_until_it_is_over(game: Game) -> None:
    assert game.show(see(1, GLARE), 0.0).notices == {}
    view = game.show(see(0, GLARE), LASTED_NS / SECOND_NS)
    (notice,) = view.notices.values()
    assert notice.text.startswith("s1 and s2 lie in glare at the near left corner: move or shade the lamp")
    assert {model: (h.short, h.x_share) for model, h in view.hindrances.items()} == {
        "s1": ("glare", 0.25),
        "s2": ("glare", 0.25),
    }
    view = game.show(see(2), 3.0)
    assert (view.notices, view.hindrances) == ({}, {})


def test_a_marker_that_was_never_read_is_marked_where_it_lies(game: Game) -> None:
    unread = replace(see(2), unread=(leave_unread(),))
    game.show(unread, 0.0)
    view = game.show(unread, LASTED_NS / SECOND_NS)
    assert [notice.text.partition(":")[0] for notice in view.notices.values()] == ["w1 lies in glare at the left edge"]
    width, height = CAMERA.lens.image_size
    assert (view.hindrances["w1"].x_share, view.hindrances["w1"].y_share) == (480 / width, round(300 / height, 4))


def test_a_hand_over_a_base_is_no_news_for_five_seconds(game: Game) -> None:
    covered = {1: Hindrance.COVERED}
    shown = [game.show(see(0, covered), at_s).notices for at_s in (0, 2, 4, HANDS_NS / SECOND_NS)]
    assert [len(notices) for notices in shown] == [0, 0, 0, 1]


def test_models_that_are_not_on_the_table_are_not_missed(game: Game) -> None:
    spare = {4: Hindrance.COVERED}
    assert [game.show(see(3, spare), at_s).notices for at_s in (0, 10)] == [{}, {}]


def test_a_base_that_is_seen_all_the_same_is_not_talked_about(game: Game) -> None:
    assert [game.show(see(2, GLARE), at_s).hindrances for at_s in (0, 10)] == [{}, {}]


def test_a_doubt_takes_the_place_of_its_own_notice_and_says_how_many_anchors_are_seen(game: Game) -> None:
    views = [game.show(see(0, anchors_seen=1, doubt=Doubt.MOVING), at_s) for at_s in (0, 3)]
    assert views[1].notices["calibration"].text.startswith("1 of 4 anchors is seen; the camera or the table was moved")


def test_a_picture_without_anchors_is_looked_at_for_what_is_wrong_with_it(game: Game) -> None:
    blind = replace(see(0, anchors_seen=0), camera=None)
    for at_s in (0, 3):
        game.show(blind, at_s, darken(GOOD))
    game.notices.executor.shutdown()  # what was asked for is there then
    (notice,) = game.show(blind, 4).notices.values()
    assert notice.text.startswith("No anchor is seen: the picture is too dark (mean level")


def test_a_model_on_the_table_that_is_never_found_is_told_once_nobody_is_setting_up_any_more(game: Game) -> None:
    shown = [game.show(see(2), at_s).notices for at_s in (0, 2, SET_UP_NS / SECOND_NS)]
    assert [len(notices) for notices in shown] == [0, 0, 1]
    assert shown[2]["sight:unseen"].text.startswith("w1 is not found: if on the table, lay the marker flat, face up")
    assert game.show(see(3), 30).notices == {}


def take_away(state: GameState, *gone: str) -> GameState:
    units = tuple(
        replace(unit, models=tuple(replace(m, pose=None) if m.id in gone else m for m in unit.models))
        for unit in state.units
    )
    return replace(state, units=units)


def test_a_model_whose_unit_is_set_up_without_it_is_missed_but_not_one_that_fell(game: Game) -> None:
    deployed = game.session.state
    game.session = GameSession(take_away(deployed, "s1", "s2", "w1"))
    game.show(see(0), 0)
    game.session = GameSession(take_away(deployed, "s2"))
    shown = [game.show(replace(see(3), poses=(see(3).poses[0], see(3).poses[2])), at_s).notices for at_s in (1, 21)]
    assert [[*notices] for notices in shown] == [[], ["sight:unseen"]]
    game.session = GameSession(deployed)
    game.show(see(3), 22)
    game.session = GameSession(take_away(deployed, "s2"))
    poses = (see(3).poses[0], see(3).poses[2])
    assert [game.show(replace(see(3), poses=poses), at_s).notices for at_s in (23, 50)] == [{}, {}]


def test_models_that_fell_in_an_earlier_game_are_not_missed(game: Game) -> None:
    game.session = GameSession(take_away(game.session.state, "s2"))
    one, _, three = see(3).poses
    assert [game.show(replace(see(3), poses=(one, three)), at_s).notices for at_s in (0, 25)] == [{}, {}]
