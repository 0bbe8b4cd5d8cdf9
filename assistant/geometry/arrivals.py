"""The last straight segments of shortest ways: from the start, or from an arc that is hugged, to any place."""

import numpy as np

from assistant.geometry.convex import Array
from assistant.geometry.field import TOUCH_MM, Ints, Plane, turned
from assistant.geometry.hugs import Hugs

_ANGLE_RAD = 1e-9
_DRAWN_RAD = 0.05


def arrivals(hugs: Hugs, start: int, places: Plane, limit_mm: float) -> tuple[Array, Ints, Array]:
    """Return the shortest ways from a start to (m,) places: the length, the arc left last, and where it is left.

    The length is infinite where no way leads within the limit; the arc is -1 where the way is straight.
    """
    field = hugs.field
    arcs = ((hugs.start == start) & (hugs.corner != start)).nonzero()[0]
    corner, first, radius = hugs.corner[arcs], hugs.first[arcs], field.radii_mm[hugs.corner[arcs]]
    span = hugs.last[arcs] - first
    turn = np.sign(span)
    away = places[:, None] - field.centres[corner]
    square = np.abs(away) ** 2
    straight = np.sqrt(np.maximum(square - radius**2, 0.0))
    normal = away * (radius - 1j * turn * straight)  # points where the tangent to the place leaves, times the square
    hugged = np.angle(normal * (turned(first) * field.lows[corner]).conj()) * turn
    able = (hugged >= -_ANGLE_RAD) & (hugged <= np.abs(span) + _ANGLE_RAD) & (square >= (radius - TOUCH_MM) ** 2)
    hugged = np.maximum(hugged, 0.0)
    mm = np.where(able, hugs.cost_mm[arcs] + radius * hugged + straight, np.inf)
    # The start itself is one more arc, of no radius.
    direct = np.abs(places - field.centres[start])[:, None]
    mm = np.concatenate((mm, direct), axis=1)
    mm[mm > limit_mm] = np.inf
    angle = np.concatenate((first + turn * hugged, np.zeros_like(direct)), axis=1)
    straight = np.concatenate((straight, direct), axis=1)
    corner = np.append(corner, start)

    found, which = np.full(len(places), np.inf), np.full(len(places), -1)
    asked = np.arange(len(places))
    while len(asked):  # the shortest first, until one meets nothing
        best = mm[asked].argmin(axis=1)
        asked, best = asked[(least := mm[asked, best]) < np.inf], best[least < np.inf]
        around, length = corner[best], straight[asked, best]
        leaves = turned(angle[asked, best]) * field.lows[around]
        origin = field.centres[around] + field.radii_mm[around] * leaves
        heading = np.divide(places[asked] - origin, length, out=np.ones(len(asked), dtype=complex), where=length > 0)
        owner = field.owner[around]
        free = field.entered(origin, heading, length, owner, owner)[0] >= length - TOUCH_MM
        found[asked[free]], which[asked[free]] = mm[asked[free], best[free]], best[free]
        mm[asked, best] = np.inf
        asked = asked[~free]
    rows = np.arange(len(places))
    return found, np.where(which < len(arcs), np.append(arcs, -1)[which], -1), angle[rows, which]


def points_before(hugs: Hugs, hug: int, angle: float) -> list[complex]:
    """Return the places along the way to where it leaves an arc for good, arcs as chords."""
    if hug < 0:
        return []
    graph, states = hugs.graph, [int(hugs.state[hug])]
    while graph.before[states[-1]] >= 0:
        states.append(int(graph.before[states[-1]]))
    nodes = [state // 2 for state in states[-2::-1]]  # the last is at the start
    drawn = []
    for one, two in zip(nodes, [*nodes[1:], None], strict=True):
        corner, begin = graph.corner[one], graph.angle[one]
        end = angle if two is None else graph.angle[two]
        if two is not None and (graph.corner[two] != corner or abs(two - one) != 1):  # a hop, or the seam of a disc
            end = begin
        angles = np.linspace(begin, end, 1 + (begin != end) + int(abs(end - begin) / _DRAWN_RAD))
        field = hugs.field
        drawn += (field.centres[corner] + field.radii_mm[corner] * turned(angles) * field.lows[corner]).tolist()
    return drawn
