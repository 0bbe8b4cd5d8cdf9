"""Kept windows: what a test put down in one is gone, what it read of the pages' files is there."""

from playwright.sync_api import Browser

from assistant.web.app import create_app
from tests.pages.kept_windows import KeptWindows, start_server
from tests.pages.played_game import PlayedTable

REMEMBERED = "[localStorage.length, document.cookie]"
PUT_DOWN = "localStorage.setItem('a', '1'); document.cookie = 'a=1'"
READ_BYTES = """performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js"))
    .reduce((sum, { transferSize }) => sum + transferSize, 0)"""


def test_a_window_remembers_files_and_nothing_else(browser: Browser, table: PlayedTable) -> None:
    windows, app = KeptWindows(browser), create_app(hub=table.hub, picture=lambda: None, join_urls=[])

    def visit(*, given_up: bool = False) -> tuple[object, int, int]:
        """Return the window, the port, and how much was read."""
        server, context = start_server(app), windows.take()
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.port}/join?again")
        assert page.evaluate(REMEMBERED) == [0, ""]
        page.evaluate(PUT_DOWN)
        assert page.evaluate(REMEMBERED) == [1, "a=1"]
        read = page.evaluate(READ_BYTES)
        if given_up:
            windows.give_up(context)
        server.stop()
        windows.take_back()
        assert page.is_closed()
        return context, server.port, read

    first, again, third = visit(), visit(given_up=True), visit()
    assert again[:2] == first[:2]
    assert (first[2] > 10_000, again[2]) == (True, 0)
    assert third[0] is not first[0]
