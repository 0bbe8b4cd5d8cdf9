"""How long questions of visibility take among 60 blockers: single ones, and all of one unit to all of another."""

import math
import random
import statistics
import time

from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import outer_radius_mm
from assistant.geometry.visibility.line_of_sight import ViewingEdge, find_sight_line

ROUNDS = 9
SEEN = {True: "seen", False: "not seen"}
NOTCHED = Outline(points_mm=((-40, -40), (60, -40), (60, 0), (0, 0), (0, 60), (-40, 60)))
KINDS: dict[str, tuple[Base, ...]] = {
    "rectangles": (Rect(length_mm=25, width_mm=50), Rect(length_mm=120, width_mm=20)),
    "discs, ovals, rectangles and concave outlines": (
        *(Round(radius_mm=16), Round(radius_mm=25), Oval(length_mm=60, width_mm=35)),
        *(Rect(length_mm=25, width_mm=50), Rect(length_mm=120, width_mm=20), NOTCHED),
    ),
}
BASES: tuple[Base, ...] = (Round(radius_mm=16), Oval(length_mm=60, width_mm=35))


def run() -> list[str]:
    """Return one line a measurement: milliseconds of CPU."""
    lines = []
    for name, kinds in KINDS.items():
        blockers, seers, seen = make_table(kinds)
        wall = PlacedShape(shape=Rect(length_mm=20, width_mm=2000), x_mm=762, y_mm=559)
        left = [blocker for blocker in blockers if blocker.x_mm < 700]
        edge = ViewingEdge(first=(seers[0].x_mm, seers[0].y_mm - 20), last=(seers[0].x_mm, seers[0].y_mm + 20))
        lines.append(f"{len(blockers)} blockers, {name}:")
        for what, viewer, target, between in (
            ("disc to disc", seers[0], seen[0], blockers),
            ("oval to oval", seers[1], seen[1], blockers),
            ("edge to disc", edge, seen[0], blockers),
            ("disc to disc, a wall across the table", seers[0], seen[0], [*left, wall]),
            ("oval to oval, a wall across the table", seers[1], seen[1], [*left, wall]),
        ):
            took = [_time_question(viewer, target, between) for _ in range(ROUNDS)]
            lines.append(f"  {what}: {statistics.median(ms for ms, _ in took):.1f} ms, {SEEN[took[0][1]]}")
        every = [_time_question(viewer, target, blockers) for viewer in seers for target in seen]
        times, found = [ms for ms, _ in every], sum(seen for _, seen in every)
        lines.append(f"  20 models to 20: {sum(times):.0f} ms, the longest {max(times):.1f} ms, {found} of 400 seen")
    return lines


def make_table(kinds: tuple[Base, ...]) -> tuple[list[PlacedShape], list[PlacedShape], list[PlacedShape]]:
    """Return blockers on a 60 x 44 inch table, none in the disc around another, and two units at its short sides."""
    rng = random.Random(4)
    blockers: list[PlacedShape] = []
    while len(blockers) < 60:
        shape, x, y = rng.choice(kinds), rng.uniform(300, 1224), rng.uniform(60, 1058)
        if all(
            math.dist((x, y), (p.x_mm, p.y_mm)) > outer_radius_mm(shape) + outer_radius_mm(p.shape) for p in blockers
        ):
            blockers.append(PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=rng.uniform(-math.pi, math.pi)))
    units = [
        [
            PlacedShape(
                shape=BASES[i % 2], x_mm=x + 70 * (i // 10), y_mm=250 + 68 * (i % 10), facing_rad=rng.uniform(-1, 1)
            )
            for i in range(20)
        ]
        for x in (60, 1394)
    ]
    return blockers, units[0], units[1]


def _time_question(
    viewer: PlacedShape | ViewingEdge, target: PlacedShape, blockers: list[PlacedShape]
) -> tuple[float, bool]:
    """Return how many milliseconds of CPU a question takes, and whether the target is seen."""
    begun = time.process_time()
    found = find_sight_line(viewer, target, blockers, ahead=isinstance(viewer, ViewingEdge))
    return (time.process_time() - begun) * 1e3, found is not None
