"""Ways made exact: the places where they pass the edges of areas are moved until nothing can be gained.

Where a way is cheapest, what it pays for a small step along the edge is the same on both sides: Snell's law, and at the
critical angle a run along the edge.  Newton's method finds the places of many ways at once; the points where ways
touch discs follow, and by the envelope theorem a touched disc bends what is paid just as a point there would.
"""

from dataclasses import dataclass

import numpy as np

from assistant.geometry.convex import Array, unit
from assistant.geometry.field import Flags, Ints
from assistant.geometry.relays import Curves

FIXED, PASSING, ARRIVING, DEPARTING = range(4)
"""What a stop does: it stays, it moves along a curve, it touches a disc after or before a stop that moves."""
_ROUNDS = 30
_SETTLED_MM = 1e-10
_SHARES = (1.0, 0.3, 0.05, 0.005)
_LEAST_MM = 1e-9
_TOUCH_MM = 1e-6
_FLAT = 1e-9
"""What is not bent more than this counts as bent so much."""
_STRIDE_MM = 20.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stops:
    """The stops of many ways, (w, k), padded with copies of the last one; legs lead from each stop to the next."""

    role: Ints
    place_mm: Array
    """(w, k, 2)"""
    curve: Ints
    along_mm: Array
    """Where on its curve a stop is that may move."""
    centre_mm: Array
    """(w, k, 2) of the disc that is touched."""
    radius_mm: Array
    turn: Ints
    """Which way round the disc."""
    pace: Array
    arc: Flags
    """(w, k - 1) of each leg."""

    def among(self, rows: Ints | Flags) -> "Stops":
        """Return some of the ways."""
        return Stops(**{name: getattr(self, name)[rows] for name in Stops.__slots__})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Course:
    """Ways for some places on the curves."""

    place_mm: Array
    leg_mm: Array
    cost_mm: Array
    heading: Array
    """(w, k - 1, 2) of straight legs."""


def refracted(stops: Stops, curves: Curves) -> tuple[Stops, Array]:
    """Return the cheapest stops, and (w, k - 1) the lengths of the legs."""
    along = np.where(stops.role == PASSING, stops.along_mm, 0.0)
    busy = np.flatnonzero((stops.role == PASSING).any(axis=1))
    if len(busy):
        short, column = _gathered(stops.among(busy))
        moved = _settled(short, curves)
        way, stop = np.nonzero(short.role == PASSING)
        along[busy[way], column[way, stop]] = moved[way, stop]
    course = _course(stops, curves, along)
    kept = {name: getattr(stops, name) for name in Stops.__slots__}
    kept |= {"place_mm": course.place_mm, "along_mm": np.where(stops.role == PASSING, along, stops.along_mm)}
    return Stops(**kept), course.leg_mm


def _gathered(stops: Stops) -> tuple[Stops, Ints]:
    """Return only the stops that move or stand beside one that does, and which they are, (w, k)."""
    busy = stops.role != FIXED
    wanted = busy.copy()
    wanted[:, 1:] |= busy[:, :-1]
    wanted[:, :-1] |= busy[:, 1:]
    rank = np.argsort(~wanted, axis=1, kind="stable")[:, : int(wanted.sum(axis=1).max())]
    count = wanted.sum(axis=1, keepdims=True)
    real = np.arange(rank.shape[1]) < count
    rank = np.where(real, rank, np.take_along_axis(rank, count - 1, axis=1))
    rows = np.arange(len(rank))[:, None]
    leg = np.minimum(rank[:, :-1], stops.pace.shape[1] - 1)
    beside = rank[:, 1:] == rank[:, :-1] + 1
    picked = {name: getattr(stops, name)[rows, rank] for name in Stops.__slots__ if name not in {"pace", "arc"}}
    picked["role"] = np.where(real, picked["role"], FIXED)
    picked["pace"] = np.where(beside, stops.pace[rows, leg], 0.0)
    picked["arc"] = beside & stops.arc[rows, leg]
    return Stops(**picked), rank


def _settled(stops: Stops, curves: Curves) -> Array:
    """Return where on their curves the stops that move come to rest, (w, k)."""
    passing = stops.role == PASSING
    along = np.where(passing, stops.along_mm, 0.0)
    loop = (curves.radius_mm > 0) & (curves.length_mm > 2 * np.pi * curves.radius_mm * (1 - 1e-12))
    low = np.where(passing & loop[stops.curve], -np.inf, 0.0)
    high = np.where(passing, np.where(loop[stops.curve], np.inf, curves.length_mm[stops.curve]), 0.0)
    busy = np.arange(len(along))
    for _ in range(_ROUNDS):
        part, at, least, most = stops.among(busy), along[busy], low[busy], high[busy]
        here = _course(part, curves, at)
        step = _newton(part, curves, here, at, (least, most))
        moved, rows = np.zeros(len(busy)), np.arange(len(busy))
        for share in _SHARES:
            tried = np.clip(at[rows] + share * step[rows], least[rows], most[rows])
            gain = _course(part.among(rows), curves, tried).cost_mm < here.cost_mm[rows]
            moved[rows[gain]] = np.abs(tried - at[rows]).max(axis=1)[gain]
            along[busy[rows[gain]]] = tried[gain]
            rows = rows[~gain]
            if not len(rows):
                break
        busy = busy[moved > _SETTLED_MM]
        if not len(busy):
            break
    return along


