"""A phone as the table's camera: Chromium with a film of ours for its camera, from its page to the bases' poses."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from assistant.features.camera.markers import build_markers
from assistant.features.demo.catalogue import SETUP, read_demo
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.web import app as app_module
from assistant.web.app import create_app
from assistant.web.auth.join_routes import SecureAddress
from assistant.web.hub import Hub
from assistant.web.server import Server
from hardware.camera.phone import PhoneCamera, PhoneInbox
from hardware.clock import read_clock_ns
from hardware.errors import SourceLost
from tests.pages.conftest import CHROMIUM_ARGUMENTS, HEADLESS_SHELL, find_chromium
from tests.pages.program import run_overtable
from tests.pages.test_layout import PHONE, check_page
from tests.pages.test_setup_markers import check_layout
from tests.pages.waiting import PATIENCE_S, wait_for
from vision.pipeline import Pipeline
from vision.types import BasePose, PoseState

DEMO = read_demo("warhammer-40k-10e")
FRAMES = 6
RATE = 5
"""Pictures a second, as a table's film says of itself; all others are played at thirty, however few are looked at."""


@pytest.fixture(scope="module")
def filmed(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser whose camera sees the demo's table, and that is let use it."""
    film = tmp_path_factory.mktemp("film") / "table.y4m"
    table = build_virtual_table(DEMO.setup, DEMO.state)
    width, height = table.camera.image_size
    with film.open("wb") as written:
        written.write(f"YUV4MPEG2 W{width} H{height} F{RATE}:1 Ip A1:1 C420jpeg\n".encode())
        for _ in range(FRAMES):
            written.write(b"FRAME\n" + cv2.cvtColor(table.render(), cv2.COLOR_BGR2YUV_I420).tobytes())
    made = browser.browser_type.launch(
        executable_path=find_chromium(HEADLESS_SHELL),
        args=[
            *CHROMIUM_ARGUMENTS,
            "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream",
            f"--use-file-for-fake-video-capture={film}",
        ],
    )
    yield made
    made.close()


@pytest.fixture
def device(filmed: Browser) -> Iterator[Page]:
    """A page on it, at a phone's size."""
    context = filmed.new_context(viewport={"width": PHONE[0], "height": PHONE[1]}, has_touch=True)
    context.set_default_timeout(PATIENCE_S * 1000)
    page = context.new_page()
    errors: list[str] = []  # of its script: the browser notes each answer that refuses something
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []
    context.close()


@pytest.fixture
def inbox(monkeypatch: pytest.MonkeyPatch) -> PhoneInbox:
    made = PhoneInbox()
    monkeypatch.setattr(app_module, "INBOX", made)
    return made


@pytest.fixture
def served(inbox: PhoneInbox) -> Iterator[str]:
    """The address that the host shows."""
    phone: list[SecureAddress] = []
    server = Server(create_app(hub=Hub(), picture=lambda: None, join_urls=[], secure=phone), "127.0.0.1", 0)
    server.start()
    phone.append(SecureAddress(url=f"http://127.0.0.1:{server.port}"))
    yield f"{phone[0].url}/camera#{inbox.key}"
    server.stop()


def test_bases_are_where_they_stand_in_what_a_phone_sends(device: Page, served: str, inbox: PhoneInbox) -> None:
    device.goto(served)
    device.get_by_role("button", name="Use this camera").tap()
    camera = PhoneCamera(inbox, colour=True)
    markers, _ = build_markers(DEMO.setup, SETUP, None, DEMO.state.terrain)
    pipeline = Pipeline(markers=markers)

    def read() -> dict[str, BasePose]:
        try:
            frame = camera.read()
        except SourceLost:
            return {}
        age_ms = (read_clock_ns() - frame.captured_ns) / 1e6
        assert 0 <= age_ms < 2000
        assert frame.shown.shape == (1080, 1920, 3)
        return {pose.model: pose for pose in pipeline.step(frame).poses if pose.state is PoseState.SEEN}

    truth = {model.id: model.pose for _, model in DEMO.state.iterate_models() if model.pose is not None}
    seen = wait_for(lambda: found if len(found := read()) == len(truth) else None)
    assert inbox.report.device != ""
    for pose in seen.values():
        place = truth[pose.model]
        off_mm = np.array((pose.x_mm - place.x_mm, pose.y_mm - place.y_mm))
        assert off_mm @ np.linalg.solve(pose.covariance[:2, :2], off_mm) < 25, (pose, off_mm)
    expect(device.get_by_role("status")).to_contain_text("of 1920 × 1080")


def test_the_page_is_tidy(device: Page, served: str, tmp_path: Path) -> None:
    device.goto(served)
    device.get_by_role("button", name="Use this camera").tap()
    expect(device.get_by_role("status")).to_contain_text("1920 × 1080")
    check_page(device, tmp_path, "camera")


def test_a_phone_that_is_not_invited_or_not_answered_says_what_to_do(
    device: Page, served: str, inbox: PhoneInbox
) -> None:
    device.goto(served.partition("#")[0])
    expect(device.get_by_role("alert")).to_contain_text("scan the code on the set-up page")
    expect(device.get_by_role("button", name="Use this camera")).to_be_hidden()
    device.goto("about:blank")
    device.goto(served)
    device.get_by_role("button", name="Use this camera").tap()
    wait_for(lambda: inbox.take(0.02))
    inbox.key = "another"  # as where the host has begun anew
    expect(device.get_by_role("alert")).to_contain_text("scan the code on the set-up page again")


LOW = "navigator.getBattery = async () => Object.assign(new EventTarget(), { level: 0.1, charging: false });"


def test_advice_stays_while_pictures_go_through(device: Page, served: str, inbox: PhoneInbox) -> None:
    device.add_init_script(LOW)
    device.goto(served)
    device.get_by_role("button", name="Use this camera").tap()
    advice = device.get_by_role("alert")
    expect(advice).to_have_text("The battery is at 10 %: plug this device in.")
    for _ in range(5):
        wait_for(lambda: inbox.take(0.02))
        device.wait_for_timeout(50)  # in which the page hears that the picture was taken
        assert advice.is_visible()


def test_a_wish_for_the_focus_is_what_the_camera_can(device: Page, served: str) -> None:
    device.goto(served)
    script = """async () => {
      const { constraints, clockAhead } = await import("/static/camera/camera.js");
      const can = { focusMode: ["manual", "continuous"], exposureMode: ["continuous"] };
      const set = { focusDistance: 0.7 };
      const samples = [[0, 80, 1040], [100, 104, 1102], [200, 230, 1290]];
      return [
        constraints({ focus: "hold", exposure: 80 }, set, can),
        constraints({ focus: 1.5, exposure: "auto" }, set, can),
        constraints({ focus: null, exposure: null }, set, can),
        constraints({ focus: "auto", exposure: null }, set, {}),
        clockAhead(samples.map(([sent_ms, heard_ms, now_ms]) => ({ sent_ms, heard_ms, now_ms }))),
      ];
    }"""
    assert device.evaluate(script) == [
        {"focusMode": "manual", "focusDistance": 0.7},
        {"focusMode": "manual", "focusDistance": 1.5, "exposureMode": "continuous"},
        {},
        {},
        1000,
    ]


def test_the_wizard_invites_a_phone_and_sees_what_it_sends(page: Page, device: Page, tmp_path: Path) -> None:
    with run_overtable("setup", tmp_path / "table") as address:
        page.goto(f"{address}/setup#camera")
        page.get_by_role("button", name="A phone").click()
        code = page.get_by_role("img", name="QR code that opens the camera’s page on a phone")
        wait_for(lambda: code.evaluate("image => image.naturalWidth > 0"))
        expect(page.locator("#heading .state")).to_contain_text("open the camera's page on it")
        link = page.locator("#work .address a").get_attribute("href")
        assert link is not None
        device.goto(link)
        device.get_by_role("button", name="Use this camera").tap()
        expect(page.locator("#heading .state")).to_have_attribute("data-state", "good")
        check_layout(page, tmp_path / "invited.png")
        page.goto("about:blank")
        device.goto("about:blank")
