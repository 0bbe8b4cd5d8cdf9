"""Paces, frontage and edges, against the movement chart and hand-worked corners."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import BadInput
from assistant.game.state import GameState, Setting, Table
from assistant.geometry.clearance.furthest_point import list_corners_mm
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.rules.books.warmaster_revolution.troops import (
    TROOPS,
    build_edges,
    check_troops,
    compute_character_mm,
    compute_paces,
    get_troop,
    measure_frontage_mm,
)
from tests.assistant.rules.books.warmaster_revolution.stand_builders import CAVALRY, INFANTRY, build_stands, build_unit

ONE = build_stands((300, 300))


@pytest.mark.parametrize(
    ("name", "full", "half"),
    [
        ("infantry", 200, 100),
        ("cavalry", 300, 150),
        ("chariot", 300, 150),
        ("artillery", 100, 50),
        ("monster", 200, 100),
        ("flyer", 1000, 100),
        ("character", 600, 600),
    ],
)
def test_paces_of_the_chart(name: str, full: float, half: float) -> None:
    found = compute_paces(build_unit(ONE, troop=name))
    assert (found.full_mm, found.half_mm) == (full, half)
    assert get_troop(build_unit(ONE, troop=name)) == name


@pytest.mark.parametrize(
    ("profile", "full", "half"),
    [
        ({"troop": "infantry", "move_cm": 15}, 150, 75),
        ({"troop": "infantry", "move_cm": 15, "half_move_cm": 10}, 150, 100),
        ({"troop": "cavalry", "half_move_cm": 10}, 300, 100),
        ({"troop": "machine", "move_cm": 25}, 250, 125),
        ({"troop": "flyer", "move_cm": 80}, 800, 100),
        ({"troop": "flyer", "move_cm": 8}, 80, 80),
        ({"troop": "character", "move_cm": 50}, 500, 500),
    ],
)
def test_the_profile_makes_exceptions(profile: dict[str, Setting], full: float, half: float) -> None:
    found = compute_paces(build_unit(ONE, **profile))
    assert (found.full_mm, found.half_mm) == (full, half)


def test_a_character_flies_a_metre() -> None:
    assert compute_character_mm(build_unit(ONE, troop="character")) == 600
    assert compute_character_mm(build_unit(ONE, ["fly"], troop="character")) == 1000
    assert compute_character_mm(build_unit(ONE, ["fly"], troop="character", move_cm=70)) == 700
    assert compute_character_mm(build_unit(ONE, troop="infantry")) == 600


def test_a_flying_unit_that_is_no_character_keeps_its_own_pace() -> None:
    assert compute_paces(build_unit(ONE, ["fly"], troop="infantry")).full_mm == 200


@pytest.mark.parametrize(
    ("profile", "sentence"),
    [
        ({}, 'unit "b": profile.troop is missing; expected one of infantry, cavalry, chariot,'),
        ({"troop": "machine"}, 'unit "b": profile.move_cm is missing; a machine has a full pace of its own'),
        (
            {"troop": "infantry", "half_move_cm": 25},
            'unit "b": profile.half_move_cm is 25; expected no more than full pace, which is 20',
        ),
    ],
)
def test_what_a_unit_lacks_is_said(profile: dict[str, Setting], sentence: str) -> None:
    state = GameState(
        rulebook="warmaster-revolution",
        table=Table(width_mm=1800, depth_mm=1200),
        units=(replace(build_unit(ONE, troop="infantry"), id="a"), build_unit(ONE, **profile)),
    )
    with pytest.raises(BadInput) as caught:
        check_troops(state)
    assert str(caught.value).startswith(sentence)


def test_every_troop_with_its_paces_is_well_formed() -> None:
    units = tuple(replace(build_unit(ONE, troop=name, move_cm=20), id=name) for name in TROOPS)
    check_troops(GameState(rulebook="warmaster-revolution", table=Table(width_mm=1, depth_mm=1), units=units))


@pytest.mark.parametrize(
    ("base", "frontage"),
    [
        (INFANTRY, 40),
        (CAVALRY, 20),
        (Round(radius_mm=12.5), 25),
        (Oval(length_mm=60, width_mm=35), 35),
        (Outline(points_mm=((0, -15), (30, -15), (30, 15), (0, 15))), 30),
    ],
)
def test_a_front_is_as_wide_as_the_base(base: Base, frontage: float) -> None:
    assert measure_frontage_mm(base) == pytest.approx(frontage)


def test_edges_of_an_infantry_stand_that_faces_up() -> None:
    found = build_edges(PlacedShape(shape=INFANTRY, x_mm=100, y_mm=50, facing_rad=math.pi / 2))
    assert found is not None
    assert found.front.first == pytest.approx((120, 60))
    assert found.front.last == pytest.approx((80, 60))
    assert found.left.last == pytest.approx((80, 40))
    assert found.rear.last == pytest.approx((120, 40))
    assert found.right.last == found.front.first


def test_a_round_base_has_no_edges() -> None:
    assert build_edges(PlacedShape(shape=Round(radius_mm=12.5), x_mm=0, y_mm=0)) is None


sizes = st.floats(1, 100)
places = st.floats(-500, 500)


@given(sizes, sizes, places, places, st.floats(-7, 7))
def test_edges_run_around_the_stand_and_face_out(
    length: float, width: float, x: float, y: float, facing: float
) -> None:
    stand = PlacedShape(shape=Rect(length_mm=length, width_mm=width), x_mm=x, y_mm=y, facing_rad=facing)
    found = build_edges(stand)
    assert found is not None
    ring = (found.front, found.left, found.rear, found.right)
    assert np.allclose([edge.first for edge in ring], np.roll(list_corners_mm(stand), -1, axis=0), rtol=0, atol=1e-9)
    for turn, (edge, following) in enumerate(zip(ring, (*ring[1:], ring[0]), strict=True)):
        assert edge.last == following.first
        out = facing + turn * math.pi / 2
        reach = (length if turn % 2 == 0 else width) / 2
        middle = [(a + b) / 2 for a, b in zip(edge.first, edge.last, strict=True)]
        assert middle == pytest.approx((x + reach * math.cos(out), y + reach * math.sin(out)), abs=1e-9)
