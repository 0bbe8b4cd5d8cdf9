"""Line of sight: whether a straight line gets from an edge or a shape to another shape, past what stands between.

Complete, not sampled.  A line is free if a segment of it runs from the viewer to the target outside the interior of all
that the blockers cover together: a line that only touches a blocker is not blocked, one that runs along the seam of two
blockers side by side is.  The free lines are a closed set.  Any line in it can be shifted until it touches something,
then rolled around that until it touches something else, so if there is a free line at all, one of those touching two
things is free: two of viewer, target, blockers, and the places where their outlines cross.  If it can be rolled all the
way around, one of viewer and target lies inside the other, and the line through their middles is free.

From an edge past polygons only, `polygon_sight` answers the same in less time.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.geometry.shapes.convex import Array, ConvexSet, decompose_placed, outer_radius_mm, unit_vectors

TOUCH_MM = 1e-7
"""What is no further apart than this touches."""
_ROUNDS = 4
_SIDES = np.array(((1, 1, -1, -1), (1, -1, 1, -1)))[:, :, None]
"""On which side of the first and the second ellipse a line touches it."""


def find_common_tangents(sites: Array) -> tuple[Array, Array]:
    """Return all lines that touch two of (n, 5) sites, as (m, 2) normals and (m,) offsets, and perhaps some more."""
    one, two = np.triu_indices(len(sites), 1)
    curved = (sites[one, 2] != sites[one, 3]) | (sites[two, 2] != sites[two, 3])
    discs = _find_disc_tangents(sites[one[~curved]], sites[two[~curved]])
    ovals = find_ellipse_tangents(sites[one[curved]], sites[two[curved]])
    tangents = [*discs, *ovals]
    return np.concatenate([normals for normals, _ in tangents]), np.concatenate([offsets for _, offsets in tangents])


def build_sites(parts: Sequence[ConvexSet], points: Array) -> Array:
    """Return what a line may touch, (n, 5): centre, semi-axes and turn of ellipses, discs, and points."""
    rows = [(x, y, 0.0, 0.0, 0.0) for x, y in points]
    for part in parts:
        a, b, turn = part.ellipses[0] if part.ellipses else (part.radius_mm, part.radius_mm, 0.0)
        rows += [(x, y, a, b, turn) for x, y in part.corners_mm]
    return np.unique(np.array(rows), axis=0)


def _support_extent(sites: Array, normals: Array) -> Array:
    """Return how far each ellipse reaches from its centre in each direction."""
    cos, sin = np.cos(sites[:, 4]), np.sin(sites[:, 4])
    u, v = normals[:, 0] * cos + normals[:, 1] * sin, normals[:, 1] * cos - normals[:, 0] * sin
    reach: Array = np.hypot(sites[:, 2] * u, sites[:, 3] * v)
    return reach


def _find_disc_tangents(one: Array, two: Array) -> Iterator[tuple[Array, Array]]:
    step = two[:, :2] - one[:, :2]
    length, bearing = np.hypot(step[:, 0], step[:, 1]), np.arctan2(step[:, 1], step[:, 0])
    for sense in (1, -1):
        lean = one[:, 2] - sense * two[:, 2]
        exists = (np.abs(lean) <= length * (1 + 1e-12)) & (length > 0) & ((sense > 0) | (two[:, 2] > 0))
        opening = np.arccos(np.clip(lean[exists] / length[exists], -1.0, 1.0))
        for turn in (1, -1):
            normals = unit_vectors(bearing[exists] + turn * opening)
            yield normals, (normals * one[exists, :2]).sum(axis=1) + one[exists, 2]


def find_ellipse_tangents(one: Array, two: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the lines that touch two ellipses: n.c1 + s1 |n|1 = n.c2 + s2 |n|2, squared until the roots are gone."""
    if not len(one):
        return
    step = two[:, :2] - one[:, :2]
    samples = []
    for normal in unit_vectors(np.arange(5) * math.pi / 5):
        normals = np.tile(normal, (len(one), 1))
        across, first, second = step @ normal, _support_extent(one, normals) ** 2, _support_extent(two, normals) ** 2
        samples.append((first - across**2 - second) ** 2 - 4 * across**2 * second)
    roots = np.angle(_find_roots(np.column_stack(samples))).ravel() / 2
    one, two, step = (np.repeat(rows, 4, axis=0) for rows in (one, two, step))
    normals, offsets, good = _polish_tangents(one, two, np.tile(roots, (4, 1)))
    yield normals[good], ((one[:, :2] * normals).sum(axis=2) + offsets)[good]


