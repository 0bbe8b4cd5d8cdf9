"""The stream page: transparent but where something is drawn, exact over the camera's picture, and a lower third."""

import math
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page, expect

from assistant.features.light.controller import build_lookout_view
from assistant.game.base_spec import BaseSpec
from assistant.web.commands.game import Declare
from assistant.web.messages.move import ClockView, ScoreView, TurnView
from assistant.web.messages.table import ModelView, ShapeView, WayView
from assistant.web.server import Server
from calibration.spaces import CameraOverTable, Lens
from tests.pages.kept_windows import KeptWindows
from tests.pages.played_game import PlayedTable
from tests.pages.waiting import wait_for

DRAWN = """() => {
    const small = new OffscreenCanvas(96, 54).getContext("2d", { willReadFrequently: true });
    small.drawImage(document.querySelector("#overlay"), 0, 0, 96, 54);
    return small.getImageData(0, 0, 96, 54).data.some((value) => value);
}"""
Shown = Callable[..., NDArray[np.uint8]]


def build_camera(turn_deg: float = 4.0) -> CameraOverTable:
    """A camera over the table's middle, a little askew, turned about the line of its view."""
    down = cv2.Rodrigues(np.array([math.pi, 0.05, 0.03]))[0]
    turn = cv2.Rodrigues(np.array([0.0, 0, math.radians(turn_deg)]))[0]
    rotation = turn @ down
    lens = Lens(
        image_size=(1920, 1080),
        parameters=np.array([1290.0, 1294, 950, 548, -0.12, 0.03, 1e-3, -2e-3, 0.004]),
        covariance=np.zeros((9, 9)),
    )
    return CameraOverTable(
        lens=lens,
        rotation=np.asarray(cv2.Rodrigues(rotation)[0], dtype=np.float64).ravel(),
        translation_mm=-rotation @ np.array([762.0, 559, 1500]),
        covariance=np.zeros((15, 15)),
        bleed_px=0,
        sigma_px=0,
    )


@pytest.fixture
def air(windows: KeptWindows, address: str, table: PlayedTable) -> Any:
    """Opens the stream page as a mixer does; `shown` gives what it shows, with its transparency, at some size."""
    errors: list[str] = []
    page = windows.take(viewport={"width": 1920, "height": 1080}, has_touch=False, reduced_motion="reduce").new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    table.declared = Declare(type="declare", unit="Rangers", action="advance", rolls=[6], model="Rangers-1")
    table.publish()

    def shown(options: str = "", size: tuple[int, int] = (1920, 1080), **changes: Any) -> NDArray[np.uint8]:
        table.hub.publish(table.build_view().model_copy(update=changes))
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.goto(f"{address}/stream{options}")
        wait_for(lambda: page.evaluate(DRAWN), otherwise=lambda: "nothing is drawn")
        png = np.frombuffer(page.screenshot(omit_background=True), np.uint8)
        return np.asarray(cv2.imdecode(png, cv2.IMREAD_UNCHANGED), dtype=np.uint8)

    yield page, shown
    assert errors == []


def test_nothing_is_there_where_nothing_is_drawn(air: tuple[Page, Shown]) -> None:
    page, shown = air
    picture = shown("?lower-third=off&scenes=off&ground=off")
    assert picture.shape == (1080, 1920, 4)
    assert picture[900, 1400, 3] == 0
    for edge in (picture[:20], picture[-20:], picture[:, :100], picture[:, -100:]):
        assert not edge.any()
    assert shown("?lower-third=off").shape == (1080, 1920, 3)  # by itself it is a whole picture: nothing shines through
    expect(page.locator("#lower")).to_be_hidden()
    scrolls = page.evaluate(
        "[document.documentElement.scrollWidth - innerWidth, getComputedStyle(document.body).cursor]"
    )
    assert scrolls == [0, "none"]


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720)])
def test_it_lies_exactly_over_the_cameras_picture(air: tuple[Page, Shown], size: tuple[int, int]) -> None:
    _, shown = air
    eye = build_camera()
    high = ModelView(
        unit="Rangers", base=BaseSpec(round_mm=120), x_mm=1200, y_mm=800, facing_deg=0, z_mm=150, sigma_mm=0.2,
        state="seen", moving=False,
    )  # fmt: skip
    line = ShapeView(layer="witness", rings_mm=[[(30, 30), (1490, 30)]], closed=False, style="witness-legal", label="")
    picture = shown(
        "?view=camera&lower-third=off",
        size,
        lookout=build_lookout_view(eye).lookout,
        shapes={"line": line},
        models={"Rangers-1": high},
    )
    across = [(x, 30.0, 0.0) for x in range(60, 1480, 60)]
    turns = np.linspace(0, math.tau, 24, endpoint=False)
    ring = [(1200 + 60 * math.cos(t), 800 + 60 * math.sin(t), 150.0) for t in turns]
    scale = size[0] / 1920
    assert measure_drawn_offset(picture, scale, eye, across) < 0.6
    assert measure_drawn_offset(picture, scale, eye, ring) < 0.6


