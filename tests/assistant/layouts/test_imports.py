"""Imports: our own format and, in a small board of our own making, the shape of 40kdc's open data."""

import json
from pathlib import Path
from typing import Any

import pytest
import shapely

from assistant.errors import BadInput
from assistant.layouts import imports
from assistant.layouts.imports import import_layouts
from assistant.layouts.layout import Layout
from assistant.layouts.placing import place_layout
from tests.assistant.layouts.sample_layouts import build_document

TEMPLATES: list[dict[str, Any]] = [
    {
        "id": "plate",
        "name": "Plate",
        "kind": "area",
        "footprint": {"type": "rectangle", "width": 10, "height": 6},
        "default_terrain_area_keywords": ["obscuring"],
        "features": [{"id": "rail", "template": "rail", "position": {"x": 0, "y": -2.5}}],
    },
    {
        "id": "rail",
        "name": "Rail",
        "kind": "feature",
        "footprint": {"type": "rectangle", "width": 8, "height": 0.5},
        "default_height_inches": 4,
    },
    {
        "id": "corner",
        "name": "Corner",
        "kind": "feature",
        "footprint": {"type": "right-triangle", "width": 3, "height": 3},
        "walls": [{"points": [{"x": 0, "y": 3}, {"x": 0, "y": 0}, {"x": 3, "y": 0}], "thickness": 0.2}],
        "upper_floor": {"footprint": {"type": "rectangle", "width": 1, "height": 1}, "floor": 1},
    },
]
LAYOUT: dict[str, Any] = {
    "id": "own-board",
    "name": "Own Board",
    "source": "made-up",
    "deployment_pattern_id": "bands",
    "pieces": [
        {
            "id": "plate-1",
            "template": "plate",
            "position": {"x": 20, "y": 10},
            "rotation_degrees": 90,
            "is_objective": True,
            "objective_role": "home",
            "objective": {"control_range_inches": 3},
        },
        {
            "id": "c",
            "piece_type": "feature",
            "template": "corner",
            "parent_area_id": "plate-1",
            "position": {"x": 3, "y": 1},
        },
        {
            "name": "Rock",
            "footprint": {"type": "polygon", "points": [{"x": 0, "y": 0}, {"x": 4, "y": 0}, {"x": 4, "y": 2}]},
            "position": {"x": 40, "y": 30},
            "mirror": "horizontal",
        },
    ],
}
PATTERNS: list[dict[str, Any]] = [
    {
        "id": "bands",
        "name": "Bands",
        "zones": [
            {"player": side, "shape": {"type": "rectangle", "width": 60, "height": 9}, "position": {"x": 0, "y": y}}
            for side, y in (("attacker", 35), ("defender", 0))
        ],
    }
]


def write(folder: Path, name: str, document: object) -> str:
    (folder / name).write_text(json.dumps(document))
    return str(folder / name)


def take(folder: Path, **changes: Any) -> tuple[Layout, list[str]]:
    bundle = {"units": [{"id": "x"}], "terrain_layouts": [{**LAYOUT, **changes}]}
    bundle |= {"terrain_templates": TEMPLATES, "deployment_patterns": PATTERNS}
    ((name, layout),), remarks = import_layouts([write(folder, "bundle.json", bundle)])
    assert name == "own-board"
    return layout, remarks


def find_box(layout: Layout, piece: str) -> tuple[float, ...]:
    terrain = {one.id: one for one in place_layout(layout).terrain}[piece]
    return tuple(round(mm / 25.4, 3) for mm in shapely.Polygon(terrain.outline_mm).bounds)


def test_our_own_format_is_taken_as_it_is(tmp_path: Path) -> None:
    path = write(tmp_path, "My Table.json", build_document())
    assert [name for name, _ in import_layouts([path])[0]] == ["my-table"]


