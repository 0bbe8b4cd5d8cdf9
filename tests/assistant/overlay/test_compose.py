"""What is drawn of a table."""

import pytest
import shapely

from assistant.game.state import Pose, Track
from assistant.overlay.compose import compose, zone_shapes
from assistant.overlay.palette import PALETTE
from assistant.overlay.shapes import Layer, OverlayShape
from assistant.rules.judge import judge, zone
from tests.assistant.scripted import game

MM = 25.4


def drawn(layer: Layer, shapes: tuple[OverlayShape, ...]) -> dict[str, OverlayShape]:
    return {shape.key: shape for shape in shapes if shape.layer is layer}


def test_only_enemies_have_engagement_rings_and_they_are_one_inch_wide() -> None:
    shapes = compose(state=game(), tracks={}, verdict=None, unit="scouts")
    (ring,) = drawn(Layer.ENGAGEMENT, shapes).values()
    assert ring.key == "engagement:w1"
    left, near, right, far = shapely.Polygon(ring.rings_mm[0]).bounds
    assert (left, right) == pytest.approx((550 - MM, 650 + MM), abs=0.02)
    assert (near, far) == pytest.approx((290 - MM, 350 + MM), abs=0.02)
    assert set(drawn(Layer.ENGAGEMENT, compose(state=game(), tracks={}, verdict=None, unit="walker"))) == {
        "engagement:s1",
        "engagement:s2",
    }


def test_coherency_is_drawn_as_links_and_breaks() -> None:
    together = compose(state=game(), tracks={}, verdict=None, unit="scouts")
    assert set(drawn(Layer.COHERENCY, together)) == {"coherency:s1:s2"}
    apart = game().standing({"s1": Pose(x_mm=300, y_mm=100)})
    shapes = compose(state=apart, tracks={}, verdict=None, unit="scouts")
    assert set(drawn(Layer.BREAK, shapes)) == {"break:s1", "break:s2"}
    assert drawn(Layer.COHERENCY, shapes) == {}


def test_a_journey_leaves_a_ghost_and_a_path() -> None:
    track = Track(poses=(Pose(x_mm=300, y_mm=300), Pose(x_mm=300, y_mm=260)), observed=True)
    now = game().standing({"s1": track.poses[-1]})
    shapes = compose(state=now, tracks={"s1": track}, verdict=None, unit=None)
    ghost, path = drawn(Layer.GHOST, shapes)["ghost:s1"], drawn(Layer.PATH, shapes)["path:s1"]
    centre = shapely.Polygon(ghost.rings_mm[0]).centroid
    assert (centre.x, centre.y) == pytest.approx((300, 300), abs=0.01)
    assert path.rings_mm == (((300, 300), (300, 260)),)


def test_the_legs_of_a_way_that_nobody_saw_are_drawn_apart() -> None:
    poses = tuple(Pose(x_mm=300, y_mm=y) for y in (300, 280, 260, 240, 220))
    track = Track(poses=poses, observed=False, unseen=(1, 2))
    paths = drawn(Layer.PATH, compose(state=game(), tracks={"s1": track}, verdict=None, unit=None))
    assert paths["path:s1"].rings_mm == (((300, 300), (300, 280)), ((300, 240), (300, 220)))
    assert paths["path-unseen:s1"].rings_mm == (((300, 280), (300, 260), (300, 240)),)
    assert PALETTE[paths["path-unseen:s1"].style].dash_mm
    assert not PALETTE[paths["path:s1"].style].dash_mm


def test_a_finding_shows_the_segment_that_was_measured() -> None:
    apart = game().standing({"s1": Pose(x_mm=300, y_mm=100)})
    verdict = judge(apart, None)
    shapes = compose(state=apart, tracks={}, verdict=verdict, unit=None)
    (witness,) = drawn(Layer.WITNESS, shapes).values()
    assert (witness.style, witness.label, witness.closed) == ("witness-illegal", '8.6"', False)
    assert witness.rings_mm[0] == verdict.findings[0].witness_mm


def test_every_style_is_in_the_palette() -> None:
    reach = zone(game(), model="s1", action="normal", alone=True)
    zones = tuple(zone_shapes(reach))
    shapes = (*zones, *compose(state=game(), tracks={}, verdict=judge(game(), None), unit="scouts"))
    assert drawn(Layer.ZONE, zones)
    assert {shape.style for shape in shapes} <= set(PALETTE)
