"""A real browser for the pages, and a game for them to show."""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

from assistant.web.app import create_app
from assistant.web.hub import Hub
from assistant.web.server import Server
from tests.pages.kept_windows import KeptWindows, start_server
from tests.pages.played_game import PlayedTable, encode_camera_picture
from tests.pages.waiting import PATIENCE_S

expect.set_options(timeout=PATIENCE_S * 1000)

FEATURES_LEFT_OUT = [
    "WebUIOmniboxPopup",  # the address bar's list is a page of 400 modules, which every window loads, and nobody sees
    "WebUIOmniboxAimPopup",
    # What Playwright leaves out stands here again, because the browser heeds only the last list that it is given.
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
]
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    f"--disable-features={','.join(FEATURES_LEFT_OUT)}",
]


PHONE = ViewportSize(width=390, height=844)
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
HEADLESS_SHELL = "chromium-headless-shell"
"""The same engine without the program around it: a page costs it two thirds of the time."""


def find_chromium(*rather: str) -> str | None:
    """Return where Debian's or any other installed Chromium is, or one that is named and installed too."""
    return next((found for name in (*rather, *CHROMIUMS) if (found := shutil.which(name))), None)


@pytest.fixture(scope="package")  # not longer: while Playwright runs, no other test could run an event loop
def browser() -> Iterator[Browser]:
    """Debian's or any other installed Chromium, headless.

    Pages are opened in the `windows` that are kept of it: one that stays open after its test would go on asking whoever
    serves next where its own table was.
    """
    path = find_chromium(HEADLESS_SHELL)
    if path is None:
        pytest.skip("no Chromium is installed; `make browser` says how to get it")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS, env=dict(os.environ))
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def _kept_windows(browser: Browser) -> KeptWindows:
    return KeptWindows(browser)


@pytest.fixture
def windows(_kept_windows: KeptWindows) -> Iterator[KeptWindows]:
    """The browser's windows, of which a test takes as many as it needs."""
    yield _kept_windows
    _kept_windows.take_back()


@pytest.fixture
def open_window(windows: KeptWindows) -> Callable[[], Page]:
    """Opens pages of further devices, each in a window of its own: a page behind another is drawn once a second."""
    return lambda: windows.take().new_page()


@pytest.fixture
def context(windows: KeptWindows) -> BrowserContext:
    """A browser window's worth of state, with touch, at the size of a laptop."""
    return windows.take()


@pytest.fixture
def take_over_clock(windows: KeptWindows) -> Callable[[Page], None]:
    """Takes over the time of a page, and with it of every page that its window will ever have."""

    def take_over(page: Page) -> None:
        windows.give_up(page.context)
        page.clock.install()

    return take_over


@pytest.fixture
def phone(windows: KeptWindows) -> Iterator[Page]:
    """A page on a telephone, without a picture: the browser logs that, so only its script's errors are noted."""
    errors: list[str] = []
    made = windows.take(viewport=PHONE).new_page()
    made.on("pageerror", lambda error: errors.append(str(error)))
    yield made
    assert errors == []
    assert made.evaluate("document.documentElement.scrollWidth - innerWidth") == 0


def note_errors(page: Page) -> list[str]:
    """Return a list that whatever a page's script throws or logs as an error will be added to."""
    errors: list[str] = []

    def note(message: ConsoleMessage) -> None:
        lost_connection = "WebSocket connection to" in message.text  # browsers log it whatever the page does
        if message.type in {"error", "warning"} and not lost_connection:
            errors.append(f"{message.text} ({message.location})")

    page.on("console", note)
    page.on("pageerror", lambda error: errors.append(str(error)))
    return errors


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page; the test fails if its script throws or logs an error."""
    made = context.new_page()
    errors = note_errors(made)
    yield made
    assert errors == []


@pytest.fixture
def table() -> Iterator[PlayedTable]:
    """A game under way on a hub of its own."""
    with PlayedTable(Hub()) as played:
        yield played


@pytest.fixture
def server(table: PlayedTable) -> Iterator[Server]:
    """The web server of that game, on a free port."""
    app = create_app(hub=table.hub, picture=encode_camera_picture, join_urls=["http://192.0.2.7:8000"])
    made = start_server(app)
    yield made
    made.stop()


@pytest.fixture
def address(server: Server) -> str:
    """Where the game's pages are."""
    return f"http://127.0.0.1:{server.port}"
