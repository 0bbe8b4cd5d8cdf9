"""Line of sight from an edge past polygons only, however many: as for every shape, in less time.

If any line is free, one is that goes through two corners, of what is left open of edge and region or of what is in the
way, and leaves both sides of each corner to one side: any other can be shifted and turned until it does.

Of many polygons a few mostly settle it.  So lines are tried past none of them first; then past those, too, that some
line ran into which was free so far; and so on, until a line runs into nothing at all, or none is left that is free even
past the few that were looked at.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from assistant.geometry.shapes.convex import Array
from assistant.geometry.shapes.polygons import extract_polygons

SLACK_MM = 1e-6
"""What dips no deeper than this into what is in the way only touches it, and touching is free."""
_LEVEL = 1e-9
"""The sine of an angle that is none."""
_PIECE_CORNERS = 64
"""What has more corners is cut, so that only a piece of it need be looked at."""
_OVERLAP_MM = 1e-3
"""How far the pieces of one polygon overlap, so that no line runs between them."""
_LEAST_PIECE_MM = 1.0
_BLOCK = 1 << 17
"""So many pairs of corners are tried at once."""

_Ints = NDArray[np.intp]
_Shapes = NDArray[np.object_]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Corners:
    """Places that a line may turn about, all (n, 2) millimetres."""

    places: Array
    before: Array
    """From each to the one before it in its outline, or nowhere where it is in none; and to the one after it."""
    after: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rays:
    """Where lines leave an edge, and their directions, (m, 2)."""

    starts: Array
    courses: Array


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
    pieces = np.array(list(_cut_into_pieces(blocked)), dtype=object)
    in_the_way = shapely.STRtree(np.asarray(shapely.buffer(pieces, -SLACK_MM, join_style="mitre")))
    looked_at = np.zeros(len(pieces), dtype=bool)
    new, known = _list_ends(edge, eye), _list_corners(goal)
    while len(new.places):
        known, met = _join(known, new), looked_at.copy()
        for rays in _cast_corner_rays(edge, new, known):
            lines = _end_at_region(rays, goal)
            hits = in_the_way.query(lines, predicate="intersects")
            free = np.flatnonzero(np.bincount(hits[0], minlength=len(lines)) == 0)
            if len(free):
                found: shapely.LineString = lines[free[0]]
                return found
            looked_at |= _choose_pieces(hits, looked_at)
        new = _list_corners(pieces[looked_at & ~met])
    return None


def _cut_into_pieces(region: BaseGeometry) -> Iterator[BaseGeometry]:
    """Yield the polygons of a region, those of many corners in pieces that overlap."""
    for part in shapely.get_parts(region):
        left, low, right, high = shapely.bounds(part).tolist()
        width, height = right - left, high - low
        if shapely.get_num_coordinates(part) <= _PIECE_CORNERS or max(width, height) < _LEAST_PIECE_MM:
            yield part
            continue
        x, y = (left + right) / 2, (low + high) / 2
        halves = (
            ((left, low, x + _OVERLAP_MM, high), (x - _OVERLAP_MM, low, right, high))
            if width >= height
            else ((left, low, right, y + _OVERLAP_MM), (left, y - _OVERLAP_MM, right, high))
        )
        for half in halves:
            cut = shapely.intersection(part, shapely.box(*half))
            yield from _cut_into_pieces(extract_polygons(cut))


def _choose_pieces(hits: _Ints, looked_at: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return few pieces such that each line hits one, of these or of those looked at."""
    chosen = np.zeros_like(looked_at)
    line, piece = hits
    stopped = np.zeros(line.max(initial=-1) + 1, dtype=bool)
    stopped[line[looked_at[piece]]] = True
    while not stopped.all():
        left = ~stopped[line]
        line, piece = line[left], piece[left]
        most = np.bincount(piece).argmax()
        chosen[most] = True
        stopped[line[piece == most]] = True
    return chosen


# -- what lines turn about


