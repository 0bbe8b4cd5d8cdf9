"""How long the referee takes on a table of stands: formations, initiative, and moves stand by stand."""

import math
import random
import statistics
import time
from collections.abc import Callable, Sequence

from assistant.game.state import GameState, Model, Move, Pose, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Rect
from assistant.rules.referee import Referee, judge

UNITS, STANDS = 30, 4
ROUNDS = 9
_INFANTRY, _CAVALRY = Rect(length_mm=20, width_mm=40), Rect(length_mm=40, width_mm=20)
_TRAITS = (("river", "fordable"), ("dense",), ("hill",), ("hill", "steep"), ("building",), ("field",), ("wall", "low"))


def run() -> list[str]:
    """Return one line a measurement: the median of the processor's milliseconds, each round on another table."""
    questions: tuple[tuple[str, Callable[[GameState], object]], ...] = (
        ("judge the standing table", lambda state: judge(state, None)),
        (f"judge an order of {STANDS} stands, 10 legs each", lambda state: judge(state, make_advance(state))),
        ("judge the same move unseen", lambda state: judge(state, hide_path(make_advance(state)))),
        ("list what a unit may do", lambda state: Referee(state).list_options("u0")),
        (
            "the zone of a stand, facing kept",
            lambda state: Referee(state).find_zone(model="u0-0", action="order", facing="keep"),
        ),
    )
    lines = []
    for what, ask in questions:
        took = time_median(ask, [make_table(seed) for seed in range(ROUNDS)])
        lines.append(f"{UNITS * STANDS} stands in {UNITS} units: {what}: {took}")
    return lines


def make_table(seed: int) -> GameState:
    """Return two armies of columns, lines and blocks, with terrain between them."""
    rng = random.Random(seed)
    units, middles = list[Unit](), list[tuple[float, float]]()
    while len(units) < UNITS:
        x, y = rng.uniform(120, 1400), rng.uniform(120, 1000)
        if all(math.dist((x, y), other) > 150 for other in middles):
            middles.append((x, y))
            units.append(_make_unit(rng, len(units), (x, y)))
    return GameState(
        rulebook="warmaster-revolution",
        table=Table(width_mm=1524, depth_mm=1118),
        units=tuple(units),
        terrain=tuple(_make_terrain(rng, index) for index in range(14)),
    )


def _make_unit(rng: random.Random, index: int, middle: tuple[float, float]) -> Unit:
    infantry, turn = rng.random() < 0.6, rng.uniform(-math.pi, math.pi)
    base: Base = _INFANTRY if infantry else _CAVALRY
    deep, wide = (20.0, 40.0) if infantry else (40.0, 20.0)
    kind = rng.choice(("column", "line", "block"))
    cos, sin = math.cos(turn), math.sin(turn)

    def pose(nth: int) -> Pose:
        column, row = {"column": (nth, 0), "line": (0, nth), "block": (nth % 2, nth // 2)}[kind]
        ahead, aside = -column * (deep + 0.3), row * (wide + 0.3)
        x, y = middle[0] + cos * ahead - sin * aside, middle[1] + sin * ahead + cos * aside
        return Pose(x_mm=x, y_mm=y, facing_rad=turn, sigma_mm=0.15)

    return Unit(
        id=f"u{index}",
        player="red" if index % 2 else "blue",
        profile={"troop": "infantry" if infantry else "cavalry"},
        models=tuple(Model(id=f"u{index}-{nth}", base=base, pose=pose(nth)) for nth in range(STANDS)),
    )


def _make_terrain(rng: random.Random, index: int) -> Terrain:
    x, y, reach = rng.uniform(100, 1400), rng.uniform(100, 1000), rng.uniform(30, 70)
    ring = tuple(
        (x + reach * math.cos(step * math.pi / 3), y + reach * math.sin(step * math.pi / 3)) for step in range(6)
    )
    return Terrain(id=f"t{index}", outline_mm=ring, height_mm=30.0, traits=frozenset(_TRAITS[index % len(_TRAITS)]))


def make_advance(state: GameState) -> Move:
    """Return an order by which the first unit goes ahead, each stand on a path of ten legs."""
    paths = {}
    for model in state.find_unit("u0").models:
        start = model.pose
        assert start is not None
        along = math.cos(start.facing_rad), math.sin(start.facing_rad)
        paths[model.id] = (
            start,
            *(
                Pose(
                    x_mm=start.x_mm + 6 * step * along[0] + math.sin(step),
                    y_mm=start.y_mm + 6 * step * along[1],
                    facing_rad=start.facing_rad,
                    sigma_mm=0.15,
                )
                for step in range(1, 11)
            ),
        )
    return Move(unit="u0", action="order", paths=paths)


def hide_path(move: Move) -> Move:
    """Return the same move of which only the ends are known."""
    ends = {model: (path[0], path[-1]) for model, path in move.paths.items()}
    return Move(unit=move.unit, action=move.action, paths=ends, observed=False)


def time_median(ask: Callable[[GameState], object], states: Sequence[GameState]) -> str:
    """Return the median of the processor's milliseconds that a question takes."""
    took = []
    for state in states:
        begun = time.process_time()
        ask(state)
        took.append((time.process_time() - begun) * 1e3)
    return f"{statistics.median(took):.1f} ms"
