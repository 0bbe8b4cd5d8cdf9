"""Whether a straight line gets from an edge or a shape to another shape, past what stands between.

Complete, not sampled.  A line is free if a segment of it runs from the viewer to the target outside the interior of all
that the blockers cover together: a line that only touches a blocker is not blocked, one that runs along the seam of two
blockers side by side is.  The free lines are a closed set.  Any line in it can be shifted until it touches something,
then rolled around that until it touches something else, so if there is a free line at all, one of those touching two
things is free: two of viewer, target, blockers, and the places where their outlines cross.  If it can be rolled all the
way around, one of viewer and target lies inside the other, and the line through their middles is free.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from assistant.geometry.clearance import Point
from assistant.geometry.convex import Array, Convex, outer_radius_mm, placed_parts, unit
from assistant.geometry.shapes import Placed
from assistant.geometry.tangency import TOUCH_MM, crossings, disc_map, sites_of, touching

_NOWHERE = (math.inf, -math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A straight edge to look from; its front lies to its right, as outside an outline drawn counter-clockwise."""

    first: Point
    last: Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A line of sight that nothing blocks."""

    near: Point
    """Its end at the viewer."""
    far: Point
    """Its end at the target."""


def sight(viewer: Placed | Edge, target: Placed, blockers: Sequence[Placed], *, ahead: bool = False) -> Sight | None:
    """Return a line of sight from an edge or a shape to another shape, or None if there is none.

    Exact to `TOUCH_MM` for every kind of shape.  Viewer and target block nothing themselves; a part of them that a
    blocker covers neither sees nor is seen.

    Args:
        viewer: Where the line may begin: anywhere on the edge, or in the shape.
        target: Where the line may end.
        blockers: What it may touch but not enter.
        ahead: Whether it must run into the half-plane in front of the edge; straight along the edge counts.

    Raises:
        ValueError: ``ahead`` is asked of a shape, or of an edge without a length.

    """
    scene = _scene(viewer, target, blockers, ahead=ahead)
    return _free(scene, *_straight(scene)) or _free(scene, *_critical(scene))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Scene:
    """Everything as convex parts; ``front`` is the inward normal and offset of the half-plane where a line may end."""

    viewers: tuple[Convex, ...]
    targets: tuple[Convex, ...]
    blockers: tuple[Convex, ...]
    front: tuple[Array, float] | None


def _scene(viewer: Placed | Edge, target: Placed, blockers: Sequence[Placed], *, ahead: bool) -> _Scene:
    targets, front = placed_parts(target), None
    if ahead and (not isinstance(viewer, Edge) or viewer.first == viewer.last):
        raise ValueError("only an edge with a length has a front to look ahead from")
    if isinstance(viewer, Edge):
        line = np.array((viewer.first, viewer.last), dtype=float)
        viewers: tuple[Convex, ...] = (Convex(corners_mm=line),)
        if ahead:
            along = (line[1] - line[0]) / math.dist(viewer.first, viewer.last)
            normal = np.array((along[1], -along[0]))
            front = (normal, float(normal @ line[0]))
    else:
        viewers = placed_parts(viewer)
    ends = [_around(part) for part in (*viewers, *targets)]
    middle = ends[0][0], ends[len(viewers)][0]
    reach = max(_away_mm(centre, *middle) + radius for centre, radius in ends)

    def is_near(centre: Point, radius_mm: float) -> bool:
        return _away_mm(centre, *middle) - radius_mm < reach

    near = [blocker for blocker in blockers if is_near((blocker.x_mm, blocker.y_mm), outer_radius_mm(blocker.shape))]
    parts = tuple(part for blocker in near for part in placed_parts(blocker) if is_near(*_around(part)))
    return _Scene(viewers=viewers, targets=targets, blockers=parts, front=front)


def _around(part: Convex) -> tuple[Point, float]:
    """Return the centre and the radius of a disc that holds a part."""
    centre = part.corners_mm.mean(axis=0)
    reach = float(np.hypot(*(part.corners_mm - centre).T).max()) + part.radius_mm
    return (float(centre[0]), float(centre[1])), reach + sum(max(a, b) for a, b, _ in part.ellipses)


def _away_mm(point: Point, first: Point, last: Point) -> float:
    """Return how far a point is from a segment."""
    (x, y), (dx, dy) = (point[0] - first[0], point[1] - first[1]), (last[0] - first[0], last[1] - first[1])
    share = min(max((x * dx + y * dy) / max(dx * dx + dy * dy, 1e-300), 0.0), 1.0)
    return math.hypot(x - share * dx, y - share * dy)


def _straight(scene: _Scene) -> tuple[Array, Array]:
    """Return the line through the middles of viewer and target: it is mostly free, and the plainest to show."""
    one, two = (np.array(_around(parts[0])[0]) for parts in (scene.viewers, scene.targets))
    normal = unit(np.array([math.atan2(*(two - one)[::-1]) + math.pi / 2]))
    return normal, normal @ one


# Lines that touch two things -----------------------------------------------------------------------------------------


def _critical(scene: _Scene) -> tuple[Array, Array]:
    """Return all lines that touch two things, as (m, 2) normals and (m,) offsets; a superset does no harm."""
    return touching(sites_of((*scene.viewers, *scene.targets, *scene.blockers), _crossing_points(scene)))


def _crossing_points(scene: _Scene) -> Array:
    """Return where a line's end may be caught: where viewer or target cross each other or a blocker."""
    ends = (*scene.viewers, *scene.targets)
    pairs = _meeting([(end, blocker) for end in ends for blocker in scene.blockers])
    both = _meeting([(one, two) for one in scene.viewers for two in scene.targets])
    if any(one.plus(two.reflected()).distance(0.0, 0.0)[0] <= TOUCH_MM for one, two in both):
        pairs += [*both, *_meeting(list(combinations(scene.blockers, 2)))]
    return np.concatenate([np.empty((0, 2)), *(crossings(one, two) for one, two in pairs)])


