"""How the light on the table is set, for whom words lie upright, and that what stands still is not drawn anew."""

import time
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect

from assistant.web.commands.calibration import LightSettings
from assistant.web.commands.game import Declare
from assistant.web.messages.calibration import LightsView, ProjectorView
from assistant.web.messages.move import TurnView
from assistant.web.messages.table import ShapeView
from tests.pages.pixels import BLACK, locate_place, read_colour, read_colours, wait_for_lit_colour
from tests.pages.played_game import DEPTH, WIDTH, PlayedTable
from tests.pages.test_projector import ASKEW, WARP
from tests.pages.waiting import wait_for

COUNT_PAINTS = """
    window.paints = 0;
    const fill = CanvasRenderingContext2D.prototype.fillRect;
    CanvasRenderingContext2D.prototype.fillRect = function (x, y, w, h) {
        if (w === this.canvas.width && this.fillStyle === "#000000") window.paints++;
        return fill.call(this, x, y, w, h);
    };
"""
IDLE = ProjectorView(
    page_size=None,
    step=None,
    note="",
    pattern=None,
    warp=None,
    error=None,
    checking=False,
    nudge=None,
    dark_mm=[],
    halos_mm={},
)


def build_lights_view(**changes: Any) -> LightsView:
    first = {"brightness": 1.0, "line_width": 1.0, "hidden": [], "seats": {"Anna": "near", "Ben": "far"}}
    return LightsView.model_validate({**first, **changes})


@pytest.fixture
def light(page: Page, address: str, table: PlayedTable) -> Locator:
    """The projector's canvas while the Rangers advance; paints are counted."""
    table.declared = Declare(type="declare", unit="Rangers", action="advance", rolls=[6], model="Rangers-1")
    table.lights = build_lights_view()
    table.publish()
    page.add_init_script(COUNT_PAINTS)
    page.goto(f"{address}/projector")
    expect(page.locator("#status")).to_be_hidden()
    canvas = page.locator("#light")
    wait_for_lit_colour(canvas, locate_place(canvas, 300, 450))
    return canvas


def list_light_commands(table: PlayedTable) -> list[dict[str, Any]]:
    """What was asked of the light, without what was left as it is."""
    asked = [order.message for order in table.orders if isinstance(order.message, LightSettings)]
    return [message.model_dump(exclude_defaults=True, exclude={"type"}) for message in asked]


def expect_light_commands(table: PlayedTable, wanted: list[dict[str, Any]]) -> None:
    wait_for(lambda: list_light_commands(table) == wanted, otherwise=lambda: list_light_commands(table))


