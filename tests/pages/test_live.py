"""The whole line in a real browser: rendered or filmed pixels at one end, the drawn overlay at the other."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from assistant.features.demo.catalogue import read_demo
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import PosesSeen
from tests.assistant.features.demo.demo_setup_file import write_demo_setup
from tests.assistant.web.view_deltas import apply_delta
from tests.pages.pixels import BLACK, locate_place, read_colours
from tests.pages.program import run_overtable
from tests.pages.test_tablet import locate_in_window
from tests.pages.waiting import wait_for
from tests.shared_pictures import find_shared_folder


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "demo.overtable"


@pytest.fixture(scope="module")
def demo(recording: Path) -> Iterator[str]:
    with run_overtable("demo", "--no-script", "--recording", recording) as address:
        yield address


class SocketListener:
    """What the server tells a page, read from the page's own socket."""

    def __init__(self, page: Page) -> None:
        self.view: dict[str, dict[str, Any]] = {}
        self.deltas: list[dict[str, Any]] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._read))

    def _read(self, text: str | bytes) -> None:
        message = json.loads(text)
        if message["type"] == "full":
            self.view = message["view"]
        elif message["type"] == "delta":
            self.deltas.append(message)
            self.view = apply_delta(self.view, message)

    def has_view(self, page: Page) -> bool:
        """Whether the page has been told what to show."""
        page.wait_for_timeout(20)  # lets Playwright hand on what has arrived
        return bool(self.view)

    def find_model(self, page: Page, name: str) -> dict[str, Any]:
        """Return how a model is shown now, once it is shown at all."""
        self.has_view(page)
        unseen = {"state": "unseen", "x_mm": math.nan, "y_mm": math.nan}
        shown: dict[str, Any] = self.view.get("models", {}).get(name, unseen)
        return shown


def drag_model(page: Page, canvas: Locator, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*locate_in_window(canvas, *start))
    page.mouse.down()
    page.mouse.move(*locate_in_window(canvas, *end), steps=25)
    page.mouse.up()


def test_a_dragged_model_is_seen_judged_drawn_and_projected(
    demo: str, page: Page, context: BrowserContext, recording: Path
) -> None:
    wire = SocketListener(page)
    page.goto(f"{demo}/tablet")
    wait_for(lambda: wire.find_model(page, "scouts-1")["state"] == "seen" or None)
    projector = context.new_page()
    projector.goto(f"{demo}/projector")
    page.get_by_role("button", name="scouts").click()
    page.get_by_role("button", name="Normal move").click()

    # The zone lights up on the projector page; over the base it stays dark.
    light = projector.locator("canvas")
    beside, over = locate_place(light, 420, 400), locate_place(light, 330, 420)
    wait_for(lambda: read_colours(light, [beside])[0] != BLACK or None)
    assert read_colours(light, [over]) == [BLACK]

    # 70 mm are within 6 inches and near enough to the unit, 240 mm are neither; only what the camera sees counts.
    canvas = page.locator("#table")
    drag_model(page, canvas, (330, 420), (400, 440))
    wait_for(lambda: abs(wire.find_model(page, "scouts-1")["x_mm"] - 400) < 2 or None)
    expect(page.locator(".verdict")).to_have_text("Legal1 model moved")
    drag_model(page, canvas, (400, 440), (560, 360))
    expect(page.locator(".verdict")).to_contain_text("Not legal")
    expect(page.locator("#findings")).to_contain_text("10e-15")
    page.get_by_role("button", name="Accept").click()
    expect(page.locator("#picked h2")).to_have_count(0)
    projector.close()

    kinds = [type(entry.what).__name__ for entry in read_entries(recording)]
    assert kinds.count("ModelPlaced") == 21
    played = [kind for kind in kinds if kind in {"Declared", "ModelSettled", "Accepted"}]
    assert (played[0], played[1], played[-1]) == ("Declared", "ModelSettled", "Accepted")


def test_a_move_of_just_its_allowance_is_too_close_to_call(demo: str, page: Page) -> None:
    wire = SocketListener(page)
    page.goto(f"{demo}/tablet")
    wait_for(lambda: wire.find_model(page, "captain-1")["state"] == "seen" or None)
    page.locator('#units [data-key="captain"]').click()
    page.get_by_role("button", name="Normal move").click()
    page.locator("#table").focus()
    for _ in range(24):
        page.keyboard.press("ArrowRight")  # a quarter of an inch each
    wait_for(lambda: abs(wire.find_model(page, "captain-1")["x_mm"] - 380 - 24 * 6.35) < 2 or None)
    expect(page.locator(".verdict")).to_contain_text("Too close to call")
    expect(page.locator(".finding").first).to_contain_text("10e-15")
    page.get_by_role("button", name="Accept").click()
    expect(page.locator("#picked h2")).to_have_count(0)


