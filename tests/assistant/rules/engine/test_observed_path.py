"""Observed paths: a seen path as the fewest straight legs that are clear."""

import random
from dataclasses import replace
from itertools import combinations, pairwise

from assistant.game.state import GameState, Model, Pose, Table, Unit
from assistant.geometry.motion.path_length import measure_furthest_displacement
from assistant.geometry.shapes.base_shapes import Rect, Round
from assistant.rules.constraints.base import ConstraintSet
from assistant.rules.constraints.keep_out import KeepOut
from assistant.rules.engine.observed_path import straighten_walk
from assistant.rules.engine.situation_index import index_situation
from assistant.rules.engine.walk import Walk
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
