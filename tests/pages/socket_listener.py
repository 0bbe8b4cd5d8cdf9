"""What a page is told, and the hand that drags a model on it."""

import copy
import json
import math
from typing import Any

from playwright.sync_api import Locator, Page

from tests.assistant.web.view_deltas import apply_delta
from tests.pages.test_tablet import locate_in_window


class SocketListener:
    """What the server tells a page, read from the page's own socket."""

    def __init__(self, page: Page) -> None:
        self.view: dict[str, dict[str, Any]] = {}
        self.deltas: list[dict[str, Any]] = []
        self.messages: list[dict[str, Any]] = []
        """As they came."""
        self.states: dict[str, set[str]] = {}
        """All states in which a model was shown, however briefly."""
        page.on("websocket", lambda socket: socket.on("framereceived", self._read))

    def _read(self, text: str | bytes) -> None:
        message = json.loads(text)
        self.messages.append(copy.deepcopy(message))
        if message["type"] == "full":
            self.view = message["view"]
        elif message["type"] == "delta":
            self.deltas.append(message)
            self.view = apply_delta(self.view, message)
        for name, model in self.view.get("models", {}).items():
            self.states.setdefault(name, set()).add(model["state"])

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