def capture_words(page: Page, table: PlayedTable, **changes: Any) -> NDArray[np.uint8]:
    """The page with nothing on it but words at the table's middle, in a square about it."""
    middle = (WIDTH / 2, DEPTH / 2)
    mark = ShapeView(layer="witness", rings_mm=[[middle, middle]], closed=False, style="path", label="Far 71")
    view = table.build_view().model_copy(update={"shapes": {"mark": mark}, "models": {}, "terrain": {}, **changes})
    before = page.screenshot()
    table.hub.publish(view)
    wait_for(lambda: page.screenshot() != before)
    picture = np.asarray(cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE))
    height, width = picture.shape
    return picture[height // 2 - 200 : height // 2 + 200, width // 2 - 200 : width // 2 + 200]


def test_words_lie_upright_for_who_acts_wherever_they_sit(light: Locator, page: Page, table: PlayedTable) -> None:
    expect(light).to_be_visible()
    near = capture_words(page, table)
    assert (near > 100).sum() > 100  # there are words
    turns = {"far": 2, "left": 3, "right": 1}
    for edge, quarters in turns.items():
        turned = capture_words(page, table, lights={"lights": build_lights_view(seats={"Anna": edge, "Ben": "near"})})
        apart = np.abs(np.rot90(near, quarters).astype(int) - turned)
        assert (apart > 100).sum() < 0.1 * (near > 100).sum()  # letters are drawn a little otherwise when turned
        for wrong in (near, np.rot90(np.fliplr(near), quarters)):
            assert (np.abs(wrong.astype(int) - turned) > 100).sum() > 0.3 * (near > 100).sum()
    # In Ben's turn they are his, whoever's unit is picked.
    turn = TurnView(number=1, round=1, player="Ben", step="moves", done=[])
    his = capture_words(page, table, turn={"turn": turn}, lights={"lights": build_lights_view()})
    assert (np.abs(np.rot90(near, 2).astype(int) - his) > 100).sum() < 0.1 * (near > 100).sum()


def test_what_stands_still_is_not_drawn_anew(light: Locator, page: Page, table: PlayedTable) -> None:
    paints = page.evaluate("paints")
    view = table.build_view()
    for step in range(20):
        camera = table.camera.model_copy(update={"fps": 10.0 + step, "latency_ms": 40.0 + step})
        unrest = {
            key: model.model_copy(update={"x_mm": model.x_mm + 0.2 * (step % 2), "sigma_mm": 0.1 + step / 100})
            for key, model in table.models.items()
        }
        table.hub.publish(view.model_copy(update={"camera": {"camera": camera}, "models": unrest}))
        time.sleep(0.02)  # each is a message of its own, and may be a picture of its own
    moved = table.models["Strider-1"]
    there = locate_place(light, moved.x_mm + 40, moved.y_mm + 200)
    ring = [(moved.x_mm + dx, moved.y_mm + dy) for dx, dy in ((0, 150), (80, 150), (80, 250), (0, 250))]
    shape = ShapeView(layer="zone", rings_mm=[ring], closed=True, style="side-0", label="")
    table.hub.publish(view.model_copy(update={"shapes": {**view.shapes, "new": shape}}))
    wait_for(lambda: read_colour(light, there)[2] > 90)
    assert page.evaluate("paints") == paints + 1


def test_brightness_dims_all_light_evenly_and_darkness_stays(light: Locator, table: PlayedTable) -> None:
    spots = [locate_place(light, 300, 450), locate_place(light, 560, 609), locate_place(light, 900, 300)]
    bright = read_colours(light, spots)
    table.lights = build_lights_view(brightness=0.5)
    table.publish()
    wait_for(lambda: read_colour(light, spots[0]) != bright[0])
    assert bright[2] == BLACK
    for before, after in zip(bright, read_colours(light, spots), strict=True):
        assert np.abs(np.array(after) - np.array(before) / 2).max() <= 1


def test_lines_grow_and_what_shall_not_shine_does_not(light: Locator, table: PlayedTable) -> None:
    beside = locate_place(light, 894, 300)
    ring = [(900.0, 200.0), (900.0, 400.0)]
    wall = ShapeView(layer="path", rings_mm=[ring], closed=False, style="witness-illegal", label="")
    view = table.build_view()
    shapes = {**view.shapes, "wall": wall}
    table.hub.publish(view.model_copy(update={"shapes": shapes}))
    wait_for_lit_colour(light, locate_place(light, 900, 300))
    assert read_colour(light, beside) == BLACK
    settings = {"lights": build_lights_view(line_width=3, hidden=["zone"])}
    table.hub.publish(view.model_copy(update={"shapes": shapes, "lights": settings}))
    wait_for_lit_colour(light, beside)
    assert read_colour(light, locate_place(light, 300, 450)) == BLACK


def test_keys_set_the_light(light: Locator, page: Page, table: PlayedTable) -> None:
    expect(light).to_be_visible()
    for key in ("Shift+B", "Shift+B", "w", "r", "Shift+R"):
        page.keyboard.press(key)
    wanted: list[dict[str, Any]] = [
        {"brightness": 0.9}, {"brightness": 0.8}, {"line_width": 1.25}, {"seats": {"Anna": "right"}},
        {"seats": {"Anna": "near"}},
    ]  # fmt: skip
    expect_light_commands(table, wanted)
    page.keyboard.press("?")
    expect(page.locator("#note")).to_contain_text("B brighter, Shift B darker")


def test_the_start_page_sets_the_light(page: Page, address: str, table: PlayedTable) -> None:
    table.lights, table.projector = build_lights_view(), IDLE
    table.publish()
    page.goto(address)
    expect(page.get_by_label("Brightness")).to_be_visible()
    page.get_by_label("Brightness").press("ArrowLeft")
    page.get_by_role("button", name="Zones").tap()
    page.get_by_role("group", name="Ben reads from").get_by_role("button", name="Left").tap()
    wanted: list[dict[str, Any]] = [
        {"brightness": 0.95, "keep": False}, {"brightness": 0.95}, {"hidden": ["zone"]}, {"seats": {"Ben": "left"}}
    ]  # fmt: skip
    expect_light_commands(table, wanted)
    table.lights = build_lights_view(brightness=0.4, hidden=["zone"])
    table.publish()
    expect(page.get_by_label("Brightness")).to_have_js_property("value", "0.4")
    expect(page.get_by_role("button", name="Zones")).to_have_attribute("aria-pressed", "false")


PLACED = """async ([view, edge]) => {
    const { shapeLabels, unitLabels, placed, baseBoxes } = await import("/static/common/labels.js");
    const { readFrom, roomOf, placeOf } = await import("/static/common/reading.js");
    const mapping = readFrom({ scale: 0.8, left: 100, top: 950 }, view.table.table, edge);
    const room = roomOf(mapping, document.createElement("canvas"));
    const rings = Object.values(view.terrain).map((t) => t.outline_mm.map(([x, y]) => placeOf(mapping, x, y)));
    const labels = [...shapeLabels(mapping, view), ...unitLabels(mapping, view)];
    const found = placed(mapping, view, labels, 14, (text) => 8 * text.length, room, { rings, clear_px: 4 });
    return { found, room, rings, bases: Object.values(baseBoxes(mapping, view)) };
}"""


@pytest.mark.parametrize("edge", ["near", "far", "left", "right"])
def test_labels_keep_off_bases_roofs_and_each_other_and_stay_on_the_table(
    light: Locator, page: Page, table: PlayedTable, edge: str
) -> None:
    expect(light).to_be_visible()
    places = [(10, 10), (1500, 30), (700, 600), (705, 600), (300, 270), (1515, 1110), (610, 660), (20, 560)]
    marks = {
        str(n): ShapeView(layer="witness", rings_mm=[[at, at]], closed=False, style="path", label=f"mark {n}")
        for n, at in enumerate(places)
    }
    view = table.build_view().model_copy(update={"shapes": marks})
    told = page.evaluate(PLACED, [view.model_dump(), edge])
    boxes = [label["box"] for label in told["found"]]
    assert len(boxes) > 9
    for number, box in enumerate(boxes):
        assert is_inside(box, told["room"])
        others = [*boxes[:number], *told["bases"]]
        assert not any(boxes_overlap(box, other) for other in others)
        outlines = [np.array([[p["x"], p["y"]] for p in ring], dtype=np.float32) for ring in told["rings"]]
        points = [(box["x"] + a * box["w"], box["y"] + b * box["h"]) for a in (0, 0.5, 1) for b in (0, 0.5, 1)]
        assert all(cv2.pointPolygonTest(ring, point, False) < 0 for ring in outlines for point in points)


def test_a_unit_is_named_by_each_group_that_stands_apart(light: Locator, page: Page, table: PlayedTable) -> None:
    expect(light).to_be_visible()

    def find_names(*strayed: str) -> list[tuple[int, int]]:
        away = {
            name: table.models[name].model_copy(update={"x_mm": 1300.0 + 40 * number, "y_mm": 900.0})
            for number, name in enumerate(strayed)
        }
        view = table.build_view().model_copy(update={"shapes": {}, "models": {**table.models, **away}})
        told = page.evaluate(PLACED, [view.model_dump(), "near"])
        boxes = [label["box"] for label in told["found"] if label["text"] == "Rangers"]
        return sorted((round((box["x"] - 100) / 80), round((950 - box["y"]) / 80)) for box in boxes)

    assert find_names("Rangers-4", "Rangers-5") == [(3, 3), (13, 9)]
    assert find_names("Rangers-5") == [(3, 2)], "one that strayed is the unit's, as its colour says"


def boxes_overlap(a: dict[str, float], b: dict[str, float]) -> bool:
    across = a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"]
    return across and a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"]


def is_inside(box: dict[str, float], room: dict[str, float]) -> bool:
    right, low = box["x"] + box["w"], box["y"] + box["h"]
    across = box["x"] >= room["x"] and right <= room["x"] + room["w"]
    return across and box["y"] >= room["y"] and low <= room["y"] + room["h"]


def test_words_on_a_warped_table_lie_flat_and_face_the_reader(light: Locator, page: Page, table: PlayedTable) -> None:
    """Each stroke's place is asked of the page: a reader's right must run along their edge, their down towards it."""
    expect(light).to_be_visible()
    told = page.evaluate(
        """async ([warp, table]) => {
            const { readFrom, standAt, placeOf } = await import("/static/common/reading.js");
            const { flatOf, warpOf } = await import("/static/common/warp.js");
            const ctx = new OffscreenCanvas(8, 8).getContext("2d");
            return ["near", "right", "far", "left"].map((edge) => {
                const read = readFrom(flatOf(warpOf(warp), table), table, edge);
                const at = placeOf(read, 500, 400);
                standAt(ctx, read, at);
                const spot = (dx, dy) => ctx.getTransform().transformPoint({ x: at.x + dx, y: at.y + dy });
                const [o, right, down] = [spot(0, 0), spot(read.scale, 0), spot(0, read.scale)];
                return [[o.x, o.y], [right.x, right.y], [down.x, down.y]];
            });
        }""",
        [WARP.model_dump(), table.build_view().table["table"].model_dump()],
    )
    ways = [((1, 0), (0, -1)), ((0, 1), (1, 0)), ((-1, 0), (0, 1)), ((0, -1), (-1, 0))]
    for found, (right, down) in zip(told, ways, strict=True):
        spots = [(500, 400), (500 + right[0], 400 + right[1]), (500 + down[0], 400 + down[1])]
        assert np.abs(ASKEW.projector_from_table(spots) + 0.5 - found).max() < 0.02


def test_terrain_is_named_where_its_name_has_room(light: Locator, page: Page) -> None:
    expect(light).to_be_visible()
    corner = [(0, 0), (200, 0), (200, 40), (40, 40), (40, 200), (0, 200)]  # its middle is not on it
    ask = """async ([ring, w, h]) => (await import("/static/common/labels.js"))
        .roomIn(ring.map(([x, y]) => ({ x, y })), w, h)"""
    at = page.evaluate(ask, [corner, 90, 20])
    assert at["y"] < 30
    assert 45 <= at["x"] <= 155
    assert page.evaluate(ask, [corner, 20, 90])["x"] < 30
    assert page.evaluate(ask, [corner, 90, 90]) is None


def test_the_tablet_sets_it_where_there_is_a_projector(page: Page, address: str, table: PlayedTable) -> None:
    table.lights, table.projector = build_lights_view(), IDLE
    table.publish()
    page.goto(f"{address}/tablet")
    summary = page.get_by_text("The projector’s light")
    expect(page.locator("#units [data-key]").first).to_be_visible()
    expect(summary).to_be_hidden()  # nobody has opened its page
    table.projector = IDLE.model_copy(update={"page_size": (1920, 1080)})
    table.publish()
    summary.tap()
    page.get_by_label("Brightness").press("ArrowLeft")
    expect_light_commands(table, [{"brightness": 0.95, "keep": False}, {"brightness": 0.95}])


def test_a_length_that_is_too_long_is_written_once(page: Page, address: str) -> None:
    page.goto(address)
    ask = """async (measured_mm) => {
        const { shapeLabels } = await import("/static/common/labels.js");
        const shape = { rings_mm: [[[0, 0], [9, 0]]], closed: false, style: "", on: null };
        return shapeLabels({ scale: 1, left: 0, top: 0 }, {
            palette: {}, models: { a: { unit: "u" } }, move: {},
            ways: { a: { measured_mm: 200, limit_mm: 150 } }, findings: { 0: { subjects: ["a"], measured_mm } },
            shapes: {
                "way:a": { ...shape, layer: "way", label: "ring" },
                "witness:0": { ...shape, layer: "witness", label: "line" },
            },
        }).map(({ text }) => text);
    }"""
    assert page.evaluate(ask, 200.04) == ["ring"]
    assert page.evaluate(ask, 150) == ["line", "ring"]  # it measured something else


def test_of_a_units_lengths_the_worst_is_written_and_that_of_the_picked_model(page: Page, address: str) -> None:
    page.goto(address)
    ask = """async (model) => {
        const { shapeLabels } = await import("/static/common/labels.js");
        const shape = { rings_mm: [[[0, 0], [9, 0]]], closed: false, style: "", on: null, layer: "way" };
        const gone = { a: 90, b: 140, c: 100, d: 20 };
        const ids = Object.keys(gone);
        const each = (value) => Object.fromEntries(ids.map((id) => [id, value(id)]));
        const shapes = Object.fromEntries(ids.map((id) => [`way:${id}`, { ...shape, label: `${gone[id]} mm` }]));
        return shapeLabels({ scale: 1, left: 0, top: 0 }, {
            palette: {}, findings: {}, shapes, move: { move: { model } },
            models: each((id) => ({ unit: id === "d" ? "other" : "own" })),
            ways: each((id) => ({ measured_mm: gone[id], limit_mm: 150 })),
        }).map(({ text }) => text).sort();
    }"""
    assert page.evaluate(ask, "") == ["140 mm", "20 mm"]
    assert page.evaluate(ask, "c") == ["100 mm", "140 mm", "20 mm"]
