"""Editing a layout: pieces go where they are moved, and the other half follows by the symmetry."""

import pytest
import shapely

from assistant.errors import BadInput
from assistant.game.state import Table
from assistant.layouts import editing
from assistant.layouts.editing import Motion
from assistant.layouts.layout import Layout, Symmetry, encode_layout, parse_layout
from assistant.layouts.packs import list_layouts
from assistant.layouts.placing import place_layout

TABLE = Table(width_mm=1500, depth_mm=1100)


def find_middles(layout: Layout) -> dict[str, tuple[float, float]]:
    placed = place_layout(layout)
    middles = {one.id: shapely.Polygon(one.pieces[0].outline_mm).centroid for one in placed.features}
    return {
        **{name: (round(point.x, 1), round(point.y, 1)) for name, point in middles.items()},
        **{one.id: (one.x_mm, one.y_mm) for one in placed.objectives},
    }


def make_layout(symmetry: Symmetry = "half-turn") -> Layout:
    return editing.add_template(editing.change_symmetry(editing.begin_layout(TABLE), symmetry), "house", 300, 200)


@pytest.mark.parametrize(
    ("symmetry", "twin", "moved_twin"),
    [
        ("half-turn", (1200, 900), (1190, 880)),
        ("left-right", (1200, 200), (1190, 220)),
        ("near-far", (300, 900), (310, 880)),
    ],
)
def test_a_twin_follows_and_may_be_moved_in_place_of_its_original(
    symmetry: Symmetry, twin: tuple[float, float], moved_twin: tuple[float, float]
) -> None:
    layout = make_layout(symmetry)
    assert find_middles(layout) == {"house-1": (300, 200), "house-1-twin": twin}
    moved = editing.move_piece(layout, "house-1", Motion(dx_mm=10, dy_mm=20))
    assert find_middles(moved) == {"house-1": (310, 220), "house-1-twin": moved_twin}
    by = Motion(dx_mm=moved_twin[0] - twin[0], dy_mm=moved_twin[1] - twin[1])
    assert editing.move_piece(layout, "house-1-twin", by) == moved
    turned = editing.move_piece(layout, "house-1", Motion(turn_deg=30))
    assert editing.move_piece(layout, "house-1-twin", Motion(turn_deg=30 if symmetry == "half-turn" else -30)) == turned


def test_a_piece_turns_and_is_mirrored_about_its_own_middle() -> None:
    layout = editing.change_symmetry(editing.begin_layout(TABLE), "none")
    layout = editing.add_outline(layout, [(900, 300), (1000, 300), (1000, 340), (940, 340), (940, 400), (900, 400)])
    before = find_middles(layout)
    for motion in (Motion(turn_deg=77), Motion(flip=True), Motion(turn_deg=-15, flip=True)):
        layout = editing.move_piece(layout, "piece-1", motion)
        (middle,) = find_middles(layout).values()
        assert middle == pytest.approx(before["piece-1"], abs=0.2)


def test_pieces_and_markers_are_added_copied_changed_and_taken_away() -> None:
    layout = editing.copy_piece(make_layout(), "house-1-twin")
    assert find_middles(layout)["house-2"] == (350, 150)
    layout = editing.add_objective(layout, 750, 550)
    layout = editing.add_objective(layout, 400, 550)
    layout = editing.move_piece(layout, "B-twin", Motion(dx_mm=-5))
    assert {name: find_middles(layout)[name] for name in ("A", "B", "B-twin")} == {
        "A": (750, 550),
        "B": (405, 550),
        "B-twin": (1095, 550),
    }
    layout = editing.remove_piece(editing.remove_piece(layout, "B-twin"), "house-1")
    assert find_middles(layout).keys() == {"house-2", "house-2-twin", "A"}
    layout = editing.change_piece(layout, "house-2-twin", height_mm=50)
    assert {piece.height_mm for piece in place_layout(layout).terrain} == {50}
    layout = editing.add_outline(layout, [(100, 700), (200, 700), (150, 800)])
    layout = editing.change_piece(layout, "piece-1", kind="wall")
    for rulebook, traits in (("warhammer-40k-5e", {"wall", "impassable"}), ("priority-skirmish", {"impassable"})):
        (rampart,) = (piece for piece in place_layout(layout, rulebook).terrain if piece.id == "piece-1")
        assert (rampart.kind, set(rampart.traits)) == ("wall", traits)
    with pytest.raises(BadInput, match="there is no kind 'lava'"):
        editing.change_piece(layout, "piece-1", kind="lava")
    with pytest.raises(BadInput, match="a template says itself what it is made of"):
        editing.change_piece(layout, "house-2", kind="woods")


def test_what_cannot_be_is_said_and_nothing_is_changed() -> None:
    layout = make_layout()
    marked = editing.add_objective(layout, 1, 1)
    with pytest.raises(BadInput, match="there is no piece 'ghost'"):
        editing.move_piece(layout, "ghost", Motion())
    with pytest.raises(BadInput, match="there is no template 'castle'"):
        editing.add_template(layout, "castle", 1, 1)
    with pytest.raises(BadInput, match="three corners or more"):
        editing.add_outline(layout, [(0, 0), (5, 5)])
    with pytest.raises(BadInput, match="this layout"):
        editing.add_outline(layout, [(0, 0), (90, 90), (90, 0), (0, 90)])
    with pytest.raises(BadInput, match="add another marker"):
        editing.copy_piece(marked, "A")
    with pytest.raises(BadInput, match="title"):
        editing.name_layout(layout, " ")


@pytest.mark.parametrize("name", [one.name for one in list_layouts()])
def test_our_own_layouts_can_be_edited_and_come_back_as_they_were(name: str) -> None:
    layout = next(one.layout for one in list_layouts() if one.name == name)
    first = layout.features[0].id
    there = editing.move_piece(layout, first, Motion(dx_mm=12, dy_mm=-7))
    again = editing.move_piece(there, first, Motion(dx_mm=-12, dy_mm=7))
    assert place_layout(again).terrain == place_layout(layout).terrain
    assert parse_layout(encode_layout(again), "again") == again
