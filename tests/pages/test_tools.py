"""Measuring, threats and the distance left, by touch and by keys, on the tablet over a real session."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from assistant.game.state import Terrain
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import build_game
from tests.pages.served_session import serve_session
from tests.pages.test_tablet import locate_in_window, touch
from tests.pages.test_turns import drag_model, pick_unit, press_button

PLACES = {"s1": (300.0, 300.0), "s2": (300.0, 350.0), "w1": (600.0, 320.0)}
BLOCK = Terrain(id="block", outline_mm=((900, 200), (1000, 200), (1000, 300), (900, 300)), height_mm=80.0)


@pytest.fixture(params=["activation-skirmish"])
def session(request: pytest.FixtureRequest) -> GameSession:
    """A game whose rulebook lets players measure, or another."""
    state = replace(build_game(), rulebook=request.param, terrain=(BLOCK,))
    profile = {"initiative_in": 5} if request.param == "activation-skirmish" else {}
    return GameSession(replace(state, units=tuple(replace(u, profile={**u.profile, **profile}) for u in state.units)))


@pytest.fixture
def address(session: GameSession) -> Iterator[str]:
    with serve_session(session, PLACES) as address:
        yield address


@pytest.fixture
def tablet(page: Page, address: str) -> Page:
    page.goto(f"{address}/tablet")
    expect(page.locator("#camera")).to_have_text("Camera live")
    return page


@pytest.fixture
def canvas(tablet: Page) -> Locator:
    return tablet.locator("#table")


in_40k = pytest.mark.parametrize("session", ["warhammer-40k-10e"], indirect=True)


def find_lengths(tablet: Page) -> Locator:
    return tablet.locator(".tape strong")


def test_two_touches_measure_and_pick_nothing(tablet: Page, canvas: Locator) -> None:
    press_button(tablet, "Measure")
    tablet.touchscreen.tap(*locate_in_window(canvas, 300, 300))
    expect(tablet.get_by_text("From s1. Now touch what to measure to.")).to_be_visible()
    tablet.touchscreen.tap(*locate_in_window(canvas, 600, 320))
    expect(find_lengths(tablet)).to_have_text('9.21" ± 0.01"')
    expect(tablet.locator("#measure .tape")).to_contain_text("s1 – w1")
    expect(tablet.locator("#picked h2")).to_have_count(0)
    press_button(tablet, "Done")
    tablet.touchscreen.tap(*locate_in_window(canvas, 300, 350))
    expect(tablet.locator("#picked h2")).to_have_text("scouts")
    press_button(tablet, "Remove the tape s1 – w1")
    expect(find_lengths(tablet)).to_have_count(0)


def test_a_finger_draws_from_terrain_to_a_point(tablet: Page, canvas: Locator) -> None:
    tablet.keyboard.press("m")
    touch(tablet, [[locate_in_window(canvas, 950, 250 + 25 * step)] for step in range(11)])
    expect(tablet.locator("#measure .tape")).to_contain_text("block – a point")
    inches = float(find_lengths(tablet).inner_text().rstrip('"'))
    assert inches == pytest.approx(200 / 25.4, abs=0.1)  # a finger is not exact, the line between is


def test_whole_units_are_measured_to_their_nearest_model(tablet: Page, canvas: Locator) -> None:
    press_button(tablet, "Measure")
    press_button(tablet, "Whole units")
    tablet.mouse.click(*locate_in_window(canvas, 300, 300))
    tablet.mouse.click(*locate_in_window(canvas, 600, 320))
    expect(tablet.locator("#measure .tape")).to_contain_text("scouts – walker")
    drag_in_game(tablet, (300, 350), (450, 350))
    expect(find_lengths(tablet)).to_have_text('3.31" ± 0.01"')


def drag_in_game(tablet: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Leave the measuring mode, and push a model."""
    tablet.keyboard.press("Escape")
    expect(tablet.get_by_role("button", name="Measure", exact=True)).to_have_attribute("aria-pressed", "false")
    drag_model(tablet, start, end)


def test_keys_alone_measure(tablet: Page) -> None:
    tablet.keyboard.press("m")
    expect(tablet.get_by_label("From", exact=True)).to_be_focused()
    tablet.keyboard.type("s1")
    tablet.keyboard.press("Tab")
    tablet.keyboard.type("block")
    tablet.keyboard.press("Tab")
    tablet.keyboard.press("Enter")
    expect(tablet.locator("#measure .tape")).to_contain_text("s1 – block")
    tablet.keyboard.press("Escape")
    expect(tablet.get_by_label("From", exact=True)).to_have_count(0)
    expect(find_lengths(tablet)).to_have_count(1)


