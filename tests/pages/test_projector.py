from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from assistant.web.commands.calibration import NudgeBack, NudgeLight, ProjectorPage
from assistant.web.commands.game import Declare
from assistant.web.messages.calibration import NudgeView, PatternView, ProjectorView, ThrownView, WarpView
from assistant.web.messages.table import ShapeView
from assistant.web.server import Server
from calibration.projector.model import ProjectorOverTable
from tests.pages.pixels import BLACK, locate_place, read_colour, read_colours, wait_for_lit_colour
from tests.pages.played_game import PlayedTable
from tests.pages.waiting import wait_for


@pytest.fixture
def light(page: Page, address: str, table: PlayedTable) -> Locator:
    """The projector's canvas while the Rangers advance 12 inches."""
    table.declared = Declare(type="declare", unit="Rangers", action="advance", rolls=[6], model="Rangers-1")
    table.publish()
    page.goto(f"{address}/projector")
    expect(page.locator("#status")).to_be_hidden()
    canvas = page.locator("#light")
    wait_for_lit_colour(canvas, locate_place(canvas, 300, 450))
    return canvas


def test_the_zone_shines_and_the_rest_is_black(light: Locator) -> None:
    red, green, blue = read_colour(light, locate_place(light, 300, 450))
    assert green > 20
    assert green > red
    assert green > blue
    for x_mm, y_mm in ((900, 300), (1400, 1000), (300, 900)):
        assert read_colour(light, locate_place(light, x_mm, y_mm)) == BLACK


def test_every_base_is_left_dark(light: Locator, table: PlayedTable) -> None:
    steps = ((0, 0), (14, 0), (-14, 0), (0, 14), (0, -14))
    spots = [locate_place(light, m.x_mm + dx, m.y_mm + dy) for m in table.models.values() for dx, dy in steps]
    assert set(read_colours(light, spots)) == {BLACK}


def test_a_base_stays_dark_under_whatever_is_drawn(light: Locator, table: PlayedTable) -> None:
    everywhere = ShapeView(
        layer="witness",
        rings_mm=[[(0, 0), (1524, 0), (1524, 1117), (0, 1117)]],
        closed=True,
        style="side-0",
        label="all",
    )
    view = table.build_view()
    table.hub.publish(view.model_copy(update={"shapes": {"everywhere": everywhere}}))
    wait_for_lit_colour(light, locate_place(light, 900, 300))
    spots = [locate_place(light, model.x_mm, model.y_mm) for model in table.models.values()]
    assert set(read_colours(light, spots)) == {BLACK}


def test_holes_are_dark(light: Locator, table: PlayedTable) -> None:
    square = [(900.0, 200.0), (1300.0, 200.0), (1300.0, 600.0), (900.0, 600.0)]
    hole = [(1000.0, 300.0), (1200.0, 300.0), (1200.0, 500.0), (1000.0, 500.0)]
    shape = ShapeView(layer="zone", rings_mm=[square, hole], closed=True, style="zone", label="")
    table.hub.publish(table.build_view().model_copy(update={"shapes": {"zone": shape}}))
    wait_for_lit_colour(light, locate_place(light, 950, 400))
    assert read_colour(light, locate_place(light, 1100, 400)) == BLACK