def measure_drawn_offset(picture: NDArray[np.uint8], scale: float, eye: CameraOverTable, places: list[Any]) -> float:
    """How far the middle of a bright line is from where places are seen, pixels of the page: the most of all."""
    strength = picture[:, :, :3].astype(np.float32).sum(axis=2) * (picture[:, :, 3] == 255)
    worst = 0.0
    for x, y in scale * (eye.image_from_table(places) + 0.5) - 0.5:
        left, top = round(x) - 7, round(y) - 7
        patch = strength[top : top + 15, left : left + 15]
        assert patch.max() > 200
        rows, columns = np.nonzero(patch > 0.5 * patch.max())
        # A line through the patch: its distance from the patch's point, by the direction in which it is thin.
        points = np.column_stack([columns + left - x, rows + top - y]).astype(float)
        middle = points.mean(axis=0)
        _, _, axes = np.linalg.svd(points - middle)
        worst = max(worst, abs(float(middle @ axes[1])))
    return worst


def test_words_are_upright_in_the_picture_however_the_camera_is_turned(
    air: tuple[Page, Shown], table: PlayedTable
) -> None:
    page, shown = air
    shown("?view=camera", lookout=build_lookout_view(build_camera()).lookout)
    for turn_deg, edge in ((4, "near"), (94, "right"), (184, "far"), (-86, "left")):
        eye = build_camera(turn_deg)
        told = page.evaluate(
            """async ([lookout, table]) => {
                const { warpOver, uprightEdge } = await import("/static/stream/lookout.js");
                return uprightEdge(warpOver(lookout, 1920, 1080), table);
            }""",
            [build_lookout_view(eye).lookout["lookout"].model_dump(), table.build_view().table["table"].model_dump()],
        )
        middle, right, away = eye.image_from_table([(762, 559, 0), (772, 559, 0), (762, 569, 0)])
        along = {"near": right - middle, "far": middle - right, "right": away - middle, "left": middle - away}
        assert told == edge
        assert along[edge][0] > abs(along[edge][1])


def test_lines_are_seen_on_bright_and_on_dark_video(air: tuple[Page, Shown]) -> None:
    _, shown = air
    line = ShapeView(layer="witness", rings_mm=[[(200, 559), (1300, 559)]], closed=False, style="path", label="")
    eye = build_camera()
    picture = shown(
        "?view=camera&lower-third=off", lookout=build_lookout_view(eye).lookout, shapes={"l": line}, models={}
    )
    x, y = eye.image_from_table([(900, 559, 0)])[0].round().astype(int)
    column = picture[y - 8 : y + 9, x]
    for ground in (0.0, 255.0):
        share = column[:, 3:] / 255
        seen = (column[:, :3] * share + ground * (1 - share)).mean(axis=1)
        assert seen.max() - seen.min() > 110


