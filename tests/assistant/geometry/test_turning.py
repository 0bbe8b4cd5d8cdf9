import math
import random

import pytest
import shapely

from assistant.geometry.convex import Convex, placed_parts
from assistant.geometry.gaps import fit
from assistant.geometry.reach import reach_region
from assistant.geometry.regions import around
from assistant.geometry.shapes import Base, Oval, Placed, Rect, Round
from assistant.geometry.turning import TurningReach, turning_reach
from tests.assistant.geometry.shapes_at_random import L_SHAPE

TABLE = (600.0, 500.0)
OVAL, TRAY = Oval(length_mm=105, width_mm=60), Rect(length_mm=100, width_mm=40)
GAP_MM = 64.0


def block(x: float, y: float, width: float, depth: float) -> Placed:
    """A rectangle from its near left corner."""
    return Placed(shape=Rect(length_mm=width, width_mm=depth), x_mm=x + width / 2, y_mm=y + depth / 2)


def went(base: Base, others: list[Placed], limit_mm: float = 250, slices: int = 8, **start: float) -> TurningReach:
    at = Placed(shape=base, **{"x_mm": 120, "y_mm": 250, **start})
    obstacles: list[Convex] = [part for other in others for part in placed_parts(other)]
    return turning_reach(at, limit_mm, obstacles, TABLE, slices=slices)


WALL = [block(250, 0, 20, 250 - GAP_MM / 2), block(250, 250 + GAP_MM / 2, 20, 300)]


def test_a_round_base_has_its_plain_reach() -> None:
    base = Round(radius_mm=25)
    found = went(base, WALL)
    obstacles = [part.grown(25) for other in WALL for part in placed_parts(other)]
    plain = reach_region((120, 250), 250, obstacles, (25, 25, 575, 475))
    assert found.inner.equals(found.outer)
    assert (found.area_mm2, found.width_mm) == (0, 0)
    plain_free = shapely.difference(plain, shapely.union_all([around(obstacle, 0.01) for obstacle in obstacles]))
    assert found.inner.symmetric_difference(plain_free).area < 0.05 * plain.length


@pytest.mark.parametrize("base", [OVAL, TRAY, L_SHAPE])
def test_on_an_open_table_it_goes_as_far_as_it_may(base: Base) -> None:
    found = went(base, [], 60, x_mm=300.0)
    disc = shapely.Point(300, 250).buffer(60, quad_segs=200)
    assert found.inner.hausdorff_distance(disc) < 0.1
    assert found.outer.hausdorff_distance(disc) < 0.2


@pytest.mark.parametrize("base", [OVAL, TRAY])
def test_it_turns_to_pass_a_gap(base: Base) -> None:
    found = went(base, WALL, facing_rad=math.pi / 2)
    beyond = shapely.Point(330, 250)
    assert found.inner.contains(beyond)
    facing = found.facing_at((262, 250))
    assert facing is not None
    assert abs(math.sin(facing)) < 0.5, "lengthwise in the gap"
    assert found.facing_at((262, 150)) is None


def test_a_gap_narrower_than_the_base_stops_it() -> None:
    wide = Rect(length_mm=100, width_mm=GAP_MM + 1)
    found = went(wide, WALL)
    assert found.outer.bounds[2] < 250


def test_without_room_to_turn_it_keeps_its_facing() -> None:
    corridor = [block(0, 0, 600, 215), block(0, 285, 600, 215)]
    found = went(OVAL, corridor, 100)
    assert {facing for facing, _ in found.standing} == {0.0}
    assert found.inner.bounds == pytest.approx((52.5, 245, 220, 255), abs=0.2)
    assert found.facing_at((200, 250)) == 0.0


def test_it_turns_on_the_way_where_two_gaps_lie_across() -> None:
    """Out of a corridor lengthwise, then through a slot to the side: at one facing kept it does neither."""
    others = [block(0, 0, 200, 215), block(0, 285, 600, 215), block(200, 0, 110, 150), block(374, 0, 226, 250)]
    found = went(OVAL, others, 420)
    inside = found.facing_at((342, 100))
    assert inside is not None
    assert abs(math.cos(inside)) < 0.3
    assert min(facing for facing, _ in found.standing) == 0.0


def test_more_facings_leave_less_open() -> None:
    areas = [went(TRAY, WALL, slices=slices, facing_rad=0.5).area_mm2 for slices in (4, 16)]
    assert areas[1] < 0.9 * areas[0]


@pytest.mark.parametrize("base", [OVAL, TRAY, L_SHAPE])
def test_every_place_it_comes_to_is_legal_and_near_enough(base: Base) -> None:
    rng = random.Random(4)
    others = [
        Placed(shape=Round(radius_mm=25), x_mm=rng.uniform(180, 500), y_mm=rng.uniform(80, 420)) for _ in range(4)
    ]
    found = went(base, others, 160, slices=6)
    assert shapely.difference(found.inner, found.outer).area < 1e-6
    assert shapely.difference(found.outer, found.inner).buffer(-found.width_mm / 2 - 0.02).is_empty
    left, low, right, high = found.outer.bounds
    for _ in range(40):
        place = (rng.uniform(left, right), rng.uniform(low, high))
        facing = found.facing_at(place)
        assert (facing is not None) == found.inner.contains(shapely.Point(place))
        if facing is not None:
            assert math.dist(place, (120, 250)) <= 160
            assert fit(base, place, others, width_mm=TABLE[0], depth_mm=TABLE[1], facing_rad=facing) is not None


def test_in_contact_it_may_leave() -> None:
    touching = [block(0, 0, 600, 220)]
    found = went(OVAL, touching, 80)
    assert found.inner.contains(shapely.Point(120, 320))
    deeper = went(OVAL, [block(0, 0, 600, 230)], 80)
    assert deeper.inner.contains(shapely.Point(120, 320))
    assert deeper.inner.contains(shapely.Point(120, 200)), "an obstacle that it stands in is left out"


def test_inside_a_range_it_may_leave_but_not_go_deeper() -> None:
    enemy = placed_parts(Placed(shape=Round(radius_mm=16), x_mm=120, y_mm=150))[0].grown(70)
    start = Placed(shape=OVAL, x_mm=120, y_mm=250)
    found = turning_reach(start, 100, [enemy], TABLE, slices=8)
    assert found.inner.contains(shapely.Point(120, 300))
    assert not found.outer.contains(shapely.Point(120, 245))
    assert shapely.Point(120, 250).distance(found.inner) < 0.1


@pytest.mark.parametrize("limit", [0.0, 30.0])
def test_nothing_to_go_or_no_room_at_all(limit: float) -> None:
    start = Placed(shape=Rect(length_mm=100, width_mm=70), x_mm=60, y_mm=30)
    found = turning_reach(start, limit, [], (200, 60), slices=4)
    assert found.inner.is_empty
    assert found.outer.is_empty
    assert found.facing_at((60, 30)) is None


def test_on_a_table_narrower_than_it_is_long_it_slides() -> None:
    start = Placed(shape=OVAL, x_mm=60, y_mm=32)
    found = turning_reach(start, 100, [], (400, 64), slices=8)
    assert found.inner.bounds == pytest.approx((52.5, 30, 160, 34), abs=0.2)
    assert found.facing_at((150, 32)) == 0.0
