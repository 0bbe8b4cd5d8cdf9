"""The whole line in a real browser, from what was recorded or filmed to the drawn overlay.

Apart from the tests on a running demo, which would go on rendering beside them.
"""

import json
import math
import signal
from dataclasses import replace
from pathlib import Path

import cv2
import jsonschema
import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page, expect

from assistant.features.demo.catalogue import read_demo
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import PosesSeen
from assistant.web.api.live_schema import build_live_schema
from tests.assistant.features.demo.demo_setup_file import write_demo_setup
from tests.pages.program import RATE, run_overtable
from tests.pages.socket_listener import SocketListener, drag_model
from tests.pages.waiting import wait_for
from tests.shared_pictures import find_shared_folder


def test_a_recorded_game_plays_back_on_the_tablet(page: Page, tmp_path: Path) -> None:
    game = tmp_path / "game.overtable"
    with run_overtable("demo", "--no-script", "--fps", RATE, "--recording", game, end_by=signal.SIGTERM) as address:
        wire = SocketListener(page)
        page.goto(f"{address}/tablet")
        wait_for(lambda: wire.find_model(page, "raiders-1")["state"] == "seen" or None)
        page.get_by_role("button", name="raiders").click()
        page.get_by_role("button", name="Normal move").click()
        drag_model(page, page.locator("#table"), (720, 470), (690, 490))
        expect(page.locator(".verdict")).to_have_text("Legal1 model moved")
        wait_for(lambda: abs(wire.find_model(page, "raiders-1")["x_mm"] - 690) < 2 or None)
        page.goto("about:blank")
    assert [path.name for path in tmp_path.iterdir()] == ["game.overtable"]
    with run_overtable("replay", game, "--speed", "20") as address:
        replayed = SocketListener(page)
        page.goto(f"{address}/tablet")
        wait_for(lambda: abs(replayed.find_model(page, "raiders-1")["x_mm"] - 690) < 2 or None)
        expect(page.locator("#camera")).to_contain_text("ended", ignore_case=True)
        assert replayed.view["move"]["move"]["outcome"] == "legal"
        assert replayed.view["table"]["table"]["replay"] is True
        page.goto("about:blank")
    schema = jsonschema.Draft202012Validator(build_live_schema())
    assert {message["type"] for message in wire.messages} >= {"full", "delta"}
    for message in wire.messages:  # of the game and of its replay
        assert [error.message for error in schema.iter_errors(message)] == []


def test_a_film_of_figures_on_ringed_bases_is_followed(page: Page, tmp_path: Path) -> None:
    demo = read_demo("warhammer-40k-10e")
    pushed = next(base for base in demo.setup.ringed_bases if base.model == "raiders-1")
    table = build_virtual_table(demo.setup, demo.state)
    begun = table.get_placements()[pushed.marker]
    film = cv2.VideoWriter(str(tmp_path / "film.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 15, table.camera.image_size)

    def render(slid_mm: float) -> NDArray[np.uint8]:
        table.move(pushed.marker, replace(begun, x_mm=begun.x_mm - slid_mm))
        return table.render()

    # A film does not wait: there is time to find the rings on a busy machine before one is pushed, and after it.
    before, after = ([render(slid_mm) for _ in range(8)] for slid_mm in (0.0, 75.0))
    for picture in (*15 * before, *(render(3.0 * number) for number in range(25)), *12 * after):
        film.write(picture)
    film.release()
    setup = tmp_path / "setup.toml"
    write_demo_setup(demo, setup, source="file:film.avi")
    with run_overtable("run", "--setup", setup) as address:
        wire = SocketListener(page)
        page.goto(f"{address}/tablet")
        wait_for(lambda: wire.find_model(page, "raiders-1")["state"] == "seen" or None)
        expect(page.locator("#camera")).to_contain_text("ended", ignore_case=True)
        last = wire.find_model(page, "raiders-1")
        ringed = [base for base in demo.setup.ringed_bases if base.marker in table.get_placements()]
        assert {wire.find_model(page, base.model)["state"] for base in ringed} == {"seen"}
        page.goto("about:blank")
    assert (last["x_mm"], last["y_mm"]) == pytest.approx((begun.x_mm - 75.0, begun.y_mm), abs=0.5)


def test_a_filmed_table_is_followed(page: Page, tmp_path: Path) -> None:
    setup = find_shared_folder("frames/table-1080p") / "setup.toml"
    game = tmp_path / "film.overtable"
    with run_overtable("run", "--setup", setup, "--recording", game) as address:
        wire = SocketListener(page)
        page.goto(f"{address}/tablet")
        wait_for(lambda: wire.find_model(page, "m00")["state"] == "seen" or None)
        expect(page.locator("#camera")).to_contain_text("ended", ignore_case=True)
        last = wire.find_model(page, "m00")
        assert wire.find_model(page, "m23")["state"] == "seen"
        assert wire.states["m23"] <= {"held", "seen"}
        page.goto("about:blank")
    seen = [entry.what for entry in read_entries(game) if isinstance(entry.what, PosesSeen)]
    first = next(pose for poses in seen for pose in poses.poses if (pose.model, pose.state) == ("m00", "seen"))
    # A film does not wait: on a busy machine the first pictures that are looked at show the slide under way.
    assert math.hypot(last["x_mm"] - first.x_mm, last["y_mm"] - first.y_mm) > 30
    truth = json.loads((setup.parent / "truth.json").read_text())["frames"][-1]["bases"]
    (end,) = [base for base in truth if base["model"] == "m00"]
    assert (last["x_mm"], last["y_mm"]) == pytest.approx((end["x_mm"], end["y_mm"]), abs=0.5)
    assert {pose.state for poses in seen for pose in poses.poses if pose.model == "m23"} == {"seen", "held"}