def _meeting(pairs: list[tuple[Convex, Convex]]) -> list[tuple[Convex, Convex]]:
    """Return the pairs of parts that may touch, for the discs around them do."""
    around = {id(part): _around(part) for pair in pairs for part in pair}
    discs = [(around[id(one)], around[id(two)]) for one, two in pairs]
    close = [math.dist(p, q) <= r + s + TOUCH_MM for (p, r), (q, s) in discs]
    return [pair for pair, touches in zip(pairs, close, strict=True) if touches]


# Along one line ------------------------------------------------------------------------------------------------------


def _free(scene: _Scene, normals: Array, offsets: Array) -> Sight | None:
    """Return the free segment of the first of many lines that has one."""
    viewers = np.stack([_chord(part, normals, offsets) for part in scene.viewers], axis=1)
    targets = np.stack([_chord(part, normals, offsets) for part in scene.targets], axis=1)
    targets = _in_front(scene, normals, offsets, targets)
    keep = (viewers[..., 0] <= viewers[..., 1]).any(axis=1) & (targets[..., 0] <= targets[..., 1]).any(axis=1)
    normals, offsets, viewers, targets = normals[keep], offsets[keep], viewers[keep], targets[keep]
    blocked, above, below = (np.full((len(normals), len(scene.blockers), 2), _NOWHERE) for _ in range(3))
    for index, part in enumerate(scene.blockers):
        chord = _chord(part, normals, offsets)
        over, under = part.support(normals) - offsets, part.support(-normals) + offsets
        cut = np.minimum(over, under) > TOUCH_MM
        blocked[cut, index] = chord[cut]
        above[~cut & (over > under), index] = chord[~cut & (over > under)]
        below[~cut & (over <= under), index] = chord[~cut & (over <= under)]
    for row in np.flatnonzero(~_parted(viewers, targets, blocked)):
        shut = np.concatenate((blocked[row], _seams(above[row], below[row])))
        ends = _segment(viewers[row], targets[row], shut[shut[:, 0] < shut[:, 1]])
        if ends is not None:
            along = np.array((-normals[row, 1], normals[row, 0]))
            near, far = (normals[row] * offsets[row] + along * end for end in ends)
            return Sight(near=(float(near[0]), float(near[1])), far=(float(far[0]), float(far[1])))
    return None