def test_the_lower_third_says_who_does_what_and_leaves(air: tuple[Page, Shown], table: PlayedTable) -> None:
    page, shown = air
    moved = {"x_mm": table.models["Rangers-1"].x_mm - 20, "y_mm": 800.0}
    table.models["Rangers-1"] = table.models["Rangers-1"].model_copy(update=moved)
    ways = {
        "Rangers-1": WayView(outcome="illegal", measured_mm=500, limit_mm=304.8, sigma_mm=0.3, moving=False),
        "Rangers-2": WayView(outcome="legal", measured_mm=50, limit_mm=304.8, sigma_mm=0.3, moving=False),
    }
    shown(ways=ways)
    lower = page.locator("#lower")
    for words in (
        "Rangers",
        "Rangers-1 moved",
        '7.7" too far',
        '19.7" of 12"',
        "Not legal",
    ):
        expect(lower).to_contain_text(words)
    verdict = lower.locator(".said span")
    verdict.evaluate("each => each.dataset.stands = 'still'")
    (finding,) = (each for each in table.build_view().findings.values() if each.subjects == ["Rangers-1"])
    ways["Rangers-1"] = ways["Rangers-1"].model_copy(
        update={"measured_mm": finding.measured_mm, "limit_mm": finding.limit_mm}
    )
    table.hub.publish(table.build_view().model_copy(update={"ways": ways}))
    expect(lower).not_to_contain_text("Rangers-1 moved")  # once is enough
    expect(verdict).to_have_attribute("data-stands", "still")  # drawn anew it would fade in with each figure
    expect(lower.locator(".icon")).to_be_visible()
    sizes_px = lower.evaluate(
        "each => [...each.querySelectorAll('*')].map((part) => parseFloat(getComputedStyle(part).fontSize))"
    )
    assert min(sizes_px) >= 30, "a telephone shows it at a third of that"
    box = lower.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 1080
    table.declared = None
    table.publish()
    expect(lower).to_have_attribute("data-shown", "false")
    expect(lower).to_have_css("opacity", "0")
    expect(lower).to_contain_text("Rangers")  # it does not empty while it leaves


def test_the_bar_says_score_round_turn_and_clock(air: tuple[Page, Shown]) -> None:
    page, shown = air
    scores = {
        "Anna": ScoreView(side=0, points=12, army="Sons of the North"),
        "Ben": ScoreView(side=1, points=7, army=""),
    }
    turn = {"turn": TurnView(number=4, round=2, rounds=5, player="Ben", step="Movement", done=[])}
    clock = {"clock": ClockView(played_s=4210, turn_s=65, turns_s={"Anna": 3000, "Ben": 1210})}
    shown("", (844, 390), scores=scores, turn=turn, clock=clock)
    bar = page.locator("#bar")
    for words in ("Round 2 of 5", "Movement · 1:10:10", "Anna", "12", "50:00 · Sons of the North", "Ben", "7", "20:10"):
        expect(bar).to_contain_text(words)
    expect(bar.locator("[data-acts=true]")).to_contain_text("Ben")
    sizes = bar.locator("strong, small, output").evaluate_all(
        "all => all.map(each => parseFloat(getComputedStyle(each).fontSize))"
    )
    assert min(sizes) > 9  # on a phone that shows a film
    page.set_viewport_size({"width": 390, "height": 844})
    widths_px = bar.locator(".who").evaluate_all("all => all.map((each) => each.getBoundingClientRect().width)")
    assert len(widths_px) == 2
    assert min(widths_px) > 100, "held upright, it has room for both players' names"
    shown("?bar=off", scores=scores)
    expect(bar).to_be_hidden()


SCENE = """async ([models, rings]) => {
    const { scenes } = await import("/static/stream/scenes.js");
    const { at } = scenes({ follows: true, still: true });
    const table = { table: { width_mm: 1500, depth_mm: 1000 } };
    const moved = { table, models, units: { them: { models: Object.keys(models) } }, move: { move: { unit: "them" } },
        shapes: { zone: { layer: "zone", rings_mm: rings } } };
    const rest = { ...moved, move: { move: { unit: null } } };
    return [[rest, 0], [moved, 100], [rest, 900], [rest, 5000]].map(([view, now]) => at(view, 16 / 9, now).area);
}"""


def test_scenes_follow_the_action(air: tuple[Page, Shown]) -> None:
    page, shown = air
    shown()
    model = {"x_mm": 200, "y_mm": 100, "facing_deg": 0, "base": {"round_mm": 32, "oval_mm": None, "rect_mm": None}}
    before, during, soon, later = page.evaluate(SCENE, [{"m": model}, [[[60, 40], [420, 40], [420, 300]]]])
    assert before == later
    assert before["low"] == 0
    assert before["width"] == pytest.approx(1000 * 16 / 9)  # all of it
    assert soon == during
    assert during["left"] == 0  # not beside the table
    assert during["low"] == 0
    assert during["width"] == pytest.approx((260 + 2 * 60) * 16 / 9)


