"""Keeping away from models, terrain and the edge, and leaving what one starts in: held to a dense sampling."""

import math
import random
from dataclasses import replace
from itertools import pairwise

import pytest

from assistant.game.state import GameState, Model, Pose, Table, Terrain, Unit
from assistant.geometry.clearance.shape_clearance import clearance, edge_clearance, interpolate_pose
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from assistant.rules.constraints.base import Constraint, ConstraintSet
from assistant.rules.constraints.forbidden_terrain import ForbiddenTerrain
from assistant.rules.constraints.keep_out import KeepOut
from assistant.rules.constraints.table_boundary import TableBoundary
from assistant.rules.engine.situation_index import index_situation
from assistant.rules.engine.terrain import build_outline
from assistant.rules.engine.walk import Walk
from assistant.rules.lengths import format_inches
from assistant.rules.selectors import has_trait, is_any_unit
from assistant.rules.verdict import Finding, Outcome

BASES: tuple[Base, ...] = (Round(radius_mm=16), Oval(length_mm=75, width_mm=42), Rect(length_mm=60, width_mm=40))
WIDTH, DEPTH = 500.0, 400.0
STEPS = 24
COARSE_MM = 8.0
"""How much deeper a path may come between two of its sampled places."""


def make_keep_out(range_mm: float, *, leaving: bool = False) -> KeepOut:
    return KeepOut(
        rule="r",
        parties=is_any_unit,
        range_mm=range_mm,
        vertical_mm=50.8,
        on_the_way=True,
        name="keep-out",
        leaving=leaving,
    )


def make_random_walk(rng: random.Random, *, sigma_mm: float = 0.0, base: Base | None = None) -> Walk:
    """A model on a random path past another one and a wall, near the table's corner."""

    def pose() -> Pose:
        return Pose(
            x_mm=rng.uniform(0, 260), y_mm=rng.uniform(0, 260), facing_rad=rng.uniform(-3, 3), sigma_mm=sigma_mm
        )

    mover = Model(id="m", base=base or rng.choice(BASES), pose=pose())
    other = Model(id="o", base=rng.choice(BASES), pose=pose())
    x, y = rng.uniform(40, 200), rng.uniform(40, 200)
    wall = ((x, y), (x + 60, y), (x + 60, y + 12), (x + 12, y + 12), (x + 12, y + 50), (x, y + 50))
    units = (Unit(id="u", player="red", models=(mover,)), Unit(id="v", player="blue", models=(other,)))
    terrain = (Terrain(id="wall", outline_mm=wall, traits=frozenset({"impassable"})),)
    state = GameState(rulebook="any", table=Table(width_mm=WIDTH, depth_mm=DEPTH), units=units, terrain=terrain)
    assert mover.pose is not None
    path = (mover.pose, pose(), pose())
    return Walk(scene=index_situation(state), unit=units[0], model=mover, path=path, observed=True, say=format_inches)


def sample_gaps(walk: Walk, constraint: Constraint) -> list[float]:
    """Return the clearance at places all along a path."""
    (other,) = walk.state.find_unit("v").models
    (wall,) = walk.state.terrain

    def gap_mm(placed: PlacedShape) -> float:
        match constraint:
            case TableBoundary():
                return edge_clearance(placed, WIDTH, DEPTH).mm
            case ForbiddenTerrain():
                return clearance(placed, build_outline(wall)).mm
            case _:
                return clearance(placed, other.place_base()).mm

    legs = pairwise([walk.place_base(pose) for pose in walk.path])
    return [gap_mm(interpolate_pose(a, b, step / STEPS)) for a, b in legs for step in range(STEPS + 1)]


def find_only_finding(constraint: Constraint, walk: Walk) -> Finding:
    (found,) = constraint.check(walk, ConstraintSet((constraint,)))
    return found


CONSTRAINTS: dict[str, tuple[Constraint, float]] = {
    "keep-out": (make_keep_out(25.4, leaving=True), 25.4),
    "across": (make_keep_out(0.0, leaving=True), 0.0),
    "shut": (ForbiddenTerrain(rule="r", terrain=has_trait("impassable"), on_the_way=True, leaving=True), 0.0),
    "edge": (TableBoundary(rule="r", leaving=True), 0.0),
}


