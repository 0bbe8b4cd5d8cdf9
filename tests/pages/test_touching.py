"""Touching: a finger beside small bases takes hold of the one whose edge it is nearest to."""

import pytest
from playwright.sync_api import Page

MODEL_AT = """async ([models, at, slack_mm]) =>
  (await import("/static/common/geometry.js")).modelAt({ models }, at, slack_mm)"""
NO_BASE = {"round_mm": None, "oval_mm": None, "rect_mm": None, "outline_mm": None}


def build_model(x_mm: float, base: dict[str, object], facing_deg: float = 0) -> dict[str, object]:
    return {"x_mm": x_mm, "y_mm": 0.0, "facing_deg": facing_deg, "base": NO_BASE | base}


@pytest.mark.parametrize(
    ("x_mm", "y_mm", "touched"),
    [
        (88, 0, "small"),  # 12 mm beside it, and 18 beside the large one
        (80, 0, "large"),
        (40, 0, "large"),
        (115, 0, "small"),
        (420, 30, "stand"),
        (420, 45, None),  # within the circle about the stand, and too far from its edge
        (520, 0, None),
    ],
)
def test_the_base_whose_edge_is_nearest_is_touched(
    page: Page, address: str, x_mm: float, y_mm: float, touched: str | None
) -> None:
    page.goto(f"{address}/")
    models = {
        "large": build_model(0, {"round_mm": 140}),
        "small": build_model(110, {"round_mm": 20}),
        "stand": build_model(420, {"rect_mm": [100, 20]}),
    }
    assert page.evaluate(MODEL_AT, [models, {"x": x_mm, "y": y_mm}, 30]) == touched


def test_of_bases_that_lie_over_each_other_the_one_is_touched_whose_middle_is_meant(page: Page, address: str) -> None:
    page.goto(f"{address}/")
    models = {"ship": build_model(0, {"round_mm": 140}), "crew": build_model(40, {"round_mm": 20})}
    assert page.evaluate(MODEL_AT, [models, {"x": 42, "y": 0}, 30]) == "crew"
    assert page.evaluate(MODEL_AT, [models, {"x": 0, "y": 5}, 30]) == "ship"