@pytest.mark.parametrize("size", [(800, 800), (1280, 400)])
def test_the_table_is_centred_in_any_window(light: Locator, page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    assert wait_for_lit_colour(light, locate_place(light, 300, 450))[1] > 20
    assert read_colour(light, {"x": 1, "y": 1}) == BLACK


def test_a_lost_connection_is_said_dimly(light: Locator, page: Page, server: Server) -> None:
    expect(light).to_be_visible()
    server.stop()
    expect(page.locator("#status")).to_have_text("reconnecting …")


SIZE = (1280, 800)


def build_projector_view(**changes: Any) -> ProjectorView:
    """What the page is told of a projector that hangs askew."""
    first: dict[str, Any] = {
        "page_size": SIZE, "step": None, "note": "", "pattern": None, "warp": WARP, "error": None, "checking": False,
        "nudge": NudgeView(x_mm=0, y_mm=0, turn_deg=0, scale=1, can_undo=False), "dark_mm": [], "halos_mm": {},
    }  # fmt: skip
    return ProjectorView.model_validate({**first, **changes})


ASKEW = ProjectorOverTable(
    image_size=SIZE,
    parameters=np.array([0.6, 0.1, 140, 0.03, -0.62, 740, 2e-5, 8e-5, 700.0, 600.0, -0.03, 0.004, 0.001, -0.001]),
    covariance=np.zeros((14, 14)),
)
WARP = WarpView(
    image_size=SIZE,
    homography=ASKEW.homography.ravel().tolist(),
    centre_px=(700.0, 600.0),
    radius_px=ASKEW.radius_px,
    distortion=(-0.03, 0.004, 0.001, -0.001),
)


@pytest.fixture
def warped(page: Page, address: str, table: PlayedTable) -> Callable[..., Locator]:
    """Shows the game's view with other shapes and another projector, and returns the page's canvas."""

    def show(shapes: dict[str, ShapeView], **changes: Any) -> Locator:
        table.overlay, table.projector = shapes, build_projector_view(**changes)
        table.publish()
        if page.url == "about:blank":
            page.goto(f"{address}/projector")
            expect(page.locator("#status")).to_be_hidden()
        return page.locator("#light")

    return show


def build_line_shape(*points: tuple[float, float], closed: bool = False) -> ShapeView:
    return ShapeView(layer="witness", rings_mm=[list(points)], closed=closed, style="witness-legal", label="")


def locate_pixel(x_mm: float, y_mm: float) -> dict[str, float]:
    """The middle of the pixel that lights a place."""
    x, y = ASKEW.projector_from_table([(x_mm, y_mm)])[0]
    return {"x": float(round(x)), "y": float(round(y))}


def test_a_long_line_follows_the_lens(warped: Callable[..., Locator]) -> None:
    canvas = warped({"line": build_line_shape((40, 1080), (1480, 1080))})
    on = [locate_pixel(x, 1080) for x in range(60, 1480, 100)]
    wait_for_lit_colour(canvas, on[0])
    assert all(green > 80 for _, green, _ in read_colours(canvas, on))
    ends = ASKEW.projector_from_table([(40, 1080), (1480, 1080)])
    middle = ends.mean(axis=0)
    assert np.hypot(*(ASKEW.projector_from_table([(760, 1080)])[0] - middle)) > 4  # a straight one would miss
    assert read_colour(canvas, {"x": float(round(middle[0])), "y": float(round(middle[1]))}) == BLACK


def test_bases_and_fixed_tags_stay_dark_where_the_light_is_warped(
    warped: Callable[..., Locator], table: PlayedTable
) -> None:
    everywhere = build_line_shape((0, 0), (1524, 0), (1524, 1117), (0, 1117), closed=True).model_copy(
        update={"style": "side-0"}
    )
    anchor = [(700.0, 500.0), (750.0, 500.0), (750.0, 550.0), (700.0, 550.0)]
    canvas = warped({"all": everywhere}, dark_mm=[anchor])
    wait_for_lit_colour(canvas, locate_pixel(900, 300))
    spots = [locate_pixel(m.x_mm + dx, m.y_mm) for m in table.models.values() for dx in (0, 14, -14)]
    spots += [locate_pixel(x, y) for x in (700, 725, 750) for y in (500, 525, 550)]
    assert set(read_colours(canvas, spots)) == {BLACK}
    assert read_colour(canvas, locate_pixel(725, 562)) != BLACK


def test_halos_stay_dark_with_their_bases(warped: Callable[..., Locator], table: PlayedTable) -> None:
    everywhere = build_line_shape((0, 0), (1524, 0), (1524, 1117), (0, 1117), closed=True).model_copy(
        update={"style": "side-0"}
    )
    canvas = warped({"all": everywhere}, halos_mm={})
    wait_for_lit_colour(canvas, locate_pixel(900, 300))
    beside = {
        id_: locate_pixel(model.x_mm - model.base.round_mm / 2 - 12, model.y_mm)
        for id_, model in table.models.items()
        if model.base.round_mm
    }
    lit = [id_ for id_, spot in beside.items() if read_colour(canvas, spot) != BLACK]
    assert len(lit) >= 2
    warped({"all": everywhere}, halos_mm={lit[0]: 10.0})
    wait_for(lambda: read_colour(canvas, beside[lit[0]]) == BLACK or None, otherwise=lambda: "the halo stayed lit")
    assert read_colour(canvas, beside[lit[-1]]) != BLACK


def test_tags_of_light_are_thrown_on_whole_pixels(warped: Callable[..., Locator]) -> None:
    tag = ThrownView(left_px=100, top_px=60, cell_px=7, rows=[0b1111111111, *[0b1000000001] * 8, 0b1010101010])
    canvas = warped({}, pattern=PatternView(image_size=SIZE, level=200, tags=[tag]))
    light, dark = (200, 200, 200), BLACK
    assert wait_for_lit_colour(canvas, {"x": 100, "y": 60}) == light
    places = {(99, 60): dark, (106, 66): light, (107, 67): dark, (169, 66): light, (170, 60): dark, (106, 129): light,
              (107, 129): dark, (114, 129): light, (100, 130): dark}  # fmt: skip
    assert read_colours(canvas, [{"x": x, "y": y} for x, y in places]) == list(places.values())


def test_a_page_says_how_large_it_is_and_what_does_not_fit_it_is_not_used(
    warped: Callable[..., Locator], page: Page, table: PlayedTable
) -> None:
    canvas = warped({"line": build_line_shape((40, 1080), (1480, 1080))}, note="Another size.")
    wait_for_lit_colour(canvas, locate_pixel(760, 1080))
    expect(page.locator("#note")).to_have_text("Another size.")
    page.set_viewport_size({"width": 1000, "height": 700})
    wait_for_lit_colour(canvas, locate_place(canvas, 760, 1080))
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("]")
    page.keyboard.press("Backspace")
    wanted = [
        ProjectorPage(type="projector-page", width_px=1280, height_px=800),
        ProjectorPage(type="projector-page", width_px=1000, height_px=700),
        NudgeLight(type="nudge-light", x_mm=-0.1),
        NudgeLight(type="nudge-light", turn_deg=-0.02),
        NudgeBack(type="nudge-back"),
    ]
    wait_for(
        lambda: all(order in [known.message for known in table.orders] for order in wanted),
        otherwise=lambda: table.orders,
    )


def test_what_is_left_of_a_way_is_upright_for_both_players(light: Locator, table: PlayedTable) -> None:
    model = table.models["Rangers-1"]
    spot = locate_place(light, 1150, 700)
    assert read_colour(light, spot) == BLACK
    table.models["Rangers-1"] = model.model_copy(update={"x_mm": 1150.0, "y_mm": 700.0, "state": "lifted"})
    view = table.build_view()
    move = view.move["move"].model_copy(update={"limit_mm": 304.8})
    table.hub.publish(view.model_copy(update={"move": {"move": move}}))

    def count_lit(away_mm: int) -> int:
        """Count the lit spots beside the base, away from the near edge or towards it."""
        spots = [
            (1150 + 4 * along, 700 + away_mm + 3 * across * np.sign(away_mm)) for along, across in np.ndindex(9, 8)
        ]
        colours = read_colours(light, [locate_place(light, *spot) for spot in spots])
        return sum(colour != BLACK for colour in colours)

    # For who sits at the near edge, and for who sits at the far one.
    wait_for(lambda: min(count_lit(-30), count_lit(30)) > 10, otherwise=lambda: (count_lit(-30), count_lit(30)))