def test_who_looks_on_is_told_when_the_program_is_gone(
    air: tuple[Page, Shown], server: Server, take_over_clock: Callable[[Page], None]
) -> None:
    page, shown = air
    take_over_clock(page)
    shown()
    lower, gone = page.locator("#lower"), page.locator("#gone")
    expect(lower).to_have_css("opacity", "1")
    expect(gone).to_be_hidden()
    server.stop()
    page.clock.run_for(4_000)
    expect(gone).to_have_text("No connection to the table")
    expect(lower).to_have_css("opacity", "0")  # a verdict is no verdict any more
    expect(page.locator("#overlay")).to_have_css("opacity", "0.4")


def test_over_a_video_nothing_stays_without_a_connection(
    air: tuple[Page, Shown], server: Server, take_over_clock: Callable[[Page], None]
) -> None:
    page, shown = air
    take_over_clock(page)
    shown("?view=camera", lookout=build_lookout_view(build_camera()).lookout)
    overlay = page.locator("#overlay")
    server.stop()
    page.clock.run_for(8_000)
    expect(overlay).to_have_css("opacity", "1")
    page.clock.run_for(6_000)
    expect(overlay).to_have_css("opacity", "0")


def test_a_wrong_option_is_said(air: tuple[Page, Shown]) -> None:
    page, shown = air
    shown("?view=side&scale=big&colour=red")
    expect(page.get_by_role("alert")).to_have_text(
        "view is table or camera, not “side”. scale is a number from 0.5 to 3, not “big”."
        " “colour” is not known here: use view, bar, lower-third, scenes, calls, ground or scale."
    )


GLIDE = """async (told) => {
    const { gliding } = await import("/static/stream/glide.js");
    const base = { unit: "scouts", facing_deg: 0, z_mm: 0, state: "seen", moving: true, y_mm: 0 };
    const glide = gliding({ still: false });
    return told.map(([at_ms, change]) => {
        if (change) {
            const ring = { on: "s1", rings_mm: [[[change.x_mm + 5, 0]]] };
            const shapes = { "way:s1": ring, other: { on: null } };
            glide.told({ models: { s1: { ...base, ...change } }, shapes }, at_ms);
        }
        const { view, moves } = glide.shown(at_ms);
        const [[ring]] = view.shapes["way:s1"].rings_mm;
        return [view.models.s1.x_mm, ring[0] - view.models.s1.x_mm, moves, view.models.s1.state];
    });
}"""


def test_models_glide_between_what_was_seen_and_never_beyond(page: Page, address: str) -> None:
    page.goto(f"{address}/stream")

    def show(*told: tuple[float, dict[str, Any] | None]) -> list[Any]:
        return [tuple(shown) for shown in page.evaluate(GLIDE, [list(each) for each in told])]

    first, begun, half, there, later = show(
        (1000, {"x_mm": 100}), (1040, {"x_mm": 110}), (1060, None), (1080, None), (9000, None)
    )
    assert (first, begun) == ((100, 5, False, "seen"), (100, 5, True, "seen"))
    assert half == (pytest.approx(105), pytest.approx(5), True, "seen")  # with what goes along with it
    assert there == later == (110, 5, False, "seen")
    # What is told meanwhile of the same place does not make it later, and a new one is gone to from where it is shown.
    *_, same, on_the_way = show(
        (1000, {"x_mm": 0}), (1040, {"x_mm": 10}), (1060, {"x_mm": 10, "sigma_mm": 1}), (1060, {"x_mm": 30})
    )
    assert (same[0], on_the_way[0]) == (pytest.approx(5), pytest.approx(5))
    # Of what nobody saw there is no way: in a hand, hidden, and a long way off.
    for before, after in (("seen", "lifted"), ("lifted", "seen"), ("seen", "held"), ("unseen", "seen")):
        _, jumped = show((1000, {"x_mm": 0, "state": before}), (1040, {"x_mm": 10, "state": after}))
        assert jumped == (10, 5, False, after)
    assert show((1000, {"x_mm": 0}), (1040, {"x_mm": 400}))[1] == (400, 5, False, "seen")
