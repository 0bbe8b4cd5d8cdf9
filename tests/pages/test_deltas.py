"""A page and the server agree on what a delta means."""

import json
from typing import Any

from hypothesis import given, settings
from playwright.sync_api import Page

from assistant.web.messages import View
from tests.assistant.web.view_deltas import build_delta, views

APPLY = """async ([view, delta]) => {
  const { apply } = await import("/static/common/live.js");
  return JSON.stringify(apply(JSON.parse(view), JSON.parse(delta)));
}"""
KEEP = """async ([view, delta]) => {
  const { apply } = await import("/static/common/live.js");
  const [before, change] = [JSON.parse(view), JSON.parse(delta)];
  const after = apply(before, change);
  const { a, b } = after.models;
  return [after.units === before.units, b === before.models.b, a.base === before.models.a.base];
}"""


def test_what_a_page_makes_of_a_delta_is_the_new_view(page: Page, address: str) -> None:
    page.goto(f"{address}/")

    @settings(max_examples=60)
    @given(views, views)
    def agrees(old: View, new: View) -> None:
        shown = page.evaluate(APPLY, [old.model_dump_json(), json.dumps(build_delta(old, new))])
        assert json.loads(shown) == json.loads(new.model_dump_json())

    agrees()


def test_what_a_delta_does_not_touch_stays_the_same_object(page: Page, address: str) -> None:
    page.goto(f"{address}/")
    base: dict[str, Any] = {"round_mm": 32}
    view = {"units": {"u": {"player": "x"}}, "models": {"a": {"base": base, "x_mm": 1}, "b": {"base": base, "x_mm": 2}}}
    delta = {"type": "delta", "seq": 2, "set": {"models": {"a": {"x_mm": 3}}}, "gone": {}}
    assert page.evaluate(KEEP, [json.dumps(view), json.dumps(delta)]) == [True, True, True]


PLACED = """async (view) => {
  const { placed } = await import("/static/common/along.js");
  const without = { ...view, shapes: { plain: view.shapes.plain } };
  const shown = placed(view);
  return [shown, shown.plain === view.shapes.plain, placed(without) === without.shapes];
}"""


def test_a_shape_that_goes_along_with_a_model_is_placed_where_it_stands(page: Page, address: str) -> None:
    page.goto(f"{address}/")
    ring = [[10, 0], [0, 5], [-10, 0]]
    shapes = {
        "plain": {"rings_mm": [ring], "on": None, "label": "stays"},
        "along": {"rings_mm": [ring], "on": "a", "label": "goes"},
        "astray": {"rings_mm": [ring], "on": "nobody", "label": "is left out"},
    }
    view = {"shapes": shapes, "models": {"a": {"x_mm": 100, "y_mm": 50, "facing_deg": 90}}}
    shown, same, untouched = page.evaluate(PLACED, view)
    assert same
    assert untouched
    assert set(shown) == {"plain", "along"}
    (placed,) = shown["along"]["rings_mm"]
    assert [[round(x, 6), round(y, 6)] for x, y in placed] == [[100, 60], [95, 50], [100, 40]]
    assert shown["along"]["label"] == "goes"
