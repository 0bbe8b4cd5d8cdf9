"""The distance of a point from a polygon grown by ellipses, where it lies outside: a few steps of plain arithmetic.

Between a direction's separation and the way to the point that it touches lies the distance: where the two are equal it
is proven.  The direction comes from an edge that faces the point, or from Newton's method around a corner, which puts
a circle of the same curvature in the place of the ellipses: the next direction leads from that circle's centre.
"""

import math
from collections.abc import Sequence

Ellipse = tuple[float, float, float]
"""Semi-axes in millimetres and the turn of the first one in radians."""
_Axes = tuple[float, float, float, float]
"""The squares of the semi-axes, and the cosine and sine of the turn."""
_PROVEN_MM = 1e-9
_ASIDE_MM = 1e-8
"""How far beside its direction the way to a point may lead; the distance lies no further from the separation."""
_ROUNDS = 60
_TURNS = tuple(sign * step / 6 for step in range(10) for sign in (1, -1))[1:]


def distance_outside(
    corners: Sequence[tuple[float, float]], ellipses: Sequence[Ellipse], x_mm: float, y_mm: float
) -> tuple[float, float, float] | None:
    """Return a point's distance from a set, and the unit normal towards it; None where that is not proven.

    Args:
        corners: of a convex polygon, counter-clockwise, or one or two points.
        ellipses: semi-axes and turns of what it is grown by; none of them a point.
        x_mm: the point; ...
        y_mm: ... inside the set, or on its edge, nothing is proven.

    """
    axes = [(a * a, b * b, math.cos(turn), math.sin(turn)) for a, b, turn in ellipses]
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
        ex, ey = bx - ax, by - ay
        length = math.hypot(ex, ey)
        if length > 0:
            nx, ny = ey / length, -ex / length
            px, py, _ = _furthest(axes, nx, ny)
            wx, wy = x_mm - ax - px, y_mm - ay - py
            mm = nx * wx + ny * wy
            if mm > 0 and 0 <= wx * ex + wy * ey <= length * length:
                return mm, nx, ny
    for cx, cy in sorted(corners, key=lambda corner: math.hypot(x_mm - corner[0], y_mm - corner[1])):
        found = _around(axes, x_mm - cx, y_mm - cy)
        if found is not None:
            mm, nx, ny = found
            if all(nx * (ox - cx) + ny * (oy - cy) <= _PROVEN_MM for ox, oy in corners):
                return found
    return None


def _around(axes: Sequence[_Axes], x: float, y: float) -> tuple[float, float, float] | None:
    """Return the distance of a point from ellipses added up around the origin, and its direction.

    Directions with a positive separation lie within a right angle of the point's, next to each other, and in them the
    separation has one peak: whatever Newton's method proposes is kept between the last ones on either side of it, and
    every third round these are brought nearer to each other by half, for around a needle it may go to and fro.
    """
    bearing = math.atan2(y, x)
    low, high, angle = bearing - math.pi / 2, bearing + math.pi / 2, _begun(axes, x, y, bearing)
    if angle is None:
        return None
    forward = True
    for tried in range(_ROUNDS):
        nx, ny = math.cos(angle), math.sin(angle)
        px, py, bend = _furthest(axes, nx, ny)
        wx, wy = x - px, y - py
        mm, aside = nx * wx + ny * wy, nx * wy - ny * wx
        if mm > 0:
            if abs(aside) < _ASIDE_MM:
                return mm, nx, ny
            forward = aside > 0
        low, high = (angle, high) if forward == (mm > 0) else (low, angle)
        angle += math.atan2(aside, mm + bend)
        if mm <= 0 or tried % 3 == 2 or not low < angle < high:
            angle = (low + high) / 2
    return None


def _begun(axes: Sequence[_Axes], x: float, y: float, bearing: float) -> float | None:
    """Return a direction in which a point is surely apart from ellipses added up around the origin.

    It is sought fan-wise around the point's own, and across the needles.
    """
    turns = [
        *_TURNS,
        *(
            math.remainder(math.atan2(sin, cos) + k * math.pi / 2 - bearing, math.tau)
            for _, _, cos, sin in axes
            for k in range(4)
        ),
    ]
    for turn in turns:
        if abs(turn) < math.pi / 2:
            nx, ny = math.cos(bearing + turn), math.sin(bearing + turn)
            px, py, _ = _furthest(axes, nx, ny)
            if nx * (x - px) + ny * (y - py) > 0:
                return bearing + turn
    return None


def _furthest(axes: Sequence[_Axes], nx: float, ny: float) -> tuple[float, float, float]:
    """Return the point of the sum of ellipses that lies furthest in a direction, and its radius of curvature there."""
    px = py = bend = 0.0
    for aa, bb, cos, sin in axes:
        u, v = nx * cos + ny * sin, ny * cos - nx * sin
        reach = math.sqrt(aa * u * u + bb * v * v)
        along, across = aa * u / reach, bb * v / reach
        px += along * cos - across * sin
        py += along * sin + across * cos
        bend += aa * bb / (reach * reach * reach)
    return px, py, bend
