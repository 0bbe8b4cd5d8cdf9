"""Placing: where templates come to stand, and what follows by symmetry."""

import math
from typing import Any

import pytest
import shapely

from assistant.errors import BadInput
from assistant.layouts.layout import parse_layout
from assistant.layouts.placing import PlacedLayout, place_layout
from assistant.layouts.templates import TEMPLATES
from assistant.overlay.terrain_kinds import PLAIN, find_kind
from tests.assistant.layouts.sample_layouts import build_document


def place(rulebook: str | None = None, **changes: Any) -> PlacedLayout:
    return place_layout(parse_layout(build_document(**changes), "a.json"), rulebook)


def put(**feature: Any) -> PlacedLayout:
    return place(symmetry="none", features=[{"id": "f", "x_mm": 300.0, "y_mm": 200.0, **feature}])


def test_a_template_is_turned_about_its_middle_and_moved_there() -> None:
    (wall,) = put(template="wall", size_mm=[100.0, 10.0], facing_deg=90.0).terrain
    assert shapely.Polygon(wall.outline_mm).bounds == pytest.approx((295, 150, 305, 250))


def test_a_mirrored_ruin_has_its_corner_on_the_other_side() -> None:
    def corner(*, mirrored: bool) -> tuple[float, float]:
        walls = put(template="ruin", mirrored=mirrored).terrain[1]
        centre = shapely.Polygon(walls.outline_mm).centroid
        return centre.x - 300, centre.y - 200

    plain, mirrored = corner(mirrored=False), corner(mirrored=True)
    assert plain[1] > 10
    assert mirrored == pytest.approx((plain[0], -plain[1]))


def test_a_height_is_that_of_the_highest_part_and_the_others_follow() -> None:
    heights = {piece.id: piece.height_mm for piece in put(template="ruin", height_mm=254.0).terrain}
    assert heights == {"f": 0.0, "f-walls": 254.0, "f-floor": pytest.approx(152.4)}
    assert [piece.height_mm for piece in put(template="woods", height_mm=40.0).terrain] == [40.0]


def test_an_outline_of_ones_own_has_parts_with_traits_of_their_own() -> None:
    square, line = [[0.0, 0.0], [50.0, 0.0], [50.0, 50.0], [0.0, 50.0]], [[0.0, 40.0], [50.0, 40.0], [50.0, 50.0]]
    parts = [{"name": "wall", "outline_mm": line, "height_mm": 80.0}, {"name": "top", "outline_mm": line, "traits": []}]
    placed = put(outline_mm=square, traits=["ruin"], parts=parts)
    assert {piece.id: set(piece.traits) for piece in placed.terrain} == {
        "f": {"ruin"},
        "f-wall": {"wall"},
        "f-top": set(),
    }
    assert placed.terrain[0].outline_mm[0] == (300.0, 200.0)
    assert [find_kind(piece) for piece in placed.terrain] == ["ruin", "wall", PLAIN]


def test_a_template_tells_what_its_parts_are_whatever_the_rulebook_calls_them() -> None:
    feature = {"id": "inn", "template": "ruin", "x_mm": 300.0, "y_mm": 200.0}
    placed = place("priority-skirmish", symmetry="none", features=[feature])
    assert [piece.kind for piece in placed.terrain] == ["ruin", "wall", "floor"]
    assert [set(piece.traits) for piece in placed.terrain] == [{"difficult"}, {"impassable"}, {"incline"}]


@pytest.mark.parametrize("symmetry", ["half-turn", "left-right", "near-far"])
def test_a_twin_follows_what_is_no_image_of_its_own(symmetry: str) -> None:
    placed = place(symmetry=symmetry)
    assert [feature.id for feature in placed.features] == ["crater", "ruin", "ruin-twin"]
    ruin, twin = (feature.area for feature in placed.features[1:])
    x, y = {"half-turn": (-1, -1), "left-right": (-1, 1), "near-far": (1, -1)}[symmetry]
    image = shapely.transform(ruin, lambda points: (points - (500, 400)) * (x, y) + (500, 400))
    assert image.symmetric_difference(twin).area < 1


@pytest.mark.parametrize(
    ("symmetry", "facing_deg"), [("half-turn", -150.0), ("left-right", 150.0), ("near-far", -30.0)]
)
def test_a_twin_is_turned_as_its_image(symmetry: str, facing_deg: float) -> None:
    feature = {"id": "f", "template": "barricade", "x_mm": 300.0, "y_mm": 200.0, "facing_deg": 30.0}
    first, twin = place(symmetry=symmetry, features=[feature]).terrain
    assert first.facing_rad == math.radians(30)
    assert math.degrees(twin.facing_rad) == pytest.approx(facing_deg)


def test_a_half_turn_gives_the_other_side_its_zone_and_its_home() -> None:
    placed = place()
    assert {zone.id: zone.player for zone in placed.deployment} == {"near": "1", "near-twin": "2"}
    assert {one.id: (one.x_mm, one.y_mm, one.range_mm) for one in placed.objectives} == {
        "middle": (500, 400, None),
        "home": (700, 100, 76.2),
        "home-twin": (300, 700, 76.2),
    }
    assert [zone.player for zone in placed.name_players(["Anna"])] == ["Anna", None]


def test_traits_are_the_rulebooks_by_which_it_is_played() -> None:
    def traits(rulebook: str | None) -> set[str]:
        return set(next(piece.traits for piece in place(rulebook).terrain if piece.id == "ruin-walls"))

    assert traits(None) == {"wall"}
    assert traits("activation-skirmish") == {"impassable"}
    assert traits("a-book-of-a-plug-in") == {"wall"}


def test_an_id_that_a_part_has_already_is_refused() -> None:
    also = {"id": "ruin-walls", "template": "crater", "x_mm": 100.0, "y_mm": 100.0}
    with pytest.raises(BadInput, match="'ruin-walls' is used twice once all parts and twins are there"):
        place(features=[*build_document()["features"], also])


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_fits_its_size_and_keeps_its_parts_on_its_footprint(name: str) -> None:
    for size_mm in (TEMPLATES[name].usual_mm, (400.0, 300.0)):
        parts = TEMPLATES[name].build(size_mm)
        footprint = shapely.Polygon(parts[0].outline_mm)
        left, near, right, far = footprint.bounds
        assert right - left <= size_mm[0] + 0.1
        assert far - near <= size_mm[1] + 0.1
        assert (left + right, near + far) == pytest.approx((0, 0), abs=0.1)
        assert [part.name for part in parts if not footprint.buffer(0.1).covers(shapely.Polygon(part.outline_mm))] == []
        assert all(shapely.Polygon(part.outline_mm).is_valid for part in parts)
