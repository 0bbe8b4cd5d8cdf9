"""Line of sight past polygons: the same question as `line_of_sight` for an edge and polygons only, in less time.

If any line is free, one is that goes through two corners, of what is left open of edge and region or of what is in the
way: any other can be shifted and turned until it does.  All of these are tried at once.
"""

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.shapes.convex import Array

SLACK_MM = 1e-6
"""What dips no deeper than this into what is in the way only touches it, and touching is free."""
_LEVEL = 1e-9
"""The sine of an angle that is none."""


def find_polygon_sight_line(
    edge: shapely.LineString, region: BaseGeometry, blocked: BaseGeometry
) -> shapely.LineString | None:
    """Return a straight line from an edge to a region that enters nothing blocked, or None if there is none.

    Exact to `SLACK_MM`.  What is covered neither sees nor is seen.

    Args:
        edge: two points, millimetres.
        region: polygons where the line may end, to one side of the edge.
        blocked: polygons.

    """
    solid = shapely.buffer(blocked, -SLACK_MM, join_style="mitre")
    eye, goal = shapely.difference(edge, solid), shapely.difference(region, solid)
    if eye.is_empty or goal.is_empty:
        return None
    straight: shapely.LineString = shapely.shortest_line(eye, goal)
    if not shapely.intersects(solid, straight):
        return straight
    corridor = shapely.buffer(shapely.convex_hull(shapely.union(edge, goal)), SLACK_MM, join_style="mitre")
    within = shapely.intersection(solid, corridor)
    parts = shapely.get_parts(shapely.difference(corridor, within))
    if not any(shapely.intersects(part, eye) and shapely.intersects(part, goal) for part in parts):
        return None
    corners = np.concatenate(
        [shapely.get_coordinates(each) for each in (eye, goal, _collect_corners(blocked, corridor))]
    )
    starts, courses = _cast_corner_rays(shapely.get_coordinates(edge), corners)
    lengths_mm = _measure_first_hit_mm(starts, courses, goal)
    met = np.isfinite(lengths_mm)
    ends = starts[met] + lengths_mm[met, None] * courses[met]
    lines = np.asarray(shapely.linestrings(np.stack((starts[met], ends), axis=1)))
    shapely.prepare(within)
    return next(iter(lines[~shapely.intersects(within, lines)]), None)


def _collect_corners(blocked: BaseGeometry, corridor: BaseGeometry) -> BaseGeometry:
    return shapely.intersection(shapely.MultiPoint(shapely.get_coordinates(blocked)), corridor)


def _cast_corner_rays(edge: Array, corners: Array) -> tuple[Array, Array]:
    """Return where lines through two corners each leave an edge, to either side, and their directions, (m, 2)."""
    first, last = edge
    along, size = last - first, float(np.hypot(*(last - first)))
    one, two = np.triu_indices(len(corners), 1)
    course, offset = corners[two] - corners[one], corners[one] - first
    apart = np.hypot(course[:, 0], course[:, 1])
    kept = apart > SLACK_MM
    course, offset = course[kept] / apart[kept, None], offset[kept]
    steep = _cross(course, along)
    share = np.divide(
        _cross(course, offset), steep, out=np.full(len(steep), np.inf), where=np.abs(steep) > _LEVEL * size
    )
    meets = np.abs(share - 0.5) <= 0.5 + SLACK_MM / size
    starts, course = first + share[meets, None] * along, course[meets]
    level = along / size  # whoever stands level with the edge is seen along it
    return np.concatenate((starts, starts, [last, first])), np.concatenate((course, -course, [level, -level]))


def _measure_first_hit_mm(starts: Array, courses: Array, region: BaseGeometry) -> Array:
    """Return how far rays run until they meet the outline of a region, (m,) millimetres; infinity if they do not."""
    rings = [shapely.get_coordinates(ring) for ring in shapely.get_rings(shapely.get_parts(region))]
    tails, heads = (np.concatenate([ring[cut] for ring in rings]) for cut in (slice(None, -1), slice(1, None)))
    sides = (heads - tails)[None]
    away, course = tails[None] - starts[:, None], courses[:, None]
    across = _cross(course, sides)
    size = np.hypot(sides[..., 0], sides[..., 1])
    crosses = np.abs(across) > _LEVEL * size
    across = np.where(crosses, across, 1.0)
    run, share = _cross(away, sides) / across, _cross(away, course) / across
    crosses &= (np.abs(share - 0.5) * size <= 0.5 * size + SLACK_MM) & (run >= -SLACK_MM)
    mm: Array = np.where(crosses, np.maximum(run, 0.0), np.inf).min(axis=1)
    return mm


def _cross(one: Array, two: Array) -> Array:
    cross: Array = one[..., 0] * two[..., 1] - one[..., 1] * two[..., 0]
    return cross
