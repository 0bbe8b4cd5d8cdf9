"""What the terrain says of heights that the camera cannot tell apart."""

from dataclasses import replace

import pytest

from assistant.game.state import GameState, Pose, Table, Terrain
from assistant.table.surface_levels import describe_level_doubt, is_block, list_surfaces, resolve_level
from vision.tracking.surfaces import Surface

SQUARE = ((400.0, 400.0), (600.0, 400.0), (600.0, 600.0), (400.0, 600.0))
RUIN = Terrain(id="ruin", outline_mm=SQUARE, height_mm=6, traits=frozenset({"ruin"}))
POND = Terrain(id="pond", outline_mm=SQUARE, height_mm=0, traits=frozenset({"impassable"}))
IN_DOUBT = Pose(x_mm=500, y_mm=500, sigma_mm=0.5, other_z_mm=(6,))


def build_state_with(*terrain: Terrain) -> GameState:
    return GameState(rulebook="none", table=Table(width_mm=900, depth_mm=900), units=(), terrain=terrain)


def build_pose(z_mm: float, x_mm: float = 450) -> Pose:
    return Pose(x_mm=x_mm, y_mm=500, z_mm=z_mm)


def test_everything_with_a_height_has_a_top() -> None:
    assert list_surfaces((RUIN, POND)) == (Surface(outline_mm=SQUARE, height_mm=6),)


def test_what_is_walked_in_or_has_no_height_is_no_block() -> None:
    hill = replace(RUIN, traits=frozenset({"hill"}))
    assert [is_block(each) for each in (hill, RUIN, replace(hill, height_mm=0))] == [True, False, False]


@pytest.mark.parametrize("trait", ["hill", "wall", "impassable"])
def test_nothing_stands_inside_of_what_is_solid(trait: str) -> None:
    solid = replace(RUIN, traits=frozenset({trait}))
    settled = resolve_level(build_state_with(solid), IN_DOUBT, None)
    assert (settled.z_mm, settled.other_z_mm) == (6, ())
    # At its edge, and in what is walked in, the map cannot tell either.
    edge = replace(IN_DOUBT, x_mm=400.9)
    assert resolve_level(build_state_with(solid), edge, None) == edge
    assert resolve_level(build_state_with(RUIN), IN_DOUBT, None) == IN_DOUBT


@pytest.mark.parametrize("z_mm", [0, 6])
def test_what_has_crossed_no_edge_is_on_the_level_that_it_was_on(z_mm: float) -> None:
    settled = resolve_level(build_state_with(RUIN), IN_DOUBT, build_pose(z_mm))
    assert (settled.z_mm, settled.other_z_mm) == (z_mm, ())


@pytest.mark.parametrize("before", [build_pose(0, x_mm=350), replace(build_pose(0), other_z_mm=(6,)), build_pose(50)])
def test_what_came_over_an_edge_or_was_in_doubt_before_stays_in_doubt(before: Pose) -> None:
    assert resolve_level(build_state_with(RUIN), IN_DOUBT, before) == IN_DOUBT


def test_a_doubt_is_said_in_words() -> None:
    assert describe_level_doubt(build_state_with(RUIN), "s1", IN_DOUBT) == (
        "s1 stands on the table or on ruin: too little between 0 and 6 mm to tell; it is taken to stand on the table."
    )
    assert describe_level_doubt(build_state_with(RUIN), "s1", build_pose(6)) == ""
