"""Terrain that the virtual camera follows by its marks: asked about, taken as it lies, and laid where it belongs."""

import json
import math
import threading
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from assistant.errors import BadInput
from assistant.features.camera.markers import build_markers
from assistant.features.decisions import GameController
from assistant.features.demo.catalogue import SETUP
from assistant.features.demo.virtual_table import build_scene, build_virtual_table
from assistant.features.feature import Asker
from assistant.features.laying.controller import LayingController
from assistant.game.base_spec import BaseSpec
from assistant.game.events import TerrainSettled, TerrainTaken
from assistant.game.situation_file import encode_situation
from assistant.game.state import GameState, Model, Table, Terrain, TerrainPlace, Unit
from assistant.game.terrain_places import find_place, measure_shift, move_pieces
from assistant.layouts.layout import parse_layout
from assistant.layouts.placing import place_layout
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.writer import Journal
from assistant.recording.video.reader import read_runs
from assistant.replay.reprocess.reprocessor import reprocess_recording
from assistant.runtime.dispatch import FeatureSet
from assistant.runtime.live_loop import LatestFrame, LiveLoop, RateMeter, SessionVideo
from assistant.setup.bases import MarkedTerrain, MarkInPiece, TaggedBase
from assistant.setup.editing import keep_mark
from assistant.setup.file import Setup, read_setup
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from assistant.web.commands.game import LayBegin, LayLearn, LayMark, MoveTerrain, TakeTerrain
from assistant.web.hub import Hub, PageCommand
from assistant.web.messages import View
from assistant.web.messages.message import Message
from hardware.camera.frame_source import PlaybackPace
from hardware.camera.latest_frame_reader import LatestFrameReader
from hardware.camera.virtual import VirtualCamera
from hardware.frame import Frame
from hardware.simulation.scene import Placement
from hardware.simulation.virtual_table import VirtualTable
from tests.assistant.runtime.demo_loop import ScriptedCamera
from tests.vision.random_scenes import lens_from_camera
from vision.markers import Markers
from vision.pipeline import Pipeline

RATE = 10.0
MOST_PICTURES = 60
LAYOUT = {
    "format": "overtable.layout/1",
    "title": "Two pieces",
    "table": {"width_mm": 1524, "depth_mm": 1118},
    "features": [
        {"id": "hill", "template": "hill", "x_mm": 700, "y_mm": 560, "facing_deg": 30},
        {"id": "house", "template": "house", "x_mm": 1150, "y_mm": 400, "facing_deg": 90},
    ],
}
MARKS = (
    MarkedTerrain(
        piece="hill", tag=540, size_mm=26, mark_in_piece=MarkInPiece(x_mm=-120, y_mm=10, facing_deg=45), height_mm=38.1
    ),
    MarkedTerrain(piece="house", ring=9, round_mm=60, mark_in_piece=MarkInPiece(x_mm=20), height_mm=76.2),
)
Hand = Generator[Message | None, View]
"""What somebody does who sees a view after each picture; what is yielded is the command that comes next."""


def build_setup() -> Setup:
    base = TaggedBase(tag=1, model="s1", base=BaseSpec(round_mm=40), size_mm=20, height_mm=4)
    return read_setup(SETUP).model_copy(update={"bases": (base,), "terrain": MARKS})


UNKNOWN = """
[[terrain]]
# stuck on somewhere
piece = "hill"
tag = 540
size_mm = 26
height_mm = 38.1
"""
"""A mark of which nobody has said where on the piece it lies."""


def build_state() -> GameState:
    scout = Unit(id="scouts", player="red", models=(Model(id="s1", base=BaseSpec(round_mm=40).shape, pose=None),))
    terrain = place_layout(parse_layout(LAYOUT, "layout")).terrain
    return GameState(rulebook="none", table=Table(width_mm=1524, depth_mm=1118), units=(scout,), terrain=terrain)


