"""Laying the table on the tablet: piece after piece, ticked by touch, and lit by the projector."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import shapely
from playwright.sync_api import Page, expect

from assistant.game.state import Objective, Terrain
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import build_game
from tests.pages.kept_windows import KeptWindows
from tests.pages.pixels import locate_place, read_colours
from tests.pages.served_session import serve_session
from tests.pages.socket_listener import SocketListener
from tests.pages.test_tablet import locate_in_window
from tests.pages.waiting import wait_for

PLACES = {"s1": (300.0, 300.0), "s2": (300.0, 350.0), "w1": (600.0, 320.0)}
RUIN = Terrain(id="ruin", outline_mm=((900, 600), (1100, 600), (1100, 800), (900, 800)))
WALL = Terrain(id="ruin-wall", outline_mm=((910, 780), (1090, 780), (1090, 790), (910, 790)), height_mm=100)
CRATE = Terrain(id="crate", outline_mm=((300, 700), (360, 700), (360, 760), (300, 760)))


@pytest.fixture
def address() -> Iterator[str]:
    marker = Objective(id="A", x_mm=762, y_mm=500, radius_mm=20)
    with serve_session(
        GameSession(replace(build_game(), terrain=(RUIN, WALL, CRATE), objectives=(marker,))), PLACES
    ) as address:
        yield address


def test_pieces_are_laid_one_after_the_other(phone: Page, windows: KeptWindows, address: str) -> None:
    phone.goto(f"{address}/tablet")
    phone.get_by_role("button", name="Lay the table step by step").tap()
    rows = phone.locator(".laying li")
    expect(rows).to_have_text(["1ruinnext", "2crate", "3objective A"])
    expect(rows.nth(0).locator("polygon")).to_have_count(2)
    projector = windows.take(has_touch=False).new_page()
    projector.goto(f"{address}/projector")
    light = projector.locator("canvas")
    edge, filled = locate_place(light, 1000, 600), locate_place(light, 950, 700)

    def find_tone() -> str:
        red, green, _ = read_colours(light, [edge])[0][:3]
        return "white" if red > 150 and green > 150 else "green" if green > 100 > red else "dark"

    wait_for(lambda: find_tone() == "white" or None)
    assert read_colours(light, [filled])[0] != read_colours(light, [locate_place(light, 600, 700)])[0]
    phone.get_by_role("button", name="1 ruin lies").tap()
    wait_for(lambda: find_tone() == "green" or None)
    expect(rows.nth(1)).to_have_attribute("data-next", "true")
    for name in ("2: crate lies", "3: objective A lies"):
        phone.get_by_role("button", name=name).tap()
    expect(phone.get_by_text("All 3 lie where they belong.")).to_be_visible()
    phone.get_by_role("button", name="Done").tap()
    expect(rows).to_have_count(0)
    wait_for(lambda: find_tone() == "dark" or None)
    projector.close()
    phone.get_by_role("button", name="Track turns").tap()
    expect(phone.get_by_role("button", name="Lay the table step by step")).to_have_count(0)


def test_numbers_stand_on_their_pieces_upright_for_who_is_nearest(phone: Page, address: str) -> None:
    phone.goto(f"{address}/tablet")
    placed, faced = phone.evaluate(
        """async () => {
            const { edgeAt, isTwoFaced, placeNumbers } = await import("/static/common/laying-numbers.js");
            const box = (x, y, w, h) => [[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
            const step = (number, ring, lies) => ({ id: `piece-${number}`, number, outlines_mm: [ring], lies });
            const steps = [step(1, box(100, 100, 200, 150), false), step(2, box(700, 800, 200, 150), true),
                           step(3, box(180, 165, 40, 40), false), step(4, box(600, 300, 300, 12), false)];
            const units = { a: { player: "A", side: 0 }, b: { player: "B", side: 1 } };
            const dark_mm = [box(720, 250, 60, 45)];
            const game = (seats) => ({ lights: { lights: { seats } }, units, projector: { projector: { dark_mm } },
                table: { table: { width_mm: 1500, depth_mm: 1100 } },
                laying: { laying: { steps, following: "piece-1" } } });
            const numbers = placeNumbers(game({}), (one) => edgeAt(game({}), one));
            numbers.sort((a, b) => a.step.number - b.step.number);
            const boxes = numbers.map(({ box: { x, y, w, h } }) => [x, y, x + w, y + h]);
            const [edges, sizes] = [numbers.map(({ edge }) => edge), numbers.map(({ size }) => size)];
            const aside = edgeAt(game({ A: "left", B: "right" }), steps[1]);
            return [{ edges, boxes, sizes, aside }, [1, 2, 6, 8, 9, 10, 11, 12, 16, 18, 60, 69, 88].filter(isTwoFaced)];
        }"""
    )
    assert faced == [6, 9, 16, 18]
    assert placed["edges"] == ["near", "far", "near", "near"]
    assert placed["aside"] == "right"
    boxes = [shapely.box(*corners) for corners in placed["boxes"]]
    assert not any(one.intersects(other) for one, other in itertools.combinations(boxes, 2))
    assert shapely.box(100, 100, 300, 250).covers(boxes[0])
    assert not shapely.box(180, 165, 220, 205).intersects(boxes[0]), "a number keeps off what lies on its piece"
    assert shapely.box(700, 800, 900, 950).covers(boxes[1])
    assert boxes[3].bounds[1] > 312, "what is too narrow has its number beside it, and off fixed tags"
    assert placed["sizes"][0] > placed["sizes"][2]


def test_terrain_is_moved_by_finger_while_people_play(phone: Page, address: str) -> None:
    wire = SocketListener(phone)
    phone.goto(f"{address}/tablet")
    phone.get_by_text("Correct the table").tap()
    phone.get_by_role("button", name="Move terrain").tap()
    canvas, card = phone.locator("#table"), phone.locator("#moving-terrain")
    phone.mouse.move(*locate_in_window(canvas, 1000, 690))
    phone.mouse.down()
    for place_mm in ((1050, 660), (1100, 640)):
        phone.mouse.move(*locate_in_window(canvas, *place_mm), steps=3)
    phone.mouse.up()
    expect(card.get_by_role("status")).to_have_text(re.compile("ruin: 1[01][0-9] mm from where it lay"))
    card.get_by_role("button", name="Turn by 15 degrees", exact=True).tap()
    expect(card.get_by_role("status")).to_contain_text("turned by 15 degrees")
    assert wire.view["terrain"]["ruin"]["outline_mm"][0] == [900, 600]  # nothing is said yet
    card.get_by_role("button", name="It lies here now").tap()
    moved = wait_for(lambda: wire.has_view(phone) and wire.view["terrain"]["ruin-wall"]["outline_mm"][0] != [910, 780])
    assert moved
    ring = np.array(wire.view["terrain"]["ruin"]["outline_mm"])
    assert ring.mean(axis=0) == pytest.approx((1100, 650), abs=8)
    along = ring[1] - ring[0]
    assert np.degrees(np.arctan2(along[1], along[0])) == pytest.approx(15, abs=0.1)
    card.get_by_role("button", name="Done").tap()
    expect(card.get_by_role("status")).to_have_count(0)
