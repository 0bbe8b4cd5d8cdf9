"""How long the referee takes: a unit's move, and a model's zone among few and many enemies."""

import math
import random
import statistics
import time
from collections.abc import Callable
from functools import partial

from assistant.game.state import GameState, Model, Move, Pose, Table, Unit
from assistant.geometry.shapes import Round
from assistant.rules.judge import judge, zone

ROUNDS = 15


def run() -> list[str]:
    """Return one line a measurement: median milliseconds."""
    lines = []
    for enemies in (10, 40):
        state = table(enemies)
        move = six_move(state)
        took = _median_ms(partial(judge, state, move))
        lines.append(f"judge a move of 6 models, 10 legs each, among {enemies} enemies: {took}")
        for action, rolls, inches in (("normal", (), 6), ("advance", (6,), 12)):
            took = _median_ms(partial(zone, state, model="u0", action=action, rolls=rolls, alone=True))
            lines.append(f"zone of a 32 mm base, {inches} inches, among {enemies} enemies: {took}")
    return lines


def table(enemies: int) -> GameState:
    """Return a 60 x 44 inch table with a unit of six in its middle and enemies anywhere else."""
    rng = random.Random(4)
    own = tuple(
        Model(id=f"u{i}", base=Round(radius_mm=16), pose=Pose(x_mm=700 + 45 * (i % 3), y_mm=520 + 45 * (i // 3)))
        for i in range(6)
    )
    foes: list[Model] = []
    while len(foes) < enemies:
        x, y = rng.uniform(20, 1504), rng.uniform(20, 1098)
        if math.dist((x, y), (745, 542)) > 150:
            foes.append(Model(id=f"e{len(foes)}", base=Round(radius_mm=16), pose=Pose(x_mm=x, y_mm=y)))
    return GameState(
        rulebook="warhammer-40k-10e",
        table=Table(width_mm=1524, depth_mm=1118),
        units=(
            Unit(id="u", player="red", profile={"move_in": 6}, models=own),
            Unit(id="foes", player="blue", profile={"move_in": 6}, models=tuple(foes)),
        ),
    )


def six_move(state: GameState) -> Move:
    """Return a move of the whole unit, each along a path of ten legs."""
    paths = {}
    for model in state.unit("u").models:
        start = model.pose
        assert start is not None
        paths[model.id] = tuple(
            Pose(x_mm=start.x_mm + 8 * step, y_mm=start.y_mm + 3 * math.sin(step)) for step in range(11)
        )
    return Move(unit="u", action="normal", paths=paths)


def _median_ms(what: Callable[[], object]) -> str:
    took = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        what()
        took.append((time.perf_counter() - begun) * 1e3)
    return f"{statistics.median(took):.1f} ms"
