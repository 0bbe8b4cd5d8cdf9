"""Shape arrays: many placed shapes as arrays, prepared once for questions about all of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import Array, decompose_convex, hull

Ints = NDArray[np.intp]
Flags = NDArray[np.bool_]

DISC, ELLIPSE, POLYGON = 0, 1, 2
"""Kinds of convex items; polygons padded to more corners are `POLYGON` + 1, + 2 and so on."""
_FEWEST = 6
"""Corners that every polygon has, if by repeating its last: fewer kinds are quicker than fewer corners."""
_POCKET_COS = 1 - 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShapeArrays:
    """Placed shapes as convex items: one for each shape, its hull if it is concave, then the parts of the concave."""

    count: int
    """How many shapes; item i < count is shape i or its hull."""
    kind: Ints
    row: Ints
    """Where in the polygons of its kind an item is."""
    smooth: Array
    """(7, items): centre x and y, the form Q of h(n) = sqrt(n.Q.n) as xx, xy, yy, its determinant, and the turn."""
    radius_mm: Array
    """Of a disc; else of a disc around the item's centre that holds it."""
    polygons: tuple[Array, ...]
    """A kind of polygons each, (8, corners, rows): corner x and y, the side to the next as unit direction x and y and
    length, and the side from the one before alike."""
    centres: Array
    """(8, 1, items): the centre of each item as a polygon without sides."""
    parts: tuple[Ints, Ints]
    """First item and number of items of each shape's convex parts; for a convex shape, itself."""
    pockets: Array
    """(2, k, count): outward normals of the hull's sides that are not the shape's own, zeros where there are fewer."""

    def may_be_pocket(self, shapes: Ints, normals: Array) -> Flags:
        """Return which (m,) shapes may be met, along (2, m) outward normals, at a side of the hull not their own."""
        may_be = np.zeros(len(shapes), dtype=bool)
        concave = np.flatnonzero(self.parts[1][shapes] > 1)
        flat, met = self.pockets.take(shapes[concave], axis=2), normals.take(concave, axis=1)
        may_be[concave] = (flat[0] * met[0] + flat[1] * met[1] > _POCKET_COS).any(axis=0)
        return may_be