def _polish_tangents(one: Array, two: Array, angles: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return lines closer to touching ellipses than (4, m) angles say, for squaring costs digits.

    A row for each choice of sides: normals (4, m, 2), how far beyond the first ellipse's centre, and which lines touch.
    """
    dx, dy = (two[:, :2] - one[:, :2]).T
    for round_ in range(_ROUNDS + 1):
        cos, sin = np.cos(angles), np.sin(angles)
        (first, first_slope), (second, second_slope) = (
            _support_extent_and_slope(one, cos, sin),
            _support_extent_and_slope(two, cos, sin),
        )
        first, second = first * _SIDES[0], second * _SIDES[1]
        value = dx * cos + dy * sin + second - first
        if round_ == _ROUNDS:
            break
        slope = dy * cos - dx * sin + second_slope * _SIDES[1] - first_slope * _SIDES[0]
        move = np.divide(value, slope, out=np.zeros_like(value), where=np.abs(slope) > 1e-6)
        angles = angles - np.clip(move, -1e-3, 1e-3)
    return np.stack((cos, sin), axis=2), first, np.abs(value) < TOUCH_MM


def _support_extent_and_slope(sites: Array, cos: Array, sin: Array) -> tuple[Array, Array]:
    """Return how far each ellipse reaches in directions, and how fast that grows as they turn."""
    a, b, lean_cos, lean_sin = sites[:, 2], sites[:, 3], np.cos(sites[:, 4]), np.sin(sites[:, 4])
    u, v = a * (cos * lean_cos + sin * lean_sin), b * (sin * lean_cos - cos * lean_sin)
    reach = np.sqrt(u * u + v * v)
    slope = np.divide(u * v * (b * b - a * a), a * b * reach, out=np.zeros_like(reach), where=a * b * reach > 0)
    return reach, slope


def _find_roots(samples: Array) -> NDArray[np.complex128]:
    """Return the (m, 4) roots w of trigonometric polynomials of degree 2, w = exp(i t), sampled at five even steps."""
    spectrum = np.fft.fft(samples, axis=1)[:, [3, 4, 0, 1, 2]]
    series = spectrum / np.abs(spectrum).max(axis=1, keepdims=True).clip(1e-300)
    lead = np.where(np.abs(series[:, 4]) < 1e-14, 1e-14, series[:, 4])
    companion = np.zeros((len(samples), 4, 4), dtype=complex)
    companion[:, [1, 2, 3], [0, 1, 2]] = 1
    companion[:, :, 3] = -series[:, :4] / lead[:, None]
    return np.linalg.eigvals(companion).astype(np.complex128)


def find_outline_crossings(one: ConvexSet, two: ConvexSet) -> Array:
    """Return the (m, 2) points where two outlines cross."""
    if len(one.corners_mm) == 1 and len(two.corners_mm) == 1:
        (centre, axes), (other, other_axes) = map_unit_disc(one), map_unit_disc(two)
        inverse = np.linalg.inv(other_axes)
        around = centre + unit_vectors(np.arange(5) * 2 * math.pi / 5) @ axes.T - other
        samples = ((around @ inverse.T) ** 2).sum(axis=1) - 1
        met = centre + unit_vectors(np.angle(_find_roots(samples[None]))[0]) @ axes.T
        crossings: Array = met[np.abs(np.hypot(*(inverse @ (met - other).T)) - 1) < TOUCH_MM]
        return crossings
    if len(one.corners_mm) == 1 or len(two.corners_mm) == 1:
        round_one, flat = (one, two) if len(one.corners_mm) == 1 else (two, one)
        centre, axes = map_unit_disc(round_one)
        first = (flat.corners_mm - centre) @ np.linalg.inv(axes).T
        along = np.roll(first, -1, axis=0) - first
        a, b, c = (along**2).sum(axis=1).clip(1e-300), (first * along).sum(axis=1), (first**2).sum(axis=1) - 1
        root = np.sqrt(np.maximum(b * b - a * c, 0.0))
        shares = np.concatenate(((-b - root) / a, (-b + root) / a))
        met = np.tile(first, (2, 1)) + shares[:, None] * np.tile(along, (2, 1))
        met = met[(np.abs((met**2).sum(axis=1) - 1) < TOUCH_MM) & (shares >= 0) & (shares <= 1)]
        pierced: Array = centre + met @ axes.T
        return pierced
    first_ring, second_ring = (np.vstack((part.corners_mm, part.corners_mm[:1])) for part in (one, two))
    shared = shapely.intersection(shapely.LineString(first_ring), shapely.LineString(second_ring))
    return shapely.get_coordinates(shared)


def map_unit_disc(part: ConvexSet) -> tuple[Array, Array]:
    """Return the centre of a disc or an ellipse, and the matrix that makes it from the unit disc."""
    a, b, turn = part.ellipses[0] if part.ellipses else (part.radius_mm, part.radius_mm, 0.0)
    cos, sin = math.cos(turn), math.sin(turn)
    return part.corners_mm[0], np.array([[a * cos, -b * sin], [a * sin, b * cos]])


_NOWHERE = (math.inf, -math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewingEdge:
    """A straight edge to look from; its front lies to its right, as outside an outline drawn counter-clockwise."""

    first: Point
    last: Point


@dataclass(frozen=True, slots=True, kw_only=True)
class SightLine:
    """A line of sight that nothing blocks."""

    near: Point
    """Its end at the viewer."""
    far: Point
    """Its end at the target."""


def find_sight_line(
    viewer: PlacedShape | ViewingEdge, target: PlacedShape, blockers: Sequence[PlacedShape], *, ahead: bool = False
) -> SightLine | None:
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
    scene = _build_scene(viewer, target, blockers, ahead=ahead)
    return _find_free_segment(scene, *_find_middle_line(scene)) or _find_free_segment(
        scene, *_find_critical_lines(scene)
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _SightScene:
    """Everything as convex parts; ``front`` is the inward normal and offset of the half-plane where a line may end."""

    viewers: tuple[ConvexSet, ...]
    targets: tuple[ConvexSet, ...]
    blockers: tuple[ConvexSet, ...]
    front: tuple[Array, float] | None


def _build_scene(
    viewer: PlacedShape | ViewingEdge, target: PlacedShape, blockers: Sequence[PlacedShape], *, ahead: bool
) -> _SightScene:
    targets, front = decompose_placed(target), None
    if ahead and (not isinstance(viewer, ViewingEdge) or viewer.first == viewer.last):
        raise ValueError("only an edge with a length has a front to look ahead from")
    if isinstance(viewer, ViewingEdge):
        line = np.array((viewer.first, viewer.last), dtype=float)
        viewers: tuple[ConvexSet, ...] = (ConvexSet(corners_mm=line),)
        if ahead:
            along = (line[1] - line[0]) / math.dist(viewer.first, viewer.last)
            normal = np.array((along[1], -along[0]))
            front = (normal, float(normal @ line[0]))
    else:
        viewers = decompose_placed(viewer)
    ends = [_find_enclosing_disc(part) for part in (*viewers, *targets)]
    middle = ends[0][0], ends[len(viewers)][0]
    reach = max(_distance_to_segment_mm(centre, *middle) + radius for centre, radius in ends)

    def is_near(centre: Point, radius_mm: float) -> bool:
        return _distance_to_segment_mm(centre, *middle) - radius_mm < reach

    near = [blocker for blocker in blockers if is_near((blocker.x_mm, blocker.y_mm), outer_radius_mm(blocker.shape))]
    parts = tuple(
        part for blocker in near for part in decompose_placed(blocker) if is_near(*_find_enclosing_disc(part))
    )
    return _SightScene(viewers=viewers, targets=targets, blockers=parts, front=front)


def _find_enclosing_disc(part: ConvexSet) -> tuple[Point, float]:
    """Return the centre and the radius of a disc that holds a part."""
    centre = part.corners_mm.mean(axis=0)
    reach = float(np.hypot(*(part.corners_mm - centre).T).max()) + part.radius_mm
    return (float(centre[0]), float(centre[1])), reach + sum(max(a, b) for a, b, _ in part.ellipses)


def _distance_to_segment_mm(point: Point, first: Point, last: Point) -> float:
    """Return how far a point is from a segment."""
    (x, y), (dx, dy) = (point[0] - first[0], point[1] - first[1]), (last[0] - first[0], last[1] - first[1])
    share = min(max((x * dx + y * dy) / max(dx * dx + dy * dy, 1e-300), 0.0), 1.0)
    return math.hypot(x - share * dx, y - share * dy)


def _find_middle_line(scene: _SightScene) -> tuple[Array, Array]:
    """Return the line through the middles of viewer and target: it is mostly free, and the plainest to show."""
    one, two = (np.array(_find_enclosing_disc(parts[0])[0]) for parts in (scene.viewers, scene.targets))
    normal = unit_vectors(np.array([math.atan2(*(two - one)[::-1]) + math.pi / 2]))
    return normal, normal @ one


# Lines that touch two things -----------------------------------------------------------------------------------------


def _find_critical_lines(scene: _SightScene) -> tuple[Array, Array]:
    """Return all lines that touch two things, as (m, 2) normals and (m,) offsets; a superset does no harm."""
    return find_common_tangents(
        build_sites((*scene.viewers, *scene.targets, *scene.blockers), _find_crossing_points(scene))
    )


def _find_crossing_points(scene: _SightScene) -> Array:
    """Return where a line's end may be caught: where viewer or target cross each other or a blocker."""
    ends = (*scene.viewers, *scene.targets)
    pairs = _select_meeting([(end, blocker) for end in ends for blocker in scene.blockers])
    both = _select_meeting([(one, two) for one in scene.viewers for two in scene.targets])
    if any(one.minkowski_sum(two.reflect()).distance(0.0, 0.0)[0] <= TOUCH_MM for one, two in both):
        pairs += [*both, *_select_meeting(list(combinations(scene.blockers, 2)))]
    return np.concatenate([np.empty((0, 2)), *(find_outline_crossings(one, two) for one, two in pairs)])


def _select_meeting(pairs: list[tuple[ConvexSet, ConvexSet]]) -> list[tuple[ConvexSet, ConvexSet]]:
    """Return the pairs of parts that may touch, for the discs around them do."""
    around = {id(part): _find_enclosing_disc(part) for pair in pairs for part in pair}
    discs = [(around[id(one)], around[id(two)]) for one, two in pairs]
    close = [math.dist(p, q) <= r + s + TOUCH_MM for (p, r), (q, s) in discs]
    return [pair for pair, touches in zip(pairs, close, strict=True) if touches]


# Along one line ------------------------------------------------------------------------------------------------------


def _find_free_segment(scene: _SightScene, normals: Array, offsets: Array) -> SightLine | None:
    """Return the free segment of the first of many lines that has one."""
    viewers = np.stack([_clip_to_part(part, normals, offsets) for part in scene.viewers], axis=1)
    targets = np.stack([_clip_to_part(part, normals, offsets) for part in scene.targets], axis=1)
    targets = _clip_to_front(scene, normals, offsets, targets)
    keep = (viewers[..., 0] <= viewers[..., 1]).any(axis=1) & (targets[..., 0] <= targets[..., 1]).any(axis=1)
    normals, offsets, viewers, targets = normals[keep], offsets[keep], viewers[keep], targets[keep]
    blocked, above, below = (np.full((len(normals), len(scene.blockers), 2), _NOWHERE) for _ in range(3))
    for index, part in enumerate(scene.blockers):
        chord = _clip_to_part(part, normals, offsets)
        over, under = part.support(normals) - offsets, part.support(-normals) + offsets
        cut = np.minimum(over, under) > TOUCH_MM
        blocked[cut, index] = chord[cut]
        above[~cut & (over > under), index] = chord[~cut & (over > under)]
        below[~cut & (over <= under), index] = chord[~cut & (over <= under)]
    for row in np.flatnonzero(~_find_parted_lines(viewers, targets, blocked)):
        shut = np.concatenate((blocked[row], _find_seams(above[row], below[row])))
        ends = _find_shortest_segment(viewers[row], targets[row], shut[shut[:, 0] < shut[:, 1]])
        if ends is not None:
            along = np.array((-normals[row, 1], normals[row, 0]))
            near, far = (normals[row] * offsets[row] + along * end for end in ends)
            return SightLine(near=(float(near[0]), float(near[1])), far=(float(far[0]), float(far[1])))
    return None


def _clip_to_part(part: ConvexSet, normals: Array, offsets: Array) -> Array:
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
    centre, axes = map_unit_disc(part)
    pulled = normals @ axes
    reach = np.hypot(pulled[:, 0], pulled[:, 1])
    lean = (offsets - normals @ centre) / reach
    half = abs(float(np.linalg.det(axes))) / reach * np.sqrt(np.maximum(1 - lean**2, 0.0))
    middle = along @ centre + lean * ((pulled @ axes.T) * along).sum(axis=1) / reach
    meets = (np.abs(lean) - 1) * reach <= TOUCH_MM
    return np.where(meets[:, None], np.column_stack((middle - half, middle + half)), _NOWHERE)


def _clip_to_front(scene: _SightScene, normals: Array, offsets: Array, chords: Array) -> Array:
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


def _find_parted_lines(viewers: Array, targets: Array, blocked: Array) -> NDArray[np.bool_]:
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


def _find_seams(above: Array, below: Array) -> Array:
    """Return where one blocker touches a line from above and another from below, (k, 2)."""
    low = np.maximum(above[:, None, 0], below[None, :, 0])
    high = np.minimum(above[:, None, 1], below[None, :, 1])
    shared = high > low + TOUCH_MM
    return np.column_stack((low[shared], high[shared]))


def _find_shortest_segment(viewers: Array, targets: Array, shut: Array) -> tuple[float, float] | None:
    """Return where along a line the shortest free segment begins and ends, or None if there is none.

    What is shut up to a point and from there on is shut there: a place that is free is no single point of every line.
    """
    opening, openings = -math.inf, []
    for low, high in shut[np.argsort(shut[:, 0])]:
        if low > opening + TOUCH_MM:
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