def test_escape_first_lets_the_first_thing_go(tablet: Page, canvas: Locator) -> None:
    press_button(tablet, "Measure")
    tablet.mouse.click(*locate_in_window(canvas, 300, 300))
    expect(tablet.get_by_text("From s1.")).to_be_visible()
    tablet.keyboard.press("Escape")
    expect(tablet.get_by_text("Touch what to measure from")).to_be_visible()
    tablet.keyboard.press("Escape")
    expect(tablet.get_by_text("Touch what to measure from")).to_have_count(0)


def test_another_page_sees_the_same_tapes(
    tablet: Page, open_window: Callable[[], Page], canvas: Locator, address: str
) -> None:
    other = open_window()
    other.goto(f"{address}/tablet")
    press_button(tablet, "Measure")
    tablet.mouse.click(*locate_in_window(canvas, 300, 300))
    tablet.mouse.click(*locate_in_window(canvas, 300, 350))
    expect(other.locator("#measured .tape")).to_contain_text("s1 – s2")
    press_button(other, "Remove the tape s1 – s2")
    expect(find_lengths(tablet)).to_have_count(0)
    other.close()


@in_40k
def test_where_no_rule_allows_it_players_agree_on_a_house_rule(
    tablet: Page, canvas: Locator, session: GameSession
) -> None:
    tablet.mouse.click(*locate_in_window(canvas, 300, 300))
    expect(tablet.locator("#picked h2")).to_have_text("scouts")
    assert session.consult_referee().zone is not None  # before anything is announced or moved
    press_button(tablet, "Measure")
    expect(tablet.get_by_text("a house rule of this game, since the rules do not say")).to_be_visible()
    press_button(tablet, "Do not allow it")
    expect(tablet.get_by_text("Players may not measure before a move")).to_be_visible()
    expect(tablet.get_by_label("From", exact=True)).to_have_count(0)
    assert session.consult_referee().zone is None
    press_button(tablet, "Done")
    tablet.keyboard.press("t")
    press_button(tablet, "Allow it in this game")
    press_button(tablet, "Measure")
    expect(tablet.get_by_text("Touch what to measure from")).to_be_visible()
    tablet.mouse.click(*locate_in_window(canvas, 300, 300))
    tablet.mouse.click(*locate_in_window(canvas, 600, 320))
    expect(find_lengths(tablet)).to_have_count(1)


@in_40k
def test_an_enemys_threat_is_shown_and_hidden(tablet: Page, session: GameSession) -> None:
    pick_unit(tablet, "walker")
    tablet.keyboard.press("t")
    threats = tablet.locator("#threats .tape")
    expect(threats).to_contain_text('walker: 10" normal move + 1" engagement range')
    tablet.get_by_label("Its range, inches").fill("24")
    tablet.get_by_label("Its range, inches").press("Enter")
    expect(threats).to_contain_text('+ 24" range')
    press_button(tablet, "Cancel")
    expect(threats).to_be_visible()  # whoever is picked
    press_button(tablet, "Hide the threat of walker")
    expect(threats).to_have_count(0)
    assert session.state.declared is None


@in_40k
def test_the_distance_left_is_said_for_each_model_and_for_the_unit(tablet: Page) -> None:
    drag_model(tablet, (300, 300), (401.6, 300))
    least, ways = tablet.locator("#left .way"), tablet.locator("#ways .way")
    expect(least).to_contain_text('s1: 4" of 6", 2" left')
    expect(ways).to_have_count(0)
    drag_model(tablet, (300, 350), (427, 350))
    expect(least).to_contain_text('s2: 5" of 6", 1" left')
    expect(ways).to_have_count(2)
    drag_model(tablet, (401.6, 300), (503.2, 300))
    expect(least).to_contain_text('s1: 8" of 6", 2" too far')
    expect(least).to_have_attribute("data-outcome", "illegal")
    expect(ways.last).to_contain_text('s2: 5" of 6", 1" left')


def test_everything_can_be_touched_on_a_phone(phone: Page, address: str) -> None:
    phone.goto(f"{address}/tablet")
    expect(phone.locator("#camera")).to_have_text("Camera live")
    phone.get_by_role("button", name="Measure", exact=True).tap()
    canvas = phone.locator("#table")
    for name in ("From", "To"):
        phone.get_by_label(name, exact=True).select_option(index=2 if name == "From" else 5)
    press_button(phone, "Measure these")
    expect(find_lengths(phone)).to_have_count(1)
    for control in (*phone.locator("#measure button, #measure select, #tools button").all(),):
        box = control.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["width"] >= 44
    assert canvas.bounding_box() is not None
