"""What is drawn of a table."""

import pytest
import shapely

from assistant.game.state import DeploymentZone, GameState, Model, ModelTrack, Objective, Pose, Table, Unit
from assistant.geometry.shapes.base_shapes import Round
from assistant.overlay.composition import compose_overlay, draw_threat, draw_zone
from assistant.overlay.palette import PALETTE
from assistant.overlay.shapes import Layer, OverlayShape
from assistant.rules.referee import Referee, judge
from tests.assistant.snapshot_script import build_game

MM = 25.4


def select_layer(layer: Layer, shapes: tuple[OverlayShape, ...]) -> dict[str, OverlayShape]:
    return {shape.key: shape for shape in shapes if shape.layer is layer}


def test_only_enemies_have_engagement_rings_and_they_are_one_inch_wide() -> None:
    shapes = compose_overlay(state=build_game(), tracks={}, verdict=None, unit="scouts")
    (ring,) = select_layer(Layer.ENGAGEMENT, shapes).values()
    assert ring.key == "engagement:w1"
    left, near, right, far = shapely.Polygon(ring.rings_mm[0]).bounds
    assert (left, right) == pytest.approx((550 - MM, 650 + MM), abs=0.02)
    assert (near, far) == pytest.approx((290 - MM, 350 + MM), abs=0.02)
    assert set(
        select_layer(Layer.ENGAGEMENT, compose_overlay(state=build_game(), tracks={}, verdict=None, unit="walker"))
    ) == {
        "engagement:s1",
        "engagement:s2",
    }


def test_coherency_is_drawn_as_links_and_breaks() -> None:
    together = compose_overlay(state=build_game(), tracks={}, verdict=None, unit="scouts")
    assert set(select_layer(Layer.COHERENCY, together)) == {"coherency:s1:s2"}
    apart = build_game().place_models({"s1": Pose(x_mm=300, y_mm=100)})
    shapes = compose_overlay(state=apart, tracks={}, verdict=None, unit="scouts")
    assert set(select_layer(Layer.BREAK, shapes)) == {"break:s1", "break:s2"}
    assert select_layer(Layer.COHERENCY, shapes) == {}


def test_a_journey_leaves_a_ghost_and_a_path() -> None:
    track = ModelTrack(poses=(Pose(x_mm=300, y_mm=300), Pose(x_mm=300, y_mm=260)), observed=True)
    now = build_game().place_models({"s1": track.poses[-1]})
    shapes = compose_overlay(state=now, tracks={"s1": track}, verdict=None, unit=None)
    ghost, path = select_layer(Layer.GHOST, shapes)["ghost:s1"], select_layer(Layer.PATH, shapes)["path:s1"]
    centre = shapely.Polygon(ghost.rings_mm[0]).centroid
    assert (centre.x, centre.y) == pytest.approx((300, 300), abs=0.01)
    assert path.rings_mm == (((300, 300), (300, 260)),)


def test_the_legs_of_a_way_that_nobody_saw_are_drawn_apart() -> None:
    poses = tuple(Pose(x_mm=300, y_mm=y) for y in (300, 280, 260, 240, 220))
    track = ModelTrack(poses=poses, observed=False, unseen=(1, 2))
    paths = select_layer(Layer.PATH, compose_overlay(state=build_game(), tracks={"s1": track}, verdict=None, unit=None))
    assert paths["path:s1"].rings_mm == (((300, 300), (300, 280)), ((300, 240), (300, 220)))
    assert paths["path-unseen:s1"].rings_mm == (((300, 280), (300, 260), (300, 240)),)
    assert PALETTE[paths["path-unseen:s1"].style].dash_mm
    assert not PALETTE[paths["path:s1"].style].dash_mm


def test_a_finding_shows_the_segment_that_was_measured() -> None:
    apart = build_game().place_models({"s1": Pose(x_mm=300, y_mm=100)})
    verdict = judge(apart, None)
    shapes = compose_overlay(state=apart, tracks={}, verdict=verdict, unit=None)
    (witness,) = select_layer(Layer.WITNESS, shapes).values()
    assert (witness.style, witness.label, witness.closed) == ("witness-illegal", '8.6"', False)
    assert witness.rings_mm[0] == verdict.findings[0].witness_mm


def test_every_style_is_in_the_palette() -> None:
    reach = Referee(build_game()).find_zone(model="s1", action="normal", alone=True)
    zones = tuple(draw_zone(reach))
    shapes = (*zones, *compose_overlay(state=build_game(), tracks={}, verdict=judge(build_game(), None), unit="scouts"))
    assert select_layer(Layer.ZONE, zones)
    assert {shape.style for shape in shapes} <= set(PALETTE)


def test_the_largest_part_of_a_threat_carries_the_words() -> None:
    parts = shapely.MultiPolygon([shapely.box(0, 0, 10, 10), shapely.box(100, 0, 150, 50)])
    shapes = list(draw_threat("scouts", parts, "scouts: 7 inches"))
    assert [shape.key for shape in shapes] == ["threat:scouts:0", "threat:scouts:1"]
    assert [shape.label for shape in shapes] == ["", "scouts: 7 inches"]


def test_a_mission_is_drawn_with_who_is_within_range() -> None:
    model = Model(id="m", base=Round(radius_mm=16), pose=Pose(x_mm=500, y_mm=560))
    band = ((0.0, 0.0), (1000.0, 0.0), (1000.0, 100.0), (0.0, 100.0))
    state = GameState(
        rulebook="none",
        table=Table(width_mm=1000, depth_mm=1000),
        units=(Unit(id="u", player="Anna", models=(model,)),),
        objectives=(
            Objective(id="home", x_mm=500, y_mm=500, radius_mm=20, range_mm=76.2),
            Objective(id="bare", x_mm=200, y_mm=500, radius_mm=20),
        ),
        deployment=(
            DeploymentZone(id="near", player="Anna", outline_mm=band),
            DeploymentZone(id="far", player=None, outline_mm=band),
        ),
    )
    shapes = {shape.key: shape for shape in compose_overlay(state=state, tracks={}, verdict=None, unit=None)}
    assert {key: (shape.layer, shape.style, shape.label) for key, shape in shapes.items()} == {
        "deployment:near": (Layer.DEPLOYMENT, "deployment-0", ""),
        "deployment:far": (Layer.DEPLOYMENT, "deployment-1", ""),
        "objective:home": (Layer.OBJECTIVE, "objective", "home: Anna 1"),
        "objective-range:home": (Layer.OBJECTIVE, "objective-range", ""),
        "objective:bare": (Layer.OBJECTIVE, "objective", "bare"),
    }
    reach = max(x for x, _ in shapes["objective-range:home"].rings_mm[0]) - 500
    assert reach == pytest.approx(96.2, abs=0.05)
