"""What a person prefers on this device, and the tablet page by keys and by ear."""

import json
from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from assistant.features.light.controller import build_lookout_view
from assistant.web.commands.game import Accept, Declare
from tests.pages.pixels import locate_place, read_colour
from tests.pages.played_game import PlayedTable
from tests.pages.test_tablet import MARGIN_PX, find_last_message
from tests.pages.waiting import wait_for
from tests.vision.synthetic_camera import CAMERA


@pytest.fixture
def tablet(page: Page, address: str) -> Page:
    page.goto(f"{address}/tablet")
    expect(page.locator("#camera")).to_have_text("Camera live")
    return page


def choose_preferences(page: Page, *choices: str) -> None:
    page.get_by_role("button", name="Preferences").click()
    for choice in choices:
        page.get_by_role("radio", name=choice).check()
    page.get_by_role("button", name="Done").click()


def announce_and_push(tablet: Page, table: PlayedTable, x_mm: float) -> None:
    """Let the Rangers announce a move, and push one of them too far."""
    tablet.get_by_role("button", name="Rangers").click()
    tablet.get_by_role("button", name="Normal move").click()
    expect(tablet.get_by_role("button", name="Normal move")).to_have_attribute("aria-pressed", "true")
    table.models["Rangers-1"] = table.models["Rangers-1"].model_copy(update={"x_mm": x_mm})
    table.publish()
    expect(tablet.locator(".verdict")).to_contain_text("Not legal")


def test_lengths_are_said_in_one_unit_on_every_line_and_stay_so(tablet: Page, table: PlayedTable) -> None:
    announce_and_push(tablet, table, 900)
    expect(tablet.locator("#findings")).to_contain_text('Rangers-1 moved 23.6" of 6"')
    choose_preferences(tablet, "Centimetres")
    expect(tablet.locator("#findings")).to_contain_text("Rangers-1 moved 59.9 cm of 15.24 cm")
    expect(tablet.locator("#actions")).to_contain_text("up to 15.24 cm")
    expect(tablet.locator("#panel")).not_to_contain_text('"')
    expect(tablet.locator("#listing")).to_contain_text(" cm from the left")
    tablet.reload()
    expect(tablet.locator("#findings")).to_contain_text("Rangers-1 moved 59.9 cm of 15.24 cm")
    choose_preferences(tablet, "The rulebook's")
    expect(tablet.locator("#findings")).to_contain_text('Rangers-1 moved 23.6" of 6"')


LISTENING = """
  window.heard = [];
  navigator.vibrate = (pattern) => heard.push(["vibration", pattern.length]);
  window.OscillatorNode = class extends OscillatorNode {
    start(at) { heard.push(["sound", this.frequency.value]); super.start(at); }
  };
  Object.defineProperty(navigator, "wakeLock", { value: { request: async () => {
    heard.push(["awake"]);
    return { released: false, release: async () => heard.push(["asleep"]) };
  } } });
"""


def test_alerts_are_silent_until_this_device_wants_them(page: Page, address: str, table: PlayedTable) -> None:
    def hear() -> list[Any]:
        heard: list[Any] = page.evaluate("heard.splice(0)")
        return heard

    def stand_at(x_mm: float) -> None:
        table.models["Rangers-1"] = table.models["Rangers-1"].model_copy(update={"x_mm": x_mm})
        table.publish()

    def hear_at(x_mm: float, length: str) -> list[Any]:
        """Stand back where the model came from, then too far away."""
        stand_at(300)
        expect(page.locator(".verdict")).to_have_count(0)
        stand_at(x_mm)
        expect(page.locator("#said p").last).to_contain_text(f"Not legal. Rangers-1 moved {length}")
        return hear()

    page.add_init_script(LISTENING)
    page.goto(f"{address}/tablet")
    announce_and_push(page, table, 900)
    expect(page.locator("#said")).to_contain_text("Not legal.")
    assert hear() == []
    choose_preferences(page, "Both", "Stays on")
    assert hear() == [["awake"]]
    assert hear_at(910, '24.0"') == [["sound", 330], ["sound", 220], ["vibration", 4]]
    stand_at(930)
    expect(page.locator("#said p").last).to_contain_text('24.8"')
    assert hear() == [], "it is still so"
    choose_preferences(page, "Vibration", "Sleeps as usual")
    assert hear() == [["asleep"]]
    assert hear_at(950, '25.6"') == [["vibration", 4]]


