"""Restoring marks: where a model is to be put back, and the arrow that says how it gets there."""

import math

from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.overlay.shapes import Layer, OverlayShape, Points, trace_outline

FRONT_MM = 9.0
"""The longest wedge that shows the front."""
CLEAR_MM = 9.0
"""An arrow keeps so far from its base, beyond what stays dark for the camera."""
ARROW_MM = 22.0
HEAD_MM = 8.0
ARC_RAD = math.radians(50.0)


def draw_target(model: str, placed: PlacedShape, *, back: bool, label: str) -> OverlayShape:
    """Return where a model goes: its outline with its front, dim once it is back."""
    return OverlayShape(
        key=f"restore:{model}",
        layer=Layer.RESTORE,
        rings_mm=(trace_outline(placed), _build_front_wedge(placed)),
        closed=True,
        style="restore-back" if back else "restore",
        label=label,
    )


def draw_step(model: str, placed: PlacedShape, way_rad: float) -> OverlayShape:
    """Return an arrow beside where a model goes, in the direction in which it still has to be pushed."""
    reach_mm = _find_clear_radius_mm(placed)
    along = PlacedShape(shape=placed.shape, x_mm=placed.x_mm, y_mm=placed.y_mm, facing_rad=way_rad)
    tip_mm = reach_mm + ARROW_MM
    return _build_arrow_shape(
        model,
        _place_points(along, ((reach_mm, 0), (tip_mm, 0))),
        _place_points(along, ((tip_mm - HEAD_MM, HEAD_MM * 0.7), (tip_mm, 0), (tip_mm - HEAD_MM, -HEAD_MM * 0.7))),
    )


def draw_turn(model: str, placed: PlacedShape, turn_rad: float) -> OverlayShape:
    """Return an arrow about the front of where a model goes, in the sense in which it only has to turn."""
    reach_mm, sense = _find_clear_radius_mm(placed), math.copysign(1.0, turn_rad)
    turns = [sense * ARC_RAD * (step / 8 - 0.5) for step in range(9)]
    arc = tuple((reach_mm * math.cos(turn), reach_mm * math.sin(turn)) for turn in turns)
    back_rad = turns[-1] - sense * HEAD_MM / reach_mm
    head = tuple(
        (radius_mm * math.cos(back_rad), radius_mm * math.sin(back_rad))
        for radius_mm in (reach_mm + 0.7 * HEAD_MM, reach_mm - 0.7 * HEAD_MM)
    )
    return _build_arrow_shape(model, _place_points(placed, arc), _place_points(placed, (head[0], arc[-1], head[1])))


def _build_arrow_shape(model: str, *lines_mm: Points) -> OverlayShape:
    return OverlayShape(
        key=f"restore-way:{model}", layer=Layer.RESTORE, rings_mm=lines_mm, closed=False, style="restore-way"
    )


def _find_clear_radius_mm(placed: PlacedShape) -> float:
    return CLEAR_MM + max(math.hypot(x, y) for x, y in _trace_own_outline(placed))


def _build_front_wedge(placed: PlacedShape) -> Points:
    """Return a wedge at the front of a base, inside it."""
    front_mm = max(x for x, _ in _trace_own_outline(placed))
    long_mm = min(FRONT_MM, front_mm / 2)
    return _place_points(
        placed, ((front_mm - 1, 0), (front_mm - 1 - long_mm, 0.6 * long_mm), (front_mm - 1 - long_mm, -0.6 * long_mm))
    )


def _trace_own_outline(placed: PlacedShape) -> Points:
    """Return the outline of a base in its own frame."""
    return trace_outline(PlacedShape(shape=placed.shape, x_mm=0, y_mm=0))


def _place_points(placed: PlacedShape, points: Points) -> Points:
    """Return points of a base's own frame on the table."""
    cos, sin = math.cos(placed.facing_rad), math.sin(placed.facing_rad)
    return tuple(
        (round(placed.x_mm + cos * x - sin * y, 2), round(placed.y_mm + sin * x + cos * y, 2)) for x, y in points
    )