def build_shape_arrays(shapes: Sequence[PlacedShape]) -> ShapeArrays:
    """Return placed shapes as arrays, to ask `pairs` about."""
    locals_ = [_build_local_shape(placed.shape) for placed in shapes]
    poses = [(placed.x_mm, placed.y_mm, placed.facing_rad) for placed in shapes]
    first, number = np.arange(len(shapes)), np.ones(len(shapes), dtype=np.intp)
    items, owners = [local.item for local in locals_], list(range(len(shapes)))
    for index, local in enumerate(locals_):
        if local.parts:
            first[index], number[index] = len(items), len(local.parts)
            items += local.parts
            owners += [index] * len(local.parts)
    pose = np.array(poses, dtype=float).reshape(-1, 3)[owners]
    plain = np.array([item.plain for item in items], dtype=float).reshape(-1, 4)
    cos, sin = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    sizes = np.array([item.corners.shape[1] for item in items], dtype=np.intp)
    kind, row = plain[:, 0].astype(np.intp), np.zeros(len(items), dtype=np.intp)
    polygons: list[Array] = []
    for size in sorted({*sizes[sizes > 0].tolist()}):
        rows_of_size = np.flatnonzero(sizes == size)
        kind[rows_of_size], row[rows_of_size] = POLYGON + len(polygons), np.arange(len(rows_of_size))
        corners = np.array([items[i].corners for i in rows_of_size.tolist()]).transpose(1, 2, 0)
        polygons.append(_place_polygons(corners, cos[rows_of_size], sin[rows_of_size], pose[rows_of_size]))
    return ShapeArrays(
        count=len(shapes),
        kind=kind,
        row=row,
        smooth=_build_ellipse_forms(plain, pose, cos, sin),
        radius_mm=plain[:, 3],
        polygons=tuple(polygons),
        centres=np.vstack((pose[:, :2].T, np.zeros((6, len(items)))))[:, None],
        parts=(first, number),
        pockets=_place_pockets(locals_, cos, sin),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _ConvexItem:
    """A convex item in its own frame."""

    plain: tuple[int, float, float, float]
    """Kind, semi-axes of an ellipse or disc, radius of the disc around the origin that holds it."""
    corners: Array
    """Of a polygon, (8, corners) as in `ShapeArrays.polygons`; the last may be repeated, side and all."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LocalShape:
    item: _ConvexItem
    """The shape, or its hull."""
    pockets: Array
    """Outward normals of the hull's sides that are not the shape's own."""
    parts: tuple[_ConvexItem, ...] = ()
    """Of a concave shape."""


@lru_cache(maxsize=512)
def _build_local_shape(shape: Base) -> _LocalShape:
    none = np.empty((0, 2))
    match shape:
        case Round(radius_mm=r):
            return _LocalShape(item=_ConvexItem(plain=(DISC, r, r, r), corners=np.empty((8, 0))), pockets=none)
        case Oval(length_mm=length, width_mm=width):
            a, b = length / 2, width / 2
            return _LocalShape(
                item=_ConvexItem(plain=(ELLIPSE, a, b, max(a, b)), corners=np.empty((8, 0))), pockets=none
            )
        case Rect():
            return _LocalShape(item=_build_padded_polygon(decompose_convex(shape)[0].corners_mm), pockets=none)
    parts = decompose_convex(shape)
    if len(parts) == 1:
        return _LocalShape(item=_build_padded_polygon(parts[0].corners_mm), pockets=none)
    corners = hull(np.array(shape.points_mm))
    place = {point: index for index, point in enumerate(shape.points_mm)}
    at = [place[float(x), float(y)] for x, y in corners]
    is_side = [abs(one - two) in {1, len(place) - 1} for one, two in zip(at, at[1:] + at[:1], strict=True)]
    along = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack((along[:, 1], -along[:, 0])) / np.hypot(along[:, 0], along[:, 1])[:, None]
    items = tuple(_build_padded_polygon(part.corners_mm) for part in parts)
    return _LocalShape(item=_build_padded_polygon(corners), parts=items, pockets=normals[~np.array(is_side)])


def _build_padded_polygon(corners: Array) -> _ConvexItem:
    """Return a polygon padded to one of few numbers of corners, so that shapes fall into few kinds."""
    size = _FEWEST
    while size < len(corners):
        size = size * 3 // 2 if size & (size - 1) == 0 else size * 4 // 3
    along = np.roll(corners, -1, axis=0) - corners
    length = np.hypot(along[:, 0], along[:, 1])
    sides = np.vstack((along.T / length, length))
    entries = np.vstack((corners.T, sides, np.roll(sides, 1, axis=1)))
    padded = np.concatenate((entries, np.repeat(entries[:, -1:], size - len(corners), axis=1)), axis=1)
    reach = math.sqrt(float((corners**2).sum(axis=1).max()))
    return _ConvexItem(plain=(POLYGON, 0.0, 0.0, reach), corners=padded)


def _place_polygons(corners: Array, cos: Array, sin: Array, pose: Array) -> Array:
    """Return polygons, (8, corners, rows), where they stand."""
    turned = corners.copy()
    for x, y in ((0, 1), (2, 3), (5, 6)):
        turned[x], turned[y] = corners[x] * cos - corners[y] * sin, corners[x] * sin + corners[y] * cos
    turned[0] += pose[:, 0]
    turned[1] += pose[:, 1]
    return turned


def _place_pockets(locals_: Sequence[_LocalShape], cos: Array, sin: Array) -> Array:
    flat = np.zeros((2, max((len(local.pockets) for local in locals_), default=0), len(locals_)))
    for index in [index for index, local in enumerate(locals_) if local.parts]:
        x, y = locals_[index].pockets.T
        flat[0, : len(x), index] = x * cos[index] - y * sin[index]
        flat[1, : len(x), index] = x * sin[index] + y * cos[index]
    return flat


def _build_ellipse_forms(plain: Array, pose: Array, cos: Array, sin: Array) -> Array:
    aa, bb = plain[:, 1] ** 2, plain[:, 2] ** 2
    xx, yy = aa * cos * cos + bb * sin * sin, aa * sin * sin + bb * cos * cos
    return np.stack((pose[:, 0], pose[:, 1], xx, (aa - bb) * cos * sin, yy, aa * bb, pose[:, 2]))