class HandyHub(Hub):
    """Hears every view, and does what a hand does next."""

    def __init__(self, stop: threading.Event) -> None:
        super().__init__()
        self.refused: list[str] = []
        self.failure: AssertionError | None = None
        self.hand: Hand | None = None
        self._next: Message | None = None
        self._stop = stop

    def begin(self, hand: Hand) -> None:
        """Take a hand."""
        self._next = next(hand)
        self.hand = hand

    def take(self) -> list[PageCommand]:
        """Give the command that comes next."""
        message, self._next = self._next, None
        return [] if message is None else [PageCommand(message=message, refuse=self.refused.append)]

    def publish(self, view: View, own: Mapping[str, View] | None = None) -> int:  # noqa: ARG002
        """Let the hand see it."""
        assert self.hand is not None
        try:
            self._next = self.hand.send(view)
        except StopIteration:
            self._stop.set()
        except AssertionError as error:  # which the loop would take for a fault of the pages
            self.failure = error
            self._stop.set()
        return 0


def wait(until: Callable[[View], bool]) -> Hand:
    """Look on until something is so."""
    for _ in range(MOST_PICTURES):
        if until((yield None)):
            return
    raise AssertionError("it did not come to that")


@dataclass(kw_only=True)
class LitTable:
    """A virtual table, and the loop that follows it."""

    setup: Setup
    table: VirtualTable
    loop: LiveLoop

    def lay(self, state: GameState) -> None:
        """Lay the terrain, with its marks, where a game has it."""
        scene = build_scene(self.setup, state)
        self.table.lay_terrain(scene.terrain)
        for marker, at in scene.placements.items():
            self.table.move(marker, at)

    @property
    def tops(self) -> dict[float, tuple[tuple[float, float], ...]]:
        """The outlines of the tops that the eyes know, by height."""
        return {top.height_mm: top.outline_mm for top in self.loop.pipeline.markers.surfaces}


def run(hands: Callable[[LitTable], Hand], *, told: Path | None = None, recording: Path | None = None) -> list[Frame]:
    """Keep a virtual table live until a hand has done all that it wants, and return the pictures.

    Args:
        hands: does it.
        told: the set-up that the program is told, where that is another than what lies there.
        recording: where the game and its video are recorded, if anywhere.

    """
    laid, state, stop = build_setup(), build_state(), threading.Event()
    table = build_virtual_table(laid, state)
    setup = laid if told is None else read_setup(told)
    pictures = VirtualCamera(table, fps=RATE, pace=PlaybackPace.FREE)
    markers, notice = build_markers(setup, SETUP, None, state.terrain)
    hub = HandyHub(stop)
    pipeline = Pipeline(markers=replace(markers, lens=lens_from_camera(table.camera)))
    frames = list[Frame]()

    def read(_: int) -> Frame:
        frames.append(pictures.read())
        return replace(frames[-1])

    about = {"title": "terrain", "situation": json.dumps(encode_situation(state))}
    journal = Journal(recording, about=about) if recording else None
    loop = LiveLoop(
        camera=cast("LatestFrameReader", ScriptedCamera(read=read)),
        pipeline=pipeline,
        session=GameSession(state, journal, solve_zone=skip_zone),
        hub=hub,
        name="terrain",
        title="Terrain",
        meter=RateMeter(live=False),
        latest=LatestFrame(),
        virtual=True,
        features=FeatureSet(GameController(), LayingController(setup, told, pipeline)),
        video=SessionVideo(recording) if recording else None,
    )
    hub.begin(hands(LitTable(setup=laid, table=table, loop=loop)))
    loop.run(stop)
    if loop.video:
        loop.video.close(loop.session)
    if journal:
        journal.close()
    if hub.failure is not None:
        raise hub.failure
    assert (notice, hub.refused) == ("", [])
    return frames


