"""The camera's step of the set-up: a lens is turned until the picture is sharp, and the camera is locked."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from assistant.features.camera.controller import CameraController
from assistant.features.demo.catalogue import SETUP
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.game.state import NO_RULEBOOK, GameState, Table
from assistant.runtime.live_loop import LatestFrame
from assistant.setup.file import read_setup
from assistant.web.app import add_crop_route
from assistant.web.messages import View
from assistant.web.messages.table import HindranceView, NoticeView
from hardware.camera.frame_source import CameraSettings, ControlRequest
from hardware.camera.latest_frame_reader import LatestFrameReader
from hardware.camera.virtual import VirtualCamera
from tests.pages.step_page import serve_step


@dataclass
class CameraDesk:
    """A virtual camera, somebody who focuses it, and what was kept of that."""

    drain: LatestFrameReader
    controller: CameraController
    latest: LatestFrame = field(default_factory=LatestFrame)
    kept: list[tuple[float | None, float | None]] = field(default_factory=list)

    def build_view(self) -> View:
        """Look at the newest picture, and return what the pages show."""
        frame = self.drain.wait_for_frame(self.latest.frame.sequence if self.latest.frame else None, 0.05)
        if frame is not None:
            self.latest.frame = frame
            self.controller.see(frame)
        return self.controller.build_view()

    def keep(self, focus: float | None, exposure: float | None) -> str:
        self.kept.append((focus, exposure))
        return "It is kept."


@pytest.fixture
def desk() -> Iterator[CameraDesk]:
    setup = read_setup(SETUP)
    table = Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    laid = build_virtual_table(setup, GameState(rulebook=NO_RULEBOOK, table=table, units=()))
    with ThreadPoolExecutor(1) as executor:
        drain = LatestFrameReader(partial(VirtualCamera, laid, fps=8))
        made = CameraDesk(drain=drain, controller=CameraController(camera=drain, executor=executor))
        made.controller.keep = made.keep
        while drain.settings is None:
            time.sleep(0.01)
        drain.adjust(ControlRequest(focus=143, exposure="auto"))
        yield made
        drain.close()


@pytest.fixture
def step(desk: CameraDesk) -> Iterator[str]:
    with serve_step(
        "camera",
        desk.controller,
        shown=desk.build_view,
        more=lambda app: add_crop_route(app, desk.latest.crop_jpeg),
    ) as address:
        yield address


def test_the_lens_is_turned_until_it_is_sharp_and_the_camera_is_locked(page: Page, step: str, desk: CameraDesk) -> None:
    page.goto(step)
    standing = page.locator(".standing")
    expect(standing).to_contain_text("turn the lens until the number falls below 1.3 px")
    expect(page.locator('[data-about="focus"]')).to_have_attribute("data-outcome", "too-close")
    expect(page.get_by_role("img", name="The sharpest place, enlarged")).to_be_visible()
    page.get_by_role("button", name="focus down by 10").tap()
    expect(page.get_by_role("group", name="Focus")).to_contain_text("133")
    page.get_by_role("button", name="focus down by 10").tap()
    expect(standing).to_contain_text("lock the camera, so that it stays so")
    expect(page.get_by_role("img", name="good below 1.3 px")).to_be_visible()
    page.get_by_role("button", name="Lock focus and exposure").tap()
    expect(page.get_by_text("The camera holds its focus and exposure. It is kept.")).to_be_visible()
    expect(standing).to_have_text("Sharp and well lit.")
    assert desk.kept == [(123, 100)]
    page.get_by_role("button", name="Let the camera decide").tap()
    expect(page.get_by_text("The camera decides by itself again.")).to_be_visible()
    assert desk.kept[1:] == [(None, None)]


def test_too_dark_a_picture_says_so(page: Page, step: str, desk: CameraDesk) -> None:
    desk.drain.adjust(ControlRequest(focus="auto", exposure=25))
    page.goto(step)
    light = page.locator('[data-about="light"]')
    expect(light).to_have_attribute("data-outcome", "illegal")
    expect(light).to_contain_text("Give the table more light")


def test_a_camera_without_controls_says_so_on_a_phone(phone: Page, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LatestFrameReader, "settings", property(lambda _: CameraSettings()))
    phone.goto(step)
    expect(phone.get_by_text("This camera lets no program set its focus")).to_be_visible()
    expect(phone.get_by_role("button", name="Lock")).to_have_count(0)
    expect(phone.locator(".reading").first).to_be_visible()


def test_bases_that_are_not_found_are_marked_in_the_picture_with_the_reason(page: Page, desk: CameraDesk) -> None:
    glare = HindranceView(hindrance="glare", short="glare", text="", x_share=0.25, y_share=0.5)
    nowhere = HindranceView(hindrance="covered", short="covered", text="")
    notice = NoticeView(text="s1 lies in glare at the left edge: move or shade the lamp.")

    def build_view() -> View:
        shown = {"hindrances": {"s1": glare, "s2": nowhere}, "notices": {"sight:glare": notice}}
        return desk.build_view().model_copy(update=shown)

    with serve_step(
        "camera", desk.controller, shown=build_view, more=lambda app: add_crop_route(app, desk.latest.crop_jpeg)
    ) as address:
        page.goto(address)
        mark = page.locator(".mark.hindered")
        expect(mark).to_have_count(1)
        expect(mark).to_have_text("glare")
        expect(page.locator(".notices")).to_have_text(notice.text)
        picture, marked = page.locator(".sights").bounding_box(), mark.bounding_box()
        assert picture is not None
        assert marked is not None
        assert marked["x"] + marked["width"] / 2 == pytest.approx(picture["x"] + picture["width"] / 4, abs=2)
