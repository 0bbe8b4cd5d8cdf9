"""A newcomer's first game by the pages of the whole program: two lists, a layout, a table that runs, a judged move."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, CDPSession, Locator, Page, expect

from assistant.recording.journal.cursor import read_entries
from tests.pages.program import RATE, run_overtable
from tests.pages.socket_listener import SocketListener, drag_model
from tests.pages.test_setup import expect_state, press_key, press_next
from tests.pages.waiting import wait_for

APP = """Стражи мха (250 Points)

Moss Folk
Strike Force (2000 Points)

CHARACTERS

Старая Жаба (80 Points)
  • 1x Long Tongue
  • Warlord

BATTLELINE

Moss Guard (90 Points)
  • 1x Moss Sergeant
    ◦ 1x Spear
  • 3x Guard
    ◦ 3x Club

Hounds (80 Points)
  • 3x Hound

Exported with App Version: v1
"""


def make_model(name: str, count: int, move: str) -> dict[str, object]:
    figures = [{"name": "M", "$text": move}]
    profile = {"name": name, "typeName": "Unit", "characteristics": figures}
    return {"name": name, "type": "model", "number": count, "profiles": [profile]}


RECRUIT = json.dumps(
    {
        "roster": {
            "name": "石の軍",
            "forces": [
                {
                    "selections": [
                        {"name": "石の兵", "type": "unit", "number": 1, "selections": [make_model("石の兵", 5, '6"')]},
                        make_model("Golem", 1, '8"'),
                    ]
                }
            ],
        }
    },
    ensure_ascii=False,
)


PIECES = ("woods", "crates", "house")
"""Of the layout, what is moved by finger."""


@pytest.fixture
def tablet(context: BrowserContext) -> Iterator[Page]:
    """A tablet's page, which may ask for a picture before there is one."""
    errors: list[str] = []
    page = context.new_page()
    page.set_viewport_size({"width": 1024, "height": 768})
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []


def test_two_lists_a_layout_and_three_moved_pieces_make_a_game_that_runs(tablet: Page, tmp_path: Path) -> None:
    folder = tmp_path / "table"
    with run_overtable("setup", "--fps", RATE, folder) as address:
        tablet.goto(f"{address}/setup")
        set_the_table_up(tablet)
        paste_the_lists(tablet)
        move_pieces(tablet)
        press_key(tablet, "compose")
        expect_state(tablet, "good", "(10th edition), Movement phase: Стражи мха against 石の軍, 14 models.")
        for title in ("Markers", "On the models", "Ready"):
            press_next(tablet, title)
        expect_state(tablet, "good", "A game can begin.")
        press_key(tablet, "begin")
        tablet.wait_for_url("**/tablet")
        play_a_move(tablet)
        tablet.goto("about:blank")
    (recording,) = (folder / "games").iterdir()
    assert "Declared" in {type(entry.what).__name__ for entry in read_entries(recording)}


def set_the_table_up(page: Page) -> None:
    """Take the virtual table in its usual size, and leave out what is not needed."""
    page.locator('[data-key="step-camera"]').tap()
    press_key(page, "virtual:")
    expect_state(page, "good", "The virtual table is seen.")
    press_next(page, "Table")
    page.get_by_role("button", name='60 × 44"', exact=True).tap()
    expect_state(page, "good", '60 × 44", 6 anchors.')
    press_next(page, "Print")
    press_next(page, "Lens")
    press_key(page, "skip")
    press_next(page, "Look at the table")
    expect_state(page, "good", "6 of 6 anchors are seen")
    press_next(page, "Projector")
    press_key(page, "none")
    press_next(page, "Armies")


def paste_the_lists(page: Page) -> None:
    """Paste both lists, and answer what they do not say: what models stand on, and how far some of them move."""
    moss, stone = page.locator(".army").nth(0), page.locator(".army").nth(1)
    moss.get_by_label("Paste the list").fill(APP)
    stone.get_by_label("Paste the list").fill(RECRUIT)
    bases = {"Старая Жаба": "40", "Moss Sergeant": "32", "Guard": "32", "Hounds": "50", "石の兵": "32", "Golem": "60"}
    moves = {"Старая Жаба": "5", "Moss Sergeant": "6", "Guard": "6", "Hounds": "10"}
    for name, base in bases.items():
        question = page.get_by_role("group", name=f"The base of {name}", exact=True)
        question.get_by_role("group", name="Common bases, mm").get_by_role("button", name=base, exact=True).tap()
        if move := moves.get(name):
            expect(question.get_by_role("group", name="Common bases, mm")).to_have_count(
                0
            )  # and the moves in its place
            common = question.get_by_role("group", name=f"Common moves of {name}, in")
            common.get_by_role("button", name=move, exact=True).tap()
        expect(question).to_have_count(0)
    expect(page.locator(".standing")).to_have_text("2 players, 6 units, 14 models.")


def move_pieces(page: Page) -> None:
    """Choose a layout by its picture, move three of its pieces by finger, and use it so."""
    layouts = page.get_by_role("group", name="Layouts")
    layouts.get_by_role("button", name="Crossed streets").tap()
    expect(layouts.get_by_role("button", name="Crossed streets")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Edit this layout").tap()
    editor = page.get_by_role("dialog", name="The layout")
    fingers = page.context.new_cdp_session(page)
    for name in PIECES:
        piece = editor.locator(f'[data-id="{name}"]:not([data-handle])')
        x, y = find_middle(piece)
        drag_by_finger(page, fingers, (x, y), right_px=30)
        wait_for(partial(is_right_of, piece, x + 15))  # or where an edge meets another
    editor.get_by_label("What is it called?").fill("Улицы")
    editor.get_by_role("button", name="Save and use it").tap()
    expect(editor).to_have_count(0)
    expect(layouts.get_by_role("button", name="Улицы")).to_have_attribute("aria-pressed", "true")


def drag_by_finger(page: Page, fingers: CDPSession, start: tuple[float, float], *, right_px: int) -> None:
    """Put a finger down, draw it to the right, and let it rest before it is lifted, or it would fling."""
    x, y = start
    for kind, shift_px in (("touchStart", 0), *(("touchMove", px) for px in range(0, right_px + 1, 5))):
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x + shift_px, "y": y}]})
    page.wait_for_timeout(200)
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def find_middle(piece: Locator) -> tuple[float, float]:
    """Return where a piece is on the page, which draws it anew when it was moved."""
    box = wait_for(piece.bounding_box)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def is_right_of(piece: Locator, least_px: float) -> bool:
    return find_middle(piece)[0] > least_px


def count_seen(page: Page, wire: SocketListener) -> int:
    """Return how many models the camera sees."""
    wire.has_view(page)
    return sum(model["state"] == "seen" for model in wire.view.get("models", {}).values())


def play_a_move(page: Page) -> None:
    """Move the golem on the tablet's page, and be told what the referee says."""
    wire = SocketListener(page)
    page.reload()
    page.locator('#units [data-key="golem"]').tap()
    page.get_by_role("button", name="Normal move").tap()
    # The game runs once it offers moves; where its models are is known once all are seen.
    wait_for(lambda: count_seen(page, wire) == 14)
    golem = wire.find_model(page, "golem-1")
    x_mm, y_mm = golem["x_mm"], golem["y_mm"]
    drag_model(page, page.locator("#table"), (x_mm, y_mm), (x_mm, y_mm - 80))
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("Legal")
    expect(verdict).not_to_contain_text("nothing has moved")
