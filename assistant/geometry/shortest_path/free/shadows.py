"""Shadows: what lies behind obstacles, seen from a start; what is left is reached straight, and so is known at once."""

from collections.abc import Sequence

import numpy as np
import shapely

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.convex import ConvexSet
from assistant.geometry.shapes.overlays import subtract
from assistant.geometry.shapes.polygons import circumscribe, extract_polygons, unite_polygons
from assistant.geometry.shortest_path.tangents import Box

_AROUND_MM = 0.25
"""How far the polygon that stands for what is round may lie around it."""
_STEPS = 32
"""Chords to a quarter of a circle."""


def cut_shadows(start: Point, limit_mm: float, obstacles: Sequence[ConvexSet], box: Box) -> shapely.MultiPolygon:
    """Return places that are reached straight, within a limit and a box; beside what is round some are left out."""
    (x, y), (left, low, right, high) = start, box
    square = max(left, x - limit_mm), max(low, y - limit_mm), min(right, x + limit_mm), min(high, y + limit_mm)
    if limit_mm <= 0 or square[0] >= square[2] or square[1] >= square[3]:
        return shapely.MultiPolygon()
    within = shapely.Point(start).buffer(limit_mm, quad_segs=_STEPS) & shapely.box(*square)
    shadows = list[shapely.Polygon]()
    for obstacle in obstacles:
        away_mm = obstacle.distance(x, y)[0]
        if away_mm <= 0:
            return shapely.MultiPolygon()
        if away_mm < limit_mm:
            shadows.append(_cast_shadow(start, limit_mm, obstacle, away_mm))
    return extract_polygons(subtract(within, unite_polygons(shadows)) if shadows else within)


def _cast_shadow(start: Point, limit_mm: float, obstacle: ConvexSet, away_mm: float) -> shapely.Polygon:
    """Return an obstacle so far away, and all that lies behind it up to a limit: it, and it enlarged from the start."""
    is_round = obstacle.radius_mm > 0 or bool(obstacle.ellipses)
    beside_mm = min(_AROUND_MM, away_mm / 2) if is_round else 0.0
    ring = shapely.get_coordinates(circumscribe(obstacle, beside_mm)) if is_round else obstacle.corners_mm
    enlarged = start + limit_mm / (away_mm - beside_mm) * (ring - start)
    shadow = shapely.MultiPoint(np.concatenate((ring, enlarged))).convex_hull
    return shadow if isinstance(shadow, shapely.Polygon) else shapely.Polygon()
