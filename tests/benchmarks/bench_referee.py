"""How long the referee takes among few and many models: a standing table, a unit's move, and a unit's zones."""

import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.game.state import GameState, Model, Move, Pose, Table, Terrain, Unit
from assistant.geometry.clearance.furthest_point import list_corners_mm
from assistant.geometry.shapes.base_shapes import Round
from assistant.rules.referee import Referee, judge
from tests.benchmarks.bench_reach import make_scenery

ROUNDS = 9
CROWDS = (50, 200, 500)
UNIT = 10
_START_MM = (680.0, 520.0)
_ROW_MM = 36.0


def run() -> list[str]:
    """Return one line a measurement: the median of the processor's milliseconds, each round on another table."""
    questions: tuple[tuple[str, Callable[[GameState], object]], ...] = (
        ("judge the standing table", lambda state: judge(state, None)),
        (f"judge a move of {UNIT} models, 10 legs each", lambda state: judge(state, make_unit_move(state))),
        ("judge the same move unseen", lambda state: judge(state, hide_path(make_unit_move(state)))),
        (f"zones of {UNIT} models, 6 inches", lambda state: ask_unit_zones(state, "normal", ())),
        (f"zones of {UNIT} models, 12 inches", lambda state: ask_unit_zones(state, "advance", (6,))),
    )
    lines = []
    for models in CROWDS:
        for index, (what, ask) in enumerate(questions):
            states = [make_table(models, seed=ROUNDS * index + nth) for nth in range(ROUNDS)]
            lines.append(f"{models} models: {what}: {time_median(ask, states)}")
    for what, ask in questions[1:]:
        states = [replace(make_table(CROWDS[1], seed=nth), terrain=make_terrain()) for nth in range(3)]
        lines.append(f"{CROWDS[1]} models, 28 outlines of 30 to 120 mm: {what}: {time_median(ask, states)}")
    return lines


def make_terrain() -> tuple[Terrain, ...]:
    """Return the outlines of `bench_reach`, low and tall."""
    outlines = enumerate(make_scenery(random.Random(3)))
    heights = (30.0, 76.0, 100.0, 120.0)
    return tuple(
        Terrain(
            id=f"t{index}",
            outline_mm=tuple((float(x), float(y)) for x, y in list_corners_mm(shape)),
            height_mm=heights[index % len(heights)],
        )
        for index, shape in outlines
    )


def make_table(models: int, *, seed: int) -> GameState:
    """Return a 60 x 44 inch table with a unit of ten in its middle and units of ten of either side all around."""
    rng = random.Random(seed)
    own = tuple(
        Model(
            id=f"u{i}",
            base=Round(radius_mm=16),
            pose=Pose(x_mm=_START_MM[0] + _ROW_MM * (i % 5), y_mm=_START_MM[1] + _ROW_MM * (i // 5)),
        )
        for i in range(UNIT)
    )
    middle = (_START_MM[0] + 2 * _ROW_MM, _START_MM[1] + _ROW_MM / 2)
    others: list[Model] = []
    while len(others) < models - UNIT:
        x, y = rng.uniform(20, 1504), rng.uniform(20, 1098)
        crowded = any(o.pose is not None and math.dist((x, y), (o.pose.x_mm, o.pose.y_mm)) < 33 for o in others)
        if not crowded and math.dist((x, y), middle) > 170:
            others.append(Model(id=f"o{len(others)}", base=Round(radius_mm=16), pose=Pose(x_mm=x, y_mm=y)))
    return GameState(
        rulebook="warhammer-40k-10e",
        table=Table(width_mm=1524, depth_mm=1118),
        units=(
            Unit(id="u", player="red", profile={"move_in": 6}, models=own),
            *(
                Unit(
                    id=f"unit{i}",
                    player="blue" if i % 2 else "red",
                    profile={"move_in": 6},
                    models=tuple(others[UNIT * i : UNIT * i + UNIT]),
                )
                for i in range(len(others) // UNIT)
            ),
        ),
    )


def make_unit_move(state: GameState) -> Move:
    """Return a move of the whole unit, each along a path of ten legs."""
    paths = {}
    for model in state.find_unit("u").models:
        start = model.pose
        assert start is not None
        paths[model.id] = tuple(
            Pose(x_mm=start.x_mm + 5 * step, y_mm=start.y_mm + 3 * math.sin(step)) for step in range(11)
        )
    return Move(unit="u", action="normal", paths=paths)


def hide_path(move: Move) -> Move:
    """Return the same move of which only the ends are known."""
    ends = {model: (path[0], path[-1]) for model, path in move.paths.items()}
    return Move(unit=move.unit, action=move.action, paths=ends, observed=False)


def ask_unit_zones(state: GameState, action: str, rolls: tuple[int, ...]) -> None:
    """Ask for the zone of each model of the unit."""
    for model in state.find_unit("u").models:
        Referee(state).find_zone(model=model.id, action=action, rolls=rolls, alone=True)


def time_median(ask: Callable[[GameState], object], states: Sequence[GameState]) -> str:
    """Return the median of the processor's milliseconds that a question takes."""
    took = []
    for state in states:
        begun = time.process_time()
        ask(state)
        took.append((time.process_time() - begun) * 1e3)
    return f"{statistics.median(took):.1f} ms"
