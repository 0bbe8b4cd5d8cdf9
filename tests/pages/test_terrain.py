"""Terrain on the pages: every piece in its kind's colours, and names that keep off each other."""

from itertools import combinations
from typing import Any

from playwright.sync_api import Page, expect

from assistant.layouts.packs import find_layout, list_layouts
from assistant.layouts.placing import place_layout
from assistant.overlay.palette import FELT, PALETTE, parse_colour
from assistant.web.messages.table import TerrainView
from assistant.web.views.session import build_terrain_view
from tests.pages.pixels import locate_place, read_colours
from tests.pages.played_game import PlayedTable
from tests.pages.waiting import wait_for

SCALES = (0.21, 0.4, 0.7, 1.2)
"""Pixels a millimetre, from a telephone to a large screen."""
LETTER_SHAPE = 0.55
NAMES = """async ([terrain, scale, size, shape]) => {
    const { terrainNames } = await import("/static/common/labels.js");
    const { placeOf } = await import("/static/common/reading.js");
    const { holds } = await import("/static/common/boxes.js");
    const mapping = { scale, left: 0, top: 1200 * scale };
    const view = { terrain, table: { table: { unit: "in" } } };
    return terrainNames(mapping, view, size, (text) => shape * size * text.length).map((name) => ({
        ...name, held: holds(name.box, terrain[name.id].outline_mm.map(([x, y]) => placeOf(mapping, x, y))),
    }));
}"""


def find_names(page: Page, terrain: dict[str, TerrainView], scale: float, size: float = 13) -> list[dict[str, Any]]:
    told = {one: view.model_dump() for one, view in terrain.items()}
    return list(page.evaluate(NAMES, [told, scale, size, LETTER_SHAPE]))


def build_views(layout: str) -> dict[str, TerrainView]:
    packed = find_layout(layout).layout
    return {piece.id: build_terrain_view(piece, piece.id) for piece in place_layout(packed, packed.rulebook).terrain}


def is_overlapping(one: dict[str, float], other: dict[str, float]) -> bool:
    apart_x = max(one["x"], other["x"]) - min(one["x"] + one["w"], other["x"] + other["w"])
    apart_y = max(one["y"], other["y"]) - min(one["y"] + one["h"], other["y"] + other["h"])
    return max(apart_x, apart_y) < 4


def test_names_of_terrain_stand_on_their_pieces_and_never_touch(page: Page, address: str) -> None:
    page.goto(f"{address}/tablet")
    for layout in (packed.layout.title for packed in list_layouts()):
        terrain = build_views(layout.lower().replace(" ", "-"))
        for scale in SCALES:
            names = find_names(page, terrain, scale)
            assert all(name["held"] for name in names), layout
            touching = [(a["id"], b["id"]) for a, b in combinations(names, 2) if is_overlapping(a["box"], b["box"])]
            assert not touching, (layout, scale)


def test_a_ruin_is_named_beside_its_floor_and_goes_before_it_where_room_is_short(page: Page, address: str) -> None:
    page.goto(f"{address}/tablet")
    ruin = TerrainView(
        outline_mm=[(0, 0), (250, 0), (250, 160), (0, 160)], height_mm=0, traits=["ruin"], kind="ruin", of="ruin"
    )
    floor = ruin.model_copy(
        update={"outline_mm": [(70, 40), (180, 40), (180, 120), (70, 120)], "height_mm": 76.2, "traits": ["floor"]}
    )
    wide, *_ = (find_names(page, {"ruin": ruin, "floor": floor}, scale) for scale in (0.9,))
    boxes = {name["id"]: name["box"] for name in wide}
    assert boxes.keys() == {"ruin", "floor"}
    (left, right), (top, bottom) = (0.9 * 70, 0.9 * 180), (0.9 * (1200 - 120), 0.9 * (1200 - 40))
    beside = boxes["ruin"]
    assert (
        beside["x"] + beside["w"] < left
        or beside["x"] > right
        or beside["y"] + beside["h"] < top
        or (beside["y"] > bottom)
    )
    small = find_names(page, {"ruin": ruin, "floor": floor}, 0.2)
    assert [name["id"] for name in small] == ["ruin"]


def test_every_piece_is_drawn_in_its_kinds_colours(page: Page, address: str, table: PlayedTable) -> None:
    square = [(700.0, 100.0), (900.0, 100.0), (900.0, 200.0), (700.0, 200.0)]
    woods = TerrainView(outline_mm=square, height_mm=0, traits=[], kind="woods", of="woods")
    high = TerrainView(
        outline_mm=[*square[:2], (900.0, 140.0), (700.0, 140.0)], height_mm=50, traits=[], kind="rocks", of="rocks"
    )
    table.hub.publish(table.build_view().model_copy(update={"terrain": {"high": high, "woods": woods}}))
    page.goto(f"{address}/tablet")
    canvas = page.locator("#table")
    expect(canvas).to_be_visible()
    places = [locate_place(canvas, x, y, margin_px=12) for x, y in ((705, 195), (705, 105), (690, 195))]
    wanted = [PALETTE["terrain-woods"].fill, PALETTE["terrain-rocks"].fill, FELT]
    colours = [parse_colour(colour)[:3] for colour in wanted]
    wait_for(
        lambda: read_colours(canvas, places) == colours or None,
        otherwise=lambda: f"{read_colours(canvas, places)} instead of {colours}",
    )


PLACED = """async ([names, covered]) => {
  const { placed } = await import("/static/common/labels.js");
  const label = { text: "Scouts", around: { x: 200, y: 200, w: 20, h: 20 }, colour: "#ffffff" };
  const view = { models: {} };
  const room = { x: 0, y: 0, w: 400, h: 400 };
  const found = placed({ scale: 1, left: 0, top: 0 }, view, [label], 12, () => 40, room, { names, covered });
  return found.map(({ box }) => [box.x, box.y]);
}"""


def test_labels_keep_off_terrain_names_where_there_is_another_place(page: Page, address: str) -> None:
    page.goto(f"{address}/")
    whole = {"x": 0, "y": 0, "w": 400, "h": 400}
    below = {"x": 180, "y": 220, "w": 60, "h": 30}
    ((x, y),) = page.evaluate(PLACED, [[], []])
    assert y > 220
    assert page.evaluate(PLACED, [[below], []]) == [[x, 200 - 5 - 16]]
    assert page.evaluate(PLACED, [[whole], []]) == [[x, y]]  # nowhere is better than here
    assert page.evaluate(PLACED, [[], [whole]]) == []