def move_state(state: GameState, piece: str, *, x_mm: float, y_mm: float, turn_deg: float) -> GameState:
    """Return a game with a piece and its parts moved on."""
    place = find_place(find_piece(state, piece))
    facing_rad = place.facing_rad + math.radians(turn_deg)
    to = TerrainPlace(x_mm=place.x_mm + x_mm, y_mm=place.y_mm + y_mm, facing_rad=facing_rad)
    parts = {each.id for each in state.terrain if each.id == piece or each.id.startswith(f"{piece}-")}
    return replace(state, terrain=move_pieces(state.terrain, parts, piece, to))


def find_piece(state: GameState, piece: str) -> Terrain:
    return next(each for each in state.terrain if each.id == piece)


def measure_error(now: GameState, true: GameState, piece: str) -> tuple[float, float]:
    """Return how far a piece is off in millimetres and degrees."""
    off_mm, off_rad = measure_shift(find_place(find_piece(now, piece)), find_place(find_piece(true, piece)))
    return off_mm, math.degrees(off_rad)


def test_a_moved_piece_is_asked_about_and_taken_as_it_lies() -> None:
    def hands(at: LitTable) -> Hand:
        state, loop = at.loop.session.state, at.loop
        low_mm = find_piece(state, "hill").height_mm
        yield from wait(lambda _: len(loop.session.state.terrain) > 0 and loop.pipeline.tracks.keys() >= {540})
        yield from wait(lambda _: all(track.settled for track in loop.pipeline.tracks.values()))
        assert loop.session.state.shifted == {}, "all lies where the layout has it"
        moved = move_state(state, "hill", x_mm=21, y_mm=10, turn_deg=4)
        moved = move_state(moved, "house", x_mm=-30, y_mm=12, turn_deg=-20)
        at.lay(moved)
        on_top = find_place(find_piece(moved, "hill"))
        at.table.move(1, Placement(x_mm=on_top.x_mm + 110, y_mm=on_top.y_mm + 40, z_mm=low_mm))
        yield from wait(lambda view: view.shifted.keys() == {"hill", "house"})
        view = yield from look()
        assert view.shifted["hill"].text == "hill moved 23 mm and 4 degrees."
        assert view.shifted["house"].text == "house moved 32 mm and 20 degrees."
        assert view.terrain["hill"].outline_mm == list(find_piece(state, "hill").outline_mm), "nobody has decided yet"
        assert "shifted:hill" in view.shapes
        edge = find_piece(moved, "hill").outline_mm
        assert np.abs(np.array(at.tops[low_mm]) - edge).max() < 2.0, "the eyes follow at once"
        yield TakeTerrain(type="take-terrain", piece="hill")
        yield from wait(lambda view: view.shifted.keys() == {"house"})
        off_mm, off_deg = measure_error(loop.session.state, moved, "hill")
        assert off_mm < 0.8
        assert off_deg < 0.3
        at.lay(move_state(moved, "house", x_mm=30, y_mm=-12, turn_deg=20))
        yield from wait(lambda view: not view.shifted)
        assert find_piece(loop.session.state, "house") == find_piece(state, "house")
        model = loop.session.state.find_model("s1").pose
        assert model is not None
        assert (model.z_mm, model.other_z_mm) == (low_mm, ())

    run(hands)


def look() -> Generator[Message | None, View, View]:
    """Return what the next view shows."""
    return (yield None)


def test_a_marked_piece_turns_green_by_itself_when_it_lies_in_its_place() -> None:
    def hands(at: LitTable) -> Hand:
        state = at.loop.session.state
        at.lay(move_state(state, "hill", x_mm=-60, y_mm=30, turn_deg=-9))
        yield from wait(lambda view: "hill" in view.shifted)
        yield LayBegin(type="lay-begin", only="hill")
        yield from wait(lambda view: "laying" in view.laying and view.laying["laying"].steps[0].note != "")
        (step,) = (yield from look()).laying["laying"].steps
        assert (step.id, step.lies, step.note) == ("hill", False, "67 mm and 9 degrees off")
        at.lay(move_state(state, "hill", x_mm=4, y_mm=0, turn_deg=0))
        yield from wait(lambda view: view.laying["laying"].steps[0].note == "4 mm off")
        assert not (yield from look()).laying["laying"].steps[0].lies
        at.lay(move_state(state, "hill", x_mm=1.5, y_mm=-1, turn_deg=0.4))
        yield from wait(lambda view: view.laying["laying"].steps[0].lies)
        view = yield from look()
        assert view.laying["laying"].following is None
        assert view.shapes["laying:hill"].style == "laying-done"
        assert not view.shifted

    run(hands)


