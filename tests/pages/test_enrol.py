"""The enrolment page: what it shows at each step, and what it sends for what a person does."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from assistant.game.base_spec import BaseSpec
from assistant.web.app import create_app
from assistant.web.commands.setup import Enrol, EnrolAgain, EnrolGive, EnrolKeep, EnrolStop, EnrolTray, EnrolTurn
from assistant.web.hub import Hub, PageCommand
from assistant.web.messages.message import Message
from assistant.web.messages.setup import EnrolledView, EnrollingView, RingView, TagView, TrayMarkerView, TrayView
from tests.pages.kept_windows import start_server
from tests.pages.played_game import PlayedTable
from tests.pages.waiting import wait_for

ROUND = BaseSpec(round_mm=32)
FOUND = TagView(
    tag=3, size_mm=16, x_mm=5, y_mm=-2, facing_deg=30, sigma_mm=0.2, sigma_deg=0.5, height_mm=4, height_sigma_mm=0.3
)
GIVEN = FOUND.model_copy(update={"tag": 4, "sigma_mm": 0.0})


@dataclass
class EnrolmentTable:
    """A game whose models can be enrolled: what the pages are shown of that, and what they asked for."""

    hub: Hub
    watched: bool = False
    enrolled: dict[str, EnrolledView] = field(
        default_factory=lambda: {
            "Rangers-1": EnrolledView(base=ROUND, tag=GIVEN),
            "Rangers-2": EnrolledView(base=ROUND, tag=FOUND),
            "Strider-1": EnrolledView(base=BaseSpec(oval_mm=(105, 70)), tag=None),
        }
    )
    now: EnrollingView | None = None
    tray: TrayView | None = None
    orders: list[PageCommand] = field(default_factory=list)

    def show(self, **changes: Any) -> None:
        """Show another state of the enrolment under way."""
        first = {
            "model": "Rangers-1", "base": ROUND, "base_name": "round:32", "way": "sheet", "step": "sheet", "note": "",
            "places": 0, "turned_deg": 0, "found": None, "advice": "", "kept": False,
        }  # fmt: skip
        self.now = EnrollingView.model_validate({**(dict(self.now) if self.now else first), **changes})
        self.publish()

    def publish(self) -> None:
        """Show what there is."""
        view = PlayedTable(self.hub).build_view()
        table = view.table["table"].model_copy(update={"rulebook": "watched, not judged"} if self.watched else {})
        tray = {"tray": self.tray} if self.tray else {}
        strider = view.units["Strider"].model_copy(update={"names": {"Strider-1": "Strider"}})
        parts = {
            "units": {**view.units, "Strider": strider},
            "table": {"table": table},
            "enrolled": self.enrolled,
            "tray": tray,
        }
        self.hub.publish(view.model_copy(update={**parts, "enrolling": {"enrolling": self.now} if self.now else {}}))

    def wait_for_command(self, refuse: str = "") -> Message:
        """Wait for what a page asks next, and refuse it if there is a reason."""
        if not self.orders:
            self.orders += wait_for(lambda: self.hub.take() or None, otherwise=lambda: "nothing was asked")
        order = self.orders.pop(0)
        if refuse:
            order.refuse(refuse)
        return order.message


@pytest.fixture
def table() -> EnrolmentTable:
    return EnrolmentTable(hub=Hub())


@pytest.fixture
def address(table: EnrolmentTable) -> Iterator[str]:
    server = start_server(create_app(hub=table.hub, picture=lambda: None, join_urls=[]))
    yield f"http://127.0.0.1:{server.port}"
    server.stop()


def open_page(page: Page, address: str, table: EnrolmentTable) -> Page:
    page.route("**/picture.jpg*", lambda route: route.abort())
    table.publish()
    page.goto(f"{address}/enrol")
    expect(page.locator("#camera")).to_have_text("Camera live")
    return page


def press_key(page: Page, key: str) -> None:
    page.locator(f'[data-key="{key}"]').click()


def test_a_model_is_led_through_the_ring_and_on_to_the_next(phone: Page, address: str, table: EnrolmentTable) -> None:
    page = open_page(phone, address, table)
    expect(page.locator("#models h2")).to_have_text("1 of 3 ready")
    expect(page.locator('[data-key="Rangers-1"]')).to_contain_text("tag 4, not measured")
    expect(page.locator('[data-key="Rangers-2"]')).to_contain_text("tag 3, ± 0.4 mm")
    expect(page.locator('[data-key="Strider-1"] strong')).to_have_text("Strider")
    expect(page.locator('[data-key="Strider-1"]')).to_contain_text("no marker yet")
    press_key(page, "Rangers-1")
    press_key(page, "sheet")
    assert table.wait_for_command() == Enrol(type="enrol", model="Rangers-1", way="sheet", size_mm=16)
    table.show()
    expect(page.locator("[aria-current=step]")).to_contain_text("Lay the sheet for round 32 mm flat")
    table.show(note="2 of the sheet's 8 tags are seen")
    expect(page.locator(".warning")).to_have_text("2 of the sheet's 8 tags are seen.")
    table.show(step="model", note="")
    expect(page.locator("[aria-current=step]")).to_contain_text("Set Rangers-1 inside the outline")
    table.show(step="hand")
    expect(page.locator("[aria-current=step]")).to_contain_text("take your hand away")
    table.show(step="measured", places=1, found=FOUND, advice="Turn the sheet half round.")
    expect(page.locator(".found")).to_contain_text("5.0 mm to the front, 2.0 mm to the right, ± 0.4 mm")
    expect(page.locator(".found")).to_contain_text("4.0 ± 0.6 mm")
    expect(page.locator(".note")).to_have_text("Turn the sheet half round.")
    press_key(page, "again")
    assert table.wait_for_command() == EnrolAgain(type="enrol-again")
    table.show(places=2, advice="")
    expect(page.locator("[aria-current=step]")).to_have_text("Measured at 2 places.")
    press_key(page, "keep")
    assert table.wait_for_command() == EnrolKeep(type="enrol-keep")
    table.enrolled["Rangers-1"] = EnrolledView(base=ROUND, tag=FOUND)
    table.show(kept=True)
    expect(page.locator(".kept")).to_have_text("Rangers-1 is enrolled.")
    press_key(page, "next")
    assert table.wait_for_command() == Enrol(type="enrol", model="Strider-1", way="sheet")
    press_key(page, "leave")
    assert table.wait_for_command() == EnrolStop(type="enrol-stop")


def test_a_model_is_turned_on_the_spot(phone: Page, address: str, table: EnrolmentTable) -> None:
    page = open_page(phone, address, table)
    press_key(page, "Rangers-1")
    page.locator("#field-height").fill("3.5")
    press_key(page, "turn")
    assert table.wait_for_command() == Enrol(type="enrol", model="Rangers-1", way="turn", size_mm=16, height_mm=3.5)
    table.show(way="turn", step="front")
    expect(page.locator("[aria-current=step]")).to_contain_text("to the far edge of the table")
    press_key(page, "front")
    assert table.wait_for_command() == EnrolTurn(type="enrol-turn")
    table.show(step="turning", turned_deg=120)
    expect(page.locator(".progress")).to_contain_text("120° of 360° seen")
    for control in page.locator("#work button").all():
        box = control.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44


def test_a_ring_is_shown_and_needs_no_measuring(phone: Page, address: str, table: EnrolmentTable) -> None:
    ring = RingView(ring=17, kind="halo", sigma_mm=0.3, sigma_deg=3, height_mm=4)
    page = open_page(phone, address, table)
    press_key(page, "Strider-1")
    press_key(page, "halo")
    assert table.wait_for_command() == Enrol(type="enrol", model="Strider-1", way="halo")
    table.show(model="Strider-1", way="halo", step="show", note="ring 17 and ring 18 are both in view")
    expect(page.locator("[aria-current=step]")).to_contain_text("Lay the halo of Strider where the camera sees it")
    expect(page.locator(".warning")).to_contain_text("Ring 17 and ring 18 are both in view")
    table.show(step="measured", note="", ring=ring, advice="A ring needs no measuring.")
    expect(page.locator("#work dl")).to_contain_text("17, a halo")
    expect(page.locator("#work dl")).to_contain_text("± 0.6 mm")
    expect(page.locator(".note")).to_have_text("A ring needs no measuring.")
    press_key(page, "keep")
    assert table.wait_for_command() == EnrolKeep(type="enrol-keep")
    table.enrolled["Strider-1"] = EnrolledView(base=BaseSpec(oval_mm=(105, 70)), tag=None, ring=ring)
    table.show(kept=True)
    expect(page.locator('[data-key="Strider-1"]')).to_contain_text("ring 17, ± 0.6 mm")
    press_key(page, "next")
    assert table.wait_for_command() == Enrol(type="enrol", model="Rangers-1", way="halo")


def test_a_model_that_nobody_knows_is_added_where_no_game_is_played(
    phone: Page, address: str, table: EnrolmentTable
) -> None:
    table.watched = True
    page = open_page(phone, address, table)
    page.get_by_role("button", name="Another model").click()
    press_key(page, "sheet")  # not without a name
    page.locator("#field-name").fill("Scout")
    page.locator("#field-base").fill("oval:60x35")
    page.locator("#field-size").fill("14")
    press_key(page, "sheet")
    assert table.wait_for_command() == Enrol(type="enrol", model="Scout", way="sheet", base="oval:60x35", size_mm=14)


def test_why_not_is_said(phone: Page, address: str, table: EnrolmentTable) -> None:
    page = open_page(phone, address, table)
    press_key(page, "Strider-1")
    page.locator("#field-size").fill("")
    press_key(page, "sheet")
    expect(page.locator("#field-size")).to_be_focused()
    page.locator("#field-size").fill("16")
    press_key(page, "sheet")
    table.wait_for_command(refuse="say what base it has")
    expect(page.locator("#toast")).to_have_text("Say what base it has")


def test_a_tray_of_several_units_is_listed_by_unit(phone: Page, address: str, table: EnrolmentTable) -> None:
    units = PlayedTable(table.hub).build_view().units
    laid = ["Rangers-1", "Rangers-2", None, "Wardens-1", "Strider-1"]
    given = [model for model in laid if model]
    table.enrolled = {model: EnrolledView(base=ROUND, tag=None) for model in given}
    markers = [
        TrayMarkerView(marker=1017 + at, name=f"ring {17 + at}", at=(0.1 + 0.2 * at, 0.5), model=model, choices=given)
        for at, model in enumerate(laid)
    ]
    table.tray = TrayView(way="halo", unit=None, note="", read=True, kept=False, markers=markers)
    page = open_page(phone, address, table)
    expect(page.locator("#work h3")).to_have_text(["Rangers", "Wardens", "Strider"])
    assert page.locator("ol.tray").evaluate_all("all => all.map((each) => each.children.length)") == [3, 1, 1]
    offered = page.get_by_label("Ring 19").locator("optgroup").evaluate_all("all => all.map((each) => each.label)")
    assert offered == [unit for unit in units if any(model in units[unit].models for model in given)]
    page.get_by_label("Ring 19").select_option("Wardens-1")
    assert table.wait_for_command() == EnrolGive(type="enrol-give", marker=1019, model="Wardens-1")


def test_a_tray_is_read_corrected_and_kept_at_a_touch(
    open_window: Callable[[], Page], address: str, table: EnrolmentTable
) -> None:
    def lay(*models: str | None, **changes: Any) -> None:
        markers = [
            TrayMarkerView(
                marker=1017 + at, name=f"ring {17 + at}", at=(0.2 + 0.2 * at, 0.5), model=model, choices=rangers
            )
            for at, model in enumerate(models)
        ]
        first = {"way": "halo", "unit": "Rangers", "note": "", "read": True, "kept": False}
        table.tray = TrayView.model_validate({**first, "markers": markers, **changes})
        table.publish()

    units = PlayedTable(table.hub).build_view().units
    unit, rangers = next((unit, shown.models) for unit, shown in units.items() if len(shown.models) > 2)
    table.enrolled = {model: EnrolledView(base=ROUND, tag=None) for model in rangers}
    page = open_window()
    page.set_viewport_size({"width": 1180, "height": 820})
    open_page(page, address, table)
    press_key(page, "tray-tag")  # not without their size
    expect(page.locator("#field-tray-size")).to_be_focused()
    page.locator("#field-unit").select_option(unit)
    press_key(page, "tray-halo")
    assert table.wait_for_command() == EnrolTray(type="enrol-tray", way="halo", unit=unit)
    lay(rangers[0], read=False)
    expect(page.locator("#work")).to_contain_text("Read so far: 1.")
    lay(rangers[0], rangers[1], None, note="nobody gets ring 19")
    expect(page.locator(".warning")).to_have_text("Nobody gets ring 19.")
    first, third = page.get_by_label("Ring 17"), page.get_by_label("Ring 19")
    expect(third).to_have_value("")
    assert [box.locator("option").first.text_content() for box in (first, third)] == ["nobody: take it out", "nobody"]
    first.select_option(rangers[1])
    assert table.wait_for_command() == EnrolGive(type="enrol-give", marker=1017, model=rangers[1])
    expect(first).to_have_value(rangers[0])  # until the table has it so
    lay(rangers[1], rangers[0], None)
    expect(first).to_have_value(rangers[1])
    expect(page.locator("#seen span")).to_have_text(["17", "18", "19"])
    assert page.locator("#seen span").evaluate_all("all => all.map((each) => each.style.left)") == ["20%", "40%", "60%"]
    page.get_by_label("Ring 18").select_option("")
    assert table.wait_for_command() == EnrolGive(type="enrol-give", marker=1018, model=None)
    for control in page.locator("#work button, #work select").all():
        box = control.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    expect(page.locator('[data-key="keep"]')).to_have_text("Keep all 2")
    press_key(page, "keep")
    assert table.wait_for_command() == EnrolKeep(type="enrol-keep")
    lay(rangers[1], rangers[0], None, kept=True)
    expect(page.locator(".kept")).to_have_text("2 models are enrolled.")
    press_key(page, "done")
    assert table.wait_for_command() == EnrolStop(type="enrol-stop")
