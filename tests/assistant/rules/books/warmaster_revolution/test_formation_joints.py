"""Columns and lines of random units near to one, against every order of their stands."""

import math
import random
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assistant.game.state import Model, Pose
from assistant.geometry.visibility.line_of_sight import ViewingEdge
from assistant.rules.books.warmaster_revolution.formation import FormationKind, classify_formation
from assistant.rules.books.warmaster_revolution.troops import build_edges
from assistant.rules.verdict import Outcome, decide_outcome
from tests.assistant.rules.books.warmaster_revolution.stand_builders import CAVALRY, INFANTRY

FIVE = math.radians(5)


def judge_by_permutations(models: tuple[Model, ...]) -> tuple[Outcome, Outcome]:
    """Return how a column and a line turn out, by trying every order with distances of points and edges."""
    sides = [side for side in (build_edges(model.place_base()) for model in models) if side is not None]
    poses = [model.pose for model in models if model.pose is not None]

    @cache
    def behind(one: int, two: int) -> Outcome:
        turn = abs(math.remainder(poses[one].facing_rad - poses[two].facing_rad, math.tau))
        if turn > math.radians(45) + 1e-9:
            return Outcome.ILLEGAL
        sigma = math.hypot(poses[one].sigma_mm, poses[two].sigma_mm)
        return decide_outcome(1.0 - measure_distance_mm(sides[one].rear, sides[two].front), sigma)

    @cache
    def beside(one: int, two: int) -> Outcome:
        sigma = math.hypot(poses[one].sigma_mm, poses[two].sigma_mm)
        return decide_outcome(
            1.0 - max(measure_distance_mm(sides[one].left, sides[two].right), shift_mm(one, two)), sigma
        )

    def shift_mm(one: int, two: int) -> float:
        mine, theirs = (np.mean((edge.first, edge.last), axis=0) for edge in (sides[one].left, sides[two].right))
        ahead = np.array((math.cos(poses[one].facing_rad), math.sin(poses[one].facing_rad)))
        return abs(float((theirs - mine) @ ahead))

    grade = list(Outcome).index
    orders = list(permutations(range(len(models))))
    column = max((min((behind(*pair) for pair in pairwise(order)), key=grade) for order in orders), key=grade)
    line = max((min((beside(*pair) for pair in pairwise(order)), key=grade) for order in orders), key=grade)
    turns = [abs(math.remainder(a.facing_rad - b.facing_rad, math.tau)) for a, b in combinations(poses, 2)]
    return column, line if max(turns) <= FIVE + 1e-9 else Outcome.ILLEGAL


def measure_distance_mm(one: ViewingEdge, two: ViewingEdge) -> float:
    """Return the distance of two segments: that of an end of one to the other, or none where they cross."""
    a, b, c, d = (np.array(point) for point in (one.first, one.last, two.first, two.last))

    def side(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> float:
        return float((q - p)[0] * (r - p)[1] - (q - p)[1] * (r - p)[0])

    if side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0:
        return 0.0

    def to(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> float:
        share = min(1.0, max(0.0, float((p - q) @ (r - q) / ((r - q) @ (r - q)))))
        return float(np.hypot(*(p - q - share * (r - q))))

    return min(to(a, c, d), to(b, c, d), to(c, a, b), to(d, a, b))


def draw_unit(rng: random.Random) -> tuple[Model, ...]:
    """Return a unit near to a column, a line or two ranks, more or less out of order."""
    base = rng.choice((INFANTRY, CAVALRY))
    deep, broad = base.length_mm, base.width_mm
    files, jitter = rng.choice((1, 1, 2, 9)), rng.choice((0.0, 0.1, 0.5, 3.0))
    count, turn = rng.randint(2, 5), rng.choice((0.0, 0.02, 0.4))
    models = []
    for n in range(count):
        rank, file = divmod(n, files)
        x, y = -(deep + 0.5) * rank, (broad + 0.5) * file
        pose = Pose(
            x_mm=x + rng.gauss(0, jitter),
            y_mm=y + rng.gauss(0, jitter) + (rng.uniform(-broad, broad) if files == 1 else 0.0),
            facing_rad=rng.gauss(0, turn),
            sigma_mm=rng.choice((0.0, 0.05, 0.2)),
        )
        models.append(Model(id=f"b{n + 1}", base=base, pose=pose))
    rng.shuffle(models)
    return tuple(models)


def test_every_order_agrees() -> None:
    rng, seen = random.Random(7), list[tuple[FormationKind, bool]]()
    for _ in range(400):
        models = draw_unit(rng)
        found = classify_formation(models, touch_mm=1.0, tolerance_rad=FIVE)
        column, line = judge_by_permutations(models)
        grade = max(column, line, key=list(Outcome).index)
        assert found.sure == (grade is not Outcome.TOO_CLOSE)
        assert found.regular or grade is not Outcome.LEGAL
        assert not found.regular or grade is not Outcome.ILLEGAL
        if found.regular and found.sure:
            assert {FormationKind.COLUMN: column, FormationKind.LINE: line}[found.kind] is Outcome.LEGAL
        seen.append((found.kind, found.sure))
    for kind in (FormationKind.COLUMN, FormationKind.LINE, FormationKind.IRREGULAR):
        assert (kind, True) in seen
        assert (kind, False) in seen


@given(st.integers(0, 10**6), st.floats(-7, 7), st.floats(-900, 900), st.floats(-900, 900))
def test_where_the_unit_stands_and_how_it_is_listed_do_not_matter(seed: int, turn: float, x: float, y: float) -> None:
    rng = random.Random(seed)
    models = draw_unit(rng)
    cos, sin = math.cos(turn), math.sin(turn)
    moved = [
        replace(
            model,
            pose=replace(
                model.pose,
                x_mm=x + model.pose.x_mm * cos - model.pose.y_mm * sin,
                y_mm=y + model.pose.x_mm * sin + model.pose.y_mm * cos,
                facing_rad=model.pose.facing_rad + turn,
            ),
        )
        for model in models
        if model.pose is not None
    ]
    rng.shuffle(moved)
    one = classify_formation(models, touch_mm=1.0, tolerance_rad=FIVE)
    two = classify_formation(tuple(moved), touch_mm=1.0, tolerance_rad=FIVE)
    assert (one.kind, one.sure) == (two.kind, two.sure)


def test_the_drawn_joints_are_the_nearest_points_of_the_edges() -> None:
    rng = random.Random(3)
    for _ in range(60):
        models = draw_unit(rng)
        found = classify_formation(models, touch_mm=1.0, tolerance_rad=FIVE)
        known = {model.id: build_edges(model.place_base()) for model in models}
        assert len(found.joints_mm) == len(models) - 1
        for (one, two), (near, far) in zip(pairwise(found.order), found.joints_mm, strict=True):
            a, b = known[one], known[two]
            assert a is not None
            assert b is not None
            mm = math.dist(near, far)
            assert any(
                mm <= sample_distance_mm(mine, theirs) + 1e-9 <= mm + 0.5
                for mine, theirs in ((a.rear, b.front), (a.left, b.right))
            )


def sample_distance_mm(one: ViewingEdge, two: ViewingEdge) -> float:
    """Return the least distance between points every fifth of a millimetre, at most, of two edges."""
    shares = np.linspace(0, 1, 201)[:, None]
    mine, theirs = (np.array(e.first) + shares * (np.array(e.last) - np.array(e.first)) for e in (one, two))
    return float(np.hypot(*(mine[:, None] - theirs[None]).T).min())
