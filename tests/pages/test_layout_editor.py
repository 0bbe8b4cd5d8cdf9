"""The set-up page's layout editor: pieces dragged, turned and drawn by finger, and their twins with them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, CDPSession, Locator, Page, expect

from assistant.layouts.layout import Layout
from tests.pages.played_game import encode_camera_picture
from tests.pages.test_layout import PHONE, TABLET
from tests.pages.test_setup_markers import check_layout
from tests.pages.waiting import wait_for
from tests.pages.wizard_page import WizardDesk, serve_wizard
from tests.vision.synthetic_camera import CAMERA

Point = tuple[float, float]


class Editor:
    """An editor that is open on a page, and fingers on it."""

    def __init__(self, page: Page, desk: WizardDesk) -> None:
        self.page, self.desk = page, desk
        self.dialog = page.get_by_role("dialog", name="The layout")
        self.table = self.dialog.get_by_role("application")
        self.fingers: CDPSession = page.context.new_cdp_session(page)

    @property
    def layout(self) -> Layout:
        layout = self.desk.wizard.layouts.layout
        assert layout is not None
        return layout

    def press(self, name: str) -> None:
        """Press a button of the editor."""
        self.dialog.get_by_role("button", name=name, exact=True).click()

    def find_piece(self, piece: str) -> Locator:
        """Find what is drawn of a piece."""
        return self.table.locator(f'[data-id="{piece}"]:not([data-handle])')

    def find_middle(self, piece: str) -> Point:
        """Return the middle of the box around a piece as it is kept, mm."""
        (shown,) = self.desk.wizard.layouts.build_views(self.desk.session)
        (found,) = (one for one in shown.layout_editor["layout"].pieces if one.id == piece)
        xs, ys = zip(*found.parts[0].outline_mm, strict=True)
        return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2

    def locate(self, x_mm: float, y_mm: float) -> Point:
        """Where a place of the table is on the page, CSS pixels."""
        x, y = self.table.evaluate(
            """(drawing, [x, y]) => {
                const at = new DOMPoint(x, y).matrixTransform(drawing.firstElementChild.getScreenCTM());
                return [at.x, at.y];
            }""",
            [x_mm, y_mm],
        )
        return x, y

    def touch(self, *paths: list[Point]) -> None:
        """Put a finger down at the beginning of each path, draw all along together, and take them off; mm."""
        steps = [[self.locate(*path[step]) for path in paths] for step in range(len(paths[0]))]
        for kind, points in [("touchStart", steps[0]), *(("touchMove", step) for step in steps[1:]), ("touchEnd", [])]:
            named = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(points)]
            self.fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": named})


@pytest.fixture(params=[PHONE, TABLET], ids=["phone", "tablet"])
def editor(context: BrowserContext, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Editor]:
    page = context.new_page()
    page.set_viewport_size({"width": request.param[0], "height": request.param[1]})
    page.set_default_timeout(15_000)
    with serve_wizard(tmp_path / "table", "warhammer-40k-10e") as (desk, address):
        page.goto(f"{address}#armies")
        page.get_by_role("button", name="Draw your own").click()
        editor = Editor(page, desk)
        expect(editor.dialog).to_be_visible()
        yield editor


def test_a_layout_is_made_by_finger_and_played_on(editor: Editor, tmp_path: Path) -> None:
    table = editor.layout.table
    editor.press("ruin")
    expect(editor.find_piece("ruin-1")).to_have_class("chosen")
    start = editor.find_middle("ruin-1")
    editor.touch([start, (start[0] - 100, start[1] + 20), (start[0] - 230, start[1] + 60)])
    wait_for(lambda: editor.find_middle("ruin-1") != start or None)
    (x, y), (twin_x, twin_y) = editor.find_middle("ruin-1"), editor.find_middle("ruin-1-twin")
    assert (x, y) == pytest.approx((start[0] - 230, start[1] + 60), abs=25)  # or where an edge meets another
    assert (twin_x, twin_y) == pytest.approx((table.width_mm - x, table.depth_mm - y), abs=0.1)
    editor.press('3"')
    wait_for(lambda: editor.layout.features[0].height_mm or None)
    editor.press("An objective")
    expect(editor.table.locator(".marker")).to_have_count(2)
    check_layout(editor.page, tmp_path / "editor.png")
    editor.dialog.get_by_label("What is it called?").fill("Two ruins")
    editor.press("Save and use it")
    expect(editor.dialog).to_have_count(0)
    chosen = editor.page.get_by_role("group", name="Layouts").get_by_role("button", name="Two ruins")
    expect(chosen).to_have_attribute("aria-pressed", "true")
    assert editor.desk.wizard.draft.entries["layout"] == "two-ruins"
    editor.page.get_by_role("button", name="Edit this layout").click()
    expect(editor.dialog.get_by_label("What is it called?")).to_have_value("Two ruins")


def test_a_second_finger_turns_freely_and_the_handle_by_whole_steps(editor: Editor) -> None:
    editor.press("wall")
    expect(editor.find_piece("wall-1")).to_have_class("chosen")
    x, y = editor.find_middle("wall-1")
    editor.touch([(x, y), (x, y)], [(x + 200, y), (x + 200, y + 100)])
    wait_for(lambda: editor.layout.features[0].facing_deg or None)
    assert editor.layout.features[0].facing_deg == pytest.approx(26.57, abs=1.5)
    expect(editor.table.locator("[data-id][transform]")).to_have_count(0)  # drawn anew where it is kept
    handle = editor.table.locator(".handle circle")
    expect(handle).to_have_count(1)
    top = tuple(float(handle.get_attribute(name) or "") for name in ("cx", "cy"))
    x, y = editor.find_middle("wall-1")
    editor.touch([(top[0], top[1]), (top[0] - 40, top[1]), (x - 130, y + 65)])
    wait_for(lambda: editor.layout.features[0].facing_deg % 15 == 0 or None)
    assert editor.layout.features[0].facing_deg == pytest.approx(90, abs=16)


def test_a_piece_turns_to_whole_angles_or_along_another(editor: Editor) -> None:
    turns = editor.page.evaluate(
        """async () => {
            const { snapTurn } = await import("/static/setup/snapping.js");
            const turned = (degrees) => [[0, 0], [200, 0], [200, 80], [0, 80]].map(([x, y]) => {
                const [cos, sin] = [Math.cos(degrees * Math.PI / 180), Math.sin(degrees * Math.PI / 180)];
                return [cos * x - sin * y, sin * x + cos * y];
            });
            const round = Array.from({ length: 12 }, (_, at) => [Math.cos(at), Math.sin(at)]);
            const cases = [[0, 20, 0, []], [0, 21, 0, [22]], [0, 17, 0, [22]],
                           [0, 110, 0, [22]], [0, 21, 7, [22]], [30, -8, 30, [22]]];
            return cases.map(([facing, turn, own, others]) =>
                snapTurn(facing, turn, turned(own), [round, ...others.map(turned)]));
        }"""
    )
    assert turns == pytest.approx([15, 22, 15, 112, 15, -8])


def test_an_outline_is_drawn_and_named(editor: Editor) -> None:
    editor.press("An outline")
    for corner in ((300, 300), (500, 320), (420, 450)):
        editor.touch([corner])
    expect(editor.table.locator(".corner")).to_have_count(3)
    editor.press("Close the outline")
    expect(editor.find_piece("piece-1")).to_have_class("chosen")
    woods = editor.dialog.get_by_role("group", name="What it is").get_by_role("button", name="woods")
    expect(woods).to_have_attribute("aria-pressed", "false")
    woods.click()
    expect(woods).to_have_attribute("aria-pressed", "true")
    assert editor.layout.features[0].kind == "woods"
    editor.press("Remove")
    expect(editor.table.locator("[data-id]")).to_have_count(0)
    editor.press("Undo")
    expect(editor.find_piece("piece-1-twin")).to_have_count(1)


def test_the_table_that_stands_there_is_traced(editor: Editor) -> None:
    ground = editor.dialog.get_by_role("group", name="The table underneath")
    expect(ground).to_have_count(0)  # while nobody knows where the camera is
    editor.page.route(
        "**/table.jpg*", lambda route: route.fulfill(body=encode_camera_picture(), content_type="image/jpeg")
    )
    editor.desk.camera = CAMERA
    ground.get_by_role("button", name="As the camera sees it").click()
    expect(editor.table.locator("image")).to_have_attribute("href", re.compile("/table.jpg"))
    ground.get_by_role("button", name="Drawn").click()
    expect(editor.table.locator("image")).to_have_count(0)


def test_changes_are_not_lost_by_leaving(editor: Editor) -> None:
    editor.press("crates")
    expect(editor.find_piece("crates-1")).to_have_count(1)
    for _ in range(2):  # what is chosen, then the editor
        editor.page.keyboard.press("Escape")
    expect(editor.dialog.get_by_text("Your changes are not saved.")).to_be_visible()
    editor.press("Continue editing")
    editor.press("Cancel")
    editor.press("Discard changes")
    expect(editor.dialog).to_have_count(0)
    editor.page.get_by_role("button", name="Draw your own").click()
    expect(editor.table.locator("[data-id]")).to_have_count(0)