def test_a_mark_that_lies_higher_than_the_set_up_says_is_told() -> None:
    def hands(at: LitTable) -> Hand:
        at.table.move(540, replace(at.table.get_placements()[540], z_mm=90.0))
        yield LayBegin(type="lay-begin", only="hill")
        yield from wait(lambda view: "too high" in view.laying["laying"].steps[0].note if view.laying else False)
        (step,) = (yield from look()).laying["laying"].steps
        assert not step.lies
        assert float(step.note.split()[0]) == pytest.approx(52, abs=6)

    run(hands)


def test_where_a_mark_is_on_its_piece_is_learned_from_one_that_lies_right(tmp_path: Path) -> None:
    told = tmp_path / "table.toml"
    told.write_text(SETUP.read_text() + UNKNOWN)

    def hands(at: LitTable) -> Hand:
        yield LayBegin(type="lay-begin")
        yield from wait(lambda view: view.laying["laying"].steps[0].learns if view.laying else False)
        (step, *_) = (yield from look()).laying["laying"].steps
        assert (step.id, step.lies) == ("hill", False)
        yield LayLearn(type="lay-learn", step="hill")
        yield from wait(lambda view: view.laying["laying"].steps[0].lies)
        at.lay(move_state(at.loop.session.state, "hill", x_mm=20, y_mm=0, turn_deg=0))
        yield from wait(lambda view: view.laying["laying"].steps[0].note == "20 mm off")

    run(hands, told=told)
    (mark,) = read_setup(told).terrain
    inside, true = mark.mark_in_piece, MARKS[0].mark_in_piece
    assert (inside.x_mm, inside.y_mm, inside.facing_deg) == pytest.approx((true.x_mm, true.y_mm, 45), abs=1.0)
    assert "# stuck on somewhere" in told.read_text()


def test_a_piece_is_given_a_mark_that_the_camera_then_finds(tmp_path: Path) -> None:
    told = tmp_path / "table.toml"
    told.write_text(SETUP.read_text())

    def hands(at: LitTable) -> Hand:
        yield LayBegin(type="lay-begin", only="hill")
        view = yield from look()
        assert view.laying["laying"].marks
        assert view.laying["laying"].steps[0].mark == ""
        yield LayMark(type="lay-mark", step="hill", kind="tag", id=540, size_mm=26, height_mm=38.1)
        assert (yield from look()).laying["laying"].steps[0].note == "mark not seen"
        yield from wait(lambda view: view.laying["laying"].steps[0].learns)
        assert (yield from look()).laying["laying"].steps[0].mark == "tag 540"
        assert at.loop.pipeline.markers.terrain[540].model == "hill"
        yield LayLearn(type="lay-learn", step="hill")
        yield from wait(lambda view: view.laying["laying"].steps[0].lies)

    run(hands, told=told)
    (mark,) = read_setup(told).terrain
    assert (mark.tag, mark.size_mm, mark.height_mm) == (540, 26, 38.1)
    assert mark.mark_in_piece.x_mm == pytest.approx(-120, abs=1.0)
    assert told.read_text().startswith(SETUP.read_text().rstrip()), "all else stays as it was written"


