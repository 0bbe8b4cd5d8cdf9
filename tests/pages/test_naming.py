"""Naming on pages: what the table says by ids is read by the names of an army, whichever message brings which first."""

from typing import Any

import pytest
from playwright.sync_api import Page

READ = """async ([names, message]) => {
  const { readMessage } = await import("/static/common/language.js");
  readMessage(names);
  return readMessage(message);
}"""
BOYZ = {"player": "red", "models": ["boyz-1", "boyz-2"], "names": {"boyz": "Boyz", "boyz-1": "Boyz #1"}}
SENTENCE = 'boyz-1 moved 10.24" of 10", and boyz-2 did not'
NAMED = 'Boyz #1 moved 10.24" of 10", and boyz-2 did not'


@pytest.fixture
def opened(page: Page, address: str) -> Page:
    page.goto(f"{address}/")
    return page


@pytest.mark.parametrize(
    "names",
    [
        {"type": "full", "view": {"units": {"boyz": BOYZ}}},
        {"type": "delta", "set": {"units": {"boyz": {"names": BOYZ["names"]}}}},
        {"units": {"boyz": BOYZ}},
        {"names": BOYZ["names"]},
    ],
    ids=["a whole view", "what changed", "a recorded view", "a game"],
)
def test_sentences_are_read_with_the_names_that_a_message_brought(opened: Page, names: dict[str, Any]) -> None:
    said = {"set": {"findings": {"0": {"text": SENTENCE, "subjects": ["boyz-1"], "rule_text": "boyz-1"}}}}
    read = opened.evaluate(READ, [names, said])
    assert read == {"set": {"findings": {"0": {"text": NAMED, "subjects": ["boyz-1"], "rule_text": "boyz-1"}}}}


def test_what_tells_where_models_are_is_left_as_it_came(opened: Page) -> None:
    models = {"models": {"boyz-1": {"text": "boyz-1"}}}
    assert opened.evaluate(READ, [{"names": BOYZ["names"]}, models]) == models


def test_what_is_left_of_a_way_is_said_of_a_model_by_its_name(opened: Page) -> None:
    way = {"outcome": "legal", "measured_mm": 127.0, "limit_mm": 152.4, "sigma_mm": None, "moving": False}
    said = opened.evaluate(
        """async ([names, way]) => {
          const { readMessage } = await import("/static/common/language.js");
          const { waysLeft } = await import("/static/tablet/ways.js");
          readMessage({ names });
          const place = document.createElement("div");
          waysLeft(place, document.createElement("div"))({ ways: { "boyz-1": way }, move: {}, table: {} });
          return place.textContent;
        }""",
        [BOYZ["names"], way],
    )
    assert said == 'Boyz #1: 5" of 6", 1" left'