def test_the_tablet_can_be_installed(page: Page, address: str) -> None:
    page.goto(f"{address}/tablet")
    session = page.context.new_cdp_session(page)
    told = session.send("Page.getAppManifest")
    assert told["errors"] == []
    manifest = json.loads(told["data"])
    for path in (manifest["start_url"], *(icon["src"] for icon in manifest["icons"])):
        assert page.request.get(f"{address}{path}").ok, path
    size = page.evaluate(
        "src => createImageBitmap(document.createElement('canvas')).then(() => fetch(src)).then(r => r.blob())"
        ".then(createImageBitmap).then(image => [image.width, image.height])",
        manifest["icons"][1]["src"],
    )
    assert manifest["icons"][1]["sizes"] == f"{size[0]}x{size[1]}"


def test_a_left_hand_and_large_type(tablet: Page) -> None:
    def panel() -> dict[str, float]:
        box = tablet.locator("#panel").bounding_box()
        assert box is not None
        return {"x": box["x"], "type": tablet.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")}

    usual = panel()
    choose_preferences(tablet, "On the left", "Largest")
    assert usual["x"] > 600
    assert panel()["x"] == 0
    assert panel()["type"] > 1.3 * usual["type"]


def test_the_game_is_drawn_on_the_real_table_where_it_is_wanted(tablet: Page, table: PlayedTable) -> None:
    _, red = cv2.imencode(".jpg", np.full((75, 100, 3), (20, 20, 200), dtype=np.uint8))
    tablet.route("**/table.jpg*", lambda route: route.fulfill(body=bytes(red), content_type="image/jpeg"))
    canvas = tablet.locator("#table")
    bare = locate_place(canvas, 300, 900, margin_px=MARGIN_PX)
    drawn = read_colour(canvas, bare)
    choose_preferences(tablet, "As the camera sees it")
    assert read_colour(canvas, bare) == drawn  # nobody knows where the camera is
    table.lookout = build_lookout_view(CAMERA).lookout["lookout"]
    table.publish()
    wait_for(lambda: read_colour(canvas, bare) == pytest.approx((200, 20, 20), abs=8) or None)
    choose_preferences(tablet, "Drawn")
    wait_for(lambda: read_colour(canvas, bare) == drawn or None)


def test_a_palette_changes_what_is_drawn(tablet: Page) -> None:
    canvas = tablet.locator("#table")
    base = locate_place(canvas, 540, 225, margin_px=MARGIN_PX)  # on the Strider's base
    usual = read_colour(canvas, base)
    assert max(usual) - min(usual) > 60
    choose_preferences(tablet, "Patterns without colour")
    wait_for(lambda: max(read_colour(canvas, base)) - min(read_colour(canvas, base)) < 12)


def test_a_finding_is_shown_on_the_table_from_near_if_it_is_small(tablet: Page, table: PlayedTable) -> None:
    canvas = tablet.locator("#table")
    announce_and_push(tablet, table, 500)
    line = locate_place(canvas, 480, 300, margin_px=MARGIN_PX)  # on the measured segment
    ring = locate_place(canvas, 1000, 704, margin_px=MARGIN_PX)  # on what is engaged, which is dimmed
    before = read_colour(canvas, line), read_colour(canvas, ring)
    tablet.locator(".finding").first.click()
    wait_for(lambda: max(read_colour(canvas, ring)) < max(before[1]))
    assert read_colour(canvas, line) == before[0]
    expect(tablet.get_by_role("button", name="Whole table")).to_be_hidden()
    tablet.locator(".finding").first.click()
    wait_for(lambda: read_colour(canvas, ring) == before[1])


def test_the_whole_tablet_by_keys(tablet: Page, table: PlayedTable) -> None:
    press = tablet.keyboard.press
    press("]")
    expect(tablet.locator("#picked h2")).to_have_text("Rangers")
    press("]")
    expect(tablet.locator("#picked h2")).to_have_text("Strider")
    press("[")
    expect(tablet.locator("#picked h2")).to_have_text("Rangers")
    press("}")
    expect(tablet.locator("#picked")).to_contain_text("Rangers-2")
    press("3")
    expect(tablet.locator("#dice .pips")).to_be_visible()
    press("5")
    expect(tablet.locator("#dice .die")).to_have_text("5")
    assert find_last_message(table) == Declare(
        type="declare", unit="Rangers", model="Rangers-2", action="advance", rolls=[5]
    )
    press("4")
    expect(tablet.get_by_role("alert")).to_contain_text("Not within engagement range of an enemy")
    press("f")
    expect(tablet.locator("#findings [aria-pressed=true]")).to_have_count(1)
    press("?")
    expect(tablet.get_by_role("heading", name="Keys")).to_be_visible()
    press("Escape")
    expect(tablet.get_by_role("heading", name="Keys")).to_be_hidden()
    expect(tablet.locator("#picked h2")).to_have_text("Rangers")
    expect(tablet.locator("body")).to_be_focused()
    press("Enter")
    wait_for(lambda: isinstance(find_last_message(table), Accept))


def test_what_is_said_is_said_once_and_the_table_is_there_in_words(tablet: Page, table: PlayedTable) -> None:
    expect(tablet.locator("#listing li").first).to_have_text(
        'Rangers of Anna: 5 models, 13.6" from the left, 11" from the near edge'
    )
    announce_and_push(tablet, table, 900)
    log = tablet.get_by_role("log")
    expect(log).to_contain_text('Not legal. Rangers-1 moved 23.6" of 6"')
    table.camera = table.camera.model_copy(update={"fps": 14.0})
    table.publish()
    table.models["Strider-1"] = table.models["Strider-1"].model_copy(update={"facing_deg": 30.0})
    table.publish()
    tablet.wait_for_timeout(500)
    assert sum("Not legal" in line for line in log.locator("p").all_inner_texts()) == 1


def join_as_viewer(route: WebSocketRoute) -> None:
    """Let the page be told that it is a viewer's."""
    server = route.connect_to_server()

    def to_page(text: str | bytes) -> None:
        message: dict[str, Any] = json.loads(text)
        if message["type"] == "full":
            message["view"]["you"] = {"you": {"role": "viewer"}}
        route.send(json.dumps(message))

    server.on_message(to_page)
    route.on_message(server.send)


def test_a_viewer_sees_everything_and_can_change_nothing(page: Page, address: str, table: PlayedTable) -> None:
    table.declared = Declare(type="declare", unit="Rangers", action="normal")
    table.models["Rangers-1"] = table.models["Rangers-1"].model_copy(update={"x_mm": 900})
    table.publish()
    page.route_web_socket("**/ws?*", join_as_viewer)
    page.goto(f"{address}/tablet")
    expect(page.locator("#picked h2")).to_have_text("Rangers")
    expect(page.locator(".verdict")).to_contain_text("Not legal")
    page.locator(".finding").first.click()
    names = {button.get_attribute("aria-label") or button.inner_text() for button in page.get_by_role("button").all()}
    assert {name for name in names if not name.startswith(("Show finding", "Show the call"))} == {
        "Preferences",
        "Legend",
        "Share",
    }
    page.get_by_role("button", name="Show the call of finding 1").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    for key in ("Enter", "Escape", "]", "1", "ArrowLeft"):
        page.keyboard.press(key)
    page.wait_for_timeout(200)
    assert table.orders == []


WRITTEN = """async (view) => {
  localStorage.setItem("overtable.preferences", JSON.stringify({ length: "cm" }));
  const { personal } = await import("/static/common/personal.js");
  const wanted = personal();
  const { shapes } = wanted(view);
  return [Object.values(shapes).map(({ label }) => label), wanted({ ...view }).shapes === shapes];
}"""


def test_what_is_written_on_the_table_is_what_the_panel_says(page: Page, address: str) -> None:
    page.goto(f"{address}/join")  # which has not read what is preferred
    way = {"outcome": "legal", "measured_mm": 51.0, "limit_mm": 152.4, "sigma_mm": 0.2, "moving": True}
    view = {
        "table": {"table": {"unit": "in"}},
        "palettes": {},
        "ways": {"s1": way},
        "tapes": {"1": {"mm": 309.5, "sigma_mm": 0.15, "horizontal": False}},
        "findings": {"0": {"measured_mm": 16.3}, "1": {"measured_mm": None}},
        "shapes": {
            "way:s1": {"label": '2" of 6", 4" left'},
            "tape:1": {"label": '12.18" ± 0.01"'},
            "witness:0": {"label": '0.6"'},
            "witness:1": {"label": ""},
            "threat:u:0": {"label": 'u: 6" normal move + 1" engagement range'},
        },
    }
    labels, same = page.evaluate(WRITTEN, view)
    assert labels == [
        "5.1 cm of 15.24 cm, 10.1 cm left",
        "30.95 cm ± 0.03 cm",
        "1.6 cm",
        "",
        "u: 15.24 cm normal move + 2.54 cm engagement range",
    ]
    assert same