def _chord(part: Convex, normals: Array, offsets: Array) -> Array:
    """Return from where to where lines run through a convex set, (m, 2), as distances along them; or nowhere."""
    along = np.column_stack((-normals[:, 1], normals[:, 0]))
    if len(part.corners_mm) > 1:
        height = normals @ part.corners_mm.T - offsets[:, None]
        place, touches = along @ part.corners_mm.T, np.abs(height) <= TOUCH_MM
        ahead, further = np.roll(height, -1, axis=1), np.roll(place, -1, axis=1)
        crosses = ~touches & ~np.roll(touches, -1, axis=1) & (height * ahead < 0)
        share = np.divide(height, height - ahead, out=np.zeros_like(height), where=crosses)
        met = np.concatenate((place, place + share * (further - place)), axis=1)
        there = np.concatenate((touches, crosses), axis=1)
        return np.column_stack(
            (np.where(there, met, math.inf).min(axis=1), np.where(there, met, -math.inf).max(axis=1))
        )
    centre, axes = disc_map(part)
    pulled = normals @ axes
    reach = np.hypot(pulled[:, 0], pulled[:, 1])
    lean = (offsets - normals @ centre) / reach
    half = abs(float(np.linalg.det(axes))) / reach * np.sqrt(np.maximum(1 - lean**2, 0.0))
    middle = along @ centre + lean * ((pulled @ axes.T) * along).sum(axis=1) / reach
    meets = (np.abs(lean) - 1) * reach <= TOUCH_MM
    return np.where(meets[:, None], np.column_stack((middle - half, middle + half)), _NOWHERE)


def _in_front(scene: _Scene, normals: Array, offsets: Array, chords: Array) -> Array:
    """Return chords (m, k, 2) cut to the half-plane in front."""
    if scene.front is None:
        return chords
    inward, offset = scene.front
    height = offsets * (normals @ inward) - offset + TOUCH_MM
    slope = np.column_stack((-normals[:, 1], normals[:, 0])) @ inward
    level = np.abs(slope) < 1e-12
    border = np.divide(-height, slope, out=np.where(height >= 0, -math.inf, math.inf), where=~level)
    low = np.where(level | (slope > 0), border, -math.inf)
    high = np.where(~level & (slope < 0), border, math.inf)
    return np.stack((np.maximum(chords[..., 0], low[:, None]), np.minimum(chords[..., 1], high[:, None])), axis=-1)


def _parted(viewers: Array, targets: Array, blocked: Array) -> NDArray[np.bool_]:
    """Return which lines have between each chord of viewer and target a single blocker that parts the two."""
    parted = np.ones(len(viewers), dtype=bool)
    for i in range(viewers.shape[1]):
        for j in range(targets.shape[1]):
            v, t = viewers[:, i], targets[:, j]
            low, high = np.minimum(v[:, 1], t[:, 1]), np.maximum(v[:, 0], t[:, 0])
            shared = np.minimum(blocked[..., 1], high[:, None]) - np.maximum(blocked[..., 0], low[:, None])
            missed = (v[:, 0] > v[:, 1]) | (t[:, 0] > t[:, 1])
            parted &= missed | (shared > TOUCH_MM).any(axis=1)
    return parted


def _seams(above: Array, below: Array) -> Array:
    """Return where one blocker touches a line from above and another from below, (k, 2)."""
    low = np.maximum(above[:, None, 0], below[None, :, 0])
    high = np.minimum(above[:, None, 1], below[None, :, 1])
    shared = high > low + TOUCH_MM
    return np.column_stack((low[shared], high[shared]))


def _segment(viewers: Array, targets: Array, shut: Array) -> tuple[float, float] | None:
    """Return where along a line the shortest free segment begins and ends, or None if there is none."""
    opening, openings = -math.inf, []
    for low, high in shut[np.argsort(shut[:, 0])]:
        if low > opening:
            openings.append((opening, low))
        opening = max(opening, high)
    best: tuple[float, float] | None = None
    for low, high in [*openings, (opening, math.inf)]:
        for v in viewers:
            for t in targets:
                (v0, v1), (t0, t1) = ((max(c[0], low), min(c[1], high)) for c in (v, t))
                if v0 > v1 + TOUCH_MM or t0 > t1 + TOUCH_MM:
                    continue
                near, far = (v1, t0) if v1 < t0 else (v0, t1) if t1 < v0 else (max(v0, t0),) * 2
                if best is None or abs(far - near) < abs(best[1] - best[0]):
                    best = (float(near), float(far))
    return best
