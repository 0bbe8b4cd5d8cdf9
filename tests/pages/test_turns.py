"""The tablet over a real session: turns, tests, losses, arrivals and corrections, without a camera."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from assistant.table.session import GameSession
from tests.assistant.altered_rulebook import add_rulebook
from tests.assistant.snapshot_script import build_crossing_game
from tests.pages.conftest import PHONE
from tests.pages.kept_windows import KeptWindows
from tests.pages.served_session import serve_session
from tests.pages.test_tablet import locate_in_window

PLACES = {"s1": (600.0, 265.0), "s2": (640.0, 265.0), "w1": (600.0, 320.0), "b1": (300.0, 420.0)}
"""Both scouts are engaged with the walker."""


@pytest.fixture
def session(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> GameSession:
    """A game of the tenth edition, or of one that differs from it in what a test's parameter says."""
    changes = getattr(request, "param", None)
    state = (
        build_crossing_game()
        if changes is None
        else replace(build_crossing_game(), rulebook=add_rulebook(monkeypatch, **changes).id)
    )
    return GameSession(state)


def change_order_of_play(**changes: str) -> pytest.MarkDecorator:
    """Play with another order of play."""
    return pytest.mark.parametrize("session", [changes], indirect=True, ids=["-".join(changes)])


@pytest.fixture
def address(session: GameSession) -> Iterator[str]:
    """The pages of that session; what they drag is seen to arrive at once."""
    with serve_session(session, PLACES) as address:
        yield address


@pytest.fixture
def tablet(page: Page, address: str) -> Page:
    page.goto(f"{address}/tablet")
    expect(page.locator("#camera")).to_have_text("Camera live")
    return page