def test_a_board_with_y_down_comes_to_lie_as_it_is_seen(tmp_path: Path) -> None:
    layout, remarks = take(tmp_path)
    assert remarks == []
    assert (layout.table.width_mm, layout.table.depth_mm) == (1524.0, 1117.6)
    # A plate of 10 x 6 about (20, 10) from the far left corner, turned by a quarter.
    assert find_box(layout, "plate-1") == pytest.approx((17, 29, 23, 39), abs=1e-3)
    # Its rail, 2.5 beyond the middle, has come to the right by the turn clockwise.
    assert find_box(layout, "plate-1-1-rail-1") == pytest.approx((22.25, 30, 22.75, 38), abs=1e-3)
    # The right angle of the rock, at its right, is at its left in the mirror; the centroid stays.
    assert find_box(layout, "rock") == pytest.approx((38.667, 12.667, 42.667, 14.667), abs=1e-3)


def test_a_smaller_board_is_a_smaller_table(tmp_path: Path) -> None:
    layout, remarks = take(tmp_path, board={"width": 44, "height": 30})
    assert remarks == []
    assert (layout.table.width_mm, layout.table.depth_mm) == (1117.6, 762.0)
    assert find_box(layout, "plate-1") == pytest.approx((17, 15, 23, 25), abs=1e-3)
    assert layout.objectives[0].y_mm == pytest.approx(20 * 25.4)


def test_walls_and_floors_stand_at_their_heights(tmp_path: Path) -> None:
    pieces = {one.id: one for one in place_layout(take(tmp_path)[0]).terrain}
    heights = {name: piece.height_mm for name, piece in pieces.items()}
    assert heights == {
        "plate-1": 0.0,
        "plate-1-1-rail-1": 101.6,
        "plate-1-wall-2": 127.0,
        "plate-1-2-corner-floor-3": 76.2,
        "rock": 0.0,
    }
    assert set(pieces["plate-1"].traits) == {"ruin", "obscuring"}
    assert shapely.Polygon(pieces["plate-1-wall-2"].outline_mm).area == pytest.approx(6 * 0.2 * 25.4**2, rel=0.02)


def test_objectives_and_zones_come_along(tmp_path: Path) -> None:
    layout = take(tmp_path)[0]
    (home,) = layout.objectives
    assert (home.x_mm, home.y_mm, home.range_mm) == (508.0, 863.6, 76.2)
    attacker, defender = layout.deployment
    assert (attacker.side, defender.side) == (1, 2)
    assert shapely.Polygon(attacker.outline_mm).bounds == pytest.approx((0, 0, 1524, 228.6))
    assert shapely.Polygon(defender.outline_mm).bounds[1] == pytest.approx(889.0)


def test_files_may_be_given_apart_and_what_is_lacking_is_said(tmp_path: Path) -> None:
    layouts = write(tmp_path, "terrain-layouts.json", [LAYOUT])
    templates = write(tmp_path, "terrain-templates.json", TEMPLATES)
    assert len(import_layouts([layouts, templates])[0]) == 1
    found, (remark,) = import_layouts([layouts])
    assert found == []
    assert "layout 'own-board': there is no terrain template 'plate'; give the file" in remark


def test_a_faulty_board_is_left_out_with_a_sentence_and_the_others_are_taken(tmp_path: Path) -> None:
    bare = {**LAYOUT, "pieces": []}
    lost = {**LAYOUT, "pieces": [{**LAYOUT["pieces"][1], "parent_area_id": "gone"}]}
    worse = {**LAYOUT, "pieces": [{"id": "a", "position": {"x": "left"}}]}
    path = write(tmp_path, "terrain-layouts.json", [bare, lost, worse, LAYOUT])
    found, remarks = import_layouts([path, write(tmp_path, "t.json", TEMPLATES)])
    assert len(found) == 1
    assert [text.partition("layout 'own-board': ")[2].partition(":")[0] for text in remarks] == [
        "it has no pieces yet",
        "piece 'c' stands on 'gone', which is not there",
        "pieces[0].position.x",
    ]


def test_the_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "find_bundle", lambda: None)
    with pytest.raises(BadInput, match="wh40kdc: this package is not installed"):
        import_layouts(["wh40kdc"])