def test_a_unit_leaves_its_transport_where_the_table_is_touched(demo: str, page: Page) -> None:
    wire = SocketListener(page)
    page.goto(f"{demo}/tablet")
    wait_for(lambda: wire.find_model(page, "carrier-1")["state"] == "seen" or None)
    assert "sappers-1" not in wire.view["models"]
    page.locator('#units [data-key="sappers"]').click()
    page.get_by_role("button", name="Disembark", exact=True).click()
    expect(page.locator('#actions [data-key="disembark"]')).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".verdict")).to_contain_text("still to be put on the table: sappers-1, sappers-2")
    canvas = page.locator("#table")
    for model, place_mm in (("sappers-1", (350, 170)), ("sappers-2", (350, 220))):
        page.mouse.click(*locate_in_window(canvas, *place_mm))
        wait_for(lambda model=model: wire.find_model(page, model)["state"] == "seen" or None)  # type: ignore[misc]  # mypy infers no default
    expect(page.locator(".verdict")).to_have_text("Legal2 models set up")
    page.get_by_role("button", name="Accept").click()
    expect(page.locator('#units [data-key="sappers"]')).not_to_contain_text("embarked")


def test_the_camera_picture_is_served(demo: str, page: Page) -> None:
    answer = page.request.get(f"{demo}/picture.jpg")
    assert answer.ok
    assert answer.body().startswith(b"\xff\xd8")


def test_a_recorded_game_plays_back_on_the_tablet(page: Page, tmp_path: Path) -> None:
    game = tmp_path / "game.overtable"
    with run_overtable("demo", "--no-script", "--recording", game) as address:
        wire = SocketListener(page)
        page.goto(f"{address}/tablet")
        wait_for(lambda: wire.find_model(page, "raiders-1")["state"] == "seen" or None)
        page.get_by_role("button", name="raiders").click()
        page.get_by_role("button", name="Normal move").click()
        drag_model(page, page.locator("#table"), (720, 470), (690, 490))
        expect(page.locator(".verdict")).to_have_text("Legal1 model moved")
        wait_for(lambda: abs(wire.find_model(page, "raiders-1")["x_mm"] - 690) < 2 or None)
        page.goto("about:blank")
    with run_overtable("replay", game, "--speed", "20") as address:
        replayed = SocketListener(page)
        page.goto(f"{address}/tablet")
        wait_for(lambda: abs(replayed.find_model(page, "raiders-1")["x_mm"] - 690) < 2 or None)
        expect(page.locator("#camera")).to_contain_text("ended", ignore_case=True)
        assert replayed.view["move"]["move"]["outcome"] == "legal"
        assert replayed.view["table"]["table"]["replay"] is True
        page.goto("about:blank")


def test_a_film_of_figures_on_ringed_bases_is_followed(page: Page, tmp_path: Path) -> None:
    demo = read_demo("warhammer-40k-10e")
    pushed = next(base for base in demo.setup.ringed_bases if base.model == "raiders-1")
    table = build_virtual_table(demo.setup, demo.state)
    begun = table.get_placements()[pushed.marker]
    film = cv2.VideoWriter(str(tmp_path / "film.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 15, table.camera.image_size)
    # A film does not wait: there is time to find the rings on a busy machine before one is pushed, and after it.
    for number in range(240):
        slid_mm = 3.0 * min(max(number - 120, 0), 25)
        table.move(pushed.marker, replace(begun, x_mm=begun.x_mm - slid_mm))
        film.write(table.render())
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
        wait_for(lambda: wire.find_model(page, "m23")["state"] == "held" or None)
        wait_for(lambda: wire.find_model(page, "m23")["state"] == "seen" or None)
        expect(page.locator("#camera")).to_contain_text("ended", ignore_case=True)
        last = wire.find_model(page, "m00")
        page.goto("about:blank")
    seen = [entry.what for entry in read_entries(game) if isinstance(entry.what, PosesSeen)]
    first = next(pose for poses in seen for pose in poses.poses if (pose.model, pose.state) == ("m00", "seen"))
    # A film does not wait: on a busy machine the first pictures that are looked at show the slide under way.
    assert math.hypot(last["x_mm"] - first.x_mm, last["y_mm"] - first.y_mm) > 30
    truth = json.loads((setup.parent / "truth.json").read_text())["frames"][-1]["bases"]
    (end,) = [base for base in truth if base["model"] == "m00"]
    assert (last["x_mm"], last["y_mm"]) == pytest.approx((end["x_mm"], end["y_mm"]), abs=0.5)
    assert {pose.state for poses in seen for pose in poses.poses if pose.model == "m23"} == {"seen", "held"}