def ending(stops: Stops, leg_mm: Array) -> tuple[Array, Array]:
    """Return the headings in which ways end, (w, 2), and their pace there; of the last leg that is not just a touch."""
    last = leg_mm.shape[1] - 1 - (leg_mm > _TOUCH_MM)[:, ::-1].argmax(axis=1)
    way = np.arange(len(last))
    one, two = stops.place_mm[way, last], stops.place_mm[way, last + 1]
    step = two - one
    length = np.maximum(np.hypot(step[:, 0], step[:, 1]), 1e-300)[:, None]
    out = (two - stops.centre_mm[way, last]) / stops.radius_mm[way, last, None]
    around = np.column_stack((-out[:, 1], out[:, 0])) * stops.turn[way, last, None]
    return np.where(stops.arc[way, last, None], around, step / length), stops.pace[way, last]


def _course(stops: Stops, curves: Curves, along: Array) -> _Course:
    place, passing = stops.place_mm.copy(), stops.role == PASSING
    place[passing] = curves.at(stops.curve[passing], along[passing])[0]
    for role, shift in ((ARRIVING, -1), (DEPARTING, 1)):
        way, stop = np.nonzero(stops.role == role)
        away = place[way, stop + shift] - stops.centre_mm[way, stop]
        radius, turn = stops.radius_mm[way, stop], stops.turn[way, stop]
        distance = np.hypot(away[:, 0], away[:, 1])
        opening = np.arccos(np.minimum(radius / distance, 1.0))
        angle: Array = np.arctan2(away[:, 1], away[:, 0]) - shift * turn * opening
        place[way, stop] = stops.centre_mm[way, stop] + radius[:, None] * unit(angle)
    step = place[:, 1:] - place[:, :-1]
    length = np.hypot(step[..., 0], step[..., 1])
    heading = np.divide(step, length[..., None], out=np.zeros_like(step), where=length[..., None] > 0)
    for role, shift in ((ARRIVING, -1), (DEPARTING, 0)):
        way, stop = np.nonzero(stops.role == role)
        out = (place[way, stop] - stops.centre_mm[way, stop]) / stops.radius_mm[way, stop, None]
        turned = np.column_stack((-out[:, 1], out[:, 0])) * stops.turn[way, stop, None]
        heading[way, stop + shift] = turned
    way, leg = np.nonzero(stops.arc)
    one, two = (place[way, leg + k] - stops.centre_mm[way, leg] for k in (0, 1))
    swept = np.arctan2(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0], (one * two).sum(axis=1))
    length[way, leg] = (
        stops.radius_mm[way, leg] * np.mod(stops.turn[way, leg] * swept + 1.0, 2 * np.pi) - stops.radius_mm[way, leg]
    )
    heading[way, leg] = (
        stops.turn[way, leg, None] * np.column_stack((-two[:, 1], two[:, 0])) / stops.radius_mm[way, leg, None]
    )
    return _Course(place_mm=place, leg_mm=length, cost_mm=(stops.pace * length).sum(axis=1), heading=heading)


def _newton(stops: Stops, curves: Curves, course: _Course, along: Array, bounds: tuple[Array, Array]) -> Array:
    """Return the step that Newton's method takes, (w, k)."""
    ways, count = along.shape
    passing = stops.role == PASSING
    tangent, bend = np.zeros((2, ways, count, 2))
    _, tangent[passing], bend[passing] = curves.at(stops.curve[passing], along[passing])
    pace = stops.pace[..., None]
    pull = np.zeros((ways, count, 2))
    pull[:, 1:] += pace * course.heading
    pull[:, :-1] -= pace * course.heading
    slope = (pull * tangent).sum(axis=2)
    stiff = np.where(stops.arc, 0.0, stops.pace / np.maximum(course.leg_mm, _LEAST_MM))
    before, after = (tangent[:, 1:], tangent[:, :-1])
    lean_b, lean_a = (course.heading * before).sum(axis=2), (course.heading * after).sum(axis=2)
    matrix = np.zeros((ways, count, count))
    k = np.arange(count)
    matrix[:, k, k] = (pull * bend).sum(axis=2)
    matrix[:, k[1:], k[1:]] += stiff * ((before**2).sum(axis=2) - lean_b**2)
    matrix[:, k[:-1], k[:-1]] += stiff * ((after**2).sum(axis=2) - lean_a**2)
    cross = -stiff * ((before * after).sum(axis=2) - lean_a * lean_b)
    matrix[:, k[:-1], k[1:]] = matrix[:, k[1:], k[:-1]] = cross
    still = ~passing | ((along <= bounds[0]) & (slope > 0)) | ((along >= bounds[1]) & (slope < 0))
    slope = np.where(still, 0.0, slope)
    matrix[still[:, :, None] | still[:, None, :]] = 0.0
    matrix[:, k, k] = np.where(still, 1.0, np.maximum(np.abs(matrix[:, k, k]), _FLAT) + _FLAT / 1e3)
    step: Array = np.clip(np.linalg.solve(matrix, -slope[..., None])[..., 0], -_STRIDE_MM, _STRIDE_MM)
    return step
