"""Checking: each fault of a layout is said, and a good one has none."""

from typing import Any

from assistant.layouts.checking import find_faults
from assistant.layouts.layout import parse_layout
from tests.assistant.layouts.sample_layouts import build_document


def find(**changes: Any) -> tuple[str, ...]:
    return find_faults(parse_layout(build_document(**changes), "a.json"))


def test_a_fair_layout_has_no_fault() -> None:
    assert find() == ()


def test_what_hangs_over_the_edge_is_said() -> None:
    woods = {"id": "woods", "template": "woods", "x_mm": 50.0, "y_mm": 300.0}
    assert find(features=[woods], symmetry="none") == (
        "woods hangs over the table's edge: move it, or make it smaller.",
        "Only one side has a deployment zone: give the other side one, too.",
    )
    assert "Objective o hangs over the table's edge." in find(objectives=[{"id": "o", "x_mm": 10.0, "y_mm": 300.0}])


def test_what_overlaps_is_said_but_a_bridge_lies_over_a_river() -> None:
    woods = {"id": "woods", "template": "woods", "x_mm": 260.0, "y_mm": 300.0}
    assert "ruin and woods overlap: move them apart." in find(features=[*build_document()["features"], woods])
    water = {"id": "river", "template": "river", "x_mm": 500.0, "y_mm": 400.0}
    bridge = {"id": "bridge", "template": "bridge", "x_mm": 500.0, "y_mm": 400.0}
    assert find(features=[water, bridge]) == ()


def test_zones_that_overlap_are_said() -> None:
    deep = [[0.0, 0.0], [1000.0, 0.0], [1000.0, 500.0], [0.0, 500.0]]
    assert "Deployment zones near and near-twin overlap." in find(
        deployment=[{"id": "near", "side": 1, "outline_mm": deep}]
    )


def test_an_objective_behind_walls_all_round_is_said() -> None:
    walls = [
        {"id": f"w{at}", "template": "wall", "size_mm": [300.0, 20.0], "x_mm": x, "y_mm": y, "facing_deg": turn}
        for at, (x, y, turn) in enumerate([(500, 290, 0), (390, 400, 90), (610, 400, 90), (500, 510, 0)])
    ]
    faults = find(features=[{**wall, "traits": ["impassable"]} for wall in walls], symmetry="none")
    assert "Nobody gets from near to objective middle on the ground: leave a way of 40 mm." in faults
    assert not any("home" in fault for fault in faults)
