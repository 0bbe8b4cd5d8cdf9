"""Observed paths: a seen path as the fewest straight legs that are clear, however often it was sampled."""

import math
import random
from dataclasses import replace
from itertools import combinations, pairwise

from assistant.game.state import GameState, Model, Pose, Table, Unit
from assistant.geometry.clearance.shape_clearance import interpolate_pose
from assistant.geometry.motion.path_length import measure_furthest_displacement
from assistant.geometry.shapes.base_shapes import Rect, Round
from assistant.rules.constraints.base import ConstraintSet
from assistant.rules.constraints.keep_out import KeepOut
from assistant.rules.engine.observed_path import straighten_walk
from assistant.rules.engine.situation_index import index_situation
from assistant.rules.engine.walk import Walk, join_straight_legs
from assistant.rules.lengths import format_inches
from assistant.rules.selectors import is_any_unit
from assistant.rules.verdict import Outcome

STAND = Rect(length_mm=20, width_mm=40)
ACROSS = KeepOut(rule="r", parties=is_any_unit, range_mm=0.0, vertical_mm=50.8, on_the_way=True, name="across")
ENDING = replace(ACROSS, on_the_way=False)


def make_walk(path: list[tuple[float, float, float]], *others: tuple[float, float]) -> Walk:
    """A stand on a path of x, y, facing among round bases of 40 mm."""
    poses = tuple(Pose(x_mm=x, y_mm=y, facing_rad=facing) for x, y, facing in path)
    mover = Model(id="m", base=STAND, pose=poses[0])
    models = tuple(
        Model(id=f"o{n}", base=Round(radius_mm=20), pose=Pose(x_mm=x, y_mm=y)) for n, (x, y) in enumerate(others)
    )
    units = (Unit(id="u", player="red", models=(mover,)), Unit(id="v", player="blue", models=models))
    state = GameState(rulebook="any", table=Table(width_mm=900, depth_mm=600), units=units)
    return Walk(scene=index_situation(state), unit=units[0], model=mover, path=poses, observed=True, say=format_inches)


def test_a_clear_path_counts_as_straight() -> None:
    walk = make_walk([(100, 100, 0), (150, 180, 1), (220, 90, 2), (300, 100, 0)])
    assert straighten_walk(ConstraintSet((ACROSS,)), walk).path == (walk.path[0], walk.path[-1])


def test_only_the_corner_that_it_takes_is_kept() -> None:
    walk = make_walk([(100, 100, 0), (150, 120, 0), (200, 190, 0), (250, 130, 0), (300, 100, 0)], (200, 110))
    assert straighten_walk(ConstraintSet((ACROSS,)), walk).path == (walk.path[0], walk.path[2], walk.path[4])


def test_what_is_asked_only_where_it_ends_changes_nothing() -> None:
    walk = make_walk([(100, 100, 0), (200, 190, 0), (300, 100, 0)], (200, 110))
    assert len(straighten_walk(ConstraintSet((ENDING,)), walk).path) == 2


def test_a_path_that_is_nowhere_clear_stays_as_it_was_seen() -> None:
    walk = make_walk([(100, 100, 0), (150, 100, 0), (200, 110, 0), (300, 100, 0)], (200, 110))
    assert straighten_walk(ConstraintSet((ACROSS,)), walk) is walk
    unseen = replace(walk, observed=False)
    assert straighten_walk(ConstraintSet((ACROSS,)), unseen) is unseen


def test_no_choice_of_poses_has_fewer_legs_or_is_shorter() -> None:
    met = set[int]()
    for seed in range(20):
        rng = random.Random(seed)
        spots = [(rng.uniform(150, 450), rng.uniform(60, 240)) for _ in range(6)]
        path = [(100.0, 150.0, 0.0)]
        path += [(rng.uniform(100, 500), rng.uniform(40, 260), rng.uniform(-3, 3)) for _ in range(4)]
        walk = make_walk([*path, (500.0, 150.0, 0.0)], *spots)
        found = straighten_walk(ConstraintSet((ACROSS,)), walk)
        clear = [choice for choice in list_choices(walk) if is_clear(choice)]
        if clear:
            best = min((len(choice.path), measure_length_mm(choice)) for choice in clear)
            assert (len(found.path), measure_length_mm(found)) == best
        else:
            assert found is walk
        met.add(len(found.path))
    assert {3, 4, 6} <= met