def test_a_mark_that_cannot_be_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    told = tmp_path / "table.toml"
    told.write_text(SETUP.read_text())
    setup, session = read_setup(told), GameSession(build_state())
    laying = LayingController(setup, told, Pipeline(markers=Markers(anchors=(), bases={}, lens=None)))
    laying.handle(LayBegin(type="lay-begin"), Asker(session=session))
    for step, number, why in (("pond", 540, "'pond' is no terrain"), ("hill", 580, "tag 580 is used twice")):
        with pytest.raises(BadInput, match=why):
            laying.handle(
                LayMark(type="lay-mark", step=step, kind="tag", id=number, size_mm=20, height_mm=5),
                Asker(session=session),
            )
    with pytest.raises(BadInput, match=r"this mark: tag: .* 586"):
        laying.handle(
            LayMark(type="lay-mark", step="hill", kind="tag", id=900, size_mm=20, height_mm=5), Asker(session=session)
        )
    assert told.read_text() == SETUP.read_text()
    with pytest.raises(BadInput, match="no set-up"):
        LayingController().handle(
            LayMark(type="lay-mark", step="hill", kind="ring", id=9, size_mm=50, height_mm=5), Asker(session=session)
        )


def test_another_mark_takes_the_place_of_the_one_that_is_written(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(f"{SETUP.read_text()}{UNKNOWN}[terrain.mark_in_piece]\nx_mm = 3 # by ruler\nfacing_deg = 10\n")
    ring = MarkedTerrain(piece="hill", ring=9, round_mm=50, height_mm=40)
    assert keep_mark(path, ring).terrain == read_setup(path).terrain == (ring,)
    learned = ring.model_copy(update={"mark_in_piece": MarkInPiece(y_mm=7.5)})
    assert keep_mark(path, learned).terrain == (learned,)
    assert "# stuck on somewhere" in path.read_text()


def test_of_what_the_camera_does_not_see_nothing_is_learned() -> None:
    laying, session = LayingController(), GameSession(build_state())
    laying.handle(LayBegin(type="lay-begin"), Asker(session=session))
    with pytest.raises(BadInput, match="does not see a mark at rest on 'hill'"):
        laying.handle(LayLearn(type="lay-learn", step="hill"), Asker(session=session))


def test_a_game_in_which_terrain_was_taken_is_the_same_when_its_video_is_looked_at_again(tmp_path: Path) -> None:
    def hands(at: LitTable) -> Hand:
        state = at.loop.session.state
        yield from wait(lambda _: at.loop.pipeline.tracks.keys() >= {540})
        at.lay(move_state(state, "hill", x_mm=21, y_mm=10, turn_deg=4))
        yield from wait(lambda view: "hill" in view.shifted)
        yield TakeTerrain(type="take-terrain", piece="hill")
        yield from wait(lambda view: not view.shifted)
        yield MoveTerrain(type="move-terrain", piece="house", dx_mm=30, dy_mm=0, turn_deg=0)
        yield from wait(lambda view: "house" in view.shifted)  # for on the table it was not moved
        yield from look()

    path = tmp_path / "moved.overtable"
    frames = run(hands, recording=path)
    told = [each for run in read_runs(path) for _, each in run.markers]
    assert len(told) == 4, "at first, when the hill moved, when the house was said to, and when it was seen not to"
    with Journal(tmp_path / "anew.overtable", about={**read_about(path), "title": "anew"}) as journal:
        anew = reprocess_recording(
            path,
            eyes=lambda markers: Pipeline(markers=markers),
            frames=lambda _path, _run: (replace(frame) for frame in frames),
            journal=journal,
        )
    assert (anew.is_unchanged, anew.unfit) == (True, ())
    rows = [
        [entry.what for entry in read_entries(each) if isinstance(entry.what, TerrainSettled | TerrainTaken)]
        for each in (path, journal.path)
    ]
    assert [type(row) for row in rows[0]] == [TerrainSettled, TerrainTaken, TerrainTaken, TerrainSettled]
    assert rows[0] == rows[1]
