"""What leads a hand on the tablet: the zone's bands, the way and what is left of it, the furthest legal place."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from assistant.table.session import GameSession
from assistant.web.commands.game import Declare
from assistant.web.messages.table import AheadView, ShapeView
from tests.assistant.snapshot_script import build_game
from tests.pages.pixels import READ_PIXELS, locate_place, read_colour, wait_for_lit_colour
from tests.pages.played_game import PlayedTable
from tests.pages.served_session import serve_session
from tests.pages.test_turns import drag_model, pick_unit
from tests.pages.waiting import wait_for

PLACES = {"s1": (300.0, 300.0), "s2": (300.0, 350.0), "w1": (600.0, 320.0)}


@pytest.fixture
def tablet(page: Page) -> Iterator[Page]:
    with serve_session(GameSession(build_game()), PLACES) as address:
        page.goto(f"{address}/tablet")
        expect(page.locator("#camera")).to_have_text("Camera live")
        yield page


def test_the_furthest_legal_place_is_found_on_the_way_to_where_the_hand_is(page: Page, address: str) -> None:
    page.goto(f"{address}/tablet")
    ask = """async ([from, to]) => {
        const { furthest } = await import("/static/common/lead.js");
        const square = [[0, 0], [100, 0], [100, 100], [0, 100]];
        const hole = [[40, 40], [60, 40], [60, 60], [40, 60]];
        return furthest([square, hole], { x: from[0], y: from[1] }, { x: to[0], y: to[1] });
    }"""

    def find(start: tuple[float, float], end: tuple[float, float]) -> Any:
        found = page.evaluate(ask, [start, end])
        return found and (round(found["x"]), round(found["y"]))

    assert find((10, 50), (30, 50)) == (30, 50)  # the hand is in the zone
    assert find((10, 50), (50, 50)) == (40, 50)  # before what is in the way
    assert find((10, 50), (300, 50)) == (100, 50)  # beyond it, as far as the zone goes
    assert find((200, 50), (300, 50)) is None


def test_a_pick_draws_bands_and_a_legend_says_what_they_are(tablet: Page) -> None:
    pick_unit(tablet, "scouts")
    tablet.get_by_role("button", name="Legend").click()
    legend = tablet.get_by_role("dialog")
    expect(legend).to_contain_text("Where the middle of the picked model’s base may end")
    expect(legend).to_contain_text("How far another action leads, with the dice that it takes")
    expect(legend).to_contain_text("The base must reach in here to be in coherency")
    expect(legend).not_to_contain_text("Path of")
    tablet.keyboard.press("Escape")
    drag_model(tablet, (300, 300), (330, 300))
    expect(tablet.locator(".verdict strong")).to_have_text("Legal")
    tablet.get_by_role("button", name="Legend").click()
    expect(legend).to_contain_text("Path of a move that is legal")
    expect(legend).not_to_contain_text("How far another action leads")  # one is announced
    tablet.keyboard.press("Escape")
    tablet.get_by_role("button", name="Accept").click()
    tablet.get_by_role("button", name="Legend").click()
    expect(legend).to_contain_text("Path of the move that was accepted last")


NOTE_AT_TOUCH = f"""(canvas, place) => {{
    const read = {READ_PIXELS};
    addEventListener("pointerdown", () => {{ window.touched = read(canvas, [place])[0]; }}, {{ once: true }});
}}"""
"""Notes the colour of a place once the page has heard of the next touch, before any frame."""


def test_a_touch_draws_at_once_what_was_told_ahead(page: Page, address: str, table: PlayedTable) -> None:
    table.virtual = False  # a drag moves nothing there
    ring = [(700.0, 200.0), (900.0, 200.0), (900.0, 380.0), (700.0, 380.0)]
    zone = ShapeView(layer="zone", rings_mm=[ring], closed=True, style="zone", label="")
    table.ahead = {"Strider-1": AheadView(limit_mm=254.0, shapes=[zone])}
    table.publish()
    page.goto(f"{address}/tablet")
    canvas = page.locator("#table")
    within, strider, ranger = (
        locate_place(canvas, x_mm, y_mm, margin_px=12) for x_mm, y_mm in ((810, 290), (520, 250), (300, 300))
    )
    felt, box = wait_for_lit_colour(canvas, within), canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + strider["x"], box["y"] + strider["y"])
    canvas.evaluate(NOTE_AT_TOUCH, within)
    page.mouse.down()
    assert tuple(page.evaluate("window.touched")) != felt
    drawn = wait_for(lambda: found if (found := read_colour(canvas, within)) != felt else None)
    assert table.orders == []
    page.mouse.move(box["x"] + strider["x"] + 60, box["y"] + strider["y"])  # it was no touch, but a pan
    wait_for(lambda: read_colour(canvas, within) == felt)
    page.mouse.up()
    page.mouse.move(box["x"] + ranger["x"], box["y"] + ranger["y"])
    page.mouse.down()  # of which nothing was told
    page.mouse.up()
    wait_for(lambda: [type(order.message) for order in table.orders] == [Declare])
    assert read_colour(canvas, within) == felt != drawn


CARRY = """async (steps) => {
    const { carrying } = await import("/static/common/lead.js");
    const carry = carrying();
    const square = [[0, 0], [100, 0], [100, 100], [0, 100]];
    const zone = { layer: "zone", style: "zone", closed: true, on: null, rings_mm: [square] };
    const round = { round_mm: 32, oval_mm: null, rect_mm: null, outline_mm: null };
    const base = { unit: "scouts", base: round, facing_deg: 0 };
    return steps.map(([x_mm, state, moving, way]) => {
        const { view, carried } = carry({
            models: { s1: { ...base, x_mm, y_mm: 50, state, moving } },
            move: { move: { model: "s1", limit_mm: 50.8 } },
            table: { table: { unit: "in" } },
            palette: { path: {}, "path-illegal": {} },
            ways: way ? { s1: way } : {},
            shapes: way ? { zone, "way:s1": { on: "s1" } } : { zone },
        });
        const { "lead:path": path, "lead:stop": stop } = view.shapes;
        const xs = stop && stop.rings_mm[0].map(([x]) => x);
        const said = carried && `${carried.outcome}: ${carried.left}`;
        return [said, path ? path.rings_mm[0].length : 0, xs ? Math.max(...xs) : null];
    });
}"""


def test_a_hand_that_carries_a_model_over_the_table_is_led(page: Page, address: str) -> None:
    page.goto(f"{address}/projector")
    way = {"measured_mm": 60, "limit_mm": 50.8, "outcome": "illegal", "moving": True}
    resting, pushed, lifted, judged, down = page.evaluate(
        CARRY,
        [
            [50, "seen", False, None],
            [60, "seen", True, None],
            [120, "lifted", False, None],
            [121, "seen", True, way],
            [121, "seen", False, None],
        ],
    )
    assert resting == down == [None, 0, None]
    assert pushed == ['legal: 1.6" left', 2 + 1, None]
    assert lifted == ['illegal: 0.8" too far', 2, pytest.approx(116, abs=0.1)]  # where the zone ends, on its way there
    assert judged == ['illegal: 0.4" too far', 0, pytest.approx(116, abs=0.1)]  # the referee draws and says the way


def test_the_judge_sees_where_a_model_in_the_air_may_come_down(phone: Page, address: str, table: PlayedTable) -> None:
    phone.set_viewport_size({"width": 1180, "height": 820})
    table.declared = Declare(type="declare", unit="Strider", action="normal")
    table.publish()
    phone.goto(f"{address}/judge")
    canvas = phone.locator("#a canvas")
    resting = wait_for_lit_colour(canvas, locate_place(canvas, 690, 312, margin_px=12))
    lifted = {"x_mm": 900.0, "y_mm": 350.0, "state": "lifted", "moving": True}
    table.models["Strider-1"] = table.models["Strider-1"].model_copy(update=lifted)
    table.publish()
    wait_for(lambda: read_colour(canvas, locate_place(canvas, 690, 312, margin_px=12)) != resting)
