"""Agreeing against the referee, and correcting what was pushed by mistake, on a real session's tablet page."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from assistant.table.session import GameSession
from tests.assistant.snapshot_script import build_game
from tests.pages.served_session import serve_session
from tests.pages.test_turns import drag_model

PLACES = {"s1": (300.0, 300.0), "s2": (300.0, 350.0), "w1": (600.0, 320.0)}


@pytest.fixture
def session() -> GameSession:
    return GameSession(build_game())


@pytest.fixture
def tablet(page: Page, session: GameSession) -> Iterator[Page]:
    with serve_session(session, PLACES) as address:
        page.goto(f"{address}/tablet")
        expect(page.locator("#camera")).to_have_text("Camera live")
        yield page


def move_too_far(tablet: Page) -> None:
    tablet.get_by_role("button", name="scouts").click()
    tablet.get_by_role("button", name="Normal move").click()
    drag_model(tablet, (300, 300), (300, 130))
    expect(tablet.locator(".verdict")).to_contain_text("Not legal")


def list_sayings(tablet: Page) -> list[str]:
    return tablet.locator("#said p").all_inner_texts()


def test_the_players_agree_that_a_move_is_legal(tablet: Page, session: GameSession) -> None:
    move_too_far(tablet)
    tablet.get_by_role("button", name="Overrule").click()
    expect(tablet.locator("#agreement")).to_contain_text("To agree on a length, touch its finding below.")
    tablet.get_by_label("Reason (optional)").fill("The tape says six.")
    tablet.get_by_role("button", name="Legal", exact=True).click()
    expect(tablet.locator(".verdict strong")).to_have_text("Legal by agreement")
    expect(tablet.locator(".verdict")).to_contain_text("The tape says six. (The referee said: not legal, s1 ")
    expect(tablet.locator("#agreement")).to_be_empty()
    expect(tablet.locator("#said")).to_contain_text("Legal by agreement.")
    assert all(one != other for one, other in pairwise(list_sayings(tablet)))
    tablet.get_by_role("button", name="Accept").click()
    expect(tablet.locator("#picked h2")).to_have_count(0)
    assert [(ruling.outcome, ruling.note) for ruling in session.rulings] == [("legal", "The tape says six.")]


def test_a_length_is_agreed_on_in_two_touches_and_taken_back_in_one(tablet: Page, session: GameSession) -> None:
    move_too_far(tablet)
    tablet.locator(".finding", has_text="s1 moved").click()
    tablet.get_by_role("button", name='6" and legal').click()
    expect(tablet.locator(".finding").first).to_contain_text("Legal by agreement; the referee: Not legal · 10e-15")
    (ruling,) = session.state.rulings
    assert (ruling.rule, ruling.subjects) == ("10e-15", ("s1",))
    assert ruling.agreed_mm == pytest.approx(152.4)
    tablet.keyboard.press("Control+z")
    expect(tablet.locator(".finding").first).to_have_text(
        's1 moved 6.69" of 6"Not legal · 10e-15: Normal move: each model at most its Move'
    )


def test_overruling_offers_the_length_where_one_finding_decides(tablet: Page, session: GameSession) -> None:
    tablet.get_by_role("button", name="walker").click()
    tablet.get_by_role("button", name="Normal move").click()
    drag_model(tablet, (600, 320), (600, 700))
    expect(tablet.locator(".verdict")).to_contain_text("Not legal")
    tablet.get_by_role("button", name="Overrule").click()
    tablet.get_by_role("button", name='10" and legal').click()
    expect(tablet.locator(".verdict strong")).to_have_text("Legal by agreement")
    (ruling,) = session.state.rulings
    assert (ruling.rule, ruling.subjects) == ("10e-15", ("w1",))
    assert ruling.agreed_mm == pytest.approx(254)


def test_a_move_that_is_made_again_says_what_is_to_be_put_back(tablet: Page, session: GameSession) -> None:
    move_too_far(tablet)
    tablet.get_by_role("button", name="Overrule").click()
    tablet.locator('[data-key="agree-again"]').click()
    expect(tablet.locator(".verdict strong")).to_have_text("Redo the move, by agreement")
    expect(tablet.get_by_text("Put back where the dashed outlines are: s1.")).to_be_visible()
    drag_model(tablet, (300, 130), (300, 299))
    expect(tablet.locator(".verdict")).to_contain_text("Nothing has moved")
    assert [ruling.outcome for ruling in session.rulings] == ["again"]
    assert not session.state.rulings


def test_what_is_not_legal_is_accepted_only_when_it_is_said_twice(tablet: Page, session: GameSession) -> None:
    move_too_far(tablet)
    tablet.keyboard.press("Enter")
    expect(tablet.get_by_text("The referee says that this move is not legal.")).to_be_visible()
    tablet.keyboard.press("Escape")
    expect(tablet.get_by_text("The referee says that this move is not legal.")).to_have_count(0)
    tablet.get_by_role("button", name="Overrule").click()
    tablet.keyboard.press("Escape")  # closes what is open, and cancels nothing
    expect(tablet.locator("#agreement")).to_be_empty()
    expect(tablet.locator("#picked h2")).to_have_text("scouts")
    assert session.state.declared is not None
    tablet.get_by_role("button", name="Accept anyway").click()
    tablet.get_by_role("button", name="Accept it as not legal").click()
    expect(tablet.locator("#picked h2")).to_have_count(0)
    assert not session.state.tracks


def test_a_move_that_is_not_legal_is_made_again_at_one_touch(tablet: Page, session: GameSession) -> None:
    move_too_far(tablet)
    tablet.get_by_role("button", name="Redo the move").click()
    expect(tablet.get_by_text("Put back where the dashed outlines are: s1.")).to_be_visible()
    expect(tablet.get_by_role("button", name="Redo the move")).to_have_count(0)
    assert [ruling.outcome for ruling in session.rulings] == ["again"]


def test_a_bumped_model_stays_and_another_goes_back(tablet: Page, session: GameSession) -> None:
    drag_model(tablet, (300, 300), (330, 300))
    expect(tablet.locator("#picked h2")).to_have_text("scouts")
    tablet.get_by_text("Correct what the camera cannot see").click()
    tablet.get_by_role("button", name="s1 was bumped: stay here").click()
    expect(tablet.locator(".verdict")).to_contain_text("Nothing has moved")
    assert not session.state.tracks
    drag_model(tablet, (330, 300), (370, 300))
    tablet.get_by_role("button", name="s1 goes back").click()
    expect(tablet.get_by_text("Put back where the dashed outlines are: s1.")).to_be_visible()
    drag_model(tablet, (370, 300), (330, 300))
    expect(tablet.locator(".verdict")).to_contain_text("Nothing has moved")
    assert not session.state.tracks


def test_a_model_is_said_to_carry_anothers_tag_and_that_is_taken_back(tablet: Page, session: GameSession) -> None:
    tablet.get_by_role("button", name="scouts").click()
    tablet.get_by_text("Correct what the camera cannot see").click()
    expect(tablet.get_by_role("button", name="Swap them")).to_be_in_viewport(ratio=1)
    tablet.keyboard.press("Escape")
    tablet.get_by_role("button", name="walker").click()
    expect(tablet.get_by_role("button", name="Swap them")).to_be_hidden()  # it is open for whom it was asked
    tablet.get_by_text("Correct what the camera cannot see").click()
    tablet.get_by_label("w1 carries the marker of").select_option("s2")
    tablet.get_by_role("button", name="Swap them").click()
    expect(tablet.locator("#toast")).to_have_text("W1 and s2 were swapped. Undo takes it back.")
    expect(tablet.locator("#notices")).to_contain_text("The set-up file still names the markers as before")
    assert session.state.find_model("w1").pose.x_mm == 300  # type: ignore[union-attr]
    drag_model(tablet, (600, 320), (640, 320))  # which is now s2: the hand pushes the base with its tag
    expect(tablet.locator("#picked h2")).to_have_text("scouts")
    assert list(session.state.tracks) == ["s2"]
    tablet.get_by_role("button", name="Undo").click()
    expect(tablet.locator("#picked h2")).to_have_count(0)  # the fall back, which the drag had begun
    tablet.get_by_role(
        "button", name="Undo"
    ).click()  # of what the page shows by now: a press on an older view is refused
    expect(tablet.locator("#notices")).not_to_contain_text("The set-up file")
    assert session.state.carried == {}
