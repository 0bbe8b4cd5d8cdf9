"""How long the clearances of a whole table take: 200 mixed bases, none of which overlap."""

import math
import random
import statistics
import time
from collections.abc import Callable

import numpy as np

from assistant.geometry.clearance.pairwise import PairClearances, lower_bounds_mm, measure_pairs
from assistant.geometry.clearance.shape_arrays import ShapeArrays, build_shape_arrays
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import outer_radius_mm
from tests.assistant.geometry.clearance.all_pairs import measure_all_pairs

COUNT = 200
ROUNDS = 25
HULL = Outline(points_mm=((30, 0), (18, 14), (-18, 16), (-32, 0), (-18, -16), (18, -14)))
NOTCHED = Outline(points_mm=((-20, -20), (40, -20), (40, 5), (5, 5), (5, 50), (-20, 50)))
ROUNDS_MM = tuple(Round(radius_mm=radius) for radius in (12.5, 16.0, 20.0, 25.0))
OVALS = tuple(Oval(length_mm=a, width_mm=b) for a, b in ((60, 35), (75, 42), (90, 52)))
RECTS = tuple(Rect(length_mm=a, width_mm=b) for a, b in ((25, 25), (25, 50), (60, 40)))
MIXES: dict[str, tuple[tuple[Base, ...], ...]] = {
    "a quarter each round, oval, rectangle and six-cornered outline": (ROUNDS_MM, OVALS, RECTS, (HULL,)),
    "a fifth each, with a concave outline": (ROUNDS_MM, OVALS, RECTS, (HULL,), (NOTCHED,)),
    "three fifths round, a fifth oval, a fifth rectangle": (ROUNDS_MM, ROUNDS_MM, ROUNDS_MM, OVALS, RECTS),
    "round": (ROUNDS_MM,),
}


def run() -> list[str]:
    """Return one line a measurement: median milliseconds of CPU."""
    lines = []
    for name, mix in MIXES.items():
        bases = lay_out_bases(mix)
        standing = build_shape_arrays(bases)
        lines.append(f"{COUNT} bases, {name}:")
        for what, action in (
            ("made ready", lambda bases=bases: build_shape_arrays(bases)),
            ("all 19,900 clearances, exact", lambda standing=standing: measure_all_pairs(standing)),
            ("pairs within 12 inches", lambda standing=standing: find_pairs_within(standing, 304.8)),
            ("pairs within 4 inches", lambda standing=standing: find_pairs_within(standing, 101.6)),
            ("pairs within 1 inch", lambda standing=standing: find_pairs_within(standing, 25.4)),
            ("one against all", lambda standing=standing: measure_all_against(standing, COUNT // 2)),
        ):
            lines.append(f"  {what}: {_time_median(action)}")
        lines.append(f"  furthest from `clearance`, one by one: {find_worst_mm(bases):.1e} mm")
    return lines


def measure_all_against(standing: ShapeArrays, index: int) -> PairClearances:
    """Return the clearances of one base to all others."""
    others = np.delete(np.arange(standing.count), index)
    return measure_pairs(standing, np.full(len(others), index), others)


def find_pairs_within(standing: ShapeArrays, range_mm: float) -> PairClearances:
    """Return the clearances of the pairs that may be within a range, as the referee asks for them."""
    first, second = np.triu_indices(standing.count, k=1)
    near = lower_bounds_mm(standing, first, second) <= range_mm
    return measure_pairs(standing, first[near], second[near])


def lay_out_bases(mix: tuple[tuple[Base, ...], ...]) -> list[PlacedShape]:
    """Return bases on a 60 x 44 inch table, kind after kind in turn, none in the disc around another."""
    rng = random.Random(5)
    bases: list[PlacedShape] = []
    while len(bases) < COUNT:
        shape = rng.choice(mix[len(bases) % len(mix)])
        x, y, reach = rng.uniform(0, 1524), rng.uniform(0, 1118), outer_radius_mm(shape)
        if all(math.dist((x, y), (p.x_mm, p.y_mm)) > reach + outer_radius_mm(p.shape) for p in bases):
            bases.append(PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=rng.uniform(-math.pi, math.pi)))
    return bases


def find_worst_mm(bases: list[PlacedShape]) -> float:
    """Return the greatest difference from the clearance of single pairs, over the pairs of every fortieth base."""
    standing = build_shape_arrays(bases)
    return max(
        abs(float(mm) - clearance(bases[index], bases[other]).mm)
        for index in range(0, COUNT, 40)
        for found in (measure_all_against(standing, index),)
        for other, mm in zip(found.second.tolist(), found.mm.tolist(), strict=True)
    )


def _time_median(what: Callable[[], object]) -> str:
    took = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        what()
        took.append((time.process_time() - begun) * 1e3)
    return f"{statistics.median(took):.1f} ms"
