import pytest
from playwright.sync_api import Locator, Page, expect

from assistant.web.commands import Declare
from assistant.web.messages import ShapeView
from assistant.web.server import Server
from tests.pages.game import PlayedTable
from tests.pages.pixels import BLACK, colour, colours, lit, place


@pytest.fixture
def light(page: Page, address: str, table: PlayedTable) -> Locator:
    """The projector's canvas while the Rangers advance 12 inches."""
    table.declared = Declare(type="declare", unit="Rangers", action="advance", rolls=[6], model="Rangers-1")
    table.publish()
    page.goto(f"{address}/projector")
    expect(page.locator("#status")).to_be_hidden()
    canvas = page.locator("#light")
    lit(canvas, place(canvas, 300, 450))
    return canvas


def test_the_zone_shines_and_the_rest_is_black(light: Locator) -> None:
    red, green, blue = colour(light, place(light, 300, 450))
    assert green > 20
    assert green > red
    assert green > blue
    for x_mm, y_mm in ((900, 300), (1400, 1000), (300, 900)):
        assert colour(light, place(light, x_mm, y_mm)) == BLACK


def test_every_base_is_left_dark(light: Locator, table: PlayedTable) -> None:
    steps = ((0, 0), (14, 0), (-14, 0), (0, 14), (0, -14))
    spots = [place(light, m.x_mm + dx, m.y_mm + dy) for m in table.models.values() for dx, dy in steps]
    assert set(colours(light, spots)) == {BLACK}


def test_a_base_stays_dark_under_whatever_is_drawn(light: Locator, table: PlayedTable) -> None:
    everywhere = ShapeView(
        layer="witness",
        rings_mm=[[(0, 0), (1524, 0), (1524, 1117), (0, 1117)]],
        closed=True,
        style="side-0",
        label="all",
    )
    view = table.view()
    table.hub.publish(view.model_copy(update={"shapes": {"everywhere": everywhere}}))
    lit(light, place(light, 900, 300))
    spots = [place(light, model.x_mm, model.y_mm) for model in table.models.values()]
    assert set(colours(light, spots)) == {BLACK}


def test_holes_are_dark(light: Locator, table: PlayedTable) -> None:
    square = [(900.0, 200.0), (1300.0, 200.0), (1300.0, 600.0), (900.0, 600.0)]
    hole = [(1000.0, 300.0), (1200.0, 300.0), (1200.0, 500.0), (1000.0, 500.0)]
    shape = ShapeView(layer="zone", rings_mm=[square, hole], closed=True, style="zone", label="")
    table.hub.publish(table.view().model_copy(update={"shapes": {"zone": shape}}))
    lit(light, place(light, 950, 400))
    assert colour(light, place(light, 1100, 400)) == BLACK


@pytest.mark.parametrize("size", [(800, 800), (1280, 400)])
def test_the_table_is_centred_in_any_window(light: Locator, page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    assert lit(light, place(light, 300, 450))[1] > 20
    assert colour(light, {"x": 1, "y": 1}) == BLACK


def test_a_lost_connection_is_said_dimly(light: Locator, page: Page, server: Server) -> None:
    expect(light).to_be_visible()
    server.stop()
    expect(page.locator("#status")).to_have_text("reconnecting …")
