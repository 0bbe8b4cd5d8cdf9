import json
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from assistant.web.app import create_app
from assistant.web.commands.game import Accept, Declare, Drag, Withdraw
from assistant.web.messages.message import Message
from assistant.web.messages.table import NoticeView
from assistant.web.server import Server
from tests.pages.kept_windows import KeptWindows
from tests.pages.pixels import locate_place, read_colour
from tests.pages.played_game import PlayedTable
from tests.pages.waiting import wait_for

MARGIN_PX = 12
"""Kept free around the table."""


@pytest.fixture
def tablet(page: Page, address: str) -> Page:
    page.goto(f"{address}/tablet")
    expect(page.locator("#camera")).to_have_text("Camera live")
    return page


@pytest.fixture
def canvas(tablet: Page) -> Locator:
    return tablet.locator("#table")


def locate_in_window(canvas: Locator, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Where a point of the table lies in the window."""
    spot, box = locate_place(canvas, x_mm, y_mm, margin_px=MARGIN_PX), canvas.bounding_box()
    assert box is not None
    return box["x"] + spot["x"], box["y"] + spot["y"]


def find_last_message(table: PlayedTable) -> Message | None:
    return table.orders[-1].message if table.orders else None


def list_drags(table: PlayedTable) -> list[Drag]:
    return [order.message for order in table.orders if isinstance(order.message, Drag)]


def test_a_unit_is_picked_from_the_list(tablet: Page, table: PlayedTable) -> None:
    tablet.get_by_role("button", name="Rangers").click()
    expect(tablet.locator("#picked h2")).to_have_text("Rangers")
    assert find_last_message(table) == Declare(type="declare", unit="Rangers")


def test_a_unit_is_picked_by_touching_a_model(canvas: Locator, tablet: Page, table: PlayedTable) -> None:
    tablet.touchscreen.tap(*locate_in_window(canvas, 390, 305))
    expect(tablet.locator("#picked h2")).to_have_text("Rangers")
    assert find_last_message(table) == Declare(type="declare", unit="Rangers", model="Rangers-3")
    assert list_drags(table) == []


def test_touching_the_bare_table_picks_nothing(canvas: Locator, tablet: Page, table: PlayedTable) -> None:
    tablet.mouse.click(*locate_in_window(canvas, 1400, 1000))
    tablet.get_by_role("button", name="Strider").click()  # answered after the click on the table would have been
    expect(tablet.locator("#picked h2")).to_have_text("Strider")
    assert len(table.orders) == 1


def test_actions_say_in_words_why_not(tablet: Page) -> None:
    tablet.get_by_role("button", name="Rangers").click()
    refused = tablet.get_by_role("button", name="Fall Back")
    expect(refused).to_be_disabled()
    expect(refused).to_contain_text("Not within engagement range of an enemy")
    expect(tablet.get_by_role("button", name="Normal move")).to_be_enabled()


def test_dice_are_entered_and_taken_back(tablet: Page, table: PlayedTable) -> None:
    tablet.get_by_role("button", name="Rangers").click()
    tablet.get_by_role("button", name="Advance").click()
    expect(tablet.locator("#verdict")).to_contain_text("Enter 1 die for the Advance.")
    tablet.get_by_role("button", name="Rolled a 4").click()
    expect(tablet.locator("#dice .die")).to_have_text("4")
    assert find_last_message(table) == Declare(
        type="declare", unit="Rangers", action="advance", rolls=[4], model="Rangers-1"
    )
    tablet.get_by_role("button", name="Change").click()
    expect(tablet.get_by_role("button", name="Rolled a 6")).to_be_visible()


def test_what_is_missing_stands_in_the_card_of_the_verdict_so_that_nothing_below_it_moves(tablet: Page) -> None:
    tablet.get_by_role("button", name="Rangers").click()
    tablet.locator('[data-key="advance"]').click()
    expect(tablet.locator("#verdict .verdict")).to_contain_text("Not complete yetEnter 1 die for the Advance.")
    expect(tablet.locator("#verdict .note")).to_have_count(1)


REASON = """async () => {
  const { readMessage } = await import("/static/common/language.js");
  const { actionEntry } = await import("/static/tablet/actions.js");
  readMessage({ names: { scouts: "Swift Scouts" } });
  const told = { unit: "scouts", model: null, action: null, rolls: [], lost: [], intent: {} };
  const because = ["Swift Scouts is not in reserve", "Swift Scouts has moved", "all of its models have moved"];
  const action = { label: "Set up", allowed: false, dice: 0, limit_mm: null, reason: "", takes: [], because };
  const list = actionEntry(() => true, () => {});
  const [row] = list({ told, tests: 0, fields: {}, length: "in", actions: { setup: action } });
  return [...row.querySelectorAll("small")].map((each) => each.textContent);
}"""


def test_a_reason_beneath_a_units_name_does_not_say_the_name_again(tablet: Page) -> None:
    assert tablet.evaluate(REASON) == ["Not in reserve", "Has moved", "All of its models have moved"]


@pytest.mark.parametrize("size", [(390, 844), (844, 390), (1280, 800)])
def test_no_button_lies_over_the_table(tablet: Page, size: tuple[int, int]) -> None:
    width, height = size
    tablet.set_viewport_size({"width": width, "height": height})
    table, tools = tablet.locator("#table").bounding_box(), tablet.locator(".tools").bounding_box()
    assert table is not None
    assert tools is not None
    assert tools["x"] >= table["x"] + table["width"] or tools["y"] >= table["y"] + table["height"]
    assert tools["x"] + tools["width"] <= width


def test_what_an_action_asks_for_comes_into_sight_and_is_needed(phone: Page, address: str) -> None:
    phone.goto(f"{address}/tablet")
    phone.get_by_role("button", name="Strider").tap()
    phone.get_by_role("button", name="Advance").tap()
    expect(phone.get_by_role("button", name="Rolled a 4")).to_be_in_viewport(ratio=1)
    expect(phone.get_by_role("button", name="Accept")).to_be_disabled()
    phone.get_by_role("button", name="Rolled a 4").tap()
    expect(phone.get_by_role("button", name="Accept")).to_be_enabled()


def test_no_verdict_stands_while_a_model_moves(canvas: Locator, tablet: Page, table: PlayedTable) -> None:
    tablet.get_by_role("button", name="Strider").click()
    tablet.get_by_role("button", name="Normal move").click()
    tablet.mouse.move(*locate_in_window(canvas, 520, 250))
    tablet.mouse.down()
    tablet.mouse.move(*locate_in_window(canvas, 600, 250), steps=4)
    tablet.mouse.up()
    wait_for(
        lambda: bool(list_drags(table)) and list_drags(table)[-1].done
    )  # before the test itself moves what was dragged
    expect(tablet.locator(".verdict strong")).to_have_text("Legal")
    still = table.models["Strider-1"]
    table.models["Strider-1"] = still.model_copy(update={"moving": True})
    table.publish()
    expect(tablet.locator(".verdict strong")).to_have_text("Moving …")
    table.models["Strider-1"] = still
    table.publish()
    expect(tablet.locator(".verdict strong")).to_have_text("Legal")
    tablet.get_by_role("button", name="Cancel move").click()
    expect(tablet.locator(".verdict")).to_have_text("Not judged1 model moved, with no action announced")


def test_the_page_rolls_a_die(tablet: Page, table: PlayedTable) -> None:
    tablet.get_by_role("button", name="Rangers").click()
    tablet.get_by_role("button", name="Advance").click()
    tablet.get_by_role("button", name="Roll", exact=True).click()
    expect(tablet.locator("#dice .die")).to_have_text("123456"[wait_for_roll(table) - 1])


def wait_for_roll(table: PlayedTable) -> int:
    wait_for(lambda: isinstance(message := find_last_message(table), Declare) and len(message.rolls) == 1)
    message = find_last_message(table)
    assert isinstance(message, Declare)
    return message.rolls[0]


def test_the_zone_lights_up_and_leaves_its_holes_dark(canvas: Locator, tablet: Page) -> None:
    zoneless = locate_place(canvas, 330, 380, margin_px=MARGIN_PX)
    before = read_colour(canvas, zoneless)
    tablet.get_by_role("button", name="Rangers").click()
    tablet.get_by_role("button", name="Advance").click()
    tablet.get_by_role("button", name="Rolled a 6").click()
    wait_for(lambda: read_colour(canvas, zoneless) != before)
    _, green, _ = read_colour(canvas, zoneless)
    assert green > before[1] + 15
    assert read_colour(canvas, locate_place(canvas, 700, 100, margin_px=MARGIN_PX)) == before


def test_a_model_is_dragged_with_the_mouse(canvas: Locator, tablet: Page, table: PlayedTable) -> None:
    tablet.get_by_role("button", name="Rangers").click()
    tablet.mouse.move(*locate_in_window(canvas, 392, 306))
    tablet.mouse.down()
    tablet.mouse.move(*locate_in_window(canvas, 592, 406), steps=10)
    tablet.mouse.up()
    wait_for(lambda: bool(list_drags(table)) and list_drags(table)[-1].done)
    sent = list_drags(table)
    assert {drag.model for drag in sent} == {"Rangers-3"}
    assert [drag.done for drag in sent] == [False] * (len(sent) - 1) + [True]
    assert sent[-1].x_mm == pytest.approx(590, abs=2)
    assert sent[-1].y_mm == pytest.approx(405, abs=2)
    assert sent[-1].facing_deg == pytest.approx(40)
    expect(tablet.locator(".verdict")).to_contain_text("Not legal")
    expect(tablet.locator("#findings")).to_contain_text('Rangers-3 moved 8.8" of 6"')
    expect(tablet.locator(".finding").first).to_contain_text("Not legal · 10e-07")


def test_what_a_whole_squad_did_wrong_reads_as_one(tablet: Page, table: PlayedTable) -> None:
    squad = [model for model in table.models if model.startswith("Rangers-")]
    for further_mm, model in enumerate(squad):
        stood = table.models[model]
        table.models[model] = stood.model_copy(update={"x_mm": stood.x_mm + 300 + further_mm})
    table.publish()
    wrong = tablet.locator("#findings .finding", has_text="10e-07")
    expect(wrong).to_contain_text(f"{squad[-1]} moved", use_inner_text=True)
    tablet.get_by_role("button", name=f"{len(squad) - 1} more like this: {squad[0]}").click()
    expect(wrong).to_have_count(len(squad))


def test_the_server_is_not_told_of_every_small_movement(canvas: Locator, tablet: Page, table: PlayedTable) -> None:
    tablet.mouse.move(*locate_in_window(canvas, 392, 306))
    tablet.mouse.down()
    canvas.evaluate(
        """(canvas) => {
            for (let x = 1; x <= 200; x++) {
                const movement = { pointerId: 1, clientX: 200 + x, clientY: 300 };
                canvas.dispatchEvent(new PointerEvent("pointermove", movement));
            }
        }"""
    )
    tablet.mouse.up()
    wait_for(lambda: bool(list_drags(table)) and list_drags(table)[-1].done)
    assert len(list_drags(table)) < 10


def test_a_model_is_dragged_with_a_finger(canvas: Locator, tablet: Page, table: PlayedTable) -> None:
    touch(tablet, [[locate_in_window(canvas, 520 + 12 * step, 250)] for step in range(11)])
    wait_for(lambda: bool(list_drags(table)) and list_drags(table)[-1].done)
    assert list_drags(table)[-1].x_mm == pytest.approx(640, abs=2)
    expect(tablet.locator("#picked h2")).to_have_text("Strider")


def test_two_fingers_zoom_and_push_nothing(canvas: Locator, tablet: Page, table: PlayedTable) -> None:
    spread = range(5, 100, 10)
    touch(
        tablet,
        [[locate_in_window(canvas, 520 - step, 250), locate_in_window(canvas, 520 + step, 250)] for step in spread],
    )
    expect(tablet.get_by_role("button", name="Whole table")).to_be_visible()
    tablet.get_by_role("button", name="Strider").click()
    expect(tablet.locator("#picked h2")).to_have_text("Strider")
    assert len(table.orders) == 1


def touch(page: Page, path: list[list[tuple[float, float]]]) -> None:
    """Put fingers down, move them along a path, lift them."""
    screen = page.context.new_cdp_session(page)
    for kind, spots in [("touchStart", path[0]), *[("touchMove", spots) for spots in path[1:]], ("touchEnd", [])]:
        touches = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(spots)]
        screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


def test_the_picked_model_is_turned_by_its_handle_and_by_keys(
    canvas: Locator, tablet: Page, table: PlayedTable
) -> None:
    tablet.get_by_role("button", name="Gun Carrier").click()
    expect(tablet.locator("#picked h2")).to_have_text("Gun Carrier")
    model = table.models["Gun Carrier-1"]
    x, y = locate_in_window(canvas, model.x_mm, model.y_mm)
    scale = (locate_in_window(canvas, 100, 0)[0] - locate_in_window(canvas, 0, 0)[0]) / 100
    away = 50 * scale + 30
    tablet.mouse.move(x + away * -0.9397, y - away * -0.3420)  # it faces 200 degrees
    tablet.mouse.down()
    tablet.mouse.move(x, y - 60, steps=5)
    tablet.mouse.up()
    wait_for(lambda: bool(list_drags(table)) and list_drags(table)[-1].done)
    assert list_drags(table)[-1].facing_deg == pytest.approx(90, abs=1)
    assert list_drags(table)[-1].x_mm == model.x_mm
    for key in "qqe":
        canvas.press(key)
    wait_for(lambda: list_drags(table)[-1].facing_deg == pytest.approx(95, abs=1))


def test_nothing_is_dragged_on_a_real_table(canvas: Locator, tablet: Page, table: PlayedTable) -> None:
    table.virtual = False
    table.camera = table.camera.model_copy(update={"state": "lost"})  # by which the page shows what it has been told
    table.publish()
    expect(tablet.locator("#camera")).to_have_text("Camera lost")
    tablet.mouse.move(*locate_in_window(canvas, 392, 306))
    tablet.mouse.down()
    tablet.mouse.move(*locate_in_window(canvas, 500, 400), steps=5)
    tablet.mouse.up()
    tablet.get_by_role("button", name="Strider").click()
    expect(tablet.locator("#picked h2")).to_have_text("Strider")
    assert list_drags(table) == []


def test_a_move_is_accepted_or_withdrawn(tablet: Page, table: PlayedTable) -> None:
    for name, message in (("Accept", Accept), ("Cancel move", Withdraw)):
        tablet.get_by_role("button", name="Strider").click()
        tablet.get_by_role("button", name="Normal move").click()
        tablet.get_by_role("button", name=name).click()
        wait_for(lambda message=message: type(find_last_message(table)) is message)  # type: ignore[misc]  # mypy infers no default
        expect(tablet.locator("#picked h2")).to_have_count(0)


def test_a_refusal_is_shown(tablet: Page, table: PlayedTable) -> None:
    tablet.get_by_role("button", name="Strider").click()
    expect(tablet.locator("#picked h2")).to_be_visible()
    table.orders[-1].refuse("The Strider has already moved.")
    expect(tablet.get_by_text("The Strider has already moved.")).to_be_visible()


def test_what_the_camera_cannot_see_is_said(tablet: Page) -> None:
    tablet.get_by_role("button", name="Wardens").click()
    expect(tablet.get_by_text("Wardens-5 is hidden; this is its last known place")).to_be_visible()


def test_what_is_hidden_only_for_a_moment_is_drawn_and_told_as_seen(
    canvas: Locator, tablet: Page, table: PlayedTable
) -> None:
    spot, seen = (
        locate_place(canvas, 630, 702, margin_px=MARGIN_PX),
        locate_place(canvas, 575, 700, margin_px=MARGIN_PX),
    )
    assert read_colour(canvas, spot) != read_colour(canvas, seen)
    table.models["Wardens-5"] = table.models["Wardens-5"].model_copy(update={"just_hidden": True})
    table.publish()
    wait_for(lambda: read_colour(canvas, spot) == read_colour(canvas, seen))
    tablet.get_by_role("button", name="Wardens").click()
    expect(tablet.locator("#picked h2")).to_have_text("Wardens")
    expect(tablet.get_by_text("is hidden")).to_have_count(0)


def test_notices_stand_above_everything_until_they_are_over(tablet: Page, table: PlayedTable) -> None:
    table.notices = {"tag:12": NoticeView(text="Tag 12 is in view twice: take one print away.")}
    table.publish()
    expect(tablet.locator("#notices")).to_have_text("Tag 12 is in view twice: take one print away.")
    table.notices = {}
    table.publish()
    expect(tablet.locator("#notices")).to_be_empty()


def test_findings_have_a_word_beside_the_colour(tablet: Page) -> None:
    expect(tablet.locator(".finding").first).to_contain_text(
        "Too close to call · 10e-60 · 0.1 mm past the limit, known to ± 0.6 mm"
    )


def test_a_lost_camera_is_announced(tablet: Page, table: PlayedTable) -> None:
    table.camera = table.camera.model_copy(update={"state": "lost", "text": "usb:0 does not answer; is it plugged in?"})
    table.publish()
    expect(tablet.get_by_role("alert").filter(has_text="is it plugged in?")).to_be_visible()


def test_zooming_and_back(canvas: Locator, tablet: Page) -> None:
    tablet.mouse.move(*locate_in_window(canvas, 345, 290))
    tablet.mouse.wheel(0, -600)
    whole = tablet.get_by_role("button", name="Whole table")
    expect(whole).to_be_visible()
    whole.click()
    expect(whole).to_be_hidden()


def test_a_missed_message_makes_the_page_ask_for_everything(page: Page, address: str, table: PlayedTable) -> None:
    asked: list[str] = []
    losing = False

    def between(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def to_page(text: str | bytes) -> None:
            nonlocal losing
            if losing and json.loads(text)["type"] == "delta":
                losing = False
            else:
                route.send(text)

        def to_server(text: str | bytes) -> None:
            asked.append(json.loads(text)["type"])
            server.send(text)

        server.on_message(to_page)
        route.on_message(to_server)

    def is_lost() -> bool:
        page.wait_for_timeout(20)  # in which Playwright hands on what has come
        return not losing

    page.route_web_socket("**/ws?*", between)
    page.goto(f"{address}/tablet")
    expect(page.locator("#camera")).to_have_text("Camera live")
    losing = True
    table.camera = table.camera.model_copy(update={"state": "lost"})
    table.publish()  # never arrives
    wait_for(is_lost)
    expect(page.locator("#camera")).to_have_text("Camera live")
    table.camera = table.camera.model_copy(update={"fps": 14.0})
    table.publish()  # its number shows that one is missing
    expect(page.locator("#camera")).to_have_text("Camera lost")
    assert asked == ["resync"]


@pytest.mark.parametrize("wakes", [True, False], ids=["on waking", "awake"])
def test_a_dead_connection_is_noticed(
    page: Page, address: str, table: PlayedTable, take_over_clock: Callable[[Page], None], *, wakes: bool
) -> None:
    connections: list[WebSocketRoute] = []
    asleep = False

    def between(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        first = not connections
        connections.append(route)
        server.on_message(lambda text: None if asleep and first else route.send(text))
        route.on_message(server.send)

    take_over_clock(page)
    page.route_web_socket("**/ws?*", between)
    page.goto(f"{address}/tablet")
    expect(page.locator("#camera")).to_have_text("Camera live")
    asleep = True
    table.camera = table.camera.model_copy(update={"state": "lost"})
    table.publish()
    if wakes:
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    else:  # nothing is heard for a while, and then nothing is answered
        page.clock.fast_forward(5_000)
    page.clock.fast_forward(3_500)
    expect(page.locator("#camera")).to_have_text("Camera lost")
    assert len(connections) == 2


TAKES_WHAT_IS_SENT = """
const left = [4000, 2000, 0];
window.WebSocket = class extends WebSocket {
  constructor(address) {
    super(address);
    Object.defineProperty(this, "bufferedAmount", { get: () => left.shift() ?? 0 });
  }
};
"""


def test_a_connection_that_slowly_takes_a_file_is_not_left(
    page: Page, address: str, take_over_clock: Callable[[Page], None]
) -> None:
    connections: list[WebSocketRoute] = []

    def between(route: WebSocketRoute) -> None:
        connections.append(connect_for_now(route))

    take_over_clock(page)
    page.route_web_socket("**/ws?*", between)
    page.add_init_script(TAKES_WHAT_IS_SENT)
    page.goto(f"{address}/tablet")
    expect(page.locator("#camera")).to_have_text("Camera live")
    connections[0].on_message(lambda _: None)  # which is behind what has not gone out yet, and not answered so soon
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.clock.run_for(8_500)  # in which it is looked at twice, and less was left each time
    assert len(connections) == 1
    page.clock.run_for(3_500)  # in which nothing is left, and still nothing heard
    wait_for(lambda: len(connections) == 2)
    expect(page.locator("#camera")).to_have_text("Camera live")


def test_a_game_that_is_not_recorded_says_so_for_as_long(tablet: Page, table: PlayedTable) -> None:
    camera, text = table.camera, "The game goes on, but is not recorded (the disk is full): free some space."
    table.camera = camera.model_copy(update={"text": text, "unrecorded": True})
    table.publish()
    expect(tablet.locator("#camera")).to_have_text("Not recorded")
    expect(tablet.locator("#banner")).to_have_text(text)
    tablet.get_by_role("button", name="Strider").click()
    expect(tablet.locator("#picked h2")).to_have_text("Strider")
    table.camera = camera
    table.publish()
    expect(tablet.locator("#camera")).to_have_text("Camera live")
    expect(tablet.locator("#banner")).to_be_hidden()


def test_what_was_pressed_as_the_connection_broke_off_is_not_lost_silently(tablet: Page) -> None:
    sockets: list[WebSocketRoute] = []
    tablet.route_web_socket("**/ws?*", lambda socket: sockets.append(connect_for_now(socket)))
    tablet.reload()
    expect(tablet.locator("#camera")).to_have_text("Camera live")
    sockets[0].on_message(lambda _: None)
    tablet.get_by_role("button", name="Strider").click()
    sockets[0].close()
    expect(tablet.get_by_text("The connection broke off just now")).to_be_visible()


def connect_for_now(socket: WebSocketRoute) -> WebSocketRoute:
    """Let a page's socket through until somebody else listens to it."""
    server = socket.connect_to_server()
    socket.on_message(server.send)
    return socket


def test_the_page_comes_back_after_the_server(tablet: Page, table: PlayedTable, server: Server) -> None:
    tablet.get_by_role("button", name="Strider").click()
    expect(tablet.locator("#commands [data-key=accept]")).to_have_css("opacity", "1")
    server.stop()
    expect(tablet.locator("#camera")).to_have_text("Reconnecting …")
    for deciding in ("#commands [data-key=accept]", "#commands [data-key=withdraw]", "#turn [data-key=undo]"):
        expect(tablet.locator(deciding)).to_have_css("opacity", "0.4")
    expect(tablet.locator("#banner")).to_contain_text("No connection to the table.")
    tablet.locator("#commands [data-key=withdraw]").click()
    expect(tablet.get_by_text("There is no connection to the table right now.")).to_be_visible()
    again = Server(create_app(hub=table.hub, picture=lambda: None, join_urls=[]), "127.0.0.1", server.port)
    again.start()
    try:
        expect(tablet.locator("#camera")).to_have_text("Camera live")
        expect(tablet.locator("#banner")).to_be_hidden()
        tablet.locator("#commands [data-key=withdraw]").click()
        expect(tablet.get_by_role("button", name="Strider")).to_be_visible()
    finally:
        again.stop()


@pytest.fixture(params=[(390, 844), (1280, 800), (1920, 1080)], ids=lambda size: f"{size[0]}x{size[1]}")
def sized(request: pytest.FixtureRequest, windows: KeptWindows, address: str) -> Page:
    width, height = request.param
    made = windows.take(viewport={"width": width, "height": height}).new_page()
    made.goto(f"{address}/tablet")
    return made


def test_everything_fits_and_can_be_touched(sized: Page) -> None:
    sized.get_by_role("button", name="Rangers").click()
    sized.get_by_role("button", name="Advance").click()
    expect(sized.get_by_role("button", name="Roll", exact=True)).to_be_attached()
    overflow = "document.documentElement.scrollWidth - innerWidth"
    assert sized.evaluate(overflow) == 0
    for button in sized.get_by_role("button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44, button.inner_text()
    regions = [sized.locator(part).bounding_box() for part in (".bar", "#stage", "#panel")]
    assert all(box and box["width"] > 200 and box["height"] >= 50 for box in regions)
    for one, other in pairwise(box for box in regions if box):
        beside = one["x"] + one["width"] <= other["x"] + 1
        below = one["y"] + one["height"] <= other["y"] + 1
        assert beside or below