@pytest.mark.parametrize(("constraint", "range_mm"), CONSTRAINTS.values(), ids=CONSTRAINTS)
def test_one_who_starts_within_a_range_may_leave_it_and_come_no_nearer(constraint: Constraint, range_mm: float) -> None:
    seen = set[tuple[bool, Outcome]]()
    for seed in range(24):
        walk = make_random_walk(random.Random(seed))
        gaps, found = sample_gaps(walk, constraint), find_only_finding(constraint, walk)
        least, ending = min(gaps) - min(range_mm, gaps[0]), gaps[-1] if range_mm == 0 else math.inf
        assert found.margin_mm is not None
        if found.outcome is Outcome.ILLEGAL:  # what is measured is at least what was sampled, and not much more
            assert min(least, ending) - COARSE_MM <= found.margin_mm <= min(least, ending) + 1e-5
        else:
            assert min(least, ending) >= -1e-6
        seen.add((gaps[0] < range_mm, found.outcome))
    assert seen == {(started, outcome) for started in (True, False) for outcome in (Outcome.LEGAL, Outcome.ILLEGAL)}


@pytest.mark.parametrize("constraint", [constraint for constraint, _ in CONSTRAINTS.values()], ids=CONSTRAINTS)
def test_how_a_start_was_measured_leaves_no_doubt_of_who_only_leaves(constraint: Constraint) -> None:
    walk = make_random_walk(random.Random(3), sigma_mm=0.3, base=Round(radius_mm=16))
    start, away = Pose(x_mm=100, y_mm=100, sigma_mm=0.3), Pose(x_mm=300, y_mm=300, sigma_mm=0.3)
    near = {"o": Pose(x_mm=80, y_mm=80, sigma_mm=0.3), "m": start}
    if isinstance(constraint, TableBoundary):
        start = replace(start, x_mm=15.9)
    path = (start, away)
    state = replace(walk.state.place_models(near | {"m": start}), terrain=walk.state.terrain[:0])
    wall = Terrain(id="wall", outline_mm=((60, 60), (110, 60), (110, 90), (60, 90)), traits=frozenset({"impassable"}))
    walk = replace(walk, scene=index_situation(replace(state, terrain=(wall,))), path=path)
    found = find_only_finding(constraint, walk)
    assert (found.outcome, found.margin_mm, found.p_legal) == (Outcome.LEGAL, 0.0, 1.0)


def test_to_be_in_contact_is_to_be_exactly_at_the_range_too() -> None:
    rule = KeepOut(
        rule="r", parties=is_any_unit, range_mm=1.0, vertical_mm=50.8, on_the_way=True, name="contact", at_limit=False
    )
    walk = make_random_walk(random.Random(0), base=Round(radius_mm=16))
    other = Model(id="o", base=Round(radius_mm=16), pose=Pose(x_mm=200, y_mm=100))
    state = replace(walk.state, units=(walk.state.units[0], Unit(id="v", player="blue", models=(other,))))
    for x, outcome in ((167.0, Outcome.ILLEGAL), (166.99, Outcome.LEGAL)):
        path = (Pose(x_mm=100, y_mm=100), Pose(x_mm=x, y_mm=100))
        scene = index_situation(state.place_models({"m": path[0]}))
        assert find_only_finding(rule, replace(walk, scene=scene, path=path)).outcome is outcome


def test_what_a_way_ends_within_range_of_may_be_left_aside() -> None:
    rule = replace(make_keep_out(25.4), unless_ending=True)
    walk = make_random_walk(random.Random(0), base=Round(radius_mm=16))
    state = walk.state.place_models({"o": Pose(x_mm=200, y_mm=100)})
    other = replace(state.find_model("o"), base=Round(radius_mm=16))
    state = replace(state, units=(state.units[0], Unit(id="v", player="blue", models=(other,))))
    for x, found in ((150.0, []), (350.0, [Outcome.ILLEGAL])):
        path = (Pose(x_mm=100, y_mm=100), Pose(x_mm=x, y_mm=100))
        seen = replace(walk, scene=index_situation(state.place_models({"m": path[0]})), path=path)
        assert [each.outcome for each in rule.check(seen, ConstraintSet((rule,)))] == found