def press_button(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def pick_unit(page: Page, unit: str) -> None:
    page.locator(f'#units [data-key="{unit}"]').click()
    expect(page.locator("#picked h2")).to_have_text(unit)


def drag_model(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    canvas = page.locator("#table")
    page.mouse.move(*locate_in_window(canvas, *start))
    page.mouse.down()
    page.mouse.move(*locate_in_window(canvas, *end), steps=5)
    page.mouse.up()


def list_offered_actions(page: Page) -> dict[str, bool]:
    return {
        str(button.get_attribute("data-key")): button.is_enabled() for button in page.locator("#actions button").all()
    }


def test_the_tablet_offers_exactly_what_the_referee_allows_and_says_why_not(tablet: Page, session: GameSession) -> None:
    for unit in ("scouts", "riders", "late", "walker"):
        pick_unit(tablet, unit)
        expect(tablet.locator("#actions button")).to_have_count(8)
        options = session.consult_referee().options
        assert list_offered_actions(tablet) == {option.action: option.allowed for option in options}
        for option in options:
            button = tablet.locator(f'#actions [data-key="{option.action}"]')
            for _, text in option.because:
                # Beneath the unit's name, which is not said again.
                expect(button).to_contain_text(text.removeprefix(f"{unit} ").removeprefix("is ")[1:])
            assert button.get_attribute("aria-label") == option.label
        press_button(tablet, "Cancel")


def test_turns_are_counted_and_taken_back(tablet: Page) -> None:
    expect(tablet.locator("#turn")).to_contain_text("No turns yet.")
    expect(tablet.get_by_role("button", name="Undo")).to_be_disabled()
    press_button(tablet, "Track turns")
    expect(tablet.locator("#turn")).to_contain_text("red, turn 1")
    expect(tablet.locator("#turn")).to_contain_text("Move Units")
    expect(tablet.locator('#units [data-key="scouts"]')).to_contain_text("may: Remain Stationary, Fall Back")
    expect(tablet.locator("#units h2").first).to_have_text("red, whose turn it is")
    press_button(tablet, "Next: Reinforcements")
    expect(tablet.locator("#turn small")).to_have_text("Round 1 of 5 · Reinforcements")
    press_button(tablet, "Next: blue's turn")
    expect(tablet.locator("#turn")).to_contain_text("blue, turn 2")
    # All of the bar: what one state shows, a button of another says too.
    for turn, step in (("red, turn 1", "Reinforcements"), ("red, turn 1", "Move Units")):
        press_button(tablet, "Undo")
        expect(tablet.locator("#turn .grow")).to_have_text(f"{turn}Round 1 of 5 · {step}")
    press_button(tablet, "Undo")
    expect(tablet.locator("#turn .grow")).to_have_text("No turns yet.")


def test_the_game_is_over_with_the_rounds_that_people_said_it_has(tablet: Page) -> None:
    press_button(tablet, "Track turns")
    tablet.locator('#score [data-key="score"]').click()
    tablet.get_by_label("Rounds in this game").fill("1")
    tablet.get_by_label("Rounds in this game").press("Enter")
    expect(tablet.locator("#turn small")).to_have_text("Round 1 of 1 · Move Units")
    for following in ("Reinforcements", "blue's turn"):
        press_button(tablet, f"Next: {following}")
    expect(tablet.get_by_text("This is the last turn")).to_have_count(0)
    press_button(tablet, "Next: Reinforcements")
    expect(tablet.get_by_text("This is the last turn of 1 round.")).to_be_visible()
    expect(tablet.get_by_role("button", name="The game is over")).to_be_visible()


def test_a_press_on_the_turn_bar_is_told_if_somebody_else_was_first(
    tablet: Page, address: str, open_window: Callable[[], Page]
) -> None:
    press_button(tablet, "Track turns")
    other = open_window()
    other.goto(f"{address}/tablet")
    tablet.get_by_role("button", name="Next: Reinforcements").hover()
    tablet.mouse.down()
    press_button(other, "Next: Reinforcements")
    expect(other.locator("#turn small")).to_have_text("Round 1 of 5 · Reinforcements")
    other.get_by_role("button", name="Undo").hover()
    expect(tablet.get_by_role("button", name="Next: Reinforcements")).to_be_visible()  # it stays under the finger
    tablet.mouse.up()
    expect(tablet.locator("#toast")).to_contain_text("The game went on while you tapped")
    for each in (tablet, other):
        expect(each.locator("#turn small")).to_have_text("Round 1 of 5 · Reinforcements")


@change_order_of_play(priority="x-priority")
def test_each_turn_asks_who_has_priority(tablet: Page, session: GameSession) -> None:
    turn = tablet.locator("#turn")
    expect(turn).to_contain_text("To track turns: who goes first?")
    press_button(tablet, "blue has priority")
    expect(turn).to_contain_text("blue, turn 1")
    expect(tablet.get_by_role("button", name="red has priority")).to_have_count(0)
    press_button(tablet, "Next: red: Move")
    expect(turn).to_contain_text("red, turn 1")
    expect(tablet.locator('[data-key="go-on"]')).to_have_count(0)
    expect(turn).to_contain_text("Who goes first in the next turn?")
    press_button(tablet, "red has priority")
    expect(turn).to_contain_text("red, turn 2")
    assert session.state.turn is not None
    assert session.state.turn.order == ("red", "blue")
    press_button(tablet, "Undo")
    expect(turn).to_contain_text("red, turn 1")


@change_order_of_play(announced="x-announced")
def test_an_announcement_that_comes_late_is_told(tablet: Page) -> None:
    press_button(tablet, "Track turns")
    drag_model(tablet, (300, 420), (300, 480))
    expect(tablet.locator(".verdict")).to_have_text("Legal1 model moved")
    expect(tablet.locator('.finding[data-outcome="note"]')).to_have_text(
        "b1 had moved before Normal move was announcedNote · x-announced"
    )


@change_order_of_play(acts_once="x-once")
def test_a_unit_that_has_acted_is_not_offered_another_action(tablet: Page) -> None:
    press_button(tablet, "Track turns")
    pick_unit(tablet, "boat")
    press_button(tablet, "Remain Stationary")
    press_button(tablet, "Accept")
    expect(tablet.locator('#units [data-key="boat"]')).to_contain_text("has acted")
    pick_unit(tablet, "boat")
    expect(tablet.locator("#actions button:enabled")).to_have_count(0)
    expect(tablet.locator('#actions [data-key="normal"]')).to_contain_text("has acted this turn")
    press_button(tablet, "Cancel")
    drag_model(tablet, (300, 420), (300, 480))
    expect(tablet.locator(".verdict")).to_contain_text("Not legal")


def test_a_unit_that_has_acted_says_so_and_the_next_step_waits_for_one_that_is_moving(tablet: Page) -> None:
    press_button(tablet, "Track turns")
    pick_unit(tablet, "boat")
    press_button(tablet, "Normal move")
    drag_model(tablet, (300, 420), (300, 480))
    expect(tablet.locator(".verdict")).to_have_text("Legal1 model moved")
    tablet.locator('[data-key="go-on"]').click()
    expect(tablet.locator("#toast")).to_have_text("The move of boat has begun: accept or cancel it first")
    press_button(tablet, "Accept")
    expect(tablet.locator('#units [data-key="boat"]')).to_contain_text("has acted, normal-moved")
    pick_unit(tablet, "boat")
    expect(tablet.locator('#actions [data-key="normal"]')).to_contain_text("Has already moved this phase")


def test_tests_are_rolled_and_what_they_cost_is_chosen(tablet: Page, session: GameSession) -> None:
    pick_unit(tablet, "scouts")
    press_button(tablet, "Fall Back")
    expect(tablet.locator("#effects")).to_contain_text("scouts cannot shoot this turn")
    expect(tablet.locator("#dice")).to_be_empty()
    drag_model(tablet, (600, 265), (600, 393))
    expect(tablet.locator("#dice")).to_contain_text("1 more to roll, here or on the table.")
    drag_model(tablet, (640, 265), (640, 393))
    expect(tablet.locator("#dice")).to_contain_text("2 more to roll")
    expect(tablet.locator("#effects")).to_contain_text("a Desperate Escape test, one die each, for s1, s2")
    expect(tablet.get_by_role("button", name="Accept")).to_be_enabled()
    press_button(tablet, "Rolled a 1")
    expect(tablet.locator(".note")).to_have_text("Enter 1 die for the tests.")
    press_button(tablet, "Rolled a 6")
    expect(tablet.locator("#losses")).to_contain_text("Which model is lost?")
    expect(tablet.get_by_role("button", name="Accept")).to_be_disabled()
    press_button(tablet, "s1")
    expect(tablet.locator('[data-key="lose-s1"]')).to_have_attribute("aria-pressed", "true")
    press_button(tablet, "s2")
    expect(tablet.locator('[data-key="lose-s1"]')).to_have_attribute("aria-pressed", "false")
    press_button(tablet, "Accept")
    expect(tablet.locator('#units [data-key="scouts"]')).to_contain_text("1 model")
    assert [model.id for model in session.state.find_unit("scouts").models] == ["s1"]


def test_reserves_are_put_down_where_the_table_is_touched(tablet: Page) -> None:
    pick_unit(tablet, "late")
    expect(tablet.locator("#picked")).to_contain_text("Not on the table: l1.")
    canvas = tablet.locator("#table")
    tablet.mouse.click(*locate_in_window(canvas, 1000, 900))  # nothing is announced yet, so nothing is put down
    press_button(tablet, "Set up")
    expect(tablet.locator(".verdict")).to_contain_text("still to be put on the table: l1")
    tablet.mouse.click(*locate_in_window(canvas, 1300, 900))
    expect(tablet.locator(".verdict")).to_contain_text("Legal")
    expect(tablet.locator("#picked")).not_to_contain_text("Not on the table")
    expect(tablet.locator("#effects")).to_contain_text("late counts as having made a Normal move")
    press_button(tablet, "Accept")
    expect(tablet.locator('#units [data-key="late"]')).not_to_contain_text("reserves")


def test_what_no_camera_sees_is_corrected(tablet: Page) -> None:
    pick_unit(tablet, "scouts")
    tablet.get_by_text("Correct what the camera cannot see").click()
    press_button(tablet, "battle-shocked")
    expect(tablet.locator('[data-key="status-battle-shocked"]')).to_have_attribute("aria-pressed", "true")
    expect(tablet.locator("#picked")).to_contain_text("battle-shocked")
    press_button(tablet, "s1 is destroyed")
    expect(tablet.get_by_role("button", name="s2 is destroyed", exact=True)).to_be_visible()
    press_button(tablet, "Cancel")
    pick_unit(tablet, "boat")
    expect(tablet.get_by_role("button", name="b1 is destroyed", exact=True)).to_be_hidden()  # nobody asked that of it
    tablet.get_by_text("Correct what the camera cannot see").click()
    press_button(tablet, "b1 is destroyed")
    expect(tablet.locator("#toast")).to_have_text("Riders is in b1 and leaves it first")


def test_every_new_control_can_be_touched(windows: KeptWindows, address: str) -> None:
    made = windows.take(viewport=PHONE).new_page()
    made.goto(f"{address}/tablet")
    press_button(made, "Track turns")
    pick_unit(made, "scouts")
    made.get_by_text("Correct what the camera cannot see").click()
    assert made.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    for control in [*made.get_by_role("button").all(), *made.locator("summary:visible").all()]:
        box = control.bounding_box()
        assert box is not None
        assert box["height"] >= 44, control.inner_text()


def test_a_bumped_table_is_put_back_with_the_tablet(tablet: Page, session: GameSession) -> None:
    before = [model.pose for _, model in session.state.iterate_models()]
    drag_model(tablet, PLACES["s1"], (500, 500))
    expect(tablet.locator("#verdict")).to_contain_text("Not legal")
    press_button(tablet, "Cancel move")
    expect(tablet.locator("#corrections")).to_contain_text("Correct the table")  # with the pick its corrections close
    tablet.locator('#corrections [data-key="corrections"]').click()
    press_button(tablet, "Put everything back")
    card = tablet.locator("#restoring")
    expect(card).to_contain_text("3 of 4 models are back.")
    expect(card.locator("li")).to_contain_text("s1 100.0 mm right, 235.0 mm down")
    expect(tablet.locator("#verdict")).to_contain_text("being put back")
    drag_model(tablet, (500, 500), PLACES["s1"])
    expect(card).to_contain_text("All 4 models are back.")
    card.get_by_role("button", name="Done").click()
    expect(card).to_be_empty()
    assert [model.pose for _, model in session.state.iterate_models()] == before
    assert not session.state.tracks