def list_choices(walk: Walk) -> list[Walk]:
    """Return the walk with every choice of its inner poses."""
    inner = walk.path[1:-1]
    return [
        replace(walk, path=(walk.path[0], *kept, walk.path[-1]))
        for count in range(len(inner) + 1)
        for kept in combinations(inner, count)
    ]


def is_clear(walk: Walk) -> bool:
    legs = (replace(walk, path=leg) for leg in pairwise(walk.path))
    return all(
        found.outcome is not Outcome.ILLEGAL for leg in legs for found in ACROSS.check(leg, ConstraintSet((ACROSS,)))
    )


def measure_length_mm(walk: Walk) -> float:
    return sum(
        measure_furthest_displacement([walk.place_base(a), walk.place_base(b)]).mm for a, b in pairwise(walk.path)
    )


# -- sampled anew


def join_legs(walk: Walk) -> Walk:
    return replace(walk, path=join_straight_legs(walk.model, walk.path))


def sample_anew(rng: random.Random, walk: Walk) -> Walk:
    """Return the same way with poses put in between, and some twice."""
    path = [walk.path[0]]
    for before, after in pairwise(walk.path):
        one, two = walk.place_base(before), walk.place_base(after)
        for share in sorted(rng.uniform(0, 1) for _ in range(rng.randrange(4))):
            at = interpolate_pose(one, two, share)
            between = replace(before, x_mm=at.x_mm, y_mm=at.y_mm, z_mm=at.z_mm, facing_rad=at.facing_rad)
            path += [between] * rng.choice((1, 2))
        path.append(after)
    return replace(walk, path=tuple(path))


def test_a_way_counts_the_same_however_it_was_sampled() -> None:
    met = set[int]()
    for seed in range(40):
        rng = random.Random(seed)
        spots = [(rng.uniform(150, 450), rng.uniform(60, 240)) for _ in range(5)]
        bends = [(rng.uniform(100, 500), rng.uniform(40, 260), rng.choice((0.0, rng.uniform(-3, 3)))) for _ in range(3)]
        walk = make_walk([(100, 150, 0), *bends, (500, 150, rng.choice((0.0, math.pi)))], *spots)
        again = join_legs(sample_anew(rng, walk))
        assert again.path == walk.path == join_legs(walk).path
        rules = ConstraintSet((ACROSS,))
        assert straighten_walk(rules, again).path == straighten_walk(rules, walk).path
        met.add(len(straighten_walk(rules, walk).path))
    assert len(met) > 2


def test_a_turn_of_more_than_a_half_is_parted_alike_wherever_it_was_seen() -> None:
    for seen in ((0, 120, 240), (0, 60, 179, 240), (0, 30, 60, 90, 120, 150, 180, 210, 240)):
        walk = make_walk([(100 + deg, 100, math.radians(deg)) for deg in seen])
        assert [round(math.degrees(pose.facing_rad), 6) for pose in join_legs(walk).path] == [0, 120, 240]
    spin = make_walk([(100, 100, math.radians(deg)) for deg in (0, 90, 180)])
    assert len(join_legs(spin).path) == 2  # half a turn is one leg, the way round that leads to the left
    back = make_walk([(100, 100, math.radians(deg)) for deg in (0, -90, -180)])
    assert len(join_legs(back).path) == 3


def test_a_way_back_along_itself_is_kept() -> None:
    walk = make_walk([(100, 100, 0), (300, 100, 0), (250, 100, 0), (200, 100, 0), (400, 100, 0)])
    assert [pose.x_mm for pose in join_legs(walk).path] == [100, 300, 200, 400]
    home = make_walk([(100, 100, 0), (200, 100, 0), (100, 100, 0)])
    assert len(join_legs(home).path) == 3
