from dataclasses import replace

import pytest
import shapely

from assistant.game.state import Unit
from assistant.rules.books.warmaster_revolution.terrain import (
    find_forbidding_row,
    find_row_forbidding_landing,
    list_dense_terrain_effects,
    stands_in,
    subtract_bridges,
)
from tests.assistant.rules.books.warmaster_revolution.table_builders import (
    build_box,
    build_question,
    build_table,
    build_unit,
)

HERE = (300.0, 300.0, 0.0)
ORDER = ("infantry", "cavalry", "monster", "chariot", "artillery", "machine", "flyer")
ROWS = {
    "hill": ". . . . . . .",
    "bridge": ". . . . . . .",
    "hill steep": ". 29 29 29 29 29 .",
    "hill rocky": ". 29 29 29 29 29 .",
    "hill dense": ". 29 29 29 29 29 .",
    "river fordable": ". . . 25 25 26 .",
    "field": ". . . 25 25 26 .",
    "obstacle": ". . . 25 25 26 .",
    "obstacle low": ". . . 25 25 26 .",
    "wall low": ". . . 25 25 26 .",
    "river": ". 24 24 25 25 26 .",
    "dense": ". 24 24 25 25 26 .",
    "fortified": ". 24 24 25 25 26 .",
    "monument": ". 24 24 25 25 26 .",
    "": ". 24 24 25 25 26 .",
    "field dense": ". 24 24 25 25 26 .",
    "hill fortified": ". 24 24 25 25 26 .",
    "river steep": ". 24 24 25 25 26 .",
    "hill steep river": ". 29 29 29 29 29 .",
    "wall": "34 34 34 34 34 34 .",
    "building": "34 34 34 34 34 34 .",
    "building low": "34 34 34 34 34 34 .",
    "hill steep building": "34 34 34 34 34 34 .",
    "impassable": "30 30 30 30 30 30 .",
    "impassable building": "30 30 30 30 30 30 .",
}


@pytest.mark.parametrize("traits", ROWS)
def test_which_row_forbids_which_troop(traits: str) -> None:
    terrain = build_box("t", 0, 0, 10, 10, *traits.split())
    found = [find_forbidding_row(build_unit("a", "red", HERE, troop=troop), terrain, {}) for troop in ORDER]
    assert found == [None if row == "." else f"wm-{row}" for row in ROWS[traits].split()]


@pytest.mark.parametrize(
    ("keywords", "traits", "row"),
    [
        ((), "dense", None),
        ((), "building", "wm-34"),
        (("monstrous-mount",), "dense", "wm-59"),
        (("monstrous-mount",), "hill steep", "wm-59"),
        (("monstrous-mount",), "field", None),
        (("monstrous-mount",), "wall", "wm-34"),
        (("monstrous-mount", "fly"), "dense", None),
        (("fly",), "impassable", None),
    ],
)
def test_characters(keywords: tuple[str, ...], traits: str, row: str | None) -> None:
    hero = build_unit("h", "red", HERE, troop="character", keywords=keywords)
    assert find_forbidding_row(hero, build_box("t", 0, 0, 10, 10, *traits.split()), {}) == row


@pytest.mark.parametrize(
    ("traits", "row"), [("hill", "wm-28"), ("dense", "wm-28"), ("wall low", "wm-34"), ("building", "wm-34")]
)
def test_flyers_end_on_no_terrain(traits: str, row: str) -> None:
    terrain = build_box("t", 0, 0, 10, 10, *traits.split())
    flyer, rider = build_unit("f", "red", HERE, troop="flyer"), build_unit("c", "red", HERE, troop="cavalry")
    assert find_row_forbidding_landing(flyer, terrain, {}) == row
    assert find_row_forbidding_landing(flyer, terrain, {"t": ("flyer",)}) is None
    assert find_row_forbidding_landing(rider, terrain, {}) == find_forbidding_row(rider, terrain, {})


def test_what_was_agreed_lets_the_named_troops_in() -> None:
    marsh = build_box("marsh", 0, 0, 10, 10, "dense")
    riders, guns = (build_unit("a", "red", HERE, troop=troop) for troop in ("cavalry", "artillery"))
    agreed = {"marsh": ("cavalry", "monster"), "wood": ("artillery",)}
    assert find_forbidding_row(riders, marsh, agreed) is None
    assert find_forbidding_row(guns, marsh, agreed) == "wm-25"
    assert (
        find_forbidding_row(
            build_unit("h", "red", HERE, troop="character", keywords=["monstrous-mount"]), marsh, agreed
        )
        is None
    )


def test_a_bridge_parts_the_river() -> None:
    river, bridge = build_box("river", 360, 0, 370, 1200, "river"), build_box("bridge", 355, 160, 375, 200, "bridge")
    wood = build_box("wood", 355, 160, 375, 200, "dense")
    low, high, *others = subtract_bridges((river, bridge, wood))
    assert (low.id, high.id, low.traits) == ("river", "river", river.traits)
    assert shapely.Polygon(low.outline_mm).equals(shapely.box(360, 0, 370, 160))
    assert shapely.Polygon(high.outline_mm).equals(shapely.box(360, 200, 370, 1200))
    assert others == [bridge, wood]
    assert subtract_bridges((river, replace(bridge, outline_mm=((0, 0), (9, 0), (9, 9)))))[0] is river
    assert subtract_bridges((river, build_box("dam", 350, 0, 380, 1200, "bridge"))) == (
        build_box("dam", 350, 0, 380, 1200, "bridge"),
    )


def test_a_bridge_in_midstream_leaves_a_hole() -> None:
    river, bridge = build_box("river", 300, 0, 500, 1200, "river"), build_box("bridge", 380, 500, 420, 600, "bridge")
    parts = [shapely.Polygon(each.outline_mm) for each in subtract_bridges((river, bridge)) if each.id == "river"]
    assert all(part.is_valid and not part.intersects(shapely.Point(400, 550)) for part in parts)
    assert sum(part.area for part in parts) == pytest.approx(200 * 1200 - 40 * 100)


@pytest.mark.parametrize(
    ("left", "sigma_mm", "inside"),
    [
        (309.0, 0.0, True),
        (310.0, 0.0, False),  # the stand reaches to x 310: touching is outside
        (309.0, 0.2, True),
        (309.7, 0.2, None),
        (310.3, 0.2, None),
        (310.5, 0.2, False),
    ],
)
def test_who_stands_in_terrain(left: float, sigma_mm: float, inside: bool | None) -> None:
    wood = build_box("wood", left, 200, left + 100, 400, "dense")
    soldiers = build_unit("a", "red", (100, 300, 0), HERE, sigma_mm=sigma_mm)
    state = build_table(soldiers, terrain=(build_box("works", 0, 0, 900, 900, "fortified"), wood))
    assert stands_in(soldiers, state.terrain, "dense") is inside
    assert stands_in(soldiers, state.terrain, "fortified") is True
    assert stands_in(soldiers, state.terrain, "field") is False
    effects = [
        (effect.rule, effect.subjects, effect.effect) for effect in list_dense_terrain_effects(build_question(state))
    ]
    assert effects == ([("wm-27", ("a",), "command-worse-by-1")] if inside else [])


def test_a_unit_off_the_table_stands_in_nothing() -> None:
    soldiers: Unit = build_unit("a", "red", HERE)
    gone = build_table(soldiers, terrain=(build_box("wood", 0, 0, 900, 900, "dense"),)).place_models({"a1": None})
    assert stands_in(gone.find_unit("a"), gone.terrain, "dense") is False