def _list_ends(edge: shapely.LineString, eye: BaseGeometry) -> _Corners:
    """Return the ends of an edge and of what is left open of it."""
    places = shapely.get_coordinates([edge, eye])
    nowhere = np.zeros_like(places)
    return _Corners(places=places, before=nowhere, after=nowhere)


def _list_corners(region: BaseGeometry | _Shapes) -> _Corners:
    """Return the corners of polygons."""
    rings = [shapely.get_coordinates(ring)[:-1] for ring in shapely.get_rings(shapely.get_parts(region))]
    places, before, after = (
        np.concatenate([np.empty((0, 2)), *(np.roll(ring, by, axis=0) for ring in rings)]) for by in (0, 1, -1)
    )
    return _Corners(places=places, before=before - places, after=after - places)


def _join(one: _Corners, two: _Corners) -> _Corners:
    return _Corners(
        places=np.concatenate((one.places, two.places)),
        before=np.concatenate((one.before, two.before)),
        after=np.concatenate((one.after, two.after)),
    )


# -- along which lines


def _cast_corner_rays(edge: shapely.LineString, new: _Corners, known: _Corners) -> Iterator[_Rays]:
    """Yield the lines from an edge, to either side, that touch two corners, a new and a known one, by blocks."""
    (first, last) = shapely.get_coordinates(edge)
    along, size = last - first, float(np.hypot(*(last - first)))
    level = along / size  # whoever stands level with the edge is seen along it
    yield _Rays(starts=np.array([last, first]), courses=np.array([level, -level]))
    rows = max(1, _BLOCK // len(known.places))
    for at in range(0, len(new.places), rows):
        block = slice(at, at + rows)
        ray = known.places[None] - new.places[block, None]
        apart = np.hypot(ray[..., 0], ray[..., 1])
        one, two = np.nonzero(apart > SLACK_MM)
        course = ray[one, two] / apart[one, two, None]
        kept = _touches(course, new.before[block][one], new.after[block][one])
        one, two, course = one[kept], two[kept], course[kept]
        kept = _touches(course, known.before[two], known.after[two])
        offset, course = new.places[block][one[kept]] - first, course[kept]
        steep = _cross(course, along)
        share = np.divide(
            _cross(course, offset), steep, out=np.full(len(steep), np.inf), where=np.abs(steep) > _LEVEL * size
        )
        meets = np.abs(share - 0.5) <= 0.5 + SLACK_MM / size
        starts, course = first + share[meets, None] * along, course[meets]
        yield _Rays(starts=np.concatenate((starts, starts)), courses=np.concatenate((course, -course)))


def _touches(course: Array, before: Array, after: Array) -> NDArray[np.bool_]:
    """Return whether lines through corners leave both neighbours of each to one side."""
    left, right = _cross(course, before), _cross(course, after)
    touches: NDArray[np.bool_] = (np.minimum(left, right) >= -SLACK_MM) | (np.maximum(left, right) <= SLACK_MM)
    return touches


def _end_at_region(rays: _Rays, region: BaseGeometry) -> _Shapes:
    """Return the lines from the starts of rays to where they first meet the outline of a region, if they do."""
    rings = [shapely.get_coordinates(ring) for ring in shapely.get_rings(shapely.get_parts(region))]
    tails, heads = (np.concatenate([ring[cut] for ring in rings]) for cut in (slice(None, -1), slice(1, None)))
    blocks = np.array_split(np.arange(len(rays.starts)), 1 + len(rays.starts) * len(tails) // _BLOCK)
    mm = np.concatenate([_measure_first_hit_mm(rays.starts[at], rays.courses[at], tails, heads) for at in blocks])
    met = np.isfinite(mm)
    starts = rays.starts[met]
    return np.asarray(shapely.linestrings(np.stack((starts, starts + mm[met, None] * rays.courses[met]), axis=1)))


def _measure_first_hit_mm(starts: Array, courses: Array, tails: Array, heads: Array) -> Array:
    """Return how far rays run until they meet a side, (m,) millimetres; infinity if they do not."""
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
