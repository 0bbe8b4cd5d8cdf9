"""The tablet over a real session: saying what a move means to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from assistant.game.state import GameState, Pose
from assistant.rules.books.warhammer_40k_10e.moves import NORMAL, STATIONARY
from assistant.rules.presets import ENEMY_MODELS, ENEMY_UNITS
from assistant.rules.rulebook import Key
from assistant.table.session import GameSession
from tests.assistant.altered_rulebook import ID, add_rulebook
from tests.assistant.rules.test_referee_fields import make_two_boats
from tests.assistant.snapshot_script import build_game
from tests.pages.conftest import PHONE
from tests.pages.kept_windows import KeptWindows
from tests.pages.served_session import serve_session
from tests.pages.test_tablet import locate_in_window
from tests.pages.test_turns import drag_model, pick_unit, press_button
from tests.pages.waiting import wait_for

Intent = dict[str, object]


@contextmanager
def open_tablet(session: GameSession, page: Page) -> Iterator[None]:
    """Show a session, whose models stand where its situation says, on a tablet page."""
    poses = {m.id: m.pose for _, m in session.state.iterate_models() if m.pose is not None}
    with serve_session(session, {model: (pose.x_mm, pose.y_mm) for model, pose in poses.items()}) as address:
        page.goto(f"{address}/tablet")
        expect(page.locator("#camera")).to_have_text("Camera live")
        yield
        page.goto("about:blank")


def find_declared_intent(session: GameSession) -> Intent | None:
    declared = session.state.declared
    return dict(declared.intent) if declared else None


def find_field(page: Page, name: str, value: str = "") -> Locator:
    return page.locator(f'[data-key="field-{name}{"-" if value else ""}{value}"]')


def build_skirmish() -> GameState:
    """Scouts who reach the walker only in a run; what is 10 mm apart is in contact."""
    state = replace(build_game(), rulebook="activation-skirmish", parameters={"contact_mm": 10.0})
    units = tuple(replace(u, profile={**u.profile, "initiative_in": 5}) for u in state.units)
    return replace(state, units=units)


def build_horde() -> GameState:
    """Eleven enemies in a row, so many that some are folded away, and one in another unit."""
    state = build_game()
    walker = state.find_unit("walker")
    row = tuple(
        replace(state.find_model("s1"), id=f"guard-{n}", pose=Pose(x_mm=500 + 60 * n, y_mm=600)) for n in range(1, 12)
    )
    return replace(state, rulebook=ID, units=(*state.units, replace(walker, id="guards", models=row)))


@pytest.fixture
def crowd(monkeypatch: pytest.MonkeyPatch) -> GameSession:
    keys = (
        Key(name="engages", values=tuple, statement="the enemies that it means to engage", names=ENEMY_MODELS),
        Key(name="toward", values=str, statement="the enemy unit that it goes toward", names=ENEMY_UNITS),
        Key(name="toward_closest", values=bool, statement="it goes toward the closest enemy"),
    )
    actions = (
        replace(STATIONARY, intent=("toward",)),
        replace(NORMAL, intent=("engages", "toward", "toward_closest")),
    )
    add_rulebook(monkeypatch, intent=keys, actions=actions)
    return GameSession(build_horde())


def test_a_run_is_announced_as_a_charge(page: Page) -> None:
    session = GameSession(build_skirmish())
    with open_tablet(session, page):
        pick_unit(page, "scouts")
        press_button(page, "Normal move")
        expect(page.locator(".action[aria-pressed=true]")).to_have_text('Normal moveup to 6"')
        expect(find_field(page, "charge")).to_have_count(0)
        press_button(page, "Run")
        expect(find_field(page, "charge")).to_have_attribute("aria-pressed", "false")
        expect(find_field(page, "charge")).to_contain_text("no")
        drag_model(page, (300, 300), (529, 310))
        expect(page.locator(".verdict")).to_contain_text("Not legal")
        expect(page.locator("#findings")).to_contain_text("act-11")
        press_button(page, "Charge")
        expect(find_field(page, "charge")).to_contain_text("yes")
        expect(page.locator(".verdict")).to_contain_text("Legal")
        assert find_declared_intent(session) == {"charge": True}
        press_button(page, "Charge")
        expect(page.locator(".verdict")).to_contain_text("Not legal")
        assert find_declared_intent(session) == {}


def test_one_of_two_transports_is_chosen(page: Page) -> None:
    session = GameSession(make_two_boats())
    with open_tablet(session, page):
        pick_unit(page, "scouts")
        press_button(page, "Embark")
        expect(page.locator(".note")).to_have_text("Choose the transport to embark in.")
        expect(page.locator("#actions .field button")).to_have_text(["b2", "b1"])
        expect(page.locator("#actions .field")).to_be_in_viewport(ratio=1)
        expect(page.locator(".note")).to_be_in_viewport(ratio=1)
        press_button(page, "Accept")
        expect(page.locator("#toast")).to_have_text("Choose the transport to embark in.")
        find_field(page, "transport", "b1").click()
        expect(page.locator("#effects")).to_contain_text("b1")
        find_field(page, "transport", "b2").click()
        expect(find_field(page, "transport", "b1")).to_have_attribute("aria-pressed", "false")
        expect(find_field(page, "transport", "b2")).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".verdict")).to_contain_text("Legal")
        expect(page.locator(".note")).to_have_count(0)
        press_button(page, "Accept")
        expect(page.locator('#units [data-key="scouts"]')).to_contain_text("embarked in b2")


def test_another_action_keeps_what_it_takes_too(page: Page, crowd: GameSession) -> None:
    with open_tablet(crowd, page):
        pick_unit(page, "scouts")
        press_button(page, "Normal move")
        find_field(page, "toward", "guards").click()
        find_field(page, "engages", "guard-2").click()  # before the first touch is answered
        expect(find_field(page, "engages", "guard-2")).to_have_attribute("aria-pressed", "true")
        find_field(page, "engages", "w1").click()
        expect(find_field(page, "engages", "w1")).to_have_attribute("aria-pressed", "true")
        assert find_declared_intent(crowd) == {"toward": "guards", "engages": ("guard-2", "w1")}
        page.touchscreen.tap(*locate_in_window(page.locator("#table"), 300, 350))  # another model of the unit
        wait_for(lambda: crowd.pick is not None and crowd.pick.model == "s2")
        assert find_declared_intent(crowd) == {"toward": "guards", "engages": ("guard-2", "w1")}
        press_button(page, "Remain Stationary")
        expect(find_field(page, "engages", "w1")).to_have_count(0)
        expect(find_field(page, "toward", "guards")).to_have_attribute("aria-pressed", "true")
        assert find_declared_intent(crowd) == {"toward": "guards"}
        find_field(page, "toward", "guards").click()
        expect(find_field(page, "toward", "guards")).to_have_attribute("aria-pressed", "false")
        assert find_declared_intent(crowd) == {}


def test_the_nearest_are_shown_at_once_and_the_rest_on_demand(page: Page, crowd: GameSession) -> None:
    with open_tablet(crowd, page):
        pick_unit(page, "scouts")
        press_button(page, "Normal move")
        shown = page.locator('[aria-label="Engages"] button:visible')
        nearest = ["w1", *(f"guard-{n}" for n in range(1, 8))]
        expect(shown).to_have_text(nearest)
        page.get_by_text("4 more").click()
        find_field(page, "engages", "guard-11").click()
        expect(page.get_by_text("3 more")).to_be_visible()
        expect(shown).to_have_text([*nearest, "guard-11", "guard-8", "guard-9", "guard-10"])  # it stays unfolded
        assert find_declared_intent(crowd) == {"engages": ("guard-11",)}


def test_every_choice_can_be_touched_on_a_phone(windows: KeptWindows, crowd: GameSession) -> None:
    made = windows.take(viewport=PHONE).new_page()
    with open_tablet(crowd, made):
        pick_unit(made, "scouts")
        press_button(made, "Normal move")
        made.get_by_text("4 more").click()
        find_field(made, "engages", "guard-10").click()
        expect(made.get_by_text("3 more")).to_be_visible()
        assert made.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
        for control in made.locator("#actions").locator("button, summary").all():
            box = control.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 44, control.inner_text()


def test_an_enemy_that_the_action_asks_for_is_named_by_touching_it(page: Page, crowd: GameSession) -> None:
    with open_tablet(crowd, page):
        pick_unit(page, "scouts")
        press_button(page, "Normal move")
        expect(page.locator('[data-key="field-engages-w1"]')).to_be_visible()
        canvas = page.locator("#table")
        page.touchscreen.tap(*locate_in_window(canvas, 600, 320))
        page.touchscreen.tap(*locate_in_window(canvas, 560, 600))  # before the first touch is answered
        expect(find_field(page, "engages", "w1")).to_have_attribute("aria-pressed", "true")
        expect(find_field(page, "engages", "guard-1")).to_have_attribute("aria-pressed", "true")
        assert find_declared_intent(crowd) == {"engages": ("w1", "guard-1")}
        page.touchscreen.tap(*locate_in_window(canvas, 600, 320))
        wait_for(lambda: find_declared_intent(crowd) == {"engages": ("guard-1",)})
        expect(page.locator("#picked h2")).to_have_text("scouts")
