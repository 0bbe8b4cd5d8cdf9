"""A script's place in the loop that keeps a table live."""

import gc
import threading
from collections.abc import Mapping
from dataclasses import replace

import cv2
import numpy as np
import pytest

from assistant.features.demo.catalogue import read_demo
from assistant.features.demo.script import STOPPED
from assistant.game.state import Pose
from assistant.runtime.live_loop import (
    HIGHEST_RIM_MM,
    MOST_DRAWN,
    SLOW_CAMERA,
    LatestFrame,
    RateMeter,
    SeenTable,
    freeze_collector,
)
from assistant.web.commands.game import Declare, Drag, TakeOver, Withdraw
from assistant.web.hub import Hub, PageCommand
from assistant.web.messages import View
from assistant.web.messages.message import Message
from hardware.frame import Frame
from tests.assistant.runtime.demo_loop import ListeningHub, build_exact_loop
from tests.assistant.snapshot_script import build_game
from tests.vision.synthetic_camera import CAMERA, make_enrolled_tag
from vision.table_map import TableArea

DEMO = read_demo("warhammer-40k-10e")


DARK = np.zeros((2, 2), np.uint8)


def list_troubles(meter: RateMeter, *rates_hz: float, skipping: int = 0) -> list[str]:
    """Return what a meter says at the end of each two seconds of a camera, of which the line leaves pictures out."""
    said, sequence, taken_s = [], 0, 0.0
    for hz in rates_hz:
        for number in range(round(2 * hz)):
            sequence, taken_s = sequence + 1, taken_s + 1 / hz
            if number % (skipping + 1) == 0:
                frame = Frame(camera="usb:0", sequence=sequence, captured_ns=round(taken_s * 1e9), image=DARK)
                meter.count_frame(frame, 0.0)
        said.append(meter.trouble)
    return said


def test_a_camera_that_falls_to_few_pictures_is_told_within_two_seconds_and_no_longer_once_it_gives_more() -> None:
    assert list_troubles(RateMeter(live=True), 30.0, 5.0, 9.0, 15.0) == ["", SLOW_CAMERA, SLOW_CAMERA, ""]
    assert list_troubles(RateMeter(live=True), 9.0, 30.0) == ["", ""]


def test_pictures_that_the_line_leaves_out_make_no_slow_camera() -> None:
    assert list_troubles(RateMeter(live=True), 15.0, 15.0, skipping=2) == ["", ""]
    assert list_troubles(RateMeter(live=False), 5.0) == [""], "a film is as slow as it is"


class VisitingHub(ListeningHub):
    """Someone who does one thing while the second scene's model slides, and leaves when nothing is said any more."""

    def __init__(self, does: Message, stop: threading.Event) -> None:
        super().__init__(self._look)
        self.captions: list[str] = []
        self.refused: list[str] = []
        self._does: Message | None = does
        self._stop = stop
        self._sliding = False

    def take(self) -> list[PageCommand]:
        """Do it."""
        if not self._sliding or self._does is None:
            return []
        order = PageCommand(message=self._does, refuse=self.refused.append)
        self._does = None
        return [order]

    def _look(self, view: View) -> None:
        scene = view.scene.get("scene")
        caption = scene.caption if scene else ""
        if caption != (self.captions or [""])[-1]:
            self.captions.append(caption)
        self._sliding = view.models["crawler-1"].moving
        if self._does is None and not caption:
            self._stop.set()


@pytest.mark.parametrize(
    "does",
    [
        TakeOver(type="take-over"),
        Drag(type="drag", model="strider-1", x_mm=300, y_mm=800, facing_deg=0, done=True),
        Declare(type="declare", unit="warlord", action="normal"),
        Withdraw(type="withdraw"),
    ],
    ids=lambda does: does.type,
)
def test_whatever_a_person_does_stops_the_script_for_good_and_is_obeyed(does: Message) -> None:
    stop = threading.Event()
    visitor = VisitingHub(does, stop)
    watch = build_exact_loop(DEMO, visitor)
    watch.run(stop)
    assert visitor.captions == [DEMO.scenes[0].caption, DEMO.scenes[1].caption, STOPPED, ""]
    assert visitor.refused == []
    declared = watch.session.state.declared
    match does:
        case Declare():
            assert declared
            assert declared.unit == "warlord"
        case Drag():
            assert "strider-1" in watch.session.state.tracks
        case _:
            assert declared is None or declared.unit == "crawler"


