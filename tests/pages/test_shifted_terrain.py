"""Terrain that was moved, on the tablet: asked about, taken as it lies or put back by light."""

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from assistant.features.demo.catalogue import SETUP
from assistant.features.laying.controller import LayingController
from assistant.game.events import TerrainSettled
from assistant.game.state import Terrain, TerrainPlace
from assistant.setup.file import read_setup
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import build_game
from tests.pages.served_session import serve_session
from vision.markers import Markers
from vision.pipeline import Pipeline

PLACES = {"s1": (300.0, 300.0), "s2": (300.0, 350.0), "w1": (600.0, 320.0)}
RUIN = Terrain(id="ruin", outline_mm=((900, 600), (1100, 600), (1100, 800), (900, 800)))
CRATE = Terrain(id="crate", outline_mm=((300, 700), (360, 700), (360, 760), (300, 760)))


@pytest.fixture
def session() -> GameSession:
    session = GameSession(replace(build_game(), terrain=(RUIN, CRATE)))
    there = TerrainPlace(x_mm=1021, y_mm=710, facing_rad=math.radians(4))
    session.record_event(TerrainSettled(piece="ruin", place=there))
    return session


@pytest.fixture
def address(session: GameSession) -> Iterator[str]:
    with serve_session(session, PLACES) as address:
        yield address


def test_it_is_taken_as_it_lies_and_that_is_undone(phone: Page, address: str, session: GameSession) -> None:
    phone.goto(f"{address}/tablet")
    question = phone.get_by_role("group", name="ruin")
    expect(question).to_contain_text("ruin moved 23 mm and 4 degrees.")
    question.get_by_role("button", name="Take it as it lies").tap()
    expect(question).to_have_count(0)
    assert session.state.terrain[0].facing_rad == pytest.approx(math.radians(4))
    phone.get_by_role("button", name="Undo").first.tap()
    expect(question).to_have_count(1)
    assert session.state.terrain[0] == RUIN


def test_it_is_put_back_by_light_with_nothing_else_to_lay(phone: Page, address: str) -> None:
    phone.goto(f"{address}/tablet")
    question = phone.get_by_role("group", name="ruin")
    question.get_by_role("button", name="Put it back").tap()
    expect(phone.locator(".laying li")).to_have_count(1)
    expect(question).to_have_count(0)
    phone.get_by_role("button", name="Done").tap()
    expect(question).to_have_count(1)


def test_a_piece_is_given_a_mark_by_touch(phone: Page, session: GameSession) -> None:
    setup, eyes = read_setup(SETUP), Pipeline(markers=Markers(anchors=(), bases={}, lens=None))
    with serve_session(session, PLACES, laying=LayingController(setup, None, eyes)) as address:
        phone.goto(f"{address}/tablet")
        phone.get_by_role("button", name="Lay the table step by step").tap()
        phone.get_by_text("Give ruin a mark that the camera knows").tap()
        for label, value in (("Number", "540"), ("Size, mm", "26"), ("Height above the table, mm", "38.1")):
            phone.get_by_label(label).fill(value)
        phone.get_by_role("button", name="Keep").tap()
        expect(phone.get_by_text("Give ruin a mark")).to_have_count(0)
        assert [(mark.model, mark.height_mm) for mark in eyes.markers.terrain.values()] == [("ruin", 38.1)]
        phone.get_by_role("button", name="1: ruin lies").tap()
        phone.get_by_role("button", name="Keep").tap()  # the one before has that height, and the number below this
        expect(phone.get_by_text("Give crate a mark")).to_have_count(0)
        assert list(eyes.markers.terrain) == [540, 541]
