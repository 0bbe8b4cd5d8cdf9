"""The plan of laying a table: what is to be laid, in which order, and what light shows of it."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import shapely

from assistant.game.state import GameState, Objective
from assistant.game.terrain_places import TWIN, group_pieces
from assistant.geometry.shapes.base_shapes import PlacedShape, Round
from assistant.overlay.shapes import Layer, OverlayShape, Points, trace_outline

TICK_FROM_MM, TICK_TO_MM = 6.0, 34.0
"""Beyond each corner light goes on along both edges: there it is seen when the piece lies on its outline."""
FAR_MM = 1e5
SMOOTH_MM = 1.0
"""Bends of an outline that are smaller are none."""
MOST_CORNERS = 8
"""What has more is round, and nobody could tell its corners."""
LEAST_TURN_RAD = math.radians(20)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayingStep:
    """A terrain feature, or a marker, that is to be laid."""

    id: str
    number: int
    """In the order of laying, from 1."""
    outlines_mm: tuple[Points, ...]
    """What it covers on the table, first, and what stands on it."""

    @property
    def middle_mm(self) -> tuple[float, float]:
        """The middle of what it covers."""
        middle = shapely.Polygon(self.outlines_mm[0]).centroid
        return middle.x, middle.y


def plan_laying(state: GameState) -> tuple[LayingStep, ...]:
    """Return all that is to be laid: terrain, large pieces first and each beside its twin, then the objectives.

    Pieces whose ids begin with that of another, such as ``ruin-walls`` of ``ruin``, belong to it.  After each comes
    what is nearest to it of about its size, so that people walk around the table and not to and fro.
    """
    features = group_pieces(state.terrain)
    rings = {one: tuple(piece.outline_mm for piece in pieces) for one, pieces in features.items()}
    markers = {f"objective {marker.id}": (_trace_marker(marker),) for marker in state.objectives}
    first = {one: one.removesuffix(TWIN) if one.removesuffix(TWIN) in rings else one for one in rings}
    areas = {one: shapely.Polygon(rings[first[one]][0]).area for one in rings}
    # By doublings: what is about as large is laid together.
    ranks = {one: -round(math.log2(max(area, 1.0))) for one, area in areas.items()} | dict.fromkeys(markers, 0)
    rings |= markers
    middles = {one: shapely.Polygon(outlines[0]).centroid for one, outlines in rings.items()}
    rest = sorted(rings, key=lambda one: (one in markers, ranks[one], middles[one].x, one))
    order: list[str] = []
    while rest:
        last = order[-1] if order else rest[0]
        twins = [one for one in rest if one in first and first[one] == first.get(last)]
        alike = [one for one in rest if (one in markers, ranks[one]) == (rest[0] in markers, ranks[rest[0]])]
        order.append(min(twins or alike, key=lambda one: middles[one].distance(middles[last])))
        rest.remove(order[-1])
    return tuple(LayingStep(id=one, number=number, outlines_mm=rings[one]) for number, one in enumerate(order, start=1))


def draw_laying(steps: Sequence[LayingStep], laid: Collection[str]) -> Iterator[OverlayShape]:
    """Yield what light and pages show: what lies, what is to be laid next, and what is to come."""
    following = find_next(steps, laid)
    for step in steps:
        lies, is_next = step.id in laid, step.id == following
        style = "laying-done" if lies else "laying-next" if is_next else "laying-to-come"
        yield OverlayShape(
            key=f"laying:{step.id}",
            layer=Layer.LAYING,
            rings_mm=step.outlines_mm if is_next else step.outlines_mm[:1],
            closed=True,
            style=style,
        )
        if is_next:
            yield OverlayShape(
                key=f"laying-marks:{step.id}",
                layer=Layer.LAYING,
                rings_mm=tuple(_draw_marks(step)),
                closed=False,
                style=style,
            )


def find_next(steps: Sequence[LayingStep], laid: Collection[str]) -> str | None:
    """Return what is to be laid next; None when all lies."""
    return next((step.id for step in steps if step.id not in laid), None)


def _trace_marker(marker: Objective) -> Points:
    return trace_outline(PlacedShape(shape=Round(radius_mm=marker.radius_mm), x_mm=marker.x_mm, y_mm=marker.y_mm))


def _draw_marks(step: LayingStep) -> Iterator[Points]:
    """Yield both edges of each corner drawn on beyond it; of what is round, lines away from its middle."""
    ring = shapely.simplify(shapely.Polygon(step.outlines_mm[0]).exterior, SMOOTH_MM).normalize().coords[:-1]
    if len(ring) > MOST_CORNERS:
        yield from _draw_rays(step)
        return
    for at, corner in enumerate(ring):
        before, after = ring[at - 1], ring[(at + 1) % len(ring)]
        if not _is_convex(before, corner, after):
            continue
        for other in (before, after):
            dx, dy = corner[0] - other[0], corner[1] - other[1]
            length = math.hypot(dx, dy)
            yield tuple(
                (round(corner[0] + dx / length * mm, 2), round(corner[1] + dy / length * mm, 2))
                for mm in (TICK_FROM_MM, TICK_TO_MM)
            )


def _draw_rays(step: LayingStep) -> Iterator[Points]:
    x, y = step.middle_mm
    edge = shapely.Polygon(step.outlines_mm[0]).exterior
    for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        ray = shapely.LineString([(x, y), (x + FAR_MM * dx, y + FAR_MM * dy)])
        met = ray.intersection(edge)
        if met.is_empty:  # the middle of a bent piece may lie beside it
            continue
        off_mm = shapely.hausdorff_distance(shapely.Point(x, y), met)
        yield tuple(
            (round(x + (off_mm + mm) * dx, 2), round(y + (off_mm + mm) * dy, 2)) for mm in (TICK_FROM_MM, TICK_TO_MM)
        )


def _is_convex(before: Sequence[float], corner: Sequence[float], after: Sequence[float]) -> bool:
    """Return whether the ring, which runs clockwise, turns to the right by enough to be a corner."""
    one = (corner[0] - before[0], corner[1] - before[1])
    other = (after[0] - corner[0], after[1] - corner[1])
    turn = math.atan2(one[0] * other[1] - one[1] * other[0], one[0] * other[0] + one[1] * other[1])
    return turn < -LEAST_TURN_RAD