def test_without_anyone_who_watches_nothing_is_played() -> None:
    stop = threading.Event()

    class Nobody(Hub):
        """Pages that nobody has open."""

        views = 0

        def publish(self, view: View, own: Mapping[str, View] | None = None) -> int:  # noqa: ARG002
            """Go on for a minute of pictures."""
            assert view.scene == {}
            self.views += 1
            if self.views == 300:
                stop.set()
            return 0

    watch = build_exact_loop(DEMO, Nobody())
    watch.run(stop)
    assert watch.session.state.declared is None


def test_pages_are_shown_the_colours_that_the_eyes_do_without() -> None:
    picture = np.full((90, 160, 3), (20, 40, 220), dtype=np.uint8)
    packed = np.asarray(cv2.imencode(".jpg", picture)[1], dtype=np.uint8).reshape(-1)
    latest = LatestFrame()
    latest.frame = Frame(camera="", sequence=0, captured_ns=0, image=picture[..., 0].copy(), packed=packed)
    for shown in (latest.encode_jpeg(), latest.crop_jpeg(80, 45)):
        assert shown is not None
        seen = cv2.imdecode(np.frombuffer(shown, dtype=np.uint8), cv2.IMREAD_UNCHANGED)
        assert seen is not None
        assert np.abs(seen - picture[0, 0].astype(float)).max() < 5


def test_the_table_is_drawn_once_for_all_who_ask_for_the_same() -> None:
    latest = LatestFrame()
    assert latest.draw_table(None, 160) is None
    frames = [
        Frame(camera="", sequence=sequence, captured_ns=0, image=np.full((1080, 1920), 90 + sequence, dtype=np.uint8))
        for sequence in range(2)
    ]
    game = build_game()
    latest.over = SeenTable(frame=frames[0], camera=CAMERA, state=game, bases=())
    whole, part = latest.draw_table(None, 160), TableArea(left_mm=10, low_mm=10, width_mm=50, depth_mm=50)
    assert whole is not None
    assert latest.draw_table(None, 160) is whole
    seen = cv2.imdecode(np.frombuffer(whole, dtype=np.uint8), cv2.IMREAD_COLOR)
    assert seen is not None
    assert seen.shape[:2] == (round(160 * game.table.depth_mm / game.table.width_mm), 160)
    assert latest.draw_table(part, 160) != whole
    for width_px in range(100, 100 + MOST_DRAWN):  # nobody fills the memory by asking for one after another
        latest.draw_table(None, width_px)
    assert latest.draw_table(None, 160) is not whole
    latest.over = SeenTable(frame=frames[1], camera=CAMERA, state=game, bases=())
    assert latest.draw_table(None, 160) != whole


def test_a_base_is_seen_at_its_rim_and_a_marker_on_a_figure_tells_nothing_of_it() -> None:
    frame = Frame(camera="", sequence=0, captured_ns=0, image=np.zeros((9, 16), dtype=np.uint8))
    roof = {"s1": Pose(x_mm=300, y_mm=300, facing_rad=0, z_mm=76.2)}
    bases = [make_enrolled_tag(1, height_mm=4.0), make_enrolled_tag(2, height_mm=40.0)]
    named = [replace(base, model=model) for base, model in zip(bases, ("s1", "s2"), strict=True)]
    seen = SeenTable(frame=frame, camera=CAMERA, state=build_game().place_models(roof), bases=named)
    assert seen.find_height_mm("s1") == 76.2 + 4.0
    assert seen.find_height_mm("s2") == HIGHEST_RIM_MM
    assert seen.find_height_mm("nobody") == 0


def test_what_the_collector_passes_over_already_it_goes_on_to_pass_over() -> None:
    gc.freeze()
    with freeze_collector():
        pass
    assert gc.get_freeze_count() > 0
